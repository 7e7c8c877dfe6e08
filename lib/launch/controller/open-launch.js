// Opens a launch in its controller: loads the plug-ins, makes the master's endpoint, listens, and starts the other processes.

import { CONTROLLER, startedProcesses, startedRoles, WORKER } from '../../cell/launch-roles.js';
import { resolveTraits } from '../../cell/traits.js';
import { withDeadline } from '../../children/with-deadline.js';
import { prepareMessages } from '../../workload/messages/payloads.js';
import { loadEndpoints, ScenarioKit } from '../../workload/scenario-kit.js';
import { hostContext, loadParts, loadTransport, planOpenPart, planTasks } from '../launch-spec.js';
import { specForHop } from './start-up-barrier.js';
import { startWorker, WORKER_PATH } from './start-worker.js';
import { WorkerGroup } from './worker-group.js';

/** @import { Endpoint, ForkOptions, Listener, Role, Traits, Transport } from '../../types/index.js' */
/** @import { FromController } from '../control/protocol.js' */
/** @import { LaunchSpec } from '../launch-spec.js' */
/** @import { PeerMaster } from './peer-master.js' */
/** @import { PoolWorkers } from './pool-workers.js' */
/** @import { RemoteWorkers } from './remote-workers.js' */
/** @import { StartedWorker } from './start-worker.js' */
/** @typedef {Awaited<ReturnType<typeof loadParts>>} MasterPlugins */
/**
 * A launch whose processes have been started.
 * @typedef {object} OpenedLaunch
 * @property {LaunchSpec} spec
 * @property {Transport} transport   transport of the cell
 * @property {Traits} traits   combined traits of all hops
 * @property {readonly Role[]} roles   roles of the other processes
 * @property {Endpoint} endpoint   the master's endpoint
 * @property {PeerMaster | null} peer   null if this process runs the master's endpoint
 * @property {PoolWorkers | null} pool   workers that a pool has started; null if the transport is no pool
 * @property {Listener} listener
 * @property {{ rejectedConnections: number }} host
 * @property {RemoteWorkers | null} remotes   null if all workers run on this host
 * @property {WorkerGroup} group   the other processes
 */

const POOL_CLOSES_MS = 5_000;

/**
 * @param {LaunchSpec} spec
 * @param {{ send: (message: FromController) => unknown, phase: () => string }} controller
 * @returns {Promise<OpenedLaunch>}
 */
export async function openLaunch(spec, { send, phase }) {
  const lastHop = specForHop(spec, CONTROLLER);
  const { transport: lastTransport, codec, scenario } = await loadParts(lastHop);
  await loadEndpoints(scenario, CONTROLLER);
  const transport = await loadTransport(spec);
  const traits = joinTraits(
    resolveTraits(transport, spec.settings),
    resolveTraits(lastTransport, lastHop.settings),
  );
  const peer = await startPeer(lastHop, codec);
  /** @type {Listener | undefined} */
  let opened;
  const opening = { fromMs: 0, toMs: 0 };
  const makeOwnKit = () => makeKit(spec, codec, traits, { listener: () => opened, opening: () => opening });
  const endpoint = peer ?? scenario.endpoint(CONTROLLER, await makeOwnKit());
  const host = hostContext(lastHop, endpoint, CONTROLLER);
  const pool = traits.startsWorkers ? await preparePool(spec, traits.class) : null;
  opening.fromMs = performance.now();
  const listener = peer?.listen(lastTransport, host.context) ?? (await lastTransport.listen(host.context));
  opening.toMs = performance.now();
  opened = listener;
  try {
    const remotes = await prepareRemotes(spec, send);
    const group = new WorkerGroup({
      processes: pool === null ? startedProcesses(scenario, spec.cell.workers) : [],
      cpus: spec.cpus,
      spawn: makeSpawner(spec, listener.fork ?? {}, remotes),
      areThreads: pool?.areThreads ?? listener.fork?.thread === true,
      hasPeer: peer !== null,
      phase,
    });
    host.onTrouble = group.fail;
    host.onHangUp = group.onHangUp.bind(group);
    const roles = startedRoles(scenario);
    return { spec, transport, traits, roles, endpoint, peer, pool, listener, host, remotes, group };
  } catch (error) {
    await closeListener(listener);
    throw error;
  }
}

/** Limits the time for closing a pool, whose close() may never resolve. @param {Listener} listener */
export async function closeListener(listener) {
  if (listener.pool) await withDeadline(listener.close(), POOL_CLOSES_MS, () => {});
  else await listener.close();
}

/** @param {LaunchSpec} spec @param {Traits['class']} className */
async function preparePool(spec, className) {
  const { handOverPlan } = await import('../../workload/messages/tasks.js');
  const { PoolWorkers } = await import('./pool-workers.js');
  handOverPlan(/** @type {NonNullable<ReturnType<typeof planTasks>>} */ (planTasks(spec)));
  return PoolWorkers.before(className);
}

/**
 * @param {LaunchSpec} spec
 * @param {MasterPlugins['codec']} loaded
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

/** @param {LaunchSpec} spec @param {MasterPlugins['codec']} codec @returns null if this process runs the master's endpoint */
async function startPeer(spec, codec) {
  const { peer } = spec;
  if (!peer) return null;
  const { PeerMaster } = await import('./peer-master.js');
  const { payloadsOf } = await prepareMessages(spec, codec);
  return new PeerMaster(peer, spec, payloadsOf);
}

/**
 * @param {Pick<LaunchSpec, 'hosts'>} spec
 * @param {(message: FromController) => unknown} send   sends to the runner
 * @returns {Promise<RemoteWorkers | null>} null if the whole launch is on this host
 */
async function prepareRemotes({ hosts }, send) {
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

/** @typedef {(id: string, role: string, cpus: number[] | null) => StartedWorker} Spawn   cpus: null if it is not pinned */

/**
 * @param {Pick<LaunchSpec, 'programs' | 'network'>} spec
 * @param {ForkOptions} forkOptions
 * @param {RemoteWorkers | null} remotes   null if all workers run on this host
 * @returns {Spawn}
 */
function makeSpawner({ programs, network }, forkOptions, remotes) {
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
