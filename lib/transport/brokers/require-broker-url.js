// Where the broker of a launch is.

import { BenchError } from '../../errors.js';

/**
 * @param {Pick<import('../../types/transports.js').EndContext, 'brokerUrl'>} end
 * @returns {string}
 * @throws {BenchError} BROKER
 */
export function requireBrokerUrl({ brokerUrl }) {
  if (brokerUrl !== null) return brokerUrl;
  throw new BenchError('BROKER', 'there is no broker to connect to: give --broker-url NAME=URL');
}
