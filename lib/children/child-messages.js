// What a short process tells its parent before it ends.

import { spawnModule, thisProgram } from './launcher.js';

/** @import { ModuleRunner } from './launcher.js' */

/**
 * @param {string} path     of its module
 * @param {string[]} args
 * @param {{ cpus: number[] | null, nodeFlags?: string[], program?: ModuleRunner }} placing   program: absent: this Node, with nodeFlags
 * @param {number} deadlineMs
 * @param {AbortSignal} [signal]
 * @returns {Promise<any>} null: it failed, or was too late
 */
export function waitForChildMessage(
  path,
  args,
  { cpus, nodeFlags, program = thisProgram(nodeFlags) },
  deadlineMs,
  signal,
) {
  const child = spawnModule(path, args, {
    program,
    placing: { cpus, dieWithParent: true },
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  return new Promise((resolve) => {
    /** @type {any} */
    let told = null;
    const kill = () => child.kill('SIGKILL');
    const deadline = setTimeout(kill, deadlineMs);
    signal?.addEventListener('abort', kill, { once: true });
    const settle = () => {
      clearTimeout(deadline);
      signal?.removeEventListener('abort', kill);
      resolve(told);
    };
    child.once('message', (message) => {
      told = message;
    });
    // Not at the message: a launch must not begin while this process still ends.
    child.once('close', settle);
    child.once('error', settle);
  });
}
