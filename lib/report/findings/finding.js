// Makes findings, and the rows and the groups that they name, from outcomes and comparisons.

import { picked, QUESTION_KEYS } from '../../cell/axes.js';
import { headlineMeasure, readHeadline } from '../../cell/headline.js';
import { seriesLabel, transportLabel } from '../../cell/labels.js';
import { findUnequalSleeps } from '../../results/sleeps.js';

/** @import { Cell, Finding, FoundGroup, FoundRow, MeasuredOutcome, MeasureFacts } from '../../types/index.js' */
/** @import { KindIn } from './transport-kinds.js' */
/** @import { UnequalSleeps } from '../../results/sleeps.js' */
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

/** @param {MeasuredOutcome} outcome @returns {FoundRow} the row with its headline, without a comparison */
export function foundRow(outcome) {
  const { estimate, low, high, level, n, method } = readHeadline(outcome);
  return { row: seriesLabel(outcome.cell), value: { estimate, low, high, level, n, method } };
}

/** @param {ComparedOutcome} compared @returns {FoundRow} */
export function foundComparison(compared) {
  const { outcome, ratio, verdict, why, kind } = compared;
  return {
    ...foundRow(outcome),
    ...(kind !== '' && { kind }),
    ratio: withoutTarget(ratio),
    verdict,
    why,
    numbers: sleepNumbers([compared]),
  };
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
 * @param {Pick<ComparedOutcome, 'outcome' | 'base'>} compared
 * @returns {UnequalSleeps | null} null if the rows do not sleep unequally often, if that is unknown, or if the headline is not a rate
 */
export function unequalSleeps({ outcome, base }) {
  // Sleeps are counted within the window. A headline that is not a rate, such as the time to the first answer, is not measured there.
  if (base === null || headlineMeasure(outcome).unit !== 'per second') return null;
  return findUnequalSleeps(outcome, base);
}

/**
 * @param {readonly ComparedOutcome[]} compared   comparisons whose ratios one sentence states
 * @returns {Record<string, number | null>} the number of comparisons, the number whose rows sleep unequally often, and the range of
 *   the CPU time ratios of these; for a single comparison the sleeps of its rows, or nothing
 */
export function sleepNumbers(compared) {
  const unequal = compared.flatMap((row) => unequalSleeps(row) ?? []);
  const ratios = unequal.flatMap(({ cpuRatio }) => cpuRatio ?? []);
  if (compared.length === 1) return { ...unequal[0] };
  if (unequal.length === 0) return { ratios: compared.length };
  return {
    ratios: compared.length,
    unequal: unequal.length,
    ...(ratios.length > 0 && { leastCpuRatio: Math.min(...ratios), greatestCpuRatio: Math.max(...ratios) }),
  };
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
