// A run whose launches are on several hosts: their agents are met first, and refused where they are not what the run needs; then
// it goes on like any other, with another way to launch.

import { labelParts } from '../cell/settings.js';
import { BenchError } from '../errors.js';
import { withoutHost } from '../launch/portable-spec.js';
import { isRedis } from '../options/host-options.js';
import { isForeign } from '../plugins/builtins.js';
import { calibrate } from '../run/diagnostics/calibration.js';
import { runInterleaved } from '../run/interleaved-run.js';
import { sumBy } from '../statistics/sum.js';
import { isLoopback } from '../transport/admission.js';
import { refuseOtherFolders } from './agent-place.js';
import { openBullmq } from './bullmq-engine.js';
import { describeCode, Installation } from './installation.js';
import { launchAcross } from './launch-across.js';
import { packFile } from './sent-messages.js';

/** @import { Across, Measured, Watch } from '../run/interleaved-run.js' */
/** @import { AgentFacts, Agents, ControlOrder, Controls, ControlTask as Task, Engine, HostChoice, MeasuredControl, MeetOrder, Results } from '../types/index.js' */
/** @import { Part } from './installation.js' */

/**
 * @param {Measured[]} sides
 * @param {Watch} watch
 * @param {typeof openBullmq} [openEngine]   replaced by tests
 * @returns {Promise<Results[]>} one per side
 * @throws {BenchError} HOST: an agent is not there, or not fit for the run
 */
export async function runOnHosts(sides, watch, openEngine = openBullmq) {
  const [{ options }] = sides;
  const hosts = /** @type {HostChoice} */ (options.hosts);
  const { url, secret } = /** @type {Agents} */ (options.agents);
  const engine = await openEngine(url, secret, Object.values(options.brokerUrls).filter(isRedis));
  try {
    const met = await meetAll(engine, hosts, { hasControls: options.controls !== false });
    refuseUnreachable(met, hosts);
    refuseOtherFolders(met, hosts);
    const own = new Installation(sides.flatMap(({ plugins }) => ownParts(plugins)));
    return await runInterleaved(sides, {
      ...watch,
      launch: launchAcross(engine, hosts, own),
      across: { ...makeAcross(met, hosts), measureControls: controlsOn(engine, [...met.keys()], own) },
    });
  } finally {
    await engine.close();
  }
}

/** @param {Measured['plugins']} plugins @returns {Part[]} those that are not built in */
function ownParts({ transports, codecs, scenarios, onward }) {
  const transport = [...transports.values(), ...(onward?.values() ?? [])];
  const kinds = { transport, codec: [...codecs.values()], scenario: [...scenarios.values()] };
  return Object.entries(kinds).flatMap(([kind, loaded]) =>
    loaded.filter(isForeign).map(({ plugin, url }) => ({
      kind: /** @type {Part['kind']} */ (kind),
      // A scenario with settings has them in its name.
      name: labelParts(plugin.name).name,
      url,
    })),
  );
}

/**
 * @param {Engine} engine
 * @param {HostChoice} hosts
 * @param {Pick<MeetOrder, 'hasControls'>} wanted
 * @returns {Promise<Map<string, AgentFacts>>} by name
 */
async function meetAll(engine, { master, workers }, { hasControls }) {
  const names = [master, ...workers];
  const met = await Promise.allSettled(
    names.map(async (name) => {
      const order = { ...describeCode(), kind: /** @type {const} */ ('meet'), hasControls };
      const end = await engine.hand(name, 'meet', order, () => {}).ended;
      if (end.status === 'refused') throw new BenchError('HOST', `host ${name}: ${end.message}`);
      if (end.status !== 'met') throw new BenchError('HOST', `host ${name} did not execute its command`);
      return /** @type {const} */ ([name, end.facts]);
    }),
  );
  const failed = met.filter(({ status }) => status === 'rejected');
  if (failed.length > 0) {
    const reasons = [...new Set(failed.map((one) => /** @type {any} */ (one).reason.message))];
    throw new BenchError('HOST', reasons.join('; '));
  }
  return new Map(met.map((one) => /** @type {any} */ (one).value));
}

/** @param {Map<string, AgentFacts>} met @param {HostChoice} choice */
function refuseUnreachable(met, { master, workers }) {
  const { bindAddress, machine } = /** @type {AgentFacts} */ (met.get(master));
  const other = workers.find((name) => met.get(name)?.machine !== machine);
  if (other === undefined || !isLoopback(bindAddress)) return;
  const next = 'start its agent with --bind and the address by which the others reach it';
  throw new BenchError(
    'HOST',
    `host ${master}: its agent binds to ${bindAddress}, where host ${other} does not reach it: ${next}`,
  );
}

/** @param {Map<string, AgentFacts>} met @param {HostChoice} choice @returns {Omit<Across, 'measureControls'>} */
function makeAcross(met, { master }) {
  const all = [...met];
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
    cpus: /** @type {AgentFacts} */ (met.get(master)).cpus,
    usableCpus: sumBy(
      all,
      ([, { environment }]) => environment.usableCpus?.length ?? environment.logicalCpus,
    ),
  };
}

/**
 * @param {Engine} engine
 * @param {string[]} hosts
 * @param {Installation} [installation]   of this host
 * @returns {(...asked: Parameters<typeof calibrate>) => Promise<Record<string, Controls>>} by name of the host
 */
export function controlsOn(engine, hosts, installation = new Installation()) {
  return async (cells, plugins, run) => {
    const measured = hosts.map(async (host) => {
      const measure = (/** @type {Task} */ task) =>
        controlOn(engine, host, makeControlOrder(task, installation), run);
      return [host, await calibrate(cells, plugins, { ...run, measure })];
    });
    return Object.fromEntries(await Promise.all(measured));
  };
}

/** @param {Task} task @param {Installation} installation @returns {ControlOrder} */
function makeControlOrder({ messageFile, ...task }, installation) {
  const { codecUrl, scenarioUrl, content } = task;
  const plugins = {
    codec: installation.nameOf('codec', codecUrl),
    scenario: installation.nameOf('scenario', scenarioUrl),
  };
  const told = { ...withoutHost(task), ...(messageFile && { messageFile: withoutHost(messageFile) }) };
  const hasMessages = messageFile !== undefined && messageFile.content === content;
  return {
    ...describeCode(installation.partsOf(plugins)),
    kind: 'control',
    task: told,
    plugins,
    ...(hasMessages && { messages: packFile(messageFile.path) }),
  };
}

/**
 * @param {Engine} engine
 * @param {string} host
 * @param {ControlOrder} order
 * @param {Parameters<typeof calibrate>[2]} run
 * @returns {Promise<MeasuredControl | null>} null: it was not measured; what is the cause fails launches too, and is told there
 */
async function controlOn(engine, host, order, { signal }) {
  let stop = () => {};
  const stopped = new Promise((resolve) => {
    stop = () => resolve(null);
  });
  signal.addEventListener('abort', stop);
  try {
    const given = engine.hand(host, 'controls', order, () => {});
    const end = await Promise.race([given.ended, stopped]).finally(given.stop);
    return end?.status === 'controlled' ? end.measured : null;
  } catch (error) {
    if (!(error instanceof BenchError)) throw error;
    return null;
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
