// Makes findings, and the rows and the groups that they name, from outcomes and comparisons.

import { picked, QUESTION_KEYS } from '../../cell/axes.js';
import { headlineMeasure, readHeadline } from '../../cell/headline.js';
import { seriesLabel, transportLabel } from '../../cell/labels.js';

/** @import { Cell, Estimate, Finding, FoundGroup, FoundRow, MeasuredOutcome, MeasureFacts } from '../../types/index.js' */
/** @import { KindIn } from './transport-kinds.js' */
/** @import { ComparedOutcome } from './row-verdicts.js' */

/** @param {string} kind @param {Partial<Finding>} own @returns {Finding} */
export function makeFinding(kind, own) {
  return {
    kind,
    group: null,
    rows: [],
    against: null,
    ratio: null,
    verdict: null,
    why: null,
    numbers: {},
    names: {},
    remedy: null,
    ...own,
  };
}

/** @param {{ heading: string, cell: Cell }} group @returns {FoundGroup} */
export function foundGroup({ heading, cell }) {
  return { heading, .../** @type {Omit<FoundGroup, 'heading'>} */ (picked(cell, QUESTION_KEYS)) };
}

/** @param {MeasuredOutcome} outcome @returns {MeasureFacts} the facts of its headline, without the estimate */
export function measureFacts(outcome) {
  const { name, title, unit, better, kind } = headlineMeasure(outcome);
  return { name, title, unit, better, kind };
}

/** @param {MeasuredOutcome} outcome @param {Estimate} [value]   its headline by default @returns {FoundRow} the row, without a comparison */
export function foundRow(outcome, { estimate, low, high, level, n, method } = readHeadline(outcome)) {
  return { row: seriesLabel(outcome.cell), value: { estimate, low, high, level, n, method } };
}

/** @param {ComparedOutcome} compared @returns {FoundRow} */
export function foundComparison({ outcome, ratio, verdict, why, kind }) {
  return { ...foundRow(outcome), ...(kind !== '' && { kind }), ratio: withoutTarget(ratio), verdict, why };
}

/**
 * @template {{ estimate: number }} R
 * @param {R & { to?: string } | null} ratio
 * @returns {Omit<R, 'to'> | null} the ratio without the label of the reference, which the finding has
 */
export function withoutTarget(ratio) {
  if (ratio === null) return null;
  const { to: _, ...rest } = ratio;
  return rest;
}

/**
 * @param {MeasuredOutcome} outcome   of another kind than the ranked rows, with a better estimate
 * @param {KindIn} kindIn
 * @returns {FoundRow}
 */
export function aheadRow(outcome, kindIn) {
  const { cell } = outcome;
  return { ...foundRow(outcome), kind: kindIn(cell), names: { transport: transportLabel(cell) } };
}

/** @param {readonly MeasuredOutcome[]} measured @returns {{ reference?: string }} the row to which ratios are computed, if there are any */
export function findReferenceName(measured) {
  const to = measured.find(({ ratio }) => ratio !== null)?.ratio?.to;
  return to === undefined ? {} : { reference: to };
}
