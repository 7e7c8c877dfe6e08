// strace in front of processes of a launch that never counts, and what it saw of them.

import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { BenchError } from '../errors.js';
import { sharedNowMs } from '../machine/clock.js';
import { findOnPath } from '../processes/launcher.js';
import { callsPerProcess } from './strace-log.js';

/** @typedef {Pick<Parameters<typeof callsPerProcess>[1], 'operations' | 'threadIds' | 'names'> & { openMs: number, windowMs: number }} Seen   openMs: of the clock of this host */

/** @returns {string} its path @throws {BenchError} BAD_ARGUMENT: it is not here */
export function findStrace() {
  const path = findOnPath('strace');
  if (path !== undefined) return path;
  const remedy = process.platform === 'linux' ? 'apt install strace' : 'it exists on Linux only';
  throw new BenchError('BAD_ARGUMENT', `--syscalls needs strace, which is not on PATH: ${remedy}`);
}

/** @param {string} folder   that gets its logs @returns {string[]} words in front of a command line */
export function straceWords(folder) {
  // A file for each thread, wall-clock times, no contents: the payloads would fill the disk.
  const options = ['-ff', '-ttt', '-s', '0', '-e', 'signal=none', '-o', join(folder, 'log')];
  return [findStrace(), ...options, '--'];
}

/**
 * @param {string} folder   with its logs
 * @param {Seen} seen
 * @returns {Promise<ReturnType<typeof callsPerProcess>>}
 */
export async function callsIn(folder, { openMs, windowMs, ...seen }) {
  const logs = await Promise.all(
    (await readdir(folder)).map(async (name) => ({
      threadId: Number(name.slice('log.'.length)),
      text: await readFile(join(folder, name), 'latin1'),
    })),
  );
  const fromMs = openMs + Date.now() - sharedNowMs();
  return callsPerProcess(logs, { ...seen, fromMs, toMs: fromMs + windowMs });
}
