// Waits until an instant more precisely than a timer, which counts whole milliseconds. The thread first sleeps in Atomics.wait, which
// returns some 60 µs late on Linux but always by about the same time, and then reads the clock until the instant has come. The event
// loop does not run meanwhile, so this is only for a thread that expects no messages.

import { isMainThread } from 'node:worker_threads';
import { US_PER_MS } from '../../format/units.js';

/** @import { Meter } from './meter.js' */

const MARGIN_MS = 0.02; // left when a loop has its turn
const STEP_MS = 0.005;
const GREATEST_EARLY_MS = 0.5; // beyond, as where the system counts sleeps in milliseconds, timers are as good
const GREATEST_TURN_MS = 0.1; // in a longer one another process had the CPU

const { threadCpuUsage } = /** @type {any} */ (process); // not in Node 20, where sleeps in a worker thread are not counted

export class PreciseWait {
  /** @param {Pick<Meter, 'isOpen'>} meter */
  constructor(meter) {
    this.meter = meter;
    /**
     * By how much a sleep ends early: by its usual delay and by the time until the send. Each sleep moves it a step up or down, so that
     * one long delay means little.
     */
    this.earlyMs = 0.08;
    this.hasSlept = false;
    /** CPU time in the window. */
    this.cpuUs = 0;
    this.cell = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)); // nothing ever notifies it
  }

  get isPossible() {
    return this.earlyMs < GREATEST_EARLY_MS;
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

  /** Reads the clock until an instant has come. @param {number} untilMs */
  spinUntil(untilMs) {
    const leftMs = untilMs - performance.now();
    if (this.hasSlept) this.earlyMs += leftMs < MARGIN_MS ? STEP_MS : -STEP_MS;
    this.hasSlept = false;
    if (leftMs <= 0) return;
    while (performance.now() < untilMs);
    this.note(leftMs * US_PER_MS); // what another process took beyond is not of this one
  }

  /** A turn of the event loop that did nothing else. @param {number} tookMs */
  noteTurn(tookMs) {
    if (tookMs < GREATEST_TURN_MS) this.note(tookMs * US_PER_MS);
  }

  /** @param {number} cpuUs   that waiting took */
  note(cpuUs) {
    if (this.meter.isOpen) this.cpuUs += cpuUs;
  }
}

/** @returns {number} of this thread, or of its process, which sleeps with it; 0 where neither is known */
function readCpuUs() {
  if (threadCpuUsage === undefined && !isMainThread) return 0;
  const { user, system } = threadCpuUsage?.call(process) ?? process.cpuUsage();
  return user + system;
}
