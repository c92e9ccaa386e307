// What the JavaScript peers share: the SDK, scenarios as plain steps, and a process that ends with its standard input.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import process from 'node:process';
import { pathToFileURL } from 'node:url';

// The packages are in a cache outside the tree: A2A_JS_DIR holds their node_modules.
const home = path.resolve(process.env.A2A_JS_DIR ?? '.');
const sdkHome = path.join(home, 'node_modules/@a2a-js/sdk');
const sdkPackage = JSON.parse(readFileSync(path.join(sdkHome, 'package.json'), 'utf8'));
export const sdkVersion = sdkPackage.version;
export const require = createRequire(path.join(home, 'index.cjs'));
// Always the ES modules: the CommonJS bundles of 0.3 do not share their error classes.
export const sdk = (name = '.') => import(pathToFileURL(path.join(sdkHome, sdkPackage.exports[name].import)).href);

const book = JSON.parse(readFileSync(new URL('../../scenarios.json', import.meta.url), 'utf8'));
const scenarios = new Map(book.scenarios.map((scenario) => [scenario.name, scenario]));
export const EXTENSION = 'urn:a2a:interop:echo';
const TOKEN = 'interop-secret';
const TENANT = 'tenant-7';

// The agents that a server offers, each under a path of its own with a card of its own.
export const VARIANTS = {
  plain: {},
  old: { version: '0.3' },
  unary: { streaming: false },
  bearer: { auth: ['authorization', `Bearer ${TOKEN}`] },
  apikey: { auth: ['x-api-key', TOKEN] },
  tenant: { tenant: TENANT },
};

// A part of the book as objects: one, or all the parts of the message.
export function resolve(part, env = {}) {
  if (part === '$parts') return env.parts;
  let found = typeof part === 'string' && part.startsWith('$') ? book.parts[part.slice(1)] : part;
  if (typeof found === 'string') found = { text: found.replace(/\{(\w+)\}/g, (all, name) => env[name] ?? all) };
  return [found.repeat ? { text: found.text.repeat(found.repeat) } : found];
}

const resolveAll = (parts, env) => parts.flatMap((part) => resolve(part, env));

function expand(step, env) {
  if (step.chunks)
    return step.chunks.map((chunk, index) => ({
      artifact: step.artifact,
      parts: resolve(chunk, env),
      append: index > 0,
      last: index === step.chunks.length - 1,
    }));
  if (step.ticks) {
    const count = Math.round(Number(env.argument || 2) / step.ticks);
    const text = (tick) => `tick ${tick + 1}/${count}`;
    return Array.from({ length: count }, (_, tick) => [
      { sleep: step.ticks },
      { status: 'working', parts: [{ text: text(tick) }] },
    ]).flat();
  }
  const resolved = { ...step };
  for (const key of ['message', 'parts']) if (step[key]) resolved[key] = resolveAll(step[key], env);
  if (step.artifacts)
    resolved.artifacts = Object.fromEntries(
      Object.entries(step.artifacts).map(([name, parts]) => [name, resolveAll(parts, env)])
    );
  return [resolved];
}

// Knows which scenario every task and context is in.
export class Book {
  seen = new Map();
  tasks = new Map();

  // What the agent does about a message: steps with all their parts resolved.
  steps(parts, contextId, taskId, knownTask, request) {
    const text = (parts.find((part) => 'text' in part)?.text ?? '').trim();
    const [, word, argument] = /^(\S*) ?([^]*)$/.exec(text);
    this.seen.set(contextId, (this.seen.get(contextId) ?? 0) + 1);
    const before = (knownTask && this.tasks.get(taskId)) || { name: word, turn: -1 };
    const { name, turn } = { name: before.name, turn: before.turn + 1 };
    this.tasks.set(taskId, { name, turn });
    const env = {
      text,
      argument,
      context: contextId,
      seen: String(this.seen.get(contextId)),
      request: JSON.stringify(request),
      half: '\ud83d',
      parts,
    };
    const turns = scenarios.get(name)?.steps;
    if (!turns) return [{ message: [{ text: `unknown scenario: ${name}` }] }];
    return turns[Math.min(turn, turns.length - 1)]
      .flatMap((step) => (typeof step === 'string' ? book.macros[step] : [step]))
      .flatMap((step) => expand(step, env));
  }
}

export const sleep = (seconds) => new Promise((done) => setTimeout(done, seconds * 1000));

// Plays steps by handing them to `publish`, until they end or `stopped` says so.
export async function play(steps, { stopped, forget, publish }) {
  for (const step of steps) {
    if (step.sleep) for (let left = step.sleep; left > 0 && !stopped(); left -= 0.02) await sleep(0.02);
    if (stopped()) return;
    if (step.raise) throw new Error(step.raise);
    if (step.forget) forget();
    else if (!step.sleep) {
      await sleep(0.005);
      publish(step);
    }
  }
}

// Express middleware: 401 without the credential, except for the card.
export const guard = (auth) => (req, res, next) => {
  if (!auth || req.path.includes('/.well-known/') || req.headers[auth[0]] === auth[1]) next();
  else res.status(401).set('WWW-Authenticate', 'Bearer realm="interop"').end();
};

// Serves until standard input closes; `mount` is given the base URL. The first line of output says where.
export function serve(app, mount) {
  const say = process.stdout.write.bind(process.stdout);
  for (const name of ['log', 'info', 'warn', 'error']) console[name] = () => {};
  const server = app.listen(0, '127.0.0.1', () => {
    const url = `http://127.0.0.1:${server.address().port}`;
    mount(url);
    say(`${JSON.stringify({ sdk: `@a2a-js/sdk ${sdkVersion}`, url })}\n`);
  });
  process.stdin.resume();
  process.stdin.on('close', () => process.exit(0));
}
