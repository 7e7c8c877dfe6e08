// Measures how long the event loop is blocked at a time. A C++ timer of Node is due every millisecond, and its delay is the time for which
// the event loop was blocked. The timer takes CPU time from workers, so it runs in the warm-up, under the same load, and never in a
// window. Only the end of the warm-up is reported.

import { createHistogram, monitorEventLoopDelay } from 'node:perf_hooks';
import { NS_PER_US, US_PER_MS } from '../format/units.js';

/** @import { IntervalHistogram } from 'node:perf_hooks' */

const RESOLUTION_MS = 1;
const PART_MS = 100;
const PARTS_KEPT = 5; // earlier parts include code that is not compiled yet
const LONG_PERCENTILE = 99;

export class BlockingMonitor {
  constructor() {
    /** @type {IntervalHistogram[]} the last histogram is still recording */
    this.parts = [];
    /** @type {NodeJS.Timeout | undefined} */
    this.timer = undefined;
    this.isOver = false;
  }

  /** Called when the load begins. */
  begin() {
    if (this.isOver || this.timer !== undefined) return;
    const next = () => {
      this.parts.at(-1)?.disable();
      const part = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
      part.enable();
      this.parts = [...this.parts, part].slice(-PARTS_KEPT);
    };
    next();
    this.timer = setInterval(next, PART_MS);
    this.timer.unref();
  }

  /** Called when the warm-up is over. */
  end() {
    this.isOver = true;
    clearInterval(this.timer);
    this.parts.at(-1)?.disable();
  }

  /** @returns {Record<string, number>} µs beyond the resolution of the timer; empty without a warm-up */
  report() {
    const all = createHistogram();
    for (const part of this.parts) addTo(all, part);
    if (all.count === 0) return {};
    const beyond = (/** @type {number} */ ns) => Math.max(0, ns / NS_PER_US - RESOLUTION_MS * US_PER_MS);
    return { longestBlockUs: beyond(all.max), longBlockUs: beyond(all.percentile(LONG_PERCENTILE)) };
  }
}

/**
 * Node cannot add a histogram of delays to another histogram, so this reads the values from its percentiles.
 * @param {import('node:perf_hooks').RecordableHistogram} sum
 * @param {IntervalHistogram} delays
 */
function addTo(sum, { count, percentiles }) {
  let added = 0;
  for (const [percentile, ns] of percentiles) {
    const upTo = Math.round((percentile / 100) * count);
    for (; added < upTo; added += 1) sum.record(Math.max(1, Math.round(ns)));
  }
}
