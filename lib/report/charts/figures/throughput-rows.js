// Throughput of one payload and one shape: a horizontal bar per series, its value and ratio written beside it.

import { headlineMeasure, readHeadline } from '../../../cell/headline.js';
import { seriesLabel } from '../../../cell/labels.js';
import { formatNumber, formatRatioInterval } from '../../../format/numbers.js';
import { isMeasured } from '../../text/groups.js';
import { measureTitle } from '../../text/measure-words.js';
import { floorMarks, reachOfFloors } from '../scene/baseline-marks.js';
import { linearAxis } from '../scene/chart-axes.js';
import { makeWhisker } from '../scene/whiskers.js';
import { COLOURS } from '../style/palette.js';
import { gapMarkOf } from '../text/footer.js';
import { linearEnd } from '../text/quantity-words.js';
import { barsOfRows } from './rows.js';
import { besideBars, findSecondMeasure, hasBeside } from './second-measure.js';
import { borderWidth, labelText } from './series.js';

/** @import { MeasuredOutcome, Outcome } from '../../../types/index.js' */
/** @import { Configuration } from '../scene/chart-axes.js' */
/** @import { Mark } from '../scene/marks.js' */
/** @import { Theme } from '../style/palette.js' */
/** @import { Row } from './rows.js' */

/**
 * What is drawn at each outcome, in every throughput chart.
 * @typedef {object} Annotations
 * @property {Theme} theme
 * @property {(outcome: Outcome) => string} marksOf               of its flags: 'ob'
 * @property {(outcome: Outcome) => number | null} publishedOf
 * @property {import('../scene/baseline-marks.js').FloorOf} floorIn
 */

/** @param {Outcome[]} outcomes   of one scenario @returns {string} 'round trips per second' */
export function headlineTitle(outcomes) {
  const [first] = outcomes.filter(isMeasured);
  return first === undefined ? 'nothing measured' : labelText(measureTitle(headlineMeasure(first), ' in '));
}

/** @param {Outcome[]} outcomes   of one scenario @returns {string} what pictures of its headline are called: 'throughput' */
export function headlineFileName(outcomes) {
  const [first] = outcomes.filter(isMeasured);
  if (first === undefined) return 'throughput';
  const { unit, name } = headlineMeasure(first);
  return unit === 'per second' ? 'throughput' : name;
}

const VALUE_LETTER_PX = 6.8; // at 13 px, of digits and their punctuation
const VALUE_GAP_PX = 10;
const ARROW_PX = 14; // between a bar and its value
const REASON = { characters: 84, letterPx: 6.4, before: 12 }; // before it: '✕ failed: '

/**
 * The same for all panels of a figure.
 * @typedef {object} RowsFrame
 * @property {number} greatest          end of the axis: values stand beside the bars, so that it need not be a round number
 * @property {boolean} areInColumn      values: beside a published figure or a floor they would be taken for its
 * @property {number} arrowPx           0: no floor is drawn
 * @property {boolean} isNarrow         no ratios, reasons and titles: small multiples say them elsewhere
 * @property {number} [reasonPx]          room for the reason of a gap; left out: enough
 */

/** @param {MeasuredOutcome} outcome @param {string} flags @param {boolean} isNarrow */
function valueText(outcome, flags, isNarrow) {
  const { cell, ratio } = outcome;
  const isReference = ratio?.to === seriesLabel(cell);
  const versus =
    ratio === null || isNarrow ? '' : isReference ? '   reference' : `   ${formatRatioInterval(ratio)}`;
  return `${formatNumber(readHeadline(outcome).estimate)}${versus}${flags === '' ? '' : `  [${flags}]`}`;
}

/** @param {Outcome} outcome @param {RowsFrame} frame */
function gapText(outcome, { isNarrow, reasonPx = Infinity }) {
  if (isMeasured(outcome)) return '';
  const gap = `${gapMarkOf(outcome.status)} ${outcome.status}`;
  const why = outcome.status === 'skipped' ? outcome.reason : outcome.message;
  const fitting = Math.floor(reasonPx / REASON.letterPx) - REASON.before;
  return isNarrow ? gap : `${gap}: ${labelText(why, Math.min(REASON.characters, fitting))}`;
}

/**
 * @param {Outcome} outcome
 * @param {number} index
 * @param {RowsFrame} frame
 * @param {Annotations} annotations
 * @returns {Mark[]}
 */
function rowMarks(outcome, index, frame, annotations) {
  const { theme, marksOf, publishedOf, floorIn } = annotations;
  const { greatest, areInColumn, arrowPx, isNarrow } = frame;
  const { ink, mutedInk, background } = COLOURS[theme];
  const at = { datasetIndex: 0, index };
  const published = publishedOf(outcome) ?? 0;
  /** @type {Mark} */
  const diamond = { ...at, value: published, symbol: 'diamond', colour: ink, fill: background };
  const words = isMeasured(outcome)
    ? { text: valueText(outcome, marksOf(outcome), isNarrow), colour: ink, sizePx: isNarrow ? 12 : 13 }
    : { text: gapText(outcome, frame), colour: mutedInk };
  const value = isMeasured(outcome) ? (areInColumn ? greatest : readHeadline(outcome).high) : 0;
  const line = { max: greatest, halfPx: isNarrow ? 10 : 13, isUpright: false };
  return [
    ...floorMarks(floorIn(outcome), at, line, theme),
    ...(published > 0 ? [diamond] : []),
    { ...at, value, dx: VALUE_GAP_PX + arrowPx, halo: background, ...words },
  ];
}

/** @param {Row} row */
function makePoint({ label, outcome }) {
  if (!isMeasured(outcome)) return { y: label, x: null, xMin: null, xMax: null };
  const headline = readHeadline(outcome);
  const { low, high } = makeWhisker(headline);
  return { y: label, x: headline.estimate, xMin: low, xMax: high };
}

/** @param {Row[]} rows @param {object} like   the bars of the headline @returns {object[]} what is drawn beside them, if anything is */
function makeSecondBars(rows, like) {
  if (!hasBeside(rows.flatMap(({ outcome }) => outcome ?? []))) return [];
  const data = rows.map(({ label, outcome }) => ({
    y: label,
    x: findSecondMeasure(outcome)?.estimate ?? null,
  }));
  const bars = besideBars(
    rows.map(({ look }) => look),
    data,
    'beside',
  );
  return [{ ...like, ...bars }];
}

/**
 * @param {Outcome[]} outcomes   of all panels
 * @param {Annotations} annotations
 * @param {boolean} isNarrow
 * @returns {RowsFrame}
 */
export function rowsFrame(outcomes, { publishedOf, floorIn }, isNarrow) {
  const highs = outcomes.filter(isMeasured).map((outcome) => readHeadline(outcome).high);
  const published = outcomes.map((outcome) => publishedOf(outcome) ?? 0);
  const besides = outcomes.map((outcome) => findSecondMeasure(outcome)?.estimate ?? 0);
  const bars = Math.max(1, ...highs, ...besides, ...published.map((rate) => rate * 1.02));
  const hasFloors = outcomes.some((outcome) => floorIn(outcome) !== null);
  const areInColumn = hasFloors || published.some((rate) => rate > 0);
  const arrowPx = hasFloors ? ARROW_PX : 0;
  return { greatest: reachOfFloors(bars, outcomes, floorIn, isNarrow), areInColumn, arrowPx, isNarrow };
}

/** @param {Row[]} rows @param {RowsFrame} frame @param {Annotations} annotations @returns {number} pixels that values need */
export function valuePx(rows, { isNarrow, arrowPx }, { marksOf }) {
  const letters = rows.map(({ outcome }) =>
    isMeasured(outcome) ? valueText(outcome, marksOf(outcome), isNarrow).length : 0,
  );
  return Math.ceil(Math.max(0, ...letters) * VALUE_LETTER_PX) + 2 * VALUE_GAP_PX + arrowPx;
}

/**
 * @param {Row[]} rows           of one payload and one shape
 * @param {RowsFrame} frame
 * @param {Annotations} annotations
 * @param {{ labelPx?: number, rightPx?: number }} [places]   as barsOfRows takes them; rightPx left out: what the values need
 * @returns {Configuration}
 */
export function throughputRows(rows, frame, annotations, { labelPx, rightPx } = {}) {
  const { theme } = annotations;
  const { ink, background } = COLOURS[theme];
  const { greatest, isNarrow } = frame;
  const title = headlineTitle(rows.flatMap(({ outcome }) => outcome ?? []));
  const dataset = {
    label: title,
    data: rows.map(makePoint),
    fills: rows.map(({ look }) => (look === null ? null : { colour: look.colour, fill: look.fill })),
    borderColor: rows.map(({ look }) => look?.outline ?? ink),
    borderWidth: rows.map(({ look }) => borderWidth(look)),
    borderSkipped: false,
    maxBarThickness: 34,
    categoryPercentage: 0.86,
    barPercentage: 0.92,
    whiskers: { colour: ink, halo: background, capPx: isNarrow ? 7 : 10 },
  };
  const { step } = linearEnd(greatest);
  const axis = { title: isNarrow ? '' : title, step: isNarrow ? 2 * step : step, max: greatest };
  const marks = rows.flatMap(({ outcome }, index) =>
    outcome === null ? [] : rowMarks(outcome, index, frame, annotations),
  );
  const room = { labelPx, rightPx: rightPx ?? valuePx(rows, frame, annotations) };
  const datasets = [dataset, ...makeSecondBars(rows, dataset)];
  return barsOfRows(rows, theme, { x: linearAxis(theme, axis), datasets, marks, ...room });
}
