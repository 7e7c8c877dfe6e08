// A run with launches on several hosts. Agents describe themselves and are refused if they do not fit the run. Apart from that, the run is
// like one on a single host, with another function that runs a launch.

import { labelParts } from '../cell/settings.js';
import { isLoopback } from '../channels/addresses.js';
import { BenchError } from '../errors.js';
import { withoutHost } from '../launch/portable-spec.js';
import { isRedis } from '../options/host-options.js';
import { isForeign } from '../plugins/builtins.js';
import { calibrate } from '../run/diagnostics/calibration.js';
import { runInterleaved } from '../run/interleaved-run.js';
import { sumBy } from '../statistics/sum.js';
import { refuseOtherFolders } from './agent-resources.js';
import { openSender } from './command-sender.js';
import { describeCode, Installation } from './installation.js';
import { launchAcross } from './launch-across.js';
import { packMessages } from './sent-messages.js';

/** @import { RunHosts, MeasuredSide, Watch } from '../run/interleaved-run.js' */
/** @import { AgentFacts, Agents, CalibrateCommand, Controls, ControlTask, HostChoice, MeasuredControl } from '../types/index.js' */
/** @import { Results, CommandChannel } from '../types/index.js' */
/** @import { InstalledPlugin } from './installation.js' */

const DEADLINE_MS = 60_000; // for commands other than launches, which take up to 15 s on a quiet machine

/**
 * @param {MeasuredSide[]} sides
 * @param {Watch} watch
 * @param {typeof openSender} [open]   replaced by tests
 * @returns {Promise<Results[]>} one per side
 * @throws {BenchError} HOST if an agent does not exist or does not fit the run
 */
export async function runOnHosts(sides, watch, open = openSender) {
  const [{ options }] = sides;
  const hosts = /** @type {HostChoice} */ (options.hosts);
  const { url, secret } = /** @type {Agents} */ (options.agents);
  const sender = await open(url, secret, Object.values(options.brokerUrls).filter(isRedis));
  try {
    const { signal } = watch;
    const facts = await describeAll(sender, hosts, { withWakeUp: options.controls !== false, signal });
    refuseUnreachable(facts, hosts);
    refuseOtherFolders(facts, hosts);
    const installation = new Installation(sides.flatMap(({ plugins }) => ownParts(plugins)));
    const across = makeAcross(facts, hosts);
    const measureControls = calibrateOn(sender, [...facts.keys()], installation);
    return await runInterleaved(sides, {
      ...watch,
      launch: launchAcross(sender, hosts, installation),
      across: { ...across, measureControls },
    });
  } finally {
    await sender.close();
  }
}

/** @param {MeasuredSide['plugins']} plugins @returns {InstalledPlugin[]} the user's plug-ins */
function ownParts({ transports, codecs, scenarios, onward }) {
  const transport = [...transports.values(), ...(onward?.values() ?? [])];
  const kinds = { transport, codec: [...codecs.values()], scenario: [...scenarios.values()] };
  return Object.entries(kinds).flatMap(([kind, loaded]) =>
    loaded.filter(isForeign).map(({ plugin, url }) => ({
      kind: /** @type {InstalledPlugin['kind']} */ (kind),
      name: labelParts(plugin.name).name, // the name of a scenario contains its settings
      url,
    })),
  );
}

/**
 * @param {CommandChannel} sender
 * @param {HostChoice} hosts
 * @param {{ withWakeUp: boolean, signal: AbortSignal }} requested
 * @returns {Promise<Map<string, AgentFacts>>} by name of the agent
 */
async function describeAll(sender, { master, workers }, { withWakeUp, signal }) {
  const command = /** @type {const} */ ({ ...describeCode(), kind: 'describe', withWakeUp });
  const results = await Promise.allSettled(
    [master, ...workers].map(async (name) => {
      const result = await sender.send(name, 'describe', command, { signal, deadlineMs: DEADLINE_MS });
      if (result.status === 'refused') throw new BenchError('HOST', `host ${name}: ${result.message}`);
      if (result.status !== 'described')
        throw new BenchError('HOST', `host ${name} did not execute its command`);
      return /** @type {const} */ ([name, result.facts]);
    }),
  );
  if (signal.aborted) throw new BenchError('INTERRUPTED', 'interrupted');
  const reasons = results.flatMap((result) => (result.status === 'rejected' ? [result.reason.message] : []));
  if (reasons.length > 0) throw new BenchError('HOST', [...new Set(reasons)].join('; '));
  return new Map(results.map((result) => /** @type {any} */ (result).value));
}

/** @param {Map<string, AgentFacts>} facts @param {HostChoice} choice */
function refuseUnreachable(facts, { master, workers }) {
  const { bindAddress, machine } = /** @type {AgentFacts} */ (facts.get(master));
  const other = workers.find((name) => facts.get(name)?.machine !== machine);
  if (other === undefined || !isLoopback(bindAddress)) return;
  const next = 'start its agent with --bind and the address by which the others reach it';
  throw new BenchError(
    'HOST',
    `host ${master}: its agent binds to ${bindAddress}, where host ${other} does not reach it: ${next}`,
  );
}

/** @param {Map<string, AgentFacts>} facts @param {HostChoice} choice @returns {Omit<RunHosts, 'measureControls'>} */
function makeAcross(facts, { master }) {
  const all = [...facts];
  return {
    hosts: Object.fromEntries(
      all.map(([name, { environment, link, wakeUp }]) => [
        name,
        {
          role: name === master ? 'master' : 'worker',
          environment,
          ...(link && { link }),
          ...(wakeUp !== undefined && { wakeUp }),
        },
      ]),
    ),
    cpus: /** @type {AgentFacts} */ (facts.get(master)).cpus,
    usableCpus: sumBy(
      all,
      ([, { environment }]) => environment.usableCpus?.length ?? environment.logicalCpus,
    ),
  };
}

/**
 * @param {CommandChannel} sender
 * @param {string[]} hosts
 * @param {Installation} [installation]   the installation of this host
 * @returns {(...args: Parameters<typeof calibrate>) => Promise<Record<string, Controls>>} by name of the host
 */
export function calibrateOn(sender, hosts, installation = new Installation()) {
  return async (cells, plugins, run) => {
    const measured = hosts.map(async (host) => {
      /** @param {ControlTask} task */
      const measure = (task) => sendCalibration(sender, host, makeCommand(task, installation), run.signal);
      return [host, await calibrate(cells, plugins, { ...run, measure })];
    });
    return Object.fromEntries(await Promise.all(measured));
  };
}

/** @param {ControlTask} task @param {Installation} installation @returns {CalibrateCommand} */
function makeCommand({ messageFile, ...task }, installation) {
  const { codecUrl, scenarioUrl, content } = task;
  return {
    ...installation.describe({ codecUrl, scenarioUrl }),
    kind: 'calibrate',
    task: { ...withoutHost(task), ...(messageFile && { messageFile: withoutHost(messageFile) }) },
    ...packMessages(messageFile, content),
  };
}

/**
 * @param {CommandChannel} sender
 * @param {string} host
 * @param {CalibrateCommand} command
 * @param {AbortSignal} signal
 * @returns {Promise<MeasuredControl | null>}
 */
async function sendCalibration(sender, host, command, signal) {
  try {
    const result = await sender.send(host, 'controls', command, { signal, deadlineMs: DEADLINE_MS });
    return result.status === 'calibrated' ? result.measured : null;
  } catch (error) {
    // The run continues without a calibration. A broken host also fails the launches, which report it.
    if (!(error instanceof BenchError || signal.aborted)) throw error;
    return null;
  }
}
