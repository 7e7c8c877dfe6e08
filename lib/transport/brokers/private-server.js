// A private server that is of use: started behind its supervisor and waited for until it answers. One that does not says
// its last words in the error, and nothing of it remains.

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
 * @template Answer
 * @param {ServerCommand} server
 * @param {object} patience
 * @param {number} patience.deadlineMs      of the start, as a whole
 * @param {readonly string[]} [patience.secrets]   that its last words must not tell: passwords, or URLs that hold some
 * @param {(pid: number) => Promise<Answer>} patience.ask   rejects as long as the server cannot be used; it is asked
 *                                          again and again, one question at a time, so it has a deadline of its own
 * @param {AbortSignal} [patience.signal]   the start is given up: the server is ended at once
 * @returns {Promise<GuardedServer & { answer: Answer }>}
 * @throws {BenchError} BROKER
 */
export async function startResponding(server, { deadlineMs, secrets = [], ask, signal }) {
  signal?.throwIfAborted();
  const guarded = await startGuarded(server);
  const giveUp = () => void guarded.end();
  signal?.addEventListener('abort', giveUp);
  try {
    const answer = await firstAnswer(guarded, deadlineMs, ask, signal);
    return { ...guarded, answer };
  } catch (error) {
    await guarded.end();
    const said = (await readFile(server.logPath, 'utf8')).trimEnd().split('\n').slice(-LOG_LINES).join('\n');
    const why = /** @type {Error} */ (error).message;
    const what = `${basename(server.command)} did not start: ${why}. Its last words:\n${said}`;
    throw new BenchError('BROKER', redactText(what, secrets));
  } finally {
    signal?.removeEventListener('abort', giveUp);
  }
}

/**
 * @template Answer
 * @param {GuardedServer} guarded
 * @param {number} deadlineMs
 * @param {(pid: number) => Promise<Answer>} ask
 * @param {AbortSignal} [signal]
 */
async function firstAnswer({ pid, died }, deadlineMs, ask, signal) {
  const deadline = performance.now() + deadlineMs;
  /** @type {string | undefined} */
  let cause;
  died.then((how) => {
    cause = how;
  });
  for (;;) {
    try {
      return await ask(pid);
    } catch (error) {
      if (cause !== undefined) throw new Error(cause);
      if (signal?.aborted) throw new Error('it was given up');
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
 * @property {string} [url]      absent: `ask` tells
 * @property {(pid: number) => Promise<{ url?: string, version: string }>} ask
 * @property {Record<string, string>} config   that results tell of it
 */

/**
 * In a folder of its own, which is removed when the server is closed.
 * @param {BrokerPlace} place
 * @param {string} name
 * @param {(folder: string) => Promise<PrivateServer>} configure   writes the configuration
 * @returns {Promise<RunningBroker>}
 */
export async function startPrivately({ scratchDir, cpus, signal }, name, configure) {
  const folder = await mkdtemp(join(scratchDir, `${name}-`));
  const remove = () => removeFolder(folder);
  return withRollback(remove, async () => {
    const { server, url = '', config, ...patience } = await configure(folder);
    const command = { ...server, cpus, logPath: join(folder, `${name}.log`) };
    const { pid, answer, died, end } = await startResponding(command, { ...patience, signal });
    const close = async () => {
      await end();
      await remove();
    };
    return { url, ...answer, pid, config, died, close };
  });
}

/**
 * A program that is faster than the server gets its port, but not its password. Then the start fails, and says so.
 * @param {string} address    of this host
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

export const makePassword = () => randomBytes(24).toString('hex');

/**
 * Only the owner can read the file: it may contain a password.
 * @param {string} path
 * @param {Record<string, string>} settings
 * @param {string} [separator]
 */
export async function writeConfig(path, settings, separator = ' ') {
  const lines = Object.entries(settings).map(([name, value]) => `${name}${separator}${value}\n`);
  await writeFile(path, lines.join(''), { mode: 0o600 });
}
