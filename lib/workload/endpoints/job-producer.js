// The endpoint of a master that offers jobs: as many open jobs at once as there are credits, per worker or for a shared queue. It also
// follows the jobs of killed workers, and offers jobs on the schedule of an open load. This is the hot path of the master.

import { NO_SLOT } from '../../measure/meter.js';
import { sumBy } from '../../statistics/sum.js';
import { Jobs, makeReceipts, NO_JOB, payloadIndex } from '../messages/jobs.js';
import { isMessageId } from '../messages/message-ids.js';
import { countWrongPayload, noMistakes } from '../messages/mistakes.js';
import { untilSettled, waitForRoom } from './exchange.js';
import { SWEEPS_PER_DEADLINE } from './requester.js';
import { ALL } from './stream-parts.js';

/** @import { OpenLoad, Sender } from '../../measure/open-load.js' */
/** @import { Cell, Channel, Codec, Endpoint, EndpointReport, QueueTerms } from '../../types/index.js' */
/** @import { StreamParts } from './stream-parts.js' */

export class Credits {
  /**
   * @param {object} parts
   * @param {Pick<Channel, 'send' | 'drained'>} parts.channel
   * @param {Pick<Codec, 'encode'>} parts.codec
   * @param {string[]} parts.payloads
   * @param {Jobs} parts.jobs
   * @param {(error: Error) => void} parts.fail   called if waiting for room in the channel fails
   * @param {string} [parts.transport]
   */
  constructor({ channel, codec, payloads, jobs, fail, transport }) {
    this.fail = fail;
    this.transport = transport;
    this.channel = channel;
    this.codec = codec;
    this.payloads = payloads;
    this.jobs = jobs;
    /** @type {Map<number, number>} ms at which each open job was offered, by id, oldest first */
    this.open = new Map();
    this.unused = 0;
    this.isBlocked = false;
  }

  /** @param {number} credits */
  begin(credits) {
    this.unused = credits;
    this.offerAll();
  }

  /** @param {number} atMs   when the credit was returned */
  offer(atMs) {
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

  /**
   * Gives up jobs that were offered before an instant, and reuses their credits.
   * @param {number} beforeMs
   * @returns {number} number of these jobs
   */
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

// Tracks the jobs of killed workers: which of them other workers finished, and when all were finished.

export class Outage {
  /** @param {number} killedMs */
  constructor(killedMs) {
    this.killedMs = killedMs;
    /** Time from the kill until the last of the jobs was done; null before. @type {number | null} */
    this.recoveredMs = null;
    /** @type {Set<number>} jobs of killed workers that are not acknowledged */
    this.awaited = new Set();
    this.offeredAgain = 0;
    this.doneTwice = 0;
  }

  /**
   * @param {Credits} offers   credits of the killed worker, or of a shared queue
   * @param {Jobs | null} jobs   receives the jobs of the worker to offer them again, or null if the broker redelivers them
   */
  begin(offers, jobs) {
    for (const id of offers.open.keys()) this.awaited.add(id);
    if (this.awaited.size > 0) this.recoveredMs = null; // other workers may have finished all jobs of workers that were killed earlier
    if (jobs === null) return;
    jobs.again.push(...offers.open.keys());
    this.offeredAgain += offers.open.size;
    offers.open.clear();
    offers.unused = 0;
  }

  /** @param {number} id @param {number} nowMs */
  acknowledge(id, nowMs) {
    if (this.awaited.delete(id) && this.awaited.size === 0) this.recoveredMs = nowMs - this.killedMs;
  }
}

// Sends jobs by credit: as many to each worker as its credits allow, or as many to the queue of the transport as the credits of all workers
// allow, and one more for each acknowledgement. All times are on the clock of the master.

/**
 * @typedef {{ offers: Credits, newestId: number, finished: number }} WorkerState   `finished` counts jobs since the load or the window
 *   began
 */

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
    this.meterLoop = parts.meter.addLoops(1); // one for all jobs, since acknowledgements arrive in any order
    this.prefetch = prefetch || loops;
    this.handleMs = handleMs;
    this.jobs = new Jobs(parts.meter);
    this.payloads = parts.payloadsOf(ALL);
    this.receipts = makeReceipts(this.payloads);
    /** @type {Map<string, WorkerState>} */
    this.workers = new Map();
    this.isShared = false;
    this.acknowledged = 0;
    this.busiest = 0; // jobs in the window that the busiest worker acknowledged
    /** @type {Outage | null} */
    this.outage = null;
    this.integrity = noMistakes();
    this.openLoad = parts.open ? new parts.open.OpenLoad({ meter: parts.meter, ...parts.open }) : null;
    this.plannedSends = this.openLoad && new PlannedSends(this.openLoad);
    /** @type {() => void} */
    this.end = () => {};
    /** @type {(error: Error) => void} */
    this.fail = () => {};
    /** @type {Promise<void>} */
    this.over = new Promise((resolve, reject) => {
      this.end = resolve;
      this.fail = reject;
    });
    this.openLoad?.takeTurns(); // the worker that has been idle longest gets the next job
  }

  /** @param {Channel} channel @param {string} workerId */
  serve(channel, workerId) {
    /** @type {WorkerState} */
    const worker = { offers: this.offersOver(channel), newestId: 0, finished: 0 };
    this.workers.set(workerId, worker);
    channel.onMessage = (wire) => this.receive(wire, worker);
  }

  /** @param {Pick<Channel, 'send' | 'drained'>} channel */
  offersOver(channel) {
    const { codec, payloads, jobs, plannedSends } = this;
    const { transport } = this.parts;
    const parts = { channel, codec, payloads, jobs, transport, fail: this.fail };
    return plannedSends === null ? new Credits(parts) : new ScheduledCredits({ ...parts, plannedSends });
  }

  allOffers() {
    return new Set([...this.workers.values()].map(({ offers }) => offers));
  }

  /** @param {number} atMs */
  async run(atMs) {
    const queue = this.parts.queue?.() ?? null;
    this.isShared = queue !== null;
    if (queue !== null) {
      const offers = this.offersOver(queue);
      for (const worker of this.workers.values()) worker.offers = offers;
    }
    const credits = this.isShared ? this.prefetch * this.workers.size : this.prefetch;
    for (const offers of this.allOffers()) offers.begin(credits);
    this.openLoad?.begin(atMs);
    // A worker processes one job at a time, so the last of its open jobs waits for all others.
    const patienceMs = this.parts.replyMs + credits * this.handleMs;
    const sweeper = setInterval(() => {
      if (this.meter.isOver) clearInterval(sweeper);
      else this.giveUp(performance.now() - patienceMs);
    }, this.parts.replyMs / SWEEPS_PER_DEADLINE);
    sweeper.unref(); // the timer must not delay the end of a failed launch
    await this.over.finally(() => clearInterval(sweeper));
  }

  /** @param {any} wire @param {WorkerState} worker */
  receive(wire, worker) {
    let message;
    try {
      message = this.receiptCodec.decode(wire);
    } catch {
      this.integrity.corrupt += 1;
      return;
    }
    const { id, payload } = message;
    const { meter, receipts } = this;
    const { offers } = worker;
    const offeredMs = offers.open.get(id);
    if (offeredMs === undefined) {
      this.countUnexpected(id);
      return;
    }
    offers.open.delete(id);
    if (payload !== receipts[payloadIndex(id, receipts.length)])
      countWrongPayload(this.integrity, receipts, payload);
    // A job that is offered again follows jobs with higher ids.
    if (id < worker.newestId && this.outage === null) this.integrity.outOfOrder += 1;
    worker.newestId = id;
    // One clock reading for the end of this job and the start of the next one.
    meter.isFresh = false;
    const nowMs = meter.stamp();
    this.acknowledged += 1;
    worker.finished += 1; // counted in the warm-up too, since a branch that runs only in the window would not be compiled when it opens
    meter.count(this.meterLoop, offeredMs, nowMs);
    if (this.outage !== null) this.outage.acknowledge(id, nowMs);
    if (this.plannedSends !== null) this.plannedSends.acknowledge(id, nowMs);
    offers.offer(nowMs);
  }

  /** Counts an acknowledgement without an open job. @param {number} id */
  countUnexpected(id) {
    if (!isMessageId(id)) this.integrity.corrupt += 1;
    else if (this.outage === null) this.integrity.duplicate += 1;
    else this.outage.doneTwice += 1;
  }

  /** Gives up jobs that were offered before an instant. @param {number} beforeMs */
  giveUp(beforeMs) {
    for (const offers of this.allOffers()) this.integrity.lost += offers.giveUp(beforeMs);
  }

  /** Called before workers are killed. From then on, repeated jobs and jobs out of order are not mistakes. @param {number} nowMs */
  killing(nowMs) {
    this.outage = new Outage(nowMs);
  }

  /**
   * Offers the open jobs of a killed worker again, unless the broker redelivers them. Called when the worker has ended.
   * @param {string} workerId
   */
  gone(workerId) {
    const worker = this.workers.get(workerId);
    if (worker === undefined || this.outage === null) return;
    this.outage.begin(worker.offers, this.isShared ? null : this.jobs);
    for (const offers of this.allOffers()) if (offers !== worker.offers) offers.offerAll();
  }

  progress() {
    return this.acknowledged;
  }

  opened() {
    for (const worker of this.workers.values()) worker.finished = 0;
  }

  closed() {
    this.busiest = Math.max(...[...this.workers.values()].map(({ finished }) => finished));
    this.openLoad?.end();
    this.end();
  }

  async settled() {
    const { replyMs, mayLose, promise } = this.parts;
    const openJobs = () => this.jobs.again.length + sumBy(this.allOffers(), ({ open }) => open.size);
    const found = await untilSettled({
      isComplete: () => openJobs() === 0,
      progress: () => this.progress(),
      replyMs,
      handleMs: this.handleMs,
      mayLose: mayLose || (this.outage !== null && promise === 'at most once'),
    });
    if (found !== 'silent') return;
    this.giveUp(Infinity);
    this.integrity.lost += this.jobs.again.splice(0).length; // no worker was left for these jobs
  }

  /** @returns {EndpointReport} */
  report() {
    const { outage, integrity, busiest } = this;
    const open = this.openLoad?.report() ?? null;
    const report = { ...this.meter.counted(), requests: this.jobs.offered, values: { busiest }, open };
    if (outage === null) return { ...report, mistakes: integrity };
    // Lost and repeated jobs of killed workers are results of the scenario, not mistakes.
    const { lost } = integrity;
    const { promise = 'at least once' } = this.parts;
    const { offeredAgain, doneTwice, recoveredMs } = outage;
    return {
      ...report,
      values: {
        busiest,
        lost,
        doneTwice,
        ...(!this.isShared && { offeredAgain }), // a queue does not report which jobs it redelivers
        ...(recoveredMs !== null && { recoveredMs }),
      },
      mistakes: { ...integrity, lost: 0 },
      outage: { promise, lost, doneTwice },
    };
  }
}

/**
 * The sends under open load whose jobs are not acknowledged. The wait of a due job for a credit counts as schedule delay, and is a part of the
 * response time.
 */
class PlannedSends {
  /** @param {OpenLoad} openLoad */
  constructor(openLoad) {
    this.openLoad = openLoad;
    /** @type {Map<number, { startMs: number, sentMs: number }>} by the id of the job */
    this.sends = new Map();
    openLoad.openElsewhere.push(() => [...this.sends.values()].map(({ startMs }) => startMs));
  }

  /** @param {number} id @param {{ startMs: number, sentMs: number }} send */
  add(id, send) {
    this.openLoad.noteSent(send.startMs, send.sentMs);
    this.sends.set(id, send);
  }

  /** @param {number} id @param {number} endMs */
  acknowledge(id, endMs) {
    const send = this.sends.get(id);
    this.sends.delete(id);
    if (send !== undefined) this.openLoad.noteAnswered({ ...send, endMs });
  }
}

// Credits under open load: a credit waits until a job is due, and a due job waits for a credit.
class ScheduledCredits extends Credits {
  /** @param {ConstructorParameters<typeof Credits>[0] & { plannedSends: PlannedSends }} parts */
  constructor({ plannedSends, ...parts }) {
    super(parts);
    this.plannedSends = plannedSends;
    this.openLoad = plannedSends.openLoad;
  }

  offer() {
    this.openLoad.offer(new ScheduledCredit(this));
  }

  /** @param {number} startMs   NO_SLOT if the load is over */
  offerPlanned(startMs) {
    if (startMs === NO_SLOT) return;
    const id = this.jobs.next();
    if (id === NO_JOB) return;
    const sentMs = performance.now();
    this.plannedSends.add(id, { startMs, sentMs });
    this.send(id, sentMs);
  }

  offerAll() {
    this.openLoad.onRoom();
    super.offerAll();
  }
}

/** @implements {Sender} */
class ScheduledCredit {
  /** @param {ScheduledCredits} credits */
  constructor(credits) {
    this.credits = credits;
  }

  get isBlocked() {
    return this.credits.isBlocked;
  }

  /** @param {number} startMs   NO_SLOT if the load is over */
  take(startMs) {
    this.credits.offerPlanned(startMs);
  }
}
