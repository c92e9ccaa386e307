// The scenarios on the official JavaScript SDK 1.x: JSON-RPC and HTTP+JSON, protocol 1.0 and 0.3.
import { Book, EXTENSION, VARIANTS, guard, play, require, sdk, serve } from './peer.mjs';
import { fromPart, state, toPart } from './sdk_1.mjs';

const express = require('express');
const { Role, TaskState } = await sdk();
const { AgentEvent, DefaultRequestHandler, InMemoryPushNotificationStore, InMemoryTaskStore, STATE_HEADERS_KEY } =
  await sdk('./server');
const { agentCardHandler, jsonRpcHandler, restHandler, UserBuilder } = await sdk('./server/express');
const { createLegacyAwarePushNotificationSender } = await sdk('./compat/v0_3/server');

// Loses a doomed task as soon as it waits for input.
class ForgetfulStore extends InMemoryTaskStore {
  doomed = new Set();
  lost = new Set();
  async save(task, context) {
    await super.save(task, context);
    if (this.doomed.has(task.id) && task.status?.state === TaskState.TASK_STATE_INPUT_REQUIRED) this.lost.add(task.id);
  }
  async load(id, context) {
    return this.lost.has(id) ? undefined : super.load(id, context);
  }
}

class Executor {
  book = new Book();
  canceled = new Set();
  contexts = new Map();
  notes = 0;

  constructor(store, tenant) {
    this.store = store;
    this.tenant = tenant;
  }

  async execute({ taskId, contextId, userMessage, task, context }, bus) {
    if (this.tenant && context.tenant !== this.tenant) throw new Error(`no such tenant: ${context.tenant}`);
    this.contexts.set(taskId, contextId);
    const request = {
      tenant: context.tenant ?? '',
      headers: context.state.get(STATE_HEADERS_KEY) ?? {},
      extensions: [...(context.requestedExtensions ?? [])].sort(),
    };
    const steps = this.book.steps(userMessage.parts.map(fromPart), contextId, taskId, Boolean(task), request);
    // The SDK wants a task or a message first in every turn, in follow-ups too.
    if (task && !steps[0].message) bus.publish(AgentEvent.task(task));
    await play(steps, {
      stopped: () => this.canceled.has(taskId),
      forget: () => this.store.doomed.add(taskId),
      publish: (step) => bus.publish(this.event(step, userMessage, { taskId, contextId })),
    });
  }

  event(step, userMessage, ids) {
    if (step.message) return AgentEvent.message(this.note(step.message, { taskId: '', contextId: ids.contextId }));
    if (step.artifact)
      return AgentEvent.artifactUpdate({
        ...ids,
        artifact: {
          artifactId: step.artifact,
          name: step.name ?? '',
          description: step.description ?? '',
          parts: step.parts.map(toPart),
          metadata: step.metadata,
          extensions: [],
        },
        append: step.append ?? false,
        lastChunk: step.last ?? false,
        metadata: undefined,
      });
    const status = {
      state: state(step.task ?? step.status),
      timestamp: new Date().toISOString(),
      message: step.parts && this.note(step.parts, ids),
    };
    if (step.status) return AgentEvent.statusUpdate({ ...ids, status, metadata: step.metadata });
    return AgentEvent.task({
      id: ids.taskId,
      contextId: ids.contextId,
      status,
      history: [userMessage],
      artifacts: Object.entries(step.artifacts ?? {}).map(([artifactId, parts]) => ({
        artifactId,
        name: '',
        description: '',
        parts: parts.map(toPart),
        metadata: undefined,
        extensions: [],
      })),
      metadata: undefined,
    });
  }

  note = (parts, ids) => ({
    role: Role.ROLE_AGENT,
    messageId: `note-${++this.notes}`,
    parts: parts.map(toPart),
    ...ids,
    extensions: [],
    metadata: undefined,
    referenceTaskIds: [],
  });

  cancelTask = async (taskId, bus) => {
    this.canceled.add(taskId);
    const ids = { taskId, contextId: this.contexts.get(taskId) ?? '' };
    bus.publish(this.event({ status: 'canceled', parts: [{ text: 'canceled on request' }] }, null, ids));
  };
}

function card(base, { version = '1.0', streaming = true, auth, tenant = '' }, extended) {
  const skill = (id, description) => ({
    id,
    name: id,
    description,
    tags: ['test'],
    examples: [],
    inputModes: [],
    outputModes: [],
    securityRequirements: [],
  });
  const scheme = () =>
    auth[0] === 'authorization'
      ? { $case: 'httpAuthSecurityScheme', value: { description: '', scheme: 'Bearer', bearerFormat: '' } }
      : { $case: 'apiKeySecurityScheme', value: { description: '', location: 'header', name: auth[0] } };
  const modes = ['text/plain', 'image/png', 'application/pdf', 'application/json'];
  return {
    name: 'JavaScript 1.x scenarios',
    description: 'Plays the scenario that a message names.',
    version: '1.0.0',
    documentationUrl: '',
    provider: undefined,
    supportedInterfaces: [
      ['JSONRPC', '/jsonrpc'],
      ['HTTP+JSON', '/rest'],
    ].map(([protocolBinding, path]) => ({ url: base + path, protocolBinding, protocolVersion: version, tenant })),
    capabilities: {
      streaming,
      pushNotifications: true,
      extendedAgentCard: true,
      extensions: [{ uri: EXTENSION, description: '', required: false, params: undefined }],
    },
    securitySchemes: auth ? { key: { scheme: scheme() } } : {},
    securityRequirements: auth ? [{ schemes: { key: { list: [] } } }] : [],
    defaultInputModes: modes,
    defaultOutputModes: modes,
    skills: [
      skill('scenarios', 'Plays scenarios.'),
      ...(extended ? [skill('extended', 'For callers it knows.')] : []),
    ],
    signatures: [],
  };
}

const app = express();
serve(app, (url) => {
  for (const [name, options] of Object.entries(VARIANTS)) {
    const base = `${url}/${name}`;
    const store = new ForgetfulStore();
    const webhooks = new InMemoryPushNotificationStore();
    const requestHandler = new DefaultRequestHandler(
      card(base, options, false),
      store,
      new Executor(store, options.tenant),
      undefined,
      webhooks,
      createLegacyAwarePushNotificationSender(webhooks),
      async () => card(base, options, true)
    );
    const legacy = options.version === '0.3' ? { legacyCompat: { enabled: true } } : {};
    const handlers = { requestHandler, userBuilder: UserBuilder.noAuthentication, ...legacy };
    app.use(`/${name}`, guard(options.auth));
    app.use(
      `/${name}/.well-known/agent-card.json`,
      agentCardHandler({ agentCardProvider: requestHandler, ...legacy })
    );
    app.use(`/${name}/jsonrpc`, jsonRpcHandler(handlers));
    app.use(`/${name}/rest`, restHandler(handlers));
  }
});
