// Leads one launch from connect to drain: gives all others their orders, waits for them with deadlines, and puts together
// what all roles counted. It touches no message: that is the business of the endpoints.

import { WORKER } from '../../cell/launch-roles.js';
import { withDeadline } from '../../children/with-deadline.js';
import { BenchError } from '../../errors.js';
import { sharedNowMs, toOwnMs } from '../../machine/clock.js';
import { readResidentBytes } from '../../machine/process-cost.js';
import { withValues } from '../control/protocol.js';
import { assignedCpus, loadInstruments } from '../launch-spec.js';
import {
  PRIMING_RUNS,
  primeJit,
  SliceWatch,
  watchOwnLoops,
  watchWarmUp,
  watchWindow,
  watchWork,
} from '../monitors/load-watch.js';
import { watchMemory } from '../monitors/memory-watch.js';
import { networkUse, watchTraffic } from '../monitors/traffic.js';
import { busyPollLoop, fillYoungGeneration, prepareEngine } from '../process-setup.js';
import { checkIntegrity, costs, masterReport, summed, sumWork } from './aggregate-reports.js';
import { thisProcess } from './master-process.js';
import { awaitStartUp, listClocks, part, slowestExchangeMs } from './start-up-barrier.js';
import { memberName } from './worker-group.js';

/** @import { BrokerTraffic, Endpoint, Listener, LoadClock, Role, Slices, Timing, Traits, Transport, Warmup } from '../../types/index.js' */
/** @import { LaunchSpec } from '../launch-spec.js' */
/** @import { WorkerGroup } from './worker-group.js' */
/** @import { MasterProcess } from './master-process.js' */
/** @import { PeerMaster } from './peer-master.js' */
/** @import { LaunchReport, Parked, PhaseNews, Ready, Turn, Turned } from '../control/protocol.js' */
/** @typedef {PhaseNews['phase']} Phase */
/** @typedef {(report: Pick<Turned, 'slice' | 'operationMs'>) => Promise<Turn>} TurnTaker   tells the runner that the last turn is over, and waits for the next one */

const START_MARGIN_MS = 20; // for the order to reach all workers before the instant it names
const WINDOW_MARGIN_MS = 50; // the same under load

/**
 * @param {LaunchSpec} spec
 * @param {WorkerGroup} group
 * @param {object} parts
 * @param {Listener} parts.listener
 * @param {Transport} parts.transport              of the cell
 * @param {Traits} parts.traits                   of all hops
 * @param {Endpoint} parts.endpoint                       of the master
 * @param {PeerMaster | null} parts.peer          that plays it; null: this process does
 * @param {readonly Role[]} parts.roles           of the others
 * @param {import('../monitors/memory-watch.js').Runner} parts.runner
 * @param {TurnTaker} parts.turns    where the launch is measured in slices
 * @param {(phase: Phase) => void} parts.enter    told at the start of each phase
 * @returns {Promise<Omit<LaunchReport, 'rejectedConnections'>>}
 */
export async function controlLaunch(spec, group, parts) {
  const { listener, transport, traits, endpoint, peer, roles, runner, turns, enter } = parts;
  const { cell, deadlines, brokerUrl } = spec;
  const instruments = peer === null ? await loadInstruments(spec) : null;
  instruments?.watchServed(endpoint);
  enter('connect');
  for (const { id, line, worker } of group.members) listener.adopt?.(line, id, worker.streams);
  // With the ends of its workers: before they join.
  const master = (await peer?.open(group.members)) ?? thisProcess(group);
  await awaitStartUp(spec, group, roles, listener.address).catch((error) => {
    throw withUnread(error, peer === null ? endpoint : null);
  });
  await beginPool(group, endpoint, deadlines.connectMs);
  const endWatch = watchMemory(spec, group, { endpoint, master, runner });
  const { connections } = cell;
  const values = connections === undefined ? {} : await growConnections(spec, group, connections, master);
  takePlaces(group, master);

  const traffic = new LoadTraffic(transport, brokerUrl, endpoint);
  const letSleep = cell.poll === 'busy' ? busyPollLoop() : undefined;
  instruments?.begin(() => endpoint.progress());
  /** @type {Loaded} */
  let loaded;
  try {
    const ways = { endpoint, master, enter, turns, traffic };
    loaded = await (spec.timing.slices === undefined ? load : loadInTurns)(spec, group, ways).finally(
      letSleep,
    );
    instruments?.save('master');
  } finally {
    traffic.close();
  }
  const { warmup, from, to, spanMs, reports, stallMs, killed, slices, window } = loaded;
  if (endpoint.settled !== undefined) await Promise.race([endpoint.settled(reports), group.trouble]);
  endWatch();
  await part(group, roles, deadlines.exitMs);
  await peer?.end();
  const all = [...reports, masterReport(withValues(endpoint.report(), values), reports, window)];
  const losses = checkIntegrity(all, traits);
  return {
    warmup,
    ...summed(all),
    ...(slices && { slices, bins: perBin(slices, spec.timing) }),
    reports: all,
    ...costs(spec, { from, to, spanMs }, all, killed),
    stallMs,
    traffic: traffic.perOperation,
    losses,
    ...(spec.network && { network: networkUse(spec.network.facts, from.network, to.network) }),
    threadIds: group.threadIds(),
    ...listClocks(group.members),
  };
}

/** A pool has no workers that join: each of them has started when it has done a task. @param {WorkerGroup} group @param {Endpoint} endpoint @param {number} deadlineMs */
async function beginPool({ pool, trouble }, endpoint, deadlineMs) {
  if (endpoint.meter === undefined) return;
  await withDeadline(Promise.race([endpoint.ready?.(), trouble]), deadlineMs, () => {
    throw new BenchError('DEADLINE', `the first tasks were not done within ${Math.round(deadlineMs)} ms`);
  });
  pool?.find();
}

/**
 * Who waits for the answer to a question that could not be read is late, and cannot know why.
 * @param {any} error   for which the launch ends before its load
 * @param {Endpoint | null} endpoint   of the master; null: another program plays it
 */
function withUnread(error, endpoint) {
  const unread = endpoint?.report().mistakes?.corrupt ?? 0;
  if (error.code !== 'DEADLINE' || unread === 0) return error;
  return new BenchError(
    'INTEGRITY',
    `the codec could not decode ${unread} of the first requests: ${error.message}`,
  );
}

/**
 * @typedef {object} LoadParts
 * @property {Endpoint} endpoint
 * @property {MasterProcess} master
 * @property {(phase: Phase) => void} enter
 * @property {TurnTaker} turns
 * @property {LoadTraffic} traffic
 */

/** What passes the broker while the launch alone is under load. */
class LoadTraffic {
  /** @param {Transport} transport @param {string | null} brokerUrl @param {Endpoint} endpoint */
  constructor(transport, brokerUrl, endpoint) {
    this.endpoint = endpoint;
    this.open = () => watchTraffic(transport, brokerUrl);
    /** @type {Awaited<ReturnType<typeof watchTraffic>> | null} */
    this.watch = null;
    this.answeredBefore = 0;
    /** @type {BrokerTraffic | null} */
    this.perOperation = null;
  }

  async begin() {
    this.watch = await this.open();
    this.answeredBefore = this.endpoint.progress();
  }

  async end() {
    this.perOperation =
      (await this.watch?.perOperation(this.endpoint.progress() - this.answeredBefore)) ?? null;
  }

  close() {
    this.watch?.close();
  }
}

/**
 * @typedef {Omit<Awaited<ReturnType<typeof watchWindow>>, 'workAtOpen'> & { warmup: Warmup, slices?: Slices }} Loaded
 */

/** @param {LaunchSpec} spec @param {WorkerGroup} group @param {LoadParts} parts @returns {Promise<Loaded>} */
async function load(spec, group, parts) {
  const { endpoint, enter, traffic } = parts;
  const { timing } = spec;
  await traffic.begin();
  const { warmup, work, startMs, marginMs } = await warmUp(spec, group, parts);
  const fromMs = Math.max(sharedNowMs() + marginMs, startMs + (timing.warmupMs ?? 0));
  warmup.ms = fromMs - startMs;
  const toMs = timing.messages === null ? fromMs + timing.measureMs : null;
  const { meter } = endpoint;
  const isWhole = group.countsWhole() || meter?.isWhole === true;
  group.tellAll({ control: 'measure', fromMs, isWhole });
  const own =
    meter === undefined ? null : scheduleOwn(endpoint, meter, { fromMs, toMs, binMs: timing.binMs });
  enter('measure'); // said before the window opens: the runner has to be asleep by then
  const { workAtOpen, ...measured } = await watchWindow(
    spec,
    group,
    { ...parts, work },
    { fromMs, toMs, own, isWhole },
  );
  const [ofMaster, ...ofBroker] = workAtOpen;
  enter('drain');
  await traffic.end();
  return { warmup: { ...warmup, work: sumWork(ofMaster, measured.reports, ofBroker) }, ...measured };
}

/**
 * Of a launch that shares its time with the others of its group: it warms up, and then is measured whenever it has its turn. In between,
 * none of its requests is open.
 * @param {LaunchSpec} spec
 * @param {WorkerGroup} group
 * @param {LoadParts} parts
 * @returns {Promise<Loaded>}
 */
async function loadInTurns(spec, group, parts) {
  const { endpoint, enter, turns, traffic } = parts;
  const { finishMs } = spec.deadlines;
  const nextTurn = (/** @type {Pick<Turned, 'slice' | 'operationMs'>} */ report = {}) =>
    Promise.race([turns(report), group.trouble]);
  let turn = await nextTurn();
  // Before its turn, the warm-ups of others pass the same broker.
  await traffic.begin();
  const { warmup, work, ownLoad } = await warmUp(spec, group, parts);
  group.tellAll({ control: 'park' });
  endpoint.meter?.giveUp();
  /** @type {Parked[]} */
  const parked = await group.allSay('parked', finishMs);
  if (endpoint.meter !== undefined) await Promise.race([ownLoad, group.trouble]);
  const workAtOpen = work.map((watch) => watch.end());
  // Later, a broker that others of the group use as well counts their messages too.
  await traffic.end();
  const ownOperationMs = endpoint.meter?.typicalOperationMs?.() ?? 0;
  const operationMs = Math.max(ownOperationMs, ...parked.map((one) => one.operationMs));
  turn = await nextTurn({ operationMs });
  enter('measure');
  const slices = new SliceWatch(spec, group, parts.master, endpoint);
  for (; turn.kind === 'slice'; turn = await nextTurn({ slice: await slices.measure(turn) }));
  enter('drain');
  group.tellAll({ control: 'finish' });
  const reports = await group.allSay('done', finishMs);
  const [own, ...ofBroker] = workAtOpen;
  return {
    warmup: { ...warmup, work: sumWork(own, reports, ofBroker) },
    reports,
    killed: [],
    ...slices.total(),
  };
}

/** @param {LaunchSpec} spec @param {WorkerGroup} group @param {LoadParts} parts */
async function warmUp(spec, group, { endpoint, master, enter }) {
  const { timing } = spec;
  prepareEngine(spec);
  enter('warm-up');
  const farthestMs = slowestExchangeMs(group.members);
  const startMs = sharedNowMs() + START_MARGIN_MS + farthestMs;
  group.tellAll({ control: 'start', atMs: startMs });
  const ownLoad = endpoint.run?.(toOwnMs(startMs));
  ownLoad?.catch(group.fail);
  // The window is announced while the loops warm up, so that a fixed warm-up is exactly as long as it was asked to be.
  const marginMs = Math.min(WINDOW_MARGIN_MS + farthestMs, timing.warmupMs ?? Number.POSITIVE_INFINITY);
  const answered = () => endpoint.progress();
  const work = watchWork(spec, master, answered);
  const isWarm = () => work.every((watch) => watch.isWarm) && group.haveAllSaid('warm');
  const watched = {
    answered,
    isWarm,
    trouble: group.trouble,
    onBin: (/** @type {number} */ bins) => bins <= PRIMING_RUNS && primeJit(spec, group, master),
  };
  const warmup = await watchWarmUp(watched, timing, marginMs).finally(() => {
    for (const watch of work) watch.end();
  });
  return { warmup, work, startMs, marginMs, ownLoad };
}

/**
 * Of a master that has a load of its own: an endpoint that only answers has none, and nothing is scheduled for it.
 * @param {Endpoint} endpoint
 * @param {LoadClock} meter
 * @param {{ fromMs: number, toMs: number | null, binMs: number }} window
 * @returns {import('../monitors/load-watch.js').OwnLoops | null} null: it counts by the clock
 */
function scheduleOwn(endpoint, meter, { fromMs, toMs, binMs }) {
  const ends = { fromMs: toOwnMs(fromMs), toMs: toMs === null ? Infinity : toOwnMs(toMs) };
  const { loops, onOpen, onCounted } = watchOwnLoops();
  meter.schedule({
    ...ends,
    binMs,
    onOpen() {
      onOpen();
      endpoint.opened?.();
    },
    onClose: () => endpoint.closed?.(),
    onCounted,
  });
  // Without a message nobody would look at the clock.
  for (const atMs of Object.values(ends)) {
    if (atMs !== Infinity) meter.tickAt(atMs);
  }
  return meter.isWhole === true ? loops : null;
}

/** @param {Slices} slices @param {Timing} timing @returns {number[]} operations in the planned length of each slice */
function perBin({ operations, windowMs }, { slices }) {
  const binMs = Number(slices?.measureMs);
  return operations.map((count, slice) => (count * binMs) / windowMs[slice]);
}

/**
 * Each worker makes its other connections, now that all of them have one: first a half, with which processes grow by what they
 * load and by what they will need again, then the rest, with which they grow by what connections take.
 * @param {LaunchSpec} spec
 * @param {WorkerGroup} group
 * @param {number} connections   of each worker
 * @param {MasterProcess} master
 * @returns the master and a private broker, with the second half
 */
export async function growConnections({ broker, deadlines }, group, connections, master) {
  const residentBytes = () =>
    master.residentBytes() + (broker === null ? 0 : (readResidentBytes(broker.pid) ?? Number.NaN));
  let bytesBefore = 0;
  fillYoungGeneration();
  for (const upTo of [Math.ceil(connections / 2), connections]) {
    bytesBefore = residentBytes();
    group.forget('connected');
    group.tellAll({ control: 'connect', upTo }, WORKER);
    await group.allSay('connected', deadlines.connectMs, WORKER);
  }
  return { grownBytes: residentBytes() - bytesBefore };
}

// Pins what runs the messages of a launch to its place, before the load begins: the main threads, and what a transport has
// started beside them. The helper threads of V8 and libuv keep all CPUs of the launch.

/** @param {WorkerGroup} group @param {MasterProcess} master @throws {BenchError} PROCESS_DIED, naming who is gone */
export function takePlaces({ cpus, members, pool }, master) {
  if (cpus === null) return;
  pin('the master', () => master.pin(cpus.master));
  if (pool) pin('the workers of the pool', () => pool.pin(cpus.workers));
  for (const member of members) {
    const { id, worker, said } = member;
    const ready = /** @type {Ready | undefined} */ (said.get('ready'));
    pin(`${memberName(member)} (${worker.identity})`, () =>
      worker.pin(assignedCpus(cpus, id), ready?.helpers),
    );
  }
}

/** @param {string} who @param {() => void} move */
function pin(who, move) {
  try {
    move();
  } catch (cause) {
    throw new BenchError('PROCESS_DIED', `${who} could not be pinned`, { cause });
  }
}
