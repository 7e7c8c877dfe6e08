// Numbers each request, matches and verifies each response, and resumes the loop. This is the hot path of the worker: besides the codec
// and the channel, it allocates one promise and one message object per round trip.

import { BenchError } from '../../errors.js';
import { LOST } from '../../measure/meter.js';
import {
  countWrongPayload,
  END_ID,
  FIRST_ID,
  isMessageId,
  noMistakes,
  payloadIndex,
} from '../messages/integrity.js';
import { effectiveCodec, waitForRoom } from './exchange.js';

/** @import { Channel, Codec } from '../../types/index.js' */
/** @import { Meter } from '../../measure/meter.js' */

const NO_ID = 0;
/** Replaces the id of an open request while its loop waits for room in the channel. */
const WAITING = -1;

/** @type {(value?: any) => void} */
let capturedResolve = () => {};
// One executor for all promises, since a closure per round trip would be garbage to collect.
const captureResolve = (/** @type {(value?: any) => void} */ resolve) => {
  capturedResolve = resolve;
};

export class Requester {
  /**
   * @param {object} parts
   * @param {Channel} parts.channel
   * @param {Pick<Codec, 'encode' | 'decode' | 'inPlace'>} parts.codec
   * @param {string[]} parts.payloads
   * @param {string[] | null} [parts.responses]   chosen by the id of the request; by default, each response repeats its request
   * @param {number} parts.loops
   * @param {Meter} parts.meter
   * @param {string} [parts.transport]
   */
  constructor({ channel, codec, payloads, responses = null, loops, meter, transport }) {
    this.given = codec;
    this.channel = channel;
    this.codec = codec;
    this.payloads = payloads;
    this.responses = responses;
    this.loops = loops;
    this.meter = meter;
    this.firstLoop = meter.addLoops(loops);
    this.transport = transport;
    this.nextBaseId = FIRST_ID;
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
    /** Loops under open load that wait for room before they make a request. @type {number[]} */
    this.holding = [];
    this.openIds = new Int32Array(loops).fill(NO_ID);
    /** Expected payload of each response. @type {string[]} */
    this.openPayloads = new Array(loops).fill('');
    this.dueMs = new Float64Array(loops);
    /** Requests left to each loop; Infinity before the window opens, and always if the clock ends the load. */
    this.remaining = new Float64Array(loops).fill(Infinity);
    /** @type {((value?: any) => void)[]} */
    this.resolvers = new Array(loops).fill(() => {});
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

  /** @param {number} loop */
  shouldContinue(loop) {
    return !this.meter.isOver && this.remaining[loop] > 0;
  }

  /** @param {number} loop @returns {boolean} true if the loop waits for room or for a response */
  isOpen(loop) {
    return this.openIds[loop] !== NO_ID;
  }

  /** Starts the clock of a loop now instead of at its previous response. @param {number} loop */
  begin(loop) {
    this.dueMs[loop] = performance.now();
  }

  /** @param {number} loop @returns {Promise<void | typeof LOST>} resolves when the response is verified or lost */
  request(loop) {
    this.meter.isFresh = false; // the clock was read for earlier responses
    const answered = new Promise(captureResolve);
    this.resolvers[loop] = capturedResolve;
    if (this.isBlocked) this.wait(loop, this.waiting);
    else this.send(loop);
    return answered;
  }

  /**
   * Used by open load, whose requests begin when they are sent.
   * @param {number} loop
   * @returns {Promise<void | typeof LOST>} resolves when the blocked channel has room, or with LOST after the deadline
   */
  room(loop) {
    const there = new Promise(captureResolve);
    this.resolvers[loop] = capturedResolve;
    this.begin(loop);
    this.wait(loop, this.holding);
    return there;
  }

  /** @param {number} loop @param {number[]} queue */
  wait(loop, queue) {
    if (this.failure !== null) return this.resolvers[loop](this.failure);
    this.openIds[loop] = WAITING;
    queue.push(loop);
  }

  /** @param {number} loop   `resolvers[loop]` must be set */
  send(loop) {
    const id = this.nextBaseId + loop;
    this.nextBaseId += this.loops;
    if (this.nextBaseId > END_ID - this.loops) this.nextBaseId = FIRST_ID;
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
    if (this.isBlocked) return;
    for (const loop of this.holding.splice(0)) {
      this.openIds[loop] = NO_ID;
      this.resolvers[loop]();
    }
  }

  /** Rejects all open requests, and later ones until the channel is replaced. @param {Error} error */
  fail(error) {
    this.failure = Promise.reject(error);
    this.failure.catch(() => {}); // prevents an unhandled rejection if no loop is waiting
    for (let loop = 0; loop < this.loops; loop += 1) {
      if (this.isOpen(loop)) this.resolvers[loop](/** @type {any} */ (this.failure));
      this.openIds[loop] = NO_ID;
    }
    this.forgetAnswered();
  }

  /** Removes loops that no longer wait for the channel from the queues. */
  forgetAnswered() {
    const waits = (/** @type {number} */ loop) => this.openIds[loop] === WAITING;
    this.waiting = this.waiting.filter(waits);
    this.holding = this.holding.filter(waits);
  }

  /** Rejects the promise of the loop if sending throws, since `request` has already returned. @param {number} loop */
  sendLater(loop) {
    try {
      this.send(loop);
    } catch (error) {
      this.resolvers[loop](/** @type {any} */ (Promise.reject(error)));
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
    const loop = (id - FIRST_ID) % this.loops;
    if (this.openIds[loop] !== id) return this.countUnexpected(id);
    if (answer.payload !== this.openPayloads[loop])
      countWrongPayload(this.integrity, this.responses ?? this.payloads, answer.payload);
    // Ids increase until they wrap around.
    if (id < this.newestId && this.newestId - id < (END_ID - FIRST_ID) / 2) this.integrity.outOfOrder += 1;
    this.newestId = id;
    this.openIds[loop] = NO_ID;
    const stampMs = this.meter.stamp();
    this.meter.count(this.firstLoop + loop, this.dueMs[loop], stampMs);
    this.remaining[loop] -= 1;
    this.dueMs[loop] = stampMs;
    this.resolvers[loop]();
  }

  /** Counts a response without an open request. @param {unknown} id */
  countUnexpected(id) {
    this.countMistake(isMessageId(id) ? 'duplicate' : 'corrupt');
  }

  /** @param {'corrupt' | 'duplicate'} kind */
  countMistake(kind) {
    this.integrity[kind] += 1;
    this.onUnexpected(kind);
  }

  /**
   * Gives up requests that have waited longer than `deadlineMs` for a response or for room. They count as lost, and their loops
   * continue.
   * @param {number} deadlineMs
   * @returns {number} number of requests that are still open
   */
  sweep(deadlineMs) {
    const nowMs = performance.now();
    let openRequests = 0;
    for (let loop = 0; loop < this.loops; loop += 1) {
      if (this.openIds[loop] === NO_ID) continue;
      if (nowMs - this.dueMs[loop] < deadlineMs) {
        openRequests += 1;
        continue;
      }
      this.integrity.lost += 1;
      this.openIds[loop] = NO_ID;
      this.dueMs[loop] = nowMs;
      this.meter.pass(this.firstLoop + loop, nowMs);
      this.remaining[loop] -= 1;
      this.resolvers[loop](LOST);
    }
    if (this.isBlocked) this.forgetAnswered();
    return openRequests;
  }
}

// The handle of a loop under closed load.

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

// Gives up late requests, so that their loops continue.

/** Lost requests are detected at most a tenth of the deadline late. */
export const SWEEPS_PER_DEADLINE = 10;

/**
 * @param {Pick<Requester, 'sweep'>[]} requesters
 * @param {number} replyMs    a request without a response for longer is lost
 * @param {Promise<unknown>[]} loops
 */
export async function sweepUntilDone(requesters, replyMs, loops) {
  /** @type {NodeJS.Immediate | undefined} */
  let sweep;
  const sweeper = setInterval(() => {
    // After the event loop was blocked, timers run before the arrived responses are read, and these responses are not lost.
    sweep = setImmediate(() => {
      for (const requester of requesters) requester.sweep(replyMs);
    });
  }, replyMs / SWEEPS_PER_DEADLINE);
  try {
    await Promise.all(loops);
  } finally {
    clearInterval(sweeper);
    clearImmediate(sweep);
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
