"""What the agents of the integration test kit share: its instructions, and following them."""

import argparse
import asyncio
import base64

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

FINISHED = 'task-finished'
BINDINGS = {'JSONRPC': 'JSONRPC', 'HTTP_JSON': 'HTTP+JSON', 'HTTP+JSON': 'HTTP+JSON', 'REST': 'HTTP+JSON'}
MEDIA_TYPE = 'application/x-protobuf'

# The kit's messages: name, number and type of every field.
SCHEMA = {
    'Instruction': [('call_agent', 1, 'CallAgent'), ('return_response', 2, 'ReturnResponse'), ('steps', 3, 'Steps')],
    'CallAgent': [
        ('transport', 1, 'string'),
        ('agent_card_uri', 2, 'string'),
        ('instruction', 3, 'Instruction'),
        ('streaming', 4, 'bool'),
        ('send_message', 5, 'Empty'),
        ('push_notification', 6, 'Push'),
        ('resubscribe', 7, 'Empty'),
    ],
    'ReturnResponse': [('response', 1, 'string'), ('hold_task', 2, 'bool')],
    'Steps': [('instructions', 1, 'Instruction*')],
    'Push': [('url', 1, 'string')],
    'Empty': [],
}


def instruction_class():
    file = descriptor_pb2.FileDescriptorProto(name='itk.proto', package='itk', syntax='proto3')
    kinds = descriptor_pb2.FieldDescriptorProto
    for name, fields in SCHEMA.items():
        message = file.message_type.add(name=name)
        for field, number, kind in fields:
            label = kinds.LABEL_REPEATED if kind.endswith('*') else kinds.LABEL_OPTIONAL
            added = message.field.add(name=field, number=number, label=label)
            if kind in ('string', 'bool'):
                added.type = kinds.TYPE_STRING if kind == 'string' else kinds.TYPE_BOOL
            else:
                added.type, added.type_name = kinds.TYPE_MESSAGE, '.itk.' + kind.rstrip('*')
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return message_factory.GetMessageClass(pool.FindMessageTypeByName('itk.Instruction'))


Instruction = instruction_class()


def find_instruction(parts):
    """The instruction in parts, which are plain values: as bytes, or as base64 in a text."""
    for part in parts:
        encoded = part.get('raw') or part.get('text')
        if encoded:
            return Instruction.FromString(base64.b64decode(encoded, validate=True))
    raise ValueError('the message has no instruction')


def wrap(instruction):
    """The part that holds an instruction, as a plain value."""
    raw = base64.b64encode(instruction.SerializeToString()).decode()
    return {'raw': raw, 'media_type': MEDIA_TYPE, 'filename': 'instruction.bin'}


def holds(instruction):
    if instruction.HasField('return_response'):
        return instruction.return_response.hold_task
    return instruction.HasField('steps') and any(holds(step) for step in instruction.steps.instructions)


def hook(wanted):
    url = wanted.push_notification.url
    return (url if url.startswith('http') else f'http://{url}') + '/notifications'


def finished(said):
    """The answer among what was said, once it is marked as final."""
    return next((text.replace('\n' + FINISHED, '') for text in said if FINISHED in text), None)


async def follow(instruction, call):
    """Does what an instruction says; `call` calls another agent."""
    if instruction.HasField('return_response'):
        return [instruction.return_response.response]
    if instruction.HasField('steps'):
        return [text for step in instruction.steps.instructions for text in await follow(step, call)]
    return await call(instruction.call_agent)


async def work(parts, call, say, repeats=False):
    """What an agent does about a message; `say` tells a state and a text. Where those who come back to a stream see
    only what is new, the answer of a held task has to be repeated."""
    await say('working')
    try:
        instruction = find_instruction(parts)
        answer = '\n'.join(await follow(instruction, call))
    except Exception as error:  # noqa: BLE001
        await say('failed', f'{type(error).__name__}: {error}')
        return
    if holds(instruction):
        await say('working', f'{answer}\n{FINISHED}')
        for _ in range(5):
            await asyncio.sleep(2)
            await say('working', f'{answer}\n{FINISHED}' if repeats else '')
    await say('completed', answer)


def port():
    flags = argparse.ArgumentParser()
    flags.add_argument('--httpPort', type=int, default=0)
    flags.add_argument('--grpcPort', type=int, default=0)
    return flags.parse_args().httpPort
