// Extra launches that are looked into, after the measured ones and never among them: under strace, to count system
// calls, and with V8's profiler. Both slow down what they look at, so that nothing else is kept of these launches.

import { mkdir, readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { BenchError } from '../errors.js';
import { cellLabel } from '../labels.js';
import { sharedNowMs } from '../launch/clock.js';
import { heaviestFunctions } from '../statistics/heaviest-functions.js';
import { findOnPath } from '../transport-kit/launcher.js';
import { callsPerProcess } from './strace-log.js';

/** @typedef {import('../types.js').Cell} Cell */
/** @typedef {import('../types.js').Options} Options */
/** @typedef {import('./blocks.js').Side} Side */

const FIRST_ORDER = 1_000_000; // beyond the launches that count
const PROFILES_FOLDER = 'profiles';

/**
 * @param {Pick<Options, 'syscalls'>} options
 * @throws {BenchError} BAD_ARGUMENT, before anything is measured
 */
export function assertCanLook({ syscalls }) {
  if (syscalls !== true || findOnPath('strace') !== undefined) return;
  const remedy = process.platform === 'linux' ? 'apt install strace' : 'it exists on Linux only';
  throw new BenchError('BAD_ARGUMENT', `--syscalls needs strace, which is not on PATH: ${remedy}`);
}

/** @param {Side} side   its results get what was seen */
export async function lookInside({ options, results, resultsPath, runner }) {
  const cells = results.outcomes.filter(({ status }) => status === 'measured').map(({ cell }) => cell);
  for (const [place, cell] of cells.entries()) {
    if (options.syscalls) await countSyscalls(cell, FIRST_ORDER + 2 * place, runner, results);
    if (options.profile) {
      const folder = `${String(place).padStart(2, '0')}-${cellLabel(cell).replace(/[^a-z0-9]+/gi, '-')}`;
      const order = FIRST_ORDER + 2 * place + 1;
      await profile(cell, { order, folder, outDir: dirname(resultsPath) }, runner, results);
    }
  }
}

/**
 * @param {Cell} cell
 * @param {number} order
 * @param {Side['runner']} runner
 * @param {Side['results']} results
 */
async function countSyscalls(cell, order, runner, results) {
  const folder = await runner.context.scratch.folderFor(`s${order}`);
  const strace = /** @type {string} */ (findOnPath('strace'));
  // A file for each thread, wall-clock times, no contents: the payloads would fill the disk.
  const args = ['-ff', '-ttt', '-s', '0', '-e', 'signal=none', '-o', join(folder, 'log')];
  /** @type {Parameters<typeof callsPerProcess>[1][]} */
  const seen = [];
  await runner.run(cell, 0, order, () => 0, {
    wrap: ({ execPath, execArgv }) => ({
      execPath: strace,
      execArgv: [...args, '--', execPath, ...execArgv],
    }),
    onDone({ openMs, windowMs, roundTrips, threadIds }) {
      const fromMs = openMs + Date.now() - sharedNowMs();
      seen.push({ fromMs, toMs: fromMs + windowMs, roundTrips, threadIds });
    },
  });
  const [window] = seen;
  if (window === undefined || window.roundTrips === 0) return;
  const logs = await Promise.all(
    (await readdir(folder)).map(async (name) => ({
      threadId: Number(name.slice('log.'.length)),
      text: await readFile(join(folder, name), 'latin1'),
    })),
  );
  results.syscalls ??= [];
  const { roundTrips } = window;
  results.syscalls.push({ cell, roundTrips, processes: callsPerProcess(logs, window) });
}

/**
 * @param {Cell} cell
 * @param {{ order: number, folder: string, outDir: string }} place
 * @param {Side['runner']} runner
 * @param {Side['results']} results
 */
async function profile(cell, { order, folder, outDir }, runner, results) {
  const profileDir = join(outDir, PROFILES_FOLDER, folder);
  await mkdir(profileDir, { recursive: true });
  await runner.run(cell, 0, order, () => 0, { profileDir });
  results.profiles ??= [];
  for (const name of (await readdir(profileDir)).sort()) {
    const heaviest = heaviestFunctions(JSON.parse(await readFile(join(profileDir, name), 'utf8')));
    const processName = name.replace(/\.cpuprofile$/, '');
    results.profiles.push({
      cell,
      process: processName,
      file: `${PROFILES_FOLDER}/${folder}/${name}`,
      heaviest,
    });
  }
}
