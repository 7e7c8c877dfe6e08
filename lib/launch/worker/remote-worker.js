// A worker that an agent starts for the controller of a launch on another host: what the two say to each other is carried on over
// one connection, and the worker ends when that does.

import { setImmediate } from 'node:timers/promises';
import { WORKER } from '../../cell/launch-roles.js';
import { movePinned } from '../../children/launcher.js';
import { BenchError } from '../../errors.js';
import { US_PER_MS } from '../../format/units.js';
import { connectOptions } from '../../transport/reach.js';
import { connectTo } from '../../transport/sockets.js';
import { deriveGreeting, sealControlChannel } from '../control/control-seal.js';
import { LINE, TcpControlChannel } from '../control/tcp-control-channel.js';
import { startWorker, WORKER_PATH } from '../controller/start-worker.js';

/** @import { LaunchSpec } from '../launch-spec.js' */
/** @import { PortableSpec } from '../portable-spec.js' */
/** @import { GuestContext } from '../../types/index.js' */
/** @import { AgentMessage } from '../control/tcp-control-channel.js' */
/** @import { JoinOrder } from '../control/protocol.js' */
/** @import { Start, StartedWorker } from '../controller/start-worker.js' */
/** @typedef {(code: BenchError['code'], message: string) => void} Fail   the launch, in the name of a worker */

const PROBES = 25;

/**
 * @param {object} loan
 * @param {string} loan.id
 * @param {string} loan.address        of the control port
 * @param {string} loan.lineKey
 * @param {Pick<Start, 'program' | 'padding'>} loan.start
 * @param {number[] | null} loan.cpus  that it is moved to when it is ready; null: none
 * @param {(spec: PortableSpec) => LaunchSpec} loan.here   as processes of this host have it; throws where they cannot
 * @param {(pid: number, fail: Fail) => void} loan.onReady   it has used its connection
 * @param {AbortSignal} loan.signal    it is not wanted any more
 * @param {(stderr: import('node:stream').Readable) => void} loan.onStderr   of the worker
 * @returns when it has ended; roundTripUs: of the network between the two hosts
 */
export async function startRemoteWorker({
  id,
  address,
  lineKey,
  start,
  cpus,
  here,
  onReady,
  signal,
  onStderr,
}) {
  const line = await lineTo(address, id, lineKey);
  const roundTripUs = await quickestUs(line);
  if (!line.connected)
    throw new BenchError('TRANSPORT', `the controller hung up on ${id} before it was started`);
  const worker = await inTurn(async () => {
    const started = startWorker(WORKER_PATH, {
      wishes: {},
      ...start,
      dieWithParent: true,
      hasOwnStderr: true,
    });
    if (started.stderr !== null) onStderr(started.stderr);
    carry(started, line, { id, cpus, here, onReady });
    signal.addEventListener('abort', started.kill);
    if (signal.aborted || !line.connected) started.kill();
    await Promise.race([new Promise((resolve) => started.port.once('message', resolve)), started.ended]);
    return started;
  });
  const end = await worker.ended;
  signal.removeEventListener('abort', worker.kill);
  line.tell({ agent: 'ended', ...end });
  await line.line?.close();
  return { roundTripUs };
}

/** @param {string} address @param {string} id @param {string} lineKey @returns to the controller that holds the same key */
async function lineTo(address, id, lineKey) {
  const token = deriveGreeting(lineKey);
  const guest = /** @type {GuestContext} */ ({ ...LINE, token, workerId: id, address });
  const channel = await connectTo(connectOptions(address), guest, { noDelay: true });
  const port = new TcpControlChannel();
  await new Promise((resolve, reject) => {
    sealControlChannel(
      channel,
      { lineKey, id, end: 'agent' },
      (line) => {
        port.attach(line);
        resolve(undefined);
      },
      reject,
    );
  });
  return port;
}

/**
 * @param {StartedWorker} worker
 * @param {TcpControlChannel} line   to its controller
 * @param {{ id: string, cpus: number[] | null, here: (spec: PortableSpec) => LaunchSpec, onReady: (pid: number, fail: Fail) => void }} loan
 */
function carry(worker, line, { id, cpus, here, onReady }) {
  const { port } = worker;
  line.tell({ agent: 'started', pid: worker.pid });
  /** @type {Fail} */
  const fail = (code, message) => void line.send({ control: 'failed', code, message });
  port.on('message', (message) => {
    if (message.control === 'ready') onReady(Number(worker.pid), fail);
    line.send(message);
  });
  line.on('message', (message) => {
    try {
      const told = message.control === 'join' ? joinHere(message, id, here) : message;
      if (port.connected) port.send?.(told);
    } catch (error) {
      const { code = 'HOST', message: why } = /** @type {any} */ (error);
      fail(code, why);
    }
  });
  line.on('agent', (/** @type {AgentMessage} */ message) => {
    if (message.agent === 'kill') worker.kill();
    if (message.agent !== 'pin' || cpus === null) return;
    inTurn(() => movePinned(Number(worker.pid), cpus, message.helpers)).catch(() => {}); // it has just ended
  });
  line.on('disconnect', worker.kill);
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

/** @param {TcpControlChannel} line   that is idle @returns of some round trips: the others waited for something else than the network */
async function quickestUs(line) {
  let quickestMs = Infinity;
  for (let probe = 0; probe < PROBES; probe += 1) quickestMs = Math.min(quickestMs, await line.roundTripMs());
  return US_PER_MS * quickestMs;
}
