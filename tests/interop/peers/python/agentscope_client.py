"""AgentScope's A2AAgent, doing what it is ordered to; orders as in client_1.py.

Besides "say" it knows {"state": true}, which prints its state, {"state": {…}}, which goes on from a state, and
{"read": "event" | "msg" | "state", "json": …}, which reads a value with AgentScope's own models and prints what they
write.
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


def plain(model):
    return json.loads(model.model_dump_json())


def read(order):
    value = order['json']
    if order['read'] == 'event':
        return plain(TypeAdapter(events.AgentEvent).validate_python(value))
    model = {'msg': Msg, 'state': A2AAgentState}[order['read']]
    return plain(model.model_validate(value))


async def converse(connection, orders_in):
    headers = connection.get('headers', {})
    async with httpx.AsyncClient(headers=headers) as http:
        card = await A2ACardResolver(http, connection['url']).get_agent_card()
    kept = [
        interface
        for interface in card.supported_interfaces
        if interface.protocol_binding == connection['binding']
        and interface.protocol_version.startswith(connection.get('version', ''))
    ]
    del card.supported_interfaces[:]
    card.supported_interfaces.extend(kept)

    def agent(state=None):
        http = httpx.AsyncClient(timeout=10, headers=headers)
        config = ClientConfig(
            streaming=connection.get('streaming', True),
            httpx_client=http,
            supported_protocol_bindings=[connection['binding']],
        )
        return A2AAgent(card, client=ClientFactory(config).create(card), state=state)

    talk = agent()
    for order in orders_in:
        try:
            if 'state' in order:
                if isinstance(order['state'], dict):
                    talk = agent(A2AAgentState.model_validate(order['state']))
                emit(state=plain(talk.state))
            elif 'read' in order:
                emit(read=read(order))
            else:
                if order.get('fresh'):
                    talk = agent()
                message = UserMsg(name='user', content=[block(part) for part in order['parts']])
                async with asyncio.timeout(15):
                    async for item in talk.reply_stream(message, yield_final_msg=True):
                        emit(**{'msg' if isinstance(item, Msg) else 'event': plain(item)})
        except Exception as error:  # noqa: BLE001
            emit(error=f'{type(error).__name__}: {error}'[:300])
        emit(end=True)


def main():
    orders_in = orders()
    asyncio.run(converse(next(orders_in), orders_in))


main()
