// Latency of one payload: per series a range from p50 over p90 to p99 on a log axis, one panel per shape.

import { COLOURS } from '../palette.js';
import { categoryAxis, chartOptions, logAxis, logTicks } from './axes.js';
import { FAILED_MARK, SKIPPED_MARK } from './footer.js';
import { duration, durationTick } from './quantities.js';
import { isMeasured } from './series.js';

/**
 * @typedef {import('../types.js').Outcome} Outcome
 * @typedef {import('../types.js').MeasuredOutcome} MeasuredOutcome
 * @typedef {import('./axes.js').Configuration} Configuration
 * @typedef {import('./marks.js').Mark} Mark
 * @typedef {import('./rows.js').Row} Row
 * @typedef {import('../palette.js').Theme} Theme
 */

/**
 * The same for all panels of a figure.
 * @typedef {object} RangesFrame
 * @property {Theme} theme
 * @property {(outcome: Outcome) => string} marksOf     of its flags
 * @property {{ min: number, max: number }} ends        of the axis, µs
 * @property {boolean} hasValues                        beside the ranges: where there is room
 * @property {boolean} hasTitles                        of the axis; small multiples say it once, below
 * @property {number} plotPx                            about its width
 */

export const TIMES_TITLE = 'service time, log scale';

const VALUE_TEXT_PX = 150; // '217 µs – 491 µs  [ob]'
const FLAGS_PX = 26;
const TICK_PX = 62;

/** @param {MeasuredOutcome} outcome */
export const rangeEnd = ({ latencyUs }) => latencyUs.p99 ?? latencyUs.p90;

/** @param {MeasuredOutcome} outcome @param {string} flags @param {boolean} hasValues */
function rangeText({ latencyUs: { p50, p99 } }, flags, hasValues) {
  const values = p99 === null ? `${duration(p50)}, too few for p99` : `${duration(p50)} – ${duration(p99)}`;
  return [hasValues ? values : '', flags === '' ? '' : `[${flags}]`].filter((part) => part !== '').join('  ');
}

/**
 * @param {Row} row
 * @param {number} index
 * @param {RangesFrame} frame
 * @returns {Mark[]}
 */
function rowMarks({ look, outcome }, index, { theme, marksOf, hasValues }) {
  if (outcome === null || look === null) return [];
  const { ink, mutedInk, background } = COLOURS[theme];
  const at = { datasetIndex: 0, index };
  if (!isMeasured(outcome)) {
    const mark = outcome.status === 'skipped' ? SKIPPED_MARK : FAILED_MARK;
    return [{ ...at, dx: 8, text: `${mark} ${outcome.status}`, colour: mutedInk, halo: background }];
  }
  const { colour } = look;
  const { p50, p90, p99, perLaunch } = outcome.latencyUs;
  const text = rangeText(outcome, marksOf(outcome), hasValues);
  const value = Math.max(rangeEnd(outcome), perLaunch.p99?.high ?? 0);
  /** @type {Mark[]} */
  const symbols = [
    { ...at, value: p90, symbol: 'tick', colour, sizePx: 6 },
    { ...at, value: p50, symbol: 'circle', colour },
  ];
  if (p99 !== null) symbols.push({ ...at, value: p99, symbol: 'circle', colour, fill: background });
  return text === '' ? symbols : [...symbols, { ...at, value, dx: 11, text, colour: ink, halo: background }];
}

/** @param {Row} row */
function rangeOf({ label, outcome }) {
  if (!isMeasured(outcome)) return { y: label, x: null, xMin: null, xMax: null };
  const { p50, perLaunch } = outcome.latencyUs;
  const intervals = perLaunch.p99 === null ? [perLaunch.p50] : [perLaunch.p50, perLaunch.p99];
  const x = /** @type {[number, number]} */ ([p50, rangeEnd(outcome)]);
  return { y: label, x, xMin: intervals.map(({ low }) => low), xMax: intervals.map(({ high }) => high) };
}

/**
 * @param {Row[]} rows
 * @param {RangesFrame} frame
 * @param {number} [labelPx]   width of the names; 0: they stand in another panel; left out: what they need
 * @returns {Configuration}
 */
export function latencyRanges(rows, frame, labelPx) {
  const { theme, ends, hasValues, hasTitles, plotPx } = frame;
  const { ink } = COLOURS[theme];
  const dataset = {
    label: 'p50 to p99',
    data: rows.map(rangeOf),
    backgroundColor: rows.map(({ look }) => look?.colour ?? ink),
    barThickness: 4,
    whiskers: { colour: ink, capPx: 14 },
  };
  const rightPx = hasValues ? VALUE_TEXT_PX : FLAGS_PX;
  const mostTicks = Math.max(2, Math.floor((plotPx - rightPx) / TICK_PX));
  // At the very start stands the axis itself; a label there would move the plot of a panel without names.
  const values = logTicks(ends.min, ends.max, mostTicks).filter(
    (us) => labelPx === undefined || us > ends.min,
  );
  const x = { title: hasTitles ? TIMES_TITLE : '', ...ends, values, text: durationTick };
  const scales = {
    x: logAxis(theme, x),
    y: categoryAxis(theme, { isHeading: (index) => rows[index].look === null, widthPx: labelPx }),
  };
  const marks = rows.flatMap((row, index) => rowMarks(row, index, frame));
  const options = { ...chartOptions(scales, { top: 4, right: rightPx }), indexAxis: 'y' };
  const data = { labels: rows.map(({ label }) => label), datasets: [dataset] };
  return { type: 'bar', data, options, marks };
}
