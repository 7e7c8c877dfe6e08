// A worker, or another role that the controller has started, after it has joined its launch: it runs its endpoint through warm-up and slices,
// and reports its counts.

import { isMainThread } from 'node:worker_threads';
import { connectingPerWorker, furtherId } from '../../cell/connections.js';
import { withDeadline } from '../../children/with-deadline.js';
import { BenchError } from '../../errors.js';
import { US_PER_MS } from '../../format/units.js';
import { sharedNowMs, toOwnMs, toSharedMs } from '../../machine/clock.js';
import {
  costWithin,
  extendReading,
  ownCpuMs,
  ownWaitMs,
  readOwnCost,
  readThreadCost,
  residentBytesWithoutGarbage,
  threadCpuMs,
} from '../../machine/process-cost.js';
import { scheduleSlice } from '../../measure/schedule-slice.js';
import { WorkWatch } from '../../measure/work-watch.js';
import { wholeReport, withValues } from '../control/protocol.js';
import { BlockingMonitor } from '../monitors/blocking.js';
import { CostMonitor } from '../monitors/cost-monitor.js';
import { busyPollLoop } from '../process-setup.js';

/** @import { CostReading } from '../../machine/process-cost.js' */
/** @import { Meter } from '../../measure/meter.js' */
/** @import { Arrival, Cell, Channel, Endpoint, WatchedWork } from '../../types/index.js' */
/** @import { LaunchSpec } from '../launch-spec.js' */
/** @import { ConnectOrder, FromWorker, SliceOrder, StartOrder } from '../control/protocol.js' */

export const readWorkerCost = isMainThread ? readOwnCost : readThreadCost;
const readCpuMs = isMainThread ? ownCpuMs : threadCpuMs;

export class JoinedWorker {
  /**
   * @param {object} parts
   * @param {LaunchSpec} parts.spec
   * @param {string} parts.role
   * @param {string} parts.id
   * @param {(id: string) => Promise<Channel>} parts.connect   opens a further channel, which lasts until this process exits
   * @param {Meter} parts.meter
   * @param {Endpoint} parts.endpoint
   * @param {import('../monitors/instruments.js').Instruments | null} parts.instruments   null unless the launch is diagnostic
   * @param {(message: FromWorker) => void} parts.send   sends to the controller
   * @param {(error: Error) => void} parts.reportFailure
   * @param {() => number} [parts.rejectedConnections]   returns the number so far; only for a role that listens
   */
  constructor(parts) {
    this.parts = parts;
    this.spec = parts.spec;
    this.meter = parts.meter;
    this.endpoint = parts.endpoint;
    this.send = parts.send;
    this.connections = 1;
    /** Values about the latest connections, added to the report of the endpoint. @type {Record<string, number>} */
    this.values = {};
    /** Set from `start` or `slice` until the load is over. */
    this.isLoaded = false;
    this.endLoad = () => {};
    /** Resolves when the load of other roles ends. Only used in a role without a load. @type {Promise<void>} */
    this.loadOfOthers = Promise.resolve();
    this.work = new WorkWatch({
      name: parts.id,
      operations: () => this.endpoint.progress(),
      readCpuMs,
      readWaitMs: ownWaitMs,
    });
    /** Work of this process in the warm-up; null until the warm-up has ended. @type {WatchedWork | null} */
    this.workAtOpen = null;
    /** @type {CostMonitor<CostReading | null>} */
    this.costs = new CostMonitor(readWorkerCost, extendReading);
    this.blocking = new BlockingMonitor();
    /**
     * The last slice; null in the warm-up. cpuMsBefore: CPU time so far when its order arrived; cpuMs: CPU time while it was open.
     * @type {{ cpuMsBefore: number, cpuMs: number } | null}
     */
    this.last = null;
    /** Times until the first response; null in a role between master and workers. @type {Arrival | null} */
    this.arrival = null;
  }

  /** @param {ConnectOrder} order */
  async connectFurther({ upTo }) {
    const { endpoint, values, spec } = this;
    const { id, connect } = this.parts;
    const bytesBefore = residentBytesWithoutGarbage();
    const ids = furtherIds(id, this.connections, upTo);
    await connectAll(ids, spec.cell, connect, (channel, connectionId) =>
      endpoint.serve?.(channel, connectionId),
    );
    this.connections = upTo;
    await endpoint.ready?.();
    values.furtherConnections = ids.length;
    // A thread shares the memory of its process, which reports it.
    values.grownBytes = isMainThread ? residentBytesWithoutGarbage() - bytesBefore : 0;
    this.send({ control: 'connected' });
  }

  /** @param {StartOrder} order */
  async start({ atMs }) {
    this.expectLoad();
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, toOwnMs(atMs) - performance.now())));
    const { endpoint, parts } = this;
    const { timing } = this.spec;
    parts.instruments?.begin(() => endpoint.progress());
    this.blocking.begin();
    const load = this.runLoad(toOwnMs(atMs));
    // Without warm-up, the first message from the master may have opened the slice already.
    if (this.workAtOpen === null) {
      const onWarm = () => this.send({ control: 'warm' });
      // The control channel keeps the worker alive, so the timer need not.
      this.work.begin(timing.workGoal, timing.warmupBinMs, onWarm).unref();
    }
    await load;
  }

  /** From now on, rest() ends the load, even if the load has not begun. */
  expectLoad() {
    this.isLoaded = true;
    this.loadOfOthers = new Promise((resolve) => {
      this.endLoad = resolve;
    });
  }

  /** @param {number} atMs */
  async runLoad(atMs) {
    const { endpoint, meter, parts } = this;
    const letSleep = this.spec.cell.poll === 'busy' ? busyPollLoop() : undefined;
    await (endpoint.run?.(atMs) ?? this.loadOfOthers).catch(parts.reportFailure);
    letSleep?.();
    // An endpoint without a load may not have read the clock since its slice opened.
    if (endpoint.run === undefined) meter.tick();
    // Ends a slice that lasts for a number of messages.
    meter.finish();
    this.isLoaded = false;
    if (this.last === null) this.send({ control: 'rested', operationMs: meter.typicalOperationMs() });
    else this.sendSliced(this.last);
  }

  /** @param {SliceOrder} order */
  slice({ fromMs, toMs, binMs, countsWholeOperations, dropsLast }) {
    const { meter, endpoint, costs } = this;
    this.blocking.end();
    const cpuMsBefore = Number(readCpuMs());
    this.settle(dropsLast);
    const slice = { cpuMsBefore, cpuMs: 0 };
    this.last = slice;
    if (countsWholeOperations) meter.countWhole();
    const window = toOwnWindow(fromMs, toMs === null ? Infinity : toMs - fromMs);
    let countsFromMs = window.fromMs;
    scheduleSlice(meter, { ...window, binMs }, endpoint, {
      onOpen: () => {
        this.workAtOpen ??= this.work.end();
        costs.begin();
        countsFromMs = this.countsFromMs(window.fromMs);
      },
      onCounted: () => this.send({ control: 'counted' }),
      onClose: () => {
        // A load of whole operations, or of a number of messages, has no fixed end.
        const closedMs = toMs === null || meter.countsWholeOperations ? meter.nowMs : window.toMs;
        const { from, to } = costs.end({ openMs: window.fromMs, spanMs: closedMs - countsFromMs });
        slice.cpuMs = from && to ? (to.userUs + to.systemUs - from.userUs - from.systemUs) / US_PER_MS : 0;
      },
    });
    if (this.isLoaded) return;
    this.expectLoad();
    meter.resume();
    this.runLoad(performance.now()).catch(this.parts.reportFailure);
  }

  /** @param {NonNullable<JoinedWorker['last']>} slice */
  sendSliced({ cpuMsBefore, cpuMs }) {
    const spentCpuMs = Number(readCpuMs()) - cpuMsBefore;
    this.send({ control: 'sliced', ...this.meter.lastCounts(), cpuMs, spentCpuMs });
  }

  /**
   * To be called when the window opens.
   * @param {number} fromMs   planned start of the window
   * @returns {number} actual start of the operations whose costs are read, in ms on this process's clock
   */
  countsFromMs(fromMs) {
    const { meter } = this;
    // Loops that count whole operations begin when one of them notices the start. Operations that are counted by the clock, and those of
    // other processes, count from the planned start.
    return meter.countsWholeOperations && meter.loops.count > 0 ? meter.nowMs : fromMs;
  }

  /** Ends the load of the warm-up or, once all loops of the launch have counted their operations, that of a slice. */
  rest() {
    const { meter } = this;
    this.blocking.end();
    if (this.last === null) {
      this.workAtOpen = this.work.end();
      meter.giveUp();
    } else if (meter.countsWholeOperations) meter.rest(); // other loads end by the clock or by their number of messages
    this.endLoad();
  }

  /** @param {boolean} isDropped   the last slice does not count */
  settle(isDropped) {
    if (this.last !== null) this.meter.settleSlice(isDropped);
    if (isDropped) this.costs.drop();
  }

  finish() {
    this.settle(false);
    this.parts.instruments?.end(this.parts.id);
    this.sendReport();
  }

  sendReport() {
    const { role, id, rejectedConnections } = this.parts;
    const { openMs, spanMs, from, to } = this.costs.report() ?? NO_SLICE;
    const values = { ...this.values, ...this.blocking.report() };
    const report = wholeReport(withValues(this.endpoint.report(), values));
    this.send({
      control: 'done',
      ...report,
      role,
      id,
      openMs: toSharedMs(openMs),
      windowMs: report.whole?.windowMs ?? spanMs,
      arrival: this.arrival,
      work: this.workAtOpen,
      cost: costWithin(spanMs, { name: id, role }, from, to, null),
      ...(rejectedConnections && { rejectedConnections: rejectedConnections() }),
    });
  }
}

const NO_SLICE = Object.freeze({ openMs: 0, spanMs: 0, from: null, to: null });

/** @param {number} fromMs   on the shared clock @param {number} lengthMs @returns the window on this process's clock */
function toOwnWindow(fromMs, lengthMs) {
  // A command that waited behind large messages must not shorten the window, so the window opens later.
  const ownFromMs = toOwnMs(Math.max(fromMs, sharedNowMs()));
  return { fromMs: ownFromMs, toMs: ownFromMs + lengthMs };
}

const CONNECTION_DEADLINE_MS = 10_000; // a connection takes about 1 ms, and waits for others that connect at the same time

/**
 * @template T
 * @param {T[]} all
 * @param {Pick<Cell, 'workers'>} cell
 * @param {(one: T) => Promise<unknown>} act
 */
async function fewAtOnce(all, cell, act) {
  const left = all.values(); // the loops share this iterator
  const takeAll = async () => {
    for (const one of left) await act(one);
  };
  await Promise.all(Array.from({ length: connectingPerWorker(cell) }, takeAll));
}

/** @param {string} workerId @param {number} from   number of existing connections @param {number} upTo */
export function furtherIds(workerId, from, upTo) {
  return Array.from({ length: Math.max(0, upTo - from) }, (_, index) => furtherId(workerId, from + index));
}

/**
 * @param {string[]} ids
 * @param {Pick<Cell, 'workers'>} cell
 * @param {(id: string) => Promise<Channel>} connect
 * @param {(channel: Channel, id: string) => void} take   sets the handlers of the channel
 */
export async function connectAll(ids, cell, connect, take) {
  await fewAtOnce(ids, cell, async (id) => {
    const channel = await withDeadline(connect(id), CONNECTION_DEADLINE_MS, () => {
      const late = `${id} did not connect within ${CONNECTION_DEADLINE_MS} ms`;
      throw new BenchError('DEADLINE', `${late}: give fewer --connections`);
    });
    take(channel, id);
  });
}

/** @param {Channel[]} channels @param {Pick<Cell, 'workers'>} cell */
export async function closeAll(channels, cell) {
  await fewAtOnce(channels, cell, (channel) => channel.close());
}
