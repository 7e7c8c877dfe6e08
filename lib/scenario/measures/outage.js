// What becomes of the jobs of workers that were killed: which of them others had to do, and when they had them all.

/** @import { Jobs } from '../messages/jobs.js' */
/** @import { Credits } from '../endpoints/credits.js' */

export class Outage {
  /** @param {number} killedMs */
  constructor(killedMs) {
    this.killedMs = killedMs;
    /** @type {number | null} null: some of those jobs are not done yet */
    this.recoveredMs = null;
    /** @type {Set<number>} jobs that were open when a worker was gone, and are not acknowledged yet */
    this.awaited = new Set();
    this.offeredAgain = 0;
    this.doneTwice = 0;
  }

  /**
   * @param {Credits} offers   those of a worker that is gone, or of all
   * @param {Jobs | null} jobs   that gets those of the worker, to be offered again; null: the broker that moves the jobs does that
   */
  begin(offers, jobs) {
    for (const id of offers.open.keys()) this.awaited.add(id);
    if (this.awaited.size > 0) this.recoveredMs = null; // another worker was gone before this one
    if (jobs === null) return;
    jobs.again.push(...offers.open.keys());
    this.offeredAgain += offers.open.size;
    offers.open.clear();
    offers.unused = 0;
  }

  /** @param {number} id   of a job that was acknowledged @param {number} nowMs */
  hear(id, nowMs) {
    if (this.awaited.delete(id) && this.awaited.size === 0) this.recoveredMs = nowMs - this.killedMs;
  }
}
