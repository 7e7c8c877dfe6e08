// Groups in which the code of one row blocks an event loop for much longer at a time than the code of another row.

import { commonOperation } from '../../cell/headline.js';
import { KIB, US_PER_MS } from '../../format/units.js';
import { foundGroup, foundRow, makeFinding } from './finding.js';

/** @import { Estimate, Finding, MeasuredOutcome } from '../../types/index.js' */
/** @import { ReportFacts } from './report-facts.js' */
/** @import { RowGroup } from './groups.js' */
/** @typedef {'master' | 'worker'} End */
/** @typedef {{ outcome: MeasuredOutcome, block: Estimate }} BlockingRow   block: µs */

const ENDS = /** @type {const} */ (['master', 'worker']);
const MIN_US = 5 * US_PER_MS; // shorter blocks hardly matter to a program
/** From this payload on, a message blocks an event loop for milliseconds, so reports show the measures of blocking by default. */
export const LONG_PAYLOAD_BYTES = 64 * KIB;
const MIN_RATIO = 2; // of the longest block to the shortest one

/**
 * @param {MeasuredOutcome} outcome
 * @param {End} end
 * @returns {Estimate | null} the longest time, in µs, for which code of this end blocks its event loop; null if it was not measured
 */
export function readLongestBlock(outcome, end) {
  return readValue(outcome, end === 'master' ? 'longestBlock' : 'workerLongestBlock');
}

/** @param {MeasuredOutcome} outcome @param {string} name @returns {Estimate | null} */
function readValue({ measures }, name) {
  const measure = measures[name];
  return measure?.kind === 'value' ? measure : null;
}

/**
 * @param {BlockingRow} row
 * @param {End} end
 * @returns {{ operations?: number }} the longest block in operations of mean CPU time; empty if unknown
 */
function inOperations({ outcome, block }, end) {
  const cpu = readValue(outcome, end === 'master' ? 'mainCpu' : 'workerMainCpu');
  return cpu === null || cpu.estimate === 0 ? {} : { operations: block.estimate / cpu.estimate };
}

/** @param {ReportFacts} facts @returns {Finding[]} the longest block first */
export function blockingFindings({ closed, open }) {
  return [...closed, ...open]
    .flatMap((group) => findingOnGroup(group) ?? [])
    .toSorted((one, other) => blockOf(other) - blockOf(one));
}

/** @param {Finding} finding @returns {number} */
const blockOf = ({ rows: [first] }) => first.value?.estimate ?? 0;

/** @param {RowGroup} group @returns {Finding | null} a finding on the end with the longest block; null if the rows do not clearly differ */
function findingOnGroup(group) {
  const ends = ENDS.map((end) => ({ end, rows: longestFirst(group, end) })).filter(({ rows }) =>
    isClear(rows),
  );
  if (ends.length === 0) return null;
  const [{ end, rows }] = ends.toSorted(
    (one, other) => other.rows[0].block.estimate - one.rows[0].block.estimate,
  );
  return makeFinding('event-loop-block', {
    group: foundGroup(group),
    rows: rows.map((row) => ({ ...foundRow(row.outcome, row.block), numbers: inOperations(row, end) })),
    names: { end },
    operation: commonOperation(rows.map(({ outcome }) => outcome)),
  });
}

/** @param {RowGroup} group @param {End} end @returns {BlockingRow[]} */
function longestFirst({ measured }, end) {
  return measured
    .flatMap((outcome) => {
      const block = readLongestBlock(outcome, end);
      return block === null || block.method === 'unknown' ? [] : [{ outcome, block }];
    })
    .toSorted((one, other) => other.block.estimate - one.block.estimate);
}

/** @param {BlockingRow[]} rows   the longest block first @returns {boolean} */
function isClear(rows) {
  if (rows.length < 2) return false;
  const [longest, shortest] = [rows[0].block, rows[rows.length - 1].block];
  return (
    longest.low >= MIN_US && longest.estimate >= MIN_RATIO * shortest.estimate && longest.low > shortest.high
  );
}
