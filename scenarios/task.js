// Work that the main process distributes: it keeps a number of tasks submitted, each with a payload; a worker performs the task and
// returns a result. The scenario supports pools besides transports, and `inline`, which performs tasks in the main process.

import { sumBy } from '../lib/statistics/sum.js';
import {
  cpuUsPerOperation,
  MAIN_THREAD_MEASURES,
  operationsPerSecond,
  usualMeasures,
} from '../lib/workload/measures/usual-measures.js';

/** @import { RoleReport, Scenario } from '../lib/types/index.js' */

const OPERATION = Object.freeze({ one: 'task', many: 'tasks', done: 'done' });
const [RATE, SERVICE_TIME, PAYLOAD] = usualMeasures(OPERATION);
// Without `column`, tables always show these measures.
const [mainCpu, ...blocks] = MAIN_THREAD_MEASURES.map(({ column: _column, ...measure }) => measure);

/** @param {readonly RoleReport[]} reports @returns {number | null} mean duration of the work of a task, in µs; null if unknown */
function workUsPerTask(reports) {
  const tasks = sumBy(reports, ({ values }) => values.workedTasks ?? 0);
  return tasks === 0 ? null : sumBy(reports, ({ values }) => values.workUs ?? 0) / tasks;
}

/** @param {readonly RoleReport[]} reports @param {string} name @returns {number | null} */
function ofMaster(reports, name) {
  return reports.find(({ role }) => role === 'master')?.values[name] ?? null;
}

/** @type {Scenario} */
export default {
  name: 'task',
  summary:
    'the master submits tasks, a worker does the work of each and returns a result, which the master verifies',
  operation: OPERATION,
  measures: [
    RATE,
    { ...SERVICE_TIME, title: 'time' }, // charts add 'of a task'
    {
      name: 'overheadPerTask',
      title: 'CPU overhead',
      unit: 'µs',
      better: 'lower',
      kind: 'value',
      scale: 'linear', // it may be negative, since work may take less time than in the calibration
      read(reports, _cell, costs) {
        const us = cpuUsPerOperation(reports, costs);
        return us === null ? null : us - Number(ofMaster(reports, 'plannedWorkUs'));
      },
    },
    mainCpu,
    {
      name: 'workerCpu',
      title: 'worker CPU',
      unit: 'µs',
      better: 'lower',
      kind: 'value',
      column: 'cpu',
      read: (reports, _cell, costs) =>
        cpuUsPerOperation(
          reports,
          costs.filter(({ role }) => role === 'worker'),
        ),
    },
    ...blocks,
    {
      name: 'workTime',
      title: 'work took',
      unit: 'µs',
      better: null,
      kind: 'value',
      column: 'times',
      read: workUsPerTask,
    },
    {
      ...PAYLOAD,
      read(reports, { payloadBytes, responseBytes = payloadBytes }) {
        const resultBytes = ofMaster(reports, 'resultBytes') || responseBytes;
        return ((payloadBytes + resultBytes) * operationsPerSecond(reports)) / 1e6;
      },
    },
  ],
  roundTrips: 1,
  isByTime: true,
  canPause: true,
  settings: {
    work: {
      summary: 'CPU time that each task takes in its worker',
      default: 0,
      min: 0,
      max: 1e6,
      unit: 'µs',
      isQuantity: true,
    },
    result: {
      summary: 'length of the result; 0: that of the payload, or of a recorded response',
      default: 0,
      min: 0,
      max: 1e9,
      unit: 'bytes',
    },
    data: {
      summary:
        'what payloads and results are; text: also the objects of --message-file; bytes: a Uint8Array, whose memory can be transferred',
      default: 'text',
      choices: ['text', 'bytes'],
    },
  },
  isPacedByMaster: () => true,
  tasks: ({ work, result, data }) => ({
    workUs: Number(work),
    resultBytes: Number(result),
    isBytes: data === 'bytes',
  }),
  skipReason(traits, { data }, { content }) {
    if (content === 'bytes' && data !== 'bytes')
      return 'it makes bytes by a setting of its own: choose --scenario task:data=bytes';
    if (traits.direction === 'request-reply')
      return 'its master only responds to requests, and cannot send tasks';
    return traits.loss === 'possible' ? 'it may lose tasks, and none is sent twice' : null;
  },
  endpoints: { master: ['taskProducer'], worker: ['taskWorker'] },
  endpoint: (role, kit) => (role === 'master' ? kit.taskProducer() : kit.taskWorker()),
};
