// The control channel between a process and the one that started it. A fork channel has two users, this and the transport that measures
// it (`pipe`); a thread has a MessagePort that looks like one. NODE_DEBUG=ipc-bench shows what goes over it.

import { EventEmitter } from 'node:events';
import { debuglog } from 'node:util';
import { isMainThread, parentPort, workerData } from 'node:worker_threads';
import { systemThreadId } from '../../children/windows-affinity.js';

/** @import { ForkLine } from '../../types/index.js' */
/** @import { MessagePort } from 'node:worker_threads' */
/**
 * What the ends of a line have in common, whichever they are: `process` in a child, the ChildProcess in its parent, a
 * ThreadControlChannel on both sides of a thread.
 * @typedef {object} ForkPort
 * @property {boolean} connected
 * @property {() => void} disconnect                 what was handed to the system before arrives
 * @property {(value: any, ...callback: any[]) => boolean} [send]
 * @property {ForkLine['transfer']} [transfer]
 * @property {(event: string, listener: (...details: any[]) => void) => unknown} on
 * @property {(event: string, listener: (...details: any[]) => void) => unknown} once
 */

const trace = debuglog('ipc-bench');

/**
 * @param {ForkPort} port
 * @param {(message: any) => void} onControl   one of protocol.js that this end may hear
 * @param {(why: string) => void} [onBroken]   nothing more comes over it, or something could not be sent. Where the other process
 *   has just died, its exit explains that better: the receiver waits for it a moment. Absent: this end leaves then
 * @returns {{ line: ForkLine, sendControl: (message: { control: string } & Record<string, any>) => Promise<void> }} what
 *   `sendControl` gives resolves when the system has all of the message, or it cannot be sent any more
 */
export function openForkControlChannel(port, onControl, onBroken = () => {}) {
  // A process that could not be forked has no channel. Its `error` event says why.
  const send = (port.send ?? (() => false)).bind(port);
  /** @type {ForkLine} */
  const line = {
    send: (value, callback) => send(value, callback),
    onValue() {},
    onDisconnect() {},
    ...(port.transfer && { transfer: port.transfer.bind(port) }),
  };
  // One listener for both users: with a second one, emit() would copy the list for each message that `pipe` moves.
  port.on('message', (/** @type {any} */ message) => {
    if (message === null || typeof message !== 'object') return;
    if (message.control !== undefined) {
      trace('heard %s', message.control);
      onControl(message);
    } else line.onValue(message);
  });
  port.on('disconnect', () => {
    line.onDisconnect();
    onBroken('it was closed');
  });
  port.on('error', (/** @type {Error} */ { message }) => onBroken(message));
  return {
    line,
    sendControl: (message) =>
      new Promise((resolve) => {
        trace('says %s', message.control);
        if (!port.connected) return resolve();
        send(message, (/** @type {Error | null} */ error) => {
          if (error) onBroken(error.message);
          resolve();
        });
      }),
  };
}

// One end of the line between a master and a worker that is a thread of it, as openForkControlChannel wants it: like an end of a
// fork channel. It is a MessagePort of its own, since that of `new Worker` cannot be closed by the master.
export class ThreadControlChannel extends EventEmitter {
  /** @param {MessagePort} port */
  constructor(port) {
    super();
    this.port = port;
    this.connected = true;
    port.on('message', (value) => this.emit('message', value));
    port.on('close', () => {
      this.connected = false;
      this.emit('disconnect');
    });
  }

  /** @param {any} value @param {(error: Error | null) => void} [callback] */
  send(value, callback) {
    this.port.postMessage(value);
    // It is with the other thread already: nothing is left to wait for.
    if (callback !== undefined) process.nextTick(callback, null);
    return true;
  }

  /** @param {object} value @param {readonly any[]} transfer */
  transfer(value, transfer) {
    this.port.postMessage(value, transfer);
  }

  /** Messages that were sent before still arrive. */
  disconnect() {
    this.connected = false;
    this.port.close();
  }
}

// A worker's own end of the line to its master, however it was started: see start-worker.js. To be opened before
// anything of others is loaded.

/** Argument of a process whose stdin and stdout belong to the transport. */
export const STDIO_IS_TAKEN = 'stdio-is-taken';

/** @returns {ForkPort} */
export function openOwnControlChannel() {
  if (!isMainThread) {
    parentPort?.postMessage({ systemThreadId: systemThreadId() });
    return new ThreadControlChannel(workerData.line);
  }
  // A console.log between two frames would end the conversation.
  if (process.argv.includes(STDIO_IS_TAKEN)) {
    Object.defineProperty(process, 'stdout', { get: () => process.stderr, configurable: true });
  }
  return process;
}
