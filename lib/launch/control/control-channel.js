// The control channel between a process and the process that started it. A fork channel carries the control messages and, with the
// transport `pipe`, also the measured messages. The control channels of threads and of workers on other hosts have the interface of a fork
// channel. NODE_DEBUG=ipc-bench prints the type of each control message.

import { EventEmitter } from 'node:events';
import { debuglog } from 'node:util';
import { isMainThread, parentPort, workerData } from 'node:worker_threads';
import { systemThreadId } from '../../children/windows-affinity.js';

/** @import { ForkLine } from '../../types/index.js' */
/** @import { MessagePort } from 'node:worker_threads' */
/**
 * The common interface of all ends of a control channel: `process` in a child, the ChildProcess in its parent, a ThreadControlChannel at
 * both ends of the channel to a thread, and a RemoteControlChannel at both ends of the channel to a worker on another host.
 * @typedef {object} ForkPort
 * @property {boolean} connected
 * @property {() => void} disconnect   delivers pending messages first
 * @property {(value: any, ...callback: any[]) => boolean} [send]
 * @property {ForkLine['transfer']} [transfer]
 * @property {(event: string, listener: (...details: any[]) => void) => unknown} on
 * @property {(event: string, listener: (...details: any[]) => void) => unknown} once
 */

const trace = debuglog('ipc-bench');
const CLOSED = ['EPIPE', 'ECONNRESET', 'ERR_IPC_CHANNEL_CLOSED']; // the other process has closed its end

/**
 * @param {ForkPort} port
 * @param {(message: any) => void} onControl   receives messages of protocol.js
 * @param {(reason: string) => void} [onBroken]   called if the channel closes or a message cannot be sent. If the other process has died,
 *   the event of its exit follows shortly and has a better reason
 * @returns {{ line: ForkLine, sendControl: (message: { control: string } & Record<string, any>) => Promise<void> }} `sendControl` resolves
 *   when the whole message is written to the system, or can no longer be sent
 */
export function openForkControlChannel(port, onControl, onBroken = () => {}) {
  // A ChildProcess whose fork failed has no send(). Its `error` event contains the reason.
  const send = (port.send ?? (() => false)).bind(port);
  /** @type {ForkLine} */
  const line = {
    send: (value, callback) => send(value, callback),
    onValue() {},
    onDisconnect() {},
    ...(port.transfer && { transfer: port.transfer.bind(port) }),
  };
  // One listener for control frames and payloads: with two, emit() would copy the array of listeners for each message of `pipe`.
  port.on('message', (message) => {
    if (message === null || typeof message !== 'object') return;
    if (message.control !== undefined) {
      trace('received %s', message.control);
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
        trace('sends %s', message.control);
        if (!port.connected) return resolve();
        send(message, (/** @type {NodeJS.ErrnoException | null} */ error) => {
          // If the other process has closed its end, 'disconnect' follows its last messages, which may still be unread.
          if (error && !CLOSED.includes(String(error.code))) onBroken(error.message);
          resolve();
        });
      }),
  };
}

/**
 * One end of the control channel between a master and a worker that is a thread of the master, with the interface of a fork channel. The
 * channel uses a separate MessagePort, since the master cannot close the port of `new Worker`.
 */
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
    // postMessage() has already queued the message.
    if (callback !== undefined) process.nextTick(callback, null);
    return true;
  }

  /** @param {object} value @param {readonly any[]} transfer */
  transfer(value, transfer) {
    this.port.postMessage(value, transfer);
  }

  disconnect() {
    this.connected = false;
    this.port.close();
  }
}

/**
 * Messages between the controller and the agent that starts a worker on another host. The agent sends `started` and `ended`, the controller
 * sends the others. pid: null if the start failed; code: null if the start failed or a signal ended the worker.
 * @typedef {{ agent: 'kill' }
 *   | { agent: 'pin', helpers?: number[] }
 *   | { agent: 'started', pid: number | null }
 *   | { agent: 'ended', code: number | null, how: string, why?: string }} AgentMessage
 */

/**
 * One end of the control channel between a controller and a worker on another host, with the interface of a fork channel. It emits
 * 'message' with a control message, 'agent' with an AgentMessage, and 'disconnect' once.
 */
export class RemoteControlChannel extends EventEmitter {
  /** @param {(message: any) => void} carry   delivers a message to the other end */
  constructor(carry) {
    super();
    this.connected = true;
    this.carry = carry;
  }

  /** Emits a message that has arrived from the other end. @param {any} message   a control message or an AgentMessage */
  receive(message) {
    if (this.connected) this.emit(message.agent === undefined ? 'message' : 'agent', message);
  }

  /** @param {any} message @param {() => void} [callback] */
  send(message, callback) {
    if (this.connected) this.carry(message);
    if (callback !== undefined) process.nextTick(callback);
    return true;
  }

  disconnect() {
    if (!this.connected) return;
    this.connected = false;
    this.emit('disconnect');
  }
}

/** Command-line argument of a worker process whose stdin and stdout carry the messages of the transport. */
export const STDIO_IS_TAKEN = 'stdio-is-taken';

/**
 * Opens the worker's end of the control channel, to be called before a plug-in is loaded. start-worker.js opens the other end.
 * @returns {ForkPort}
 */
export function openOwnControlChannel() {
  if (!isMainThread) {
    parentPort?.postMessage({ systemThreadId: systemThreadId() });
    return new ThreadControlChannel(workerData.line);
  }
  // The transport writes frames to stdout, and a console.log between two of them would corrupt its channel.
  if (process.argv.includes(STDIO_IS_TAKEN)) {
    Object.defineProperty(process, 'stdout', { get: () => process.stderr, configurable: true });
  }
  return process;
}
