// What a worker of a pool loads, where the pool calls a function of a module: the tasks of the launch.

import { inheritPlan, makeTasks, readTasks } from '../scenario/messages/tasks.js';

const { plan, isFaulty } = inheritPlan();
/** What reads a file of messages is loaded only where there is one: it takes as long as the start of a thread. */
const reading = plan.messageFile === null ? null : readTasks(plan);
let tasks = reading === null ? makeTasks(plan) : null;

/** What the conformance suite makes a worker do, by the payload of a task. @type {Record<string, () => unknown>} */
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

/** @param {import('../scenario/messages/tasks.js').Task} task */
async function workOrFail({ payload }) {
  if (typeof payload === 'string') await FAULTS[payload]?.();
  return { payload, workUs: 0 };
}

/** @param {import('../scenario/messages/tasks.js').Task} task @returns {any} */
function workOnly(task) {
  return tasks === null ? workWhenRead(task) : tasks.work(task);
}

/** @param {import('../scenario/messages/tasks.js').Task} task */
async function workWhenRead(task) {
  tasks = await /** @type {NonNullable<typeof reading>} */ (reading);
  return tasks.work(task);
}

export const work = isFaulty ? workOrFail : workOnly;

export default work;
