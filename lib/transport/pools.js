// What pools have in common: a library starts the workers and gives them tasks. Only the scenario `task` uses them.

import { everywhere } from './shared-traits.js';

/** @import { TaskPool, Traits } from '../types/index.js' */

/** @type {Omit<Traits, 'class' | 'guarantee' | 'sources' | 'packages'>} */
export const poolTraits = Object.freeze({
  reach: 'host',
  direction: 'duplex',
  order: 'free', // whichever worker is free does the next task
  startsWorkers: true,
  ...everywhere,
});

/** Of a pool that gives up only what it has to. @type {Readonly<import('../types/index.js').PoolFailures>} */
export const usualFailures = Object.freeze({
  throws: 'rejected',
  crashes: 'rejected',
  exits: 'rejected',
  others: 'done',
  later: 'done',
  cancels: 'running',
  fullQueue: 'rejected',
});

/** The module that workers load where a pool calls a function of a module; it exports `work`, and that as the default too. */
export const POOL_WORKER = new URL('./pool-worker.js', import.meta.url).href;

/** @returns {Promise<never>} of a transport without channels */
export async function noChannel() {
  throw new TypeError('a pool has no channels: it is given tasks');
}

/**
 * @template T
 * @param {() => T} call   that keeps the event loop busy
 * @returns {Promise<T>} once it was made, in a turn of its own: as a program does it that is asked by others
 */
export function inOwnTurn(call) {
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

/** @param {string} option   as the library calls it @returns {import('../types/index.js').Setting} */
export function queueSetting(option) {
  return {
    summary: `most tasks that wait for a worker (${option}); 0: any number`,
    default: 0,
    min: 0,
    max: 1e6,
    unit: 'tasks',
  };
}

/** @param {string} worker   what a worker of the pool is @returns {import('../types/index.js').Setting} */
export function concurrentSetting(worker) {
  return {
    summary: `most tasks of a ${worker} at once (concurrentTasksPerWorker)`,
    default: 1,
    min: 1,
    max: 1_000,
    unit: 'tasks',
  };
}

/** Of libraries that take a list of what is to be transferred. @type {import('../types/index.js').Setting} */
export const transferSetting = Object.freeze({
  summary: 'payloads and results of task:data=bytes are transferred, not copied, where workers are threads',
  default: false,
});

/** @param {any} message   a task or a result @returns {ArrayBuffer[]} what a transfer list has for it: nothing for a text */
export function transferable({ payload }) {
  return payload instanceof Uint8Array ? [/** @type {ArrayBuffer} */ (payload.buffer)] : [];
}

/**
 * @param {(task: any) => any} work   of pool-worker.js
 * @param {(result: any, list: ArrayBuffer[]) => unknown} wrap   tells a library what of a result is to be transferred
 * @returns {(task: any) => any}
 */
export function workAndTransfer(work, wrap) {
  const wrapped = (/** @type {any} */ result) => wrap(result, transferable(result));
  return (task) => {
    const result = work(task);
    return result instanceof Promise ? result.then(wrapped) : wrapped(result);
  };
}

/**
 * @param {{ run: (task: any, options?: any) => Promise<any> }} pool   of Piscina, or of its fork
 * @param {boolean} transfers
 * @returns {TaskPool['run']}
 */
export function submitTo(pool, transfers) {
  return transfers
    ? (task, signal) => pool.run(task, { signal, transferList: transferable(task) })
    : (task, signal) => pool.run(task, signal && { signal });
}

/**
 * For libraries that call a worker and have no pool, as programs do it that have several workers.
 * @param {TaskPool['run'][]} workers
 * @returns {TaskPool} that gives each task to the worker that has the fewest
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
