// Runs one launch of a cell with its brokers, folder and network. An error results in a failed launch with its cause.

import { randomBytes } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { startedProcesses } from '../cell/launch-roles.js';
import { resolveTraits } from '../cell/traits.js';
import { removeFolder } from '../children/run-directory.js';
import { BenchError } from '../errors.js';
import { redactText } from '../format/redact.js';
import { compileDelayLine, openNetwork } from '../machine/delay-line.js';
import { describeLoopbackFault } from '../machine/loopback.js';
import { NoiseMonitor, WorkGauge } from '../machine/noise.js';
import { parsePlannedNetwork } from '../options/axis-values.js';
import { timingAlone } from '../plan/timing.js';
import { seedFrom } from '../statistics/random.js';
import { countedBy } from '../workload/measures/usual-measures.js';
import { assign, isMeasuredInSlices, prepareCell } from './assign.js';
import { assignedHop, isPrivate, LaunchBrokers, listBrokerPids } from './brokers/broker-pool.js';
import { serveBeside } from './brokers/brokers-beside.js';
import { expectedMessages } from './findings/launch-findings.js';
import { measuredLaunch } from './findings/measured-launch.js';
import { explainedByDeath, runLaunch } from './launch.js';

/** @import { Broker, Cell, Environment, Launch, Options, Slices } from '../types/index.js' */
/** @import { BrokerPool, HopBroker } from './brokers/broker-pool.js' */
/** @import { Instruments } from './diagnostics/extra-launch.js' */
/** @import { BrokersBeside, ServeOrder } from './brokers/brokers-beside.js' */
/** @import { SliceNoise } from '../machine/noise.js' */
/** @import { FailedEnd, LaunchPhase } from './launch.js' */
/** @import { SlicedLaunch } from './launch-groups.js' */
/** @typedef {ReturnType<typeof prepareCell>} PreparedRun */

const MAX_PADDING_BYTES = 4_096; // the limit of the random environment length in hyperfine

export class CellRunner {
  /**
   * @param {object} run
   * @param {Options} run.options
   * @param {import('../plugins/plugins.js').LoadedPlugins} run.plugins
   * @param {Environment} run.environment   The brokers of each launch are added to it.
   * @param {number[] | null} run.cpus   see prepareCell
   * @param {Awaited<ReturnType<typeof import('../children/run-directory.js').openScratch>>} run.scratch
   * @param {BrokerPool} run.brokers
   * @param {AbortSignal} run.signal
   * @param {Partial<import('../launch/launch-spec.js').Deadlines>} [run.deadlines]
   * @param {typeof runLaunch} [run.launch]
   * @param {import('./interleaved-run.js').RunHosts} [run.across]
   */
  constructor(run) {
    this.context = run;
    this.runId = randomBytes(4).toString('hex');
    const gauge = new WorkGauge();
    this.gauges = { alone: gauge, slices: gauge.forSlices() };
    this.networks = new LaunchNetworks(run.scratch.path);
    // Other hosts start the brokers of launches that run there.
    const brokers = run.across === undefined ? run.brokers : null;
    this.brokers = new LaunchBrokers({ ...run, brokers }, run.signal);
  }

  /**
   * @param {Cell} cell
   * @param {number} group
   * @param {number} order            position of a measured launch in the run, for the results
   * @param {() => number} random     from 0 to 1, for the length of the padding of the environment
   * @param {Instruments & { onDone?: (fields: any) => void }} [extra]   set for an extra launch; onDone: called with the report of the
   *   controller, unless the launch fails
   * @param {SlicedLaunch} [sliced]   set for a launch in slices; otherwise the launch needs the machine alone
   * @returns {Promise<Launch>}
   */
  async run(cell, group, order, random, extra = {}, sliced = undefined) {
    const {
      options,
      plugins,
      cpus,
      scratch,
      signal,
      deadlines = {},
      launch = runLaunch,
      across,
    } = this.context;
    const inRun = { group, order, startedAt: new Date().toISOString() };
    const padding = 'x'.repeat(Math.floor(random() * MAX_PADDING_BYTES));
    /** @param {Broker | undefined} broker */
    const isOurs = (broker) => isPrivate(options, broker);
    const prepared = prepareCell(cell, { options, plugins, cpus, isOurs });
    /** @type {HopBroker[]} */
    let hops = [];
    /** @type {NetworkOfLaunch | null} */
    let network = null;
    const { number, folder: scratchDir } = await scratch.nextLaunch();
    /** @type {LaunchPhase} */
    let phase = 'start';
    try {
      network = await this.networks.open(cell, scratchDir);
      hops = await this.brokers.open(prepared, network);
      const [first, toMaster] = hops.map(assignedHop);
      const spec = assign(prepared, {
        launchId: `${this.runId}${number.toString(36)}`,
        scratchDir,
        ...network?.assigned,
        seed: seedFrom(options.seed, 'payloads', group),
        ...first,
        toMaster,
        deadlines,
        groupSize: sliced?.groupSize,
      });
      const ownPids = listBrokerPids(hops);
      const brokerPids = ownPids && [...ownPids, ...(network === null ? [] : [network.pid])];
      const { adapt = (own) => own, wrap, onDone } = extra;
      const launchSpec = adapt(sliced === undefined ? { ...spec, timing: timingAlone(spec.timing) } : spec);
      const noiseMonitor = this.noiseMonitor(prepared, brokerPids, sliced);
      if (sliced === undefined) noiseMonitor.begin();
      const launched = await launch(launchSpec, {
        padding,
        signal,
        sliced,
        wrap,
        before: network?.before,
        startsBrokers: across !== undefined && prepared.privateBrokers > 0,
      });
      if (sliced === undefined) noiseMonitor.end();
      const readings = noiseMonitor.report();
      const end = await explainedByDeath(launched, hops, network);
      if (end.kind === 'failed') return this.failedLaunch(inRun, end);
      // The agent reports the noise of other hosts.
      const noise = end.noise || readings?.noise;
      onDone?.(end.fields);
      phase = 'drain'; // The processes of the launch have reported.
      const served = this.brokers.added(spec, end.served);
      const usable = across?.usableCpus ?? cpus?.length ?? availableParallelism();
      const { messagesPerRoundTrip } = resolveTraits(prepared.transport, cell.settings);
      const scenario = /** @type {any} */ (plugins.scenarios.get(cell.scenario)).plugin;
      const circumstances = {
        usableCpus: usable,
        quick: options.quick,
        isBrokerOurs: served.broker !== null,
        measures: countedBy(scenario, [cell]).measures,
        isCold: scenario.isCold,
        noise,
        slices: withNoise(sliced, readings?.ofSlices),
        messagesPerOperation: expectedMessages(scenario, messagesPerRoundTrip),
        ...(prepared.isSpinning && { isSpinning: /** @type {const} */ (true) }),
      };
      return measuredLaunch(end.fields, served, inRun, circumstances);
    } catch (error) {
      if (signal.aborted || !(error instanceof BenchError)) throw error;
      const { code, message } = error;
      /** @type {FailedEnd} */
      const end = { kind: 'failed', code, message, phase, integrity: null, stderr: [] };
      return this.failedLaunch(inRun, await explainedByDeath(end, hops, network));
    } finally {
      await network?.close();
      await removeFolder(scratchDir);
    }
  }

  /** @param {Cell} cell @returns {boolean} */
  canBeSliced(cell) {
    const { options, plugins, cpus, across } = this.context;
    return across === undefined && isMeasuredInSlices(cell, { options, plugins, cpus });
  }

  /** @param {Cell} cell @returns {number} processes per launch, without brokers */
  countProcesses(cell) {
    const { plugin } = /** @type {any} */ (this.context.plugins.scenarios.get(cell.scenario));
    return 1 + startedProcesses(plugin, cell.workers).length;
  }

  /**
   * @param {PreparedRun} prepared
   * @param {number[] | null} brokerPids   see readNoise
   * @param {SlicedLaunch | undefined} sliced   undefined for a launch alone
   */
  noiseMonitor({ cpuSets, spec }, brokerPids, sliced) {
    const { alone, slices } = this.gauges;
    if (sliced === undefined) return new NoiseMonitor({ gauge: alone, pids: brokerPids, cpuSets });
    // The monitor does not read the CPU time of brokers, since the report of each slice includes it.
    const noise = new NoiseMonitor({ gauge: slices, pids: brokerPids && [], cpuSets });
    sliced.plan = spec.timing.slices;
    sliced.noise = noise;
    return noise;
  }

  /**
   * @param {{ group: number, order: number, startedAt: string }} inRun
   * @param {FailedEnd} end
   * @returns {Launch}
   */
  failedLaunch(inRun, { code, message, phase, stderr, integrity }) {
    const { across, options } = this.context;
    const secrets = Object.values(options.brokerUrls);
    const fault = across === undefined ? describeLoopbackFault(message) : null;
    /** @param {string} text */
    const clean = (text) => redactText(text, secrets);
    return {
      status: 'failed',
      ...inRun,
      code,
      message: clean(fault === null ? message : `${message}; ${fault}`),
      phase,
      stderr: stderr.map(clean),
      integrity,
    };
  }
}

/** @param {SlicedLaunch | undefined} sliced @param {SliceNoise | undefined} noise @returns {Slices | undefined} undefined without slices */
function withNoise(sliced, noise) {
  const slices = sliced?.copySlices() ?? null;
  return slices === null ? undefined : { ...slices, ...noise };
}

/** @typedef {NonNullable<Awaited<ReturnType<LaunchNetworks['open']>>>} NetworkOfLaunch */

class LaunchNetworks {
  /** @param {string} folder   the folder of the run */
  constructor(folder) {
    this.folder = folder;
    /** @type {Promise<string> | undefined} */
    this.program = undefined;
  }

  /** @param {Pick<Cell, 'network'>} cell @param {string} folder   the folder of the launch */
  async open({ network }, folder) {
    if (network === undefined) return null;
    this.program ??= compileDelayLine(this.folder);
    const opened = await openNetwork(await this.program, parsePlannedNetwork(network), folder);
    const { masterAddress, beforeMaster, beforeWorkers, pid, countersPath, facts } = opened;
    /** @type {BrokersBeside | undefined} */
    let brokers;
    return {
      pid,
      before: beforeMaster,
      assigned: { bindAddress: masterAddress, network: { beforeWorkers, pid, countersPath, facts } },
      causeOfDeath: opened.causeOfDeath,
      /** Starts the brokers on the master's side. @param {Pick<ServeOrder, 'launch' | 'cpus'>} order @param {AbortSignal} signal */
      async serve(order, signal) {
        const start = { scratchDir: folder, bindAddress: masterAddress };
        brokers = await serveBeside(beforeMaster, { ...order, ...start }, signal);
        return brokers;
      },
      async close() {
        await brokers?.close();
        await opened.close();
      },
    };
  }
}
