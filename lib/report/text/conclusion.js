// What the results say, in a few sentences that a reader may quote: ranking, bottlenecks, failures, and what the
// numbers do not tell. The answer comes first. The numbers themselves are in the table.

import { hasServiceTimes, readHeadline, SERVICE_TIME } from '../../cell/headline.js';
import { groupLabel, seriesLabel } from '../../cell/labels.js';
import { groupedBy, listed, shortened, unended } from '../../format/lists.js';
import {
  formatCount,
  formatInterval,
  formatNumber,
  formatPercent,
  hasRange,
  spanText,
} from '../../format/numbers.js';
import { printable } from '../../format/printable.js';
import { NS_PER_US } from '../../format/units.js';
import { totalCpuUs } from '../../results/calibration-rows.js';
import { BOTTLENECK_SHARE, QUICK_AGREEMENT } from '../../results/thresholds.js';
import { signedRankInterval } from '../../statistics/signed-rank.js';
import { floorSentences } from './baseline-words.js';
import { gapNotes } from './gaps.js';
import { cellName, groupRows, isMeasured, isOpen } from './groups.js';
import { growthSentences } from './growth-words.js';
import { disturbedSentences, machineSentences } from './machine-words.js';
import { openSentences } from './open-conclusion.js';
import { sentencesOfMany } from './overview.js';
import { promiseSentences } from './promises.js';
import { sentencesOfGroup } from './ranking.js';
import { runtimeSentences } from './runtime-words.js';
import { kindsIn } from './transport-kinds.js';
import { comparedIn } from './verdicts.js';

/** @typedef {{ isBrief?: boolean }} Detail    brief: what a first look needs, beside the table and its marks */
/** @import { Busiest, Estimate, MeasuredLaunch, MeasuredOutcome, Outcome, Results } from '../../types/index.js' */

// Two groups are still read one by one.
const GREATEST_GROUPS_TOLD = 2;
const GREATEST_FAILURES_TOLD = 2;
const GREATEST_MESSAGE_LENGTH = 160;

/** @type {Readonly<Record<Outcome['status'], string>>} what became of a reference without ratios */
const NO_RATE = { failed: 'failed', skipped: 'was not measured', measured: 'gave none' };

/** Said wherever latencies of closed loops are shown (M-12). */
export const CLOSED_LOOP_SENTENCE =
  'Closed loop: a loop asks again only when it has its answer, so latencies are service times, and requests that arrive from outside would meet longer tails.';

/** The same in one line. */
export const BRIEF_CLOSED_LOOP_SENTENCE =
  'Closed loop: latencies are service times, and requests from outside would meet longer tails.';

/** @param {Results} results @param {Detail} detail @returns {string[]} */
function rankingSentences(results, { isBrief = false }) {
  const all = groupRows(results).filter(({ cell, measured }) => !isOpen({ cell }) && measured.length > 0);
  const reference = printable(results.reference);
  const kindIn = kindsIn(results);
  // What one scenario counts says nothing beside what another counts.
  const scenarios = [...new Set(all.map(({ cell }) => cell.scenario))];
  return scenarios.flatMap((scenario) => {
    const rows = scenarios.length > 1 ? `rows of ${printable(scenario)}` : 'rows';
    const groups = all.filter(({ cell }) => cell.scenario === scenario);
    const compared = groups.map(({ measured }) => comparedIn(measured, kindIn));
    if (groups.length > GREATEST_GROUPS_TOLD)
      return sentencesOfMany(groups, reference, compared, kindIn, rows);
    return groups.flatMap((group, index) =>
      sentencesOfGroup(group, reference, compared[index], kindIn, isBrief),
    );
  });
}

/** @param {Results} results @returns {string[]} where there are no ratios, and why */
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
    return [`There are no ratios${where}: ${noQuickRatioReason(without)}.`];
  return [`There are no ratios${where}: the reference ${printable(results.reference)} ${NO_RATE[status]}.`];
}

/** @param {import('./groups.js').Group[]} groups @returns {string} */
function noQuickRatioReason(groups) {
  const counts = groups.flatMap(({ measured }) => measured.map((outcome) => readHeadline(outcome).n));
  return Math.max(...counts) === 1
    ? 'one launch of each row is too few for one; measure without --quick'
    : `the launches of this quick run differ by more than ${formatPercent(QUICK_AGREEMENT)}; measure without --quick`;
}

/** @param {import('./groups.js').Group} group @param {Results} results @returns {boolean} beside that of the reference to itself */
function hasNoRatios({ measured }, { reference }) {
  const others = measured.filter(({ cell }) => seriesLabel(cell) !== reference);
  return (others.length > 0 ? others : measured).every(({ ratio }) => ratio === null);
}

/** @param {Busiest} busiest @returns {{ who: string, itself: string }} 'a worker' limits, and 'that worker' is measured */
function limitWords(busiest) {
  const role = busiest.role;
  if (role === 'worker') return { who: 'a worker', itself: 'that worker' };
  const who = printable(busiest.name);
  return { who, itself: role === 'master' ? 'the master' : who };
}

/**
 * @param {MeasuredOutcome[]} measured
 * @param {Detail} detail    brief: the marks tell which rows
 * @returns {string[]} one for each kind of process that limits some rows
 */
function bottleneckSentences(measured, { isBrief = false }) {
  const limited = measured.flatMap(({ busiest, cell }) =>
    busiest === null || busiest.share < BOTTLENECK_SHARE
      ? []
      : [{ ...limitWords(busiest), name: cellName(cell), percent: 100 * busiest.share }],
  );
  return [...groupedBy(limited, ({ who }) => who)].map(([who, some]) => {
    const [{ itself }] = some;
    const names = some.map(({ name }) => name);
    const percents = some.map(({ percent }) => percent);
    const busy = `${spanText(percents, ' to ', formatCount)} %`;
    const rows = names.length === measured.length ? 'all rows' : `${names.length} of ${measured.length} rows`;
    const all = isBrief ? rows : `${rows} (${listed([...new Set(names)], 4)})`;
    const where = names.length === 1 ? names[0] : all;
    const which = names.length === 1 ? 'which measures' : 'which measure';
    if (isBrief)
      return `Bottleneck: ${who} at ${busy} of a core in ${where}, ${which} it, not the transport.`;
    return `Bottleneck: ${who} at ${busy} of a core in ${where}: these numbers measure ${itself}, not the transport.`;
  });
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
    ...openSentences(results, { isBrief }),
    ...promiseSentences(measured),
    ...addedSentences(results, { isBrief }),
    ...floorSentences(results),
    ...missingReferenceSentences(results),
    ...bottleneckSentences(measured, { isBrief }),
    // At a first look the marks of the rows tell what waking costs, and their settings tell what spins.
    ...(isBrief ? disturbedSentences(measured, { isBrief }) : machineSentences(measured)),
    ...(isBrief ? gapNotes(results, 'failed') : failureSentences(outcomes)),
    ...(status === 'complete' ? [] : ['The run was not finished: there are fewer launches than planned.']),
    ...(measured.some((outcome) => !isOpen(outcome) && hasServiceTimes(outcome))
      ? [isBrief ? BRIEF_CLOSED_LOOP_SENTENCE : CLOSED_LOOP_SENTENCE]
      : []),
  ];
}

// What a scenario adds to the one that it is with something in between: differences of launches of the same blocks, so that
// what slowed a block down cancels.

/** @typedef {{ timeUs: Estimate, cpuUs: Estimate }} Added   for each operation: to its mean time, and of all processes */

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
  const differenceOf = (/** @type {(launch: MeasuredLaunch) => number} */ amountOf) =>
    signedRankInterval(pairs.map(({ own, other }) => amountOf(own) - amountOf(other)));
  return { timeUs: differenceOf(meanUsOf), cpuUs: differenceOf(totalCpuUs) };
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
  return groupRows(results).flatMap((group) => {
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
      return `${cellName(outcome.cell)} ${amountText(added.timeUs)} and ${amountText(added.cpuUs)}`;
    });
    if (texts.length === 0) return [];
    const what = `Added to ${printable(addsTo)} at ${group.place}, in mean latency and in CPU time of all processes`;
    return `${what}: ${listed(texts, isBrief ? MOST_ROWS_TOLD : texts.length)}.`;
  });
}
