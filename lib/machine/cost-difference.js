// Two readings of what a process has spent → what it spent between them.

import { US_PER_MS } from '../format/units.js';

/** @import { ProcessCost } from '../types/index.js' */
/** @import { CostReading } from './process-cost.js' */

/**
 * @param {Pick<ProcessCost, 'name' | 'role'>} process
 * @param {CostReading} from
 * @param {CostReading} to
 * @param {number[] | null} cpus
 * @returns {ProcessCost}
 */
export function costBetween(process, from, to, cpus) {
  const userUs = Math.max(0, to.userUs - from.userUs);
  const systemUs = Math.max(0, to.systemUs - from.systemUs);
  return {
    ...process,
    userUs,
    systemUs,
    share: (userUs + systemUs) / ((to.atMs - from.atMs) * US_PER_MS),
    ...mainShareBetween(from, to),
    voluntarySwitches: difference(from.voluntarySwitches, to.voluntarySwitches),
    involuntarySwitches: difference(from.involuntarySwitches, to.involuntarySwitches),
    peakRssBytes: to.peakRssBytes,
    grownRssBytes: difference(from.rssBytes, to.rssBytes),
    readCalls: difference(from.readCalls, to.readCalls),
    writeCalls: difference(from.writeCalls, to.writeCalls),
    cpus,
  };
}

/** @param {number | null} from @param {number | null} to */
function difference(from, to) {
  return from === null || to === null ? null : to - from;
}

/** @param {CostReading} from @param {CostReading} to @returns {{ mainShare?: number }} */
function mainShareBetween(from, to) {
  if (typeof from.mainUs !== 'number' || typeof to.mainUs !== 'number') return {};
  return { mainShare: (to.mainUs - from.mainUs) / ((to.atMs - from.atMs) * US_PER_MS) };
}
