// The rows of horizontal charts. One panel: grouped by class of transport, the best group and the best row first, what
// was not measured last in its group. Small multiples: the order of the plan, so that a series keeps its height.

import { seriesLabel } from '../labels.js';
import { CLASS_HEADINGS } from '../palette.js';
import { isMeasured } from './series.js';

/**
 * @typedef {import('../types.js').Outcome} Outcome
 * @typedef {import('../types.js').MeasuredOutcome} MeasuredOutcome
 * @typedef {import('./series.js').Series} Series
 */

/** @typedef {{ label: string, look: import('./series.js').Look | null, outcome: Outcome | null }} Row   no look: a heading */

const ROWS_WITHOUT_HEADINGS = 4; // so few are read at a glance

/** @param {Outcome[]} outcomes @param {Series} series */
const outcomeOf = (outcomes, series) => outcomes.find(({ cell }) => seriesLabel(cell) === series.key) ?? null;

/**
 * @param {Outcome[]} outcomes   of one payload and one shape
 * @param {Series[]} series
 * @returns {Row[]}
 */
export function rowsInPlanOrder(outcomes, series) {
  return series.map((one) => ({ label: one.text, look: one.look, outcome: outcomeOf(outcomes, one) }));
}

/**
 * @param {Outcome[]} outcomes   of one payload and one shape
 * @param {Series[]} series
 * @param {(outcome: MeasuredOutcome) => number} costOf   what to sort by, the least first
 * @returns {Row[]}
 */
export function rowsByClass(outcomes, series, costOf) {
  /** @type {Map<string, { row: Row, cost: number }[]>} */
  const classes = new Map();
  for (const [index, row] of rowsInPlanOrder(outcomes, series).entries()) {
    const cost = isMeasured(row.outcome) ? costOf(row.outcome) : Number.MAX_VALUE;
    const name = series[index].class;
    classes.set(name, [...(classes.get(name) ?? []), { row, cost }]);
  }
  const groups = [...classes].map(([name, rows]) => ({
    name,
    rows: rows.sort((left, right) => left.cost - right.cost),
  }));
  groups.sort((left, right) => left.rows[0].cost - right.rows[0].cost);
  const hasHeadings = groups.length > 1 && series.length > ROWS_WITHOUT_HEADINGS;
  return groups.flatMap(({ name, rows }) => [
    ...(hasHeadings ? [{ label: CLASS_HEADINGS[name] ?? name, look: null, outcome: null }] : []),
    ...rows.map(({ row }) => row),
  ]);
}
