// Loads a plug-in by its name, path or package, with the URL from which all processes of a launch load the same code. A plug-in that is not
// built in is loaded only if the user names it, and is checked. Also suggests built-in names, and finds why a transport or a codec is
// unavailable.

import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { checkedSettings, labelParts, settingsLabel } from '../cell/settings.js';
import { GROUP_NAMES, settingDefaults } from '../cell/traits.js';
import { bufferView } from '../codecs/wire-bytes.js';
import { BenchError } from '../errors.js';
import { didYouMean } from '../format/did-you-mean.js';
import { isOwnFile, resolveOwnFile } from '../format/own-file.js';
import { printable } from '../format/printable.js';
import { OWN_PACKAGE } from '../machine/packages.js';
import { builtinNames, builtinUrl, isBuiltin } from './builtins.js';
import { callPlugin } from './plugin-call.js';

/** @import { Codec, FoundRuntime, Message, Report, RuntimeChoice, Scenario, Transport, WireKind } from '../types/index.js' */

/** @import { Kind } from './builtins.js' */
/**
 * @template T
 * @typedef {object} Loaded
 * @property {T} plugin
 * @property {string} url
 * @property {string[]} writtenAs   all forms in which the user named it
 */

/**
 * The transport between a proxy and the master.
 * @typedef {Pick<Loaded<Transport>, 'plugin' | 'url'> & { settings: Record<string, string | number | boolean>, unavailable: string | null }} Onward
 *   settings: only those that differ from the defaults; unavailable: reason and remedy
 */
/**
 * The plug-ins of a plan, by name.
 * @typedef {object} LoadedPlugins
 * @property {Map<string, Pick<Loaded<Transport>, 'plugin' | 'url'>>} transports
 * @property {Map<string, Pick<Loaded<Codec>, 'plugin' | 'url'>>} codecs
 * @property {Map<string, Pick<Loaded<Scenario>, 'plugin' | 'url'>>} scenarios
 * @property {{ choices: readonly RuntimeChoice[], thisNode: FoundRuntime }}
 *   [runtimes]   without it, this Node runs all roles
 * @property {Map<string, Onward>} [onward]   key: the label in the settings of scenarios, such as 'tcp:flush=tick'
 */

/**
 * @param {string[]} names
 * @param {string} [folder]   base for paths and packages
 * @param {string} [flag]   flag that names the plug-ins
 * @returns {Promise<Map<string, Loaded<Transport>>>} by name of the plug-in
 */
export function loadTransports(names, folder, flag) {
  return loadAll('transport', names, folder, { flag });
}

/** @param {string[]} names @param {string} [folder] @returns {Promise<Map<string, Loaded<Codec>>>} */
export function loadCodecs(names, folder) {
  return loadAll('codec', names, folder);
}

/** @param {string[]} names @param {string} [folder] @returns {Promise<Map<string, Loaded<Scenario>>>} */
export function loadScenarios(names, folder) {
  return loadAll('scenario', names, folder, { change: configured });
}

/**
 * Returns a scenario with settings, which are part of its name.
 * @param {Scenario} scenario
 * @param {Record<string, string>} written
 * @returns {Scenario}
 */
export function configured(scenario, written) {
  const settings = checkedSettings(scenario, written, '--scenario ');
  const chosen = { ...settingDefaults(scenario), ...settings };
  return {
    ...scenario,
    ...scenario.ofSettings?.(chosen),
    name: settingsLabel(scenario.name, settings),
    chosen,
  };
}

/** @param {string} name @returns {Promise<Report>} */
export async function loadReport(name) {
  return (await load('report', name, undefined)).plugin;
}

/** @template T @param {Map<string, { plugin: T }>} loaded @returns {T[]} */
export function loadedPlugins(loaded) {
  return [...loaded.values()].map(({ plugin }) => plugin);
}

/** @param {string[]} names @param {string} [folder] @returns {Promise<Map<string, Loaded<Report>>>} */
export function loadReports(names, folder) {
  return loadAll('report', names, folder);
}

/**
 * @param {Kind} kind
 * @param {string[]} names
 * @param {string} [folder]
 * @param {object} [how]
 * @param {(plugin: any, written: Record<string, string>) => any} [how.change]   applies settings; without it, names have no settings
 * @param {string} [how.flag]   flag that names the plug-ins
 * @returns {Promise<Map<string, Loaded<any>>>}
 */
async function loadAll(kind, names, folder, { change, flag } = {}) {
  /** @type {Map<string, Loaded<any>>} */
  const loaded = new Map();
  const loading = names.map((name) =>
    change ? loadConfigured(kind, name, folder, change) : load(kind, name, folder, flag),
  );
  const unknown = (await Promise.allSettled(loading)).flatMap((result) =>
    result.status === 'rejected' && result.reason instanceof UnknownPlugin ? [result.reason] : [],
  );
  if (unknown.length > 0) {
    const each = new Set(unknown.map(({ what }) => what)); // a plug-in with several settings is loaded for each
    throw new UnknownPlugin([...each].join(' '), unknown[0].next);
  }
  for (const [index, name] of names.entries()) {
    const one = await loading[index];
    const same = loaded.get(one.plugin.name);
    if (same === undefined) loaded.set(one.plugin.name, { ...one, writtenAs: [name] });
    else if (same.url === one.url) same.writtenAs.push(name);
    else {
      const what = `two ${kind}s have the name "${one.plugin.name}": ${same.url} and ${one.url}`;
      throw new BenchError('BAD_PLUGIN', `${what}. Their rows would have the same name; rename one.`);
    }
  }
  return loaded;
}

/**
 * @param {Kind} kind
 * @param {string} label
 * @param {string | undefined} folder
 * @param {(plugin: any, written: Record<string, string>) => any} change
 * @returns {Promise<{ plugin: any, url: string }>}
 */
async function loadConfigured(kind, label, folder, change) {
  const { name, written } = labelParts(label);
  const { plugin, url } = await load(kind, name, folder);
  try {
    return { plugin: change(plugin, written), url };
  } catch (cause) {
    if (cause instanceof BenchError || isBuiltin(kind, name)) throw cause;
    const why = `its settings cannot be applied: ${loadFault(cause, url, kind)}`;
    throw new BenchError('BAD_PLUGIN', `${kind} ${printable(name)} (${url}) is not usable: ${why}`, {
      cause,
    });
  }
}

/**
 * @param {Kind} kind
 * @param {string} name
 * @param {string | undefined} folder
 * @param {string} [flag]
 * @returns {Promise<{ plugin: any, url: string }>}
 */
async function load(kind, name, folder, flag = `--${kind}`) {
  if (isBuiltin(kind, name)) {
    const url = builtinUrl(kind, name);
    return { plugin: (await import(url)).default, url };
  }
  const url = foreignUrl(kind, name, folder ?? process.cwd(), flag);
  const what = `${kind} ${printable(name)} (${url})`;
  // A package of that name, such as `ws`, may be no plug-in.
  const hint = didYouMean(name, [], { otherNames: otherNames(kind) });
  return { plugin: await callPlugin(what, 'loaded', () => loadForeign(kind, url, what, hint)), url };
}

/**
 * @param {Kind} kind
 * @param {string} url
 * @param {string} what   name in messages
 * @param {string} hint   suggests a built-in plug-in
 * @returns {Promise<any>} the checked plug-in
 */
async function loadForeign(kind, url, what, hint) {
  const { faultsIn } = await import('./plugin-faults.js'); // loaded late, since it loads valibot
  let plugin;
  let faults;
  try {
    ({ default: plugin } = await import(url));
    faults = faultsIn(kind, plugin, null);
    if (kind === 'codec' && faults.length === 0) faults = await codecFaults(plugin);
  } catch (cause) {
    const why = loadFault(cause, url, kind);
    throw new BenchError('BAD_PLUGIN', `${what} cannot be loaded: ${why}.${hint}`, { cause });
  }
  if (faults.length > 0) {
    const list = faults.map((fault) => `\n  - ${fault}`).join('');
    const next = `\ndocs/extending.md has an example of a ${kind}, and ipc-bench/types its type.${hint}`;
    throw new BenchError('BAD_PLUGIN', `${what} is not usable:${list}${next}`);
  }
  return plugin;
}

// Checks whether a codec decodes what it encodes. The conformance suite checks far more. A launch with a broken codec would only time out.

/** @type {Readonly<Message>} */
const QUESTION = Object.freeze({ id: 1_234_567_890, payload: 'what comes back?' });
const CHARACTERS_SHOWN = 80;

/**
 * @param {Codec} codec
 * @returns {Promise<string[]>} at most one fault; empty if the codec cannot be prepared on this machine
 */
async function codecFaults(codec) {
  if ((await codecUnavailableReason(codec, true)) !== null) return [];
  try {
    await codec.prepare?.();
  } catch {
    return []; // the launch reports why
  }
  try {
    const wire = codec.encode({ ...QUESTION });
    if (!isOfKind(wire, codec.produces))
      return [`encode gives ${shown(wire)}, but produces is '${codec.produces}'`];
    const answer = codec.decode(wire instanceof Uint8Array ? bufferView(wire) : wire);
    if (answer?.id === QUESTION.id && answer.payload === QUESTION.payload) return [];
    return [`decode(encode(message)) gives ${shown(answer)} for ${shown(QUESTION)}`];
  } catch (error) {
    return [`it throws for ${shown(QUESTION)}: ${shown(error instanceof Error ? error.message : error)}`];
  }
}

/** @param {unknown} wire @param {WireKind} kind */
function isOfKind(wire, kind) {
  if (kind === 'value') return true;
  return kind === 'text' ? typeof wire === 'string' : wire instanceof Uint8Array;
}

/** @param {unknown} value */
function shown(value) {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? String(value));
  return printable(text).slice(0, CHARACTERS_SHOWN);
}

class UnknownPlugin extends BenchError {
  /** @param {string} what @param {string} next   what to do, the same for all names of a flag */
  constructor(what, next) {
    super('BAD_ARGUMENT', `${what} ${next}`);
    this.what = what;
    this.next = next;
  }
}

/** @param {Kind} kind @param {string} name @param {string} folder @param {string} flag   flag that names the plug-in */
function foreignUrl(kind, name, folder, flag) {
  if (isOwnFile(name)) {
    const path = resolveOwnFile(name, folder);
    if (existsSync(path)) return pathToFileURL(path).href;
    throw new BenchError('BAD_ARGUMENT', `${flag}: there is no file ${printable(path)}; check the path`);
  }
  const url = packageUrl(name, folder);
  if (url !== null) return url;
  if (existsSync(resolve(folder, name))) {
    throw new BenchError(
      'BAD_ARGUMENT',
      `${flag}: no ${kind} "${printable(name)}" is built in, but there is a file of that name; write ./${printable(name)}`,
    );
  }
  const builtin = builtinNames(kind);
  // Groups are sets of transports, which only --transport accepts.
  const groups = flag === '--transport' ? GROUP_NAMES : [];
  const what = `${flag}: no ${kind} "${printable(name)}" is built in, nor is a package of that name installed here`;
  const group = groups.length === 0 ? '' : `; groups: ${groups.join(', ')}`;
  const next = `Built in: ${builtin.join(', ')}${group}; your own file starts with ./ or /`;
  const hint = didYouMean(name, [...builtin, ...groups], { otherNames: otherNames(kind) });
  throw new UnknownPlugin(`${what}.${hint}`, `${next}.`);
}

/**
 * Resolves in a Node process in the user's folder, since `createRequire(folder).resolve` does not find packages that export only for
 * `import`, and `import.meta.resolve` resolves from this file.
 * @param {string} name
 * @param {string} folder
 */
function packageUrl(name, folder) {
  if (!/^(@[\w.-]+\/)?\w[\w.-]*(\/[\w./-]+)?$/.test(name)) return null;
  const script = 'try { process.stdout.write(import.meta.resolve(process.argv[1])) } catch {}';
  const flags = ['--input-type=module', '--eval', script, '--', name];
  const url = execFileSync(process.execPath, flags, { cwd: folder, encoding: 'utf8' });
  // A name such as `fs` resolves to a module of Node.
  return url.startsWith('file:') && existsSync(fileURLToPath(url)) ? url : null;
}

// Explains why a module of a plug-in could not be loaded: the message of Node, the position in the file, and a remedy for a missing
// package.

const OWN_FOLDER = fileURLToPath(new URL('../../', import.meta.url));

/** @param {unknown} cause @param {string} url @param {Kind} kind @returns {string} reason and remedy, without a full stop */
function loadFault(cause, url, kind) {
  const { name: errorName, message, stack = '' } = cause instanceof Error ? cause : new Error(String(cause));
  const [, name] = /^Cannot find package '([^']+)'/.exec(message) ?? [];
  if (name !== undefined) {
    const source = name === OWN_PACKAGE.name ? `"${OWN_FOLDER}"` : name;
    return printable(`${message}; install it in the folder of the plug-in: npm install ${source}`);
  }
  const isSyntax = errorName === 'SyntaxError';
  const position = positionIn(stack, url) ?? (isSyntax ? positionIn(errorsOfImport(url), url) : null);
  const next = isSyntax ? `a ${kind} is a JavaScript module` : 'correct the module';
  const what = position === null ? message : `${message} (${position})`;
  return `${printable(what)}; ${next}, and docs/extending.md has an example of a ${kind}`;
}

// A stack contains the URL of an ES module or the path of a CommonJS module. For a missing export, the first line has the position.
const POSITION = /(?:^|at |\()((?:file:\/\/|\/|[a-z]:\\)[^()]*?):(\d+)(?::(\d+)\)?)?$/im;

/** @param {string} stack @param {string} url @returns {string | null} 'line 3, column 5', with the file name if it differs from the URL */
function positionIn(stack, url) {
  const [, file, line, column] = POSITION.exec(stack) ?? [];
  if (file === undefined || file === import.meta.resolve('./plugins.js')) return null;
  const where = column === undefined ? `line ${line}` : `line ${line}, column ${column}`;
  return file === url || file === fileURLToPath(url) ? where : `${where} of ${file}`;
}

/** @param {string} url @returns {string} stderr of another Node process: only there Node prints the line of a syntax error */
function errorsOfImport(url) {
  const args = ['--input-type=module', '--eval', `import ${JSON.stringify(url)}`];
  return spawnSync(process.execPath, args, { encoding: 'utf8', timeout: 10_000 }).stderr;
}

// Other names of transports, codecs and scenarios: modules of Node, npm packages, mechanisms and workloads. The error suggests the
// built-in name.

/** @type {Readonly<Partial<Record<Kind, Record<string, string[]>>>>} by kind: name → other names, in lower case with hyphens */
const ELSEWHERE = {
  transport: {
    command: ['exec'],
    fifo: ['mkfifo', 'named-pipe', 'named-pipes'],
    http: ['fetch', 'rest'],
    http2: ['h2', 'http/2'],
    https: ['tls'],
    mqtt: ['mosquitto'],
    nats: ['jetstream'],
    pipe: ['child-process', 'cluster', 'fork', 'ipc', 'process.send'],
    rabbitmq: ['amqp', 'amqplib', 'rmq'],
    'redis-list': ['bullmq', 'ioredis', 'valkey'],
    'redis-pubsub': ['ioredis', 'pubsub', 'valkey'],
    'redis-streams': ['ioredis', 'valkey'],
    'shared-memory': ['mmap', 'shm'],
    stdio: ['spawn', 'stdin', 'stdout'],
    tcp: ['net', 'socket'],
    'threads-message': ['messagechannel', 'messageport', 'postmessage', 'thread', 'worker', 'worker-threads'],
    'threads-shared': ['atomics', 'sab', 'sharedarraybuffer', 'thread', 'worker', 'worker-threads'],
    udp: ['datagram', 'dgram'],
    unix: ['af-unix', 'domain-socket', 'ipc', 'net', 'socket', 'uds', 'unix-domain-socket', 'unix-socket'],
    websocket: ['socket', 'socket.io', 'ws'],
    zeromq: ['0mq', 'nng', 'zmq'],
  },
  codec: {
    binary: ['buffer', 'raw'],
    avro: ['avsc'],
    cbor: ['cbor-x'],
    json: ['ndjson'],
    'json-schema': ['ajv', 'fast-json-stringify'],
    msgpack: ['messagepack', 'msgpackr'],
    protobuf: ['pb', 'proto', 'protobufjs', 'protocol-buffers'],
    string: ['plain', 'text'],
    v8: ['advanced', 'serialize', 'structured-clone', 'structuredclone'],
  },
  scenario: {
    connect: ['handshake', 'reconnect'],
    'fan-out': ['broadcast', 'pub-sub', 'pubsub'],
    'first-answer': ['cold', 'cold-start', 'startup'],
    queue: ['jobs', 'work-queue'],
    relay: ['proxy'],
    'round-trip': ['echo', 'latency', 'ping-pong', 'pingpong', 'request-response', 'rpc'],
    stream: ['one-way', 'oneway', 'throughput'],
    task: ['offload', 'pool', 'pools', 'worker-pool'],
  },
};

/** The kinds whose names a user writes as values of options. */
export const NAMED_KINDS = /** @type {const} */ (['transport', 'codec', 'scenario']);

/** @param {unknown} word @returns {typeof NAMED_KINDS[number] | undefined} the kind of the built-in plug-in of that name */
export function kindOfName(word) {
  return NAMED_KINDS.find((kind) => isBuiltin(kind, String(word)));
}

/** @param {Kind} kind @returns {Record<string, string[]>} other name → built-in names */
export function otherNames(kind) {
  /** @type {Record<string, string[]>} */
  const names = {};
  for (const [name, others] of Object.entries(ELSEWHERE[kind] ?? {})) {
    for (const other of others) names[other] = [...(names[other] ?? []), name];
  }
  return names;
}

/** @param {Transport | Codec} plugin @returns {readonly string[]} npm packages */
export function neededPackages(plugin) {
  return ('traits' in plugin ? plugin.traits.packages : plugin.packages) ?? [];
}

/**
 * @param {Codec} codec
 * @param {boolean} [isGlance]   whether nothing is measured, so that packages need not be loaded
 * @returns {Promise<string | null>} reason and remedy; null if it is available
 */
export async function codecUnavailableReason(codec, isGlance) {
  return (await codec.whyUnavailable?.(isGlance)) ?? null;
}

/**
 * @param {Transport} transport
 * @param {Readonly<Record<string, string>>} brokerUrls   the user's URLs by name of the broker
 * @param {Readonly<Record<string, string | number | boolean>>} [chosen]   settings that differ from the defaults
 * @param {boolean} [isGlance]   whether nothing is measured, so that packages need not be loaded
 * @returns {Promise<string | null>} reason and remedy; null if it is available
 */
export async function availabilityProblem(transport, brokerUrls, chosen = {}, isGlance = false) {
  const { platforms } = transport.traits;
  if (!platforms.includes(process.platform)) {
    return `${transport.name} exists on ${platforms.join(', ')} only, this is ${process.platform}`;
  }
  const settings = { ...settingDefaults(transport), ...chosen };
  const own = (await transport.whyUnavailable?.(settings, isGlance)) ?? null;
  if (own !== null) return own;
  const needsServer = transport.broker !== undefined && !Object.hasOwn(brokerUrls, transport.broker.name);
  return (needsServer ? await transport.broker?.whyUnavailable(settings, isGlance) : null) ?? null;
}
