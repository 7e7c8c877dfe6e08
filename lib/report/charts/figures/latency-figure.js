// The figure of latencies with one payload: each row has a line from p50 to p99, with a tick at p90, on a log axis. Each shape has a panel.

import { commonOperation, hasServiceTimes, SERVICE_TIME, timesIn } from '../../../cell/headline.js';
import { article, capitalised } from '../../../format/lists.js';
import { isMeasured } from '../../../results/measured-outcomes.js';
import { CLOSED_LOOP_SENTENCES } from '../../text/phrases/limit-phrases.js';
import { duration } from '../../text/quantity-words.js';
import { countedPayload, gapText, labelText } from '../../text/short-texts.js';
import { COLOURS } from '../style/colours.js';
import { textPx } from '../style/letters.js';
import { logAxis, logEnds, logTicks } from './chart-axes.js';
import { messageOfLatencies } from './chart-words.js';
import { formatWhere, isNotRanked, MAX_COLUMNS, makeFigure } from './figure.js';
import { gapNotes } from './footer.js';
import { barsOfRows, makeWhisker, rowPanels } from './rows.js';

/** @import { MeasuredOutcome, Outcome } from '../../../types/index.js' */
/** @import { Figure, LegendItem, Mark, ChartRow, FigureInput } from '../chart-types.js' */

const TEXT_GAP_PX = 12;
const HALF_LABEL_PX = 28; // half the width of a tick label
const TICK_PX = 54;
/** @type {LegendItem[]} */
const LEGEND = [
  { text: 'p50', swatch: { kind: 'symbol', symbol: 'circle', isHollow: false } },
  { text: 'p90', swatch: { kind: 'symbol', symbol: 'tick', isHollow: false } },
  { text: 'p99', swatch: { kind: 'symbol', symbol: 'diamond', isHollow: false } },
];
const { ink, mutedInk, background } = COLOURS.light;

/** @param {MeasuredOutcome} outcome   its scenario measures times */
const readMainTimes = (outcome) => timesIn(outcome)[0];

/**
 * @param {MeasuredOutcome} outcome
 * @returns {number} the greatest time that is drawn, in µs; with few samples, a whisker may reach farther than the marks
 */
function greatestTime(outcome) {
  const { p90, p99, perLaunch } = readMainTimes(outcome);
  return Math.max(p99 ?? p90, perLaunch.p50.high, perLaunch.p99?.high ?? 0);
}

/** @param {MeasuredOutcome} outcome */
function rangeText(outcome) {
  const { p50, p99 } = readMainTimes(outcome);
  return p99 === null ? `${duration(p50)}, too few for p99` : `${duration(p50)} – ${duration(p99)}`;
}

/** @param {ChartRow} row @param {number} index @param {boolean} hasValues @returns {Mark[]} */
function rowMarks({ look, outcome }, index, hasValues) {
  if (outcome === null || look === null) return [];
  const at = { datasetIndex: 0, index };
  if (!isMeasured(outcome))
    return [{ ...at, dx: 8, text: gapText(outcome), colour: mutedInk, halo: background }];
  const { colour } = look;
  const { p50, p90, p99 } = readMainTimes(outcome);
  const style = { colour, fill: isNotRanked(outcome) ? background : colour, sizePx: 4.5 };
  /** @type {Mark[]} */
  const marks = [
    { ...at, value: p90, symbol: 'tick', colour, sizePx: 7 },
    { ...at, value: p50, symbol: 'circle', ...style },
  ];
  if (p99 !== null) marks.push({ ...at, value: p99, symbol: 'diamond', ...style });
  if (!hasValues) return marks;
  const label = { ...at, value: greatestTime(outcome), dx: TEXT_GAP_PX };
  return [...marks, { ...label, text: rangeText(outcome), colour: ink, halo: background }];
}

/** @param {ChartRow} row */
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
 * Computes the width right of the plot, where half of the last tick label and the texts after long ranges need room.
 * @param {ChartRow[]} rows
 * @param {{ min: number, max: number }} ends
 * @param {number} plotPx
 */
function valuesPx(rows, { min, max }, plotPx) {
  const neededPx = rows.map(({ outcome }) => {
    if (!isMeasured(outcome)) return 0;
    const textsPx = TEXT_GAP_PX + textPx(rangeText(outcome)) + 2;
    const share = Math.log(greatestTime(outcome) / min) / Math.log(max / min);
    return (textsPx - (1 - share) * plotPx) / share;
  });
  return Math.ceil(Math.max(HALF_LABEL_PX, ...neededPx));
}

/** @param {FigureInput} question @param {Outcome[]} outcomes   all with one payload @returns {Figure} */
export function latencyFigure(question, outcomes) {
  const { results } = question;
  const measured = outcomes.filter(isMeasured);
  const times = measured.flatMap((outcome) => {
    const { p50, perLaunch } = readMainTimes(outcome);
    return [p50, perLaunch.p50.low, greatestTime(outcome)];
  });
  const { name, title } = readMainTimes(measured[0]);
  const isServiceTime = name === SERVICE_TIME;
  const axisTitle = `${isServiceTime ? 'service time' : labelText(title)}, log scale`;
  const ends = logEnds(times);
  const panels = rowPanels(question, outcomes, (rows, { isNarrow, columns, plotPx, allRows }, labelPx) => {
    const hasValues = !isNarrow || columns < MAX_COLUMNS;
    const rightPx = hasValues ? valuesPx(allRows, ends, plotPx) : HALF_LABEL_PX;
    const axisPx = plotPx - rightPx;
    // Without names, a label at the start of the axis would extend beyond the panel and move its plot.
    const start = isNarrow ? ends.min * (ends.max / ends.min) ** (HALF_LABEL_PX / axisPx) : ends.min;
    const values = logTicks(start, ends.max, Math.max(2, Math.floor(axisPx / TICK_PX)));
    return barsOfRows(rows, {
      x: logAxis({ title: isNarrow ? '' : axisTitle, ...ends, values, format: 'duration' }),
      datasets: [
        {
          label: 'p50 to p99',
          data: rows.map(makeRange),
          backgroundColor: rows.map(({ look }) => look?.colour ?? ink),
          barThickness: 4,
          whiskers: { colour: ink, halo: background, capPx: 0 },
        },
      ],
      marks: rows.flatMap((row, index) => rowMarks(row, index, hasValues)),
      labelPx,
      rightPx,
    });
  });
  const { one } = commonOperation(measured);
  const reading = panels.panels.length === 1 ? [] : [{ text: `→ ${axisTitle}`, rank: 0 }];
  const own = {
    ...panels,
    name: `${isServiceTime ? 'latency' : `${name}-ranges`}-${countedPayload(results, outcomes[0].cell).fileName}`,
    title: `${labelText(`${capitalised(title)} of ${article(one)} ${one}`)}${formatWhere(results, outcomes)}`,
    message: messageOfLatencies(outcomes, results),
    legend: LEGEND,
    notes: [...(measured.some(hasServiceTimes) ? [CLOSED_LOOP_SENTENCES.full] : []), ...gapNotes(outcomes)],
  };
  return makeFigure(question, outcomes, own, { reading, isOfTimes: true });
}
