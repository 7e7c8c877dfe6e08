// Explains the round-trip time of a cell with two diagnostic launches, whose processes record CPU time and garbage collections. The first
// one also records event loops, and the second one CPU profiles. results/explanation.js interprets the records.

import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SERVICE_TIME } from '../../cell/headline.js';
import { CONTROLLER } from '../../cell/launch-roles.js';
import { resolveTraits } from '../../cell/traits.js';
import { PROFILE_ENDING, READINGS_ENDING } from '../../launch/monitors/instruments.js';
import { measureWakeLatency } from '../../machine/wake-up.js';
import { makeExplanation } from '../../results/explanation.js';
import { insideFacts } from '../../results/inside-facts.js';
import { latencyPercentiles } from '../../statistics/latency.js';
import { NoResult } from './extra-launch.js';

/** @import { LaunchSpec } from '../../launch/launch-spec.js' */
/** @import { Cell, Explanation, InsideFacts, MeasuredLaunch, MeasuredOutcome, ProcessCost } from '../../types/index.js' */
/** @import { CellRunner } from '../cell-runner.js' */
/** @import { ExtraLaunches, Instrument } from './extra-launch.js' */
/**
 * A launch whose processes recorded themselves.
 * @typedef {{ window: { fromMs: number, toMs: number }, launch: MeasuredLaunch, records: Map<string, any> }} Seen
 *   records: parsed contents of the files that the processes wrote, by name of the file
 */

const MIN_WINDOW_MS = 2_000; // This gives 4,000 samples per process, of which a part of 1 µs in 80 µs has about 50.

/** @param {Cell} cell @returns whether the cell has round trips in closed loops, without an emulated network */
export function isExplainable({ scenario, ratePerSecond, network }) {
  return scenario === 'round-trip' && network === undefined && ratePerSecond === undefined;
}

/**
 * @param {MeasuredOutcome} outcome
 * @param {ExtraLaunches} extra
 * @returns {Promise<Explanation[]>}
 * @throws {NoResult}
 */
export async function explain(outcome, extra) {
  const { cell } = outcome;
  const { plugins, signal } = extra.runner.context;
  const transport = /** @type {any} */ (plugins.transports.get(cell.transport)).plugin;
  const traits = resolveTraits(transport, cell.settings);
  if (cell.poll === 'busy' || traits.isSpinning)
    throw new NoResult({ message: 'its processes never sleep, and are at work all of the time' });
  const whole = outcome.measures[SERVICE_TIME];
  // Sampling slows all functions down, so durations come from a launch without it.
  const iterations = await record(cell, 'iterations', extra);
  const functions = await record(cell, 'functions', extra);
  const urls = listUrls(cell, plugins);
  const processes = factsOfProcesses(iterations, functions, partOfFunction(urls));
  if (processes.length < 2 || whole?.kind !== 'times') {
    const message =
      'its processes recorded too little: their runtime lacks the instruments, or too few round trips ended';
    throw new NoResult({ message });
  }
  const explanation = makeExplanation({
    outcome,
    processes,
    wholeUs: whole.perLaunch.p50,
    explainedUs: latencyPercentiles(iterations.launch.times[SERVICE_TIME]).p50,
    wakeUs: await measureWakeUs(cell, iterations.launch.costs, signal),
    broker: traits.broker,
    serialisesItself: urls.codecUrl === null,
  });
  return [explanation];
}

/**
 * @param {Cell} cell
 * @param {NonNullable<LaunchSpec['explained']>} explained
 * @param {ExtraLaunches} extra
 * @returns {Promise<Seen>}
 */
function record(cell, explained, extra) {
  /** @type {Instrument} */
  const instrument = (profileDir) => ({
    adapt({ timing, deadlines, ...spec }) {
      const measureMs = Math.max(timing.measureMs, MIN_WINDOW_MS);
      return {
        ...spec,
        profileDir,
        explained,
        timing: { ...timing, messages: null, measureMs },
        deadlines: { ...deadlines, lifeMs: deadlines.lifeMs + measureMs },
      };
    },
  });
  return extra.launch(cell, instrument, async ({ folder, launch, report: { openMs, windowMs } }) => {
    const window = { fromMs: openMs, toMs: openMs + windowMs };
    const names = (await readdir(folder)).sort();
    const records = await Promise.all(
      names.map(async (name) => JSON.parse(await readFile(join(folder, name), 'utf8'))),
    );
    return { window, launch, records: new Map(names.map((name, index) => [name, records[index]])) };
  });
}

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
 * @returns {InsideFacts[]} facts of the processes that recorded enough
 */
function factsOfProcesses(iterations, functions, partOf) {
  return [...iterations.records].flatMap(([file, own]) => {
    const name = file.slice(0, -READINGS_ENDING.length);
    const slow = functions.records.get(file);
    const profile = functions.records.get(`${name}${PROFILE_ENDING}`);
    if (slow === undefined || profile === undefined) return [];
    const sampled = { record: slow, profile, window: functions.window };
    const facts = insideFacts({ record: own, window: iterations.window }, sampled, partOf);
    const role = name === CONTROLLER ? /** @type {const} */ ('master') : /** @type {const} */ ('worker');
    return facts === null ? [] : [{ name, role, ...facts }];
  });
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
