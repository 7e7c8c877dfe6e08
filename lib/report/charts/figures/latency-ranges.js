// Latency of one payload: per series a range from p50 over p90 to p99 on a log axis, one panel per shape.

import { findMainTimes, SERVICE_TIME } from '../../../cell/headline.js';
import { isMeasured } from '../../text/groups.js';
import { logAxis, logTicks } from '../scene/chart-axes.js';
import { makeWhisker } from '../scene/whiskers.js';
import { COLOURS } from '../style/palette.js';
import { gapMarkOf } from '../text/footer.js';
import { duration, durationTick } from '../text/quantity-words.js';
import { barsOfRows } from './rows.js';
import { labelText } from './series.js';

/** @import { MeasuredOutcome, MeasuredTimes, Outcome } from '../../../types/index.js' */
/** @import { Configuration } from '../scene/chart-axes.js' */
/** @import { Mark } from '../scene/marks.js' */
/** @import { Theme } from '../style/palette.js' */
/** @import { Row } from './rows.js' */

/**
 * The same for all panels of a figure.
 * @typedef {object} RangesFrame
 * @property {Theme} theme
 * @property {(outcome: Outcome) => string} marksOf     of its flags
 * @property {{ min: number, max: number }} ends        of the axis, µs
 * @property {boolean} hasValues                        beside the ranges: where there is room
 * @property {boolean} hasTitles                        of the axis; small multiples say it once, below
 * @property {number} plotPx                            about the width of the plot and what is written right of it
 */

const TEXT_GAP_PX = 11;
const LETTER_PX = 6.4; // at 12 px, of values
const WIDE_LETTERS_PX = 6; // flags may be an m and a w
const HALF_LABEL_PX = 26; // of a tick
const TICK_PX = 48;

/** @param {MeasuredOutcome} outcome   of a scenario that takes times @returns {MeasuredTimes} */
export function selectDrawnTimes(outcome) {
  const times = findMainTimes(outcome);
  if (times === null) throw new RangeError(`${outcome.cell.scenario} takes no times`);
  return times;
}

/** @param {{ outcome: Outcome | null }[]} rows   of one scenario @returns {string} 'service time, log scale' */
export function timesAxisTitle(rows) {
  const [first] = rows.map(({ outcome }) => outcome).filter(isMeasured);
  const { name, title } = selectDrawnTimes(first);
  return `${name === SERVICE_TIME ? 'service time' : labelText(title)}, log scale`;
}

/** @param {MeasuredTimes} times */
const rangeEnd = ({ p99, p90 }) => p99 ?? p90;

/** @param {MeasuredOutcome} outcome @returns {number} µs, of all that is drawn of it: where samples are few, a whisker goes on */
export function greatestTime(outcome) {
  const times = selectDrawnTimes(outcome);
  const { p50, p99 } = times.perLaunch;
  return Math.max(rangeEnd(times), p50.high, p99?.high ?? 0);
}

/** @param {MeasuredOutcome} outcome @param {string} flags @param {boolean} hasValues */
function rangeText(outcome, flags, hasValues) {
  const { p50, p99 } = selectDrawnTimes(outcome);
  const values = p99 === null ? `${duration(p50)}, too few for p99` : `${duration(p50)} – ${duration(p99)}`;
  return [hasValues ? values : '', flags === '' ? '' : `[${flags}]`].filter((part) => part !== '').join('  ');
}

/** @param {Row} row @param {number} index @param {RangesFrame} frame @returns {Mark[]} */
function rowMarks({ look, outcome }, index, { theme, marksOf, hasValues }) {
  if (outcome === null || look === null) return [];
  const { ink, mutedInk, background } = COLOURS[theme];
  const at = { datasetIndex: 0, index };
  if (!isMeasured(outcome)) {
    const text = `${gapMarkOf(outcome.status)} ${outcome.status}`;
    return [{ ...at, dx: 8, text, colour: mutedInk, halo: background }];
  }
  const { colour } = look;
  const { p50, p90, p99 } = selectDrawnTimes(outcome);
  const text = rangeText(outcome, marksOf(outcome), hasValues);
  /** @type {Mark[]} */
  const symbols = [
    { ...at, value: p90, symbol: 'tick', colour, sizePx: 6 },
    { ...at, value: p50, symbol: 'circle', colour },
  ];
  if (p99 !== null) symbols.push({ ...at, value: p99, symbol: 'circle', colour, fill: background });
  if (text === '') return symbols;
  const place = { ...at, value: greatestTime(outcome), dx: TEXT_GAP_PX };
  return [...symbols, { ...place, text, colour: ink, halo: background }];
}

/** @param {Row} row */
function makeRange({ label, outcome }) {
  if (!isMeasured(outcome)) return { y: label, x: null, xMin: null, xMax: null };
  const times = selectDrawnTimes(outcome);
  const { p50, perLaunch } = times;
  const estimates = perLaunch.p99 === null ? [perLaunch.p50] : [perLaunch.p50, perLaunch.p99];
  const intervals = estimates.map(makeWhisker);
  const x = /** @type {[number, number]} */ ([p50, rangeEnd(times)]);
  return { y: label, x, xMin: intervals.map(({ low }) => low), xMax: intervals.map(({ high }) => high) };
}

/**
 * Most words begin far left of the axis' end: only what the plot has no room for is added to it.
 * @param {Row[]} rows   of all panels
 * @param {RangesFrame} frame
 * @returns {number} pixels right of the plot
 */
export function rangesRightPx(rows, { marksOf, hasValues, ends, plotPx }) {
  const needs = rows.map(({ outcome }) => {
    if (!isMeasured(outcome)) return 0;
    const letters = rangeText(outcome, marksOf(outcome), hasValues).length;
    if (letters === 0) return 0;
    const wordsPx = TEXT_GAP_PX + letters * LETTER_PX + WIDE_LETTERS_PX;
    const share = Math.log(greatestTime(outcome) / ends.min) / Math.log(ends.max / ends.min);
    return plotPx - (plotPx - wordsPx) / share; // share * (plotPx - right) + wordsPx = plotPx
  });
  return Math.ceil(Math.max(HALF_LABEL_PX, ...needs));
}

/**
 * @param {Row[]} rows
 * @param {RangesFrame} frame
 * @param {{ labelPx?: number, rightPx: number }} places   as barsOfRows takes them
 * @returns {Configuration}
 */
export function latencyRanges(rows, frame, { labelPx, rightPx }) {
  const { theme, ends, hasTitles, plotPx } = frame;
  const { ink } = COLOURS[theme];
  const dataset = {
    label: 'p50 to p99',
    data: rows.map(makeRange),
    backgroundColor: rows.map(({ look }) => look?.colour ?? ink),
    barThickness: 4,
    whiskers: { colour: ink, capPx: 14 },
  };
  const mostTicks = Math.max(2, Math.floor((plotPx - rightPx) / TICK_PX));
  // A label at the very start would reach out of a panel without names, and so move its plot.
  const startPx = labelPx === undefined ? 0 : HALF_LABEL_PX;
  const start = ends.min * (ends.max / ends.min) ** (startPx / (plotPx - rightPx));
  const values = logTicks(start, ends.max, mostTicks);
  const x = { title: hasTitles ? timesAxisTitle(rows) : '', ...ends, values, text: durationTick };
  const marks = rows.flatMap((row, index) => rowMarks(row, index, frame));
  return barsOfRows(rows, theme, { x: logAxis(theme, x), datasets: [dataset], marks, labelPx, rightPx });
}
