// What V8 is told before a load begins, in every master and worker.

import { optimiseAfterFewerCalls } from '../../children/tier-up.js';
import { fillYoungGeneration } from '../worker/prefault-new-space.js';

/** @import { Assignment } from '../assignment.js' */

/**
 * A launch that finds out itself when it is warm would need the garbage of some ten thousand operations, which get cheaper on
 * the way. See docs/warm-up.md.
 * @param {Pick<Assignment, 'tierUp' | 'timing'>} assignment
 */
export function prepareEngine({ tierUp, timing }) {
  optimiseAfterFewerCalls(tierUp);
  if (timing.warmupMs === null) fillYoungGeneration();
}
