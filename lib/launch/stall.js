// How long a process stood still within the window at the longest: preempted, stopped, or busy with one thing. Asked by a
// timer of Node's own, in C++, 50 times a second.

import { monitorEventLoopDelay } from 'node:perf_hooks';

const RESOLUTION_MS = 20;
const NS_PER_MS = 1e6;

/** @returns {{ open: () => void, close: () => number }} `close` gives ms, beyond what is usual in this window */
export function watchStalls() {
  const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delays.enable();
  return {
    open: () => delays.reset(),
    close() {
      delays.disable();
      // The usual delay is the timer's own, or that of a loop which is never free before the next large message.
      return Math.max(0, delays.max - delays.percentile(50)) / NS_PER_MS;
    },
  };
}
