// Jobs that were offered one way, to one worker or to all that take them, and are not acknowledged yet: as many at once as
// there are credits. The hot path of a master that offers.

import { NO_JOB, payloadIndex } from '../messages/jobs.js';
import { waitForRoom } from './wait-for-room.js';

/** @import { Channel, Codec } from '../../types/index.js' */
/** @import { Jobs } from '../messages/jobs.js' */

export class Credits {
  /**
   * @param {object} parts
   * @param {Pick<Channel, 'send' | 'drained'>} parts.channel
   * @param {Pick<Codec, 'encode'>} parts.codec
   * @param {string[]} parts.payloads
   * @param {Jobs} parts.jobs
   * @param {(error: Error) => void} parts.fail   nothing can be offered any more
   * @param {string} [parts.transport]   its name, for error messages
   */
  constructor({ channel, codec, payloads, jobs, fail, transport }) {
    this.fail = fail;
    this.transport = transport;
    this.channel = channel;
    this.codec = codec;
    this.payloads = payloads;
    this.jobs = jobs;
    /** @type {Map<number, number>} by the job's number, the oldest first: ms at which it was offered */
    this.open = new Map();
    /** Credits for which nothing was offered yet. */
    this.unused = 0;
    this.isBlocked = false;
  }

  /** @param {number} credits */
  begin(credits) {
    this.unused = credits;
    this.offerAll();
  }

  /** @param {number} atMs   when the credit was there @param {number} [_done]   the number of the job that gave it back */
  offer(atMs, _done) {
    if (this.isBlocked) {
      this.unused += 1;
      return;
    }
    const id = this.jobs.next();
    if (id === NO_JOB) {
      this.unused += 1;
      return;
    }
    this.send(id, atMs);
  }

  /** @param {number} id @param {number} atMs */
  send(id, atMs) {
    this.open.set(id, atMs);
    const payload = this.payloads[payloadIndex(id, this.payloads.length)];
    if (!this.channel.send(this.codec.encode({ id, payload }))) this.block();
  }

  /** Whatever there are credits and jobs for. */
  offerAll() {
    for (let credits = this.unused; credits > 0; credits -= 1) {
      this.unused -= 1;
      this.offer(performance.now());
    }
  }

  block() {
    this.isBlocked = true;
    const goOn = () => {
      this.isBlocked = false;
      this.offerAll();
    };
    waitForRoom(this.channel, this.transport).then(goOn).catch(this.fail);
  }

  /** @param {number} beforeMs @returns {number} jobs given up that were offered before: their credits are there again */
  giveUp(beforeMs) {
    let givenUp = 0;
    for (const [id, offeredMs] of this.open) {
      if (offeredMs > beforeMs) break;
      this.open.delete(id);
      givenUp += 1;
    }
    this.unused += givenUp;
    this.offerAll();
    return givenUp;
  }
}
