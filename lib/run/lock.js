// Permits one measuring run per user and host at a time, because two would disturb each other. Each run writes a ticket, a claim in a
// folder that all runs of a user share, and may measure when the folder contains no other ticket of a live run.

import { lstat, mkdir, rmdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { acquireClaim } from '../children/claims.js';
import { TEMPORARY_VARIABLE } from '../children/run-directory.js';
import { BenchError } from '../errors.js';
import { MS_PER_MINUTE } from '../format/units.js';

/** @import { Holder } from '../children/claims.js' */
/** @import { LockMode } from '../types/index.js' */

const TICKETS = { prefix: 'measuring-', suffix: '' };
const SHARED_FOLDER = '/tmp';
const LOCK_VARIABLE = 'IPC_BENCH_LOCK_FOLDER'; // for tests, which do not wait for one another
const REMEDY = `set ${TEMPORARY_VARIABLE} to a folder that you can write to`;
const MAX_WAIT_MS = 2 * 3_600_000; // the longest duration of a run without --force
const POLL_EVERY_MS = 1_000; // A poll disturbs the other run for a moment.
const RETRY_WITHIN_MS = 200; // Two runs that write tickets at the same time both remove them, and retry after a random time up to this.
const TRIES_TO_FAIL = 10;

/**
 * @param {object} options
 * @param {LockMode} options.mode
 * @param {AbortSignal} options.signal
 * @param {(holder: Holder) => void} [options.onWaiting]    called once if the run has to wait
 * @param {string[]} [options.parents]                      parents of the folder of tickets; the first usable one is taken
 * @param {number} [options.longestWaitMs]
 * @returns a function that releases the lock
 * @throws {BenchError} LOCKED; INTERRUPTED after an abort; SCRATCH_UNUSABLE
 */
export async function acquireLock({
  mode,
  signal,
  onWaiting,
  parents = usualParents(),
  longestWaitMs = MAX_WAIT_MS,
}) {
  const deadlineMs = performance.now() + longestWaitMs;
  let hasNotified = false;
  let folder = '';
  const findFiles = async () => {
    folder = await privateFolder(parents);
    return { folder, ...TICKETS };
  };
  /** @param {Holder[]} others @param {number} tries */
  const onTaken = async (others, tries) => {
    if (others.length === 0) return; // The folder or the ticket was removed in the meantime.
    const holder = others.find(({ since }) => since !== '');
    if (mode === 'fail' && (holder !== undefined || tries >= TRIES_TO_FAIL)) throw busy(holder ?? others[0]);
    if (performance.now() > deadlineMs) throw busy(holder ?? others[0], longestWaitMs);
    if (holder !== undefined && !hasNotified) onWaiting?.(holder);
    hasNotified ||= holder !== undefined;
    await pause(holder === undefined ? Math.random() * RETRY_WITHIN_MS : POLL_EVERY_MS, signal);
  };
  try {
    const ticket = await acquireClaim(findFiles, { isForced: mode === 'ignore', onTaken });
    return async () => {
      await ticket.release();
      await rmdir(folder).catch(() => {}); // It fails unless the folder is empty.
    };
  } catch (cause) {
    await rmdir(folder).catch(() => {});
    const { message, syscall } = /** @type {NodeJS.ErrnoException} */ (cause);
    if (syscall === undefined) throw cause; // thrown by onWaiting(), or a BenchError
    const what = `the lock of measuring runs cannot be kept in ${folder} (${message})`;
    throw new BenchError('SCRATCH_UNUSABLE', `${what}: ${REMEDY}`, { cause });
  }
}

/**
 * Lists the folders in which the folder of tickets may be. The first one is /tmp, except on Windows, since it is the same in every
 * shell and service of a host. The others are for a host on which it cannot be written. IPC_BENCH_LOCK_FOLDER replaces all of them.
 * @param {NodeJS.ProcessEnv} [environment]
 * @param {NodeJS.Platform} [platform]
 * @returns {string[]} absolute paths
 */
export function usualParents(environment = process.env, platform = process.platform) {
  const { [LOCK_VARIABLE]: chosen = '', XDG_RUNTIME_DIR: ofSession = '' } = environment;
  if (isAbsolute(chosen)) return [chosen];
  const shared = platform === 'win32' ? [] : [SHARED_FOLDER];
  return [...shared, ...(isAbsolute(ofSession) ? [ofSession] : []), tmpdir()];
}

/** @param {string[]} parents @returns a folder that only this user can write to */
async function privateFolder(parents) {
  const name = `ipc-bench-${process.getuid?.() ?? 'user'}`;
  const reasons = [];
  for (const parent of parents) {
    const folder = join(parent, name);
    try {
      await mkdir(folder, { mode: 0o700 });
      return folder;
    } catch (error) {
      const { code, message } = /** @type {NodeJS.ErrnoException} */ (error);
      if (code === 'EEXIST' && (await isPrivate(folder))) return folder;
      reasons.push(code === 'EEXIST' ? `${folder} is not a private folder of yours` : message);
    }
  }
  throw new BenchError(
    'SCRATCH_UNUSABLE',
    `no place for the lock of measuring runs (${reasons.join('; ')}): ${REMEDY}`,
  );
}

/** @param {string} folder */
async function isPrivate(folder) {
  const found = await lstat(folder).catch(() => null);
  if (found === null) return true; // The next attempt creates it again.
  if (process.getuid === undefined) return found.isDirectory();
  return found.isDirectory() && found.uid === process.getuid() && (found.mode & 0o077) === 0;
}

/** @param {Holder} holder @param {number} [waitedMs] */
function busy({ pid, since }, waitedMs) {
  const waited = waitedMs === undefined ? '' : `, still after ${Math.round(waitedMs / MS_PER_MINUTE)} min`;
  return new BenchError(
    'LOCKED',
    `another ipc-bench run is active (pid ${pid}${since && `, since ${since}`})${waited}. ` +
      'Wait until it ends, or add --lock ignore to measure now; the two runs then disturb each other',
  );
}

/** @param {number} ms @param {AbortSignal} signal */
async function pause(ms, signal) {
  try {
    await sleep(ms, undefined, { signal });
  } catch (cause) {
    throw new BenchError('INTERRUPTED', 'interrupted while another run was measuring', { cause });
  }
}
