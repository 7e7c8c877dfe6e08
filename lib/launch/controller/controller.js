// Controls one launch from connect to drain: sends commands to all other processes, waits for them with deadlines, and aggregates the
// counts of all roles. Measured messages are handled by the endpoints.

import { WORKER } from '../../cell/launch-roles.js';
import { optimiseAfterFewerCalls } from '../../children/tier-up.js';
import { withDeadline } from '../../children/with-deadline.js';
import { BenchError } from '../../errors.js';
import { sharedNowMs, toOwnMs } from '../../machine/clock.js';
import { readResidentBytes } from '../../machine/process-cost.js';
import { withValues } from '../control/protocol.js';
import { assignedCpus, loadInstruments } from '../launch-spec.js';
import { watchMemory } from '../monitors/memory-watch.js';
import { SliceWatch } from '../monitors/slice-watch.js';
import { networkUse, watchTraffic } from '../monitors/traffic.js';
import { watchLaunchWarmUp } from '../monitors/warm-up-watch.js';
import { busyPollLoop } from '../process-setup.js';
import { checkIntegrity, costs, masterReport, summed, sumWork } from './aggregate-reports.js';
import { thisProcess } from './master-process.js';
import { awaitStartUp, dismissGroup, listClocks, slowestExchangeMs } from './start-up-barrier.js';
import { memberName } from './worker-group.js';

/** @import { BrokerTraffic, Endpoint, Listener, ProcessCost, Role, Traits, Transport, Warmup } from '../../types/index.js' */
/** @import { LaunchSpec } from '../launch-spec.js' */
/** @import { JoinedLaunch, Readings } from '../monitors/cost-readings.js' */
/** @import { WarmLoad } from '../monitors/slice-watch.js' */
/** @import { WorkerGroup } from './worker-group.js' */
/** @import { MasterProcess } from './master-process.js' */
/** @import { FromController, LaunchReport, PhaseNews, Ready, Rested, Step, StepDone } from '../control/protocol.js' */
/** @typedef {PhaseNews['phase']} Phase */
/**
 * A controller's interface to the runner.
 * @typedef {object} Runner
 * @property {(message: FromController) => unknown} send
 * @property {(phase: Phase) => void} enter   called at the start of each phase
 * @property {(report?: Pick<StepDone, 'slice' | 'operationMs'>) => Promise<Step>} nextStep   reports the last step of a launch in slices
 *   and waits for the next one
 * @property {import('../monitors/memory-watch.js').OnTooMuch} onGrown   set by the memory watch
 */

const START_MARGIN_MS = 20; // for the command to reach all workers before the instant it names
const UNDER_LOAD_MARGIN_MS = 50; // like START_MARGIN_MS, but under load

/**
 * @param {LaunchSpec} spec
 * @param {WorkerGroup} group
 * @param {object} parts
 * @param {Listener} parts.listener
 * @param {Transport} parts.transport   transport of the cell
 * @param {Traits} parts.traits   combined traits of all hops
 * @param {Endpoint} parts.endpoint   the master's endpoint
 * @param {import('./peer-master.js').PeerMaster | null} parts.peer   null if this process runs the master's endpoint
 * @param {readonly Role[]} parts.roles   roles of the other processes
 * @param {Runner} parts.runner
 * @returns {Promise<Omit<LaunchReport, 'rejectedConnections'>>}
 */
export async function controlLaunch(spec, group, parts) {
  const { listener, transport, traits, endpoint, peer, roles, runner } = parts;
  const { cell, deadlines } = spec;
  const instruments = peer === null ? await loadInstruments(spec) : null;
  instruments?.watchServed(endpoint);
  runner.enter('connect');
  for (const { id, line, worker } of group.members) listener.adopt?.(line, id, worker.streams);
  // A peer receives the streams of its workers when it starts, before they join.
  const master = (await peer?.open(group.members)) ?? thisProcess(group);
  await awaitStartUp(spec, group, roles, listener.address).catch((error) => {
    throw peer === null ? withUndecoded(error, endpoint) : error;
  });
  await startPool(group, endpoint, deadlines.connectMs);
  const launch = { spec, group, endpoint, master, runner, transport };
  watchMemory(launch, runner);
  const { connections } = cell;
  const values = connections === undefined ? {} : await growConnections(spec, group, connections, master);
  pinProcesses(group, master);

  const letSleep = cell.poll === 'busy' ? busyPollLoop() : undefined;
  instruments?.begin(() => endpoint.progress());
  const { warmup, traffic, from, to, spanMs, reports, pauses, killed, window } =
    await measure(launch).finally(letSleep);
  instruments?.save('master');
  if (endpoint.settled !== undefined) await Promise.race([endpoint.settled(reports), group.trouble]);
  await dismissGroup(group, roles, deadlines.exitMs);
  await peer?.end();
  const all = [...reports, masterReport(withValues(endpoint.report(), values), reports, window)];
  const losses = checkIntegrity(all, traits);
  return {
    warmup,
    ...summed(all),
    reports: all,
    ...costs(spec, { from, to, spanMs }, all, killed),
    pauses,
    traffic,
    losses,
    ...(spec.network && { network: networkUse(spec.network.facts, from.network, to.network) }),
    threadIds: group.threadIds(),
    ...listClocks(group.members),
  };
}

/**
 * Workers of a pool do not join: a worker has started when it has finished a task.
 * @param {WorkerGroup} group
 * @param {Endpoint} endpoint
 * @param {number} deadlineMs
 */
async function startPool({ pool, trouble }, endpoint, deadlineMs) {
  if (endpoint.meter === undefined) return;
  await withDeadline(Promise.race([endpoint.ready?.(), trouble]), deadlineMs, () => {
    throw new BenchError('DEADLINE', `the first tasks were not done within ${Math.round(deadlineMs)} ms`);
  });
  pool?.find();
}

/**
 * A timeout before the load may be caused by a corrupt request. Report the corruption instead of the timeout.
 * @param {any} error
 * @param {Endpoint} endpoint   the master's endpoint
 */
function withUndecoded(error, endpoint) {
  const undecoded = endpoint.report().mistakes?.corrupt ?? 0;
  if (error.code !== 'DEADLINE' || undecoded === 0) return error;
  return new BenchError(
    'INTEGRITY',
    `the codec could not decode ${undecoded} of the first requests: ${error.message}`,
  );
}

/** @typedef {JoinedLaunch & { runner: Runner, transport: Transport }} LedLaunch */
/**
 * @typedef {object} Loaded
 * @property {Warmup} warmup
 * @property {BrokerTraffic | null} traffic   measured while only this launch is under load
 * @property {Readings} from
 * @property {Readings} to
 * @property {number} spanMs   time between the two readings
 * @property {import('../monitors/pauses.js').Pauses} pauses
 * @property {any[]} reports   reports of the other roles
 * @property {ProcessCost[]} killed   costs of workers that the scenario killed, since the slice opened
 * @property {{ openMs: number, windowMs: number }} window
 */

/**
 * Warms the launch up and measures its slices. The load rests between the slices of a group, and before the first one. The warm-up of a launch
 * alone continues into its only slice.
 * @param {LedLaunch} launch
 * @returns {Promise<Loaded>}
 */
async function measure(launch) {
  const { spec, group, endpoint, runner, transport } = launch;
  const isAlone = spec.timing.slices === undefined;
  const steps = isAlone ? stepsAlone(spec.timing.measureMs) : null;
  /** @type {Runner['nextStep']} */
  const nextStep = async (report) =>
    steps?.shift() ?? /** @type {Step} */ (await Promise.race([runner.nextStep(report), group.trouble]));
  await nextStep();
  const watch = await watchTraffic(transport, spec.brokerUrl, () => endpoint.progress());
  try {
    const { warmup, startMs, load } = await warmUp(launch);
    const rested = isAlone ? null : await rest(launch, load);
    // Later, other launches of the group use the broker between the slices of this one.
    const ofWarmUp = isAlone ? null : await watch.perOperation();
    let step = await nextStep(rested === null ? undefined : { operationMs: rested.operationMs });
    // Sent before the slice opens, so that the runner sleeps by then.
    runner.enter('measure');
    const slices = new SliceWatch(launch, load);
    while (step.kind === 'slice') step = await nextStep({ slice: await slices.measure(step) });
    runner.enter('drain');
    group.sendAll({ control: 'finish' });
    const reports = await group.receiveAll('done', spec.deadlines.finishMs);
    if (isAlone) warmup.ms = slices.openMs - startMs;
    return {
      warmup: { ...warmup, work: sumWork(rested?.work ?? slices.workAtOpen, reports) },
      traffic: isAlone ? await watch.perOperation() : ofWarmUp,
      reports,
      ...slices.total(),
    };
  } finally {
    watch.close();
  }
}

/** @param {number} measureMs @returns {Step[]} the steps of a launch that no runner leads */
function stepsAlone(measureMs) {
  return [{ kind: 'warm-up' }, { kind: 'slice', skipMs: 0, measureMs, dropsLast: false }, { kind: 'finish' }];
}

/**
 * Ends the load of the warm-up: pending operations finish, and no new one begins.
 * @param {LedLaunch} launch
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

/** @param {LedLaunch} launch @returns {Promise<{ warmup: Omit<Warmup, 'work'>, startMs: number, load: WarmLoad }>} */
async function warmUp(launch) {
  const { spec, group, endpoint, runner } = launch;
  optimiseAfterFewerCalls(spec.tierUp);
  runner.enter('warm-up');
  const farthestMs = slowestExchangeMs(group.members);
  const startMs = sharedNowMs() + START_MARGIN_MS + farthestMs;
  group.sendAll({ control: 'start', atMs: startMs });
  const ownLoad = endpoint.run?.(toOwnMs(startMs));
  ownLoad?.catch(group.fail);
  // The slice of a launch alone is scheduled while the loops warm up, so that a fixed warm-up has exactly its length.
  const { warmupMs } = spec.timing;
  const marginMs = Math.min(UNDER_LOAD_MARGIN_MS + farthestMs, warmupMs ?? Infinity);
  const { warmup, work } = await watchLaunchWarmUp(launch, marginMs);
  const leastFromMs = startMs + (warmupMs ?? 0);
  return { warmup, startMs, load: { own: ownLoad, isRunning: true, leastFromMs, marginMs, work } };
}

/**
 * Each worker opens its further connections after all workers have one. With the first half, processes also grow by code and buffers that
 * they reuse; with the second half they grow only by the memory of connections.
 * @param {Pick<LaunchSpec, 'broker' | 'deadlines'>} spec
 * @param {WorkerGroup} group
 * @param {number} connections   per worker
 * @param {MasterProcess} master
 * @returns growth of the master and of a private broker in the second half
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
 * Pins the main threads and the threads that a transport has started, before the load begins. The helper threads of V8 and libuv keep all
 * CPUs of the launch.
 * @param {WorkerGroup} group
 * @param {MasterProcess} master
 * @throws {BenchError} PROCESS_DIED with the name of the ended process
 */
export function pinProcesses({ cpus, members, pool }, master) {
  if (cpus === null) return;
  pin('the master', () => master.pin(cpus.master));
  if (pool) pin('the workers of the pool', () => pool.pin(cpus.workers));
  for (const member of members) {
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
