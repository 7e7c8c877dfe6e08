// Open load in one worker: a plan has the instant at which each request is due, and a free loop sends it. Its times count from the
// planned instant as well as from the real send. The requester pairs and verifies, and the meter has the window.

import { MS_PER_S, NS_PER_MS } from '../../format/units.js';
import { HIGHEST_NS, LatencyCounts } from '../../statistics/latency-counts.js';
import { seededRandom, seedFrom } from '../../statistics/random.js';
import { LOST } from '../endpoints/requester.js';
import { NO_SLOT } from './meter.js';
import { PreciseWait } from './precise-wait.js';

/** @import { LoopHandle, MeterPlan } from '../../types/index.js' */
/** @import { Requester } from '../endpoints/requester.js' */
/** @import { Meter } from './meter.js' */

/** @typedef {Pick<import('../../types/launches.js').OpenLaunch, 'arrivals' | 'catchesUp' | 'pacing'>} OpenPlan */

/** @typedef {Pick<Requester, 'shouldContinue' | 'isBlocked' | 'room' | 'begin' | 'dueMs' | 'request'>} Asking */
/** @typedef {(plannedMs: number) => void} Take */

const TICK_PATIENCE_MS = 2; // two periods of a timer: a delay of the pacing itself is no reason to drop a request
const TIMER_EARLY_MS = 0.4; // a timer fires up to this much after its whole number of milliseconds
const LONGEST_SLEEP_MS = 1 + TIMER_EARLY_MS; // what timers of 1 ms leave
/** Of the mean time between two sends, while a response is awaited: that is at most a tenth of a core. */
const SHARE_OF_TURNS = 0.1;
/** Stands for a planned instant when no response is open. NaN, so that V8 represents the array's elements as doubles from the start. */
const NOTHING_OPEN = NaN;

export class OpenLoad {
  /**
   * @param {object} parts
   * @param {Meter} parts.meter
   * @param {OpenPlan} parts.plan
   * @param {{ ratePerSecond: number, workers: number, worker: number, seed: number, gaps?: readonly number[] | null }} parts.share   of this
   *   worker; gaps: of recorded arrivals
   */
  constructor({ meter, plan, share }) {
    this.meter = meter;
    this.pacing = plan.pacing;
    this.nextInstant = plannedInstants({ ...share, arrivals: plan.arrivals });
    const turnMs = intervalMs(share.ratePerSecond, share.workers);
    this.turnsMs = turnMs * SHARE_OF_TURNS;
    const patienceMs = plan.pacing === 'tick' ? Math.max(turnMs, TICK_PATIENCE_MS) : turnMs;
    this.patienceMs = plan.catchesUp ? Infinity : patienceMs;
    this.zeroMs = 0;
    this.nextMs = Infinity;
    this.isOver = false;
    /** The loop that became free last sends first, since its code is warmest. @type {Pick<Take[], 'push' | 'pop' | 'splice' | 'length'>} */
    this.freeLoops = [];
    this.counts = { due: 0, started: 0, late: 0, missed: 0, dropped: 0 };
    this.responses = new LatencyCounts();
    this.sendLags = new LatencyCounts();
    /** Ages of the requests that were open when the window closed. Their response times are at least that. */
    this.unanswered = new LatencyCounts();
    /** Set for a sender that sees each response. Other senders wait with timers alone. @type {PreciseWait | null} */
    this.precise = null;
    /** Requests without a response. */
    this.inFlight = 0;
    /** Sends and responses. */
    this.handled = 0;
    this.willTick = false;
    /** Planned instants of what the loops wait for. @type {number[]} */
    this.openMs = [];
    /** Other sources of planned instants without a response. @type {(() => Iterable<number>)[]} */
    this.openElsewhere = [];
  }

  /** @param {number} zeroMs   the instant from which the plan counts, the same for all workers */
  begin(zeroMs) {
    this.zeroMs = zeroMs;
    this.nextMs = zeroMs + this.nextInstant();
    if (this.pacing === 'spin') this.spin();
    else this.tick();
  }

  /** Before the load or during it, by a sender that sends through `handle`. The thread then sleeps while nothing is in flight. */
  waitPrecisely() {
    if (this.pacing === 'tick') this.precise ??= new PreciseWait(this.meter);
  }

  spin() {
    if (this.isOver || this.meter.isOver) return;
    this.serve(performance.now());
    setImmediate(() => this.spin());
  }

  tick() {
    if (this.meter.isOver) return; // the launch failed, so its window never ends
    const nowMs = performance.now();
    // One that is later than timers would make it saves CPU time: several sends in one turn of the event loop take less.
    const isBehind = nowMs - this.nextMs > TICK_PATIENCE_MS;
    this.serve(nowMs);
    // With every loop busy nothing can be sent: the first one that is free looks at the plan by itself.
    if (this.precise === null || isBehind || this.freeLoops.length === 0) this.tickAfter(this.nextMs - nowMs);
    else this.waitForNext(this.precise, nowMs);
  }

  /** @param {number} ms */
  tickAfter(ms) {
    this.timer = setTimeout(() => this.tick(), Math.max(1, Math.floor(ms)));
  }

  /** @param {PreciseWait} precise @param {number} nowMs */
  waitForNext(precise, nowMs) {
    const leftMs = this.nextMs - nowMs;
    if (this.inFlight === 0 && leftMs < LONGEST_SLEEP_MS && precise.isPossible) {
      precise.sleepUntil(this.nextMs);
      // The loop is given its turn before the instant, and waits for the rest of the time itself, right before it sends.
      this.serve(Math.max(performance.now(), this.nextMs));
      this.tickInNextTurn();
    } else if (leftMs < this.turnsMs) {
      const { handled } = this;
      // What a turn did besides waiting is part of the operations.
      this.tickInNextTurn(() => handled === this.handled && precise.noteTurn(performance.now() - nowMs));
    } else this.tickAfter(leftMs - TIMER_EARLY_MS);
  }

  /** The event loop looks at the plan once it has handled what there is. @param {() => unknown} [before] */
  tickInNextTurn(before = () => {}) {
    if (this.willTick) return;
    this.willTick = true;
    clearTimeout(this.timer);
    setImmediate(() => {
      this.willTick = false;
      before();
      if (!this.isOver) this.tick();
    });
  }

  /** @param {number} nowMs */
  serve(nowMs) {
    this.giveUp(nowMs);
    while (this.nextMs <= nowMs) {
      const take = this.freeLoops.pop();
      if (take === undefined) return;
      take(this.advance());
    }
  }

  /** Without catching up, what is too late is skipped, and counted. @param {number} nowMs */
  giveUp(nowMs) {
    while (nowMs - this.nextMs > this.patienceMs) {
      const plannedMs = this.advance();
      if (!this.isInWindow(plannedMs)) continue;
      this.counts.missed += 1;
      this.noteUnanswered(plannedMs);
    }
  }

  /** @returns {number} the planned instant that the plan leaves behind */
  advance() {
    const plannedMs = this.nextMs;
    if (this.isInWindow(plannedMs)) this.counts.due += 1;
    this.nextMs = this.zeroMs + this.nextInstant();
    return plannedMs;
  }

  /** @param {number} atMs */
  isInWindow(atMs) {
    const { plan } = this.meter;
    return plan !== null && atMs >= plan.fromMs && atMs < plan.toMs;
  }

  /** Uses all connections alike: a loop that becomes free waits until all loops that were free before it have sent. */
  takeTurns() {
    this.freeLoops = new Slots();
  }

  /** @param {Asking} requester @param {number} loop @returns {LoopHandle} its requests are sent when they are due */
  handle(requester, loop) {
    const place = this.openMs.push(NOTHING_OPEN) - 1;
    return {
      shouldContinue: () => requester.shouldContinue(loop),
      request: () => this.askInTurn(requester, loop, place),
    };
  }

  /** @param {Asking} requester @param {number} loop @param {number} place   index of the loop among those of all requesters */
  async askInTurn(requester, loop, place) {
    const { meter } = this;
    const overdueMs = this.takeOverdue();
    const plannedMs = overdueMs ?? (await this.turn());
    if (plannedMs === NO_SLOT) return;
    this.openMs[place] = plannedMs;
    // Another loop may block again before this one has its turn: whatever it waits is send lag, never service time.
    while (requester.isBlocked) {
      if ((await requester.room(loop)) !== LOST) continue;
      if (this.isInWindow(plannedMs)) this.counts.dropped += 1;
      this.noteLost(place);
      return;
    }
    this.precise?.spinUntil(plannedMs);
    requester.begin(loop);
    const sentMs = requester.dueMs[loop];
    this.noteSent(sentMs, overdueMs !== null);
    this.inFlight += 1;
    this.handled += 1;
    const outcome = await requester.request(loop);
    this.inFlight -= 1;
    this.handled += 1;
    meter.isFresh = false; // the next response may be long in coming, without a request between
    if (this.precise !== null) this.tickInNextTurn();
    if (outcome === LOST) {
      this.noteLost(place);
      return;
    }
    this.openMs[place] = NOTHING_OPEN;
    this.noteAnswered({ plannedMs, sentMs, answeredMs: requester.dueMs[loop] });
  }

  /** @param {number} sentMs @param {boolean} isLate   no loop was free when it was due @returns {boolean} it was sent in the window */
  noteSent(sentMs, isLate) {
    const isCounted = this.isInWindow(sentMs);
    if (isCounted) this.counts.started += 1;
    if (isCounted && isLate) this.counts.late += 1;
    return isCounted;
  }

  /** @param {{ plannedMs: number, sentMs: number, answeredMs: number }} times   of a response that has just arrived */
  noteAnswered({ plannedMs, sentMs, answeredMs }) {
    if (!this.meter.isOpen) return;
    this.responses.record(Math.round((answeredMs - plannedMs) * NS_PER_MS));
    this.sendLags.record(Math.round((sentMs - plannedMs) * NS_PER_MS));
  }

  /** Notes a request whose response will never come, unless the end of the window has noted it. @param {number} place   of its loop */
  noteLost(place) {
    if (this.meter.isOpen) this.noteUnanswered(this.openMs[place]);
    this.openMs[place] = NOTHING_OPEN;
  }

  /** @param {number} plannedMs   of a request that is open when the window closes */
  noteUnanswered(plannedMs) {
    const { toMs } = /** @type {MeterPlan} */ (this.meter.plan);
    const ageNs = Math.round((toMs - plannedMs) * NS_PER_MS);
    // What a loop that stood still takes after the end is not of this window. A bound that is cut off is still one.
    if (ageNs > 0) this.unanswered.record(Math.min(ageNs, HIGHEST_NS));
  }

  /** @returns {Promise<number>} the planned instant that is this loop's to serve */
  turn() {
    return new Promise((resolve) => this.freeLoops.push(resolve));
  }

  /** @returns {number | null} the planned instant that passed while no loop was free, or null if the loop has to wait */
  takeOverdue() {
    if (this.isOver) return NO_SLOT;
    const nowMs = performance.now();
    this.giveUp(nowMs);
    return this.freeLoops.length === 0 && this.nextMs <= nowMs ? this.advance() : null;
  }

  /** Ends the load with the window. */
  end() {
    if (this.meter.plan !== null && !this.isOver) this.noteOpen();
    this.isOver = true;
    clearTimeout(this.timer);
    for (const take of this.freeLoops.splice(0)) take(NO_SLOT);
  }

  noteOpen() {
    for (const plannedMs of this.openMs) {
      if (!Number.isNaN(plannedMs)) this.noteUnanswered(plannedMs);
    }
    for (const instants of this.openElsewhere) {
      for (const plannedMs of instants()) this.noteUnanswered(plannedMs);
    }
  }

  /** @returns {Omit<import('../../types/launches.js').OpenLaunch, keyof OpenPlan>} what this worker counted, once the window is over */
  report() {
    const { toMs } = /** @type {MeterPlan} */ (this.meter.plan);
    this.giveUp(toMs);
    while (this.nextMs < toMs) {
      this.noteUnanswered(this.advance());
      this.counts.dropped += 1;
    }
    const unanswered = this.unanswered.toLatency();
    return {
      ...this.counts,
      response: this.responses.toLatency(),
      sendLag: this.sendLags.toLatency(),
      ...(unanswered.count > 0 && { unanswered }),
      ...(this.precise !== null && { pacingCpuUs: this.precise.cpuUs }),
    };
  }
}

// The free loops, first in first out, with the methods of an array that is used as a stack.

/** @template T */
export class Slots {
  constructor() {
    /** @type {Set<T>} in the order in which they came */
    this.waiting = new Set();
  }

  get length() {
    return this.waiting.size;
  }

  /** @param {T} one */
  push(one) {
    return this.waiting.add(one).size;
  }

  pop() {
    const { value, done } = this.waiting.values().next();
    if (done) return undefined;
    this.waiting.delete(value);
    return value;
  }

  /** @returns {T[]} all of them, removed */
  splice() {
    const all = [...this.waiting];
    this.waiting.clear();
    return all;
  }
}

// The plan of open load: at which instants each worker means to send. Pure, from a seed; when it really sends is
// open-load.js's.

/**
 * Fixed intervals: the instants of all workers together are evenly spread, from a phase that the seed draws, so that
 * no two workers ever send at once. Poisson: each worker draws exponential intervals of its own; together they are a
 * Poisson process of the whole rate, since rates of independent ones add up.
 * Source: D. R. Cox, P. A. W. Lewis, "The Statistical Analysis of Series of Events", 1966, chapter 8 (superposition).
 * @param {object} plan
 * @param {number} plan.ratePerSecond     of all workers together
 * @param {number} plan.workers
 * @param {number} plan.worker            from 0
 * @param {'fixed' | 'poisson' | 'recorded'} plan.arrivals
 * @param {number} plan.seed              the same for all workers
 * @param {readonly number[] | null} [plan.gaps]   of recorded arrivals: from each message to the next, the mean is 1
 * @returns {() => number} the next planned instant of the worker, ascending; ms since the start of load
 */
export function plannedInstants({ ratePerSecond, workers, worker, arrivals, seed, gaps = null }) {
  if (arrivals === 'recorded' && gaps !== null)
    return recordedInstants(gaps, intervalMs(ratePerSecond, 1), { workers, worker });
  if (arrivals === 'poisson') {
    const random = seededRandom(seedFrom(seed, 'arrivals', worker));
    const meanMs = intervalMs(ratePerSecond, workers);
    let atMs = 0;
    return () => {
      atMs -= Math.log(1 - random()) * meanMs;
      return atMs;
    };
  }
  const phase = seededRandom(seedFrom(seed, 'phase'))();
  // Multiplied, never added up: after an hour the last instant is as exact as the first.
  let place = worker + phase;
  return () => {
    const atMs = (place * MS_PER_S) / ratePerSecond;
    place += workers;
    return atMs;
  };
}

/**
 * The recorded arrivals over and over, scaled to the rate. Workers take them in turn, since the recording does not name the sender.
 * @param {readonly number[]} gaps
 * @param {number} meanMs
 * @param {{ workers: number, worker: number }} share
 * @returns {() => number}
 */
function recordedInstants(gaps, meanMs, { workers, worker }) {
  let atMs = 0;
  let place = 0;
  return () => {
    for (;;) {
      const isOwn = place % workers === worker;
      const ownMs = atMs;
      atMs += gaps[place % gaps.length] * meanMs;
      place += 1;
      if (isOwn) return ownMs;
    }
  };
}

/**
 * @param {number} ratePerSecond   of all senders together
 * @param {number} senders
 * @returns {number} mean time between two planned instants of one of them
 */
export function intervalMs(ratePerSecond, senders) {
  return (senders * MS_PER_S) / ratePerSecond;
}
