// The figure of the latencies of one payload: per series a range from p50 over p90 to p99 on a log axis, a panel per shape, on the
// same scale.

import { commonOperation, hasServiceTimes, SERVICE_TIME, timesIn } from '../../../cell/headline.js';
import { article, capitalised } from '../../../format/lists.js';
import { CLOSED_LOOP_SENTENCES } from '../../text/conclusion.js';
import { isMeasured } from '../../text/groups.js';
import { logAxis, logTicks } from '../scene/chart-axes.js';
import { columnPx } from '../scene/layout.js';
import { COLOURS } from '../style/colours.js';
import { textPx } from '../style/letters.js';
import { messageOfLatencies } from '../text/chart-words.js';
import { gapNotes } from '../text/footer.js';
import { duration, logEnds } from '../text/quantity-words.js';
import { countedPayload, gapText, labelText } from '../text/short-texts.js';
import { formatWhere, isNotRanked, MOST_COLUMNS, makeFigure } from './figure.js';
import {
  barsOfRows,
  makeOnePanel,
  makeWhisker,
  namesPx,
  panelPerShape,
  rowColumns,
  rowsByClass,
} from './rows.js';
import { byShape, makeSeries } from './series.js';

/** @import { MeasuredOutcome, Outcome } from '../../../types/index.js' */
/** @import { RowPanels } from './rows.js' */
/** @import { Figure, LegendItem, Mark, Row, Sheet } from '../scene-types.js' */

/**
 * The same for all panels of a figure.
 * @typedef {object} RangesFrame
 * @property {{ min: number, max: number }} ends        of the axis, µs
 * @property {boolean} hasValues                        beside the ranges: where there is room
 * @property {string} title                             of the axis; small multiples say it once, below
 * @property {number} plotPx                            about the width of the plot and what is written right of it
 */

const TEXT_GAP_PX = 12;
const HALF_LABEL_PX = 28; // of a tick
const TICK_PX = 54;
/** @type {LegendItem[]} */
const LEGEND = [
  { text: 'p50', swatch: { kind: 'symbol', symbol: 'circle', isHollow: false } },
  { text: 'p90', swatch: { kind: 'symbol', symbol: 'tick', isHollow: false } },
  { text: 'p99', swatch: { kind: 'symbol', symbol: 'diamond', isHollow: false } },
];
const { ink, mutedInk, background } = COLOURS.light;

/** @param {MeasuredOutcome} outcome   of a scenario that takes times */
const readMainTimes = (outcome) => timesIn(outcome)[0];

/** @param {MeasuredOutcome} outcome @returns {number} µs, of all that is drawn of it: where samples are few, a whisker goes on */
function greatestTime(outcome) {
  const { p90, p99, perLaunch } = readMainTimes(outcome);
  return Math.max(p99 ?? p90, perLaunch.p50.high, perLaunch.p99?.high ?? 0);
}

/** @param {MeasuredOutcome} outcome @param {RangesFrame} frame */
function rangeText(outcome, { hasValues }) {
  const { p50, p99 } = readMainTimes(outcome);
  if (!hasValues) return '';
  return p99 === null ? `${duration(p50)}, too few for p99` : `${duration(p50)} – ${duration(p99)}`;
}

/** @param {Row} row @param {number} index @param {RangesFrame} frame @returns {Mark[]} */
function rowMarks({ look, outcome }, index, frame) {
  if (outcome === null || look === null) return [];
  const at = { datasetIndex: 0, index };
  if (!isMeasured(outcome))
    return [{ ...at, dx: 8, text: gapText(outcome), colour: mutedInk, halo: background }];
  const { colour } = look;
  const { p50, p90, p99 } = readMainTimes(outcome);
  const text = rangeText(outcome, frame);
  const own = { colour, fill: isNotRanked(outcome) ? background : colour, sizePx: 4.5 };
  /** @type {Mark[]} */
  const marks = [
    { ...at, value: p90, symbol: 'tick', colour, sizePx: 7 },
    { ...at, value: p50, symbol: 'circle', ...own },
  ];
  if (p99 !== null) marks.push({ ...at, value: p99, symbol: 'diamond', ...own });
  if (text === '') return marks;
  const place = { ...at, value: greatestTime(outcome), dx: TEXT_GAP_PX };
  return [...marks, { ...place, text, colour: ink, halo: background }];
}

/** @param {Row} row */
function makeRange({ label, outcome }) {
  if (!isMeasured(outcome)) return { y: label, x: null, xMin: null, xMax: null };
  const { p50, p90, p99, perLaunch } = readMainTimes(outcome);
  const intervals = [perLaunch.p50, ...(perLaunch.p99 === null ? [] : [perLaunch.p99])].map(makeWhisker);
  return {
    y: label,
    x: [p50, p99 ?? p90],
    xMin: intervals.map(({ low }) => low),
    xMax: intervals.map(({ high }) => high),
  };
}

/**
 * Most words begin far left of the axis' end: only what the plot has no room for is added to it.
 * @param {Row[]} rows   of all panels
 * @param {RangesFrame} frame
 * @returns {number} pixels right of the plot
 */
function rangesRightPx(rows, frame) {
  const { ends, plotPx } = frame;
  const needs = rows.map(({ outcome }) => {
    const text = isMeasured(outcome) ? rangeText(outcome, frame) : '';
    if (!isMeasured(outcome) || text === '') return 0;
    const wordsPx = TEXT_GAP_PX + textPx(text) + 2;
    const share = Math.log(greatestTime(outcome) / ends.min) / Math.log(ends.max / ends.min);
    return plotPx - (plotPx - wordsPx) / share; // share * (plotPx - right) + wordsPx = plotPx
  });
  return Math.ceil(Math.max(HALF_LABEL_PX, ...needs));
}

/** @param {Row[]} rows @param {RangesFrame} frame @param {{ labelPx?: number, rightPx: number }} places */
function latencyRanges(rows, frame, { labelPx, rightPx }) {
  const { ends, title, plotPx } = frame;
  const dataset = {
    label: 'p50 to p99',
    data: rows.map(makeRange),
    backgroundColor: rows.map(({ look }) => look?.colour ?? ink),
    barThickness: 4,
    whiskers: { colour: ink, halo: background, capPx: 0 },
  };
  const mostTicks = Math.max(2, Math.floor((plotPx - rightPx) / TICK_PX));
  // A label at the very start would reach out of a panel without names, and so move its plot.
  const startPx = labelPx === undefined ? 0 : HALF_LABEL_PX;
  const start = ends.min * (ends.max / ends.min) ** (startPx / (plotPx - rightPx));
  return barsOfRows(rows, {
    x: logAxis({ title, ...ends, values: logTicks(start, ends.max, mostTicks), format: 'duration' }),
    datasets: [dataset],
    marks: rows.flatMap((row, index) => rowMarks(row, index, frame)),
    labelPx,
    rightPx,
  });
}

/** @param {Sheet} sheet @param {Outcome[]} outcomes   of one payload @returns {Figure} */
export function latencyFigure(sheet, outcomes) {
  const { results, widthPx } = sheet;
  const measured = outcomes.filter(isMeasured);
  const times = measured.flatMap((outcome) => {
    const { p50, perLaunch } = readMainTimes(outcome);
    return [p50, perLaunch.p50.low, greatestTime(outcome)];
  });
  const { name, title } = readMainTimes(measured[0]);
  const isServiceTime = name === SERVICE_TIME;
  const axisTitle = `${isServiceTime ? 'service time' : labelText(title)}, log scale`;
  const shapes = byShape(outcomes);
  const isSingle = shapes.length === 1;
  const series = makeSeries(results, outcomes);
  const common = { ends: logEnds(times) };

  /** @returns {RowPanels} */
  function onePanel() {
    const rows = rowsByClass(results, outcomes, series)(outcomes);
    const frame = {
      ...common,
      hasValues: true,
      title: axisTitle,
      plotPx: columnPx(1, namesPx(rows), widthPx),
    };
    return makeOnePanel(rows, latencyRanges(rows, frame, { rightPx: rangesRightPx(rows, frame) }));
  }

  /** @returns {RowPanels} */
  function smallMultiples() {
    const all = shapes.map(rowsByClass(results, outcomes, series));
    const columns = rowColumns(shapes.length, all[0], widthPx);
    const plotPx = columnPx(columns, namesPx(all[0]), widthPx);
    const frame = { ...common, hasValues: columns < MOST_COLUMNS, title: '', plotPx };
    const rightPx = rangesRightPx(all.flat(), frame);
    return panelPerShape(outcomes, all, columns, (rows, labelPx) =>
      latencyRanges(rows, frame, { labelPx, rightPx }),
    );
  }

  const { one } = commonOperation(measured);
  return makeFigure(sheet, outcomes, {
    ...(isSingle ? onePanel() : smallMultiples()),
    isOfTimes: true,
    name: `${isServiceTime ? 'latency' : `${name}-ranges`}-${countedPayload(results, outcomes[0].cell).fileName}`,
    title: `${labelText(`${capitalised(title)} of ${article(one)} ${one}`)}${formatWhere(results, outcomes)}`,
    message: messageOfLatencies(outcomes, results),
    legend: LEGEND,
    ...(isSingle ? {} : { axes: `→ ${axisTitle}` }),
    notes: [...(measured.some(hasServiceTimes) ? [CLOSED_LOOP_SENTENCES.full] : []), ...gapNotes(outcomes)],
  });
}
