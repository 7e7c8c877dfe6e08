// Names of the topics and queues of a launch, on a broker that may have other clients.

import { createHash, randomBytes } from 'node:crypto';
import { BenchError } from '../../errors.js';

/** @import { EndContext, Listener } from '../../types/index.js' */

/**
 * @param {string} launchId
 * @param {string} separator
 * @returns {string} a unique address, which is also the topic of control frames to the master
 */
export function newAddress(launchId, separator) {
  return ['ipc-bench', launchId, randomBytes(8).toString('hex')].join(separator);
}

/**
 * Names the topics of one worker; a peer without the token cannot derive them.
 * @param {string} address
 * @param {string} token       hashed, since the names of topics are visible on a shared server
 * @param {string} workerId
 * @param {string} separator
 */
export function topicNames(address, token, workerId, separator) {
  const secret = createHash('sha256').update(token).digest('hex').slice(0, 32);
  /** @param {string} name */
  const topic = (name) => [address, secret, workerId, name].join(separator);
  return {
    toMaster: topic('to-master'),
    toWorker: topic('to-worker'),
    controlToWorker: topic('control-to-worker'),
  };
}

/**
 * @param {string} address
 * @param {string} token
 * @param {string} separator
 * @returns {string} the queue from which all workers take jobs
 */
export function queueOfJobs(address, token, separator) {
  return topicNames(address, token, 'jobs', separator).toWorker;
}

/**
 * A queue needs no backpressure, since the number of open jobs is limited.
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

/** @param {Pick<EndContext, 'brokerUrl'>} end @throws {BenchError} BROKER */
export function requireBrokerUrl({ brokerUrl }) {
  if (brokerUrl !== null) return brokerUrl;
  throw new BenchError('BROKER', 'there is no broker to connect to: give --broker-url NAME=URL');
}
