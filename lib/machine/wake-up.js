// What it costs to wake a sleeping CPU, measured by processes of its own.

import { fileURLToPath } from 'node:url';
import { waitForChildMessage } from '../children/child-messages.js';

/** @import { WakeUp } from '../types/index.js' */

const PROCESS_PATH = fileURLToPath(new URL('./wake-process.js', import.meta.url));
const PING_DEADLINE_MS = 3_000; // it takes 250 ms on a quiet machine
const LATENCY_DEADLINE_MS = 10_000; // it takes 400 ms on a quiet machine, the start of two processes included

/**
 * Once per run: a byte goes back and forth between two processes on one CPU, where nothing sleeps, and across two. What that means for a
 * cell is judged in results/summarise.js.
 * @param {number[] | null} cpus    in the order in which launches use them; null: nothing can be pinned here
 * @returns {Promise<WakeUp | null>} null where there are not two CPUs to pin to, or others keep them too busy to tell
 */
export async function measureWakeUp(cpus) {
  if (cpus === null || cpus.length < 2) return null;
  const [first, second] = cpus;
  const words = ['ping', String(first), String(second)];
  const medians = await waitForChildMessage(PROCESS_PATH, words, { cpus: [first] }, PING_DEADLINE_MS);
  if (medians === null) return null;
  const { sameUs, splitUs } = medians;
  return { sameUs, splitUs, costUs: Math.max(0, (splitUs - sameUs) / 2), cpus: [first, second] };
}

/**
 * How long it takes until a process goes on that slept on another CPU: from the last write of who wakes it, until its event loop returns
 * from its wait. Unlike half of a ping-pong, nothing of what the two do themselves is in it.
 * @param {number} from    CPU of who wakes
 * @param {number} to      that of who sleeps
 * @param {AbortSignal} [signal]
 * @returns {Promise<number | null>} µs, in the median; null: it could not be measured
 */
export async function measureWakeLatency(from, to, signal) {
  const words = ['latency', String(to)];
  const told = await waitForChildMessage(PROCESS_PATH, words, { cpus: [from] }, LATENCY_DEADLINE_MS, signal);
  return Number.isFinite(told?.us) ? Math.max(0, told.us) : null;
}
