// Numbers each request, matches and verifies each response, and resumes the loop. This is the hot path of the worker: besides the codec
// and the channel, it allocates one promise and one message object per round trip.

import { BenchError } from '../../errors.js';
import { LOST, lengthened } from '../../measure/meter.js';
import { sumBy } from '../../statistics/sum.js';
import { payloadIndex } from '../messages/jobs.js';
import { END_ID, FIRST_ID, isMessageId } from '../messages/message-ids.js';
import { countWrongPayload, noMistakes, summedMistakes } from '../messages/mistakes.js';
import { effectiveCodec, waitForRoom } from './exchange.js';

/** @import { Channel, MessageCodec } from '../../types/index.js' */
/** @import { Meter } from '../../measure/meter.js' */
/** @import { OpenLoad } from '../../measure/open-load.js' */

const NO_ID = 0;
/** Replaces the id of an open request while its loop waits for room in the channel. */
const WAITING = -1;

/** @type {(value?: any) => void} */
let capturedResolve = () => {};
// One executor for all promises, since a closure per round trip would be garbage to collect.
/** @param {(value?: any) => void} resolve */
const captureResolve = (resolve) => {
  capturedResolve = resolve;
};

export class Requester {
  /**
   * @param {object} parts
   * @param {Channel} parts.channel
   * @param {MessageCodec} parts.codec
   * @param {string[]} parts.payloads
   * @param {string[] | null} [parts.responses]   chosen by the id of the request; by default, each response repeats its request
   * @param {number} parts.loops
   * @param {Meter} parts.meter
   * @param {string} [parts.transport]
   * @param {boolean} [parts.grows]   true for open load, which adds loops while it runs
   */
  constructor({ channel, codec, payloads, responses = null, loops, meter, transport, grows = false }) {
    this.given = codec;
    this.channel = channel;
    this.codec = codec;
    this.payloads = payloads;
    this.responses = responses;
    this.loops = loops;
    this.meter = meter;
    // Open load counts by the clock, in one place for all of its loops.
    this.sharesMeterLoop = grows;
    this.firstLoop = meter.addLoops(grows ? 1 : loops);
    this.transport = transport;
    this.nextId = FIRST_ID;
    this.nextPayload = 0;
    this.newestId = NO_ID;
    this.isBlocked = false;
    /** A rejected promise once `drained()` of the channel has failed. @type {Promise<never> | null} */
    this.failure = null;
    /**
     * Loops whose requests wait for room, in order. Separate waits would wake all loops whenever there is room for a few.
     * @type {number[]}
     */
    this.waiting = [];
    this.openIds = new Int32Array(loops).fill(NO_ID);
    /** Expected payload of each response. @type {string[]} */
    this.openPayloads = new Array(loops).fill('');
    this.startsMs = new Float64Array(loops);
    /** Requests left to each loop; Infinity before the window opens, and always if the clock ends the load. */
    this.remaining = new Float64Array(loops).fill(Infinity);
    /** @type {((value?: any) => void)[]} */
    this.resolvers = new Array(loops).fill(() => {});
    this.open = new OpenRequests(loops);
    /** Requests that were given up although their responses may still arrive. */
    this.givenUp = 0;
    /** Called when a blocked channel has room again, and when waiting for room has failed. */
    this.onRoom = () => {};
    this.requests = 0;
    this.integrity = noMistakes();
    /** Called for a response that cannot be decoded or matches no open request. @type {(kind: 'corrupt' | 'duplicate') => void} */
    this.onUnexpected = () => {};
    this.useChannel(channel);
  }

  /** Moves to another channel while no request is open. @param {Channel} channel */
  useChannel(channel) {
    this.channel = channel;
    this.codec = effectiveCodec(channel, this.given);
    this.isBlocked = false;
    this.failure = null;
    channel.onMessage = (wire) => this.receive(wire);
  }

  /** @returns {number} index of a further loop */
  addLoop() {
    if (this.loops === this.openIds.length) this.grow();
    this.loops += 1;
    return this.loops - 1;
  }

  grow() {
    const { openIds } = this;
    const length = 2 * openIds.length;
    this.openIds = new Int32Array(length).fill(NO_ID);
    this.openIds.set(openIds);
    this.startsMs = lengthened(this.startsMs, length);
    this.remaining = lengthened(this.remaining, length, Infinity);
    this.open = new OpenRequests(length);
    for (const [loop, id] of openIds.entries()) if (id > NO_ID) this.open.add(id, loop);
  }

  /** @param {number} loop @returns {number} index of the loop in the meter */
  meterLoop(loop) {
    return this.sharesMeterLoop ? this.firstLoop : this.firstLoop + loop;
  }

  /** @param {number} loop @returns {boolean} true if the loop sends a further request */
  shouldContinue(loop) {
    if (!this.meter.isOver && this.remaining[loop] > 0) return true;
    this.meter.isFresh = false; // responses to other loops may arrive much later, without a request in between
    return false;
  }

  /** @param {number} loop @returns {boolean} true if the loop waits for room or for a response */
  isOpen(loop) {
    return this.openIds[loop] !== NO_ID;
  }

  /** Starts the clock of a loop now instead of at its previous response. @param {number} loop */
  begin(loop) {
    this.startsMs[loop] = performance.now();
  }

  /** @param {number} loop @returns {Promise<void | typeof LOST>} resolves when the response is verified or lost */
  request(loop) {
    this.meter.isFresh = false; // the clock was read for earlier responses
    const answered = new Promise(captureResolve);
    this.resolvers[loop] = capturedResolve;
    if (this.failure !== null) this.resolvers[loop](this.failure);
    else if (this.isBlocked) this.wait(loop);
    else this.send(loop);
    return answered;
  }

  /** @param {number} loop */
  wait(loop) {
    this.openIds[loop] = WAITING;
    this.waiting.push(loop);
  }

  /** @param {number} loop   `resolvers[loop]` must be set */
  send(loop) {
    const id = this.open.take(this.nextId, loop);
    this.nextId = id + 1 < END_ID ? id + 1 : FIRST_ID;
    const payload = this.payloads[this.nextPayload];
    this.nextPayload += 1;
    if (this.nextPayload === this.payloads.length) this.nextPayload = 0;
    this.requests += 1;
    this.openIds[loop] = id;
    this.openPayloads[loop] =
      this.responses === null ? payload : this.responses[payloadIndex(id, this.responses.length)];
    if (!this.channel.send(this.codec.encode({ id, payload }))) this.block();
  }

  block() {
    const { channel } = this;
    this.isBlocked = true;
    // Ignore a channel that was replaced meanwhile.
    waitForRoom(channel, this.transport).then(
      () => channel === this.channel && this.resume(),
      (error) => channel === this.channel && this.fail(error),
    );
  }

  resume() {
    this.isBlocked = false;
    this.meter.isFresh = false;
    const { waiting } = this;
    let sent = 0;
    for (; sent < waiting.length && !this.isBlocked; sent += 1) this.sendLater(waiting[sent]);
    waiting.splice(0, sent);
    if (!this.isBlocked) this.onRoom();
  }

  /** Rejects all open requests, and later ones until the channel is replaced. @param {Error} error */
  fail(error) {
    this.isBlocked = false; // the next request is rejected
    this.failure = Promise.reject(error);
    this.failure.catch(() => {}); // prevents an unhandled rejection if no loop is waiting
    for (let loop = 0; loop < this.loops; loop += 1) {
      if (this.isOpen(loop)) this.resolvers[loop](this.failure);
      this.giveUp(loop);
    }
    this.forgetAnswered();
    this.onRoom();
  }

  /** @param {number} loop */
  giveUp(loop) {
    if (this.openIds[loop] > NO_ID) this.open.remove(this.openIds[loop]);
    this.openIds[loop] = NO_ID;
  }

  /** Removes loops that no longer wait for the channel from the queue. */
  forgetAnswered() {
    this.waiting = this.waiting.filter((loop) => this.openIds[loop] === WAITING);
  }

  /** Rejects the promise of the loop if sending throws, since `request` has already returned. @param {number} loop */
  sendLater(loop) {
    try {
      this.send(loop);
    } catch (error) {
      this.resolvers[loop](Promise.reject(error));
    }
  }

  /** @param {any} wire */
  receive(wire) {
    let answer;
    try {
      answer = this.codec.decode(wire);
    } catch {
      return this.countMistake('corrupt');
    }
    const { id } = answer;
    const loop = this.open.loopOf(id);
    if (loop === NO_LOOP) return this.countUnexpected(id);
    if (answer.payload !== this.openPayloads[loop])
      countWrongPayload(this.integrity, this.responses ?? this.payloads, answer.payload);
    // Ids increase until they wrap around.
    if (id < this.newestId && this.newestId - id < (END_ID - FIRST_ID) / 2) this.integrity.outOfOrder += 1;
    this.newestId = id;
    this.open.remove(id);
    this.openIds[loop] = NO_ID;
    const stampMs = this.meter.stamp();
    this.meter.count(this.meterLoop(loop), this.startsMs[loop], stampMs);
    this.remaining[loop] -= 1;
    this.startsMs[loop] = stampMs;
    this.resolvers[loop]();
  }

  /** Counts a response without an open request. @param {unknown} id */
  countUnexpected(id) {
    if (!isMessageId(id)) this.countMistake('corrupt');
    else if (this.givenUp > 0) this.givenUp -= 1;
    else this.countMistake('duplicate');
  }

  /** @param {'corrupt' | 'duplicate'} kind */
  countMistake(kind) {
    this.integrity[kind] += 1;
    this.onUnexpected(kind);
  }

  /**
   * Gives up requests that have waited longer than `deadlineMs` for a response or for room, so that their loops continue.
   * @param {number} deadlineMs
   * @param {boolean} [areLost]   false if their responses may still be on the way
   * @returns {number} number of requests that are still open
   */
  sweep(deadlineMs, areLost = true) {
    const nowMs = performance.now();
    let openRequests = 0;
    for (let loop = 0; loop < this.loops; loop += 1) {
      if (this.openIds[loop] === NO_ID) continue;
      if (nowMs - this.startsMs[loop] < deadlineMs) {
        openRequests += 1;
        continue;
      }
      if (areLost) this.integrity.lost += 1;
      else this.givenUp += 1;
      this.giveUp(loop);
      this.startsMs[loop] = nowMs;
      this.meter.pass(this.meterLoop(loop), nowMs);
      this.remaining[loop] -= 1;
      this.resolvers[loop](LOST);
    }
    if (this.isBlocked) this.forgetAnswered();
    return openRequests;
  }
}

// The loop of each open request, by its id, in a table whose size is a power of two. Ids are consecutive, so the slot of an id is free,
// unless its last request has stayed open while as many others were sent as the table has slots. That slot is then skipped.

const SLOTS_PER_LOOP = 4;
const NO_LOOP = -1;

class OpenRequests {
  /** @param {number} loops   greatest number of open requests */
  constructor(loops) {
    const slots = 2 ** Math.ceil(Math.log2(SLOTS_PER_LOOP * loops));
    this.mask = slots - 1;
    this.ids = new Int32Array(slots).fill(NO_ID);
    this.loops = new Int32Array(slots);
  }

  /** @param {number} fromId @param {number} loop @returns {number} the id for a new request: fromId, or the next one with a free slot */
  take(fromId, loop) {
    let id = fromId;
    while (this.ids[id & this.mask] !== NO_ID) id = id + 1 < END_ID ? id + 1 : FIRST_ID;
    this.add(id, loop);
    return id;
  }

  /** @param {number} id @param {number} loop */
  add(id, loop) {
    const index = id & this.mask;
    this.ids[index] = id;
    this.loops[index] = loop;
  }

  /** @param {number} id   id of a received message, which may be any value @returns {number} NO_LOOP if no open request has this id */
  loopOf(id) {
    const index = id & this.mask;
    return this.ids[index] === id ? this.loops[index] : NO_LOOP;
  }

  /** @param {number} id */
  remove(id) {
    this.ids[id & this.mask] = NO_ID;
  }
}

// The handle of a closed loop.

export class ClosedLoop {
  /** @param {Requester} requester @param {number} loop */
  constructor(requester, loop) {
    this.requester = requester;
    this.loop = loop;
  }

  shouldContinue() {
    return this.requester.shouldContinue(this.loop);
  }

  /** @returns {Promise<any>} */
  request() {
    return this.requester.request(this.loop);
  }
}

/** The running loops of an endpoint. Open load may add loops until all of them have ended. */
export class RunningLoops {
  constructor() {
    this.count = 0;
    this.resolve = () => {};
    /** @param {unknown} _error */
    this.reject = (_error) => {};
    /** Resolves when all loops have ended. @type {Promise<void>} */
    this.done = new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
    this.onEnd = () => {
      this.count -= 1;
      if (this.count === 0) this.resolve();
    };
  }

  /** @param {Promise<unknown>} loop */
  add(loop) {
    this.count += 1;
    loop.then(this.onEnd, this.reject);
  }
}

// Gives up late requests, so that their loops continue.

/** Lost requests are detected at most a tenth of the deadline late. */
export const SWEEPS_PER_DEADLINE = 10;

/**
 * @param {OpenLoad | null} openLoad   null for closed loops, in which a request without a response is lost after `replyMs`
 * @param {number} replyMs
 * @returns {ReturnType<OpenLoad['judgeOpenRequests']>} which requests to give up now; null for none
 */
export function judgeOpenRequests(openLoad, replyMs) {
  return openLoad === null ? { olderThanMs: replyMs, areLost: true } : openLoad.judgeOpenRequests(replyMs);
}

/**
 * @param {Pick<Requester, 'sweep'>[]} requesters
 * @param {number} replyMs    a request that waits longer for its response is lost
 * @param {Promise<unknown>} done   resolves when all loops have ended
 * @param {OpenLoad | null} [openLoad]   decides which requests are lost, if there is one
 */
export async function sweepUntilDone(requesters, replyMs, done, openLoad = null) {
  /** @type {NodeJS.Immediate | undefined} */
  let sweep;
  const sweeper = setInterval(() => {
    // After the event loop was blocked, timers run before the arrived responses are read, and these responses are not lost.
    sweep = setImmediate(() => {
      const late = judgeOpenRequests(openLoad, replyMs);
      if (late === null) return;
      for (const requester of requesters) requester.sweep(late.olderThanMs, late.areLost);
    });
  }, replyMs / SWEEPS_PER_DEADLINE);
  try {
    await done;
  } finally {
    clearInterval(sweeper);
    clearImmediate(sweep);
  }
}

/**
 * What the endpoints of several requesters have in common.
 * @template {{ meter: Meter, messages: number | null }} Parts   messages: per loop; null if the clock ends the load; read when a load begins,
 *   since a calibration changes it
 */
export class RequestersEndpoint {
  /** @param {Parts} parts */
  constructor(parts) {
    this.parts = parts;
    /** @type {Requester[]} */
    this.requesters = [];
  }

  progress() {
    return sumBy(this.requesters, ({ requests }) => requests);
  }

  opened() {
    const { messages } = this.parts;
    if (messages === null) return;
    for (const requester of this.requesters) requester.remaining.fill(messages);
  }

  /** @param {Record<string, { toLatency: () => any }>} times */
  reportWith(times) {
    return {
      ...this.parts.meter.counted(),
      times: Object.fromEntries(Object.entries(times).map(([name, own]) => [name, own.toLatency()])),
      requests: this.progress(),
      mistakes: summedMistakes(this.requesters.map(({ integrity }) => integrity)),
    };
  }
}

// The first responses of a launch, before the load. An unexpected message fails the launch at once instead of after a deadline.

const ignore = () => {};

/**
 * @param {Requester[]} requesters             each has sent one request, for its loop 0
 * @param {Promise<unknown>[]} answers
 * @throws {BenchError} INTEGRITY if another message arrives
 */
export async function firstResponses(requesters, answers) {
  const unexpected = new Promise((_, reject) => {
    for (const requester of requesters)
      requester.onUnexpected = (kind) => requester.isOpen(0) && reject(unexpectedError(kind));
  });
  try {
    await Promise.race([Promise.all(answers), unexpected]);
  } finally {
    for (const requester of requesters) requester.onUnexpected = ignore;
  }
}

/** @param {string} kind */
function unexpectedError(kind) {
  const why = `the codec or the transport returned another message (${kind})`;
  return new BenchError('INTEGRITY', `the response to its first request is wrong: ${why}`);
}

// Meter adapter for loops that count operations themselves: responses are timed but not counted.

class ResponseClock {
  /** @param {Meter} meter */
  constructor(meter) {
    this.meter = meter;
    this.isFresh = false;
  }

  get isOver() {
    return this.meter.isOver;
  }

  stamp() {
    return performance.now();
  }

  addLoops() {
    return 0;
  }

  countWhole() {}

  isCounting() {
    return false;
  }

  count() {}

  pass() {}
}

/** @param {Meter} meter @returns {Meter} a view that counts no response */
export function responseClock(meter) {
  return /** @type {Meter} */ (/** @type {unknown} */ (new ResponseClock(meter)));
}
