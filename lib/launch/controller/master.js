// Entry point of a master process: loads the plug-ins of the launch, listens, runs its endpoint of the scenario, controls the launch, and
// sends its counts to the runner as plain data.

import { CONTROLLER, startedProcesses, startedRoles, WORKER } from '../../cell/launch-roles.js';
import { resolveTraits } from '../../cell/traits.js';
import { withDeadline } from '../../children/with-deadline.js';
import { helperThreads } from '../../machine/process-cost.js';
import { sumBy } from '../../statistics/sum.js';
import { prepareMessages } from '../../workload/messages/payloads.js';
import { loadEndpoints, ScenarioKit } from '../../workload/scenario-kit.js';
import { openForkControlChannel } from '../control/control-channel.js';
import { sendHello } from '../control/protocol.js';
import { hostContext, loadParts, loadTransport, planOpenPart, planTasks } from '../launch-spec.js';
import { endWithin, endWithParent } from '../process-setup.js';
import { controlLaunch } from './controller.js';
import { removeFolders, specForHop } from './start-up-barrier.js';
import { startWorker, WORKER_PATH } from './start-worker.js';
import { WorkerGroup } from './worker-group.js';

/** @import { Endpoint, ForkOptions, Listener, Role, RoleReport, Traits } from '../../types/index.js' */
/** @import { LaunchSpec } from '../launch-spec.js' */
/** @import { Phase, Runner } from './controller.js' */
/** @import { RemoteWorkers } from './remote-workers.js' */
/** @typedef {Awaited<ReturnType<typeof loadParts>>} Parts */
/** @import { LaunchOrder, Step } from '../control/protocol.js' */
/** @import { StartedWorker } from './start-worker.js' */

const POOL_CLOSES_MS = 5_000;
const THREADS_END_MS = 1_000; // a thread that can be terminated ends within about 10 ms

/** @type {(step: Step) => void} */
let onStep = () => {};
const { sendControl: send } = openForkControlChannel(process, (message) => {
  if (message.control === 'launch') launch(message);
  else if (message.control === 'step') onStep(message.step);
  else if (message.control === 'grown') runner.onGrown(message.grown, message.forMs);
  else if (message.control === 'remote') remotes?.receive(message.id, message.message);
});
sendHello(send);
/** Null if all workers run on this host. @type {RemoteWorkers | null} */
let remotes = null;

/** @type {Phase} */
let phase = 'start';
/** @type {Runner} */
const runner = {
  send,
  enter(next) {
    phase = next;
    send({ control: 'phase', phase });
  },
  nextStep(report) {
    /** @type {Promise<Step>} */
    const next = new Promise((resolve) => {
      onStep = resolve;
    });
    send({ control: 'step-done', ...report });
    return next;
  },
  onGrown() {},
};
const helpers = helperThreads();

/** @param {LaunchOrder} order */
async function launch({ spec }) {
  /** @type {WorkerGroup | undefined} */
  let group;
  /** @type {Listener | undefined} */
  let listener;
  const opening = { fromMs: 0, toMs: 0 };
  /** @type {Endpoint | undefined} */
  let endpoint;
  /** @type {Role[]} */
  let roles = [];
  const cancelEnd = endWithParent({
    lifeMs: spec.deadlines.lifeMs,
    cleanUp: () => listener?.close(),
  });
  try {
    const lastHop = specForHop(spec, CONTROLLER);
    const { transport: lastTransport, codec, scenario } = await loadParts(lastHop);
    await loadEndpoints(scenario, CONTROLLER);
    const transport = await loadTransport(spec);
    const traits = joinTraits(
      resolveTraits(transport, spec.settings),
      resolveTraits(lastTransport, lastHop.settings),
    );
    roles = startedRoles(scenario);
    const peer = await startPeer(lastHop, codec);
    endpoint =
      peer ??
      scenario.endpoint(
        CONTROLLER,
        await makeKit(spec, codec, traits, { listener: () => listener, opening: () => opening }),
      );
    const host = hostContext(lastHop, endpoint, CONTROLLER);
    const pool = traits.startsWorkers ? await preparePool(spec, traits.class) : null;
    opening.fromMs = performance.now();
    listener = peer?.listen(lastTransport, host.context) ?? (await lastTransport.listen(host.context));
    opening.toMs = performance.now();
    remotes = await prepareRemotes(spec);
    group = new WorkerGroup({
      processes: pool === null ? startedProcesses(scenario, spec.cell.workers) : [],
      cpus: spec.cpus,
      spawn: makeSpawner(spec, listener.fork ?? {}),
      areThreads: pool?.areThreads ?? listener.fork?.thread === true,
      pool,
      hasPeer: peer !== null,
      helpers,
      phase: () => phase,
    });
    host.onTrouble = group.fail;
    host.onHangUp = group.onHangUp.bind(group);
    if (remotes !== null) send({ control: 'awaiting' });
    const parts = { listener, transport, traits, endpoint, peer, roles, runner };
    const report = await controlLaunch(spec, group, parts);
    await closeAll(spec, roles, closedInTime(listener));
    await send({
      control: 'done',
      ...report,
      rejectedConnections: countRejected(report.reports, host),
    });
  } catch (error) {
    const { code = 'TRANSPORT', message, integrity = null } = /** @type {any} */ (error);
    const sent = send({ control: 'failed', code, message, phase, integrity });
    endpoint?.meter?.giveUp();
    group?.kill();
    await closeAll(spec, roles, closedInTime(listener));
    await sent;
    if (group?.areThreads) endWithin(THREADS_END_MS);
  }
  cancelEnd();
  process.disconnect();
  // Some pools keep the process alive for ever after a worker has died.
  if (listener?.pool) endWithin(THREADS_END_MS);
}

/** @param {LaunchSpec} spec @param {Traits['class']} className */
async function preparePool(spec, className) {
  const { handOverPlan } = await import('../../workload/messages/tasks.js');
  const { PoolWorkers } = await import('./pool-workers.js');
  handOverPlan(/** @type {NonNullable<ReturnType<typeof planTasks>>} */ (planTasks(spec)));
  return PoolWorkers.before(className);
}

/** Limits the time for closing a pool, whose close() may never resolve. @param {Listener | undefined} listener */
function closedInTime(listener) {
  if (!listener?.pool) return listener;
  return { close: () => withDeadline(listener.close(), POOL_CLOSES_MS, () => {}) };
}

/** @param {LaunchSpec} spec @param {Role[]} roles @param {{ close: () => Promise<void> } | undefined} listener */
async function closeAll(spec, roles, listener) {
  await listener?.close();
  await removeFolders(spec, roles);
}

/** @param {RoleReport[]} reports @param {{ rejectedConnections: number }} host @returns connections rejected by all roles that listen */
function countRejected(reports, host) {
  return host.rejectedConnections + sumBy(reports, ({ rejectedConnections = 0 }) => rejectedConnections);
}

/**
 * @param {LaunchSpec} spec
 * @param {Parts['codec']} loaded
 * @param {Traits} traits
 * @param {object} own
 * @param {() => Listener | undefined} own.listener   returns undefined before the transport listens
 * @param {NonNullable<import('../../workload/endpoints/stream-parts.js').StreamParts['opening']>} own.opening
 */
async function makeKit(spec, loaded, traits, { listener, opening }) {
  const { cell, scenarioSettings, seed, deadlines, sharedQueue, isPublished } = spec;
  const isPool = traits.startsWorkers === true;
  const { codec, payloadsOf, responses, isSame } = await prepareMessages(spec, loaded, { isUncoded: isPool });
  return new ScenarioKit(cell, codec, {
    seed,
    settings: scenarioSettings,
    responses,
    stream: {
      channels: {},
      payloadsOf,
      responses,
      isSame,
      replyMs: deadlines.replyMs,
      open: await planOpenPart(spec),
      receiptCodec: loaded,
      pool: () => listener()?.pool ?? null,
      isPool,
      opening,
      taskPlan: planTasks(spec),
      mayLose: traits.loss === 'possible',
      publisher: () => (isPublished ? (listener()?.publisher?.() ?? null) : null),
      queue: () => (sharedQueue === null ? null : (listener()?.queue?.() ?? null)),
      ...(sharedQueue !== null && { promise: traits.queues }),
    },
  });
}

// Modules that most launches do not need are loaded on demand, since loading them would take a large part of the start of a process.

/** @param {LaunchSpec} spec @param {Parts['codec']} codec @returns null if this process runs the master's endpoint */
async function startPeer(spec, codec) {
  const { peer } = spec;
  if (!peer) return null;
  const { PeerMaster } = await import('./peer-master.js');
  const { payloadsOf } = await prepareMessages(spec, codec);
  return new PeerMaster(peer, spec, payloadsOf);
}

/** @param {Pick<LaunchSpec, 'hosts'>} spec @returns {Promise<RemoteWorkers | null>} null if the whole launch is on this host */
async function prepareRemotes({ hosts }) {
  if (hosts === null) return null;
  const { RemoteWorkers } = await import('./remote-workers.js');
  return new RemoteWorkers(hosts, (id, message) => send({ control: 'remote', id, message }));
}

/**
 * @param {Traits} cellTraits
 * @param {Traits} lastTraits   traits of the last hop
 * @returns traits of the cell's hop, with order 'free' if messages may be reordered on either hop
 */
function joinTraits(cellTraits, lastTraits) {
  const order = cellTraits.order ?? lastTraits.order;
  return order === undefined ? cellTraits : { ...cellTraits, order };
}

/** @typedef {(id: string, role: string, cpus: number[] | null) => StartedWorker} Spawn */

/**
 * @param {Pick<LaunchSpec, 'programs' | 'network'>} spec
 * @param {ForkOptions} forkOptions
 * @returns {Spawn}
 */
function makeSpawner({ programs, network }, forkOptions) {
  return (id, role, cpus) =>
    remotes?.start(id) ??
    startWorker(WORKER_PATH, {
      role,
      forkOptions,
      cpus,
      dieWithParent: true,
      before: role === WORKER ? network?.beforeWorkers : undefined,
      program: programs?.[role],
    });
}
