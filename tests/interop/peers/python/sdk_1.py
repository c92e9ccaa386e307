"""Parts and states of the Python SDK 1.x, from and to plain values."""

import base64

from google.protobuf.json_format import MessageToDict, ParseDict

from a2a.types import Part, TaskState


def state(name):
    return TaskState.Value('TASK_STATE_' + name.upper().replace('-', '_'))


def state_name(value):
    return TaskState.Name(value).removeprefix('TASK_STATE_').lower().replace('_', '-')


def to_part(value):
    part = Part(media_type=value.get('media_type', ''), filename=value.get('filename', ''))
    if 'text' in value:
        part.text = value['text']
    elif 'raw' in value:
        part.raw = base64.b64decode(value['raw'])
    elif 'url' in value:
        part.url = value['url']
    else:
        ParseDict(value['data'], part.data)
    if 'metadata' in value:
        ParseDict(value['metadata'], part.metadata)
    return part


def from_part(part):
    kind = part.WhichOneof('content')
    value = getattr(part, kind)
    if kind == 'raw':
        value = base64.b64encode(value).decode()
    elif kind == 'data':
        value = MessageToDict(value)
    named = {'media_type': part.media_type, 'filename': part.filename}
    return {kind: value} | {key: text for key, text in named.items() if text}
