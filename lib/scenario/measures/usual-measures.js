// The measures that scenarios share, each with how it is read from what the roles of a launch handed in. A scenario may
// declare others of its own in the same form.

import { payloadRate, ROUND_TRIP, usualFacts } from '../../cell/headline.js';
import { MS_PER_S } from '../../format/units.js';
import { sumBy } from '../../statistics/sum.js';
import { MEMORY_PER_CONNECTION } from './memory-per-connection.js';

/** @import { Cell, Measure, Operation, ProcessCost, RoleReport, Scenario } from '../../types/index.js' */

/**
 * @param {Pick<Scenario, 'operation' | 'measures'>} scenario
 * @param {readonly Pick<Cell, 'connections'>[]} [cells]   it is asked with
 * @returns {{ operation: Operation, measures: readonly Measure[] }} what it counts and measures, the headline first
 */
export function countedBy({ operation = ROUND_TRIP, measures = usualMeasures(operation) }, cells = []) {
  const isOverSeveral = cells.some(({ connections }) => connections !== undefined);
  return { operation, measures: isOverSeveral ? [...measures, MEMORY_PER_CONNECTION] : measures };
}

/** @param {readonly RoleReport[]} reports @returns {number} each role's rate over its own window: two may be some µs apart */
export function operationsPerSecond(reports) {
  return sumBy(reports, ({ operations, windowMs }) => ((operations ?? 0) * MS_PER_S) / windowMs);
}

/**
 * @param {readonly RoleReport[]} reports
 * @param {readonly ProcessCost[]} costs   of the processes that are meant, in the window
 * @returns {number | null} µs of CPU time; null: nothing ended, or the system does not tell
 */
export function cpuUsPerOperation(reports, costs) {
  const operations = sumBy(reports, (report) => report.operations ?? 0);
  if (operations === 0 || costs.length === 0) return null;
  return sumBy(costs, ({ userUs, systemUs }) => userUs + systemUs) / operations;
}

/**
 * @param {Operation} operation
 * @returns {[rate: Measure, serviceTime: Measure, payload: Measure]} of loops that ask and wait; those of a scenario that
 *   declares none
 */
export function usualMeasures(operation) {
  const [rate, serviceTime, payload] = usualFacts(operation).measures;
  return [
    { ...rate, read: operationsPerSecond },
    { ...serviceTime, read: (reports) => reports.flatMap(({ latency }) => latency ?? []) },
    {
      ...payload,
      read: (reports, { payloadBytes }) => payloadRate(payloadBytes, operationsPerSecond(reports)),
    },
  ];
}

/** @param {string} name     under which an endpoint reports them in its `times` @param {string} title @returns {Measure} */
export function timesNamed(name, title) {
  return {
    name,
    title,
    unit: 'µs',
    better: 'lower',
    kind: 'times',
    read: (reports) => reports.flatMap(({ times }) => times[name] ?? []),
  };
}
