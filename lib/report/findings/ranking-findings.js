// Which row of a table is fastest, by which ratios, and how rows of another kind compare. Only rows of one kind are ranked together.

import { seriesLabel } from '../../cell/labels.js';
import { groupedBy } from '../../format/lists.js';
import { isMeasured } from '../../results/measured-outcomes.js';
import { alongFindings } from './along-findings.js';
import { carrierLabel, contrastFindings, isMixed } from './contrasts.js';
import {
  aheadRow,
  findReferenceName,
  foundComparison,
  foundGroup,
  foundRow,
  makeFinding,
  measureFacts,
  withoutTarget,
} from './finding.js';
import { formatQuestion } from './groups.js';
import { comparedIn, comparisonIn, findLeader, notRankedReason } from './row-verdicts.js';
import { winnersFinding } from './winner-findings.js';

/** @import { Finding, FoundPart, MeasuredOutcome, Outcome, Results } from '../../types/index.js' */
/** @import { ReportFacts } from './report-facts.js' */
/** @import { RowGroup } from './groups.js' */
/** @import { KindIn } from './transport-kinds.js' */
/** @import { ComparedOutcome } from './row-verdicts.js' */

/**
 * @param {ReportFacts} facts
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
      return [...fastest, ...contrasts, ...otherKindFindings(group, kindIn, contrasts)];
    }),
  ]);
}

/**
 * @param {RowGroup[]} tables   of one scenario
 * @param {Results} results
 * @param {KindIn} kindIn
 * @param {boolean} isOneOfMany
 * @returns {Finding[]} the most important first
 */
function findingsOnTables(tables, results, kindIn, isOneOfMany) {
  const along = alongFindings(tables, results, kindIn);
  const winners = winnersFinding(tables, kindIn, isOneOfMany);
  if (winners[0]?.verdict !== 'better') {
    const [first = [], ...more] = along.filter(({ verdict }) => verdict !== 'none');
    return [first, winners, more].flat();
  }
  // The finding on the winner has the places where it is better, so the other findings leave out its row.
  const [{ row: winner }] = winners[0].rows;
  const others = along.map((claim) => ({ ...claim, rows: claim.rows.filter(({ row }) => row !== winner) }));
  return [...winners, ...others.filter(({ rows }) => rows.length > 0)];
}

/**
 * @param {Pick<RowGroup, 'heading' | 'cell' | 'measured'>} group
 * @param {KindIn} kindIn
 * @param {number} [contrasts]   number of further findings that compare rows of the group
 * @returns {Finding[]} one on the best row; none if nothing was measured
 */
export function fastestFinding(group, kindIn, contrasts = 0) {
  const { measured } = group;
  const leader = findLeader(measured, kindIn);
  if (leader === null) return [];
  const { ranked, faster, runnerUp, verdict, why, ratio } = leader;
  const compared = new Map(comparedIn(measured, kindIn).map((row) => [row.outcome, row]));
  /** @param {MeasuredOutcome} outcome */
  const rowOf = (outcome) => {
    const row = compared.get(outcome);
    const found =
      row === undefined ? { ...foundRow(outcome), why: notRankedReason(outcome) } : foundComparison(row);
    const parts = row === undefined ? undefined : findParts(outcome, measured, kindIn);
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
      names: findReferenceName(measured),
      measure: measureFacts(ranked[0]),
    }),
  ];
}

/**
 * @param {readonly Outcome[]} outcomes
 * @returns {string | null} label of the row to which the others have ratios; null if no row has a ratio to another one
 */
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
 * @returns {FoundPart[] | undefined} the ratios of its transport and of its codec, whose product is its ratio; empty if no other row
 *   separates the two, undefined if it differs from the reference in one of them or in none
 */
function findParts({ cell, ratio }, measured, kindIn) {
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
    if (transport !== null && codec !== null) return [transport, codec].map(makePart);
  return [];
}

/** @param {ComparedOutcome} compared @returns {FoundPart} */
function makePart(compared) {
  const { outcome, base, ratio } = compared;
  const against = base === null ? (outcome.ratio?.to ?? '') : seriesLabel(base.cell);
  return {
    row: seriesLabel(outcome.cell),
    against,
    ratio: /** @type {FoundPart['ratio']} */ (withoutTarget(ratio)),
  };
}

/**
 * @param {Pick<RowGroup, 'heading' | 'cell' | 'measured'>} group
 * @param {KindIn} kindIn
 * @param {Finding[]} [contrasts]   findings that compare some of the rows already
 * @returns {Finding[]} rows of another kind than the reference, a finding for each kind
 */
export function otherKindFindings(group, kindIn, contrasts = []) {
  const isSaid = new Set(
    contrasts
      .filter(({ names }) => names.differsIn === 'codec')
      .flatMap(({ rows }) => rows.map(({ row }) => row)),
  );
  const compared = comparedIn(group.measured, kindIn);
  const others = compared.filter(
    ({ kind, outcome }) => kind !== '' && !isSaid.has(seriesLabel(outcome.cell)),
  );
  const hasRanking = compared.some(({ kind }) => kind === '');
  return [...groupedBy(others, ({ kind }) => kind)].map(([kind, some]) => {
    const [{ outcome, verdict, why }] = some;
    return makeFinding('other-kind', {
      group: foundGroup(group),
      rows: some.map(foundComparison),
      against: outcome.ratio?.to ?? null,
      verdict,
      why,
      names: { kind, ...(!hasRanking && { isAlone: 'true' }) },
      measure: measureFacts(outcome),
    });
  });
}
