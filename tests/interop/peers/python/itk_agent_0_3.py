"""An agent of the integration test kit on the official Python SDK 0.3; as itk_agent_1.py."""

import asyncio
import logging
import uuid

import httpx

from a2a.client import A2ACardResolver, ClientConfig, ClientFactory
from a2a.server.agent_execution import AgentExecutor
from a2a.server.apps import A2ARESTFastAPIApplication, A2AStarletteApplication
from a2a.server.request_handlers import DefaultRequestHandler
from a2a.server.tasks import BasePushNotificationSender, InMemoryPushNotificationConfigStore, InMemoryTaskStore
from a2a.types import (
    AgentCard,
    Message,
    PushNotificationConfig,
    Task,
    TaskArtifactUpdateEvent,
    TaskIdParams,
    TaskStatusUpdateEvent,
)

from itk import BINDINGS, MEDIA_TYPE, finished, hook, port, work, wrap
from peer import listen, serve
from sdk_0_3 import from_part, to_part


def texts_of(message):
    values = [from_part(part) for part in message.parts] if message else []
    return [value['text'] for value in values if 'text' in value]


def texts(item):
    task, update = item if isinstance(item, tuple) else (item, None)
    payload = update or task
    if isinstance(payload, Message):
        return texts_of(payload)
    return [] if isinstance(payload, TaskArtifactUpdateEvent) else texts_of(payload.status.message)


async def call(wanted):
    resubscribes = wanted.HasField('resubscribe')
    async with httpx.AsyncClient(timeout=30) as http:
        card = await A2ACardResolver(http, wanted.agent_card_uri).get_agent_card()
        pushes = wanted.HasField('push_notification')
        config = ClientConfig(
            streaming=wanted.streaming or resubscribes,
            httpx_client=http,
            supported_transports=[BINDINGS[wanted.transport.upper()]],
            push_notification_configs=[PushNotificationConfig(url=hook(wanted), token='itk-token')] if pushes else [],
        )
        client = ClientFactory(config).create(card)
        parts = [to_part(wrap(wanted.instruction))]
        stream = client.send_message(Message(role='user', message_id=str(uuid.uuid4()), parts=parts))
        if resubscribes:
            return await come_back(client, stream)
        return [text async for item in stream for text in texts(item)]


async def come_back(client, stream):
    """Leaves the stream after its first event, and cancels the task once it has said that it has finished."""
    task, _ = await anext(stream)
    await stream.aclose()
    async for item in client.resubscribe(TaskIdParams(id=task.id)):
        earlier = item[0].history or []
        said = [text for message in earlier if message.role == 'agent' for text in texts_of(message)]
        if answer := finished(texts(item) + said):
            await client.cancel_task(TaskIdParams(id=task.id))
            return [answer]
    raise ValueError('the stream ended before the task had finished')


class Executor(AgentExecutor):
    async def execute(self, context, queue):
        async def say(name, text=''):
            await queue.enqueue_event(update(context, name, text))

        ids = {'id': context.task_id, 'contextId': context.context_id}
        status = {'state': 'submitted'}
        await queue.enqueue_event(Task.model_validate({'status': status, 'history': [context.message], **ids}))
        await work([from_part(part) for part in context.message.parts], call, say, repeats=True)

    async def cancel(self, context, queue):
        await queue.enqueue_event(update(context, 'canceled', ''))


def update(context, name, text):
    ids = {'taskId': context.task_id, 'contextId': context.context_id}
    status = {'state': name}
    if text:
        parts = [{'kind': 'text', 'text': text}]
        status['message'] = {'role': 'agent', 'messageId': str(uuid.uuid4()), 'parts': parts, **ids}
    final = name in ('completed', 'failed', 'canceled')
    return TaskStatusUpdateEvent.model_validate({'status': status, 'final': final, **ids})


def main():
    logging.disable(logging.CRITICAL)
    listener, base = listen(port())
    card = AgentCard.model_validate(
        {
            'protocolVersion': '0.3.0',
            'name': 'Python 0.3 integration test agent',
            'description': 'Follows instructions.',
            'version': '1.0.0',
            'url': f'{base}/jsonrpc',
            'preferredTransport': 'JSONRPC',
            'additionalInterfaces': [{'transport': 'HTTP+JSON', 'url': f'{base}/rest'}],
            'capabilities': {'streaming': True, 'pushNotifications': True},
            'defaultInputModes': ['text/plain', MEDIA_TYPE],
            'defaultOutputModes': ['text/plain'],
            'skills': [{'id': 'itk', 'name': 'Instructions', 'description': 'Follows instructions.', 'tags': ['test']}],
        }
    )
    webhooks = InMemoryPushNotificationConfigStore()
    handler = DefaultRequestHandler(
        agent_executor=Executor(),
        task_store=InMemoryTaskStore(),
        push_config_store=webhooks,
        push_sender=BasePushNotificationSender(httpx.AsyncClient(), webhooks),
    )
    app = A2AStarletteApplication(http_handler=handler, agent_card=card).build(rpc_url='/jsonrpc')
    app.mount('/rest', A2ARESTFastAPIApplication(http_handler=handler, agent_card=card).build())
    asyncio.run(serve(app, listener, {'url': base}))


main()
