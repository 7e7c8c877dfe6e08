// Estimates against an axis of the plan, both logarithmic: one line per series, with intervals, marks and gaps.

import { seriesLabel } from '../../../cell/labels.js';
import { groupedBy } from '../../../format/lists.js';
import { isMeasured } from '../../text/groups.js';
import { floorPoints, floorSeries } from '../scene/baseline-marks.js';
import { chartOptions, logAxis, logTicks } from '../scene/chart-axes.js';
import { makeWhisker } from '../scene/whiskers.js';
import { COLOURS } from '../style/palette.js';
import { gapMarkOf } from '../text/footer.js';
import { ticksAt } from '../text/quantity-words.js';
import { lineEnd } from './line-names.js';

/** @import { Outcome } from '../../../types/index.js' */
/** @import { Configuration } from '../scene/chart-axes.js' */
/** @import { Mark } from '../scene/marks.js' */
/** @import { Theme } from '../style/palette.js' */
/** @import { Look, Series } from './series.js' */

/**
 * The same for all panels of a figure.
 * @typedef {object} LinesFrame
 * @property {Theme} theme
 * @property {(outcome: Outcome) => string} marksOf       of its flags
 * @property {LinesAxis} across                         its values: ascending, those of the plan
 * @property {LinesAxis} upwards                        its values: the ends
 * @property {(outcome: Outcome) => number} acrossOf
 * @property {(outcome: Outcome) => Interval | null} upwardsOf     null: a gap
 * @property {(outcome: Outcome) => string} [limitedMarkOf]   of what was measured, and has no value all the same
 * @property {(outcomes: Outcome[]) => import('../scene/baseline-marks.js').FloorLine[]} [floorsOf]   of a panel; absent: none
 * @property {number | null} [limit]                      a line across, at so much upwards
 * @property {number} widthPx
 * @property {number | null} namesPx                     right of the plot, for names at the ends of lines; null: there are none
 * @property {boolean} hasTitles                          of the axes; small multiples say it once, below
 */
/** @typedef {{ title: string, values: number[], text?: (value: number) => string }} LinesAxis */
/** @typedef {{ estimate: number, low: number, high: number, n?: number }} Interval   n: launches that it is of */

export const PANEL_PX = 230;
export const TITLED_PANEL_PX = 290; // its title stands upright beside it
export const MARKER_PADDING_PX = 10; // the first markers stand on the axis
const GAP_MARK_PX = 13;
const GAPS_SHOWN = 3; // above each other; more are counted
const AXIS_PX = 70;
const TICK_PX = 46; // '100 kB' and room around it
const UPWARDS_TICKS = { alone: 8, beside: 6 }; // of panels below each other

/** @param {Outcome} outcome @param {LinesFrame} frame */
function makePoint(outcome, { acrossOf, upwardsOf }) {
  const x = acrossOf(outcome);
  const found = upwardsOf(outcome);
  if (found === null) return { x, y: null, yMin: null, yMax: null };
  const { low, high } = makeWhisker(found);
  return { x, y: found.estimate, yMin: low, yMax: high };
}

/** @param {Outcome} outcome @param {LinesFrame} frame @returns {string} what stands where its point would be */
function gapMark(outcome, { limitedMarkOf }) {
  return isMeasured(outcome) ? (limitedMarkOf?.(outcome) ?? '') : gapMarkOf(outcome.status);
}

/**
 * @param {{ outcome: Outcome, look: Look }[]} gaps   at one place
 * @param {LinesFrame} frame
 * @returns {Mark[]} above each other, or how many there are
 */
function gapMarks(gaps, frame) {
  const { mutedInk } = COLOURS[frame.theme];
  const x = frame.acrossOf(gaps[0].outcome);
  const like = { x, align: /** @type {const} */ ('center'), sizePx: 14, weight: 700 };
  if (gaps.length <= GAPS_SHOWN) {
    return gaps.map(({ outcome, look }, place) => ({
      ...like,
      dy: -9 - place * GAP_MARK_PX,
      text: gapMark(outcome, frame),
      colour: look.colour,
    }));
  }
  const kinds = [...groupedBy(gaps, ({ outcome }) => gapMark(outcome, frame))];
  return kinds.map(([mark, { length }], place) => ({
    ...like,
    dy: -9 - place * GAP_MARK_PX,
    text: `${length} ${mark}`,
    colour: mutedInk,
  }));
}

/** @param {Outcome[]} outcomes   of one line @param {LinesFrame} frame @returns {Outcome | undefined} at its end, where its name tells the flags as well */
function namedEnd(outcomes, { upwardsOf, namesPx }) {
  return namesPx === null ? undefined : outcomes.findLast((outcome) => upwardsOf(outcome) !== null);
}

/** @param {Outcome[]} outcomes   of one line @param {Series} series @param {LinesFrame} frame @returns {Mark[]} */
function lineMarks(outcomes, { look }, frame) {
  const { theme, marksOf } = frame;
  const end = namedEnd(outcomes, frame);
  const { ink, background } = COLOURS[theme];
  return outcomes.flatMap((outcome) => {
    const { x, y } = makePoint(outcome, frame);
    if (y === null) return [];
    const at = { x, y };
    const fill = look.isHollow ? background : look.colour;
    const text = outcome === end ? '' : marksOf(outcome);
    /** @type {Mark} */
    const flags = { ...at, dx: 7, dy: -9, text, colour: ink, halo: background, isFlag: true };
    return [
      { ...at, symbol: look.marker, colour: look.colour, fill, sizePx: 4.5 },
      ...(text === '' ? [] : [flags]),
    ];
  });
}

/** @param {object[]} data   points @param {Pick<Series, 'text' | 'look'>} series @param {number} capPx   of its whiskers */
export const lineOf = (data, { text, look }, capPx) => ({
  label: text,
  data,
  borderColor: look.colour,
  borderWidth: 2,
  borderDash: look.dash,
  clip: false,
  pointRadius: 0, // the markers are marks: above the whiskers, and the same as in the legend
  whiskers: { colour: look.colour, capPx },
});

/** @param {number} limit @param {{ min: number, max: number }} ends @param {Theme} theme */
function limitLine(limit, { min, max }, theme) {
  const { mutedInk } = COLOURS[theme];
  return {
    label: 'limit',
    data: [min, max].map((x) => ({ x, y: limit, yMin: limit, yMax: limit })),
    borderColor: mutedInk,
    borderWidth: 1.5,
    borderDash: [4, 4],
    pointRadius: 0,
    whiskers: { colour: mutedInk, capPx: 0 },
  };
}

/**
 * @param {Outcome[]} outcomes   of one panel
 * @param {Series[]} series      of this panel
 * @param {LinesFrame} frame
 * @returns {Configuration}
 */
export function linePanel(outcomes, series, frame) {
  const { theme, across, upwards, acrossOf, widthPx, namesPx, hasTitles, limit = null } = frame;
  const floors = frame.floorsOf?.(outcomes) ?? [];
  const pointsOf = (/** @type {Outcome[]} */ ofLine) => ofLine.map((outcome) => makePoint(outcome, frame));
  const lines = series.map((one) => ({
    one,
    ofLine: outcomes
      .filter(({ cell }) => seriesLabel(cell) === one.key)
      .sort((left, right) => acrossOf(left) - acrossOf(right)),
  }));
  const marks = lines.flatMap(({ one, ofLine }) => {
    const end = namedEnd(ofLine, frame);
    const flags = end === undefined ? '' : frame.marksOf(end);
    return [
      ...lineMarks(ofLine, one, frame),
      ...(namesPx !== null ? lineEnd(pointsOf(ofLine), one, theme, flags) : []),
    ];
  });
  for (const floor of floors) {
    marks.push(...floorPoints(floor, theme));
    if (namesPx !== null) marks.push(...lineEnd(floor.points, floorSeries(floor, theme), theme));
  }
  const gaps = lines.flatMap(({ one: { look }, ofLine }) =>
    ofLine.filter((outcome) => frame.upwardsOf(outcome) === null).map((outcome) => ({ outcome, look })),
  );
  const byPlace = groupedBy(gaps, ({ outcome }) => acrossOf(outcome));
  marks.push(...[...byPlace.values()].flatMap((atPlace) => gapMarks(atPlace, frame)));
  const rightPx = namesPx ?? 24;
  const mostTicks = Math.floor((widthPx - AXIS_PX - rightPx) / TICK_PX) + 1;
  const ends = { min: across.values[0], max: across.values[across.values.length - 1] };
  const [min, max] = upwards.values;
  const x = { ...across, ...ends, values: ticksAt(across.values, mostTicks) };
  const y = {
    ...upwards,
    min,
    max,
    values: logTicks(min, max, hasTitles ? UPWARDS_TICKS.alone : UPWARDS_TICKS.beside),
  };
  const titleOf = (/** @type {string} */ title) => (hasTitles ? title : '');
  const scales = {
    x: logAxis(theme, { ...x, title: titleOf(x.title) }),
    y: logAxis(theme, { ...y, title: titleOf(y.title), paddingPx: MARKER_PADDING_PX }),
  };
  const datasets = [
    ...floors.map((floor) => lineOf(floor.points, floorSeries(floor, theme), 0)),
    ...lines.map(({ one, ofLine }) => ({ ...lineOf(pointsOf(ofLine), one, 8), spanGaps: false })),
  ];
  return {
    type: 'line',
    data: { datasets: limit === null ? datasets : [...datasets, limitLine(limit, ends, theme)] },
    options: chartOptions(scales, { top: 8, right: rightPx }),
    marks,
  };
}
