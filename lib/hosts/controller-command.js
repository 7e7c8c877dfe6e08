// What an agent does with an order to lead a launch: it runs a master, as the runner of a run on one host does, by what is on
// this host.

import { furtherProcesses } from '../cell/launch-roles.js';
import { openScratch } from '../children/run-directory.js';
import { localise } from '../launch/portable-spec.js';
import { memoryOfLaunch } from '../machine/limits.js';
import { choosePlaces } from '../machine/placement.js';
import { countPrivate, listBrokerPids, withHops } from '../run/brokers/broker-pool.js';
import { explainedByDeath, runLaunch } from '../run/launch.js';
import { openProbe } from './round-trip-probe.js';
import { unpackMessages } from './sent-messages.js';

/** @import { LaunchSpec } from '../launch/launch-spec.js' */
/** @import { Places } from '../machine/placement.js' */
/** @import { LeadOrder, Obey, OrderEnd } from '../types/index.js' */
/** @import { Agent } from './handle-command.js' */
/** @import { MessageFileHere } from './sent-messages.js' */

/** @param {Agent} agent @param {LeadOrder} order @param {Parameters<Obey>[1]} launch @returns {Promise<OrderEnd>} */
export async function controlLaunchHere(agent, order, launch) {
  const { launchId, signal } = launch;
  const scratch = await openScratch(agent.sharedFolder);
  try {
    const scratchDir = await scratch.folderFor(launchId);
    const messageFileHere = await unpackMessages(order, scratch.path);
    const { places, spec } = await specHere(agent, order, scratchDir, messageFileHere);
    const cpus = places?.brokers ?? [];
    const { hops, served } = await agent.brokers.serve(order, spec, { cpus, signal });
    const here = withHops(spec, hops);
    const noise = agent.watchNoise(places, listBrokerPids(hops));
    const end = await runAcross(agent, order, here, launch);
    const told = end.kind === 'failed' ? await explainedByDeath(end, hops) : { ...end, served };
    return { status: 'led', end: told, noise: noise() };
  } finally {
    await agent.brokers.rest(signal.aborted);
    await scratch.remove();
  }
}

/**
 * @param {Agent} agent
 * @param {LeadOrder} order
 * @param {LaunchSpec} spec
 * @param {Parameters<Obey>[1]} launch
 */
async function runAcross(agent, { padding, line }, spec, { tell, signal, openLine }) {
  const hosts = /** @type {Record<string, string>} */ (spec.hosts);
  const probe = await openProbe(agent.bindAddress, spec.token);
  /** @type {import('../run/launch.js').RemoteLine} */
  const remote = {
    onAwaiting: () => tell({ news: 'awaiting', probeAddress: probe.address, folder: spec.scratchDir }),
    carry: (id, message) => toWorkers.send(hosts[id], { id, message }),
    deliver() {},
  };
  const toWorkers = openLine(line, {
    onMessage(from, { id, message }) {
      if (hosts[id] === from) remote.deliver(id, message);
    },
    onBroken(from, why) {
      const ended = { agent: 'ended', code: null, how: `is gone: host ${from}: ${why}` };
      for (const id of Object.keys(hosts).filter((one) => hosts[one] === from)) remote.deliver(id, ended);
    },
  });
  try {
    const onPhase = (/** @type {string} */ phase) => tell({ news: 'phase', phase });
    return await runLaunch(spec, { padding, signal, remote, onPhase });
  } finally {
    toWorkers.close();
    await probe.close();
  }
}

/**
 * @param {Agent} agent
 * @param {LeadOrder} order
 * @param {string} scratchDir
 * @param {MessageFileHere} messageFileOf
 * @returns {Promise<{ spec: LaunchSpec, places: Places | null }>} by what is on this host, as yet without its brokers
 */
async function specHere(agent, { spec, plugins }, scratchDir, messageFileOf) {
  const { cell, memoryLimitBytes } = spec;
  const own = await agent.installation.load(plugins);
  const played = own.scenario.plugin;
  const { bindAddress } = agent;
  const localised = localise(spec, { plugins: own, scratchDir, bindAddress, messageFileOf });
  const here = {
    ...localised,
    broker: null,
    toMaster: localised.toMaster && { ...localised.toMaster, broker: null },
    memoryLimitBytes: memoryLimitBytes === null ? null : memoryOfLaunch(),
  };
  const brokers = await countPrivate(here);
  const places = choosePlaces(cell.placement, 0, brokers, agent.cpus, furtherProcesses(played));
  const { brokers: _brokers, ...cpus } = places ?? { brokers: [] };
  return { spec: { ...here, cpus: places && /** @type {LaunchSpec['cpus']} */ (cpus) }, places };
}
