// Measures the cost of waking a sleeping CPU, in processes that are started for this.

import { fileURLToPath } from 'node:url';
import { waitForChildMessage } from '../children/child-messages.js';

/** @import { WakeUp } from '../types/index.js' */

const PROCESS_PATH = fileURLToPath(new URL('./wake-process.js', import.meta.url));
const PING_DEADLINE_MS = 3_000; // `ping` takes 250 ms on a quiet machine
const LATENCY_DEADLINE_MS = 10_000; // `latency` takes 400 ms on a quiet machine, including the start of two processes

/**
 * Compares round trips of a byte between two processes on one CPU, which does not sleep, and on two.
 * @param {number[] | null} cpus    in the order in which launches use them; null if processes cannot be pinned
 * @returns {Promise<WakeUp | null>} null without two CPUs, or if other programs keep them too busy
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
 * Measures the wake-up latency across CPUs: from the last write of the waking process until the event loop of the sleeping one returns
 * from its wait.
 * Unlike half of a round trip, it excludes the work of both processes.
 * @param {number} from   CPU of the waking process
 * @param {number} to
 * @param {AbortSignal} [signal]
 * @returns {Promise<number | null>} the median in µs, or null if it could not be measured
 */
export async function measureWakeLatency(from, to, signal) {
  const words = ['latency', String(to)];
  const latency = await waitForChildMessage(
    PROCESS_PATH,
    words,
    { cpus: [from] },
    LATENCY_DEADLINE_MS,
    signal,
  );
  return Number.isFinite(latency?.us) ? Math.max(0, latency.us) : null;
}
