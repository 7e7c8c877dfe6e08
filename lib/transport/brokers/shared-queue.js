// What the ends of a queue have in common from which all workers take jobs, in whichever process it is.

import { topicNames } from './topic-names.js';

/** @import { Listener } from '../../types/index.js' */

/**
 * @param {string} address     of the listener
 * @param {string} token
 * @param {string} separator
 * @returns {string} its name: a stranger does not know it
 */
export function queueOfJobs(address, token, separator) {
  return topicNames(address, token, 'jobs', separator).toWorker;
}

/**
 * There are no more jobs in a queue than are offered at once, so nobody waits for room. What workers tell of how much they have
 * read concerns their own channels, and counts for nothing here.
 * @param {(wire: string | Uint8Array) => void} send
 * @returns {ReturnType<NonNullable<Listener['queue']>>}
 */
export function intoQueue(send) {
  return {
    send(wire) {
      send(wire);
      return true;
    },
    async drained() {},
  };
}
