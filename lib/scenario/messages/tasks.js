// The tasks of a launch, as the main process and its workers define them: each has a number, a payload that follows from the number, and
// a known amount of work. Its result follows from the number and from the work, so an end has to do the work to know the result.

import { US_PER_MS } from '../../format/units.js';
import { burn } from '../../machine/busy-work.js';
import { seedFrom } from '../../statistics/random.js';
import { ALL } from '../endpoints/stream-parts.js';
import { isIdentical, isMessageId, payloadIndex } from './integrity.js';
import { makePayloads, payloadsIn, prepareMessages } from './payloads.js';

/** @import { Cell, Codec, MessageFile } from '../../types/index.js' */

const SEEDS = 8; // of work: what each leads to is computed once in the main process
const PLAN = 'IPC_BENCH_TASKS';

/**
 * Plain data, for a worker that a pool starts.
 * @typedef {object} TaskPlan
 * @property {Pick<Cell, 'payloadBytes' | 'content' | 'loops'>} cell
 * @property {number} seed               of the launch
 * @property {MessageFile | null} messageFile
 * @property {number} steps              of work in each task
 * @property {number} workUs             that they take on a core of its own
 * @property {number} resultBytes        0 if a result is as long as its payload
 * @property {boolean} [isBytes]         payloads and results are bytes; absent, or false: texts
 */
/** @typedef {{ id: number, payload: any }} Task   payload: a text, an object of a file, or a `Uint8Array` */
/** @typedef {{ payload: any, workUs: number }} TaskResult   workUs: that the work took, waiting for a CPU included */
/**
 * What tasks and their results carry, where that is not made but comes from a file.
 * @typedef {object} TaskMessages
 * @property {any[]} payloads
 * @property {any[] | null} [responses]   results from a file. Without them a result is one of the payloads
 * @property {(got: any, expected: any) => boolean} [isSame]   for payloads that are not texts
 */

/** @param {TaskPlan} plan @param {TaskMessages} [messages]   generated texts by default @returns {Tasks} */
export function makeTasks(plan, messages) {
  return plan.isBytes ? new ByteTasks(plan, messages) : new Tasks(plan, messages);
}

export class Tasks {
  /** @param {TaskPlan} plan @param {TaskMessages} [messages]   generated texts by default */
  constructor(
    { cell, seed, steps, resultBytes },
    { payloads, responses = null, isSame = isIdentical } = {
      payloads: payloadsIn(seed, /** @type {Cell} */ (cell))(ALL),
    },
  ) {
    this.steps = steps;
    this.isSame = isSame;
    /** Codec over channels; null for that of the row. @type {Pick<Codec, 'encode' | 'decode'> | null} */
    this.codec = null;
    /** Texts, objects or bytes. @type {any[]} */
    this.payloads = payloads;
    /** @type {any[]} */
    this.results =
      resultBytes === 0
        ? (responses ?? payloads)
        : makePayloads(seedFrom(seed, 'results'), { payloadBytes: resultBytes }, cell.loops);
    /** Expected results by seed, prepared by the end that verifies them. @type {number[] | null} */
    this.checks = null;
  }

  /** @param {number} id @returns {any} */
  payload(id) {
    return this.payloads[payloadIndex(id, this.payloads.length)];
  }

  /** In a worker. @param {number} id @param {unknown} payload   that came with it */
  isPayload(id, payload) {
    return this.isSame(payload, this.payload(id));
  }

  /**
   * In a worker.
   * @param {Task} task
   * @returns {TaskResult}
   * @throws {Error} it is another task than the one with this number
   */
  work({ id, payload }) {
    if (!this.isPayload(id, payload)) throw new Error(`task ${id} arrived with another payload`);
    return this.perform(id, payload);
  }

  /** @param {number} id   of a task @param {any} payload   of its own, which is right @returns {TaskResult} */
  perform(id, payload) {
    const fromMs = performance.now();
    const check = this.steps === 0 ? 0 : burn(this.steps, seedAt(id));
    const workUs = (performance.now() - fromMs) * US_PER_MS;
    return { payload: this.makeResult(id, check, payload), workUs };
  }

  /** In the main process, before the first task: what its work leads to takes as long there. */
  prepareChecks() {
    this.checks = Array.from({ length: SEEDS }, (_, seed) => (this.steps === 0 ? 0 : burn(this.steps, seed)));
  }

  /** @param {number} id @returns {number} what its work leads to */
  check(id) {
    return this.checks?.[seedAt(id)] ?? 0;
  }

  /** In the main process. @param {number} id @param {unknown} payload   of a result @returns {boolean} it is the one that its worker has to give */
  isResult(id, payload) {
    return this.isSame(payload, this.result(id, this.check(id)));
  }

  /** @param {number} id @param {number} check   that its work led to */
  result(id, check) {
    return this.results[(payloadIndex(id, this.results.length) + check) % this.results.length];
  }

  /** In a worker. @param {number} id @param {number} check @param {any} _payload @returns {any} */
  makeResult(id, check, _payload) {
    return this.result(id, check);
  }

  /** In the main process, when the result has been verified. @param {number} _id @param {any} _sent @param {any} _result */
  giveBack(_id, _sent, _result) {}
}

const BYTES_COMPARED = 4_096;

/** The channel serialises bytes: a message passes as it is. */
const byteCodec = Object.freeze({
  encode: (/** @type {any} */ message) => message,
  decode(/** @type {any} */ message) {
    if (isMessageId(message?.id) && message.payload instanceof Uint8Array) return message;
    throw new Error('not a task: a number and bytes are expected');
  },
});

/**
 * Tasks whose payloads are bytes, each with memory of its own, so that it can be transferred. A worker changes the first byte of a payload
 * and returns the same memory, as a program does that works on it in place; a result of another length is new memory. The main process uses
 * the memory again that it still has or gets back. Of long payloads a part that moves with the number of the task is compared: comparing all
 * of it would take longer than transferring it.
 */
class ByteTasks extends Tasks {
  /** @param {TaskPlan} plan @param {TaskMessages} [messages]   generated by default */
  constructor(plan, messages) {
    super(plan, messages);
    this.codec = byteCodec;
    this.isInPlace = plan.resultBytes === 0;
    this.payloads = this.payloads.map(toBytes);
    if (!this.isInPlace) this.results = this.results.map(toBytes);
    /** Memory that no task has, by payload. @type {Uint8Array[][]} */
    this.free = this.payloads.map(() => []);
  }

  /** @override @param {number} id */
  payload(id) {
    return this.freeMemory(id).pop() ?? new Uint8Array(super.payload(id));
  }

  /** @param {number} id */
  freeMemory(id) {
    return this.free[payloadIndex(id, this.free.length)];
  }

  /** @override @param {number} id @param {unknown} payload */
  isPayload(id, payload) {
    return isCopy(super.payload(id), payload, id, 0);
  }

  /** @override @param {number} id @param {number} check @param {Uint8Array} payload */
  makeResult(id, check, payload) {
    if (!this.isInPlace) return new Uint8Array(this.result(id, check));
    payload[0] += 1 + check;
    return payload;
  }

  /** @override @param {number} id @param {any} payload */
  isResult(id, payload) {
    const check = this.check(id);
    if (!this.isInPlace) return isCopy(this.result(id, check), payload, id, 0);
    const source = super.payload(id);
    return isCopy(source, payload, id, 1) && payload[0] === ((source[0] + 1 + check) & 0xff);
  }

  /** @override @param {number} id @param {Uint8Array} sent   without its memory, where that was transferred @param {any} result */
  giveBack(id, sent, result) {
    const memory = sent.length > 0 ? sent : this.isInPlace ? result : null;
    if (memory === null) return;
    memory[0] = super.payload(id)[0];
    this.freeMemory(id).push(memory);
  }
}

/** @param {string} text */
function toBytes(text) {
  return Buffer.from(text);
}

/** @param {Buffer} source @param {any} bytes @param {number} id @param {number} from   the first byte that is compared @returns {boolean} bytes has the length and, where it is compared, the content */
function isCopy(source, bytes, id, from) {
  const { length } = source;
  if (!(bytes instanceof Uint8Array) || bytes.length !== length) return false;
  const start =
    length <= BYTES_COMPARED ? from : Math.max(from, (id * BYTES_COMPARED) % (length - BYTES_COMPARED + 1));
  const end = Math.min(length, start + BYTES_COMPARED);
  return source.compare(bytes, start, end, start, end) === 0;
}

/** @param {number} id */
function seedAt(id) {
  return id % SEEDS;
}

/** In the main process: what the workers that a pool starts from now on receive. @param {TaskPlan & { isFaulty?: true }} plan   isFaulty: they make the mistakes of the conformance suite */
export function handOverPlan(plan) {
  process.env[PLAN] = JSON.stringify(plan);
}

/** @returns {{ plan: TaskPlan, isFaulty: boolean }} in a worker that a pool has started, thread or process: both inherit the environment */
export function inheritPlan() {
  const { isFaulty = false, ...plan } = JSON.parse(String(process.env[PLAN]));
  return { plan, isFaulty };
}

/** @param {TaskPlan} plan   with a file of messages @returns {Promise<Tasks>} tasks with its messages as payloads */
export async function readTasks(plan) {
  const none = { produces: /** @type {const} */ ('value'), encode: passOn, decode: passOn };
  const launch = /** @type {any} */ ({ ...plan, tasks: plan });
  const { payloadsOf, responses, isSame } = await prepareMessages(launch, none, { isUncoded: true });
  return makeTasks(plan, { payloads: payloadsOf(ALL), responses, isSame });
}

/** @param {any} message */
function passOn(message) {
  return message;
}
