// Decides from the round trips per bin of time when a launch is warm, and whether it was steady during the window. Uses ranks, so that
// neither single disturbed bins nor the noise of a shared machine decide.

import { MIN_PAIRS, median } from './rank-tests.js';
import { studentQuantile } from './student.js';
import { sum, sumBy } from './sum.js';

const MINIMUM_BINS = 12; // 600 ms in bins of 50 ms: launches need 150 to 600 ms to reach 95 % of their rate
const TREND_BINS = 10;
// Difference between the numbers of rising and falling pairs, of 45 pairs of bins, that counts as a trend. 7 % of sequences without a trend
// reach it, but a further bin of warm-up costs little, while an early window spoils the launch.
const TREND_SURPLUS = 21;
const MIN_SIDE = 3; // fewer bins on one side are a disturbance, not a new level
const SHIFT_THAT_MATTERS = 0.05; // share of the level
const CLEAR_SHIFT = 3; // in standard deviations from bin to bin
const CYCLE_THAT_MATTERS = 0.1; // share of the level
const BINS_FOR_A_CYCLE = 20;
const BINS_OF_A_HALF = 2;
const ONE_SIDED_TAIL = 0.05;

/**
 * Called after each bin of the warm-up, once the shortest warm-up is over and every process has reached its work goal. With steady noise
 * of any size, it returns true within a few bins.
 * @param {readonly number[]} roundTripsPerBin so far
 * @returns {boolean} false with fewer than 12 bins, or if the last ten have a step or a trend, or are all 0
 */
export function isSteady(roundTripsPerBin) {
  if (roundTripsPerBin.length < MINIMUM_BINS) return false;
  const bins = roundTripsPerBin.slice(-TREND_BINS);
  const isStandstill = bins.every((count) => count === 0);
  return !isStandstill && findShift(bins) === null && !hasTrend(bins);
}

/**
 * @param {Pick<import('../types/index.js').Timing, 'minWarmupMs' | 'maxWarmupMs' | 'steadyWithinMs'>} limits
 * @param {object} progress
 * @param {number} progress.elapsedMs
 * @param {number} progress.warmAtMs   time until all processes had reached their work goal; Infinity before
 * @param {readonly number[]} progress.operations   per bin
 * @returns {'steady' | 'not-steady' | 'worked' | 'cold' | null} null while the warm-up continues
 */
export function warmUpStatus(
  { minWarmupMs, maxWarmupMs, steadyWithinMs },
  { elapsedMs, warmAtMs, operations },
) {
  const dueMs = Math.max(minWarmupMs, warmAtMs);
  if (elapsedMs >= dueMs) {
    if (steadyWithinMs === null) return 'worked';
    if (isSteady(operations)) return 'steady';
    // A machine that is never quiet shows a trend now and then, however long the warm-up is.
    if (elapsedMs >= dueMs + steadyWithinMs) return 'not-steady';
  }
  if (elapsedMs < maxWarmupMs) return null;
  return warmAtMs <= elapsedMs ? 'not-steady' : 'cold';
}

/**
 * @param {readonly number[]} bins of a window; fewer than 6 show nothing
 * @returns {boolean} whether the level changed or swung within the window
 */
export function leftSteadyState(bins) {
  return findShift(bins) !== null || isCyclic(bins);
}

/**
 * Estimates the ratio of round trips in the second and the first halves of the windows of all launches of a cell. One launch is too noisy
 * to show a small climb, but a climb of all of them is not chance. `low` and `high` are one-sided 95 % bounds by Student's t on logs, since
 * ranks of six launches would only give the extremes.
 * @param {readonly (readonly number[])[]} windows   whole bins of each launch
 * @returns {{ estimate: number, low: number, high: number } | null}   null with too few launches or bins, or an empty half
 */
export function estimateClimb(windows) {
  const climbs = windows.flatMap((bins) => {
    const half = Math.floor(bins.length / 2);
    const [first, second] = [bins.slice(0, half), bins.slice(-half)].map(sum);
    return half < BINS_OF_A_HALF || first === 0 || second === 0 ? [] : [second / first];
  });
  if (climbs.length < Math.max(windows.length, MIN_PAIRS)) return null;
  const logs = climbs.map(Math.log);
  const mean = sum(logs) / logs.length;
  const variance = sum(logs.map((log) => (log - mean) ** 2)) / (logs.length - 1);
  const margin = studentQuantile(ONE_SIDED_TAIL, logs.length - 1) * Math.sqrt(variance / logs.length);
  return { estimate: Math.exp(mean), low: Math.exp(mean - margin), high: Math.exp(mean + margin) };
}

/**
 * Classifies a whole launch: 'warmed' is flat from bin `from` to the end, for at least a third of the trace and 10 bins.
 * @param {readonly number[]} roundTripsPerBin
 * @returns {{ kind: 'flat' } | { kind: 'warmed', from: number } | { kind: 'not-steady' }}
 */
export function classifyTrace(roundTripsPerBin) {
  const shortestTail = Math.max(10, Math.ceil(roundTripsPerBin.length / 3));
  let from = firstBinAtLevel(roundTripsPerBin);
  while (roundTripsPerBin.length - from >= shortestTail) {
    const tail = roundTripsPerBin.slice(from);
    const shift = findShift(tail);
    if (shift === null) {
      if (isCyclic(tail)) break;
      return from === 0 ? { kind: 'flat' } : { kind: 'warmed', from };
    }
    from += shift;
  }
  return { kind: 'not-steady' };
}

/**
 * Finds the first bin at the level of the last third, within its noise. The ranks of findShift() cannot detect a change in the first two or
 * three bins.
 * @param {readonly number[]} bins
 */
function firstBinAtLevel(bins) {
  const level = median(bins.slice(-Math.ceil(bins.length / 3)));
  const band = Math.max(3 * estimateNoise(bins), SHIFT_THAT_MATTERS * level);
  const first = bins.findIndex((count) => Math.abs(count - level) <= band);
  // A median halfway between two levels is near neither.
  return first === -1 ? bins.length : first;
}

/**
 * Estimates the standard deviation from bin to bin. With normal noise the median step between neighbours is 0.954 of it, and neither a
 * trend nor a change of level adds much.
 * @param {readonly number[]} bins
 */
function estimateNoise(bins) {
  const steps = bins.slice(1).map((count, index) => Math.abs(count - bins[index]));
  // Random arrivals vary by at least the square root of their number, even if the observed steps happen to be equal.
  return Math.max(median(steps) / 0.954, Math.sqrt(median(bins)));
}

/**
 * Finds the split whose sides differ most in their ranks. Source: A. N. Pettitt, "A Non-Parametric Approach to the
 * Change-Point Problem", Applied Statistics 28 (1979); here each rank sum is divided by its standard deviation
 * (Mann–Whitney), so that changes near the ends are also detected.
 * @param {readonly number[]} bins
 * @returns {number | null} the first bin of the new level, or null without a change that is both real and large enough
 */
function findShift(bins) {
  const length = bins.length;
  const ranks = midRanks(bins);
  let [at, greatest, excess] = [0, 0, 0];
  for (let split = 1; split <= length - MIN_SIDE; split++) {
    excess += 2 * ranks[split - 1] - (length + 1);
    const deviation = Math.abs(excess) / Math.sqrt((split * (length - split) * (length + 1)) / 3);
    if (split >= MIN_SIDE && deviation > greatest) [at, greatest] = [split, deviation];
  }
  if (at === 0) return null;
  const change = Math.abs(median(bins.slice(at)) - median(bins.slice(0, at)));
  const isClear = change > CLEAR_SHIFT * estimateNoise(bins);
  // 1 % of steady traces exceed this limit. It was fitted to 15,000 or more random permutations for each length from 10 to 70 bins. Ranks
  // of 10 bins cannot show more than 'all of these are above all of those', so the size of the step also counts.
  const isReal = greatest > 3.5 - 9 / length - (isClear ? 0.25 : 0);
  return isReal && change > SHIFT_THAT_MATTERS * median(bins) ? at : null;
}

/**
 * Checks whether more pairs of bins are in one order than in the other, and whether the halves differ. This detects a ramp before any split
 * is clear.
 * Source: H. B. Mann, "Nonparametric Tests Against Trend", Econometrica 13 (1945).
 * @param {readonly number[]} bins TREND_BINS of them
 */
function hasTrend(bins) {
  let surplus = 0;
  bins.forEach((count, index) => {
    for (const later of bins.slice(index + 1)) surplus += Math.sign(later - count);
  });
  const change = median(bins.slice(TREND_BINS / 2)) - median(bins.slice(0, TREND_BINS / 2));
  return Math.abs(surplus) >= TREND_SURPLUS && Math.abs(change) > SHIFT_THAT_MATTERS * median(bins);
}

/**
 * Checks whether neighbours explain more than half of the variance of ranks, and whether the explained part is large. Von Neumann's ratio
 * is 2 for independent bins. Sources: J. von Neumann, Annals of Mathematical Statistics 12 (1941); R. Bartels, "The Rank Version of von
 * Neumann's Ratio Test for Randomness", JASA 77 (1982).
 * @param {readonly number[]} bins
 */
function isCyclic(bins) {
  if (bins.length < BINS_FOR_A_CYCLE) return false;
  const ranks = midRanks(bins);
  const middle = (bins.length + 1) / 2;
  const steps = sumBy(ranks.slice(1).entries(), ([index, rank]) => (rank - ranks[index]) ** 2);
  const spread = sumBy(ranks, (rank) => (rank - middle) ** 2);
  if (spread === 0 || steps / spread >= 1) return false;
  const smooth = bins.slice(2).map((_, index) => median(bins.slice(index, index + 3)));
  return Math.max(...smooth) - Math.min(...smooth) > CYCLE_THAT_MATTERS * median(bins);
}

/** @param {readonly number[]} values @returns {number[]} ranks from 1; equal values share the mean of their ranks */
function midRanks(values) {
  const order = values.map((_, index) => index).sort((left, right) => values[left] - values[right]);
  const ranks = new Array(values.length);
  for (let start = 0; start < order.length; ) {
    let end = start;
    while (end + 1 < order.length && values[order[end + 1]] === values[order[start]]) end++;
    for (let index = start; index <= end; index++) ranks[order[index]] = (start + end) / 2 + 1;
    start = end + 1;
  }
  return ranks;
}
