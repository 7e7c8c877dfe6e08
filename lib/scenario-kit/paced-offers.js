// Jobs that are offered by the plan of an open load: a credit waits until a job is due, and a job that is due until there is a
// credit for it. What it waits counts as send lag, and as response time.

import { NO_JOB } from './jobs.js';
import { Offers } from './offers.js';
import { NO_TURN } from './open-load.js';

/** @import { OpenLoad } from './open-load.js' */

export class PacedOffers extends Offers {
  /** @param {ConstructorParameters<typeof Offers>[0] & { openLoad: OpenLoad }} parts */
  constructor({ openLoad, ...parts }) {
    super(parts);
    this.openLoad = openLoad;
    /** @type {Map<number, { plannedMs: number, sentMs: number }>} by the job's number */
    this.sends = new Map();
    /** Instants whose jobs wait until the channel takes them. @type {number[]} */
    this.held = [];
    openLoad.openElsewhere.push(() => [...this.sends.values()].map(({ plannedMs }) => plannedMs));
    openLoad.openElsewhere.push(() => this.held);
  }

  /** @param {number} atMs   when the credit was there @param {number} [done]   the number of the job that gave it back */
  offer(atMs, done) {
    const { openLoad } = this;
    if (done !== undefined) this.noteDone(done, atMs);
    const overdueMs = openLoad.takeOverdue();
    if (overdueMs !== null) this.offerPlanned(overdueMs, true);
    else openLoad.freeLoops.push((plannedMs) => this.offerPlanned(plannedMs, false));
  }

  /** @param {number} plannedMs   NO_TURN: the load is over @param {boolean} isLate   there was no credit for it, or no room, when it was due */
  offerPlanned(plannedMs, isLate) {
    if (plannedMs === NO_TURN) return;
    if (this.isBlocked) {
      this.held.push(plannedMs);
      return;
    }
    const id = this.jobs.next();
    if (id === NO_JOB) return;
    const sentMs = performance.now();
    this.openLoad.noteSent(sentMs, isLate);
    this.sends.set(id, { plannedMs, sentMs });
    this.send(id, sentMs);
  }

  /** @param {number} id @param {number} atMs */
  noteDone(id, atMs) {
    const sent = this.sends.get(id);
    this.sends.delete(id);
    if (sent !== undefined) this.openLoad.noteAnswered({ ...sent, answeredMs: atMs });
  }

  offerAll() {
    for (const plannedMs of this.held.splice(0)) this.offerPlanned(plannedMs, true);
    super.offerAll();
  }
}
