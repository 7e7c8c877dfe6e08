// A program that may start others, such as a wrapper script or a peer, together with all that it starts: a process group of its
// own, which is ended as a whole. A terminal sends its signals to none of them. Windows has no groups: there each process
// is ended by itself.

import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { hasEnded, hasOwnProc, statFields } from './task-identity.js';

/** @import { ChildProcess } from 'node:child_process' */

const HAS_GROUPS = process.platform !== 'win32';
const LEAVE_MS = 1_000; // so long may those clean up that notice the end of the one that started them
const LOOK_EVERY_MS = 20;
// Ends the group when its stdin does, which the system sees to whatever the process that started it died of.
const GUARD = 'read -r _; kill -s KILL -- "-$0"';

/** Of `spawn`: the child leads a group of its own. */
export const IN_OWN_GROUP = Object.freeze({ detached: HAS_GROUPS });

/** @param {ChildProcess} controller   started `IN_OWN_GROUP` */
export function killGroup(controller) {
  if (!HAS_GROUPS) controller.kill('SIGKILL');
  else if (controller.pid !== undefined) signalGroup(controller.pid, 'SIGKILL');
}

/**
 * @param {ChildProcess} controller     started `IN_OWN_GROUP`, which has ended
 * @returns when no other process of its group is left
 */
export async function endGroup({ pid }) {
  if (!HAS_GROUPS || pid === undefined) return;
  const deadlineMs = performance.now() + LEAVE_MS;
  while (signalGroup(pid, 0) && !((await hasOwnProc()) && onlyZombiesIn(pid))) {
    if (performance.now() > deadlineMs) {
      signalGroup(pid, 'SIGKILL');
      return;
    }
    await sleep(LOOK_EVERY_MS);
  }
}

/**
 * Has the group ended even if this process is killed.
 * @param {ChildProcess} controller     started `IN_OWN_GROUP`
 * @returns ends the group, if anything is left of it
 */
export function guardGroup({ pid }) {
  if (!HAS_GROUPS || pid === undefined) return () => {};
  const guard = spawn('/bin/sh', ['-c', GUARD, String(pid)], {
    stdio: ['pipe', 'ignore', 'ignore'],
    ...IN_OWN_GROUP,
  });
  guard.on('error', () => {}); // without a shell nothing is left to a killed process
  guard.stdin?.on('error', () => {});
  guard.unref();
  /** @type {import('node:net').Socket} */ (guard.stdin)?.unref();
  return () => guard.stdin?.destroy();
}

/**
 * The process that inherits a child whose parent was killed may take a second to reap it, or never do so, as that of many containers.
 * @param {number} group
 */
function onlyZombiesIn(group) {
  return readdirSync('/proc').every((name) => {
    if (!/^\d+$/.test(name)) return true;
    try {
      const [state, , groupOfProcess] = statFields(readFileSync(`/proc/${name}/stat`, 'latin1'));
      return Number(groupOfProcess) !== group || hasEnded(state);
    } catch {
      return true; // it has ended meanwhile
    }
  });
}

/** @param {number} pid   of its controller @param {NodeJS.Signals | 0} signal @returns there is a process in it */
function signalGroup(pid, signal) {
  try {
    return process.kill(-pid, signal);
  } catch (error) {
    return /** @type {NodeJS.ErrnoException} */ (error).code === 'EPERM';
  }
}
