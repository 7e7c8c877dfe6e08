// Measures for how long the code of this thread blocks its event loop at a time, and how late it makes a timer of 1 ms. The timer takes 1 %
// of a core, so it runs in the warm-up, under the same load, and never in a slice. Only the end of the warm-up is reported, since earlier
// code is not compiled yet.
//
// Neither value exceeds the CPU time of the thread between two turns of the timer, if that is known. Wall time may also contain waits for a
// CPU and intended sleeps: threads-shared sleeps in Atomics.wait, fifo with blocking=true in read(2), and a sender under open load until
// the next scheduled send.

import { performance } from 'node:perf_hooks';
import { US_PER_MS } from '../../format/units.js';
import { ThreadClock } from '../../machine/process-cost.js';

/** @import { Monitor } from '../../types/index.js' */

const EVERY_MS = 1;
const TURNS_KEPT = 500;
const REPORTED_SHARE = 0.5; // the last half of the warm-up is reported
const HIGH = 0.99; // quantile of the delays

/** @implements {Monitor<Record<string, number>>} */
export class BlockingMonitor {
  constructor() {
    /** Instants of the last turns. The three arrays are rings. */
    this.turnsMs = new Float64Array(TURNS_KEPT);
    this.stretchesMs = new Float64Array(TURNS_KEPT);
    this.delaysMs = new Float64Array(TURNS_KEPT);
    this.turns = 0;
    this.beganMs = 0;
    this.endedMs = 0;
    this.isOver = false;
    /** @type {NodeJS.Timeout | undefined} */
    this.timer = undefined;
    /** Null before `begin`. @type {ThreadClock | null} */
    this.clock = null;
    this.latest = { atMs: 0, activeMs: 0, ranMs: 0 };
  }

  /** Starts the timer when the load begins. Does nothing after `end`, since the warm-up may be over before the load begins. */
  begin() {
    if (this.isOver) return;
    this.clock = new ThreadClock();
    this.latest = readTimes(this.clock);
    this.beganMs = this.latest.atMs;
    this.timer = setInterval(() => this.turn(), EVERY_MS).unref(); // a failed launch must not wait for it
  }

  turn() {
    const { latest, clock } = this;
    const now = readTimes(/** @type {ThreadClock} */ (clock));
    const lateMs = Math.max(0, now.atMs - latest.atMs - EVERY_MS);
    const activeMs = now.activeMs - latest.activeMs;
    const ranMs = now.ranMs - latest.ranMs; // NaN if unknown
    const ownMs = Number.isNaN(ranMs) ? activeMs : Math.min(ranMs, activeMs);
    const index = this.turns % TURNS_KEPT;
    const delayMs = Math.min(lateMs, ownMs);
    this.turnsMs[index] = now.atMs;
    this.delaysMs[index] = delayMs;
    // Before a turn that is almost on time, the event loop may have run many short iterations, so its CPU time is not one stretch.
    this.stretchesMs[index] = lateMs < EVERY_MS ? delayMs : ownMs;
    this.turns += 1;
    this.latest = now;
  }

  /** Stops the timer at the end of the warm-up. Later calls have no effect. */
  end() {
    if (this.isOver) return;
    this.isOver = true;
    if (this.clock === null) return;
    clearInterval(this.timer);
    this.turn(); // a stretch may last until now
    this.clock.close();
    this.endedMs = this.latest.atMs;
  }

  /** @returns {Record<string, number>} longestBlockUs, and timerDelayUs, the 99th percentile; empty without a warm-up */
  report() {
    const fromMs = this.endedMs - REPORTED_SHARE * (this.endedMs - this.beganMs);
    /** @param {number} _value @param {number} index */
    const isReported = (_value, index) => index < this.turns && this.turnsMs[index] >= fromMs;
    const delaysMs = withMissed(this.delaysMs.filter(isReported)).sort();
    if (delaysMs.length === 0) return {};
    return {
      longestBlockUs: Math.max(...this.stretchesMs.filter(isReported)) * US_PER_MS,
      timerDelayUs: delaysMs[Math.ceil(HIGH * delaysMs.length) - 1] * US_PER_MS,
    };
  }
}

/**
 * A late turn also counts for the turns that it prevented, each of which would have been late too. Without them, a long delay would count
 * like a short one (coordinated omission).
 * @param {Float64Array} delaysMs
 */
function withMissed(delaysMs) {
  /** @param {number} ms */
  const missedOf = (ms) => Math.floor(ms / EVERY_MS);
  return Float64Array.from(
    [...delaysMs].flatMap((ms) =>
      Array.from({ length: 1 + missedOf(ms) }, (_, turn) => ms - turn * EVERY_MS),
    ),
  );
}

/** @param {ThreadClock} clock */
function readTimes(clock) {
  const atMs = performance.now();
  const idleMs = performance.nodeTiming.idleTime ?? 0; // not every runtime has it
  return { atMs, activeMs: atMs - idleMs, ranMs: clock.readMs() };
}
