// While loops ask, questions that wait too long are given up, so that their loops go on.

/** @import { Requester } from './requester.js' */

/** What is lost is noticed at most a tenth of its deadline late. */
export const SWEEPS_PER_DEADLINE = 10;

/**
 * @param {Requester[]} requesters
 * @param {number} replyMs    a question unanswered for longer is lost
 * @param {Promise<unknown>[]} loops   that ask
 */
export async function sweepUntilDone(requesters, replyMs, loops) {
  /** @type {NodeJS.Immediate | undefined} */
  let sweep;
  const sweeper = setInterval(() => {
    // After a pause of this process its timers come before the answers that have arrived meanwhile, which are not lost.
    sweep = setImmediate(() => {
      for (const requester of requesters) requester.sweep(replyMs);
    });
  }, replyMs / SWEEPS_PER_DEADLINE);
  try {
    await Promise.all(loops);
  } finally {
    clearInterval(sweeper);
    clearImmediate(sweep);
  }
}
