// One measuring run per user and host at a time: two would measure each other. Each run puts down a ticket, a file named
// after its process; it may measure when no other ticket of a live process lies there. A ticket needs no clean-up to be
// safe: that of a dead process counts for nothing and is removed by whoever meets it, since no process gets its name again.

import { lstat, mkdir, open, readdir, readFile, rmdir, unlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { BenchError } from '../errors.js';
import { isAlive, startTimeOf } from '../processes/owner.js';

/** @import { LockMode } from '../types/index.js' */
/** @typedef {{ pid: number, since: string }} Holder    since: ISO 8601; '' while it only tries */

const TICKET = /^measuring-(\d+)-(\d+)-\d+$/;
const LONGEST_WAIT_MS = 2 * 3_600_000; // as long as a run may take that was not forced
const LOOK_EVERY_MS = 1_000; // each look is a moment's disturbance of the run that is waited for
const RETRY_WITHIN_MS = 200; // of two that put down their tickets at once, both step back
const TRIES_TO_FAIL = 10;

let ticketsOfThisProcess = 0;

/**
 * @param {object} wish
 * @param {LockMode} wish.mode
 * @param {AbortSignal} wish.signal
 * @param {(holder: Holder) => void} [wish.onWaiting]    once, when it has to wait
 * @param {string[]} [wish.parents]                      where to put the folder of the tickets: the first that can be used
 * @param {number} [wish.longestWaitMs]
 * @returns {Promise<() => Promise<void>>} ends the turn
 * @throws {BenchError} LOCKED, or INTERRUPTED at the signal
 */
export async function takeTurn({
  mode,
  signal,
  onWaiting,
  parents = usualParents(),
  longestWaitMs = LONGEST_WAIT_MS,
}) {
  const deadlineMs = performance.now() + longestWaitMs;
  let hasTold = false;
  for (let tries = 1; ; tries += 1) {
    const folder = await privateFolder(parents);
    let others = mode === 'ignore' ? [] : await liveTickets(folder, '');
    if (others.length === 0) {
      const ticket = await putDown(folder);
      if (ticket === null) continue;
      // Each run looks around after it has put its ticket down: of two at once at least one sees the other.
      others = mode === 'ignore' ? [] : await liveTickets(folder, ticket.path);
      if (others.length === 0) {
        await ticket.write();
        return () => pickUp(folder, ticket.path);
      }
      await pickUp(folder, ticket.path);
    }
    const holder = others.find(({ since }) => since !== '');
    if (mode === 'fail' && (holder !== undefined || tries === TRIES_TO_FAIL)) throw busy(holder ?? others[0]);
    if (performance.now() > deadlineMs) throw busy(holder ?? others[0], longestWaitMs);
    if (holder !== undefined && !hasTold) onWaiting?.(holder);
    hasTold ||= holder !== undefined;
    await pause(holder === undefined ? Math.random() * RETRY_WITHIN_MS : LOOK_EVERY_MS, signal);
  }
}

/** @returns {string[]} the folder of the login session is this user's and this host's own; not everybody has one */
function usualParents() {
  const { XDG_RUNTIME_DIR = '' } = process.env;
  return [...(isAbsolute(XDG_RUNTIME_DIR) ? [XDG_RUNTIME_DIR] : []), tmpdir()];
}

/** @param {string[]} parents @returns {Promise<string>} a folder that only this user can write to */
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
      if (code === 'EEXIST' && (await isOurs(folder))) return folder;
      reasons.push(code === 'EEXIST' ? `${folder} is not a private folder of yours` : message);
    }
  }
  throw new BenchError(
    'SCRATCH_UNUSABLE',
    `no place for the lock of measuring runs (${reasons.join('; ')}): set TMPDIR to a folder that you can write to`,
  );
}

/** @param {string} folder */
async function isOurs(folder) {
  const found = await lstat(folder).catch(() => null);
  if (found === null) return true; // removed since: the next look makes it again
  if (process.getuid === undefined) return found.isDirectory();
  return found.isDirectory() && found.uid === process.getuid() && (found.mode & 0o077) === 0;
}

/**
 * @param {string} folder
 * @returns {Promise<{ path: string, write: () => Promise<void> } | null>} null: the folder was removed meanwhile
 */
async function putDown(folder) {
  ticketsOfThisProcess += 1;
  const ticket = ticketsOfThisProcess;
  const name = `measuring-${process.pid}-${await startTimeOf(process.pid)}-${ticket}`;
  const path = join(folder, name);
  try {
    const file = await open(path, 'wx', 0o600);
    return {
      path,
      async write() {
        await file.writeFile(new Date().toISOString());
        await file.close();
      },
    };
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code === 'ENOENT') return null;
    throw error;
  }
}

/** @param {string} folder @param {string} path    of the ticket */
async function pickUp(folder, path) {
  await unlink(path).catch(() => {});
  await rmdir(folder).catch(() => {}); // only when it is empty
}

/** @param {string} folder @param {string} ownPath @returns {Promise<Holder[]>} of other runs */
async function liveTickets(folder, ownPath) {
  const holders = [];
  for (const name of await readdir(folder).catch(() => [])) {
    const [, pid, startTime] = TICKET.exec(name) ?? [];
    const path = join(folder, name);
    if (pid === undefined || path === ownPath) continue;
    if (await isAlive(Number(pid), startTime)) {
      holders.push({ pid: Number(pid), since: await readFile(path, 'utf8').catch(() => '') });
    } else {
      await unlink(path).catch(() => {});
    }
  }
  return holders;
}

/** @param {Holder} holder @param {number} [waitedMs] */
function busy({ pid, since }, waitedMs) {
  const waited = waitedMs === undefined ? '' : `, and still does after ${Math.round(waitedMs / 60_000)} min`;
  return new BenchError(
    'LOCKED',
    `another run of yours is measuring here (pid ${pid}${since && `, since ${since}`})${waited}. ` +
      'Wait for its end, or measure at once with --lock ignore: then the two disturb each other',
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
