// Throughput of one payload and one shape: a horizontal bar per series, its value and ratio written beside it.

import { formatNumber, formatRatioInterval } from '../format/numbers.js';
import { COLOURS } from '../palette.js';
import { categoryAxis, chartOptions, linearAxis } from './axes.js';
import { FAILED_MARK, SKIPPED_MARK } from './footer.js';
import { linearEnd } from './quantities.js';
import { rowsByClass } from './rows.js';
import { borderWidth, isMeasured, labelText } from './series.js';

/**
 * @typedef {import('../types.js').Outcome} Outcome
 * @typedef {import('../types.js').MeasuredOutcome} MeasuredOutcome
 * @typedef {import('./axes.js').Configuration} Configuration
 * @typedef {import('./marks.js').Mark} Mark
 * @typedef {import('./rows.js').Row} Row
 * @typedef {import('./series.js').Series} Series
 * @typedef {import('../palette.js').Theme} Theme
 */

/**
 * What is drawn at each outcome, in every throughput chart.
 * @typedef {object} Annotations
 * @property {Theme} theme
 * @property {(outcome: Outcome) => string} marksOf               of its flags: 'ob'
 * @property {(outcome: Outcome) => number | null} publishedOf
 */

const VALUE_LETTER_PX = 6.8; // at 13 px, of digits and their punctuation
const VALUE_GAP_PX = 10;
const REASON_CHARACTERS = 84;

/** @param {MeasuredOutcome} outcome @param {string} flags */
function valueText({ roundTripsPerSecond, ratio }, flags) {
  const isReference = ratio !== null && ratio.low === 1 && ratio.high === 1;
  const versus = ratio === null ? '' : isReference ? '   reference' : `   ${formatRatioInterval(ratio)}`;
  return `${formatNumber(roundTripsPerSecond.estimate)}${versus}${flags === '' ? '' : `  [${flags}]`}`;
}

/** @param {Outcome} outcome */
function gapText(outcome) {
  if (outcome.status === 'skipped')
    return `${SKIPPED_MARK} skipped: ${labelText(outcome.reason, REASON_CHARACTERS)}`;
  if (outcome.status === 'failed')
    return `${FAILED_MARK} failed: ${labelText(outcome.message, REASON_CHARACTERS)}`;
  return '';
}

/**
 * @param {Outcome} outcome
 * @param {number} index
 * @param {number | null} column   where all the words stand; null: each beside its bar
 * @param {Annotations} annotations
 * @returns {Mark[]}
 */
function rowMarks(outcome, index, column, { theme, marksOf, publishedOf }) {
  const { ink, mutedInk, background } = COLOURS[theme];
  const at = { datasetIndex: 0, index };
  const published = publishedOf(outcome) ?? 0;
  /** @type {Mark} */
  const diamond = { ...at, value: published, symbol: 'diamond', colour: ink, fill: background };
  const words = isMeasured(outcome)
    ? { text: valueText(outcome, marksOf(outcome)), colour: ink, sizePx: 13 }
    : { text: gapText(outcome), colour: mutedInk };
  const value = isMeasured(outcome) ? (column ?? outcome.roundTripsPerSecond.high) : 0;
  return [
    ...(published > 0 ? [diamond] : []),
    { ...at, value, dx: VALUE_GAP_PX, halo: background, ...words },
  ];
}

/** @param {Row} row */
function pointOf({ label, outcome }) {
  if (!isMeasured(outcome)) return { y: label, x: null, xMin: null, xMax: null };
  const { estimate, low, high } = outcome.roundTripsPerSecond;
  return { y: label, x: estimate, xMin: low, xMax: high };
}

/**
 * @param {Outcome[]} outcomes   of one payload and one shape
 * @param {Series[]} series
 * @param {Annotations} annotations
 * @returns {{ rows: number, configuration: Configuration }}
 */
export function throughputRows(outcomes, series, annotations) {
  const { theme, publishedOf } = annotations;
  const { ink, background } = COLOURS[theme];
  const rows = rowsByClass(outcomes, series, ({ roundTripsPerSecond }) => -roundTripsPerSecond.estimate);
  const highs = outcomes.filter(isMeasured).map(({ roundTripsPerSecond }) => roundTripsPerSecond.high);
  const published = outcomes.map((outcome) => publishedOf(outcome) ?? 0);
  const dataset = {
    label: 'round trips per second',
    data: rows.map(pointOf),
    fills: rows.map(({ look }) => (look === null ? null : { colour: look.colour, fill: look.fill })),
    borderColor: rows.map(({ look }) => look?.outline ?? ink),
    borderWidth: rows.map(({ look }) => borderWidth(look)),
    borderSkipped: false,
    maxBarThickness: 34,
    categoryPercentage: 0.86,
    barPercentage: 0.92,
    whiskers: { colour: ink, halo: background, capPx: 10 },
  };
  // Values stand beside the bars, so that the axis need not end at a round number.
  const greatest = Math.max(1, ...highs, ...published.map((rate) => rate * 1.02));
  const scales = {
    x: linearAxis(theme, { title: 'round trips per second', step: linearEnd(greatest).step, max: greatest }),
    y: categoryAxis(theme, { isHeading: (index) => rows[index].look === null }),
  };
  // A value beside a published figure would be taken for it.
  const column = published.some((rate) => rate > 0) ? greatest : null;
  const marks = rows.flatMap(({ outcome }, index) =>
    outcome === null ? [] : rowMarks(outcome, index, column, annotations),
  );
  const letters = outcomes
    .filter(isMeasured)
    .map((outcome) => valueText(outcome, annotations.marksOf(outcome)).length);
  const right = Math.ceil(Math.max(0, ...letters) * VALUE_LETTER_PX) + 2 * VALUE_GAP_PX;
  const options = { ...chartOptions(scales, { top: 4, right }), indexAxis: 'y' };
  const data = { labels: rows.map(({ label }) => label), datasets: [dataset] };
  return { rows: rows.length, configuration: { type: 'bar', data, options, marks } };
}
