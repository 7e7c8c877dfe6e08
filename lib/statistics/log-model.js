// A model of rows that were measured side by side. The logarithm of each value is the sum of the level of its row, the effect of its group,
// and noise. Outliers get less weight. Rows have different noise variances, which a few launches estimate badly, so the variances are
// shrunk towards each other.

import { groupedBy } from '../format/lists.js';
import { median } from './rank-tests.js';
import { logGamma, studentQuantile, studentTail } from './student.js';
import { sum, sumBy } from './sum.js';

/** @import { Estimate, Interval } from '../types/index.js' */
/** @typedef {Estimate & { simultaneous?: Interval }} ComparedEstimate */
/** @typedef {ReadonlyMap<number, number>} LogValues   group → logarithm of its value */
/** @typedef {{ variance: number, degrees: number }} Spread   the variance of one value, and its degrees of freedom */
/**
 * @typedef {object} FittedRow
 * @property {number} level   in a group of mean effect
 * @property {Spread} spread   of a value, without group effects
 * @property {LogValues} weights   of the values: 1, or less for outliers
 */
/**
 * @typedef {object} LogModel
 * @property {FittedRow[]} rows
 * @property {number} sharedDegrees   upper limit of the degrees of freedom of any combination of rows
 * @property {number} groups   number of groups
 * @property {Spread} groupMean   variance that the groups add to a level, but not to a difference
 */
/**
 * @typedef {object} Contrast           a level, or a difference of levels
 * @property {number} difference
 * @property {number} standardError
 * @property {number} degrees          of freedom
 */

// Source: P. J. Huber, "Robust Statistics", 1981, chapters 6 and 7 (proposal 2). With normal noise this costs 5 % of the
// precision.
const HUBER_THRESHOLD = 1.345;
/** Mean square of standard normal values that are clipped at HUBER_THRESHOLD. */
const CLIPPED_MEAN_SQUARE = 0.7101;
const MAX_STEPS = 50;
const MAX_SWEEPS = 200; // needed for rows that lack many groups; about ten suffice if no group is missing
const MIN_CHANGE = 1e-10; // smallest change of a level; smaller differences of logarithms are rounding errors
const MIN_RESIDUAL = 10 * MIN_CHANGE;
const MIN_WEIGHT_CHANGE = 1e-4; // smaller changes of all weights end the fit
const MIN_PIVOT = 1e-11; // relative to the weight of a row or group; smaller pivots are rounding errors
const MIN_DEGREES = 1e-6; // fewest degrees of freedom of a row; fewer are rounding errors
const MIN_VARIANCE = 1e-12; // variance of a row without noise, if other rows have noise

// Log-normal hyperprior of the prior degrees of freedom (d0 of Smyth): its median, and the standard deviation of its logarithm. The median
// is low, since the standard deviations of rows often differ by a factor of 2. test/simulation/coverage.js shows the coverage that results.
const MEDIAN_PRIOR_DEGREES = 3;
const PRIOR_DEGREES_LOG_SD = 1;
const PRIOR_DEGREES = [1, 1.5, 2, 3, 4.5, 7, 12, 25, 50];
const HALVINGS = 30;

/** Fewest launches or groups with an interval. */
export const MIN_LAUNCHES = 2;
/** Fewest repetitions of single windows before a run may end, since an interval of fewer may be narrow by chance. */
const MIN_WINDOWS = 3;
/**
 * @param {number} launches   fewest launches of each row
 * @param {boolean} areSliced   all launches were measured in slices, which show more of the noise than a single window
 * @returns {number} fewest repetitions before an adaptive run may end
 */
export function leastRepetitions(launches, areSliced) {
  return areSliced ? launches : Math.max(launches, MIN_WINDOWS);
}

/** Ratio of the ends of an interval above which it is called unknown. */
const MAX_WIDTH = 100;
/** Confidence level of all intervals. */
export const LEVEL = 0.95;
const TAIL_PROBABILITY = (1 - LEVEL) / 2;

/** @param {number[]} values   one per group, all above 0 @returns {LogValues} */
export function logsByGroup(values) {
  return new Map(values.map((value, group) => [group, Math.log(value)]));
}

/**
 * @param {LogValues[]} rows   at least one, none of them empty
 * @param {Spread[] | null} [expected]   spreads known from elsewhere. They are the result if no row has a degree of freedom, as with a
 *   single group. Otherwise their mean counts as one further row, and their ratios are the expected ratios of the variances of the rows
 * @returns {LogModel}
 */
export function fitLogModel(rows, expected = null) {
  const fit = new LogModelFit(rows, expected);
  for (let step = 0; step < MAX_STEPS; step += 1) {
    fit.fitLevels();
    fit.updateSpreads();
    if (fit.updateWeights() < MIN_WEIGHT_CHANGE) break;
  }
  return fit.model();
}

/**
 * The state of a row during the fit.
 * @typedef {object} RowState
 * @property {LogValues} values
 * @property {number} level
 * @property {LogValues} weights   of the values in the level and in the effects of the groups
 * @property {number} rowWeight   further weight of all its values in the effects of the groups, at most 1
 * @property {number} degrees   residual degrees of freedom
 * @property {LogValues} residuals
 * @property {Spread} spread
 */

class LogModelFit {
  /** @param {LogValues[]} rows @param {Spread[] | null} expected */
  constructor(rows, expected) {
    this.expected = expected;
    this.groups = listGroups(rows);
    this.hasEffects = rows.length > 1;
    /** @type {Map<number, number>} by group */
    this.effects = new Map(this.groups.map((group) => [group, 0]));
    const degrees = residualDegrees(rows.map(withEqualWeight), this.groups);
    /** @type {RowState[]} */
    this.rows = rows.map((values, index) => ({
      values,
      level: median([...values.values()]),
      weights: mapValues(values, () => 1),
      rowWeight: 1,
      degrees: degrees[index],
      residuals: new Map(),
      spread: { variance: 0, degrees: 0 },
    }));
  }

  /** Alternates between effects and levels until the levels stay the same. */
  fitLevels() {
    for (let sweep = 0; sweep < MAX_SWEEPS; sweep += 1) {
      if (this.hasEffects) this.updateEffects();
      if (this.updateLevels() < MIN_CHANGE) break;
    }
  }

  /** One backfitting step: sets the effect of each group to its weighted mean residual, then centres the effects. */
  updateEffects() {
    const { effects } = this;
    for (const group of effects.keys()) {
      let total = 0;
      let weight = 0;
      for (const { values, level, weights, rowWeight } of this.rows) {
        const own = rowWeight * (weights.get(group) ?? 0);
        total += own * ((values.get(group) ?? 0) - level);
        weight += own;
      }
      effects.set(group, total / weight);
    }
    const mean = sum(effects.values()) / effects.size;
    for (const [group, effect] of effects) effects.set(group, effect - mean);
  }

  /** @returns {number} the greatest change of a level */
  updateLevels() {
    let change = 0;
    for (const row of this.rows) {
      const before = row.level;
      row.level = weightedMean(row, this.effects);
      change = Math.max(change, Math.abs(row.level - before));
    }
    return change;
  }

  updateSpreads() {
    const { rows, effects, expected } = this;
    for (const row of rows)
      row.residuals = mapValues(row.values, (value, group) => value - row.level - (effects.get(group) ?? 0));
    const spreads = shrunkSpreads(rows.map(ownSpread), expected);
    for (const [index, row] of rows.entries()) row.spread = spreads[index];
  }

  /** @returns {number} the greatest change of a weight */
  updateWeights() {
    const { rows } = this;
    const rowWeights = computeRowWeights(rows.map(({ spread }) => spread));
    let change = 0;
    for (const [index, row] of rows.entries()) {
      const { weights: before, rowWeight: rowBefore } = row;
      row.rowWeight = rowWeights[index];
      row.weights = mapValues(row.residuals, (residual) => huberWeight(residual, row.spread));
      const changes = [...row.weights].map(([group, weight]) => Math.abs(weight - (before.get(group) ?? 0)));
      change = Math.max(change, Math.abs(row.rowWeight - rowBefore), ...changes);
    }
    const degrees = residualDegrees(rows, this.groups);
    for (const [index, row] of rows.entries()) row.degrees = degrees[index];
    return change;
  }

  /** @returns {LogModel} */
  model() {
    const { rows, effects, expected, groups } = this;
    const inflation = smallSampleFactor(rows);
    const ownDegrees = sumBy(rows, ({ degrees }) => degrees);
    const sharedDegrees = ownDegrees + (expected === null ? 0 : meanSpread(expected).degrees);
    const spreads = rows.map(({ spread }) => spread);
    return {
      rows: rows.map(({ level, weights, spread }) => ({
        level,
        weights,
        spread: {
          variance: inflation * spread.variance,
          // All rows use the same information on noise, so it counts once.
          degrees: Math.min(spread.degrees, sharedDegrees),
        },
      })),
      sharedDegrees,
      groups: groups.length,
      groupMean: groupMeanSpread([...effects.values()], spreads),
    };
  }
}

/** @param {LogValues[]} rows */
function listGroups(rows) {
  return [...new Set(rows.flatMap((row) => [...row.keys()]))];
}

/** @param {LogValues} values */
function withEqualWeight(values) {
  return { values, rowWeight: 1 };
}

/**
 * Noisy rows count less. The limit of 1 keeps a quiet row from determining the group effects alone.
 * @param {Spread[]} spreads
 * @returns {number[]} weight of each row in the group effects: median variance / its variance, at most 1. It is 1 for up to two rows, whose
 *   noise cannot be distinguished, and for a row without a degree of freedom, whose variance is unknown
 */
function computeRowWeights(spreads) {
  const known = spreads.filter(({ degrees }) => degrees > 0).map(({ variance }) => variance);
  if (spreads.length < 3 || known.length === 0) return spreads.map(() => 1);
  const medianVariance = Math.max(median(known), MIN_VARIANCE); // a row of weight 0 would leave its groups without an effect
  return spreads.map(({ variance, degrees }) =>
    degrees === 0 || variance <= medianVariance ? 1 : medianVariance / variance,
  );
}

/**
 * The diagonal of I − H, where H maps the values to the values that the model fits. Its sum is the number of values less the number of
 * free levels and effects. Of the normal equations, the smaller side is inverted after the other one is eliminated. Source: S. R. Searle,
 * "Linear Models", chapter 7 (two-way classification with unequal numbers).
 * @param {Pick<RowState, 'values' | 'rowWeight'>[]} rows
 * @param {number[]} groups
 * @returns {number[]} residual degrees of freedom of each row
 */
function residualDegrees(rows, groups) {
  if (rows.length === 1) return [rows[0].values.size - 1];
  const indexes = new Map(groups.map((group, index) => [group, index]));
  const isByRow = rows.length <= groups.length;
  const size = Math.min(rows.length, groups.length);
  const members = rows.flatMap(({ values, rowWeight: weight }, row) =>
    [...values.keys()].map((group) => {
      const index = indexes.get(group) ?? 0;
      const [kept, eliminated] = isByRow ? [row, index] : [index, row];
      return { row, kept, eliminated, weight };
    }),
  );
  const blocks = [...groupedBy(members, ({ eliminated }) => eliminated).values()].map((block) => ({
    block,
    total: sumBy(block, ({ weight }) => weight),
  }));
  const matrix = Array.from({ length: size }, () => new Float64Array(size));
  const least = new Float64Array(size);
  for (const { block, total } of blocks) {
    for (const one of block) {
      matrix[one.kept][one.kept] += one.weight;
      least[one.kept] += MIN_PIVOT * one.weight;
      for (const other of block) matrix[one.kept][other.kept] -= (one.weight * other.weight) / total;
    }
  }
  invert(matrix, least);
  const degrees = rows.map(() => 0);
  for (const { block, total } of blocks) {
    const shares = block.map(({ kept }) =>
      sumBy(block, (other) => (matrix[kept][other.kept] * other.weight) / total),
    );
    const mean = sumBy(block.keys(), (index) => (block[index].weight * shares[index]) / total);
    block.forEach(({ row, kept, weight }, index) => {
      degrees[row] += 1 - weight * (1 / total + matrix[kept][kept] - 2 * shares[index] + mean);
    });
  }
  return degrees.map((own) => (own < MIN_DEGREES ? 0 : own));
}

/** @param {LogValues[]} rows @returns {boolean} true if the model fits any values exactly, so that they contain no information on noise */
export function isSaturated(rows) {
  return sum(residualDegrees(rows.map(withEqualWeight), listGroups(rows))) === 0;
}

/**
 * Inverts a symmetric matrix, without the parameters that depend on others. Source: J. H. Goodnight, "A Tutorial on the SWEEP
 * Operator", The American Statistician 33 (1979).
 * @param {Float64Array[]} matrix   changed to a generalised inverse
 * @param {Float64Array} least   pivots up to these are rounding errors
 */
function invert(matrix, least) {
  const isSkipped = matrix.map(() => false);
  for (let pivot = 0; pivot < matrix.length; pivot += 1) {
    const own = matrix[pivot];
    const divisor = own[pivot];
    if (divisor <= least[pivot]) {
      isSkipped[pivot] = true;
      continue;
    }
    for (let column = 0; column < own.length; column += 1) own[column] /= divisor;
    for (const [index, row] of matrix.entries()) {
      const factor = row[pivot];
      if (index === pivot || factor === 0) continue;
      for (let column = 0; column < row.length; column += 1) row[column] -= factor * own[column];
      row[pivot] = -factor / divisor;
    }
    own[pivot] = 1 / divisor;
  }
  isSkipped.forEach((skipped, index) => {
    if (!skipped) return;
    matrix[index].fill(0);
    for (const row of matrix) row[index] = 0;
  });
}

/** @param {LogValues} row @param {(value: number, group: number) => number} change @returns {LogValues} */
function mapValues(row, change) {
  const changed = new Map();
  for (const [group, value] of row) changed.set(group, change(value, group));
  return changed;
}

/** @param {RowState} row @param {LogValues} effects @returns {number} the mean of its values without the effects */
function weightedMean({ values, weights }, effects) {
  let total = 0;
  let all = 0;
  for (const [group, value] of values) {
    const weight = weights.get(group) ?? 0;
    total += weight * (value - (effects.get(group) ?? 0));
    all += weight;
  }
  return total / all;
}

/**
 * @param {number} residual
 * @param {Spread} spread   of the row
 * @returns {number} weight: 1 up to the threshold, less beyond it; 1 without a degree of freedom, where residuals are rounding errors
 */
function huberWeight(residual, { variance, degrees }) {
  if (degrees === 0) return 1;
  const threshold = HUBER_THRESHOLD * Math.sqrt(variance);
  return Math.abs(residual) <= Math.max(threshold, MIN_RESIDUAL) ? 1 : threshold / Math.abs(residual);
}

/**
 * Source: P. J. Huber, as above, section 7.6.
 * @param {RowState[]} rows
 * @returns {number} factor by which the variance of an estimate from few values exceeds that from many
 */
function smallSampleFactor(rows) {
  const all = rows.flatMap(({ weights }) => [...weights.values()]);
  const unclipped = all.filter((weight) => weight === 1).length / all.length;
  const parameters = 1 - sumBy(rows, ({ degrees }) => degrees) / all.length;
  return unclipped === 0 ? 1 : (1 + (parameters * (1 - unclipped)) / unclipped) ** 2;
}

/**
 * Robust variance of a row (Huber, proposal 2). The threshold is relative to the standard deviation of the row itself, so that usual values
 * of a noisy row are not outliers.
 * @param {RowState} row @returns {Spread}
 */
function ownSpread({ residuals, degrees }) {
  const all = [...residuals.values()];
  if (degrees === 0 || all.every((residual) => Math.abs(residual) < MIN_RESIDUAL))
    return { variance: 0, degrees };
  const squares = all.map((residual) => residual ** 2);
  let variance = sum(squares) / degrees;
  for (let step = 0; step < HALVINGS; step += 1) {
    const clip = (HUBER_THRESHOLD ** 2 * variance * degrees) / squares.length;
    let total = 0;
    for (const square of squares) total += Math.min(square, clip);
    const next = total / degrees / CLIPPED_MEAN_SQUARE;
    if (next === variance) break;
    variance = next;
  }
  return { variance, degrees };
}

/**
 * Shrinks variances under a scaled inverse χ² prior, to a weighted mean of the row's variance and the prior variance. Source: G. K. Smyth,
 * Statistical Applications in Genetics and Molecular Biology 3 (2004). The prior is fitted by penalised maximum likelihood instead of
 * by moments, which need more rows and more launches.
 * @param {Spread[]} spreads @param {Spread[] | null} expected   by row; null if none is expected @returns {Spread[]}
 */
function shrunkSpreads(spreads, expected) {
  // With a single group the rows contain no information on their noise.
  if (expected !== null && spreads.every(({ degrees }) => degrees === 0)) return expected;
  const mean = expected === null ? null : meanSpread(expected);
  const shares = spreads.map((_, row) =>
    expected === null || mean === null ? 1 : expected[row].variance / mean.variance,
  );
  const scaled = spreads.map(({ variance, degrees }, row) => ({ variance: variance / shares[row], degrees }));
  const known = [...scaled, ...(mean === null ? [] : [mean])].filter(({ degrees }) => degrees > 0);
  if (known.length < 2 || known.every(({ variance }) => variance === 0)) return spreads;
  const prior = fitPrior(
    known.map(({ variance, degrees }) => ({ variance: Math.max(variance, MIN_VARIANCE), degrees })),
  );
  return scaled.map(({ variance, degrees }, row) => ({
    variance:
      (shares[row] * (degrees * variance + prior.degrees * prior.variance)) / (degrees + prior.degrees),
    degrees: degrees + prior.degrees,
  }));
}

/** @param {Spread[]} spreads @returns {Spread} */
function meanSpread(spreads) {
  const meanOf = (/** @type {(spread: Spread) => number} */ read) => sumBy(spreads, read) / spreads.length;
  return { variance: meanOf(({ variance }) => variance), degrees: meanOf(({ degrees }) => degrees) };
}

/** @param {Spread[]} known at least two @returns {Spread} the prior variance and the prior degrees of freedom */
function fitPrior(known) {
  const candidates = PRIOR_DEGREES.map((degrees) => {
    const prior = { variance: fitPriorVariance(known, degrees), degrees };
    const penalty = (Math.log(degrees / MEDIAN_PRIOR_DEGREES) / PRIOR_DEGREES_LOG_SD) ** 2 / 2;
    return { prior, likelihood: sumBy(known, (spread) => logLikelihood(spread, prior)) - penalty };
  });
  return candidates.reduce((best, one) => (one.likelihood > best.likelihood ? one : best)).prior;
}

/** @param {Spread} spread @param {Spread} prior @returns {number} log likelihood of an F distribution, up to a constant */
function logLikelihood({ variance, degrees }, prior) {
  const half = (degrees + prior.degrees) / 2;
  const ratio = (degrees * variance) / (prior.degrees * prior.variance);
  return (
    logGamma(half) - logGamma(prior.degrees / 2) + (degrees / 2) * Math.log(ratio) - half * Math.log1p(ratio)
  );
}

/** @param {Spread[]} known @param {number} priorDegrees @returns {number} the maximum-likelihood estimate of the prior variance */
function fitPriorVariance(known, priorDegrees) {
  const all = sumBy(known, ({ degrees }) => degrees);
  const sums = known.map(({ variance, degrees }) => degrees * variance);
  const weighted = known.map(({ variance, degrees }) => (degrees + priorDegrees) * degrees * variance);
  const excess = (/** @type {number} */ variance) => {
    let total = 0;
    for (let row = 0; row < sums.length; row += 1)
      total += weighted[row] / (priorDegrees * variance + sums[row]);
    return total - all;
  };
  const variances = known.map(({ variance }) => variance);
  let [low, high] = [Math.min(...variances) / 10, Math.max(...variances) * 10];
  for (let halving = 0; halving < HALVINGS; halving += 1) {
    const middle = Math.sqrt(low * high);
    if (excess(middle) > 0) low = middle;
    else high = middle;
  }
  return Math.sqrt(low * high);
}

/** @param {number[]} effects   0 for a single row @param {Spread[]} spreads @returns {Spread} spread of the mean of the effects */
function groupMeanSpread(effects, spreads) {
  if (effects.length === 1) return { variance: 0, degrees: 1 };
  const degrees = effects.length - 1;
  const seen = sumBy(effects, (effect) => effect ** 2) / degrees;
  // The variances of the levels already include the noise of the rows.
  const noise = sumBy(spreads, ({ variance }) => variance) / spreads.length ** 2;
  return { variance: Math.max(0, seen - noise) / effects.length, degrees };
}

/**
 * Source of the degrees: F. E. Satterthwaite, Biometrics Bulletin 2 (1946).
 * @param {Spread[]} parts   variances to add up
 * @param {number} most      upper limit of the degrees of freedom
 * @returns {{ standardError: number, degrees: number }} those of a sum of independent terms with these variances
 */
function combined(parts, most) {
  const variance = sumBy(parts, (part) => part.variance);
  if (parts.some((part) => part.degrees === 0)) return { standardError: Math.sqrt(variance), degrees: 0 };
  const known = sumBy(parts, (part) => part.variance ** 2 / part.degrees);
  const degrees = variance === 0 ? most : variance ** 2 / known;
  return { standardError: Math.sqrt(variance), degrees: Math.min(degrees, most) };
}

/**
 * @param {LogModel} model
 * @param {number} row
 * @param {(group: number) => boolean} [isUsed]
 * @returns {Spread} spread of the row's level in these groups
 */
export function levelSpread({ rows }, row, isUsed = () => true) {
  const { spread, weights } = rows[row];
  const count = sumBy(weights, ([group, weight]) => (isUsed(group) ? weight : 0));
  return { variance: spread.variance / count, degrees: spread.degrees };
}

/**
 * @param {LogModel} model
 * @param {ReadonlyMap<number, number>} coefficients   by row, with a sum of 0. The rows have the same groups
 * @returns {Contrast}
 */
export function computeContrast(model, coefficients) {
  const parts = [...coefficients].map(([row, times]) => {
    const { variance, degrees } = levelSpread(model, row);
    return { variance: times ** 2 * variance, degrees };
  });
  const difference = sumBy(coefficients, ([row, times]) => times * model.rows[row].level);
  return { difference, ...combined(parts, model.sharedDegrees) };
}

/** @param {LogModel} model @param {number} row @param {number} other @returns {number} */
function countShared({ rows }, row, other) {
  return sumBy(rows[row].weights.keys(), (group) => Number(rows[other].weights.has(group)));
}

/**
 * The difference of the levels of two rows. Its standard error counts only groups that both rows have. Rows without such a group are
 * compared through a third row.
 * @param {LogModel} model
 * @param {number} row
 * @param {number} reference
 * @returns {{ contrast: Contrast, n: number } | null} n: number of these groups, for a third row the lesser of both numbers; null
 *   if no row connects the two
 */
export function computeDifference(model, row, reference) {
  const path = [row, ...bridgeBetween(model, row, reference), reference];
  const steps = path.slice(1).map((other, step) => [path[step], other]);
  const n = Math.min(...steps.map(([one, other]) => countShared(model, one, other)));
  if (n === 0) return null;
  const parts = steps.flatMap(([one, other]) => [
    levelSpread(model, one, (group) => model.rows[other].weights.has(group)),
    levelSpread(model, other, (group) => model.rows[one].weights.has(group)),
  ]);
  const difference = model.rows[row].level - model.rows[reference].level;
  return { contrast: { difference, ...combined(parts, model.sharedDegrees) }, n };
}

/**
 * @param {LogModel} model
 * @param {number} row
 * @param {number} reference
 * @returns {number[]} the row that shares most groups with both; empty if none is needed or exists
 */
function bridgeBetween(model, row, reference) {
  if (countShared(model, row, reference) > 0) return [];
  const shared = model.rows.map((_, other) =>
    Math.min(countShared(model, row, other), countShared(model, other, reference)),
  );
  const most = Math.max(...shared);
  return most === 0 ? [] : [shared.indexOf(most)];
}

/** @param {LogModel} model @param {number} row @returns {Contrast} the level, with the uncertainty of the groups */
export function computeLevel(model, row) {
  return computeMeanLevel(model, [row]);
}

/** @param {LogModel} model @param {number[]} rows   at least one @returns {Contrast} the mean of their levels, with the uncertainty of the groups */
export function computeMeanLevel(model, rows) {
  const difference = sumBy(rows, (row) => model.rows[row].level) / rows.length;
  const parts = rows.map((row) => {
    const { variance, degrees } = levelSpread(model, row);
    return { variance: variance / rows.length ** 2, degrees };
  });
  if (model.groups > 1 && parts.some((part) => part.degrees === 0)) {
    // The effects of the groups contain the noise of these rows. The variance is that of a mean over as many groups as the row with the
    // fewest groups has.
    const { variance, degrees } = model.groupMean;
    const least = Math.min(...rows.map((row) => model.rows[row].weights.size));
    return { difference, standardError: Math.sqrt((variance * model.groups) / least), degrees };
  }
  const { standardError, degrees } = combined(parts, model.sharedDegrees);
  return { difference, ...combined([{ variance: standardError ** 2, degrees }, model.groupMean], Infinity) };
}

/** @param {Contrast} one @param {Contrast} other   from a model without common groups @returns {Contrast} one less the other */
export function differenceApart(one, other) {
  const parts = [one, other].map(({ standardError, degrees }) => ({ variance: standardError ** 2, degrees }));
  return { difference: one.difference - other.difference, ...combined(parts, Infinity) };
}

/**
 * @param {Contrast} contrast
 * @param {number} [comparisons]   number of intervals that hold simultaneously at 95 %. Source: O. J. Dunn, Journal of the American Statistical
 *   Association 56 (1961), known as Bonferroni’s correction
 * @returns {{ low: number, high: number }} on the scale of the values
 */
function computeInterval({ difference, standardError, degrees }, comparisons = 1) {
  if (standardError === 0) return { low: Math.exp(difference), high: Math.exp(difference) };
  const margin = studentQuantile(TAIL_PROBABILITY / comparisons, degrees) * standardError;
  return { low: Math.exp(difference - margin), high: Math.exp(difference + margin) };
}

/**
 * @param {Contrast} contrast
 * @param {number} n   launches, or groups that both rows have
 * @param {number} [least]   fewest launches or groups for an interval
 * @param {number} [comparisons]   number of claims that must hold together; without it there is no simultaneous interval
 * @returns {ComparedEstimate} on the scale of the values; the interval that a table prints is at most MAX_WIDTH wide, or there is none
 */
export function makeEstimate(contrast, n, least = MIN_LAUNCHES, comparisons = undefined) {
  const estimate = Math.exp(contrast.difference);
  const none = /** @type {const} */ ({ estimate, low: estimate, high: estimate, level: null, n });
  if (n < least || !(contrast.degrees > 0)) return { ...none, method: n > 1 ? 'unknown' : 'range' };
  const interval = computeInterval(contrast);
  const simultaneous = comparisons === undefined ? undefined : computeInterval(contrast, comparisons);
  const { low, high } = simultaneous ?? interval;
  if (!(high <= MAX_WIDTH * low)) return { ...none, method: 'unknown' };
  const known = /** @type {const} */ ({ estimate, ...interval, level: LEVEL, n, method: 'log-model' });
  return simultaneous === undefined ? known : { ...known, simultaneous };
}

/**
 * @param {Contrast} contrast
 * @param {number} [nullDifference]
 * @returns {number} two-sided p for the hypothesis that the true difference is `nullDifference`
 */
export function computeP({ difference, standardError, degrees }, nullDifference = 0) {
  if (standardError === 0) return difference === nullDifference ? 1 : 0;
  return 2 * studentTail(Math.abs(difference - nullDifference) / standardError, degrees);
}
