// The endpoint of a main process that pauses before it submits a task: it measures the start of the pool, and tasks after pauses.

import { sum } from '../../statistics/sum.js';
import { IdleLoops } from './idle-endpoint.js';
import { responseClock } from './requester.js';
import { TaskProducer } from './task-endpoint.js';

/** @import { Cell, Endpoint, MessageCodec } from '../../types/index.js' */
/** @import { StreamParts } from './stream-parts.js' */

/** @implements {Endpoint} @extends {IdleLoops<TaskProducer>} */
export class IdleTaskEndpoint extends IdleLoops {
  /**
   * @param {Pick<Cell, 'loops' | 'workers'>} cell
   * @param {MessageCodec} codec
   * @param {StreamParts} parts
   * @param {readonly number[]} pausesMs
   */
  constructor(cell, codec, parts, pausesMs) {
    const { meter, replyMs, opening } = parts;
    const { loops, workers } = cell;
    const tasks = new TaskProducer(cell, codec, { ...parts, meter: responseClock(meter) });
    super(tasks, { meter, replyMs, messages: null }, loops * workers, pausesMs);
    this.meter = meter;
    this.opening = opening;
    this.workers = workers;
    /** @type {Promise<void> | null} */
    this.load = null;
    this.arrival = { startMs: null, importMs: null, connectMs: 0, answerMs: 0 };
  }

  /** Submits one task per worker and takes the mean of their times, since a pool may give all tasks to the worker that starts first. */
  async ready() {
    const { fromMs, toMs } = /** @type {NonNullable<StreamParts['opening']>} */ (this.opening)();
    this.requester.open();
    const ends = Array.from({ length: this.workers }, async (_, loop) => {
      await this.timedAnswer(loop);
      return performance.now();
    });
    const doneMs = sum(await Promise.all(ends)) / this.workers;
    this.arrival = { ...this.arrival, connectMs: toMs - fromMs, answerMs: doneMs - toMs };
  }

  /** @override */
  run() {
    this.load = super.run();
    return this.load;
  }

  async settled() {
    await this.load;
  }

  /** @override */
  report() {
    return { ...super.report(), arrival: this.arrival };
  }
}
