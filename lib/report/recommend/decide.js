// Chooses the row to recommend: first by the needs, then by the limits of response time and blocking, then by the verdicts of the table, or
// under open load by CPU time. A row is recommended only if the table ranks it and no other row that meets the requirements is proven
// better.

import { axesIn } from '../../cell/axes.js';
import { rankingScore } from '../../cell/headline.js';
import { unmetNeed } from '../../cell/needs.js';
import { groupedBy } from '../../format/lists.js';
import { US_PER_MS } from '../../format/units.js';
import { isDisturbed } from '../../results/cell-flags.js';
import { isMeasured } from '../../results/measured-outcomes.js';
import { readLongestBlock } from '../findings/blocking-findings.js';
import { isOpen, measuredGroups, rateOf } from '../findings/groups.js';
import { judgeResponseTime } from '../findings/response-times.js';
import { judgeIn, notRankedReason } from '../findings/row-verdicts.js';
import { carriesTextsOfObjects } from '../text/message-words.js';
import { cellName } from '../text/names.js';
import { compareCpu, readCpuUs } from './cpu-cost.js';

/** @import { Answer, Cell, Estimate, Kept, KnownTraits, MeasuredOutcome, Reason, Recommendation } from '../../types/index.js' */
/** @import { RecommendedRow, Results, Slo } from '../../types/index.js' */
/** @typedef {{ heading: string, cell: Cell, measured: MeasuredOutcome[] }} Spot */
/** @typedef {{ needs: readonly string[], slo: Slo | null, maxBlockMs?: number | null }} Requirements */

const MAX_DISTURBED = 0.5; // share of the launches
const AXES = axesIn(['scenario', 'shape', 'manner', 'payload', 'load']);
const USUAL_CODEC = 'json';
/** Code of the reason why a row exceeds the limit of --max-block. */
export const BLOCKS_LONGER = 'blocks-longer';

/**
 * @param {Results} results
 * @param {Requirements} requirements
 * @param {(cell: Cell) => KnownTraits} traitsFor
 * @returns {Recommendation}
 */
export function recommendFrom(results, requirements, traitsFor) {
  const spots = measuredGroups(results).flatMap(spotsOf);
  const sizes = new Set(spots.map(({ cell }) => cell.payloadBytes));
  const axis = sizes.size > 1 ? 'payloadBytes' : 'ratePerSecond';
  /** @param {MeasuredOutcome} outcome */
  const toRow = (outcome) => makeRow(outcome, results, requirements, traitsFor);
  const chains = [...groupedBy(spots, ({ cell }) => questionKey(cell, axis)).values()].map((chain) =>
    answersAlong(
      chain.toSorted((one, other) => (one.cell[axis] ?? 0) - (other.cell[axis] ?? 0)),
      toRow,
    ),
  );
  const rows = results.outcomes.filter(isMeasured).map(toRow);
  const lacking = groupedBy(
    rows.filter(({ lack }) => lack !== null),
    ({ lack }) => String(lack),
  );
  const leftOut = [...lacking].map(([why, some]) => ({
    why,
    names: [...new Set(some.map(({ name }) => name))],
  }));
  return { chains, axis, leftOut };
}

/**
 * @param {import('../findings/groups.js').RowGroup} group
 * @returns {Spot[]} one for closed loops, and one for each rate of open load
 */
function spotsOf({ heading, cell, measured }) {
  if (!isOpen({ cell })) return [{ heading, cell, measured }];
  return [...groupedBy(measured, rateOf).values()].map((rows) => ({
    heading,
    cell: rows[0].cell,
    measured: rows,
  }));
}

/**
 * @param {Cell} cell
 * @param {Recommendation['axis']} axis
 * @returns {string} a key that is equal for cells that differ only in this axis, transport, codec or runtime
 */
function questionKey(cell, axis) {
  return JSON.stringify(AXES.filter(({ keys }) => !keys.includes(axis)).map(({ of }) => of(cell)));
}

/**
 * @param {MeasuredOutcome} outcome
 * @param {Results} results
 * @param {Requirements} requirements
 * @param {(cell: Cell) => KnownTraits} traitsFor
 * @returns {RecommendedRow}
 */
function makeRow(outcome, results, { needs, slo, maxBlockMs = null }, traitsFor) {
  const { cell } = outcome;
  const traits = traitsFor(cell);
  const block = findLongestBlock(outcome);
  const response = isOpen(outcome) ? judgeResponseTime(outcome, slo) : KEPT;
  const kept = worseOf(response, judgeBlock(block, maxBlockMs));
  const unclear = kept.verdict === 'unclear' ? kept.why : null;
  const isUnknown = isOpen(outcome) && !outcome.launches.every((launch) => readCpuUs(launch) > 0);
  return {
    name: cellName(cell),
    outcome,
    traits,
    lack:
      unmetNeed(traits, needs) ??
      (carriesTextsOfObjects(results, cell) ? 'carries the text of an object without parsing it' : null) ??
      (maxBlockMs !== null && block === null ? 'its longest block of an event loop is unknown' : null),
    kept,
    block,
    doubt: notRankedReason(outcome) ?? unclear ?? (isUnknown ? { code: 'cpu-unknown' } : null),
  };
}

/** @type {Kept} */
const KEPT = Object.freeze({ verdict: 'yes', number: null, why: null });

/**
 * @param {MeasuredOutcome} outcome
 * @returns {Estimate | null} µs, of the end that is blocked for longer; null if that of the master is unknown
 */
function findLongestBlock(outcome) {
  const [master, worker] = [readLongestBlock(outcome, 'master'), readLongestBlock(outcome, 'worker')];
  // Some workers, such as the threads of a pool, do not report how long they block.
  if (master === null || worker === null) return master;
  return worker.estimate > master.estimate ? worker : master;
}

/** @param {Estimate | null} block   µs @param {number | null} maxMs @returns {Kept} */
function judgeBlock(block, maxMs) {
  if (block === null || maxMs === null || block.high <= maxMs * US_PER_MS) return KEPT;
  const isLonger = block.low > maxMs * US_PER_MS;
  return isLonger
    ? { ...KEPT, verdict: 'no', why: { code: BLOCKS_LONGER } }
    : { ...KEPT, verdict: 'unclear', why: { code: 'limit-in-interval' } };
}

/** @param {Kept} response @param {Kept} block @returns {Kept} the worse verdict, always with the number of `response` */
function worseOf(response, block) {
  const isWorse = response.verdict === 'yes' || (response.verdict === 'unclear' && block.verdict === 'no');
  return isWorse && block.verdict !== 'yes' ? { ...block, number: response.number } : response;
}

/** @param {Spot[]} spots   by ascending payload or rate @param {(outcome: MeasuredOutcome) => RecommendedRow} toRow @returns {Answer[]} */
function answersAlong(spots, toRow) {
  /** @type {RecommendedRow | null} */
  let previous = null;
  return spots.map((spot) => {
    const answer = answerAt(spot, spot.measured.map(toRow), previous);
    previous = answer.choice ?? previous;
    return answer;
  });
}

/**
 * Unless there is a reason for no choice, keeps the previous one as long as it meets the requirements and no other row is proven better. If
 * the previous one permits no conclusion, only a row that is proven better replaces it; without one there is no choice.
 * @param {Spot} spot
 * @param {RecommendedRow[]} rows
 * @param {RecommendedRow | null} previous
 * @returns {Answer}
 */
function answerAt({ heading, cell, measured }, rows, previous) {
  const fitting = rows.filter(({ lack }) => lack === null);
  const able = fitting.filter(({ kept }) => kept.verdict !== 'no');
  const cpu = compareCpu(measured);
  const judge = isOpen({ cell }) ? cpu.judge : judgeIn(measured);
  /** @param {RecommendedRow} row */
  const scoreOf = ({ outcome }) =>
    isOpen({ cell }) ? -(cpu.usOf(outcome)?.estimate ?? Infinity) : rankingScore(outcome);
  const sorted = able.toSorted((one, other) => scoreOf(other) - scoreOf(one));
  const ranked = sorted.filter(({ doubt }) => doubt === null);
  /** @type {Answer} */
  const answer = {
    heading,
    cell,
    choice: null,
    previous,
    why: null,
    isInconclusive: able.length > 0,
    ranked,
    doubtful: sorted.filter(({ doubt }) => doubt !== null),
    sorted,
    comparisons: Math.max(1, measured.length - 1),
    broken: fitting.filter(({ kept }) => kept.verdict === 'no'),
    judge: (first, second) => judge(first.outcome, second.outcome),
  };
  const why = whyNoChoice(answer, able);
  if (why !== null) return { ...answer, why };
  const { leaders, why: whyNone } = findLeaders(answer, able);
  if (leaders.length === 0) return { ...answer, why: whyNone };
  const before = able.find(({ name }) => name === previous?.name);
  if (before !== undefined && leaders.includes(before)) return { ...answer, choice: before };
  const overtaking = leaders.filter(
    (row) => before && judge(row.outcome, before.outcome).verdict === 'better',
  );
  if (before !== undefined && before.doubt !== null && overtaking.length === 0)
    return { ...answer, why: { code: 'choice-unranked', row: before.name } };
  return { ...answer, choice: choose(overtaking.length > 0 ? overtaking : leaders, answer) };
}

/** @param {Answer} answer @param {RecommendedRow[]} able @returns {Reason | null} why no row may be chosen; null if one may */
function whyNoChoice({ ranked, broken }, able) {
  if (able.length === 0)
    return { code: broken.length === 0 ? 'no-row-meets-needs' : 'no-row-meets-requirements' };
  const launches = able.flatMap(({ outcome }) => outcome.launches);
  if (launches.filter(isDisturbed).length > MAX_DISTURBED * launches.length)
    return { code: 'mostly-disturbed' };
  return ranked.length > able.length / 2 ? null : { code: 'mostly-unranked' };
}

/**
 * @param {Answer} answer
 * @param {RecommendedRow[]} able
 * @returns {{ leaders: RecommendedRow[], why: Reason | null }} leaders: no other row is proven better; why: the reason for an empty list
 */
function findLeaders({ ranked, judge }, able) {
  const candidates = able.filter(({ kept }) => kept.verdict === 'yes');
  /** @param {RecommendedRow} row */
  const betterThan = (row) =>
    candidates.find((other) => other !== row && judge(other, row).verdict === 'better');
  const leaders = ranked.filter((row) => betterThan(row) === undefined);
  const better = leaders.length > 0 ? undefined : betterThan(ranked[0]);
  return { leaders, why: better?.doubt ? { ...better.doubt, row: better.name } : null };
}

/** @param {RecommendedRow[]} leaders   the best estimate first @param {Answer} answer @returns {RecommendedRow} */
function choose(leaders, { ranked, judge }) {
  const best = leaders.find((row) =>
    ranked.every((other) => other === row || judge(row, other).verdict === 'better'),
  );
  return best ?? simplestFirst(leaders)[0];
}

/** Properties that make a row less simple, the most important first. @type {readonly ((row: RecommendedRow) => number)[]} */
const BURDENS = [
  ({ traits }) => Number((traits.broker ?? null) !== null),
  ({ traits }) => traits.packages?.length ?? 0,
  ({ outcome: { cell } }) => Object.keys(cell.settings).length,
  ({ outcome: { cell } }) => Number(cell.codec !== USUAL_CODEC),
  ({ traits }) => Number(traits.usesForkHandles !== true),
];

/** @param {readonly RecommendedRow[]} rows @returns {RecommendedRow[]} the simplest first, equally simple ones in their order */
export function simplestFirst(rows) {
  return rows.toSorted((one, other) => {
    const burden = BURDENS.find((of) => of(one) !== of(other));
    return burden === undefined ? 0 : burden(one) - burden(other);
  });
}

/** @param {RecommendedRow} row @returns {boolean} true if it is known to need no broker and no package, and its codec is JSON */
export function isBuiltIn({ traits, outcome: { cell } }) {
  // A transport that declares its platforms declares its packages too; those of other transports are unknown.
  const isKnown = traits.platforms !== undefined;
  return isKnown && traits.broker === null && !traits.packages?.length && cell.codec === USUAL_CODEC;
}
