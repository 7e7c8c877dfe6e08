// One end of the line between a controller and a worker on another host, as openForkControlChannel wants it: like an end of a fork channel.
// What the controller and the agent that started the worker tell each other goes over it as well.

import { EventEmitter } from 'node:events';
import { BenchError } from '../../errors.js';

/** @import { Line } from './control-seal.js' */

/**
 * Over the same line, but not of the worker: `started`, `pinned` and `ended` come from the agent.
 * @typedef {{ agent: 'beat' | 'kill' | 'ping' | 'pong' }
 *   | { agent: 'pin', helpers?: number[] }
 *   | { agent: 'started', pid: number | null }
 *   | { agent: 'ended', code: number | null, how: string, why?: string }} AgentMessage
 */

/** Of a context of the transport kit, for a line of sealed control messages: whole reports go over it. */
export const LINE = Object.freeze({
  settings: Object.freeze({}),
  wireKind: /** @type {const} */ ('bytes'),
  maxMessageBytes: 2 ** 28,
});

const SILENT = 'it has not been heard for 3 s, its agent hangs or it is off the net';

/** @param {string} text @returns {any} null: the holder of the key sends something else */
function messageIn(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Emits 'message', 'agent' with what is not the worker's, and once 'disconnect' with why, where it was not just hung up. */
export class TcpControlChannel extends EventEmitter {
  constructor() {
    super();
    this.connected = true;
    /** @type {Line | null} null: the other end has not come yet */
    this.line = null;
    /** @type {Heartbeat | null} */
    this.heartbeat = null;
  }

  /** @param {Line} line   just sealed */
  attach(line) {
    this.line = line;
    const heartbeat = new Heartbeat(
      () => this.tell({ agent: 'beat' }),
      () => this.cut(SILENT),
    );
    this.heartbeat = heartbeat;
    line.onMessage = (/** @type {string} */ text) => {
      heartbeat.heard();
      const message = messageIn(text);
      if (message === null) this.cut();
      else if (message.agent === undefined) this.emit('message', message);
      else if (message.agent === 'ping') this.tell({ agent: 'pong' });
      else if (message.agent !== 'beat') this.emit('agent', message);
    };
    // A cause of the system's, as ECONNRESET, says less than who hung up.
    line.onClose = (reason) => this.cut(reason instanceof BenchError ? reason.message : null);
  }

  /** @param {any} value @param {() => void} [callback] */
  send(value, callback) {
    if (this.connected) this.line?.send(JSON.stringify(value));
    if (callback !== undefined) process.nextTick(callback);
    return true;
  }

  /** @param {AgentMessage} message */
  tell(message) {
    this.send(message);
  }

  /** @returns ms of a round trip to the other end; as long as it took where the line has ended instead */
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

  /** @param {string | null} [why]   null: the other end hung up, or this one does */
  cut(why = null) {
    if (!this.connected) return;
    this.connected = false;
    this.heartbeat?.end();
    this.line?.close();
    this.emit('disconnect', why);
  }

  disconnect() {
    this.cut();
  }
}

// Whether the other end of a line still lives: it says so once a second, and an end that is silent for three seconds is gone. A line that is
// cut says nothing, and a process that was stopped keeps its connections.
const BEAT_MS = 1_000;
const QUIET_MS = 3_000;
const LOOK_MS = 500;

export class Heartbeat {
  /**
   * @param {() => void} beat     tells the other end that this one lives, or asks whether it does
   * @param {() => void} onGone   each time that it has been quiet for so long, until `end`
   * @param {number} [beatMs]
   */
  constructor(beat, onGone, beatMs = BEAT_MS) {
    this.quietMs = 0;
    this.beats = setInterval(beat, beatMs);
    let lastMs = performance.now();
    this.looks = setInterval(() => {
      const nowMs = performance.now();
      // While this process itself stood still it heard nothing: that does not count.
      this.quietMs += Math.min(nowMs - lastMs, 2 * LOOK_MS);
      lastMs = nowMs;
      if (this.quietMs < QUIET_MS) return;
      this.quietMs = 0;
      onGone();
    }, LOOK_MS);
    this.beats.unref();
    this.looks.unref();
  }

  /** Whatever it was. */
  heard() {
    this.quietMs = 0;
  }

  end() {
    clearInterval(this.beats);
    clearInterval(this.looks);
  }
}
