// Which row of a table is fastest, by which ratios, and how rows of another kind compare. Only rows of one kind are ranked together.

import { AXES } from '../../cell/axes.js';
import { readHeadline } from '../../cell/headline.js';
import { seriesLabel, transportLabel } from '../../cell/labels.js';
import { groupedBy } from '../../format/lists.js';
import { alongFindings } from './along-findings.js';
import { carrierLabel, contrastFindings, isMixed } from './contrasts.js';
import {
  foundComparison,
  foundGroup,
  foundRow,
  makeFinding,
  measureFacts,
  sleepNumbers,
  withoutTarget,
} from './finding.js';
import { formatQuestion, isMeasured } from './groups.js';
import { comparedIn, comparisonIn, findLeader, notRankedReason } from './verdicts.js';

/** @import { Finding, FoundPart, FoundRow, MeasuredOutcome, Outcome, Results } from '../../types/index.js' */
/** @import { Facts } from './report-facts.js' */
/** @import { Group } from './groups.js' */
/** @import { KindIn } from './transport-kinds.js' */
/** @import { Compared, Leader } from './verdicts.js' */

/**
 * @param {Facts} facts
 * @returns {Finding[]} for several tables of a scenario what changes along a quantity, and which rows are best in most of them; for each
 *   table of closed loops its fastest row, contrasts, and rows of another kind
 */
export function rankingFindings({ closed, results, kindIn }) {
  // Scenarios count different operations, so their numbers are not compared.
  const byScenario = groupedBy(closed, ({ cell }) => formatQuestion(results.scenarios, cell.scenario));
  return [...byScenario.values()].flatMap((tables) => [
    ...(tables.length > 1 ? findingsOnTables(tables, results, kindIn, closed.length > tables.length) : []),
    ...tables.flatMap((group) => {
      const contrasts = isMixed(group.measured) ? contrastFindings(group, results.reference, kindIn) : [];
      const fastest = fastestFinding(group, kindIn, contrasts.length);
      return [...fastest, ...contrasts, ...otherKindFindings([group], kindIn, contrasts)];
    }),
  ]);
}

/** @param {Group[]} tables   of one scenario @param {Results} results @param {KindIn} kindIn @param {boolean} isOneOfMany @returns {Finding[]} the most important first */
function findingsOnTables(tables, results, kindIn, isOneOfMany) {
  const along = alongFindings(tables, results, kindIn);
  const winners = winnersFinding(tables, kindIn, isOneOfMany);
  if (winners[0]?.verdict !== 'better')
    return [...along.filter(({ verdict }) => verdict !== 'none'), ...winners];
  // The finding on the winner says where it is better, so the others are on further rows.
  const [{ row: winner }] = winners[0].rows;
  const others = along.map((claim) => ({ ...claim, rows: claim.rows.filter(({ row }) => row !== winner) }));
  return [...winners, ...others.filter(({ rows }) => rows.length > 0)];
}

/**
 * @param {Pick<Group, 'place' | 'cell' | 'measured'>} group
 * @param {KindIn} kindIn
 * @param {number} [contrasts]   number of findings that compare its rows further
 * @returns {Finding[]} empty if nothing was measured
 */
export function fastestFinding(group, kindIn, contrasts = 0) {
  const { measured } = group;
  const leader = findLeader(measured, kindIn);
  if (leader === null) return [];
  const { ranked, faster, runnerUp, verdict, why, ratio } = leader;
  const compared = new Map(comparedIn(measured, kindIn).map((row) => [row.outcome, row]));
  const rowOf = (/** @type {MeasuredOutcome} */ outcome) => {
    const row = compared.get(outcome);
    const found =
      row === undefined ? { ...foundRow(outcome), why: notRankedReason(outcome) } : foundComparison(row);
    const parts = row === undefined ? undefined : partsOf(outcome, measured, kindIn);
    return { ...found, ...(parts && { parts }) };
  };
  return [
    makeFinding('fastest', {
      group: foundGroup(group),
      rows: [...ranked.map(rowOf), ...faster.map((outcome) => aheadRow(outcome, kindIn))],
      against: runnerUp === null ? null : seriesLabel(runnerUp.cell),
      ratio: withoutTarget(ratio),
      verdict,
      why,
      numbers: { compared: compared.size, contrasts },
      names: referenceOf(measured),
      measure: measureFacts(ranked[0]),
    }),
  ];
}

/** @param {MeasuredOutcome} outcome   of another kind than the ranked rows, with a better estimate @param {KindIn} kindIn @returns {FoundRow} */
function aheadRow(outcome, kindIn) {
  const { cell } = outcome;
  return { ...foundRow(outcome), kind: kindIn(cell), names: { transport: transportLabel(cell) } };
}

/** @param {readonly MeasuredOutcome[]} measured @returns {{ reference?: string }} the row of the ratios, if there are any */
export function referenceOf(measured) {
  const to = measured.find(({ ratio }) => ratio !== null)?.ratio?.to;
  return to === undefined ? {} : { reference: to };
}

/** @param {readonly Outcome[]} outcomes @returns {string | null} the reference of their ratios, null if no other row has one */
export function findReference(outcomes) {
  const other = outcomes
    .filter(isMeasured)
    .find(({ ratio, cell }) => ratio !== null && ratio.to !== seriesLabel(cell));
  return other?.ratio?.to ?? null;
}

/**
 * @param {MeasuredOutcome} outcome
 * @param {MeasuredOutcome[]} measured   all rows of its group
 * @param {KindIn} kindIn
 * @returns {FoundPart[] | undefined} the ratios of its transport and of its codec, whose product is its ratio; empty if no row tells them
 *   apart, undefined if it differs from the reference in one of them or in none
 */
function partsOf({ cell, ratio }, measured, kindIn) {
  const to = ratio?.to ?? '';
  const reference = measured.find((other) => seriesLabel(other.cell) === to)?.cell ?? cell;
  if (reference.codec === cell.codec || carrierLabel(reference) === carrierLabel(cell)) return undefined;
  const compare = comparisonIn(measured, kindIn);
  const [label, sameCodec, sameCarrier] = [
    cell,
    { ...cell, codec: reference.codec },
    { ...reference, codec: cell.codec },
  ].map(seriesLabel);
  const ways = [
    [compare(sameCodec, to), compare(label, sameCodec)],
    [compare(label, sameCarrier), compare(sameCarrier, to)],
  ];
  for (const [transport, codec] of ways)
    if (transport !== null && codec !== null) return [transport, codec].map(partOf);
  return [];
}

/** @param {Compared} compared @returns {FoundPart} */
function partOf(compared) {
  const { outcome, base, ratio } = compared;
  const against = base === null ? (outcome.ratio?.to ?? '') : seriesLabel(base.cell);
  return {
    row: seriesLabel(outcome.cell),
    against,
    ratio: /** @type {FoundPart['ratio']} */ (withoutTarget(ratio)),
    numbers: sleepNumbers([compared]),
  };
}

/**
 * @param {Pick<Group, 'place' | 'cell' | 'measured'>[]} groups   of one scenario
 * @param {KindIn} kindIn
 * @param {Finding[]} [contrasts]   findings that compare some of the rows already
 * @returns {Finding[]} rows of another kind than the reference, a finding for each kind
 */
export function otherKindFindings(groups, kindIn, contrasts = []) {
  const isSaid = new Set(
    contrasts
      .filter(({ names }) => names.differsIn === 'codec')
      .flatMap(({ rows }) => rows.map(({ row }) => row)),
  );
  const others = groups.flatMap((group) =>
    comparedIn(group.measured, kindIn)
      .filter(({ kind, outcome }) => kind !== '' && !isSaid.has(seriesLabel(outcome.cell)))
      .map((compared) => ({ compared, place: group.place })),
  );
  const hasRanking = groups.some(({ measured }) =>
    comparedIn(measured, kindIn).some(({ kind }) => kind === ''),
  );
  return [...groupedBy(others, ({ compared }) => compared.kind)].map(([kind, some]) =>
    makeFinding('other-kind', {
      group: groups.length === 1 ? foundGroup(groups[0]) : null,
      rows: some.map(({ compared, place }) => ({
        ...foundComparison(compared),
        ...(groups.length > 1 && { place }),
      })),
      against: some[0].compared.outcome.ratio?.to ?? null,
      verdict: some[0].compared.verdict,
      why: some[0].compared.why,
      names: { kind, ...(!hasRanking && { isAlone: 'true' }) },
      measure: measureFacts(some[0].compared.outcome),
    }),
  );
}

/**
 * @param {Pick<Group, 'measured' | 'cell'>[]} groups   several, of one scenario
 * @param {KindIn} kindIn
 * @param {boolean} [isOneOfMany]   true if there are other scenarios
 * @returns {Finding[]} how often each row is the best of its table; empty if nothing was measured
 */
export function winnersFinding(groups, kindIn, isOneOfMany = false) {
  const tables = groups.flatMap(({ measured }) => {
    const leader = findLeader(measured, kindIn);
    return leader === null ? [] : [{ leader, compared: comparedIn(measured, kindIn) }];
  });
  if (tables.length === 0) return [];
  const byWinner = [...groupedBy(tables, ({ leader }) => seriesLabel(leader.ranked[0].cell)).values()].sort(
    (one, other) => clearOf(other).length - clearOf(one).length || other.length - one.length,
  );
  const all = tables.flatMap(({ leader }) => leader.ranked);
  const whys = tables.map(({ leader }) => leader.why);
  const isOneReason = new Set(whys.map((why) => JSON.stringify(why))).size === 1;
  const values = all.map((outcome) => readHeadline(outcome).estimate);
  return [
    makeFinding('winners', {
      rows: [
        ...byWinner.map(winnerRow),
        ...tables.flatMap(({ leader }) => leader.faster.map((outcome) => aheadRow(outcome, kindIn))),
      ],
      verdict: clearOf(byWinner[0]).length === groups.length ? 'better' : 'unclear',
      why: isOneReason ? whys[0] : null,
      numbers: {
        groups: groups.length,
        series: new Set(all.map(({ cell }) => seriesLabel(cell))).size,
        least: Math.min(...values),
        greatest: Math.max(...values),
      },
      names: {
        scenario: groups[0].cell.scenario,
        tables: tablesAxis(groups),
        ...(isOneOfMany && { isOneOfMany: 'true' }),
        ...referenceOf(tables.flatMap(({ leader }) => leader.ranked)),
      },
      measure: measureFacts(all[0]),
    }),
  ];
}

/** @typedef {{ leader: Leader, compared: Compared[] }} Led */

/** @param {Led[]} won @returns {Led[]} */
const clearOf = (won) =>
  won.filter(({ leader: { verdict, runnerUp } }) => verdict === 'better' || runnerUp === null);

/** @param {Led[]} won   tables with the same best row @returns {FoundRow} with the range of its ratios where it is clearly the best */
function winnerRow(won) {
  const [{ leader }] = won;
  const [first] = leader.ranked;
  const proven = won.filter((table) => table.leader.verdict === 'better');
  const compared = proven.flatMap((table) =>
    table.compared.filter(({ outcome }) => outcome === table.leader.ranked[0]),
  );
  const ratios = compared.map(({ ratio }) => ratio.estimate);
  return {
    row: seriesLabel(first.cell),
    numbers: {
      groups: won.length,
      clear: clearOf(won).length,
      proven: proven.length,
      ...(ratios.length > 0 && { leastRatio: Math.min(...ratios), greatestRatio: Math.max(...ratios) }),
      ...sleepNumbers(compared),
    },
  };
}

/** @param {Pick<Group, 'cell'>[]} groups @returns {string} name of the only axis in which they differ; '' for several axes */
function tablesAxis(groups) {
  const varying = AXES.filter(
    (axis) => axis.part !== 'series' && new Set(groups.map(({ cell }) => axis.of(cell))).size > 1,
  );
  return varying.length === 1 ? varying[0].name : '';
}
