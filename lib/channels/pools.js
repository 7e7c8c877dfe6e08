// Common parts of pools, where a library starts the workers and gives them tasks. The scenarios `task` and `first-answer` support pools.

import { everywhere } from './shared-traits.js';

/** @import { PoolFailures, Setting, TaskPool, Traits } from '../types/index.js' */

/** @type {Omit<Traits, 'class' | 'guarantee' | 'sources' | 'packages'>} */
export const poolTraits = Object.freeze({
  reach: 'host',
  direction: 'duplex',
  order: 'free', // any free worker gets the next task
  startsWorkers: true,
  ...everywhere,
});

/** Outcomes in a pool that loses no more tasks than necessary. @type {Readonly<PoolFailures>} */
export const usualFailures = Object.freeze({
  throws: 'rejected',
  crashes: 'rejected',
  exits: 'rejected',
  others: 'done',
  later: 'done',
  cancels: 'running',
  fullQueue: 'rejected',
});

/** URL of the module for pools whose workers load a module and call its function: the default export, which is also exported as `work`. */
export const POOL_WORKER = new URL('./pool-worker.js', import.meta.url).href;

/** The `connect` of a pool. @returns {Promise<never>} */
export async function noChannel() {
  throw new TypeError('a pool has no channels: it receives tasks');
}

/**
 * @template T
 * @param {() => T} call   blocks the event loop
 * @returns {Promise<T>} its result; the call runs in setImmediate(), after I/O that is ready
 */
export function inOwnIteration(call) {
  return new Promise((resolve, reject) => {
    setImmediate(() => {
      try {
        resolve(call());
      } catch (error) {
        reject(error);
      }
    });
  });
}

/** @param {string} option   its name in the library @returns {Setting} */
export function queueSetting(option) {
  return {
    summary: `greatest number of tasks that wait for a worker (${option}); 0: no limit`,
    default: 0,
    min: 0,
    max: 1e6,
    unit: 'tasks',
  };
}

/** @param {string} worker   such as 'thread' @returns {Setting} */
export function concurrentSetting(worker) {
  return {
    summary: `greatest number of tasks of a ${worker} at once (concurrentTasksPerWorker)`,
    default: 1,
    min: 1,
    max: 1_000,
    unit: 'tasks',
  };
}

/** Setting of pools whose libraries accept a transfer list. @type {Setting} */
export const transferSetting = Object.freeze({
  summary: 'payloads and results of task:data=bytes are transferred, not copied, where workers are threads',
  default: false,
});

/** @param {any} message   a task or a result @returns {ArrayBuffer[]} its transfer list, empty unless the payload is bytes */
export function transferable({ payload }) {
  return payload instanceof Uint8Array ? [/** @type {ArrayBuffer} */ (payload.buffer)] : [];
}

/**
 * @param {(task: any) => any} work
 * @param {(result: any, list: ArrayBuffer[]) => unknown} wrap   attaches the transfer list for the library
 * @returns {(task: any) => any}
 */
export function workAndTransfer(work, wrap) {
  /** @param {any} result */
  const wrapped = (result) => wrap(result, transferable(result));
  return (task) => {
    const result = work(task);
    return result instanceof Promise ? result.then(wrapped) : wrapped(result);
  };
}

/**
 * @param {{ run: (task: any, options?: any) => Promise<any> }} pool   Piscina or Tinypool
 * @param {boolean} transfers
 * @returns {TaskPool['run']}
 */
export function submitTo(pool, transfers) {
  return transfers
    ? (task, signal) => pool.run(task, { signal, transferList: transferable(task) })
    : (task, signal) => pool.run(task, signal && { signal });
}

/**
 * Makes a pool of single workers, for libraries that have none.
 * @param {TaskPool['run'][]} workers
 * @returns {TaskPool} gives each task to the worker with the fewest open tasks
 */
export function spreadTasks(workers) {
  const open = workers.map(() => 0);
  return {
    async run(task) {
      let chosen = 0;
      for (let index = 1; index < open.length; index += 1) if (open[index] < open[chosen]) chosen = index;
      open[chosen] += 1;
      try {
        return await workers[chosen](task);
      } finally {
        open[chosen] -= 1;
      }
    },
  };
}
