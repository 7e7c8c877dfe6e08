// Watches the load of a launch from the master until it is steady: counts answers per bin, and asks the statistics.

import { isSteady } from '../statistics/warm-up.js';

/** @typedef {import('../types.js').Warmup} Warmup */
/** @typedef {import('./assignment.js').Timing} Timing */

/**
 * @param {() => number} answered      how many answers the master has given so far
 * @param {Timing} timing
 * @param {number} marginMs            to stop before the end of a fixed warm-up
 * @param {Promise<any>} trouble       rejects when the launch fails: the watch ends with it
 * @returns {Promise<Warmup>} when it is over
 */
export async function watchWarmUp(answered, timing, marginMs, trouble) {
  const { warmupMs, minWarmupMs, maxWarmupMs, binMs } = timing;
  const beganMs = performance.now();
  /** @type {number[]} */
  const roundTrips = [];
  /** @type {NodeJS.Timeout | undefined} */
  let timer;
  const judged = new Promise((resolve) => {
    let counted = answered();
    let lookedMs = beganMs;
    timer = setInterval(() => {
      const nowMs = performance.now();
      const count = answered();
      // A timer of a busy process comes late: what it finds is put on the footing of one bin.
      roundTrips.push(Math.round(((count - counted) * binMs) / (nowMs - lookedMs)));
      counted = count;
      lookedMs = nowMs;
      const elapsedMs = nowMs - beganMs;
      const verdict = judge(elapsedMs);
      if (verdict !== null) resolve({ status: verdict, ms: elapsedMs, binMs, roundTrips });
    }, binMs);
  });
  /** @param {number} elapsedMs */
  const judge = (elapsedMs) => {
    if (elapsedMs >= minWarmupMs && isSteady(roundTrips)) return 'steady';
    return elapsedMs >= maxWarmupMs ? 'not-steady' : null;
  };
  try {
    if (warmupMs !== null) {
      const over = new Promise((resolve) => {
        const end = setTimeout(resolve, warmupMs - marginMs);
        end.unref(); // a launch that failed meanwhile must not wait for it
      });
      await Promise.race([over, trouble]);
      return { status: 'fixed', ms: warmupMs, binMs, roundTrips };
    }
    return await Promise.race([judged, trouble]);
  } finally {
    clearInterval(timer);
  }
}
