// The tasks of a launch, identical in the main process and its workers. The id of a task determines its payload, and the id and the work
// determine its result, so a process has the result only after it has done the work.

import { US_PER_MS } from '../../format/units.js';
import { burn } from '../../machine/busy-work.js';
import { seedFrom } from '../../statistics/random.js';
import { ALL } from '../endpoints/stream-parts.js';
import { payloadIndex } from './jobs.js';
import { isMessageId } from './message-ids.js';
import { isIdentical } from './mistakes.js';
import { makePayloads, payloadsIn, prepareMessages } from './payloads.js';

/** @import { Cell, Codec, MessageFile } from '../../types/index.js' */

const SEEDS = 8; // seeds of work; the main process computes the result of each seed once
const PLAN = 'IPC_BENCH_TASKS';

/**
 * The tasks of a launch as plain data.
 * @typedef {object} TaskPlan
 * @property {Pick<Cell, 'payloadBytes' | 'content' | 'loops'>} cell
 * @property {number} seed
 * @property {MessageFile | null} messageFile
 * @property {number} steps              number of steps per task
 * @property {number} workUs             time of the steps on an idle core
 * @property {number} resultBytes        0 if results are payloads or recorded responses
 * @property {boolean} [isBytes]         true if payloads and results are bytes instead of texts
 */
/** @typedef {{ id: number, payload: any }} Task   `payload` is a text, an object of a file, or a `Uint8Array` */
/** @typedef {{ payload: any, workUs: number }} TaskResult   `workUs` is the duration of the work, including waits for a CPU */
/**
 * Payloads of tasks, and results if a file has them.
 * @typedef {object} TaskMessages
 * @property {any[]} payloads
 * @property {any[] | null} [responses]   results from a file; by default, a result is one of the payloads
 * @property {(got: any, expected: any) => boolean} [isSame]   compares payloads that are not texts
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
    /** Codec for channels, or null for the codec of the row. @type {Pick<Codec, 'encode' | 'decode'> | null} */
    this.codec = null;
    /** Texts, objects or bytes. @type {any[]} */
    this.payloads = payloads;
    /** @type {any[]} */
    this.results =
      resultBytes === 0
        ? (responses ?? payloads)
        : makePayloads(seedFrom(seed, 'results'), { payloadBytes: resultBytes }, cell.loops);
    /** Results of the work by seed, only in the main process. @type {number[] | null} */
    this.checks = null;
  }

  /** @param {number} id @returns {any} */
  payload(id) {
    return this.payloads[payloadIndex(id, this.payloads.length)];
  }

  /** @param {number} id @param {unknown} payload */
  isPayload(id, payload) {
    return this.isSame(payload, this.payload(id));
  }

  /**
   * Verifies and performs a task, in a worker of a pool or, for `inline`, in the main process.
   * @param {Task} task
   * @returns {TaskResult}
   * @throws {Error} if the payload does not belong to the id
   */
  work({ id, payload }) {
    if (!this.isPayload(id, payload)) throw new Error(`task ${id} arrived with another payload`);
    return this.perform(id, payload);
  }

  /** @param {number} id @param {any} payload   verified by the caller @returns {TaskResult} */
  perform(id, payload) {
    const fromMs = performance.now();
    const check = this.steps === 0 ? 0 : burn(this.steps, seedAt(id));
    const workUs = (performance.now() - fromMs) * US_PER_MS;
    return { payload: this.makeResult(id, check, payload), workUs };
  }

  /** Computes the expected results, which takes as long as the work of SEEDS tasks. Called in the main process before the first task. */
  prepareChecks() {
    this.checks = Array.from({ length: SEEDS }, (_, seed) => (this.steps === 0 ? 0 : burn(this.steps, seed)));
  }

  /** @param {number} id @returns {number} result of the work of the task */
  check(id) {
    return this.checks?.[seedAt(id)] ?? 0;
  }

  /**
   * To be called in the main process, which has computed the expected results.
   * @param {number} id
   * @param {unknown} payload
   * @returns {boolean} true if the payload is the result of the task
   */
  isResult(id, payload) {
    return this.isSame(payload, this.result(id, this.check(id)));
  }

  /** @param {number} id @param {number} check   result of the work of the task */
  result(id, check) {
    return this.results[(payloadIndex(id, this.results.length) + check) % this.results.length];
  }

  /** @param {number} id @param {number} check @param {any} _payload @returns {any} */
  makeResult(id, check, _payload) {
    return this.result(id, check);
  }

  /**
   * Permits reusing the memory of a task. Called in the main process after the verification of the result.
   * @param {number} _id
   * @param {any} _sent
   * @param {any} _result
   */
  giveBack(_id, _sent, _result) {}
}

const BYTES_COMPARED = 4_096;

/** Codec for channels that serialise bytes themselves: messages pass unchanged, and received ones are checked. */
const byteCodec = Object.freeze({
  /** @param {any} message */
  encode: (message) => message,
  /** @param {any} message */
  decode(message) {
    if (isMessageId(message?.id) && message.payload instanceof Uint8Array) return message;
    throw new Error('not a task: a number and bytes are expected');
  },
});

/**
 * Tasks of bytes, each in separate memory, so that it can be transferred. A worker changes the first byte of a payload and returns the same
 * memory, like a program that works in place. With `resultBytes`, a result is new memory. The main process reuses memory that it keeps or
 * gets back. Only a part of a long payload is compared, at an offset that depends on the id, since comparing all of it would take longer
 * than transferring it.
 */
class ByteTasks extends Tasks {
  /** @param {TaskPlan} plan @param {TaskMessages} [messages]   generated texts by default */
  constructor(plan, messages) {
    super(plan, messages);
    this.codec = byteCodec;
    this.isInPlace = plan.resultBytes === 0;
    this.payloads = this.payloads.map(toBytes);
    if (!this.isInPlace) this.results = this.results.map(toBytes);
    /** Unused memory by payload. @type {Uint8Array[][]} */
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

  /** @override @param {number} id @param {Uint8Array} sent   has length 0 if its memory was transferred @param {any} result */
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

/** @param {Buffer} source @param {any} bytes @param {number} id @param {number} from @returns {boolean} */
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

/**
 * Passes the plan to workers that a pool starts from now on.
 * @param {TaskPlan & { isFaulty?: true }} plan   `isFaulty` enables the faults of the conformance suite
 */
export function handOverPlan(plan) {
  process.env[PLAN] = JSON.stringify(plan);
}

/** Reads the plan that workers of a pool inherit with the environment. @returns {{ plan: TaskPlan, isFaulty: boolean }} */
export function inheritPlan() {
  const { isFaulty = false, ...plan } = JSON.parse(String(process.env[PLAN]));
  return { plan, isFaulty };
}

/** @param {TaskPlan} plan   must have a message file @returns {Promise<Tasks>} */
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
