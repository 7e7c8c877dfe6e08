// Checks the consistency of throughput and latency.

import { NS_PER_S } from '../format/units.js';

/**
 * In a closed system N = X · R: the number of loops is the rate times the mean time of an operation.
 * Source: J. D. C. Little, "A Proof for the Queuing Formula L = λW", Operations Research 9 (1961).
 * @param {{ loops: number, perSecond: number, meanNs: number }} measured loops of all workers together
 * @returns {number} |N − X·R| / N; above 0.02 one of the numbers is wrong
 */
export function littleLawResidual({ loops, perSecond, meanNs }) {
  return Math.abs(loops - (perSecond * meanNs) / NS_PER_S) / loops;
}
