// Coverage of the intervals of tables and their false claims, over many simulated tables and by the code that estimates real ones.

import { lengthOptions } from '../../lib/options/load-options.js';
import { judgeRatio, stopDecision } from '../../lib/run/stop-rule.js';
import { computeDifference, fitLogModel, makeEstimate } from '../../lib/statistics/log-model.js';
import { claimDirection } from '../../lib/statistics/verdict.js';
import { noiseFrom } from '../fixtures/noise.js';
import { simulatedTables } from './noisy-host.js';

/** @import { Host } from './noisy-host.js' */
/** @typedef {{ seed: number, times: number }} Effort */
/** @typedef {Parameters<typeof simulatedTables>[2]} Run */

/** @typedef {import('../../lib/results/launch-model.js').ComparedEstimate} Ratio */

/** The rule of --launches auto, and the time of a group of nine rows. */
const AUTO = lengthOptions(() => undefined);
const GROUP_MS = 6_000; // short, so that the rule ends each run and not the time

/**
 * @param {Effort} effort
 * @param {Host} host
 * @param {Run & { isAuto?: boolean }} run   isAuto: it ends by the rule of --launches auto, after `launches` at the most
 * @returns {Ratio[][]} of each table, the ratios to its first row
 */
function ratiosOf({ seed, times }, host, run) {
  return Array.from({ length: times }, (_, time) => {
    const tableAfter = simulatedTables(host, seed + 1_000_003 * time, run);
    if (!run.isAuto) return ratiosIn(tableAfter(run.launches));
    for (let repetitions = AUTO.launches; ; repetitions += 1) {
      const ratios = ratiosIn(tableAfter(repetitions));
      const progress = { repetitions, leastRepetitions: AUTO.launches, elapsedMs: GROUP_MS * repetitions };
      const stop = /** @type {NonNullable<typeof AUTO.stop>} */ (AUTO.stop);
      if (stopDecision(stop, { ...progress, known: ratios.map(judgeRatio) }).endedBy !== null) return ratios;
    }
  });
}

/** @param {import('./noisy-host.js').SimulatedTable} after @returns {Ratio[]} of the rows that have one */
function ratiosIn({ table, expected }) {
  const isUsed = table.map(({ size }) => size > 0);
  if (!isUsed[0]) return [];
  const used = table.filter((_, row) => isUsed[row]);
  const model = fitLogModel(
    used,
    expected?.filter((_, row) => isUsed[row]),
  );
  return used.slice(1).flatMap((_row, index) => {
    const compared = computeDifference(model, index + 1, 0);
    if (compared === null) return [];
    const { contrast, n } = compared;
    return makeEstimate(contrast, n, expected === null ? undefined : 1, used.length - 1);
  });
}

/**
 * @param {Effort} effort @param {Host} host @param {Run & { isAuto?: boolean }} run
 * @returns {{ mean: number, loudest: number, width: number, launches: number }} shares of intervals that contain 1, of all rows and of the
 *   loudest, the typical half-width, and the mean number of launches
 */
export function coverageOf(effort, host, run) {
  const tables = ratiosOf(effort, host, run);
  const shares = run.rows.slice(1).map((_, index) => {
    const known = tables.map((ratios) => ratios[index]).filter(({ level }) => level !== null);
    return known.filter(({ low, high }) => low <= 1 && 1 <= high).length / known.length;
  });
  const widths = tables
    .flat()
    .map(({ low, high, level }) => (level === null ? Infinity : Math.sqrt(high / low) - 1));
  const typical = widths.toSorted((left, right) => left - right)[widths.length >> 1];
  return {
    mean: shares.reduce((sum, share) => sum + share) / shares.length,
    loudest: shares[shares.length - 1],
    width: typical,
    launches: tables.reduce((sum, [{ n }]) => sum + n, 0) / tables.length,
  };
}

/** @param {Ratio} ratio */
function isClaim(ratio) {
  return ratio.level !== null && claimDirection(ratio) !== 0;
}

/** @param {Effort} effort @param {Host} host @param {Run & { isAuto?: boolean }} run   of equal rows @returns {number} the share of tables that claim any difference */
export function claimsIn(effort, host, run) {
  const tables = ratiosOf(effort, host, run);
  return tables.filter((ratios) => ratios.some(isClaim)).length / tables.length;
}

/**
 * @typedef {'whole' | 'failed' | 'ended'} Ending   "failed": one launch has no result; "ended": the last repetition lacks some of its groups,
 *   or the only one all groups but one
 */

/**
 * @param {Effort} effort
 * @param {Host} host
 * @param {Run & { parts: number }} run
 * @param {Ending} ending
 * @returns {{ coverage: number, claims: number }} the share of printed intervals that contain 1, and that of tables with a claim; NaN if no
 *   interval was printed
 */
export function coverageInParts({ seed, times }, host, run, ending) {
  const random = noiseFrom(seed);
  const tables = Array.from({ length: times }, (_, time) => {
    const groups = run.launches * run.parts;
    const tableAfter = simulatedTables(host, seed + 1_000_003 * time, run);
    const whole = tableAfter(run.launches);
    const launches = whole.table.flatMap((own, row) => [...own.keys()].map((group) => `${row} ${group}`));
    const failed = launches[Math.floor(random.uniform(0, launches.length))];
    const left = groups - Math.floor(random.uniform(1, run.parts));
    const isLaunched = {
      whole: () => true,
      failed: (/** @type {number} */ row, /** @type {number} */ group) => `${row} ${group}` !== failed,
      ended: (/** @type {number} */ _row, /** @type {number} */ group) => group < left,
    }[ending];
    return ratiosIn(tableAfter(run.launches, isLaunched)).filter(({ level }) => level !== null);
  });
  const printed = tables.flat();
  return {
    coverage: printed.filter(({ low, high }) => low <= 1 && 1 <= high).length / printed.length,
    claims: tables.filter((ratios) => ratios.some(isClaim)).length / times,
  };
}
