// One end of the control channel between a controller and a worker on another host, as openForkControlChannel expects it: like an end of
// a fork channel. Messages between the controller and the agent that started the worker use it as well.

import { EventEmitter } from 'node:events';

/**
 * Not of the worker: `started` and `ended` come from the agent, the others go to it.
 * @typedef {{ agent: 'kill' }
 *   | { agent: 'pin', helpers?: number[] }
 *   | { agent: 'started', pid: number | null }
 *   | { agent: 'ended', code: number | null, how: string, why?: string }} AgentMessage
 */

/** Emits 'message', 'agent' with an AgentMessage, and once 'disconnect'. */
export class RemoteControlChannel extends EventEmitter {
  /** @param {(message: any) => void} carry   to the other end */
  constructor(carry) {
    super();
    this.connected = true;
    this.carry = carry;
  }

  /** @param {any} message   from the other end */
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
