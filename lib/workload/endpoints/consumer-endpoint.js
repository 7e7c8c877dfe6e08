// The endpoint that receives streams, in any role: it verifies each message and counts the operations.

import { sum, sumBy } from '../../statistics/sum.js';
import { idAt, isMessageId, noteSighting, TIMED_EVERY } from '../messages/message-ids.js';
import { countWrongPayload, noMistakes, summedMistakes } from '../messages/mistakes.js';
import { effectiveCodec, keepBusy, untilQuiet, untilSettled } from './exchange.js';
import { ALL } from './stream-parts.js';

/** @import { Channel, Endpoint, EndpointReport, MessageCodec, TimestampSample } from '../../types/index.js' */
/** @import { StreamParts } from './stream-parts.js' */
/** @import { Meter } from '../../measure/meter.js' */

/** @implements {Endpoint} */
export class ConsumerEndpoint {
  /**
   * @param {MessageCodec} codec
   * @param {StreamParts} parts
   * @param {number} handleMs
   * @param {boolean} [receivesAll]   true to receive the stream to all workers instead of a separate stream over each channel
   */
  constructor(codec, parts, handleMs, receivesAll = false) {
    this.receivesAll = receivesAll;
    this.codec = codec;
    this.parts = parts;
    this.meter = parts.meter;
    this.handleMs = handleMs;
    /** @type {Map<string, Consumer>} by stream */
    this.sinks = new Map();
    /** @type {Map<string, number>} number of messages that the sender reports, by stream */
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
    const { meter, payloadsOf, timedEvery } = this.parts;
    const name = this.receivesAll ? ALL : workerId;
    const payloads = payloadsOf(name);
    this.sinks.set(name, new Consumer({ channel, codec, payloads, meter, handleMs, timedEvery }));
  }

  /** Ends when the window is over and no more messages arrive. Messages in flight are still received and verified. */
  async run() {
    await this.over;
    await untilQuiet(() => this.progress(), this.parts.replyMs);
  }

  progress() {
    return sumBy(this.sinks.values(), ({ taken }) => taken);
  }

  opened() {
    this.takenAtOpen = this.progress();
    for (const { sightings } of this.sinks.values()) sightings.length = 0;
  }

  closed() {
    this.end();
  }

  /** @param {readonly EndpointReport[]} reports */
  async settled(reports) {
    for (const { streams = {} } of reports) {
      for (const [id, sent] of Object.entries(streams)) this.sentBy.set(id, sent);
    }
    const isComplete = () => [...this.sinks].every(([id, { next }]) => next >= (this.sentBy.get(id) ?? 0));
    const { replyMs, mayLose } = this.parts;
    const progress = () => this.progress();
    const found = await untilSettled({ isComplete, progress, replyMs, mayLose, handleMs: this.handleMs });
    if (found === 'under way') this.sentBy.clear(); // the missing messages are not lost
  }

  /** @returns {EndpointReport} */
  report() {
    const { bins } = this.parts.meter;
    const mistakes = [...this.sinks].map(([id, sink]) => sink.mistakes(this.sentBy.get(id)));
    return {
      operations: sum(bins),
      bins,
      values: { atOpen: this.takenAtOpen },
      sightings: Object.fromEntries([...this.sinks].map(([id, { sightings }]) => [id, sightings])),
      mistakes: summedMistakes(mistakes),
    };
  }
}

// The receiving end of one stream. It expects messages in the order in which they were sent.

// The clock is read at every eighth message, and at each message that keeps the event loop busy.
const STAMP_EVERY = 8;
const MAX_MISSING = 100_000;

export class Consumer {
  /**
   * @param {object} parts
   * @param {Channel} parts.channel
   * @param {MessageCodec} parts.codec
   * @param {string[]} parts.payloads   in the order in which the sender uses them
   * @param {Meter} parts.meter
   * @param {number} parts.handleMs     time for which each message keeps the event loop busy
   * @param {number} [parts.timedEvery]   interval of timed messages; a power of two
   */
  constructor({ channel, codec, payloads, meter, handleMs, timedEvery = TIMED_EVERY }) {
    this.codec = effectiveCodec(channel, codec);
    this.payloads = payloads;
    this.meter = meter;
    this.handleMs = handleMs;
    this.timedMask = timedEvery - 1;
    /** Received messages, including late ones. */
    this.taken = 0;
    /** Index of the next expected message. */
    this.next = 0;
    this.nextId = idAt(0);
    this.nextPayload = 0;
    /** @type {Set<number>} indexes of skipped messages that have not arrived */
    this.missing = new Set();
    this.forgotten = 0;
    /** @type {TimestampSample[]} */
    this.sightings = [];
    this.integrity = noMistakes();
    channel.onMessage = (wire) => this.take(wire);
  }

  /** @param {any} wire */
  take(wire) {
    let message;
    try {
      message = this.codec.decode(wire);
    } catch {
      this.integrity.corrupt += 1;
      return;
    }
    const { meter } = this;
    if ((this.taken & (STAMP_EVERY - 1)) === 0) meter.isFresh = false;
    meter.stamp();
    if (message.id === this.nextId) {
      const payload = this.payloads[this.nextPayload];
      if (message.payload !== payload) this.countWrong(message.payload);
      if ((this.next & this.timedMask) === 0) noteSighting(this.sightings, this.next);
      this.advance();
    } else if (!this.takeUnexpected(message)) return;
    this.taken += 1;
    meter.tally();
    if (this.handleMs > 0) this.handle();
  }

  advance() {
    this.next += 1;
    this.nextId = idAt(this.next);
    this.nextPayload = this.nextPayload + 1 === this.payloads.length ? 0 : this.nextPayload + 1;
  }

  /** @param {{ id: number, payload: string }} message @returns {boolean} false if the id is corrupt or was received before */
  takeUnexpected({ id, payload }) {
    if (!isMessageId(id)) {
      this.integrity.corrupt += 1;
      return false;
    }
    const ahead = id - this.nextId;
    if (ahead > 0 && ahead < MAX_MISSING) {
      for (let count = 0; count < ahead; count += 1) {
        if (this.missing.size < MAX_MISSING) this.missing.add(this.next);
        else this.forgotten += 1;
        this.advance();
      }
      if (payload !== this.payloads[this.nextPayload]) this.countWrong(payload);
      this.advance();
      return true;
    }
    const count = this.next + ahead;
    if (!this.missing.delete(count)) {
      // An id so far ahead must have been changed in transit.
      this.integrity[ahead < 0 ? 'duplicate' : 'corrupt'] += 1;
      return false;
    }
    this.integrity.outOfOrder += 1;
    if (payload !== this.payloads[count % this.payloads.length]) this.countWrong(payload);
    return true;
  }

  /** @param {string} payload */
  countWrong(payload) {
    countWrongPayload(this.integrity, this.payloads, payload);
  }

  /** Blocks the event loop as work for the message would, which slows the sender down. */
  handle() {
    keepBusy(this.handleMs);
    this.meter.isFresh = false;
  }

  /** @param {number} [sent]   number of messages that the sender reports; by default, no message after the newest one counts as lost */
  mistakes(sent = this.next) {
    const lost = this.missing.size + this.forgotten + Math.max(0, sent - this.next);
    return { ...this.integrity, lost };
  }
}
