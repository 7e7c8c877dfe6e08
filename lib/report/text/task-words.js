// Tasks in other threads or processes: the least work per task for which they are faster, the cost that long payloads add to a task, and
// the time that an intermediate process adds to a round trip.

import { hasServiceTimes, SERVICE_TIME } from '../../cell/headline.js';
import { groupLabel, seriesLabel } from '../../cell/labels.js';
import { labelParts, settingsLabel } from '../../cell/settings.js';
import { groupedBy, listed } from '../../format/lists.js';
import { formatBytes, formatInterval, formatNumber, hasRange } from '../../format/numbers.js';
import { printable } from '../../format/printable.js';
import { NS_PER_US } from '../../format/units.js';
import { hasKnownCosts, totalCpuUs } from '../../results/calibration-rows.js';
import { findCrossovers, ratioAt } from '../../statistics/crossover.js';
import { signedRankInterval } from '../../statistics/rank-tests.js';
import { cellName, isMeasured } from './groups.js';
import { valuesOfSharedGroups } from './shared-groups.js';
import { transportClass } from './transport-kinds.js';
import { notRankedReason } from './verdicts.js';

/** @import { Crossover, CrossoverPoint, Estimate, MeasuredLaunch, MeasuredOutcome, Results } from '../../types/index.js' */
/** @import { Facts } from './rules.js' */

const LEAST_US = 0.1; // replaces 0 µs of work, which has no logarithm
const OVERHEAD = 'overheadPerTask';
const ROWS_IN_BRIEF = 3;

/**
 * A row compared with the row that does its tasks in the main process.
 * @typedef {object} BreakEven
 * @property {string} place               equal for rows that differ only in transport, codec and settings
 * @property {MeasuredOutcome[]} row      one for each amount of work, ascending
 * @property {MeasuredOutcome[]} inline   inline rows at the same amounts
 * @property {CrossoverPoint[]} points    x: µs of work; costs: 1 / tasks per second in each group, for the row and inline
 * @property {Crossover[]} crossovers
 * @property {string} why                 why a row that determines the crossover is not ranked; '' if all are ranked
 */

/** @param {MeasuredOutcome} outcome @returns {number} µs of work; NaN if its scenario has none */
function workUsOf({ cell }) {
  return Number(labelParts(cell.scenario).written.work ?? Number.NaN);
}

/** @param {MeasuredOutcome} outcome @returns {string} equal for rows that differ only in transport, codec, settings and work */
function placeOf({ cell: { transport, codec, settings, ...rest } }) {
  const { name, written } = labelParts(rest.scenario);
  const { work: _, ...others } = written;
  return JSON.stringify({ ...rest, scenario: settingsLabel(name, others) });
}

/** @param {Results} results @returns {BreakEven[]} one for each row with at least two amounts of work that inline has too */
export function findBreakEvens(results) {
  const tasks = results.outcomes.filter(isMeasured).filter((outcome) => workUsOf(outcome) >= 0);
  const isInline = (/** @type {MeasuredOutcome} */ { cell }) => transportClass(results, cell) === 'inline';
  return [...groupedBy(tasks, placeOf)].flatMap(([place, outcomes]) => {
    const inlineAt = new Map(outcomes.filter(isInline).map((outcome) => [workUsOf(outcome), outcome]));
    const rows = groupedBy(
      outcomes.filter((outcome) => !isInline(outcome)),
      ({ cell }) => seriesLabel(cell),
    );
    return [...rows.values()].flatMap((row) => breakEvenOf(place, row, inlineAt) ?? []);
  });
}

/** @param {string} place @param {MeasuredOutcome[]} outcomes   of one series @param {Map<number, MeasuredOutcome>} inlineAt   by µs of work @returns {BreakEven | null} */
function breakEvenOf(place, outcomes, inlineAt) {
  const pairs = outcomes
    .toSorted((one, other) => workUsOf(one) - workUsOf(other))
    .flatMap((own) => {
      const other = inlineAt.get(workUsOf(own));
      if (other === undefined) return [];
      const [costs, others] = valuesOfSharedGroups([own, other], costOfTask(own.headline));
      return costs.length === 0
        ? []
        : [{ own, other, point: { x: Math.max(LEAST_US, workUsOf(own)), costs, others } }];
    });
  if (pairs.length < 2) return null;
  const points = pairs.map(({ point }) => point);
  const crossovers = findCrossovers(points);
  // The rows around the crossover determine it; without a crossover, all rows count.
  const decides = (/** @type {number} */ at) =>
    crossovers.length === 0 ||
    !(
      crossovers.every(({ low }) => points[at + 1]?.x <= low) ||
      crossovers.every(({ high }) => points[at - 1]?.x >= high)
    );
  const why =
    pairs
      .flatMap(({ own, other }, at) => (decides(at) ? [own, other] : []))
      .map(notRankedReason)
      .find(Boolean) ?? '';
  return {
    place,
    row: pairs.map(({ own }) => own),
    inline: pairs.map(({ other }) => other),
    points,
    crossovers,
    why,
  };
}

/** @param {string} headline @returns {(launch: MeasuredLaunch) => number | null} seconds of a task */
function costOfTask(headline) {
  return ({ values }) => (values[headline] ? 1 / Number(values[headline]) : null);
}

/** @param {Results} results @returns {string[]} */
export function breakEvenSentences(results) {
  return [...groupedBy(findBreakEvens(results), ({ place }) => place).values()].flatMap((some) => {
    const inline = cellName(some[0].inline[0].cell);
    const nameOf = (/** @type {BreakEven} */ { row }) => cellName(row[0].cell);
    const judged = some.filter(({ why }) => why === '');
    const isKnown = (/** @type {BreakEven} */ { crossovers }) =>
      crossovers.length === 1 && crossovers[0].isCheaperAbove;
    const known = judged
      .filter(isKnown)
      .toSorted((one, other) => one.crossovers[0].estimate - other.crossovers[0].estimate);
    const texts = known.map((each) => {
      const [at, from, to] = ['estimate', 'low', 'high'].map((key) =>
        formatNumber(/** @type {any} */ (each.crossovers[0])[key]),
      );
      return `${nameOf(each)} ${at} µs (${from}–${to})`;
    });
    // Rows without a known break-even are compared at the greatest amount of work.
    const unknown = judged
      .filter((each) => !isKnown(each))
      .map((each) => {
        const { x } = each.points[each.points.length - 1];
        const { estimate, low, high } = ratioAt(each.points, x);
        const [ratio, from, to] = [1 / estimate, 1 / high, 1 / low].map((value) => value.toFixed(2));
        return `${nameOf(each)} (${ratio}×, ${from}–${to}, at ${formatNumber(x)} µs)`;
      });
    const unjudged = groupedBy(
      some.filter(({ why }) => why !== ''),
      ({ why }) => why,
    );
    return [
      ...(texts.length === 0
        ? []
        : [`More tasks per second than ${inline} above so much work per task: ${texts.join(', ')}.`]),
      ...(unknown.length === 0 ? [] : [`No break-even with ${inline} was found: ${unknown.join(', ')}.`]),
      ...[...unjudged].map(
        ([why, alike]) =>
          `No break-even with ${inline} is given for ${alike.map(nameOf).join(', ')}: ${why}.`,
      ),
    ];
  });
}

/** @param {MeasuredOutcome} outcome @returns {boolean} true for a scenario of tasks */
export function hasOverhead({ measures }) {
  return OVERHEAD in measures;
}

/**
 * @param {Results} results
 * @returns {string[]} the CPU time that the longest payload adds to a task, compared with the shortest; omits rows that are not ranked
 */
export function payloadCostSentences({ outcomes }) {
  const tasks = outcomes
    .filter(isMeasured)
    .filter((outcome) => hasOverhead(outcome) && notRankedReason(outcome) === '');
  const places = groupedBy(tasks, ({ cell: { transport, codec, settings, payloadBytes, ...rest } }) =>
    JSON.stringify(rest),
  );
  return [...places.values()].flatMap((some) => {
    const costs = [...groupedBy(some, ({ cell }) => seriesLabel(cell)).values()].flatMap((row) => {
      const sorted = row.toSorted((one, other) => one.cell.payloadBytes - other.cell.payloadBytes);
      const [first, last] = [sorted[0], sorted[sorted.length - 1]];
      const [least, most] = valuesOfSharedGroups([first, last], ({ values }) => values[OVERHEAD] ?? null);
      if (first === last || most.length < 2) return [];
      return { first, last, us: signedRankInterval(most.map((us, group) => us - least[group])) };
    });
    // A series may lack the longest or the shortest payload.
    const bySizes = groupedBy(costs, (cost) => sizesOf(cost).join(' '));
    return [...bySizes.values()].flatMap(costSentences);
  });
}

/** @typedef {{ first: MeasuredOutcome, last: MeasuredOutcome, us: Estimate }} PayloadCost */

/** @param {PayloadCost} cost @returns {string[]} the shortest and the longest payload */
const sizesOf = ({ first, last }) => [first, last].map(({ cell }) => formatBytes(cell.payloadBytes));

/** @param {PayloadCost[]} unordered   all of the same two payloads @returns {string[]} */
function costSentences(unordered) {
  const costs = unordered.toSorted((one, other) => one.us.estimate - other.us.estimate);
  const [least, most] = sizesOf(costs[0]);
  const isClear = (/** @type {PayloadCost} */ { us }) => us.low > 0 || us.high < 0;
  const clear = costs.filter(isClear).map(({ first: { cell }, us }) => {
    const [estimate, low, high] = [us.estimate, us.low, us.high].map((value) => formatNumber(value));
    return `${cellName(cell)} ${estimate} µs (${low}–${high})`;
  });
  const alike = costs.filter((cost) => !isClear(cost)).map(({ first: { cell } }) => cellName(cell));
  const sentences = [];
  if (clear.length > 0)
    sentences.push(`CPU time that a task of ${most} takes beyond one of ${least}: ${clear.join(', ')}.`);
  if (alike.length > 0) {
    const sizes = `a task of ${most} and one of ${least}`;
    sentences.push(`No clear difference in CPU time between ${sizes}: ${alike.join(', ')}.`);
  }
  return sentences;
}

/** @param {Facts} facts @param {boolean} isBrief @returns {string[]} for each group, the time that an intermediate process adds */
export function addedSentences({ results, measured, closed }, isBrief) {
  return closed.flatMap((group) => {
    const addsTo = results.scenarios[group.cell.scenario]?.addsTo; // a scenario without launches has no facts
    if (addsTo === undefined) return [];
    const texts = group.measured.flatMap((outcome) => {
      const wanted = { ...outcome.cell, scenario: addsTo };
      const base = measured.find(
        ({ cell }) => groupLabel(cell) === groupLabel(wanted) && seriesLabel(cell) === seriesLabel(wanted),
      );
      if (base === undefined || !hasServiceTimes(outcome) || !hasServiceTimes(base)) return [];
      const us = addedUs(outcome, base, ({ times }) => times[SERVICE_TIME].meanNs / NS_PER_US);
      const cpuUs = addedUs(outcome, base, (launch) => (hasKnownCosts(launch) ? totalCpuUs(launch) : null));
      return us === null ? [] : `${cellName(outcome.cell)} ${us} and ${cpuUs ?? 'an unknown CPU time'}`;
    });
    if (texts.length === 0) return [];
    return `Added to ${printable(addsTo)} at ${group.place}, in mean latency and in CPU time of all processes: ${listed(texts, isBrief ? ROWS_IN_BRIEF : texts.length)}.`;
  });
}

/** @param {MeasuredOutcome} outcome @param {MeasuredOutcome} base @param {(launch: MeasuredLaunch) => number | null} read @returns {string | null} '25.1 µs (24.0–26.3)'; null if they have no group in common */
function addedUs(outcome, base, read) {
  const [own, other] = valuesOfSharedGroups([outcome, base], read);
  if (own.length === 0) return null;
  const amount = signedRankInterval(own.map((us, group) => us - other[group]));
  const { estimate, low, high, level } = amount;
  if (!hasRange(amount)) return `${formatNumber(estimate)} µs`;
  if (low > 0 || high < 0) return formatInterval(amount, ' µs');
  const ends = `${formatNumber(low)} to ${formatNumber(high)} µs`;
  return level === null ? `[${ends}]` : `no clear difference (${ends})`;
}
