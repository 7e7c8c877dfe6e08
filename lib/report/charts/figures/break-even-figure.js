// The figure of tasks: how many times the rate of the main process alone each row has, against the work of a task. Where its line
// crosses 1, handing tasks out begins to pay.

import { seriesLabel } from '../../../cell/labels.js';
import { labelParts } from '../../../cell/settings.js';
import { groupedBy } from '../../../format/lists.js';
import { placesBetween, ratioAt } from '../../../statistics/crossover.js';
import { breakEvenText, findBreakEvens } from '../../text/break-even.js';
import { cellName } from '../../text/groups.js';
import { linesChart, logAxis, logTicks } from '../scene/chart-axes.js';
import { innerPx } from '../scene/layout.js';
import { COLOURS } from '../style/colours.js';
import { logEnds, ticksAt } from '../text/quantity-words.js';
import { labelText } from '../text/short-texts.js';
import { formatWhere, isNotRanked, legendOf, makeFigure } from './figure.js';
import { lineEnd, lineOf, MARKER_PADDING_PX, markerAt, namesRightPx } from './line-panel.js';
import { makeSeries } from './series.js';

/** @import { Results } from '../../../types/index.js' */
/** @import { BreakEven } from '../../text/break-even.js' */
/** @import { Configuration, Figure, Mark, Series } from '../scene-types.js' */

const FEWEST_PLACES = 3; // two are told by their tables
const LEAST_US = 1; // tasks without work are in the tables: a logarithm has no place for them
const PLOT_PX = 320;
const MOST_TICKS = 8;
const BAND = '2a'; // alpha: several bands lie on each other
const { mutedInk } = COLOURS.light;

/** @typedef {{ x: number, y: number, low: number, high: number }} BandPoint */
/** @typedef {{ series: Series, points: BandPoint[], marks: Mark[] }} Line */

/**
 * @param {Results} results
 * @param {{ title: string, widthPx: number }} sheet
 * @returns {Figure[]} one for each concurrency and payload with three amounts of work or more
 */
export function breakEvenFigures(results, { title, widthPx }) {
  const all = findBreakEvens(results).flatMap((one) => {
    const row = one.row.filter((_, place) => one.points[place].x >= LEAST_US);
    const points = one.points.filter(({ x }) => x >= LEAST_US);
    return points.length < FEWEST_PLACES ? [] : [{ ...one, row, points }];
  });
  const places = [...groupedBy(all, ({ place }) => place).values()];
  return places.map((some, index) => {
    // One question for the whole figure: tasks, however much work they are.
    const outcomes = some
      .flatMap(({ row }) => row)
      .map((outcome) => {
        const { name } = labelParts(outcome.cell.scenario);
        return { ...outcome, cell: { ...outcome.cell, scenario: name } };
      });
    const series = makeSeries(results, outcomes);
    const rightPx = namesRightPx(series, innerPx(widthPx));
    const slice = { cell: outcomes[0].cell, model: /** @type {const} */ ('closed'), parts: [], outcomes };
    const inline = cellName(some[0].inline[0].cell);
    const figure = makeFigure({ results, slice, title, widthPx }, outcomes, {
      name: labelText(`break-even${places.length === 1 ? '' : `-${index + 1}`}`),
      title: `Speed-up over ${inline} against work per task${formatWhere(results, outcomes)}`,
      message: breakEvenText(some),
      legend: rightPx === null ? legendOf(series, 'line') : [],
      panelPx: PLOT_PX,
      panels: [{ title: '', configuration: panelOf(some, series, rightPx) }],
      notes: ['Bands: 95 % intervals, on straight lines between what was measured'],
      hasIntervals: false,
    });
    // What the alt text lists of rows are their rates, which mean little without their work.
    return { ...figure, altText: `${figure.title}. ${figure.message}.` };
  });
}

/** @param {BreakEven} breakEven @param {Series} series @param {number | null} rightPx @returns {Line} */
function makeLine({ row, points }, series, rightPx) {
  const at = (/** @type {number} */ x) => {
    const { estimate, low, high } = ratioAt(points, x); // of costs: the rate has it upside down
    return { x, y: 1 / estimate, low: 1 / high, high: 1 / low };
  };
  const along = placesBetween(points).map(at);
  const markers = points.map(({ x }, place) =>
    markerAt(at(x), series.look, { isHollow: isNotRanked(row[place]) }),
  );
  return { series, points: along, marks: [...markers, ...(rightPx === null ? [] : lineEnd(along, series))] };
}

/** @param {BreakEven[]} all @param {Series[]} series @param {number | null} rightPx @returns {Configuration} */
function panelOf(all, series, rightPx) {
  const lines = all.map((one) => {
    const key = seriesLabel(one.row[0].cell);
    return makeLine(one, /** @type {Series} */ (series.find((each) => each.key === key)), rightPx);
  });
  const ends = lines.flatMap(({ points }) => points.map(({ y }) => y));
  const { min, max } = logEnds([...ends, 1]);
  const xs = [...new Set(all.flatMap(({ points }) => points.map(({ x }) => x)))].sort(
    (one, other) => one - other,
  );
  const scales = {
    x: logAxis({
      title: 'work per task in µs, log scale',
      min: xs[0],
      max: xs[xs.length - 1],
      values: ticksAt(xs, MOST_TICKS),
      format: 'si',
    }),
    y: logAxis({
      title: 'times as many tasks per second, log scale',
      min,
      max,
      values: logTicks(min, max, MOST_TICKS),
      format: 'si',
      paddingPx: MARKER_PADDING_PX,
    }),
  };
  const unseen = { borderWidth: 0, pointRadius: 0, order: 1 };
  const inPlot = (/** @type {number} */ y) => Math.min(max, Math.max(min, y));
  const bands = lines.flatMap(({ points, series: { text, look } }) =>
    /** @type {const} */ (['high', 'low']).map((key) => ({
      ...unseen,
      label: `${text}, ${key}`,
      data: points.map((point) => ({ x: point.x, y: inPlot(point[key]) })),
      backgroundColor: `${look.colour}${BAND}`,
      fill: key === 'high' ? false : '-1',
    })),
  );
  const even = {
    label: 'as many',
    data: [xs[0], xs[xs.length - 1]].map((x) => ({ x, y: 1 })),
    borderColor: mutedInk,
    borderWidth: 1.5,
    borderDash: [4, 4],
    pointRadius: 0,
    order: 0,
  };
  const drawn = lines.map(({ points, series: one }) => ({ ...lineOf(points, one), order: 0 }));
  const marks = lines.flatMap((line) => line.marks);
  return linesChart([...drawn, ...bands, even], scales, marks, rightPx);
}
