"""AgentScope's A2AAgent, doing what it is ordered to; orders as in client_1.py.

Instead of calls it knows {"observe": […]}, with the parts of a message, {"state": true}, which prints its state,
{"state": {…}}, which goes on from a state, and {"read": "event" | "msg" | "state", "json": …}, which reads a value with
AgentScope's own models and prints what they write.
"""

import asyncio
import json

import httpx

from pydantic import TypeAdapter

import agentscope.event as events

from a2a.client import A2ACardResolver, ClientConfig, ClientFactory
from agentscope.agent import A2AAgent
from agentscope.message import Base64Source, DataBlock, Msg, TextBlock, URLSource, UserMsg
from agentscope.state import A2AAgentState

from peer import emit, orders


def block(part):
    if 'text' in part:
        return TextBlock(text=part['text'])
    kind = {'media_type': part['media_type']}
    source = Base64Source(data=part['raw'], **kind) if 'raw' in part else URLSource(url=part['url'], **kind)
    return DataBlock(source=source, name=part.get('filename'))


def user(parts):
    return UserMsg(name='user', content=[block(part) for part in parts])


def plain(model):
    return json.loads(model.model_dump_json())


def read(order):
    value = order['json']
    if order['read'] == 'event':
        return plain(TypeAdapter(events.AgentEvent).validate_python(value))
    model = {'msg': Msg, 'state': A2AAgentState}[order['read']]
    return plain(model.model_validate(value))


class Conversation:
    def __init__(self, card, wanted):
        self.card = card
        self.wanted = wanted
        self.start()

    def start(self, state=None):
        http = httpx.AsyncClient(timeout=10, headers=self.wanted.get('headers', {}))
        config = ClientConfig(
            streaming=self.wanted.get('streaming', True),
            httpx_client=http,
            supported_protocol_bindings=[self.wanted['binding']],
        )
        self.agent = A2AAgent(self.card, client=ClientFactory(config).create(self.card), state=state)

    async def say(self, order):
        if order.get('fresh'):
            self.start()
        async for item in self.agent.reply_stream(user(order['parts']), yield_final_msg=True):
            emit(**{'msg' if isinstance(item, Msg) else 'event': plain(item)})

    def state(self, order):
        if isinstance(order['state'], dict):
            self.start(A2AAgentState.model_validate(order['state']))
        emit(state=plain(self.agent.state))


async def connect(wanted):
    async with httpx.AsyncClient(headers=wanted.get('headers', {})) as http:
        card = await A2ACardResolver(http, wanted['url']).get_agent_card()
    kept = [
        interface
        for interface in card.supported_interfaces
        if interface.protocol_binding == wanted['binding']
        and interface.protocol_version.startswith(wanted.get('version', ''))
    ]
    del card.supported_interfaces[:]
    card.supported_interfaces.extend(kept)
    return Conversation(card, wanted)


async def main():
    talk = None
    for order in orders():
        try:
            async with asyncio.timeout(15):
                if 'connect' in order:
                    talk = None
                    talk = await connect(order['connect'])
                elif 'read' in order:
                    emit(read=read(order))
                elif 'state' in order:
                    talk.state(order)
                elif 'observe' in order:
                    await talk.agent.observe(user(order['observe']))
                else:
                    await talk.say(order)
        except Exception as error:  # noqa: BLE001
            emit(error=f'{type(error).__name__}: {error}'[:300])
        emit(end=True)


asyncio.run(main())
