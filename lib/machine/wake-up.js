// What it costs to wake a sleeping CPU, measured once per run: a byte goes back and forth between two processes on one
// CPU, where nothing sleeps, and across two. What that means for a cell is judged in results/summarise.js.

import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { forkPrefix } from '../processes/launcher.js';

/** @import { WakeUp } from '../types/results-file.js' */

const PINGER_PATH = fileURLToPath(new URL('./pinger.js', import.meta.url));
const DEADLINE_MS = 3_000; // it takes 250 ms on a quiet machine

/**
 * @param {number[] | null} cpus    in the order in which launches use them; null: nothing can be pinned here
 * @returns {Promise<WakeUp | null>} null where there are not two CPUs to pin to, or others keep them too busy to tell
 */
export async function measureWakeUp(cpus) {
  if (cpus === null || cpus.length < 2) return null;
  const [first, second] = cpus;
  const medians = await pingedOn(first, second);
  if (medians === null) return null;
  const { sameUs, splitUs } = medians;
  return { sameUs, splitUs, costUs: Math.max(0, (splitUs - sameUs) / 2), cpus: [first, second] };
}

/**
 * @param {number} first
 * @param {number} second
 * @returns {Promise<{ sameUs: number, splitUs: number } | null>}
 */
function pingedOn(first, second) {
  const child = fork(PINGER_PATH, [String(first), String(second)], {
    ...forkPrefix({ cpus: [first], dieWithParent: true }),
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  return new Promise((resolve) => {
    /** @type {any} */
    let medians = null;
    const deadline = setTimeout(() => child.kill('SIGKILL'), DEADLINE_MS);
    child.once('message', (message) => {
      medians = message;
    });
    // Not at the message: a launch must not begin while these processes still end.
    child.once('close', () => {
      clearTimeout(deadline);
      resolve(medians);
    });
    child.once('error', () => {
      clearTimeout(deadline);
      resolve(null);
    });
  });
}
