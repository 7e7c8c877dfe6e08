// For servers that cannot be told to pick a port themselves.

import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * A program that is faster than the server gets its port, but not its password. Then the start fails, and says so.
 * @returns {Promise<number>} of the loopback interface, free a moment ago
 */
export async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  server.close();
  await once(server, 'close');
  return port;
}
