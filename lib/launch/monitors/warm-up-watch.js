// Watches the load of a launch from the master until it is warm: every process has worked enough, and the answers per bin
// show neither step nor trend.

import { cpuMsUsed, cpuMsWaited } from '../../machine/cpu-time.js';
import { isSteady } from '../../statistics/warm-up.js';
import { assignedBrokers } from '../assignment.js';
import { BROKER_GOAL, WorkWatch } from './work-watch.js';

/** @import { Timing, Warmup } from '../../types/index.js' */

/**
 * @param {object} load
 * @param {() => number} load.answered       how many answers the master has given so far
 * @param {() => boolean} load.isWarm        every process of the launch has worked enough
 * @param {(bins: number) => void} [load.onBin]   at the end of every bin: of how many so far
 * @param {Promise<any>} load.trouble        rejects when the launch fails: the watch ends with it
 * @param {Timing} timing
 * @param {number} marginMs                  to stop before the end of a fixed warm-up
 * @returns {Promise<Omit<Warmup, 'work'>>} when it is over
 */
export async function watchWarmUp({ answered, isWarm, trouble, onBin }, timing, marginMs) {
  const { warmupMs, minWarmupMs, maxWarmupMs, steadyWithinMs, warmupBinMs: binMs } = timing;
  const beganMs = performance.now();
  /** @type {number[]} */
  const operations = [];
  /** @type {NodeJS.Timeout | undefined} */
  let timer;
  let warmAtMs = Infinity;
  /** @param {number} elapsedMs @returns {Warmup['status'] | null} null: it goes on */
  const judge = (elapsedMs) => {
    if (warmAtMs === Infinity && isWarm()) warmAtMs = elapsedMs;
    const isDue = elapsedMs >= minWarmupMs && warmAtMs <= elapsedMs;
    if (isDue && isSteady(operations)) return 'steady';
    // A machine that is never quiet shows a trend now and then, however long one waits.
    if (isDue && elapsedMs >= Math.max(minWarmupMs, warmAtMs) + steadyWithinMs) return 'not-steady';
    if (elapsedMs < maxWarmupMs) return null;
    return warmAtMs <= elapsedMs ? 'not-steady' : 'cold';
  };
  const judged = new Promise((resolve) => {
    let counted = answered();
    let lookedMs = beganMs;
    timer = setInterval(() => {
      const nowMs = performance.now();
      const count = answered();
      // A timer of a busy process comes late: what it finds is put on the footing of one bin.
      operations.push(Math.round(((count - counted) * binMs) / (nowMs - lookedMs)));
      counted = count;
      lookedMs = nowMs;
      onBin?.(operations.length);
      const elapsedMs = nowMs - beganMs;
      const status = judge(elapsedMs);
      if (status !== null) resolve({ status, ms: elapsedMs, binMs, operations });
    }, binMs);
  });
  try {
    if (warmupMs !== null) {
      const over = new Promise((resolve) => {
        const end = setTimeout(resolve, warmupMs - marginMs);
        end.unref(); // a launch that failed meanwhile must not wait for it
      });
      await Promise.race([over, trouble]);
      return { status: 'fixed', ms: warmupMs, binMs, operations };
    }
    return await Promise.race([judged, trouble]);
  } finally {
    clearInterval(timer);
  }
}

/**
 * @param {import('../assignment.js').Assignment} assignment
 * @param {import('../controller/master-process.js').MasterProcess} master
 * @param {() => number} answered
 * @returns {WorkWatch[]} of the master, and of brokers that are ours
 */
export function watchWork(assignment, { readCpuMs, readWaitMs }, answered) {
  const { timing } = assignment;
  const own = new WorkWatch({ name: 'master', operations: answered, readCpuMs, readWaitMs });
  own.begin(timing.workGoal, timing.warmupBinMs);
  const beside = assignedBrokers(assignment).map(({ name, pid }) => {
    const readings = { readCpuMs: () => cpuMsUsed(pid), readWaitMs: () => cpuMsWaited(pid) };
    const watch = new WorkWatch({ name, operations: answered, ...readings });
    watch.begin(BROKER_GOAL, timing.warmupBinMs);
    return watch;
  });
  return [own, ...beside];
}
