// What a connection costs in memory, where a worker has several: how much the processes of a launch grew while the further
// ones were made, and each of them was used once.

/** @import { Measure } from '../types/measures.js' */
/** @import { HalfReport } from '../types/scenarios.js' */

// Processes grow by some MB for reasons of their own: shared among fewer, that would be most of what is told.
const FEWEST_CONNECTIONS = 64;

/** @type {Measure} */
export const MEMORY_PER_CONNECTION = {
  ...{ name: 'memoryPerConnection', title: 'memory/connection', unit: 'bytes' },
  ...{ better: 'lower', kind: 'value' },
  read(reports) {
    const sum = (/** @type {string} */ value) =>
      reports.reduce((total, { values }) => total + (values[value] ?? Number.NaN), 0);
    const connections = reports.reduce((total, { values }) => total + (values.furtherConnections ?? 0), 0);
    return connections < FEWEST_CONNECTIONS ? null : sum('grownBytes') / connections;
  },
};

/**
 * @param {HalfReport} report
 * @param {Record<string, number>} values   to tell besides its own
 * @returns {HalfReport}
 */
export function withValues(report, values) {
  return { ...report, values: { ...report.values, ...values } };
}
