// Distinguishes a process or a thread from a later one with the same id, by its start time from /proc or ps. On Windows, reading
// start times would require PowerShell, so a process holds a named pipe with a random name instead.

import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFile, readlink } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { promisify } from 'node:util';

const UNKNOWN_START = '0';

/** @typedef {'alive' | 'gone' | 'unknown'} OwnerState */
/**
 * @typedef {object} Identity
 * @property {(task: string) => Promise<string>} readOwn   reads the identity of the calling thread
 * @property {(task: string, start: string) => Promise<OwnerState>} readState   reads the state of a task whose process id is in use
 */

/** @returns {Promise<Identity>} */
export async function findIdentity() {
  if (process.platform === 'win32') return byHeldName((token) => `\\\\.\\pipe\\ipc-bench-owner-${token}`);
  if (await hasOwnProc()) return byStartTime(readStartTime);
  // In a PID namespace with the /proc of another namespace, ps lists wrong processes.
  return byStartTime(process.platform === 'linux' ? async () => null : askPs);
}

function makeToken() {
  return BigInt(`0x${randomBytes(7).toString('hex')}`).toString(36);
}

/**
 * @param {(task: string) => Promise<string | null>} readStart   resolves with an empty text if the task has ended, with null if unknown
 * @returns {Identity}
 */
export function byStartTime(readStart) {
  return {
    // If the start time is unknown, a random token still makes the identity differ from that of an earlier task with this id.
    readOwn: async (task) => (await readStart(task)) || `${UNKNOWN_START}${makeToken()}`,
    async readState(task, start) {
      const [pid] = task.split('/');
      const isThread = task !== pid;
      const now = start.startsWith(UNKNOWN_START) ? null : await readStart(pid);
      if (now === null) return isThread ? 'unknown' : 'alive';
      return (isThread ? await readStart(task) : now) === start ? 'alive' : 'gone';
    },
  };
}

/**
 * Identifies a task by the name of a listening socket, which the system closes when the process or thread ends for any reason.
 * @param {(token: string) => string} addressOf
 * @returns {Identity & { release: () => void }}
 */
export function byHeldName(addressOf) {
  const server = createServer((socket) => socket.destroy());
  return {
    async readOwn() {
      const token = makeToken();
      await new Promise((done, failed) => {
        server.once('error', failed).listen(addressOf(token), () => done(undefined));
      });
      server.unref();
      return token;
    },
    readState: (_task, token) =>
      new Promise((done) => {
        const socket = connect(addressOf(token));
        socket.once('connect', () => {
          socket.destroy();
          done('alive');
        });
        // Any other failure, such as a busy pipe or a pipe of another user, means that the task exists.
        /** @param {NodeJS.ErrnoException} error */
        const onError = ({ code = '' }) => done(['ENOENT', 'ECONNREFUSED'].includes(code) ? 'gone' : 'alive');
        socket.once('error', onError);
      }),
    release: () => server.close(),
  };
}

const run = promisify(execFile);

/**
 * Reads a start time with ps, for macOS and the BSDs, which have no /proc.
 * @param {string} task
 * @param {typeof run} [start]
 * @returns {Promise<string | null>} start time in seconds since 1970, in base 36; empty if the task has ended, null if unknown
 */
export async function askPs(task, start = run) {
  if (task.includes('/')) return null; // ps does not list threads
  try {
    const env = { ...process.env, LC_ALL: 'C', TZ: 'UTC' };
    const { stdout } = await start('ps', ['-o', 'stat=', '-o', 'lstart=', '-p', task], { env });
    const [, state, startedAt] = /^\s*(\S+)\s+(.+?)\s*$/.exec(String(stdout)) ?? [];
    if (isTaskEnded(state?.[0])) return '';
    const seconds = Date.parse(`${startedAt} UTC`) / 1_000;
    return Number.isFinite(seconds) ? seconds.toString(36) : null;
  } catch (error) {
    // Without such a process, ps prints nothing and exits with 1.
    return /** @type {{ code?: unknown }} */ (error).code === 1 ? '' : null;
  }
}

/**
 * @param {string} task   'PID', or 'PID/task/ID'
 * @returns {Promise<string | null>} start time in clock ticks since boot, in base 36; empty if the task has ended, null if unknown
 */
async function readStartTime(task) {
  try {
    const [state, ...fields] = statFields(await readFile(`/proc/${task}/stat`, 'latin1'));
    return isTaskEnded(state) ? '' : Number(fields[18]).toString(36); // field 22 of man 5 proc
  } catch {
    // With hidepid, files of another user cannot be read. The caller has already checked that the process exists.
    return task.includes('/') ? '' : null;
  }
}

/** @param {string} stat   /proc/PID/stat @returns fields from the third on, since the second may contain any character */
export function statFields(stat) {
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}

/** @param {string} state   state in /proc/PID/stat @returns whether it is a zombie or dead */
export function isTaskEnded(state) {
  return 'ZX'.includes(state); // see man 5 proc
}

/** @returns whether /proc belongs to this PID namespace; `unshare --pid` alone keeps the /proc of the parent namespace */
export async function hasOwnProc() {
  const self = await readlink('/proc/self').catch(() => '');
  return self === String(process.pid);
}
