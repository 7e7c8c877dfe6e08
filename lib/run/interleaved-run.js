// Runs a benchmark with the resources that it needs: the lock of the machine, a private folder, brokers. run-groups.js contains the loop
// over groups of launches.

import { isSweep } from '../cell/axes.js';
import { canPin } from '../children/launcher.js';
import { openScratch } from '../children/run-directory.js';
import { tierUpFlags } from '../children/tier-up.js';
import { BenchError } from '../errors.js';
import { readEnvironment } from '../machine/environment.js';
import { pinnableCpus } from '../machine/placement.js';
import { measureWakeUp } from '../machine/wake-up.js';
import { publishedFigures } from '../options/presets.js';
import { savedOptions } from '../options/written-options.js';
import { plannedFloor } from '../plan/planned-baseline.js';
import { factsOfPlugins } from '../plan/plugin-facts.js';
import { runtimeVersions } from '../plugins/find-runtimes.js';
import { joinedWakeUp } from '../results/calibration-rows.js';
import { newResults, ResultsError, ResultsFile } from '../results/write.js';
import { BrokerPool } from './brokers/broker-pool.js';
import { CellRunner } from './cell-runner.js';
import { continuedResults } from './continued-run.js';
import { addCalibration } from './diagnostics/calibration.js';
import { assertCanDiagnose, runDiagnosticLaunches } from './diagnostics/diagnostic-launches.js';
import { prepareNativeBaseline } from './diagnostics/native-baseline.js';
import { acquireLock } from './lock.js';
import { sweptPlan } from './rate-sweep.js';
import { cellsToMeasure, RunEnd, runGroups } from './run-groups.js';

/** @import { LoadedPlugins } from '../plugins/plugins.js' */
/** @import { Controls, Environment, Options, Plan, Progress, Results, Variant } from '../types/index.js' */

/**
 * One side of a run, which is measured into one results file.
 * @typedef {object} MeasuredSide
 * @property {Options} options
 * @property {LoadedPlugins} plugins
 * @property {Plan} plan
 * @property {string | null} resultsPath    written after every group; null if results are not saved
 * @property {boolean} [isContinued]        resumes the interrupted run of the file, and keeps its launches
 * @property {Variant} [variant]   set if several sides are compared
 */
/**
 * @typedef {object} Watch
 * @property {(progress: Progress) => void} onProgress   called between measurements only
 * @property {AbortSignal} signal
 * @property {(interim: import('./interim.js').Interim) => void} [onInterim]   called between measurements
 * @property {(holder: import('../children/claims.js').Holder) => void} [onWaiting]   called once if the run has to wait for another run
 * @property {Partial<import('../launch/launch-spec.js').Deadlines>} [deadlines]   override the defaults
 * @property {typeof import('./launch.js').runLaunch} [launch]   replaces runLaunch()
 * @property {import('../results/write.js').Conclude} [conclude]   computes the findings of results, which are saved with the results
 * @property {RunHosts} [across]   set for a run on several hosts
 */
/**
 * The hosts of a run that uses several.
 * @typedef {object} RunHosts
 * @property {NonNullable<Results['hosts']>} hosts   The host of the master is first.
 * @property {number[] | null} cpus         CPUs of the master's host; null if processes cannot be pinned there
 * @property {number} usableCpus            number of usable CPUs of all hosts together
 * @property {(...args: Parameters<typeof import('./diagnostics/calibration.js').calibrate>) => Promise<Record<string, Controls>>} measureControls
 *                                          measures on each host; keys are the names of hosts
 */

/**
 * @param {MeasuredSide & Watch} run
 * @returns {Promise<Results>}               with the status 'interrupted' after an abort
 * @throws {BenchError} before a measurement, for example LOCKED; INTERRUPTED during the wait for another run;
 *   ResultsError at the end
 */
export async function runBenchmark(run) {
  const [results] = await runInterleaved([run], run);
  return results;
}

/**
 * Measures several sides. Each group contains the cells of all sides in one shuffled order, so that a disturbance affects all of them.
 * @param {MeasuredSide[]} sides                 have equal launches, seed, stop and lock in their options
 * @param {Watch} watch
 * @returns {Promise<Results[]>}             one for each side
 * @throws {BenchError} the same as runBenchmark(), and ResultsError
 */
export async function runInterleaved(sides, watch) {
  for (const { plan } of sides) {
    if (cellsToMeasure(plan.cells).length > 0) continue;
    const reasons = [...new Set(plan.cells.map(({ skip }) => skip))].join('; ');
    throw new BenchError('NOTHING_TO_RUN', `nothing to run, every cell is skipped: ${reasons}`);
  }
  assertCanDiagnose(
    sides[0].options,
    sides.flatMap(({ plan }) => cellsToMeasure(plan.cells)),
  );
  const { signal, onWaiting } = watch;
  const releaseLock = await acquireLock({ mode: sides[0].options.lock ?? 'wait', signal, onWaiting });
  try {
    return await runLocked(sides, watch);
  } finally {
    await releaseLock();
  }
}

/** @param {MeasuredSide[]} sides @param {Watch} watch */
async function runLocked(sides, { signal: stop, ...rest }) {
  const { across } = rest;
  const ending = new RunEnd(stop);
  const abandoned = new AbortController();
  const signal = AbortSignal.any([ending.signal, abandoned.signal]);
  const watch = { ...rest, signal, ending, abandon: () => abandoned.abort() };
  const cpus = across === undefined ? pinnableCpus() : across.cpus;
  const all = await preparedResults(sides, cpus, across);
  const files = sides.map(
    ({ resultsPath, isContinued }) =>
      new ResultsFile(resultsPath, { isBegun: isContinued, conclude: rest.conclude }),
  );
  const scratch = await openScratch();
  const brokers = new BrokerPool(scratch.path, { signal: watch.signal });
  /** @type {BenchError | null} */
  let fault = null;
  try {
    const prepared = [];
    for (const [index, side] of sides.entries()) {
      const results = all[index];
      const { options, plugins } = side;
      const file = files[index];
      const { cells, reference } = side.plan;
      const run = { options, plugins, ...watch, scratch, brokers, environment: results.environment, cpus };
      const runner = new CellRunner(run);
      const plan = isSweep(options.open) ? await sweptPlan({ ...run, plan: cells }, results, runner) : cells;
      const measured = cellsToMeasure(plan);
      const planned = plan.map(({ cell }) => cell);
      Object.assign(results, factsOfPlugins(plugins, planned, options.messageFile?.format === 'json'));
      if (options.floor) results.floor = plannedFloor(measured, plugins, results.floor);
      await addCalibration(results, { ...run, cells: measured });
      const floor = await prepareNativeBaseline(results.floor, {
        folder: scratch.path,
        cpus,
        signal: watch.signal,
      });
      prepared.push({ options, plan, reference, file, results, runner, floor });
    }
    const isComplete = await runGroups(prepared, watch);
    if (!isComplete) for (const results of all) results.status = 'interrupted';
    else for (const side of prepared) await runDiagnosticLaunches(side);
  } catch (error) {
    if (isScratchFault(error) && all.some(hasLaunches)) fault = error;
    else if (abandoned.signal.aborted || !signal.aborted) throw error;
    for (const results of all) results.status = 'interrupted';
  } finally {
    ending.release();
    await brokers.close();
    await scratch.remove();
  }
  for (const [index, file] of files.entries()) {
    if (all[index].status === 'running') all[index].status = 'complete';
    await file.save(all[index]);
  }
  if (fault !== null || files.some((file) => file.fault !== null)) throw new ResultsError(all, files, fault);
  return all;
}

/** @param {unknown} error @returns {error is BenchError} true if launches have no folder, as on a full disk */
function isScratchFault(error) {
  return error instanceof BenchError && error.code === 'SCRATCH_UNUSABLE';
}

/** @param {Results} results */
function hasLaunches({ outcomes }) {
  return outcomes.some(({ status }) => status === 'measured');
}

/**
 * @param {MeasuredSide[]} sides
 * @param {number[] | null} cpus   null if processes cannot be pinned
 * @param {RunHosts} [across]
 * @returns {Promise<Results[]>} one for each side; launches exist only in those of a resumed run
 */
async function preparedResults(sides, cpus, across) {
  const [{ isContinued, resultsPath, options, plugins, plan }] = sides;
  const environment = describeEnvironment(options, plugins, across);
  // The file is read again with the lock held, because the run that is resumed may have been active until now.
  if (isContinued && resultsPath !== null) {
    const current = { options, plan: plan.cells, environment, hosts: across?.hosts };
    return [await continuedResults(resultsPath, current)];
  }
  const machine = { wakeUp: options.controls === false ? null : await probeWakeUp(cpus, across) };
  return sides.map(({ variant, options, plugins, plan: { reference } }) => {
    const environment = { ...describeEnvironment(options, plugins, across), brokers: {} };
    // Published figures are shown beside a single run only.
    const published = variant === undefined ? publishedFigures(options.preset) : null;
    const results = newResults({ options: savedOptions(options), environment, reference, published });
    return {
      ...results,
      machine,
      ...(across && { hosts: structuredClone(across.hosts) }),
      ...(variant && { variant }),
    };
  });
}

/** @param {number[] | null} cpus @param {RunHosts} [across] */
function probeWakeUp(cpus, across) {
  if (across === undefined) return measureWakeUp(cpus);
  return joinedWakeUp(Object.values(across.hosts).map(({ wakeUp }) => wakeUp));
}

/**
 * @param {Options} options
 * @param {LoadedPlugins} plugins
 * @param {RunHosts} [across]
 * @returns {Environment} environment of the measured processes; with several hosts, the environment of the master
 */
function describeEnvironment({ tierUp }, { runtimes }, across) {
  const [master] = Object.values(across?.hosts ?? {});
  const environment = master?.environment ?? readEnvironment({ pinning: canPin() });
  const versions = runtimeVersions(runtimes?.choices ?? []);
  return {
    ...environment,
    nodeFlags: [...tierUpFlags(tierUp), ...environment.nodeFlags],
    ...(Object.keys(versions).length > 0 && { runtimes: versions }),
  };
}
