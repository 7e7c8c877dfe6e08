// A private Redis (or Valkey) for one run: memory only, in a folder of its own, reached by a unix socket that nobody else
// can open, or over loopback with a password.

import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { BenchError } from '../../errors.js';
import { startGuarded } from '../guarded-server.js';
import { findOnPath } from '../launcher.js';
import { socketPath } from '../sockets.js';
import { openRedis } from './redis-client.js';
import { describeRedis, openRedisGauge } from './redis-traffic.js';

/** @typedef {import('../../types.js').Broker} Broker */
/** @typedef {import('../../types.js').BrokerPlace} BrokerPlace */

const SERVERS = ['redis-server', 'valkey-server'];
const MISSING =
  'no redis-server or valkey-server on PATH: apt install redis-server / brew install redis, or give --redis-url';
const START_DEADLINE_MS = 5_000; // it takes some 20 ms
const RETRY_MS = 10;
// The default ends a subscriber that falls 32 MB behind: two large messages.
const MEMORY_ONLY = { save: '""', appendonly: 'no', 'client-output-buffer-limit': 'pubsub 0 0 0' };
const LOG_LINES = 5;

/** @type {Broker} */
export const redisBroker = {
  name: 'redis',
  openGauge: openRedisGauge,
  describe: describeRedis,
  async whyUnavailable() {
    return findServer() === undefined ? MISSING : undefined;
  },
  async start(place) {
    const command = findServer();
    if (command === undefined) throw new BenchError('BROKER', MISSING);
    const folder = await mkdtemp(join(place.scratchDir, 'redis-'));
    try {
      return await startIn(folder, command, place);
    } catch (error) {
      await rm(folder, { recursive: true, force: true });
      throw error;
    }
  },
};

function findServer() {
  return SERVERS.map((name) => findOnPath(name)).find((path) => path !== undefined);
}

/**
 * @param {string} folder
 * @param {string} command
 * @param {BrokerPlace} place
 * @returns {Promise<import('../../types.js').RunningBroker>}
 */
async function startIn(folder, command, { settings, cpus }) {
  const { url, shown, hidden } = settings.net === 'tcp' ? await overLoopback() : overUnixSocket(folder);
  const config = { ...shown, ...MEMORY_ONLY };
  const configPath = join(folder, 'redis.conf');
  const lines = Object.entries({ ...config, ...hidden, dir: JSON.stringify(folder) });
  await writeFile(configPath, lines.map(([name, value]) => `${name} ${value}\n`).join(''), { mode: 0o600 });
  const logPath = join(folder, 'redis.log');
  const server = await startGuarded({ command, args: [configPath], cpus, logPath });
  const close = async () => {
    await server.end();
    await rm(folder, { recursive: true, force: true });
  };
  try {
    const version = await answerOf(url, server.died);
    return { url, pid: server.pid, version, config, died: server.died, close };
  } catch (error) {
    await server.end();
    const said = (await readFile(logPath, 'utf8')).trimEnd().split('\n').slice(-LOG_LINES).join('\n');
    const why = /** @type {Error} */ (error).message;
    throw new BenchError('BROKER', `${basename(command)} did not start: ${why}. Its last words:\n${said}`);
  }
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

async function overLoopback() {
  const port = await freePort();
  const password = randomBytes(24).toString('hex');
  return {
    url: `redis://:${password}@127.0.0.1:${port}`,
    shown: { bind: '127.0.0.1' },
    hidden: { port: String(port), requirepass: password },
  };
}

/** Redis takes no port 0. Whoever is faster than it has our port, but not our password: we notice. */
async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  server.close();
  await once(server, 'close');
  return port;
}

/**
 * @param {string} url
 * @param {Promise<string>} died
 * @returns {Promise<string>}   name and version of the server, once it answers
 */
async function answerOf(url, died) {
  const deadline = performance.now() + START_DEADLINE_MS;
  /** @type {string | undefined} */
  let cause;
  died.then((how) => {
    cause = how;
  });
  for (;;) {
    try {
      const { server, close } = await openRedis(url, () => {});
      await close();
      return server;
    } catch (error) {
      if (cause !== undefined) throw new Error(cause);
      if (performance.now() > deadline) throw error;
    }
    await sleep(RETRY_MS);
  }
}
