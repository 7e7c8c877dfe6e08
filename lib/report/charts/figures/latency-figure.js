// The figure of the latencies of one payload: a panel per shape, on the same scale.

import { commonOperation, hasServiceTimes, SERVICE_TIME } from '../../../cell/headline.js';
import { article, capitalised } from '../../../format/lists.js';
import { CLOSED_LOOP_SENTENCES } from '../../text/conclusion.js';
import { isMeasured } from '../../text/groups.js';
import { kindsIn } from '../../text/transport-kinds.js';
import { countedPayload } from '../scene/pieces.js';
import { messageOfLatencies } from '../text/chart-words.js';
import { gapNotes } from '../text/footer.js';
import { logEnds } from '../text/quantity-words.js';
import { columnPx, columnsFor, formatWhere, MOST_COLUMNS, makeFigure } from './figure.js';
import { flagMarks } from './flag-scopes.js';
import {
  greatestTime,
  latencyRanges,
  rangesRightPx,
  selectDrawnTimes,
  timesAxisTitle,
} from './latency-ranges.js';
import { makeOnePanel, namesPx, panelPerShape, rowsByClass, rowsInPlanOrder, rowsOfPanels } from './rows.js';
import { byShape, labelText, makeSeries } from './series.js';
import { areTooMany } from './small-multiples.js';

/** @import { MeasuredOutcome, Outcome } from '../../../types/index.js' */
/** @import { Figure, Sheet } from './figure.js' */
/** @import { LegendItem } from '../scene/legend.js' */
/** @import { RowPanels } from './rows.js' */

/** @param {MeasuredOutcome} outcome */
const costOf = (outcome) => selectDrawnTimes(outcome).p50;

/** @type {LegendItem[]} */
const LEGEND = [
  { text: 'p50', swatch: { kind: 'symbol', symbol: 'circle', isHollow: false } },
  { text: 'p90', swatch: { kind: 'symbol', symbol: 'tick', isHollow: false } },
  { text: 'p99', swatch: { kind: 'symbol', symbol: 'circle', isHollow: true } },
];

/** @param {Sheet} sheet @param {Outcome[]} outcomes @returns {import('./latency-ranges.js').RangesFrame} */
function makeFrame({ theme, widthPx }, outcomes) {
  const times = outcomes.filter(isMeasured).flatMap((outcome) => {
    const { p50, perLaunch } = selectDrawnTimes(outcome);
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
  const rows = rowsByClass(sheet.results, outcomes, makeSeries(sheet.results, outcomes, sheet.theme), costOf);
  const frame = { ...makeFrame(sheet, outcomes), plotPx: columnPx(1, namesPx(rows), sheet.widthPx) };
  return makeOnePanel(rows, latencyRanges(rows, frame, { rightPx: rangesRightPx(rows, frame) }));
}

/** @param {Sheet} sheet @param {Outcome[]} outcomes @returns {RowPanels} */
function smallMultiples(sheet, outcomes) {
  const shapes = byShape(outcomes);
  const series = makeSeries(sheet.results, outcomes, sheet.theme);
  const columns = columnsFor(shapes.length);
  const rowsIn = areTooMany(series)
    ? rowsOfPanels(sheet.results, outcomes, series, costOf)
    : (/** @type {Outcome[]} */ ofShape) => rowsInPlanOrder(ofShape, series);
  const all = shapes.map(rowsIn);
  const plotPx = columnPx(columns, namesPx(all[0]), sheet.widthPx);
  const frame = {
    ...makeFrame(sheet, outcomes),
    hasValues: columns < MOST_COLUMNS,
    hasTitles: false,
    plotPx,
  };
  const rightPx = rangesRightPx(all.flat(), frame);
  return panelPerShape(shapes, all, columns, (rows, labelPx) =>
    latencyRanges(rows, frame, { labelPx, rightPx }),
  );
}

/** @param {MeasuredOutcome[]} measured   of one scenario @returns {string} */
function timesTitle(measured) {
  const { one } = commonOperation(measured);
  return labelText(`${capitalised(selectDrawnTimes(measured[0]).title)} of ${article(one)} ${one}`);
}

/** @param {Outcome[]} outcomes   of one scenario @returns {string} 'latency' */
function timesFileName(outcomes) {
  const { name } = selectDrawnTimes(outcomes.filter(isMeasured)[0]);
  return name === SERVICE_TIME ? 'latency' : `${name}-ranges`;
}

/** @param {Outcome[]} outcomes @returns {string[]} */
function closedLoopNotes(outcomes) {
  return outcomes.filter(isMeasured).some(hasServiceTimes) ? [CLOSED_LOOP_SENTENCES.full] : [];
}

/** @param {Sheet} sheet @param {Outcome[]} outcomes   of one payload @returns {Figure} */
export function latencyFigure(sheet, outcomes) {
  const isSingle = byShape(outcomes).length === 1;
  const parts = (isSingle ? onePanel : smallMultiples)(sheet, outcomes);
  return makeFigure(sheet, outcomes, {
    ...parts,
    isOfTimes: true,
    name: `${timesFileName(outcomes)}-${countedPayload(sheet.results, outcomes[0].cell).fileName}`,
    title: `${timesTitle(outcomes.filter(isMeasured))}${formatWhere(sheet.results, outcomes)}`,
    message: messageOfLatencies(outcomes, kindsIn(sheet.results)),
    legend: LEGEND,
    notes: [
      ...(isSingle ? [] : [`→ ${timesAxisTitle(outcomes.map((outcome) => ({ outcome })))}`]),
      ...closedLoopNotes(outcomes),
      ...gapNotes(outcomes),
    ],
  });
}
