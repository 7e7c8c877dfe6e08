// Decides the verdicts on the rows of a group from its launches, for table, charts, findings and recommend: which rows may be ranked, and
// which of two is better. compare has the same reasons against a verdict, and decides the verdict on two runs in statistics/verdict.js. Only
// the headline of a scenario ranks: in a closed loop, tails of latency are service times.

import { headlineMeasure, isHigherBetter, rankingScore, readHeadline } from '../../cell/headline.js';
import { seriesLabel } from '../../cell/labels.js';
import { findFlag, isFault } from '../../format/result-flags.js';
import { modelHeadlines } from '../../results/launch-model.js';
import { MIN_LAUNCHES } from '../../statistics/log-model.js';
import { claimDirection } from '../../statistics/verdict.js';

/** @import { Estimate, MeasuredOutcome, Reason, RowVerdict as Verdict } from '../../types/index.js' */
/** @import { ComparedEstimate, LaunchModel } from '../../results/launch-model.js' */
/** @import { KindIn } from './transport-kinds.js' */
/**
 * A row compared with another row of its group, which is often the reference.
 * @typedef {object} ComparedOutcome
 * @property {MeasuredOutcome} outcome
 * @property {MeasuredOutcome | null} base    the other row; null if one of its launches failed, so that only the saved ratio exists
 * @property {ComparedEstimate} ratio
 * @property {Verdict} verdict
 * @property {Reason | null} why  why the verdict is 'none'; null for another verdict
 * @property {string} kind        codes of the properties in which it differs in kind from the reference; '' if there are none
 */
/**
 * The best row of one group.
 * @typedef {object} Leader
 * @property {MeasuredOutcome[]} ranked    rows of one kind, the best estimate first
 * @property {MeasuredOutcome[]} faster    rows of other kinds with better estimates than all ranked rows
 * @property {MeasuredOutcome | null} runnerUp    the best row that the first is not clearly better than, or else the second; null if only
 *   one row is ranked
 * @property {Verdict} verdict             verdict on the first against the runner-up; 'better' if it is fastest
 * @property {Reason | null} why           why the verdict is 'none'; null for another verdict
 * @property {ComparedEstimate | null} ratio   of the first to the runner-up; null if unknown, or without a runner-up
 */

/** @param {readonly string[]} codes   of the flags of a row @returns {string | null} the first one that keeps the row from being ranked */
export function unrankedBy(codes) {
  return codes.find((code) => findFlag(code)?.unranked !== undefined) ?? null;
}

/** @param {Pick<MeasuredOutcome, 'flags'>} outcome @returns {boolean} true if a fault excludes the row from comparisons */
export function hasUntrueLevel({ flags }) {
  return unrankedBy(flags.map(({ code }) => code).filter(isFault)) !== null;
}

/**
 * A verdict in tables, charts and compare requires enough launches for an interval, and no flag because of which a row is not ranked, such as
 * 'quick' or 'lost'.
 * @param {Pick<Estimate, 'level' | 'method' | 'n'> | null} estimate
 * @param {{ least: number, of: string, codes?: string[] }} launches    of: what is counted; codes: the codes of their flags
 * @returns {Reason | null} why there is no verdict; null if there may be one
 */
export function noVerdictReason(estimate, { least, of, codes = [] }) {
  const code = unrankedBy(codes);
  if (code !== null) return { code };
  if (estimate?.method === 'unknown' && estimate.n >= least) return { code: 'interval-unknown', of };
  return estimate === null || estimate.level === null ? { code: 'few-launches', least, of } : null;
}

/**
 * @param {Pick<MeasuredOutcome, 'headline' | 'measures' | 'flags'>} outcome
 * @returns {Reason | null} why it is never called faster or slower than another row; null if it may be
 */
export function notRankedReason(outcome) {
  const codes = outcome.flags.map(({ code }) => code);
  if (headlineMeasure(outcome).better === null) return { code: 'no-direction' };
  return noVerdictReason(readHeadline(outcome), { least: MIN_LAUNCHES, of: 'launches', codes });
}

/** Models by the rows of a table, which several findings compare. @type {WeakMap<MeasuredOutcome[], LaunchModel>} */
const models = new WeakMap();

/**
 * @param {MeasuredOutcome[]} measured    all of one group, at least one
 * @returns {(first: MeasuredOutcome, second: MeasuredOutcome) => ComparedEstimate | null} first / second; null if a launch has
 *   no value above 0, or if no groups of launches connect the two. The interval is corrected for the comparison of one row with all others
 */
function ratiosIn(measured) {
  let model = models.get(measured);
  const comparisons = Math.max(1, measured.length - 1);
  return (first, second) => {
    // Saved ratios are preferred, because the table shows them.
    if (first.ratio?.to === seriesLabel(second.cell)) return first.ratio;
    if (second.ratio?.to === seriesLabel(first.cell)) return inverse(second.ratio);
    model ??= modelHeadlines(measured);
    models.set(measured, model);
    return model.ratioOf(measured.indexOf(first), measured.indexOf(second), comparisons);
  };
}

/** @param {ComparedEstimate} ratio @returns {ComparedEstimate} */
function inverse({ estimate, low, high, simultaneous, ...rest }) {
  const ratio = { ...rest, estimate: 1 / estimate, low: 1 / high, high: 1 / low };
  if (simultaneous === undefined) return ratio;
  return { ...ratio, simultaneous: { low: 1 / simultaneous.high, high: 1 / simultaneous.low } };
}

/**
 * @param {ComparedEstimate | null} ratio    first / second
 * @param {MeasuredOutcome} first
 * @param {MeasuredOutcome} [second]   undefined if some of its launches failed, so that only saved ratios to it exist
 * @returns {{ verdict: Verdict, why: Reason | null }} verdict: on the first row; why: the reason if the verdict is 'none'
 */
function verdictOn(ratio, first, second) {
  const why =
    notRankedReason(first) ??
    secondProblem(second) ??
    noVerdictReason(ratio, { least: MIN_LAUNCHES, of: 'pairs of launches' });
  if (why !== null || ratio === null) return { verdict: 'none', why };
  const side = claimDirection(ratio);
  if (side === 0) return { verdict: 'unclear', why };
  const isMoreBetter = isHigherBetter(headlineMeasure(first));
  return { verdict: side > 0 === isMoreBetter ? 'better' : 'worse', why };
}

/**
 * @param {MeasuredOutcome} [second]
 * @returns {Reason | null} why the second row is not ranked, with its name, since the verdict is on the first row
 */
function secondProblem(second) {
  const why = second === undefined ? null : notRankedReason(second);
  return why === null || second === undefined ? null : { ...why, row: seriesLabel(second.cell) };
}

/** @typedef {{ ratio: ComparedEstimate | null, verdict: Verdict, why: Reason | null }} Judgement   verdict: on the first row */

/**
 * @param {MeasuredOutcome[]} measured    all of one group
 * @returns {(first: MeasuredOutcome, second: MeasuredOutcome) => Judgement}
 */
export function judgeIn(measured) {
  const ratioOf = ratiosIn(measured);
  return (first, second) => {
    const ratio = ratioOf(first, second);
    return { ratio, ...verdictOn(ratio, first, second) };
  };
}

/** @param {MeasuredOutcome[]} measured @returns {MeasuredOutcome[]} the best estimate first */
export function bestFirst(measured) {
  return measured.toSorted((left, right) => rankingScore(right) - rankingScore(left));
}

/**
 * @param {MeasuredOutcome[]} measured    all of one group
 * @param {KindIn} kindIn
 * @returns {(label: string, to: string) => ComparedOutcome | null} compares two rows by their labels; null if they cannot be compared
 */
export function comparisonIn(measured, kindIn) {
  const ratioOf = ratiosIn(measured);
  const rows = new Map(measured.map((outcome) => [seriesLabel(outcome.cell), outcome]));
  return (label, to) => {
    const [outcome, base] = [rows.get(label), rows.get(to)];
    if (outcome === undefined) return null;
    const { cell } = outcome;
    // If launches of the reference failed, only the saved ratios to it exist.
    const left = outcome.ratio?.to === to ? outcome.ratio : null;
    const ratio = base === undefined ? left : ratioOf(outcome, base);
    if (ratio === null) return null;
    return {
      outcome,
      base: base ?? null,
      ratio,
      ...verdictOn(ratio, outcome, base),
      kind: kindIn(cell),
    };
  };
}

/**
 * @param {MeasuredOutcome[]} measured    all of one group
 * @param {KindIn} kindIn
 * @returns {ComparedOutcome[]} rows that have a ratio, without the reference, the best estimate first
 */
export function comparedIn(measured, kindIn) {
  const compare = comparisonIn(measured, kindIn);
  return bestFirst(measured).flatMap(({ ratio, cell }) => {
    const label = seriesLabel(cell);
    return ratio === null || ratio.to === label ? [] : (compare(label, ratio.to) ?? []);
  });
}

/**
 * The first row is fastest if it is faster than the second and than every other row that may be ranked: a row farther down
 * may be so noisy that it does not clearly differ from the first.
 * @param {MeasuredOutcome[]} measured    all of one group
 * @param {KindIn} kindIn
 * @returns {Leader | null} the best row; null if nothing was measured
 */
export function findLeader(measured, kindIn) {
  const sorted = bestFirst(measured);
  if (sorted.length === 0) return null;
  const kind = sorted.some(({ cell }) => kindIn(cell) === '') ? '' : kindIn(sorted[0].cell);
  const ranked = sorted.filter(({ cell }) => kindIn(cell) === kind);
  const [best, second, ...rest] = ranked;
  const faster = sorted.slice(0, sorted.indexOf(best));
  if (second === undefined)
    return {
      ranked,
      faster,
      runnerUp: null,
      verdict: 'none',
      why: { code: 'alone' },
      ratio: null,
    };
  const judge = judgeIn(measured);
  const others = [second, ...rest.filter((outcome) => notRankedReason(outcome) === null)];
  const judged = others.map((runnerUp) => ({ runnerUp, ...judge(best, runnerUp) }));
  const { verdict, ...nearest } = judged.find((one) => one.verdict !== 'better') ?? judged[0];
  return { ranked, faster, verdict: verdict === 'worse' ? 'unclear' : verdict, ...nearest };
}
