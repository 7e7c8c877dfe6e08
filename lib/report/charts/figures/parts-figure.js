// The figure of what a measure adds up from: a stacked bar for each series, a panel for each shape. Whatever measures say
// that they are parts of another one are drawn so, and the parts of a round trip's time that an extra launch has found.

import { shapeLabel } from '../../../cell/labels.js';
import { capitalised, groupedBy } from '../../../format/lists.js';
import { formatInterval, formatNumber } from '../../../format/numbers.js';
import { median } from '../../../statistics/rank-tests.js';
import { sumBy } from '../../../statistics/sum.js';
import { explanationIn, explanationNotes, REMAINDER, shownParts, shownUs } from '../../text/explained.js';
import { isMeasured } from '../../text/groups.js';
import { measureTitle, unitText } from '../../text/measure-words.js';
import { linearAxis } from '../scene/chart-axes.js';
import { COLOURS } from '../style/colours.js';
import { plainLook } from '../style/palette.js';
import { gapNotes } from '../text/footer.js';
import { duration, linearEnd } from '../text/quantity-words.js';
import { countedPayload, gapText, labelText } from '../text/short-texts.js';
import { formatWhere, legendOf, makeFigure } from './figure.js';
import { rankText } from './flag-notes.js';
import { barsOf, barsOfRows, heightOf, namesPx, rowsByClass } from './rows.js';
import { byShape, makeSeries } from './series.js';

/** @import { Explanation, Fill, MeasuredOutcome, MeasuredValue, MeasureFacts, Outcome } from '../../../types/index.js' */
/** @import { ShownPart } from '../../text/explained.js' */
/** @import { Configuration, Figure, Look, Mark, Row, Sheet } from '../scene-types.js' */

/**
 * What is to be said of parts where the measure alone does not say it.
 * @typedef {object} PartWords
 * @property {string} [title]
 * @property {readonly Fill[]} [fills]     of the parts, in their order
 * @property {string[]} [notes]
 * @property {string} [leftOver]           name of what is no part, but is left over
 * @property {boolean} [hasIntervals]         the whole stands beside its bar with its interval
 */
/** @typedef {{ whole: MeasuredValue, parts: (MeasuredValue & { look: Look })[], greatest: number, hasIntervals: boolean }} Frame   the same for all panels of a figure */

const SUMS = 'Each part is estimated by itself: their sum may miss the whole a little.';
const VALUE_GAP_PX = 10;
const VALUES_PX = 110; // right of the longest bar
const INTERVALS_PX = 210;
// Hue means transport: parts have none.
/** @type {readonly Fill[]} */
const FILLS = ['solid', 'tint', 'diagonal', 'empty', 'dots', 'horizontal', 'checks'];
// Of explained parts: each looks the same in every picture, and unlike its neighbours.
/** @type {Record<string, Fill>} */
const EXPLAINED_FILLS = {
  codec: 'solid',
  transport: 'checks',
  loop: 'diagonal',
  systemCalls: 'tint',
  waking: 'dots',
  threads: 'horizontal',
  broker: 'cross',
  other: 'vertical',
  others: 'bricks',
  remainder: 'empty',
};
/** @type {MeasureFacts & { kind: 'value' }} */
const ROUND_TRIP = {
  name: 'roundTrip',
  title: 'median round trip',
  unit: 'µs',
  better: 'lower',
  kind: 'value',
};
const { ink, mutedInk, background } = COLOURS.light;

/** @param {Outcome | null} outcome @param {string} whole @returns {MeasuredValue[]} */
function readParts(outcome, whole) {
  if (!isMeasured(outcome)) return [];
  return Object.values(outcome.measures)
    .filter((measure) => measure.kind === 'value')
    .filter(({ partOf }) => partOf === whole);
}

/** @param {Outcome | null} outcome @param {string} whole */
const sumOfParts = (outcome, whole) => sumBy(readParts(outcome, whole), ({ estimate }) => estimate);

/** @param {Row} row @param {number} index @param {Frame} frame @returns {Mark[]} */
function rowMarks({ outcome }, index, { whole, hasIntervals }) {
  if (outcome === null) return [];
  const at = { datasetIndex: 0, index, dx: VALUE_GAP_PX, halo: background };
  if (!isMeasured(outcome)) return [{ ...at, value: 0, text: gapText(outcome), colour: mutedInk }];
  const rank = rankText(outcome);
  const measure = outcome.measures[whole.name];
  if (measure?.kind !== 'value') return [];
  const { estimate } = measure;
  const short = whole.unit === 'µs' ? duration(estimate) : `${formatNumber(estimate)}${unitText(whole)}`;
  const value = hasIntervals ? formatInterval(measure, unitText(whole)) : short;
  const text = rank === '' ? value : `${value}   ${rank}`;
  return [{ ...at, value: sumOfParts(outcome, whole.name), text, colour: ink }];
}

/** @param {Row[]} rows @param {Frame} frame @returns {Configuration} */
function stackedRows(rows, frame) {
  const { whole, parts, greatest, hasIntervals } = frame;
  const datasets = parts.map(({ name, title, look }) => {
    const estimateOf = (/** @type {Row} */ { outcome }) =>
      readParts(outcome, whole.name).find((own) => own.name === name)?.estimate ?? null;
    const data = rows.map((row) => ({ y: row.label, x: estimateOf(row) }));
    const looks = rows.map(() => look);
    return barsOf(title, data, looks, { borderWidth: 1 });
  });
  const isTime = whole.unit === 'µs';
  return barsOfRows(rows, {
    x: linearAxis({
      title: labelText(isTime ? whole.title : measureTitle(whole, ' in ')),
      max: greatest,
      step: linearEnd(greatest).step,
      format: isTime ? 'duration' : 'si',
    }),
    datasets,
    marks: rows.flatMap((row, index) => rowMarks(row, index, frame)),
    labelPx: namesPx(rows),
    rightPx: hasIntervals ? INTERVALS_PX : VALUES_PX,
    isStacked: true,
  });
}

/** @param {MeasuredOutcome[]} measured @param {Frame} frame @param {string} [leftOver] @returns {string} 'Most is start: 71 % to 92 %' */
function formatMessage(measured, { whole, parts }, leftOver) {
  const sharesOf = (/** @type {string} */ name) =>
    measured.flatMap((outcome) => {
      const own = readParts(outcome, whole.name).filter((part) => part.name === name);
      return own.map(({ estimate }) => estimate / sumOfParts(outcome, whole.name));
    });
  const [most] = parts
    .filter(({ name }) => name !== leftOver)
    .map(({ name, title }) => ({ title, shares: sharesOf(name) }))
    .sort((left, right) => median(right.shares) - median(left.shares));
  const [least, greatest] = [Math.min(...most.shares), Math.max(...most.shares)].map((share) =>
    Math.round(100 * share),
  );
  const range = least === greatest ? `${least} %` : `${least} to ${greatest} %`;
  return `The greatest part of it is ${labelText(most.title)}: ${range}`;
}

/**
 * @param {Sheet} sheet
 * @param {Outcome[]} outcomes   of one payload
 * @param {PartWords} [words]
 * @returns {Figure[]} one for each measure that has parts
 */
export function partsFigures(
  sheet,
  outcomes,
  { title, fills = FILLS, notes = [SUMS], leftOver, hasIntervals = false } = {},
) {
  const { results } = sheet;
  const measured = outcomes.filter(isMeasured);
  const values = Object.values(measured[0]?.measures ?? {}).filter(({ kind }) => kind === 'value');
  const wholes = /** @type {MeasuredValue[]} */ (values).filter(
    ({ name }) => readParts(measured[0], name).length > 0,
  );
  const shapes = byShape(outcomes);
  const series = makeSeries(results, outcomes);
  return wholes.map((whole) => {
    const parts = readParts(measured[0], whole.name).map((part, place) => ({
      ...part,
      look: plainLook(mutedInk, { fill: fills[place % fills.length] }),
    }));
    const costOf = (/** @type {MeasuredOutcome} */ outcome) => sumOfParts(outcome, whole.name);
    const greatest = Math.max(1, ...measured.map(costOf));
    const frame = { whole, parts, greatest, hasIntervals };
    const all = shapes.map(rowsByClass(results, outcomes, series, costOf));
    return makeFigure(sheet, outcomes, {
      name: `${whole.name}-parts-${countedPayload(results, outcomes[0].cell).fileName}`,
      title: (title ?? `${capitalised(labelText(whole.title))} in parts`) + formatWhere(results, outcomes),
      message: formatMessage(measured, frame, leftOver),
      legend: legendOf(
        parts.map((part) => ({ text: labelText(part.title), look: part.look })),
        'bar',
      ),
      panelPx: heightOf(all[0]),
      panels: all.map((rows, index) => ({
        title: shapes.length === 1 ? '' : shapeLabel(shapes[index][0].cell),
        configuration: stackedRows(rows, frame),
      })),
      notes: [...notes, ...gapNotes(outcomes)],
      hasIntervals: false,
    });
  });
}

/** @param {Sheet} sheet @param {Outcome[]} outcomes   of one payload @returns {Figure[]} one for each shape; none where nothing is explained */
export function explainedFigures(sheet, outcomes) {
  const explained = outcomes.filter(isMeasured).flatMap((outcome) => {
    const explanation = explanationIn(sheet.results, outcome);
    return explanation === null ? [] : [{ outcome, explanation }];
  });
  // One axis for all would leave nothing to be seen of a round trip that waits for no other.
  const shapes = [...groupedBy(explained, ({ outcome }) => shapeLabel(outcome.cell)).values()];
  return shapes.flatMap((ofShape) => {
    const explanations = ofShape.map(({ explanation }) => explanation);
    const parts = shownParts(explanations);
    const drawn = ofShape.map(({ outcome, explanation }) => inParts(outcome, explanation, parts));
    return partsFigures(sheet, drawn, {
      title: 'Where a round trip’s time goes',
      fills: parts.map(({ name }) => EXPLAINED_FILLS[name]),
      notes: [
        'Beside each bar: the median of the launches that count, with its interval.',
        ...explanationNotes(explanations),
      ],
      leftOver: REMAINDER.name,
      hasIntervals: true,
    });
  });
}

/** @param {MeasuredOutcome} outcome @param {Explanation} explanation @param {ShownPart[]} parts @returns {MeasuredOutcome} whose measures are the parts */
function inParts(outcome, explanation, parts) {
  const { wholeUs, underWay = 1, cell } = explanation;
  // It names the file.
  const name = underWay === 1 ? ROUND_TRIP.name : `${ROUND_TRIP.name}-${shapeLabel(cell)}`;
  /** @type {MeasuredValue} */
  const whole = { ...ROUND_TRIP, name, ...wholeUs };
  const measures = parts.map((part) => {
    // Parts that are more than the whole leave nothing over to be drawn.
    const us = Math.max(0, shownUs(explanation, part) ?? 0);
    const measured = { estimate: us, low: us, high: us, level: null, n: 1, method: 'range' };
    return [part.name, { ...whole, ...measured, name: part.name, title: part.title, partOf: name }];
  });
  return { ...outcome, headline: name, measures: { [name]: whole, ...Object.fromEntries(measures) } };
}
