// The figure of the latencies of one payload: a panel per shape, on the same scale.

import { CLOSED_LOOP_SENTENCE } from '../format/conclusion.js';
import { shapeLabel } from '../labels.js';
import { AXIS_PX, columnPx, figureOf, whereOf } from './figure.js';
import { flagMarks, gapNotes } from './footer.js';
import { latencyRanges, rangeEnd, TIMES_TITLE } from './latency-ranges.js';
import { logEnds } from './quantities.js';
import { rowsByClass, rowsInPlanOrder } from './rows.js';
import { byShape, isMeasured, seriesOf } from './series.js';
import { messageOfLatencies } from './words.js';

/**
 * @typedef {import('../types.js').Outcome} Outcome
 * @typedef {import('./figure.js').Figure} Figure
 * @typedef {import('./figure.js').Sheet} Sheet
 * @typedef {import('./legend.js').LegendItem} LegendItem
 */

const ROW_PX = 27;
const SMALL_ROW_PX = 22;
const SMALL_AXIS_PX = 28;
const LETTER_PX = 7.4; // at 13 px
const MOST_COLUMNS = 3;

/** @type {LegendItem[]} */
const LEGEND = [
  { text: 'p50', swatch: { kind: 'symbol', symbol: 'circle', isHollow: false } },
  { text: 'p90', swatch: { kind: 'symbol', symbol: 'tick', isHollow: false } },
  { text: 'p99', swatch: { kind: 'symbol', symbol: 'circle', isHollow: true } },
];

/** @param {Sheet} sheet @param {Outcome[]} outcomes @returns {import('./latency-ranges.js').RangesFrame} */
function frameOf({ theme }, outcomes) {
  const times = outcomes.filter(isMeasured).flatMap((outcome) => {
    const { p50, perLaunch } = outcome.latencyUs;
    return [p50, perLaunch.p50.low, rangeEnd(outcome), perLaunch.p99?.high ?? p50];
  });
  return {
    theme,
    marksOf: flagMarks(outcomes),
    ends: logEnds(times),
    hasValues: true,
    hasTitles: true,
    plotPx: columnPx(1),
  };
}

/**
 * @param {Sheet} sheet
 * @param {Outcome[]} outcomes
 * @returns {Pick<Figure, 'columns' | 'labelPx' | 'panelPx' | 'panels'>}
 */
function onePanel(sheet, outcomes) {
  const rows = rowsByClass(outcomes, seriesOf(outcomes, sheet.theme), ({ latencyUs }) => latencyUs.p50);
  const configuration = latencyRanges(rows, frameOf(sheet, outcomes));
  return {
    columns: 1,
    labelPx: 0,
    panelPx: rows.length * ROW_PX + AXIS_PX,
    panels: [{ title: '', configuration }],
  };
}

/**
 * @param {Sheet} sheet
 * @param {Outcome[]} outcomes
 * @returns {Pick<Figure, 'columns' | 'labelPx' | 'panelPx' | 'panels'>}
 */
function smallMultiples(sheet, outcomes) {
  const shapes = byShape(outcomes);
  const series = seriesOf(outcomes, sheet.theme);
  const columns = shapes.length === 4 ? 2 : Math.min(shapes.length, MOST_COLUMNS);
  const labelPx = Math.ceil(Math.max(...series.map(({ text }) => text.length)) * LETTER_PX) + 14;
  const plotPx = columnPx(columns, labelPx);
  const frame = { ...frameOf(sheet, outcomes), hasValues: columns < MOST_COLUMNS, hasTitles: false, plotPx };
  const panels = shapes.map((ofShape, index) => ({
    title: shapeLabel(ofShape[0].cell),
    configuration: latencyRanges(
      rowsInPlanOrder(ofShape, series),
      frame,
      index % columns === 0 ? labelPx : 0,
    ),
  }));
  return { columns, labelPx, panelPx: series.length * SMALL_ROW_PX + SMALL_AXIS_PX, panels };
}

/** @param {Sheet} sheet @param {Outcome[]} outcomes   of one payload @returns {Figure} */
export function latencyFigure(sheet, outcomes) {
  const isSingle = byShape(outcomes).length === 1;
  const parts = (isSingle ? onePanel : smallMultiples)(sheet, outcomes);
  return figureOf(sheet, outcomes, {
    ...parts,
    name: `latency-${outcomes[0].cell.payloadBytes}B`,
    title: `Latency of a round trip${whereOf(outcomes)}`,
    message: messageOfLatencies(outcomes),
    legend: LEGEND,
    notes: [...(isSingle ? [] : [`→ ${TIMES_TITLE}`]), CLOSED_LOOP_SENTENCE, ...gapNotes(outcomes)],
  });
}
