// Tasks in other threads or processes: the least work per task for which they are faster.

import { readHeadline } from '../../cell/headline.js';
import { seriesLabel } from '../../cell/labels.js';
import { labelParts, settingsLabel } from '../../cell/settings.js';
import { groupedBy } from '../../format/lists.js';
import { shownInterval } from '../../format/numbers.js';
import { findCrossovers } from '../../statistics/crossover.js';
import { makeFinding } from './finding.js';
import { judgeIn } from './row-verdicts.js';
import { transportClass } from './transport-kinds.js';

/** @import { Crossover, CrossoverPoint, Finding, FoundRow, MeasuredOutcome, Reason, Results } from '../../types/index.js' */
/** @import { ComparedEstimate } from '../../results/launch-model.js' */
/** @import { ReportFacts } from './report-facts.js' */

/** @typedef {ReturnType<ReturnType<typeof judgeIn>>} Judged   the throughput of a row compared with that of inline */
/**
 * A row compared with the row that does its tasks in the main process, at one amount of work.
 * @typedef {object} WorkPoint
 * @property {MeasuredOutcome} own
 * @property {MeasuredOutcome} inline
 * @property {Judged} judged
 */
/**
 * @typedef {object} BreakEven
 * @property {string} heading             equal for rows that differ only in transport, codec and settings
 * @property {WorkPoint[]} points         one for each amount of work at which both rows share a group, ascending; at least two
 * @property {Crossover[]} crossovers     in µs of work
 * @property {Reason | null} why          why a row that determines the crossover is not ranked; null if all are ranked
 */

/** @param {MeasuredOutcome} outcome @returns {number} µs of work; NaN if its scenario has none */
function workUsOf({ cell }) {
  return Number(labelParts(cell.scenario).written.work ?? Number.NaN);
}

/**
 * @param {MeasuredOutcome} outcome
 * @returns {string} a key that is equal for rows that differ only in transport, codec, settings and work
 */
function headingOf({ cell: { transport, codec, settings, ...rest } }) {
  const { name, written } = labelParts(rest.scenario);
  const { work: _, ...others } = written;
  return JSON.stringify({ ...rest, scenario: settingsLabel(name, others) });
}

/**
 * @param {ReportFacts} facts
 * @returns {BreakEven[]} one for each row of closed loops with at least two amounts of work that inline has too
 */
export function findBreakEvens({ results, closed }) {
  const points = closed.flatMap(({ measured }) => pointsOf(results, measured));
  const byRow = groupedBy(points, ({ own }) => `${headingOf(own)} ${seriesLabel(own.cell)}`);
  return [...byRow.values()].filter((own) => own.length > 1).map(breakEvenOf);
}

/**
 * @param {Results} results
 * @param {MeasuredOutcome[]} measured   of one group
 * @returns {WorkPoint[]} one for each other row that has an amount of work and a known ratio to the inline row; none if the group has no
 *   inline row
 */
function pointsOf(results, measured) {
  const tasks = measured.filter((outcome) => workUsOf(outcome) >= 0);
  const inline = tasks.find(({ cell }) => transportClass(results, cell) === 'inline');
  if (inline === undefined) return [];
  const judge = judgeIn(measured);
  return tasks
    .filter((own) => own !== inline)
    .map((own) => ({ own, inline, judged: judge(own, inline) }))
    .filter(({ judged }) => judged.ratio !== null);
}

/** @param {WorkPoint[]} own   of one row, at least two @returns {BreakEven} */
function breakEvenOf(own) {
  const points = own.toSorted((one, other) => workUsOf(one.own) - workUsOf(other.own));
  const crossovers = findCrossovers(points.map(costPoint));
  const [low, high] = [crossovers[0]?.points[0].x ?? 0, crossovers.at(-1)?.points.at(-1)?.x ?? Infinity];
  const deciding = points.filter((point) => workUsOf(point.own) >= low && workUsOf(point.own) <= high);
  const why = deciding.map(({ judged }) => judged.why).find((reason) => reason !== null) ?? null;
  return { heading: headingOf(points[0].own), points, crossovers, why };
}

/** @param {WorkPoint} point @returns {CrossoverPoint} x: µs of work; excess: seconds per task beyond those of inline */
function costPoint({ own, inline, judged: { ratio, verdict } }) {
  const rates = /** @type {ComparedEstimate} */ (ratio);
  const { low, high } = shownInterval(rates);
  const inlineCost = 1 / readHeadline(inline).estimate;
  const excess = (/** @type {number} */ times) => inlineCost * (1 / times - 1);
  return {
    x: workUsOf(own),
    sign: verdict === 'better' ? -1 : verdict === 'worse' ? 1 : 0,
    excess: { estimate: excess(rates.estimate), low: excess(high), high: excess(low) },
  };
}

/** @param {ReportFacts} facts @returns {Finding[]} one for all rows that are compared with one inline row */
export function breakEvenFindings(facts) {
  return [...groupedBy(findBreakEvens(facts), ({ heading }) => heading).values()].map((some) =>
    makeFinding('break-even', {
      rows: some.map(breakEvenRow),
      against: seriesLabel(some[0].points[0].inline.cell),
    }),
  );
}

/**
 * @param {BreakEven} breakEven
 * @returns {FoundRow} the row with the work of a task in µs from which it is faster, or else with its ratio at the greatest work
 */
function breakEvenRow({ points, crossovers, why }) {
  const { own, judged } = points[points.length - 1];
  const label = seriesLabel(own.cell);
  if (why !== null) return { row: label, verdict: 'none', why };
  const [crossover] = crossovers;
  if (crossovers.length === 1 && crossover.isCheaperAbove) {
    const { estimate, low, high } = crossover;
    return { row: label, verdict: 'better', numbers: { workUs: estimate, lowUs: low, highUs: high } };
  }
  const ratio = /** @type {ComparedEstimate} */ (judged.ratio);
  const { low, high } = shownInterval(ratio);
  return {
    row: label,
    verdict: 'unclear',
    numbers: { atUs: workUsOf(own), ratio: ratio.estimate, lowRatio: low, highRatio: high },
  };
}
