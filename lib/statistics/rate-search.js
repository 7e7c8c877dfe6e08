// Searches for the rate that nine of ten launches sustain. A launch is a trial that keeps or breaks the limit. The probability of keeping
// it is a psychometric function of the rate, and the search updates a posterior over its parameters. Pure: the caller makes the launches
// and may end the search at any time. Source: A. B. Watson, D. G. Pelli, "QUEST: A Bayesian adaptive psychometric method", Perception &
// Psychophysics 33 (1983); L. L. Kontsevich, C. W. Tyler, "Bayesian adaptive estimation of psychometric slope and threshold", Vision
// Research 39 (1999).

/** @import { SustainedRate } from '../types/index.js' */
/**
 * @typedef {object} Trial
 * @property {number} ratePerSecond
 * @property {boolean} keeps            whether the launch keeps the limit
 * @property {boolean} [isDisturbed]    whether other load disturbed the launch
 */
/** @typedef {{ ratePerSecond: number } | { endedBy: 'found' | 'none' | 'launches' }} SearchStep */

/** Share of launches that keep the limit at the sustained rate, apart from lapses and luck. */
const SUSTAINED_SHARE = 0.9;
/** After this many launches, launches for the curve around the result are more useful. */
export const MAX_LAUNCHES_OF_A_SEARCH = 24;

const MIN_PER_SECOND = 20; // below this rate, a launch of a minute has too few samples for p99
const MAX_PER_SECOND = 10_000_000;
const NARROW_ENOUGH = 1.2; // upper end of the interval / lower end
const MIN_LAUNCHES = 8;
const TRIES_AT_AN_END = 2; // launches at the lowest or highest possible rate that end the search
// Factors of the rate. Steps grow while no launch has kept the limit, or none has broken it.
const STEPS = Object.freeze({ down: 2, up: 1.5, greatest: 4 });
const BEYOND_TRIED = 1.25; // upper end of the interval / highest tried rate; only the prior supports an upper end beyond this

// Probability that a launch breaks the limit for another reason than the rate.
const LAPSE = 0.04;
const LAPSE_IF_DISTURBED = 0.25;
const LUCK = 0.005; // probability that a launch keeps the limit by chance

// The prior. Closed loops send as fast as responses arrive, and under open load a cell sustains about this share of their rate.
const USUAL_SHARE = 0.7;
// Standard deviation of ln c, the logarithm of the capacity, with and without a measured rate of closed loops.
const SPREAD = { measured: 0.6, unmeasured: 3 };
const FAR = { weight: 0.1, spread: 3 }; // wide component of the prior
// Median of s, and standard deviation of ln s: launches differ by 9 %, and by 4 to 20 % within one standard deviation.
const USUAL_SLOPE = { scale: 0.05, spread: 0.8 };

const GRID_STEP = 0.02; // step of ln c
const GRID_FROM = Math.log(MIN_PER_SECOND / 4);
const GRID_SIZE = Math.ceil((Math.log(4 * MAX_PER_SECOND) - GRID_FROM) / GRID_STEP);
const SCALES = Object.freeze(Array.from({ length: 9 }, (_, index) => 0.01 * 30 ** (index / 8)));
const NEGLIGIBLE = 1e-6; // limit of a weight, relative to the greatest one
const CANDIDATES = 25; // rates that are compared to find the next one
const QUANTILES = Object.freeze({ low: 0.025, middle: 0.5, high: 0.975 });
const LOGIT = Math.log(SUSTAINED_SHARE / (1 - SUSTAINED_SHARE));

/**
 * The distribution of the capacity c and the scale s over a grid. Apart from lapses and luck, a launch keeps the limit at the rate r with
 * probability 1 / (1 + exp((ln r - ln c) / s)).
 */
class Posterior {
  /** @param {{ guessPerSecond: number | null }} start   rate of closed loops; null if unknown */
  constructor({ guessPerSecond }) {
    this.logWeights = new Float64Array(GRID_SIZE * SCALES.length);
    const centre = Math.log(USUAL_SHARE * (guessPerSecond ?? Math.sqrt(MIN_PER_SECOND * MAX_PER_SECOND)));
    const spread = guessPerSecond === null ? SPREAD.unmeasured : SPREAD.measured;
    for (let index = 0; index < GRID_SIZE; index += 1) {
      const distance = GRID_FROM + index * GRID_STEP - centre;
      const near = ((1 - FAR.weight) * normalDensity(distance / spread)) / spread;
      const far = (FAR.weight * normalDensity(distance / FAR.spread)) / FAR.spread;
      const ofCapacity = Math.log(near + far);
      for (const [slope, scale] of SCALES.entries()) {
        const z = Math.log(scale / USUAL_SLOPE.scale) / USUAL_SLOPE.spread;
        this.logWeights[index * SCALES.length + slope] = ofCapacity - z ** 2 / 2;
      }
    }
  }

  /** @param {Trial} trial */
  add({ ratePerSecond, keeps, isDisturbed = false }) {
    const lapse = isDisturbed ? LAPSE_IF_DISTURBED : LAPSE;
    const lnRate = Math.log(ratePerSecond);
    for (let index = 0; index < GRID_SIZE; index += 1) {
      const distance = lnRate - (GRID_FROM + index * GRID_STEP);
      for (let slope = 0; slope < SCALES.length; slope += 1) {
        const kept = keepingProbability(distance / SCALES[slope], lapse);
        this.logWeights[index * SCALES.length + slope] += Math.log(keeps ? kept : 1 - kept);
      }
    }
  }

  /**
   * @returns {{ lnCapacity: number, scale: number, lnSustained: number, weight: number }[]} cells of more than negligible weight; the
   *   weights add up to 1
   */
  cells() {
    let greatest = -Infinity;
    for (const weight of this.logWeights) greatest = Math.max(greatest, weight);
    const least = greatest + Math.log(NEGLIGIBLE);
    const cells = [];
    let total = 0;
    for (let index = 0; index < this.logWeights.length; index += 1) {
      if (this.logWeights[index] < least) continue;
      const lnCapacity = GRID_FROM + Math.floor(index / SCALES.length) * GRID_STEP;
      const scale = SCALES[index % SCALES.length];
      const weight = Math.exp(this.logWeights[index] - greatest);
      total += weight;
      cells.push({ lnCapacity, scale, lnSustained: lnCapacity - LOGIT * scale, weight });
    }
    return cells.map((cell) => ({ ...cell, weight: cell.weight / total }));
  }
}

/** @param {number} z */
function normalDensity(z) {
  return Math.exp(-(z ** 2) / 2);
}

/** @param {number} z   ln(rate / capacity) / s @param {number} lapse */
function keepingProbability(z, lapse) {
  return LUCK + (1 - lapse - LUCK) / (1 + Math.exp(z));
}

/** @typedef {ReturnType<Posterior['cells']>} PosteriorCells */

/** @param {PosteriorCells} cells @returns {{ low: number, middle: number, high: number }} quantiles of ln of the sustained rate */
function computeQuantiles(cells) {
  const sorted = cells.toSorted((one, other) => one.lnSustained - other.lnSustained);
  /** @param {number} share */
  const at = (share) => {
    let sum = 0;
    for (const { lnSustained, weight } of sorted) {
      sum += weight;
      if (sum >= share) return lnSustained;
    }
    return sorted[sorted.length - 1].lnSustained;
  };
  return { low: at(QUANTILES.low), middle: at(QUANTILES.middle), high: at(QUANTILES.high) };
}

/**
 * @param {readonly Trial[]} trials   all launches of a cell under open load
 * @param {PosteriorCells} cells
 * @returns {SustainedRate | null} null if no launch kept the limit
 */
function answerFrom(trials, cells) {
  if (trials.every(({ keeps }) => !keeps)) return null;
  const { low, middle, high } = computeQuantiles(cells);
  const highest = Math.max(...trials.map(({ ratePerSecond }) => ratePerSecond));
  const isBounded = rateAt(high) < MAX_PER_SECOND && rateAt(high) <= BEYOND_TRIED * highest;
  return { estimate: rateAt(middle), low: rateAt(low), high: rateAt(high), isBounded };
}

/** @param {number} lnRate */
function rateAt(lnRate) {
  return within(Math.exp(lnRate));
}

/** @param {number} rate @returns the nearest possible rate */
function within(rate) {
  return Math.min(MAX_PER_SECOND, Math.max(MIN_PER_SECOND, Math.round(rate)));
}

/**
 * @param {readonly Trial[]} trials
 * @param {number | null} guessPerSecond   the rate of closed loops; null if unknown
 * @returns {SustainedRate | null} the highest rate that keeps the limit, as estimated from the trials; null if none of them kept it
 */
export function estimateSustainedRate(trials, guessPerSecond) {
  const posterior = new Posterior({ guessPerSecond });
  for (const trial of trials) posterior.add(trial);
  return answerFrom(trials, posterior.cells());
}

export class RateSearch {
  /** @param {{ guessPerSecond: number | null }} start   the rate of closed loops; null if unknown */
  constructor(start) {
    this.posterior = new Posterior(start);
    /** @type {Trial[]} */
    this.trials = [];
    /** @type {PosteriorCells | undefined} cache, until the next trial */
    this.known = undefined;
  }

  /** @param {Trial} trial */
  add(trial) {
    this.trials.push(trial);
    this.posterior.add(trial);
    this.known = undefined;
  }

  cells() {
    this.known ??= this.posterior.cells();
    return this.known;
  }

  /** @returns {SustainedRate | null} the estimate from the trials so far; null if none of them kept the limit */
  answer() {
    return answerFrom(this.trials, this.cells());
  }

  /** @returns {SearchStep} */
  next() {
    const { trials } = this;
    const kept = trials.filter(({ keeps }) => keeps).map(({ ratePerSecond }) => ratePerSecond);
    const broken = trials.filter(({ keeps }) => !keeps).map(({ ratePerSecond }) => ratePerSecond);
    const [least, greatest] = [MIN_PER_SECOND, MAX_PER_SECOND];
    if (kept.length === 0 && isReached(broken, least)) return { endedBy: 'none' };
    if (isReached(kept, greatest)) return { endedBy: 'found' };
    if (trials.length >= MAX_LAUNCHES_OF_A_SEARCH)
      return { endedBy: kept.length === 0 ? 'none' : 'launches' };
    if (trials.length === 0) return { ratePerSecond: rateAt(computeQuantiles(this.cells()).middle) };
    /** @param {number} base */
    const stepOf = (base) => Math.min(STEPS.greatest, base ** Math.ceil(trials.length / 2));
    if (kept.length === 0) return { ratePerSecond: within(Math.min(...broken) / stepOf(STEPS.down)) };
    if (broken.length === 0) return { ratePerSecond: within(Math.max(...kept) * stepOf(STEPS.up)) };
    const { low, high } = computeQuantiles(this.cells());
    const isNarrow = trials.length >= MIN_LAUNCHES && high - low <= Math.log(NARROW_ENOUGH);
    return isNarrow ? { endedBy: 'found' } : { ratePerSecond: mostInformativeRate(this.cells()) };
  }
}

/** @param {number[]} rates @param {number} end */
function isReached(rates, end) {
  return rates.filter((rate) => rate === end).length >= TRIES_AT_AN_END;
}

/** @param {PosteriorCells} cells @returns the rate at which a launch is expected to reduce the variance of the result most */
function mostInformativeRate(cells) {
  const { low, high } = computeQuantiles(cells);
  let slope = 0;
  for (const { scale, weight } of cells) slope += scale * weight;
  const [from, to] = [low - slope, high + 2 * LOGIT * slope];
  let best = { lnRate: from, variance: -Infinity };
  for (let candidate = 0; candidate < CANDIDATES; candidate += 1) {
    const lnRate = from + ((to - from) * candidate) / (CANDIDATES - 1);
    const variance = explainedVariance(cells, lnRate);
    if (variance > best.variance) best = { lnRate, variance };
  }
  return rateAt(best.lnRate);
}

/**
 * @param {PosteriorCells} cells
 * @param {number} lnRate
 * @returns the part of the variance of ln of the sustained rate that a launch at that rate is expected to explain, plus a constant
 */
function explainedVariance(cells, lnRate) {
  // Sums of weights and values, for a launch that keeps the limit and for one that breaks it.
  let [kept, keptSum] = [0, 0];
  let [broken, brokenSum] = [0, 0];
  for (const { lnCapacity, scale, lnSustained, weight } of cells) {
    const share = weight * keepingProbability((lnRate - lnCapacity) / scale, LAPSE);
    const rest = weight - share;
    kept += share;
    keptSum += share * lnSustained;
    broken += rest;
    brokenSum += rest * lnSustained;
  }
  return keptSum ** 2 / kept + brokenSum ** 2 / broken;
}
