// A worker that an agent starts for the leader of a launch on another host: what the two say to each other is carried on over
// one connection, and the worker ends when that does.

import { setImmediate } from 'node:timers/promises';
import { BenchError } from '../errors.js';
import { movePinned } from '../processes/launcher.js';
import { placeOf } from '../transport-kit/reach.js';
import { connectTo } from '../transport-kit/sockets.js';
import { LINE, LinePort } from './line-port.js';
import { startWorker, WORKER_PATH } from './start-worker.js';

/** @import { GuestContext } from '../types/transports.js' */
/** @import { AgentMessage } from './line-port.js' */
/** @import { Start, StartedWorker } from './start-worker.js' */

const PROBES = 25;

/**
 * @param {object} loan
 * @param {string} loan.id
 * @param {string} loan.address        of the control port
 * @param {string} loan.token
 * @param {Pick<Start, 'program' | 'padding'>} loan.start
 * @param {number[] | null} loan.cpus  that it is moved to when it is ready; null: none
 * @param {AbortSignal} loan.signal    it is not wanted any more
 * @param {(stderr: import('node:stream').Readable) => void} loan.onStderr   of the worker
 * @returns {Promise<{ roundTripUs: number }>} when it has ended; of the network between the two hosts
 */
export async function lendWorker({ id, address, token, start, cpus, signal, onStderr }) {
  const guest = /** @type {GuestContext} */ ({ ...LINE, token, workerId: id, address });
  const channel = await connectTo(placeOf(address), guest, { noDelay: true });
  const line = new LinePort();
  line.attach(channel);
  const roundTripUs = await quickestUs(line);
  if (!line.connected) throw new BenchError('TRANSPORT', `the leader hung up on ${id} before it was started`);
  const worker = await inTurn(async () => {
    const started = startWorker(WORKER_PATH, {
      wishes: {},
      ...start,
      dieWithParent: true,
      hasOwnStderr: true,
    });
    if (started.stderr !== null) onStderr(started.stderr);
    carry(started, line, cpus);
    signal.addEventListener('abort', started.kill);
    if (signal.aborted || !line.connected) started.kill();
    await Promise.race([new Promise((resolve) => started.port.once('message', resolve)), started.ended]);
    return started;
  });
  const end = await worker.ended;
  signal.removeEventListener('abort', worker.kill);
  line.tell({ agent: 'ended', ...end });
  await channel.close();
  return { roundTripUs };
}

/** @param {StartedWorker} worker @param {LinePort} line   to its leader @param {number[] | null} cpus */
function carry(worker, line, cpus) {
  const { port } = worker;
  line.tell({ agent: 'started', pid: worker.pid });
  port.on('message', (message) => void line.send(message));
  line.on('message', (message) => {
    if (port.connected) port.send?.(message);
  });
  line.on('agent', (/** @type {AgentMessage} */ message) => {
    if (message.agent === 'kill') worker.kill();
    if (message.agent !== 'pin' || cpus === null) return;
    inTurn(() => movePinned(Number(worker.pid), cpus, message.helpers)).catch(() => {}); // it has just ended
  });
  line.on('disconnect', worker.kill);
}

/** @type {Promise<unknown>} */
let lastTurn = Promise.resolve();

/**
 * Node stands still while it starts or moves a process, for half a second each on a crowded host. In between it has to hear,
 * and to say that it lives.
 * @template T
 * @param {() => T | Promise<T>} work
 * @returns {Promise<T>}
 */
function inTurn(work) {
  const turn = lastTurn.then(() => setImmediate()).then(work);
  lastTurn = turn.catch(() => {});
  return turn;
}

/** @param {LinePort} line   that is idle @returns {Promise<number>} of some round trips: the others waited for something else than the network */
async function quickestUs(line) {
  let quickestMs = Infinity;
  for (let probe = 0; probe < PROBES; probe += 1) quickestMs = Math.min(quickestMs, await line.roundTripMs());
  return 1_000 * quickestMs;
}
