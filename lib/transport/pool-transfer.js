// What a worker of a pool loads where results are transferred.

import { work } from './pool-worker.js';
import { transferable } from './pools.js';

/**
 * @param {(result: any, list: ArrayBuffer[]) => unknown} wrap   how a library is told what of a result is to be transferred
 * @returns {(task: any) => any} the work of a task
 */
export function workAndTransfer(wrap) {
  const wrapped = (/** @type {any} */ result) => wrap(result, transferable(result));
  return (task) => {
    const result = work(task);
    return result instanceof Promise ? result.then(wrapped) : wrapped(result);
  };
}
