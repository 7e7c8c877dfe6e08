// Starts a private server with its supervisor, and waits until it responds. If it does not respond, the server is ended, and the error
// contains its last log lines.

import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startGuarded } from '../../children/guarded-server.js';
import { removeFolder } from '../../children/run-directory.js';
import { BenchError } from '../../errors.js';
import { redactText } from '../../format/redact.js';
import { withRollback } from '../with-rollback.js';

/** @import { GuardedServer } from '../../children/guarded-server.js' */
/** @import { BrokerPlace, RunningBroker } from '../../types/index.js' */

/** @typedef {Parameters<typeof startGuarded>[0]} ServerCommand */

const RETRY_MS = 10;
const LOG_LINES = 5;

/**
 * @template Result
 * @param {ServerCommand} server
 * @param {object} start
 * @param {number} start.deadlineMs
 * @param {readonly string[]} [start.secrets]   removed from the error: passwords, or URLs with passwords
 * @param {(pid: number) => Promise<Result>} start.check   rejects while the server cannot be used; called repeatedly, so it
 *                                          must limit its own duration
 * @param {AbortSignal} [start.signal]   ends the server at once
 * @returns {Promise<GuardedServer & { result: Result }>}
 * @throws {BenchError} BROKER
 */
export async function startResponding(server, { deadlineMs, secrets = [], check, signal }) {
  signal?.throwIfAborted();
  const guarded = await startGuarded(server);
  const giveUp = () => void guarded.end();
  signal?.addEventListener('abort', giveUp);
  try {
    const result = await waitUntilReady(guarded, deadlineMs, check, signal);
    return { ...guarded, result };
  } catch (error) {
    await guarded.end();
    const lastLines = (await readFile(server.logPath, 'utf8'))
      .trimEnd()
      .split('\n')
      .slice(-LOG_LINES)
      .join('\n');
    const why = /** @type {Error} */ (error).message;
    const what = `${basename(server.command)} did not start: ${why}. Its last output:\n${lastLines}`;
    throw new BenchError('BROKER', redactText(what, secrets));
  } finally {
    signal?.removeEventListener('abort', giveUp);
  }
}

/**
 * @template Result
 * @param {GuardedServer} guarded
 * @param {number} deadlineMs
 * @param {(pid: number) => Promise<Result>} check
 * @param {AbortSignal} [signal]
 */
async function waitUntilReady({ pid, died }, deadlineMs, check, signal) {
  const deadline = performance.now() + deadlineMs;
  /** @type {string | undefined} */
  let cause;
  died.then((how) => {
    cause = how;
  });
  for (;;) {
    try {
      return await check(pid);
    } catch (error) {
      if (cause !== undefined) throw new Error(cause);
      if (signal?.aborted) throw new Error('its start was cancelled');
      if (performance.now() > deadline) {
        throw new Error(`no answer within ${deadlineMs} ms: ${/** @type {Error} */ (error).message}`);
      }
    }
    await sleep(RETRY_MS);
  }
}

/**
 * @typedef {object} PrivateServer
 * @property {Pick<ServerCommand, 'command' | 'args' | 'env' | 'folder'>} server
 * @property {number} deadlineMs
 * @property {readonly string[]} secrets
 * @property {string} [url]      if not set, `check` returns it
 * @property {(pid: number) => Promise<{ url?: string, version: string }>} check
 * @property {Record<string, string>} config   shown in results
 */

/**
 * Starts a server in a new folder, which is removed when the server is closed.
 * @param {BrokerPlace} place
 * @param {string} name
 * @param {(folder: string) => Promise<PrivateServer>} configure
 * @returns {Promise<RunningBroker>}
 */
export async function startPrivately({ scratchDir, cpus, signal }, name, configure) {
  const folder = await mkdtemp(join(scratchDir, `${name}-`));
  const remove = () => removeFolder(folder);
  return withRollback(remove, async () => {
    const { server, url = '', config, ...start } = await configure(folder);
    const command = { ...server, cpus, logPath: join(folder, `${name}.log`) };
    const { pid, result, died, end } = await startResponding(command, { ...start, signal });
    const close = async () => {
      await end();
      await remove();
    };
    return { url, ...result, pid, config, died, close };
  });
}

/**
 * If another program takes the port before the server does, the start fails, since that program does not have the password.
 * @param {string} address
 * @returns {Promise<number>} a port that was free a moment ago
 */
export async function freePort(address) {
  const server = createServer().listen(0, address);
  await once(server, 'listening');
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  server.close();
  await once(server, 'close');
  return port;
}

export const makePassword = () => randomBytes(24).toString('hex');

/**
 * Writes a file that only its owner can read, since it may contain a password.
 * @param {string} path
 * @param {Record<string, string>} settings
 * @param {string} [separator]
 */
export async function writeConfig(path, settings, separator = ' ') {
  const lines = Object.entries(settings).map(([name, value]) => `${name}${separator}${value}\n`);
  await writeFile(path, lines.join(''), { mode: 0o600 });
}
