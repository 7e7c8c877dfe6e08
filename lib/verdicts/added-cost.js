// What a scenario adds to the one that it is with something in between: differences of launches of the same blocks, so that
// what slowed a block down cancels.

import { hasServiceTimes, SERVICE_TIME } from '../cell/headline.js';
import { groupLabel, seriesLabel } from '../cell/labels.js';
import { cpuUsOf } from '../results/control-rows.js';
import { signedRankInterval } from '../statistics/signed-rank.js';
import { listed } from '../words/lists.js';
import { formatInterval, formatNumber, hasRange } from '../words/numbers.js';
import { printable } from '../words/printable.js';
import { groupsOf, isMeasured, isOpen, nameOf } from './groups.js';

/** @import { Estimate, MeasuredLaunch, MeasuredOutcome, Results } from '../types/index.js' */
/** @typedef {{ timeUs: Estimate, cpuUs: Estimate }} Added   for each operation: to its mean time, and of all processes */

const NS_PER_US = 1_000;
const MOST_ROWS_TOLD = 3; // at a first look

/** @param {MeasuredLaunch} launch @returns {number} */
const meanUsOf = ({ times }) => times[SERVICE_TIME].meanNs / NS_PER_US;

/**
 * @param {MeasuredOutcome} outcome
 * @param {MeasuredOutcome} base
 * @returns {Added | null} null: they have no block in common
 */
export function addedBy(outcome, base) {
  const byBlock = new Map(base.launches.map((launch) => [launch.block, launch]));
  const pairs = outcome.launches.flatMap((own) => {
    const other = byBlock.get(own.block);
    return other === undefined ? [] : [{ own, other }];
  });
  if (pairs.length === 0) return null;
  const differenceOf = (/** @type {(launch: MeasuredLaunch) => number} */ amountOf) =>
    signedRankInterval(pairs.map(({ own, other }) => amountOf(own) - amountOf(other)));
  return { timeUs: differenceOf(meanUsOf), cpuUs: differenceOf(cpuUsOf) };
}

/** @param {Estimate} amount   µs @returns {string} '25.1 µs (24.0–26.3)' */
function amountText(amount) {
  const { estimate, low, high, level } = amount;
  if (!hasRange(amount)) return `${formatNumber(estimate)} µs`;
  if (low > 0) return formatInterval(amount).replace(' ', ' µs ');
  const ends = `${formatNumber(low)} to ${formatNumber(high)} µs`;
  return level === null ? `[${ends}]` : `cannot tell (${ends})`;
}

/** @param {Results} results @param {{ isBrief?: boolean }} [detail] @returns {string[]} one for each group of rows that has what it adds to */
export function addedSentences(results, { isBrief = false } = {}) {
  const measured = results.outcomes.filter(isMeasured);
  return groupsOf(results).flatMap((group) => {
    const addsTo = results.scenarios[group.cell.scenario]?.addsTo; // nothing is known of one that was never measured
    if (addsTo === undefined || isOpen(group)) return [];
    const texts = group.measured.flatMap((outcome) => {
      const wanted = { ...outcome.cell, scenario: addsTo };
      const base = measured.find(
        ({ cell }) => groupLabel(cell) === groupLabel(wanted) && seriesLabel(cell) === seriesLabel(wanted),
      );
      const canDiffer = base !== undefined && hasServiceTimes(outcome) && hasServiceTimes(base);
      const added = canDiffer ? addedBy(outcome, base) : null;
      if (added === null) return [];
      return `${nameOf(outcome.cell)} ${amountText(added.timeUs)} and ${amountText(added.cpuUs)}`;
    });
    if (texts.length === 0) return [];
    const what = `Added to ${printable(addsTo)} at ${group.place}, in mean latency and in CPU time of all processes`;
    return `${what}: ${listed(texts, isBrief ? MOST_ROWS_TOLD : texts.length)}.`;
  });
}
