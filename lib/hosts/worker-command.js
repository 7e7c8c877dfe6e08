// What an agent does with an order to work: it starts workers for a controller on another host, and tells what it saw of them.

import { THIS_NODE } from '../cell/launch-roles.js';
import { stderrTail } from '../children/child-exit.js';
import { thisProgram } from '../children/launcher.js';
import { startFlags } from '../children/tier-up.js';
import { BenchError } from '../errors.js';
import { tooMuchOfHost, watchGrowth } from '../launch/monitors/memory-watch.js';
import { localise } from '../launch/portable-spec.js';
import { startRemoteWorker } from '../launch/worker/remote-worker.js';
import { memoryOfLaunch } from '../machine/limits.js';
import { readResidentBytes } from '../machine/process-cost.js';
import { callsIn, straceWords } from '../run/diagnostics/strace.js';
import { seeFolder } from './agent-place.js';
import { withFiles } from './command-files.js';
import { choiceHere, runtimesOn } from './host-runtimes.js';

/** @import { Obey, OrderEnd, Program, WorkOrder } from '../types/index.js' */
/** @import { PortableSpec } from '../launch/portable-spec.js' */
/** @import { Fail } from '../launch/worker/remote-worker.js' */
/** @import { Agent } from './handle-command.js' */
/** @import { Unpacked } from './command-files.js' */
/** @typedef {{ id: string, roundTripUs: number, cpus: number[] | null, calls?: Record<string, number> }} Lent */

/** @param {Agent} agent @param {WorkOrder} order @param {Parameters<Obey>[1]} launch @returns {Promise<OrderEnd>} */
export async function startRemoteWorkers(agent, order, { signal }) {
  if (order.folder !== undefined) seeFolder(order.folder, agent.sharedFolder);
  return withFiles(order, (files) => workersLent(agent, order, signal, files));
}

/** @param {Agent} agent @param {WorkOrder} order @param {AbortSignal} signal @param {Unpacked} files @returns {Promise<OrderEnd>} */
async function workersLent(agent, order, signal, files) {
  const { ids, spec, address, lineKey, padding } = order;
  const { cpus: usable } = agent;
  const places = spec.cell.placement !== 'free' &&
    usable && {
      master: [],
      brokers: [],
      workers: ids.map((_, index) => [usable[index % usable.length]]),
    };
  const program = await programHere(agent, order);
  const noise = agent.watchNoise(places || null, []);
  const stderr = stderrTail();
  const memory = memoryOfWorkers(order);
  const plugins = await agent.installation.load(order.plugins);
  // A worker listens to nobody, and makes nothing in a folder.
  const place = { plugins, scratchDir: '', bindAddress: agent.bindAddress, ...files.here };
  const here = (/** @type {PortableSpec} */ told) => localise(told, place);
  /** @param {string} id @param {number[] | null} cpus @returns {Promise<Lent>} */
  const lend = async (id, cpus) => {
    const traceDir = await files.traceDirOf(id);
    // What is moved by its id would be strace: under it, a worker has its place from the first moment on.
    const traced = traceDir === undefined ? {} : { before: straceWords(traceDir), cpus };
    const { roundTripUs, seen } = await startRemoteWorker({
      id,
      address,
      lineKey,
      signal,
      onStderr: stderr.take,
      here,
      onReady: (pid, fail) => memory.onReady(id, pid, fail),
      cpus: traceDir === undefined ? cpus : null,
      start: { padding, program, ...traced },
    });
    if (traceDir === undefined || seen === null) return { id, roundTripUs, cpus };
    const [own] = await callsIn(traceDir, { ...seen, operations: 1 });
    return { id, roundTripUs, cpus, calls: own?.calls ?? {} };
  };
  /** @type {Lent[]} */
  let all;
  try {
    // The first failure is told at once: the launch has failed, and the other workers end with its controller.
    all = await Promise.all(ids.map((id, index) => lend(id, places ? places.workers[index] : null)));
  } catch (error) {
    const { message, code } = /** @type {any} */ (error);
    return { status: 'refused', message, ...(code === 'TRANSPORT' && { isHangUp: true }) };
  } finally {
    memory.end();
  }
  return {
    status: 'worked',
    stderr: stderr.lines(),
    noise: noise(),
    roundTripUs: Math.min(...all.map(({ roundTripUs }) => roundTripUs)),
    cpus: Object.fromEntries(all.map(({ id, cpus }) => [id, cpus])),
    profiles: files.profiles(),
    ...(order.look === 'syscalls' && {
      calls: all.flatMap(({ id, calls }) => (calls === undefined ? [] : { name: id, calls })),
    }),
  };
}

/** What a taker does not take may pile up here as well. @param {WorkOrder} order */
function memoryOfWorkers({ ids, spec }) {
  let end = () => {};
  /** @type {{ name: string, read: () => number }[]} */
  const ready = [];
  return {
    /** @param {string} id @param {number} pid @param {Fail} fail */
    onReady(id, pid, fail) {
      ready.push({ name: id, read: () => readResidentBytes(pid) ?? 0 });
      if (spec.memoryLimitBytes === null || ready.length < ids.length) return;
      const limitBytes = memoryOfLaunch();
      end = watchGrowth(ready, limitBytes, (grown, forMs) =>
        fail('MEMORY', tooMuchOfHost(grown, limitBytes, forMs)),
      );
    },
    end: () => end(),
  };
}

/** @param {Agent} agent @param {WorkOrder} order @returns {Promise<Program>} that executes its workers */
async function programHere({ runtimePath }, { spec: { cell, tierUp }, look }) {
  const sharesClock = true; // with its starter; the clock of the controller is compared in any case
  const runtime = runtimesOn(cell.runtime ?? THIS_NODE, 'worker');
  if (runtime === THIS_NODE) return { ...thisProgram(startFlags(tierUp)), sharesClock };
  const { every, unavailable } = await choiceHere(runtime, runtimePath);
  if (every === null) throw new BenchError('HOST', String(unavailable));
  const { path, version, runtime: found } = every;
  if (look === 'syscalls' && !found.hasSystemClock) {
    const why = 'has a clock of its own, and strace that of the machine';
    throw new BenchError('HOST', `${every.name} ${why}: nobody knows which calls were in the window`);
  }
  return { command: path, args: found.args({ path, version, tierUp }), sharesClock };
}
