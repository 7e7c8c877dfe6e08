// Hooks of processes: messages to and from child processes and the parent process, starts of child processes, the exit, and signals.

import childProcess from 'node:child_process';
import { EventEmitter } from 'node:events';
import { isMainThread } from 'node:worker_threads';
import { isNode, programLabel } from './program-label.cjs';
import {
  addLink,
  guard,
  noteReceived,
  noteSent,
  now,
  parameters,
  readLabel,
  replace,
  settings,
  writer,
} from './recording.js';
import { findObstacle, hasPreload, SETTINGS, withoutPreload } from './recording-environment.js';

/** @import { RecordedLink, WrittenMessage } from './recorded-link.js' */

// Captured now, since the program may replace these functions later.
const { kill } = process;
const { apply } = Reflect;

const SIGNALS = new Set(['SIGINT', 'SIGTERM', 'SIGHUP']);
const FAILED = new Set(['ERR_IPC_CHANNEL_CLOSED', 'ERR_IPC_DISCONNECTED', 'EPIPE', 'ECONNRESET']);

/** @param {any} message */
function isInternalToNode(message) {
  return typeof message?.cmd === 'string' && message.cmd.startsWith('NODE_');
}

// What Node.js has written to the channel of a process during the latest send().
/** @type {WrittenMessage} */
const wire = { bytes: 0, text: '' };
let isWritten = false;

/** @param {any} target   process, or a child process */
function watchWrites(target) {
  const symbol = Object.getOwnPropertySymbols(target).find(
    ({ description }) => description === 'kChannelHandle',
  );
  const handle = symbol === undefined ? undefined : target[symbol];
  if (!handle) return;
  // Node.js writes a line of JSON, or a structured clone after its length in four bytes.
  /** @type {[string, (content: any) => number][]} */
  const methods = [
    ['writeUtf8String', (line) => Buffer.byteLength(line) - 1],
    ['writeBuffer', (bytes) => bytes.length - 4],
  ];
  for (const [name, sizeOf] of methods) {
    const write = handle[name];
    if (typeof write !== 'function') continue;
    /** @param {any} request @param {any} content @param {any} sent */
    handle[name] = function (request, content, sent) {
      wire.bytes = sizeOf(content);
      wire.text = typeof content === 'string' ? content : '';
      isWritten = true;
      return write.call(this, request, content, sent);
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
      // With fixed parameters, as in Node.js itself, a call takes half of the time.
      function (message, second, third, fourth) {
        let [handle, options, callback] = [second, third, fourth];
        if (typeof second === 'function') handle = watchFailure(link, second);
        else if (typeof third === 'function') options = watchFailure(link, third);
        else if (typeof fourth === 'function') callback = watchFailure(link, fourth);
        isWritten = false;
        const ms = now();
        const result = send.call(this, message, handle, options, callback);
        const endMs = now();
        // A message that follows one with a handle is written later, so what is written of it is not known here.
        if (!isInternalToNode(message)) noteSent(link, message, ms, endMs, isWritten ? wire : null);
        wire.text = '';
        return result;
      },
  );
}

/** @param {RecordedLink} link @param {Function} callback   callback of send() @returns {Function} */
function watchFailure(link, callback) {
  return /** @this {unknown} @param {any[]} results */ function (...results) {
    if (results[0]) guard(() => link.onFailed());
    return apply(callback, this, results);
  };
}

/** @param {RecordedLink | null | undefined} link @param {unknown} name   name of the event @param {any} value */
function onEmit(link, name, value) {
  if (!link) return;
  if (name === 'message') noteReceived(link, value);
  // Node.js emits the error only if send() had no callback.
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
 * @param {{ file: string, args?: string[], envPairs?: string[], serialization?: string }} options   options of
 *   ChildProcess.prototype.spawn(), which are changed
 * @returns {string | null} reason why the child is not recorded; null if it is
 */
function prepareChild({ file, args = [], envPairs = [], serialization }) {
  const at = envPairs.findIndex((pair) => /^NODE_OPTIONS=/i.test(pair));
  const nodeOptions = at === -1 ? '' : envPairs[at].slice('NODE_OPTIONS='.length);
  if (!hasPreload(nodeOptions)) return `${readLabel()} started it with NODE_OPTIONS of its own`;
  const why = findObstacle(isNode(file) ? args.slice(1) : [], nodeOptions);
  if (why !== null) envPairs[at] = `NODE_OPTIONS=${withoutPreload(nodeOptions)}`;
  const settingsAt = envPairs.findIndex((pair) => pair.startsWith(`${SETTINGS}=`));
  // A child cannot read the serialisation of its channel: Node.js deletes NODE_CHANNEL_SERIALIZATION_MODE before it loads preload.cjs.
  const pair = `${SETTINGS}=${settings}${serialization === 'advanced' ? '&advanced=1' : ''}`;
  envPairs.splice(settingsAt === -1 ? envPairs.length : settingsAt, 1, pair);
  return why;
}

/** @param {any} child @param {any} options @param {string | null} why   reason why the child is not recorded, or null */
function onSpawn(child, { file, args = [], serialization }, why) {
  const { pid } = child;
  if (pid === undefined) return;
  writer.write({ process: { pid, label: programLabel(file, args.slice(1)), isNode: isNode(file), why } });
  if (typeof child.send !== 'function') return;
  const link = addLink('process.send', serialization === 'advanced' ? 'v8' : 'json', { pid });
  linkOfChild.set(child, link);
  recordSend(child, link);
}

export function recordChildren() {
  const { ChildProcess } = childProcess;
  replace(
    ChildProcess.prototype,
    'spawn',
    (spawn) =>
      function (...args) {
        /** @type {string | null} */
        let why = null;
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
      function (name, value, handle) {
        onEmit(linkOfChild.get(this), name, value);
        // biome-ignore lint/complexity/noArguments: a rest parameter takes twice the time, and listeners see the number of arguments.
        const all = arguments;
        return all.length === 3 ? emit().call(this, name, value, handle) : apply(emit(), this, all);
      },
  );
}

// Events of `process`: messages of the parent process, the exit, and signals.

/**
 * @param {object} facts
 * @param {() => void} facts.end   writes the last facts at the exit
 * @param {() => void} facts.flush   writes the facts so far, before a signal ends the process
 */
export function recordProcess({ end, flush }) {
  flushFacts = flush;
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
      function (name, value, other) {
        onEmit(link, name, value);
        if (name === 'newListener' && SIGNALS.has(value)) guard(() => leaveSignal(value, other));
        // biome-ignore lint/complexity/noArguments: a rest parameter takes twice the time.
        const all = arguments;
        const result = all.length === 3 ? emit().call(this, name, value, other) : apply(emit(), this, all);
        if (name === 'exit') guard(end);
        else if (name === 'removeListener' && SIGNALS.has(value)) guard(() => takeSignal(value));
        return result;
      },
  );
  if (isMainThread) for (const signal of SIGNALS) guard(() => takeSignal(signal));
}

// A signal without a listener ends the program, so onSignal writes the facts first. onSignal is removed when the program adds a listener,
// since some programs count listeners.
/** @type {Set<string>} signals for which onSignal must not be added while it is removed */
const leaving = new Set();
let flushFacts = () => {};

/** @param {string} signal */
function onSignal(signal) {
  guard(flushFacts);
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
