// The figure of the latencies of one payload: a panel per shape, on the same scale.

import { hasServiceTimes, operationOf, SERVICE_TIME } from '../cell/headline.js';
import { CLOSED_LOOP_SENTENCE } from '../verdicts/conclusion.js';
import { isMeasured } from '../verdicts/groups.js';
import { kindsIn } from '../verdicts/kinds.js';
import { article, capitalised } from '../words/lists.js';
import { messageOfLatencies } from './chart-words.js';
import { columnPx, columnsFor, figureOf, MOST_COLUMNS, whereOf } from './figure.js';
import { flagMarks } from './flag-scopes.js';
import { gapNotes } from './footer.js';
import {
  drawnTimesOf,
  greatestTime,
  latencyRanges,
  rangesRightPx,
  timesAxisTitle,
} from './latency-ranges.js';
import { countedPayload } from './pieces.js';
import { logEnds } from './quantity-words.js';
import { namesPx, onePanelOf, panelPerShape, rowsByClass, rowsInPlanOrder, rowsOfPanels } from './rows.js';
import { byShape, labelText, seriesOf } from './series.js';
import { areTooMany } from './small-multiples.js';

/** @import { MeasuredOutcome, Outcome } from '../types/index.js' */
/** @import { Figure, Sheet } from './figure.js' */
/** @import { LegendItem } from './legend.js' */
/** @import { RowPanels } from './rows.js' */

/** @param {MeasuredOutcome} outcome */
const costOf = (outcome) => drawnTimesOf(outcome).p50;

/** @type {LegendItem[]} */
const LEGEND = [
  { text: 'p50', swatch: { kind: 'symbol', symbol: 'circle', isHollow: false } },
  { text: 'p90', swatch: { kind: 'symbol', symbol: 'tick', isHollow: false } },
  { text: 'p99', swatch: { kind: 'symbol', symbol: 'circle', isHollow: true } },
];

/** @param {Sheet} sheet @param {Outcome[]} outcomes @returns {import('./latency-ranges.js').RangesFrame} */
function frameOf({ theme, widthPx }, outcomes) {
  const times = outcomes.filter(isMeasured).flatMap((outcome) => {
    const { p50, perLaunch } = drawnTimesOf(outcome);
    return [p50, perLaunch.p50.low, greatestTime(outcome)];
  });
  return {
    theme,
    marksOf: flagMarks(outcomes),
    ends: logEnds(times),
    hasValues: true,
    hasTitles: true,
    plotPx: columnPx(1, 0, widthPx),
  };
}

/** @param {Sheet} sheet @param {Outcome[]} outcomes @returns {RowPanels} */
function onePanel(sheet, outcomes) {
  const rows = rowsByClass(sheet.results, outcomes, seriesOf(sheet.results, outcomes, sheet.theme), costOf);
  const frame = { ...frameOf(sheet, outcomes), plotPx: columnPx(1, namesPx(rows), sheet.widthPx) };
  return onePanelOf(rows, latencyRanges(rows, frame, { rightPx: rangesRightPx(rows, frame) }));
}

/** @param {Sheet} sheet @param {Outcome[]} outcomes @returns {RowPanels} */
function smallMultiples(sheet, outcomes) {
  const shapes = byShape(outcomes);
  const series = seriesOf(sheet.results, outcomes, sheet.theme);
  const columns = columnsFor(shapes.length);
  const rowsIn = areTooMany(series)
    ? rowsOfPanels(sheet.results, outcomes, series, costOf)
    : (/** @type {Outcome[]} */ ofShape) => rowsInPlanOrder(ofShape, series);
  const all = shapes.map(rowsIn);
  const plotPx = columnPx(columns, namesPx(all[0]), sheet.widthPx);
  const frame = { ...frameOf(sheet, outcomes), hasValues: columns < MOST_COLUMNS, hasTitles: false, plotPx };
  const rightPx = rangesRightPx(all.flat(), frame);
  return panelPerShape(shapes, all, columns, (rows, labelPx) =>
    latencyRanges(rows, frame, { labelPx, rightPx }),
  );
}

/** @param {MeasuredOutcome[]} measured   of one scenario @returns {string} */
function timesTitle(measured) {
  const { one } = operationOf(measured);
  return labelText(`${capitalised(drawnTimesOf(measured[0]).title)} of ${article(one)} ${one}`);
}

/** @param {Outcome[]} outcomes   of one scenario @returns {string} 'latency' */
function timesFileName(outcomes) {
  const { name } = drawnTimesOf(outcomes.filter(isMeasured)[0]);
  return name === SERVICE_TIME ? 'latency' : `${name}-ranges`;
}

/** @param {Outcome[]} outcomes @returns {string[]} */
function closedLoopNotes(outcomes) {
  return outcomes.filter(isMeasured).some(hasServiceTimes) ? [CLOSED_LOOP_SENTENCE] : [];
}

/** @param {Sheet} sheet @param {Outcome[]} outcomes   of one payload @returns {Figure} */
export function latencyFigure(sheet, outcomes) {
  const isSingle = byShape(outcomes).length === 1;
  const parts = (isSingle ? onePanel : smallMultiples)(sheet, outcomes);
  return figureOf(sheet, outcomes, {
    ...parts,
    isOfTimes: true,
    name: `${timesFileName(outcomes)}-${countedPayload(sheet.results, outcomes[0].cell).fileName}`,
    title: `${timesTitle(outcomes.filter(isMeasured))}${whereOf(sheet.results, outcomes)}`,
    message: messageOfLatencies(outcomes, kindsIn(sheet.results)),
    legend: LEGEND,
    notes: [
      ...(isSingle ? [] : [`→ ${timesAxisTitle(outcomes.map((outcome) => ({ outcome })))}`]),
      ...closedLoopNotes(outcomes),
      ...gapNotes(outcomes),
    ],
  });
}
