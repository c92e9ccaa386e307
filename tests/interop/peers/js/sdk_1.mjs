// The JavaScript SDK 1.x, from and to plain values.
import { sdk } from './peer.mjs';

const { Role, TaskState } = await sdk();

export const state = (name) => TaskState[`TASK_STATE_${name.toUpperCase().replaceAll('-', '_')}`];
export const stateName = (value) => TaskState[value].replace('TASK_STATE_', '').toLowerCase().replaceAll('_', '-');

export function toPart(part) {
  const kind = ['text', 'raw', 'url', 'data'].find((name) => name in part);
  const value = kind === 'raw' ? Buffer.from(part.raw, 'base64') : part[kind];
  return {
    content: { $case: kind, value },
    filename: part.filename ?? '',
    mediaType: part.media_type ?? '',
    metadata: part.metadata,
  };
}

export function fromPart({ content, filename, mediaType }) {
  const value = content.$case === 'raw' ? Buffer.from(content.value).toString('base64') : content.value;
  return {
    [content.$case]: value,
    ...(mediaType && { media_type: mediaType }),
    ...(filename && { filename }),
  };
}

// What a client sends and sees.
export const dialect = {
  message: (messageId, parts, contextId, taskId) => ({
    tenant: '',
    configuration: undefined,
    metadata: undefined,
    message: {
      messageId,
      role: Role.ROLE_USER,
      parts: parts.map(toPart),
      contextId: contextId ?? '',
      taskId: taskId ?? '',
      extensions: [],
      metadata: undefined,
      referenceTaskIds: [],
    },
  }),
  // The kind of a payload and the payload; unary calls give it bare.
  open(response) {
    if (response.payload) return [response.payload.$case, response.payload.value];
    return 'messageId' in response ? ['message', response] : ['task', response];
  },
  fromPart,
  stateName,
  id: (id) => ({ tenant: '', id }),
  async list(client, contextId, options) {
    const request = { tenant: '', contextId, status: 0, pageSize: 50, pageToken: '', includeArtifacts: false };
    return (await client.listTasks(request, options)).tasks.length;
  },
  async push(client, taskId, url, options) {
    const name = { tenant: '', taskId, id: 'config-1' };
    const wanted = { ...name, url, token: 'token-1', authentication: undefined };
    const made = await client.createTaskPushNotificationConfig(wanted, options);
    const got = await client.getTaskPushNotificationConfig(name, options);
    const request = { tenant: '', taskId, pageSize: 0, pageToken: '' };
    const listed = await client.listTaskPushNotificationConfig(request, options);
    await client.deleteTaskPushNotificationConfig(name, options);
    return [made, got, ...listed.configs].map((config) => config.url);
  },
};
