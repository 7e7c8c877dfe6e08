// Phrases on what changes along a quantity, and on the rows that are best in most tables.

import { capitalised, listed } from '../../../format/lists.js';
import { formatNumber, formatRatio, formatRatioRange, spanText } from '../../../format/numbers.js';
import { printable } from '../../../format/printable.js';
import { exceptionText, isAhead } from '../kind-words.js';
import { ratioTitle, readMeasure, valueText, winnerWord } from '../measure-words.js';
import { headingNoun } from '../names.js';
import { axisPlural, axisValueText } from '../quantity-words.js';
import { reasonText } from '../reasons.js';
import { labelText } from '../short-texts.js';
import { NO_DIFFERENCE, WHY_CHARACTERS } from './ranking-phrases.js';

/** @import { Finding, FoundRow } from '../../../types/index.js' */
/** @import { HeadingNoun } from '../names.js' */

const NAMES_SHOWN = 3;
const CHANGE = 1.25; // smallest factor between the ratios at the ends of the axis for which a sentence states both

/** @param {Finding} finding @returns {string} 'at all 5 payload sizes' */
function everywhereText({ names, numbers: { values } }) {
  if (names.axis !== 'payloadBytes') return `at each number of ${names.axis}`;
  return values === 2 ? `at both ${axisPlural(names)}` : `at all ${values} ${axisPlural(names)}`;
}

/** @param {Finding} finding @returns {string} 'from 10 kB on' */
function whereText(finding) {
  const { names, numbers } = finding;
  const { from, to, first, last } = numbers;
  const [start, end] = [from, to].map((value) => axisValueText(names, value));
  const panel = names.panel === undefined ? '' : `${printable(names.panel)}, `;
  if (from === to) return `${panel}at ${start}`;
  if (from === first && to === last) return panel + everywhereText(finding);
  if (from === first) return `${panel}up to ${end}`;
  return to === last ? `${panel}from ${start} on` : `${panel}from ${start} to ${end}`;
}

/** @param {FoundRow[]} rows @param {string} least @param {string} greatest   names of numbers @returns {string} '1.81–2.49×' */
function rangeText(rows, least, greatest) {
  return formatRatioRange(
    rows.flatMap(({ numbers = {} }) => [numbers[least], numbers[greatest]].map(Number)),
  );
}

/**
 * @param {Finding} finding   with rows
 * @param {string} [of]   ' the throughput of pipe/json'
 * @returns {string} 'from 10 kB on, unix/string and tcp/string have 1.81–2.49×'; for a change along the axis, the ratios at both ends
 */
function claimText(finding, of = '') {
  const { rows, names, numbers } = finding;
  const labels = rows.map(({ row }) => labelText(row));
  const last = labels.pop();
  const shown =
    labels.length === 0
      ? last
      : labels.length < NAMES_SHOWN
        ? `${labels.join(', ')} and ${last}`
        : listed([...labels, String(last)], NAMES_SHOWN - 1);
  const subject = `${shown} ${labels.length === 0 ? 'has' : 'have'}`;
  const isChanging =
    rows.every(({ numbers: own = {} }) => Number(own.leastChange) >= CHANGE) ||
    rows.every(({ numbers: own = {} }) => Number(own.greatestChange) <= 1 / CHANGE);
  if (numbers.from !== numbers.first || numbers.to !== numbers.last || !isChanging)
    return `${whereText(finding)}, ${subject} ${rangeText(rows, 'leastRatio', 'greatestRatio')}${of}`;
  const panel = names.panel === undefined ? '' : `${printable(names.panel)}, `;
  const [start, end] = [numbers.from, numbers.to].map((value) => axisValueText(names, value));
  return `${panel}${subject} ${rangeText(rows, 'leastFirst', 'greatestFirst')}${of} at ${start}, ${rangeText(rows, 'leastLast', 'greatestLast')} at ${end}`;
}

/** @param {Finding} finding @returns {string} a title without its full stop; empty if no row has a verdict */
export function alongTitle(finding) {
  const { rows, against, verdict } = finding;
  const reference = labelText(against ?? '');
  if (verdict === 'none') return '';
  if (rows.length === 0) return `${capitalised(NO_DIFFERENCE)} from ${reference}`;
  const text = claimText(finding, ` the ${ratioTitle(readMeasure(finding))} of ${reference}`);
  // The name of a row at the start of a sentence is not capitalised.
  return /^(?:at|from|up) /.test(text) ? capitalised(text) : text;
}

/** @param {Finding} finding @returns {string} what is added to a title: a further claim, or why no row has a verdict */
export function alongAddition(finding) {
  const { rows, verdict, why } = finding;
  if (rows.length > 0) return claimText(finding);
  if (verdict !== 'none') return '';
  return `No verdict${why === null ? '' : `: ${labelText(reasonText(why), WHY_CHARACTERS)}`}`;
}

// The best rows of several tables.

/**
 * @param {Finding} finding
 * @param {HeadingNoun} [tables]   noun for the tables in a picture
 * @returns {string} a title without its full stop
 */
export function winnersTitle(finding, { at, many } = headingNoun(finding.names.tables)) {
  const { numbers, names, why } = finding;
  const measure = readMeasure(finding);
  const winners = finding.rows.filter((row) => !isAhead(row));
  const groups = Number(numbers.groups);
  const where = `${many}${names.isOneOfMany === undefined ? '' : ` of ${printable(names.scenario)}`}`;
  const any = `${at} ${groups === 2 ? 'either' : 'any'} of the ${groups} ${where}`;
  const but = exceptionText(finding);
  if (numbers.series === 1) {
    const span = spanText([Number(numbers.least), Number(numbers.greatest)], ' to ', formatNumber);
    return `${labelText(winners[0].row)}: ${valueText(measure, span)}${but}`;
  }
  const [best, next] = winners.filter((row) => Number(row.numbers?.proven) > 0);
  if (best === undefined)
    return why === null
      ? `No clear winner ${any}`
      : `No verdict ${any}: ${labelText(reasonText(why), WHY_CHARACTERS)}`;
  const name = labelText(best.row);
  const { leastRatio, greatestRatio, proven: count } = best.numbers ?? {};
  const span = spanText([Number(leastRatio), Number(greatestRatio)], ' to ', formatRatio);
  const advantage =
    leastRatio === undefined
      ? ''
      : `, with ${span} the ${ratioTitle(measure)} of ${labelText(names.reference)}`;
  const word = winnerWord(measure);
  const all = groups === 2 ? `both ${where}` : `all ${groups} ${where}`;
  if (count === groups) return `${name} is ${word} ${at} ${all}${advantage}${but}`;
  const also = next === undefined ? '' : `; ${labelText(next.row)} ${at} ${next.numbers?.proven}`;
  return `${name} is clearly ${word} ${at} ${count} of ${groups} ${where}${advantage}${also}${but}`;
}

/** @type {import('../phrase-table.js').PhrasesByKind} */
export const ALONG_PHRASES = {
  along(finding) {
    const text = alongTitle(finding);
    if (finding.rows.length > 0) return [`${text}.`];
    const where = everywhereText(finding)
      .replace(/^at (?:all|both)/, 'at any of the')
      .replace(/^at each/, 'at any');
    return [`${text === '' ? alongAddition(finding) : `${text} ${where}`}.`];
  },

  winners: (finding) => [`${winnersTitle(finding)}.`],
};
