// One end of a stream that sends by the plan of an open load: each message when it is due, or as soon as the channel takes it.

import { NS_PER_MS } from '../../format/units.js';
import { NO_SLOT } from '../load/open-load.js';
import { noteSighting } from '../messages/sequence.js';
import { Producer } from './producer.js';

/** @import { OpenLoad } from '../load/open-load.js' */

// Then the event loop has its turn: a plan that is too fast must not keep it from all else.
const MOST_IN_A_TURN = 1_000;

export class ScheduledProducer extends Producer {
  /** @param {ConstructorParameters<typeof Producer>[0] & { openLoad: OpenLoad }} parts */
  constructor({ openLoad, ...parts }) {
    super(parts);
    this.openLoad = openLoad;
    /** By which the message is late that is sent now. */
    this.lagMs = 0;
    this.hasRoomSinceMs = 0;
    this.untilTurn = MOST_IN_A_TURN;
    /** @type {(reason: unknown) => void} */
    this.fail = () => {};
    this.take = (/** @type {number} */ plannedMs) => this.sendPlanned(plannedMs);
  }

  /** @returns {Promise<void>} resolves when the load is over */
  run() {
    return new Promise((resolve, reject) => {
      this.finish = resolve;
      this.fail = reject;
      this.goOn();
    });
  }

  /** The channel takes messages: from now on those that are due, and first of all those that have become due meanwhile. */
  goOn() {
    const { openLoad } = this;
    if (openLoad.isOver) return; // finished in the meantime
    this.isWaiting = false;
    this.untilTurn = MOST_IN_A_TURN;
    openLoad.freeLoops.push(this.take);
    openLoad.serve(performance.now());
  }

  /** @param {number} plannedMs   NO_SLOT: the load is over */
  sendPlanned(plannedMs) {
    const { meter, openLoad } = this;
    meter.isFresh = false;
    const nowMs = plannedMs === NO_SLOT ? NO_SLOT : meter.stamp();
    if (nowMs === NO_SLOT || meter.isOver) {
      this.sendLast();
      this.finish();
      return;
    }
    this.lagMs = nowMs - plannedMs;
    if (openLoad.noteSent(nowMs, plannedMs < this.hasRoomSinceMs))
      openLoad.sendLags.record(Math.round(this.lagMs * NS_PER_MS));
    if (!this.sendOne()) this.waitForRoom();
    else if (this.untilTurn > 1) {
      this.untilTurn -= 1;
      openLoad.freeLoops.push(this.take);
    } else {
      this.isWaiting = true;
      setImmediate(() => this.goOn());
    }
  }

  waitForRoom() {
    this.waits += 1;
    this.isWaiting = true;
    const goOn = () => {
      this.hasRoomSinceMs = performance.now();
      this.goOn();
    };
    this.room().then(() => setImmediate(goOn), this.fail);
  }

  /** @param {number} count */
  note(count) {
    noteSighting(this.sightings, count, this.lagMs);
  }
}
