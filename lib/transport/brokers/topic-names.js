// What the topics of a launch are called, on a broker that others may use as well.

import { createHash, randomBytes } from 'node:crypto';

/**
 * @param {string} launchId
 * @param {string} separator   between the parts of a topic, as the broker writes it
 * @returns {string} an address that no other launch has: also the topic for notes to the master
 */
export function newAddress(launchId, separator) {
  return ['ipc-bench', launchId, randomBytes(8).toString('hex')].join(separator);
}

/**
 * Topics of one worker. A stranger who knows the address but not the token listens where nobody speaks.
 * @param {string} address     of the listener
 * @param {string} token       hashed: names of topics are no secret on a shared server
 * @param {string} workerId
 * @param {string} separator
 */
export function topicNames(address, token, workerId, separator) {
  const secret = createHash('sha256').update(token).digest('hex').slice(0, 32);
  const topic = (/** @type {string} */ name) => [address, secret, workerId, name].join(separator);
  return {
    toMaster: topic('to-master'),
    toWorker: topic('to-worker'),
    notesToWorker: topic('notes-to-worker'),
  };
}
