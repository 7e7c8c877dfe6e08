// What a launch whose workers are threads of its master spends, told apart so that all rows add up to its one process:
// the main thread, each worker's thread, and the helper threads of V8 and libuv, which serve all of them.

/** @import { ProcessCost } from '../types/index.js' */

/**
 * @param {ProcessCost} whole             of the process, named 'master'
 * @param {ProcessCost | null} main       of its main thread alone; null: the system does not tell threads apart
 * @param {(ProcessCost | null)[]} workers   of their threads
 * @returns {ProcessCost[]}
 */
export function threadCosts(whole, main, workers) {
  const threads = workers.filter((cost) => cost !== null);
  // To divide what the process took among its threads would be an invention.
  if (main === null || threads.length < workers.length) return [whole];
  const { peakRssBytes, grownRssBytes } = whole; // all of it is the process's, and it is counted once
  const parts = [main, ...threads].map((cost) => ({ ...cost, peakRssBytes: null, grownRssBytes: null }));
  return [
    { ...parts[0], peakRssBytes, grownRssBytes },
    ...parts.slice(1).map(ofMaster),
    ofMaster(restOf(whole, parts)),
  ];
}

/** @param {ProcessCost} cost @returns {ProcessCost} */
function ofMaster(cost) {
  return { ...cost, partOf: 'master' };
}

/** @param {ProcessCost} whole @param {ProcessCost[]} parts @returns {ProcessCost} */
function restOf(whole, parts) {
  const less = (/** @type {(cost: ProcessCost) => number | null | undefined} */ quantity) => {
    const counts = [whole, ...parts].map(quantity);
    if (counts.some((count) => count === null || count === undefined)) return null;
    const [all, ...others] = /** @type {number[]} */ (counts);
    // Windows of workers may open some ms later than the master's.
    return Math.max(0, all - others.reduce((sum, count) => sum + count, 0));
  };
  const totalUs = Number(less(({ userUs, systemUs }) => userUs + systemUs));
  // The division of a thread's time is known to 10 ms only.
  const userUs = Math.min(totalUs, Number(less((cost) => cost.userUs)));
  return {
    ...whole,
    name: 'helpers',
    role: 'helpers',
    userUs,
    systemUs: totalUs - userUs,
    share: Number(less(({ share }) => share)),
    voluntarySwitches: less((cost) => cost.voluntarySwitches),
    involuntarySwitches: less((cost) => cost.involuntarySwitches),
    peakRssBytes: null,
    grownRssBytes: null,
    readCalls: less((cost) => cost.readCalls),
    writeCalls: less((cost) => cost.writeCalls),
  };
}
