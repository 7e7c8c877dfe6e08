// Calls code of plug-ins. If a call never settles, or ends the process, the error names the plug-in.

import { BenchError } from '../errors.js';
import { MS_PER_S } from '../format/units.js';

const LOAD_MS = 30_000;
const RENDER_MS = 300_000; // pictures with thousands of rows take a minute
const DEADLINES_MS = Object.freeze({ loaded: LOAD_MS, called: LOAD_MS, rendered: RENDER_MS });

/** @type {Set<string>} descriptions of pending calls */
const running = new Set();
let isAbandoned = false;

/**
 * @template T
 * @param {string} what   'transport ./mine.js'
 * @param {keyof typeof DEADLINES_MS} doing   selects the verb of messages and the default deadline
 * @param {() => T | Promise<T>} work
 * @param {number} [deadlineMs]
 * @throws {BenchError} BAD_PLUGIN if `work` has not settled when the event loop is empty or the deadline has passed; rethrows errors of
 *   `work`
 */
export async function callPlugin(what, doing, work, deadlineMs = DEADLINES_MS[doing]) {
  const words = `${what} while it was being ${doing}`;
  running.add(words);
  /** @type {(why: string) => void} */
  let giveUp = () => {};
  const never = new Promise((_, reject) => {
    giveUp = (why) => {
      isAbandoned = true;
      const next = 'Look for a promise in it that never settles';
      reject(new BenchError('BAD_PLUGIN', `${what} cannot be ${doing}: ${why}. ${next}.`));
    };
  });
  const onIdle = () => giveUp('it waits for a promise that can no longer settle');
  process.once('beforeExit', onIdle);
  // The timer does not keep the process alive: if nothing else does, `beforeExit` is emitted.
  const timer = setTimeout(
    () => giveUp(`it took longer than ${deadlineMs / MS_PER_S} s`),
    deadlineMs,
  ).unref();
  try {
    return await Promise.race([work(), /** @type {Promise<never>} */ (never)]);
  } finally {
    clearTimeout(timer);
    process.off('beforeExit', onIdle);
    running.delete(words);
  }
}

/** @returns {string | null} 'transport ./mine.js while it was being loaded' */
export function runningPlugins() {
  return running.size === 0 ? null : [...running].join(', or ');
}

/** @returns {boolean} true if callPlugin() has given up a call, which may keep the event loop alive */
export function hasAbandonedPlugins() {
  return isAbandoned;
}
