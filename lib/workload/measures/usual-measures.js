// Measures that scenarios share, with the functions that read them from the reports of a launch.

import { ROUND_TRIP, usualFacts } from '../../cell/headline.js';
import { MS_PER_S, US_PER_MS } from '../../format/units.js';
import { sum, sumBy } from '../../statistics/sum.js';

/** @import { Cell, Measure, Operation, ProcessCost, RoleReport, Scenario } from '../../types/index.js' */

/**
 * @param {Pick<Scenario, 'operation' | 'measures'>} scenario
 * @param {readonly Pick<Cell, 'connections'>[]} [cells]   cells of the scenario
 * @returns {{ operation: Operation, measures: readonly Measure[] }} the headline is the first measure
 */
export function countedBy({ operation = ROUND_TRIP, measures = usualMeasures(operation) }, cells = []) {
  const isOverSeveral = cells.some(({ connections }) => connections !== undefined);
  const ofAll = [
    ...MAIN_THREAD_MEASURES,
    ...WORKER_THREAD_MEASURES,
    ...(isOverSeveral ? [MEMORY_PER_CONNECTION] : []),
  ];
  // A scenario may declare a measure itself, for another place among the columns.
  const others = ofAll.filter(({ name }) => measures.every((measure) => measure.name !== name));
  return { operation, measures: [...measures, ...others] };
}

/** @param {readonly RoleReport[]} reports @returns {number} sum of the rates of all roles, each in its own window */
export function operationsPerSecond(reports) {
  return sumBy(reports, ({ operations, windowMs }) => ((operations ?? 0) * MS_PER_S) / windowMs);
}

/**
 * @param {readonly RoleReport[]} reports
 * @param {readonly ProcessCost[]} costs   costs of the processes to count, in the window
 * @returns {number | null} CPU time in µs, or null without operations or costs
 */
export function cpuUsPerOperation(reports, costs) {
  return perOperation(
    reports,
    costs.map(({ userUs, systemUs }) => userUs + systemUs),
  );
}

/**
 * @param {readonly RoleReport[]} reports
 * @param {number[]} us   CPU time of each process
 * @returns {number | null} µs per operation; null without operations or times
 */
function perOperation(reports, us) {
  const operations = sumBy(reports, ({ whole, ...report }) => whole?.completed ?? report.operations ?? 0);
  return operations === 0 || us.length === 0 ? null : sum(us) / operations;
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

// How each end uses its main thread: CPU time and blocking. If workers are threads, the thread of a worker counts as its main thread.

/** @typedef {'master' | 'worker'} EndName */

/** @param {EndName} end @returns {Measure['read']} CPU time of the main threads per operation */
function mainCpuReader(end) {
  return (reports, _cell, costs) => {
    // If workers are threads, the cost of the master is that of its main thread.
    const areThreads = costs.some(({ partOf }) => partOf !== undefined);
    const own = costs
      .filter(({ role }) => role === end)
      .map((cost) => (areThreads ? cost.userUs + cost.systemUs : mainThreadUs(cost)));
    return perOperation(reports, own.includes(null) ? [] : /** @type {number[]} */ (own));
  };
}

/** @param {ProcessCost} cost   of a process @returns {number | null} CPU time of its main thread; null if unknown */
function mainThreadUs({ userUs, systemUs, share, mainShare }) {
  if (mainShare === undefined) return null;
  return share === 0 ? 0 : ((userUs + systemUs) * mainShare) / share;
}

/** @param {EndName} end @param {string} name @returns {Measure['read']} the greatest value of the processes; null if one has none */
function greatestValueReader(end, name) {
  return (reports) => {
    const own = reports.filter(({ role }) => role === end);
    const greatest = Math.max(...own.map(({ values }) => values[name] ?? Number.NaN));
    return Number.isFinite(greatest) ? greatest : null;
  };
}

/** @param {Pick<Measure, 'name' | 'title' | 'read'>} own @returns {Measure} */
const blockingMeasure = (own) => ({ ...own, unit: 'µs', better: 'lower', kind: 'value', column: 'blocking' });

/** Measures of the master's main thread. `monitors/blocking.js` explains the second and the third one. */
export const MAIN_THREAD_MEASURES = Object.freeze([
  blockingMeasure({ name: 'mainCpu', title: 'main CPU', read: mainCpuReader('master') }),
  blockingMeasure({
    name: 'longestBlock',
    title: 'longest block',
    read: greatestValueReader('master', 'longestBlockUs'),
  }),
  blockingMeasure({
    name: 'timerDelay',
    title: 'timer p99',
    read: greatestValueReader('master', 'timerDelayUs'),
  }),
]);

const WORKER_THREAD_MEASURES = Object.freeze([
  blockingMeasure({ name: 'workerMainCpu', title: 'worker main CPU', read: mainCpuReader('worker') }),
  blockingMeasure({
    name: 'workerLongestBlock',
    title: 'worker longest block',
    read: greatestValueReader('worker', 'longestBlockUs'),
  }),
  blockingMeasure({
    name: 'workerTimerDelay',
    title: 'worker timer p99',
    read: greatestValueReader('worker', 'timerDelayUs'),
  }),
]);

// Memory per connection, if workers have several: the growth of the resident memory of all processes while the second half of the
// connections is opened.

// Processes grow in steps of a few hundred kB. With fewer connections, such a step would be most of the value.
const MIN_CONNECTIONS = 64;

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
    return connections < MIN_CONNECTIONS || Number.isNaN(bytes) ? null : bytes / connections;
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
  /** @param {number} pauseMs */
  const textOf = (pauseMs) => (pauseMs < MS_PER_S ? `${pauseMs} ms` : `${pauseMs / MS_PER_S} s`);
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
 * @returns {Measure} a measure of the jobs of killed workers, which reads null if the launch has no such value
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
