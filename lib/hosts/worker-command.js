// Starts the workers of this host for a controller on another host.

import { stderrTail } from '../children/child-exit.js';
import { nodeCommand } from '../children/launcher.js';
import { RemoteControlChannel } from '../launch/control/control-channel.js';
import { GrowthMonitor, tooMuchOfHost } from '../launch/monitors/memory-watch.js';
import { localise } from '../launch/portable-spec.js';
import { startRemoteWorker } from '../launch/worker/remote-worker.js';
import { memoryOfLaunch } from '../machine/limits.js';
import { NoiseMonitor } from '../machine/noise.js';
import { readResidentBytes } from '../machine/process-cost.js';
import { requireFolder } from './agent-resources.js';
import { probeRoundTripUs } from './round-trip-probe.js';
import { withMessages } from './sent-messages.js';

/** @import { CommandContext, CommandResult, WorkersCommand } from '../types/index.js' */
/** @import { Fail } from '../launch/worker/remote-worker.js' */
/** @import { Agent } from './handle-command.js' */
/** @import { LocaliseFile } from './sent-messages.js' */

/** @param {Agent} agent @param {WorkersCommand} command @param {CommandContext} context @returns {Promise<CommandResult>} */
export async function runWorkers(agent, command, context) {
  if (command.folder !== undefined) requireFolder(command.folder, agent.sharedFolder);
  return withMessages(command, (messageFileOf) => runLinked(agent, command, context, messageFileOf));
}

/**
 * @param {Agent} agent
 * @param {WorkersCommand} command
 * @param {CommandContext} context
 * @param {LocaliseFile} messageFileOf
 * @returns {Promise<CommandResult>}
 */
async function runLinked(agent, command, { signal, openLink }, messageFileOf) {
  const { ids, spec, probeAddress, link: address, controller, padding } = command;
  const { bindAddress, cpus: usable, gauge } = agent;
  const cpuSets =
    spec.cell.placement === 'free' || usable === null
      ? null
      : { master: [], brokers: [], workers: ids.map((_, index) => [usable[index % usable.length]]) };
  const cpusOf = (/** @type {number} */ index) => cpuSets?.workers[index] ?? null;
  const program = { ...nodeCommand(), sharesClock: true }; // a process on this host has the clock of this agent
  const noise = new NoiseMonitor({ gauge, pids: [], cpuSets });
  noise.begin();
  const stderr = stderrTail();
  const memory = watchMemory(command);
  const plugins = await agent.installation.load(command.plugins);
  // A worker neither listens nor creates files, so it gets no folder.
  const surroundings = { plugins, scratchDir: '', bindAddress, messageFileOf };
  const channels = new Map(
    ids.map((id) => [id, new RemoteControlChannel((message) => link.send(controller, { id, message }))]),
  );
  let broken = /** @type {string | null} */ (null);
  const link = openLink(address, {
    onMessage: (_from, { id, message }) => channels.get(id)?.receive(message),
    onBroken(_from, why) {
      broken = why;
      for (const channel of channels.values()) channel.disconnect();
    },
  });
  let roundTripUs;
  try {
    roundTripUs = await probeRoundTripUs(probeAddress, spec.token, signal);
    // The first failure ends the command, since the launch has failed. The other workers end with their controller.
    await Promise.all(
      ids.map((id, index) =>
        startRemoteWorker({
          id,
          channel: /** @type {RemoteControlChannel} */ (channels.get(id)),
          signal,
          onStderr: stderr.take,
          localiseSpec: (portable) => localise(portable, surroundings),
          onReady: (pid, fail) => memory.onReady(id, pid, fail),
          cpus: cpusOf(index),
          start: { padding, program },
        }),
      ),
    );
  } catch (error) {
    const { message, code } = /** @type {any} */ (error);
    return { status: 'refused', message, ...(code === 'TRANSPORT' && { isHangUp: true }) };
  } finally {
    memory.end();
    link.close();
  }
  if (broken !== null) return { status: 'refused', message: broken };
  return {
    status: 'workers-ended',
    stderr: stderr.lines(),
    noise: noise.end(),
    roundTripUs,
    cpus: Object.fromEntries(ids.map((id, index) => [id, cpusOf(index)])),
  };
}

/** Watches memory, because messages that a consumer does not read accumulate on this host. @param {WorkersCommand} command */
function watchMemory({ ids, spec }) {
  /** @type {GrowthMonitor | undefined} */
  let monitor;
  /** @type {{ name: string, read: () => number }[]} */
  const ready = [];
  return {
    /** @param {string} id @param {number} pid @param {Fail} fail */
    onReady(id, pid, fail) {
      ready.push({ name: id, read: () => readResidentBytes(pid) ?? 0 });
      if (spec.memoryLimitBytes === null || ready.length < ids.length) return;
      const limitBytes = memoryOfLaunch();
      monitor = new GrowthMonitor(ready, limitBytes, (grown, forMs) =>
        fail('MEMORY', tooMuchOfHost(grown, limitBytes, forMs)),
      );
      monitor.begin();
    },
    end: () => monitor?.end(),
  };
}
