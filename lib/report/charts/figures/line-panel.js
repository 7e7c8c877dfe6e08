// Lines on two logarithmic axes, with intervals, markers and their names at their ends; and panels of them that show estimates
// against an axis of the plan, with marks where there is a gap.

import { seriesLabel } from '../../../cell/labels.js';
import { groupedBy } from '../../../format/lists.js';
import { isMeasured } from '../../text/groups.js';
import { linesChart, logAxis, logTicks } from '../scene/chart-axes.js';
import { COLOURS } from '../style/colours.js';
import { textPx } from '../style/letters.js';
import { logEnds, ticksAt } from '../text/quantity-words.js';
import { gapMarkOf } from '../text/short-texts.js';
import { isNotRanked } from './figure.js';
import { makeWhisker } from './rows.js';

/** @import { Outcome } from '../../../types/index.js' */
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
 * @property {string} [limitedMark]   stands where an outcome was measured and has no value
 * @property {number | null} [limit]                      a line across, at so much upwards
 * @property {number} widthPx
 * @property {number | null} [namesPx]                    right of the plot, for names at the ends of lines; null: there are none
 * @property {boolean} [hasTitles]                        of the axes; many small multiples say it once, below
 * @property {string} [reference]                         key of the series that all are compared with: it is drawn above the others
 * @property {number} [heightPx]                          of the panel; left out: PANEL_PX
 */

const PANEL_PX = 230;
export const AXIS_PX = 70; // left of a plot
export const MARKER_PADDING_PX = 18; // the first markers stand on the axis
const TITLED_PANEL_PX = 270; // with titles of its axes
const MOST_TITLED = 4; // panels of a figure
const RIGHT_PX = 24; // of a plot, where no names stand there
const BELOW_PX = 50; // a plot: labels and title of its axis
const MARKER_PX = 4.5;
const DODGE_PX = 6; // between the markers of lines that lie on each other
const MOST_LANES = 5; // more would shift lines too far
const NEAR_PX = 8; // upwards: closer, one marker would cover another
const GAP_MARK_PX = 13;
const GAPS_SHOWN = 3; // above each other; more are counted
const TICK_PX = 50; // '100 kB' and room around it
const UPWARDS_TICKS = { alone: 8, beside: 6 }; // of panels below each other
const LINE_END_PX = 38; // between a plot and the name of a line
const MOST_NAMES_SHARE = 0.36; // of the width of a panel
const { ink, mutedInk, background } = COLOURS.light;

/**
 * @param {number} panels   of a figure
 * @param {{ across: string, upwards: string }} titles
 * @param {number} widthPx   of a panel, without names at its right
 * @returns {{ hasTitles: boolean, heightPx: number }} where there is no room for titles, the axes are said once below
 */
export function titledPanels(panels, { across, upwards }, widthPx) {
  const haveRoom =
    textPx(across) < widthPx - AXIS_PX - RIGHT_PX && textPx(upwards) < TITLED_PANEL_PX - BELOW_PX;
  const hasTitles = panels === 1 || (panels <= MOST_TITLED && haveRoom);
  return { hasTitles, heightPx: hasTitles ? TITLED_PANEL_PX : PANEL_PX };
}

/** @param {Outcome[]} outcomes @returns {string | undefined} the key of the series that all are compared with */
export function referenceOf(outcomes) {
  return outcomes.filter(isMeasured).find(({ ratio }) => ratio !== null)?.ratio?.to;
}

/** @param {(Interval | null)[]} found   null: a gap, whose mark needs room @returns {Ends | null} null: nothing to draw */
export function findEnds(found) {
  const values = found.flatMap((interval) => (interval === null ? [] : [interval.low, interval.high]));
  if (values.length === 0) return null;
  const room = found.includes(null) ? [Math.min(...values) / 2] : [];
  return logEnds([...values, ...room]);
}

/** @param {object[]} data   points @param {Line} line @param {{ capPx?: number, dodgePx?: number }} [own]   capPx: of its whiskers */
export const lineOf = (data, { text, look }, { capPx = 0, dodgePx = 0 } = {}) => ({
  label: text,
  data,
  borderColor: look.colour,
  borderWidth: 2,
  borderDash: look.dash,
  clip: false,
  spanGaps: false,
  pointRadius: 0, // the markers are marks: above the whiskers, and the same as in the legend
  whiskers: { colour: look.colour, halo: background, capPx },
  dodgePx,
});

/** @param {Place} at @param {Look} look @param {{ isHollow?: boolean, dx?: number }} [own] @returns {Mark} the marker of a point */
export function markerAt({ x, y }, { marker: symbol, colour }, { isHollow = false, dx } = {}) {
  return { x, y, symbol, colour, fill: isHollow ? background : colour, sizePx: MARKER_PX, dx };
}

/** @param {Pick<Series, 'text'>[]} series @param {number} widthPx   of a panel @returns {number | null} pixels right of all plots for their names; null: they take too much of it */
export function namesRightPx(series, widthPx) {
  const neededPx = Math.ceil(LINE_END_PX + Math.max(0, ...series.map(({ text }) => textPx(text))));
  return neededPx > MOST_NAMES_SHARE * widthPx ? null : neededPx;
}

/**
 * @param {{ x: number, y: number | null }[]} points   of one line
 * @param {Line} line
 * @param {number} [dx]
 * @returns {Mark[]} its name
 */
export function lineEnd(points, { text, look }, dx) {
  const last = points.findLast(({ y }) => y !== null);
  if (last === undefined || last.y === null) return [];
  return [{ x: last.x, y: last.y, dx, text, colour: ink, fill: look.colour, isLineEnd: true }];
}

/**
 * @param {{ x: number, y: number | null }[][]} lines   the points of each
 * @param {Ends} ends                                   upwards
 * @param {number} plotPx                               height
 * @returns {number[]} pixels by which each stands further right, so that no marker covers another
 */
export function dodgesOf(lines, { min, max }, plotPx) {
  const perLog = plotPx / Math.log(max / min);
  const yOf = lines.map((points) => new Map(points.map(({ x, y }) => [x, y])));
  const areNear = (/** @type {number} */ one, /** @type {number} */ other) =>
    [...yOf[one]].some(([x, y]) => {
      const beside = yOf[other].get(x) ?? null;
      return y !== null && beside !== null && Math.abs(Math.log(y / beside)) * perLog < NEAR_PX;
    });
  /** @type {number[]} */
  const lanes = [];
  // The last one, which lies above the others, keeps its place.
  for (const index of [...lines.keys()].reverse()) {
    const taken = new Set(
      Object.keys(lanes).flatMap((at) => (areNear(index, Number(at)) ? lanes[Number(at)] : [])),
    );
    const free = lines.findIndex((_, lane) => !taken.has(lane));
    lanes[index] = free % MOST_LANES;
  }
  return lanes.map((lane) => (lane % 2 === 1 ? DODGE_PX : -DODGE_PX) * Math.ceil(lane / 2) + 0); // no -0
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
function gapMarks(gaps, { acrossOf, limitedMark = '' }) {
  const markOf = (/** @type {{ outcome: Outcome }} */ { outcome }) =>
    isMeasured(outcome) ? limitedMark : gapMarkOf(outcome.status);
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

/** @param {Outcome[]} outcomes   of one line, in order @param {Line} line @param {LinesFrame} frame @param {number} dx @returns {Mark[]} */
function lineMarks(outcomes, line, frame, dx) {
  const { namesPx = null } = frame;
  const drawn = outcomes.filter((outcome) => frame.upwardsOf(outcome) !== null);
  const points = drawn.map((outcome) => /** @type {Place} */ (makePoint(outcome, frame)));
  return [
    ...drawn.map((outcome, index) =>
      markerAt(points[index], line.look, { isHollow: isNotRanked(outcome), dx }),
    ),
    ...(namesPx === null ? [] : lineEnd(points, line, dx)),
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
    reference,
    heightPx = PANEL_PX,
  } = frame;
  // What is drawn last lies above the others.
  const inOrder = series.toSorted(
    (left, right) => Number(left.key === reference) - Number(right.key === reference),
  );
  const found = inOrder.map((one) => {
    const ofLine = outcomes
      .filter(({ cell }) => seriesLabel(cell) === one.key)
      .sort((left, right) => acrossOf(left) - acrossOf(right));
    return { one, ofLine, points: ofLine.map((outcome) => makePoint(outcome, frame)) };
  });
  const dodges = dodgesOf(
    found.map(({ points }) => points),
    upwards.ends,
    heightPx - BELOW_PX,
  );
  const lines = found.map((line, index) => ({ ...line, dodgePx: dodges[index] }));
  const gaps = lines.flatMap(({ one: { look }, ofLine }) =>
    ofLine.filter((outcome) => upwardsOf(outcome) === null).map((outcome) => ({ outcome, look })),
  );
  const marks = [
    ...lines.flatMap(({ one, ofLine, dodgePx }) => lineMarks(ofLine, one, frame, dodgePx)),
    ...[...groupedBy(gaps, ({ outcome }) => acrossOf(outcome)).values()].flatMap((atPlace) =>
      gapMarks(atPlace, frame),
    ),
  ];
  const { values } = across;
  const ends = { min: values[0], max: values[values.length - 1] };
  const mostTicks = Math.floor((widthPx - AXIS_PX - (namesPx ?? RIGHT_PX)) / TICK_PX) + 1;
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
    ...lines.map(({ one, points, dodgePx }) => lineOf(points, one, { capPx: 8, dodgePx })),
    ...(limit === null ? [] : [limitLine(limit, ends)]),
  ];
  return linesChart(datasets, scales, marks, namesPx);
}
