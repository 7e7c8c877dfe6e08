// Merges latency histograms without loss, and reads percentiles as far as the number of samples allows: those of tables, the spectrum of
// charts, and the text format of HdrHistogram. If operations have not ended, percentiles are estimated with the help of their ages.
// latency-counts.js records the histograms.

import { createRequire } from 'node:module';
import { NS_PER_MS, NS_PER_US } from '../format/units.js';
import { MAX_NS, MIN_NS, SIGNIFICANT_DIGITS, toLatency } from './latency-counts.js';

/** @import { Latency, LatencySummary, PercentileName } from '../types/index.js' */

/** @import { JsHistogram } from 'hdr-histogram-js' */

const require = createRequire(import.meta.url);

/** Loads hdr-histogram-js on first use, since that takes 30 ms of CPU time. The index of the package would load WebAssembly too. */
function loadHdr() {
  const encoding = require('hdr-histogram-js/dist/JsHistogram.encoding.js'); // registers the encoding of histograms
  const { default: Float64Histogram } = require('hdr-histogram-js/dist/Float64Histogram.js');
  return { ...encoding, Float64Histogram };
}

/** @type {Readonly<Record<PercentileName, number>>} fewest samples for a percentile, of which ten lie above */
export const SAMPLES_FOR = Object.freeze({ p50: 20, p90: 100, p99: 1_000, p999: 10_000 });
const SAMPLES_BEYOND = 10; // At least this many samples lie above a percentile that is shown.
const POINTS_PER_DECADE = 20; // points of the spectrum while the share of samples above falls to a tenth
const TICKS_PER_HALF_DISTANCE = 5; // lines of the text format per halving of the share above, as in other tools

/**
 * Merges the latencies of workers or launches. The result is the same as from a single recorder.
 * @param {Latency[]} latencies
 */
export function mergeLatencies(latencies) {
  const { histogram, ...facts } = mergeHistograms(latencies);
  const { totalCount: count } = histogram;
  return toLatency({ ...facts, count, histogram: histogram.encodeIntoCompressedBase64() });
}

/** Returns the merged histogram without encoding it, since encoding and decoding take as long as merging. @param {Latency[]} latencies */
function mergeHistograms(latencies) {
  const histogram = emptyHistogram();
  let [minNs, maxNs, sumNs] = [Infinity, 0, 0];
  for (const latency of latencies) {
    if (latency.count === 0) continue;
    histogram.add(decoded(latency));
    minNs = Math.min(minNs, latency.minNs);
    maxNs = Math.max(maxNs, latency.maxNs);
    // Sums of whole ns are whole, so rounding corrects the error of the division by the count.
    sumNs += Math.round(latency.meanNs * latency.count);
  }
  return { histogram, minNs, maxNs, sumNs };
}

/**
 * @param {Latency} latency
 * @returns {Omit<LatencySummary, 'perLaunch'>} microseconds; p99 and p999 are null with fewer samples than SAMPLES_FOR
 */
export function latencyPercentiles(latency) {
  const histogram = decoded(latency);
  const { count, minNs, meanNs, maxNs } = latency;
  /** @param {number} percentile */
  const at = (percentile) => usAt(histogram, percentile, maxNs);
  return {
    count,
    min: minNs / NS_PER_US,
    mean: meanNs / NS_PER_US,
    p50: at(50),
    p90: at(90),
    p99: count < SAMPLES_FOR.p99 ? null : at(99),
    p999: count < SAMPLES_FOR.p999 ? null : at(99.9),
    max: maxNs / NS_PER_US,
  };
}

/** @type {readonly ['p50' | 'p90' | 'p99' | 'p999', number, number][]} share below the percentile, and the fewest samples */
const SHARES = [
  ['p50', 0.5, 0],
  ['p90', 0.9, 0],
  ['p99', 0.99, SAMPLES_FOR.p99],
  ['p999', 0.999, SAMPLES_FOR.p999],
];
const ROUNDING = 1e-9; // rounding error of a product with a factor for each cell of a histogram

/**
 * Percentiles of times, some of which are only known to exceed a lower bound. A percentile beyond the last known time also has only a lower
 * bound. Source: E. L. Kaplan, P. Meier, "Nonparametric Estimation from Incomplete Observations", Journal of the American Statistical
 * Association 53 (1958).
 * @param {Latency} latency
 * @param {Latency} [unanswered]   ages of operations that have not ended
 * @returns {Omit<LatencySummary, 'perLaunch'>} microseconds; the values named in `atLeast` are lower bounds
 */
export function censoredPercentiles(latency, unanswered) {
  const known = latencyPercentiles(latency);
  if (unanswered === undefined || unanswered.count === 0) return known;
  const total = latency.count + unanswered.count;
  /** @type {Map<string, number>} */
  const found = new Map();
  /** @type {Map<string, number>} */
  const bounds = new Map();
  for (const { us, leastUs, survival, seen } of survivalSteps(latency, unanswered)) {
    for (const [name, share] of SHARES) {
      if (!found.has(name) && survival <= 1 - share + ROUNDING) found.set(name, us);
      if (!bounds.has(name) && seen >= share * total * (1 - ROUNDING)) bounds.set(name, leastUs);
    }
  }
  const max = Math.max(latency.maxNs, unanswered.maxNs) / NS_PER_US;
  /** @type {NonNullable<LatencySummary['atLeast']>} */
  const atLeast = [];
  let belowUs = 0; // a higher percentile is never less than a lower one
  const values = SHARES.map(([name, , samples]) => {
    if (total < samples) return [name, null];
    if (!found.has(name)) atLeast.push(name);
    belowUs = Math.max(belowUs, Number(found.get(name) ?? bounds.get(name)));
    return [name, belowUs];
  });
  if (max > known.max) atLeast.push('max');
  return { ...known, ...Object.fromEntries(values), max, ...(atLeast.length > 0 && { atLeast }) };
}

/**
 * @param {Latency} latency
 * @param {Latency} unanswered
 * @returns {Generator<{ us: number, leastUs: number, survival: number, seen: number }>} a step per non-empty bucket, in ascending order:
 *   `leastUs` is its lower end, `us` its upper end or the longest known time if that is less, `survival` the estimated share of longer
 *   times, `seen` the number of times and lower bounds up to this bucket
 */
function* survivalSteps(latency, unanswered) {
  const [ended, open] = [decoded(latency), decoded(unanswered)];
  const total = latency.count + unanswered.count;
  let [survival, seen] = [1, 0];
  for (let cell = 0; seen < total; cell += 1) {
    const [ends, leaves] = [ended.getCountAtIndex(cell), open.getCountAtIndex(cell)];
    if (ends + leaves === 0) continue;
    survival *= 1 - ends / (total - seen);
    seen += ends + leaves;
    const value = ended.valueFromIndex(cell);
    const highest = Math.min(ended.highestEquivalentValue(value), latency.maxNs);
    yield { us: highest / NS_PER_US, leastUs: value / NS_PER_US, survival, seen };
  }
}

/**
 * @param {Latency[]} latencies
 * @returns {string} the percentile distribution of HdrHistogram, in milliseconds
 */
export function percentileDistribution(latencies) {
  return mergeHistograms(latencies).histogram.outputPercentileDistribution(
    TICKS_PER_HALF_DISTANCE,
    NS_PER_MS,
  );
}

/**
 * @typedef {object} SpectrumPoint
 * @property {number} rarity   1 / (1 - percentile): one in this number of samples is greater
 * @property {number} us
 */

/**
 * @param {Latency[]} latencies
 * @param {Latency[]} [unanswered]   as in censoredPercentiles
 * @returns {SpectrumPoint[]} evenly spaced in the logarithm of the rarity, while ten samples lie above and the percentile is a known time
 */
export function latencySpectrum(latencies, unanswered = []) {
  if (unanswered.length > 0) return censoredSpectrum(mergeLatencies(latencies), mergeLatencies(unanswered));
  const { histogram, maxNs } = mergeHistograms(latencies);
  const points = [];
  let [cell, seen] = [-1, 0];
  for (let step = 0; ; step += 1) {
    const rarity = 10 ** (step / POINTS_PER_DECADE);
    if (histogram.totalCount / rarity < SAMPLES_BEYOND) return points;
    const wanted = histogram.totalCount * (1 - 1 / rarity);
    // Rounds down slightly, as HdrHistogram does, so that a product just above a whole count becomes that count.
    const reached = Math.max(1, Math.ceil(wanted - wanted * Number.EPSILON));
    while (seen < reached) {
      cell += 1;
      seen += histogram.getCountAtIndex(cell);
    }
    const value = histogram.valueFromIndex(cell);
    const ns = step === 0 ? value : histogram.highestEquivalentValue(value);
    points.push({ rarity, us: Math.min(ns, maxNs) / NS_PER_US });
  }
}

/** @param {Latency} latency @param {Latency} unanswered @returns {SpectrumPoint[]} */
function censoredSpectrum(latency, unanswered) {
  const total = latency.count + unanswered.count;
  const points = [];
  let rarity = 1;
  for (const { us, survival } of survivalSteps(latency, unanswered)) {
    if (survival === 1) continue; // requests without a response are younger than any known time
    while (survival <= 1 / rarity + ROUNDING && total / rarity >= SAMPLES_BEYOND) {
      points.push({ rarity, us });
      rarity = 10 ** (points.length / POINTS_PER_DECADE);
    }
  }
  return points;
}

/**
 * A cell of the histogram is up to 0.1 % wide and may reach beyond the exact maximum.
 * @param {JsHistogram} histogram
 * @param {number} percentile
 * @param {number} maxNs
 */
function usAt(histogram, percentile, maxNs) {
  return Math.min(histogram.getValueAtPercentile(percentile), maxNs) / NS_PER_US;
}

function emptyHistogram() {
  // Uses 64-bit counts, since 32-bit counts would overflow after an hour of a busy transport.
  const { Float64Histogram } = loadHdr();
  return new Float64Histogram(MIN_NS, MAX_NS, SIGNIFICANT_DIGITS);
}

/** @param {Latency} latency */
function decoded(latency) {
  const { decompress, doDecode } = loadHdr();
  return doDecode(decompress(Buffer.from(latency.histogram, 'base64')), 64);
}
