// The figure of where a round trip's time goes: a stacked bar for each explained cell, side by side. It is that of a measure
// with parts: the parts that an extra launch has found stand for measures.

import { shapeLabel } from '../../../cell/labels.js';
import { groupedBy } from '../../../format/lists.js';
import { explanationIn, explanationNotes, REMAINDER, shownParts, shownUs } from '../../text/explained.js';
import { isMeasured } from '../../text/groups.js';
import { partsFigures } from './parts-figure.js';

/** @import { Explanation, Fill, MeasuredOutcome, MeasureFacts, Outcome } from '../../../types/index.js' */
/** @import { Figure, Sheet } from './figure.js' */
/** @import { ShownPart } from '../../text/explained.js' */

/** @type {MeasureFacts & { kind: 'value' }} */
const WHOLE = {
  name: 'roundTrip',
  title: 'median round trip',
  unit: 'µs',
  better: 'lower',
  kind: 'value',
};

// Each part looks the same in every picture, and unlike its neighbours.
/** @type {Record<string, Fill>} */
const FILLS = {
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

/** @param {Sheet} sheet @param {Outcome[]} outcomes   of one payload @returns {Figure[]} one for each shape; none where nothing is explained */
export function explainedFigures(sheet, outcomes) {
  const explained = outcomes.filter(isMeasured).flatMap((outcome) => {
    const explanation = explanationIn(sheet.results, outcome);
    return explanation === null ? [] : [{ outcome, explanation }];
  });
  // One axis for all would leave nothing to be seen of a round trip that waits for no other.
  const shapes = [...groupedBy(explained, ({ outcome }) => shapeLabel(outcome.cell)).values()];
  return shapes.flatMap((ofShape) => figureOfShape(sheet, ofShape));
}

/** @param {Sheet} sheet @param {{ outcome: MeasuredOutcome, explanation: Explanation }[]} explained @returns {Figure[]} */
function figureOfShape(sheet, explained) {
  const explanations = explained.map(({ explanation }) => explanation);
  const parts = shownParts(explanations);
  const notes = explanationNotes(explanations);
  const drawn = explained.map(({ outcome, explanation }) => inParts(outcome, explanation, parts));
  return partsFigures(sheet, drawn, {
    title: 'Where a round trip’s time goes',
    fills: parts.map(({ name }) => FILLS[name]),
    notes: ['Beside each bar: the median of the launches that count, with its interval.', ...notes],
    leftOver: REMAINDER.name,
    hasIntervals: true,
  });
}

/** @param {MeasuredOutcome} outcome @param {Explanation} explanation @param {ShownPart[]} parts @returns {MeasuredOutcome} */
function inParts(outcome, explanation, parts) {
  const { wholeUs, underWay = 1, cell } = explanation;
  // It names the file.
  const whole = underWay === 1 ? WHOLE : { ...WHOLE, name: `${WHOLE.name}-${shapeLabel(cell)}` };
  const measures = parts.map((part) => {
    // Parts that are more than the whole leave nothing over to be drawn.
    const us = Math.max(0, shownUs(explanation, part) ?? 0);
    const measured = {
      estimate: us,
      low: us,
      high: us,
      level: null,
      n: 1,
      method: /** @type {const} */ ('range'),
    };
    return [part.name, { ...whole, name: part.name, title: part.title, partOf: whole.name, ...measured }];
  });
  return {
    ...outcome,
    headline: whole.name,
    measures: { [whole.name]: { ...whole, ...wholeUs }, ...Object.fromEntries(measures) },
  };
}
