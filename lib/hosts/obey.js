// What an agent does: it leads a launch, or starts workers for the leader of one, as an order says; one order at a time. By
// which way orders come is the business of an engine.

import { createHash } from 'node:crypto';
import { cpus, hostname } from 'node:os';
import { runLaunch } from '../conductor/launch.js';
import { brokerPidsOf, explainedByBroker } from '../conductor/launch-brokers.js';
import { countPrivate, withHops } from '../conductor/serve-hops.js';
import { lendWorker } from '../launch/lent-worker.js';
import { readEnvironment } from '../machine/environment.js';
import { memoryOfLaunch } from '../machine/free-memory.js';
import { networkLinkOf } from '../machine/network-link.js';
import { watchNoise } from '../machine/noise.js';
import { cpusToPlaceOn, placesOf } from '../machine/placement.js';
import { SpinGauge } from '../machine/spin.js';
import { readSystemFile } from '../machine/system-file.js';
import { builtinUrl } from '../plugins/builtins.js';
import { lastLines } from '../processes/last-lines.js';
import { canPin, thisProgram } from '../processes/launcher.js';
import { openScratch } from '../processes/scratch.js';
import { tierUpFlags } from '../processes/tier-up.js';
import { AgentBrokers } from './agent-brokers.js';
import { whyOtherCode } from './code-facts.js';
import { seeFolder } from './shared-folder.js';

/** @import { Assignment } from '../launch/assignment.js' */
/** @import { Places } from '../machine/placement.js' */
/** @import { LeadOrder, Obey, OrderEnd, WorkOrder } from '../types/hosts.js' */

/** @returns {string} the same for all agents of one machine, and of no use but to be compared */
function machineId() {
  const text = readSystemFile('/proc/sys/kernel/random/boot_id') ?? `${hostname()} ${cpus().length}`;
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}

export class Agent {
  /** @param {string} bindAddress @param {string} [sharedFolder]   that what it makes for launches is in; absent: nobody else looks for it */
  constructor(bindAddress, sharedFolder) {
    this.sharedFolder = sharedFolder;
    this.bindAddress = bindAddress;
    this.cpus = cpusToPlaceOn();
    this.gauge = new SpinGauge();
    this.brokers = new AgentBrokers(bindAddress, sharedFolder);
    /** @type {Obey} */
    this.obey = this.obey.bind(this);
  }

  /** @type {Obey} */
  async obey(order, launch) {
    const why = whyOtherCode(order);
    if (why !== null) return { status: 'refused', message: why };
    try {
      if (order.kind === 'lead') return await this.lead(order, launch);
      if (order.kind === 'work') return await this.work(order, launch);
    } catch (error) {
      // A full disk, no memory for a process: nothing that this agent could not try again.
      return { status: 'refused', message: /** @type {Error} */ (error).message };
    }
    const { bindAddress, cpus, sharedFolder } = this;
    const environment = readEnvironment({ pinning: canPin() });
    const link = networkLinkOf(bindAddress);
    const shared = sharedFolder && { sharedFolder };
    return {
      status: 'met',
      facts: { bindAddress, machine: machineId(), environment, link, cpus, ...shared },
    };
  }

  /** @param {LeadOrder} order @param {Parameters<Obey>[1]} launch @returns {Promise<OrderEnd>} */
  async lead(order, { launchId, tell, signal }) {
    const { padding, tierUp } = order;
    const scratch = await openScratch(this.sharedFolder);
    try {
      const { places, ...found } = await this.assignmentHere(order, await scratch.folderFor(launchId));
      const cpus = places?.brokers ?? [];
      const { hops, served } = await this.brokers.serve(order, found.assignment, { cpus, signal });
      const here = withHops(found.assignment, hops);
      const noise = this.watchNoise(places, brokerPidsOf(hops));
      const end = await runLaunch(here, {
        ...{ padding, signal, nodeFlags: tierUpFlags(tierUp) },
        onPhase: (phase) => tell({ news: 'phase', phase }),
        onPort: (address) => tell({ news: 'port', address, folder: here.scratchDir }),
      });
      const told = end.kind === 'failed' ? explainedByBroker(end, hops) : { ...end, served };
      return { status: 'led', end: told, noise: noise() };
    } finally {
      await this.brokers.rest(signal.aborted);
      await scratch.remove();
    }
  }

  /**
   * @param {LeadOrder} order
   * @param {string} scratchDir
   * @returns {Promise<{ assignment: Assignment, places: Places | null }>} by what is on this host, as yet without its brokers
   */
  async assignmentHere({ assignment, plugins, hosts, between }, scratchDir) {
    const { transport, codec, scenario, toMaster } = plugins;
    const { cell, memoryLimitBytes } = assignment;
    // Commands and files of the host where the run was started are none of this one's.
    const { programs: _programs, profileDir: _profileDir, ...taken } = assignment;
    const here = {
      ...taken,
      ...{ network: null, messageFile: null, broker: null },
      scratchDir,
      transportUrl: builtinUrl('transport', transport),
      codecUrl: codec === null ? null : builtinUrl('codec', codec),
      scenarioUrl: builtinUrl('scenario', scenario),
      toMaster: assignment.toMaster && {
        ...assignment.toMaster,
        broker: null,
        transportUrl: builtinUrl('transport', String(toMaster)),
      },
      memoryLimitBytes: memoryLimitBytes === null ? null : memoryOfLaunch(),
      bindAddress: this.bindAddress,
      hosts,
    };
    const places = placesOf(cell.placement, 0, await countPrivate(here), this.cpus, between);
    const { brokers: _brokers, ...cpus } = places ?? { brokers: [] };
    return { assignment: { ...here, cpus: places && /** @type {Assignment['cpus']} */ (cpus) }, places };
  }

  /** @param {WorkOrder} order @param {Parameters<Obey>[1]} launch @returns {Promise<OrderEnd>} */
  async work({ ids, address, token, padding, tierUp, isPinned, folder }, { signal }) {
    const { cpus } = this;
    if (folder !== undefined) seeFolder(folder, this.sharedFolder);
    const placeOf = (/** @type {number} */ index) =>
      isPinned && cpus !== null ? [cpus[index % cpus.length]] : null;
    const places = placeOf(0) && {
      master: [],
      workers: ids.map((_, index) => placeOf(index) ?? []),
      brokers: [],
    };
    const noise = this.watchNoise(places, []);
    const stderr = lastLines();
    const program = { ...thisProgram(tierUpFlags(tierUp)), sharesClock: true };
    const ended = await Promise.allSettled(
      ids.map((id, index) =>
        lendWorker({
          ...{ id, address, token, signal, cpus: placeOf(index) },
          start: { padding, program },
          onStderr: stderr.take,
        }),
      ),
    );
    const roundTripUs = Math.min(
      ...ended.map((one) => (one.status === 'fulfilled' ? one.value.roundTripUs : Infinity)),
    );
    const failed = ended.find((one) => one.status === 'rejected');
    if (failed !== undefined) {
      const { message, code } = /** @type {any} */ (failed).reason;
      return { status: 'refused', message, ...(code === 'TRANSPORT' && { isHangUp: true }) };
    }
    return {
      status: 'worked',
      stderr: stderr.lines(),
      noise: noise(),
      roundTripUs,
      cpus: Object.fromEntries(ids.map((id, index) => [id, placeOf(index)])),
    };
  }

  /** @param {Places | null} places @param {number[] | null} brokerPids */
  watchNoise(places, brokerPids) {
    return watchNoise({ gauge: this.gauge, brokerPids, places });
  }

  async close() {
    await this.brokers.close();
  }
}
