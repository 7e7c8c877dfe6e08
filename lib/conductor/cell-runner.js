// Runs one launch of one cell, with what it needs around it: a broker, a folder, an identity. What fails becomes a
// failed launch with its cause.

import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { furtherProcesses } from '../cell/launch-roles.js';
import { traitsOf } from '../cell/traits.js';
import { BenchError } from '../errors.js';
import { watchNoise } from '../machine/noise.js';
import { SpinGauge } from '../machine/spin.js';
import { netOf } from '../plan/broker-net.js';
import { tierUpFlags } from '../processes/tier-up.js';
import { countedBy } from '../scenario-kit/usual-measures.js';
import { seedFrom } from '../statistics/random.js';
import { redactText } from '../words/redact.js';
import { assign, prepareCell } from './assign.js';
import { measuredLaunch } from './judge.js';
import { messagesOf } from './judge-traffic.js';
import { runLaunch } from './launch.js';
import { LaunchNetworks } from './launch-networks.js';
import { noteBroker } from './note-broker.js';

/** @import { Launch } from '../types/launches.js' */
/** @import { Cell, Options } from '../types/plans.js' */
/** @import { BrokerKeeper, KeptBroker } from './broker-keeper.js' */
/** @import { NetworkOfLaunch } from './launch-networks.js' */
/** @typedef {ReturnType<typeof prepareCell>} Prepared */

/**
 * A launch that is looked into, and slowed down by it: it never counts.
 * @typedef {object} Look
 * @property {string} [profileDir]
 * @property {import('./launch.js').Wrap} [wrap]
 * @property {(fields: any) => void} [onDone]   what the master handed in
 */

const MAX_PADDING_BYTES = 4_096; // hyperfine randomises the length of its environment within as much

export class CellRunner {
  /**
   * @param {object} run
   * @param {Options} run.options
   * @param {import('../plugins/plugins.js').LoadedPlugins} run.plugins
   * @param {import('../types/results-file.js').Environment} run.environment   told which brokers there were
   * @param {number[] | null} run.cpus
   * @param {Awaited<ReturnType<typeof import('../processes/scratch.js').openScratch>>} run.scratch
   * @param {BrokerKeeper} run.brokers
   * @param {AbortSignal} run.signal
   * @param {Partial<import('../launch/assignment.js').Deadlines>} [run.deadlines]
   * @param {typeof runLaunch} [run.launch]
   */
  constructor(run) {
    this.context = run;
    this.runId = randomBytes(4).toString('hex');
    this.gauge = new SpinGauge();
    this.nodeFlags = tierUpFlags(run.options.tierUp);
    this.networks = new LaunchNetworks(run.scratch.path);
  }

  /**
   * @param {Cell} cell
   * @param {number} block
   * @param {number} order
   * @param {() => number} random     for what is drawn per launch
   * @param {Look} [look]             absent: an undisturbed launch
   * @returns {Promise<Launch>}
   */
  async run(cell, block, order, random, look = {}) {
    const { options, plugins, cpus, scratch, signal, launch = runLaunch } = this.context;
    const place = { block, order, startedAt: new Date().toISOString() };
    const padding = 'x'.repeat(Math.floor(random() * MAX_PADDING_BYTES));
    const transport = /** @type {any} */ (plugins.transports.get(cell.transport)).plugin;
    const hasOwnBroker = transport.broker !== undefined && this.brokerUrl(transport.broker) === null;
    const prepared = prepareCell(cell, { options, plugins, cpus, hasOwnBroker });
    /** @type {KeptBroker | null} */
    let broker = null;
    /** @type {NetworkOfLaunch | null} */
    let network = null;
    const scratchDir = await scratch.folderFor(`l${order}`);
    try {
      if (hasOwnBroker) broker = await this.startBroker(prepared);
      else await this.describeBroker(transport);
      network = await this.networks.open(cell, scratchDir);
      const assignment = this.assignment(cell, prepared, {
        ...{ order, block, scratchDir, broker, ...network?.assigned },
      });
      const ownPids = [broker, network].flatMap((own) => own?.pid ?? []);
      const brokerPids = transport.broker === undefined || broker !== null ? ownPids : null;
      const noiseSoFar = watchNoise({ gauge: this.gauge, brokerPids, places: prepared.places });
      const looked = { ...assignment, ...(look.profileDir && { profileDir: look.profileDir }) };
      const end = await launch(looked, {
        ...{ padding, signal, nodeFlags: this.nodeFlags, wrap: look.wrap },
        before: network?.before,
      });
      const noise = noiseSoFar();
      if (end.kind === 'done') look.onDone?.(end.fields);
      if (end.kind === 'failed') return this.failedLaunch(place, network?.explained(end) ?? end, broker);
      const usable = cpus?.length ?? availableParallelism();
      const { messagesPerRoundTrip, isSpinning } = traitsOf(transport, cell.settings);
      const scenario = /** @type {any} */ (plugins.scenarios.get(cell.scenario)).plugin;
      const circumstances = {
        usableCpus: usable,
        quick: options.quick,
        isBrokerOurs: broker !== null,
        ...countedBy(scenario, [cell]),
        isCold: scenario.isCold,
        furtherProcesses: furtherProcesses(scenario).length,
        noise,
        messagesPerOperation: messagesOf(scenario, messagesPerRoundTrip),
        isSpinning,
      };
      return measuredLaunch(end.fields, assignment, place, circumstances);
    } catch (error) {
      if (signal.aborted || !(error instanceof BenchError)) throw error;
      return this.failedLaunch(place, { ...NOT_STARTED, code: error.code, message: error.message }, broker);
    } finally {
      await network?.close();
      await rm(scratchDir, { recursive: true, force: true });
    }
  }

  /**
   * @param {Cell} cell
   * @param {Prepared} prepared
   * @param {{ order: number, block: number, scratchDir: string, broker: KeptBroker | null } & Partial<NetworkOfLaunch['assigned']>} launch
   */
  assignment(cell, prepared, { order, block, broker, ...place }) {
    const { options, deadlines = {} } = this.context;
    return assign(cell, prepared, {
      launchId: `${this.runId}${order.toString(36)}`,
      ...place,
      seed: seedFrom(options.seed, 'payloads', block),
      brokerUrl: broker?.url ?? this.brokerUrl(prepared.transport.broker),
      broker: broker === null ? null : { name: broker.name, pid: broker.pid, cpus: broker.cpus },
      deadlines,
    });
  }

  /** @param {Prepared} prepared */
  async startBroker({ transport, settings, places }) {
    const { brokers, environment } = this.context;
    const definition = /** @type {import('../types/brokers.js').Broker} */ (transport.broker);
    const broker = await brokers.get(definition, settings, places?.broker ?? null);
    noteBroker(environment.brokers, broker);
    return broker;
  }

  /** @param {import('../types/transports.js').Transport} transport   with a broker of the user: asked once per run what it is */
  async describeBroker({ broker, settings = {} }) {
    const { environment } = this.context;
    const url = this.brokerUrl(broker);
    if (broker === undefined || url === null || environment.brokers[broker.name] !== undefined) return;
    const described = await broker.describe?.(url).catch(() => null);
    if (!described) return;
    const config = Object.hasOwn(settings, 'net')
      ? { net: netOf(url), ...described.config }
      : described.config;
    environment.brokers[broker.name] = { ...described, config, origin: 'url' };
  }

  /**
   * @param {import('../types/brokers.js').Broker | undefined} broker
   * @returns {string | null} given by the user
   */
  brokerUrl(broker) {
    const { brokerUrls } = this.context.options;
    return broker !== undefined && Object.hasOwn(brokerUrls, broker.name) ? brokerUrls[broker.name] : null;
  }

  /**
   * @param {{ block: number, order: number, startedAt: string }} place
   * @param {Omit<Extract<import('./launch.js').LaunchEnd, { kind: 'failed' }>, 'kind'>} end
   * @param {KeptBroker | null} broker
   * @returns {Launch}
   */
  failedLaunch(place, end, broker) {
    const secrets = Object.values(this.context.options.brokerUrls);
    const clean = (/** @type {string} */ text) => redactText(text, secrets);
    const hasLostItsBroker = broker !== null && broker.causeOfDeath !== null;
    const message = hasLostItsBroker
      ? `${broker.name} died: ${broker.causeOfDeath}; ${end.message}`
      : end.message;
    return {
      status: 'failed',
      ...place,
      code: hasLostItsBroker ? 'BROKER' : end.code,
      message: clean(message),
      phase: end.phase,
      stderr: end.stderr.map(clean),
      integrity: end.integrity,
    };
  }
}

const NOT_STARTED = { phase: /** @type {const} */ ('start'), integrity: null, stderr: [] };
