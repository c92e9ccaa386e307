"""Parts of the Python SDK 0.3, from and to plain values."""


def to_part(value):
    meta = {'metadata': value['metadata']} if 'metadata' in value else {}
    if 'text' in value:
        return {'kind': 'text', 'text': value['text'], **meta}
    if 'data' in value:
        data = value['data']
        return {'kind': 'data', 'data': data if isinstance(data, dict) else {'value': data}, **meta}
    file = {'bytes': value['raw']} if 'raw' in value else {'uri': value['url']}
    named = {'mimeType': value.get('media_type'), 'name': value.get('filename')}
    return {'kind': 'file', 'file': file | named, **meta}


def from_part(part):
    value = part.root.model_dump(by_alias=True, exclude_none=True)
    if value['kind'] != 'file':
        return {value['kind']: value[value['kind']]}
    names = {'bytes': 'raw', 'uri': 'url', 'mimeType': 'media_type', 'name': 'filename'}
    return {names[key]: member for key, member in value['file'].items()}
