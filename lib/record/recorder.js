// Loaded by preload.cjs in a recorded program, its Node.js child processes and its threads. It writes a fact for each message of
// process.send() and between threads, without an effect on the program: wrapped functions return, throw and call back as before, nothing is
// printed, and errors of the recorder are kept for the report.

import childProcess from 'node:child_process';
import diagnostics from 'node:diagnostics_channel';
import { EventEmitter } from 'node:events';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import threads from 'node:worker_threads';
import { FactWriter, hasEnded, writeForThread } from './fact-writer.js';
import { NameReplacer } from './message-shape.js';
import { isNode, programLabel, scriptLabel } from './program-label.cjs';
import { MeasureBudget, RecordedLink } from './recorded-link.js';
import { findObstacle, hasPreload, SETTINGS, withoutPreload } from './recording-environment.js';

/** @import { Shared } from './fact-writer.js' */
/** @import { Mechanism, Peer, Wire } from './recorded-link.js' */

// Captured now, since the program may replace these functions later.
const { MessagePort, BroadcastChannel, MessageChannel, Worker, isMainThread, parentPort, threadId } = threads;
const { receiveMessageOnPort } = threads;
const { kill, ppid } = process;
const schedule = setTimeout;
const { apply, construct } = Reflect;

const FIRST_FLUSH_MS = 200;
const FLUSH_EACH_MS = 1_000;
const MOST_LINKS = 20_000;
const MOST_SEARCHED = 1_000;
const MOST_ERRORS = 10;
const OWN_COST_EACH = 64; // the time of one in so many facts is measured
const MOST_OWN_MS = 0.1; // a longer time includes a wait for the CPU
const SIGNALS = new Set(['SIGINT', 'SIGTERM', 'SIGHUP']);
const HYBRID_DISPATCH = Symbol.for('nodejs.internal.kHybridDispatch');
const RECEIVED_PORTS = Symbol.for('nodejs.internal.kCurrentlyReceivingPorts');
const SHARE = 'ipc-bench record';
const FAILED = new Set(['ERR_IPC_CHANNEL_CLOSED', 'ERR_IPC_DISCONNECTED', 'EPIPE', 'ECONNRESET']);

const readClock = performance.now.bind(performance);
const OFFSET_MS = Number(process.hrtime.bigint()) / 1e6 - readClock();
/** @returns {number} ms of the system's monotonic clock */
const now = () => readClock() + OFFSET_MS;

const settings = String(process.env[SETTINGS]).replace('&advanced=1', '');
const parameters = new URLSearchParams(process.env[SETTINGS]);
const folder = String(parameters.get('to'));
const startedMs = now();
// Captured now, since the program may remove the script from process.argv.
const labelAtStart = scriptLabel(process.execArgv, process.argv[1]);
const wordsAtStart = process.argv.length;
const writer = new FactWriter(
  join(folder, `${process.pid}-${threadId}-${Math.round(startedMs)}.facts`),
  join(folder, 'size'),
  Number(parameters.get('cap')),
  now,
);
const recording = {
  writer,
  now,
  budget: new MeasureBudget(),
  names: new NameReplacer(String(parameters.get('key'))),
  keepsContents: parameters.has('contents'),
};
let links = 0;
let unrecordedLinks = 0;
let isLabelled = isMainThread;
const own = { facts: 0, timed: 0, ms: 0 };
/** @type {Map<string, number>} */
const errors = new Map();

/** @param {unknown} error   raised by the recorder */
function keepError(error) {
  const { name, code = '', stack } = /** @type {NodeJS.ErrnoException} */ (error);
  // The message of an error may quote what the program sends.
  const text = `${name} ${code} ${stack?.match(/[\w-]+\.c?js:\d+:\d+/)?.[0] ?? ''}`;
  if (errors.size < MOST_ERRORS || errors.has(text)) errors.set(text, (errors.get(text) ?? 0) + 1);
}

/** @param {() => void} work */
function guard(work) {
  try {
    work();
  } catch (error) {
    keepError(error);
  }
}

/**
 * @param {Mechanism} mechanism
 * @param {'json' | 'v8'} serialisation
 * @param {Peer} peer
 * @returns {RecordedLink | null} null if there are too many links
 */
function addLink(mechanism, serialisation, peer) {
  if (links === MOST_LINKS) {
    unrecordedLinks += 1;
    return null;
  }
  const link = new RecordedLink(links, { mechanism, serialisation, peer }, recording);
  links += 1;
  return link;
}

// Every OWN_COST_EACH-th fact is timed.

/** @returns {number} ms, or 0 if this fact is not timed */
function beginFact() {
  own.facts += 1;
  return own.facts % OWN_COST_EACH === 0 ? now() : 0;
}

/** @param {number} beganMs */
function endFact(beganMs) {
  if (beganMs > 0) {
    own.timed += 1;
    own.ms += Math.min(MOST_OWN_MS, now() - beganMs);
  }
  if (!isLabelled) writeLabel();
}

/** @param {RecordedLink} link @param {any} message @param {number} ms @param {number} endMs @param {Wire | null} wire @param {number} [before] */
function noteSent(link, message, ms, endMs, wire, before) {
  if (writer.isClosed) return;
  try {
    const beganMs = beginFact();
    link.onSent(message, ms, endMs, wire, before);
    endFact(beganMs);
  } catch (error) {
    keepError(error);
  }
}

/** @param {RecordedLink | null | undefined} link @param {any} message */
function noteReceived(link, message) {
  if (!link || writer.isClosed) return;
  try {
    const beganMs = beginFact();
    link.onReceived(message);
    endFact(beganMs);
  } catch (error) {
    keepError(error);
  }
}

/**
 * @param {any} target
 * @param {string | symbol} name
 * @param {(original: any) => (this: any, ...args: any[]) => any} wrap
 */
function replace(target, name, wrap) {
  const found = Object.getOwnPropertyDescriptor(target, name);
  const original = target[name];
  const wrapped = wrap(original);
  for (const property of ['name', 'length'])
    Object.defineProperty(wrapped, property, { value: original[property], configurable: true });
  Object.defineProperty(target, name, {
    writable: true,
    configurable: true,
    enumerable: false,
    ...found,
    value: wrapped,
  });
}

/** @param {any} message */
function isInternalToNode(message) {
  return typeof message?.cmd === 'string' && message.cmd.startsWith('NODE_');
}

// What Node writes to the channel of a process while send() runs.
/** @type {Wire} */
const wire = { bytes: 0, text: '' };
let isWritten = false;

/** @param {any} target   process, or a child process */
function watchWrites(target) {
  const symbol = Object.getOwnPropertySymbols(target).find(
    ({ description }) => description === 'kChannelHandle',
  );
  const handle = symbol === undefined ? undefined : target[symbol];
  if (!handle) return;
  // A line of JSON, or the length of a structured clone in four bytes and the clone.
  const methods = /** @type {const} */ ([
    ['writeUtf8String', (/** @type {string} */ line) => Buffer.byteLength(line) - 1],
    ['writeBuffer', (/** @type {Buffer} */ bytes) => bytes.length - 4],
  ]);
  for (const [name, sizeOf] of methods) {
    const write = handle[name];
    if (typeof write !== 'function') continue;
    handle[name] = function (/** @type {any[]} */ ...args) {
      wire.bytes = /** @type {(content: any) => number} */ (sizeOf)(args[1]);
      wire.text = typeof args[1] === 'string' ? args[1] : '';
      isWritten = true;
      return apply(write, this, args);
    };
  }
}

/** @param {any} target   process, or a child process @param {RecordedLink | null} link */
function recordSend(target, link) {
  if (link === null) return;
  watchWrites(target);
  replace(
    target,
    'send',
    (send) =>
      function (...args) {
        const [message] = args;
        const place = args.length - 1;
        const callback = args[place];
        if (place > 0 && typeof callback === 'function') {
          args[place] = function (/** @type {any[]} */ ...results) {
            if (results[0]) guard(() => link.onFailed());
            return apply(callback, this, results);
          };
        }
        isWritten = false;
        const ms = now();
        const result = apply(send, this, args);
        const endMs = now();
        // A message behind one with a handle is written later.
        if (!isInternalToNode(message)) noteSent(link, message, ms, endMs, isWritten ? wire : null);
        wire.text = '';
        return result;
      },
  );
}

/** @param {RecordedLink | null | undefined} link @param {any[]} args   arguments of emit() */
function onEmit(link, [name, value]) {
  if (!link) return;
  if (name === 'message') noteReceived(link, value);
  // If send() had a callback, it would get the error instead.
  else if (name === 'error' && FAILED.has(value?.code)) guard(() => link.onFailed());
}

/**
 * @param {any} target
 * @returns {() => Function} returns the target's own emit(), or else the current one of EventEmitter, which programs may replace
 */
function findEmit(target) {
  const { emit } = target;
  return Object.hasOwn(target, 'emit') ? () => emit : () => EventEmitter.prototype.emit;
}

// Child processes get their channel, and send() as a property, when they are spawned.

/** @type {WeakMap<object, RecordedLink | null>} */
const linkOfChild = new WeakMap();

/**
 * Adds the settings of the recorder to `envPairs`, and removes the recorder from NODE_OPTIONS if the child would fail with it. Changes
 * nothing if NODE_OPTIONS lacks the recorder.
 * @param {any} options   passed to ChildProcess.prototype.spawn
 * @returns {string} why the child is not recorded, or empty
 */
function prepareChild({ file, args = [], envPairs = [], serialization }) {
  const at = envPairs.findIndex((/** @type {string} */ pair) => /^NODE_OPTIONS=/i.test(pair));
  const nodeOptions = at === -1 ? '' : envPairs[at].slice('NODE_OPTIONS='.length);
  if (!hasPreload(nodeOptions)) return `${readLabel()} started it with NODE_OPTIONS of its own`;
  const why = findObstacle(isNode(file) ? args.slice(1) : [], nodeOptions);
  if (why !== '') envPairs[at] = `NODE_OPTIONS=${withoutPreload(nodeOptions)}`;
  const settingsAt = envPairs.findIndex((/** @type {string} */ pair) => pair.startsWith(`${SETTINGS}=`));
  // A child cannot read the serialisation of its channel: Node.js deletes NODE_CHANNEL_SERIALIZATION_MODE before it loads preload.cjs.
  const pair = `${SETTINGS}=${settings}${serialization === 'advanced' ? '&advanced=1' : ''}`;
  envPairs.splice(settingsAt === -1 ? envPairs.length : settingsAt, 1, pair);
  return why;
}

/** @param {any} child @param {any} options @param {string} why   reason if the child is not recorded, or empty */
function onSpawn(child, { file, args = [], serialization }, why) {
  if (child.pid === undefined) return;
  const { pid } = child;
  writer.write({ process: { pid, label: programLabel(file, args.slice(1)), isNode: isNode(file), why } });
  if (typeof child.send !== 'function') return;
  const link = addLink('process.send', serialization === 'advanced' ? 'v8' : 'json', { pid: child.pid });
  linkOfChild.set(child, link);
  recordSend(child, link);
}

function recordChildren() {
  const { ChildProcess } = childProcess;
  replace(
    ChildProcess.prototype,
    'spawn',
    (spawn) =>
      function (...args) {
        let why = '';
        guard(() => {
          why = prepareChild(args[0]);
        });
        const result = apply(spawn, this, args);
        guard(() => onSpawn(this, args[0], why));
        return result;
      },
  );
  const emit = findEmit(ChildProcess.prototype);
  replace(
    ChildProcess.prototype,
    'emit',
    () =>
      function (...args) {
        onEmit(linkOfChild.get(this), args);
        return apply(emit(), this, args);
      },
  );
}

// Events of `process`: messages of the parent process, the exit, and signals.

function recordProcess() {
  /** @type {RecordedLink | null} */
  let link = null;
  if (isMainThread && typeof process.send === 'function') {
    link = addLink('process.send', parameters.has('advanced') ? 'v8' : 'json', { parentProcess: true });
    recordSend(process, link);
  }
  const emit = findEmit(process);
  replace(
    process,
    'emit',
    () =>
      function (...args) {
        const [name] = args;
        onEmit(link, args);
        if (name === 'newListener' && SIGNALS.has(args[1])) guard(() => leaveSignal(args[1], args[2]));
        const result = apply(emit(), this, args);
        if (name === 'exit') guard(endAll);
        else if (name === 'removeListener' && SIGNALS.has(args[1])) guard(() => takeSignal(args[1]));
        return result;
      },
  );
  if (isMainThread) for (const signal of SIGNALS) guard(() => takeSignal(signal));
}

// A signal without a listener ends the program, so onSignal writes the facts first. It is removed when the program adds a listener, since
// some programs count listeners.
/** @type {Set<string>} */
const leaving = new Set();

/** @param {string} signal */
function onSignal(signal) {
  guard(flushAll);
  leaving.add(signal);
  process.removeListener(signal, onSignal);
  apply(kill, process, [process.pid, signal]);
}

/** @param {string} signal */
function takeSignal(signal) {
  if (!leaving.has(signal) && isMainThread && process.listenerCount(signal) === 0)
    process.on(signal, onSignal);
}

/** @param {string} signal @param {unknown} listener */
function leaveSignal(signal, listener) {
  if (listener === onSignal || leaving.has(signal)) return;
  leaving.add(signal);
  process.removeListener(signal, onSignal);
  leaving.delete(signal);
}

// Threads and ports. The end of a port that stays here has the link to the thread that the other end was sent to: one link for all ports
// between two threads.

/** @typedef {{ peers: (Peer | null)[], links: (RecordedLink | null)[] }} Channel   of a MessageChannel of this thread, by end */

/** @type {WeakMap<object, RecordedLink | null>} null for ports that are not recorded, such as those of Node.js */
const linkOfPort = new WeakMap();
/** @type {WeakMap<object, { channel: Channel, end: number }>} ports that this thread created */
const endOfPort = new WeakMap();
/** @type {WeakMap<object, Peer>} ports that this thread received → where they came from */
const senderOfPort = new WeakMap();
/** @type {WeakMap<object, object[]>} the port over which Node.js starts a thread → the ports in its workerData */
const portsInWorkerData = new WeakMap();
/** @type {Map<string, RecordedLink | null>} links of ports by their peers */
const portLinks = new Map();
/** @type {Set<string>} */
const connected = new Set();
/** @type {Peer} */
const PARENT = { parentThread: true };

/** @param {Peer} peer @returns {RecordedLink | null} */
function linkOfPeer(peer) {
  const key = JSON.stringify(peer);
  const known = portLinks.get(key);
  if (known !== undefined) return known;
  const link = addLink('MessagePort', 'v8', peer);
  portLinks.set(key, link);
  return link;
}

/** @type {Set<unknown> | undefined} */
let portsOfWorkerData;

/** @param {unknown} port @returns {boolean} whether it came with the workerData of this thread */
function isInWorkerData(port) {
  portsOfWorkerData ??= new Set(findPorts(threads.workerData));
  return portsOfWorkerData.has(port);
}

/** @param {unknown} value @returns {object[]} ports in the first MOST_SEARCHED objects of received data, which has no getters */
function findPorts(value) {
  const pending = [value];
  for (let at = 0; at < Math.min(pending.length, MOST_SEARCHED); at += 1) {
    const part = pending[at];
    if (typeof part !== 'object' || part === null || part instanceof MessagePort || ArrayBuffer.isView(part))
      continue;
    pending.push(...(part instanceof Map || part instanceof Set ? [...part].flat() : Object.values(part)));
  }
  return /** @type {object[]} */ (pending.filter((part) => part instanceof MessagePort));
}

/** @param {any} port @returns {RecordedLink | null} */
function linkFor(port) {
  const known = linkOfPort.get(port);
  if (known !== undefined) return known;
  const link = findLink(port);
  linkOfPort.set(port, link);
  return link;
}

/** @param {any} port @returns {RecordedLink | null} */
function findLink(port) {
  const own = endOfPort.get(port);
  if (own === undefined) {
    const sender = senderOfPort.get(port);
    if (sender !== undefined) return linkOfPeer(sender);
    // Other ports are those of Node.js, for example of module hooks or structuredClone().
    return isInWorkerData(port) ? linkOfPeer(PARENT) : null;
  }
  const { channel, end } = own;
  const peer = channel.peers[1 - end];
  if (peer !== null) return linkOfPeer(peer);
  // The other end is here, so far.
  channel.links[end] = addLink('MessagePort', 'v8', { thisThread: true });
  return channel.links[end];
}

/** @param {any} second   argument of postMessage() @returns {any[]} */
function transferListOf(second) {
  if (Array.isArray(second)) return second;
  return Array.isArray(second?.transfer) ? second.transfer : [];
}

/** @param {object[]} ports @param {Peer} to */
function onTransferred(ports, to) {
  for (const port of ports) {
    const own = endOfPort.get(port);
    if (own === undefined) continue;
    const { channel, end } = own;
    channel.peers[end] = to;
    const other = channel.links[1 - end];
    if (other) writer.write({ transferred: { link: other.number, to } });
    const others = channel.peers[1 - end];
    if (others === null) continue;
    const between = JSON.stringify([to, others]);
    if (connected.has(between)) continue;
    connected.add(between);
    writer.write({ between: [to, others] });
  }
}

/** @param {any} port @param {any} message   that it receives */
function onDispatch(port, message) {
  try {
    const link = linkFor(port);
    if (link === null) return;
    noteReceived(link, message);
    const ports = port[RECEIVED_PORTS];
    if (Array.isArray(ports)) for (const received of ports) senderOfPort.set(received, link.facts.peer);
  } catch (error) {
    keepError(error);
  }
}

/** @param {any} message   from receiveMessageOnPort(); ports are found in its fields only, to save time @param {RecordedLink} link */
function findReceivedPorts(message, link) {
  if (message instanceof MessagePort) senderOfPort.set(message, link.facts.peer);
  else if (typeof message === 'object' && message !== null && !ArrayBuffer.isView(message))
    for (const name in message)
      if (message[name] instanceof MessagePort) senderOfPort.set(message[name], link.facts.peer);
}

function recordPorts() {
  replace(
    MessagePort.prototype,
    'postMessage',
    (postMessage) =>
      function (...args) {
        const [message, second] = args;
        /** @type {RecordedLink | null} */
        let link = null;
        /** @type {any[]} */
        let transferred = [];
        let before;
        try {
          link = linkFor(this);
          if (second !== undefined) {
            transferred = transferListOf(second);
            if (link === null && message?.type === 'loadScript') portsInWorkerData.set(this, transferred);
            else if (link !== null && transferred.length > 0 && !writer.isClosed)
              before = link.beforeTransfer(message);
          }
        } catch (error) {
          keepError(error);
        }
        if (link === null) return apply(postMessage, this, args);
        const ms = now();
        const result = apply(postMessage, this, args);
        noteSent(link, message, ms, now(), null, before);
        if (transferred.length > 0) {
          const { peer } = link.facts;
          guard(() => onTransferred(transferred, peer));
        }
        return result;
      },
  );
  if (typeof (/** @type {any} */ (MessagePort.prototype)[HYBRID_DISPATCH]) === 'function')
    replace(
      MessagePort.prototype,
      HYBRID_DISPATCH,
      (dispatch) =>
        function (...args) {
          if (args[1] === 'message') onDispatch(this, args[0]);
          return apply(dispatch, this, args);
        },
    );
  replace(
    threads,
    'receiveMessageOnPort',
    (receive) =>
      function (...args) {
        const received = apply(receive, this, args);
        if (received !== undefined && args[0] instanceof MessagePort)
          guard(() => {
            const link = linkFor(args[0]);
            if (link === null) return;
            noteReceived(link, received.message);
            findReceivedPorts(received.message, link);
          });
        return received;
      },
  );
  if (parentPort !== null) linkOfPort.set(parentPort, addLink('postMessage', 'v8', PARENT));
  threads.MessageChannel = new Proxy(MessageChannel, {
    construct(target, args, newTarget) {
      const made = construct(target, args, newTarget);
      guard(() => onChannel(made));
      return made;
    },
  });
  globalThis.MessageChannel = /** @type {any} */ (threads.MessageChannel);
  syncBuiltinESMExports();
}

/** @param {import('node:worker_threads').MessageChannel} made */
function onChannel({ port1, port2 }) {
  const channel = { peers: [null, null], links: [null, null] };
  endOfPort.set(port1, { channel, end: 0 });
  endOfPort.set(port2, { channel, end: 1 });
}

/** @param {any} worker */
function onWorker(worker) {
  // Node.js runs module hooks in a thread of its own.
  const isInternal = worker.constructor.name === 'InternalWorker';
  const { threadId: thread } = worker;
  writer.write({ thread: { thread, isInternal } });
  for (const symbol of Object.getOwnPropertySymbols(worker)) {
    const port = worker[symbol];
    if (!(port instanceof MessagePort)) continue;
    onTransferred(portsInWorkerData.get(port) ?? [], { thread });
    if (symbol.description === 'kPublicPort' && !isInternal)
      linkOfPort.set(port, addLink('postMessage', 'v8', { thread }));
  }
}

function recordThreads() {
  recordPorts();
  diagnostics.subscribe('worker_threads', (message) =>
    guard(() => onWorker(/** @type {any} */ (message).worker)),
  );
  replace(
    Worker.prototype,
    'terminate',
    (terminate) =>
      function (...args) {
        const thread = this.threadId;
        guard(() => flushThreads(thread));
        const result = apply(terminate, this, args);
        guard(() => result.then(() => endThread(thread)).catch(keepError));
        return result;
      },
  );
}

// The memory of the writers of threads: a thread shares it with the main thread, which writes the last messages of a thread that cannot.

/** @type {Map<number, Shared>} by thread */
const sharedBy = new Map();
/** @type {import('node:worker_threads').BroadcastChannel | null} */
let sharing = null;

function shareMemory() {
  sharing = new BroadcastChannel(SHARE);
  sharing.unref();
  if (isMainThread) {
    sharing.onmessage = ({ data }) => guard(() => addShared(data));
    return;
  }
  sharing.postMessage({ thread: threadId, path: writer.path, memory: writer.memory });
  sharing.close();
  sharing = null;
}

/** @param {any} data */
function addShared({ thread, path, memory }) {
  for (const [id, shared] of sharedBy) if (hasEnded(shared)) sharedBy.delete(id);
  sharedBy.set(thread, { path, memory });
}

/** @param {number} [only]   thread */
function flushThreads(only) {
  if (sharing === null) return;
  for (
    let found = receiveMessageOnPort(/** @type {any} */ (sharing));
    found !== undefined;
    found = receiveMessageOnPort(/** @type {any} */ (sharing))
  )
    addShared(found.message);
  for (const [thread, shared] of sharedBy)
    if (only === undefined || thread === only) writeForThread(shared, now(), false);
}

/** @param {number} thread */
function endThread(thread) {
  const shared = sharedBy.get(thread);
  if (shared === undefined) return;
  writeForThread(shared, now(), true);
  sharedBy.delete(thread);
}

function readLabel() {
  if (isMainThread) return labelAtStart;
  // Node.js inserts the script of a thread before its arguments after it has loaded the recorder, and that of a data: URL never.
  return scriptLabel([], process.argv.length > wordsAtStart ? process.argv[1] : undefined);
}

function writeLabel() {
  isLabelled = true;
  writer.write({ label: readLabel() });
}

function flushAll() {
  flushThreads();
  writer.flush();
}

function endAll() {
  flushThreads();
  for (const thread of [...sharedBy.keys()]) endThread(thread);
  if (!isLabelled) writeLabel();
  writer.end({
    own,
    unrecordedLinks,
    errors: [...errors].map(([text, count]) => (count === 1 ? text : `${text}, ${count} times`)),
  });
}

/** @param {number} ms */
function flushLater(ms) {
  schedule(() => {
    guard(() => {
      writer.write({ own });
      writer.flush();
    });
    flushLater(FLUSH_EACH_MS);
  }, ms).unref();
}

guard(() => {
  const isChild = isMainThread && typeof process.send === 'function';
  const { pid } = process;
  writer.write({
    start: { pid, parentPid: ppid, thread: threadId, label: readLabel(), isChild, startedMs },
  });
  // If a later version of Node.js lacks one of the wrapped functions, the others still work.
  for (const record of [recordChildren, recordProcess, recordThreads, shareMemory]) guard(record);
  writer.flush();
  flushLater(FIRST_FLUSH_MS);
});
