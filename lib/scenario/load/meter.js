// The clock and the counters of the load of one process: which operations count, and how long they took. It runs on every operation, so
// it reads the clock once for all responses that are handled in one go.
//
// Closed loops count whole operations. Each loop begins to count at the end of the operation that is under way when the window opens,
// counts every operation that begins within the length of the window from there, and ends with the operation that is under way then.
// Its rate is its operations divided by their time. The operations counted are those before a stopping time, so the quotient is right for
// operations of any length (A. Wald, Annals of Mathematical Statistics 15, 1944), and they are a fair sample for percentiles. Counting
// what ends within a fixed window would leave out long operations first. Every other load is counted by the clock: what ends in the window.

/** @import { Endpoint, MeterPlan, WholeCounts } from '../../types/index.js' */

import { NS_PER_MS } from '../../format/units.js';
import { LatencyCounts } from '../../statistics/latency-counts.js';
import { sum } from '../../statistics/sum.js';

const WARM_UP_EDGE_MS = 50;
/** In the place of a planned instant: the load is over. */
export const NO_SLOT = -1;

// Of a loop within a window.
const BEFORE = 0;
const COUNTING = 1;
const AFTER = 2;

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
    /** Of the slices that count, but the last. @type {LatencyCounts | null} */
    this.keptLatencies = null;
    /** Of the current bin: operations without a time, and those of all loops before it. */
    this.tallied = 0;
    this.doneBeforeBin = 0;
    /** @type {number[]} */
    this.bins = [];
    /** @type {MeterPlan | null} */
    this.plan = null;
    this.loops = new Loops(this.otherLatencies);
    this.addLoops(1);
    this.rehearse();
    this.loops = new Loops(this.otherLatencies);
  }

  /** @param {number} count   loops, each of which has one operation open at a time @returns {number} the place of the first of them */
  addLoops(count) {
    return this.loops.add(count);
  }

  /** The operations of its loops count whole. Without this they count by the clock, as those of an open load do. */
  countWhole() {
    this.loops.areWhole = true;
  }

  get isWhole() {
    return this.loops.areWhole;
  }

  /**
   * Changes every field once that will change when the window opens. V8 compiles fields that never changed as
   * constants, and would throw the hot path away at the very first moment of the window.
   */
  rehearse() {
    this.countWhole();
    this.nowMs = 0.5; // no whole number: V8 keeps doubles from the start
    this.schedule({ fromMs: 0.25, toMs: 0.75, binMs: 0.5, onOpen() {}, onCounted() {}, onClose() {} });
    this.cross();
    for (let ms = 0; ms < 3; ms += 1) this.count(0, ms, ms + 1);
    this.rest();
    this.count(0, this.nowMs, this.nowMs + 1);
    this.nowMs = 0.5;
    this.bins = [];
    this.otherLatencies.clear();
    this.windowLatencies.clear();
    this.isOver = false;
    this.plan = null;
    this.edgeMs = 0;
  }

  /**
   * The stamp of the replies being handled: the clock is read at the first of them, and again once a loop has run.
   * A loop's next request begins at the stamp of its last response: the times of a loop add up to the time for which it counts, and
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

  /** @param {number} loop @param {number} startMs @param {number} endMs   of a verified operation */
  count(loop, startMs, endMs) {
    const { loops } = this;
    loops.latencies[loop].record(Math.round((endMs - startMs) * NS_PER_MS));
    loops.done[loop] += 1;
    if (endMs >= loops.edgesMs[loop]) loops.cross(loop, startMs, endMs);
  }

  /** An operation counts because it began in the window. @param {number} loop @param {boolean} isCounted @param {number} latencyMs */
  countBegun(loop, isCounted, latencyMs) {
    const latencies = isCounted ? this.windowLatencies : this.otherLatencies;
    latencies.record(Math.round(latencyMs * NS_PER_MS));
    this.loops.done[loop] += 1;
  }

  /** An operation that does not count, such as a lost one, ends: its time is part of the time of its loop. @param {number} loop @param {number} endMs */
  pass(loop, endMs) {
    if (endMs >= this.loops.edgesMs[loop]) this.loops.cross(loop, endMs, endMs);
  }

  /** @param {number} loop @returns {boolean} the operation that the loop has open counts if it is verified */
  isCounting(loop) {
    return this.loops.latencies[loop] === this.windowLatencies;
  }

  /** An operation without a time. */
  tally() {
    this.tallied += 1;
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

  /** @returns {{ operations: number, bins: number[], latency: import('../../types/launches.js').Latency, whole?: WholeCounts }} each operation timed */
  counted() {
    const latency = (this.keptLatencies ?? this.windowLatencies).toLatency();
    const counts = { operations: latency.count, bins: this.bins, latency };
    return this.isWhole ? { ...counts, whole: this.loops.report() } : counts;
  }

  /** @returns {number} ms that half of the time of the loops so far was spent in operations of at least */
  typicalOperationMs() {
    return this.otherLatencies.timeWeightedMedianNs() / NS_PER_MS;
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
   * One slice of the load of a process that has an endpoint. It lasts until `rest` is called.
   * @param {Endpoint} endpoint
   * @param {{ fromMs: number, toMs: number }} window   of this process's own clock
   * @param {{ onOpen?: () => void, onCounted?: () => void, onClose?: () => void }} [ends]
   * @returns {Promise<Pick<WholeCounts, 'operations' | 'windowMs' | 'completed'>>} of the slice, when no operation of its load is open any more
   */
  async runSlice(endpoint, { fromMs, toMs }, { onOpen, onCounted, onClose } = {}) {
    this.resume();
    this.countWhole();
    const closed = new Promise((resolve) => {
      this.schedule({
        fromMs,
        toMs,
        binMs: toMs - fromMs,
        onOpen() {
          onOpen?.();
          endpoint.opened?.();
        },
        onCounted,
        onClose() {
          endpoint.closed?.();
          onClose?.();
          resolve(undefined);
        },
      });
    });
    for (const ms of [fromMs, toMs]) this.tickAt(ms);
    await (endpoint.run?.(performance.now()) ?? closed);
    const { operations, windowMs, completed } = this.loops.last.report();
    return { operations, windowMs, completed };
  }

  /** @param {boolean} isDropped   the last slice does not count */
  settleSlice(isDropped) {
    if (!isDropped) {
      this.loops.kept.add(this.loops.last);
      this.keptLatencies ??= new LatencyCounts();
      this.keptLatencies.add(this.windowLatencies);
    }
    this.loops.last.clear();
    this.windowLatencies.clear();
    this.bins = [];
  }

  /** Ends a window that is closed by messages, not by the clock. */
  finish() {
    if (!this.isOpen) return;
    this.endBin();
    this.close();
  }

  cross() {
    const { plan } = this;
    if (plan === null || this.nowMs < plan.fromMs) {
      // Warm-up has edges as well, so that crossing one is nothing new to the compiler when the window opens.
      this.edgeMs = Math.min(this.nowMs + WARM_UP_EDGE_MS, plan?.fromMs ?? Infinity);
      this.loops.rehearse(this.nowMs);
      return;
    }
    if (!this.isOpen) {
      this.isOpen = true;
      this.beginBin();
      this.edgeMs = Math.min(plan.fromMs + plan.binMs, plan.toMs);
      this.loops.open(this.nowMs, plan, this.windowLatencies);
      plan.onOpen();
    }
    while (this.isOpen && this.nowMs >= this.edgeMs) {
      this.endBin();
      if (this.edgeMs < plan.toMs) this.edgeMs = Math.min(this.edgeMs + plan.binMs, plan.toMs);
      else if (this.isWhole) {
        this.edgeMs = Infinity;
        if (this.loops.count === 0) plan.onCounted?.();
      } else this.close();
    }
  }

  beginBin() {
    this.tallied = 0;
    this.doneBeforeBin = sum(this.loops.done);
  }

  endBin() {
    this.bins.push(this.tallied + sum(this.loops.done) - this.doneBeforeBin);
    this.beginBin();
  }

  /** Every loop of the launch has counted its operations: the load ends, and with it what the readings of costs span. */
  rest() {
    this.nowMs = performance.now();
    if (this.isOpen) this.close();
  }

  close() {
    this.isOpen = false;
    this.isOver = true;
    this.edgeMs = Infinity;
    this.loops.close(this.nowMs);
    this.plan?.onClose();
  }
}

/** What each closed loop has done, and what of it counts. */
class Loops {
  /** @param {LatencyCounts} others   of operations that do not count */
  constructor(others) {
    this.others = others;
    this.count = 0;
    this.areWhole = false;
    /** Where the next operation of each is recorded. @type {LatencyCounts[]} */
    this.latencies = [];
    /** Operations of each so far. */
    this.done = new Float64Array(0);
    /** An operation of a loop that ends later changes what becomes of the next one. */
    this.edgesMs = new Float64Array(0);
    this.phases = new Uint8Array(0);
    this.startsMs = new Float64Array(0);
    this.doneAtStart = new Float64Array(0);
    /** Of the last slice or window, and of all slices before that count. Made when the first one opens, for the loops that there are. */
    this.last = new LoopSums(0);
    this.kept = new LoopSums(0);
    /** What operations that count are recorded in. */
    this.counted = others;
    this.lengthMs = 0;
    this.openedMs = 0;
    this.closedMs = -Infinity;
    this.left = 0;
    /** @type {(() => void) | undefined} */
    this.onCounted = undefined;
  }

  /** @param {number} count @returns {number} */
  add(count) {
    const first = this.count;
    this.count += count;
    for (let loop = first; loop < this.count; loop += 1) this.latencies.push(this.others);
    if (this.count > this.done.length) this.grow(Math.max(this.count, 2 * this.done.length));
    return first;
  }

  /** Twice as much at least: each further connection adds loops, and what is thrown away would look like its memory. @param {number} length */
  grow(length) {
    const grown = (/** @type {Float64Array} */ old) => {
      const whole = new Float64Array(length);
      whole.set(old);
      return whole;
    };
    this.done = grown(this.done);
    this.edgesMs = grown(this.edgesMs);
    this.startsMs = grown(this.startsMs);
    this.doneAtStart = grown(this.doneAtStart);
    this.phases = new Uint8Array(length);
  }

  /** The next operation of each loop goes the way that it goes at an end of a window. @param {number} nowMs */
  rehearse(nowMs) {
    this.phases.fill(AFTER);
    this.edgesMs.fill(nowMs);
  }

  /** @param {number} nowMs @param {MeterPlan} plan @param {LatencyCounts} latencies   of what counts */
  open(nowMs, { fromMs, toMs, onCounted }, latencies) {
    this.openedMs = nowMs;
    this.closedMs = -Infinity;
    this.lengthMs = toMs - fromMs;
    this.left = this.count;
    this.onCounted = onCounted;
    this.counted = latencies;
    if (this.last.ms.length < this.count) {
      this.last = new LoopSums(this.count);
      this.kept = new LoopSums(this.count);
    }
    this.last.clear();
    this.last.completed = -sum(this.done);
    if (this.areWhole) {
      this.phases.fill(BEFORE);
      this.edgesMs.fill(fromMs);
    } else {
      this.latencies.fill(latencies);
      this.edgesMs.fill(Infinity);
    }
  }

  /** @param {number} nowMs */
  close(nowMs) {
    this.closedMs = nowMs;
    this.last.completed += sum(this.done);
    this.latencies.fill(this.others);
    this.phases.fill(AFTER);
    // Of what is still open, a part belongs to the time before.
    this.edgesMs.fill(this.areWhole ? nowMs : Infinity);
  }

  /** @param {number} loop @param {number} startMs @param {number} endMs   of an operation of it, where the next one begins */
  cross(loop, startMs, endMs) {
    const phase = this.phases[loop];
    this.edgesMs[loop] = Infinity;
    if (phase === BEFORE) {
      // The operation that the opening cut counts as completed for its part after it.
      if (startMs < this.openedMs) this.last.completed += (endMs - this.openedMs) / (endMs - startMs) - 1;
      this.start(loop, endMs);
    } else if (phase === COUNTING) {
      this.phases[loop] = AFTER;
      this.latencies[loop] = this.others;
      this.last.operations[loop] = this.done[loop] - this.doneAtStart[loop];
      this.last.ms[loop] = endMs - this.startsMs[loop];
      this.left -= 1;
      if (this.left === 0) this.onCounted?.();
    } else if (startMs < this.closedMs && endMs > startMs) {
      this.last.completed += (this.closedMs - startMs) / (endMs - startMs);
    }
  }

  /** @param {number} loop @param {number} startMs   of its first operation that counts */
  start(loop, startMs) {
    this.phases[loop] = COUNTING;
    this.latencies[loop] = this.counted;
    this.startsMs[loop] = startMs;
    this.doneAtStart[loop] = this.done[loop];
    this.edgesMs[loop] = startMs + this.lengthMs;
  }

  /** @returns {WholeCounts} of the window, or of all slices that count */
  report() {
    return (this.kept.slices > 0 ? this.kept : this.last).report();
  }
}

/** Whole operations of each loop, and the time that they took. */
export class LoopSums {
  /** @param {number} count   of loops */
  constructor(count) {
    this.operations = new Float64Array(count);
    this.ms = new Float64Array(count);
    /** Of the slices of each loop, the sums of ms² and of operations × ms. */
    this.squares = new Float64Array(count);
    this.products = new Float64Array(count);
    /** That were added. */
    this.slices = 0;
    this.completed = 0;
  }

  clear() {
    this.operations.fill(0);
    this.ms.fill(0);
    this.completed = 0;
  }

  /** @param {LoopSums} slice */
  add({ operations, ms, completed }) {
    for (let loop = 0; loop < ms.length; loop += 1) {
      this.operations[loop] += operations[loop];
      this.ms[loop] += ms[loop];
      this.squares[loop] += ms[loop] ** 2;
      this.products[loop] += operations[loop] * ms[loop];
    }
    this.slices += 1;
    this.completed += completed;
  }

  /**
   * Where slices hold few operations, Σn / Σt of several is high by a share that their (co)variances tell.
   * Source: M. Tin, Journal of the American Statistical Association 60 (1965).
   * @param {number} loop
   * @returns {number} operations per ms
   */
  rateOf(loop) {
    const { slices } = this;
    const [operations, ms] = [this.operations[loop], this.ms[loop]];
    if (operations === 0) return 0;
    const rate = operations / ms;
    if (slices < 2) return rate;
    const covariance = (slices * this.products[loop]) / (operations * ms) - 1;
    const variance = (slices * this.squares[loop]) / ms ** 2 - 1;
    return rate * (1 + (covariance - variance) / (slices - 1));
  }

  /** @returns {WholeCounts} */
  report() {
    const { operations, ms, completed } = this;
    const loopsMs = sum(ms);
    let perMs = 0;
    for (let loop = 0; loop < ms.length; loop += 1) perMs += this.rateOf(loop);
    const all = sum(operations);
    const windowMs = perMs > 0 ? all / perMs : loopsMs / Math.max(1, ms.length);
    return { operations: all, windowMs, loopsMs, completed };
  }
}
