// The pauses of this process's event loop within a window, from a timer that is late after each of them. A pause is this process's own if
// its code ran or slept meanwhile; otherwise the process was stopped, or waited for a CPU.

import { performance } from 'node:perf_hooks';
import { ownWaitMs } from '../../machine/process-cost.js';
import { median } from '../../statistics/rank-tests.js';
import { sumBy } from '../../statistics/sum.js';

const EVERY_MS = 20;
const SHORTEST_MS = 30; // shorter delays of a timer are usual
/** Share of a pause in which the event loop was not polling, from which the code of this process explains it. */
const EXPLAINING_SHARE = 0.8;

/**
 * @typedef {object} Pauses
 * @property {number} stallMs   the longest pause that the code of this process does not explain
 * @property {number} blockedMs   the longest one that it does
 * @property {number} blockedInAllMs   total of these
 */

/** @type {Pauses} */
export const NO_PAUSES = Object.freeze({ stallMs: 0, blockedMs: 0, blockedInAllMs: 0 });

/** @param {Pauses} one @param {Pauses} other @returns {Pauses} */
export function joinPauses(one, other) {
  return {
    stallMs: Math.max(one.stallMs, other.stallMs),
    blockedMs: Math.max(one.blockedMs, other.blockedMs),
    blockedInAllMs: one.blockedInAllMs + other.blockedInAllMs,
  };
}

/** @returns {{ open: () => void, close: () => Pauses }} the excess of each pause over the median delay of the timer counts */
export function watchPauses() {
  /** @type {number[]} */
  let delays = [];
  /** @type {{ ms: number, isOwn: boolean }[]} */
  let pauses = [];
  let last = read();
  function tick() {
    const now = read();
    const ms = Math.max(0, now.atMs - last.atMs - EVERY_MS);
    delays.push(ms);
    if (ms > SHORTEST_MS) pauses.push({ ms, isOwn: explainingMs(last, now) >= EXPLAINING_SHARE * ms });
    last = now;
  }
  const timer = setInterval(tick, EVERY_MS).unref();
  return {
    open() {
      delays = [];
      pauses = [];
      last = read();
    },
    close() {
      clearInterval(timer);
      tick(); // a pause may last until now
      // The median is the delay of the timer in an event loop that is always busy, for example with large messages.
      const usualMs = median(delays);
      const long = pauses.map(({ ms, isOwn }) => ({ isOwn, ms: Math.max(0, ms - usualMs) }));
      const own = long.filter(({ isOwn }) => isOwn);
      const others = long.filter(({ isOwn }) => !isOwn);
      return {
        stallMs: Math.max(0, ...others.map(({ ms }) => ms)),
        blockedMs: Math.max(0, ...own.map(({ ms }) => ms)),
        blockedInAllMs: sumBy(own, ({ ms }) => ms),
      };
    },
  };
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
 * @returns {number} ms for which the event loop ran code and did not wait for a CPU; 0 if that wait is unknown
 */
function explainingMs(from, to) {
  if (from.waitedMs === null || to.waitedMs === null) return 0;
  return to.activeMs - from.activeMs - (to.waitedMs - from.waitedMs);
}
