// A client on the official JavaScript SDK, 1.x or 0.3. It takes the orders of ../python/client_1.py and prints in the
// same form.
import crypto from 'node:crypto';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { sdk, sdkVersion } from './peer.mjs';

const isNew = sdkVersion.startsWith('1.');
const { dialect } = await import(isNew ? './sdk_1.mjs' : './sdk_0_3.mjs');
const { ClientFactory, ClientFactoryOptions, DefaultAgentCardResolver, JsonRpcTransportFactory, RestTransportFactory } =
  await sdk('./client');

const write = process.stdout.write.bind(process.stdout);
for (const name of ['log', 'info', 'warn', 'error', 'debug']) console[name] = () => {};
const emit = (event) => write(`${JSON.stringify(event)}\n`);
const describe = (error) => `${error?.name}: ${error?.message ?? error}`.slice(0, 300);

const partsOf = (message) => (message?.parts?.length ? { parts: message.parts.map(dialect.fromPart) } : {});
const taskOf = (task) => ({
  task: dialect.stateName(task.status.state),
  artifacts: Object.fromEntries((task.artifacts ?? []).map((each) => [each.artifactId, each.parts.map(dialect.fromPart)])),
  ...partsOf(task.status.message),
});

let client;
let headers;
let streaming;
let talk = {};

const options = () => ({ serviceParameters: headers, signal: AbortSignal.timeout(15000) });

function show(response) {
  const [kind, payload] = dialect.open(response);
  talk.contextId = payload.contextId || talk.contextId;
  if (kind === 'message') return emit({ message: payload.parts.map(dialect.fromPart) });
  talk.taskId = kind === 'task' ? payload.id : payload.taskId;
  if (kind === 'artifactUpdate') {
    const { artifact, append = false } = payload;
    return emit({ artifact: artifact.artifactId, parts: artifact.parts.map(dialect.fromPart), append });
  }
  const state = dialect.stateName(payload.status.state);
  talk.waiting = ['input-required', 'auth-required'].includes(state) ? talk.taskId : undefined;
  return emit(kind === 'task' ? taskOf(payload) : { status: state, ...partsOf(payload.status.message) });
}

async function follow(stream, { cancel_after: cancelAfter, drop_after: dropAfter }) {
  let cancelling;
  let count = 0;
  for await (const response of stream) {
    show(response);
    count += 1;
    if (count === cancelAfter) cancelling = client.cancelTask(dialect.id(talk.taskId), options());
    if (count === dropAfter) {
      await follow(client.resubscribeTask(dialect.id(talk.taskId), options()), {});
      break;
    }
  }
  if (cancelling) emit({ call: 'cancel', ...taskOf(await cancelling) });
}

async function say(order) {
  if (order.fresh) talk = {};
  const request = dialect.message(crypto.randomUUID(), order.parts, talk.contextId, talk.waiting);
  if (streaming) await follow(client.sendMessageStream(request, options()), order);
  else show(await client.sendMessage(request, options()));
}

async function operate(order) {
  const call = order.call;
  const taskId = order.id ?? talk.taskId;
  if (call === 'get') emit({ call, ...taskOf(await client.getTask(dialect.id(taskId), options())) });
  else if (call === 'cancel') emit({ call, ...taskOf(await client.cancelTask(dialect.id(taskId), options())) });
  else if (call === 'list') emit({ call, tasks: await dialect.list(client, talk.contextId, options()) });
  else if (call === 'card') {
    const card = await client.getAgentCard(options());
    emit({ call, skills: card.skills.map((skill) => skill.id) });
  } else if (call === 'push') emit({ call, urls: await dialect.push(client, taskId, order.url, options()) });
  else throw new Error(`no call ${call}`);
}

async function connect(wanted) {
  client = undefined;
  headers = wanted.headers ?? {};
  streaming = wanted.streaming ?? true;
  const compat = isNew ? { legacyCompat: { enabled: true } } : {};
  const fetchImpl = (input, init) => {
    const all = new Headers(headers);
    new Headers(init?.headers).forEach((value, name) => all.set(name, value));
    return fetch(input, { ...init, headers: all });
  };
  const cardResolver = new DefaultAgentCardResolver({ fetchImpl, ...compat });
  // The SDK resolves against the origin; agents here are in folders.
  const card = await cardResolver.resolve(`${wanted.url}/`);
  if (isNew)
    card.supportedInterfaces = card.supportedInterfaces.filter(
      (each) =>
        each.protocolBinding === wanted.binding && each.protocolVersion.startsWith(wanted.version ?? '')
    );
  else {
    const all = [{ transport: card.preferredTransport, url: card.url }, ...(card.additionalInterfaces ?? [])];
    const { transport, url } = all.find((each) => each.transport === wanted.binding);
    Object.assign(card, { url, preferredTransport: transport, additionalInterfaces: [] });
  }
  const transports = [new JsonRpcTransportFactory(compat), new RestTransportFactory(compat)];
  const made = ClientFactoryOptions.createFrom(ClientFactoryOptions.default, { cardResolver, transports });
  client = await new ClientFactory(made).createFromAgentCard(card);
}

for await (const line of createInterface({ input: process.stdin })) {
  const order = JSON.parse(line);
  try {
    if (order.connect) await connect(order.connect);
    else await (order.call ? operate(order) : say(order));
  } catch (error) {
    emit({ error: describe(error) });
  }
  emit({ end: true });
}
// Everything has been written once this has been.
write('', () => process.exit(0));
