// One end of a stream that sends as fast as the channel takes it: in each turn of the event loop a message for each loop,
// and none while the channel asks to wait.

import { idAt, noteSighting, TIMED_EVERY } from '../messages/sequence.js';
import { effectiveCodec } from './effective-codec.js';
import { waitForRoom } from './wait-for-room.js';

/** @import { Channel, Codec } from '../../types/index.js' */
/** @import { Meter } from '../load/meter.js' */

const LAST = 2;

export class Producer {
  /**
   * @param {object} parts
   * @param {Pick<Channel, 'send' | 'drained' | 'carry'>} parts.channel
   * @param {Pick<Codec, 'encode' | 'decode' | 'inPlace'>} parts.codec
   * @param {string[]} parts.payloads
   * @param {number} parts.loops      messages of a turn
   * @param {Meter} parts.meter
   * @param {number} [parts.timedEvery]   messages of which one is timed, a power of two
   * @param {string} [parts.transport]   its name, for error messages
   */
  constructor({ channel, codec, payloads, loops, meter, timedEvery = TIMED_EVERY, transport }) {
    this.transport = transport;
    this.channel = channel;
    this.codec = effectiveCodec(channel, codec);
    this.payloads = payloads;
    this.loops = loops;
    this.meter = meter;
    this.timedMask = timedEvery - 1;
    this.sent = 0;
    this.nextPayload = 0;
    this.waits = 0;
    this.isWaiting = false;
    this.finish = () => {};
    /** @type {import('../../types/scenarios.js').TimestampSample[]} */
    this.sightings = [];
  }

  /** @returns {Promise<void>} resolves when the load is over */
  run() {
    return new Promise((resolve, reject) => {
      this.finish = resolve;
      const turn = () => {
        if (this.meter.isOver && this.isWaiting) return; // finished in the meantime
        this.isWaiting = !this.sendTurn();
        if (this.isWaiting) {
          this.waits += 1;
          // A channel may have room again at once: without a turn between, nothing else would ever run here.
          this.room().then(() => setImmediate(turn), reject);
        } else if (this.meter.isOver) resolve(this.sendLast());
        else setImmediate(turn);
      };
      turn();
    });
  }

  /** @returns {Promise<void>} resolves when the channel takes more */
  room() {
    return waitForRoom(this.channel, this.transport);
  }

  /** The load is over. What the channel holds back is not waited for. */
  end() {
    if (this.isWaiting) this.finish();
  }

  /** Some more after the load: if the last one of it was lost, who takes them sees that one is missing. */
  sendLast() {
    for (let more = 0; more < LAST; more += 1) this.sendOne();
  }

  /** @returns {boolean} false: the channel asks to wait */
  sendTurn() {
    const { meter } = this;
    meter.isFresh = false;
    meter.stamp();
    for (let loop = 0; loop < this.loops && !meter.isOver; loop += 1) {
      if (!this.sendOne()) return false;
    }
    return true;
  }

  /** @param {number} count   of the message that is sent now */
  note(count) {
    noteSighting(this.sightings, count);
  }

  /** @returns {boolean} false: the channel asks to wait */
  sendOne() {
    const { payloads, sent: count } = this;
    if ((count & this.timedMask) === 0) this.note(count);
    const payload = payloads[this.nextPayload];
    this.nextPayload = this.nextPayload + 1 === payloads.length ? 0 : this.nextPayload + 1;
    this.sent = count + 1;
    this.meter.tally();
    return this.channel.send(this.codec.encode({ id: idAt(count), payload }));
  }
}
