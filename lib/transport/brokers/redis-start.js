// How a private Redis is started: memory only unless a transport asks for more, in a folder of its own, reached by a unix
// socket that nobody else can open, or over TCP with a password.

import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { bindAddressOf, hostAndPort } from '../reach.js';
import { socketPath } from '../sockets.js';
import { freePort, startPrivately } from './private-server.js';
import { openRedis } from './redis-client.js';
import { persistenceConfig } from './redis-persistence.js';

/** @import { BrokerPlace } from '../../types/index.js' */

const START_DEADLINE_MS = 5_000; // it takes some 20 ms
// The default ends a subscriber that falls 32 MB behind: two large messages.
const NO_LIMIT = { 'client-output-buffer-limit': 'pubsub 0 0 0' };

/** @param {string} command     absolute path of the server @param {BrokerPlace} place */
export function startRedis(command, place) {
  const { settings } = place;
  return startPrivately(place, 'redis', async (folder) => {
    const { url, shown, hidden } =
      settings.net === 'tcp' ? await overTcp(bindAddressOf(place)) : overUnixSocket(folder);
    const config = { ...shown, ...(await persistenceConfig(settings.persist, folder)), ...NO_LIMIT };
    const configPath = join(folder, 'redis.conf');
    const lines = Object.entries({ ...config, ...hidden, dir: JSON.stringify(folder) });
    await writeFile(configPath, lines.map(([name, value]) => `${name} ${value}\n`).join(''), { mode: 0o600 });
    return {
      server: { command, args: [configPath] },
      deadlineMs: START_DEADLINE_MS,
      secrets: url.includes('://') ? [url] : [],
      url,
      ask: () => readServerName(url),
      config,
    };
  });
}

/** @param {string} folder */
function overUnixSocket(folder) {
  const path = socketPath({ scratchDir: folder, launchId: '', token: '' }, 'redis.sock');
  return {
    url: path,
    shown: { port: '0', unixsocketperm: '700' },
    hidden: { unixsocket: JSON.stringify(path) },
  };
}

/** @param {string} address */
async function overTcp(address) {
  const port = await freePort(address);
  const password = randomBytes(24).toString('hex');
  return {
    url: `redis://:${password}@${hostAndPort(address, port)}`,
    shown: { bind: address },
    hidden: { port: String(port), requirepass: password },
  };
}

/** @param {string} url @returns {Promise<{ version: string }>}   with the name of the server */
async function readServerName(url) {
  const { server, close } = await openRedis(url, () => {});
  await close();
  return { version: server };
}
