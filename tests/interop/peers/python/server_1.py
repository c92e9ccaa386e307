"""The scenarios on the official Python SDK 1.x: JSON-RPC and HTTP+JSON, protocol 1.0 and 0.3."""

import asyncio
import importlib.metadata
import logging

import httpx

from google.protobuf.json_format import ParseDict
from starlette.applications import Starlette
from starlette.routing import Mount

from a2a.server.agent_execution import AgentExecutor
from a2a.server.request_handlers import DefaultRequestHandler
from a2a.server.routes import create_agent_card_routes, create_jsonrpc_routes, create_rest_routes
from a2a.server.tasks import BasePushNotificationSender, InMemoryPushNotificationConfigStore, InMemoryTaskStore
from a2a.types import (
    AgentCard,
    Artifact,
    Message,
    Role,
    Task,
    TaskArtifactUpdateEvent,
    TaskState,
    TaskStatus,
    TaskStatusUpdateEvent,
)
from a2a.utils.errors import InvalidParamsError

from peer import EXTENSION, VARIANTS, Book, Guard, listen, serve
from sdk_1 import from_part, state, to_part


class ForgetfulStore(InMemoryTaskStore):
    """Loses a doomed task as soon as it waits for input."""

    def __init__(self):
        super().__init__()
        self.doomed = set()

    async def save(self, task, context):
        await super().save(task, context)
        if task.id in self.doomed and task.status.state == TaskState.TASK_STATE_INPUT_REQUIRED:
            await super().delete(task.id, context)


class Executor(AgentExecutor):
    def __init__(self, store, tenant):
        self.store = store
        self.tenant = tenant
        self.book = Book()

    async def execute(self, context, queue):
        if self.tenant and context.tenant != self.tenant:
            raise InvalidParamsError(f'no such tenant: {context.tenant!r}')
        call = context.call_context
        request = {
            'tenant': call.tenant,
            'headers': dict(call.state.get('headers', {})),
            'extensions': sorted(call.requested_extensions),
        }
        given = [from_part(part) for part in context.message.parts]
        ids = {'task_id': context.task_id, 'context_id': context.context_id}
        known = context.current_task is not None
        for step in self.book.steps(given, context.context_id, context.task_id, known, request):
            if 'sleep' in step:
                await asyncio.sleep(step['sleep'])
            elif 'forget' in step:
                self.store.doomed.add(context.task_id)
            elif 'raise' in step:
                raise RuntimeError(step['raise'])
            else:
                await asyncio.sleep(0.005)
                await queue.enqueue_event(self.event(step, context.message, ids))

    def event(self, step, message, ids):
        if 'message' in step:
            return self.note(step['message'], {'context_id': ids['context_id']})
        if 'artifact' in step:
            artifact = Artifact(
                artifact_id=step['artifact'],
                name=step.get('name', ''),
                description=step.get('description', ''),
                parts=[to_part(part) for part in step['parts']],
            )
            ParseDict(step.get('metadata', {}), artifact.metadata)
            flags = {'append': step.get('append'), 'last_chunk': step.get('last')}
            return TaskArtifactUpdateEvent(artifact=artifact, **flags, **ids)
        status = TaskStatus(state=state(step.get('task') or step['status']))
        status.timestamp.GetCurrentTime()
        if 'parts' in step:
            status.message.CopyFrom(self.note(step['parts'], ids))
        if 'status' in step:
            event = TaskStatusUpdateEvent(status=status, **ids)
            if 'metadata' in step:
                ParseDict(step['metadata'], event.metadata)
            return event
        artifacts = [
            Artifact(artifact_id=name, parts=[to_part(part) for part in parts])
            for name, parts in step.get('artifacts', {}).items()
        ]
        return Task(
            id=ids['task_id'], context_id=ids['context_id'], status=status, history=[message], artifacts=artifacts
        )

    def note(self, parts, ids):
        self.notes = getattr(self, 'notes', 0) + 1
        return Message(
            role=Role.ROLE_AGENT, message_id=f'note-{self.notes}', parts=[to_part(part) for part in parts], **ids
        )

    async def cancel(self, context, queue):
        ids = {'task_id': context.task_id, 'context_id': context.context_id}
        step = {'status': 'canceled', 'parts': [{'text': 'canceled on request'}]}
        await queue.enqueue_event(self.event(step, None, ids))


def card(base, version='1.0', streaming=True, auth=None, tenant='', extended=False):
    skills = [{'id': 'scenarios', 'name': 'Scenarios', 'description': 'Plays scenarios.', 'tags': ['test']}]
    if extended:
        skills.append({'id': 'extended', 'name': 'Extended', 'description': 'For callers it knows.', 'tags': ['test']})
    value = {
        'name': 'Python 1.x scenarios',
        'description': 'Plays the scenario that a message names.',
        'version': '1.0.0',
        'supportedInterfaces': [
            {'url': base + path, 'protocolBinding': binding, 'protocolVersion': version, 'tenant': tenant}
            for binding, path in (('JSONRPC', '/jsonrpc'), ('HTTP+JSON', '/rest'))
        ],
        'capabilities': {
            'streaming': streaming,
            'pushNotifications': True,
            'extendedAgentCard': True,
            'extensions': [{'uri': EXTENSION}],
        },
        'defaultInputModes': ['text/plain', 'image/png', 'application/pdf', 'application/json'],
        'defaultOutputModes': ['text/plain', 'image/png', 'application/pdf', 'application/json'],
        'skills': skills,
    }
    if auth and auth[0] == 'authorization':
        value['securitySchemes'] = {'key': {'httpAuthSecurityScheme': {'scheme': 'Bearer'}}}
    elif auth:
        value['securitySchemes'] = {'key': {'apiKeySecurityScheme': {'location': 'header', 'name': auth[0]}}}
    if auth:
        value['securityRequirements'] = [{'schemes': {'key': {'list': []}}}]
    return ParseDict(value, AgentCard())


def agent(base, options):
    """One of the variants, as an application to be mounted."""
    store = ForgetfulStore()
    webhooks = InMemoryPushNotificationConfigStore()
    handler = DefaultRequestHandler(
        agent_executor=Executor(store, options.get('tenant')),
        task_store=store,
        agent_card=card(base, **options),
        push_config_store=webhooks,
        push_sender=BasePushNotificationSender(httpx.AsyncClient(), webhooks),
        extended_agent_card=card(base, extended=True, **options),
    )
    compat = options.get('version') == '0.3'
    app = Starlette(
        routes=[
            *create_agent_card_routes(card(base, **options)),
            *create_jsonrpc_routes(handler, rpc_url='/jsonrpc', enable_v0_3_compat=compat),
            Mount('/rest', routes=create_rest_routes(handler, enable_v0_3_compat=compat)),
        ]
    )
    return Guard(app, options['auth']) if 'auth' in options else app


def main():
    logging.disable(logging.CRITICAL)
    listener, base = listen()
    agents = {name: agent(f'{base}/{name}', options) for name, options in VARIANTS.items()}
    app = Starlette(routes=[Mount(f'/{name}', app=app) for name, app in agents.items()])
    sdk = f'a2a-sdk {importlib.metadata.version("a2a-sdk")}'
    asyncio.run(serve(app, listener, {'sdk': sdk, 'url': base}))


main()
