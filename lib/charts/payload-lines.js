// Throughput against payload, both axes logarithmic: one line per series, one panel per shape (and codec).

import { seriesLabel } from '../labels.js';
import { COLOURS } from '../palette.js';
import { chartOptions, logAxis, logTicks } from './axes.js';
import { FAILED_MARK, SKIPPED_MARK } from './footer.js';
import { payloadTick } from './quantities.js';
import { isMeasured } from './series.js';

/**
 * @typedef {import('../types.js').Outcome} Outcome
 * @typedef {import('./axes.js').Configuration} Configuration
 * @typedef {import('./marks.js').Mark} Mark
 * @typedef {import('./series.js').Series} Series
 * @typedef {import('../palette.js').Theme} Theme
 */

/**
 * The same for all panels of a figure.
 * @typedef {object} LinesFrame
 * @property {Theme} theme
 * @property {(outcome: Outcome) => string} marksOf       of its flags
 * @property {{ min: number, max: number }} rates         ends of the axes
 * @property {number[]} payloads                        ascending
 * @property {number} widthPx
 * @property {boolean} hasNames                           at the ends of the lines
 * @property {boolean} hasTitles                          of the axes; small multiples say it once, below
 */

export const PAYLOADS_TITLE = 'payload, log scale';
export const LOG_RATES_TITLE = 'round trips per second, log scale';

const LINE_END_TEXT_PX = 190;
const GAP_MARK_PX = 13;
const AXIS_PX = 70;
const TICK_PX = 46; // '100 kB' and room around it
const RATE_TICKS = 8;

/** @param {Outcome} outcome */
function pointOf(outcome) {
  const x = outcome.cell.payloadBytes;
  if (!isMeasured(outcome)) return { x, y: null, yMin: null, yMax: null };
  const { estimate, low, high } = outcome.roundTripsPerSecond;
  return { x, y: estimate, yMin: low, yMax: high };
}

/**
 * @param {Outcome[]} outcomes   of one line
 * @param {Series} series
 * @param {Map<number, number>} gaps   how many gaps are marked at a payload already
 * @param {LinesFrame} frame
 * @returns {Mark[]}
 */
function lineMarks(outcomes, { look }, gaps, { theme, marksOf }) {
  const { ink, background } = COLOURS[theme];
  return outcomes.flatMap((outcome) => {
    const x = outcome.cell.payloadBytes;
    if (!isMeasured(outcome)) {
      const place = gaps.get(x) ?? 0;
      gaps.set(x, place + 1);
      const text = outcome.status === 'skipped' ? SKIPPED_MARK : FAILED_MARK;
      const dy = -9 - place * GAP_MARK_PX;
      return [
        /** @type {Mark} */ ({ x, dy, text, colour: look.colour, align: 'center', sizePx: 14, weight: 700 }),
      ];
    }
    const at = { x, y: outcome.roundTripsPerSecond.estimate };
    const fill = look.isHollow ? background : look.colour;
    const text = marksOf(outcome);
    /** @type {Mark} */
    const flags = { ...at, dx: 7, dy: -9, text, colour: ink, halo: background };
    return [
      { ...at, symbol: look.marker, colour: look.colour, fill, sizePx: 4.5 },
      ...(text === '' ? [] : [flags]),
    ];
  });
}

/** @param {Outcome[]} outcomes   of one line @param {Series} series @param {Theme} theme @returns {Mark[]} */
function lineEnd(outcomes, { text, look }, theme) {
  const last = outcomes.findLast(isMeasured);
  if (last === undefined) return [];
  const at = { x: last.cell.payloadBytes, y: last.roundTripsPerSecond.estimate };
  return [{ ...at, text, colour: COLOURS[theme].ink, fill: look.colour, isLineEnd: true }];
}

/** @param {Outcome[]} outcomes   of one line @param {Series} series */
function datasetOf(outcomes, { text, look }) {
  return {
    label: text,
    data: outcomes.map(pointOf),
    borderColor: look.colour,
    borderWidth: 2,
    borderDash: look.dash,
    spanGaps: false,
    clip: false,
    pointRadius: 0, // the markers are marks: above the whiskers, and the same as in the legend
    whiskers: { colour: look.colour, capPx: 8 },
  };
}

/**
 * @param {number[]} payloads   ascending
 * @param {number} most
 * @returns {number[]} those that were measured, but for what would stand too close
 */
export function ticksAt(payloads, most) {
  const factor = (payloads[payloads.length - 1] / payloads[0]) ** (1 / most);
  let last = 0;
  return payloads.filter((bytes) => {
    if (bytes < last * factor) return false;
    last = bytes;
    return true;
  });
}

/**
 * @param {Outcome[]} outcomes   of one shape
 * @param {Series[]} series      of this panel
 * @param {LinesFrame} frame
 * @returns {Configuration}
 */
export function payloadLines(outcomes, series, frame) {
  const { theme, rates, payloads, widthPx, hasNames, hasTitles } = frame;
  const gaps = new Map();
  const lines = series.map((one) => ({
    one,
    ofLine: outcomes
      .filter(({ cell }) => seriesLabel(cell) === one.key)
      .sort((left, right) => left.cell.payloadBytes - right.cell.payloadBytes),
  }));
  const marks = lines.flatMap(({ one, ofLine }) => [
    ...lineMarks(ofLine, one, gaps, frame),
    ...(hasNames ? lineEnd(ofLine, one, theme) : []),
  ]);
  const rightPx = hasNames ? LINE_END_TEXT_PX : 24;
  const mostTicks = Math.floor((widthPx - AXIS_PX - rightPx) / TICK_PX) + 1;
  const [min, max] = [payloads[0], payloads[payloads.length - 1]];
  const x = {
    title: hasTitles ? PAYLOADS_TITLE : '',
    min,
    max,
    values: ticksAt(payloads, mostTicks),
    text: payloadTick,
  };
  const y = {
    title: hasTitles ? LOG_RATES_TITLE : '',
    ...rates,
    values: logTicks(rates.min, rates.max, RATE_TICKS),
  };
  const scales = { x: logAxis(theme, x), y: logAxis(theme, y) };
  const datasets = lines.map(({ one, ofLine }) => datasetOf(ofLine, one));
  return {
    type: 'line',
    data: { datasets },
    options: chartOptions(scales, { top: 8, right: rightPx }),
    marks,
  };
}
