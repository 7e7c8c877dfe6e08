// Starts a process of a launch, a worker mostly, in one of three ways, and gives all of them one face: a process, a process whose stdin
// and stdout are the transport's, or a thread of this process. Its other end is opened by openOwnControlChannel.

import { fileURLToPath } from 'node:url';
import { MessageChannel, Worker } from 'node:worker_threads';
import { WORKER } from '../../cell/launch-roles.js';
import { describeExit } from '../../children/child-exit.js';
import { movePinned, movePinnedThread, spawnModule } from '../../children/launcher.js';
import { STDIO_IS_TAKEN, ThreadControlChannel } from '../control/control-channel.js';
import { watchThreadHeap } from '../monitors/thread-heap.js';

/** @import { ForkWishes, Program, WorkerStreams } from '../../types/index.js' */
/** @import { ChildProcess } from 'node:child_process' */

/**
 * How a worker ended: `how` continues a sentence that begins with who it was, `why` is a text of the system's or of the
 * worker's own.
 * @typedef {{ code: number | null, how: string, why?: string }} WorkerEnd   code: null unless it ended by itself
 */
/**
 * @typedef {object} StartedWorker
 * @property {import('../control/control-channel.js').ForkPort} port   of the line to it
 * @property {WorkerStreams} streams
 * @property {import('node:stream').Readable | null} stderr   null unless it was asked for
 * @property {boolean} sharesClock              its clock is that of this process
 * @property {string} identity                     'pid 123', 'thread 5 of pid 123'
 * @property {number | null} pid                    of its own process; null: it is a thread, or could not be started
 * @property {number | null} systemThreadId        of a thread, on Linux and Windows; null as long as it has not said so itself
 * @property {(cpus: number[], helpers?: number[]) => void} pin   without these threads of it; throws when it is gone
 * @property {() => void} kill
 * @property {Promise<WorkerEnd>} ended
 */
/**
 * @typedef {object} Start
 * @property {string} [role]               shown in lists of processes; absent: a worker's
 * @property {ForkWishes} wishes
 * @property {Program} [program]           that executes a process; absent: this Node, as it was started itself
 * @property {number[] | null} [cpus]      that a process may use from its first moment on; a thread inherits its starter's
 * @property {boolean} [dieWithParent]     a thread always does
 * @property {string[]} [before]           words in front of its command line, which run it at another place
 * @property {boolean} [hasOwnStderr]      else what it prints goes to this process' own stderr
 * @property {string} [padding]            of random length, for the environment of a process; absent: as this one has it
 */

const OUT_OF_MEMORY = 'ran out of memory';

/** The module of all that the controller of a launch starts. */
export const WORKER_PATH = fileURLToPath(new URL('../worker/worker.js', import.meta.url));

/** @param {string} path      of its module @param {Start} start @returns {StartedWorker} */
export function startWorker(path, start) {
  return start.wishes.thread ? startThread(path, start) : startProcess(path, start);
}

/** @param {string} path @param {Start} start */
function startProcess(
  path,
  {
    role = WORKER,
    wishes,
    program,
    cpus = null,
    dieWithParent = false,
    before,
    hasOwnStderr = false,
    padding,
  },
) {
  const { serialization = 'json', stdio = false } = wishes;
  const stderr = hasOwnStderr ? 'pipe' : 2;
  const stdout = hasOwnStderr ? 'ignore' : 2;
  const args = [...(role === WORKER ? [] : [role]), ...(stdio ? [STDIO_IS_TAKEN] : [])];
  const child = spawnModule(path, args, {
    program,
    serialization,
    placing: { cpus, dieWithParent, before },
    ...(padding !== undefined && { tells: { IPC_BENCH_PADDING: padding } }),
    stdio: stdio ? ['pipe', 'pipe', stderr, 'ipc'] : ['ignore', stdout, stderr, 'ipc'],
  });
  return asWorker(child, program?.sharesClock);
}

/** @param {ChildProcess} child    just started @param {boolean} [sharesClock] @returns {StartedWorker} */
export function asWorker(child, sharesClock = true) {
  const { stdin, stdout } = child;
  /** @type {Promise<WorkerEnd>} */
  const ended = new Promise((resolve) => {
    child.on('error', ({ message }) => {
      // The error of a worker that runs says that a message did not reach it. Its exit explains that better.
      if (child.pid === undefined) resolve({ code: null, how: 'could not be started', why: message });
    });
    // Not 'close': Node does not emit it when the parent has cut the line.
    child.once('exit', (code, signal) => resolve({ code, how: describeExit(code, signal) }));
  });
  return {
    port: child,
    streams: stdin !== null && stdout !== null ? { stdin, stdout } : null,
    stderr: child.stderr,
    sharesClock,
    identity: child.pid === undefined ? 'no pid' : `pid ${child.pid}`,
    pid: child.pid ?? null,
    systemThreadId: null,
    pin: (cpus, helpers) => movePinned(Number(child.pid), cpus, helpers),
    kill: () => void child.kill('SIGKILL'),
    ended,
  };
}

/** @param {string} path @param {Start} start */
function startThread(path, { hasOwnStderr = false }) {
  const { port1: own, port2: line } = new MessageChannel();
  const thread = new Worker(path, { workerData: { line }, transferList: [line], stderr: hasOwnStderr });
  const identity = `thread ${thread.threadId} of pid ${process.pid}`;
  /** @type {unknown} */
  let thrown;
  thread.on('error', (error) => {
    thrown = error;
    // As a process would have left it behind.
    if (!hasOwnStderr) process.stderr.write(`${/** @type {Error} */ (error)?.stack ?? error}\n`);
  });
  /** @type {Promise<WorkerEnd>} */
  const ended = new Promise((resolve) => {
    const endWatch = watchThreadHeap(thread, () =>
      resolve({
        code: null,
        how: OUT_OF_MEMORY,
        why: 'its heap grows beyond its limit, and V8 cannot stop it',
      }),
    );
    thread.once('exit', (code) => {
      endWatch();
      resolve({ code, ...describeEnding(code, thrown) });
    });
  });
  /** @type {StartedWorker} */
  const worker = {
    port: new ThreadControlChannel(own),
    streams: null,
    stderr: hasOwnStderr ? thread.stderr : null,
    sharesClock: true,
    identity,
    pid: null,
    systemThreadId: null,
    pin(cpus) {
      if (worker.systemThreadId === null) throw new Error('it did not say by which id the system knows it');
      movePinnedThread(worker.systemThreadId, cpus);
    },
    kill: () => void thread.terminate(),
    ended,
  };
  thread.once('message', ({ systemThreadId }) => {
    worker.systemThreadId = systemThreadId;
  });
  return worker;
}

/** @param {number} code @param {unknown} thrown     undefined: nothing was */
function describeEnding(code, thrown) {
  if (thrown === undefined) return { how: `ended by itself with exit code ${code}` };
  const isOutOfMemory = /** @type {any} */ (thrown)?.code === 'ERR_WORKER_OUT_OF_MEMORY';
  const how = isOutOfMemory ? OUT_OF_MEMORY : 'ended by an error that nobody caught';
  return { how, why: thrown instanceof Error ? thrown.message : String(thrown) };
}
