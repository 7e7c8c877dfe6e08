// A scenario: the workload that every transport runs, and the parts that it is made of.

import {
  array,
  check,
  literal,
  minLength,
  minValue,
  nullable,
  number,
  object,
  optional,
  picklist,
  pipe,
  string,
} from 'valibot';
import {
  AboveZero,
  Finite,
  Mark,
  MeasureName,
  method,
  Name,
  OneLine,
  PLUGIN,
  positive,
  record,
  textLike,
  wanted,
} from './scalars.js';
import { Setting } from './transports.js';

/** @import { GenericSchema, InferOutput } from 'valibot' */
/** @import { Method } from './scalars.js' */
/** @import { Settings } from './plans.js' */
/** @import { BrokerTraffic, Latency, OpenLaunch, OutageCounts, ProcessCost, WatchedWork } from './launches.js' */

/** @import { Codec, Message, ValueSchema, Wire } from './messages.js' */

/** @import { Cell } from './plans.js' */
/** @import { FurtherColumn } from './reports.js' */

/** @import { Channel, SharedQueue, Traits } from './transports.js' */

/**
 * The handle of a scenario's loop. It lives as long as the loop: a round trip allocates nothing but its promise.
 * @typedef {object} LoopHandle
 * @property {() => boolean} shouldContinue
 * @property {() => Promise<void>} request     resolves when the response is verified
 */

/**
 * The part of one process in a scenario, made once for each launch. All times are on the clock of this process.
 * @typedef {object} Endpoint
 * @property {(channel: Channel, peer: string) => void} [serve]   sets its `onMessage`; for roles that listen, and for further connections
 *                                                       of a worker
 * @property {() => Promise<void>} [ready]               resolves after the first verified operation; in a role that listens, once it can serve
 * @property {LoadClock} [meter]                          for its load, unless the meter of the kit counts it
 * @property {(atMs: number) => Promise<void>} [run]     its load, which begins at that instant and ends when the meter is over. Without it,
 *                                                       the load is that of other roles and ends with theirs
 * @property {() => void} [opened]                       called when the window opens, before anything is counted
 * @property {() => void} [closed]                       called at the end of the window
 * @property {() => number} progress                     operations so far; called many times a second
 * @property {(reports: readonly EndpointReport[]) => Promise<void>} [settled]   in the master, with the reports of the workers after the
 *                                                       load: waits for open messages, with a deadline of its own
 * @property {(nowMs: number) => void} [killing]         in the master, when the workers are killed that the scenario kills
 * @property {(workerId: string) => void} [gone]         called when such a worker has ended
 * @property {() => EndpointReport} report                   called once, at the end
 */

/**
 * @typedef {object} MeterPlan            times on the clock of this process, in ms
 * @property {number} fromMs
 * @property {number} toMs                Infinity if the loops end after a number of messages
 * @property {number} binMs
 * @property {() => void} onOpen          called at the first stamp in the window, before anything is counted
 * @property {() => void} [onCounted]     called when each loop has counted its whole operations; without loops, at the end of the window
 * @property {() => void} onClose         called at the first stamp after the window; if loops count whole operations, at the end of the load
 */

/** @typedef {{ schedule: (plan: MeterPlan) => void, tickAt: (ms: number) => void, giveUp: () => void, readonly isWhole?: boolean, typicalOperationMs?: () => number }} LoadClock
 *   isWhole: its loops count whole operations */

/**
 * The counts of the closed loops of a process: the operations that begin in the window, whole.
 * @typedef {object} WholeCounts
 * @property {number} operations
 * @property {number} windowMs            the operations divided by the sum of the rates of the loops
 * @property {number} loopsMs             time of all loops together, which is the sum of the times of their operations
 * @property {number} completed           operations between the readings of costs; those that a reading cuts count by their part
 */

/** @typedef {[count: number, ms: number, plannedMs?: number]} TimestampSample   count of the message, from 0; ms on the host's monotonic clock;
 *   plannedMs: when it was due, under open load */

/**
 * The counts of an endpoint: within its window, if it has one.
 * @typedef {object} EndpointReport
 * @property {number} [operations]                       unless another role counts them
 * @property {Partial<Mistakes>} mistakes                over the whole launch
 * @property {number[]} [bins]                           operations per bin of the window
 * @property {WholeCounts} [whole]                       of closed loops that count whole operations
 * @property {Latency} [latency]                         of every operation of the window, if the endpoint timed them
 * @property {Record<string, Latency>} [times]           further times of the window, by name
 * @property {Record<string, number>} [values]           further numbers for measures, by name
 * @property {Record<string, TimestampSample[]>} [sightings]     samples of messages of a stream, by the worker at one of its ends
 * @property {Record<string, number>} [streams]         messages over the whole launch, by the stream that carried them
 * @property {EndpointReport} [sent]                         what an endpoint sent that also receives
 * @property {OpenCounts | null} [open]                  null for closed loops
 * @property {number} [asked]                            requests over the whole launch
 * @property {number} [rejectedConnections]                      if the endpoint rejects connections itself. Otherwise the listener counts them
 * @property {OutageCounts} [outage]                     if workers were killed
 * @property {Arrival | null} [arrival]                  of a pool
 */

/** @typedef {{ prefetch: number, handleMs: number }} QueueTerms   prefetch: most open jobs of a worker, 0 for its number of loops; handleMs: time
 *   for which a job keeps it busy */
/** @typedef {{ lost: number, duplicate: number, swapped: number, corrupt: number, outOfOrder: number }} Mistakes */
/** @typedef {Omit<OpenLaunch, 'arrivals' | 'catchesUp' | 'pacing'>} OpenCounts */
/** @typedef {{ record: (nanoseconds: number) => void, toLatency: () => Latency }} Times   whole nanoseconds */

/**
 * Values that both ends have, each with a name that replaces the payload.
 * @typedef {object} CarriedValues
 * @property {string[]} names
 * @property {(message: Message) => Wire} encode       encodes the value whose name is the payload
 * @property {(wire: any) => Message} decode           returns the name of the value, after comparing it field by field
 * @property {() => number | null} encodedBytes        of all values, or null if the channel encodes
 */

/**
 * What a scenario's messages carry instead of a payload.
 * @typedef {object} Carries
 * @property {ValueSchema} schema
 * @property {number} payloadBytes        of a message, in JSON
 * @property {boolean} isUntouched        a value is encoded once and passed on
 * @property {{ name: string, bytes: number }} [pieces]   unit of payloads in charts: 'records', of so many bytes each; bytes by default. A
 *                                        setting with their number is a quantity
 */

/**
 * Makes the endpoints of one process of a launch.
 * @typedef {object} ScenarioKit
 * @property {Cell} cell
 * @property {number} seed                 of the launch
 * @property {Pick<Codec, 'encode' | 'decode'>} codec
 * @property {Readonly<Record<string, string | number | boolean>>} settings   of the scenario, defaults filled in
 * @property {{ readonly isOpen: boolean, readonly isOver: boolean }} meter   whether the window is open, and whether the load is over; in a worker
 * @property {() => Times} times           an empty collection, for times that the scenario takes itself
 * @property {(loop?: (handle: LoopHandle) => Promise<void>, times?: Record<string, Times>) => Endpoint} requester   `loop` is called once
 *                                         for each loop of the cell and sends one request after the other by default; `times` become part of its report; in a worker
 * @property {() => Endpoint} reconnectingRequester       each loop connects, sends one request, and disconnects; in a worker
 * @property {(pausesMs: readonly number[]) => Endpoint} idleRequester   each loop pauses, sends one request, then some more without a pause; in a worker
 * @property {() => Endpoint} producer         sends as fast as the channel takes messages; in either role
 * @property {(handleMs: number) => Endpoint} consumer   receives them; each message keeps the event loop busy for so long
 * @property {(role: string, handleMs: number) => Endpoint} duplex   sends and receives at the same time; in both roles
 * @property {() => Endpoint} publisher      sends each message to all workers; in the master
 * @property {() => Endpoint} subscriber         receives them; in a worker
 * @property {(terms: QueueTerms) => Endpoint} jobProducer   offers jobs to workers that acknowledge them; in the master
 * @property {(handleMs: number) => Endpoint} jobConsumer   works for so long on each job; in a worker
 * @property {(values: readonly any[], schema: ValueSchema, how?: { isUntouched?: boolean }) => CarriedValues} carriedValues   `isUntouched`:
 *                                         each is encoded once, and passed on ever after
 * @property {(codec: Pick<Codec, 'encode' | 'decode'>, payloads: string[]) => ScenarioKit} withCodec   a kit with another codec and other
 *                                         payloads of requests
 * @property {boolean} isPool          the transport starts its workers itself, and they receive tasks
 * @property {(pausesMs: readonly number[]) => Endpoint} idleTasks   each loop pauses and submits a task, then some more without a pause; in the master of a pool
 * @property {() => Endpoint} taskProducer   submits tasks to workers or to a pool; in the master
 * @property {() => Endpoint} taskWorker      does them; in a worker
 * @property {(answer?: (question: Message) => Message) => Endpoint} responder           `answer` makes the response and repeats the request by default; in the master
 * @property {(isEncoded: boolean) => Endpoint} proxy   forwards requests of workers to the next role, and its responses to them, decoding
 *                                         and encoding each message if isEncoded; in a role between workers and master
 */

/** @typedef {{ workUs: number, resultBytes: number, isBytes: boolean }} TaskSettings   resultBytes: 0 for as many as the payload; isBytes: payloads are bytes */

// What a scenario counts and measures, as data: every table, chart, verdict and export takes its words, columns and
// directions from here.

/**
 * What a scenario counts, in the words of every sentence about it: 'connection', 'connections', 'made'. `toAll`: what goes to all
 * workers, and is counted at each of them: 'message'; without it each operation is of one worker.
 */
export const Operation = object({ one: Name, many: Name, done: Name, toAll: optional(Name) });
/** @typedef {InferOutput<typeof Operation>} Operation */

/** A named number of a scenario, as a results file keeps it. */
export const MeasureFacts = object({
  /** Its key in results and CSV: 'roundTripsPerSecond'. */
  name: wanted(MeasureName, 'a name of letters and digits, a small letter first, at most 80'),
  /** 'round trips per second'; without its unit, unless the unit is 'per second'. */
  title: Name,
  /** Of times in a launch: nanoseconds. */
  unit: picklist(['per second', 'MB/s', 'µs', 'bytes', 'count', 'share']),
  /** Null for a measure that is shown and ranks nothing. */
  better: wanted(nullable(picklist(['higher', 'lower'])), 'higher or lower or null'),
  /** One number for each launch, or one histogram. */
  kind: picklist(['value', 'times']),
  /** A value may be 0 or less, and is estimated without logarithms. Without it, it is never negative, and a headline is above 0. */
  scale: optional(wanted(literal('linear'), 'linear')),
  /** The name by which --columns shows it. Without it, every table shows it. */
  column: optional(/** @type {GenericSchema<FurtherColumn>} */ (/** @type {any} */ (Name))),
  /** What its column shares with its neighbours: 'payload'. */
  of: optional(Name),
  /** For a value: the headline on whose bar it is marked. Both have the same unit. */
  beside: optional(MeasureName),
  /** For a value: the measure of which it is a part, drawn as one bar with the other parts. */
  partOf: optional(MeasureName),
});
/** @typedef {InferOutput<typeof MeasureFacts>} MeasureFacts */

/** @typedef {Cell & { responseBytes?: number }} MeasuredCell   responseBytes: mean length of recorded responses, where they are not as long as their requests */

/** The function that reads a measure is code, and not part of the file. */
const Measure = object({
  ...MeasureFacts.entries,
  title: OneLine,
  of: optional(OneLine),
  /**
   * Pure, called once for each launch; if it throws or returns anything else, the launch fails. `reports` are of all roles. Times are those
   * of each process or of all together, in ns; null if the launch has none. `costs` are of all processes of the launch in its window, and
   * empty if one of them is unknown. `traffic` is what passed the broker for each operation, if the broker reports it.
   */
  read: /** @type {Method<(reports: readonly RoleReport[], cell: MeasuredCell, costs: readonly ProcessCost[], traffic?: BrokerTraffic | null) => number | Latency[] | Float64Array | null>} */ (
    method
  ),
});
/** @typedef {InferOutput<typeof Measure>} Measure */

/** @param {Measure[]} measures */
const areNamedOnce = (measures) => new Set(measures.map(({ name }) => name)).size === measures.length;
/** @param {Measure[]} measures */
const areRelated = (measures) =>
  measures.every(({ partOf, beside }) =>
    [partOf, beside].every((named) => named === undefined || measures.some(({ name }) => name === named)),
  );
const Measures = wanted(
  pipe(
    array(Measure),
    minLength(1),
    check(([headline]) => headline.scale === undefined),
    check(areNamedOnce),
    check(areRelated),
  ),
  'a list of measures, each name once, the headline first and without scale, beside and partOf names of others',
);

/** `question`: the scenario, for any number of pieces. */
const PiecesFacts = object({ name: Name, bytes: pipe(number(), minValue(1)), question: Name });
/** @typedef {InferOutput<typeof PiecesFacts>} PiecesFacts */

/** The headline first. `roundTrips` and `addsTo` as in Scenario. */
export const ScenarioFacts = object({
  operation: Operation,
  measures: pipe(array(MeasureFacts), minLength(1)),
  roundTrips: optional(nullable(Finite)),
  addsTo: optional(string()),
  pieces: optional(PiecesFacts),
});
/** @typedef {InferOutput<typeof ScenarioFacts>} ScenarioFacts */

const RoleFacts = object({
  /** A part of the ids of launches and of paths of sockets, which are short. */
  name: textLike(/^[a-z]{1,8}$/),
  /** Without it, one. */
  count: optional(literal('workers')),
  /** It starts the others, and commands them. */
  leads: Mark,
  /** Others connect to it. */
  listens: Mark,
  /** The name of a role before it, which listens. */
  connectsTo: optional(string()),
  /**
   * Of one that connects to the master: the name of the setting that names the transport by which; without it, or if it is 'same',
   * that of the cell.
   */
  over: optional(string()),
});
/**
 * What a process of a launch is there for. The first role of a scenario is the master's, which leads, and the last one the
 * workers'; each role between them has one process.
 * @typedef {InferOutput<typeof RoleFacts>} Role
 */

/** They are a chain from the master to the workers, in which each connects to one before it. @param {Role[]} roles */
function areChained(roles) {
  if (roles.length < 2 || new Set(roles.map(({ name }) => name)).size < roles.length) return false;
  return roles.every((role, place) => isRoleAt(role, roles.slice(0, place), place === roles.length - 1));
}

/** @param {Role} role @param {Role[]} before @param {boolean} isLast */
function isRoleAt({ name, leads, listens, count, connectsTo, over }, before, isLast) {
  if (over !== undefined && (before.length !== 1 || isLast)) return false;
  if (before.length === 0) return name === 'master' && leads === true && listens === true;
  const connects = before.some((other) => other.name === connectsTo && other.listens === true);
  if (!connects || leads !== undefined) return false;
  return isLast
    ? name === 'worker' && count === 'workers' && listens === undefined
    : listens === true && count === undefined;
}

const Roles = wanted(
  pipe(array(RoleFacts), check(areChained)),
  'a list of roles, each name once and of 1 to 8 small letters: { name: "master", leads, listens }, then what stands between, each ' +
    '{ name, listens, connectsTo } with the name of one before it that listens, the first of them also over or not, and at last { name: "worker", count: "workers", connectsTo }',
);

const Loads = wanted(array(picklist(['closed', 'open'])), 'closed, open');

/** @typedef {Readonly<Settings>} Chosen   settings of a scenario, defaults filled in */

export const Scenario = object({
  ...PLUGIN,
  /** Without it, a round trip. */
  operation: optional(
    wanted(
      object({ one: OneLine, many: OneLine, done: OneLine, toAll: optional(OneLine) }),
      'words for one, many and done',
    ),
  ),
  /** The headline is ranked, compared, and decides when to stop. Without measures: operations per second and the time of each. */
  measures: optional(
    /** @type {GenericSchema<readonly [headline: Measure, ...Measure[]]>} */ (/** @type {any} */ (Measures)),
  ),
  /** Without it, both. */
  loads: optional(/** @type {GenericSchema<readonly ('closed' | 'open')[]>} */ (/** @type {any} */ (Loads))),
  /**
   * It measures the first moments of a process: nothing is warmed up, no steady state is looked for, and few operations are no
   * fault.
   */
  isCold: Mark,
  /** Shortest window; a shorter one would see too few operations. */
  leastWindowMs: optional(wanted(AboveZero, 'a number of ms above 0')),
  /** Requests with their responses per operation, 1 by default. Null if an operation has other messages as well. */
  roundTrips: optional(wanted(nullable(positive), 'a number above 0, null')),
  /** The master sends to all workers at once. */
  isPublished: optional(/** @type {Method<(settings: Chosen) => boolean>} */ (method)),
  /** Under open load the master follows the plan instead of its workers. */
  isPacedByMaster: optional(/** @type {Method<(settings: Chosen) => boolean>} */ (method)),
  /** The queue that the master sends to, from which all workers take jobs. Null or absent if it sends to each worker. */
  sharedQueue: optional(/** @type {Method<(settings: Chosen, cell: Cell) => SharedQueue | null>} */ (method)),
  /** The master sends tasks, which a pool can do. */
  tasks: optional(/** @type {Method<(settings: Chosen) => TaskSettings>} */ (method)),
  /** The number of workers that are killed in the middle of the window, in scenarios that run for a fixed time. */
  kills: optional(/** @type {Method<(settings: Chosen) => number>} */ (method)),
  /** Why it does not apply to a transport. */
  skipReason: optional(
    /** @type {Method<(traits: Traits, settings: Chosen, cell: Cell) => string | null>} */ (method),
  ),
  /**
   * A worker may have several connections: its endpoint takes each further one by `serve`, and `ready` waits for those that are
   * new.
   */
  isOverConnections: Mark,
  /** Objects or lists, so that --payload and --content do not apply. */
  carries: optional(/** @type {Method<(settings: Chosen) => Carries>} */ (method)),
  /** Its load consists of loops of requests that can pause, so it is measured in slices instead of one window. */
  canPause: Mark,
  /** Its load ends by the clock alone, so that --messages and loops without a transport do not apply. */
  isByTime: Mark,
  /** How often a message of an operation is encoded and decoded on its way, once by default. */
  codings: optional(/** @type {Method<(settings: Chosen) => number>} */ (method)),
  /** The scenario to which it adds a process in between. The report gives the difference, if both are measured. */
  addsTo: optional(wanted(OneLine, 'the name of a scenario')),
  /** By default, a master that listens and workers that connect to it. */
  roles: optional(/** @type {GenericSchema<readonly Role[]>} */ (/** @type {any} */ (Roles))),
  /** As transports have them: 'stream:handle=10'. */
  settings: optional(wanted(record(Setting), 'an object')),
  /** Properties that depend on the settings. They override those above. */
  ofSettings: optional(
    /** @type {Method<(settings: Chosen) => { measures?: readonly [headline: Measure, ...Measure[]], leastWindowMs?: number, roundTrips?: number | null }>} */ (
      method
    ),
  ),
  /** The methods of the kit that `endpoint` calls, by role, so that a process loads no others. All by default. */
  endpoints: optional(wanted(record(array(string())), 'lists of methods of the kit by role')),
  /** Called in each process, once for each launch. */
  endpoint: /** @type {Method<(role: string, kit: ScenarioKit) => Endpoint>} */ (method),
});
/** @typedef {InferOutput<typeof Scenario> & { chosen?: Chosen }} Scenario   chosen: set by the core */

// The reports of the processes of a launch.

/**
 * The time until the first verified response of a worker, or until the first tasks of a pool. It excludes what the harness does between
 * the parts: loading itself, waiting for its command, and making payloads.
 * @typedef {object} Arrival
 * @property {number | null} startMs      from the fork to the first line of code; null for a pool, which starts workers during their first tasks
 * @property {number | null} importMs     loading transport, codec and scenario; null for a pool
 * @property {number} connectMs           for a pool: loading the library and making the pool
 * @property {number} answerMs            from the request to its verified response
 */

/**
 * The report of a role after its load.
 * @typedef {object} WindowOfRole
 * @property {string} role                'worker', 'master', 'relay'
 * @property {string} id                  'w0', 'master', 'relay'
 * @property {number} openMs              when its window opened
 * @property {number} windowMs            its length; if loops count whole operations, their number divided by their rate
 * @property {Arrival | null} arrival     null if it had started before the launch began to connect
 * @property {WatchedWork | null} work           until the window opened; null if it did not open
 * @property {ProcessCost | null} cost    within the window
 * @property {number} [rejectedConnections]         for a role that listens, unless the controller counts them
 */
/**
 * Values that only some endpoints report are empty, null or 0 here; `operations` is null if another role counts them.
 * @typedef {Required<Omit<EndpointReport, 'latency' | 'whole' | 'sightings' | 'streams' | 'sent' | 'outage' | 'operations' | 'rejectedConnections' | 'arrival'>> &
 *   Pick<EndpointReport, 'latency' | 'whole' | 'sightings' | 'streams' | 'sent' | 'outage'> &
 *   { operations: number | null } & WindowOfRole} RoleReport
 */
