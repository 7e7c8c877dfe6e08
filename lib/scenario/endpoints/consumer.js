// One end of a stream that takes what comes, and knows what should come: the next number, with its payload.

import { countWrongPayload, noMistakes } from '../messages/integrity.js';
import { idAt, isMessageId, noteSighting, TIMED_EVERY } from '../messages/sequence.js';
import { effectiveCodec } from './effective-codec.js';
import { keepBusy } from './keep-busy.js';

/** @import { Channel, Codec } from '../../types/index.js' */
/** @import { Meter } from '../load/meter.js' */

// The clock is read at each message of so many, and at each that is handled.
const STAMP_EVERY = 8;
const MOST_MISSING = 100_000;

export class Consumer {
  /**
   * @param {object} parts
   * @param {Channel} parts.channel
   * @param {Pick<Codec, 'encode' | 'decode' | 'inPlace'>} parts.codec
   * @param {string[]} parts.payloads   of the sender, in its order
   * @param {Meter} parts.meter
   * @param {number} parts.handleMs     that handling a message keeps the event loop busy; 0: it is only counted
   * @param {number} [parts.timedEvery]   messages of which one is timed, a power of two
   */
  constructor({ channel, codec, payloads, meter, handleMs, timedEvery = TIMED_EVERY }) {
    this.codec = effectiveCodec(channel, codec);
    this.payloads = payloads;
    this.meter = meter;
    this.handleMs = handleMs;
    this.timedMask = timedEvery - 1;
    /** Messages that came, whichever they were. */
    this.taken = 0;
    /** Of the sender: the count of the message that should come next. */
    this.next = 0;
    this.nextId = idAt(0);
    this.nextPayload = 0;
    /** @type {Set<number>} counts that were skipped, and have not come yet */
    this.missing = new Set();
    this.forgotten = 0;
    /** @type {import('../../types/scenarios.js').TimestampSample[]} */
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

  /** @param {{ id: number, payload: string }} message @returns {boolean} it is one of the sender's that had not come */
  takeUnexpected({ id, payload }) {
    if (!isMessageId(id)) {
      this.integrity.corrupt += 1;
      return false;
    }
    const ahead = id - this.nextId;
    if (ahead > 0 && ahead < MOST_MISSING) {
      for (let count = 0; count < ahead; count += 1) {
        if (this.missing.size < MOST_MISSING) this.missing.add(this.next);
        else this.forgotten += 1;
        this.advance();
      }
      if (payload !== this.payloads[this.nextPayload]) this.countWrong(payload);
      this.advance();
      return true;
    }
    const count = this.next + ahead;
    if (!this.missing.delete(count)) {
      // A message so far ahead has never come before: its number was changed on the way.
      this.integrity[ahead < 0 ? 'duplicate' : 'corrupt'] += 1;
      return false;
    }
    this.integrity.outOfOrder += 1;
    if (payload !== this.payloads[count % this.payloads.length]) this.countWrong(payload);
    return true;
  }

  /** @param {string} payload   of a message that should have another */
  countWrong(payload) {
    countWrongPayload(this.integrity, this.payloads, payload);
  }

  /** Keeps the event loop busy, as work for the message would: who sends has to wait. */
  handle() {
    keepBusy(this.handleMs);
    this.meter.isFresh = false;
  }

  /** @param {number} [sent]   by the other end; left out: nobody knows @returns {Consumer['integrity']} */
  mistakes(sent = this.next) {
    const lost = this.missing.size + this.forgotten + Math.max(0, sent - this.next);
    return { ...this.integrity, lost };
  }
}
