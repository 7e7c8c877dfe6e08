// Names the process or thread that owns a file or folder, so that files of a killed run are recognised. The name has the id of the owner,
// its start time, which distinguishes it from a later owner with the same id, and the boot and the PID namespace in which the id is valid.
// Also cleans up for a process or thread that ends early.

import { createHash } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { basename } from 'node:path';
import { isMainThread, threadId } from 'node:worker_threads';
import { findIdentity, hasOwnProc, isTaskEnded, statFields } from './task-identity.js';

/** @import { Identity, OwnerState } from './task-identity.js' */

const UNKNOWN = '0';

/** Pattern of names that `ownerName` returns. */
export const OWNER = String.raw`[1-9]\d{0,9}(?:\.\d{1,10})?-[0-9a-z]{1,13}-[0-9a-z]{1,5}`;
const PARTS = /^(\d+)(?:\.(\d+))?-([0-9a-z]+)-([0-9a-z]+)$/;

/** @type {Promise<string> | undefined} */
let ownName;

/** @returns the name of the calling thread, unique across containers */
export function ownerName() {
  ownName ??= readOwnName();
  return ownName;
}

/**
 * @param {string} owner   a name returned by `ownerName`
 * @param {Identity} [identity]
 * @returns {Promise<OwnerState>} unknown for another PID namespace or boot, and for threads on systems that do not list them
 */
export async function readOwnerState(owner, identity) {
  if (owner === (await ownerName())) return 'alive';
  const [, pid, thread, start, namespace] = PARTS.exec(owner) ?? [];
  if (pid === undefined || namespace !== ownNamespace()) return 'unknown';
  const task = taskText(pid, thread);
  if (isMainThread && task === String(process.pid)) return 'gone'; // an earlier process with this id
  if (!isThere(Number(pid))) return 'gone';
  return (identity ?? (await findIdentity())).readState(task, start);
}

async function readOwnName() {
  const id = (await hasOwnProc()) ? basename(readlinkSync('/proc/thread-self')) : String(threadId);
  const thread = isMainThread ? undefined : id;
  const identity = await findIdentity();
  const start = await identity.readOwn(taskText(process.pid, thread));
  return `${process.pid}${thread === undefined ? '' : `.${thread}`}-${start}-${ownNamespace()}`;
}

/** @param {string | number} pid @param {string} [thread] @returns path below /proc */
function taskText(pid, thread) {
  return thread === undefined ? String(pid) : `${pid}/task/${thread}`;
}

/** @type {string | undefined} */
let namespace;

/** @returns five characters that are equal for processes in the same PID namespace and boot; '0' without /proc */
function ownNamespace() {
  namespace ??= readNamespace();
  return namespace;
}

function readNamespace() {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'latin1');
    const text = `${boot} ${readlinkSync('/proc/self/ns/pid')}`;
    return createHash('sha256').update(text).digest().readUInt32BE().toString(36).padStart(5, '0').slice(-5);
  } catch {
    return UNKNOWN; // without /proc, ids are valid on the whole machine
  }
}

/** @param {number} pid @returns whether the process exists and is not a zombie, which has ended but not been reaped by its parent */
export function isRunning(pid) {
  if (!isThere(pid)) return false;
  try {
    return !isTaskEnded(statFields(readFileSync(`/proc/${pid}/stat`, 'latin1'))[0]);
  } catch {
    return isThere(pid); // without /proc, or if the process has ended since the first check
  }
}

/** @param {number} pid @returns whether a process, or a zombie, has this id */
export function isThere(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return /** @type {NodeJS.ErrnoException} */ (error).code !== 'ESRCH';
  }
}

// Clean-up for a process or thread that ends early: at a second Ctrl-C, by process.exit or by an uncaught error. It has to be synchronous.

/** @type {Set<() => void>} */
const works = new Set();

/** @param {() => void} work @returns a function that cancels the work */
export function atExit(work) {
  if (works.size === 0) process.on('exit', runAll);
  works.add(work);
  return () => {
    works.delete(work);
    if (works.size === 0) process.off('exit', runAll);
  };
}

function runAll() {
  for (const work of works) {
    try {
      work();
    } catch {
      // The next run removes any leftovers.
    }
  }
}
