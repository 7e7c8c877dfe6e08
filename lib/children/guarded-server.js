// A server that cannot outlive the runner: a supervisor ends it after the end of the runner, and the kernel or the runner kills it after
// the end of the supervisor.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { constants } from 'node:os';
import { fileURLToPath } from 'node:url';
import { BenchError } from '../errors.js';
import { childEnvironment, pinnedCommand, placeStarted, withStreams } from './launcher.js';

const SUPERVISOR_PATH = fileURLToPath(new URL('supervisor.js', import.meta.url));
const END_DEADLINE_MS = 2_000; // the supervisor kills the server after one second

/**
 * @typedef {object} GuardedServer
 * @property {number} pid   process id of the server
 * @property {Promise<string>} died   resolves with the cause if it ends before `end` is called
 * @property {() => Promise<void>} end   safe to call twice
 */

/**
 * @param {object} server
 * @param {string} server.command
 * @param {string[]} server.args
 * @param {number[] | null} server.cpus
 * @param {string} server.logPath   the file must not exist
 * @param {NodeJS.ProcessEnv} [server.env]
 * @param {string} [server.folder]   working directory
 * @returns {Promise<GuardedServer>} resolves when the process runs, possibly before it accepts connections
 */
export async function startGuarded({ command, args, cpus, logPath, env = childEnvironment(), folder }) {
  const behind = pinnedCommand(command, args, { cpus, dieWithParent: true });
  const log = openSync(logPath, 'ax', 0o600);
  const supervisor = withStreams(
    spawn(process.execPath, [SUPERVISOR_PATH, behind.command, ...behind.args], {
      stdio: ['pipe', 'pipe', log],
      // Runs in another process group, since the runner handles Ctrl-C and ends its servers afterwards.
      detached: process.platform !== 'win32',
      windowsHide: true,
      env,
      ...(folder && { cwd: folder }),
    }),
  );
  closeSync(log);
  const stdin = /** @type {import('node:stream').Writable} */ (supervisor.stdin);
  const stdout = /** @type {import('node:stream').Readable} */ (supervisor.stdout);
  stdin.on('error', () => {}); // EPIPE after the exit of the supervisor
  const exited = once(supervisor, 'exit').then(
    ([code, signal]) =>
      signal === null
        ? { isSupervisorKilled: false, cause: describeEnding(Number(code)) }
        : { isSupervisorKilled: true, cause: `its supervisor was killed by ${signal}` },
    ({ message }) => ({ isSupervisorKilled: false, cause: String(message) }),
  );
  const [output] = await Promise.race([once(stdout, 'data'), exited.then(() => [''])]);
  const pid = Number.parseInt(String(output), 10);
  if (Number.isNaN(pid)) {
    throw new BenchError('BROKER', `${command} could not be started: ${(await exited).cause}`);
  }
  placeStarted(pid, cpus);
  const ended = exited.then(({ isSupervisorKilled, cause }) => {
    // Without setpriv, the server outlives a supervisor that is killed.
    if (isSupervisorKilled) kill(pid);
    return cause;
  });
  let isEnding = false;
  const died = new Promise((resolve) => {
    ended.then((cause) => isEnding || resolve(cause));
  });
  async function end() {
    isEnding = true;
    stdin.end();
    const deadline = setTimeout(() => supervisor.kill('SIGKILL'), END_DEADLINE_MS);
    await ended;
    clearTimeout(deadline);
  }
  return { pid, died, end };
}

/** @param {number} exitCode     128 + n if signal n killed the server */
function describeEnding(exitCode) {
  const killer = Object.entries(constants.signals).find(([, number]) => number === exitCode - 128);
  return killer === undefined ? `it ended with exit code ${exitCode}` : `it was killed by ${killer[0]}`;
}

/** @param {number} pid */
function kill(pid) {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'ESRCH') throw error;
  }
}
