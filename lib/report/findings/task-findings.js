// Tasks in other threads or processes: the least work per task for which they are faster, and the cost that long payloads add to a task.

import { seriesLabel } from '../../cell/labels.js';
import { labelParts, settingsLabel } from '../../cell/settings.js';
import { groupedBy } from '../../format/lists.js';
import { isMeasured } from '../../results/measured-outcomes.js';
import { findCrossovers, ratioAt } from '../../statistics/crossover.js';
import { signedRankInterval } from '../../statistics/rank-tests.js';
import { makeFinding } from './finding.js';
import { valuesOfSharedGroups } from './shared-groups.js';
import { transportClass } from './transport-kinds.js';
import { notRankedReason } from './verdicts.js';

/** @import { Crossover, CrossoverPoint, Estimate, Finding, FoundRow, MeasuredLaunch, MeasuredOutcome, Reason, Results } from '../../types/index.js' */
/** @import { ReportFacts } from './report-facts.js' */

const MIN_US = 0.1; // replaces 0 µs of work, which has no logarithm
const OVERHEAD = 'overheadPerTask';

/**
 * A row compared with the row that does its tasks in the main process.
 * @typedef {object} BreakEven
 * @property {string} heading               equal for rows that differ only in transport, codec and settings
 * @property {MeasuredOutcome[]} row      one for each amount of work, ascending
 * @property {MeasuredOutcome[]} inline   inline rows at the same amounts
 * @property {CrossoverPoint[]} points    x: µs of work; costs: 1 / tasks per second in each group, for the row and inline
 * @property {Crossover[]} crossovers
 * @property {Reason | null} why          why a row that determines the crossover is not ranked; null if all are ranked
 */

/** @param {MeasuredOutcome} outcome @returns {number} µs of work; NaN if its scenario has none */
function workUsOf({ cell }) {
  return Number(labelParts(cell.scenario).written.work ?? Number.NaN);
}

/** @param {MeasuredOutcome} outcome @returns {string} equal for rows that differ only in transport, codec, settings and work */
function headingOf({ cell: { transport, codec, settings, ...rest } }) {
  const { name, written } = labelParts(rest.scenario);
  const { work: _, ...others } = written;
  return JSON.stringify({ ...rest, scenario: settingsLabel(name, others) });
}

/** @param {Results} results @returns {BreakEven[]} one for each row with at least two amounts of work that inline has too */
export function findBreakEvens(results) {
  const tasks = results.outcomes.filter(isMeasured).filter((outcome) => workUsOf(outcome) >= 0);
  const isInline = (/** @type {MeasuredOutcome} */ { cell }) => transportClass(results, cell) === 'inline';
  return [...groupedBy(tasks, headingOf)].flatMap(([heading, outcomes]) => {
    const inlineAt = new Map(outcomes.filter(isInline).map((outcome) => [workUsOf(outcome), outcome]));
    const rows = groupedBy(
      outcomes.filter((outcome) => !isInline(outcome)),
      ({ cell }) => seriesLabel(cell),
    );
    return [...rows.values()].flatMap((row) => breakEvenOf(heading, row, inlineAt) ?? []);
  });
}

/** @param {string} heading @param {MeasuredOutcome[]} outcomes   of one series @param {Map<number, MeasuredOutcome>} inlineAt   by µs of work @returns {BreakEven | null} */
function breakEvenOf(heading, outcomes, inlineAt) {
  const pairs = outcomes
    .toSorted((one, other) => workUsOf(one) - workUsOf(other))
    .flatMap((own) => {
      const other = inlineAt.get(workUsOf(own));
      if (other === undefined) return [];
      const [costs, others] = valuesOfSharedGroups([own, other], costOfTask(own.headline));
      return costs.length === 0
        ? []
        : [{ own, other, point: { x: Math.max(MIN_US, workUsOf(own)), costs, others } }];
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
      .find((reason) => reason !== null) ?? null;
  return {
    heading,
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

/** @param {ReportFacts} facts @returns {Finding[]} one for all rows that are compared with one inline row */
export function breakEvenFindings({ results }) {
  return [...groupedBy(findBreakEvens(results), ({ heading }) => heading).values()].map((some) =>
    makeFinding('break-even', {
      rows: some.map(breakEvenRow),
      against: seriesLabel(some[0].inline[0].cell),
    }),
  );
}

/** @param {BreakEven} breakEven @returns {FoundRow} with the work of a task in µs from which it is faster; without one, its ratio at the greatest work */
function breakEvenRow({ row, points, crossovers, why }) {
  const label = seriesLabel(row[0].cell);
  if (why !== null) return { row: label, verdict: 'none', why };
  const [crossover] = crossovers;
  if (crossovers.length === 1 && crossover.isCheaperAbove) {
    const { estimate, low, high } = crossover;
    return { row: label, verdict: 'better', numbers: { workUs: estimate, lowUs: low, highUs: high } };
  }
  const { x } = points[points.length - 1];
  const { estimate, low, high } = ratioAt(points, x);
  return {
    row: label,
    verdict: 'unclear',
    numbers: { atUs: x, ratio: 1 / estimate, lowRatio: 1 / high, highRatio: 1 / low },
  };
}

/** @param {MeasuredOutcome} outcome @returns {boolean} true for a scenario of tasks */
export function hasOverhead({ measures }) {
  return OVERHEAD in measures;
}

/** @param {ReportFacts} facts @returns {Finding[]} the CPU time that the longest payload adds to a task, compared with the shortest; omits rows that are not ranked */
export function payloadCostFindings({ measured }) {
  const tasks = measured.filter((outcome) => hasOverhead(outcome) && notRankedReason(outcome) === null);
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
    const bySizes = groupedBy(
      costs,
      ({ first, last }) => `${first.cell.payloadBytes} ${last.cell.payloadBytes}`,
    );
    return [...bySizes.values()].map((own) => {
      const [{ first, last }] = own;
      return makeFinding('payload-cost', {
        rows: own
          .toSorted((one, other) => one.us.estimate - other.us.estimate)
          .map((cost) => ({ row: seriesLabel(cost.first.cell), ...foundDifference(cost.us) })),
        numbers: { first: first.cell.payloadBytes, last: last.cell.payloadBytes },
      });
    });
  });
}

/** @param {Estimate} us   a difference, which may be negative @returns {Pick<FoundRow, 'verdict' | 'numbers'>} worse or better if it excludes 0 */
function foundDifference({ estimate, low, high }) {
  return {
    verdict: low > 0 ? 'worse' : high < 0 ? 'better' : 'unclear',
    numbers: { us: estimate, lowUs: low, highUs: high },
  };
}
