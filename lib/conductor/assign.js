// A cell and its surroundings → the assignment of one launch.

import { randomBytes } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { defaultsOf, traitsOf } from '../traits.js';
import { pacingAt, placesOf } from './placement.js';
import { windowForSlo } from './slo.js';

/** @typedef {import('../launch/assignment.js').Assignment} Assignment */
/** @typedef {import('../launch/assignment.js').Timing} Timing */
/** @typedef {import('../types.js').Cell} Cell */
/** @typedef {import('../types.js').Options} Options */
/** @typedef {import('../types.js').Transport} Transport */
/** @typedef {import('../types.js').Codec} Codec */
/** @typedef {import('../types.js').Scenario} Scenario */
/**
 * @template T
 * @typedef {{ plugin: T, url: string }} Loaded
 */
/**
 * What the plan was made of, by name.
 * @typedef {object} LoadedPlugins
 * @property {Map<string, Loaded<Transport>>} transports
 * @property {Map<string, Loaded<Codec>>} codecs
 * @property {Map<string, Loaded<Scenario>>} scenarios
 */

const BIN_MS = 40; // warm-up is judged in these: ten of them are the shortest window that shows a trend
const MAX_BINS = 200; // of a window: a minute of them needs no more detail
const MIN_WARMUP_MS = 600; // 95 % of steady throughput takes 150 to 600 ms here
const MAX_WARMUP_MS = 5_000; // for the work below: 13 processes on two CPUs take 1 to 3 s for it
const STEADY_WITHIN_MS = 400; // ten bins, the shortest stretch that shows a trend
const OPEN_WARMUP_MS = { least: 1_000, most: 3_000 }; // at low rates the work below would take minutes
// What master and worker need until longer work makes no operation cheaper: see docs/warm-up.md, npm run bench:warm-up.
const WORK_GOALS = Object.freeze({
  early: { operations: 3_000, leastCpuMs: 150, enoughCpuMs: 500 },
  usual: { operations: 12_000, leastCpuMs: 500, enoughCpuMs: 2_000 },
});
// Under open load a worker that looks at its plan all the time takes a core, whatever it does.
const ANY_CPU_MS = { leastCpuMs: 0, enoughCpuMs: Number.MAX_SAFE_INTEGER };
// Where a message takes a process, a file or a disk, a window for others would see a few round trips, or none.
const COSTLY_WINDOW_MS = 1_500;
const CONNECT_DEADLINE_MS = 15_000; // a fork takes 60 to 140 ms on a quiet core, many times that on a crowded one
const REPLY_DEADLINE_MS = 10_000; // autocannon gives a request as long
// What is lost costs its loop as much; on one machine an answer comes some thousand times as fast.
const LOSSY_REPLY_DEADLINE_MS = 500;
const EXIT_DEADLINE_MS = 5_000;
const SLOW_BYTES_PER_MS = 5_000; // 5 MB/s: what even a loaded machine encodes, moves and verifies of large payloads
const ESCAPED_BYTES_PER_BYTE = 6; // the worst that JSON makes of a byte of text
const ENVELOPE_BYTES = 1_024;

/**
 * @param {Cell} cell
 * @param {object} parts
 * @param {Options} parts.options
 * @param {LoadedPlugins} parts.plugins
 * @param {number[] | null} parts.cpus        usable, in the order in which to use them; null: no pinning here
 * @param {boolean} parts.hasOwnBroker
 */
export function prepareCell(cell, { options, plugins, cpus, hasOwnBroker }) {
  const transport = named(plugins.transports, cell.transport);
  const serialisesItself = transport.plugin.serialises?.includes(cell.codec) === true;
  const codec = serialisesItself ? null : named(plugins.codecs, cell.codec);
  const places = placesOf(cell.placement, cell.workers, hasOwnBroker, cpus);
  const processes = 1 + cell.workers + (hasOwnBroker ? 1 : 0);
  // A worker that never sleeps anyway loses nothing by looking at its plan at every turn.
  const traits = traitsOf(transport.plugin, cell.settings);
  const neverSleeps = cell.poll === 'busy' || traits.isSpinning === true;
  const pacing = neverSleeps ? 'spin' : pacingAt(places, processes, cpus?.length ?? availableParallelism());
  return {
    transport: transport.plugin,
    places,
    settings: { ...defaultsOf(transport.plugin), ...cell.settings },
    transportUrl: transport.url,
    codecUrl: codec === null ? null : codec.url,
    scenarioUrl: named(plugins.scenarios, cell.scenario).url,
    wireKind: codec === null ? /** @type {const} */ ('value') : codec.plugin.produces,
    maxMessageBytes: cell.payloadBytes * ESCAPED_BYTES_PER_BYTE + ENVELOPE_BYTES,
    open: openPlan(cell, options, pacing),
    timing: timingOf(options, cell, traits.isCostly === true ? COSTLY_WINDOW_MS : 0),
  };
}

/**
 * @param {Cell} cell
 * @param {ReturnType<typeof prepareCell>} prepared
 * @param {object} launch
 * @param {string} launch.launchId
 * @param {string} launch.scratchDir
 * @param {number} launch.seed
 * @param {string | null} launch.brokerUrl
 * @param {Assignment['broker']} launch.broker
 * @param {Partial<Assignment['deadlines']>} launch.deadlines   what differs from the defaults
 * @returns {Assignment}
 */
export function assign(cell, prepared, launch) {
  const { transport, places, ...rest } = prepared;
  const { loss } = traitsOf(transport, cell.settings);
  const replyDeadlineMs = loss === 'possible' ? LOSSY_REPLY_DEADLINE_MS : REPLY_DEADLINE_MS;
  return {
    cell,
    ...rest,
    ...launch,
    token: randomBytes(16).toString('hex'),
    cpus: places === null ? null : { master: places.master, workers: places.workers },
    deadlines: { ...deadlinesOf(cell, prepared.timing, replyDeadlineMs), ...launch.deadlines },
  };
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
 * @param {Options} options
 * @param {Cell} cell
 * @param {number} leastMs     of the window
 * @returns {Timing}
 */
function timingOf({ warmupMs, measureMs: wishedMs, messages, open, tierUp }, { ratePerSecond }, leastMs) {
  const measureMs = Math.max(wishedMs, leastMs, windowForSlo(open?.slo ?? null, ratePerSecond));
  const isOpen = ratePerSecond !== undefined;
  const goal = WORK_GOALS[tierUp ?? 'usual'];
  return {
    warmupMs,
    minWarmupMs: isOpen ? OPEN_WARMUP_MS.least : MIN_WARMUP_MS,
    maxWarmupMs: isOpen ? OPEN_WARMUP_MS.most : MAX_WARMUP_MS,
    steadyWithinMs: STEADY_WITHIN_MS,
    workGoal: isOpen ? { ...goal, ...ANY_CPU_MS } : goal,
    measureMs,
    messages,
    binMs: Math.max(BIN_MS, Math.ceil(measureMs / MAX_BINS)),
  };
}

/**
 * @param {Cell} cell
 * @param {Timing} timing
 * @param {number} replyDeadlineMs   without what messages under way take
 */
function deadlinesOf({ workers, loops, payloadBytes }, timing, replyDeadlineMs) {
  const inFlightMs = (workers * loops * payloadBytes) / SLOW_BYTES_PER_MS;
  const replyMs = replyDeadlineMs + inFlightMs;
  const connectMs = CONNECT_DEADLINE_MS + inFlightMs;
  const finishMs = replyMs + EXIT_DEADLINE_MS;
  const windowMs =
    timing.messages === null
      ? timing.measureMs
      : timing.messages * SLOWEST_MESSAGE_MS + inFlightMs * timing.messages;
  const warmupMs = timing.warmupMs ?? timing.maxWarmupMs;
  return {
    connectMs,
    replyMs,
    finishMs,
    exitMs: EXIT_DEADLINE_MS,
    lifeMs: Math.ceil(connectMs + warmupMs + windowMs + finishMs + 2 * EXIT_DEADLINE_MS),
  };
}

const SLOWEST_MESSAGE_MS = 50; // per loop: Nagle with delayed acknowledgements makes 40

/**
 * @template T
 * @param {Map<string, T>} map
 * @param {string} name
 */
function named(map, name) {
  return /** @type {T} */ (map.get(name));
}
