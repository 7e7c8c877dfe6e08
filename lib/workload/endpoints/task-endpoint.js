// The two endpoints of tasks. The main process submits several at once, to a pool or to the worker with the fewest open tasks, and
// verifies each result. A worker performs the tasks.

import { BenchError } from '../../errors.js';
import { formatCount } from '../../format/numbers.js';
import { BlockingMonitor } from '../../measure/blocking.js';
import { LOST } from '../../measure/meter.js';
import { countWrongPayload, idAt, isMessageId, noMistakes } from '../messages/integrity.js';
import { makeTasks } from '../messages/tasks.js';
import { effectiveCodec } from './exchange.js';
import { SWEEPS_PER_DEADLINE } from './requester.js';
import { ALL } from './stream-parts.js';

/** @import { Cell, Channel, Codec, Endpoint, EndpointReport, Mistakes, TaskPool } from '../../types/index.js' */
/** @import { Task, TaskPlan } from '../messages/tasks.js' */
/** @import { OpenLoad } from '../../measure/open-load.js' */
/** @import { StreamParts } from './stream-parts.js' */

/** @param {StreamParts} parts @returns {import('../messages/tasks.js').TaskMessages} */
function taskMessages({ payloadsOf, responses, isSame }) {
  return { payloads: payloadsOf(ALL), responses, isSame };
}

/** Dispatcher for transports without a pool: sends a task to the worker with the fewest open tasks. @implements {TaskPool} */
class LeastLoaded {
  /** @param {Pick<Codec, 'encode' | 'decode' | 'inPlace'>} codec @param {Mistakes} mistakes   updated with each mistake */
  constructor(codec, mistakes) {
    this.codec = codec;
    this.mistakes = mistakes;
    /** @type {{ channel: Channel, codec: Pick<Codec, 'encode' | 'decode'>, open: number, newestId: number }[]} */
    this.workers = [];
    /** @type {Map<number, { resolve: (result: { payload: string | null }) => void, worker: LeastLoaded['workers'][number], sentMs: number }>} by id, oldest first */
    this.open = new Map();
  }

  /** @param {Channel} channel */
  add(channel) {
    const worker = { channel, codec: effectiveCodec(channel, this.codec), open: 0, newestId: 0 };
    this.workers.push(worker);
    channel.onMessage = (wire) => this.receive(wire, worker);
  }

  /** @param {Task} task @returns {Promise<any>} with payload null if the result did not arrive in time */
  run(task) {
    let worker = this.workers[0];
    for (const other of this.workers) if (other.open < worker.open) worker = other;
    worker.open += 1;
    return new Promise((resolve) => {
      this.open.set(task.id, { resolve, worker, sentMs: performance.now() });
      // The number of loops limits the queue of the channel, so backpressure is ignored.
      worker.channel.send(worker.codec.encode(task));
    });
  }

  /** @param {any} wire @param {LeastLoaded['workers'][number]} worker */
  receive(wire, worker) {
    let message;
    try {
      message = worker.codec.decode(wire);
    } catch {
      this.mistakes.corrupt += 1;
      return;
    }
    const { id, payload } = message;
    const task = this.open.get(id);
    if (task === undefined) {
      this.mistakes[isMessageId(id) ? 'duplicate' : 'corrupt'] += 1;
      return;
    }
    if (id < worker.newestId) this.mistakes.outOfOrder += 1;
    worker.newestId = id;
    this.open.delete(id);
    worker.open -= 1;
    task.resolve({ payload });
  }

  /** Counts tasks that were sent before an instant as lost, so that their loops continue. @param {number} beforeMs */
  giveUp(beforeMs) {
    for (const [id, { resolve, worker, sentMs }] of this.open) {
      if (sentMs > beforeMs) break;
      this.open.delete(id);
      worker.open -= 1;
      this.mistakes.lost += 1;
      resolve({ payload: null });
    }
  }
}

/** @implements {Endpoint} */
export class TaskProducer {
  /**
   * @param {Pick<Cell, 'loops' | 'workers'>} cell
   * @param {Pick<Codec, 'encode' | 'decode' | 'inPlace'>} codec
   * @param {StreamParts} parts
   */
  constructor({ loops, workers }, codec, parts) {
    const { meter, replyMs, pool, taskPlan, open } = parts;
    this.atOnce = loops * workers;
    this.meter = meter;
    this.firstLoop = meter.addLoops(this.atOnce);
    if (!open) meter.countWhole();
    this.replyMs = replyMs;
    this.plan = /** @type {TaskPlan} */ (taskPlan);
    this.tasks = makeTasks(this.plan, taskMessages(parts));
    this.integrity = noMistakes();
    this.dispatcher = new LeastLoaded(this.tasks.codec ?? codec, this.integrity);
    this.poolOf = pool;
    /** @type {TaskPool} */
    this.pool = this.dispatcher;
    this.requests = 0;
    this.done = 0;
    this.workUs = { total: 0, tasks: 0 };
    this.blocking = new BlockingMonitor();
    this.openLoad = open ? new open.OpenLoad({ meter, ...open }) : null;
    /** Time at which the open task of each loop began; after the task, the time at which it ended. */
    this.dueMs = new Float64Array(this.atOnce);
    this.isBlocked = false; // a task never waits for room
    /** @type {Promise<void> | null} */
    this.load = null;
  }

  /** @param {Channel} channel */
  serve(channel) {
    this.dispatcher.add(channel);
  }

  /** Called before the first task, since a transport has its pool only once it listens. */
  open() {
    this.tasks.prepareChecks();
    this.pool = this.poolOf?.() ?? this.dispatcher;
  }

  /** Submits tasks for all workers, so that workers that start with their first task have started. */
  async ready() {
    this.open();
    const first = Array.from({ length: this.atOnce }, async () => {
      const id = idAt(this.requests);
      const payload = this.tasks.payload(id);
      this.verify(id, payload, await this.submit(id, payload));
    });
    await Promise.all(first);
  }

  /** Ends when the load is over and each submitted task has its result. @param {number} atMs   start of an open load */
  run(atMs) {
    this.blocking.begin();
    this.load = this.submitAll();
    this.openLoad?.begin(atMs);
    return this.load;
  }

  async submitAll() {
    /** @type {(error: Error) => void} */
    let fail = () => {};
    const failed = new Promise((_, reject) => {
      fail = reject;
    });
    let [seen, sinceMs] = [this.done, performance.now()];
    const sweeper = setInterval(() => {
      const nowMs = performance.now();
      this.dispatcher.giveUp(nowMs - this.replyMs);
      if (this.done !== seen || this.done === this.requests) [seen, sinceMs] = [this.done, nowMs];
      else if (this.pool !== this.dispatcher && nowMs - sinceMs > this.replyMs) fail(this.hungError());
    }, this.replyMs / SWEEPS_PER_DEADLINE);
    sweeper.unref(); // the timer must not delay the end of a failed launch
    const loops = Array.from({ length: this.atOnce }, (_, loop) =>
      this.openLoad === null ? this.loop(loop) : this.loopInTurn(this.openLoad, loop),
    );
    try {
      await Promise.race([Promise.all(loops), failed]);
    } finally {
      this.blocking.end(); // a launch in slices pauses here
      clearInterval(sweeper);
    }
  }

  hungError() {
    return new BenchError(
      'DEADLINE',
      `none of ${formatCount(this.requests - this.done)} tasks was done within ${formatCount(this.replyMs)} ms`,
    );
  }

  /** @param {number} loop */
  async loop(loop) {
    this.dueMs[loop] = performance.now();
    while (!this.meter.isOver) {
      const id = idAt(this.requests);
      const payload = this.tasks.payload(id);
      this.finish(loop, this.verify(id, payload, await this.submit(id, payload)));
    }
  }

  /** Submits tasks when they are due. @param {OpenLoad} openLoad @param {number} loop */
  async loopInTurn(openLoad, loop) {
    const handle = openLoad.handle(this, loop);
    while (handle.shouldContinue()) await handle.request();
  }

  shouldContinue() {
    return !this.meter.isOver;
  }

  /** Never called, since tasks do not wait for room. @returns {Promise<typeof LOST>} */
  async room() {
    return LOST;
  }

  /** @param {number} loop */
  begin(loop) {
    this.meter.isFresh = false;
    this.dueMs[loop] = this.meter.stamp();
  }

  /** @param {number} loop @returns {Promise<typeof LOST | undefined>} LOST if the result did not arrive in time */
  async request(loop) {
    const id = idAt(this.requests);
    const payload = this.tasks.payload(id);
    const result = await this.submit(id, payload);
    const workUs = this.verify(id, payload, result);
    if (result.payload === null) return LOST;
    this.finish(loop, workUs);
  }

  /** @param {number} loop @param {number} workUs   duration of the work */
  finish(loop, workUs) {
    const { meter } = this;
    // One clock reading for the end of this task and the start of the next one.
    meter.isFresh = false;
    const nowMs = meter.stamp();
    const isCounted = meter.isCounting(this.firstLoop + loop);
    meter.count(this.firstLoop + loop, this.dueMs[loop], nowMs);
    this.dueMs[loop] = nowMs;
    if (!isCounted) return;
    this.workUs.total += workUs;
    this.workUs.tasks += 1;
  }

  /** @param {number} id @param {any} payload @returns {ReturnType<TaskPool['run']>} */
  submit(id, payload) {
    this.requests += 1;
    return this.pool.run({ id, payload });
  }

  /**
   * @param {number} id
   * @param {any} sent
   * @param {Awaited<ReturnType<TaskPool['run']>>} result
   * @returns {number} duration of the work in µs, or 0 without a pool
   */
  verify(id, sent, { payload, workUs = 0 }) {
    const { tasks } = this;
    if (payload !== null && !tasks.isResult(id, payload))
      countWrongPayload(this.integrity, tasks.results, payload, tasks.isSame);
    else tasks.giveBack(id, sent, payload);
    this.done += 1;
    return workUs;
  }

  progress() {
    return this.done;
  }

  /** @param {number} replyMs   tasks without a result for longer are lost @returns {number} number of tasks that it gave up */
  sweep(replyMs) {
    const { lost } = this.integrity;
    this.dispatcher.giveUp(performance.now() - replyMs);
    return this.integrity.lost - lost;
  }

  async settled() {
    await this.load;
  }

  opened() {
    this.blocking.end();
    // Starts after the monitor has ended, which would count precise waits, in which the thread sleeps, as blocking.
    this.openLoad?.waitPrecisely();
  }

  closed() {
    this.openLoad?.end();
  }

  /** @returns {EndpointReport} */
  report() {
    const { total, tasks } = this.workUs;
    return {
      ...this.meter.counted(),
      open: this.openLoad?.report() ?? null,
      requests: this.requests,
      mistakes: this.integrity,
      values: {
        plannedWorkUs: this.plan.workUs,
        resultBytes: this.plan.resultBytes,
        ...this.blocking.report(),
        ...(this.pool !== this.dispatcher && { workUs: total, workedTasks: tasks }),
      },
    };
  }
}

/** @implements {Endpoint} */
export class TaskWorker {
  /** @param {Pick<Codec, 'encode' | 'decode' | 'inPlace'>} codec @param {StreamParts} parts */
  constructor(codec, parts) {
    const { meter, channels, taskPlan } = parts;
    this.meter = meter;
    this.tasks = makeTasks(/** @type {TaskPlan} */ (taskPlan), taskMessages(parts));
    this.done = 0;
    this.workUs = 0;
    this.workedTasks = 0;
    this.integrity = noMistakes();
    const used = this.tasks.codec ?? codec;
    for (const channel of Object.values(channels)) this.take(channel, effectiveCodec(channel, used));
  }

  /** @param {Channel} channel @param {Pick<Codec, 'encode' | 'decode'>} codec */
  take(channel, codec) {
    channel.onMessage = (wire) => {
      const task = this.read(wire, codec);
      if (task === null) return;
      const { payload, workUs } = this.tasks.perform(task.id, task.payload);
      this.done += 1;
      if (this.meter.isOpen) {
        this.workUs += workUs;
        this.workedTasks += 1;
      }
      channel.send(codec.encode({ id: task.id, payload }));
    };
  }

  /** @param {any} wire @param {Pick<Codec, 'decode'>} codec @returns {Task | null} null if it is not a task, which counts as a mistake */
  read(wire, codec) {
    const { tasks, integrity } = this;
    try {
      const task = codec.decode(wire);
      if (isMessageId(task.id)) {
        if (tasks.isPayload(task.id, task.payload)) return task;
        countWrongPayload(integrity, tasks.payloads, task.payload, tasks.isSame);
        return null;
      }
    } catch {
      // Counted below.
    }
    integrity.corrupt += 1;
    return null;
  }

  progress() {
    return this.done;
  }

  /** @returns {EndpointReport} */
  report() {
    return { mistakes: this.integrity, values: { workUs: this.workUs, workedTasks: this.workedTasks } };
  }
}
