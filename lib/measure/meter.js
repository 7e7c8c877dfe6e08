// The clock and the counters of the load of one process: which operations count, and how long they took. This code runs for every
// operation, so it reads the clock once for all responses that one callback handles.
//
// Closed loops count whole operations. A loop starts to count at the end of the operation that is in flight when the window opens. From
// there, it counts every operation that begins within the length of the window, until the last of them has ended. Its rate is the number of
// its operations divided by their time. The counted operations are those before a stopping time, so the quotient is unbiased for operations
// of any length (A. Wald, Annals of Mathematical Statistics 15, 1944), and they are a fair sample for percentiles.
// Counting the operations that end within a fixed window would drop long operations first. All other loads count the operations that end
// within the window, except for requests after a pause, which count by their start.

/** @import { Latency, MeterPlan, WholeCounts } from '../types/index.js' */

import { NS_PER_MS } from '../format/units.js';
import { LatencyCounts } from '../statistics/latency-counts.js';
import { sum } from '../statistics/sum.js';

const WARM_UP_EDGE_MS = 50;
/** Replaces a scheduled instant once the load is over. */
export const NO_SLOT = -1;

/** A request resolves with this value if no response arrives in time. */
export const LOST = 'lost';

// Phases of a loop with regard to its window.
const BEFORE = 0;
const COUNTING = 1;
const AFTER = 2;

export class Meter {
  constructor() {
    this.nowMs = 0;
    this.isFresh = false;
    /** The next time at which the window or the bin changes, so that a stamp takes one comparison. */
    this.edgeMs = Infinity;
    this.isOpen = false;
    this.isOver = false;
    // The warm-up is counted by the same code as the window. Otherwise the first bins of the window would include the compilation of
    // that code.
    this.otherLatencies = new LatencyCounts();
    this.windowLatencies = new LatencyCounts();
    /** Latencies of the earlier slices that count; null if there are none. @type {LatencyCounts | null} */
    this.keptLatencies = null;
    /** Operations of the current bin that are not timed. */
    this.tallied = 0;
    /** Operations of all loops before the current bin. */
    this.doneBeforeBin = 0;
    /** @type {number[]} */
    this.bins = [];
    this.keptBins = 0; // number of bins of the earlier slices that count
    /** The current window or slice, or the last one; null before the first. @type {MeterPlan | null} */
    this.plan = null;
    this.loops = new Loops(this.otherLatencies);
    this.addLoops(1);
    this.prime();
    this.loops = new Loops(this.otherLatencies);
  }

  /** @param {number} count   loops, each with one open operation at a time @returns {number} index of the first loop */
  addLoops(count) {
    return this.loops.add(count);
  }

  /** Counts whole operations, as closed loops do. By default the meter counts by the clock, as an open load does. */
  countWhole() {
    this.loops.areWhole = true;
  }

  get countsWholeOperations() {
    return this.loops.areWhole;
  }

  /**
   * Changes every field that changes when the window opens. V8 compiles fields that never changed as constants, and would
   * deoptimise the hot path at the start of the window.
   */
  prime() {
    this.countWhole();
    this.nowMs = 0.5; // a fraction, so that V8 represents the field as a double from the start
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
   * Returns the timestamp of the responses that are being handled. The clock is read at the first of them, and again after a loop has
   * sent a request. The next request of a loop starts at the timestamp of its last response, so that latencies add up to the counted time
   * and include the time that the worker spends between response and request.
   * @returns {number} ms on the clock of this process
   */
  stamp() {
    if (!this.isFresh) {
      this.isFresh = true;
      this.nowMs = performance.now();
      if (this.nowMs >= this.edgeMs) this.cross();
    }
    return this.nowMs;
  }

  /** Counts a verified operation. @param {number} loop @param {number} startMs @param {number} endMs */
  count(loop, startMs, endMs) {
    const { loops } = this;
    loops.latencies[loop].record(Math.round((endMs - startMs) * NS_PER_MS));
    loops.done[loop] += 1;
    if (endMs >= loops.edgesMs[loop]) loops.cross(loop, startMs, endMs);
  }

  /**
   * Counts an operation by its start.
   * @param {number} loop
   * @param {boolean} isCounted   true if the operation began in the window
   * @param {number} latencyMs
   */
  countBegun(loop, isCounted, latencyMs) {
    const latencies = isCounted ? this.windowLatencies : this.otherLatencies;
    latencies.record(Math.round(latencyMs * NS_PER_MS));
    this.loops.done[loop] += 1;
  }

  /**
   * Ends an operation that does not count, such as a lost one. The time of its loop includes the operation.
   * @param {number} loop
   * @param {number} endMs
   */
  pass(loop, endMs) {
    if (endMs >= this.loops.edgesMs[loop]) this.loops.cross(loop, endMs, endMs);
  }

  /** @param {number} loop @returns {boolean} true if the open operation of the loop counts once it is verified */
  isCounting(loop) {
    return this.loops.latencies[loop] === this.windowLatencies;
  }

  /** Counts an operation without a time. */
  tally() {
    this.tallied += 1;
  }

  /** @param {MeterPlan} plan */
  schedule(plan) {
    this.plan = plan;
    this.edgeMs = Math.min(this.edgeMs, plan.fromMs);
  }

  /** Reads the clock although no response has arrived, and opens or closes a window or a bin that is due. */
  tick() {
    this.isFresh = false;
    this.stamp();
    this.isFresh = false; // the next response must read the clock again
  }

  /** Reads the clock within about 2 ms after `ms` even if no response arrives. A timer that fires early is repeated. @param {number} ms */
  tickAt(ms) {
    const look = () => {
      this.tick();
      if (this.nowMs < ms) setTimeout(look, 1).unref();
    };
    // Unreferenced, so that a failed launch can exit before the end of its window.
    setTimeout(look, ms - performance.now() + 1).unref();
  }

  /** @returns {{ operations: number, bins: number[], latency: Latency, whole?: WholeCounts }} */
  counted() {
    const latency = (this.keptLatencies ?? this.windowLatencies).toLatency();
    const counts = { operations: latency.count, bins: this.bins, latency };
    return this.countsWholeOperations ? { ...counts, whole: this.loops.report() } : counts;
  }

  /** @returns {number} median in ms, weighted by time: the loops spent half of their time in operations of at least this length */
  typicalOperationMs() {
    return this.otherLatencies.timeWeightedMedianNs() / NS_PER_MS;
  }

  giveUp() {
    this.isOver = true;
  }

  /** Prepares for a load that begins again. */
  resume() {
    this.isOver = false;
  }

  /** @returns {Pick<WholeCounts, 'operations' | 'windowMs' | 'completed'>} counts of the last slice */
  lastCounts() {
    const { operations, windowMs, completed } = this.loops.last.report();
    return { operations, windowMs, completed };
  }

  /** @param {boolean} isDropped   true to discard the last slice */
  settleSlice(isDropped) {
    if (!isDropped) {
      this.loops.kept.add(this.loops.last);
      this.keptLatencies ??= new LatencyCounts();
      this.keptLatencies.add(this.windowLatencies);
      this.keptBins = this.bins.length;
    }
    this.loops.last.clear();
    this.windowLatencies.clear();
    this.bins.length = this.keptBins;
  }

  /** Ends a window that lasts for a number of messages instead of a time. */
  finish() {
    if (!this.isOpen) return;
    this.endBin();
    this.close();
  }

  cross() {
    const { plan } = this;
    if (plan === null || this.nowMs < plan.fromMs) {
      // The warm-up also has edges, so that the code that crosses an edge is compiled before the window opens.
      this.edgeMs = Math.min(this.nowMs + WARM_UP_EDGE_MS, plan?.fromMs ?? Infinity);
      this.loops.prime(this.nowMs);
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
      else if (this.countsWholeOperations) {
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

  /** Ends the load once every loop of the launch has counted its operations. The readings of costs span the time until then. */
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

/** @param {Float64Array} values @param {number} length @param {number} [further]   value of each added element */
export function lengthened(values, length, further = 0) {
  const whole = new Float64Array(length).fill(further, values.length);
  whole.set(values);
  return whole;
}

/**
 * The operations of each loop, and which of them count. Three counts differ by the operations that they include:
 * - `done`: all operations that a loop has ended, in warm-up and slices.
 * - `operations`: the operations that count in a result; with whole operations, those that begin within the slice of their loop.
 * - `completed`: the work between the opening and the closing of a slice, by which costs are divided: operations that ended in it, with the
 *   parts of those that began before or ended after it.
 */
class Loops {
  /** @param {LatencyCounts} others   records operations that do not count */
  constructor(others) {
    this.others = others;
    this.count = 0;
    this.areWhole = false;
    /** The counts in which the next operation of each loop is recorded. @type {LatencyCounts[]} */
    this.latencies = [];
    this.done = new Float64Array(0);
    /** An operation that ends at or after its loop's edge moves the loop to its next phase. */
    this.edgesMs = new Float64Array(0);
    this.phases = new Uint8Array(0);
    this.startsMs = new Float64Array(0);
    this.doneAtStart = new Float64Array(0);
    /** Sums of the last slice or window. Allocated when the first one opens. */
    this.last = new LoopSums(0);
    /** Sums of the earlier slices that count. */
    this.kept = new LoopSums(0);
    /** Records operations that count. */
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

  /**
   * The caller doubles the length, since connections add loops one by one, and discarded arrays would be counted as memory of the
   * connections.
   * @param {number} length
   */
  grow(length) {
    this.done = lengthened(this.done, length);
    this.edgesMs = lengthened(this.edgesMs, length);
    this.startsMs = lengthened(this.startsMs, length);
    this.doneAtStart = lengthened(this.doneAtStart, length);
    this.phases = new Uint8Array(length);
  }

  /** Makes the next operation of each loop run the code that runs at the end of a window. @param {number} nowMs */
  prime(nowMs) {
    this.phases.fill(AFTER);
    this.edgesMs.fill(nowMs);
  }

  /** @param {number} nowMs @param {MeterPlan} plan @param {LatencyCounts} latencies   records operations that count */
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
    // When an open operation ends, `completed` gets the part of it before the close.
    this.edgesMs.fill(this.areWhole ? nowMs : Infinity);
  }

  /** @param {number} loop @param {number} startMs @param {number} endMs   end of its last operation and start of the next one */
  cross(loop, startMs, endMs) {
    const phase = this.phases[loop];
    this.edgesMs[loop] = Infinity;
    if (phase === BEFORE) {
      // `completed` includes the part of this operation after the opening.
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

  /** @param {number} loop @param {number} startMs   start of the first operation that counts */
  start(loop, startMs) {
    this.phases[loop] = COUNTING;
    this.latencies[loop] = this.counted;
    this.startsMs[loop] = startMs;
    this.doneAtStart[loop] = this.done[loop];
    this.edgesMs[loop] = startMs + this.lengthMs;
  }

  /** @returns {WholeCounts} sums of the slices that count, or of the window */
  report() {
    return (this.kept.slices > 0 ? this.kept : this.last).report();
  }
}

/** The whole operations of each loop, and their time. */
export class LoopSums {
  /** @param {number} count */
  constructor(count) {
    this.operations = new Float64Array(count);
    this.ms = new Float64Array(count);
    /** Σ ms² over the slices of each loop. */
    this.squares = new Float64Array(count);
    /** Σ operations × ms over the slices of each loop. */
    this.products = new Float64Array(count);
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
   * Σ operations / Σ ms is biased upwards if the slices have few operations. The variance of the times and their covariance with the
   * operations give the correction.
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
