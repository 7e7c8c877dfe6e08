// Leads one launch, from its spec to its report, and owns its state. It sends commands to the other processes, waits for them with deadlines, and
// aggregates the reports of all roles. Measured messages are handled by the endpoints.

import { WORKER } from '../../cell/launch-roles.js';
import { optimiseAfterFewerCalls } from '../../children/tier-up.js';
import { withDeadline } from '../../children/with-deadline.js';
import { BenchError } from '../../errors.js';
import { sharedNowMs, toOwnMs } from '../../machine/clock.js';
import { readResidentBytes } from '../../machine/process-cost.js';
import { sumBy } from '../../statistics/sum.js';
import { withValues } from '../control/protocol.js';
import { assignedCpus, loadInstruments } from '../launch-spec.js';
import { BlockingMonitor } from '../monitors/blocking.js';
import { watchMemory } from '../monitors/memory-watch.js';
import { networkUse, TrafficMonitor } from '../monitors/traffic.js';
import { watchLaunchWarmUp } from '../monitors/warm-up-watch.js';
import { busyPollLoop } from '../process-setup.js';
import { checkIntegrity, costs, listWork, masterReport, sumReports } from './aggregate-reports.js';
import { thisProcess } from './master-process.js';
import { MeasuredSlices } from './measured-slices.js';
import { closeListener, openLaunch } from './open-launch.js';
import {
  awaitStartUp,
  dismissGroup,
  listClocks,
  removeFolders,
  slowestExchangeMs,
} from './start-up-barrier.js';
import { memberName } from './worker-group.js';

/** @import { Endpoint, Warmup } from '../../types/index.js' */
/** @import { LaunchSpec } from '../launch-spec.js' */
/** @import { JoinedLaunch } from '../monitors/cost-readings.js' */
/** @import { WarmLoad } from './measured-slices.js' */
/** @import { OpenedLaunch } from './open-launch.js' */
/** @import { WorkerGroup } from './worker-group.js' */
/** @import { MasterProcess } from './master-process.js' */
/** @import { FromController, GrownMessage, LaunchReport, PhaseMessage, Ready, RemoteMessage, Rested } from '../control/protocol.js' */
/** @import { LaunchStep, StepDone, StepOrder } from '../control/protocol.js' */

const START_MARGIN_MS = 20; // for the command to reach all workers before the instant it names
const UNDER_LOAD_MARGIN_MS = 50; // like START_MARGIN_MS, but under load

export class Controller {
  /**
   * @param {LaunchSpec} spec
   * @param {object} master
   * @param {(message: FromController) => unknown} master.send   sends to the runner
   * @param {number[]} master.helpers   threads of this process that are not pinned
   */
  constructor(spec, { send, helpers }) {
    this.spec = spec;
    this.send = send;
    this.helpers = helpers;
    /** @type {PhaseMessage['phase']} */
    this.phase = 'start';
    /** Set when the processes of the launch have been started. @type {OpenedLaunch | undefined} */
    this.launch = undefined;
    /** Remaining steps of a launch without slices, which takes none from the runner; empty for a launch in slices. @type {LaunchStep[]} */
    this.stepsAlone = spec.timing.slices === undefined ? stepsAlone(spec.timing.measureMs) : [];
    /** @type {(step: LaunchStep) => void} */
    this.onStep = () => {};
    this.blocking = new BlockingMonitor();
    /** @type {import('../monitors/memory-watch.js').OnTooMuch} */
    this.onGrown = () => {};
  }

  /** @param {StepOrder | GrownMessage | RemoteMessage} message   from the runner */
  receive(message) {
    if (message.control === 'step') this.onStep(message.step);
    else if (message.control === 'grown') this.onGrown(message.grown, message.forMs);
    else if (message.control === 'remote') this.launch?.remotes?.receive(message.id, message.message);
  }

  /** @param {PhaseMessage['phase']} phase */
  enter(phase) {
    this.phase = phase;
    this.send({ control: 'phase', phase });
  }

  /**
   * @param {WorkerGroup} group
   * @param {Pick<StepDone, 'slice' | 'operationMs'>} [report]   about the last step
   * @returns {Promise<LaunchStep>}
   */
  async nextStep(group, report) {
    const alone = this.stepsAlone.shift();
    if (alone !== undefined) return alone;
    /** @type {Promise<LaunchStep>} */
    const next = new Promise((resolve) => {
      this.onStep = resolve;
    });
    this.send({ control: 'step-done', ...report });
    return Promise.race([next, group.trouble]);
  }

  /** @returns {Promise<LaunchReport>} */
  async run() {
    const { spec } = this;
    const opened = await openLaunch(spec, { send: this.send, phase: () => this.phase });
    this.launch = opened;
    const { group, endpoint, roles, peer, traits, host } = opened;
    if (opened.remotes !== null) this.send({ control: 'awaiting' });
    const instruments = peer === null ? await loadInstruments(spec) : null;
    instruments?.watchServed(endpoint);
    const launch = await this.join(opened);
    const { connections } = spec.cell;
    const values =
      connections === undefined ? {} : await growConnections(spec, group, connections, launch.master);
    pinProcesses(launch);

    const letSleep = spec.cell.poll === 'busy' ? busyPollLoop() : undefined;
    instruments?.begin(() => endpoint.progress());
    const loaded = await this.measure(launch).finally(letSleep);
    instruments?.end('master');
    const { warmup, traffic, reports, pauses, killed, openMs, spanMs, from, to } = loaded;
    if (endpoint.settled !== undefined) await Promise.race([endpoint.settled(reports), group.trouble]);
    await dismissGroup(group, roles, spec.deadlines.exitMs);
    await peer?.end();
    const window = { openMs, windowMs: spanMs };
    const own = withValues(endpoint.report(), { ...values, ...this.blocking.report() });
    const all = [...reports, masterReport(own, reports, window)];
    const losses = checkIntegrity(all, traits);
    const report = {
      warmup,
      ...sumReports(all),
      reports: all,
      ...costs(spec, { from, to, spanMs }, all, killed),
      pauses,
      traffic,
      losses,
      ...(spec.network && { network: networkUse(spec.network.facts, from.network, to.network) }),
      threadIds: group.threadIds(),
      ...listClocks(group.members),
    };
    await this.close();
    // The roles that listen count the connections that they reject.
    const rejected = sumBy(all, ({ rejectedConnections = 0 }) => rejectedConnections);
    return { ...report, rejectedConnections: host.rejectedConnections + rejected };
  }

  /** Waits until all processes have joined. @param {OpenedLaunch} opened @returns {Promise<OpenedLaunch & JoinedLaunch>} */
  async join(opened) {
    const { spec, helpers } = this;
    const { group, endpoint, listener, roles, peer, pool } = opened;
    this.enter('connect');
    for (const { id, line, worker } of group.members) listener.adopt?.(line, id, worker.streams);
    // A peer receives the streams of its workers when it starts, before they join.
    const master =
      (await peer?.open(group.members)) ?? thisProcess({ areThreads: group.areThreads, helpers, pool });
    await awaitStartUp(spec, group, roles, listener.address).catch((error) => {
      throw peer === null ? withUndecoded(error, endpoint) : error;
    });
    await startPool(opened, spec.deadlines.connectMs);
    const launch = { ...opened, master };
    watchMemory(launch, this);
    return launch;
  }

  /** Ends the processes of a launch that has failed. */
  async abandon() {
    this.launch?.endpoint.meter?.giveUp();
    this.launch?.group.kill();
    await this.close();
  }

  async close() {
    if (this.launch === undefined) return;
    const { listener, roles } = this.launch;
    await closeListener(listener);
    await removeFolders(this.spec, roles);
  }

  /**
   * Warms the launch up and measures its slices. The load rests between the slices of a group, and before the first one. The warm-up of a
   * launch alone continues into its only slice.
   * @param {JoinedLaunch & Pick<OpenedLaunch, 'transport' | 'peer'>} launch
   */
  async measure(launch) {
    const { spec, group, endpoint, transport } = launch;
    const isAlone = spec.timing.slices === undefined;
    await this.nextStep(group);
    const traffic = new TrafficMonitor(transport, spec.brokerUrl, () => endpoint.progress());
    await traffic.begin();
    try {
      const { warmup, startMs, load } = await this.warmUp(launch);
      const rested = isAlone ? null : await rest(launch, load);
      // The traffic is not counted after the warm-up, since other launches of the group use the broker between the slices of this one.
      if (!isAlone) await traffic.end();
      let step = await this.nextStep(
        group,
        rested === null ? undefined : { operationMs: rested.operationMs },
      );
      // Sent before the slice opens, so that the runner sleeps by then.
      this.enter('measure');
      const slices = new MeasuredSlices(launch, load);
      while (step.kind === 'slice') step = await this.nextStep(group, { slice: await slices.measure(step) });
      this.enter('drain');
      group.sendAll({ control: 'finish' });
      const reports = await group.receiveAll('done', spec.deadlines.finishMs);
      const measured = slices.report();
      if (isAlone) warmup.ms = measured.openMs - startMs;
      await traffic.end();
      return {
        warmup: { ...warmup, work: listWork(rested?.work ?? slices.workAtOpen, reports) },
        traffic: traffic.report(),
        reports,
        ...measured,
      };
    } finally {
      await traffic.end();
    }
  }

  /**
   * @param {JoinedLaunch & Pick<OpenedLaunch, 'peer'>} launch
   * @returns {Promise<{ warmup: Omit<Warmup, 'work'>, startMs: number, load: WarmLoad }>}
   */
  async warmUp(launch) {
    const { spec, group, endpoint, peer } = launch;
    optimiseAfterFewerCalls(spec.tierUp);
    this.enter('warm-up');
    const farthestMs = slowestExchangeMs(group.members);
    const startMs = sharedNowMs() + START_MARGIN_MS + farthestMs;
    group.sendAll({ control: 'start', atMs: startMs });
    if (peer === null) this.blocking.begin();
    const ownLoad = endpoint.run?.(toOwnMs(startMs));
    ownLoad?.catch(group.fail);
    // The slice of a launch alone is scheduled while the loops warm up, so that a fixed warm-up has exactly its length.
    const { warmupMs } = spec.timing;
    const marginMs = Math.min(UNDER_LOAD_MARGIN_MS + farthestMs, warmupMs ?? Infinity);
    const { warmup, work } = await watchLaunchWarmUp(launch, marginMs);
    this.blocking.end();
    const leastFromMs = startMs + (warmupMs ?? 0);
    return { warmup, startMs, load: { own: ownLoad, isRunning: true, leastFromMs, marginMs, work } };
  }
}

/** @param {number} measureMs @returns {LaunchStep[]} */
function stepsAlone(measureMs) {
  return [{ kind: 'warm-up' }, { kind: 'slice', skipMs: 0, measureMs, dropsLast: false }, { kind: 'finish' }];
}

/**
 * Workers of a pool do not join: a worker has started when it has finished a task.
 * @param {Pick<OpenedLaunch, 'pool' | 'group' | 'endpoint'>} launch
 * @param {number} deadlineMs
 */
async function startPool({ pool, group, endpoint }, deadlineMs) {
  if (endpoint.meter === undefined) return;
  await withDeadline(Promise.race([endpoint.ready?.(), group.trouble]), deadlineMs, () => {
    throw new BenchError('DEADLINE', `the first tasks were not done within ${Math.round(deadlineMs)} ms`);
  });
  pool?.find();
}

/**
 * A corrupt request may cause a timeout before the load.
 * @param {any} error
 * @param {Endpoint} endpoint   the master's endpoint
 * @returns {any} an error that reports the corrupt requests, if the error is such a timeout; otherwise the error itself
 */
function withUndecoded(error, endpoint) {
  const undecoded = endpoint.report().mistakes?.corrupt ?? 0;
  if (error.code !== 'DEADLINE' || undecoded === 0) return error;
  return new BenchError(
    'INTEGRITY',
    `the codec could not decode ${undecoded} of the first requests: ${error.message}`,
  );
}

/**
 * Ends the load of the warm-up: pending operations finish, and no new one begins.
 * @param {JoinedLaunch} launch
 * @param {WarmLoad} load   is modified
 */
async function rest({ spec, group, endpoint }, load) {
  group.sendAll({ control: 'rest' });
  endpoint.meter?.giveUp();
  /** @type {Rested[]} */
  const rested = await group.receiveAll('rested', spec.deadlines.finishMs);
  await Promise.race([load.own, group.trouble]);
  load.isRunning = false;
  const ownOperationMs = endpoint.meter?.typicalOperationMs?.() ?? 0;
  return {
    operationMs: Math.max(ownOperationMs, ...rested.map((one) => one.operationMs)),
    work: load.work.map((one) => one.end()),
  };
}

/**
 * Each worker opens its further connections after all workers have one. With the first half, processes also grow by code and buffers that
 * they reuse; with the second half they grow only by the memory of connections.
 * @param {Pick<LaunchSpec, 'broker' | 'deadlines'>} spec
 * @param {WorkerGroup} group
 * @param {number} connections   per worker
 * @param {MasterProcess} master
 * @returns bytes by which the memory of the master and of a private broker grows with the second half; NaN if one of them is
 *   unknown
 */
export async function growConnections({ broker, deadlines }, group, connections, master) {
  const residentBytes = () =>
    master.residentBytes() + (broker === null ? 0 : (readResidentBytes(broker.pid) ?? Number.NaN));
  let bytesBefore = 0;
  for (const upTo of [Math.ceil(connections / 2), connections]) {
    bytesBefore = residentBytes();
    group.forget('connected');
    group.sendAll({ control: 'connect', upTo }, WORKER);
    await group.receiveAll('connected', deadlines.connectMs, WORKER);
  }
  return { grownBytes: residentBytes() - bytesBefore };
}

/**
 * Pins the main threads and the threads that a transport has started, before the load begins. On Linux, the helper threads of V8 and
 * libuv keep all CPUs of the launch.
 * @param {{ spec: Pick<LaunchSpec, 'cpus'>, group: Pick<WorkerGroup, 'members'> } & Pick<JoinedLaunch, 'master' | 'pool'>} launch
 * @throws {BenchError} PROCESS_DIED with the name of the ended process
 */
export function pinProcesses({ spec: { cpus }, group, master, pool }) {
  if (cpus === null) return;
  pin('the master', () => master.pin(cpus.master));
  if (pool !== null) pin('the workers of the pool', () => pool.pin(cpus.workers));
  for (const member of group.members) {
    const { id, worker, messages } = member;
    const ready = /** @type {Ready | undefined} */ (messages.get('ready'));
    pin(`${memberName(member)} (${worker.identity})`, () =>
      worker.pin(assignedCpus(cpus, id), ready?.helpers),
    );
  }
}

/** @param {string} name @param {() => void} move */
function pin(name, move) {
  try {
    move();
  } catch (cause) {
    throw new BenchError('PROCESS_DIED', `${name} could not be pinned`, { cause });
  }
}
