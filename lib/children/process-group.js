// Process groups for programs that may start others, such as a wrapper script or a peer. The program leads a group, which is ended as a
// whole and gets no signals from the terminal. Windows has no groups, so only the program itself is ended there.

import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { hasOwnProc, isTaskEnded, statFields } from './task-identity.js';

/** @import { ChildProcess } from 'node:child_process' */

const HAS_GROUPS = process.platform !== 'win32';
const LEAVE_MS = 1_000; // time for processes that clean up after the end of their parent
const LOOK_EVERY_MS = 20;
// Script of a shell that kills the group when the stdin of the shell ends. The kernel closes the pipe even if this process gets SIGKILL.
const GUARD = 'read -r _; kill -s KILL -- "-$0"';

/** Options of `spawn`, with which the child leads a group. */
export const IN_OWN_GROUP = Object.freeze({ detached: HAS_GROUPS });

/** @param {ChildProcess} controller   started with IN_OWN_GROUP */
export function killGroup(controller) {
  if (!HAS_GROUPS) controller.kill('SIGKILL');
  else if (controller.pid !== undefined) signalGroup(controller.pid, 'SIGKILL');
}

/**
 * Waits for the other processes of the group, and kills them after a second.
 * @param {ChildProcess} controller   started with IN_OWN_GROUP; has ended
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
 * Ensures that the group ends even if this process is killed.
 * @param {ChildProcess} controller   started with IN_OWN_GROUP
 * @returns a function that ends the remaining processes of the group
 */
export function guardGroup({ pid }) {
  if (!HAS_GROUPS || pid === undefined) return () => {};
  const guard = spawn('/bin/sh', ['-c', GUARD, String(pid)], {
    stdio: ['pipe', 'ignore', 'ignore'],
    ...IN_OWN_GROUP,
  });
  guard.on('error', () => {}); // if there is no shell
  guard.stdin?.on('error', () => {});
  guard.unref();
  /** @type {import('node:net').Socket} */ (guard.stdin)?.unref();
  return () => guard.stdin?.destroy();
}

/**
 * Returns whether no process of the group is alive. Zombies may remain, since init may take a second to reap an orphan, and in many
 * containers never does so.
 * @param {number} group
 */
function onlyZombiesIn(group) {
  return readdirSync('/proc').every((name) => {
    if (!/^\d+$/.test(name)) return true;
    try {
      const [state, , groupOfProcess] = statFields(readFileSync(`/proc/${name}/stat`, 'latin1'));
      return Number(groupOfProcess) !== group || isTaskEnded(state);
    } catch {
      return true; // the process has ended meanwhile
    }
  });
}

/** @param {number} pid   id of the leader @param {NodeJS.Signals | 0} signal @returns whether the group has any process */
function signalGroup(pid, signal) {
  try {
    return process.kill(-pid, signal);
  } catch (error) {
    return /** @type {NodeJS.ErrnoException} */ (error).code === 'EPERM';
  }
}
