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
/** @import { BrokerStart, RunningBroker } from '../../types/index.js' */

/** @typedef {Parameters<typeof startGuarded>[0]} ServerCommand */

/**
 * A server that fails to start prints the reason and exits, so this only limits the wait for one that hangs. Most start within 30 ms, and take
 * seconds if other programs use all CPUs.
 */
const START_DEADLINE_MS = 30_000;
const RETRY_MS = 10;
const LOG_LINES = 5;
const MAX_STARTS = 3; // with another port each time
const PORT_TAKEN = /address already in use|EADDRINUSE/i;

/**
 * @template Result
 * @param {ServerCommand} server
 * @param {object} start
 * @param {number} [start.deadlineMs]
 * @param {readonly string[]} [start.secrets]   removed from the error: passwords, or URLs with passwords
 * @param {(pid: number) => Promise<Result>} start.check   rejects while the server cannot be used; called repeatedly, so it
 *                                          must limit its own duration
 * @param {AbortSignal} [start.signal]   ends the server at once
 * @returns {Promise<GuardedServer & { result: Result }>}
 * @throws {BenchError} BROKER
 */
export async function startResponding(
  server,
  { deadlineMs = START_DEADLINE_MS, secrets = [], check, signal },
) {
  signal?.throwIfAborted();
  const guarded = await startGuarded(server);
  const giveUp = () => void guarded.end();
  signal?.addEventListener('abort', giveUp);
  try {
    const result = await waitUntilReady(guarded, deadlineMs, check, signal);
    return { ...guarded, result };
  } catch (error) {
    await guarded.end();
    const log = await readFile(server.logPath, 'utf8');
    const lastLines = log.trimEnd().split('\n').slice(-LOG_LINES).join('\n');
    const why = /** @type {Error} */ (error).message;
    const what = `${basename(server.command)} did not start: ${why}. Its last output:\n${lastLines}`;
    const isPortTaken = PORT_TAKEN.test(log);
    throw Object.assign(new BenchError('BROKER', redactText(what, secrets)), { isPortTaken });
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
    const checked = await check(pid).then(
      (result) => ({ result }),
      (error) => ({ error }),
    );
    if (cause !== undefined) throw new Error(cause);
    if ('result' in checked) return checked.result;
    if (signal?.aborted) throw new Error('its start was cancelled');
    if (performance.now() > deadline) {
      throw new Error(`no answer within ${deadlineMs} ms: ${checked.error.message}`);
    }
    await sleep(RETRY_MS);
  }
}

/**
 * @typedef {object} PrivateServer
 * @property {Pick<ServerCommand, 'command' | 'args' | 'env' | 'folder'>} server
 * @property {number} [deadlineMs]   for a server that takes seconds to start
 * @property {readonly string[]} secrets
 * @property {RegExp} readyLine   matches a line of its log which proves that the server has bound its address
 * @property {string} [url]      if not set, `check` returns it
 * @property {(pid: number) => Promise<{ url?: string, version: string }>} check   called after the ready line, since it may send a password
 * @property {Record<string, string>} config   shown in results
 */

/**
 * Starts a server in a new folder, which is removed when the server is closed. If another program has taken the port of the server, it
 * starts again with another port.
 * @param {BrokerStart} start
 * @param {string} name
 * @param {(folder: string) => Promise<PrivateServer>} configure
 * @returns {Promise<RunningBroker>}
 */
export async function startPrivately(start, name, configure) {
  for (let starts = 1; ; starts += 1) {
    try {
      return await startOnce(start, name, configure);
    } catch (error) {
      const { isPortTaken } = /** @type {Error & { isPortTaken?: boolean }} */ (error);
      if (!isPortTaken || starts === MAX_STARTS) throw error;
    }
  }
}

/**
 * @param {BrokerStart} start
 * @param {string} name
 * @param {(folder: string) => Promise<PrivateServer>} configure
 * @returns {Promise<RunningBroker>}
 */
async function startOnce({ scratchDir, cpus, signal }, name, configure) {
  const folder = await mkdtemp(join(scratchDir, `${name}-`));
  const remove = () => removeFolder(folder);
  return withRollback(remove, async () => {
    const { server, url = '', config, readyLine, check, ...start } = await configure(folder);
    const logPath = join(folder, `${name}.log`);
    /** @param {number} pid */
    const checkBound = async (pid) => {
      if (readyLine.test(await readFile(logPath, 'utf8'))) return check(pid);
      throw new Error(`its log has no line with ${readyLine}`);
    };
    const { pid, result, died, end } = await startResponding(
      { ...server, cpus, logPath },
      { ...start, check: checkBound, signal },
    );
    const close = async () => {
      await end();
      await remove();
    };
    return { url, ...result, pid, config, died, close };
  });
}

/**
 * Another program may take the port before the server binds it, so no client may send a password before the server is ready.
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
