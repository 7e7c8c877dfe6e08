// What the intervals and the claims of a table are worth, counted over many simulated tables by the code that estimates real ones.

import { differenceOf, estimateOf, fitLogModel, intervalOf } from '../../lib/statistics/log-model.js';
import { claimDirection } from '../../lib/statistics/verdict.js';
import { simulatedTable } from './noisy-host.js';

/** @import { Host } from './noisy-host.js' */
/** @typedef {{ seed: number, times: number }} Effort */
/** @typedef {Parameters<typeof simulatedTable>[2]} Run */

/**
 * @param {Effort} effort
 * @param {Host} host
 * @param {Run} run
 * @returns {(import('../../lib/results/launch-model.js').ComparedEstimate)[][]} of each table, the ratios to its first row
 */
function ratiosOf({ seed, times }, host, run) {
  const comparisons = run.rows.length - 1;
  return Array.from({ length: times }, (_, time) => {
    const { table, expected } = simulatedTable(host, seed + 1_000_003 * time, run);
    const model = fitLogModel(table, expected);
    return run.rows.slice(1).map((_row, place) => {
      const compared = differenceOf(model, place + 1, 0);
      if (compared === null) throw new Error('all rows share all blocks');
      const { contrast, n } = compared;
      return {
        ...estimateOf(contrast, n, expected === null ? undefined : 1),
        simultaneous: intervalOf(contrast, comparisons),
      };
    });
  });
}

/**
 * @param {Effort} effort @param {Host} host @param {Run} run
 * @returns {{ mean: number, loudest: number, width: number }} shares of intervals that contain 1, of all rows and of the loudest, and
 *   the typical half-width
 */
export function coverageOf(effort, host, run) {
  const tables = ratiosOf(effort, host, run);
  const shares = run.rows.slice(1).map((_, place) => {
    const hits = tables.filter((ratios) => ratios[place].low <= 1 && 1 <= ratios[place].high);
    return hits.length / tables.length;
  });
  const widths = tables.flatMap((ratios) => ratios.map(({ low, high }) => Math.sqrt(high / low) - 1));
  const typical = widths.toSorted((left, right) => left - right)[widths.length >> 1];
  return {
    mean: shares.reduce((sum, share) => sum + share) / shares.length,
    loudest: shares[shares.length - 1],
    width: typical,
  };
}

/** @param {Effort} effort @param {Host} host @param {Run} run   of equal rows @returns {number} the share of tables that claim any difference */
export function claimsIn(effort, host, run) {
  const tables = ratiosOf(effort, host, run);
  return (
    tables.filter((ratios) => ratios.some((ratio) => claimDirection(ratio) !== 0)).length / tables.length
  );
}
