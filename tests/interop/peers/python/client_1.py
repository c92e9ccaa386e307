"""A client on the official Python SDK 1.x that does what it is ordered to and prints what it sees.

Every line of standard input is an order: {"connect": {"url", "binding", "headers", "version", "streaming"}},
{"parts", "fresh", "cancel_after", "drop_after"} or {"call", …}. What comes back is printed in the form of the steps of
scenarios.json, and {"end": true} after each order.
"""

import asyncio
import uuid

import httpx

from a2a.client import A2ACardResolver, ClientConfig, ClientFactory
from a2a.client.client import ClientCallContext
from a2a.client.service_parameters import ServiceParametersFactory
from a2a.types import (
    CancelTaskRequest,
    DeleteTaskPushNotificationConfigRequest,
    GetExtendedAgentCardRequest,
    GetTaskPushNotificationConfigRequest,
    GetTaskRequest,
    ListTaskPushNotificationConfigsRequest,
    ListTasksRequest,
    Message,
    Role,
    SendMessageRequest,
    SubscribeToTaskRequest,
    TaskPushNotificationConfig,
)

from peer import emit, orders
from sdk_1 import from_part, state_name, to_part

WAITING = ('input-required', 'auth-required')


def parts_of(message):
    return {'parts': [from_part(part) for part in message.parts]} if message.parts else {}


def task_of(task):
    artifacts = {artifact.artifact_id: [from_part(part) for part in artifact.parts] for artifact in task.artifacts}
    return {'task': state_name(task.status.state), 'artifacts': artifacts, **parts_of(task.status.message)}


class Conversation:
    def __init__(self, client, headers):
        self.client = client
        self.headers = headers
        self.forget()

    def forget(self):
        self.context_id = self.task_id = self.waiting = ''

    def call(self):
        parameters = ServiceParametersFactory.create_from(self.headers, [])
        return {'context': ClientCallContext(service_parameters=parameters, timeout=10)}

    def show(self, response):
        kind = response.WhichOneof('payload')
        payload = getattr(response, kind)
        self.context_id = payload.context_id or self.context_id
        if kind == 'message':
            emit(message=[from_part(part) for part in payload.parts])
            return
        self.task_id = payload.id if kind == 'task' else payload.task_id
        if kind == 'artifact_update':
            artifact = payload.artifact
            emit(
                artifact=artifact.artifact_id,
                parts=[from_part(part) for part in artifact.parts],
                append=payload.append,
            )
            return
        state = state_name(payload.status.state)
        self.waiting = self.task_id if state in WAITING else ''
        emit(**task_of(payload) if kind == 'task' else {'status': state, **parts_of(payload.status.message)})

    async def follow(self, stream, order):
        cancelling = None
        count = 0
        async for response in stream:
            self.show(response)
            count += 1
            if count == order.get('cancel_after'):
                request = CancelTaskRequest(id=self.task_id)
                cancelling = asyncio.create_task(self.client.cancel_task(request, **self.call()))
            if count == order.get('drop_after'):
                await stream.aclose()
                again = self.client.subscribe(SubscribeToTaskRequest(id=self.task_id), **self.call())
                await self.follow(again, {})
                break
        if cancelling:
            emit(call='cancel', **task_of(await cancelling))

    async def say(self, order):
        if order.get('fresh'):
            self.forget()
        message = Message(
            role=Role.ROLE_USER,
            message_id=str(uuid.uuid4()),
            context_id=self.context_id,
            task_id=self.waiting,
            parts=[to_part(part) for part in order['parts']],
        )
        await self.follow(self.client.send_message(SendMessageRequest(message=message), **self.call()), order)

    async def operate(self, order):
        client, call, task_id = self.client, self.call(), order.get('id', self.task_id)
        name = order['call']
        config = {'task_id': task_id, 'id': 'config-1'}
        if name == 'get':
            emit(call=name, **task_of(await client.get_task(GetTaskRequest(id=task_id), **call)))
        elif name == 'cancel':
            emit(call=name, **task_of(await client.cancel_task(CancelTaskRequest(id=task_id), **call)))
        elif name == 'list':
            found = await client.list_tasks(ListTasksRequest(context_id=self.context_id), **call)
            emit(call=name, tasks=len(found.tasks))
        elif name == 'card':
            card = await client.get_extended_agent_card(GetExtendedAgentCardRequest(), **call)
            emit(call=name, skills=[skill.id for skill in card.skills])
        elif name == 'push':
            wanted = TaskPushNotificationConfig(url=order['url'], token='token-1', **config)
            made = await client.create_task_push_notification_config(wanted, **call)
            request = GetTaskPushNotificationConfigRequest(**config)
            got = await client.get_task_push_notification_config(request, **call)
            listing = client.list_task_push_notification_configs(
                ListTaskPushNotificationConfigsRequest(task_id=task_id), **call
            )
            deleting = client.delete_task_push_notification_config(
                DeleteTaskPushNotificationConfigRequest(**config), **call
            )
            # Over 0.3 this client does not know all of it; each failure is to be seen.
            listed, deleted = await asyncio.gather(listing, deleting, return_exceptions=True)
            failures = [str(each) for each in (listed, deleted) if isinstance(each, Exception)]
            if failures:
                raise RuntimeError('; '.join(failures))
            emit(call=name, urls=[made.url, got.url, *(each.url for each in listed.configs)])
        else:
            raise ValueError(f'no call {name}')


async def connect(wanted):
    headers = wanted.get('headers', {})
    http = httpx.AsyncClient(timeout=10, headers=headers)
    card = await A2ACardResolver(http, wanted['url']).get_agent_card()
    kept = [
        interface
        for interface in card.supported_interfaces
        if interface.protocol_binding == wanted['binding']
        and interface.protocol_version.startswith(wanted.get('version', ''))
    ]
    del card.supported_interfaces[:]
    card.supported_interfaces.extend(kept)
    config = ClientConfig(
        streaming=wanted.get('streaming', True),
        httpx_client=http,
        supported_protocol_bindings=[wanted['binding']],
    )
    return Conversation(ClientFactory(config).create(card), headers)


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
