// Jobs that one worker, or any worker of a queue, has been offered and has not acknowledged yet: as many at once as there are credits.
// The hot path of a master that offers jobs.

import { sumBy } from '../../statistics/sum.js';
import { NO_SLOT } from '../load/meter.js';
import {
  countWrongPayload,
  isMessageId,
  Jobs,
  makeReceipts,
  NO_JOB,
  noMistakes,
  payloadIndex,
} from '../messages/integrity.js';
import { untilSettled, waitForRoom } from './exchange.js';
import { SWEEPS_PER_DEADLINE } from './requester.js';
import { ALL } from './stream-parts.js';

/** @import { OpenLoad } from '../load/open-load.js' */
/** @import { Cell, Channel, Codec, Endpoint, EndpointReport, QueueTerms } from '../../types/index.js' */
/** @import { StreamParts } from './stream-parts.js' */

export class Credits {
  /**
   * @param {object} parts
   * @param {Pick<Channel, 'send' | 'drained'>} parts.channel
   * @param {Pick<Codec, 'encode'>} parts.codec
   * @param {string[]} parts.payloads
   * @param {Jobs} parts.jobs
   * @param {(error: Error) => void} parts.fail   nothing can be offered any more
   * @param {string} [parts.transport]   its name, for error messages
   */
  constructor({ channel, codec, payloads, jobs, fail, transport }) {
    this.fail = fail;
    this.transport = transport;
    this.channel = channel;
    this.codec = codec;
    this.payloads = payloads;
    this.jobs = jobs;
    /** @type {Map<number, number>} by the job's number, the oldest first: ms at which it was offered */
    this.open = new Map();
    /** Credits for which nothing was offered yet. */
    this.unused = 0;
    this.isBlocked = false;
  }

  /** @param {number} credits */
  begin(credits) {
    this.unused = credits;
    this.offerAll();
  }

  /** @param {number} atMs   when the credit was there @param {number} [_done]   the number of the job that gave it back */
  offer(atMs, _done) {
    if (this.isBlocked) {
      this.unused += 1;
      return;
    }
    const id = this.jobs.next();
    if (id === NO_JOB) {
      this.unused += 1;
      return;
    }
    this.send(id, atMs);
  }

  /** @param {number} id @param {number} atMs */
  send(id, atMs) {
    this.open.set(id, atMs);
    const payload = this.payloads[payloadIndex(id, this.payloads.length)];
    if (!this.channel.send(this.codec.encode({ id, payload }))) this.block();
  }

  /** Whatever there are credits and jobs for. */
  offerAll() {
    for (let credits = this.unused; credits > 0; credits -= 1) {
      this.unused -= 1;
      this.offer(performance.now());
    }
  }

  block() {
    this.isBlocked = true;
    const goOn = () => {
      this.isBlocked = false;
      this.offerAll();
    };
    waitForRoom(this.channel, this.transport).then(goOn).catch(this.fail);
  }

  /** @param {number} beforeMs @returns {number} jobs given up that were offered before: their credits are there again */
  giveUp(beforeMs) {
    let givenUp = 0;
    for (const [id, offeredMs] of this.open) {
      if (offeredMs > beforeMs) break;
      this.open.delete(id);
      givenUp += 1;
    }
    this.unused += givenUp;
    this.offerAll();
    return givenUp;
  }
}

// What becomes of the jobs of workers that were killed: which of them others had to do, and when they had them all.

export class Outage {
  /** @param {number} killedMs */
  constructor(killedMs) {
    this.killedMs = killedMs;
    /** Remains null until the last of those jobs is done. @type {number | null} */
    this.recoveredMs = null;
    /** @type {Set<number>} jobs that were open when a worker was gone, and are not acknowledged yet */
    this.awaited = new Set();
    this.offeredAgain = 0;
    this.doneTwice = 0;
  }

  /**
   * @param {Credits} offers   those of a worker that is gone, or of all
   * @param {Jobs | null} jobs   receives the worker's jobs, to be offered again. Null if the broker moves them itself
   */
  begin(offers, jobs) {
    for (const id of offers.open.keys()) this.awaited.add(id);
    if (this.awaited.size > 0) this.recoveredMs = null; // another worker was gone before this one
    if (jobs === null) return;
    jobs.again.push(...offers.open.keys());
    this.offeredAgain += offers.open.size;
    offers.open.clear();
    offers.unused = 0;
  }

  /** @param {number} id   of a job that was acknowledged @param {number} nowMs */
  hear(id, nowMs) {
    if (this.awaited.delete(id) && this.awaited.size === 0) this.recoveredMs = nowMs - this.killedMs;
  }
}

// The endpoint of the master that sends jobs: by credit, to each worker as many at once as it may have, and the next
// one for each acknowledgement; or to the queue of the transport, as many as all workers may have. Times are of its own clock.

/** @typedef {{ offers: Credits, newestId: number, finished: number }} Taker   a worker: jobs that it acknowledged since the load or the window began */

/** @implements {Endpoint} */
export class JobProducer {
  /**
   * @param {Pick<Cell, 'loops'>} cell
   * @param {Pick<Codec, 'encode' | 'decode'>} codec
   * @param {StreamParts} parts
   * @param {QueueTerms} terms
   */
  constructor({ loops }, codec, parts, { prefetch, handleMs }) {
    this.codec = codec;
    this.parts = parts;
    this.receiptCodec = parts.receiptCodec ?? codec;
    this.meter = parts.meter;
    this.meterLoop = parts.meter.addLoops(1); // acknowledgements end its jobs in any order
    this.prefetch = prefetch || loops;
    this.handleMs = handleMs;
    this.jobs = new Jobs(parts.meter);
    this.payloads = parts.payloadsOf(ALL);
    this.receipts = makeReceipts(this.payloads);
    /** @type {Map<string, Taker>} by worker */
    this.takers = new Map();
    this.isShared = false;
    this.acknowledged = 0;
    this.busiest = 0; // the most jobs that one worker acknowledged, in the window
    /** @type {Outage | null} */
    this.outage = null;
    this.integrity = noMistakes();
    this.openLoad = parts.open ? new parts.open.OpenLoad({ meter: parts.meter, ...parts.open }) : null;
    /** @type {() => void} */
    this.end = () => {};
    /** @type {(error: Error) => void} */
    this.fail = () => {};
    /** @type {Promise<void>} */
    this.over = new Promise((resolve, reject) => {
      this.end = resolve;
      this.fail = reject;
    });
    this.openLoad?.takeTurns(); // the worker that has been without a job for longest gets the next one
  }

  /** @param {Channel} channel @param {string} workerId */
  serve(channel, workerId) {
    /** @type {Taker} */
    const taker = { offers: this.offersOver(channel), newestId: 0, finished: 0 };
    this.takers.set(workerId, taker);
    channel.onMessage = (wire) => this.hear(wire, taker);
  }

  /** @param {Pick<Channel, 'send' | 'drained'>} channel */
  offersOver(channel) {
    const { codec, payloads, jobs, openLoad } = this;
    const { transport } = this.parts;
    const parts = { channel, codec, payloads, jobs, transport, fail: this.fail };
    return openLoad === null ? new Credits(parts) : new ScheduledCredits({ ...parts, openLoad });
  }

  ways() {
    return new Set([...this.takers.values()].map(({ offers }) => offers));
  }

  /** @param {number} atMs */
  async run(atMs) {
    const queue = this.parts.queue?.() ?? null;
    this.isShared = queue !== null;
    if (queue !== null) {
      const offers = this.offersOver(queue);
      for (const taker of this.takers.values()) taker.offers = offers;
    }
    const credits = this.isShared ? this.prefetch * this.takers.size : this.prefetch;
    for (const offers of this.ways()) offers.begin(credits);
    this.openLoad?.begin(atMs);
    // A worker does one job after the other: the last of those that it has waits for all before.
    const patienceMs = this.parts.replyMs + credits * this.handleMs;
    const sweeper = setInterval(() => {
      if (this.meter.isOver) clearInterval(sweeper);
      else this.giveUp(performance.now() - patienceMs);
    }, this.parts.replyMs / SWEEPS_PER_DEADLINE);
    sweeper.unref(); // a launch that failed does not wait for it
    await this.over.finally(() => clearInterval(sweeper));
  }

  /** @param {any} wire @param {Taker} taker */
  hear(wire, taker) {
    let message;
    try {
      message = this.receiptCodec.decode(wire);
    } catch {
      this.integrity.corrupt += 1;
      return;
    }
    const { id, payload } = message;
    const { meter, receipts } = this;
    const { offers } = taker;
    const offeredMs = offers.open.get(id);
    if (offeredMs === undefined) {
      this.hearUnexpected(id);
      return;
    }
    offers.open.delete(id);
    if (payload !== receipts[payloadIndex(id, receipts.length)])
      countWrongPayload(this.integrity, receipts, payload);
    // A job that is offered again comes behind those that were offered after it.
    if (id < taker.newestId && this.outage === null) this.integrity.outOfOrder += 1;
    taker.newestId = id;
    // One reading for both: the job that is done, and the one that takes its place.
    meter.isFresh = false;
    const nowMs = meter.stamp();
    this.acknowledged += 1;
    taker.finished += 1; // in warm-up as well: a branch that only the window takes is new to the compiler when it opens
    meter.count(this.meterLoop, offeredMs, nowMs);
    if (this.outage !== null) this.outage.hear(id, nowMs);
    offers.offer(nowMs, id);
  }

  /** @param {number} id   of an acknowledgement that no open job has */
  hearUnexpected(id) {
    if (!isMessageId(id)) this.integrity.corrupt += 1;
    else if (this.outage === null) this.integrity.duplicate += 1;
    else this.outage.doneTwice += 1;
  }

  /** @param {number} beforeMs   when they were offered, or before */
  giveUp(beforeMs) {
    for (const offers of this.ways()) this.integrity.lost += offers.giveUp(beforeMs);
  }

  /** @param {number} nowMs   what is done twice or overtaken from here on is no mistake */
  killing(nowMs) {
    this.outage = new Outage(nowMs);
  }

  /** @param {string} workerId   that was killed, and has ended */
  gone(workerId) {
    const taker = this.takers.get(workerId);
    if (taker === undefined || this.outage === null) return;
    this.outage.begin(taker.offers, this.isShared ? null : this.jobs);
    for (const offers of this.ways()) if (offers !== taker.offers) offers.offerAll();
  }

  progress() {
    return this.acknowledged;
  }

  opened() {
    for (const taker of this.takers.values()) taker.finished = 0;
  }

  closed() {
    this.busiest = Math.max(...[...this.takers.values()].map(({ finished }) => finished));
    this.openLoad?.end();
    this.end();
  }

  async settled() {
    const { replyMs, mayLose, promise } = this.parts;
    const openJobs = () => this.jobs.again.length + sumBy(this.ways(), ({ open }) => open.size);
    const found = await untilSettled({
      isComplete: () => openJobs() === 0,
      progress: () => this.progress(),
      replyMs,
      handleMs: this.handleMs,
      mayLose: mayLose || (this.outage !== null && promise === 'at most once'),
    });
    if (found !== 'silent') return;
    this.giveUp(Infinity);
    this.integrity.lost += this.jobs.again.splice(0).length; // no worker was left to do them
  }

  /** @returns {EndpointReport} */
  report() {
    const { outage, integrity, busiest } = this;
    const open = this.openLoad?.report() ?? null;
    const report = { ...this.meter.counted(), asked: this.jobs.offered, values: { busiest }, open };
    if (outage === null) return { ...report, mistakes: integrity };
    // What became of the jobs of killed workers is what the scenario measures. It is no mistake.
    const { lost } = integrity;
    const { promise = 'at least once' } = this.parts;
    const { offeredAgain, doneTwice, recoveredMs } = outage;
    return {
      ...report,
      values: {
        busiest,
        lost,
        doneTwice,
        ...(!this.isShared && { offeredAgain }), // a queue does not report which jobs it gives to another worker
        ...(recoveredMs !== null && { recoveredMs }),
      },
      mistakes: { ...integrity, lost: 0 },
      outage: { promise, lost, doneTwice },
    };
  }
}

// Jobs that are offered by the plan of an open load: a credit waits until a job is due, and a job that is due until there is a
// credit for it. What it waits counts as send lag, and as response time.
class ScheduledCredits extends Credits {
  /** @param {ConstructorParameters<typeof Credits>[0] & { openLoad: OpenLoad }} parts */
  constructor({ openLoad, ...parts }) {
    super(parts);
    this.openLoad = openLoad;
    /** @type {Map<number, { plannedMs: number, sentMs: number }>} by the job's number */
    this.sends = new Map();
    /** Instants whose jobs wait until the channel takes them. @type {number[]} */
    this.held = [];
    openLoad.openElsewhere.push(() => [...this.sends.values()].map(({ plannedMs }) => plannedMs));
    openLoad.openElsewhere.push(() => this.held);
  }

  /** @param {number} atMs   when the credit was there @param {number} [done]   the number of the job that gave it back */
  offer(atMs, done) {
    const { openLoad } = this;
    if (done !== undefined) this.noteDone(done, atMs);
    const overdueMs = openLoad.takeOverdue();
    if (overdueMs !== null) this.offerPlanned(overdueMs, true);
    else openLoad.freeLoops.push((plannedMs) => this.offerPlanned(plannedMs, false));
  }

  /** @param {number} plannedMs   NO_SLOT: the load is over @param {boolean} isLate   there was no credit for it, or no room, when it was due */
  offerPlanned(plannedMs, isLate) {
    if (plannedMs === NO_SLOT) return;
    if (this.isBlocked) {
      this.held.push(plannedMs);
      return;
    }
    const id = this.jobs.next();
    if (id === NO_JOB) return;
    const sentMs = performance.now();
    this.openLoad.noteSent(sentMs, isLate);
    this.sends.set(id, { plannedMs, sentMs });
    this.send(id, sentMs);
  }

  /** @param {number} id @param {number} atMs */
  noteDone(id, atMs) {
    const sent = this.sends.get(id);
    this.sends.delete(id);
    if (sent !== undefined) this.openLoad.noteAnswered({ ...sent, answeredMs: atMs });
  }

  offerAll() {
    for (const plannedMs of this.held.splice(0)) this.offerPlanned(plannedMs, true);
    super.offerAll();
  }
}
