"""What the Python peers share: scenarios as plain steps, and how servers and clients are run."""

import asyncio
import json
import os
import pathlib
import re
import socket
import sys

BOOK = json.loads((pathlib.Path(__file__).parents[2] / 'scenarios.json').read_text())
SCENARIOS = {scenario['name']: scenario for scenario in BOOK['scenarios']}
EXTENSION = 'urn:a2a:interop:echo'
TOKEN = 'interop-secret'
TENANT = 'tenant-7'

# The agents that a server offers, each under a path of its own with a card of its own.
VARIANTS = {
    'plain': {},
    'old': {'version': '0.3'},
    'unary': {'streaming': False},
    'bearer': {'auth': ('authorization', f'Bearer {TOKEN}')},
    'apikey': {'auth': ('x-api-key', TOKEN)},
    'tenant': {'tenant': TENANT},
}


def resolve(part, env):
    """A part of the book as an object, or a list of them for the parts of the message."""
    if part == '$parts':
        return env['parts']
    if isinstance(part, str) and part.startswith('$'):
        part = BOOK['parts'][part[1:]]
    if isinstance(part, str):
        part = {'text': re.sub(r'\{(\w+)\}', lambda found: str(env.get(found[1], found[0])), part)}
    if 'repeat' in part:
        part = {'text': part['text'] * part['repeat']}
    return part


def parts(step, env):
    found = []
    for part in step:
        part = resolve(part, env)
        found += part if isinstance(part, list) else [part]
    return found


class Book:
    """Knows which scenario every task and context is in."""

    def __init__(self):
        self.seen = {}
        self.tasks = {}

    def steps(self, message_parts, context_id, task_id, known_task, request):
        """What the agent does about a message: steps with all their parts resolved."""
        text = next((part['text'] for part in message_parts if 'text' in part), '').strip()
        word, _, argument = text.partition(' ')
        self.seen[context_id] = self.seen.get(context_id, 0) + 1
        name, turn = self.tasks.get(task_id, (word, -1)) if known_task else (word, -1)
        turn += 1
        self.tasks[task_id] = (name, turn)
        env = {
            'text': text,
            'argument': argument,
            'context': context_id,
            'seen': self.seen[context_id],
            'request': json.dumps(request),
            'parts': message_parts,
        }
        if name not in SCENARIOS:
            yield {'message': [{'text': f'unknown scenario: {name}'}]}
            return
        turns = SCENARIOS[name]['steps']
        script = []
        for step in turns[min(turn, len(turns) - 1)]:
            script += BOOK['macros'][step] if isinstance(step, str) else [step]
        for step in script:
            yield from self.expand(step, env)

    @staticmethod
    def expand(step, env):
        if 'chunks' in step:
            last = len(step['chunks']) - 1
            for index, chunk in enumerate(step['chunks']):
                yield {
                    'artifact': step['artifact'],
                    'parts': parts([chunk], env),
                    'append': index > 0,
                    'last': index == last,
                }
        elif 'ticks' in step:
            seconds = float(env['argument'] or 2)
            count = round(seconds / step['ticks'])
            for tick in range(1, count + 1):
                yield {'sleep': step['ticks']}
                yield {'status': 'working', 'parts': [{'text': f'tick {tick}/{count}'}]}
        else:
            step = dict(step)
            for key in ('message', 'parts'):
                if key in step:
                    step[key] = parts(step[key], env)
            if 'artifacts' in step:
                step['artifacts'] = {name: parts(value, env) for name, value in step['artifacts'].items()}
            yield step


class Guard:
    """Plain ASGI: 401 without the credential, except for the card."""

    def __init__(self, app, credential):
        self.app = app
        self.name, self.value = credential[0].encode(), credential[1].encode()

    async def __call__(self, scope, receive, send):
        if scope['type'] == 'http' and '/.well-known/' not in scope['path']:
            if dict(scope['headers']).get(self.name) != self.value:
                headers = [(b'content-length', b'0'), (b'www-authenticate', b'Bearer realm="interop"')]
                await send({'type': 'http.response.start', 'status': 401, 'headers': headers})
                await send({'type': 'http.response.body', 'body': b''})
                return
        await self.app(scope, receive, send)


def listen(port=0):
    """A listening socket on a loopback port, by default a free one, and its base URL."""
    listener = socket.create_server(('127.0.0.1', port))
    return listener, f'http://127.0.0.1:{listener.getsockname()[1]}'


async def serve(app, listener, ready):
    """Serves until standard input closes; the first line of output says where."""
    import uvicorn  # clients do without

    server = uvicorn.Server(uvicorn.Config(app, log_level='error', timeout_graceful_shutdown=1))
    server.install_signal_handlers = lambda: None
    serving = asyncio.create_task(server.serve(sockets=[listener]))
    while not server.started and not serving.done():
        await asyncio.sleep(0.01)
    print(json.dumps(ready), flush=True)
    await asyncio.to_thread(sys.stdin.buffer.read)
    os._exit(0)


def orders():
    """What a client is to do: one JSON object per line of standard input."""
    for line in sys.stdin:
        if line.strip():
            yield json.loads(line)


def emit(**event):
    print(json.dumps(event), flush=True)
