// One end of a stream that sends as fast as the channel takes it: in each turn of the event loop a message for each loop,
// and none while the channel asks to wait.

import { idOf, Sightings, TIMED_EVERY } from './sequence.js';

/** @import { Codec } from '../types/messages.js' */
/** @import { Channel } from '../types/transports.js' */
/** @import { Meter } from './meter.js' */

export class Sender {
  /**
   * @param {object} parts
   * @param {Channel} parts.channel
   * @param {Pick<Codec, 'encode'>} parts.codec
   * @param {string[]} parts.payloads
   * @param {number} parts.loops      messages of a turn
   * @param {Meter} parts.meter       is told of each message that is sent where `isCounted`
   * @param {boolean} parts.isCounted
   */
  constructor({ channel, codec, payloads, loops, meter, isCounted }) {
    this.channel = channel;
    this.codec = codec;
    this.payloads = payloads;
    this.loops = loops;
    this.meter = meter;
    this.isCounted = isCounted;
    this.sent = 0;
    this.sentAtOpen = 0;
    this.remaining = Infinity;
    this.nextPayload = 0;
    this.waits = 0;
    this.sightings = new Sightings();
  }

  /** @returns {Promise<void>} resolves when the load is over, or all messages are sent */
  run() {
    return new Promise((resolve, reject) => {
      const turn = () => {
        if (!this.sendTurn()) {
          this.waits += 1;
          this.channel.drained().then(turn, reject);
        } else if (this.goesOn()) setImmediate(turn);
        else resolve();
      };
      turn();
    });
  }

  goesOn() {
    return !this.meter.isOver && this.remaining > 0;
  }

  /** @returns {boolean} false: the channel asks to wait */
  sendTurn() {
    const { channel, codec, meter, payloads } = this;
    meter.isFresh = false;
    meter.stamp();
    for (let loop = 0; loop < this.loops && this.goesOn(); loop += 1) {
      const count = this.sent;
      if ((count & (TIMED_EVERY - 1)) === 0) this.sightings.note(count, performance.now());
      const payload = payloads[this.nextPayload];
      this.nextPayload = this.nextPayload + 1 === payloads.length ? 0 : this.nextPayload + 1;
      this.sent += 1;
      this.remaining -= 1;
      if (this.isCounted) meter.tally();
      if (!channel.send(codec.encode({ id: idOf(count), payload }))) return false;
    }
    return true;
  }
}
