// How long the event loop of this process was blocked at a time, while its windows were open: a timer of Node's own, in C++, is due
// every millisecond, and its delay is how long nothing else could run.

import { createHistogram, monitorEventLoopDelay } from 'node:perf_hooks';
import { NS_PER_US, US_PER_MS } from '../../format/units.js';

const RESOLUTION_MS = 1;
const LONG_PERCENTILE = 99;

export class BlockingMonitor {
  constructor() {
    /** Of the windows that count, but the last. */
    this.kept = createHistogram();
    /** Of the last window: one that goes on after a pause would take the pause for a delay. @type {import('node:perf_hooks').IntervalHistogram | null} */
    this.last = null;
  }

  open() {
    this.last?.disable();
    this.last = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
    this.last.enable();
  }

  close() {
    this.last?.disable();
  }

  /** The last window counts. */
  keep() {
    if (this.last !== null) addTo(this.kept, this.last);
    this.last = null;
  }

  /** @returns {Record<string, number>} µs beyond the resolution of the timer; nothing where no window was long enough */
  report() {
    this.keep();
    const { kept } = this;
    if (kept.count === 0) return {};
    const beyond = (/** @type {number} */ ns) => Math.max(0, ns / NS_PER_US - RESOLUTION_MS * US_PER_MS);
    return { longestBlockUs: beyond(kept.max), longBlockUs: beyond(kept.percentile(LONG_PERCENTILE)) };
  }
}

/**
 * Node adds no histogram of delays to another one: their values are taken from its percentiles.
 * @param {import('node:perf_hooks').RecordableHistogram} sum
 * @param {import('node:perf_hooks').IntervalHistogram} delays
 */
function addTo(sum, { count, percentiles }) {
  let added = 0;
  for (const [percentile, ns] of percentiles) {
    const upTo = Math.round((percentile / 100) * count);
    for (; added < upTo; added += 1) sum.record(Math.max(1, Math.round(ns)));
  }
}
