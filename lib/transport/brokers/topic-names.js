// What the topics of a launch are called, on a broker that others may use as well.

import { createHash, randomBytes } from 'node:crypto';
import { BenchError } from '../../errors.js';

/** @import { Listener } from '../../types/index.js' */

/**
 * @param {string} launchId
 * @param {string} separator   between the parts of a topic, as the broker writes it
 * @returns {string} an address that no other launch has: also the topic for notes to the master
 */
export function newAddress(launchId, separator) {
  return ['ipc-bench', launchId, randomBytes(8).toString('hex')].join(separator);
}

/**
 * Topics of one worker. An unauthenticated peer who knows the address but not the token listens where nobody speaks.
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

// What the ends of a queue have in common from which all workers take jobs, in whichever process it is.

/**
 * @param {string} address     of the listener
 * @param {string} token
 * @param {string} separator
 * @returns {string} its name: an unauthenticated peer does not know it
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

// Where the broker of a launch is.

/** @param {Pick<import('../../types/transports.js').EndContext, 'brokerUrl'>} end @throws {BenchError} BROKER */
export function requireBrokerUrl({ brokerUrl }) {
  if (brokerUrl !== null) return brokerUrl;
  throw new BenchError('BROKER', 'there is no broker to connect to: give --broker-url NAME=URL');
}
