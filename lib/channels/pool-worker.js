// The module that the workers of a pool load: `work` executes the tasks of the launch.

import { inheritPlan, makeTasks, readTasks } from '../workload/messages/tasks.js';

/** @import { Task } from '../workload/messages/tasks.js' */

const { plan, isFaulty } = inheritPlan();
/** The reader of message files is loaded only if the plan has such a file: loading it takes as long as starting a thread. */
const reading = plan.messageFile === null ? null : readTasks(plan);
let tasks = reading === null ? makeTasks(plan) : null;

/** Faults for the conformance suite. A key is the payload of a task. @type {Record<string, () => unknown>} */
const FAULTS = {
  throw() {
    throw new Error('the task threw');
  },
  exit: () => process.exit(7),
  crash() {
    setImmediate(() => {
      throw new Error('the worker crashed');
    });
    return new Promise(() => {});
  },
  rest: () => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300),
};

/** @param {Task} task */
async function workOrFail({ payload }) {
  if (typeof payload === 'string') await FAULTS[payload]?.();
  return { payload, workUs: 0 };
}

/** @param {Task} task @returns {any} */
function workOnly(task) {
  return tasks === null ? workWhenRead(task) : tasks.work(task);
}

/** @param {Task} task */
async function workWhenRead(task) {
  tasks = await /** @type {NonNullable<typeof reading>} */ (reading);
  return tasks.work(task);
}

export const work = isFaulty ? workOrFail : workOnly;

export default work;
