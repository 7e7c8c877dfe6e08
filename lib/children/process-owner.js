// Whose something is that a killed run may have left behind: a process, or a thread of it, is named by its id, by when it was
// started, since ids are given anew, and by the boot and the PID namespace in which that id counts.

import { createHash } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { readFile, readlink, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { isMainThread, threadId } from 'node:worker_threads';

const NOT_TOLD = '0';
const ENDED_STATES = 'ZX'; // of man 5 proc: nobody has asked a zombie how it ended, and perhaps nobody ever will

/** Of a name as `ownerName` gives it, for the names of files. */
export const OWNER = String.raw`[1-9]\d{0,9}(?:\.\d{1,10})?-[0-9a-z]{1,13}-[0-9a-z]{1,5}`;
const PARTS = /^(\d+)(?:\.(\d+))?-([0-9a-z]+)-([0-9a-z]+)$/;

/** @type {Promise<string> | undefined} */
let ownName;

/** @returns of the calling thread: no other one has it, in whichever container it runs */
export function ownerName() {
  ownName ??= readOwnName();
  return ownName;
}

/**
 * @param {string} owner     as `ownerName` gave it
 * @returns {Promise<'alive' | 'gone' | 'unknown'>} unknown: it cannot be seen from here, since it runs, or ran, in another PID
 *   namespace or before the last boot, or is a thread of a system that does not list them
 */
export async function readOwnerState(owner) {
  if (owner === (await ownerName())) return 'alive';
  const [, pid, thread, startTime, place] = PARTS.exec(owner) ?? [];
  if (pid === undefined || place !== ownPlace()) return 'unknown';
  if (!isThere(Number(pid))) return 'gone';
  const now = startTime === NOT_TOLD ? null : await readStartTime(pid);
  if (now === null) return thread === undefined ? 'alive' : 'unknown';
  const found = thread === undefined ? now : await readStartTime(`${pid}/task/${thread}`);
  return found === startTime ? 'alive' : 'gone';
}

/**
 * @param {string} owner
 * @param {string} path      of what is its own
 * @param {number} quietMs   so long does a live owner never leave it unchanged
 * @returns what cannot be seen from here is judged by its age
 */
export async function isLeftBehind(owner, path, quietMs) {
  const state = await readOwnerState(owner);
  if (state !== 'unknown') return state === 'gone';
  const found = await stat(path).catch(() => null);
  return found !== null && Date.now() - found.mtimeMs > quietMs;
}

/** @param {string} stat   /proc/PID/stat @returns its fields from the third on: the name before may hold anything */
export function statFields(stat) {
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}

async function readOwnName() {
  const isListed = await hasOwnProc();
  const thread = isListed ? basename(readlinkSync('/proc/thread-self')) : String(threadId);
  const task = isMainThread ? '' : `.${thread}`;
  const self = isMainThread ? `${process.pid}` : `${process.pid}/task/${thread}`;
  return `${process.pid}${task}-${(await readStartTime(self)) ?? NOT_TOLD}-${ownPlace()}`;
}

/**
 * @param {string} task     'PID', or 'PID/task/ID'
 * @returns when it was started, in clock ticks since boot, to base 36: with its id it names one task for
 *   ever. '': it has ended; null: the system does not tell
 */
async function readStartTime(task) {
  if (!(await hasOwnProc())) return null;
  try {
    const [state, ...fields] = statFields(await readFile(`/proc/${task}/stat`, 'latin1'));
    return ENDED_STATES.includes(state) ? '' : Number(fields[18]).toString(36); // field 22 of man 5 proc
  } catch {
    // Of another user's, with hidepid: that it is there has been asked before.
    return task.includes('/') ? '' : null;
  }
}

/** @returns there is a /proc, and it shows our PID namespace: `unshare --pid` alone leaves the other one */
async function hasOwnProc() {
  const self = await readlink('/proc/self').catch(() => '');
  return self === String(process.pid);
}

/** @type {string | undefined} */
let place;

/** @returns of five characters: the same in all that see each other's process ids */
function ownPlace() {
  place ??= readPlace();
  return place;
}

function readPlace() {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'latin1');
    const text = `${boot} ${readlinkSync('/proc/self/ns/pid')}`;
    return createHash('sha256').update(text).digest().readUInt32BE().toString(36).padStart(5, '0').slice(-5);
  } catch {
    return NOT_TOLD; // it is not Linux, or /proc is not there: ids count in all of the machine
  }
}

/** @param {number} pid @returns some process has it */
function isThere(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return /** @type {NodeJS.ErrnoException} */ (error).code !== 'ESRCH';
  }
}

// What is still to be done when this process, or the thread that calls, ends without having done it in good order: at a
// second Ctrl-C, by process.exit or by an error that nobody caught. All of it has to be synchronous.

/** @type {Set<() => void>} */
const works = new Set();

/** @param {() => void} work @returns takes it back: it was done in good order */
export function atExit(work) {
  if (works.size === 0) process.on('exit', workOff);
  works.add(work);
  return () => {
    works.delete(work);
    if (works.size === 0) process.off('exit', workOff);
  };
}

function workOff() {
  for (const work of works) {
    try {
      work();
    } catch {
      // What is left is removed by the next run.
    }
  }
}
