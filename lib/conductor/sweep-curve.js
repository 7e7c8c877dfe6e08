// What a search found → the rates at which the cell is then measured in full: the rate found, and others around it as far
// as they fit into what is left of the cell's time.

import { sloLabel } from '../cell/labels.js';
import { CURVE } from '../plan/slo-plan.js';

/** @import { PlannedCell, Sweep } from '../types/index.js' */

const SIGNIFICANT_DIGITS = 3;

/**
 * @param {Sweep} sweep
 * @param {import('./sweep-budget.js').SweepBudget} budget
 * @returns {{ plan: PlannedCell[], ratesLeftOut: number }} the plan with the lowest rate first
 */
export function curveOf(sweep, budget) {
  const { cell, foundPerSecond } = sweep;
  if (foundPerSecond === null) return { plan: [skippedCell(sweep)], ratesLeftOut: 0 };
  // The rest of a curve is worth no launches where launches contradict each other.
  const shares = sweep.endedBy === 'disturbed' ? CURVE.slice(0, 1) : CURVE;
  const rates = [...new Set(shares.map((share) => rateAt(foundPerSecond, share)))];
  let leftMs = budget.maxTimeMs - budget.elapsedMs();
  const fitting = rates.filter((ratePerSecond) => {
    const ms = budget.fullMs({ ...cell, ratePerSecond });
    // The search has kept its time free, roughly: it is never left unconfirmed.
    if (ms > leftMs && ratePerSecond !== foundPerSecond) return false;
    leftMs -= ms;
    return true;
  });
  return {
    plan: fitting
      .sort((left, right) => left - right)
      .map((ratePerSecond) => ({ cell: { ...cell, ratePerSecond }, skip: null })),
    ratesLeftOut: rates.length - fitting.length,
  };
}

/** @param {number} foundPerSecond @param {number} share @returns {number} a whole rate */
function rateAt(foundPerSecond, share) {
  if (share === 1) return foundPerSecond;
  return Math.max(1, Math.round(Number((share * foundPerSecond).toPrecision(SIGNIFICANT_DIGITS))));
}

/** @param {Sweep} sweep     that found nothing @returns {PlannedCell} */
function skippedCell({ cell, slo, probes, endedBy, next }) {
  const tried = probes.map(({ ratePerSecond }) => ratePerSecond);
  const ratePerSecond = tried.length === 0 && next ? next.ratePerSecond : Math.min(...tried);
  const how = endedBy === 'time' ? ' within --max-time' : '';
  const why = endedBy === 'disturbed' ? ' on a machine that was too disturbed' : '';
  const skip =
    tried.length === 0
      ? `no rate could be tried and confirmed${how}, beginning with ${ratePerSecond}/s`
      : `no rate kept ${sloLabel(slo)}${how}, down to ${ratePerSecond}/s${why}`;
  return { cell: { ...cell, ratePerSecond }, skip };
}
