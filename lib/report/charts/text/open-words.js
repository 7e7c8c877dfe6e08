// The sentence below the title of each chart of open load, without its full stop.

import { listed } from '../../../format/lists.js';
import { formatCount } from '../../../format/numbers.js';
import { hasResponseTimes, isMeasured, rateOf } from '../../text/groups.js';
import { readResponseTime } from '../../text/response-times.js';
import { kindsIn } from '../../text/transport-kinds.js';
import { duration } from './quantity-words.js';
import { rowText, timedText } from './short-texts.js';

/** @import { MeasuredOutcome, Outcome, Results } from '../../../types/index.js' */

const NAMES_SHOWN = 4;

/** @typedef {'p50' | 'p99'} Told    percentile of response times */
/** @type {Readonly<Record<Told, string>>} */
const TOLD_AS = { p99: 'p99', p50: 'p50 (too few samples for p99)' };

/** @param {MeasuredOutcome[]} kept    at least one @returns {Told} the p99, if all of them have enough samples for it */
const toldOf = (kept) => (kept.some(({ open }) => !open?.responseUs.p99) ? 'p50' : 'p99');

/** @param {MeasuredOutcome} outcome @param {Told} told @returns {number} µs, as in the table */
const timeOf = (outcome, told) => readResponseTime(outcome, told)?.us.estimate ?? 0;

/** @param {MeasuredOutcome} outcome @param {Told} told @returns {string} '> ' where it is a bound; '' where it is not */
const boundText = (outcome, told) => (readResponseTime(outcome, told)?.isAtLeast ? '> ' : '');

/** @param {Outcome[]} outcomes @returns {MeasuredOutcome[]} */
const headlines = (outcomes) => outcomes.filter(isMeasured).filter(hasResponseTimes);

/** @param {string} what @param {(outcome: MeasuredOutcome) => string} text @param {MeasuredOutcome} first @param {MeasuredOutcome} last */
const courseText = (what, text, first, last) =>
  first === last ? `${what} is ${text(first)}` : `${what} goes from ${text(first)} to ${text(last)}`;

/** @param {Outcome[]} outcomes @param {Results} results @returns {string} */
export function messageOfRates(outcomes, results) {
  const kept = headlines(outcomes);
  if (kept.length === 0) return 'No rate was sustained';
  const names = new Set(kept.map(rowText));
  const rates = [...new Set(outcomes.map(rateOf))].sort((left, right) => right - left);
  if (names.size === 1) {
    const sorted = kept.sort((left, right) => rateOf(left) - rateOf(right));
    const [first, last] = [sorted[0], sorted[sorted.length - 1]];
    const told = toldOf([first, last]);
    const at = (/** @type {MeasuredOutcome} */ outcome) =>
      `${boundText(outcome, told)}${duration(timeOf(outcome, told))} at ${formatCount(rateOf(outcome))}/s`;
    return courseText(`${TOLD_AS[told]} of ${rowText(first)}`, at, first, last);
  }
  const all = rates.find((rate) =>
    outcomes
      .filter((outcome) => rateOf(outcome) === rate)
      .every((outcome) => headlines([outcome]).length > 0),
  );
  return all === undefined
    ? 'No rate was sustained by all'
    : `At ${formatCount(all)}/s, the highest rate that all sustained, ${tailsText(
        kept.filter((outcome) => rateOf(outcome) === all),
        results,
      )}`;
}

/** @param {MeasuredOutcome[]} kept @param {Results} results @returns {string} */
function tailsText(kept, results) {
  const kindIn = kindsIn(results);
  const told = toldOf(kept);
  const sorted = [...kept].sort((left, right) => timeOf(left, told) - timeOf(right, told));
  const [first, last] = [sorted[0], sorted[sorted.length - 1]];
  const text = (/** @type {MeasuredOutcome} */ outcome) =>
    boundText(outcome, told) + timedText(outcome, timeOf(outcome, told), kindIn);
  return courseText(TOLD_AS[told], text, first, last);
}

/** @param {Outcome[]} outcomes @param {Results} results @returns {string} */
export function messageOfTails(outcomes, results) {
  const kept = headlines(outcomes);
  const rates = new Set(outcomes.map(rateOf));
  return rates.size === 1 && kept.length > 0
    ? `At ${formatCount([...rates][0])}/s ${tailsText(kept, results)}`
    : messageOfRates(outcomes, results);
}

/** @param {Outcome[]} outcomes @returns {string[]} lines that are missing because their rate was not sustained */
export function limitedNotes(outcomes) {
  const limited = outcomes.filter(isMeasured).filter((outcome) => !hasResponseTimes(outcome));
  if (limited.length === 0) return [];
  const names = limited.map((outcome) => `${rowText(outcome)} at ${formatCount(rateOf(outcome))}/s`);
  return [`not drawn, since the offered rate was not sustained: ${listed(names, NAMES_SHOWN)}`];
}

/** @param {Outcome[]} outcomes @returns {string[]} which points are bounds */
export function boundNotes(outcomes) {
  const names = headlines(outcomes).flatMap((outcome) => {
    const atLeast = outcome.open?.responseUs.perLaunch.atLeast ?? [];
    if (atLeast.length === 0) return [];
    return `${rowText(outcome)} at ${formatCount(rateOf(outcome))}/s (${atLeast.join(', ')})`;
  });
  if (names.length === 0) return [];
  return [`lower bounds, since responses were missing when the window closed: ${listed(names, NAMES_SHOWN)}`];
}
