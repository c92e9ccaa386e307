// The scenarios on the official JavaScript SDK 0.3: JSON-RPC and HTTP+JSON, protocol 0.3.
import { Book, EXTENSION, VARIANTS, guard, play, require, sdk, serve } from './peer.mjs';
import { fromPart, toPart } from './sdk_0_3.mjs';

const express = require('express');
const { DefaultRequestHandler, InMemoryTaskStore } = await sdk('./server');
const { agentCardHandler, jsonRpcHandler, restHandler, UserBuilder } = await sdk('./server/express');

const ENDS = ['completed', 'failed', 'canceled', 'rejected', 'input-required', 'auth-required'];

// Loses a doomed task as soon as it waits for input.
class ForgetfulStore extends InMemoryTaskStore {
  doomed = new Set();
  lost = new Set();
  async save(task) {
    await super.save(task);
    if (this.doomed.has(task.id) && task.status.state === 'input-required') this.lost.add(task.id);
  }
  async load(id) {
    return this.lost.has(id) ? undefined : super.load(id);
  }
}

class Executor {
  book = new Book();
  canceled = new Set();
  contexts = new Map();
  notes = 0;

  constructor(store) {
    this.store = store;
  }

  async execute({ taskId, contextId, userMessage, task, context }, bus) {
    this.contexts.set(taskId, contextId);
    // This SDK does not hand the headers to the agent.
    const request = { tenant: '', headers: {}, extensions: [...(context?.requestedExtensions ?? [])].sort() };
    const steps = this.book.steps(userMessage.parts.map(fromPart), contextId, taskId, Boolean(task), request);
    await play(steps, {
      stopped: () => this.canceled.has(taskId),
      forget: () => this.store.doomed.add(taskId),
      publish: (step) => bus.publish(this.event(step, userMessage, { taskId, contextId })),
    });
    if (!this.canceled.has(taskId)) bus.finished();
  }

  event(step, userMessage, ids) {
    const meta = step.metadata && { metadata: step.metadata };
    if (step.message) return this.note(step.message, { contextId: ids.contextId });
    if (step.artifact) {
      const { artifact: artifactId, name, description, append, last } = step;
      const artifact = { artifactId, name, description, parts: step.parts.map(toPart), ...meta };
      return { kind: 'artifact-update', ...ids, artifact, append, lastChunk: last };
    }
    const status = {
      state: step.task ?? step.status,
      timestamp: new Date().toISOString(),
      ...(step.parts && { message: this.note(step.parts, ids) }),
    };
    if (step.status) return { kind: 'status-update', ...ids, status, final: ENDS.includes(step.status), ...meta };
    const artifacts = Object.entries(step.artifacts ?? {}).map(([artifactId, parts]) => ({
      artifactId,
      parts: parts.map(toPart),
    }));
    return { kind: 'task', id: ids.taskId, contextId: ids.contextId, status, artifacts, history: [userMessage] };
  }

  note(parts, ids) {
    return { kind: 'message', role: 'agent', messageId: `note-${++this.notes}`, parts: parts.map(toPart), ...ids };
  }

  cancelTask = async (taskId, bus) => {
    this.canceled.add(taskId);
    const ids = { taskId, contextId: this.contexts.get(taskId) ?? '' };
    bus.publish(this.event({ status: 'canceled', parts: [{ text: 'canceled on request' }] }, null, ids));
    bus.finished();
  };
}

function card(base, { streaming = true, auth }, extended) {
  const skill = (id, description) => ({ id, name: id, description, tags: ['test'] });
  const modes = ['text/plain', 'image/png', 'application/pdf', 'application/json'];
  const scheme =
    auth?.[0] === 'authorization'
      ? { type: 'http', scheme: 'Bearer' }
      : { type: 'apiKey', in: 'header', name: auth?.[0] };
  return {
    protocolVersion: '0.3.0',
    name: 'JavaScript 0.3 scenarios',
    description: 'Plays the scenario that a message names.',
    version: '1.0.0',
    url: `${base}/jsonrpc`,
    preferredTransport: 'JSONRPC',
    additionalInterfaces: [{ transport: 'HTTP+JSON', url: `${base}/rest` }],
    capabilities: { streaming, pushNotifications: true, extensions: [{ uri: EXTENSION }] },
    supportsAuthenticatedExtendedCard: true,
    ...(auth && { securitySchemes: { key: scheme }, security: [{ key: [] }] }),
    defaultInputModes: modes,
    defaultOutputModes: modes,
    skills: [
      skill('scenarios', 'Plays scenarios.'),
      ...(extended ? [skill('extended', 'For callers it knows.')] : []),
    ],
  };
}

const app = express();
serve(app, (url) => {
  for (const [name, options] of Object.entries(VARIANTS)) {
    if (name === 'old' || name === 'tenant') continue;
    const base = `${url}/${name}`;
    const store = new ForgetfulStore();
    const requestHandler = new DefaultRequestHandler(
      card(base, options, false),
      store,
      new Executor(store),
      undefined,
      undefined,
      undefined,
      async () => card(base, options, true)
    );
    const handlers = { requestHandler, userBuilder: UserBuilder.noAuthentication };
    app.use(`/${name}`, guard(options.auth));
    app.use(`/${name}/.well-known/agent-card.json`, agentCardHandler({ agentCardProvider: requestHandler }));
    app.use(`/${name}/jsonrpc`, jsonRpcHandler(handlers));
    app.use(`/${name}/rest`, restHandler(handlers));
  }
});
