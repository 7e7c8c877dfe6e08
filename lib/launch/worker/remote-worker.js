// A worker that an agent starts for a controller on another host. The agent carries the messages between worker and controller, and the
// worker ends with the control channel.

import { setImmediate } from 'node:timers/promises';
import { WORKER } from '../../cell/launch-roles.js';
import { movePinned } from '../../children/launcher.js';
import { startWorker, WORKER_PATH } from '../controller/start-worker.js';

/** @import { LaunchSpec } from '../launch-spec.js' */
/** @import { PortableSpec } from '../portable-spec.js' */
/** @import { BenchError } from '../../errors.js' */
/** @import { AgentMessage, RemoteControlChannel } from '../control/control-channel.js' */
/** @import { JoinOrder } from '../control/protocol.js' */
/** @import { Start, StartedWorker } from '../controller/start-worker.js' */
/** @typedef {(code: BenchError['code'], message: string) => void} Fail   fails the launch on behalf of a worker */

/**
 * @param {object} remote
 * @param {string} remote.id
 * @param {RemoteControlChannel} remote.channel   control channel to the controller
 * @param {Pick<Start, 'program' | 'padding'>} remote.start
 * @param {number[] | null} remote.cpus   the worker is pinned to them when the controller requests it; null if it is never pinned
 * @param {(spec: PortableSpec) => LaunchSpec} remote.localiseSpec   throws if this host cannot run the launch
 * @param {(pid: number, fail: Fail) => void} remote.onReady   called when the worker sends `ready`
 * @param {AbortSignal} remote.signal   kills the worker when aborted
 * @param {(stderr: import('node:stream').Readable) => void} remote.onStderr   receives the stderr of the worker
 * @returns {Promise<void>} resolves when the worker has ended
 */
export async function startRemoteWorker({
  id,
  channel,
  start,
  cpus,
  localiseSpec,
  onReady,
  signal,
  onStderr,
}) {
  const worker = await oneByOne(async () => {
    const started = startWorker(WORKER_PATH, {
      forkOptions: {},
      ...start,
      dieWithParent: true,
      hasOwnStderr: true,
    });
    if (started.stderr !== null) onStderr(started.stderr);
    carry(started, channel, { id, cpus, localiseSpec, onReady });
    signal.addEventListener('abort', started.kill);
    if (signal.aborted || !channel.connected) started.kill();
    await Promise.race([new Promise((resolve) => started.port.once('message', resolve)), started.ended]);
    return started;
  });
  const end = await worker.ended;
  signal.removeEventListener('abort', worker.kill);
  channel.send({ agent: 'ended', ...end });
}

/**
 * @param {StartedWorker} worker
 * @param {RemoteControlChannel} channel   control channel to its controller
 * @param {Pick<Parameters<typeof startRemoteWorker>[0], 'id' | 'cpus' | 'localiseSpec' | 'onReady'>} remote
 */
function carry(worker, channel, { id, cpus, localiseSpec, onReady }) {
  const { port } = worker;
  channel.send({ agent: 'started', pid: worker.pid });
  /** @type {Fail} */
  const fail = (code, message) => void channel.send({ control: 'failed', code, message });
  port.on('message', (message) => {
    if (message.control === 'ready') onReady(Number(worker.pid), fail);
    channel.send(message);
  });
  channel.on('message', (message) => {
    try {
      const local = message.control === 'join' ? localiseJoin(message, id, localiseSpec) : message;
      if (port.connected) port.send?.(local);
    } catch (error) {
      const { code = 'HOST', message: why } = /** @type {any} */ (error);
      fail(code, why);
    }
  });
  channel.on('agent', (/** @type {AgentMessage} */ message) => {
    if (message.agent === 'kill') worker.kill();
    if (message.agent !== 'pin' || cpus === null) return;
    oneByOne(() => movePinned(Number(worker.pid), cpus, message.helpers)).catch(() => {}); // an error means that the worker has just ended
  });
  channel.on('disconnect', worker.kill);
}

/**
 * @param {Omit<JoinOrder, 'spec'> & { spec: PortableSpec }} order   sent by the controller
 * @param {string} id   worker id
 * @param {(spec: PortableSpec) => LaunchSpec} localiseSpec
 * @returns {JoinOrder} an order for a worker, since other roles run on the host of the controller
 */
function localiseJoin({ spec, address, forkedMs, clockShiftMs }, id, localiseSpec) {
  return {
    control: 'join',
    role: WORKER,
    id,
    address,
    forkedMs,
    spec: localiseSpec(spec),
    ...(clockShiftMs !== undefined && { clockShiftMs }),
  };
}

/** @type {Promise<unknown>} */
let lastWork = Promise.resolve();

/**
 * Starting or pinning a process blocks the event loop, for half a second on a busy host. Between such calls the agent has to receive
 * messages and send the heartbeat.
 * @template T
 * @param {() => T | Promise<T>} work
 */
function oneByOne(work) {
  const done = lastWork.then(() => setImmediate()).then(work);
  lastWork = done.catch(() => {});
  return done;
}
