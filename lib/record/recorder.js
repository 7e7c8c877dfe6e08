// Loaded by preload.cjs in a recorded program, its Node.js child processes and its threads. It records process.send() and messages between
// threads without an effect on the program: wrapped functions return, throw and call back as before, nothing is printed, and errors of the
// recorder are kept for the report.

import childProcess from 'node:child_process';
import diagnostics from 'node:diagnostics_channel';
import { EventEmitter } from 'node:events';
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import threads from 'node:worker_threads';
import { NameReplacer } from './message-shape.js';
import { isNode, programLabel, scriptLabel } from './program-label.cjs';
import { RecordedLink, TimeBudget } from './recorded-link.js';
import { findObstacle, hasPreload, SETTINGS, withoutPreload } from './recording-environment.js';

/** @import { Mechanism, Peer, SavedLink } from './recorded-link.js' */
/**
 * @typedef {{ pid: number, label: string, isNode: boolean, why: string }} StartedProcess   why: reason if it is not recorded, or empty
 *   if it is, or if the reason is unknown
 */
/** @typedef {{ port: string, to: Peer }} Transfer   port: names a MessageChannel and one of its ends */
/**
 * The file of a process or thread. If Node.js cannot load the recorder, preload.cjs writes only pid, thread, label and notRecorded.
 * @typedef {object} Part
 * @property {number} pid
 * @property {number} parentPid
 * @property {number} thread
 * @property {string} label
 * @property {boolean} isChild   whether it has a channel to its parent process
 * @property {string} [notRecorded]   reason why it is not recorded
 * @property {boolean} isWhole   whether the part was written at the end of the process or thread
 * @property {number} startedMs   on the system's monotonic clock, like all times in this type
 * @property {number} writtenMs
 * @property {StartedProcess[]} processes
 * @property {number[]} threads   ids of the threads that it started
 * @property {Transfer[]} transfers
 * @property {SavedLink[]} links
 * @property {string[]} errors
 */

// Captured now, since the program may replace these functions later.
const { readdirSync, renameSync, writeFileSync } = fs;
const { MessagePort, BroadcastChannel, MessageChannel, Worker, parentPort, threadId, isMainThread } = threads;
const { kill, ppid } = process;
const schedule = setTimeout;
const { apply, construct } = Reflect;

const FIRST_WRITE_MS = 250;
const WRITE_EACH_MS = 4_000;
const WAIT_FOR_THREADS_MS = 500;
const MOST_LINKS = 1_000;
const MOST_STARTED = 1_000;
const MOST_ERRORS = 10;
const SIGNALS = new Set(['SIGINT', 'SIGTERM', 'SIGHUP']);
// Limits of the time for measuring messages: a share of a core for all processes and threads together, and an initial budget. The n-th
// process or thread starts with MEASURE_START_MS / n².
const MEASURE_SHARE = 0.01;
const MEASURE_START_MS = 50;
const HYBRID_DISPATCH = Symbol.for('nodejs.internal.kHybridDispatch');
const FLUSH = 'ipc-bench record: write';
// Types of messages on ports that the program did not create: Node's own, and the one of the recorder.
const INTERNAL = new Set([
  ...['loadScript', 'upAndRunning', 'errorMessage', 'couldNotSerializeError'],
  ...['stdioPayload', 'stdioWantsMoreData', 'registerMainThreadPort', 'unregisterMainThreadPort'],
  ...['sendMessageToWorker', 'receiveMessageFromWorker', FLUSH],
]);
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
const path = join(folder, `${process.pid}-${threadId}-${Math.round(startedMs)}.json`);
/** @returns {number} number of parts written so far */
const countParts = () => readdirSync(folder).filter((name) => name.endsWith('.json')).length;
const budget = new TimeBudget(now, MEASURE_START_MS / (countParts() + 1) ** 2, MEASURE_SHARE);
const surroundings = {
  now,
  budget,
  names: new NameReplacer(String(parameters.get('key'))),
  keepsContents: parameters.has('contents'),
};
/** @type {RecordedLink[]} */
const links = [];
/** @type {Map<string, number>} */
const errors = new Map();
/** @type {StartedProcess[]} */
const processes = [];
/** @type {number[]} */
const startedThreads = [];
/** @type {Set<import('node:worker_threads').Worker>} */
const liveThreads = new Set();
/** @type {Transfer[]} */
const transfers = [];

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
  if (links.length === MOST_LINKS) return null;
  const link = new RecordedLink({ mechanism, serialisation, peer }, surroundings);
  links.push(link);
  return link;
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

/** @param {any} target   process, or a child process @param {RecordedLink | null} link */
function recordSend(target, link) {
  if (link === null) return;
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
            if (results[0]) link.failed += 1;
            return apply(callback, this, results);
          };
        }
        const ms = now();
        const result = apply(send, this, args);
        const endMs = link.isTimed() ? now() : 0;
        try {
          if (!isInternalToNode(message)) link.onSent(message, ms, endMs);
        } catch (error) {
          keepError(error);
        }
        return result;
      },
  );
}

/** @param {RecordedLink | null | undefined} link @param {any[]} args   arguments of emit() */
function onEmit(link, [name, value]) {
  if (!link) return;
  try {
    if (name === 'message') link.onReceived(value);
    else if (name === 'error' && FAILED.has(value?.code)) link.failed += 1; // if send() had a callback, it would get the error instead
  } catch (error) {
    keepError(error);
  }
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
  if (processes.length < MOST_STARTED)
    processes.push({ pid: child.pid, label: programLabel(file, args.slice(1)), isNode: isNode(file), why });
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
        if (name === 'exit') guard(writeAll);
        else if (name === 'removeListener' && SIGNALS.has(args[1])) guard(() => takeSignal(args[1]));
        return result;
      },
  );
  if (isMainThread) for (const signal of SIGNALS) guard(() => takeSignal(signal));
}

// A signal without a listener ends the program, so onSignal writes the part first. It is removed when the program adds a listener, since
// some programs count listeners.
/** @type {Set<string>} */
const leaving = new Set();

/** @param {string} signal */
function onSignal(signal) {
  guard(writeAll);
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

// Threads. To find the thread with the other end of a port, join-parts.js needs names and transfers of ports.

/** @type {WeakMap<object, RecordedLink | null>} null for ports that are not recorded, such as internal ones of Node.js */
const linkOfPort = new WeakMap();
/** @type {WeakMap<object, string>} ports of MessageChannels of this thread → pid, thread, number and end: '71-0-3-1' */
const nameOfPort = new WeakMap();
/** @type {WeakMap<object, string[]>} the port over which Node.js starts a thread → names of the ports transferred with its workerData */
const portsInWorkerData = new WeakMap();
let unknownPorts = 0;
let channelsMade = 0;

/** @param {any} port @param {any} message   sent or received over it @returns {RecordedLink | null} */
function linkFor(port, message) {
  const known = linkOfPort.get(port);
  if (known !== undefined) return known;
  let link = null;
  const name = nameOfPort.get(port);
  if (name !== undefined) link = addLink('MessagePort', 'v8', { port: name });
  else if (!INTERNAL.has(message?.type)) {
    link = addLink('MessagePort', 'v8', { unknownPort: unknownPorts });
    unknownPorts += 1;
  }
  linkOfPort.set(port, link);
  return link;
}

/** @param {any} second   argument of postMessage() @returns {any[]} */
function transferListOf(second) {
  if (Array.isArray(second)) return second;
  return Array.isArray(second?.transfer) ? second.transfer : [];
}

/** @param {any} second   argument of postMessage() @returns {string[]} names of the transferred ports that this thread created */
function portNamesIn(second) {
  return transferListOf(second).flatMap((part) => nameOfPort.get(part) ?? []);
}

/** @param {string[]} names   names of ports @param {Peer} to */
function addTransfers(names, to) {
  for (const port of names) if (transfers.length < MOST_LINKS) transfers.push({ port, to });
}

/** @param {any} port @param {RecordedLink | null} link @param {any} message @param {any} second   argument of postMessage() */
function measureBefore(port, link, message, second) {
  if (link === null) {
    if (message?.type === 'loadScript') portsInWorkerData.set(port, portNamesIn(second));
    return undefined;
  }
  if (transferListOf(second).length === 0) return undefined;
  // Transferred buffers are empty afterwards.
  return { measured: link.measureSome(message), byteLength: message?.byteLength };
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
        /** @type {Parameters<RecordedLink['onSent']>[3]} */
        let before;
        try {
          link = linkFor(this, message);
          if (second !== undefined) before = measureBefore(this, link, message, second);
        } catch (error) {
          keepError(error);
        }
        if (link === null) return apply(postMessage, this, args);
        const ms = now();
        const result = apply(postMessage, this, args);
        const endMs = link.isTimed() ? now() : 0;
        try {
          link.onSent(message, ms, endMs, before);
          if (second !== undefined) addTransfers(portNamesIn(second), link.facts.peer);
        } catch (error) {
          keepError(error);
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
          try {
            if (args[1] === 'message') linkFor(this, args[0])?.onReceived(args[0]);
          } catch (error) {
            keepError(error);
          }
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
          guard(() => linkFor(args[0], received.message)?.onReceived(received.message));
        return received;
      },
  );
  if (parentPort !== null) linkOfPort.set(parentPort, addLink('postMessage', 'v8', { parentThread: true }));
  replaceClass('MessageChannel', MessageChannel, (channel) => {
    const number = `${process.pid}-${threadId}-${channelsMade}`;
    channelsMade += 1;
    nameOfPort.set(channel.port1, `${number}-1`);
    nameOfPort.set(channel.port2, `${number}-2`);
  });
  replaceClass('BroadcastChannel', BroadcastChannel, (channel) => {
    for (const [, port] of portsOf(channel)) linkOfPort.set(port, null);
  });
  syncBuiltinESMExports();
}

/** @param {'MessageChannel' | 'BroadcastChannel'} name @param {any} original @param {(made: any) => void} onMade */
function replaceClass(name, original, onMade) {
  const wrapped = new Proxy(original, {
    construct(target, args, newTarget) {
      const made = construct(target, args, newTarget);
      guard(() => onMade(made));
      return made;
    },
  });
  threads[name] = wrapped;
  globalThis[name] = wrapped;
}

/** @param {any} object @returns {[symbol, import('node:worker_threads').MessagePort][]} its internal ports */
function portsOf(object) {
  return Object.getOwnPropertySymbols(object).flatMap((symbol) =>
    object[symbol] instanceof MessagePort ? [[symbol, object[symbol]]] : [],
  );
}

/** @param {any} worker */
function onWorker(worker) {
  const link = addLink('postMessage', 'v8', { thread: worker.threadId });
  if (startedThreads.length < MOST_STARTED) startedThreads.push(worker.threadId);
  for (const thread of liveThreads) if (thread.threadId === -1) liveThreads.delete(thread);
  liveThreads.add(worker);
  for (const [symbol, port] of portsOf(worker)) {
    addTransfers(portsInWorkerData.get(port) ?? [], { thread: worker.threadId });
    linkOfPort.set(port, symbol.description === 'kPublicPort' ? link : null);
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
        guard(() => writeThreads([this]));
        return apply(terminate, this, args);
      },
  );
}

// A thread writes its part itself, also on request before another thread terminates it.

/** @type {import('node:worker_threads').BroadcastChannel | null} */
let flushing = null;

function listenToThreads() {
  flushing = new BroadcastChannel(FLUSH);
  for (const [, port] of portsOf(flushing)) linkOfPort.set(port, null);
  flushing.unref();
  if (isMainThread) return;
  flushing.onmessage = (/** @type {any} */ { data }) =>
    guard(() => {
      if (!data.threads.includes(threadId)) return;
      writePart(true);
      Atomics.add(data.done, 0, 1);
      Atomics.notify(data.done, 0);
    });
}

/** @param {Iterable<import('node:worker_threads').Worker>} workers */
function writeThreads(workers) {
  const live = [...workers].map((worker) => worker.threadId).filter((id) => id !== -1);
  if (live.length === 0 || flushing === null) return;
  const done = new Int32Array(new SharedArrayBuffer(4));
  flushing.postMessage({ type: FLUSH, threads: live, done });
  const untilMs = now() + WAIT_FOR_THREADS_MS;
  for (let left = WAIT_FOR_THREADS_MS; left > 0; left = untilMs - now()) {
    const written = Atomics.load(done, 0);
    if (written >= live.length) return;
    Atomics.wait(done, 0, written, left);
  }
}

function readLabel() {
  if (isMainThread) return labelAtStart;
  // Node.js inserts the script of a thread before its arguments after it has loaded the recorder, and that of a data: URL never.
  return scriptLabel([], process.argv.length > wordsAtStart ? process.argv[1] : undefined);
}

/** @param {boolean} isWhole */
function writePart(isWhole) {
  /** @type {Part} */
  const part = {
    pid: process.pid,
    parentPid: ppid,
    thread: threadId,
    label: readLabel(),
    isChild: isMainThread && typeof process.send === 'function',
    isWhole,
    startedMs,
    writtenMs: now(),
    processes,
    threads: startedThreads,
    transfers,
    links: links.filter(({ count, received }) => count + received > 0).map((link) => link.save()),
    errors: [...errors].map(([text, count]) => (count === 1 ? text : `${text}, ${count} times`)),
  };
  const temporary = `${path}.tmp`;
  writeFileSync(temporary, JSON.stringify(part), { mode: 0o600 });
  renameSync(temporary, path);
}

function writeAll() {
  writeThreads(liveThreads);
  writePart(true);
}

/** @param {number} ms */
function writeLater(ms) {
  schedule(() => {
    guard(() => {
      writePart(false);
      budget.setShare(MEASURE_SHARE / countParts());
      writeLater(Math.min(WRITE_EACH_MS, 2 * ms));
    });
  }, ms).unref();
}

guard(() => {
  writePart(false);
  // If a later version of Node.js lacks one of the wrapped functions, the others still work.
  for (const record of [recordChildren, recordProcess, recordThreads, listenToThreads]) guard(record);
  writeLater(FIRST_WRITE_MS);
});
