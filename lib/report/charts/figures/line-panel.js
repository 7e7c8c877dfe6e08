// Lines on two logarithmic axes, with intervals, markers and their names at their ends; and panels of them that show estimates
// against an axis of the plan, with marks where there is a gap.

import { seriesLabel } from '../../../cell/labels.js';
import { groupedBy } from '../../../format/lists.js';
import { isMeasured } from '../../text/groups.js';
import { linesChart, logAxis, logTicks } from '../scene/chart-axes.js';
import { COLOURS } from '../style/colours.js';
import { logEnds, ticksAt } from '../text/quantity-words.js';
import { gapMarkOf } from '../text/short-texts.js';
import { isNotRanked } from './flag-notes.js';
import { makeWhisker } from './rows.js';

/** @import { Outcome } from '../../../types/index.js' */
/** @import { FloorLine } from './floor-marks.js' */
/** @import { FormatName, Look, Mark, Series } from '../scene-types.js' */

/** @typedef {{ estimate: number, low: number, high: number, n?: number }} Interval   n: launches that it is of */
/** @typedef {{ min: number, max: number }} Ends   of an axis */
/** @typedef {Pick<Series, 'text' | 'look'>} Line */
/** @typedef {{ x: number, y: number }} Place */

/**
 * The same for all panels of a figure.
 * @typedef {object} LinesFrame
 * @property {{ title: string, values: number[], format?: FormatName }} across   values: ascending, those of the plan
 * @property {{ title: string, ends: Ends, format?: FormatName }} upwards
 * @property {(outcome: Outcome) => number} acrossOf
 * @property {(outcome: Outcome) => Interval | null} upwardsOf     null: a gap
 * @property {(outcome: Outcome) => string} [limitedMarkOf]   of what was measured, and has no value all the same
 * @property {(outcomes: Outcome[]) => FloorLine[]} [floorsOf]   of a panel; absent: none
 * @property {number | null} [limit]                      a line across, at so much upwards
 * @property {number} widthPx
 * @property {number | null} [namesPx]                    right of the plot, for names at the ends of lines; null: there are none
 * @property {boolean} [hasTitles]                        of the axes; small multiples say it once, below
 */

export const PANEL_PX = 230;
export const AXIS_PX = 70; // left of a plot
export const MARKER_PADDING_PX = 10; // the first markers stand on the axis
const MARKER_PX = 4.5;
const RING_PX = 8;
const GAP_MARK_PX = 13;
const GAPS_SHOWN = 3; // above each other; more are counted
const TICK_PX = 46; // '100 kB' and room around it
const UPWARDS_TICKS = { alone: 8, beside: 6 }; // of panels below each other
const LINE_END = { gapPx: 26, letterPx: 6.8 };
const { ink, mutedInk, background } = COLOURS.light;

/** @param {(Interval | null)[]} found   null: a gap, whose mark needs room @param {number[]} [further] @returns {Ends | null} null: nothing to draw */
export function findEnds(found, further = []) {
  const values = found.flatMap((interval) => (interval === null ? [] : [interval.low, interval.high]));
  if (values.length === 0) return null;
  const room = found.includes(null) ? [Math.min(...values) / 2] : [];
  return logEnds([...values, ...room, ...further]);
}

/** @param {object[]} data   points @param {Line} line @param {number} [capPx]   of its whiskers */
export const lineOf = (data, { text, look }, capPx = 0) => ({
  label: text,
  data,
  borderColor: look.colour,
  borderWidth: 2,
  borderDash: look.dash,
  clip: false,
  spanGaps: false,
  pointRadius: 0, // the markers are marks: above the whiskers, and the same as in the legend
  whiskers: { colour: look.colour, capPx },
});

/** @param {Place} at @param {Look} look @param {number} [sizePx] @returns {Mark} the marker of a point */
export function markerAt({ x, y }, { marker: symbol, colour, isHollow }, sizePx = MARKER_PX) {
  return { x, y, symbol, colour, fill: isHollow ? background : colour, sizePx };
}

/** @param {Place} at @param {boolean} isRinged @returns {Mark[]} around its marker; none: it is ranked */
export const ringAt = ({ x, y }, isRinged) =>
  isRinged ? [{ x, y, symbol: 'circle', colour: ink, fill: 'transparent', sizePx: RING_PX }] : [];

/** @param {Pick<Series, 'text'>[]} series @returns {number} pixels right of a plot for their names: the same in all panels */
export function namesRightPx(series) {
  const letters = Math.max(0, ...series.map(({ text }) => text.length));
  return Math.ceil(LINE_END.gapPx + letters * LINE_END.letterPx);
}

/**
 * @param {{ x: number, y: number | null }[]} points   of one line
 * @param {Line} line
 * @returns {Mark[]} its name
 */
export function lineEnd(points, { text, look }) {
  const last = points.findLast(({ y }) => y !== null);
  if (last === undefined || last.y === null) return [];
  return [{ x: last.x, y: last.y, text, colour: ink, fill: look.colour, isLineEnd: true }];
}

/** @param {Outcome} outcome @param {LinesFrame} frame */
function makePoint(outcome, { acrossOf, upwardsOf }) {
  const x = acrossOf(outcome);
  const found = upwardsOf(outcome);
  if (found === null) return { x, y: null, yMin: null, yMax: null };
  const { low, high } = makeWhisker(found);
  return { x, y: found.estimate, yMin: low, yMax: high };
}

/** @param {{ outcome: Outcome, look: Look }[]} gaps @param {LinesFrame} frame @returns {Mark[]} above each other, or counted */
function gapMarks(gaps, { acrossOf, limitedMarkOf }) {
  const markOf = (/** @type {{ outcome: Outcome }} */ { outcome }) =>
    isMeasured(outcome) ? (limitedMarkOf?.(outcome) ?? '') : gapMarkOf(outcome.status);
  const kinds = [...groupedBy(gaps, markOf)];
  const texts =
    gaps.length <= GAPS_SHOWN
      ? gaps.map((gap) => ({ text: markOf(gap), colour: gap.look.colour }))
      : kinds.map(([mark, { length }]) => ({ text: `${length} ${mark}`, colour: mutedInk }));
  const x = acrossOf(gaps[0].outcome);
  return texts.map((own, place) => ({
    x,
    dy: -9 - place * GAP_MARK_PX,
    align: 'center',
    sizePx: 14,
    weight: 700,
    ...own,
  }));
}

/** @param {Outcome[]} outcomes   of one line, in order @param {Line} line @param {LinesFrame} frame @returns {Mark[]} */
function lineMarks(outcomes, line, frame) {
  const { namesPx = null } = frame;
  const drawn = outcomes.filter((outcome) => frame.upwardsOf(outcome) !== null);
  const points = drawn.map((outcome) => /** @type {Place} */ (makePoint(outcome, frame)));
  return [
    ...drawn.flatMap((outcome, index) => [
      ...ringAt(points[index], isNotRanked(outcome)),
      markerAt(points[index], line.look),
    ]),
    ...(namesPx === null ? [] : lineEnd(points, line)),
  ];
}

/** @param {number} limit @param {Ends} ends */
const limitLine = (limit, { min, max }) => ({
  label: 'limit',
  data: [min, max].map((x) => ({ x, y: limit })),
  borderColor: mutedInk,
  borderWidth: 1.5,
  borderDash: [4, 4],
  pointRadius: 0,
});

/** @param {Outcome[]} outcomes   of one panel @param {Series[]} series   of this panel @param {LinesFrame} frame */
export function linePanel(outcomes, series, frame) {
  const {
    across,
    upwards,
    acrossOf,
    upwardsOf,
    widthPx,
    namesPx = null,
    hasTitles = false,
    limit = null,
  } = frame;
  const floors = frame.floorsOf?.(outcomes) ?? [];
  const lines = series.map((one) => ({
    one,
    ofLine: outcomes
      .filter(({ cell }) => seriesLabel(cell) === one.key)
      .sort((left, right) => acrossOf(left) - acrossOf(right)),
  }));
  const gaps = lines.flatMap(({ one: { look }, ofLine }) =>
    ofLine.filter((outcome) => upwardsOf(outcome) === null).map((outcome) => ({ outcome, look })),
  );
  const marks = [
    ...lines.flatMap(({ one, ofLine }) => lineMarks(ofLine, one, frame)),
    ...floors.flatMap((floor) => [
      ...floor.points.map((at) => markerAt(at, floor.look, 3.5)),
      ...(namesPx === null ? [] : lineEnd(floor.points, floor)),
    ]),
    ...[...groupedBy(gaps, ({ outcome }) => acrossOf(outcome)).values()].flatMap((atPlace) =>
      gapMarks(atPlace, frame),
    ),
  ];
  const { values } = across;
  const ends = { min: values[0], max: values[values.length - 1] };
  const mostTicks = Math.floor((widthPx - AXIS_PX - (namesPx ?? 24)) / TICK_PX) + 1;
  const { min, max } = upwards.ends;
  const scales = {
    x: logAxis({
      ...ends,
      title: hasTitles ? across.title : '',
      format: across.format,
      values: ticksAt(values, mostTicks),
    }),
    y: logAxis({
      min,
      max,
      title: hasTitles ? upwards.title : '',
      format: upwards.format,
      values: logTicks(min, max, hasTitles ? UPWARDS_TICKS.alone : UPWARDS_TICKS.beside),
      paddingPx: MARKER_PADDING_PX,
    }),
  };
  const datasets = [
    ...floors.map((floor) => lineOf(floor.points, floor)),
    ...lines.map(({ one, ofLine }) =>
      lineOf(
        ofLine.map((outcome) => makePoint(outcome, frame)),
        one,
        8,
      ),
    ),
    ...(limit === null ? [] : [limitLine(limit, ends)]),
  ];
  return linesChart(datasets, scales, marks, namesPx);
}
