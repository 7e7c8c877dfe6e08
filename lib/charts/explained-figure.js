// The figure of where a round trip's time goes: a stacked bar for each explained cell, side by side. It is that of a measure
// with parts: the parts that an extra launch has found stand for measures.

import { explanationIn, explanationNotes, REMAINDER, shownParts, shownUs } from '../verdicts/explained.js';
import { isMeasured } from '../verdicts/groups.js';
import { partsFigures } from './parts-figure.js';

/** @import { Explanation } from '../types/explanations.js' */
/** @import { Fill } from '../types/looks.js' */
/** @import { MeasureFacts } from '../types/measures.js' */
/** @import { MeasuredOutcome, Outcome } from '../types/outcomes.js' */
/** @import { Figure, Sheet } from './figure.js' */
/** @import { ShownPart } from '../verdicts/explained.js' */

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
  remainder: 'empty',
};

/** @param {Sheet} sheet @param {Outcome[]} outcomes   of one payload @returns {Figure[]} none where nothing is explained */
export function explainedFigure(sheet, outcomes) {
  const explained = outcomes.filter(isMeasured).flatMap((outcome) => {
    const explanation = explanationIn(sheet.results, outcome);
    return explanation === null ? [] : [{ outcome, explanation }];
  });
  if (explained.length === 0) return [];
  const explanations = explained.map(({ explanation }) => explanation);
  const parts = [...shownParts(explanations), REMAINDER];
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
  const { wholeUs } = explanation;
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
    return [part.name, { ...WHOLE, name: part.name, title: part.title, partOf: WHOLE.name, ...measured }];
  });
  return {
    ...outcome,
    headline: WHOLE.name,
    measures: { [WHOLE.name]: { ...WHOLE, ...wholeUs }, ...Object.fromEntries(measures) },
  };
}
