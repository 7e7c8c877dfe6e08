// The noise of a shared virtual machine in time, and what runs on it see. Fitted to the launches in docs/articles by hand: the
// spread of launches, its robust part, its tails, and how much a launch is like the next one.

import { expectedSpreads, roundLevels } from '../../lib/results/launch-model.js';
import { fitLogModel, levelSpread } from '../../lib/statistics/log-model.js';
import { seededRandom, shuffled } from '../../lib/statistics/random.js';
import { sum } from '../../lib/statistics/sum.js';
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
const GROUP = { startMs: 600, endMs: 800, sliceMs: 100, skipMs: 20, rounds: 5 };

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
 * @param {Host} host
 * @param {number} seed
 * @param {{ rows: number[], launches: number, isSliced: boolean }} run   rows: how noisy each is; all are equally fast
 * @returns {(groups: number) => { table: Map<number, number>[], expected: { variance: number, degrees: number }[] | null }} the table after so
 *   many groups: logarithms of the levels of launches, by group
 */
export function simulatedTables(host, seed, { rows, launches, isSliced }) {
  const noise = noiseFrom(seed);
  const random = seededRandom(seed);
  const groupMs = rows.length * (GROUP.startMs + GROUP.rounds * GROUP.sliceMs) + GROUP.endMs;
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
  const places = rows.map((_, row) => row);
  const table = rows.map(() => new Map());
  /** By group. @type {{ variance: number, degrees: number }[][]} */
  const known = [];
  let ms = 0;
  for (let group = 0; group < launches; group += 1) {
    const fresh = rows.map((loudness) => host.fresh * loudness * noise.normal());
    if (!isSliced) {
      for (const row of shuffled(places, random)) {
        table[row].set(group, fresh[row] + rateAt(ms + LAUNCH.windowAtMs, LAUNCH.windowMs, rows[row]));
        ms += LAUNCH.ms;
      }
      continue;
    }
    ms += rows.length * GROUP.startMs;
    /** @type {number[][]} */
    const rates = rows.map(() => []);
    for (let round = 0; round < GROUP.rounds; round += 1) {
      for (const row of shuffled(places, random)) {
        rates[row][round] = Math.exp(rateAt(ms + GROUP.skipMs, GROUP.sliceMs - GROUP.skipMs, rows[row]));
        ms += GROUP.sliceMs;
      }
    }
    const rounds = [...rates[0].keys()];
    const windowMs = rounds.map(() => 1);
    const model = fitLogModel(rates.map((operations) => roundLevels({ rounds, operations, windowMs })));
    known.push(places.map((row) => levelSpread(model, row)));
    for (const row of places) table[row].set(group, fresh[row] + Math.log(sum(rates[row]) / rounds.length));
    ms += GROUP.endMs;
  }
  return (groups) => ({
    table: table.map((row) => new Map([...row].filter(([group]) => group < groups))),
    expected: expectedSpreads(
      places.map((row) => known.slice(0, groups).map((group) => group[row])),
      groups,
    ),
  });
}

/** @param {number} count @param {number} [times]   by which the loudest row is louder than usual, and the calmest one calmer @returns {number[]} the first, to which the others are compared, is as usual */
export function loudnessOf(count, times = 2.5) {
  if (count === 2) return [1, 1];
  const others = Array.from({ length: count - 1 }, (_, row) => times ** ((2 * row) / (count - 2) - 1));
  return [1, ...others];
}
