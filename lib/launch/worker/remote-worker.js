// A worker that an agent starts for the controller of a launch on another host: the agent carries what the two send to each other, and
// the worker ends with the control channel.

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
/** @typedef {(code: BenchError['code'], message: string) => void} Fail   the launch, in the name of a worker */

/**
 * @param {object} loan
 * @param {string} loan.id
 * @param {RemoteControlChannel} loan.channel   to the controller
 * @param {Pick<Start, 'program' | 'padding'>} loan.start
 * @param {number[] | null} loan.cpus  that it is moved to when it is ready; null: none
 * @param {(spec: PortableSpec) => LaunchSpec} loan.here   as processes of this host have it; throws where they cannot
 * @param {(pid: number, fail: Fail) => void} loan.onReady   it has used its connection
 * @param {AbortSignal} loan.signal    it is not wanted any more
 * @param {(stderr: import('node:stream').Readable) => void} loan.onStderr   of the worker
 * @returns {Promise<void>} when it has ended
 */
export async function startRemoteWorker({ id, channel, start, cpus, here, onReady, signal, onStderr }) {
  const worker = await inTurn(async () => {
    const started = startWorker(WORKER_PATH, {
      wishes: {},
      ...start,
      dieWithParent: true,
      hasOwnStderr: true,
    });
    if (started.stderr !== null) onStderr(started.stderr);
    carry(started, channel, { id, cpus, here, onReady });
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
 * @param {RemoteControlChannel} channel   to its controller
 * @param {{ id: string, cpus: number[] | null, here: (spec: PortableSpec) => LaunchSpec, onReady: (pid: number, fail: Fail) => void }} loan
 */
function carry(worker, channel, { id, cpus, here, onReady }) {
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
      const told = message.control === 'join' ? joinHere(message, id, here) : message;
      if (port.connected) port.send?.(told);
    } catch (error) {
      const { code = 'HOST', message: why } = /** @type {any} */ (error);
      fail(code, why);
    }
  });
  channel.on('agent', (/** @type {AgentMessage} */ message) => {
    if (message.agent === 'kill') worker.kill();
    if (message.agent !== 'pin' || cpus === null) return;
    inTurn(() => movePinned(Number(worker.pid), cpus, message.helpers)).catch(() => {}); // it has just ended
  });
  channel.on('disconnect', worker.kill);
}

/**
 * @param {Omit<JoinOrder, 'spec'> & { spec: PortableSpec }} order   of the controller
 * @param {string} id   of the worker
 * @param {(spec: PortableSpec) => LaunchSpec} here
 * @returns {JoinOrder} what is played on other hosts than the controller's is a worker, and connects
 */
function joinHere({ spec, address, forkedMs, clockShiftMs }, id, here) {
  return {
    control: 'join',
    role: WORKER,
    id,
    address,
    forkedMs,
    spec: here(spec),
    ...(clockShiftMs !== undefined && { clockShiftMs }),
  };
}

/** @type {Promise<unknown>} */
let lastTurn = Promise.resolve();

/**
 * Node stands still while it starts or moves a process, for half a second each on a crowded host. In between it has to hear,
 * and to say that it lives.
 * @template T
 * @param {() => T | Promise<T>} work
 */
function inTurn(work) {
  const turn = lastTurn.then(() => setImmediate()).then(work);
  lastTurn = turn.catch(() => {});
  return turn;
}
