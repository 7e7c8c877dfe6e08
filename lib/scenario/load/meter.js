// The clock and the counters of one worker's load: which round trips lie in the window, and how long they took. It is
// asked on every round trip, so that it reads the clock once for all replies that are handled in one go.

/** @import { Endpoint, MeterPlan } from '../../types/index.js' */

import { NS_PER_MS } from '../../format/units.js';
import { LatencyCounts } from '../../statistics/latency-counts.js';

const WARM_UP_EDGE_MS = 50;
/** In the place of a planned instant: the load is over. */
export const NO_SLOT = -1;

export class Meter {
  constructor() {
    this.nowMs = 0;
    this.isFresh = false;
    /** The next moment at which something changes; one comparison per stamp. */
    this.edgeMs = Infinity;
    this.isOpen = false;
    this.isOver = false;
    // Warm-up is counted too, by the very code that the window runs: else its first bins would pay for compiling it.
    this.otherLatencies = new LatencyCounts();
    this.windowLatencies = new LatencyCounts();
    this.latencies = this.otherLatencies;
    /** Of the slices that count, but the last. @type {LatencyCounts | null} */
    this.keptLatencies = null;
    this.binOperations = 0;
    /** @type {number[]} */
    this.bins = [];
    /** @type {MeterPlan | null} */
    this.plan = null;
    this.rehearse();
  }

  /**
   * Changes every field once that will change when the window opens. V8 compiles fields that never changed as
   * constants, and would throw the hot path away at the very first moment of the window.
   */
  rehearse() {
    this.schedule({ fromMs: 0, toMs: 0, binMs: 1, onOpen() {}, onClose() {} });
    this.cross();
    this.nowMs = 0.5;
    this.bins = [];
    this.isOver = false;
    this.plan = null;
    this.edgeMs = 0;
  }

  /**
   * The stamp of the replies being handled: the clock is read at the first of them, and again once a loop has run.
   * A loop's next question is due at the stamp of its last answer: the times of a loop add up to the whole window, and
   * what a worker spends between the two is part of the round trip, not lost.
   * @returns {number} ms
   */
  stamp() {
    if (!this.isFresh) {
      this.isFresh = true;
      this.nowMs = performance.now();
      if (this.nowMs >= this.edgeMs) this.cross();
    }
    return this.nowMs;
  }

  /** @param {number} latencyMs of a verified operation */
  count(latencyMs) {
    this.latencies.record(Math.round(latencyMs * NS_PER_MS));
    this.binOperations += 1;
  }

  /** An operation that nobody timed. */
  tally() {
    this.binOperations += 1;
  }

  /** @param {MeterPlan} plan */
  schedule(plan) {
    this.plan = plan;
    this.edgeMs = Math.min(this.edgeMs, plan.fromMs);
  }

  /** Looks at the clock although no reply came. */
  tick() {
    this.isFresh = false;
    this.stamp();
    this.isFresh = false; // no reply is being handled: the next one reads the clock itself
  }

  /**
   * @param {number} ms   at which the clock is looked at even if nothing comes. A timer counts from the time that its event
   *   loop has noted, and may fire a little too early: then it looks again
   */
  tickAt(ms) {
    const look = () => {
      this.tick();
      if (this.nowMs < ms) setTimeout(look, 1).unref();
    };
    // A launch that failed meanwhile does not wait for the end of its window.
    setTimeout(look, ms - performance.now() + 1).unref();
  }

  /** @returns {{ operations: number, bins: number[], latency: import('../../types/launches.js').Latency }} of the window, each operation timed */
  counted() {
    const latency = (this.keptLatencies ?? this.windowLatencies).toLatency();
    return { operations: latency.count, bins: this.bins, latency };
  }

  /** The load ends here: isOver is true from now on. */
  giveUp() {
    this.isOver = true;
  }

  /** A load that was over begins anew, with a window of its own: the next slice. */
  resume() {
    this.isOver = false;
    this.edgeMs = Infinity;
  }

  /**
   * One slice of the load of a process that has an endpoint.
   * @param {Endpoint} endpoint
   * @param {{ fromMs: number, toMs: number }} window   of this process's own clock
   * @param {{ onOpen?: () => void, onClose?: () => void }} [ends]
   * @returns {Promise<number>} operations in the window, when nothing of its load is open any more
   */
  async runSlice(endpoint, { fromMs, toMs }, { onOpen, onClose } = {}) {
    this.resume();
    const closed = new Promise((resolve) => {
      this.schedule({
        fromMs,
        toMs,
        binMs: toMs - fromMs,
        onOpen() {
          onOpen?.();
          endpoint.opened?.();
        },
        onClose() {
          endpoint.closed?.();
          onClose?.();
          resolve(undefined);
        },
      });
    });
    for (const ms of [fromMs, toMs]) this.tickAt(ms);
    await (endpoint.run?.(performance.now()) ?? closed);
    return Number(this.bins.at(-1));
  }

  /** @param {boolean} isDropped   the last slice does not count */
  settleSlice(isDropped) {
    if (isDropped) this.dropSlice();
    else this.keepSlice();
  }

  /** The last slice counts. */
  keepSlice() {
    this.keptLatencies ??= new LatencyCounts();
    this.keptLatencies.add(this.windowLatencies);
    this.windowLatencies.clear();
  }

  /** The last slice is to be measured again. */
  dropSlice() {
    this.windowLatencies.clear();
    this.bins.pop();
  }

  /** Ends a window that is closed by messages, not by the clock. */
  finish() {
    if (this.isOpen) this.close();
  }

  cross() {
    const { plan } = this;
    if (plan === null || this.nowMs < plan.fromMs) {
      // Warm-up has edges as well, so that crossing one is nothing new to the compiler when the window opens.
      this.edgeMs = Math.min(this.nowMs + WARM_UP_EDGE_MS, plan?.fromMs ?? Infinity);
      return;
    }
    if (!this.isOpen) {
      this.isOpen = true;
      this.latencies = this.windowLatencies;
      this.binOperations = 0;
      this.edgeMs = Math.min(plan.fromMs + plan.binMs, plan.toMs);
      plan.onOpen();
    }
    while (this.isOpen && this.nowMs >= this.edgeMs) {
      if (this.edgeMs >= plan.toMs) this.close();
      else {
        this.bins.push(this.binOperations);
        this.binOperations = 0;
        this.edgeMs = Math.min(this.edgeMs + plan.binMs, plan.toMs);
      }
    }
  }

  close() {
    this.isOpen = false;
    this.isOver = true;
    this.edgeMs = Infinity;
    this.latencies = this.otherLatencies; // for the answers that still come
    this.bins.push(this.binOperations);
    this.plan?.onClose();
  }
}
