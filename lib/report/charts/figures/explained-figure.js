// The figure of where the time of a round trip goes: the parts that extra launches have found, in a bar that ends at the median.

import { readHeadline } from '../../../cell/headline.js';
import { shapeLabel } from '../../../cell/labels.js';
import { groupedBy, listed } from '../../../format/lists.js';
import { formatNumber } from '../../../format/numbers.js';
import { sumBy } from '../../../statistics/sum.js';
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
import { COLOURS, PART_COLOURS } from '../style/colours.js';
import { plainLook } from '../style/palette.js';
import { partLook, partsFigures } from './parts-figure.js';
import { rowsInPlanOrder } from './rows.js';

/** @import { Explanation, MeasuredOutcome, MeasuredValue, MeasureFacts, Outcome } from '../../../types/index.js' */
/** @import { ShownPart } from '../../text/explained.js' */
/** @import { Figure, Look, Row, Series, Sheet } from '../scene-types.js' */
/** @typedef {{ us: Map<string, number>, merged: ShownPart[], hiddenUs: number }} Drawn   us: of each part, which add up to the median; hiddenUs: of waking, which is drawn so much shorter */

/** Each looks the same in every picture, and unlike its neighbours. @type {Readonly<Record<string, Look>>} */
const LOOKS = Object.freeze({
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
  overlapping: plainLook(COLOURS.light.mutedInk, { fill: 'diagonal' }),
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
function drawnParts(explanation, parts) {
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
    const rows = ofShape.map((each) => ({ ...each, drawn: drawnParts(each.explanation, found) }));
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
        looks: parts.map(({ name }) => LOOKS[name]),
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
