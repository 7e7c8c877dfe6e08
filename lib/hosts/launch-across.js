// Replaces runLaunch for a launch on several hosts: one agent runs the controller, others start the workers. The launch succeeds or fails
// as a whole, with the first known cause, and all agents stop their work for a failed launch.

import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { withDeadline } from '../children/with-deadline.js';
import { BenchError } from '../errors.js';
import { makePortable } from '../launch/portable-spec.js';
import { HEARTBEAT_TIMEOUT_MS } from './heartbeat.js';
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
const BROKERS_START_MS = 60_000; // added if a launch starts private brokers, each of which has its own deadline to start
const CONTROLLER_NOTICED_MS = HEARTBEAT_TIMEOUT_MS + 700; // the loss of the controller's agent is detected within this time
// Above HEARTBEAT_TIMEOUT_MS, so that a lost host is reported as the cause, and not the deadline of its worker.
const MIN_DEADLINE_MS = HEARTBEAT_TIMEOUT_MS + 2_000;
const WORKERS_RESULT_MS = 2_000; // deadline for the results of the workers after the end of the controller

/**
 * @param {CommandChannel} sender
 * @param {HostChoice} choice
 * @param {Installation} [installation]   the installation of this host
 * @returns {typeof import('../run/launch.js').runLaunch}
 */
export function launchAcross(sender, choice, installation = new Installation()) {
  const run = randomBytes(8).toString('hex'); // id by which the master's agent keeps the private brokers for all launches of a run
  return async (localSpec, { padding, signal: interrupted, onPhase, startsBrokers }) => {
    interrupted.throwIfAborted();
    const hosts = assignWorkers(choice, localSpec.cell.workers);
    const spec = { ...localSpec, hosts, deadlines: extendDeadlines(localSpec.deadlines) };
    /** @type {LaunchCommandBase} */
    const base = {
      ...installation.describe(spec),
      ...packMessages(spec.messageFile, spec.cell.content),
      padding,
      link: { name: randomBytes(16).toString('hex'), key: Seal.makeKey().toString('base64') },
      spec: makePortable(spec),
    };
    /** @type {HostsPhase} */
    let phase = 'start';
    /** @type {Promise<WorkersResult>[]} */
    const workers = [];
    // Stops the work of all agents. The first reason is the failure of the launch, with which all its commands reject.
    const stopping = new AbortController();
    const { signal } = stopping;
    const interrupt = () => stopping.abort(new BenchError('INTERRUPTED', 'interrupted'));

    /** @param {string} host @param {Command} command @param {(event: LaunchEvent) => void} [onEvent] @returns {Promise<any>} */
    const send = async (host, command, onEvent) => {
      const result = await sender.send(host, spec.launchId, command, { signal, onEvent });
      if (result.status !== 'refused') return { ...result, host };
      // The loss of the controller's agent may be the cause, and is detected during this wait.
      if (result.isHangUp) await sleep(CONTROLLER_NOTICED_MS, undefined, { ref: false });
      throw new BenchError('HOST', `host ${host}: ${result.message}`);
    };

    /** @param {{ probeAddress: string, folder: string }} controller   folder: the launch's folder on its host */
    const startWorkers = ({ probeAddress, folder }) => {
      if (workers.length > 0) return; // an event may arrive twice
      const controllerAddress = {
        probeAddress,
        controller: choice.master,
        ...(choice.sharesFolder && { folder }),
      };
      for (const host of choice.workers) {
        const ids = Object.keys(hosts).filter((id) => hosts[id] === host);
        if (ids.length === 0) continue;
        const ended = send(host, { ...base, kind: 'workers', ...controllerAddress, ids });
        ended.catch((error) => stopping.abort(error));
        workers.push(ended);
      }
    };

    const endMs = spec.deadlines.lifeMs + SLACK_MS + (startsBrokers ? BROKERS_START_MS : 0);
    const deadline = setTimeout(() => {
      const message = `it did not finish within ${endMs} ms on its hosts: it hung during ${phase}`;
      stopping.abort(new BenchError('DEADLINE', message));
    }, endMs);
    interrupted.addEventListener('abort', interrupt, { once: true });
    try {
      /** @type {ControllerResult} */
      const controller = await send(choice.master, { ...base, kind: 'controller', run }, (event) => {
        if (event.event === 'awaiting') return startWorkers(event);
        phase = /** @type {HostsPhase} */ (event.phase);
        onPhase?.(phase);
      });
      const late = workers
        .map((result) => result.catch(() => null))
        .map((result) => withDeadline(result, WORKERS_RESULT_MS, () => null));
      return mergeResults(
        controller,
        (await Promise.all(late)).filter((result) => result !== null),
      );
    } catch (error) {
      if (interrupted.aborted || !(error instanceof BenchError)) throw error;
      const { code, message } = error;
      return { kind: 'failed', code, message, phase, integrity: null, stderr: [] };
    } finally {
      clearTimeout(deadline);
      interrupted.removeEventListener('abort', interrupt);
      stopping.abort();
    }
  };
}

/** @param {HostChoice} choice @param {number} count @returns {Record<string, string>} host by worker id, assigned round robin */
function assignWorkers({ workers }, count) {
  return Object.fromEntries(
    Array.from({ length: count }, (_, index) => [`w${index}`, workers[index % workers.length]]),
  );
}

/** @param {LaunchSpec['deadlines']} deadlines @returns {LaunchSpec['deadlines']} with at least MIN_DEADLINE_MS for reports and exits */
function extendDeadlines({ finishMs, exitMs, lifeMs, ...rest }) {
  const [extraFinishMs, extraExitMs] = [finishMs, exitMs].map((ms) => Math.max(0, MIN_DEADLINE_MS - ms));
  return {
    ...rest,
    finishMs: finishMs + extraFinishMs,
    exitMs: exitMs + extraExitMs,
    lifeMs: lifeMs + extraFinishMs + 2 * extraExitMs,
  };
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
