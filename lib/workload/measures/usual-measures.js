// Measures that scenarios share, with the functions that read them from the reports of a launch.

import { ROUND_TRIP, usualFacts } from '../../cell/headline.js';
import { MS_PER_S, US_PER_MS } from '../../format/units.js';
import { sumBy } from '../../statistics/sum.js';

/** @import { Cell, Measure, Operation, ProcessCost, RoleReport, Scenario } from '../../types/index.js' */

/**
 * @param {Pick<Scenario, 'operation' | 'measures'>} scenario
 * @param {readonly Pick<Cell, 'connections'>[]} [cells]   cells of the scenario
 * @returns {{ operation: Operation, measures: readonly Measure[] }} the headline is the first measure
 */
export function countedBy({ operation = ROUND_TRIP, measures = usualMeasures(operation) }, cells = []) {
  const isOverSeveral = cells.some(({ connections }) => connections !== undefined);
  return { operation, measures: isOverSeveral ? [...measures, MEMORY_PER_CONNECTION] : measures };
}

/** @param {readonly RoleReport[]} reports @returns {number} sum of the rates of all roles, each in its own window */
export function operationsPerSecond(reports) {
  return sumBy(reports, ({ operations, windowMs }) => ((operations ?? 0) * MS_PER_S) / windowMs);
}

/**
 * @param {readonly RoleReport[]} reports
 * @param {readonly ProcessCost[]} costs   costs in the window of the processes to count
 * @returns {number | null} CPU time in µs, or null without operations or costs
 */
export function cpuUsPerOperation(reports, costs) {
  const operations = sumBy(reports, ({ whole, ...report }) => whole?.completed ?? report.operations ?? 0);
  if (operations === 0 || costs.length === 0) return null;
  return sumBy(costs, ({ userUs, systemUs }) => userUs + systemUs) / operations;
}

/**
 * @param {Operation} operation
 * @returns {[rate: Measure, serviceTime: Measure, payload: Measure]} measures of scenarios that declare none
 */
export function usualMeasures(operation) {
  const [rate, serviceTime, payload] = usualFacts(operation).measures;
  return [
    { ...rate, read: operationsPerSecond },
    { ...serviceTime, read: (reports) => reports.flatMap(({ latency }) => latency ?? []) },
    {
      ...payload,
      read: (reports, { payloadBytes, responseBytes = payloadBytes }) =>
        ((payloadBytes + responseBytes) * operationsPerSecond(reports)) / 1e6,
    },
  ];
}

/** @param {string} name     key in the `times` of a report @param {string} title @returns {Measure} */
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

// Memory per connection, if workers have several: the growth of the resident memory of all processes while the second half of the
// connections is opened.

// Processes grow in steps of a few hundred kB. With fewer connections, such a step would be most of the value.
const FEWEST_CONNECTIONS = 64;

/** @type {Measure} */
export const MEMORY_PER_CONNECTION = {
  name: 'bytesPerConnection',
  title: 'memory/connection',
  unit: 'bytes',
  better: 'lower',
  kind: 'value',
  scale: 'linear', // it may be negative, if the garbage collector runs between the two readings
  read(reports) {
    const connections = sumBy(reports, ({ values }) => values.furtherConnections ?? 0);
    // NaN if a process cannot read its memory, since the sum of the others would be too small.
    const bytes = sumBy(reports, ({ values }) => values.grownBytes ?? Number.NaN);
    return connections < FEWEST_CONNECTIONS || Number.isNaN(bytes) ? null : bytes / connections;
  },
};

// Measures of endpoints that pause between requests.

/** Name of the times of responses without a pause. */
export const STEADY = 'steady';

/** @param {number} pauseMs @returns {string} name of the times of the first responses after the pause */
export function afterPause(pauseMs) {
  return `after${pauseMs}ms`;
}

/** @param {readonly number[]} pausesMs @returns {Measure[]} the first responses after each pause, and those without a pause */
export function idleMeasures(pausesMs) {
  const textOf = (/** @type {number} */ pauseMs) =>
    pauseMs < MS_PER_S ? `${pauseMs} ms` : `${pauseMs / MS_PER_S} s`;
  return [
    ...pausesMs.map((pauseMs) => timesNamed(afterPause(pauseMs), `time after ${textOf(pauseMs)}`)),
    timesNamed(STEADY, 'without a pause'),
  ];
}

// Further measures of queues.

/** @param {readonly RoleReport[]} reports @returns {RoleReport} */
function findProducer(reports) {
  return /** @type {RoleReport} */ (reports.find(({ operations }) => operations !== null));
}

/** @type {Measure['read']} jobs of the busiest worker divided by the fair share */
export function busiestShare(reports, { workers }) {
  const { values, operations } = findProducer(reports);
  return operations === 0 ? null : (values.busiest * workers) / Number(operations);
}

/**
 * @param {Pick<Measure, 'title' | 'unit'> & { name: 'lost' | 'doneTwice' | 'offeredAgain' | 'recoveryTime' }} words
 * @returns {Measure} a measure of the jobs of killed workers; null if the launch has no such value
 */
export function ofOutage(words) {
  return {
    ...words,
    better: 'lower',
    kind: 'value',
    read(reports) {
      const { values } = findProducer(reports);
      const found = words.name === 'recoveryTime' ? values.recoveredMs * US_PER_MS : values[words.name];
      return Number.isFinite(found) ? found : null;
    },
  };
}
