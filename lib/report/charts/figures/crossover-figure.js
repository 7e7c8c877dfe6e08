// The figure of where the answer changes: what two rows do along an axis, each as measured, as a line with its band; and the place from
// which on the one is ahead, or saves what one notices, with its interval.

import { headlineMeasure, isHigherBetter } from '../../../cell/headline.js';
import { shapeLabel } from '../../../cell/labels.js';
import { capitalised } from '../../../format/lists.js';
import { formatCount, formatPercent } from '../../../format/numbers.js';
import { US_PER_S } from '../../../format/units.js';
import { costsBetween, placesBetween } from '../../../statistics/crossover.js';
import { estimateTypical } from '../../../statistics/estimate.js';
import { crossoversOfRun } from '../../recommend/decide.js';
import { NOTICED_CORE_SHARE } from '../../recommend/objectives.js';
import { axisTitle, crossoverSentence, crossoverText } from '../../recommend/recommendation-words.js';
import { isMeasured } from '../../text/groups.js';
import { measureTitle } from '../../text/measure-words.js';
import { linesChart, logAxis, logTicks } from '../scene/chart-axes.js';
import { innerPx } from '../scene/layout.js';
import { COLOURS } from '../style/colours.js';
import { plainLook } from '../style/palette.js';
import { logEnds, ticksAt } from '../text/quantity-words.js';
import { labelText } from '../text/short-texts.js';
import { isNotRanked, legendOf, makeFigure } from './figure.js';
import { lineEnd, lineOf, MARKER_PADDING_PX, markerAt, namesRightPx } from './line-panel.js';
import { byPayload, byShape, makeSeries } from './series.js';

/** @import { Candidate, Outcome, Turn } from '../../../types/index.js' */
/** @import { Configuration, Figure, Mark, Series, Sheet } from '../scene-types.js' */
/** @typedef {{ x: number, y: number, low: number, high: number }} BandPoint */
/** @typedef {{ series: Series, points: BandPoint[], measured: (BandPoint & { isUnranked: boolean })[] }} Line */

const SPARE = `${formatPercent(NOTICED_CORE_SHARE)} of a core`;
const FEWEST_VALUES = 3; // two are told by their tables
const MOST_SHAPES = 3; // more pictures of one kind nobody looks through: `recommend` draws the one that is asked for
const PLOT_PX = 300;
const MOST_TICKS = 8;
const BAND = '38'; // alpha: bands and grid stay seen where they lie on each other
const UNSEEN = Object.freeze({ borderWidth: 0, pointRadius: 0, clip: false });
const { ink, mutedInk, background } = COLOURS.light;
const BAND_LOOK = plainLook(`${mutedInk}${BAND}`);

/**
 * Of a run: the row that is best at the least payload, and the one that overtakes it.
 * @param {Sheet} sheet
 * @returns {Figure[]} none where no crossover is proven
 */
export function crossoverFigures(sheet) {
  const shapes = byShape(sheet.slice.outcomes);
  if (shapes.length > MOST_SHAPES) return [];
  return shapes.flatMap((ofShape) => {
    const sizes = byPayload(ofShape.filter(isMeasured));
    if (sizes.length < FEWEST_VALUES) return [];
    const [[{ cell }]] = sizes;
    const turns = crossoversOfRun({ ...sheet.results, outcomes: ofShape }, cell);
    const where = shapes.length === 1 ? '' : `-${shapeLabel(cell)}`;
    return turns.map((turn) => crossoverFigure(sheet, turn, where));
  });
}

/** @param {Sheet} sheet @param {Turn} turn @param {string} [suffix]   of its name @returns {Figure} */
export function crossoverFigure(sheet, turn, suffix = '') {
  const { axis, choice, rival, by, spareUs } = turn;
  const along = (/** @type {Candidate} */ candidate) =>
    candidate.along[axis].flatMap(({ measured }) => measured.map(({ outcome }) => outcome));
  const outcomes = [...along(choice), ...along(rival)];
  const [one, other] = makeSeries(sheet.results, outcomes);
  const lines = [
    makeLine(turn, one, choice, ({ costs }) => costs),
    // As measured: what nobody notices was added to it, to find the crossover.
    makeLine(turn, other, rival, ({ others }) => others.map((cost) => cost - spareUs)),
  ];
  const quantity = quantityTitle(turn, outcomes);
  const rightPx = namesRightPx([one, other], innerPx(sheet.widthPx));
  const figure = makeFigure(sheet, outcomes, {
    name: labelText(`crossover-by-${axisTitle(axis)}${suffix}`),
    title: `${capitalised(quantity)} against ${axisTitle(axis)}: where the answer changes`,
    message: capitalised(crossoverSentence(turn)),
    legend: [
      { text: `${bandText(turn)} (95 % interval)`, swatch: { kind: 'bar', look: BAND_LOOK } },
      ...(rightPx === null ? legendOf([one, other], 'line') : []),
    ],
    panelPx: PLOT_PX,
    panels: [{ title: '', configuration: crossoverPanel(lines, turn, quantity, rightPx) }],
    notes: [
      'Bands around the lines: 95 % intervals, on straight lines between what was measured',
      ...(spareUs > 0 ? [`The lines are as measured; where they cross, neither saves ${SPARE} yet`] : []),
    ],
    hasIntervals: false,
  });
  // What the alt text lists of rows are their headlines.
  return by === 'speed' ? figure : { ...figure, altText: `${figure.title}. ${figure.message}.` };
}

/**
 * @param {Turn} turn
 * @param {Series} series
 * @param {Candidate} candidate
 * @param {(point: { costs: number[], others: number[] }) => number[]} ownCosts
 * @returns {Line} of rates, where they are the headline, and not of the time of one of them
 */
function makeLine({ axis, points, by }, series, candidate, ownCosts) {
  const unranked = new Set(
    candidate.along[axis].flatMap(({ x, measured: [{ outcome }] }) => (isNotRanked(outcome) ? [x] : [])),
  );
  const { outcome } = candidate.along[axis][0].measured[0];
  const isRate = by === 'speed' && isMeasured(outcome) && isHigherBetter(headlineMeasure(outcome));
  const shownAs = (/** @type {number} */ cost) => (isRate ? US_PER_S / cost : cost);
  const at = (/** @type {number} */ x) => {
    const { estimate, low, high } = estimateTypical(ownCosts(costsBetween(points, x)));
    const ends = [shownAs(low), shownAs(high)];
    return { x, y: shownAs(estimate), low: Math.min(...ends), high: Math.max(...ends) };
  };
  return {
    series,
    points: placesBetween(points).map(at),
    measured: points.map(({ x }) => ({ ...at(x), isUnranked: unranked.has(x) })),
  };
}

/** @param {Turn} turn @param {Outcome[]} outcomes @returns {string} */
function quantityTitle({ by, axis }, outcomes) {
  const isByRate = axis === 'ratePerSecond';
  if (by === 'cpu') return isByRate ? 'CPU time in a second' : 'CPU time of an operation';
  if (by === 'master') return `CPU time of the master ${isByRate ? 'in a second' : 'for an operation'}`;
  const [first] = outcomes.filter(isMeasured);
  return labelText(measureTitle(headlineMeasure(first), ' in '));
}

/** @param {Turn} turn @returns {string} what is true beyond the crossover */
function bandText({ side, rival, spareUs, axis }) {
  if (spareUs === 0) return `${side} here ${rival.name} is ahead`;
  const rate =
    axis === 'ratePerSecond' ? '' : `at ${formatCount((NOTICED_CORE_SHARE * US_PER_S) / spareUs)}/s, `;
  return `${rate}${rival.name} saves more than ${SPARE} ${side} here`;
}

/** @param {Line[]} lines @param {Turn} turn @param {string} quantity @param {number | null} rightPx @returns {Configuration} two lines with their bands over that of the crossover */
function crossoverPanel(lines, turn, quantity, rightPx) {
  const { axis, crossover, points, by } = turn;
  const { min, max } = logEnds(lines.flatMap((line) => line.points.flatMap(({ low, high }) => [low, high])));
  const xs = points.map(({ x }) => x);
  const scales = {
    x: logAxis({
      title: `${axisTitle(axis)}, log scale`,
      min: xs[0],
      max: xs[xs.length - 1],
      values: ticksAt(xs, MOST_TICKS),
      format: axis === 'payloadBytes' ? 'payload' : 'si',
    }),
    y: logAxis({
      title: `${quantity}, log scale`,
      min,
      max,
      values: logTicks(min, max, MOST_TICKS),
      format: by === 'speed' ? 'si' : 'duration',
      paddingPx: MARKER_PADDING_PX,
    }),
  };
  const stretch = {
    ...UNSEEN,
    label: 'interval of the crossover',
    data: [crossover.low, crossover.high].map((x) => ({ x, y: max })),
    fill: 'start',
    backgroundColor: `${mutedInk}${BAND}`,
    order: 2,
  };
  const middle = {
    ...UNSEEN,
    label: 'crossover',
    data: [min, max].map((y) => ({ x: crossover.estimate, y })),
    borderColor: ink,
    borderWidth: 1,
    borderDash: [4, 3],
    order: 1,
  };
  const datasets = [
    ...lines.map(({ series, points: along }) => ({ ...lineOf(along, series), order: 0 })),
    ...lines.flatMap(makeBand),
    middle,
    stretch,
  ];
  /** @type {Mark} */
  const said = {
    x: crossover.estimate,
    y: max,
    dy: 10,
    text: crossoverText(turn),
    colour: ink,
    halo: background,
    align: 'center',
    weight: 600,
  };
  const marks = lines.flatMap((line) => makeMarks(line, rightPx !== null));
  return linesChart(datasets, scales, [...marks, said], rightPx);
}

/** @param {Line} line @param {boolean} hasName @returns {Mark[]} its places, and its name at its end */
function makeMarks({ series, measured, points }, hasName) {
  return [
    ...measured.map((at) => markerAt(at, series.look, { isHollow: at.isUnranked })),
    ...(hasName ? lineEnd(points, series) : []),
  ];
}

/** @param {Line} line @returns {object[]} its upper end, and its lower end, filled up to the one before */
function makeBand({ points, series: { text, look } }) {
  const end = (/** @type {'low' | 'high'} */ key) => points.map((point) => ({ x: point.x, y: point[key] }));
  const common = { ...UNSEEN, backgroundColor: `${look.colour}${BAND}`, order: 1 };
  return [
    { ...common, label: `${text}, upper end`, data: end('high'), fill: false },
    { ...common, label: `${text}, lower end`, data: end('low'), fill: '-1' },
  ];
}
