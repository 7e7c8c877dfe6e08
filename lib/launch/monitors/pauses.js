// Measures the pauses of this process's event loop within slices by a timer, which each pause delays. A pause is this process's own if its
// code ran or slept meanwhile; otherwise the process was stopped, or waited for a CPU. If the process is stopped during a callback, the
// pause counts as a sleep of that callback: in both, the thread neither runs nor waits for a CPU.

import { performance } from 'node:perf_hooks';
import { ownWaitMs } from '../../machine/process-cost.js';
import { median } from '../../statistics/rank-tests.js';
import { sumBy } from '../../statistics/sum.js';

/** @import { Monitor } from '../../types/index.js' */

const EVERY_MS = 20;
const MIN_MS = 30; // shorter delays of a timer are usual
/** A pause is this process's own if its code ran or slept for at least this share of the pause. */
const EXPLAINING_SHARE = 0.8;

/**
 * @typedef {object} Pauses
 * @property {number} stallMs   the longest pause that is not this process's own
 * @property {number} blockedMs   the longest pause that is this process's own
 * @property {number} blockedInAllMs   total length of the pauses that are this process's own
 */

/** @implements {Monitor<Pauses>} */
export class PauseMonitor {
  constructor() {
    /** @type {Pauses[]} */
    this.slices = [];
    /** @type {NodeJS.Timeout | undefined} */
    this.timer = undefined;
    /** Delays of the timer in the current slice. @type {{ ms: number, isOwn: boolean }[]} */
    this.delays = [];
    this.latest = read();
  }

  begin() {
    this.delays = [];
    this.latest = read();
    this.timer = setInterval(() => this.tick(), EVERY_MS).unref();
  }

  tick() {
    const now = read();
    const ms = Math.max(0, now.atMs - this.latest.atMs - EVERY_MS);
    this.delays.push({ ms, isOwn: explainingMs(this.latest, now) >= EXPLAINING_SHARE * ms });
    this.latest = now;
  }

  end() {
    clearInterval(this.timer);
    this.tick(); // a pause may last until now
    // The median is the delay of the timer in an event loop that is always busy, for example with large messages.
    const usualMs = median(this.delays.map(({ ms }) => ms));
    const pauses = this.delays
      .filter(({ ms }) => ms > MIN_MS)
      .map(({ ms, isOwn }) => ({ isOwn, ms: Math.max(0, ms - usualMs) }));
    const own = pauses.filter(({ isOwn }) => isOwn);
    const others = pauses.filter(({ isOwn }) => !isOwn);
    this.slices.push({
      stallMs: Math.max(0, ...others.map(({ ms }) => ms)),
      blockedMs: Math.max(0, ...own.map(({ ms }) => ms)),
      blockedInAllMs: sumBy(own, ({ ms }) => ms),
    });
  }

  drop() {
    this.slices.pop();
  }

  report() {
    return {
      stallMs: Math.max(0, ...this.slices.map(({ stallMs }) => stallMs)),
      blockedMs: Math.max(0, ...this.slices.map(({ blockedMs }) => blockedMs)),
      blockedInAllMs: sumBy(this.slices, ({ blockedInAllMs }) => blockedInAllMs),
    };
  }
}

function read() {
  return {
    atMs: performance.now(),
    activeMs: performance.eventLoopUtilization().active,
    waitedMs: ownWaitMs(),
  };
}

/**
 * @param {ReturnType<typeof read>} from
 * @param {ReturnType<typeof read>} to
 * @returns {number} ms for which code ran or slept in the event loop and did not wait for a CPU; 0 if the wait for a CPU is unknown
 */
function explainingMs(from, to) {
  if (from.waitedMs === null || to.waitedMs === null) return 0;
  return to.activeMs - from.activeMs - (to.waitedMs - from.waitedMs);
}
