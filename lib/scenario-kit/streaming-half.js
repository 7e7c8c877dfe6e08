// The two halves of a stream: one end sends, the other takes, in whichever role. What was sent and what was taken is counted
// apart, each in its own process, and both ends note when they saw every n-th message.

import { Sender } from './sender.js';
import { Sink } from './sink.js';

/** @import { Codec } from '../types/messages.js' */
/** @import { Cell } from '../types/plans.js' */
/** @import { Half, HalfReport } from '../types/scenarios.js' */
/** @import { Channel } from '../types/transports.js' */
/** @import { Meter } from './meter.js' */
/**
 * What an end of a stream needs beside the cell and the codec.
 * @typedef {object} StreamParts
 * @property {Meter} meter
 * @property {Record<string, Channel>} channels      of the worker itself; of the master none before its workers come
 * @property {(workerId: string) => string[]} payloadsOf   that one of the two ends of its stream sends
 * @property {number} replyMs
 */

const LOOK_EVERY_MS = 10;
const SILENCE_MS = 1_000; // nothing more comes
const QUIET_MS = 50; // nothing is under way: on one host a message arrives within a few

/** @implements {Half} */
export class SendingHalf {
  /**
   * @param {Pick<Cell, 'loops'>} cell
   * @param {Pick<Codec, 'encode' | 'decode'>} codec
   * @param {StreamParts} parts
   */
  constructor({ loops }, codec, parts) {
    this.loops = loops;
    this.codec = codec;
    this.parts = parts;
    /** @type {Map<string, Sender>} by the worker at one of its ends */
    this.senders = new Map();
    this.sentAtOpen = 0;
    for (const [workerId, channel] of Object.entries(parts.channels)) this.serve(channel, workerId);
  }

  /** @param {Channel} channel @param {string} workerId */
  serve(channel, workerId) {
    const { codec, loops } = this;
    const { meter, payloadsOf } = this.parts;
    channel.onMessage = () => {};
    this.senders.set(workerId, new Sender({ channel, codec, payloads: payloadsOf(workerId), loops, meter }));
  }

  async run() {
    await Promise.all([...this.senders.values()].map((sender) => sender.run()));
  }

  progress() {
    return sumOf(this.senders.values(), ({ sent }) => sent);
  }

  opened() {
    this.sentAtOpen = this.progress();
  }

  /** @returns {HalfReport} */
  report() {
    const senders = [...this.senders];
    return {
      bins: this.parts.meter.bins,
      asked: this.progress(),
      values: { atOpen: this.sentAtOpen, waits: sumOf(this.senders.values(), ({ waits }) => waits) },
      sightings: Object.fromEntries(senders.map(([id, { sightings }]) => [id, sightings])),
      mistakes: {},
    };
  }
}

/** @implements {Half} */
export class TakingHalf {
  /**
   * @param {Pick<Codec, 'encode' | 'decode'>} codec
   * @param {StreamParts} parts
   * @param {number} handleMs
   */
  constructor(codec, parts, handleMs) {
    this.codec = codec;
    this.parts = parts;
    this.handleMs = handleMs;
    /** @type {Map<string, Sink>} by the worker at one of its ends */
    this.sinks = new Map();
    /** @type {Map<string, number>} by worker: what it said that it had sent */
    this.sentBy = new Map();
    this.takenAtOpen = 0;
    /** @type {() => void} */
    this.end = () => {};
    /** @type {Promise<void>} */
    this.over = new Promise((resolve) => {
      this.end = resolve;
    });
    for (const [workerId, channel] of Object.entries(parts.channels)) this.serve(channel, workerId);
  }

  /** @param {Channel} channel @param {string} workerId */
  serve(channel, workerId) {
    const { codec, handleMs } = this;
    const { meter, payloadsOf } = this.parts;
    this.sinks.set(workerId, new Sink({ channel, codec, payloads: payloadsOf(workerId), meter, handleMs }));
  }

  /** Ends when its time is over and nothing comes any more: what was under way is taken, and verified, as well. */
  async run() {
    await this.over;
    const lastMs = performance.now() + this.parts.replyMs;
    for (let seen = -1; seen !== this.progress() && performance.now() < lastMs; ) {
      seen = this.progress();
      await new Promise((resolve) => setTimeout(resolve, QUIET_MS));
    }
  }

  progress() {
    return sumOf(this.sinks.values(), ({ taken }) => taken);
  }

  opened() {
    this.takenAtOpen = this.progress();
  }

  closed() {
    this.end();
  }

  /** @param {readonly (HalfReport & { id: string })[]} reports   of the workers */
  async settled(reports) {
    for (const { id, asked = 0 } of reports) this.sentBy.set(id, asked);
    const isComplete = () => [...this.sinks].every(([id, { next }]) => next >= (this.sentBy.get(id) ?? 0));
    let [seen, sinceMs] = [-1, 0];
    const lastMs = performance.now() + this.parts.replyMs;
    while (!isComplete() && performance.now() < lastMs) {
      const taken = this.progress();
      if (taken !== seen) [seen, sinceMs] = [taken, performance.now()];
      if (performance.now() - sinceMs > SILENCE_MS) return;
      await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
    }
  }

  /** @returns {HalfReport} */
  report() {
    const { bins } = this.parts.meter;
    const mistakes = { lost: 0, duplicate: 0, swapped: 0, corrupt: 0, outOfOrder: 0 };
    for (const [id, sink] of this.sinks) {
      for (const [kind, count] of Object.entries(sink.mistakes(this.sentBy.get(id))))
        mistakes[/** @type {keyof typeof mistakes} */ (kind)] += count;
    }
    return {
      operations: bins.reduce((sum, bin) => sum + bin, 0),
      bins,
      values: { atOpen: this.takenAtOpen },
      sightings: Object.fromEntries([...this.sinks].map(([id, { sightings }]) => [id, sightings])),
      mistakes,
    };
  }
}

/**
 * @template T
 * @param {Iterable<T>} some
 * @param {(one: T) => number} countOf
 * @returns {number}
 */
function sumOf(some, countOf) {
  let sum = 0;
  for (const one of some) sum += countOf(one);
  return sum;
}
