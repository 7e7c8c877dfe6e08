// Open load in one worker: a plan says when each question is due, a free loop sends it, and its times are taken from the
// planned instant as well as from the real send. Pairing and verification are the asker's, the window is the meter's.

import { LatencyCounts } from '../statistics/latency-counts.js';
import { LOST } from './asker.js';
import { intervalMs, plannedInstants } from './schedule.js';
import { Turns } from './turns.js';

/** @import { LoopHandle, MeterPlan } from '../types/index.js' */
/** @import { Asker } from './asker.js' */
/** @import { Meter } from './meter.js' */
/** @typedef {Pick<import('../types/launches.js').OpenLaunch, 'arrivals' | 'catchesUp' | 'pacing'>} OpenPlan */

/** @typedef {(plannedMs: number) => void} Take */

const NS_PER_MS = 1e6;
const TICK_PATIENCE_MS = 2; // two turns of a timer: what pacing delays by itself is no reason to give a question up
/** In the place of a planned instant: the load is over. */
export const NO_TURN = -1;

export class OpenLoad {
  /**
   * @param {object} parts
   * @param {Meter} parts.meter
   * @param {OpenPlan} parts.plan
   * @param {{ ratePerSecond: number, workers: number, worker: number, seed: number }} parts.share   of this worker
   */
  constructor({ meter, plan, share }) {
    this.meter = meter;
    this.pacing = plan.pacing;
    this.nextInstant = plannedInstants({ ...share, arrivals: plan.arrivals });
    const turnMs = intervalMs(share.ratePerSecond, share.workers);
    const patienceMs = plan.pacing === 'tick' ? Math.max(turnMs, TICK_PATIENCE_MS) : turnMs;
    this.patienceMs = plan.catchesUp ? Infinity : patienceMs;
    this.zeroMs = 0;
    this.nextMs = Infinity;
    this.isOver = false;
    /** The one that was free last asks first: its code is warmest. @type {Pick<Take[], 'push' | 'pop' | 'splice' | 'length'>} */
    this.freeLoops = [];
    this.counts = { due: 0, started: 0, late: 0, missed: 0, dropped: 0 };
    this.responses = new LatencyCounts();
    this.sendLags = new LatencyCounts();
  }

  /** @param {number} zeroMs   the instant from which the plan counts, the same for all workers */
  begin(zeroMs) {
    this.zeroMs = zeroMs;
    this.nextMs = zeroMs + this.nextInstant();
    if (this.pacing === 'spin') this.spin();
    else this.tick();
  }

  spin() {
    if (this.isOver || this.meter.isOver) return;
    this.serve(performance.now());
    setImmediate(() => this.spin());
  }

  tick() {
    if (this.meter.isOver) return; // a launch that failed, whose window never ends
    const nowMs = performance.now();
    this.serve(nowMs);
    // With every loop busy nothing can be sent: the first one that is free looks at the plan by itself.
    this.timer = setTimeout(() => this.tick(), Math.max(1, Math.floor(this.nextMs - nowMs)));
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

  /**
   * Without catching up, what is too late is skipped, and counted.
   * @param {number} nowMs
   */
  giveUp(nowMs) {
    while (nowMs - this.nextMs > this.patienceMs) {
      if (this.isInWindow(this.advance())) this.counts.missed += 1;
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

  /** Of several connections each is used: a loop that is free waits until all others that were free before have asked. */
  takeTurns() {
    this.freeLoops = new Turns();
  }

  /** @param {Asker} asker @param {number} loop @returns {LoopHandle} whose questions wait for their turn */
  handle(asker, loop) {
    return { goesOn: () => asker.goesOn(loop), ask: () => this.askInTurn(asker, loop) };
  }

  /** @param {Asker} asker @param {number} loop */
  async askInTurn(asker, loop) {
    const { meter } = this;
    const overdueMs = this.takeOverdue();
    const plannedMs = overdueMs ?? (await this.turn());
    if (plannedMs === NO_TURN) return;
    // Another loop may block again before this one has its turn: whatever it waits is send lag, never service time.
    while (asker.isBlocked) {
      if ((await asker.room(loop)) !== LOST) continue;
      if (this.isInWindow(plannedMs)) this.counts.dropped += 1;
      return;
    }
    asker.begin(loop);
    const sentMs = asker.dueMs[loop];
    this.noteSent(sentMs, overdueMs !== null);
    const outcome = await asker.ask(loop);
    meter.isFresh = false; // the next reply may be long in coming, and no question need lie between
    if (outcome !== LOST) this.noteAnswered({ plannedMs, sentMs, answeredMs: asker.dueMs[loop] });
  }

  /** @param {number} sentMs @param {boolean} isLate   nobody could send it when it was due @returns {boolean} it was sent in the window */
  noteSent(sentMs, isLate) {
    const isCounted = this.isInWindow(sentMs);
    if (isCounted) this.counts.started += 1;
    if (isCounted && isLate) this.counts.late += 1;
    return isCounted;
  }

  /** @param {{ plannedMs: number, sentMs: number, answeredMs: number }} times   of one that was answered now */
  noteAnswered({ plannedMs, sentMs, answeredMs }) {
    if (!this.meter.isOpen) return;
    this.responses.record(Math.round((answeredMs - plannedMs) * NS_PER_MS));
    this.sendLags.record(Math.round((sentMs - plannedMs) * NS_PER_MS));
  }

  /** @returns {Promise<number>} the planned instant that is this loop's to serve */
  turn() {
    return new Promise((resolve) => this.freeLoops.push(resolve));
  }

  /** @returns {number | null} the planned instant that came while no loop was free; null: this loop has to wait */
  takeOverdue() {
    if (this.isOver) return NO_TURN;
    const nowMs = performance.now();
    this.giveUp(nowMs);
    return this.freeLoops.length === 0 && this.nextMs <= nowMs ? this.advance() : null;
  }

  /** The window is over: nobody's turn comes any more. */
  end() {
    this.isOver = true;
    clearTimeout(this.timer);
    for (const take of this.freeLoops.splice(0)) take(NO_TURN);
  }

  /** @returns {Omit<import('../types/launches.js').OpenLaunch, keyof OpenPlan>} what this worker counted, once the window is over */
  report() {
    const { toMs } = /** @type {MeterPlan} */ (this.meter.plan);
    this.giveUp(toMs);
    while (this.nextMs < toMs) {
      this.advance();
      this.counts.dropped += 1;
    }
    return { ...this.counts, response: this.responses.toLatency(), sendLag: this.sendLags.toLatency() };
  }
}
