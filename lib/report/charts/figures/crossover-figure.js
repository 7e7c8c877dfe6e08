// The figure of where the answer changes: what two rows do along an axis, each as a line with its band, and the stretch in
// which it cannot be told which of them is ahead.

import { headlineMeasure, isHigherBetter } from '../../../cell/headline.js';
import { shapeLabel } from '../../../cell/labels.js';
import { capitalised } from '../../../format/lists.js';
import { formatPercent } from '../../../format/numbers.js';
import { US_PER_S } from '../../../format/units.js';
import { axisTitle, crossoverSentence } from '../../recommend/crossover-words.js';
import { crossoversOfRun } from '../../recommend/crossovers-of-run.js';
import { NOTICED_CORE_SHARE } from '../../recommend/objectives.js';
import { isMeasured } from '../../text/groups.js';
import { measureTitle } from '../../text/measure-words.js';
import { crossoverPanel, lineAlong } from './crossover-panel.js';
import { makeFigure } from './figure.js';
import { flagMarks } from './flag-scopes.js';
import { PANEL_PX } from './line-panel.js';
import { byPayload, byShape, labelText, makeSeries } from './series.js';

/** @import { AxisName, Candidate, Merit, Outcome, Turn } from '../../../types/index.js' */
/** @import { Figure, Sheet } from './figure.js' */

const SPARE = `${formatPercent(NOTICED_CORE_SHARE)} of a core`;
const FEWEST_VALUES = 3; // two are told by their tables
const MOST_SHAPES = 3; // more pictures of one kind nobody looks through: `recommend` draws the one that is asked for

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

/**
 * @param {Sheet} sheet
 * @param {Turn} turn
 * @param {string} [suffix]   of its name
 * @returns {Figure}
 */
export function crossoverFigure(sheet, turn, suffix = '') {
  const { axis, choice, rival, points, by } = turn;
  const { theme, results } = sheet;
  const outcomes = [choice, rival].flatMap((candidate) =>
    candidate.along[axis].flatMap(({ measured }) => measured.map(({ outcome }) => outcome)),
  );
  const [one, rivalSeries] = makeSeries(results, outcomes, theme);
  const other = turn.spareUs > 0 ? { ...rivalSeries, text: `${rivalSeries.text} + ${SPARE}` } : rivalSeries;
  const shownAs = valueFrom(outcomes[0], by);
  const flagsOf = flagMarks(outcomes);
  const lines = [
    lineAlong(one, points, { own: ({ costs }) => costs, flags: flagsAlong(choice, axis, flagsOf), shownAs }),
    lineAlong(other, points, {
      own: ({ others }) => others,
      flags: flagsAlong(rival, axis, flagsOf),
      shownAs,
    }),
  ];
  const quantity = quantityTitle(turn, outcomes);
  const name = labelText(`crossover-by-${axisTitle(axis)}${suffix}`);
  const figure = makeFigure(sheet, outcomes, {
    name,
    title: `${capitalised(quantity)} against ${axisTitle(axis)}: where the answer changes`,
    message: capitalised(crossoverSentence(turn)),
    legend: [],
    columns: 1,
    labelPx: 0,
    panelPx: 1.4 * PANEL_PX,
    panels: [{ title: '', configuration: crossoverPanel(lines, turn, quantity, theme) }],
    notes: [
      'grey: it cannot be told which of the two is ahead; bands: 95 % intervals (signed-rank), on straight lines between what was measured',
    ],
    hasIntervals: false,
  });
  // What the alt text lists of rows are their headlines.
  return by === 'speed' ? figure : { ...figure, altText: `${figure.title}. ${figure.message}.` };
}

/**
 * @param {Candidate} candidate
 * @param {AxisName} axis
 * @param {(outcome: Outcome) => string} flagsOf
 * @returns {Map<number, string>} their marks, by place
 */
function flagsAlong(candidate, axis, flagsOf) {
  return new Map(candidate.along[axis].map(({ x, measured: [{ outcome }] }) => [x, flagsOf(outcome)]));
}

/** @param {Outcome} outcome @param {Merit['name']} by @returns {(cost: number) => number} as it is drawn: rates, not the time of one of them */
function valueFrom(outcome, by) {
  const isRate = by === 'speed' && isMeasured(outcome) && isHigherBetter(headlineMeasure(outcome));
  return (cost) => (isRate ? US_PER_S / cost : cost);
}

/** @param {Turn} turn @param {Outcome[]} outcomes @returns {string} */
function quantityTitle({ by, axis }, outcomes) {
  const isByRate = axis === 'ratePerSecond';
  if (by === 'cpu') return isByRate ? 'CPU time in a second' : 'CPU time of an operation';
  if (by === 'master') return `CPU time of the master ${isByRate ? 'in a second' : 'for an operation'}`;
  const [first] = outcomes.filter(isMeasured);
  return labelText(measureTitle(headlineMeasure(first), ' in '));
}
