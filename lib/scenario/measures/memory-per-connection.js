// What a connection costs in memory, where a worker has several: how much the resident memory of all processes of a launch
// grew while the second half of the connections was made.

import { sumBy } from '../../statistics/sum.js';

/** @import { EndpointReport, Measure } from '../../types/index.js' */

// Processes grow in steps of some hundred kB: shared among fewer, that would be most of what is told.
const FEWEST_CONNECTIONS = 64;

/** @type {Measure} */
export const MEMORY_PER_CONNECTION = {
  name: 'bytesPerConnection',
  title: 'memory/connection',
  unit: 'bytes',
  // Resident memory shrinks where the garbage collector runs between the two readings.
  better: 'lower',
  kind: 'value',
  scale: 'linear',
  read(reports) {
    const connections = sumBy(reports, ({ values }) => values.furtherConnections ?? 0);
    // A process that cannot tell makes it NaN: the rest would look like less memory.
    const bytes = sumBy(reports, ({ values }) => values.grownBytes ?? Number.NaN);
    return connections < FEWEST_CONNECTIONS || Number.isNaN(bytes) ? null : bytes / connections;
  },
};

/**
 * @param {EndpointReport} report
 * @param {Record<string, number>} values   to tell besides its own
 * @returns {EndpointReport}
 */
export function withValues(report, values) {
  return { ...report, values: { ...report.values, ...values } };
}
