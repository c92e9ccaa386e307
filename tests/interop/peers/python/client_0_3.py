"""A client on the official Python SDK 0.3. It takes the orders of client_1.py and prints in the same form."""

import asyncio
import uuid

import httpx

from a2a.client import A2ACardResolver, ClientConfig, ClientFactory
from a2a.types import (
    GetTaskPushNotificationConfigParams,
    Message,
    TaskArtifactUpdateEvent,
    TaskIdParams,
    TaskPushNotificationConfig,
    TaskQueryParams,
)

from peer import emit, orders
from sdk_0_3 import from_part, to_part

WAITING = ('input-required', 'auth-required')


def parts_of(message):
    return {'parts': [from_part(part) for part in message.parts]} if message else {}


def task_of(task):
    artifacts = {
        artifact.artifact_id: [from_part(part) for part in artifact.parts] for artifact in task.artifacts or []
    }
    return {'task': task.status.state.value, 'artifacts': artifacts, **parts_of(task.status.message)}


class Conversation:
    def __init__(self, client):
        self.client = client
        self.forget()

    def forget(self):
        self.context_id = self.task_id = self.waiting = None

    def show(self, item):
        task, update = item if isinstance(item, tuple) else (item, None)
        payload = update or task
        self.context_id = payload.context_id or self.context_id
        if isinstance(payload, Message):
            emit(message=[from_part(part) for part in payload.parts])
            return
        self.task_id = update.task_id if update else task.id
        if isinstance(payload, TaskArtifactUpdateEvent):
            parts = [from_part(part) for part in payload.artifact.parts]
            emit(artifact=payload.artifact.artifact_id, parts=parts, append=bool(payload.append))
            return
        state = payload.status.state.value
        self.waiting = self.task_id if state in WAITING else None
        emit(**{'status': state, **parts_of(payload.status.message)} if update else task_of(task))

    async def follow(self, stream, order):
        cancelling = None
        count = 0
        async for item in stream:
            self.show(item)
            count += 1
            if count == order.get('cancel_after'):
                cancelling = asyncio.create_task(self.client.cancel_task(TaskIdParams(id=self.task_id)))
            if count == order.get('drop_after'):
                await stream.aclose()
                await self.follow(self.client.resubscribe(TaskIdParams(id=self.task_id)), {})
                break
        if cancelling:
            emit(call='cancel', **task_of(await cancelling))

    async def say(self, order):
        if order.get('fresh'):
            self.forget()
        message = Message(
            role='user',
            message_id=str(uuid.uuid4()),
            context_id=self.context_id,
            task_id=self.waiting,
            parts=[to_part(part) for part in order['parts']],
        )
        await self.follow(self.client.send_message(message), order)

    async def operate(self, order):
        client, task_id = self.client, order.get('id', self.task_id)
        name = order['call']
        if name == 'get':
            emit(call=name, **task_of(await client.get_task(TaskQueryParams(id=task_id))))
        elif name == 'cancel':
            emit(call=name, **task_of(await client.cancel_task(TaskIdParams(id=task_id))))
        elif name == 'card':
            card = await client.get_card()
            emit(call=name, skills=[skill.id for skill in card.skills])
        elif name == 'push':
            config = {'id': 'config-1', 'url': order['url'], 'token': 'token-1'}
            wanted = TaskPushNotificationConfig(task_id=task_id, push_notification_config=config)
            made = await client.set_task_callback(wanted)
            request = GetTaskPushNotificationConfigParams(id=task_id, push_notification_config_id='config-1')
            got = await client.get_task_callback(request)
            emit(call=name, urls=[each.push_notification_config.url for each in (made, got)])
        else:
            raise ValueError(f'no call {name}')


async def connect(wanted):
    http = httpx.AsyncClient(timeout=10, headers=wanted.get('headers', {}))
    card = await A2ACardResolver(http, wanted['url']).get_agent_card()
    config = ClientConfig(
        streaming=wanted.get('streaming', True),
        httpx_client=http,
        supported_transports=[wanted['binding']],
    )
    return Conversation(ClientFactory(config).create(card))


async def main():
    talk = None
    for order in orders():
        try:
            async with asyncio.timeout(15):
                if 'connect' in order:
                    talk = None
                    talk = await connect(order['connect'])
                elif 'call' in order:
                    await talk.operate(order)
                else:
                    await talk.say(order)
        except Exception as error:  # noqa: BLE001
            emit(error=f'{type(error).__name__}: {error}'[:300])
        emit(end=True)


asyncio.run(main())
