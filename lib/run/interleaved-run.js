// A whole run and what it needs: the lock of the machine, a private folder, brokers. The loop over the groups of launches is in
// run-groups.js.

import { isSweep } from '../cell/axes.js';
import { canPin } from '../children/launcher.js';
import { openScratch } from '../children/run-directory.js';
import { tierUpFlags } from '../children/tier-up.js';
import { refuseUnfitMachine } from '../doctor/checks.js';
import { BenchError } from '../errors.js';
import { readEnvironment } from '../machine/environment.js';
import { cpusToPlaceOn } from '../machine/placement.js';
import { measureWakeUp } from '../machine/wake-up.js';
import { publishedFigures } from '../options/presets.js';
import { savedOptions } from '../options/print-config.js';
import { runtimeVersions } from '../plugins/find-runtimes.js';
import { joinedWakeUp } from '../results/calibration-rows.js';
import { newResults, saveResults } from '../results/write.js';
import { BrokerPool } from './brokers/broker-pool.js';
import { CellRunner } from './cell-runner.js';
import { continuedResults } from './continued-run.js';
import { recordFairness } from './diagnostics/calibration.js';
import { assertCanDiagnose, runDiagnosticLaunches } from './diagnostics/diagnostic-launches.js';
import { preparedFloor } from './diagnostics/native-baseline.js';
import { acquireLock } from './lock.js';
import { sweptPlan } from './rate-sweep.js';
import { cellsToMeasure, runGroups } from './run-groups.js';

/** @import { LoadedPlugins } from '../plugins/plugins.js' */
/** @import { Controls, Environment, Options, Plan, Progress, Results, Variant } from '../types/index.js' */

/**
 * One side of a run: what is measured into one results file.
 * @typedef {object} Measured
 * @property {Options} options
 * @property {LoadedPlugins} plugins
 * @property {Plan} plan
 * @property {string | null} resultsPath    written after every group, or null if nothing is saved
 * @property {boolean} [isContinued]        resumes the interrupted run of the file, whose launches are kept
 * @property {Variant} [variant]   of a comparison of several sides
 */
/**
 * @typedef {object} Watch
 * @property {(progress: Progress) => void} onProgress   called between launches only
 * @property {AbortSignal} signal
 * @property {AbortSignal} [enough]         ends the run as soon as it has measured something
 * @property {(interim: import('./interim.js').Interim) => void} [onInterim]   called while nothing is measured
 * @property {(holder: import('../children/claims.js').Holder) => void} [onWaiting]   once, if another run is active
 * @property {Partial<import('../launch/launch-spec.js').Deadlines>} [deadlines]   override the defaults
 * @property {typeof import('./launch.js').runLaunch} [launch]   replaces it
 * @property {Across} [across]   of a run on several hosts
 */
/**
 * The hosts of a run on several of them.
 * @typedef {object} Across
 * @property {NonNullable<Results['hosts']>} hosts   the master's first
 * @property {number[] | null} cpus         of the master's host
 * @property {number} usableCpus            of all hosts
 * @property {(...args: Parameters<typeof import('./diagnostics/calibration.js').calibrate>) => Promise<Record<string, Controls>>} measureControls   on each
 *                                          host, by its name
 */

/**
 * @param {Measured & Watch} run
 * @returns {Promise<Results>}               status 'interrupted' after an abort
 * @throws {BenchError} LOCKED or UNFIT_MACHINE before anything is measured; INTERRUPTED while it waits for another run
 */
export async function runBenchmark(run) {
  const [results] = await runInterleaved([run], run);
  return results;
}

/**
 * Every group has the cells of all sides, in one shuffled order: what disturbs one side disturbs the others as well.
 * @param {Measured[]} sides                 launches, seed, stop and lock are the same in the options of all
 * @param {Watch} watch
 * @returns {Promise<Results[]>}             one per side
 * @throws {BenchError} as runBenchmark
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
    if (sides[0].options.strict) await refuseUnfitMachine();
    return await runLocked(sides, watch);
  } finally {
    await releaseLock();
  }
}

/** @param {Measured[]} sides @param {Watch} watch */
async function runLocked(sides, { signal: stop, ...rest }) {
  const { across } = rest;
  // When a run has measured enough, its current launches end as after an interruption.
  const leftOut = new AbortController();
  const signal = AbortSignal.any([stop, leftOut.signal]);
  const leaveOut = () => leftOut.abort(new Error('enough is measured'));
  const watch = { ...rest, signal, leaveOut };
  const cpus = across === undefined ? cpusToPlaceOn() : across.cpus;
  const all = await preparedResults(sides, cpus, across);
  const scratch = await openScratch();
  const brokers = new BrokerPool(scratch.path, { signal: watch.signal });
  try {
    const prepared = [];
    for (const [place, side] of sides.entries()) {
      const results = all[place];
      const { options, plugins, resultsPath } = side;
      const { cells, reference } = side.plan;
      const run = { options, plugins, ...watch, scratch, brokers, environment: results.environment, cpus };
      const runner = new CellRunner(run);
      const plan = isSweep(options.open) ? await sweptPlan({ ...run, plan: cells }, results, runner) : cells;
      await recordFairness(results, { ...run, plan });
      const floor = await preparedFloor(results.floor, { folder: scratch.path, cpus, signal: watch.signal });
      prepared.push({ options, plan, reference, resultsPath, results, runner, floor });
    }
    const isWhole = await runGroups(prepared, watch);
    if (!isWhole) for (const results of all) results.status = 'interrupted';
    else for (const side of prepared) await runDiagnosticLaunches(side);
  } catch (error) {
    if (!signal.aborted) throw error;
    for (const results of all) results.status = 'interrupted';
  } finally {
    await brokers.close();
    await scratch.remove();
  }
  for (const [place, { resultsPath }] of sides.entries()) {
    if (all[place].status === 'running') all[place].status = 'complete';
    await saveResults(resultsPath, all[place]);
  }
  return all;
}

/**
 * @param {Measured[]} sides
 * @param {number[] | null} cpus
 * @param {Across} [across]
 * @returns {Promise<Results[]>} of each side, before its first launch
 */
async function preparedResults(sides, cpus, across) {
  const [{ isContinued, resultsPath, options, plugins, plan }] = sides;
  const environment = describeEnvironment(options, plugins, across);
  // Read again now that this run has the lock: the run that it resumes may have been active until now.
  if (isContinued && resultsPath !== null) {
    const current = { options, plan: plan.cells, environment, hosts: across?.hosts };
    return [await continuedResults(resultsPath, current)];
  }
  const machine = { wakeUp: options.controls === false ? null : await probeWakeUp(cpus, across) };
  return sides.map(({ variant, options, plugins, plan: { reference } }) => {
    const environment = { ...describeEnvironment(options, plugins, across), brokers: {} };
    // Figures of an article are shown beside one run, not between two variants.
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

/** @param {number[] | null} cpus @param {Across} [across] */
function probeWakeUp(cpus, across) {
  if (across === undefined) return measureWakeUp(cpus);
  return joinedWakeUp(Object.values(across.hosts).map(({ wakeUp }) => wakeUp));
}

/**
 * @param {Options} options
 * @param {LoadedPlugins} plugins
 * @param {Across} [across]
 * @returns {Environment} of the measured processes; of several hosts the master's
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
