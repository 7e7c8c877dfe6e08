// One end of the line between a leader and a worker on another host, as openForkLine wants it: like an end of a fork channel.
// What the leader and the agent that started the worker tell each other goes over it as well.

import { EventEmitter } from 'node:events';
import { Heartbeat } from './heartbeat.js';

/** @import { Channel } from '../types/index.js' */

/**
 * Over the same line, but not of the worker: `started`, `pinned` and `ended` come from the agent.
 * @typedef {{ agent: 'beat' | 'kill' | 'ping' | 'pong' }
 *   | { agent: 'pin', helpers?: number[] }
 *   | { agent: 'started', pid: number | null }
 *   | { agent: 'ended', code: number | null, how: string, why?: string }} AgentMessage
 */

/** Of a context of the transport kit, for a line of control messages: whole reports go over it. */
export const LINE = Object.freeze({
  settings: Object.freeze({}),
  wireKind: /** @type {const} */ ('text'),
  maxMessageBytes: 2 ** 28,
});

/** @param {string} text @returns {any} null: whoever holds the token speaks another language */
function messageIn(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Emits 'message', 'agent' with what is not the worker's, and once 'disconnect' with whether it fell silent. */
export class LinePort extends EventEmitter {
  constructor() {
    super();
    this.connected = true;
    /** @type {Channel | null} null: the other end has not come yet */
    this.channel = null;
    /** @type {Heartbeat | null} */
    this.heartbeat = null;
  }

  /** @param {Channel} channel   just made */
  attach(channel) {
    this.channel = channel;
    const heartbeat = new Heartbeat(
      () => this.tell({ agent: 'beat' }),
      () => this.cut(true),
    );
    this.heartbeat = heartbeat;
    channel.onMessage = (/** @type {string} */ text) => {
      heartbeat.heard();
      const message = messageIn(text);
      if (message === null) this.cut(false);
      else if (message.agent === undefined) this.emit('message', message);
      else if (message.agent === 'ping') this.tell({ agent: 'pong' });
      else if (message.agent !== 'beat') this.emit('agent', message);
    };
    channel.onClose = () => this.cut(false);
  }

  /** @param {any} value @param {() => void} [callback] @returns {boolean} */
  send(value, callback) {
    if (this.connected) this.channel?.send(JSON.stringify(value));
    if (callback !== undefined) process.nextTick(callback);
    return true;
  }

  /** @param {AgentMessage} message */
  tell(message) {
    this.send(message);
  }

  /** @returns {Promise<number>} ms of a round trip to the other end; as long as it took where the line has ended instead */
  async roundTripMs() {
    const askedMs = performance.now();
    this.tell({ agent: 'ping' });
    await new Promise((resolve) => {
      if (!this.connected) return resolve(undefined); // nothing is told any more, its end included
      const heard = (/** @type {AgentMessage} */ { agent }) => agent === 'pong' && done();
      const done = () => {
        this.off('agent', heard).off('disconnect', done);
        resolve(undefined);
      };
      this.on('agent', heard).on('disconnect', done);
    });
    return performance.now() - askedMs;
  }

  /** @param {boolean} isSilent */
  cut(isSilent) {
    if (!this.connected) return;
    this.connected = false;
    this.heartbeat?.end();
    this.channel?.close();
    this.emit('disconnect', isSilent);
  }

  disconnect() {
    this.cut(false);
  }
}
