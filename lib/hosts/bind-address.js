// The one address of its host on which an agent lets launches listen.

import { once } from 'node:events';
import { createServer, isIP, isIPv6 } from 'node:net';
import { networkInterfaces } from 'node:os';
import { BenchError } from '../errors.js';
import { listed } from '../format/lists.js';
import { hostAndPort, LOOPBACK, withoutBrackets } from '../transport/reach.js';

const SSH_SERVER_ADDRESS = 2; // of SSH_CONNECTION: the client and its port, the server and its port
const LINK_LOCAL = /^fe[89ab]/i;

/**
 * @param {string | undefined} bind   as the user gave it
 * @param {Record<string, string | undefined>} environment
 * @returns {string} where none was given: over ssh the one by which the run reaches this host; else nobody beyond it does
 */
export function addressToBind(bind, { SSH_CONNECTION = '' }) {
  const given = bind ?? (SSH_CONNECTION.split(' ')[SSH_SERVER_ADDRESS] || LOOPBACK);
  const address = withoutBrackets(given);
  const refuse = (/** @type {string} */ why) => {
    throw new BenchError('BAD_ARGUMENT', `--bind: ${why}; write the one of this host that the others reach`);
  };
  if (isIP(address) === 0) refuse('this is no IP address');
  // Each host writes its own interface behind it.
  if (LINK_LOCAL.test(address)) refuse('an address of a link means something else on each host');
  // As the system writes it.
  return isIPv6(address) ? withoutBrackets(new URL(`http://${hostAndPort(address, 80)}`).hostname) : address;
}

/** @param {string} address @throws {BenchError} BAD_ARGUMENT: no launch could listen there */
export async function tryToBind(address) {
  const server = createServer();
  try {
    await once(server.listen(0, address), 'listening');
  } catch (cause) {
    const { code } = /** @type {NodeJS.ErrnoException} */ (cause);
    const interfaces = Object.values(networkInterfaces()).flatMap((all) => all ?? []);
    const own = interfaces.filter(({ internal }) => !internal).map((one) => one.address);
    const usable = own.filter((one) => !LINK_LOCAL.test(one));
    const next =
      usable.length === 0 ? 'it has none that others reach' : `those that it has: ${listed(usable)}`;
    throw new BenchError('BAD_ARGUMENT', `--bind: ${address} is not usable on this host (${code}); ${next}`, {
      cause,
    });
  } finally {
    server.close();
  }
}
