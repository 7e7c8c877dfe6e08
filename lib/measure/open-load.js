// Open load in one process: each request has a scheduled instant and is sent then, even if earlier ones have no response yet. It is sent
// later only if no channel has room, or MAX_IN_FLIGHT requests are in flight. Latencies are recorded from the scheduled instant and from
// the actual send.

import { MS_PER_S, NS_PER_MS } from '../format/units.js';
import { LatencyCounts, MAX_NS } from '../statistics/latency-counts.js';
import { seededRandom, seedFrom } from '../statistics/random.js';
import { LOST, NO_SLOT } from './meter.js';
import { PreciseWait } from './precise-wait.js';

/** @import { LoopHandle, MeterPlan, OpenLaunch } from '../types/index.js' */
/** @import { Meter } from './meter.js' */

/** @typedef {Pick<OpenLaunch, 'arrivals' | 'pacing'>} OpenPlan */

/**
 * The part of a requester that open load uses.
 * @typedef {object} LoadRequester
 * @property {boolean} isBlocked   true while the channel has no room
 * @property {{ [loop: number]: number }} startsMs   start of the open request of each loop, or end of its last request
 * @property {(loop: number) => boolean} shouldContinue
 * @property {(loop: number) => void} begin
 * @property {(loop: number) => Promise<void | typeof LOST>} request
 */
/**
 * A loop, stream or credit that can send one request.
 * @typedef {object} Sender
 * @property {boolean} [isBlocked]   true while its channel has no room
 * @property {(startMs: number) => void} take   sends a request that is due, or ends for NO_SLOT
 */

/** Greatest number of requests of a launch that are in flight at once, which limits the memory for them. */
export const MAX_IN_FLIGHT = 100_000;
const TIMERS_SUFFICE_MS = 2; // twice the resolution of timers
const TIMER_EARLY_MS = 0.4; // timers are set this much early, since they may fire this much late
const MAX_SLEEP_MS = 1 + TIMER_EARLY_MS; // longest time left after a timer of whole milliseconds
/** While a request is open, the event loop polls for at most this share of the mean time between two sends: at most a tenth of a core. */
const POLLING_SHARE = 0.1;
/** Replaces a scheduled instant if no request is open. NaN, so that V8 stores the field as a double from the start. */
const NOTHING_OPEN = NaN;

export class OpenLoad {
  /**
   * @param {object} parts
   * @param {Meter} parts.meter
   * @param {OpenPlan} parts.plan
   * @param {{ ratePerSecond: number, workers: number, worker: number, seed: number, gaps?: readonly number[] | null }} parts.share   see
   *   plannedInstants
   */
  constructor({ meter, plan, share }) {
    this.meter = meter;
    this.pacing = plan.pacing;
    this.nextInstant = plannedInstants({ ...share, arrivals: plan.arrivals });
    this.pollingMs = intervalMs(share.ratePerSecond, share.workers) * POLLING_SHARE;
    this.mostLoops = Math.floor(MAX_IN_FLIGHT / share.workers);
    this.zeroMs = 0;
    this.nextMs = Infinity;
    this.isOver = false;
    /** @type {OpenLoop[]} */
    this.loops = [];
    /**
     * Loops without an open request. The loop that became free last sends first, since its data are most likely in the caches.
     * @type {Pick<Sender[], 'push' | 'pop' | 'splice' | 'length'>}
     */
    this.free = [];
    /** Free loops whose channel has no room. @type {Sender[]} */
    this.blocked = [];
    /**
     * Starts another loop, which is then added to `free`. Returns false if no channel has room. Streams and queues keep the default.
     * @type {() => boolean}
     */
    this.addLoop = () => false;
    this.isServing = false;
    /** True if a request that is due cannot be sent: no channel has room, or MAX_IN_FLIGHT requests are in flight. */
    this.isHeldBack = false;
    /**
     * End of the last time in which a request that was due could not be sent. A request that was due before this instant and is sent after
     * it counts as late.
     */
    this.canSendSinceMs = 0;
    this.counts = { due: 0, started: 0, late: 0, dropped: 0 };
    this.responses = new LatencyCounts();
    this.sendLags = new LatencyCounts();
    /** Ages of requests without a response at the end of the window: open, lost or not sent. Their response times are at least as long. */
    this.unanswered = new LatencyCounts();
    /** Set for loops that wait for their responses; null for other senders, which only use timers. @type {PreciseWait | null} */
    this.precise = null;
    this.inFlight = 0;
    this.mostInFlight = 0;
    /** Number of sends, responses and losses. */
    this.handled = 0;
    this.lastResponseMs = 0;
    this.endedMs = Infinity;
    this.willTick = false;
    /** Return the scheduled instants of open requests that are not in `loops`, such as jobs. @type {(() => Iterable<number>)[]} */
    this.openElsewhere = [];
  }

  /** @param {number} zeroMs   start of the schedule, the same for all workers */
  begin(zeroMs) {
    this.zeroMs = zeroMs;
    this.lastResponseMs = zeroMs;
    this.nextMs = zeroMs + this.nextInstant();
    if (this.pacing === 'spin') this.spin();
    else this.tick();
  }

  /**
   * Permits blocking the thread until a send is due (PreciseWait), while no request is in flight; without it, sends are as late as timers.
   * Only for senders that use `handle`; callable before and during the load.
   */
  enablePreciseWait() {
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
    // If the schedule is behind by more than the delay of a timer, timers suffice: several sends in one iteration of the event loop save
    // CPU time.
    const isBehind = nowMs - this.nextMs > TIMERS_SUFFICE_MS;
    this.serve(nowMs);
    // If a request that is due cannot be sent, a timer suffices, since room in a channel and free loops check the schedule themselves.
    if (this.precise === null || isBehind || this.isHeldBack) this.tickAfter(this.nextMs - nowMs);
    else this.waitForNext(this.precise, nowMs);
  }

  /** @param {number} ms */
  tickAfter(ms) {
    this.timer = setTimeout(() => this.tick(), Math.max(1, Math.floor(ms)));
  }

  /** @param {PreciseWait} precise @param {number} nowMs */
  waitForNext(precise, nowMs) {
    const leftMs = this.nextMs - nowMs;
    if (this.inFlight === 0 && leftMs < MAX_SLEEP_MS && precise.isPossible) {
      precise.sleepUntil(this.nextMs);
      // The sleep ends a little before the instant. The loop that sends spins for the rest.
      this.serve(Math.max(performance.now(), this.nextMs));
      this.tickNextIteration();
    } else if (leftMs < this.pollingMs) {
      const { handled } = this;
      // The CPU time of an iteration that sent or received belongs to the operations.
      this.tickNextIteration(() => handled === this.handled && precise.noteTurn(performance.now() - nowMs));
    } else this.tickAfter(leftMs - TIMER_EARLY_MS);
  }

  /** Checks the schedule in the next iteration of the event loop. @param {() => unknown} [before]   called there first */
  tickNextIteration(before = () => {}) {
    if (this.willTick) return;
    this.willTick = true;
    clearTimeout(this.timer);
    setImmediate(() => {
      this.willTick = false;
      before();
      if (!this.isOver) this.tick();
    });
  }

  /** Sends the requests that are due. @param {number} nowMs */
  serve(nowMs) {
    if (this.isServing) return;
    this.isServing = true;
    this.isHeldBack = false;
    while (this.nextMs <= nowMs && !this.isHeldBack && !this.isOver) {
      const sender = this.nextFree() ?? this.startLoop();
      if (sender === undefined) this.isHeldBack = true;
      else sender.take(this.advance());
    }
    this.isServing = false;
  }

  /** @returns {Sender | undefined} a free loop whose channel has room; undefined if there is none */
  nextFree() {
    let sender = this.free.pop();
    while (sender?.isBlocked) {
      this.blocked.push(sender);
      sender = this.free.pop();
    }
    return sender;
  }

  /** @returns {Sender | undefined} undefined if there are too many loops, or no channel has room */
  startLoop() {
    return this.loops.length < this.mostLoops && this.addLoop() ? this.nextFree() : undefined;
  }

  /** Adds a loop that can send, and sends what is due. @param {Sender} sender */
  offer(sender) {
    if (this.isOver) {
      sender.take(NO_SLOT);
      return;
    }
    this.free.push(sender);
    if (!this.isServing && this.nextMs <= performance.now()) this.goOn();
  }

  /** Frees the loops of channels that were full, and sends what is due. Called when a channel has room again. */
  onRoom() {
    for (const sender of this.blocked.splice(0)) this.free.push(sender);
    if (!this.isOver) this.goOn();
  }

  /** Sends the requests that had to wait. */
  goOn() {
    const nowMs = performance.now();
    if (this.isHeldBack) this.canSendSinceMs = nowMs;
    this.serve(nowMs);
  }

  /** Moves to the next scheduled instant. @returns {number} the previous one */
  advance() {
    const startMs = this.nextMs;
    if (this.isInWindow(startMs)) this.counts.due += 1;
    this.nextMs = this.zeroMs + this.nextInstant();
    return startMs;
  }

  /** @param {number} atMs */
  isInWindow(atMs) {
    const { plan } = this.meter;
    return plan !== null && atMs >= plan.fromMs && atMs < plan.toMs;
  }

  /** Uses all connections equally: free loops send in the order in which they became free. */
  takeTurns() {
    this.free = new Slots();
  }

  /** @param {LoadRequester} requester @param {number} loop @returns {LoopHandle} sends requests when they are due */
  handle(requester, loop) {
    const handle = new OpenLoop(this, requester, loop);
    this.loops.push(handle);
    return handle;
  }

  /**
   * @param {number} startMs
   * @param {number} sentMs
   * @returns {boolean} true if the request was sent in the window
   */
  noteSent(startMs, sentMs) {
    const isCounted = this.isInWindow(sentMs);
    if (isCounted) this.counts.started += 1;
    if (isCounted && startMs < this.canSendSinceMs) this.counts.late += 1;
    return isCounted;
  }

  /** Records a response that has just arrived. @param {{ startMs: number, sentMs: number, endMs: number }} times */
  noteAnswered({ startMs, sentMs, endMs }) {
    if (!this.meter.isOpen) return;
    this.responses.record(Math.round((endMs - startMs) * NS_PER_MS));
    this.sendLags.record(Math.round((sentMs - startMs) * NS_PER_MS));
  }

  /** Records the age of a request without a response at the end of the window. @param {number} startMs */
  noteUnanswered(startMs) {
    const { toMs } = /** @type {MeterPlan} */ (this.meter.plan);
    const ageNs = Math.round((toMs - startMs) * NS_PER_MS);
    // Skips instants after the end of the window, which a blocked loop may take. A clamped age is still a lower bound.
    if (ageNs > 0) this.unanswered.record(Math.min(ageNs, MAX_NS));
  }

  /**
   * A request is slow, not lost, as long as other responses arrive.
   * @param {number} replyMs   longest time without any response; after the load, the wait ends after half of it if responses still arrive
   * @returns {{ olderThanMs: number, areLost: boolean } | null} which requests to give up now: those older than `olderThanMs`, as lost or
   *   as late; null for none
   */
  judgeOpenRequests(replyMs) {
    const nowMs = performance.now();
    const [silentMs, overMs] = [nowMs - this.lastResponseMs, nowMs - this.endedMs];
    // The other end still works on its backlog, for longer than the launch waits.
    if (overMs >= replyMs / 2 && silentMs < replyMs / 2) return { olderThanMs: 0, areLost: false };
    if (overMs >= replyMs) return { olderThanMs: 0, areLost: true };
    return silentMs < replyMs ? null : { olderThanMs: replyMs, areLost: true };
  }

  /** Called at the end of the window: records the requests that are still open, and releases the waiting loops. */
  end() {
    if (this.meter.plan !== null && !this.isOver) this.noteOpen();
    this.endedMs = performance.now();
    this.isOver = true;
    clearTimeout(this.timer);
    for (const sender of [...this.free.splice(0), ...this.blocked.splice(0)]) sender.take(NO_SLOT);
  }

  noteOpen() {
    for (const { startMs } of this.loops) {
      if (!Number.isNaN(startMs)) this.noteUnanswered(startMs);
    }
    for (const instants of this.openElsewhere) {
      for (const startMs of instants()) this.noteUnanswered(startMs);
    }
  }

  /** To be called after the window. @returns {Omit<OpenLaunch, keyof OpenPlan>} counts and latencies of this process */
  report() {
    const { toMs } = /** @type {MeterPlan} */ (this.meter.plan);
    while (this.nextMs < toMs) {
      this.noteUnanswered(this.advance());
      this.counts.dropped += 1;
    }
    const { dropped } = this.counts;
    const unanswered = this.unanswered.toLatency();
    return {
      ...this.counts,
      ...(this.isHeldBack && dropped > 0 && { withheld: dropped }),
      ...(this.mostInFlight > 0 && { mostInFlight: this.mostInFlight }),
      response: this.responses.toLatency(),
      sendLag: this.sendLags.toLatency(),
      ...(unanswered.count > 0 && { unanswered }),
      ...(this.precise !== null && { pacingCpuUs: this.precise.cpuUs }),
    };
  }
}

/** @type {(value?: any) => void} */
let capturedResolve = () => {};
/** @type {(reason: unknown) => void} */
let capturedReject = () => {};
// One executor for all promises, since a closure per request would be garbage to collect.
/** @param {(value?: any) => void} resolve @param {(reason: unknown) => void} reject */
const capture = (resolve, reject) => {
  capturedResolve = resolve;
  capturedReject = reject;
};

/** A loop under open load. It waits for a request that is due, sends it, and waits for its response. @implements {LoopHandle} */
class OpenLoop {
  /** @param {OpenLoad} load @param {LoadRequester} requester @param {number} loop */
  constructor(load, requester, loop) {
    this.load = load;
    this.requester = requester;
    this.loop = loop;
    /** Scheduled instant of the open request. */
    this.startMs = NOTHING_OPEN;
    this.sentMs = 0;
    this.resolve = capturedResolve;
    this.reject = capturedReject;
    /** @param {void | typeof LOST} outcome */
    this.onEnd = (outcome) => this.end(outcome);
    /** @param {unknown} error */
    this.onFailure = (error) => this.reject(error);
  }

  get isBlocked() {
    return this.requester.isBlocked;
  }

  shouldContinue() {
    return this.requester.shouldContinue(this.loop);
  }

  /** @returns {Promise<void>} resolves when the response is verified or lost, or the load is over */
  request() {
    const ended = new Promise(capture);
    this.resolve = capturedResolve;
    this.reject = capturedReject;
    this.load.offer(this);
    return ended;
  }

  /** @param {number} startMs   NO_SLOT if the load is over */
  take(startMs) {
    if (startMs === NO_SLOT) {
      this.resolve();
      return;
    }
    const { load, requester, loop } = this;
    this.startMs = startMs;
    load.precise?.spinUntil(startMs);
    requester.begin(loop);
    this.sentMs = requester.startsMs[loop];
    load.noteSent(startMs, this.sentMs);
    load.inFlight += 1;
    if (load.inFlight > load.mostInFlight && load.meter.isOpen) load.mostInFlight = load.inFlight;
    load.handled += 1;
    try {
      requester.request(loop).then(this.onEnd, this.onFailure);
    } catch (error) {
      this.reject(error);
    }
  }

  /** @param {void | typeof LOST} outcome */
  end(outcome) {
    const { load, requester, startMs, sentMs } = this;
    const { meter } = load;
    load.inFlight -= 1;
    load.handled += 1;
    meter.isFresh = false; // the next response may arrive much later, without a request in between
    if (load.precise !== null) load.tickNextIteration();
    this.startMs = NOTHING_OPEN;
    if (outcome !== LOST) {
      const endMs = requester.startsMs[this.loop];
      load.lastResponseMs = endMs;
      load.noteAnswered({ startMs, sentMs, endMs });
    } else if (meter.isOpen) load.noteUnanswered(startMs);
    this.resolve();
  }
}

// The free loops in FIFO order, with the methods of an array.

/** @template T */
export class Slots {
  constructor() {
    /** @type {Set<T>} */
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

  /** Removes and returns all elements. @returns {T[]} */
  splice() {
    const all = [...this.waiting];
    this.waiting.clear();
    return all;
  }
}

// The schedule of an open load. It depends only on the plan, which contains the seed.

/**
 * Fixed: the instants of all workers together are evenly spaced, and the seed determines the first one, so no two workers send at once.
 * Poisson: each worker draws its own exponential intervals. Together they are a Poisson process of the whole rate, since the rates of
 * independent processes add up.
 * Source: D. R. Cox, P. A. W. Lewis, "The Statistical Analysis of Series of Events", 1966, chapter 8 (superposition).
 * @param {object} plan
 * @param {number} plan.ratePerSecond     sum over all workers
 * @param {number} plan.workers
 * @param {number} plan.worker            index from 0
 * @param {'fixed' | 'poisson' | 'recorded'} plan.arrivals
 * @param {number} plan.seed              the same for all workers
 * @param {readonly number[] | null} [plan.gaps]   intervals between recorded arrivals, with a mean of 1; null for other arrivals
 * @returns {() => number} next scheduled instant of the worker, ascending; ms since the start of the load
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
  // Multiplied instead of added up, so that rounding errors do not accumulate.
  let index = worker + phase;
  return () => {
    const atMs = (index * MS_PER_S) / ratePerSecond;
    index += workers;
    return atMs;
  };
}

/**
 * Repeats the recorded arrivals, scaled to the rate. Workers take them in turn, since the recording does not name the sender.
 * @param {readonly number[]} gaps
 * @param {number} meanMs
 * @param {{ workers: number, worker: number }} share
 * @returns {() => number}
 */
function recordedInstants(gaps, meanMs, { workers, worker }) {
  let atMs = 0;
  let index = 0;
  return () => {
    for (;;) {
      const isOwn = index % workers === worker;
      const ownMs = atMs;
      atMs += gaps[index % gaps.length] * meanMs;
      index += 1;
      if (isOwn) return ownMs;
    }
  };
}

/**
 * @param {number} ratePerSecond   sum over all senders
 * @param {number} senders
 * @returns {number} mean time between two scheduled instants of one sender
 */
export function intervalMs(ratePerSecond, senders) {
  return (senders * MS_PER_S) / ratePerSecond;
}
