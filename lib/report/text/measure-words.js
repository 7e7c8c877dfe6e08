// What is said of a scenario's headline: how much of it a row had, and how it compares. Rates are counted ('answered 1.3× as
// many round trips per second'); of other measures a row has more or less ('had 0.7× the first answer').

import { commonOperation, headlineMeasure, isHigherBetter, readHeadline } from '../../cell/headline.js';
import { article } from '../../format/lists.js';
import { formatInterval } from '../../format/numbers.js';

/** @import { MeasuredOutcome, MeasureFacts } from '../../types/index.js' */

/** Of times the unit; of values that are counted, nothing. @type {Readonly<Partial<Record<MeasureFacts['unit'], string>>>} */
const UNITS = Object.freeze({ 'MB/s': ' MB/s', µs: ' µs', bytes: ' B' });

/**
 * @param {MeasureFacts} measure
 * @param {string} [before]   its unit
 * @returns {string} 'round trips per second', 'first answer µs': of a column or an axis
 */
export function measureTitle({ title, unit }, before = ' ') {
  const written = unitText({ unit }).trim();
  return title.endsWith(written) ? title : title + before + written;
}

/** @param {Pick<MeasureFacts, 'unit'>} measure @returns {string} ' µs', behind a number; '' where it is counted */
export function unitText({ unit }) {
  return UNITS[unit] ?? '';
}

/** @param {MeasureFacts} measure @returns {boolean} it is counted in a time, so that who has more did more */
function isRate({ unit }) {
  return unit === 'per second';
}

/**
 * @param {MeasuredOutcome} outcome
 * @param {string} [amount]   left out: its headline with its interval
 * @returns {string} 'answered 7,350 round trips per second', 'had a first answer of 35 µs'
 */
export function amountText(outcome, amount = formatInterval(readHeadline(outcome))) {
  return `${didText([outcome])} ${valueText(outcome, amount)}`;
}

/**
 * @param {MeasuredOutcome} outcome
 * @param {string} amount
 * @returns {string} '7,350 round trips per second', 'a first answer of 35 µs', '40 B of memory'
 */
export function valueText(outcome, amount) {
  const measure = headlineMeasure(outcome);
  const { title, unit } = measure;
  if (isRate(measure)) return `${amount} ${title}`;
  const value = `${amount}${unitText(measure)}`;
  return unit === 'µs' ? `${article(title)} ${title} of ${value}` : `${value} of ${title}`;
}

/** @param {MeasuredOutcome[]} outcomes   of one scenario @returns {string} 'answered', 'had' */
export function didText(outcomes) {
  return isRate(headlineMeasure(outcomes[0])) ? commonOperation(outcomes).done : 'had';
}

/**
 * @param {MeasuredOutcome} outcome
 * @param {string} times        '1.3× (1.2–1.4)'
 * @param {string} reference    as it is shown
 * @returns {string} '1.3× as many round trips per second as pipe/json', '0.7× the first answer of pipe/json'
 */
export function timesText(outcome, times, reference) {
  const measure = headlineMeasure(outcome);
  return isRate(measure)
    ? `${times} as many ${measure.title} as ${reference}`
    : `${times} the ${measure.title} of ${reference}`;
}

/** @param {MeasureFacts} measure @returns {{ better: string, worse: string }} 'more' and 'fewer', of what is worth having */
export function comparativesFor(measure) {
  const counted = isRate(measure) || measure.unit === 'count';
  const [greater, less] =
    measure.unit === 'µs'
      ? ['longer', 'shorter']
      : [counted ? 'more' : 'higher', counted ? 'fewer' : 'lower'];
  return isHigherBetter(measure) ? { better: greater, worse: less } : { better: less, worse: greater };
}

/** @param {MeasuredOutcome} outcome @returns {string} ' round trips' after 'more', where that many are counted; else '' */
export function comparedNoun(outcome) {
  return isRate(headlineMeasure(outcome)) ? ` ${commonOperation([outcome]).many}` : '';
}

/** @param {MeasureFacts} measure @returns {string} of the estimate that is best: 'highest' */
export function superlativeFor(measure) {
  return isHigherBetter(measure) ? 'highest' : 'lowest';
}

/** @param {MeasureFacts} measure @returns {string} 'fastest'; of what is no speed: 'best' */
export function winnerWord({ unit }) {
  return ['per second', 'MB/s', 'µs'].includes(unit) ? 'fastest' : 'best';
}
