// The figures of parts: what a measure of a scenario adds up from, and where the time of a round trip goes, as extra launches found it.
// A stacked bar for each series ends at the whole.

import { readHeadline } from '../../../cell/headline.js';
import { shapeLabel } from '../../../cell/labels.js';
import { capitalised, groupedBy, listed } from '../../../format/lists.js';
import { formatInterval, formatNumber } from '../../../format/numbers.js';
import { sum, sumBy } from '../../../statistics/sum.js';
import {
  explanationIn,
  explanationNotes,
  leftOverPart,
  OTHERS,
  REMAINDER,
  shownParts,
  shownUs,
} from '../../text/explained.js';
import { cellName, isMeasured } from '../../text/groups.js';
import { measureTitle, unitText } from '../../text/measure-words.js';
import { linearAxis } from '../scene/chart-axes.js';
import { columnPx } from '../scene/layout.js';
import { COLOURS, PART_COLOURS, PART_INK } from '../style/colours.js';
import { textPx } from '../style/letters.js';
import { plainLook } from '../style/palette.js';
import { gapNotes } from '../text/footer.js';
import { duration, linearEnd, si } from '../text/quantity-words.js';
import { countedPayload, gapText, labelText } from '../text/short-texts.js';
import { formatWhere, legendOf, makeFigure, rankedLook } from './figure.js';
import { barsOf, barsOfRows, heightOf, namesPx, rowsByClass, rowsInPlanOrder } from './rows.js';
import { byShape, makeSeries } from './series.js';

/** @import { Explanation, MeasuredOutcome, MeasuredValue, MeasureFacts, Outcome } from '../../../types/index.js' */
/** @import { ShownPart } from '../../text/explained.js' */
/** @import { Configuration, Figure, Look, Mark, Row, Series, Sheet } from '../scene-types.js' */

/**
 * What is to be said of parts where the measure alone does not say it.
 * @typedef {object} PartWords
 * @property {string} [title]
 * @property {readonly Look[]} [looks]     of the parts, in their order
 * @property {string[]} [notes]
 * @property {string[]} [leftOver]         names of what is no part, but is left over
 * @property {(outcomes: Outcome[], series: Series[]) => Row[]} [rowsOf]   left out: by class
 * @property {boolean} [hasIntervals]         the whole stands beside its bar with its interval
 */
/**
 * The same for all panels of a figure.
 * @typedef {object} Frame
 * @property {MeasuredValue} whole
 * @property {(MeasuredValue & { look: Look })[]} parts
 * @property {number} greatest         end of the axis
 * @property {number} unitPx           length of one unit
 * @property {number} rightPx          right of the plot
 * @property {boolean} hasIntervals
 */

const SUMS =
  'Each part is estimated by itself; where their sum exceeds the whole, all are drawn shorter, to end at it.';
const VALUE_GAP_PX = 10;
const LABEL_PX = { size: 12, room: 5 }; // of the number in a part
const AXIS_START_PX = 8;
const MS_US = 1000; // from there on an axis counts in milliseconds
const { ink, mutedInk, background } = COLOURS.light;

/** @param {string} colour @returns {Look} with a thin line to its neighbours */
const partLook = (colour) => plainLook(colour, { outline: background });

/** Hue means transport elsewhere: parts have colours of their own. */
const LOOKS = Object.values(PART_COLOURS).map(partLook);

/** @param {Outcome | null} outcome @param {string} whole @returns {MeasuredValue[]} */
function readParts(outcome, whole) {
  if (!isMeasured(outcome)) return [];
  return Object.values(outcome.measures)
    .filter((measure) => measure.kind === 'value')
    .filter(({ partOf }) => partOf === whole);
}

/** @param {Outcome | null} outcome @param {string} whole */
const sumOfParts = (outcome, whole) => sumBy(readParts(outcome, whole), ({ estimate }) => estimate);

/** @param {MeasuredOutcome} outcome @param {MeasuredValue} whole @returns {number} of all its parts, at most the whole itself */
function lengthOf(outcome, whole) {
  const own = outcome.measures[whole.name];
  const total = sumOfParts(outcome, whole.name);
  return own?.kind === 'value' ? Math.min(total, own.estimate) : total;
}

/** @param {MeasuredOutcome} outcome @param {Frame} frame @returns {{ us: number, look: Look }[]} lengths of the parts, in order */
function drawnParts(outcome, { whole, parts }) {
  const share = lengthOf(outcome, whole) / (sumOfParts(outcome, whole.name) || 1);
  const own = readParts(outcome, whole.name);
  return parts.map(({ name, look }) => ({
    us: share * (own.find((part) => part.name === name)?.estimate ?? 0),
    look: rankedLook(look, outcome),
  }));
}

/** @param {number} value @param {Frame} frame @returns {string} in a part, in the unit of the axis */
function partText(value, { whole, greatest }) {
  if (whole.unit !== 'µs' || greatest < MS_US) return si(Number(value.toPrecision(2)));
  return duration(Number(value.toPrecision(2)), si);
}

/** @param {MeasuredOutcome} outcome @param {number} index @param {Frame} frame @returns {Mark[]} the numbers of the parts that have room for them */
function partMarks(outcome, index, frame) {
  let start = 0;
  return drawnParts(outcome, frame).flatMap(({ us, look: { fill } }) => {
    const value = start + us / 2;
    start += us;
    const text = partText(us, frame);
    if (us * frame.unitPx < textPx(text, LABEL_PX.size) + LABEL_PX.room) return [];
    const own = fill === 'solid' ? { colour: PART_INK } : { colour: ink, halo: background };
    return [{ datasetIndex: 0, index, value, text, align: 'center', sizePx: LABEL_PX.size, ...own }];
  });
}

/** @param {MeasuredOutcome} outcome @param {Pick<Frame, 'whole' | 'hasIntervals'>} frame @returns {string} '75.7 µs (74.8–77.9)' */
function wholeText(outcome, { whole, hasIntervals }) {
  const measure = outcome.measures[whole.name];
  if (measure?.kind !== 'value') return '';
  if (hasIntervals) return formatInterval(measure, unitText(whole));
  const { estimate } = measure;
  return whole.unit === 'µs' ? duration(estimate) : `${formatNumber(estimate)}${unitText(whole)}`;
}

/** @param {Row} row @param {number} index @param {Frame} frame @returns {Mark[]} */
function rowMarks({ outcome }, index, frame) {
  if (outcome === null) return [];
  const at = { datasetIndex: 0, index, dx: VALUE_GAP_PX, halo: background };
  if (!isMeasured(outcome)) return [{ ...at, value: 0, text: gapText(outcome), colour: mutedInk }];
  const text = wholeText(outcome, frame);
  if (text === '') return [];
  return [
    ...partMarks(outcome, index, frame),
    { ...at, value: lengthOf(outcome, frame.whole), text, colour: ink },
  ];
}

/** @param {Row[]} rows @param {Frame} frame @returns {Configuration} */
function stackedRows(rows, frame) {
  const { whole, parts, greatest, rightPx } = frame;
  const drawn = rows.map(({ outcome }) => (isMeasured(outcome) ? drawnParts(outcome, frame) : null));
  const datasets = parts.map(({ title }, place) => {
    const data = rows.map(({ label }, row) => ({ y: label, x: drawn[row]?.[place].us || null }));
    const looks = drawn.map((own) => own?.[place].look ?? null);
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
    rightPx,
    isStacked: true,
  });
}

/** @param {MeasuredOutcome[]} measured @param {Pick<Frame, 'whole' | 'parts'>} frame @param {string[]} leftOver @returns {string} 'Most is start: 71 % to 92 %' */
function formatMessage(measured, { whole, parts }, leftOver) {
  const sharesOf = (/** @type {string} */ name) =>
    measured.flatMap((outcome) => {
      const own = readParts(outcome, whole.name).filter((part) => part.name === name);
      return own.flatMap(({ estimate }) => (estimate > 0 ? estimate / sumOfParts(outcome, whole.name) : []));
    });
  const found = parts.filter(({ name }) => !leftOver.includes(name));
  const [most] = (found.length > 0 ? found : parts)
    .map(({ name, title }) => ({ title, shares: sharesOf(name) }))
    .sort((left, right) => sum(right.shares) - sum(left.shares));
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
  { title, looks = LOOKS, notes = [SUMS], leftOver = [], rowsOf, hasIntervals = false } = {},
) {
  const { results, widthPx } = sheet;
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
      look: looks[place % looks.length],
    }));
    const all = shapes.map((ofShape) =>
      rowsOf === undefined ? rowsByClass(results, outcomes, series)(ofShape) : rowsOf(ofShape, series),
    );
    const greatest = Math.max(1, ...measured.map((outcome) => lengthOf(outcome, whole)));
    const words = measured.map((outcome) => wholeText(outcome, { whole, hasIntervals }));
    const rightPx = Math.ceil(Math.max(...words.map((text) => textPx(text)))) + VALUE_GAP_PX + 4;
    const plotPx = columnPx(1, namesPx(all[0]), widthPx) - AXIS_START_PX - rightPx;
    const frame = { whole, parts, greatest, unitPx: plotPx / greatest, rightPx, hasIntervals };
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

// Where the time of a round trip goes: the parts that extra launches found, in a bar that ends at the median.

/** @typedef {{ us: Map<string, number>, merged: ShownPart[], hiddenUs: number }} Drawn   us: of each part, which add up to the median; hiddenUs: of waking, which is drawn so much shorter */

/** Each looks the same in every picture, and unlike its neighbours. @type {Readonly<Record<string, Look>>} */
const EXPLAINED_LOOKS = Object.freeze({
  codec: partLook(PART_COLOURS.blue),
  transport: partLook(PART_COLOURS.orange),
  loop: partLook(PART_COLOURS.yellow),
  systemCalls: partLook(PART_COLOURS.mint),
  waking: partLook(PART_COLOURS.pink),
  threads: partLook(PART_COLOURS.pear),
  broker: partLook(PART_COLOURS.cyan),
  other: partLook(PART_COLOURS.olive),
  others: partLook(PART_COLOURS.grey),
  remainder: partLook(PART_COLOURS.grey),
  overlapping: plainLook(mutedInk, { fill: 'diagonal' }),
});
const OVERLAPPING = 'overlapping';
const isFound = (/** @type {ShownPart} */ { of }) => of.length > 0;
// They have threads or processes of their own, while master and worker wait for each other.
const ASIDE = ['threads', 'broker'];
const WAKING = 'waking';
/** @type {MeasureFacts & { kind: 'value' }} */
const ROUND_TRIP = {
  name: 'roundTrip',
  title: 'median round trip',
  unit: 'µs',
  better: 'lower',
  kind: 'value',
};

/**
 * Where the parts exceed the median, some of them ran at the same time. A process that wakes another one goes on working meanwhile, so
 * waking is drawn shorter. Other threads and processes, and if need be the longest of the others, become one part: what they
 * add to the rest.
 * @param {Explanation} explanation
 * @param {ShownPart[]} parts
 * @returns {Drawn}
 */
function fitToWhole(explanation, parts) {
  const whole = explanation.wholeUs.estimate;
  const known = parts
    .filter(isFound)
    .map((part) => ({ part, us: Math.max(0, shownUs(explanation, part) ?? 0) }));
  const total = sumBy(known, ({ us }) => us);
  const usOf = (/** @type {typeof known} */ some) =>
    /** @type {[string, number][]} */ (some.map(({ part: { name }, us }) => [name, us]));
  if (total <= whole) {
    const left = /** @type {[string, number]} */ ([leftOverPart(explanation).name, whole - total]);
    return { us: new Map([...usOf(known), left]), merged: [], hiddenUs: 0 };
  }
  const isAside = (/** @type {typeof known[0]} */ { part, us }) => us > 0 && ASIDE.includes(part.name);
  const waking = known.find(({ part }) => part.name === WAKING);
  if (waking !== undefined && waking.us > total - whole && !known.some(isAside)) {
    const us = new Map([...usOf(known), [WAKING, waking.us - (total - whole)]]);
    return { us, merged: [], hiddenUs: total - whole };
  }
  const inOrder = known
    .filter(({ us }) => us > 0)
    .toSorted((one, other) => Number(isAside(other)) - Number(isAside(one)) || other.us - one.us);
  /** @type {typeof known} */
  const merged = [];
  const rest = () => total - sumBy(merged, ({ us }) => us);
  for (const each of inOrder) if (isAside(each) || rest() > whole) merged.push(each);
  const kept = known.filter((each) => !merged.includes(each));
  return {
    us: new Map([...usOf(kept), [OVERLAPPING, whole - rest()]]),
    merged: merged.map(({ part }) => part),
    hiddenUs: 0,
  };
}

/** @param {{ explanation: Explanation, drawn: Drawn }[]} rows @returns {string[]} how what is drawn differs from what was found */
function drawnNotes(rows) {
  const shorter = rows
    .filter(({ drawn }) => drawn.hiddenUs > 0)
    .map(({ explanation, drawn }) => `${cellName(explanation.cell)} by ${formatNumber(drawn.hiddenUs)} µs`);
  const merged = rows
    .filter(({ drawn }) => drawn.merged.length > 0)
    .map(({ explanation, drawn }) => {
      const found = drawn.merged.map(
        (part) => `${part.title} ${formatNumber(shownUs(explanation, part) ?? 0)} µs`,
      );
      return `${cellName(explanation.cell)} (${found.join(', ')})`;
    });
  return [
    ...(shorter.length === 0
      ? []
      : [`Waking is drawn shorter where it ran beside other parts: ${listed(shorter)}.`]),
    ...(merged.length === 0
      ? []
      : [`Overlapping is what parts that ran beside others add to them, of ${listed(merged)}.`]),
  ];
}

/** @param {Outcome[]} outcomes @param {Series[]} series @returns {Row[]} the quickest first, as explainedTable() has them */
function rowsByWhole(outcomes, series) {
  const wholeOf = (/** @type {Row} */ { outcome }) =>
    isMeasured(outcome) ? readHeadline(outcome).estimate : Number.MAX_VALUE;
  return rowsInPlanOrder(outcomes, series).sort((one, other) => wholeOf(one) - wholeOf(other));
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
    const found = shownParts(explanations);
    const rows = ofShape.map((each) => ({ ...each, drawn: fitToWhole(each.explanation, found) }));
    const merged = [...new Set(rows.flatMap(({ drawn }) => drawn.merged.map(({ title }) => title)))];
    const overlapping = {
      name: OVERLAPPING,
      title: merged.length === 1 ? `${OVERLAPPING}: ${merged[0]}` : `${OVERLAPPING} parts`,
    };
    const parts = [...found.filter(isFound), overlapping, ...found.filter((part) => !isFound(part))].filter(
      ({ name }) => rows.some(({ drawn }) => (drawn.us.get(name) ?? 0) > 0),
    );
    return partsFigures(
      sheet,
      rows.map((row) => inParts(row, parts)),
      {
        title: 'Where a round trip’s time goes',
        looks: parts.map(({ name }) => EXPLAINED_LOOKS[name]),
        notes: [
          'Beside each bar: the median of the launches that count, with its interval.',
          ...drawnNotes(rows),
          ...explanationNotes(explanations),
        ],
        leftOver: [REMAINDER.name, OTHERS.name, OVERLAPPING],
        rowsOf: rowsByWhole,
        hasIntervals: true,
      },
    );
  });
}

/**
 * @param {{ outcome: MeasuredOutcome, explanation: Explanation, drawn: Drawn }} row
 * @param {{ name: string, title: string }[]} parts
 * @returns {MeasuredOutcome} whose measures are the parts
 */
function inParts({ outcome, explanation, drawn }, parts) {
  const { wholeUs, underWay = 1, cell } = explanation;
  // It names the file.
  const name = underWay === 1 ? ROUND_TRIP.name : `${ROUND_TRIP.name}-${shapeLabel(cell)}`;
  /** @type {MeasuredValue} */
  const whole = { ...ROUND_TRIP, name, ...wholeUs };
  const measures = parts.map((part) => {
    const us = drawn.us.get(part.name) ?? 0;
    const measured = { estimate: us, low: us, high: us, level: null, n: 1, method: 'range' };
    return [part.name, { ...whole, ...measured, name: part.name, title: part.title, partOf: name }];
  });
  return { ...outcome, headline: name, measures: { [name]: whole, ...Object.fromEntries(measures) } };
}
