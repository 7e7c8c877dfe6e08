// For servers that cannot be told to pick a port themselves.

import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * @param {string} address    of this host
 *
 * A program that is faster than the server gets its port, but not its password. Then the start fails, and says so.
 * @returns {Promise<number>} free there a moment ago
 */
export async function freePort(address) {
  const server = createServer().listen(0, address);
  await once(server, 'listening');
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  server.close();
  await once(server, 'close');
  return port;
}
