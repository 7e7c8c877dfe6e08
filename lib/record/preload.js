// Preloaded by `ipc-bench record` into the program, its Node child processes and its threads. It hears process.send() and the messages
// between threads, and must not be noticed: what it wraps returns, throws and calls back as before, it prints nothing, and an error of its
// own is kept for the report.

import childProcess from 'node:child_process';
import diagnostics from 'node:diagnostics_channel';
import { EventEmitter } from 'node:events';
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { basename, join } from 'node:path';
import threads from 'node:worker_threads';
import { now, Recorder, replace } from './recorder.js';

/** @import { HeardLink, Mechanism, Peer, SavedLink } from './heard-link.js' */
/** @typedef {{ pid: number, label: string, isNode: boolean, isHeard: boolean }} StartedProcess */
/** @typedef {{ thread: number }} StartedThread */
/** @typedef {{ port: string, to: Peer }} Transfer   port: of a MessageChannel, and which of its ends */
/**
 * What each process or thread writes.
 * @typedef {object} Part
 * @property {number} pid
 * @property {number} parentPid
 * @property {number} thread
 * @property {string} label
 * @property {boolean} isChild            of a process with a channel to it
 * @property {string} node
 * @property {string | null} notHeard     why nothing is heard here
 * @property {number} startedMs           of the clock that all processes share
 * @property {number} writtenMs
 * @property {number} cpuMs               of the whole process
 * @property {StartedProcess[]} processes
 * @property {StartedThread[]} threads
 * @property {Transfer[]} transfers
 * @property {SavedLink[]} links
 * @property {string[]} errors
 */

// The program may replace what it finds, later.
const { renameSync, writeFileSync, existsSync } = fs;
const { MessagePort, BroadcastChannel, MessageChannel, Worker, parentPort, threadId } = threads;
const { cpuUsage, kill, ppid } = process;
const schedule = setTimeout;
const { apply, construct } = Reflect;

const { searchParams } = new URL(import.meta.url);
const folder = String(searchParams.get('to'));

const LEAST_NODE = [20, 19];
const FIRST_WRITE_MS = 250;
const WRITE_EACH_MS = 4_000;
const WAIT_FOR_THREADS_MS = 100;
const MOST_LINKS = 1_000;
const MOST_STARTED = 1_000;
const SIGNALS = new Set(['SIGINT', 'SIGTERM', 'SIGHUP']);
const HYBRID_DISPATCH = Symbol.for('nodejs.internal.kHybridDispatch');
const FLUSH = 'ipc-bench record: write';
// Node's own words between threads, on ports that the program never sees.
const INTERNAL = new Set([
  ...[
    'loadScript',
    'upAndRunning',
    'errorMessage',
    'couldNotSerializeError',
    'stdioPayload',
    'stdioWantsMoreData',
  ],
  ...[
    'registerMainThreadPort',
    'unregisterMainThreadPort',
    'sendMessageToWorker',
    'receiveMessageFromWorker',
  ],
  FLUSH,
]);

const startedMs = now();
const recorder = new Recorder(searchParams);
const guard = (/** @type {() => void} */ work) => recorder.guard(work);
const keepError = (/** @type {unknown} */ error) => recorder.keepError(error);
/** @type {StartedProcess[]} */
const processes = [];
/** @type {StartedThread[]} */
const startedThreads = [];
/** @type {Set<import('node:worker_threads').Worker>} */
const liveThreads = new Set();
/** @type {Transfer[]} */
const transfers = [];

/** @param {Mechanism} mechanism @param {'json' | 'v8'} serialisation @param {Peer} peer @returns {HeardLink | null} null: there are too many */
function addLink(mechanism, serialisation, peer) {
  return recorder.addLink({ mechanism, serialisation, peer });
}

/** @param {any} message */
function isInternalToNode(message) {
  return (
    typeof message === 'object' &&
    message !== null &&
    typeof message.cmd === 'string' &&
    message.cmd.startsWith('NODE_')
  );
}

/** @param {HeardLink | null | undefined} link @param {any} message */
function hearMessage(link, message) {
  try {
    link?.receivedOne(message);
  } catch (error) {
    keepError(error);
  }
}

/** @param {any} target   that has send() @param {HeardLink | null} link */
function hearSend(target, link) {
  if (link === null) return;
  replace(
    target,
    'send',
    (send) =>
      function (...args) {
        const [message] = args;
        const ms = now();
        const result = apply(send, this, args);
        const endMs = link.isTimed() ? now() : 0;
        try {
          if (!isInternalToNode(message)) link.sent(message, ms, endMs);
        } catch (error) {
          keepError(error);
        }
        return result;
      },
  );
}

// Child processes: a channel is made as they are spawned, and send() is a property of each.

/** @type {WeakMap<object, HeardLink | null>} */
const linkOfChild = new WeakMap();

/** @param {any} child @param {any} options   of spawn(), as Node completed them */
function onSpawn(child, { file, args = [], envPairs = [], serialization }) {
  const isNode = /^node(js)?(\.exe)?$/i.test(basename(file)) || file === process.execPath;
  const script = args.slice(1).find((/** @type {string} */ arg) => !arg.startsWith('-'));
  const isHeard = envPairs.some(
    (/** @type {string} */ pair) => /^NODE_OPTIONS=/i.test(pair) && pair.includes(import.meta.url),
  );
  if (processes.length < MOST_STARTED && child.pid !== undefined)
    processes.push({ pid: child.pid, label: basename(script ?? file), isNode, isHeard });
  if (typeof child.send !== 'function' || child.pid === undefined) return;
  const isAdvanced = serialization === 'advanced';
  // The child is not told, and looks for this file.
  if (isAdvanced) writeFileSync(join(folder, `${child.pid}.advanced`), '', { mode: 0o600 });
  const link = addLink('process.send', isAdvanced ? 'v8' : 'json', { pid: child.pid });
  linkOfChild.set(child, link);
  hearSend(child, link);
}

function hearChildren() {
  const { ChildProcess } = childProcess;
  replace(
    ChildProcess.prototype,
    'spawn',
    (spawn) =>
      function (...args) {
        const result = apply(spawn, this, args);
        guard(() => onSpawn(this, args[0]));
        return result;
      },
  );
  hearEmit(ChildProcess.prototype, (target) => linkOfChild.get(target));
}

/** @param {any} target @param {(emitter: any) => HeardLink | null | undefined} findLink */
function hearEmit(target, findLink) {
  const emit = findEmit(target);
  replace(
    target,
    'emit',
    () =>
      function (...args) {
        if (args[0] === 'message') hearMessage(findLink(this), args[1]);
        return apply(emit(), this, args);
      },
  );
}

/** @param {any} target @returns {() => Function} its own emit(), or the one that all have by then: programs replace that */
function findEmit(target) {
  const { emit } = target;
  return Object.hasOwn(target, 'emit') ? () => emit : () => EventEmitter.prototype.emit;
}

// The channel to the parent process, the end of the process, and signals, all of which are events of `process`.

function hearProcess() {
  /** @type {HeardLink | null} */
  let link = null;
  if (threads.isMainThread && typeof process.send === 'function') {
    link = addLink('process.send', 'json', { parentProcess: true });
    hearSend(process, link);
  }
  // Whether the channel has the other serialisation is in a file of the parent, written as it started this process.
  const learn = () => {
    if (
      link !== null &&
      link.facts.serialisation === 'json' &&
      existsSync(join(folder, `${process.pid}.advanced`))
    )
      link.facts.serialisation = 'v8';
  };
  guard(learn);
  const emit = findEmit(process);
  replace(
    process,
    'emit',
    () =>
      function (...args) {
        const [name] = args;
        if (name === 'message') hearMessage(link, args[1]);
        else if (SIGNALS.has(name)) guard(() => writeAll());
        else if (name === 'newListener' && SIGNALS.has(args[1])) guard(() => leaveSignal(args[1], args[2]));
        const result = apply(emit(), this, args);
        if (name === 'exit') guard(() => writeAll());
        else if (name === 'removeListener' && SIGNALS.has(args[1])) guard(() => takeSignal(args[1]));
        return result;
      },
  );
  if (threads.isMainThread) for (const signal of SIGNALS) guard(() => takeSignal(signal));
}

// A signal for which the program has no listener ends it: what was heard is written before. A listener of the program takes the place of
// this one, since some count them.
/** @type {Set<string>} */
const leaving = new Set();

/** @param {string} signal */
function onSignal(signal) {
  // It was written by the emit() that led here.
  leaving.add(signal);
  process.removeListener(signal, onSignal);
  apply(kill, process, [process.pid, signal]);
}

/** @param {string} signal */
function takeSignal(signal) {
  if (!leaving.has(signal) && threads.isMainThread && process.listenerCount(signal) === 0)
    process.on(signal, onSignal);
}

/** @param {string} signal @param {unknown} listener */
function leaveSignal(signal, listener) {
  if (listener === onSignal || leaving.has(signal)) return;
  leaving.add(signal);
  process.removeListener(signal, onSignal);
  leaving.delete(signal);
}

// Threads: of each port it has to be known where its other end is.

/** @type {WeakMap<object, HeardLink | null>} null: not of the program */
const linkOfPort = new WeakMap();
/** @type {WeakMap<object, string>} of ports that a MessageChannel of this thread made: its number and which end */
const nameOfPort = new WeakMap();
/** @type {WeakMap<object, HeardLink | null>} */
const linkOfWorker = new WeakMap();
/** @type {WeakMap<object, string[]>} by the port over which Node.js starts a thread: the names of those that it gets in its workerData */
const portsInWorkerData = new WeakMap();
let isBroadcasting = false;
let unknownPorts = 0;
let channelsMade = 0;

/** @param {any} port @param {any} message @returns {HeardLink | null} */
function linkFor(port, message) {
  const known = linkOfPort.get(port);
  if (known !== undefined) return known;
  let link = null;
  const isInternal =
    isBroadcasting || (typeof message === 'object' && message !== null && INTERNAL.has(message.type));
  const name = nameOfPort.get(port);
  if (name !== undefined) link = addLink('MessagePort', 'v8', { port: name });
  else if (!isInternal) {
    link = addLink('MessagePort', 'v8', { unknownPort: unknownPorts });
    unknownPorts += 1;
  }
  linkOfPort.set(port, link);
  return link;
}

/** @param {any} port @returns {HeardLink | null} one that a MessageChannel of this thread made is known before it sends anything */
function linkOfMadePort(port) {
  return nameOfPort.has(port) ? linkFor(port, null) : null;
}

/** @param {any} second   argument of postMessage() @returns {any[]} */
function transferListOf(second) {
  if (Array.isArray(second)) return second;
  return Array.isArray(second?.transfer) ? second.transfer : [];
}

/** @param {any[]} list   of what is transferred @returns {string[]} of the ports in it that this thread made */
function portNamesIn(list) {
  return list.flatMap((part) => nameOfPort.get(part) ?? []);
}

/** @param {string[]} names   of ports @param {Peer} to */
function noteTransfers(names, to) {
  for (const port of names) if (transfers.length < MOST_LINKS) transfers.push({ port, to });
}

/** @param {HeardLink} link @param {any} message @param {any} second   argument of postMessage() */
function lookBefore(link, message, second) {
  if (transferListOf(second).length === 0) return undefined;
  // What is transferred cannot be looked at any more afterwards.
  return { look: link.lookAt(message), byteLength: message?.byteLength };
}

function hearPorts() {
  replace(
    MessagePort.prototype,
    'postMessage',
    (postMessage) =>
      function (...args) {
        const [message, second] = args;
        /** @type {HeardLink | null} */
        let link = null;
        let before;
        try {
          link = linkOfPort.get(this) ?? linkFor(this, message);
          if (second !== undefined) {
            if (link !== null) before = lookBefore(link, message, second);
            else if (message?.type === 'loadScript')
              portsInWorkerData.set(this, portNamesIn(transferListOf(second)));
          }
        } catch (error) {
          keepError(error);
        }
        if (link === null) return apply(postMessage, this, args);
        const ms = now();
        const result = apply(postMessage, this, args);
        const endMs = link.isTimed() ? now() : 0;
        try {
          link.sent(message, ms, endMs, before);
          if (before !== undefined) noteTransfers(portNamesIn(transferListOf(second)), link.facts.peer);
        } catch (error) {
          keepError(error);
        }
        return result;
      },
  );
  if (typeof (/** @type {any} */ (MessagePort.prototype)[HYBRID_DISPATCH]) === 'function') {
    replace(
      MessagePort.prototype,
      HYBRID_DISPATCH,
      (dispatch) =>
        function (...args) {
          if (args[1] === 'message') hearMessage(linkOfPort.get(this) ?? linkOfMadePort(this), args[0]);
          return apply(dispatch, this, args);
        },
    );
  }
  if (parentPort !== null) linkOfPort.set(parentPort, addLink('postMessage', 'v8', { parentThread: true }));
  const made = new Proxy(MessageChannel, {
    construct(target, args, newTarget) {
      const channel = construct(target, args, newTarget);
      guard(() => {
        const number = `${process.pid}-${threadId}-${channelsMade}`;
        channelsMade += 1;
        nameOfPort.set(channel.port1, `${number}-1`);
        nameOfPort.set(channel.port2, `${number}-2`);
      });
      return channel;
    },
  });
  threads.MessageChannel = made;
  globalThis.MessageChannel = /** @type {any} */ (made);
  syncBuiltinESMExports();
}

// A broadcast is sent by postMessage() of a port, too.
function leaveBroadcasts() {
  replace(
    BroadcastChannel.prototype,
    'postMessage',
    (postMessage) =>
      function (...args) {
        isBroadcasting = true;
        try {
          return apply(postMessage, this, args);
        } finally {
          isBroadcasting = false;
        }
      },
  );
}

/** @param {any} worker */
function onWorker(worker) {
  const link = addLink('postMessage', 'v8', { thread: worker.threadId });
  linkOfWorker.set(worker, link);
  if (startedThreads.length < MOST_STARTED) startedThreads.push({ thread: worker.threadId });
  for (const each of liveThreads) if (each.threadId === -1) liveThreads.delete(each);
  liveThreads.add(worker);
  for (const symbol of Object.getOwnPropertySymbols(worker)) {
    const port = worker[symbol];
    if (!(port instanceof MessagePort)) continue;
    noteTransfers(portsInWorkerData.get(port) ?? [], { thread: worker.threadId });
    linkOfPort.set(port, symbol.description === 'kPublicPort' ? link : null);
  }
}

function hearThreads() {
  hearPorts();
  leaveBroadcasts();
  diagnostics.subscribe('worker_threads', (message) =>
    guard(() => onWorker(/** @type {any} */ (message).worker)),
  );
  replace(
    Worker.prototype,
    'terminate',
    (terminate) =>
      function (...args) {
        guard(() => askThreads([this]));
        return apply(terminate, this, args);
      },
  );
}

// What a thread heard is written by itself, and before it is ended by another one.

/** @type {import('node:worker_threads').BroadcastChannel | null} */
let flushing = null;

function answerOthers() {
  flushing = new BroadcastChannel(FLUSH);
  flushing.unref();
  if (threads.isMainThread) return;
  flushing.onmessage = (/** @type {any} */ { data }) =>
    guard(() => {
      if (!data.threads.includes(threadId)) return;
      writePart();
      Atomics.add(data.done, 0, 1);
      Atomics.notify(data.done, 0);
    });
}

/** @param {Iterable<import('node:worker_threads').Worker>} workers */
function askThreads(workers) {
  const asked = [...workers].map((worker) => worker.threadId).filter((id) => id !== -1);
  if (asked.length === 0 || flushing === null) return;
  const done = new Int32Array(new SharedArrayBuffer(4));
  flushing.postMessage({ type: FLUSH, threads: asked, done });
  const untilMs = now() + WAIT_FOR_THREADS_MS;
  for (let left = WAIT_FOR_THREADS_MS; left > 0; left = untilMs - now()) {
    const written = Atomics.load(done, 0);
    if (written >= asked.length) return;
    Atomics.wait(done, 0, written, left);
  }
}

const path = join(folder, `${process.pid}-${threadId}-${Math.round(startedMs)}.json`);

/** @returns {string} the script, by its name alone */
function readLabel() {
  const script = process.argv[1];
  return script === undefined || script === '' ? 'node' : basename(script);
}

/** @param {string | null} [notHeard] */
function writePart(notHeard = null) {
  const { user, system } = apply(cpuUsage, process, []);
  /** @type {Part} */
  const part = {
    pid: process.pid,
    parentPid: ppid,
    thread: threadId,
    label: readLabel(),
    isChild: threads.isMainThread && typeof process.send === 'function',
    node: process.versions.node,
    notHeard,
    startedMs,
    writtenMs: now(),
    cpuMs: (user + system) / 1_000,
    processes,
    threads: startedThreads,
    transfers,
    links: recorder.links.filter(({ count, received }) => count + received > 0).map((link) => link.save()),
    errors: [...recorder.errors].map(([text, count]) => (count === 1 ? text : `${text}, ${count} times`)),
  };
  const temporary = `${path}.tmp`;
  writeFileSync(temporary, JSON.stringify(part), { mode: 0o600 });
  renameSync(temporary, path);
}

function writeAll() {
  askThreads(liveThreads);
  writePart();
}

/** @param {number} ms */
function writeAgain(ms) {
  schedule(() => {
    guard(writePart);
    writeAgain(Math.min(WRITE_EACH_MS, 2 * ms));
  }, ms).unref();
}

/** @returns {string | null} why this Node cannot be heard */
function findObstacle() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  const [leastMajor, leastMinor] = LEAST_NODE;
  return major > leastMajor || (major === leastMajor && minor >= leastMinor)
    ? null
    : `Node ${process.versions.node} is older than ${LEAST_NODE.join('.')}`;
}

guard(() => {
  const obstacle = findObstacle();
  writePart(obstacle);
  if (obstacle !== null) return;
  // What a later Node.js does not have any more is missing alone.
  for (const hear of [hearChildren, hearProcess, hearThreads, answerOthers]) guard(hear);
  writeAgain(FIRST_WRITE_MS);
});
