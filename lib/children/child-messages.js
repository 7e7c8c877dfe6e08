// Runs a short-lived process and returns its first message or its output.

import { spawn } from 'node:child_process';
import { childEnvironment, nodeCommand, spawnModule, withStreams } from './launcher.js';
import { guardGroup, IN_OWN_GROUP, killGroup } from './process-group.js';

/** @import { ModuleRunner } from './launcher.js' */

/**
 * @param {string} path
 * @param {string[]} args
 * @param {{ cpus: number[] | null, program?: ModuleRunner }} placing   program: by default this Node
 * @param {number} deadlineMs
 * @param {AbortSignal} [signal]
 * @returns {Promise<any>} the first message, or null if the process ended or was killed before it sent one
 */
export function waitForChildMessage(path, args, { cpus, program = nodeCommand() }, deadlineMs, signal) {
  const child = spawnModule(path, args, {
    program,
    placing: { cpus, dieWithParent: true },
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  return new Promise((resolve) => {
    /** @type {any} */
    let received = null;
    const kill = () => child.kill('SIGKILL');
    const deadline = setTimeout(kill, deadlineMs);
    signal?.addEventListener('abort', kill, { once: true });
    const settle = () => {
      clearTimeout(deadline);
      signal?.removeEventListener('abort', kill);
      resolve(received);
    };
    child.once('message', (message) => {
      received = message;
    });
    // Waits for the exit instead of the message, so that no launch begins while the process still exits.
    child.once('close', settle);
    child.once('error', settle);
  });
}

const MAX_CHARACTERS = 1_000_000;

/**
 * @param {string} path
 * @param {string[]} args
 * @param {number} deadlineMs
 * @returns {Promise<{ stdout: string, stderr: string, how: string | null }>} how: reason of a failure, or null after exit code 0
 */
export async function programOutput(path, args, deadlineMs) {
  const child = withStreams(
    spawn(path, args, {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: childEnvironment(),
      ...IN_OWN_GROUP,
    }),
  );
  const endGuarded = guardGroup(child);
  const output = { stdout: '', stderr: '' };
  for (const name of /** @type {const} */ (['stdout', 'stderr'])) {
    child[name].setEncoding('utf8').on('data', (text) => {
      output[name] = (output[name] + text).slice(0, MAX_CHARACTERS);
    });
  }
  /** @type {NodeJS.Timeout | undefined} */
  let deadline;
  /** @type {string | null} */
  const how = await new Promise((resolve) => {
    deadline = setTimeout(() => resolve(`it did not end within ${deadlineMs} ms`), deadlineMs);
    child.once('error', ({ message }) => resolve(message));
    child.once('exit', () => killGroup(child)); // child processes may hold the output open
    child.once('close', (code, signal) =>
      resolve(code === 0 ? null : `it ended with ${signal ?? `exit code ${code}`}`),
    );
  });
  clearTimeout(deadline);
  killGroup(child);
  endGuarded();
  child.stdout.destroy();
  child.stderr.destroy();
  return { ...output, how };
}
