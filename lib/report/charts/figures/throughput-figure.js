// The figure of the headline of one payload: a horizontal bar per row with its value and its ratio, and a panel for each shape. A figure
// with a reference compares rows, so its whiskers show the intervals of the ratios.

import { axesIn, isUsual } from '../../../cell/axes.js';
import { headlineMeasure, readHeadline } from '../../../cell/headline.js';
import { seriesLabel } from '../../../cell/labels.js';
import { capitalised } from '../../../format/lists.js';
import { formatNumber, formatRatioInterval, hasRange, shownInterval } from '../../../format/numbers.js';
import { printable } from '../../../format/printable.js';
import { isMeasured } from '../../../results/measured-outcomes.js';
import { findReference } from '../../findings/ranking-findings.js';
import { measureTitle } from '../../text/measure-words.js';
import { countedPayload, gapText, labelText } from '../../text/short-texts.js';
import { COLOURS } from '../style/colours.js';
import { textPx } from '../style/letters.js';
import { linearAxis } from './chart-axes.js';
import { messageOfGroups, sleepNotes, withCaveat } from './chart-words.js';
import { formatWhere, makeFigure, rankedLook } from './figure.js';
import { gapNotes, intervalText, publishedNotes } from './footer.js';
import { barsOf, barsOfRows, rowPanels, rowPoint } from './rows.js';
import { byShape } from './series.js';

/** @import { Estimate, Outcome, Results, MeasuredOutcome, MeasuredValue } from '../../../types/index.js' */
/** @import { PublishedFigures } from '../../../types/comparisons.js' */
/** @import { Figure, LegendItem, Mark, ChartRow, FigureInput } from '../chart-types.js' */

/** @typedef {(outcome: Outcome) => number | null} PublishedOf   returns round trips per second; null if none are published for the row */

const PUBLISHED_KEYS = /** @type {const} */ (['transport', 'codec', 'workers', 'loops', 'payloadBytes']);
const VALUE_GAP_PX = 10;
const MARK_PX = { wide: 15, narrow: 11 }; // half the length of a line across a bar
const { ink, mutedInk, background } = COLOURS.light;

/** @param {Results} results @returns {PublishedOf} */
function publishedFinder({ published }) {
  // The placement and the waiting mode of the published run are unknown, so only the axes of a row and of its payload are compared.
  const sameAxes = axesIn(['series', 'payload']).filter(({ usual }) => usual !== undefined);
  return ({ cell }) => {
    if (published === null || !sameAxes.every((axis) => isUsual(axis, cell))) return null;
    const found = published.results.find((row) => PUBLISHED_KEYS.every((key) => row[key] === cell[key]));
    return found?.roundTripsPerSecond ?? null;
  };
}

/** @param {PublishedFigures} published @returns {LegendItem} */
function publishedItem({ title }) {
  const [year] = /\(\d{4}\)/.exec(title) ?? [];
  return {
    text: `published${year === undefined ? '' : ` ${year}`}, another machine`,
    swatch: { kind: 'symbol', symbol: 'tick', isHollow: false },
  };
}

/** @param {Outcome[]} outcomes   all of one scenario, at least one measured @returns {string} 'round trips per second' */
export function headlineTitle(outcomes) {
  const [first] = outcomes.filter(isMeasured);
  return labelText(measureTitle(headlineMeasure(first), ' in '));
}

/** @param {Outcome[]} outcomes   all of one scenario, at least one measured @returns {string} 'throughput', for file names */
export function headlineFileName(outcomes) {
  const [first] = outcomes.filter(isMeasured);
  const { unit, name } = headlineMeasure(first);
  return unit === 'per second' ? 'throughput' : name;
}

/** @param {Outcome | null} outcome @returns {MeasuredValue | null} the measure that its scenario shows beside the headline */
function findSecondMeasure(outcome) {
  if (!isMeasured(outcome)) return null;
  const values = Object.values(outcome.measures).filter((measure) => measure.kind === 'value');
  return values.find(({ beside }) => beside === outcome.headline) ?? null;
}

/** @param {Outcome[]} outcomes @returns {LegendItem[]} */
function secondLegend(outcomes) {
  const [measure] = outcomes.flatMap((outcome) => findSecondMeasure(outcome) ?? []);
  if (measure === undefined) return [];
  return [
    { text: labelText(measureTitle(measure)), swatch: { kind: 'symbol', symbol: 'diamond', isHollow: true } },
  ];
}

/** @param {Outcome[]} outcomes @returns {string} the quantity whose interval a whisker shows */
export const headlineNoun = (outcomes) =>
  headlineFileName(outcomes) === 'throughput' ? 'the rate' : 'the value';

/** @param {MeasuredOutcome} outcome */
const isReference = ({ cell, ratio }) => ratio?.to === seriesLabel(cell);

/**
 * @param {MeasuredOutcome} outcome
 * @returns {Estimate} the value, with the interval of its ratio converted to units of the value, so that the whisker shows the printed
 *   interval relative to the bar of the reference; the reference has no interval
 */
function comparedValue(outcome) {
  const value = readHeadline(outcome);
  const { estimate } = value;
  const { ratio } = outcome;
  if (ratio === null || ratio.level === null || isReference(outcome))
    return { ...value, low: estimate, high: estimate, level: null, method: 'unknown' };
  const { level, method } = ratio;
  const { low, high } = shownInterval(ratio);
  const unit = estimate / ratio.estimate;
  return { ...value, low: low * unit, high: high * unit, level, method };
}

/** @param {MeasuredOutcome} outcome @param {boolean} isNarrow */
function valueText(outcome, isNarrow) {
  const { ratio } = outcome;
  const versus =
    ratio === null || isNarrow
      ? ''
      : isReference(outcome)
        ? '   reference'
        : `   ${formatRatioInterval(ratio)}`;
  return `${formatNumber(readHeadline(outcome).estimate)}${versus}`;
}

/**
 * @param {Exclude<Outcome, MeasuredOutcome>} outcome
 * @param {number} roomPx
 * @returns {string} the mark of the gap, with the reason if all of it fits
 */
function gapReasonText(outcome, roomPx) {
  const why = outcome.status === 'skipped' ? outcome.reason : outcome.message;
  const text = `${gapText(outcome)}: ${printable(why)}`;
  return textPx(text) > roomPx ? gapText(outcome) : text;
}

/** @param {FigureInput} question @param {Outcome[]} outcomes   all with one payload @returns {Figure} */
export function throughputFigure(question, outcomes) {
  const { results } = question;
  const publishedOf = publishedFinder(results);
  const published = outcomes.some((outcome) => publishedOf(outcome) !== null) ? results.published : null;
  const title = headlineTitle(outcomes);
  const reference = findReference(outcomes);
  const readBar = reference === null ? readHeadline : comparedValue;
  const bars = outcomes.filter(isMeasured).map(readBar);
  const isCompared = reference !== null && bars.some(hasRange);
  const isAlone = byShape(outcomes).length === 1;
  const intervals = intervalText(
    bars,
    reference === null ? headlineNoun(outcomes) : `the ratio to ${labelText(reference)}`,
  );
  let axisTitle = isCompared && !isAlone ? `${title} (${intervals})` : title;

  const panels = rowPanels(question, outcomes, (rows, { isNarrow, plotPx, allRows }, labelPx) => {
    const measured = rows.flatMap(({ outcome }) => (isMeasured(outcome) ? outcome : []));
    const beside = rows.flatMap(({ outcome }) =>
      outcome === null ? [] : [publishedOf(outcome) ?? [], findSecondMeasure(outcome)?.estimate ?? []].flat(),
    );
    // Values are printed next to the bars, so the end of the axis need not be a round number.
    const greatest = Math.max(
      1,
      ...measured.map((outcome) => readBar(outcome).high),
      ...beside.map((value) => 1.02 * value),
    );

    const valuesPx = allRows.map(({ outcome }) =>
      isMeasured(outcome) ? textPx(valueText(outcome, isNarrow)) : 0,
    );
    const rightPx = Math.ceil(Math.max(...valuesPx)) + VALUE_GAP_PX + 4;
    // With a single panel, "reference" is printed beside a bar, so the title of the axis need not name the reference.
    const ofRatio = `${title} (${intervalText(bars, 'the ratio')})`;
    if (isCompared && isAlone && textPx(ofRatio) < plotPx - rightPx) axisTitle = ofRatio;

    /** @param {ChartRow} row @param {number} index @returns {Mark[]} */
    const rowMarks = ({ outcome }, index) => {
      if (outcome === null) return [];
      const at = { datasetIndex: 0, index };
      const hollow = { colour: ink, fill: background };
      const ofOthers = publishedOf(outcome);
      const second = findSecondMeasure(outcome);
      const words = { ...at, dx: VALUE_GAP_PX, halo: background };
      const roomPx = isNarrow ? 0 : plotPx - 2 * VALUE_GAP_PX;
      /** @type {Mark[]} */
      const marks = [];
      if (ofOthers !== null)
        marks.push({
          ...at,
          ...hollow,
          value: ofOthers,
          symbol: 'tick',
          sizePx: isNarrow ? MARK_PX.narrow : MARK_PX.wide,
        });
      if (second !== null) marks.push({ ...at, ...hollow, value: second.estimate, symbol: 'diamond' });
      if (!isMeasured(outcome))
        return [...marks, { ...words, value: 0, text: gapReasonText(outcome, roomPx), colour: mutedInk }];
      // A value printed next to a mark would be read as the value of the mark. If any row has a mark, all values are printed in a
      // column at the end of the axis.
      const value = beside.length > 0 ? greatest : readBar(outcome).high;
      return [...marks, { ...words, value, text: valueText(outcome, isNarrow), colour: ink }];
    };

    const data = rows.map(({ label, outcome }) =>
      rowPoint(label, isMeasured(outcome) ? readBar(outcome) : null),
    );
    const looks = rows.map(({ look, outcome }) => look && rankedLook(look, outcome));
    const whiskers = { colour: ink, halo: background, capPx: isNarrow ? 7 : 10 };
    return barsOfRows(rows, {
      x: linearAxis({ title: isNarrow ? '' : axisTitle, max: greatest, isSparse: isNarrow }),
      datasets: [barsOf(title, data, looks, { whiskers })],
      marks: rows.flatMap(rowMarks),
      labelPx,
      rightPx,
    });
  });

  const sleeps = sleepNotes(outcomes, results);
  const reading = isAlone
    ? []
    : [
        { text: `→ ${axisTitle}`, rank: 0 },
        { text: 'a scale for each panel', rank: 1 },
      ];
  const own = {
    ...panels,
    name: `${headlineFileName(outcomes)}-${countedPayload(results, outcomes[0].cell).fileName}`,
    title: `${capitalised(title)}${formatWhere(results, outcomes)}`,
    message: withCaveat(messageOfGroups(byShape(outcomes), 'concurrency levels', results), sleeps),
    legend: [...secondLegend(outcomes), ...(published === null ? [] : [publishedItem(published)])],
    notes: [...sleeps, ...gapNotes(outcomes), ...(published === null ? [] : publishedNotes(published))],
  };
  return makeFigure(question, outcomes, own, { reading, intervals: axisTitle === title ? intervals : '' });
}
