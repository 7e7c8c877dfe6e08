// Handles the commands of an agent: describe the host, calibrate, run the controller of a launch, or start workers for a controller on
// another host.

import { createHash } from 'node:crypto';
import { cpus, hostname } from 'node:os';
import { checkedValues } from '../cell/settings.js';
import { canPin } from '../children/launcher.js';
import { openScratch } from '../children/run-directory.js';
import { BenchError } from '../errors.js';
import { quoted } from '../format/printable.js';
import { refuseOtherHost } from '../launch/portable-spec.js';
import { readEnvironment } from '../machine/environment.js';
import { readSystemFile } from '../machine/kernel-text.js';
import { findNetworkLink } from '../machine/limits.js';
import { WorkGauge } from '../machine/noise.js';
import { pinnableCpus } from '../machine/placement.js';
import { measureWakeUp } from '../machine/wake-up.js';
import { BrokerPool, loadHops } from '../run/brokers/broker-pool.js';
import { calibrateHere } from '../run/diagnostics/calibration.js';
import { runController } from './controller-command.js';
import { Installation } from './installation.js';
import { withMessages } from './sent-messages.js';
import { runWorkers } from './worker-command.js';

/** @import { CalibrateCommand, Command, CommandHandler, CommandResult, DescribeCommand } from '../types/index.js' */
/** @import { InstalledPlugin } from './installation.js' */

const LAUNCH_ID = /^[a-z0-9][a-z0-9-]{0,39}$/i; // part of names of folders, sockets and topics

/** @returns a hash that is the same for all agents of a machine */
function machineId() {
  const text = readSystemFile('/proc/sys/kernel/random/boot_id') ?? `${hostname()} ${cpus().length}`;
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}

/** @param {Command} command @param {string} launchId @throws {BenchError} HOST */
function requireLaunch(command, launchId) {
  const id = quoted(launchId);
  if (!LAUNCH_ID.test(launchId)) throw new BenchError('HOST', `${id} is not a name of a launch`);
  if ('spec' in command && command.spec.launchId !== launchId)
    throw new BenchError('HOST', `the command belongs to launch ${id}, but its spec to another one`);
}

export class Agent {
  /**
   * @param {string} bindAddress
   * @param {{ sharedFolder?: string, plugins?: readonly InstalledPlugin[] }} [own]   sharedFolder: parent of the folders of launches, if
   *   other agents have to find them; plugins: the user's plug-ins
   */
  constructor(bindAddress, { sharedFolder, plugins } = {}) {
    this.installation = new Installation(plugins);
    this.sharedFolder = sharedFolder;
    this.bindAddress = bindAddress;
    this.cpus = pinnableCpus();
    this.gauge = new WorkGauge();
    this.brokers = new AgentBrokers(bindAddress, sharedFolder);
    /** @type {CommandHandler} */
    this.handle = this.handle.bind(this);
  }

  /** @type {CommandHandler} */
  async handle(command, context) {
    try {
      this.installation.requireCode(command);
      requireLaunch(command, context.launchId);
      if (command.kind === 'controller') return await runController(this, command, context);
      if (command.kind === 'workers') return await runWorkers(this, command, context);
      if (command.kind === 'calibrate') return await this.calibrate(command, context.signal);
      return await this.describe(command);
    } catch (error) {
      // The disk may be full, for example. The agent continues, since the next command may succeed.
      return { status: 'refused', message: /** @type {Error} */ (error).message };
    }
  }

  /** @param {DescribeCommand} command @returns {Promise<CommandResult>} */
  async describe({ withWakeUp }) {
    const { bindAddress, cpus, sharedFolder } = this;
    const facts = {
      bindAddress,
      machine: machineId(),
      environment: readEnvironment({ pinning: canPin() }),
      cpus,
      link: findNetworkLink(bindAddress),
      ...(sharedFolder && { sharedFolder }),
      ...(withWakeUp && { wakeUp: await measureWakeUp(cpus) }),
    };
    return { status: 'described', facts };
  }

  /** @param {CalibrateCommand} command @param {AbortSignal} signal @returns {Promise<CommandResult>} */
  async calibrate(command, signal) {
    const { task, plugins } = command;
    for (const part of [task, task.messageFile ?? null]) refuseOtherHost(part);
    const codecUrl = this.installation.findUrl('codec', String(plugins.codec));
    const scenario = await this.installation.loadOne('scenario', plugins.scenario);
    return withMessages(command, async (messageFileOf) => {
      const localised = {
        ...task,
        settings: checkedValues(scenario.plugin, task.settings, '--scenario '),
        messageFile: (task.messageFile && messageFileOf(task.messageFile)) ?? undefined,
        codecUrl,
        scenarioUrl: scenario.url,
      };
      const measured = await calibrateHere(localised, null, { cpus: this.cpus, signal });
      return /** @type {CommandResult} */ ({ status: 'calibrated', measured });
    });
  }

  async close() {
    await this.brokers.close();
  }
}

const KEPT_MS = 2_000; // the next launch follows within milliseconds; a broker takes up to 6 s to start

/**
 * The private brokers of a run on the host of its master: started for the first launch that needs one, and kept for KEPT_MS after each
 * launch, so there is no need to signal the end of the run.
 */
export class AgentBrokers {
  /** @param {string} bindAddress @param {string} [folder]   parent of the brokers' folders */
  constructor(bindAddress, folder) {
    this.bindAddress = bindAddress;
    this.folder = folder;
    /** @type {{ run: string, scratch: Awaited<ReturnType<typeof openScratch>>, pool: BrokerPool } | null} */
    this.kept = null;
    /** @type {NodeJS.Timeout | undefined} */
    this.timer = undefined;
    /** @type {Promise<unknown>} */
    this.closing = Promise.resolve();
  }

  /**
   * @param {string} run
   * @param {import('../run/brokers/broker-pool.js').LaunchHops} launch
   * @param {{ cpus: number[][], signal: AbortSignal }} how   signal: aborts the start of a broker, which may take seconds
   * @returns {ReturnType<BrokerPool['serve']>}
   */
  async serve(run, launch, { cpus, signal }) {
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

  /**
   * Closes the brokers at once after an aborted launch, otherwise after KEPT_MS without another one. To be called after each launch.
   * @param {boolean} isAborted   whether the launch was aborted, so that no other one may follow
   */
  async rest(isAborted) {
    if (isAborted) await this.close();
    else if (this.kept !== null) this.timer = setTimeout(() => this.close(), KEPT_MS);
  }

  /** Also waits for brokers that an earlier call has begun to close. */
  async close() {
    clearTimeout(this.timer);
    const { kept } = this;
    this.kept = null;
    const end = async () => {
      await kept?.pool.close();
      await kept?.scratch.remove();
    };
    this.closing = Promise.all([this.closing, end()]);
    await this.closing;
  }
}
