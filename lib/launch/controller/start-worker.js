// Starts a worker, or another role of a launch, in one of three ways behind one interface: a process, a process whose stdin and stdout
// belong to the transport, or a thread of this process. openOwnControlChannel opens the other end of the control channel.

import { fileURLToPath } from 'node:url';
import { getHeapStatistics } from 'node:v8';
import { MessageChannel, Worker } from 'node:worker_threads';
import { WORKER } from '../../cell/launch-roles.js';
import { describeExit } from '../../children/child-exit.js';
import { movePinned, movePinnedThread, spawnModule } from '../../children/launcher.js';
import { withDeadline } from '../../children/with-deadline.js';
import { STDIO_IS_TAKEN, ThreadControlChannel } from '../control/control-channel.js';

/** @import { ForkOptions, Program, WorkerStreams } from '../../types/index.js' */
/** @import { ChildProcess } from 'node:child_process' */

/**
 * How a worker ended. `how` continues a sentence with the worker as its subject; `why` is a message of the system or the worker.
 * @typedef {{ code: number | null, how: string, why?: string }} WorkerEnd   code: exit code, or null if there is none
 */
/**
 * @typedef {object} StartedWorker
 * @property {import('../control/control-channel.js').ForkPort} port   port of the control channel to the worker
 * @property {WorkerStreams} streams
 * @property {import('node:stream').Readable | null} stderr   null without `hasOwnStderr`
 * @property {boolean} sharesClock   the worker uses the clock of this process
 * @property {string} identity   'pid 123', 'thread 5 of pid 123'
 * @property {number | null} pid   null for a thread, for a worker on another host, and if the start failed
 * @property {number | null} systemThreadId   id of a thread on Linux or Windows, once the thread has sent it
 * @property {(cpus: number[], helpers?: number[]) => void} pin   pins all threads except its helpers; throws after the worker has ended
 * @property {() => void} kill
 * @property {Promise<WorkerEnd>} ended
 */
/**
 * @typedef {object} Start
 * @property {string} [role]   shown in lists of processes; worker by default
 * @property {ForkOptions} forkOptions
 * @property {Program} [program]   by default this Node with its flags
 * @property {number[] | null} [cpus]   CPUs of a process from its start; null for the CPUs of this process, which a thread always uses
 * @property {boolean} [dieWithParent]   has no effect on a thread, which always ends with its process
 * @property {string[]} [before]   prefix of the command line that runs the process in another network
 * @property {boolean} [hasOwnStderr]   without it, the worker shares the stderr of this process
 * @property {string} [padding]   text of random length that is added to the environment of a process, which shifts its stack
 */

const OUT_OF_MEMORY = 'ran out of memory';

/** Entry module of all roles but the master, as a process or a thread. The workers of a pool have another one. */
export const WORKER_PATH = fileURLToPath(new URL('../worker/worker.js', import.meta.url));

/** @param {string} path   entry module @param {Start} start @returns {StartedWorker} */
export function startWorker(path, start) {
  return start.forkOptions.thread ? startThread(path, start) : startProcess(path, start);
}

/** @param {string} path @param {Start} start */
function startProcess(
  path,
  {
    role = WORKER,
    forkOptions,
    program,
    cpus = null,
    dieWithParent = false,
    before,
    hasOwnStderr = false,
    padding,
  },
) {
  const { serialization = 'json', stdio = false } = forkOptions;
  const stderr = hasOwnStderr ? 'pipe' : 2;
  const stdout = hasOwnStderr ? 'ignore' : 2;
  const args = [...(role === WORKER ? [] : [role]), ...(stdio ? [STDIO_IS_TAKEN] : [])];
  const child = spawnModule(path, args, {
    program,
    serialization,
    placing: { cpus, dieWithParent, before },
    ...(padding !== undefined && { variables: { IPC_BENCH_PADDING: padding } }),
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
      // In a running worker, the error reports a message that was not delivered. The event of the worker's exit has a better reason.
      if (child.pid === undefined) resolve({ code: null, how: 'could not be started', why: message });
    });
    // Node.js does not emit 'close' if the parent has disconnected.
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
  const { port1: port, port2: line } = new MessageChannel();
  const thread = new Worker(path, { workerData: { line }, transferList: [line], stderr: hasOwnStderr });
  const identity = `thread ${thread.threadId} of pid ${process.pid}`;
  /** @type {unknown} */
  let thrown;
  thread.on('error', (error) => {
    thrown = error;
    // Unlike a child process, a thread does not print its error.
    if (!hasOwnStderr) process.stderr.write(`${error?.stack ?? error}\n`);
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
    port: new ThreadControlChannel(port),
    streams: null,
    stderr: hasOwnStderr ? thread.stderr : null,
    sharesClock: true,
    identity,
    pid: null,
    systemThreadId: null,
    pin(cpus) {
      if (worker.systemThreadId === null) throw new Error('it did not send the id of its thread');
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

/** @param {number} code @param {unknown} [thrown] */
function describeEnding(code, thrown) {
  if (thrown === undefined) return { how: `ended by itself with exit code ${code}` };
  const isOutOfMemory = /** @type {any} */ (thrown)?.code === 'ERR_WORKER_OUT_OF_MEMORY';
  const how = isOutOfMemory ? OUT_OF_MEMORY : 'ended by an uncaught error';
  return { how, why: thrown instanceof Error ? thrown.message : String(thrown) };
}

/** @typedef {import('node:worker_threads').Worker & { getHeapStatistics?: () => Promise<unknown> }} Thread */

const CHECK_EVERY_MS = 1_000; // each check takes the master a few microseconds
const ANSWER_WITHIN_MS = 1_000;

/**
 * Finds a thread whose heap is full and that V8 cannot stop. Node.js ends such a thread with ERR_WORKER_OUT_OF_MEMORY as soon as V8 can
 * interrupt its code. In Node.js 26, V8 cannot interrupt the compiled code of some loops: the heap then grows beyond its limit until the
 * memory of the machine is full, and the thread emits no event. Heap statistics are read in such an interrupt, so a thread that does not
 * return them cannot be stopped either. They are read once the memory of this process has grown by more than the limit of one heap.
 * @param {Thread} thread   just started
 * @param {() => void} onFull   called once
 * @returns a function that ends the watch
 */
function watchThreadHeap(thread, onFull) {
  const readStatistics = thread.getHeapStatistics?.bind(thread);
  if (readStatistics === undefined) return () => {}; // missing in Node.js 20, and in 22 before 22.16, where V8 stops every such thread
  const limitBytes = getHeapStatistics().heap_size_limit; // threads have the same limit, since they have the same flags
  const bytesBefore = process.memoryUsage.rss();
  let isReading = false;
  const timer = setInterval(async () => {
    if (isReading || process.memoryUsage.rss() - bytesBefore <= limitBytes) return;
    isReading = true;
    // A rejection means that the thread has ended, which its own event reports.
    const answer = readStatistics().then(
      () => true,
      () => true,
    );
    const hasAnswered = await withDeadline(answer, ANSWER_WITHIN_MS, () => false);
    isReading = false;
    if (hasAnswered) return;
    clearInterval(timer);
    onFull();
  }, CHECK_EVERY_MS);
  timer.unref();
  return () => clearInterval(timer);
}
