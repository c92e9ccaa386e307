"""The scenarios on the official Python SDK 0.3: JSON-RPC and HTTP+JSON, protocol 0.3."""

import asyncio
import importlib.metadata
import itertools
import logging

import httpx

from starlette.applications import Starlette
from starlette.routing import Mount

from a2a.server.agent_execution import AgentExecutor
from a2a.server.apps import A2ARESTFastAPIApplication, A2AStarletteApplication
from a2a.server.request_handlers import DefaultRequestHandler
from a2a.server.tasks import BasePushNotificationSender, InMemoryPushNotificationConfigStore, InMemoryTaskStore
from a2a.types import AgentCard, Message, Task, TaskArtifactUpdateEvent, TaskState, TaskStatusUpdateEvent

from peer import EXTENSION, VARIANTS, Book, Guard, listen, serve
from sdk_0_3 import from_part, to_part

ENDS = {'completed', 'failed', 'canceled', 'rejected', 'input-required', 'auth-required'}


class ForgetfulStore(InMemoryTaskStore):
    """Loses a doomed task as soon as it waits for input."""

    def __init__(self):
        super().__init__()
        self.doomed = set()

    async def save(self, task, context=None):
        await super().save(task, context)
        if task.id in self.doomed and task.status.state == TaskState.input_required:
            await super().delete(task.id, context)


class Executor(AgentExecutor):
    def __init__(self, store):
        self.store = store
        self.book = Book()
        self.notes = itertools.count(1)

    async def execute(self, context, queue):
        call = context.call_context
        request = {
            'tenant': '',
            'headers': dict(call.state.get('headers', {})),
            'extensions': sorted(call.requested_extensions),
        }
        given = [from_part(part) for part in context.message.parts]
        ids = {'taskId': context.task_id, 'contextId': context.context_id}
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
        meta = {'metadata': step['metadata']} if 'metadata' in step else {}
        if 'message' in step:
            return Message.model_validate(self.note(step['message'], {'contextId': ids['contextId']}))
        if 'artifact' in step:
            artifact = {
                'artifactId': step['artifact'],
                'name': step.get('name'),
                'description': step.get('description'),
                'parts': [to_part(part) for part in step['parts']],
                **meta,
            }
            flags = {'append': step.get('append'), 'lastChunk': step.get('last')}
            return TaskArtifactUpdateEvent.model_validate({'artifact': artifact, **flags, **ids})
        status = {'state': step.get('task') or step['status']}
        if 'parts' in step:
            status['message'] = self.note(step['parts'], ids)
        if 'status' in step:
            final = step['status'] in ENDS
            return TaskStatusUpdateEvent.model_validate({'status': status, 'final': final, **meta, **ids})
        artifacts = [
            {'artifactId': name, 'parts': [to_part(part) for part in parts]}
            for name, parts in step.get('artifacts', {}).items()
        ]
        task = {'id': ids['taskId'], 'contextId': ids['contextId'], 'status': status, 'artifacts': artifacts}
        return Task.model_validate(task | {'history': [message]})

    def note(self, parts, ids):
        parts = [to_part(part) for part in parts]
        return {'role': 'agent', 'messageId': f'note-{next(self.notes)}', 'parts': parts, **ids}

    async def cancel(self, context, queue):
        ids = {'taskId': context.task_id, 'contextId': context.context_id}
        step = {'status': 'canceled', 'parts': [{'text': 'canceled on request'}]}
        await queue.enqueue_event(self.event(step, None, ids))


def card(base, streaming=True, auth=None, extended=False):
    skills = [{'id': 'scenarios', 'name': 'Scenarios', 'description': 'Plays scenarios.', 'tags': ['test']}]
    if extended:
        skills.append({'id': 'extended', 'name': 'Extended', 'description': 'For callers it knows.', 'tags': ['test']})
    modes = ['text/plain', 'image/png', 'application/pdf', 'application/json']
    value = {
        'protocolVersion': '0.3.0',
        'name': 'Python 0.3 scenarios',
        'description': 'Plays the scenario that a message names.',
        'version': '1.0.0',
        'url': f'{base}/jsonrpc',
        'preferredTransport': 'JSONRPC',
        'additionalInterfaces': [{'transport': 'HTTP+JSON', 'url': f'{base}/rest'}],
        'capabilities': {'streaming': streaming, 'pushNotifications': True, 'extensions': [{'uri': EXTENSION}]},
        'supportsAuthenticatedExtendedCard': True,
        'defaultInputModes': modes,
        'defaultOutputModes': modes,
        'skills': skills,
    }
    if auth and auth[0] == 'authorization':
        value['securitySchemes'] = {'key': {'type': 'http', 'scheme': 'Bearer'}}
    elif auth:
        value['securitySchemes'] = {'key': {'type': 'apiKey', 'in': 'header', 'name': auth[0]}}
    if auth:
        value['security'] = [{'key': []}]
    return AgentCard.model_validate(value)


def agent(base, options):
    """One of the variants, as an application to be mounted."""
    store = ForgetfulStore()
    webhooks = InMemoryPushNotificationConfigStore()
    handler = DefaultRequestHandler(
        agent_executor=Executor(store),
        task_store=store,
        push_config_store=webhooks,
        push_sender=BasePushNotificationSender(httpx.AsyncClient(), webhooks),
    )
    cards = {'agent_card': card(base, **options), 'extended_agent_card': card(base, extended=True, **options)}
    app = A2AStarletteApplication(http_handler=handler, **cards).build(rpc_url='/jsonrpc')
    app.mount('/rest', A2ARESTFastAPIApplication(http_handler=handler, **cards).build())
    return Guard(app, options['auth']) if 'auth' in options else app


def main():
    logging.disable(logging.CRITICAL)
    listener, base = listen()
    variants = {name: options for name, options in VARIANTS.items() if name not in ('old', 'tenant')}
    agents = {name: agent(f'{base}/{name}', options) for name, options in variants.items()}
    app = Starlette(routes=[Mount(f'/{name}', app=app) for name, app in agents.items()])
    sdk = f'a2a-sdk {importlib.metadata.version("a2a-sdk")}'
    asyncio.run(serve(app, listener, {'sdk': sdk, 'url': base}))


main()
