// Makes the spec of one launch from a cell, the options and the CPUs.

import { randomBytes } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { furtherConnections, loopsInAll } from '../cell/connections.js';
import {
  allRoles,
  CONTROLLER,
  findRuntime,
  furtherProcesses,
  runtimeArgs,
  THIS_NODE,
  transportToMaster,
} from '../cell/launch-roles.js';
import { resolveTraits, settingDefaults } from '../cell/traits.js';
import { LOOPBACK } from '../channels/addresses.js';
import { START_MS_PER_WORKER } from '../channels/admission.js';
import { US_PER_MS } from '../format/units.js';
import { stepsPerUs } from '../machine/busy-work.js';
import { memoryOfLaunch } from '../machine/limits.js';
import { chooseCpuSets, pacingAt } from '../machine/placement.js';
import { greatestPayloadBytes } from '../plan/skip-reasons.js';
import { MAX_SLICE_MS, planTiming } from '../plan/timing.js';

/** @import { LaunchSpec, Deadlines } from '../launch/launch-spec.js' */
/** @import { Broker, Cell, FoundRuntime, Options, PeerProgram, Program, Scenario, Timing } from '../types/index.js' */
/** @import { LoadedPlugins } from '../plugins/plugins.js' */

const ESCAPED_BYTES_PER_BYTE = 6; // the longest JSON escape of a byte of text
const ENVELOPE_BYTES = 1_024;

/**
 * @param {Cell} cell
 * @param {object} parts
 * @param {Options} parts.options
 * @param {LoadedPlugins} parts.plugins
 * @param {number[] | null} parts.cpus        usable CPUs, in the order in which launches use them; null if processes cannot be pinned
 * @param {(broker: Broker | undefined) => boolean} [parts.isOurs]   whether the run starts a private server; false by default
 */
export function prepareCell(cell, { options, plugins, cpus, isOurs = () => false }) {
  const transport = loaded(plugins.transports, cell.transport);
  const scenario = loaded(plugins.scenarios, cell.scenario);
  const { chosen = {} } = scenario.plugin;
  const serialisesItself = transport.plugin.serialises?.includes(cell.codec) === true;
  const codec = serialisesItself ? null : loaded(plugins.codecs, cell.codec);
  // Scenarios of cold starts measure programs without V8 flags.
  const requestedTierUp = scenario.plugin.isCold ? 'usual' : options.tierUp;
  const selected = selectPrograms(cell, plugins.runtimes, scenario.plugin);
  const { programs, peer, tierUp = requestedTierUp } = selected;
  const onward = resolveOnward(scenario.plugin, plugins);
  const between = furtherProcesses(scenario.plugin);
  const privateBrokers = [transport.plugin.broker, onward?.plugin.broker].filter(isOurs).length;
  const cpuSets = chooseCpuSets(cell.placement, cell.workers, privateBrokers, cpus, between);
  const processes = 1 + between.length + cell.workers + privateBrokers;
  // 'spin' checks the schedule in every iteration of the event loop, which costs nothing if the worker never sleeps.
  const traits = resolveTraits(transport.plugin, cell.settings);
  const traitsOnward = onward && resolveTraits(onward.plugin, onward.settings);
  const isCostly = traits.isCostly ?? traitsOnward?.isCostly;
  const isSpinning = traits.isSpinning === true || traitsOnward?.isSpinning === true;
  const neverSleeps = cell.poll === 'busy' || isSpinning;
  // A master that paces also receives all responses. It uses timers even on a CPU of its own, since spinning would be part of its CPU time.
  const isPacedByMaster = scenario.plugin.isPacedByMaster?.(chosen) === true;
  const usable = cpus?.length ?? availableParallelism();
  const pacing = neverSleeps ? 'spin' : isPacedByMaster ? 'tick' : pacingAt(cpuSets, processes, usable);
  const tasks = planWork(scenario.plugin.tasks?.(chosen));
  const spec = {
    cell,
    settings: { ...settingDefaults(transport.plugin), ...cell.settings },
    transportUrl: transport.url,
    ...(programs && { programs }),
    ...(peer && { peer }),
    toMaster: onward && {
      transportUrl: onward.url,
      settings: { ...settingDefaults(onward.plugin), ...onward.settings },
    },
    codecUrl: codec === null ? null : codec.url,
    scenarioUrl: scenario.url,
    scenarioSettings: chosen,
    isPublished: scenario.plugin.isPublished?.(chosen) ?? false,
    sharedQueue: scenario.plugin.sharedQueue?.(chosen, cell) ?? null,
    tasks,
    kills: scenario.plugin.kills?.(chosen) ?? 0,
    wireKind: codec === null ? /** @type {const} */ ('value') : codec.plugin.produces,
    memoryLimitBytes: scenario.plugin.isByTime || cell.connections !== undefined ? memoryOfLaunch() : null,
    messageFile: options.messageFile ?? null,
    maxMessageBytes:
      Math.max(greatestPayloadBytes(cell, options), tasks?.resultBytes ?? 0) * ESCAPED_BYTES_PER_BYTE +
      ENVELOPE_BYTES,
    open: openPlan(cell, options, pacing),
    tierUp: requestedTierUp,
    timing: planTiming(
      { ...options, tierUp },
      cell,
      { isCostly, neverSleeps, hasPeer: !!peer },
      scenario.plugin,
    ),
  };
  return {
    spec,
    transport: transport.plugin,
    transportToMaster: onward?.plugin ?? null,
    cpuSets,
    privateBrokers,
    isSpinning,
    // The least window contains all pauses of a scenario that pauses between operations.
    slowestOperationMs: scenario.plugin.leastWindowMs ?? 0,
  };
}

/**
 * Sets the number of steps, which is the same in all launches of the run.
 * @param {ReturnType<NonNullable<Scenario['tasks']>>} [tasks]
 * @returns {LaunchSpec['tasks']}
 */
function planWork(tasks) {
  if (tasks === undefined) return null;
  const { workUs } = tasks;
  return { ...tasks, steps: workUs === 0 ? 0 : Math.round(workUs * stepsPerUs()) };
}

/** @param {Cell} cell @param {Parameters<typeof prepareCell>[1]} parts @returns {boolean} false if its launches need the machine alone */
export function isMeasuredInSlices(cell, parts) {
  return prepareCell(cell, parts).spec.timing.slices !== undefined;
}

/** @typedef {'launchId' | 'scratchDir' | 'seed' | 'brokerUrl' | 'broker'} OfLaunch */
/**
 * @param {ReturnType<typeof prepareCell>} prepared
 * @param {Pick<LaunchSpec, OfLaunch> & Partial<Pick<LaunchSpec, 'bindAddress' | 'network'>> &
 *   { toMaster?: Pick<LaunchSpec, 'brokerUrl' | 'broker'>, deadlines: Partial<Deadlines>, groupSize?: number }} launch   The default is the loopback
 *   interface, no emulated network, and a last hop without a broker. `deadlines` override the defaults.
 * @returns {LaunchSpec}
 */
export function assign(
  { spec, transport, cpuSets, slowestOperationMs },
  { toMaster, deadlines, groupSize, ...launch },
) {
  const { cell, timing } = spec;
  const mayLose = resolveTraits(transport, cell.settings).loss === 'possible';
  return {
    ...spec,
    bindAddress: LOOPBACK,
    network: null,
    hosts: null,
    ...launch,
    toMaster: spec.toMaster && { ...spec.toMaster, ...(toMaster ?? NO_BROKER) },
    token: randomBytes(16).toString('hex'),
    cpus: cpusOfRoles(cpuSets),
    deadlines: {
      ...computeDeadlines(cell, timing, { mayLose, slowestOperationMs, tasks: spec.tasks, groupSize }),
      ...deadlines,
    },
  };
}

/** @param {Scenario} scenario @param {LoadedPlugins} plugins @returns the transport of the last hop, if it differs from that of the cell */
function resolveOnward(scenario, { onward }) {
  const label = transportToMaster(scenario);
  if (label === null) return null;
  const loaded = onward?.get(label);
  if (loaded === undefined) throw new Error(`${label} was not loaded`);
  return loaded;
}

/**
 * Omits the CPUs of brokers, which are pinned when they start.
 * @param {ReturnType<typeof chooseCpuSets>} cpuSets
 * @returns {LaunchSpec['cpus']}
 */
function cpusOfRoles(cpuSets) {
  if (cpuSets === null) return null;
  const { brokers, ...ofRoles } = cpuSets;
  return ofRoles;
}

/** @param {Cell} cell @param {Options} options @param {'spin' | 'tick'} pacing @returns {LaunchSpec['open']} */
function openPlan({ ratePerSecond }, { open }, pacing) {
  if (ratePerSecond === undefined || open === undefined) return null;
  // A recorded program sends from an event loop that sleeps between messages, so spinning would distort its CPU time.
  const ofProgram = open.arrivals === 'recorded' ? 'tick' : pacing;
  return { arrivals: open.arrivals, pacing: ofProgram };
}

const NO_BROKER = Object.freeze({ brokerUrl: null, broker: null });

/** @template T @param {Map<string, T>} plugins @param {string} name @returns {T} */
function loaded(plugins, name) {
  const plugin = plugins.get(name);
  if (plugin === undefined) throw new Error(`the plug-in ${name} is not loaded`);
  return plugin;
}

const CONNECT_DEADLINE_MS = 15_000; // A fork takes 60 to 140 ms on an idle core, and many times that on a busy one.
const REPLY_DEADLINE_MS = 10_000; // the default of autocannon
// A lost message stops its loop for this time, about a thousand times as long as a response takes on one machine.
const LOSSY_REPLY_DEADLINE_MS = 500;
const EXIT_DEADLINE_MS = 5_000;
const SLOW_CONNECTION_MS = 10; // On a quiet machine, one more connection takes 1 ms.

const SLOW_BYTES_PER_MS = 5_000; // 5 MB/s; even a loaded machine encodes, moves and verifies large payloads faster than that
// JSON encodes a Buffer as a list of numbers. A round trip of 1 MB has taken 150 ms of CPU time.
const SLOW_BUFFER_BYTES_PER_MS = 500;
const SLOWEST_MESSAGE_MS = 50; // per loop; Nagle's algorithm with delayed acknowledgements takes 40 ms

const MAX_TIMER_MS = 2 ** 31 - 1; // a timer with a longer delay fires at once

/**
 * @param {Cell} cell
 * @param {Timing} timing
 * @param {{ mayLose: boolean, slowestOperationMs: number, tasks?: LaunchSpec['tasks'], groupSize?: number }} load   `mayLose`: messages may get
 *   lost; `slowestOperationMs`: longest pauses of an operation, or 0; `tasks`: a worker runs them one after the other; `groupSize`: launches that
 *   live at the same time
 * @returns {Deadlines}
 */
export function computeDeadlines(cell, timing, { mayLose, slowestOperationMs, tasks = null, groupSize = 1 }) {
  const { workUs = 0, resultBytes = 0 } = tasks ?? {};
  const bytes = Math.max(cell.payloadBytes, resultBytes);
  const bytesPerMs = cell.content === 'bytes' ? SLOW_BUFFER_BYTES_PER_MS : SLOW_BYTES_PER_MS;
  const inFlightMs = loopsInAll(cell) * (bytes / bytesPerMs + workUs / US_PER_MS);
  const replyMs = (mayLose ? LOSSY_REPLY_DEADLINE_MS : REPLY_DEADLINE_MS) + inFlightMs;
  const furtherMs = furtherConnections(cell) * SLOW_CONNECTION_MS;
  const connectMs = CONNECT_DEADLINE_MS + cell.workers * START_MS_PER_WORKER + inFlightMs + furtherMs;
  const exitMs = EXIT_DEADLINE_MS + furtherMs;
  const finishMs = replyMs + EXIT_DEADLINE_MS;
  const budgetMs =
    timing.messages === null
      ? timing.measureMs + (timing.slices?.rounds ?? 0) * 2 * MAX_SLICE_MS // Slices get longer if operations take long.
      : timing.messages * (Math.max(SLOWEST_MESSAGE_MS, slowestOperationMs) + inFlightMs);
  const warmupMs = timing.warmupMs ?? timing.maxWarmupMs;
  // A launch of a group is idle while the others start, warm up and are measured, so it lives longer.
  const lifeMs = groupSize * Math.ceil(connectMs + warmupMs + budgetMs + finishMs + 2 * exitMs);
  return {
    connectMs,
    replyMs,
    finishMs,
    exitMs,
    lifeMs: Math.min(lifeMs, MAX_TIMER_MS),
  };
}

/**
 * @param {Cell} cell
 * @param {LoadedPlugins['runtimes']} runtimes
 * @param {Scenario} scenario
 * @returns {{ programs?: Record<string, Program>, tierUp?: Options['tierUp'], peer?: PeerProgram }} `programs`: by role; `tierUp`:
 *   'usual' if a process cannot tier up early; `peer`: the program that acts as the master, controlled by this Node
 */
export function selectPrograms({ runtime = THIS_NODE }, runtimes, scenario) {
  const choice = findChoice(runtime, runtimes);
  if (runtimes === undefined || choice === undefined) return {};
  /** @param {string} role */
  const playing = (role) => findRuntime(choice, role) ?? runtimes.thisNode;
  const { peer } = playing(CONTROLLER);
  const controller = peer === undefined ? playing(CONTROLLER) : runtimes.thisNode;
  const ends = allRoles(scenario).map(({ name }) => ({
    role: name,
    found: name === CONTROLLER ? controller : playing(name),
  }));
  const programs = ends.map(({ role, found }) => [role, makeProgram(found, controller)]);
  const allTierUpEarly = ends.every(({ found }) => found.runtime.tiersUpEarly);
  return {
    programs: Object.fromEntries(programs),
    ...(!allTierUpEarly && { tierUp: 'usual' }),
    ...(peer && { peer: peer.program }),
  };
}

/** @param {string} runtime @param {LoadedPlugins['runtimes']} runtimes */
function findChoice(runtime, runtimes) {
  return runtimes?.choices.find((choice) => choice.runtime === runtime);
}

/** @param {Cell} cell @param {LoadedPlugins['runtimes']} runtimes */
function findControllerRuntime({ runtime = THIS_NODE }, runtimes) {
  const choice = findChoice(runtime, runtimes);
  return choice === undefined ? null : findRuntime(choice, CONTROLLER);
}

/**
 * @param {Cell} cell
 * @param {LoadedPlugins['runtimes']} runtimes
 * @returns the name of its controller's runtime, if that does not use the clock of the machine; otherwise null
 */
export function controllerWithOwnClock(cell, runtimes) {
  const controller = findControllerRuntime(cell, runtimes);
  // The controller of a peer is this Node.
  return controller === null || controller.peer || controller.runtime.hasSystemClock ? null : controller.name;
}

/**
 * @param {Cell} cell
 * @param {LoadedPlugins['runtimes']} runtimes
 * @returns the name of the program in another language that acts as the master, or null
 */
export function peerOfCell(cell, runtimes) {
  return findControllerRuntime(cell, runtimes)?.peer?.program.name ?? null;
}

/** @param {FoundRuntime} found @param {FoundRuntime} controller @returns {Program} */
function makeProgram(found, controller) {
  const sharesClock = found.runtime.hasSystemClock === true && controller.runtime.hasSystemClock === true;
  return { command: found.path, args: runtimeArgs(found), sharesClock };
}
