// The plan of open load: at which instants each worker means to send. Pure, from a seed; when it really sends is
// open-load.js's.

import { MS_PER_S } from '../../format/units.js';
import { seededRandom, seedFrom } from '../../statistics/random.js';

/**
 * Fixed intervals: the instants of all workers together are evenly spread, from a phase that the seed draws, so that
 * no two workers ever send at once. Poisson: each worker draws exponential intervals of its own; together they are a
 * Poisson process of the whole rate, since rates of independent ones add up.
 * Source: D. R. Cox, P. A. W. Lewis, "The Statistical Analysis of Series of Events", 1966, chapter 8 (superposition).
 * @param {object} plan
 * @param {number} plan.ratePerSecond     of all workers together
 * @param {number} plan.workers
 * @param {number} plan.worker            from 0
 * @param {'fixed' | 'poisson'} plan.arrivals
 * @param {number} plan.seed              the same for all workers
 * @returns {() => number} the next planned instant of the worker, ascending; ms since the start of load
 */
export function plannedInstants({ ratePerSecond, workers, worker, arrivals, seed }) {
  if (arrivals === 'poisson') {
    const random = seededRandom(seedFrom(seed, 'arrivals', worker));
    const meanMs = intervalMs(ratePerSecond, workers);
    let atMs = 0;
    return () => {
      atMs -= Math.log(1 - random()) * meanMs;
      return atMs;
    };
  }
  const phase = seededRandom(seedFrom(seed, 'phase'))();
  // Multiplied, never added up: after an hour the last instant is as exact as the first.
  let place = worker + phase;
  return () => {
    const atMs = (place * MS_PER_S) / ratePerSecond;
    place += workers;
    return atMs;
  };
}

/**
 * @param {number} ratePerSecond   of all senders together
 * @param {number} senders
 * @returns {number} mean time between two planned instants of one of them
 */
export function intervalMs(ratePerSecond, senders) {
  return (senders * MS_PER_S) / ratePerSecond;
}
