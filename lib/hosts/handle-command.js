// What an agent does: it says what it is, leads a launch, or starts workers for the controller of one, as an order says; one order
// at a time. By which way orders come is the business of an engine.

import { createHash } from 'node:crypto';
import { cpus, hostname } from 'node:os';
import { checkedValues } from '../cell/settings.js';
import { canPin } from '../children/launcher.js';
import { openScratch } from '../children/run-directory.js';
import { quoted } from '../format/printable.js';
import { refuseOtherHost } from '../launch/portable-spec.js';
import { readEnvironment } from '../machine/environment.js';
import { readSystemFile } from '../machine/kernel-text.js';
import { findNetworkLink } from '../machine/limits.js';
import { WorkGauge, watchNoise } from '../machine/noise.js';
import { cpusToPlaceOn } from '../machine/placement.js';
import { measureWakeUp } from '../machine/wake-up.js';
import { BrokerPool, loadHops } from '../run/brokers/broker-pool.js';
import { calibrateHere } from '../run/diagnostics/calibration.js';
import { controlLaunchHere } from './controller-command.js';
import { Installation } from './installation.js';
import { withMessages } from './sent-messages.js';
import { startRemoteWorkers } from './worker-command.js';

/** @import { Places } from '../machine/placement.js' */
/** @import { AgentFacts, ControlOrder, LeadOrder, MeetOrder, Obey, Order, OrderEnd } from '../types/index.js' */
/** @import { Part } from './installation.js' */

const LAUNCH_ID = /^[a-z0-9][a-z0-9-]{0,39}$/i; // a part of the names of folders, sockets and topics

/** @returns the same for all agents of one machine, and of no use but to be compared */
function machineId() {
  const text = readSystemFile('/proc/sys/kernel/random/boot_id') ?? `${hostname()} ${cpus().length}`;
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}

/** @param {Order} order @param {string} launchId @returns why it is refused; null: it is not */
function otherLaunchProblem(order, launchId) {
  if (!LAUNCH_ID.test(launchId)) return `${quoted(launchId)} is no name of a launch`;
  if (!('spec' in order) || order.spec.launchId === launchId) return null;
  return `it was told of the launch ${quoted(launchId)}, and the order is about another`;
}

export class Agent {
  /**
   * @param {string} bindAddress
   * @param {{ sharedFolder?: string, plugins?: readonly Part[] }} [own]   sharedFolder: that what it makes for launches is in, absent: nobody
   *   else looks for it; plugins: beside those that are built in
   */
  constructor(bindAddress, { sharedFolder, plugins } = {}) {
    this.installation = new Installation(plugins);
    this.sharedFolder = sharedFolder;
    this.bindAddress = bindAddress;
    this.cpus = cpusToPlaceOn();
    this.gauge = new WorkGauge();
    this.brokers = new AgentBrokers(bindAddress, sharedFolder);
    /** @type {Obey} */
    this.obey = this.obey.bind(this);
  }

  /** @type {Obey} */
  async obey(order, launch) {
    const why = this.installation.whyOtherCode(order) ?? otherLaunchProblem(order, launch.launchId);
    if (why !== null) return { status: 'refused', message: why };
    try {
      if (order.kind === 'lead') return await controlLaunchHere(this, order, launch);
      if (order.kind === 'work') return await startRemoteWorkers(this, order, launch);
      if (order.kind === 'control') return await this.control(order, launch.signal);
      return { status: 'met', facts: await this.facts(order) };
    } catch (error) {
      // A full disk, no memory for a process: nothing that this agent could not try again.
      return { status: 'refused', message: /** @type {Error} */ (error).message };
    }
  }

  /** @param {MeetOrder} order @returns {Promise<AgentFacts>} */
  async facts({ hasControls }) {
    const { bindAddress, cpus, sharedFolder } = this;
    return {
      bindAddress,
      machine: machineId(),
      environment: readEnvironment({ pinning: canPin() }),
      cpus,
      link: findNetworkLink(bindAddress),
      ...(sharedFolder && { sharedFolder }),
      ...(hasControls && { wakeUp: await measureWakeUp(cpus) }),
    };
  }

  /** @param {ControlOrder} order @param {AbortSignal} signal @returns {Promise<OrderEnd>} */
  async control(order, signal) {
    const { cpus } = this;
    const { task, plugins } = order;
    for (const part of [task, task.messageFile ?? null]) refuseOtherHost(part);
    const codecUrl = this.installation.existing({ kind: 'codec', name: String(plugins.codec) });
    const scenario = await this.installation.loadOne('scenario', plugins.scenario);
    return withMessages(order, async (messageFileHere) => {
      const here = {
        ...task,
        settings: checkedValues(scenario.plugin, task.settings, '--scenario '),
        messageFile: (task.messageFile && messageFileHere(task.messageFile)) ?? undefined,
        codecUrl,
        scenarioUrl: scenario.url,
      };
      const measured = await calibrateHere(here, null, { cpus, signal });
      return { status: /** @type {const} */ ('controlled'), measured };
    });
  }

  /** @param {Places | null} places @param {number[] | null} brokerPids */
  watchNoise(places, brokerPids) {
    return watchNoise({ gauge: this.gauge, brokerPids, places });
  }

  async close() {
    await this.brokers.close();
  }
}

// The private brokers of a run on the host of its master: started for the first launch that needs one, kept while launches follow
// each other, and ended with the run, which nobody need tell: then no launch follows.
const KEPT_MS = 2_000; // a launch follows the one before it within some ms; a broker takes up to 6 s to start

export class AgentBrokers {
  /** @param {string} bindAddress   that they listen at @param {string} [folder]   that theirs are in; absent: the system's */
  constructor(bindAddress, folder) {
    this.bindAddress = bindAddress;
    this.folder = folder;
    /** @type {{ run: string, pool: BrokerPool, scratch: Awaited<ReturnType<typeof openScratch>> } | null} */
    this.kept = null;
    /** @type {NodeJS.Timeout | undefined} */
    this.timer = undefined;
    /** @type {Promise<unknown>} */
    this.closing = Promise.resolve();
  }

  /**
   * @param {Pick<LeadOrder, 'run'>} order
   * @param {import('../run/brokers/broker-pool.js').LaunchHops} launch
   * @param {{ cpus: number[][], signal: AbortSignal }} place   signal: the launch is given up, and so is a start that takes seconds
   * @returns {ReturnType<BrokerPool['serve']>}
   */
  async serve({ run }, launch, { cpus, signal }) {
    clearTimeout(this.timer);
    if (this.kept?.run !== run) await this.close();
    this.kept ??= await this.openPool(run);
    const { pool } = this.kept;
    const giveUp = () => pool.giveUp(signal.reason);
    signal.addEventListener('abort', giveUp);
    try {
      signal.throwIfAborted();
      return await pool.serve(await loadHops(launch, cpus));
    } finally {
      signal.removeEventListener('abort', giveUp);
    }
  }

  /** @param {string} run */
  async openPool(run) {
    const scratch = await openScratch(this.folder);
    return { run, scratch, pool: new BrokerPool(scratch.path, { bindAddress: this.bindAddress }) };
  }

  /** The launch is over. @param {boolean} isGivenUp   and nobody says whether another one follows */
  async rest(isGivenUp) {
    if (isGivenUp) await this.close();
    else if (this.kept !== null) this.timer = setTimeout(() => this.close(), KEPT_MS);
  }

  async close() {
    clearTimeout(this.timer);
    const { kept } = this;
    this.kept = null;
    const end = async () => {
      await kept?.pool.close();
      await kept?.scratch.remove();
    };
    // Others wait for an end that has begun.
    this.closing = Promise.all([this.closing, end()]);
    await this.closing;
  }
}
