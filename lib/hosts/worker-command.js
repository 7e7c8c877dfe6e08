// What an agent does with an order to work: it starts workers for a controller on another host, and tells what it saw of them.

import { stderrTail } from '../children/child-exit.js';
import { thisProgram } from '../children/launcher.js';
import { startFlags } from '../children/tier-up.js';
import { RemoteControlChannel } from '../launch/control/control-channel.js';
import { tooMuchOfHost, watchGrowth } from '../launch/monitors/memory-watch.js';
import { localise } from '../launch/portable-spec.js';
import { startRemoteWorker } from '../launch/worker/remote-worker.js';
import { memoryOfLaunch } from '../machine/limits.js';
import { readResidentBytes } from '../machine/process-cost.js';
import { seeFolder } from './agent-place.js';
import { probeRoundTripUs } from './round-trip-probe.js';
import { withMessages } from './sent-messages.js';

/** @import { Obey, OrderEnd, WorkOrder } from '../types/index.js' */
/** @import { PortableSpec } from '../launch/portable-spec.js' */
/** @import { Fail } from '../launch/worker/remote-worker.js' */
/** @import { Agent } from './handle-command.js' */
/** @import { MessageFileHere } from './sent-messages.js' */
/** @typedef {{ id: string, cpus: number[] | null }} Lent */

/** @param {Agent} agent @param {WorkOrder} order @param {Parameters<Obey>[1]} launch @returns {Promise<OrderEnd>} */
export async function startRemoteWorkers(agent, order, launch) {
  if (order.folder !== undefined) seeFolder(order.folder, agent.sharedFolder);
  return withMessages(order, (messageFileOf) => workersLent(agent, order, launch, messageFileOf));
}

/** @param {Agent} agent @param {WorkOrder} order @param {Parameters<Obey>[1]} launch @param {MessageFileHere} messageFileOf @returns {Promise<OrderEnd>} */
async function workersLent(agent, order, { signal, openLine }, messageFileOf) {
  const { ids, spec, probeAddress, line, controller, padding } = order;
  const { cpus: usable } = agent;
  const places = spec.cell.placement !== 'free' &&
    usable && {
      master: [],
      brokers: [],
      workers: ids.map((_, index) => [usable[index % usable.length]]),
    };
  // Its clock is that of this agent; the clock of the controller is compared in any case.
  const program = { ...thisProgram(startFlags(spec.tierUp)), sharesClock: true };
  const noise = agent.watchNoise(places || null, []);
  const stderr = stderrTail();
  const memory = memoryOfWorkers(order);
  const plugins = await agent.installation.load(order.plugins);
  // A worker listens to nobody, and makes nothing in a folder.
  const place = { plugins, scratchDir: '', bindAddress: agent.bindAddress, messageFileOf };
  const localiseSpec = (/** @type {PortableSpec} */ spec) => localise(spec, place);
  /** @type {Map<string, RemoteControlChannel>} */
  const channels = new Map(
    ids.map((id) => [
      id,
      new RemoteControlChannel((message) => toController.send(controller, { id, message })),
    ]),
  );
  let broken = /** @type {string | null} */ (null);
  const toController = openLine(line, {
    onMessage: (_from, { id, message }) => channels.get(id)?.receive(message),
    onBroken(_from, why) {
      broken = why;
      for (const channel of channels.values()) channel.disconnect();
    },
  });
  /** @param {string} id @param {number[] | null} cpus @returns {Promise<Lent>} */
  const lend = async (id, cpus) => {
    await startRemoteWorker({
      id,
      channel: /** @type {RemoteControlChannel} */ (channels.get(id)),
      signal,
      onStderr: stderr.take,
      localiseSpec,
      onReady: (pid, fail) => memory.onReady(id, pid, fail),
      cpus,
      start: { padding, program },
    });
    return { id, cpus };
  };
  let roundTripUs;
  /** @type {Lent[]} */
  let all;
  try {
    roundTripUs = await probeRoundTripUs(probeAddress, spec.token, signal);
    // The first failure is told at once: the launch has failed, and the other workers end with its controller.
    all = await Promise.all(ids.map((id, index) => lend(id, places ? places.workers[index] : null)));
  } catch (error) {
    const { message, code } = /** @type {any} */ (error);
    return { status: 'refused', message, ...(code === 'TRANSPORT' && { isHangUp: true }) };
  } finally {
    memory.end();
    toController.close();
  }
  if (broken !== null) return { status: 'refused', message: broken };
  return {
    status: 'worked',
    stderr: stderr.lines(),
    noise: noise(),
    roundTripUs,
    cpus: Object.fromEntries(all.map(({ id, cpus }) => [id, cpus])),
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
