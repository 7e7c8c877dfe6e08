// The one sentence that each chart says in words, computed from the data and never stronger than the intervals.
// Sentences come without their full stop.

import { exceptionText } from '../format/kinds.js';
import { formatInterval, formatNumber, formatRatio, formatRatioInterval } from '../format/numbers.js';
import { seriesLabel } from '../labels.js';
import { duration } from './quantities.js';
import { isMeasured, labelText } from './series.js';

/**
 * @typedef {import('../types.js').Outcome} Outcome
 * @typedef {import('../types.js').MeasuredOutcome} MeasuredOutcome
 */

/** @typedef {import('../format/kinds.js').KindIn} KindIn */

const NOTHING = 'Nothing was measured';

/** @param {Outcome} outcome */
const nameOf = (outcome) => labelText(seriesLabel(outcome.cell));

/** @param {Outcome[]} outcomes @returns {MeasuredOutcome[]} greatest estimate first */
function ranked(outcomes) {
  const measured = outcomes.filter(isMeasured);
  return measured.sort(
    (left, right) => right.roundTripsPerSecond.estimate - left.roundTripsPerSecond.estimate,
  );
}

/** @param {MeasuredOutcome} outcome @returns {string} why it allows no verdict, or '' */
function whyNoVerdict({ roundTripsPerSecond, flags }) {
  if (roundTripsPerSecond.level === null) return 'Too few launches for a verdict';
  return flags.some(({ code }) => code === 'quick') ? 'No verdict from a quick run' : '';
}

/**
 * Intervals that do not overlap are a cautious sign: a difference is never claimed too early.
 * @param {MeasuredOutcome} first
 * @param {MeasuredOutcome} second
 */
function isClearlyFaster(first, second) {
  if (whyNoVerdict(first) !== '' || whyNoVerdict(second) !== '') return false;
  return first.roundTripsPerSecond.low > second.roundTripsPerSecond.high;
}

/**
 * @param {Outcome[]} outcomes
 * @param {KindIn} kindIn
 * @returns {{ alike: Outcome[], ahead: MeasuredOutcome[] }} what may be ranked together, and what is greater than all of
 *   it, but of another kind
 */
function apart(outcomes, kindIn) {
  const measured = outcomes.filter(isMeasured);
  const alike = measured.filter(({ cell }) => kindIn(cell) === '');
  const greatest = Math.max(...alike.map(({ roundTripsPerSecond }) => roundTripsPerSecond.estimate));
  if (alike.length === 0) return { alike: measured, ahead: [] };
  const others = measured.filter(({ cell }) => kindIn(cell) !== '');
  return {
    alike,
    ahead: ranked(others).filter(({ roundTripsPerSecond }) => roundTripsPerSecond.estimate > greatest),
  };
}

/** @param {Outcome[]} group @returns {MeasuredOutcome[]} the one that is clearly ahead of another, or none */
function winnersOf(group) {
  const [first, second] = ranked(group);
  return first !== undefined && second !== undefined && isClearlyFaster(first, second) ? [first] : [];
}

/** @param {MeasuredOutcome} outcome @returns {string} '1.62× (1.55–1.70) as many round trips per second as pipe/json' */
function comparedText({ ratio, roundTripsPerSecond, cell }) {
  if (ratio === null || ratio.to === seriesLabel(cell)) {
    return `${formatInterval(roundTripsPerSecond)} round trips per second`;
  }
  return `${formatRatioInterval(ratio)} as many round trips per second as ${labelText(ratio.to)}`;
}

/** @param {Outcome[]} group   outcomes that are compared with each other */
function messageOfGroup(group) {
  const [first, second] = ranked(group);
  if (first === undefined) return NOTHING;
  const name = nameOf(first);
  if (second === undefined) return `${name} answered ${comparedText(first)}`;
  const why = whyNoVerdict(first) || whyNoVerdict(second);
  if (why !== '') return `${why}; highest is ${name} with ${comparedText(first)}`;
  if (!isClearlyFaster(first, second)) {
    return `Cannot tell whether ${name} or ${nameOf(second)} is faster; ${name} answered ${comparedText(first)}`;
  }
  const next =
    first.ratio?.to === seriesLabel(first.cell)
      ? `; next is ${nameOf(second)} with ${comparedText(second)}`
      : '';
  return `${name} is fastest with ${comparedText(first)}${next}`;
}

/** @param {MeasuredOutcome[]} winners @returns {string} ' with 1.40× to 2.10× as many round trips per second as pipe/json' */
function advantageOf(winners) {
  const ratios = winners.flatMap(({ ratio, cell }) =>
    ratio === null || ratio.to === seriesLabel(cell) ? [] : [ratio],
  );
  if (ratios.length === 0) return '';
  const estimates = ratios.map(({ estimate }) => estimate);
  const [least, greatest] = [Math.min(...estimates), Math.max(...estimates)].map(formatRatio);
  const range = least === greatest ? least : `${least} to ${greatest}`;
  return ` with ${range} as many round trips per second as ${labelText(ratios[0].to)}`;
}

/** @param {MeasuredOutcome[]} measured   of one series */
function spreadText(measured) {
  const rates = measured.map(({ roundTripsPerSecond }) => roundTripsPerSecond.estimate);
  const [least, greatest] = [Math.min(...rates), Math.max(...rates)].map(formatNumber);
  return `${nameOf(measured[0])} answered ${least} to ${greatest} round trips per second`;
}

/**
 * @param {Outcome[][]} groups
 * @param {string} plural   what the groups are: 'shapes', 'payloads'
 * @param {KindIn} kindIn
 * @returns {string}
 */
export function messageOfGroups(groups, plural, kindIn) {
  const parts = groups.map((group) => apart(group, kindIn));
  const message = messageOfAlike(
    parts.map(({ alike }) => alike),
    plural,
  );
  const ahead = parts.flatMap((part) => part.ahead.map(({ cell }) => cell));
  return message + exceptionText(ahead, kindIn);
}

/**
 * @param {Outcome[][]} groups
 * @param {string} plural
 * @returns {string}
 */
function messageOfAlike(groups, plural) {
  if (groups.length === 1) return messageOfGroup(groups[0]);
  const measured = groups.flat().filter(isMeasured);
  if (measured.length === 0) return NOTHING;
  if (new Set(measured.map(nameOf)).size === 1) return spreadText(measured);
  /** @type {Map<string, MeasuredOutcome[]>} */
  const wins = new Map();
  for (const winner of groups.flatMap(winnersOf)) {
    wins.set(nameOf(winner), [...(wins.get(nameOf(winner)) ?? []), winner]);
  }
  const [best, next] = [...wins].sort(([, left], [, right]) => right.length - left.length);
  if (best === undefined) return `Cannot tell which is fastest at any of the ${groups.length} ${plural}`;
  const [name, won] = best;
  if (won.length === groups.length)
    return `${name} is fastest at all ${won.length} ${plural}${advantageOf(won)}`;
  const also = next === undefined ? '' : `; ${next[0]} at ${next[1].length}`;
  return `${name} is clearly fastest at ${won.length} of ${groups.length} ${plural}${advantageOf(won)}${also}`;
}

/**
 * @param {Outcome[]} outcomes
 * @param {KindIn} kindIn
 * @returns {string} medians only, since tails rank nothing
 */
export function messageOfLatencies(outcomes, kindIn) {
  const measured = outcomes
    .filter(isMeasured)
    .sort((left, right) => left.latencyUs.p50 - right.latencyUs.p50);
  if (measured.length === 0) return NOTHING;
  const [first, last] = [measured[0], measured[measured.length - 1]];
  const named = (/** @type {MeasuredOutcome} */ outcome) => {
    const kind = kindIn(outcome.cell);
    return `${duration(outcome.latencyUs.p50)} (${nameOf(outcome)}${kind === '' ? '' : `: ${kind}`})`;
  };
  if (measured.length === 1) return `Half of the round trips took less than ${named(first)}`;
  return `Medians go from ${named(first)} to ${named(last)}`;
}
