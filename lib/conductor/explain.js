// An extra launch of a cell that finds out where the time of its round trips goes: its processes profile themselves, and
// record their event loops, CPU time and garbage collections. What that means is results/explanation.js's.

import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { SERVICE_TIME } from '../cell/headline.js';
import { LEADER } from '../cell/launch-roles.js';
import { traitsOf } from '../cell/traits.js';
import { READINGS_ENDING } from '../launch/instruments.js';
import { PROFILE_ENDING } from '../launch/profile.js';
import { measureWakeLatency } from '../machine/wake-latency.js';
import { explanationOf } from '../results/explanation.js';
import { whyNoRate } from '../results/failed-outcome.js';
import { insideFacts } from '../results/inside-facts.js';
import { roleOf } from '../results/process-role.js';
import { latencyPercentiles } from '../statistics/latency.js';
import { partOfFunction } from './part-of-function.js';

/** @import { InsideFacts } from '../types/explanations.js' */
/** @import { MeasuredLaunch, ProcessCost } from '../types/launches.js' */
/** @import { MeasuredOutcome } from '../types/outcomes.js' */
/** @import { Cell } from '../types/plans.js' */
/** @import { Side } from './blocks.js' */
/** @import { CellRunner } from './cell-runner.js' */
/** @typedef {{ code: string, message: string } | null} Failure   null: there is none */
/** @typedef {{ fromMs: number, toMs: number }} Window */

const LEAST_WINDOW_MS = 2_000; // 4,000 samples of each process: a part of 1 µs in 80 µs is met some 50 times

/**
 * @param {Cell} cell
 * @returns {boolean} how many round trips are under way is known, and all of their way is on this host
 */
export function isExplainable({ scenario, ratePerSecond, network, hosts }) {
  const isHere = network === undefined && hosts === undefined;
  return scenario === 'round-trip' && isHere && ratePerSecond === undefined;
}

/**
 * @param {MeasuredOutcome} outcome
 * @param {number} order
 * @param {CellRunner} runner
 * @param {Side['results']} results    get what was found
 * @returns {Promise<Failure>}
 */
export async function explain(outcome, order, runner, results) {
  const { cell } = outcome;
  const { plugins, scratch } = runner.context;
  const transport = /** @type {any} */ (plugins.transports.get(cell.transport)).plugin;
  const traits = traitsOf(transport, cell.settings);
  if (cell.poll === 'busy' || traits.isSpinning) {
    return { code: 'RUNTIME', message: 'its processes never sleep, and are at work all of the time' };
  }
  const whole = outcome.measures[SERVICE_TIME];
  const profileDir = await scratch.folderFor(`e${order}`);
  /** @type {Window[]} */
  const windows = [];
  try {
    const ended = await runner.run(cell, 0, order, () => 0, {
      profileDir,
      explainMs: LEAST_WINDOW_MS,
      onDone: ({ openMs, windowMs }) => windows.push({ fromMs: openMs, toMs: openMs + windowMs }),
    });
    const failure = whyNoRate(ended);
    if (failure !== null) return failure;
    const launch = /** @type {MeasuredLaunch} */ (ended);
    const processes = await factsOfProcesses(profileDir, partOfFunction(urlsOf(cell, plugins)), windows[0]);
    if (processes.length < 2 || whole?.kind !== 'times') return NOTHING_RECORDED;
    results.explanations ??= [];
    results.explanations.push(
      explanationOf({
        ...{ outcome, processes },
        wholeUs: whole.perLaunch.p50,
        explainedUs: latencyPercentiles(launch.times[SERVICE_TIME]).p50,
        wakeUs: await wakeUsOf(cell, launch.costs),
        broker: traits.broker,
        serialisesItself: urlsOf(cell, plugins).codecUrl === null,
      }),
    );
    return null;
  } finally {
    await rm(profileDir, { recursive: true, force: true });
  }
}

/** @type {Failure} */
const NOTHING_RECORDED = Object.freeze({
  code: 'RUNTIME',
  message:
    'its processes recorded too little: their runtime lacks the instruments, or too few round trips ended',
});

/**
 * @param {Cell} cell
 * @param {ProcessCost[]} costs   of a launch of it
 * @returns {Promise<number | null>} how long it takes until another end goes on that has slept; null: unknown
 */
async function wakeUsOf({ placement }, costs) {
  if (placement !== 'split') return null;
  const [[master], [other]] = [true, false].map((isMaster) =>
    costs.filter((cost) => (roleOf(cost) === 'master') === isMaster).flatMap(({ cpus }) => cpus ?? []),
  );
  return master === undefined || other === undefined || master === other
    ? null
    : measureWakeLatency(master, other);
}

/**
 * @param {Cell} cell
 * @param {CellRunner['context']['plugins']} plugins
 * @returns {Parameters<typeof partOfFunction>[0]}
 */
function urlsOf(cell, { transports, codecs, scenarios }) {
  const serialises = transports.get(cell.transport)?.plugin.serialises?.includes(cell.codec) === true;
  return {
    codecUrl: serialises ? null : (codecs.get(cell.codec)?.url ?? null),
    scenarioUrl: scenarios.get(cell.scenario)?.url ?? '',
  };
}

/**
 * @param {string} folder
 * @param {ReturnType<typeof partOfFunction>} partOf
 * @param {Window} window
 * @returns {Promise<InsideFacts[]>} of the processes that recorded enough
 */
async function factsOfProcesses(folder, partOf, window) {
  const names = (await readdir(folder)).filter((file) => file.endsWith(READINGS_ENDING)).sort();
  const all = await Promise.all(
    names.map(async (file) => {
      const name = file.slice(0, -READINGS_ENDING.length);
      const [record, profile] = await Promise.all(
        [file, `${name}${PROFILE_ENDING}`].map(async (own) =>
          JSON.parse(await readFile(join(folder, own), 'utf8').catch(() => 'null')),
        ),
      );
      const facts = profile && insideFacts(record, profile, partOf, window);
      const role = name === LEADER ? /** @type {const} */ ('master') : /** @type {const} */ ('worker');
      return facts ? [{ name, role, ...facts }] : [];
    }),
  );
  return all.flat();
}
