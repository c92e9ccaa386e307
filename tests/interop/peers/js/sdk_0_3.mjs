// The JavaScript SDK 0.3, from and to plain values.

export function toPart(part) {
  const meta = part.metadata && { metadata: part.metadata };
  if ('text' in part) return { kind: 'text', text: part.text, ...meta };
  if ('data' in part) {
    const isObject = part.data && typeof part.data === 'object' && !Array.isArray(part.data);
    return { kind: 'data', data: isObject ? part.data : { value: part.data }, ...meta };
  }
  const content = 'raw' in part ? { bytes: part.raw } : { uri: part.url };
  return { kind: 'file', file: { ...content, mimeType: part.media_type, name: part.filename }, ...meta };
}

export function fromPart(part) {
  if (part.kind !== 'file') return { [part.kind]: part[part.kind] };
  const { bytes, uri, mimeType, name } = part.file;
  return {
    ...(bytes === undefined ? { url: uri } : { raw: bytes }),
    ...(mimeType && { media_type: mimeType }),
    ...(name && { filename: name }),
  };
}

const KINDS = { 'status-update': 'statusUpdate', 'artifact-update': 'artifactUpdate' };

// What a client sends and sees.
export const dialect = {
  message: (messageId, parts, contextId, taskId) => ({
    message: { kind: 'message', role: 'user', messageId, parts: parts.map(toPart), contextId, taskId },
  }),
  open: (response) => [KINDS[response.kind] ?? response.kind, response],
  fromPart,
  stateName: (state) => state,
  id: (id) => ({ id }),
  async push(client, taskId, url, options) {
    const wanted = { taskId, pushNotificationConfig: { id: 'config-1', url, token: 'token-1' } };
    const name = { id: taskId, pushNotificationConfigId: 'config-1' };
    const made = await client.setTaskPushNotificationConfig(wanted, options);
    const got = await client.getTaskPushNotificationConfig(name, options);
    const listed = await client.listTaskPushNotificationConfig({ id: taskId }, options);
    await client.deleteTaskPushNotificationConfig(name, options);
    return [made, got, ...listed].map((config) => config.pushNotificationConfig.url);
  },
};
