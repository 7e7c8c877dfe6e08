// The time of one cell of a sweep: what has gone, and what launches will take, as those before them did.

import { launchMs } from '../plan/timing.js';

/** @import { Cell, Options } from '../types/index.js' */
/** @typedef {(cell: Cell) => Promise<import('../types/launches.js').Launch>} Launcher */

export class SweepBudget {
  /**
   * Begins now.
   * @param {Options} options
   * @param {Launcher} launcher
   * @param {() => number} nowMs
   */
  constructor(options, launcher, nowMs) {
    this.options = options;
    this.launcher = launcher;
    this.nowMs = nowMs;
    this.maxTimeMs = options.open?.maxTimeMs ?? 0;
    this.beganMs = nowMs();
    this.launches = 0;
    this.excessMs = 0; // of these launches, beyond the estimate: the machine is slow, or others use it
  }

  elapsedMs() {
    return this.nowMs() - this.beganMs;
  }

  /** @type {Launcher} */
  async launch(cell) {
    const fromMs = this.nowMs();
    const launch = await this.launcher(cell);
    // The warm-up of closed loops takes as long as it takes, and what failed waited for a deadline, or for nothing.
    if (launch.status === 'measured' && cell.ratePerSecond !== undefined) {
      this.launches += 1;
      this.excessMs += this.nowMs() - fromMs - launchMs(cell, this.options);
    }
    return launch;
  }

  /** @param {Cell} cell @returns {number} of one launch */
  expectedMs(cell) {
    return launchMs(cell, this.options) + this.excessMs / Math.max(1, this.launches);
  }

  /** @param {Cell} cell @returns {number} of all launches at one rate that confirm it */
  fullMs(cell) {
    return this.options.launches * this.expectedMs(cell);
  }

  /**
   * @param {Cell} cell     without its rate
   * @param {import('../statistics/rate-search.js').SearchStep} step
   * @returns {number} since the beginning, until this step is decided and the highest rate that keeps the limit confirmed
   */
  neededMs(cell, { ratePerSecond, keptPerSecond, votes }) {
    const confirmed = { ...cell, ratePerSecond: keptPerSecond ?? ratePerSecond };
    return this.elapsedMs() + votes * this.expectedMs({ ...cell, ratePerSecond }) + this.fullMs(confirmed);
  }
}
