// A whole run and what it needs around it: its turn on the machine, a private folder, brokers. The blocks of launches are
// in blocks.js.

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
import { cellsToMeasure, runBlocks } from './blocks.js';
import { BrokerPool } from './brokers/broker-pool.js';
import { CellRunner } from './cell-runner.js';
import { continuedResults } from './continued-run.js';
import { recordFairness } from './diagnostics/calibration.js';
import { assertCanDiagnose, runDiagnosticLaunches } from './diagnostics/diagnostic-launches.js';
import { preparedFloor } from './diagnostics/native-baseline.js';
import { acquireLock } from './lock.js';
import { sweptPlan } from './rate-sweep.js';

/** @import { LoadedPlugins } from '../plugins/plugins.js' */
/** @import { Controls, Environment, Options, Plan, Progress, Results, Variant } from '../types/index.js' */

/**
 * One side of a run: what is measured into one results file.
 * @typedef {object} Measured
 * @property {Options} options
 * @property {LoadedPlugins} plugins
 * @property {Plan} plan
 * @property {string | null} resultsPath    written after every launch; null: nothing is written
 * @property {boolean} [isContinued]        the file there is of the same run, interrupted: its launches are kept
 * @property {Variant} [variant]   absent: nothing is interleaved with it
 */
/**
 * @typedef {object} Watch
 * @property {(progress: Progress) => void} onProgress   called between launches only
 * @property {AbortSignal} signal
 * @property {AbortSignal} [enough]         given: the run ends as soon as it has measured something, with what is measured
 * @property {(interim: import('./interim.js').Interim) => void} [onInterim]   what is measured so far, told while nothing is measured
 * @property {(holder: import('../children/claims.js').Holder) => void} [onWaiting]   once, when another run measures already
 * @property {Partial<import('../launch/launch-spec.js').Deadlines>} [deadlines]   what differs from the defaults
 * @property {typeof import('./launch.js').runLaunch} [launch]   absent: with real processes
 * @property {Across} [across]   absent: all on this host
 */
/**
 * The hosts of a run whose launches are started elsewhere.
 * @typedef {object} Across
 * @property {NonNullable<Results['hosts']>} hosts   the master's first
 * @property {number[] | null} cpus         of the master's host
 * @property {number} usableCpus            of all hosts
 * @property {(...asked: Parameters<typeof import('./diagnostics/calibration.js').calibrate>) => Promise<Record<string, Controls>>} measureControls   on each
 *                                          host, by its name
 */

/**
 * @param {Measured & Watch} run
 * @returns {Promise<Results>}               status 'interrupted' when the signal was given
 * @throws {BenchError} LOCKED or UNFIT_MACHINE before anything is measured; INTERRUPTED while it waits for another run
 */
export async function runBenchmark(run) {
  const [results] = await runInterleaved([run], run);
  return results;
}

/**
 * Each block launches the cells of all sides, in one shuffled order: what disturbs one side disturbs the others as well.
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
  const endTurn = await acquireLock({ mode: sides[0].options.lock ?? 'wait', signal, onWaiting });
  try {
    if (sides[0].options.strict) await refuseUnfitMachine();
    return await runInTurn(sides, watch);
  } finally {
    await endTurn();
  }
}

/** @param {Measured[]} sides @param {Watch} watch */
async function runInTurn(sides, { signal: stop, ...rest }) {
  const { across } = rest;
  // The launches under way of a run that has measured enough end as at an interruption.
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
    const isWhole = await runBlocks(prepared, watch);
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
  // Read again now that it is this run's turn: the one that is continued may still have been going on.
  if (isContinued && resultsPath !== null) {
    const here = { options, plan: plan.cells, environment, hosts: across?.hosts };
    return [await continuedResults(resultsPath, here)];
  }
  const machine = { wakeUp: options.controls === false ? null : await probeWakeUp(cpus, across) };
  return sides.map(({ variant, options, plugins, plan: { reference } }) => {
    const own = { ...describeEnvironment(options, plugins, across), brokers: {} };
    // Figures of an article stand beside one run, not between two variants.
    const published = variant === undefined ? publishedFigures(options.preset) : null;
    const results = newResults({ options: savedOptions(options), environment: own, reference, published });
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
 * @returns {Environment} of the processes that are measured; of several hosts the master's
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
