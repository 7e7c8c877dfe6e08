// How long a process takes to go on that slept on another CPU: from the end of the write that woke it to its first
// instruction. Other than a ping-pong (wake-up.js) it has no system call of either end in it, and no falling asleep.

import { fileURLToPath } from 'node:url';
import { toldByChild } from '../processes/told-by-child.js';

const WAKER_PATH = fileURLToPath(new URL('./waker.js', import.meta.url));
const DEADLINE_MS = 10_000; // it takes 200 ms on a quiet machine, the start of two processes included

/**
 * @param {number} from    CPU of who wakes
 * @param {number} to      that of who sleeps
 * @returns {Promise<number | null>} µs; null: it could not be measured
 */
export async function measureWakeLatency(from, to) {
  const told = await toldByChild(WAKER_PATH, [String(to)], { cpus: [from] }, DEADLINE_MS);
  return told?.us ?? null;
}
