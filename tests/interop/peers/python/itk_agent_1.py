"""An agent of the integration test kit on the official Python SDK 1.x: it follows instructions, which may be to call
another agent with an instruction of its own. `--httpPort N`, `--grpcPort N` (not used)."""

import asyncio
import logging
import uuid

import httpx

from starlette.applications import Starlette
from starlette.routing import Mount

from a2a.client import A2ACardResolver, ClientConfig, ClientFactory
from a2a.server.agent_execution import AgentExecutor
from a2a.server.request_handlers import DefaultRequestHandler
from a2a.server.routes import create_agent_card_routes, create_jsonrpc_routes, create_rest_routes
from a2a.server.tasks import BasePushNotificationSender, InMemoryPushNotificationConfigStore, InMemoryTaskStore
from a2a.types import (
    AgentCapabilities,
    AgentCard,
    AgentInterface,
    AgentSkill,
    CancelTaskRequest,
    Message,
    Part,
    Role,
    SendMessageRequest,
    SubscribeToTaskRequest,
    Task,
    TaskStatus,
    TaskStatusUpdateEvent,
)

from itk import BINDINGS, MEDIA_TYPE, finished, hook, port, work, wrap
from peer import listen, serve
from sdk_1 import from_part, state, to_part


def texts_of(message):
    return [part.text for part in message.parts if part.HasField('text')]


def texts(response):
    kind = response.WhichOneof('payload')
    payload = getattr(response, kind)
    if kind == 'message':
        return texts_of(payload)
    return texts_of(payload.status.message) if kind in ('task', 'status_update') else []


async def call(wanted):
    resubscribes = wanted.HasField('resubscribe')
    async with httpx.AsyncClient(timeout=30) as http:
        card = await A2ACardResolver(http, wanted.agent_card_uri).get_agent_card()
        config = ClientConfig(
            streaming=wanted.streaming or resubscribes,
            httpx_client=http,
            supported_protocol_bindings=[BINDINGS[wanted.transport.upper()]],
        )
        client = ClientFactory(config).create(card)
        parts = [to_part(wrap(wanted.instruction))]
        request = SendMessageRequest(
            message=Message(role=Role.ROLE_USER, message_id=str(uuid.uuid4()), parts=parts)
        )
        if wanted.HasField('push_notification'):
            push = request.configuration.task_push_notification_config
            push.url, push.token = hook(wanted), 'itk-token'
        stream = client.send_message(request)
        if resubscribes:
            return await come_back(client, stream)
        return [text async for response in stream for text in texts(response)]


async def come_back(client, stream):
    """Leaves the stream after its first event, and cancels the task once it has said that it has finished."""
    first = await anext(stream)
    task_id = first.task.id or first.status_update.task_id
    await stream.aclose()
    async for response in client.subscribe(SubscribeToTaskRequest(id=task_id)):
        earlier = response.task.history if response.HasField('task') else []
        said = [text for message in earlier if message.role == Role.ROLE_AGENT for text in texts_of(message)]
        if answer := finished(texts(response) + said):
            await client.cancel_task(CancelTaskRequest(id=task_id))
            return [answer]
    raise ValueError('the stream ended before the task had finished')


class Executor(AgentExecutor):
    async def execute(self, context, queue):
        async def say(name, text=''):
            await queue.enqueue_event(update(context, name, text))

        status = TaskStatus(state=state('submitted'))
        task = Task(id=context.task_id, context_id=context.context_id, status=status, history=[context.message])
        await queue.enqueue_event(task)
        await work([from_part(part) for part in context.message.parts], call, say)

    async def cancel(self, context, queue):
        await queue.enqueue_event(update(context, 'canceled', ''))


def update(context, name, text):
    ids = {'task_id': context.task_id, 'context_id': context.context_id}
    status = TaskStatus(state=state(name))
    if text:
        note = Message(role=Role.ROLE_AGENT, message_id=str(uuid.uuid4()), parts=[Part(text=text)], **ids)
        status.message.CopyFrom(note)
    return TaskStatusUpdateEvent(status=status, **ids)


def main():
    logging.disable(logging.CRITICAL)
    listener, base = listen(port())
    card = AgentCard(
        name='Python integration test agent',
        description='Follows instructions.',
        version='1.0.0',
        supported_interfaces=[
            AgentInterface(url=f'{base}/jsonrpc', protocol_binding='JSONRPC', protocol_version='1.0'),
            AgentInterface(url=f'{base}/rest', protocol_binding='HTTP+JSON', protocol_version='1.0'),
        ],
        capabilities=AgentCapabilities(streaming=True, push_notifications=True),
        default_input_modes=['text/plain', MEDIA_TYPE],
        default_output_modes=['text/plain'],
        skills=[AgentSkill(id='itk', name='Instructions', description='Follows instructions.', tags=['test'])],
    )
    webhooks = InMemoryPushNotificationConfigStore()
    handler = DefaultRequestHandler(
        agent_executor=Executor(),
        task_store=InMemoryTaskStore(),
        agent_card=card,
        push_config_store=webhooks,
        push_sender=BasePushNotificationSender(httpx.AsyncClient(), webhooks),
    )
    app = Starlette(
        routes=[
            *create_agent_card_routes(card),
            *create_jsonrpc_routes(handler, rpc_url='/jsonrpc'),
            Mount('/rest', routes=create_rest_routes(handler)),
        ]
    )
    asyncio.run(serve(app, listener, {'url': base}))


main()
