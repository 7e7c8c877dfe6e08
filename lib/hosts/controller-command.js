// What an agent does with an order to lead a launch: it runs a master, as the runner of a run on one host does, by what is on
// this host.

import { furtherProcesses } from '../cell/launch-roles.js';
import { openScratch } from '../children/run-directory.js';
import { BenchError } from '../errors.js';
import { localise } from '../launch/portable-spec.js';
import { memoryOfLaunch } from '../machine/limits.js';
import { choosePlaces } from '../machine/placement.js';
import { thisNode } from '../plugins/find-runtimes.js';
import { selectPrograms } from '../run/assign.js';
import { countPrivate, listBrokerPids, withHops } from '../run/brokers/broker-pool.js';
import { callsIn } from '../run/diagnostics/strace.js';
import { explainedByDeath, runLaunch } from '../run/launch.js';
import { unpacked } from './command-files.js';
import { choiceHere, runtimesOn } from './host-runtimes.js';

/** @import { LaunchEnd } from '../run/launch.js' */
/** @import { LaunchSpec } from '../launch/launch-spec.js' */
/** @import { Places } from '../machine/placement.js' */
/** @import { Calls, LeadOrder, Obey, OrderEnd, Scenario } from '../types/index.js' */
/** @import { Agent } from './handle-command.js' */
/** @import { Unpacked } from './command-files.js' */

/** @param {Agent} agent @param {LeadOrder} order @param {Parameters<Obey>[1]} launch @returns {Promise<OrderEnd>} */
export async function controlLaunchHere(agent, order, { launchId, tell, signal }) {
  const { padding, lineKey } = order;
  const scratch = await openScratch(agent.sharedFolder);
  try {
    const scratchDir = await scratch.folderFor(launchId);
    const files = await unpacked(order, scratch.path);
    const { places, spec } = await specHere(agent, order, scratchDir, files);
    const cpus = places?.brokers ?? [];
    const { hops, served } = await agent.brokers.serve(order, spec, { cpus, signal });
    const here = withHops(spec, hops);
    const traceDir = await files.traceDirOf('master');
    const noise = agent.watchNoise(places, listBrokerPids(hops));
    const end = await runLaunch(here, {
      padding,
      signal,
      traceDir,
      lineKey,
      onPhase: (phase) => tell({ news: 'phase', phase }),
      onPort: (address) => tell({ news: 'port', address, folder: here.scratchDir }),
    });
    const told = end.kind === 'failed' ? await explainedByDeath(end, hops) : { ...end, served };
    const led = {
      status: /** @type {const} */ ('led'),
      end: told,
      noise: noise(),
      profiles: files.profiles(),
    };
    return traceDir === undefined ? led : { ...led, calls: await readCalls(end, traceDir, here) };
  } finally {
    await agent.brokers.rest(signal.aborted);
    await scratch.remove();
  }
}

/**
 * @param {LaunchEnd} end
 * @param {string} traceDir
 * @param {LaunchSpec} here
 * @returns {Promise<Calls[]>} of the processes that were here
 */
async function readCalls(end, traceDir, { scenarioUrl }) {
  if (end.kind === 'failed') return [];
  const { default: scenario } = await import(scenarioUrl);
  const { openMs, windowMs } = end.fields;
  return callsIn(traceDir, { openMs, windowMs, operations: 1, names: furtherProcesses(scenario) });
}

/**
 * @param {Agent} agent
 * @param {LeadOrder} order
 * @param {string} scratchDir
 * @param {Unpacked} files
 * @returns {Promise<{ spec: LaunchSpec, places: Places | null }>} by what is on this host, as yet without its brokers
 */
async function specHere(agent, { spec, plugins }, scratchDir, files) {
  const { cell, memoryLimitBytes } = spec;
  const own = await agent.installation.load(plugins);
  const played = own.scenario.plugin;
  const { bindAddress } = agent;
  const localised = localise(spec, { plugins: own, scratchDir, bindAddress, ...files.here });
  const here = {
    ...localised,
    ...(await programsHere(localised, played, agent.runtimePath)),
    broker: null,
    toMaster: localised.toMaster && { ...localised.toMaster, broker: null },
    memoryLimitBytes: memoryLimitBytes === null ? null : memoryOfLaunch(),
  };
  const brokers = await countPrivate(here);
  const places = choosePlaces(cell.placement, 0, brokers, agent.cpus, furtherProcesses(played));
  const { brokers: _brokers, ...cpus } = places ?? { brokers: [] };
  return { spec: { ...here, cpus: places && /** @type {LaunchSpec['cpus']} */ (cpus) }, places };
}

/**
 * @param {LaunchSpec} spec
 * @param {Scenario} scenario
 * @param {string[]} runtimePath
 * @returns {Promise<Pick<LaunchSpec, 'programs' | 'peer'>>} of the roles that are played on this host
 */
async function programsHere({ cell, tierUp }, scenario, runtimePath) {
  const { runtime } = cell;
  if (runtime === undefined) return {};
  const choice = await choiceHere(runtimesOn(runtime, 'master'), runtimePath);
  if (choice.unavailable !== null) throw new BenchError('HOST', choice.unavailable);
  const runtimes = { choices: [{ ...choice, runtime }], thisNode: await thisNode() };
  const { programs, peer } = selectPrograms(cell, runtimes, scenario, tierUp);
  return { ...(programs && { programs }), ...(peer && { peer }) };
}
