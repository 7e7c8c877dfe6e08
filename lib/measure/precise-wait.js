// Waits until an instant more precisely than a timer, which counts whole milliseconds. The thread first sleeps in Atomics.wait, which
// returns about 60 µs late on Linux with little variation, and then reads the clock until the instant. The event loop does not run
// meanwhile, so this is only for a thread that expects no messages.

import { isMainThread } from 'node:worker_threads';
import { US_PER_MS } from '../format/units.js';

/** @import { Meter } from './meter.js' */

const MARGIN_MS = 0.02; // time to spin after a sleep
const STEP_MS = 0.005;
const MAX_EARLY_MS = 0.5; // with a longer delay, sleeps are no better than timers: some systems count sleeps in milliseconds
const MAX_TURN_MS = 0.1; // during a longer iteration, another process had the CPU

const { threadCpuUsage } = /** @type {any} */ (process); // missing in Node 20, where sleeps in a worker thread are not counted

export class PreciseWait {
  /** @param {Pick<Meter, 'isOpen'>} meter */
  constructor(meter) {
    this.meter = meter;
    /**
     * Time by which a sleep ends before the instant, to compensate for its usual delay. Each sleep changes it by one step up or down, so
     * that a single long delay has little effect.
     */
    this.earlyMs = 0.08;
    this.hasSlept = false;
    /** CPU time that waits have taken while the window was open. */
    this.cpuUs = 0;
    this.cell = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)); // never notified
  }

  get isPossible() {
    return this.earlyMs < MAX_EARLY_MS;
  }

  /** Sleeps until shortly before an instant. @param {number} untilMs */
  sleepUntil(untilMs) {
    const sleepMs = untilMs - performance.now() - this.earlyMs;
    if (sleepMs <= 0) return;
    const cpuUs = readCpuUs();
    Atomics.wait(this.cell, 0, 0, sleepMs);
    this.note(readCpuUs() - cpuUs);
    this.hasSlept = true;
  }

  /** Spins on the clock until an instant. @param {number} untilMs */
  spinUntil(untilMs) {
    const leftMs = untilMs - performance.now();
    if (this.hasSlept) this.earlyMs += leftMs < MARGIN_MS ? STEP_MS : -STEP_MS;
    this.hasSlept = false;
    if (leftMs <= 0) return;
    while (performance.now() < untilMs);
    this.note(leftMs * US_PER_MS); // not the elapsed time, which may contain time of other processes after the instant
  }

  /** Counts the CPU time of an iteration of the event loop that only waited. @param {number} tookMs */
  noteTurn(tookMs) {
    if (tookMs < MAX_TURN_MS) this.note(tookMs * US_PER_MS);
  }

  /** @param {number} cpuUs */
  note(cpuUs) {
    if (this.meter.isOpen) this.cpuUs += cpuUs;
  }
}

/** @returns {number} CPU time of this thread in µs; without threadCpuUsage(), of the whole process in its main thread, and 0 in others */
function readCpuUs() {
  if (threadCpuUsage === undefined && !isMainThread) return 0;
  const { user, system } = threadCpuUsage?.call(process) ?? process.cpuUsage();
  return user + system;
}
