// Whose something is that a killed run may have left behind: a process, or a thread of it, is named by its id, by what tells it
// from a later one of the same id, and by the boot and the PID namespace in which that id counts.

import { createHash } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { isMainThread, threadId } from 'node:worker_threads';
import { findIdentity, hasOwnProc } from './task-identity.js';

/** @import { Identity, OwnerState } from './task-identity.js' */

const NOT_TOLD = '0';

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
 * @param {Identity} [identity]
 * @returns {Promise<OwnerState>} unknown: it cannot be seen from here, since it runs, or ran, in another PID namespace or before the
 *   last boot, or is a thread of a system that does not list them
 */
export async function readOwnerState(owner, identity) {
  if (owner === (await ownerName())) return 'alive';
  const [, pid, thread, own, place] = PARTS.exec(owner) ?? [];
  if (pid === undefined || place !== ownPlace()) return 'unknown';
  const task = taskText(pid, thread);
  if (isMainThread && task === String(process.pid)) return 'gone'; // an earlier process with this id
  if (!isThere(Number(pid))) return 'gone';
  return (identity ?? (await findIdentity())).readState(task, own);
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

async function readOwnName() {
  const thread = (await hasOwnProc()) ? basename(readlinkSync('/proc/thread-self')) : String(threadId);
  const own = isMainThread ? undefined : thread;
  const identity = await findIdentity();
  const start = await identity.readOwn(taskText(process.pid, own));
  return `${process.pid}${own === undefined ? '' : `.${own}`}-${start}-${ownPlace()}`;
}

/** @param {string | number} pid @param {string} [thread] @returns as /proc has it */
function taskText(pid, thread) {
  return thread === undefined ? String(pid) : `${pid}/task/${thread}`;
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
export function isThere(pid) {
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
