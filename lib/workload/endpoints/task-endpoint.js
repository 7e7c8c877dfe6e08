// The two endpoints of tasks. The main process submits several tasks at once, to a pool or to the worker with the fewest open tasks, and
// verifies each result. A worker performs the tasks.

import { BenchError } from '../../errors.js';
import { formatCount } from '../../format/numbers.js';
import { LOST, lengthened } from '../../measure/meter.js';
import { idAt, isMessageId } from '../messages/message-ids.js';
import { countWrongPayload, noMistakes } from '../messages/mistakes.js';
import { makeTasks } from '../messages/tasks.js';
import { effectiveCodec } from './exchange.js';
import { judgeOpenRequests, RunningLoops, SWEEPS_PER_DEADLINE } from './requester.js';
import { ALL } from './stream-parts.js';

/** @import { Cell, Channel, Codec, Endpoint, EndpointReport, MessageCodec, Mistakes, TaskPool } from '../../types/index.js' */
/** @import { Task, TaskMessages, TaskPlan } from '../messages/tasks.js' */
/** @import { OpenLoad } from '../../measure/open-load.js' */
/** @import { StreamParts } from './stream-parts.js' */
/** @typedef {{ channel: Channel, codec: Pick<Codec, 'encode' | 'decode'>, open: number, newestId: number }} WorkerOfTasks */
/** @typedef {{ resolve: (result: { payload: string | null }) => void, worker: WorkerOfTasks, sentMs: number }} OpenTask */

/** @param {StreamParts} parts @returns {TaskMessages} */
function taskMessages({ payloadsOf, responses, isSame }) {
  return { payloads: payloadsOf(ALL), responses, isSame };
}

/** Dispatcher for transports without a pool: sends a task to the worker with the fewest open tasks. @implements {TaskPool} */
class LeastLoaded {
  /** @param {MessageCodec} codec @param {Mistakes} mistakes   updated with each mistake */
  constructor(codec, mistakes) {
    this.codec = codec;
    this.mistakes = mistakes;
    /** @type {WorkerOfTasks[]} */
    this.workers = [];
    /** @type {Map<number, OpenTask>} by id, oldest first */
    this.open = new Map();
  }

  /** @param {Channel} channel */
  add(channel) {
    const worker = { channel, codec: effectiveCodec(channel, this.codec), open: 0, newestId: 0 };
    this.workers.push(worker);
    channel.onMessage = (wire) => this.receive(wire, worker);
  }

  /** @param {Task} task @returns {Promise<any>} the result, with payload null if it did not arrive in time */
  run(task) {
    let worker = this.workers[0];
    for (const other of this.workers) if (other.open < worker.open) worker = other;
    worker.open += 1;
    return new Promise((resolve) => {
      this.open.set(task.id, { resolve, worker, sentMs: performance.now() });
      // Tasks wait for their worker in the queue of the channel, as in the queue of a pool.
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

  /**
   * Gives up tasks that were sent before an instant, so that their loops continue.
   * @param {number} beforeMs
   * @param {boolean} [areLost]   false if their results may still be on the way
   */
  giveUp(beforeMs, areLost = true) {
    for (const [id, { resolve, worker, sentMs }] of this.open) {
      if (sentMs > beforeMs) break;
      this.open.delete(id);
      worker.open -= 1;
      if (areLost) this.mistakes.lost += 1;
      resolve({ payload: null });
    }
  }
}

/** @implements {Endpoint} */
export class TaskProducer {
  /** @param {Pick<Cell, 'loops' | 'workers'>} cell @param {MessageCodec} codec @param {StreamParts} parts */
  constructor({ loops, workers }, codec, parts) {
    const { meter, replyMs, pool, taskPlan, open } = parts;
    this.atOnce = loops * workers;
    this.meter = meter;
    this.firstLoop = meter.addLoops(open ? 1 : this.atOnce);
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
    this.openLoad = open ? new open.OpenLoad({ meter, ...open }) : null;
    /** Time at which the open task of each loop began; after the task, the time at which it ended. */
    this.startsMs = new Float64Array(this.atOnce);
    this.isBlocked = false; // a task never waits for room
    /** @type {Promise<void> | null} */
    this.load = null;
  }

  /** @param {Channel} channel */
  serve(channel) {
    this.dispatcher.add(channel);
  }

  /** Gets the pool, which a transport has only once it listens, and computes the expected results. Called before the first task. */
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
    this.load = this.submitAll();
    this.openLoad?.begin(atMs);
    return this.load;
  }

  async submitAll() {
    const { openLoad, replyMs } = this;
    const running = new RunningLoops();
    let [seen, sinceMs] = [this.done, performance.now()];
    const sweeper = setInterval(() => {
      const nowMs = performance.now();
      const late = judgeOpenRequests(openLoad, replyMs);
      if (late !== null) this.dispatcher.giveUp(nowMs - late.olderThanMs, late.areLost);
      if (this.done !== seen || this.done === this.requests) [seen, sinceMs] = [this.done, nowMs];
      else if (this.pool !== this.dispatcher && nowMs - sinceMs > replyMs) running.reject(this.hungError());
      // A pool cannot give up tasks, so the load ends without their results.
      if (late?.areLost === false) running.resolve();
    }, replyMs / SWEEPS_PER_DEADLINE);
    sweeper.unref(); // the timer must not delay the end of a failed launch
    if (openLoad !== null) {
      openLoad.addLoop = () => {
        running.add(this.loopOnSchedule(openLoad, this.addLoop()));
        return true;
      };
    }
    for (let loop = 0; loop < this.atOnce; loop += 1)
      running.add(openLoad === null ? this.loop(loop) : this.loopOnSchedule(openLoad, loop));
    try {
      await running.done;
    } finally {
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
    this.startsMs[loop] = performance.now();
    while (!this.meter.isOver) {
      const id = idAt(this.requests);
      const payload = this.tasks.payload(id);
      const result = await this.submit(id, payload);
      const workUs = this.verify(id, payload, result);
      if (result.payload === null) this.pass(loop);
      else this.finish(loop, workUs);
    }
  }

  /** @returns {number} index of a further loop */
  addLoop() {
    const loop = this.atOnce;
    this.atOnce += 1;
    if (this.atOnce > this.startsMs.length)
      this.startsMs = lengthened(this.startsMs, 2 * this.startsMs.length);
    return loop;
  }

  /** Submits tasks when they are due. @param {OpenLoad} openLoad @param {number} loop */
  async loopOnSchedule(openLoad, loop) {
    const handle = openLoad.handle(this, loop);
    while (handle.shouldContinue()) await handle.request();
  }

  shouldContinue() {
    return !this.meter.isOver;
  }

  /** @param {number} loop */
  begin(loop) {
    this.meter.isFresh = false;
    this.startsMs[loop] = this.meter.stamp();
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
    const meterLoop = this.meterLoop(loop);
    const isCounted = meter.isCounting(meterLoop);
    meter.count(meterLoop, this.startsMs[loop], nowMs);
    this.startsMs[loop] = nowMs;
    if (!isCounted) return;
    this.workUs.total += workUs;
    this.workUs.tasks += 1;
  }

  /** Goes on after a lost task, which does not count. @param {number} loop */
  pass(loop) {
    const nowMs = performance.now();
    this.meter.pass(this.meterLoop(loop), nowMs);
    this.startsMs[loop] = nowMs;
  }

  /** @param {number} loop @returns {number} index of the loop in the meter, which keeps counts by the clock for all loops together */
  meterLoop(loop) {
    return this.openLoad === null ? this.firstLoop + loop : this.firstLoop;
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

  /** @param {number} replyMs   a task that waits longer for its result is lost @returns {number} number of tasks that were given up */
  sweep(replyMs) {
    const { lost } = this.integrity;
    this.dispatcher.giveUp(performance.now() - replyMs);
    return this.integrity.lost - lost;
  }

  async settled() {
    await this.load;
  }

  opened() {
    this.openLoad?.enablePreciseWait();
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
        ...(this.pool !== this.dispatcher && { workUs: total, workedTasks: tasks }),
      },
    };
  }
}

/** @implements {Endpoint} */
export class TaskWorker {
  /** @param {MessageCodec} codec @param {StreamParts} parts */
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
      // A port hands over up to 1,000 messages before a timer fires, so the window would open and its costs be read late.
      this.meter.tick();
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
