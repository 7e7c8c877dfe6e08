// The conclusions in a few sentences that a reader may quote: ranking, bottlenecks, failures, and the limits of the
// numbers. The answer comes first. The numbers themselves are in the table.

import { hasServiceTimes, SERVICE_TIME } from '../../cell/headline.js';
import { groupLabel, seriesLabel } from '../../cell/labels.js';
import { listed, shortened, unended } from '../../format/lists.js';
import { formatInterval, formatNumber, hasRange } from '../../format/numbers.js';
import { printable } from '../../format/printable.js';
import { NS_PER_US } from '../../format/units.js';
import { hasKnownCosts, totalCpuUs } from '../../results/calibration-rows.js';
import { signedRankInterval } from '../../statistics/rank-tests.js';
import { floorSentences } from './baseline-words.js';
import { breakEvenSentences } from './break-even.js';
import { promiseSentences } from './delivery-words.js';
import { gapNotes } from './gaps.js';
import { cellName, groupRows, isMeasured, isOpen } from './groups.js';
import { growthSentences } from './growth.js';
import { disturbedSentences, machineSentences } from './machine-words.js';
import { openSentences } from './open-conclusion.js';
import { payloadCostSentences } from './payload-cost.js';
import { sentencesOfGroup, sentencesOfMany } from './ranking.js';
import { propertySentences, sharedFaultSentences } from './remarks.js';
import { runtimeSentences } from './runtime-words.js';
import { kindsIn } from './transport-kinds.js';
import { comparedIn } from './verdicts.js';

/** @typedef {{ isBrief?: boolean }} Detail    brief: what a first look needs, beside the table */
/** @import { Estimate, MeasuredLaunch, MeasuredOutcome, Outcome, Results } from '../../types/index.js' */

// Two groups are still read one by one.
const GREATEST_GROUPS_TOLD = 2;
const GREATEST_FAILURES_TOLD = 2;
const GREATEST_MESSAGE_LENGTH = 160;

/** @type {Readonly<Record<Outcome['status'], string>>} what became of a reference without ratios */
const NO_RATE = {
  failed: 'failed',
  skipped: 'was not measured',
  measured: 'has no launch that can be compared',
};

/** Stands wherever latencies of closed loops are shown (M-12). */
export const CLOSED_LOOP_SENTENCES = Object.freeze({
  brief: 'Closed loop: p99 is service time (coordinated omission). Use --rate for response times.',
  full: 'Closed loop: each loop waits for the response before it sends the next request, so latencies are service times and p99 understates what real traffic sees (coordinated omission). Use --rate for response times.',
});

/** @param {Results} results @param {Detail} detail @returns {string[]} */
function rankingSentences(results, { isBrief = false }) {
  const all = groupRows(results).filter(({ cell, measured }) => !isOpen({ cell }) && measured.length > 0);
  const reference = printable(results.reference);
  const kindIn = kindsIn(results);
  // What one scenario counts says nothing beside what another counts.
  const scenarios = [...new Set(all.map(({ cell }) => cell.scenario))];
  return scenarios.flatMap((scenario) => {
    const ofScenario = scenarios.length > 1 ? ` of ${printable(scenario)}` : '';
    const groups = all.filter(({ cell }) => cell.scenario === scenario);
    const compared = groups.map(({ measured }) => comparedIn(measured, kindIn));
    if (groups.length > GREATEST_GROUPS_TOLD)
      return sentencesOfMany(groups, reference, compared, kindIn, ofScenario);
    return groups.flatMap((group, index) =>
      sentencesOfGroup(group, reference, compared[index], kindIn, isBrief),
    );
  });
}

/** @param {Results} results @returns {string[]} the groups without ratios, and why */
function missingReferenceSentences(results) {
  if (!results.outcomes.some(isMeasured)) return ['Nothing was measured.'];
  const groups = groupRows(results).filter((group) => !isOpen(group) && group.measured.length > 0);
  const without = groups.filter((group) => hasNoRatios(group, results));
  if (without.length === 0) return [];
  const places = without.map(({ place }) => place);
  const some =
    places.length > GREATEST_GROUPS_TOLD
      ? ` in ${places.length} of ${groups.length} groups`
      : ` at ${places.join(' and at ')}`;
  const where = places.length === groups.length ? '' : some;
  const isReference = (/** @type {Outcome} */ { cell }) => seriesLabel(cell) === results.reference;
  const { status = 'skipped' } = without.flatMap(({ outcomes }) => outcomes).find(isReference) ?? {};
  if (status === 'measured' && results.options.quick)
    return [`No ratios${where}: one launch per row is too few for a ratio; measure without --quick.`];
  return [`No ratios${where}: the reference ${printable(results.reference)} ${NO_RATE[status]}.`];
}

/** @param {import('./groups.js').Group} group @param {Results} results @returns {boolean} beside that of the reference to itself */
function hasNoRatios({ measured }, { reference }) {
  const others = measured.filter(({ cell }) => seriesLabel(cell) !== reference);
  return (others.length > 0 ? others : measured).every(({ ratio }) => ratio === null);
}

/** @param {Outcome[]} outcomes @returns {string[]} */
function failureSentences(outcomes) {
  /** @type {Map<string, Set<string>>} */
  const byMessage = new Map();
  for (const outcome of outcomes) {
    if (outcome.status !== 'failed') continue;
    const text = unended(shortened(printable(outcome.message), GREATEST_MESSAGE_LENGTH));
    const message = `${text} (${printable(outcome.code)})`;
    byMessage.set(message, (byMessage.get(message) ?? new Set()).add(cellName(outcome.cell)));
  }
  const told = [...byMessage].slice(0, GREATEST_FAILURES_TOLD);
  const sentences = told.map(([message, names]) => `Failed: ${listed([...names], 4)}: ${message}.`);
  const rest = byMessage.size - told.length;
  return rest === 0 ? sentences : [...sentences, `${rest} more failures are listed with the table.`];
}

/** @param {Results} results @param {Detail} [detail] @returns {string[]} sentences, the most important first */
export function conclusions(results, { isBrief = false } = {}) {
  const { outcomes, status } = results;
  const measured = outcomes.filter(isMeasured);
  return [
    ...rankingSentences(results, { isBrief }),
    ...runtimeSentences(results),
    ...growthSentences(results, { isBrief }),
    ...breakEvenSentences(results),
    ...payloadCostSentences(results),
    ...openSentences(results, { isBrief }),
    ...promiseSentences(measured),
    ...addedSentences(results, { isBrief }),
    ...floorSentences(results),
    ...missingReferenceSentences(results),
    ...sharedFaultSentences(outcomes),
    ...propertySentences(results, { isBrief }),
    // In brief, the settings of the rows show what spins.
    ...(isBrief ? disturbedSentences(measured, { isBrief }) : machineSentences(measured)),
    ...(isBrief ? gapNotes(results, 'failed') : failureSentences(outcomes)),
    ...(status === 'complete'
      ? []
      : ['The run was not finished: rows have fewer launches or slices than planned.']),
    ...(measured.some((outcome) => !isOpen(outcome) && hasServiceTimes(outcome))
      ? [CLOSED_LOOP_SENTENCES[isBrief ? 'brief' : 'full']]
      : []),
  ];
}

// What a scenario adds to the one that it is with something in between: differences of launches of the same blocks, so that
// what slowed a block down cancels.

/** @typedef {{ timeUs: Estimate, cpuUs: Estimate | null }} Added   for each operation: to its mean time, and of all processes, where that is known */

const MOST_ROWS_TOLD = 3; // at a first look

/** @param {MeasuredLaunch} launch @returns {number} */
const meanUsOf = ({ times }) => times[SERVICE_TIME].meanNs / NS_PER_US;

/**
 * @param {MeasuredOutcome} outcome
 * @param {MeasuredOutcome} base
 * @returns {Added | null} null: they have no block in common
 */
function addedBy(outcome, base) {
  const byBlock = new Map(base.launches.map((launch) => [launch.block, launch]));
  const pairs = outcome.launches.flatMap((own) => {
    const other = byBlock.get(own.block);
    return other === undefined ? [] : [{ own, other }];
  });
  if (pairs.length === 0) return null;
  const differenceOf = (
    /** @type {(launch: MeasuredLaunch) => number} */ amountOf,
    /** @type {typeof pairs} */ some,
  ) => signedRankInterval(some.map(({ own, other }) => amountOf(own) - amountOf(other)));
  const costly = pairs.filter(({ own, other }) => hasKnownCosts(own) && hasKnownCosts(other));
  return {
    timeUs: differenceOf(meanUsOf, pairs),
    cpuUs: costly.length === 0 ? null : differenceOf(totalCpuUs, costly),
  };
}

/** @param {Estimate} amount   µs @returns {string} '25.1 µs (24.0–26.3)' */
function amountText(amount) {
  const { estimate, low, high, level } = amount;
  if (!hasRange(amount)) return `${formatNumber(estimate)} µs`;
  if (low > 0) return formatInterval(amount).replace(' ', ' µs ');
  const ends = `${formatNumber(low)} to ${formatNumber(high)} µs`;
  return level === null ? `[${ends}]` : `no clear difference (${ends})`;
}

/** @param {Results} results @param {{ isBrief?: boolean }} [detail] @returns {string[]} one for each group of rows that has what it adds to */
export function addedSentences(results, { isBrief = false } = {}) {
  const measured = results.outcomes.filter(isMeasured);
  return groupRows(results).flatMap((group) => {
    const addsTo = results.scenarios[group.cell.scenario]?.addsTo; // a scenario without launches has no facts
    if (addsTo === undefined || isOpen(group)) return [];
    const texts = group.measured.flatMap((outcome) => {
      const wanted = { ...outcome.cell, scenario: addsTo };
      const base = measured.find(
        ({ cell }) => groupLabel(cell) === groupLabel(wanted) && seriesLabel(cell) === seriesLabel(wanted),
      );
      const canDiffer = base !== undefined && hasServiceTimes(outcome) && hasServiceTimes(base);
      const added = canDiffer ? addedBy(outcome, base) : null;
      if (added === null) return [];
      const cpu = added.cpuUs === null ? 'an unknown CPU time' : amountText(added.cpuUs);
      return `${cellName(outcome.cell)} ${amountText(added.timeUs)} and ${cpu}`;
    });
    if (texts.length === 0) return [];
    const what = `Added to ${printable(addsTo)} at ${group.place}, in mean latency and in CPU time of all processes`;
    return `${what}: ${listed(texts, isBrief ? MOST_ROWS_TOLD : texts.length)}.`;
  });
}
