// How long it takes until a process goes on that slept on another CPU: from the last write of who wakes it, until its event loop
// returns from its wait. Unlike half of a ping-pong (wake-up.js) nothing of what the two do themselves is in it.

import { fileURLToPath } from 'node:url';
import { waitForChildMessage } from '../children/child-messages.js';

const WAKER_PATH = fileURLToPath(new URL('./waker.js', import.meta.url));
const DEADLINE_MS = 10_000; // it takes 400 ms on a quiet machine, the start of two processes included

/**
 * @param {number} from    CPU of who wakes
 * @param {number} to      that of who sleeps
 * @param {AbortSignal} [signal]
 * @returns {Promise<number | null>} µs, in the median; null: it could not be measured
 */
export async function measureWakeLatency(from, to, signal) {
  const told = await waitForChildMessage(WAKER_PATH, [String(to)], { cpus: [from] }, DEADLINE_MS, signal);
  return Number.isFinite(told?.us) ? Math.max(0, told.us) : null;
}
