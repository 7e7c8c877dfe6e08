// The one address of its host on which an agent lets launches listen.

import { isIPv4 } from 'node:net';
import { BenchError } from '../errors.js';

const LOOPBACK = '127.0.0.1';
const SSH_SERVER_ADDRESS = 2; // of SSH_CONNECTION: the client and its port, the server and its port

/**
 * @param {string | undefined} bind   as the user gave it
 * @param {Record<string, string | undefined>} environment
 * @returns {string} where none was given: over ssh the one by which the run reaches this host; else nobody beyond it does
 */
export function addressToBind(bind, { SSH_CONNECTION = '' }) {
  const address = bind ?? (SSH_CONNECTION.split(' ')[SSH_SERVER_ADDRESS] || LOOPBACK);
  if (isIPv4(address)) return address;
  const next = 'write the one of this host that the others reach';
  throw new BenchError('BAD_ARGUMENT', `--bind: this is no IPv4 address; ${next}`);
}
