// A cell and its surroundings → the assignment of one launch.

import { randomBytes } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { furtherConnections, loopsInAll } from '../cell/connections.js';
import { furtherProcesses, transportToMaster } from '../cell/launch-roles.js';
import { defaultsOf, traitsOf } from '../cell/traits.js';
import { memoryOfLaunch } from '../machine/free-memory.js';
import { pacingAt, placesOf } from '../machine/placement.js';
import { greatestPayloadBytes } from '../plan/skips.js';
import { timingOf } from '../plan/timing.js';
import { LOOPBACK } from '../transport-kit/reach.js';
import { programsOf } from './programs.js';

/** @import { Assignment } from '../launch/assignment.js' */
/** @import { Broker } from '../types/brokers.js' */
/** @import { Timing } from '../types/plans.js' */
/** @import { LoadedPlugins } from '../plugins/plugins.js' */
/** @import { Cell, Options } from '../types/plans.js' */
/** @import { Scenario } from '../types/scenarios.js' */

const CONNECT_DEADLINE_MS = 15_000; // a fork takes 60 to 140 ms on a quiet core, many times that on a crowded one
const START_DEADLINE_MS = 150; // more for each worker: a hundred of them take turns on the CPUs
const REPLY_DEADLINE_MS = 10_000; // autocannon gives a request as long
// A lost answer costs its loop as much. On one machine an answer comes some thousand times as fast.
const LOSSY_REPLY_DEADLINE_MS = 500;
const EXIT_DEADLINE_MS = 5_000;
const SLOW_CONNECTION_MS = 10; // a further one is made within 1 ms, and so many at once

const SLOW_BYTES_PER_MS = 5_000; // 5 MB/s: what even a loaded machine encodes, moves and verifies of large payloads
const ESCAPED_BYTES_PER_BYTE = 6; // the worst that JSON makes of a byte of text
const ENVELOPE_BYTES = 1_024;

/**
 * @param {Cell} cell
 * @param {object} parts
 * @param {Options} parts.options
 * @param {LoadedPlugins} parts.plugins
 * @param {number[] | null} parts.cpus        usable, in the order in which to use them; null: no pinning here
 * @param {(broker: Broker | undefined) => boolean} [parts.isOurs]   a private server is started of it; absent: of none
 */
export function prepareCell(cell, { options, plugins, cpus, isOurs = () => false }) {
  const transport = named(plugins.transports, cell.transport);
  const scenario = named(plugins.scenarios, cell.scenario);
  const { chosen = {} } = scenario.plugin;
  const serialisesItself = transport.plugin.serialises?.includes(cell.codec) === true;
  const codec = serialisesItself ? null : named(plugins.codecs, cell.codec);
  const executed = programsOf(cell, plugins.runtimes, scenario.plugin, options.tierUp);
  const { programs, peer, tierUp = options.tierUp } = executed;
  const onward = onwardOf(scenario.plugin, plugins);
  const between = furtherProcesses(scenario.plugin);
  const privateBrokers = [transport.plugin.broker, onward?.plugin.broker].filter(isOurs).length;
  const places = placesOf(cell.placement, cell.workers, privateBrokers, cpus, between);
  const processes = 1 + between.length + cell.workers + privateBrokers;
  // A worker that never sleeps anyway loses nothing by looking at its plan at every turn.
  const traits = traitsOf(transport.plugin, cell.settings);
  const isCostly = traits.isCostly ?? onward?.plugin.traits.isCostly;
  const neverSleeps = cell.poll === 'busy' || traits.isSpinning === true;
  const pacing = neverSleeps ? 'spin' : pacingAt(places, processes, cpus?.length ?? availableParallelism());
  return {
    transport: transport.plugin,
    transportToMaster: onward?.plugin ?? null,
    places,
    privateBrokers,
    // One that rests between its operations sees all its rests in its least window.
    slowestOperationMs: Math.max(SLOWEST_MESSAGE_MS, scenario.plugin.leastWindowMs ?? 0),
    settings: { ...defaultsOf(transport.plugin), ...cell.settings },
    transportUrl: transport.url,
    ...(programs && { programs }),
    ...(peer && { peer }),
    toMaster: onward && { transportUrl: onward.url, settings: defaultsOf(onward.plugin) },
    codecUrl: codec === null ? null : codec.url,
    scenarioUrl: scenario.url,
    scenarioSettings: chosen,
    isPublished: scenario.plugin.isPublished?.(chosen) ?? false,
    sharedQueue: scenario.plugin.sharedQueue?.(chosen, cell) ?? null,
    kills: scenario.plugin.kills?.(chosen) ?? 0,
    wireKind: codec === null ? /** @type {const} */ ('value') : codec.plugin.produces,
    memoryLimitBytes: scenario.plugin.isByTime || cell.connections !== undefined ? memoryOfLaunch() : null,
    messageFile: options.messageFile ?? null,
    maxMessageBytes: greatestPayloadBytes(cell, options) * ESCAPED_BYTES_PER_BYTE + ENVELOPE_BYTES,
    open: openPlan(cell, options, pacing),
    timing: timingOf({ ...options, tierUp }, cell, { isCostly, neverSleeps }, scenario.plugin),
  };
}

/**
 * @param {Cell} cell
 * @param {ReturnType<typeof prepareCell>} prepared
 * @param {object} launch
 * @param {string} launch.launchId
 * @param {string} launch.scratchDir
 * @param {string} [launch.bindAddress]    absent: of the loopback interface
 * @param {Assignment['network']} [launch.network]   absent: none
 * @param {number} launch.seed
 * @param {string | null} launch.brokerUrl
 * @param {Assignment['broker']} launch.broker
 * @param {Pick<Assignment, 'brokerUrl' | 'broker'>} [launch.toMaster]   of the last hop; absent: it needs no broker
 * @param {Partial<Assignment['deadlines']>} launch.deadlines   what differs from the defaults
 * @returns {Assignment}
 */
export function assign(cell, prepared, launch) {
  const { transport, transportToMaster: _onward, privateBrokers: _own, ...others } = prepared;
  const { places, slowestOperationMs, toMaster, ...rest } = others;
  const { loss } = traitsOf(transport, cell.settings);
  const replyDeadlineMs = loss === 'possible' ? LOSSY_REPLY_DEADLINE_MS : REPLY_DEADLINE_MS;
  return {
    cell,
    ...rest,
    ...{ bindAddress: LOOPBACK, network: null, hosts: null },
    ...launch,
    toMaster: toMaster && { ...toMaster, ...(launch.toMaster ?? NO_BROKER) },
    token: randomBytes(16).toString('hex'),
    cpus: cpusOfRoles(places),
    deadlines: {
      ...deadlinesOf(cell, prepared.timing, { replyDeadlineMs, slowestOperationMs }),
      ...launch.deadlines,
    },
  };
}

/**
 * @param {Scenario} scenario
 * @param {LoadedPlugins} plugins
 * @returns {import('../plugins/plugins.js').Onward | null} null: the master is reached over the transport of the cell
 */
function onwardOf(scenario, { onward }) {
  const name = transportToMaster(scenario);
  if (name === null) return null;
  const loaded = onward?.get(name);
  if (loaded === undefined) throw new Error(`${name} was not loaded`);
  return loaded;
}

/** @param {ReturnType<typeof placesOf>} places @returns {Assignment['cpus']} brokers are placed by who starts them */
function cpusOfRoles(places) {
  if (places === null) return null;
  const { brokers, ...ofRoles } = places;
  return ofRoles;
}

/**
 * @param {Cell} cell
 * @param {Options} options
 * @param {'spin' | 'tick'} pacing
 * @returns {Assignment['open']}
 */
function openPlan({ ratePerSecond }, { open }, pacing) {
  if (ratePerSecond === undefined || open === undefined) return null;
  return { arrivals: open.arrivals, catchesUp: open.catchesUp, pacing };
}

/**
 * @param {Cell} cell
 * @param {Timing} timing
 * @param {{ replyDeadlineMs: number, slowestOperationMs: number }} slowest   without what messages under way take
 */
function deadlinesOf(cell, timing, { replyDeadlineMs, slowestOperationMs }) {
  const inFlightMs = (loopsInAll(cell) * cell.payloadBytes) / SLOW_BYTES_PER_MS;
  const replyMs = replyDeadlineMs + inFlightMs;
  const furtherMs = furtherConnections(cell) * SLOW_CONNECTION_MS;
  const connectMs = CONNECT_DEADLINE_MS + cell.workers * START_DEADLINE_MS + inFlightMs + furtherMs;
  const exitMs = EXIT_DEADLINE_MS + furtherMs;
  const finishMs = replyMs + EXIT_DEADLINE_MS;
  const windowMs =
    timing.messages === null
      ? timing.measureMs
      : timing.messages * slowestOperationMs + inFlightMs * timing.messages;
  const warmupMs = timing.warmupMs ?? timing.maxWarmupMs;
  return {
    connectMs,
    replyMs,
    finishMs,
    exitMs,
    lifeMs: Math.ceil(connectMs + warmupMs + windowMs + finishMs + 2 * exitMs),
  };
}

const NO_BROKER = Object.freeze({ brokerUrl: null, broker: null });
const SLOWEST_MESSAGE_MS = 50; // per loop: Nagle with delayed acknowledgements makes 40

/**
 * @template T
 * @param {Map<string, T>} map
 * @param {string} name
 */
function named(map, name) {
  return /** @type {T} */ (map.get(name));
}
