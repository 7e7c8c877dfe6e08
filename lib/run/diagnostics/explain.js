// Explains the round-trip time of a cell with two diagnostic launches, whose processes record CPU time and garbage collections. The first
// one also records event loops, and the second one CPU profiles. results/explanation.js interprets the records.

import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SERVICE_TIME } from '../../cell/headline.js';
import { CONTROLLER } from '../../cell/launch-roles.js';
import { resolveTraits } from '../../cell/traits.js';
import { removeFolder } from '../../children/run-directory.js';
import { PROFILE_ENDING, READINGS_ENDING } from '../../launch/monitors/instruments.js';
import { measureWakeLatency } from '../../machine/wake-up.js';
import { makeExplanation } from '../../results/explanation.js';
import { missingRateFailure } from '../../results/failed-outcome.js';
import { insideFacts } from '../../results/inside-facts.js';
import { latencyPercentiles } from '../../statistics/latency.js';

/** @import { Cell, InsideFacts, MeasuredLaunch, MeasuredOutcome, ProcessCost } from '../../types/index.js' */
/** @import { RunSide } from '../run-groups.js' */
/** @import { CellRunner } from '../cell-runner.js' */
/** @typedef {{ code: string, message: string } | null} Failure   null if the launch succeeded */
/** @typedef {{ folder: string, window: { fromMs: number, toMs: number }, launch: MeasuredLaunch }} Seen */

// Sampling slows all functions down, so durations come from a launch without it.
const LOOKS = /** @type {const} */ (['iterations', 'functions']);
const MIN_WINDOW_MS = 2_000; // This gives 4,000 samples per process, of which a part of 1 µs in 80 µs has about 50.

/** @param {Cell} cell @returns whether the number of open round trips is known, and the network is not emulated */
export function isExplainable({ scenario, ratePerSecond, network }) {
  return scenario === 'round-trip' && network === undefined && ratePerSecond === undefined;
}

/**
 * @param {MeasuredOutcome} outcome
 * @param {number} order
 * @param {CellRunner} runner
 * @param {RunSide['results']} results    The explanation is added.
 * @returns {Promise<Failure>}
 */
export async function explain(outcome, order, runner, results) {
  const { cell } = outcome;
  const { plugins, scratch } = runner.context;
  const transport = /** @type {any} */ (plugins.transports.get(cell.transport)).plugin;
  const traits = resolveTraits(transport, cell.settings);
  if (cell.poll === 'busy' || traits.isSpinning) {
    return { code: 'RUNTIME', message: 'its processes never sleep, and are at work all of the time' };
  }
  const whole = outcome.measures[SERVICE_TIME];
  const folders = await Promise.all(LOOKS.map((_, index) => scratch.folderFor(`e${order + index}`)));
  try {
    const iterations = await diagnose(cell, { order, folder: folders[0], by: LOOKS[0] }, runner);
    if ('failure' in iterations) return iterations.failure;
    const functions = await diagnose(cell, { order: order + 1, folder: folders[1], by: LOOKS[1] }, runner);
    if ('failure' in functions) return functions.failure;
    const processes = await factsOfProcesses(iterations, functions, partOfFunction(listUrls(cell, plugins)));
    if (processes.length < 2 || whole?.kind !== 'times') return NOTHING_RECORDED;
    results.explanations ??= [];
    results.explanations.push(
      makeExplanation({
        outcome,
        processes,
        wholeUs: whole.perLaunch.p50,
        explainedUs: latencyPercentiles(iterations.launch.times[SERVICE_TIME]).p50,
        wakeUs: await measureWakeUs(cell, iterations.launch.costs, runner.context.signal),
        broker: traits.broker,
        serialisesItself: listUrls(cell, plugins).codecUrl === null,
      }),
    );
    return null;
  } finally {
    for (const folder of folders) await removeFolder(folder);
  }
}

/**
 * @param {Cell} cell
 * @param {{ order: number, folder: string, by: typeof LOOKS[number] }} look
 * @param {CellRunner} runner
 * @returns {Promise<Seen | { failure: NonNullable<Failure> }>}
 */
async function diagnose(cell, { order, folder, by }, runner) {
  const window = { fromMs: 0, toMs: 0 };
  const launch = await runner.run(cell, 0, order, () => 0, {
    profileDir: folder,
    explain: { by, leastMs: MIN_WINDOW_MS },
    onDone: ({ openMs, windowMs }) => Object.assign(window, { fromMs: openMs, toMs: openMs + windowMs }),
  });
  const failure = missingRateFailure(launch);
  return failure === null ? { folder, window, launch: /** @type {MeasuredLaunch} */ (launch) } : { failure };
}

/** @type {Failure} */
const NOTHING_RECORDED = Object.freeze({
  code: 'RUNTIME',
  message:
    'its processes recorded too little: their runtime lacks the instruments, or too few round trips ended',
});

/**
 * @param {Cell} cell
 * @param {ProcessCost[]} costs   costs of one launch of this cell
 * @param {AbortSignal} signal
 * @returns µs that it takes to wake a process that sleeps on the CPU of the other end; null if unknown
 */
async function measureWakeUs({ placement }, costs, signal) {
  if (placement !== 'split') return null;
  const [[master], [other]] = [true, false].map((isMaster) =>
    costs.filter((cost) => (cost.role === 'master') === isMaster).flatMap(({ cpus }) => cpus ?? []),
  );
  return master === undefined || other === undefined || master === other
    ? null
    : measureWakeLatency(master, other, signal);
}

/** @param {Cell} cell @param {CellRunner['context']['plugins']} plugins */
function listUrls(cell, { transports, codecs, scenarios }) {
  const serialises = transports.get(cell.transport)?.plugin.serialises?.includes(cell.codec) === true;
  return {
    codecUrl: serialises ? null : (codecs.get(cell.codec)?.url ?? null),
    scenarioUrl: scenarios.get(cell.scenario)?.url ?? '',
  };
}

/**
 * @param {Seen} iterations
 * @param {Seen} functions
 * @param {ReturnType<typeof partOfFunction>} partOf
 * @returns {Promise<InsideFacts[]>} facts of the processes that recorded enough
 */
async function factsOfProcesses(iterations, functions, partOf) {
  const names = (await readdir(iterations.folder)).filter((file) => file.endsWith(READINGS_ENDING)).sort();
  const all = await Promise.all(
    names.map(async (file) => {
      const name = file.slice(0, -READINGS_ENDING.length);
      const [record, slowRecord, profile] = await Promise.all(
        [
          join(iterations.folder, file),
          join(functions.folder, file),
          join(functions.folder, `${name}${PROFILE_ENDING}`),
        ].map(async (path) => JSON.parse(await readFile(path, 'utf8').catch(() => 'null'))),
      );
      if (slowRecord === null || profile === null) return [];
      const sampled = { record: slowRecord, profile, window: functions.window };
      const facts = insideFacts({ record, window: iterations.window }, sampled, partOf);
      const role = name === CONTROLLER ? /** @type {const} */ ('master') : /** @type {const} */ ('worker');
      return facts === null ? [] : [{ name, role, ...facts }];
    }),
  );
  return all.flat();
}

const OWN_FOLDER = new URL('../..', import.meta.url).href;
const IO_CALLS = /^(write(v|Buffer|(Utf8|Latin1|Ascii|Ucs2)?String)|send|shutdown|postMessage)$/;
// These modules of Node.js only compute, so their time belongs to the calling function.
const PURE =
  /^node:(internal\/)?(assert|buffer|crypto|errors|perf|querystring|string_decoder|url|util|v8|validators|zlib)/;
/** The module that serialises the messages of fork(). */
const OWN_SERIALISATION = 'node:internal/child_process/serialization';
const FOLDERS = /** @type {const} */ ([
  ['codec', ['codecs']],
  ['harness', ['workload', 'measure', 'launch', 'statistics', 'machine']],
]);

/**
 * Finds the part of a round trip to which a function of a CPU profile belongs, by its file.
 * @param {object} urls
 * @param {string | null} urls.codecUrl   null if the channel serialises by itself
 * @param {string} urls.scenarioUrl
 * @returns {(frame: { functionName: string, url: string }, callerPart: string) => string} 'codec', 'transport', 'harness', 'loop' for
 *   Node.js, or '' if it belongs to no part
 */
export function partOfFunction({ codecUrl, scenarioUrl }) {
  return ({ functionName, url }, callerPart) => {
    if (url === '') {
      // '(program)', '(idle)' and '(garbage collector)' are not functions.
      if (functionName.startsWith('(') && functionName !== '(anonymous)') return '';
      return IO_CALLS.test(functionName) ? 'loop' : callerPart;
    }
    if (url === OWN_SERIALISATION && codecUrl === null) return 'codec';
    if (url.startsWith('node:')) return PURE.test(url) && callerPart !== '' ? callerPart : 'loop';
    if (url === codecUrl) return 'codec';
    if (url === scenarioUrl) return 'harness';
    for (const [part, folders] of FOLDERS) {
      if (folders.some((folder) => url.startsWith(`${OWN_FOLDER}${folder}/`))) return part;
    }
    // The remaining files belong to transports or to packages, which codecs also use.
    return callerPart === 'codec' ? 'codec' : 'transport';
  };
}
