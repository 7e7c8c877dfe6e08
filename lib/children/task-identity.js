// What tells a process, or a thread of it, from a later one of the same id: when it was started, as /proc or ps tells it. Windows
// would tell it by the start of PowerShell, which takes longer than all else: there a token is held, as the name of a pipe.

import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFile, readlink } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { promisify } from 'node:util';

const NOT_TOLD = '0';

/** @typedef {'alive' | 'gone' | 'unknown'} OwnerState */
/**
 * @typedef {object} Identity
 * @property {(task: string) => Promise<string>} readOwn     of the calling thread, for as long as it lives
 * @property {(task: string, own: string) => Promise<OwnerState>} readState   of one whose process id is in use
 */

/** @returns {Promise<Identity>} as this system tells it */
export async function findIdentity() {
  if (process.platform === 'win32') return byHeldName((token) => `\\\\.\\pipe\\ipc-bench-owner-${token}`);
  if (await hasOwnProc()) return byStartTime(readStartTime);
  // Without a /proc of its own namespace, ps of Linux tells of other processes.
  return byStartTime(process.platform === 'linux' ? async () => null : askPs);
}

function makeToken() {
  return BigInt(`0x${randomBytes(7).toString('hex')}`).toString(36);
}

/**
 * @param {(task: string) => Promise<string | null>} readStart   '': it has ended; null: the system does not tell
 * @returns {Identity}
 */
export function byStartTime(readStart) {
  return {
    // Not told: a later process of this id has another token.
    readOwn: async (task) => (await readStart(task)) || `${NOT_TOLD}${makeToken()}`,
    async readState(task, own) {
      const [pid] = task.split('/');
      const isThread = task !== pid;
      const now = own.startsWith(NOT_TOLD) ? null : await readStart(pid);
      if (now === null) return isThread ? 'unknown' : 'alive';
      return (isThread ? await readStart(task) : now) === own ? 'alive' : 'gone';
    },
  };
}

/**
 * By the name of a socket that the system closes when the process, or the thread, ends in any way.
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
        // Any other failure, such as a pipe that is busy or of another user, tells that somebody holds it.
        socket.once('error', (/** @type {NodeJS.ErrnoException} */ { code = '' }) =>
          done(['ENOENT', 'ECONNREFUSED'].includes(code) ? 'gone' : 'alive'),
        );
      }),
    release: () => server.close(),
  };
}

const run = promisify(execFile);

/**
 * Of macOS and the BSDs, which have no /proc.
 * @param {string} task
 * @param {typeof run} [start]
 * @returns {Promise<string | null>} as `readStartTime`, in seconds
 */
export async function askPs(task, start = run) {
  if (task.includes('/')) return null; // threads are not listed
  try {
    const env = { ...process.env, LC_ALL: 'C', TZ: 'UTC' };
    const { stdout } = await start('ps', ['-o', 'stat=', '-o', 'lstart=', '-p', task], { env });
    const [, state, startedAt] = /^\s*(\S+)\s+(.+?)\s*$/.exec(String(stdout)) ?? [];
    if (hasEnded(state?.[0])) return '';
    const seconds = Date.parse(`${startedAt} UTC`) / 1_000;
    return Number.isFinite(seconds) ? seconds.toString(36) : null;
  } catch (error) {
    // It prints nothing, and ends with 1, where there is no such process.
    return /** @type {{ code?: unknown }} */ (error).code === 1 ? '' : null;
  }
}

/**
 * @param {string} task     'PID', or 'PID/task/ID'
 * @returns {Promise<string | null>} when it was started, in clock ticks since boot, to base 36: with its id it names one task for
 *   ever. '': it has ended; null: the system does not tell
 */
async function readStartTime(task) {
  try {
    const [state, ...fields] = statFields(await readFile(`/proc/${task}/stat`, 'latin1'));
    return hasEnded(state) ? '' : Number(fields[18]).toString(36); // field 22 of man 5 proc
  } catch {
    // Of another user's, with hidepid: that it is there has been asked before.
    return task.includes('/') ? '' : null;
  }
}

/** @param {string} stat   /proc/PID/stat @returns its fields from the third on: the name before may hold anything */
export function statFields(stat) {
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}

/** @param {string} state   of a process, as in /proc/PID/stat @returns nobody has asked a zombie how it ended, and perhaps nobody ever will */
export function hasEnded(state) {
  return 'ZX'.includes(state); // of man 5 proc
}

/** @returns there is a /proc, and it shows our PID namespace: `unshare --pid` alone leaves the other one */
export async function hasOwnProc() {
  const self = await readlink('/proc/self').catch(() => '');
  return self === String(process.pid);
}
