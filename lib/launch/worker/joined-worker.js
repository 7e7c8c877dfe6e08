// A worker, or another role that the controller has started, once it has joined its launch: it plays its half of the scenario
// through warm-up and window, and hands in what it counted.

import { isMainThread } from 'node:worker_threads';
import { connectingPerWorker, furtherId } from '../../cell/connections.js';
import { withDeadline } from '../../children/with-deadline.js';
import { BenchError } from '../../errors.js';
import { US_PER_MS } from '../../format/units.js';
import { sharedNowMs, toOwnMs, toSharedMs } from '../../machine/clock.js';
import {
  costWithin,
  extendedBy,
  ownCpuMs,
  ownWaitMs,
  readOwnCost,
  readThreadCost,
  threadCpuMs,
} from '../../machine/process-cost.js';
import { wholeReport, withValues } from '../control/protocol.js';
import { WorkWatch } from '../monitors/work-watch.js';
import { busyPollLoop, fillYoungGeneration } from '../process-setup.js';

/** @import { CostReading } from '../../machine/process-cost.js' */
/** @import { Meter } from '../../scenario/load/meter.js' */
/** @import { Arrival, Cell, Channel, Endpoint, WatchedWork } from '../../types/index.js' */
/** @import { LaunchSpec } from '../launch-spec.js' */
/** @import { Instruments } from '../monitors/instruments.js' */
/** @import { ConnectOrder, FromWorker, MeasureOrder, SliceOrder, StartOrder } from '../control/protocol.js' */

export const readCost = isMainThread ? readOwnCost : readThreadCost;
const readCpuMs = isMainThread ? ownCpuMs : threadCpuMs;

export class JoinedWorker {
  /**
   * @param {object} parts
   * @param {LaunchSpec} parts.spec
   * @param {string} parts.role
   * @param {string} parts.id
   * @param {(id: string) => Promise<Channel>} parts.connect   one more, that lasts until this process leaves
   * @param {Meter} parts.meter
   * @param {Endpoint} parts.endpoint
   * @param {Instruments | null} parts.instruments   of this process
   * @param {(message: FromWorker) => void} parts.say
   * @param {(error: Error) => void} parts.tellFailure
   * @param {() => number} [parts.rejectedConnections]   that it has turned away; absent: nobody connects to it
   */
  constructor({
    spec,
    role,
    id,
    connect,
    meter,
    endpoint,
    instruments,
    say,
    tellFailure,
    rejectedConnections,
  }) {
    this.spec = spec;
    this.role = role;
    this.id = id;
    this.connect = connect;
    this.connections = 1;
    /** What its endpoint does not count: of the connections that it made last. @type {Record<string, number>} */
    this.values = {};
    this.meter = meter;
    this.endpoint = endpoint;
    this.instruments = instruments;
    this.say = say;
    this.tellFailure = tellFailure;
    this.rejectedConnections = rejectedConnections;
    this.endLoad = () => {};
    /** @type {Promise<void>} of the others, where it has none of its own */
    this.loadOfOthers = new Promise((resolve) => {
      this.endLoad = resolve;
    });
    this.work = new WorkWatch({
      name: id,
      operations: () => endpoint.progress(),
      readCpuMs,
      readWaitMs: ownWaitMs,
    });
    /** @type {WatchedWork | null} */
    this.workAtOpen = null;
    /** @type {CostReading | null} */
    this.costAtOpen = null;
    /** @type {CostReading | null} */
    this.costAtClose = null;
    this.openedAtMs = 0;
    /** How far the two readings of costs should be apart. */
    this.spanMs = 0;
    /** The last slice, until it is known to count. @type {{ fromMs: number, spanMs: number, from: CostReading | null, to: CostReading | null } | null} */
    this.slice = null;
    /** @type {Arrival | null} */
    this.arrival = null;
  }

  /** @param {ConnectOrder} order */
  async connectFurther({ upTo }) {
    const { id, endpoint, values } = this;
    const { cell } = this.spec;
    fillYoungGeneration();
    const bytesBefore = process.memoryUsage.rss();
    const ids = furtherIds(id, this.connections, upTo);
    await connectAll(ids, cell, this.connect, (channel, connectionId) =>
      endpoint.serve?.(channel, connectionId),
    );
    this.connections = upTo;
    await endpoint.ready?.();
    values.furtherConnections = ids.length;
    // The memory of a thread is its process's, which tells it.
    values.grownBytes = isMainThread ? process.memoryUsage.rss() - bytesBefore : 0;
    this.say({ control: 'connected' });
  }

  /** @param {StartOrder} order */
  async start({ atMs }) {
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, toOwnMs(atMs) - performance.now())));
    const { cell, timing } = this.spec;
    const letSleep = cell.poll === 'busy' ? busyPollLoop() : undefined;
    this.instruments?.begin(() => this.endpoint.progress());
    const load = this.endpoint.run?.(toOwnMs(atMs)) ?? this.loadOfOthers;
    // Without warm-up, the first message from the master may have opened the window already.
    if (this.workAtOpen === null) {
      const timer = this.work.begin(timing.workGoal, timing.warmupBinMs, () => this.say({ control: 'warm' }));
      timer.unref(); // a worker lives as long as its control channel, not as long as this
    }
    await load.catch(this.tellFailure);
    letSleep?.();
    this.instruments?.save(this.id);
    // Who counts nothing by the clock has not looked at it since its window opened.
    if (this.endpoint.run === undefined) this.meter.tick();
    if (timing.slices !== undefined) {
      this.say({ control: 'parked', operationMs: this.meter.typicalOperationMs() });
      return;
    }
    this.meter.finish();
    this.handIn();
  }

  /** The load of the warm-up ends. */
  park() {
    this.workAtOpen = this.work.end();
    this.meter.giveUp();
    this.endLoad();
  }

  /** @param {SliceOrder} order */
  async measureSlice({ fromMs, toMs, dropsLast }) {
    const { meter, endpoint } = this;
    const cpuMsBefore = readCpuMs();
    this.settleSlice(dropsLast);
    const window = this.windowOf(fromMs, toMs - fromMs);
    /** @type {NonNullable<JoinedWorker['slice']>} */
    const slice = { fromMs: window.fromMs, spanMs: 0, from: null, to: null };
    const counted = await meter.runSlice(endpoint, window, {
      onOpen() {
        slice.from = readCost();
      },
      onCounted: () => this.say({ control: 'counted' }),
      onClose() {
        slice.to = readCost();
        slice.spanMs = meter.nowMs - slice.fromMs;
      },
    });
    this.slice = slice;
    const { from, to } = slice;
    const cpuMs = from && to && (to.userUs + to.systemUs - from.userUs - from.systemUs) / US_PER_MS;
    const turnCpuMs = Number(readCpuMs()) - Number(cpuMsBefore);
    this.say({ control: 'sliced', ...counted, cpuMs: cpuMs ?? 0, turnCpuMs });
  }

  /** All loops of the launch have counted their operations: the load ends. */
  rest() {
    this.meter.rest();
  }

  /** @param {boolean} isDropped */
  settleSlice(isDropped) {
    const { slice, meter } = this;
    this.slice = null;
    if (slice === null) return;
    meter.settleSlice(isDropped);
    if (isDropped) return;
    const { from, to } = slice;
    if (this.spanMs === 0) this.openedAtMs = slice.fromMs;
    this.spanMs += slice.spanMs;
    this.costAtOpen ??= from;
    const upTo = this.costAtClose ?? from;
    this.costAtClose = upTo && from && to && extendedBy(upTo, from, to);
  }

  finish() {
    this.settleSlice(false);
    this.handIn();
  }

  /** @param {number} fromMs   of the clock that all processes share @param {number} lengthMs @returns of this process's clock */
  windowOf(fromMs, lengthMs) {
    // An order that waited behind large messages must not shorten the window: it opens later, and is as long.
    const ownFromMs = toOwnMs(fromMs + Math.max(0, sharedNowMs() - fromMs));
    return { fromMs: ownFromMs, toMs: ownFromMs + lengthMs };
  }

  /** @param {MeasureOrder} order */
  measure(order) {
    const { meter } = this;
    const { messages, measureMs, binMs } = this.spec.timing;
    if (order.isWhole) meter.countWhole();
    const { fromMs, toMs } = this.windowOf(order.fromMs, messages === null ? measureMs : Infinity);
    const onOpen = () => {
      this.workAtOpen = this.work.end();
      this.costAtOpen = readCost();
      this.endpoint.opened?.();
    };
    const onClose = () => {
      this.openedAtMs = fromMs;
      // Whole operations and a number of messages end when they end.
      this.spanMs = (messages === null && !meter.isWhole ? toMs : meter.nowMs) - fromMs;
      this.costAtClose = readCost();
      this.endpoint.closed?.();
    };
    const onCounted = () => this.say({ control: 'counted' });
    meter.schedule({ fromMs, toMs, binMs, onOpen, onCounted, onClose });
    // Without a message at an end of the window, nothing else would look at the clock there.
    meter.tickAt(fromMs);
    if (toMs !== Infinity) meter.tickAt(toMs);
  }

  handIn() {
    const { costAtOpen, costAtClose } = this;
    const report = wholeReport(withValues(this.endpoint.report(), this.values));
    this.say({
      control: 'done',
      ...report,
      role: this.role,
      id: this.id,
      openMs: toSharedMs(this.openedAtMs),
      windowMs: report.whole?.windowMs ?? this.spanMs,
      arrival: this.arrival,
      work: this.workAtOpen,
      cost: costWithin(this.spanMs, { name: this.id, role: this.role }, costAtOpen, costAtClose, null),
      ...(this.rejectedConnections && { rejectedConnections: this.rejectedConnections() }),
    });
  }
}

const CONNECTION_DEADLINE_MS = 10_000; // one takes about a millisecond, and waits for those that are made with it

/**
 * @template T
 * @param {T[]} all
 * @param {Pick<Cell, 'workers'>} cell
 * @param {(one: T) => Promise<unknown>} act
 */
async function fewAtOnce(all, cell, act) {
  const left = all.values(); // of which each of the loops takes the next one
  const takeAll = async () => {
    for (const one of left) await act(one);
  };
  await Promise.all(Array.from({ length: connectingPerWorker(cell) }, takeAll));
}

/** @param {string} workerId @param {number} from   connections that it has @param {number} upTo @returns of those that it lacks */
export function furtherIds(workerId, from, upTo) {
  return Array.from({ length: Math.max(0, upTo - from) }, (_, index) => furtherId(workerId, from + index));
}

/**
 * @param {string[]} ids
 * @param {Pick<Cell, 'workers'>} cell
 * @param {(id: string) => Promise<Channel>} connect
 * @param {(channel: Channel, id: string) => void} take   its handlers are in place when it returns
 */
export async function connectAll(ids, cell, connect, take) {
  await fewAtOnce(ids, cell, async (id) => {
    const channel = await withDeadline(connect(id), CONNECTION_DEADLINE_MS, () => {
      const late = `${id} did not connect within ${CONNECTION_DEADLINE_MS} ms`;
      throw new BenchError('DEADLINE', `${late}: ask for fewer --connections`);
    });
    take(channel, id);
  });
}

/** @param {Channel[]} channels @param {Pick<Cell, 'workers'>} cell */
export async function closeAll(channels, cell) {
  await fewAtOnce(channels, cell, (channel) => channel.close());
}
