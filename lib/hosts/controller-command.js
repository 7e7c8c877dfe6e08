// Runs the controller of a launch on this host, as the runner does in a run on one host.

import { furtherProcesses } from '../cell/launch-roles.js';
import { openScratch } from '../children/run-directory.js';
import { localise } from '../launch/portable-spec.js';
import { memoryOfLaunch } from '../machine/limits.js';
import { NoiseMonitor } from '../machine/noise.js';
import { chooseCpuSets } from '../machine/placement.js';
import { countPrivate, listBrokerPids, withHops } from '../run/brokers/broker-pool.js';
import { explainedByDeath, runLaunch } from '../run/launch.js';
import { openProbe } from './round-trip-probe.js';
import { unpackMessages } from './sent-messages.js';

/** @import { LaunchSpec } from '../launch/launch-spec.js' */
/** @import { CpuSets } from '../machine/placement.js' */
/** @import { CommandContext, CommandResult, ControllerCommand } from '../types/index.js' */
/** @import { Agent } from './handle-command.js' */

/** @param {Agent} agent @param {ControllerCommand} command @param {CommandContext} context @returns {Promise<CommandResult>} */
export async function runController(agent, command, context) {
  const { launchId, signal } = context;
  const scratch = await openScratch(agent.sharedFolder);
  try {
    const scratchDir = await scratch.folderFor(launchId);
    const messageFileOf = await unpackMessages(command, scratch.path);
    const { cpuSets, spec } = await localiseSpec(agent, command, { scratchDir, messageFileOf });
    const { hops, served } = await agent.brokers.serve(command.run, spec, {
      cpus: cpuSets?.brokers ?? [],
      signal,
    });
    const noise = new NoiseMonitor({ gauge: agent.gauge, pids: listBrokerPids(hops), cpuSets });
    noise.begin();
    const launched = await runLinked(agent, command, withHops(spec, hops), context);
    const end = await explainedByDeath(launched, hops);
    return {
      status: 'controller-ended',
      end: end.kind === 'done' ? { ...end, served } : end,
      noise: noise.end(),
    };
  } finally {
    await agent.brokers.rest(signal.aborted);
    await scratch.remove();
  }
}

/**
 * Runs a launch whose workers the agents of other hosts start.
 * @param {Agent} agent
 * @param {ControllerCommand} command
 * @param {LaunchSpec} spec
 * @param {CommandContext} context
 */
async function runLinked(agent, { padding, link: address }, spec, { onEvent, signal, openLink }) {
  const hosts = /** @type {Record<string, string>} */ (spec.hosts);
  const probe = await openProbe(agent.bindAddress, spec.token);
  /** @type {import('../run/launch.js').RemoteLine} */
  const remote = {
    onAwaiting: () => onEvent({ event: 'awaiting', probeAddress: probe.address, folder: spec.scratchDir }),
    carry: (id, message) => link.send(hosts[id], { id, message }),
    deliver() {},
  };
  const link = openLink(address, {
    onMessage(from, { id, message }) {
      if (hosts[id] === from) remote.deliver(id, message);
    },
    onBroken(from, why) {
      const ended = { agent: 'ended', code: null, how: `is gone: host ${from}: ${why}` };
      for (const id of Object.keys(hosts).filter((one) => hosts[one] === from)) remote.deliver(id, ended);
    },
  });
  try {
    const onPhase = (/** @type {string} */ phase) => onEvent({ event: 'phase', phase });
    return await runLaunch(spec, { padding, signal, remote, onPhase });
  } finally {
    link.close();
    await probe.close();
  }
}

/**
 * @param {Agent} agent
 * @param {ControllerCommand} command
 * @param {{ scratchDir: string, messageFileOf: import('./sent-messages.js').LocaliseFile }} files
 * @returns {Promise<{ spec: LaunchSpec, cpuSets: CpuSets | null }>} spec for this host, still without brokers
 */
async function localiseSpec({ installation, bindAddress, cpus: usable }, { spec, plugins }, files) {
  const loaded = await installation.load(plugins);
  const localised = localise(spec, { plugins: loaded, bindAddress, ...files });
  const withoutBrokers = {
    ...localised,
    broker: null,
    toMaster: localised.toMaster && { ...localised.toMaster, broker: null },
    memoryLimitBytes: spec.memoryLimitBytes === null ? null : memoryOfLaunch(),
  };
  const brokers = await countPrivate(withoutBrokers);
  const processes = furtherProcesses(loaded.scenario.plugin);
  const cpuSets = chooseCpuSets(spec.cell.placement, 0, brokers, usable, processes);
  if (cpuSets === null) return { spec: { ...withoutBrokers, cpus: null }, cpuSets };
  const { brokers: _brokers, ...cpus } = cpuSets;
  return { spec: { ...withoutBrokers, cpus: /** @type {LaunchSpec['cpus']} */ (cpus) }, cpuSets };
}
