// The endpoint of a worker that sends requests after pauses. The first request of each loop after a pause is an operation. The loop then
// sends further requests without a pause, and the last of them show the response time without a pause.

import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { NS_PER_MS } from '../../format/units.js';
import { LOST } from '../../measure/meter.js';
import { LatencyCounts } from '../../statistics/latency-counts.js';
import { afterPause, STEADY } from '../measures/usual-measures.js';
import { firstResponses, Requester, responseClock, sweepUntilDone } from './requester.js';

/** @import { Cell, Endpoint, MessageCodec } from '../../types/index.js' */
/** @import { RequestParts } from './request-endpoint.js' */
/** @import { LoadRequester } from '../../measure/open-load.js' */

// FOLLOWING limits the requests without a pause; SETTLING limits the first of them, which refill the caches of both ends and are not
// timed. Both are also limited in time, since so many requests would leave no time for pauses if each starts a process.
const FOLLOWING = { requests: 20, ms: 100 };
const SETTLING = { requests: 10, ms: 50 };

/** @typedef {Pick<LoadRequester, 'begin' | 'startsMs' | 'request'> & Pick<Requester, 'requests' | 'integrity' | 'sweep'>} IdleRequester */

/** Loops that pause between requests. @template {IdleRequester} A */
export class IdleLoops {
  /**
   * @param {A} requester
   * @param {Pick<RequestParts, 'meter' | 'replyMs' | 'messages'>} parts
   * @param {number} loops
   * @param {readonly number[]} pausesMs
   */
  constructor(requester, parts, loops, pausesMs) {
    this.parts = parts;
    this.firstLoop = parts.meter.addLoops(loops);
    this.pausesMs = pausesMs;
    this.requester = requester;
    this.remaining = new Array(loops).fill(Infinity);
    this.firsts = pausesMs.map(() => new LatencyCounts());
    this.steady = new LatencyCounts();
    this.closing = new AbortController();
    setMaxListeners(loops, this.closing.signal); // all loops may pause at once
  }

  run() {
    const loops = this.remaining.map((_, loop) => this.loop(loop));
    return sweepUntilDone([this.requester], this.parts.replyMs, Promise.all(loops));
  }

  /** @param {number} loop */
  async loop(loop) {
    let turn = 0;
    while (this.goesOn(loop)) {
      await this.rest(this.pausesMs[turn]);
      if (!this.goesOn(loop)) return;
      // A request that is sent before the window opens does not count. The loop repeats its first pause until then.
      if (!(await this.requestAfterPause(loop, this.firsts[turn]))) continue;
      this.remaining[loop] -= 1;
      turn = (turn + 1) % this.pausesMs.length;
    }
  }

  /** @param {number} loop */
  goesOn(loop) {
    return !this.parts.meter.isOver && this.remaining[loop] > 0;
  }

  /** @param {number} pauseMs */
  async rest(pauseMs) {
    // The end of the window aborts the pause.
    await sleep(pauseMs, null, { signal: this.closing.signal }).catch(() => {});
  }

  /**
   * @param {number} loop
   * @param {LatencyCounts} times   records the time of the first response, if the operation counts
   * @returns {Promise<boolean>} true if the operation began in the window
   */
  async requestAfterPause(loop, times) {
    const { meter } = this.parts;
    // An operation that begins in the window counts, however long it takes.
    const isCounted = meter.isOpen;
    const firstMs = await this.timedAnswer(loop);
    meter.isFresh = false;
    meter.stamp();
    if (firstMs !== null) {
      meter.countBegun(this.firstLoop + loop, isCounted, firstMs);
      if (isCounted) times.record(Math.round(firstMs * NS_PER_MS));
    }
    await this.requestRepeatedly(loop);
    return isCounted;
  }

  /** @param {number} loop */
  async requestRepeatedly(loop) {
    const beganMs = performance.now();
    for (let count = 0, elapsedMs = 0; count < FOLLOWING.requests && elapsedMs < FOLLOWING.ms; count += 1) {
      if (this.parts.meter.isOver) return;
      const isCounted = this.parts.meter.isOpen;
      const answerMs = await this.timedAnswer(loop);
      const isSettled = count >= SETTLING.requests || elapsedMs >= SETTLING.ms;
      if (answerMs !== null && isSettled && isCounted) this.steady.record(Math.round(answerMs * NS_PER_MS));
      elapsedMs = performance.now() - beganMs;
    }
  }

  /** @param {number} loop @returns {Promise<number | null>} response time in ms, or null if the response is lost */
  async timedAnswer(loop) {
    const { requester } = this;
    requester.begin(loop);
    const askedMs = requester.startsMs[loop];
    const outcome = await requester.request(loop);
    return outcome === LOST ? null : requester.startsMs[loop] - askedMs;
  }

  progress() {
    return this.requester.requests;
  }

  opened() {
    const { messages } = this.parts;
    if (messages !== null) this.remaining.fill(messages);
  }

  closed() {
    this.closing.abort();
  }

  report() {
    /** @type {[string, LatencyCounts][]} */
    const firsts = this.pausesMs.map((pauseMs, turn) => [afterPause(pauseMs), this.firsts[turn]]);
    const times = [/** @type {typeof firsts[0]} */ ([STEADY, this.steady]), ...firsts]
      .map(([name, counts]) => /** @type {const} */ ([name, counts.toLatency()]))
      .filter(([, { count }]) => count > 0);
    return {
      ...this.parts.meter.counted(),
      times: Object.fromEntries(times),
      requests: this.requester.requests,
      mistakes: this.requester.integrity,
    };
  }
}

/** Idle loops of a worker over its channel. @implements {Endpoint} @extends {IdleLoops<Requester>} */
export class IdleEndpoint extends IdleLoops {
  /**
   * @param {Pick<Cell, 'loops'>} cell
   * @param {MessageCodec} codec
   * @param {RequestParts} parts
   * @param {readonly number[]} pausesMs
   */
  constructor({ loops }, codec, parts, pausesMs) {
    const { channel, payloads, responses, meter, transport } = parts;
    const own = { channel, codec, payloads, responses, loops, meter: responseClock(meter), transport };
    super(new Requester(own), parts, loops, pausesMs);
  }

  async ready() {
    await firstResponses([this.requester], [this.timedAnswer(0)]);
  }
}
