// Ends a launch before its processes fill the memory of the machine: messages that a consumer does not read accumulate in the producer, in
// a broker or in the consumer. Only launches that may grow without limit are watched. On Linux the runner reads the memory of their
// processes five times a second, since reading it in the master would pause a measured process. On other systems the master reads its own.

import { assignedBrokers } from '../../cell/launch-roles.js';
import { BenchError } from '../../errors.js';
import { formatCount, formatMemory } from '../../format/numbers.js';
import { readResidentBytes } from '../../machine/process-cost.js';
import { sumBy } from '../../statistics/sum.js';

/** @import { GrownMessage, WatchOrder } from '../control/protocol.js' */
/** @import { Monitor } from '../../types/index.js' */
/** @import { JoinedLaunch } from './cost-readings.js' */
/** @typedef {{ name: string, read: () => number }} Watched   read: bytes, or 0 if they cannot be read */
/** @typedef {{ name: string, pid: number }} WatchedProcess */
/** @typedef {(grown: { name: string, bytes: number }[], forMs: number) => void} OnTooMuch */

const READ_EVERY_MS = 200;

/** @param {JoinedLaunch} launch @returns {WatchedProcess[]} processes on this host; the master's memory includes its threads */
function listWatched({ spec, group, master, pool }) {
  const all = [
    { name: 'master', pid: master.pid },
    ...group.members.map(({ id, worker }) => ({ name: id, pid: worker.pid })),
    ...(pool?.pids() ?? []).map((pid, index) => ({ name: `w${index}`, pid })),
    ...assignedBrokers(spec),
  ];
  return all.flatMap(({ name, pid }) => (typeof pid === 'number' ? { name, pid } : []));
}

/** @param {{ name: string, bytes: number }[]} grown @param {number} limitBytes @param {{ whose: string, forMs: number }} watch */
function growthText(grown, limitBytes, { whose, forMs }) {
  const sum = sumBy(grown, ({ bytes }) => bytes);
  const greatest = grown.toSorted((one, other) => other.bytes - one.bytes).filter(({ bytes }) => bytes > 0);
  const names = greatest
    .slice(0, 3)
    .map(({ name, bytes }) => `${name} by ${formatMemory(bytes)}`)
    .join(', ');
  return (
    `${whose} grew by ${formatMemory(sum)} within ${formatCount(forMs)} ms (${names}), more than the ` +
    `limit of ${formatMemory(limitBytes)} for a launch, a quarter of the free memory`
  );
}

const SHORTER = 'Shorten --warmup and --measure, or make --payload or --connections smaller';

/**
 * @param {{ name: string, bytes: number }[]} grown   growth since the watch began
 * @param {number} limitBytes
 * @param {{ forMs: number, counted: number }} watch   counted: operations
 * @returns message of the failed launch
 */
export function tooMuchMemory(grown, limitBytes, { forMs, counted }) {
  const what = growthText(grown, limitBytes, { whose: 'its processes', forMs });
  return `${what}; the master had counted ${formatCount(counted)} operations. ${SHORTER}`;
}

/**
 * @param {{ name: string, bytes: number }[]} grown   growth of workers whose controller is on another host
 * @param {number} limitBytes
 * @param {number} forMs   time since the watch began
 * @returns message of the failed launch
 */
export function tooMuchOfHost(grown, limitBytes, forMs) {
  return `${growthText(grown, limitBytes, { whose: 'the workers on its host', forMs })}. ${SHORTER}`;
}

/** @implements {Monitor<void>} */
export class GrowthMonitor {
  /**
   * @param {Watched[]} watched
   * @param {number} limitBytes   limit for their total growth from begin() on
   * @param {OnTooMuch} onTooMuch   called once
   */
  constructor(watched, limitBytes, onTooMuch) {
    this.watched = watched;
    this.limitBytes = limitBytes;
    this.onTooMuch = onTooMuch;
    /** @type {NodeJS.Timeout | undefined} */
    this.timer = undefined;
  }

  begin() {
    const sinceMs = performance.now();
    const from = this.watched.map((one) => ({ ...one, before: one.read() }));
    this.timer = setInterval(() => {
      const grown = from.map(({ name, before, read }) => ({ name, bytes: Math.max(0, read() - before) }));
      if (sumBy(grown, ({ bytes }) => bytes) <= this.limitBytes) return;
      this.end();
      this.onTooMuch(grown, performance.now() - sinceMs);
    }, READ_EVERY_MS);
    this.timer.unref(); // a failed launch must not wait for it
  }

  end() {
    clearInterval(this.timer);
  }
}

/**
 * Makes the monitor with which the runner watches the processes of a controller.
 * @param {WatchOrder} order
 * @param {(message: GrownMessage) => void} send   sends to the controller
 */
export function growthMonitorFor({ processes, limitBytes }, send) {
  const watched = processes.map(({ name, pid }) => ({ name, read: () => readResidentBytes(pid) ?? 0 }));
  /** @type {OnTooMuch} */
  const onTooMuch = (grown, forMs) => send({ control: 'grown', grown, forMs });
  return new GrowthMonitor(watched, limitBytes, onTooMuch);
}

/**
 * Fails the launch if its processes grow by more than the limit from now on.
 * @param {JoinedLaunch} launch
 * @param {Pick<import('../controller/controller.js').Controller, 'send' | 'onGrown'>} controller
 */
export function watchMemory(launch, controller) {
  const { spec, group, endpoint, master } = launch;
  const { memoryLimitBytes } = spec;
  if (memoryLimitBytes === null) return;
  /** @type {OnTooMuch} */
  const fail = (grown, forMs) => {
    const counted = endpoint.progress();
    group.fail?.(new BenchError('MEMORY', tooMuchMemory(grown, memoryLimitBytes, { forMs, counted })));
  };
  if (process.platform === 'linux') {
    controller.onGrown = fail;
    controller.send({ control: 'watch', processes: listWatched(launch), limitBytes: memoryLimitBytes });
    return;
  }
  // On other systems the runner cannot read the memory of other processes, so the master watches its own memory.
  const watched = { name: 'master', read: () => master.residentBytes() || 0 };
  new GrowthMonitor([watched], memoryLimitBytes, fail).begin();
}
