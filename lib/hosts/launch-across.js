// Replaces runLaunch for a launch on several hosts: one agent runs the controller, others start the workers. The launch succeeds or fails
// as a whole, with the first known cause, and all agents stop their work for a failed launch.

import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { withDeadline } from '../children/with-deadline.js';
import { BenchError } from '../errors.js';
import { makePortable } from '../launch/portable-spec.js';
import { LIFE_MS } from './control-redis.js';
import { Installation } from './installation.js';
import { Seal } from './seal.js';
import { packMessages } from './sent-messages.js';

/** @import { LaunchEnd } from '../run/launch.js' */
/** @import { LaunchSpec } from '../launch/launch-spec.js' */
/** @import { Command, CommandResult, HostChoice, HostNoise, LaunchCommandBase, LaunchEvent, ProcessCost, CommandChannel } from '../types/index.js' */
/** @typedef {Extract<LaunchEnd, { kind: 'failed' }>['phase']} HostsPhase */
/** @typedef {Extract<CommandResult, { status: 'controller-ended' }> & { host: string }} ControllerResult */
/** @typedef {Extract<CommandResult, { status: 'workers-ended' }> & { host: string }} WorkersResult */

const SLACK_MS = 15_000; // covers commands, their results, and the work of an agent before and after a launch
const BROKERS_START_MS = 60_000; // each broker has a separate deadline
const CONTROLLER_NOTICED_MS = LIFE_MS + 700; // the loss of the controller's agent is detected within this time
const EXIT_MS = LIFE_MS + 2_000; // a lost host is the cause to report, not the deadline of a worker that runs there
const WORKERS_RESULT_MS = 2_000; // deadline for the results of the workers after the end of the controller

class LaunchAcross {
  /**
   * @param {CommandChannel} sender
   * @param {HostChoice} choice
   * @param {LaunchSpec} spec
   * @param {{ run: string, installation: Installation, padding: string }} start
   */
  constructor(sender, choice, spec, { run, installation, padding }) {
    this.run = run;
    this.sender = sender;
    this.choice = choice;
    const { workers } = choice;
    /** @type {Record<string, string>} host by worker id, assigned round robin */
    this.hosts = Object.fromEntries(
      Array.from({ length: spec.cell.workers }, (_, index) => [`w${index}`, workers[index % workers.length]]),
    );
    this.launchId = spec.launchId;
    /** @type {LaunchCommandBase} */
    this.base = {
      ...installation.describe(spec),
      ...packMessages(spec.messageFile, spec.cell.content),
      padding,
      link: { name: randomBytes(16).toString('hex'), key: Seal.makeKey().toString('base64') },
      spec: makePortable({ ...spec, hosts: this.hosts }),
    };
    /** @type {HostsPhase} */
    this.phase = 'start';
    this.stopping = new AbortController();
    /** @type {Promise<WorkersResult>[]} */
    this.workers = [];
    /** Rejects with the first failure. @type {Promise<never>} */
    this.failed = new Promise((_, reject) => {
      this.fail = reject;
    });
    this.failed.catch(() => {}); // handled where the result of the controller is awaited
  }

  /** @param {string} host @param {Command} command @param {(event: LaunchEvent) => void} [onEvent] @returns {Promise<any>} */
  async send(host, command, onEvent) {
    const { signal } = this.stopping;
    const result = await this.sender.send(host, this.launchId, command, { signal, onEvent });
    if (result.status !== 'refused') return { ...result, host };
    // The loss of the controller's agent may be the cause, and is detected during this wait.
    if (result.isHangUp) await sleep(CONTROLLER_NOTICED_MS, undefined, { ref: false });
    throw new BenchError('HOST', `host ${host}: ${result.message}`);
  }

  /** @param {(phase: HostsPhase) => void} [onPhase] @returns {Promise<ControllerResult>} */
  runController(onPhase) {
    return this.send(this.choice.master, { ...this.base, kind: 'controller', run: this.run }, (event) => {
      if (event.event === 'awaiting') this.startWorkers(event);
      else {
        this.phase = /** @type {HostsPhase} */ (event.phase);
        onPhase?.(this.phase);
      }
    });
  }

  /** @param {{ probeAddress: string, folder: string }} controller   folder: the launch's folder on its host */
  startWorkers({ probeAddress, folder }) {
    if (this.workers.length > 0) return; // an event may arrive twice
    const { base, hosts, choice } = this;
    for (const host of choice.workers) {
      const ids = Object.keys(hosts).filter((id) => hosts[id] === host);
      if (ids.length === 0) continue;
      const shared = choice.sharesFolder ? { folder } : {};
      const ended = this.send(host, {
        ...base,
        kind: 'workers',
        probeAddress,
        controller: choice.master,
        ids,
        ...shared,
      });
      ended.catch(this.fail);
      this.workers.push(ended);
    }
  }

  /** @param {ControllerResult} controller @returns {Promise<LaunchEnd>} merged with the results of the workers' agents */
  async complete(controller) {
    const results = await Promise.all(
      this.workers.map((result) =>
        withDeadline(
          result.catch(() => null),
          WORKERS_RESULT_MS,
          () => null,
        ),
      ),
    );
    return mergeResults(
      controller,
      results.filter((result) => result !== null),
    );
  }
}

/**
 * @param {CommandChannel} sender
 * @param {HostChoice} choice
 * @param {Installation} [installation]   the installation of this host
 * @returns {typeof import('../run/launch.js').runLaunch}
 */
export function launchAcross(sender, choice, installation = new Installation()) {
  const run = randomBytes(8).toString('hex');
  return async (localSpec, { padding, signal, onPhase, startsBrokers }) => {
    signal.throwIfAborted();
    const spec = { ...localSpec, deadlines: extendExit(localSpec.deadlines) };
    const launch = new LaunchAcross(sender, choice, spec, { run, installation, padding });
    const endMs = spec.deadlines.lifeMs + SLACK_MS + (startsBrokers ? BROKERS_START_MS : 0);
    const deadline = setTimeout(() => {
      const message = `it did not finish within ${endMs} ms on its hosts: it hung during ${launch.phase}`;
      launch.fail(new BenchError('DEADLINE', message));
    }, endMs);
    const interrupt = () => launch.fail(new BenchError('INTERRUPTED', 'interrupted'));
    signal.addEventListener('abort', interrupt, { once: true });
    try {
      return await launch.complete(await Promise.race([launch.runController(onPhase), launch.failed]));
    } catch (error) {
      if (signal.aborted || !(error instanceof BenchError)) throw error;
      const { code, message } = error;
      return { kind: 'failed', code, message, phase: launch.phase, integrity: null, stderr: [] };
    } finally {
      clearTimeout(deadline);
      signal.removeEventListener('abort', interrupt);
      launch.stopping.abort();
    }
  };
}

/**
 * @param {LaunchSpec['deadlines']} deadlines
 * @returns {LaunchSpec['deadlines']} with exitMs of at least EXIT_MS; lifeMs, which contains exitMs twice, grows by twice as much
 */
function extendExit({ exitMs, lifeMs, ...rest }) {
  const extraMs = Math.max(0, EXIT_MS - exitMs);
  return { ...rest, exitMs: exitMs + extraMs, lifeMs: lifeMs + 2 * extraMs };
}

/** @param {HostNoise[]} all @returns {HostNoise} the worst value of each reading */
function selectWorst(all) {
  const worst = (/** @type {keyof HostNoise} */ key) => {
    const known = all.map((noise) => noise[key]).filter((value) => value !== null);
    return known.length === 0 ? null : Math.max(...known);
  };
  return {
    othersShare: worst('othersShare'),
    stealShare: worst('stealShare'),
    pressureShare: worst('pressureShare'),
    throttledPeriods: worst('throttledPeriods'),
    spinRatio: Number(worst('spinRatio')),
  };
}

/** @param {ControllerResult} controller @param {WorkersResult[]} workers @returns {LaunchEnd} */
function mergeResults(controller, workers) {
  const { end } = controller;
  if (end.kind === 'failed')
    return { ...end, stderr: [...end.stderr, ...workers.flatMap(({ stderr }) => stderr)] };
  const all = [controller, ...workers];
  const cpus = Object.assign({}, ...workers.map((result) => result.cpus));
  const costs = end.fields.costs.map((/** @type {ProcessCost} */ cost) => {
    if (!Object.hasOwn(cpus, cost.name)) return cost;
    const { helperCpus: _ofTheController, ...ofWorker } = cost;
    return { ...ofWorker, cpus: cpus[cost.name] };
  });
  const toController = workers.map(({ host, roundTripUs }) => [host, { roundTripUs }]);
  return {
    ...end,
    fields: { ...end.fields, costs, toController: Object.fromEntries(toController) },
    noise: {
      ...selectWorst(all.map(({ noise }) => noise)),
      hosts: Object.fromEntries(all.map(({ host, noise }) => [host, noise])),
    },
  };
}
