// Watches the warm-up of a launch in its controller: operations per bin, and whether each process has reached its WorkGoal. The rule that
// ends the warm-up is in statistics/warm-up.js.

import { assignedBrokers } from '../../cell/launch-roles.js';
import { Deferred } from '../../children/deferred.js';
import { sharedNowMs } from '../../machine/clock.js';
import { cpuMsUsed, cpuMsWaited } from '../../machine/process-cost.js';
import { BROKER_GOAL, WorkWatch } from '../../measure/work-watch.js';
import { warmUpStatus } from '../../statistics/warm-up.js';
import { readCosts } from './cost-readings.js';

/** @import { Timing, Warmup } from '../../types/index.js' */
/** @import { JoinedLaunch } from './cost-readings.js' */

// Number of priming runs, one in each of the first bins. With a run in every bin, the code that reads costs would become hot, and all
// processes would compile it at about the same time: after 1.5 s, often when the window opened.
const PRIMING_RUNS = 10;

/**
 * @param {JoinedLaunch} launch
 * @param {number} marginMs   ms by which the watch stops before the end of a fixed warm-up
 */
export async function watchLaunchWarmUp(launch, marginMs) {
  const { spec, group, endpoint } = launch;
  const work = watchWork(launch);
  const warmup = await watchWarmUp(
    {
      readOperations: () => endpoint.progress(),
      isWarm: () => work.every((watch) => watch.isWarm) && group.haveAllSent('warm'),
      trouble: group.trouble,
      onBin: (bins) => bins <= PRIMING_RUNS && primeJit(launch),
    },
    spec.timing,
    marginMs,
  ).finally(() => {
    for (const watch of work) watch.end();
  });
  return { warmup, work };
}

/**
 * Runs, during the warm-up, the code that opens a window: sends a command to all processes and reads costs. Otherwise V8 would deoptimise
 * the code that commands share with measured messages when the window opens, which took a fifth of the first 80 ms.
 * @param {JoinedLaunch} launch
 */
function primeJit(launch) {
  // The plan has all properties of the command that opens a slice: with `pipe`, the measured channel also carries the commands, and an
  // object of a new shape would deoptimise its code.
  const [fromMs, countsWholeOperations] = [sharedNowMs(), launch.group.countsWhole()];
  const plan = {
    fromMs,
    toMs: fromMs,
    binMs: 0,
    countsWholeOperations: countsWholeOperations,
    dropsLast: false,
  };
  launch.group.sendAll({ control: 'slice', ...plan, isPriming: true });
  readCosts(launch);
}

/** @param {JoinedLaunch} launch @returns work of the master, then of private brokers */
function watchWork({ spec, endpoint, master }) {
  const { timing } = spec;
  const operations = () => endpoint.progress();
  const { readCpuMs, readWaitMs } = master;
  const masterWork = new WorkWatch({ name: 'master', operations, readCpuMs, readWaitMs });
  masterWork.begin(timing.workGoal, timing.warmupBinMs);
  const brokers = assignedBrokers(spec).map(({ name, pid }) => {
    const readings = { readCpuMs: () => cpuMsUsed(pid), readWaitMs: () => cpuMsWaited(pid) };
    const watch = new WorkWatch({ name, operations, ...readings });
    watch.begin(BROKER_GOAL, timing.warmupBinMs);
    return watch;
  });
  return [masterWork, ...brokers];
}

class OperationBins {
  /** @param {() => number} readOperations   returns the number of operations so far @param {number} binMs */
  constructor(readOperations, binMs) {
    this.readOperations = readOperations;
    this.binMs = binMs;
    this.beganMs = performance.now();
    /** @type {number[]} */
    this.operations = [];
    this.counted = readOperations();
    this.binBeganMs = this.beganMs;
  }

  /** Ends a bin, and begins the next one. @returns {number} the time of this instant, in ms on this process's clock */
  close() {
    const nowMs = performance.now();
    const count = this.readOperations();
    // A timer of a busy process is late: the count is scaled to the length of one bin.
    this.operations.push(Math.round(((count - this.counted) * this.binMs) / (nowMs - this.binBeganMs)));
    this.counted = count;
    this.binBeganMs = nowMs;
    return nowMs;
  }
}

/**
 * @param {object} load
 * @param {() => number} load.readOperations   returns the number of operations so far
 * @param {() => boolean} load.isWarm   whether every process has reached its WorkGoal
 * @param {(bins: number) => void} [load.onBin]   called at the end of every bin with the number of bins so far
 * @param {Promise<any>} load.trouble   rejects when the launch fails, which ends the watch
 * @param {Timing} timing
 * @param {number} marginMs   ms by which the watch stops before the end of a fixed warm-up
 * @returns {Promise<Omit<Warmup, 'work'>>}
 */
export async function watchWarmUp({ readOperations, isWarm, trouble, onBin }, timing, marginMs) {
  const { warmupMs, warmupBinMs: binMs } = timing;
  const bins = new OperationBins(readOperations, binMs);
  const { beganMs, operations } = bins;
  let warmAtMs = Infinity;
  /** @type {Deferred<Omit<Warmup, 'work'>>} */
  const judged = new Deferred();
  const timer = setInterval(() => {
    const elapsedMs = bins.close() - beganMs;
    onBin?.(operations.length);
    if (warmAtMs === Infinity && isWarm()) warmAtMs = elapsedMs;
    const status = warmUpStatus(timing, { elapsedMs, warmAtMs, operations });
    if (status !== null) judged.resolve({ status, ms: elapsedMs, binMs, operations });
  }, binMs);
  try {
    if (warmupMs === null) return await Promise.race([judged.promise, trouble]);
    const over = new Promise((resolve) => {
      setTimeout(resolve, warmupMs - marginMs).unref(); // a failed launch must not wait for it
    });
    await Promise.race([over, trouble]);
    return { status: 'fixed', ms: warmupMs, binMs, operations };
  } finally {
    clearInterval(timer);
  }
}
