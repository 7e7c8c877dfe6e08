// The noise of a shared virtual machine in time, and what runs on it see. Fitted to the launches in docs/articles by hand: the
// spread of launches, its robust part, its tails, and how much a launch is like the next one.

import { expectedSpreads, roundLevels } from '../../lib/results/launch-model.js';
import { fitLogModel, isSaturated, levelSpread } from '../../lib/statistics/log-model.js';
import { seededRandom, shuffled } from '../../lib/statistics/random.js';
import { sum, sumBy } from '../../lib/statistics/sum.js';
import { noiseFrom } from '../fixtures/noise.js';

/** @typedef {ReturnType<typeof noiseFrom>} Noise */
/**
 * Standard deviations are of logs.
 * @typedef {object} Host
 * @property {[number, number][]} waves   Ornstein–Uhlenbeck processes: standard deviation, and the time in which it is forgotten, ms
 * @property {number} white         of 40 ms
 * @property {number} fresh         of what a fresh process adds
 * @property {{ share: number, meanMs: number, depth: [number, number] }} stalls   something else takes the CPUs
 */

/** @type {Readonly<Record<'loud' | 'usual', Host>>} launches of 0.4 s: SD 14 % and 7 % (measured: 17 %, 9 % and 6 %), kurtosis 17 and 38 (15 to 23) */
export const HOSTS = Object.freeze({
  loud: {
    waves: [
      [0.05, 150],
      [0.06, 4_000],
      [0.05, 60_000],
    ],
    white: 0.08,
    fresh: 0.03,
    stalls: { share: 0.05, meanMs: 3_000, depth: [0.1, 0.9] },
  },
  usual: {
    waves: [
      [0.025, 150],
      [0.015, 4_000],
      [0.01, 60_000],
    ],
    white: 0.05,
    fresh: 0.012,
    stalls: { share: 0.025, meanMs: 1_500, depth: [0.05, 0.6] },
  },
});

const STEP_MS = 20;
const LAUNCH = { ms: 1_570, windowAtMs: 900, windowMs: 400 };
const GROUP = { startMs: 600, endMs: 800, sliceMs: 100, skipMs: 20, rounds: 9 };

/** @param {Host} host @param {Noise} noise @param {number} ms @returns {Float64Array} logarithm of its speed in each step */
function speedsOf({ waves, stalls }, noise, ms) {
  const speeds = new Float64Array(Math.ceil(ms / STEP_MS));
  for (const [spread, memoryMs] of waves) {
    const kept = Math.exp(-STEP_MS / memoryMs);
    let value = spread * noise.normal();
    for (let step = 0; step < speeds.length; step += 1) {
      value = kept * value + spread * Math.sqrt(1 - kept ** 2) * noise.normal();
      speeds[step] += value;
    }
  }
  const ends = STEP_MS / stalls.meanMs;
  const begins = (ends * stalls.share) / (1 - stalls.share);
  let isStalled = noise.uniform(0, 1) < stalls.share;
  let depth = noise.uniform(...stalls.depth);
  for (let step = 0; step < speeds.length; step += 1) {
    if (isStalled) speeds[step] -= depth;
    if (noise.uniform(0, 1) >= (isStalled ? ends : begins)) continue;
    isStalled = !isStalled;
    depth = noise.uniform(...stalls.depth);
  }
  return speeds;
}

/**
 * @typedef {object} SimulatedRun
 * @property {number[]} rows       how noisy each is; all are equally fast, and the first one is the reference
 * @property {number} launches     repetitions
 * @property {boolean} isSliced
 * @property {number} [parts]      groups of a repetition, each with the reference
 * @property {boolean} [isDoubled] the reference has two slices in a round
 */
/** @typedef {{ table: Map<number, number>[], expected: { variance: number, degrees: number }[] | null }} SimulatedTable   logarithms of the levels of launches, by group */
/** @typedef {(row: number, group: number) => boolean} IsLaunched */

/**
 * @param {Host} host
 * @param {number} seed
 * @param {SimulatedRun} run
 * @returns {(repetitions: number, isLaunched?: IsLaunched) => SimulatedTable} the table after so many repetitions. A row without launches is
 *   empty
 */
export function simulatedTables(host, seed, { rows, launches, isSliced, parts = 1, isDoubled = false }) {
  const noise = noiseFrom(seed);
  const random = seededRandom(seed);
  const indexes = rows.map((_, row) => row);
  const rowsOfParts = Array.from({ length: parts }, (_, part) =>
    indexes.filter((row) => row === 0 || row % parts === part),
  );
  const slicesOf = (/** @type {number[]} */ group) => (isDoubled ? [...group, 0] : group);
  const groupMs = sumBy(
    rowsOfParts,
    (group) =>
      group.length * GROUP.startMs + slicesOf(group).length * GROUP.rounds * GROUP.sliceMs + GROUP.endMs,
  );
  const speeds = speedsOf(host, noise, launches * (isSliced ? groupMs : rows.length * LAUNCH.ms) + 5_000);
  const rateAt = (/** @type {number} */ fromMs, /** @type {number} */ ms, /** @type {number} */ loudness) => {
    const [first, count] = [Math.floor(fromMs / STEP_MS), Math.round(ms / STEP_MS)];
    const spread = host.white * loudness * Math.SQRT2;
    // The mean of a log-normal value grows with its noise: without this, loud rows would really be faster.
    const gain = spread ** 2 / 2;
    let total = 0;
    for (let step = 0; step < count; step += 1) {
      total += Math.exp(speeds[first + step] + spread * noise.normal() - gain);
    }
    return Math.log(total / count);
  };
  const table = rows.map(() => new Map());
  /** By row and group. @type {Map<number, { variance: number, degrees: number }>[]} */
  const known = rows.map(() => new Map());
  let ms = 0;
  for (let group = 0; group < launches * parts; group += 1) {
    const members = rowsOfParts[group % parts];
    const fresh = new Map(members.map((row) => [row, host.fresh * rows[row] * noise.normal()]));
    if (!isSliced) {
      for (const row of shuffled(members, random)) {
        const level = rateAt(ms + LAUNCH.windowAtMs, LAUNCH.windowMs, rows[row]);
        table[row].set(group, (fresh.get(row) ?? 0) + level);
        ms += LAUNCH.ms;
      }
      continue;
    }
    ms += members.length * GROUP.startMs;
    const slices = new Map(
      members.map((row) => [
        row,
        { rounds: /** @type {number[]} */ ([]), operations: /** @type {number[]} */ ([]) },
      ]),
    );
    for (let round = 0; round < GROUP.rounds; round += 1) {
      for (const row of shuffled(slicesOf(members), random)) {
        const own = slices.get(row);
        own?.rounds.push(round);
        own?.operations.push(Math.exp(rateAt(ms + GROUP.skipMs, GROUP.sliceMs - GROUP.skipMs, rows[row])));
        ms += GROUP.sliceMs;
      }
    }
    const model = fitLogModel(
      [...slices.values()].map((own) => roundLevels({ ...own, windowMs: own.rounds.map(() => 1) })),
    );
    members.forEach((row, index) => {
      const { operations } = slices.get(row) ?? { operations: [] };
      known[row].set(group, levelSpread(model, index));
      table[row].set(group, (fresh.get(row) ?? 0) + Math.log(sum(operations) / operations.length));
    });
    ms += GROUP.endMs;
  }
  return (repetitions, isLaunched = () => true) => {
    const launched = table.map(
      (own, row) =>
        new Map([...own].filter(([group]) => group < repetitions * parts && isLaunched(row, group))),
    );
    const spreads = launched.map((own, row) =>
      [...own.keys()].flatMap((group) => known[row].get(group) ?? []),
    );
    return {
      table: launched,
      expected: expectedSpreads(spreads, isSaturated(launched.filter(({ size }) => size > 0))),
    };
  };
}

/** @param {number} count @param {number} [times]   by which the loudest row is louder than usual, and the calmest one calmer @returns {number[]} the first, to which the others are compared, is as usual */
export function loudnessOf(count, times = 2.5) {
  if (count === 2) return [1, 1];
  const others = Array.from({ length: count - 1 }, (_, row) => times ** ((2 * row) / (count - 2) - 1));
  return [1, ...others];
}
