// The tasks of a launch, as the main process and its workers know them: each has a number, a payload that follows from the number, and
// work of a known amount. Which result it has follows from the number and from the work: only who has done it knows the result.

import { US_PER_MS } from '../../format/units.js';
import { burn } from '../../machine/busy-work.js';
import { seededRandom, seedFrom, shuffled } from '../../statistics/random.js';
import { ALL } from '../endpoints/stream-parts.js';
import { payloadIndex } from './integrity.js';
import { readMessages } from './message-file.js';
import { makePayloads, payloadsIn } from './payloads.js';

/** @import { Cell, MessageFile } from '../../types/index.js' */

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
 * @property {number} resultBytes        0: as long as its payload
 */
/** @typedef {{ id: number, payload: string }} Task */
/** @typedef {{ payload: string, workUs: number }} TaskResult   workUs: that the work took, waiting for a CPU included */

export class Tasks {
  /** @param {TaskPlan} plan @param {string[]} [payloads]   absent: texts */
  constructor(
    { cell, seed, messageFile, steps, resultBytes },
    payloads = makeTexts({ cell, seed, messageFile }),
  ) {
    this.steps = steps;
    this.payloads = payloads;
    this.results =
      resultBytes === 0
        ? this.payloads
        : makePayloads(seedFrom(seed, 'results'), { payloadBytes: resultBytes }, cell.loops);
    /** @type {number[] | null} by seed; null: nobody here verifies results */
    this.checks = null;
  }

  /** @param {number} id */
  payload(id) {
    return this.payloads[payloadIndex(id, this.payloads.length)];
  }

  /**
   * In a worker.
   * @param {Task} task
   * @returns {TaskResult}
   * @throws {Error} it is another task than the one with this number
   */
  work({ id, payload }) {
    if (payload !== this.payload(id)) throw new Error(`task ${id} arrived with another payload`);
    return this.perform(id);
  }

  /** @param {number} id   of a task whose payload is right @returns {TaskResult} */
  perform(id) {
    const fromMs = performance.now();
    const check = this.steps === 0 ? 0 : burn(this.steps, seedAt(id));
    const workUs = (performance.now() - fromMs) * US_PER_MS;
    return { payload: this.result(id, check), workUs };
  }

  /** In the main process, before the first task: what its work leads to takes as long there. */
  prepareChecks() {
    this.checks = Array.from({ length: SEEDS }, (_, seed) => (this.steps === 0 ? 0 : burn(this.steps, seed)));
  }

  /** @param {number} id @returns the result that its worker has to give */
  expected(id) {
    return this.result(id, this.checks?.[seedAt(id)] ?? 0);
  }

  /** @param {number} id @param {number} check   that its work led to */
  result(id, check) {
    return this.results[(payloadIndex(id, this.results.length) + check) % this.results.length];
  }
}

/** @param {Pick<TaskPlan, 'cell' | 'seed' | 'messageFile'>} plan @returns {string[]} objects of a file as the text of their lines */
function makeTexts({ cell, seed, messageFile }) {
  if (messageFile === null || cell.content !== messageFile.content)
    return payloadsIn(seed, /** @type {Cell} */ (cell))(ALL);
  const texts = readMessages(messageFile).messages.map(({ text }) => text);
  return shuffled(texts, seededRandom(seedFrom(seed, ALL)));
}

/** @param {number} id */
function seedAt(id) {
  return id % SEEDS;
}

/** In the main process: what workers that a pool starts from now on find. @param {TaskPlan & { isFaulty?: true }} plan   isFaulty: they do what the conformance suite asks for */
export function handOverPlan(plan) {
  process.env[PLAN] = JSON.stringify(plan);
}

/** @returns {{ tasks: Tasks, isFaulty: boolean }} in a worker that a pool has started, thread or process: both inherit the environment */
export function inheritedTasks() {
  const { isFaulty = false, ...plan } = JSON.parse(String(process.env[PLAN]));
  return { tasks: new Tasks(plan), isFaulty };
}
