// Throughput of one payload and one shape: a horizontal bar per series, its value and ratio written beside it.

import { headlineMeasure, readHeadline } from '../../../cell/headline.js';
import { seriesLabel } from '../../../cell/labels.js';
import { formatNumber, formatRatioInterval } from '../../../format/numbers.js';
import { isMeasured } from '../../text/groups.js';
import { measureTitle } from '../../text/measure-words.js';
import { linearAxis } from '../scene/chart-axes.js';
import { COLOURS } from '../style/colours.js';
import { plainLook } from '../style/palette.js';
import { linearEnd } from '../text/quantity-words.js';
import { gapText, labelText } from '../text/short-texts.js';
import { rankText } from './flag-notes.js';
import { floorMarks, reachOfFloors } from './floor-marks.js';
import { barsOf, barsOfRows, rowPoint } from './rows.js';

/** @import { MeasuredOutcome, MeasuredValue, Outcome } from '../../../types/index.js' */
/** @import { FloorOf } from './floor-marks.js' */
/** @import { Configuration, LegendItem, Look, Mark, Row } from '../scene-types.js' */

/**
 * What is drawn at each outcome, in every throughput chart.
 * @typedef {object} Annotations
 * @property {(outcome: Outcome) => number | null} publishedOf
 * @property {FloorOf} floorIn
 */

/**
 * The same for all panels of a figure.
 * @typedef {object} RowsFrame
 * @property {number} greatest          end of the axis: values stand beside the bars, so that it need not be a round number
 * @property {boolean} areInColumn      values: beside a published figure or a floor they would be taken for its
 * @property {number} arrowPx           0: no floor is drawn
 * @property {boolean} isNarrow         no ratios, reasons and titles: small multiples say them elsewhere
 * @property {number} [reasonPx]        room for the reason of a gap; left out: enough
 */

const VALUE_LETTER_PX = 6.8; // at 13 px, of digits and their punctuation
const VALUE_GAP_PX = 10;
const ARROW_PX = 14; // between a bar and its value
const REASON = { characters: 84, letterPx: 6.4, before: 12 }; // before it: '✕ failed: '
const { ink, mutedInk, background } = COLOURS.light;

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

/** @param {Outcome | null} outcome @returns {MeasuredValue | null} what is drawn beside the headline, as a hollow bar on the same axis */
function findSecondMeasure(outcome) {
  if (!isMeasured(outcome)) return null;
  const values = Object.values(outcome.measures).filter((measure) => measure.kind === 'value');
  return values.find(({ beside }) => beside === outcome.headline) ?? null;
}

/** @param {Outcome[]} outcomes @returns {LegendItem[]} none: nothing is drawn beside */
export function besideLegend(outcomes) {
  const [measure] = outcomes.flatMap((outcome) => findSecondMeasure(outcome) ?? []);
  if (measure === undefined) return [];
  const look = plainLook(mutedInk, { fill: 'empty' });
  return [{ text: `hollow: ${labelText(measureTitle(measure))}`, swatch: { kind: 'bar', look } }];
}

/** @param {(Outcome | null)[]} outcomes @returns {(number | null)[] | null} at each of them; null: nothing is drawn beside */
export function readBesides(outcomes) {
  const found = outcomes.map((outcome) => findSecondMeasure(outcome)?.estimate ?? null);
  return found.every((value) => value === null) ? null : found;
}

/** @param {Look | null} look @returns {Look | null} of the bar beside */
export const hollowLook = (look) => look && { ...look, outline: look.colour, fill: 'empty' };

/** @param {Outcome[]} outcomes @param {Pick<Annotations, 'publishedOf'>} annotations @param {number} [room]   around a published figure @returns {number} what a chart of them has to show */
export function greatestShown(outcomes, { publishedOf }, room = 1) {
  const highs = outcomes.filter(isMeasured).map((outcome) => readHeadline(outcome).high);
  const published = outcomes.map((outcome) => room * (publishedOf(outcome) ?? 0));
  const besides = (readBesides(outcomes) ?? []).map((value) => value ?? 0);
  return Math.max(1, ...highs, ...besides, ...published);
}

/** @param {MeasuredOutcome} outcome @param {boolean} isNarrow */
function valueText(outcome, isNarrow) {
  const rank = rankText(outcome);
  const { cell, ratio } = outcome;
  const isReference = ratio?.to === seriesLabel(cell);
  const versus =
    ratio === null || isNarrow ? '' : isReference ? '   reference' : `   ${formatRatioInterval(ratio)}`;
  return `${formatNumber(readHeadline(outcome).estimate)}${versus}${rank === '' ? '' : `   ${rank}`}`;
}

/** @param {Exclude<Outcome, MeasuredOutcome>} outcome @param {RowsFrame} frame */
function reasonText(outcome, { isNarrow, reasonPx = Infinity }) {
  if (isNarrow) return gapText(outcome);
  const why = outcome.status === 'skipped' ? outcome.reason : outcome.message;
  const fitting = Math.floor(reasonPx / REASON.letterPx) - REASON.before;
  return `${gapText(outcome)}: ${labelText(why, Math.min(REASON.characters, fitting))}`;
}

/** @param {Row} row @param {number} index @param {RowsFrame} frame @param {Annotations} annotations @returns {Mark[]} */
function rowMarks({ outcome }, index, frame, { publishedOf, floorIn }) {
  if (outcome === null) return [];
  const { greatest, areInColumn, arrowPx, isNarrow } = frame;
  const at = { datasetIndex: 0, index };
  const published = publishedOf(outcome) ?? 0;
  const words = isMeasured(outcome)
    ? { text: valueText(outcome, isNarrow), colour: ink, sizePx: isNarrow ? 12 : 13 }
    : { text: reasonText(outcome, frame), colour: mutedInk };
  const value = isMeasured(outcome) ? (areInColumn ? greatest : readHeadline(outcome).high) : 0;
  const line = { max: greatest, halfPx: isNarrow ? 10 : 13, isUpright: false };
  return [
    ...floorMarks(floorIn(outcome), at, line),
    ...publishedMarks(published, at),
    { ...at, value, dx: VALUE_GAP_PX + arrowPx, halo: background, ...words },
  ];
}

/** @param {number} published   0: nothing is @param {Mark | object} at @returns {Mark[]} */
export const publishedMarks = (published, at) =>
  published > 0 ? [{ ...at, value: published, symbol: 'diamond', colour: ink, fill: background }] : [];

/** @param {Outcome[]} outcomes   of all panels @param {Annotations} annotations @param {boolean} isNarrow @returns {RowsFrame} */
export function rowsFrame(outcomes, annotations, isNarrow) {
  const { publishedOf, floorIn } = annotations;
  const hasFloors = outcomes.some((outcome) => floorIn(outcome) !== null);
  const bars = greatestShown(outcomes, annotations, 1.02);
  return {
    greatest: reachOfFloors(bars, outcomes, floorIn, isNarrow),
    areInColumn: hasFloors || outcomes.some((outcome) => (publishedOf(outcome) ?? 0) > 0),
    arrowPx: hasFloors ? ARROW_PX : 0,
    isNarrow,
  };
}

/** @param {Row[]} rows @param {RowsFrame} frame @returns {number} pixels that values need */
export function valuePx(rows, { isNarrow, arrowPx }) {
  const letters = rows.map(({ outcome }) => (isMeasured(outcome) ? valueText(outcome, isNarrow).length : 0));
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
  const { greatest, isNarrow } = frame;
  const outcomes = rows.map(({ outcome }) => outcome);
  const looks = rows.map(({ look }) => look);
  const title = headlineTitle(outcomes.flatMap((outcome) => outcome ?? []));
  const data = rows.map(({ label, outcome }) =>
    rowPoint(label, isMeasured(outcome) ? readHeadline(outcome) : null),
  );
  const datasets = [
    barsOf(title, data, looks, { whiskers: { colour: ink, halo: background, capPx: isNarrow ? 7 : 10 } }),
  ];
  const besides = readBesides(outcomes);
  if (besides !== null) {
    const points = rows.map(({ label }, index) => ({ y: label, x: besides[index] }));
    datasets.push(barsOf('beside', points, looks.map(hollowLook)));
  }
  const { step } = linearEnd(greatest);
  const axis = { title: isNarrow ? '' : title, step: isNarrow ? 2 * step : step, max: greatest };
  return barsOfRows(rows, {
    x: linearAxis(axis),
    datasets,
    marks: rows.flatMap((row, index) => rowMarks(row, index, frame, annotations)),
    labelPx,
    rightPx: rightPx ?? valuePx(rows, frame),
  });
}
