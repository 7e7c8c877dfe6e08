// The one sentence that each chart of open load says in words. Sentences come without their full stop.

import { hasResponseTimes, isMeasured } from '../verdicts/groups.js';
import { listed } from '../words/lists.js';
import { formatCount } from '../words/numbers.js';
import { duration } from './quantity-words.js';
import { rowText } from './series.js';

/**
 * @typedef {import('../types/outcomes.js').Outcome} Outcome
 * @typedef {import('../types/outcomes.js').MeasuredOutcome} MeasuredOutcome
 */

const NAMES_SHOWN = 4;

/** @import { KindIn } from '../verdicts/kinds.js' */

/** @param {Outcome} outcome */
const rateOf = ({ cell }) => cell.ratePerSecond ?? 0;

/** @param {MeasuredOutcome} outcome @returns {number} µs; where the samples are too few for it, the p50 */
const p99Of = ({ open, latencyUs }) => open?.responseUs.p99 ?? open?.responseUs.p50 ?? latencyUs.p50;

/** @param {Outcome[]} outcomes @returns {MeasuredOutcome[]} */
const headlines = (outcomes) => outcomes.filter(isMeasured).filter(hasResponseTimes);

/** @param {Outcome[]} outcomes @param {KindIn} kindIn @returns {string} */
export function messageOfRates(outcomes, kindIn) {
  const kept = headlines(outcomes);
  if (kept.length === 0) return 'No plan was kept';
  const names = new Set(kept.map(rowText));
  const rates = [...new Set(outcomes.map(rateOf))].sort((left, right) => right - left);
  if (names.size === 1) {
    const sorted = kept.sort((left, right) => rateOf(left) - rateOf(right));
    const [first, last] = [sorted[0], sorted[sorted.length - 1]];
    const at = (/** @type {MeasuredOutcome} */ outcome) =>
      `${duration(p99Of(outcome))} at ${formatCount(rateOf(outcome))}/s`;
    return first === last
      ? `p99 of ${rowText(first)} is ${at(first)}`
      : `p99 of ${rowText(first)} goes from ${at(first)} to ${at(last)}`;
  }
  const all = rates.find((rate) =>
    outcomes
      .filter((outcome) => rateOf(outcome) === rate)
      .every((outcome) => headlines([outcome]).length > 0),
  );
  return all === undefined
    ? 'No rate was kept by all'
    : `At ${formatCount(all)}/s, the highest rate that all kept, ${tailsText(
        kept.filter((outcome) => rateOf(outcome) === all),
        kindIn,
      )}`;
}

/** @param {MeasuredOutcome[]} kept @param {KindIn} kindIn @returns {string} */
function tailsText(kept, kindIn) {
  const sorted = [...kept].sort((left, right) => p99Of(left) - p99Of(right));
  const [first, last] = [sorted[0], sorted[sorted.length - 1]];
  const text = (/** @type {MeasuredOutcome} */ outcome) => {
    const kind = kindIn(outcome.cell);
    return `${duration(p99Of(outcome))} (${rowText(outcome)}${kind === '' ? '' : `: ${kind}`})`;
  };
  return first === last ? `p99 is ${text(first)}` : `p99 goes from ${text(first)} to ${text(last)}`;
}

/** @param {Outcome[]} outcomes @param {KindIn} kindIn @returns {string} */
export function messageOfTails(outcomes, kindIn) {
  const kept = headlines(outcomes);
  const rates = new Set(outcomes.map(rateOf));
  return rates.size === 1 && kept.length > 0
    ? `At ${formatCount([...rates][0])}/s ${tailsText(kept, kindIn)}`
    : messageOfRates(outcomes, kindIn);
}

/** @param {Outcome[]} outcomes @returns {string[]} which lines are missing because their plan was not kept */
export function limitedNotes(outcomes) {
  const limited = outcomes.filter(isMeasured).filter((outcome) => !hasResponseTimes(outcome));
  if (limited.length === 0) return [];
  const names = limited.map((outcome) => `${rowText(outcome)} at ${formatCount(rateOf(outcome))}/s`);
  return [`not drawn, since the plan was not kept: ${listed(names, NAMES_SHOWN)}`];
}
