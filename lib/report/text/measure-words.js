// The headline of a scenario in words: its value in a row, and its ratio to another row ('1.30× the throughput of
// pipe/json', '0.70× the first answer of pipe/json').

import { isHigherBetter } from '../../cell/headline.js';
import { article } from '../../format/lists.js';
import { formatRatioInterval, formatRatioOf } from '../../format/numbers.js';

/** @import { Estimate, Finding, FoundRow, MeasureFacts } from '../../types/index.js' */

/**
 * Units that are printed after a value: none for counts, shares and values per second.
 * @type {Readonly<Partial<Record<MeasureFacts['unit'], string>>>}
 */
const UNITS = Object.freeze({ 'MB/s': ' MB/s', µs: ' µs', bytes: ' B' });

/** @param {Pick<Finding, 'measure'>} finding   of a kind with a measure @returns {MeasureFacts} */
export function readMeasure({ measure }) {
  return /** @type {MeasureFacts} */ (measure);
}

/** @param {Pick<FoundRow, 'ratio'>} found   a row, or a finding, with a ratio @returns {string} '1.62× (1.55–1.70)' */
export function ratioText({ ratio }) {
  return formatRatioInterval(/** @type {Estimate} */ (ratio));
}

/**
 * @param {MeasureFacts} measure
 * @param {string} [before]   text before the unit
 * @returns {string} 'round trips per second', 'first answer µs', for a column or an axis
 */
export function measureTitle({ title, unit }, before = ' ') {
  const written = unitText({ unit }).trim();
  return title.endsWith(written) ? title : title + before + written;
}

/** @param {Pick<MeasureFacts, 'unit'>} measure @returns {string} ' µs', to follow a number */
export function unitText({ unit }) {
  return UNITS[unit] ?? '';
}

/** @param {Pick<MeasureFacts, 'unit'>} measure @returns {boolean} */
export function isRate({ unit }) {
  return unit === 'per second';
}

/**
 * @param {MeasureFacts} measure
 * @param {string} amount
 * @returns {string} '7,350 round trips per second', 'a first answer of 35.0 µs', '40.0 B of memory'
 */
export function valueText(measure, amount) {
  const { title, unit } = measure;
  if (isRate(measure)) return `${amount} ${title}`;
  const value = `${amount}${unitText(measure)}`;
  return unit === 'µs' ? `${article(title)} ${title} of ${value}` : `${value} of ${title}`;
}

/** @param {MeasureFacts} measure @returns {string} 'throughput', 'first answer' */
export function ratioTitle(measure) {
  return isRate(measure) ? 'throughput' : measure.title;
}

/**
 * @param {Estimate} ratio
 * @param {string} title        name of the compared quantity
 * @param {string} reference    printable
 * @returns {string} '1.30× the throughput of pipe/json (95 % CI 1.20–1.40)'
 */
export function timesText(ratio, title, reference) {
  return formatRatioOf(ratio, `the ${title} of ${reference}`);
}

/**
 * @param {MeasureFacts} measure
 * @returns {{ better: string, worse: string }} 'faster' and 'slower' for a speed or time, 'more' and 'fewer' for a count, or 'higher' and
 *   'lower'
 */
export function comparativesFor(measure) {
  if (winnerWord(measure) === 'fastest') return { better: 'faster', worse: 'slower' };
  const [greater, less] = measure.unit === 'count' ? ['more', 'fewer'] : ['higher', 'lower'];
  return isHigherBetter(measure) ? { better: greater, worse: less } : { better: less, worse: greater };
}

/** @param {MeasureFacts} measure @returns {string} 'highest' or 'lowest', whichever describes the best estimate */
export function superlativeFor(measure) {
  return isHigherBetter(measure) ? 'highest' : 'lowest';
}

/** @param {MeasureFacts} measure @returns {string} 'fastest', or 'best' if it is neither a speed nor a time */
export function winnerWord({ unit }) {
  return ['per second', 'MB/s', 'µs'].includes(unit) ? 'fastest' : 'best';
}
