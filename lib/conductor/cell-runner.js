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
import { startFlags } from '../processes/tier-up.js';
import { countedBy } from '../scenario-kit/usual-measures.js';
import { seedFrom } from '../statistics/random.js';
import { redactText } from '../words/redact.js';
import { assign, prepareCell } from './assign.js';
import { explainedByDeath } from './explained-by-death.js';
import { assignedHop, isPrivate } from './hop-broker.js';
import { measuredLaunch } from './judge.js';
import { messagesOf } from './judge-traffic.js';
import { runLaunch } from './launch.js';
import { brokerPidsOf, LaunchBrokers } from './launch-brokers.js';
import { LaunchNetworks } from './launch-networks.js';
import { flagsToLook, lookedInto } from './looked-into.js';

/** @import { Broker, Cell, Launch, Options } from '../types/index.js' */
/** @import { BrokerKeeper } from './broker-keeper.js' */
/** @import { HopBroker } from './hop-broker.js' */
/** @import { Look } from './looked-into.js' */
/** @import { NetworkOfLaunch } from './launch-networks.js' */
/** @typedef {ReturnType<typeof prepareCell>} Prepared */

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
   * @param {import('./interleaved-run.js').Across} [run.across]
   */
  constructor(run) {
    this.context = run;
    this.runId = randomBytes(4).toString('hex');
    this.gauge = new SpinGauge();
    this.networks = new LaunchNetworks(run.scratch.path);
    // Those of other hosts are started there.
    const brokers = run.across === undefined ? run.brokers : null;
    this.brokers = new LaunchBrokers({ ...run, brokers }, run.signal);
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
    const { options, plugins, cpus, scratch, signal, launch = runLaunch, across } = this.context;
    const place = { block, order, startedAt: new Date().toISOString() };
    const padding = 'x'.repeat(Math.floor(random() * MAX_PADDING_BYTES));
    const transport = /** @type {any} */ (plugins.transports.get(cell.transport)).plugin;
    const isOurs = (/** @type {Broker | undefined} */ broker) => isPrivate(options, broker);
    const prepared = prepareCell(cell, { options, plugins, cpus, isOurs });
    /** @type {HopBroker[]} */
    let hops = [];
    /** @type {NetworkOfLaunch | null} */
    let network = null;
    const scratchDir = await scratch.folderFor(`l${order}`);
    /** @type {typeof NOT_STARTED | typeof HANDED_IN} */
    let progress = NOT_STARTED;
    try {
      network = await this.networks.open(cell, scratchDir);
      hops = await this.brokers.open(prepared, network);
      const assignment = this.assignment(cell, prepared, {
        order,
        block,
        scratchDir,
        hops,
        ...network?.assigned,
      });
      const ownPids = brokerPidsOf(hops);
      const brokerPids = ownPids && [...ownPids, ...(network === null ? [] : [network.pid])];
      const noiseSoFar = watchNoise({ gauge: this.gauge, brokerPids, places: prepared.places });
      const looked = lookedInto(assignment, look);
      const end = await launch(looked, {
        padding,
        signal,
        traceDir: look.traceDir,
        nodeFlags: flagsToLook(startFlags(prepared.tierUp), look),
        before: network?.before,
        startsBrokers: across !== undefined && prepared.privateBrokers > 0,
      });
      // Of other hosts, whoever launches there has read it.
      const noise = (end.kind === 'done' && end.noise) || noiseSoFar();
      if (end.kind === 'done') look.onDone?.(end.fields);
      if (end.kind === 'failed') return this.failedLaunch(place, await explainedByDeath(end, hops, network));
      progress = HANDED_IN;
      const served = this.brokers.added(assignment, end.served);
      const usable = across?.usableCpus ?? cpus?.length ?? availableParallelism();
      const { messagesPerRoundTrip } = traitsOf(transport, cell.settings);
      const scenario = /** @type {any} */ (plugins.scenarios.get(cell.scenario)).plugin;
      const circumstances = {
        usableCpus: usable,
        quick: options.quick,
        isBrokerOurs: served.broker !== null,
        ...countedBy(scenario, [cell]),
        isCold: scenario.isCold,
        furtherProcesses: furtherProcesses(scenario).length,
        noise,
        messagesPerOperation: messagesOf(scenario, messagesPerRoundTrip),
        ...(prepared.isSpinning && { isSpinning: /** @type {const} */ (true) }),
      };
      return measuredLaunch(end.fields, served, place, circumstances);
    } catch (error) {
      if (signal.aborted || !(error instanceof BenchError)) throw error;
      const end = { ...progress, code: error.code, message: error.message };
      return this.failedLaunch(place, await explainedByDeath(end, hops));
    } finally {
      await network?.close();
      await rm(scratchDir, { recursive: true, force: true });
    }
  }

  /**
   * @param {Cell} cell
   * @param {Prepared} prepared
   * @param {{ order: number, block: number, scratchDir: string, hops: HopBroker[] } & Partial<NetworkOfLaunch['assigned']>} launch
   */
  assignment(cell, prepared, { order, block, hops, ...place }) {
    const { options, deadlines = {} } = this.context;
    const [first, toMaster] = hops.map(assignedHop);
    return assign(cell, prepared, {
      launchId: `${this.runId}${order.toString(36)}`,
      ...place,
      seed: seedFrom(options.seed, 'payloads', block),
      ...first,
      toMaster,
      deadlines,
    });
  }

  /**
   * @param {{ block: number, order: number, startedAt: string }} place
   * @param {Omit<Extract<import('./launch.js').LaunchEnd, { kind: 'failed' }>, 'kind'>} end
   * @returns {Launch}
   */
  failedLaunch(place, { code, message, phase, stderr, integrity }) {
    const secrets = Object.values(this.context.options.brokerUrls);
    const clean = (/** @type {string} */ text) => redactText(text, secrets);
    const told = { message: clean(message), phase, stderr: stderr.map(clean), integrity };
    return { status: 'failed', ...place, code, ...told };
  }
}

const NOT_STARTED = { phase: /** @type {const} */ ('start'), integrity: null, stderr: [] };
/** What its processes counted makes no launch. */
const HANDED_IN = { phase: /** @type {const} */ ('drain'), integrity: null, stderr: [] };
