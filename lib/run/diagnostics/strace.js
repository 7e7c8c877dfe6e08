// Counts system calls per operation: makes an extra launch under strace, and reads its logs.

import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findOnPath } from '../../children/launcher.js';
import { BenchError } from '../../errors.js';
import { MS_PER_S } from '../../format/units.js';
import { sharedNowMs } from '../../machine/clock.js';
import { controllerWithOwnClock, peerOfCell } from '../assign.js';
import { NoResult } from './extra-launch.js';

/** @import { MeasuredOutcome, Results } from '../../types/index.js' */
/** @import { Wrap } from '../launch.js' */
/** @import { ExtraLaunches } from './extra-launch.js' */
/** @returns the path of strace @throws {BenchError} BAD_ARGUMENT if it is missing */
export function findStrace() {
  const path = findOnPath('strace');
  if (path !== undefined) return path;
  const remedy = process.platform === 'linux' ? 'apt install strace' : 'it exists on Linux only';
  throw new BenchError('BAD_ARGUMENT', `--syscalls needs strace, which is not on PATH: ${remedy}`);
}

/** @param {string} folder   for the logs @returns {Wrap} */
function underStrace(folder) {
  // The options select one file per thread, wall-clock times, and no contents, because payloads would fill the disk.
  const options = ['-ff', '-ttt', '-s', '0', '-e', 'signal=none', '-o', join(folder, 'log')];
  return ({ command, args }) => ({ command: findStrace(), args: [...options, '--', command, ...args] });
}

/**
 * @param {Pick<MeasuredOutcome, 'cell'>} outcome
 * @param {ExtraLaunches} extra
 * @returns {Promise<NonNullable<Results['syscalls']>>}
 * @throws {NoResult}
 */
export async function countSyscalls({ cell }, extra) {
  const { runtimes } = extra.runner.context.plugins;
  const peer = peerOfCell(cell, runtimes);
  if (peer !== null) {
    const message = `${peer} is a further process, which this does not attribute: run strace -c -p on it by hand`;
    throw new NoResult({ message });
  }
  const controller = controllerWithOwnClock(cell, runtimes);
  if (controller !== null) {
    const message = `${controller} has a clock of its own, and strace that of the machine, so the calls of the window are unknown`;
    throw new NoResult({ message });
  }
  return extra.launch(
    cell,
    (logs) => ({ wrap: underStrace(logs) }),
    async ({ folder, report }) => {
      const { openMs, windowMs, operations, threadIds, reports } = report;
      const fromMs = openMs + Date.now() - sharedNowMs();
      const names = reports.map((/** @type {{ id: string }} */ { id }) => id);
      const window = { fromMs, toMs: fromMs + windowMs, operations, threadIds, names };
      return [{ cell, operations, processes: callsPerProcess(await readLogs(folder), window) }];
    },
  );
}

/** @param {string} folder @returns {Promise<ThreadLog[]>} */
async function readLogs(folder) {
  return Promise.all(
    (await readdir(folder)).map(async (name) => ({
      threadId: Number(name.slice('log.'.length)),
      text: await readFile(join(folder, name), 'latin1'),
    })),
  );
}

/** @typedef {{ threadId: number, text: string }} ThreadLog */

const CALL = /^(\d+\.\d+) (\w+)\(/;
const BIRTH = /^\d+\.\d+ (?:clone3?|v?fork)\((.*)\) += (\d+)/gm;

/**
 * Counts the calls of each process per operation within the window.
 * @param {ThreadLog[]} logs   from `-ff -ttt`: one file per thread, with wall-clock times
 * @param {object} window
 * @param {number} window.fromMs         by the wall clock
 * @param {number} window.toMs
 * @param {number} window.operations
 * @param {number[]} [window.threadIds]  workers that are threads of the master; its other threads count as the master
 * @param {string[]} [window.names]      names of the processes that the master starts, in order of start; 'w0', 'w1' … by default
 * @returns {import('../../types/results-file.js').SyscallCounts['processes']} Processes without calls are omitted. The master is first.
 */
export function callsPerProcess(logs, { fromMs, toMs, operations, threadIds, names = [] }) {
  const births = logs.flatMap(({ threadId, text }) =>
    [...text.matchAll(BIRTH)].map(([line, how, child]) => ({
      parent: threadId,
      child: Number(child),
      at: Number.parseFloat(line),
      isThread: how.includes('CLONE_THREAD'),
    })),
  );
  const birthOf = new Map(births.map((birth) => [birth.child, birth]));
  const workerThreads = new Set(threadIds);
  const controllerOf = (/** @type {number} */ threadId) => {
    let id = threadId;
    for (let birth = birthOf.get(id); birth?.isThread; birth = birthOf.get(id)) id = birth.parent;
    return id;
  };
  /** Attributes processes that a worker starts to the worker. @type {(threadId: number) => number} */
  const processOf = (threadId) => {
    if (workerThreads.has(threadId)) return threadId;
    const controller = controllerOf(threadId);
    const birth = birthOf.get(controller);
    const parent = birth === undefined ? controller : controllerOf(birth.parent);
    return birthOf.has(parent) ? processOf(parent) : controller;
  };
  /** @type {Map<number | 'master', Map<string, number>>} */
  const counts = new Map([['master', new Map()]]);
  const children = births.filter(({ isThread }) => !isThread).sort((left, right) => left.at - right.at);
  for (const id of [...children.map(({ child }) => child), ...workerThreads]) counts.set(id, new Map());
  for (const { threadId, text } of logs) {
    const calls = /** @type {Map<string, number>} */ (
      counts.get(processOf(threadId)) ?? counts.get('master')
    );
    for (const line of text.split('\n')) {
      const [, at, call] = CALL.exec(line) ?? [];
      if (call === undefined || Number(at) * MS_PER_S < fromMs || Number(at) * MS_PER_S >= toMs) continue;
      calls.set(call, (calls.get(call) ?? 0) + 1);
    }
  }
  // Processes that only helped to start the launch have exited before the window. The remaining ones have a role.
  const present = [...counts].filter(([, calls]) => calls.size > 0);
  const first = present.findIndex(([id]) => id !== 'master');
  return present.map(([id, calls], index) => ({
    name: id === 'master' ? id : (names[index - first] ?? `w${index - first}`),
    calls: Object.fromEntries(
      [...calls]
        .sort(([, left], [, right]) => right - left)
        .map(([call, count]) => [call, count / operations]),
    ),
  }));
}
