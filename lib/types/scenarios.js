// A scenario, which is a workload for all transports, and its parts.

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
  MeasureName,
  method,
  Name,
  OneLine,
  OptionalTrue,
  PLUGIN,
  positive,
  record,
  textLike,
  withErrorText,
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
 * The handle of a scenario's loop. A loop reuses it, so a round trip only allocates its promise.
 * @typedef {object} LoopHandle
 * @property {() => boolean} shouldContinue
 * @property {() => Promise<void>} request   resolves when the response is verified
 */

/**
 * What a scenario executes in one process of a launch. It is made once for each launch. All times are on the clock of this process.
 * @typedef {object} Endpoint
 * @property {(channel: Channel, peer: string) => void} [serve]   sets the `onMessage` of a channel; for roles that listen, and for further
 *   connections of a worker
 * @property {() => Promise<void>} [ready]   resolves after the first verified operation of each connection; in a relay, once it
 *   has connected to the master
 * @property {LoadClock} [meter]   counts the load of the master, if it has one; a worker uses the meter of the kit
 * @property {(atMs: number) => Promise<void>} [run]   runs the load, which begins at `atMs` and ends when the meter is over; called again
 *   for each slice. Without it, only other roles have a load
 * @property {() => void} [opened]   called when the window or a slice opens, before anything is counted
 * @property {() => void} [closed]   called at the end of the window or of a slice
 * @property {() => number} progress   operations so far; called many times a second
 * @property {(reports: readonly EndpointReport[]) => Promise<void>} [settled]   called in the master after the load, with the
 *   reports of the other roles: waits for pending messages, with its own deadline
 * @property {(nowMs: number) => void} [killing]   called in the master when workers are killed for the scenario
 * @property {(workerId: string) => void} [gone]   called when a killed worker has ended
 * @property {() => EndpointReport} report   called once, at the end
 */

/**
 * @typedef {object} MeterPlan   times are in ms on the clock of this process
 * @property {number} fromMs
 * @property {number} toMs   Infinity if the loops end after a number of messages
 * @property {number} binMs
 * @property {() => void} onOpen   called at the first timestamp in the window, before anything is counted
 * @property {() => void} [onCounted]   called when each loop has counted its whole operations; without loops, at the end of the window
 * @property {() => void} onClose   called at the first timestamp after the window; if loops count whole operations, at the end of the load
 */

/**
 * What opens and closes the windows of an endpoint: its meter, or both of them if it counts two directions.
 * @typedef {object} LoadClock
 * @property {(plan: MeterPlan) => void} schedule   sets the next window or slice
 * @property {(ms: number) => void} tickAt   reads the clock within about 2 ms after `ms`, even if no message arrives
 * @property {() => void} giveUp   ends the load at once
 * @property {boolean} [countsWholeOperations]   an operation that begins in the window counts as a whole; otherwise the clock ends it
 * @property {() => number} [typicalOperationMs]   returns the median duration of an operation, weighted by time
 * @property {() => void} [resume]   called before a load that begins again
 * @property {() => void} [countWhole]   sets countsWholeOperations
 * @property {(isDropped: boolean) => void} [settleSlice]   adds the counts of the last slice to those of the launch, or discards them
 */

/**
 * The counts of the closed loops of a process. Every operation that begins in the window counts as a whole.
 * @typedef {object} WholeCounts
 * @property {number} operations
 * @property {number} windowMs   the operations divided by the sum of the rates of the loops
 * @property {number} loopsMs   total time of all loops, which is the sum of the times of their operations
 * @property {number} completed   operations between the readings of costs, where operations cut by a reading count as fractions
 */

/** @typedef {[count: number, ms: number, startMs?: number]} TimestampSample   count of the message, from 0; ms on the host's monotonic clock;
 *   startMs: when it was due, under open load */

/**
 * The counts of an endpoint within its window, or of the whole launch if it has none.
 * @typedef {object} EndpointReport
 * @property {number} [operations]   absent if another role counts them
 * @property {Partial<Mistakes>} mistakes   counted over the whole launch
 * @property {number[]} [bins]   operations per bin of the window
 * @property {WholeCounts} [whole]   counts of closed loops that count whole operations
 * @property {Latency} [latency]   latencies of the operations of the window, if the endpoint timed them
 * @property {Record<string, Latency>} [times]   further times of the window, by name
 * @property {Record<string, number>} [values]   further numbers for measures, by name
 * @property {Record<string, TimestampSample[]>} [sightings]   timestamp samples of a stream, by the worker at
 *   one end, or 'all' for a stream to all workers
 * @property {Record<string, number>} [streams]   messages over the whole launch, by stream
 * @property {EndpointReport} [sent]   counts of sent messages, for endpoints that also receive
 * @property {OpenCounts | null} [open]   null for closed loops
 * @property {number} [requests]   requests over the whole launch
 * @property {number} [rejectedConnections]   set if the endpoint rejects connections. Otherwise the listener counts them
 * @property {OutageCounts} [outage]   set if workers were killed
 * @property {Arrival | null} [arrival]   set by `idleTasks`, in the master of a pool
 */

/** @typedef {{ prefetch: number, handleMs: number }} QueueTerms   prefetch: maximum of pending jobs per worker, 0 for its number of loops;
 * handleMs: time for which a job keeps a worker busy */
/** @typedef {{ lost: number, duplicate: number, swapped: number, corrupt: number, outOfOrder: number }} Mistakes */
/** @typedef {Omit<OpenLaunch, 'arrivals' | 'pacing'>} OpenCounts */
/** @typedef {{ record: (nanoseconds: number) => void, toLatency: () => Latency }} TimeRecorder   records whole nanoseconds */

/**
 * Values that both ends have. The name of a value replaces the payload.
 * @typedef {object} CarriedValues
 * @property {string[]} names
 * @property {(message: Message) => Wire} encode   encodes the value whose name is the payload
 * @property {(wire: any) => Message} decode   returns the name of the value if all of its fields are equal, otherwise ''
 * @property {() => number | null} encodedBytes   total of all values, or null if the channel encodes
 */

/**
 * Values that a scenario's messages carry instead of a payload.
 * @typedef {object} Carries
 * @property {ValueSchema} schema
 * @property {number} payloadBytes   size of a message in JSON
 * @property {boolean} isUntouched   a value is encoded once and then forwarded
 * @property {{ name: string, bytes: number }} [pieces]   unit of payloads in charts instead of bytes, such as 'records', and its size in
 *   bytes. The setting with the number of pieces must have `isQuantity`
 */

/**
 * Makes the endpoints of one process of a launch.
 * @typedef {object} ScenarioKit
 * @property {Cell} cell
 * @property {number} seed
 * @property {Pick<Codec, 'encode' | 'decode'>} codec
 * @property {Readonly<Record<string, string | number | boolean>>} settings   settings of the scenario, including defaults
 * @property {{ readonly isOpen: boolean, readonly isOver: boolean }} meter   whether the window is open and whether the load is over; in a
 *   worker
 * @property {() => TimeRecorder} times   makes an empty collection for times that the scenario measures itself
 * @property {(loop?: (handle: LoopHandle) => Promise<void>, times?: Record<string, TimeRecorder>) => Endpoint} requester   `loop` is called once
 *   per loop of the cell and sends one request after the other by default; `times` are added to its report; in a worker
 * @property {() => Endpoint} reconnectingRequester   each loop connects, sends one request, and disconnects; in a worker
 * @property {(pausesMs: readonly number[]) => Endpoint} idleRequester   each loop pauses, sends a request, and then several without a
 *   pause; in a worker
 * @property {() => Endpoint} producer   sends as fast as the channel takes messages; in either role
 * @property {(handleMs: number) => Endpoint} consumer   receives messages, each of which keeps the event loop busy for handleMs; in either
 *   role
 * @property {(role: string, handleMs: number) => Endpoint} duplex   sends and receives at the same time; in both roles
 * @property {() => Endpoint} publisher   sends each message to all workers; in the master
 * @property {() => Endpoint} subscriber   receives published messages; in a worker
 * @property {(terms: QueueTerms) => Endpoint} jobProducer   offers jobs to workers that acknowledge them; in the master
 * @property {(handleMs: number) => Endpoint} jobConsumer   works on each job for handleMs; in a worker
 * @property {(values: readonly any[], schema: ValueSchema, how?: { isUntouched?: boolean }) => CarriedValues} carriedValues
 *   `isUntouched`: a value is encoded once and then forwarded
 * @property {(codec: Pick<Codec, 'encode' | 'decode'>, payloads: string[]) => ScenarioKit} withCodec   makes a kit with another codec and
 *   other payloads of requests
 * @property {boolean} isPool   the transport starts the workers, which receive tasks
 * @property {(pausesMs: readonly number[]) => Endpoint} idleTasks   each loop pauses, submits a task, and then several without a pause; in
 *   the master of a pool
 * @property {() => Endpoint} taskProducer   submits tasks to workers or to a pool; in the master
 * @property {() => Endpoint} taskWorker   executes tasks; in a worker
 * @property {(answer?: (question: Message) => Message) => Endpoint} responder   `answer` makes the response, by default the recorded one
 *   or a copy of the request; in the master
 * @property {(isEncoded: boolean) => Endpoint} proxy   forwards requests of workers to the next role and its responses to the workers, and
 *   decodes and encodes all messages if isEncoded; in a role between workers and master
 */

/**
 * @typedef {{ workUs: number, resultBytes: number, isBytes: boolean }} TaskSettings   resultBytes: 0 for the size of the payload; isBytes:
 *   payloads are bytes
 */

// The operation and the measures of a scenario, as data. Tables, charts, verdicts and exports derive their wording, columns and directions
// from it.

/**
 * Nouns and participle for the operation of a scenario, such as 'connection', 'connections', 'made'. `toAll` is the noun for messages to
 * all workers, each of which counts them; without it, an operation belongs to one worker.
 */
export const Operation = object({ one: Name, many: Name, done: Name, toAll: optional(Name) });
/** @typedef {InferOutput<typeof Operation>} Operation */

/** A measure of a scenario, as stored in a results file. */
export const MeasureFacts = object({
  /** Key in results and CSV: 'roundTripsPerSecond'. */
  name: withErrorText(MeasureName, 'a name of letters and digits, a small letter first, at most 80'),
  /** For example 'round trips per second'. Contains the unit only if that is 'per second'. */
  title: Name,
  /** Unit of the summary. Times in a launch are in nanoseconds. */
  unit: picklist(['per second', 'MB/s', 'µs', 'bytes', 'count', 'share']),
  /** Null for a measure that is only shown and never ranks. */
  better: withErrorText(nullable(picklist(['higher', 'lower'])), 'higher or lower or null'),
  /** A launch has one number ('value') or one histogram ('times'). */
  kind: picklist(['value', 'times']),
  /**
   * 'linear' allows 0 and negative values, estimated without logarithms. Without it, values are not negative, and a headline is above 0.
   */
  scale: optional(withErrorText(literal('linear'), 'linear')),
  /** Name in --columns, which adds the measure to the tables. Measures without a name are in every table. */
  column: optional(/** @type {GenericSchema<FurtherColumn>} */ (Name)),
  /** Heading that adjacent columns share: 'payload'. */
  of: optional(Name),
  /** For a value: the headline on whose bar it is marked, with the same unit. */
  beside: optional(MeasureName),
  /** For a value: the measure of which it is a part. All parts are drawn in one bar. */
  partOf: optional(MeasureName),
});
/** @typedef {InferOutput<typeof MeasureFacts>} MeasureFacts */

/**
 * @typedef {Cell & { responseBytes?: number }} MeasuredCell   responseBytes: mean length of recorded responses; absent if none
 *   were recorded
 */

/** A measure with its function, which is not part of the results file. */
const Measure = object({
  ...MeasureFacts.entries,
  title: OneLine,
  of: optional(OneLine),
  read: /** @type {Method<ReadMeasure>} */ (method),
});
/**
 * Pure, called once per launch. If it throws or returns anything else, the launch fails, unless it has no operations.
 * @callback ReadMeasure
 * @param {readonly RoleReport[]} reports   of all roles
 * @param {MeasuredCell} cell
 * @param {readonly ProcessCost[]} costs   of all processes of the launch in its window; empty if one of them is unknown
 * @param {BrokerTraffic | null} [traffic]   per operation of a private broker; null if unknown
 * @returns {number | Latency[] | Float64Array | null} the value, or times in ns, one list per process or one for all; null if the launch has
 *   none
 */
/** @typedef {InferOutput<typeof Measure>} Measure */

/** @param {Measure[]} measures */
const areNamedOnce = (measures) => new Set(measures.map(({ name }) => name)).size === measures.length;
/** @param {Measure[]} measures */
const areRelated = (measures) =>
  measures.every(({ partOf, beside }) =>
    [partOf, beside].every((named) => named === undefined || measures.some(({ name }) => name === named)),
  );
const Measures = withErrorText(
  pipe(
    array(Measure),
    minLength(1),
    check(([headline]) => headline.scale === undefined),
    check(areNamedOnce),
    check(areRelated),
  ),
  'a list of measures, each name once, the headline first and without scale, beside and partOf names of others',
);

/** `bytes`: size of a piece; `question`: label of the scenario without the number of pieces. */
const PiecesFacts = object({ name: Name, bytes: pipe(number(), minValue(1)), question: Name });
/** @typedef {InferOutput<typeof PiecesFacts>} PiecesFacts */

/** The headline is the first measure. `roundTrips` and `addsTo` are those of Scenario. */
export const ScenarioFacts = object({
  operation: Operation,
  measures: pipe(array(MeasureFacts), minLength(1)),
  roundTrips: optional(nullable(Finite)),
  addsTo: optional(string()),
  pieces: optional(PiecesFacts),
});
/** @typedef {InferOutput<typeof ScenarioFacts>} ScenarioFacts */

const RoleFacts = object({
  /** Short, since it is part of launch ids and socket paths. */
  name: textLike(/^[a-z]{1,8}$/),
  /** 'workers': the role has a process for each worker. Without it, the role has one process. */
  count: optional(literal('workers')),
  /** The role starts and controls the others. */
  leads: OptionalTrue,
  /** Other roles connect to this one. */
  listens: OptionalTrue,
  /** Name of the role to which this one connects. That role precedes it and listens. */
  connectsTo: optional(string()),
  /**
   * Name of a setting whose value is the transport to the master, for a role that connects to the master. Without it, or if its value is
   * 'same', the role uses the transport of the cell.
   */
  over: optional(string()),
});
/**
 * The role of a process in a launch. The first role of a scenario is the master, which leads; the last role has the workers; each
 * role in between has one process.
 * @typedef {InferOutput<typeof RoleFacts>} Role
 */

/** Checks for a chain from the master to the workers, in which a role connects to an earlier one. @param {Role[]} roles */
function areChained(roles) {
  if (roles.length < 2 || new Set(roles.map(({ name }) => name)).size < roles.length) return false;
  return roles.every((role, index) => isRoleAt(role, roles.slice(0, index), index === roles.length - 1));
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

const Roles = withErrorText(
  pipe(array(RoleFacts), check(areChained)),
  'a list of roles, each name once and of 1 to 8 small letters: { name: "master", leads, listens }, then what stands between, each ' +
    '{ name, listens, connectsTo } with the name of one before it that listens, the first of them also over or not, and at last { name: "worker", count: "workers", connectsTo }',
);

const Loads = withErrorText(array(picklist(['closed', 'open'])), 'closed, open');

/** @typedef {Readonly<Settings>} Chosen   settings of a scenario, including defaults */
/**
 * @typedef {{ measures?: readonly [headline: Measure, ...Measure[]], leastWindowMs?: number, roundTrips?: number | null }}
 *   DependentProperties
 */

export const Scenario = object({
  ...PLUGIN,
  /** A round trip by default. */
  operation: optional(
    withErrorText(
      object({ one: OneLine, many: OneLine, done: OneLine, toAll: optional(OneLine) }),
      'words for one, many and done',
    ),
  ),
  /** The headline is ranked and compared, and decides when a run stops. By default: operations per second, and their times. */
  measures: optional(
    /** @type {GenericSchema<readonly [headline: Measure, ...Measure[]]>} */ (/** @type {any} */ (Measures)),
  ),
  /** Kinds of load that the scenario supports, both by default. */
  loads: optional(/** @type {GenericSchema<readonly ('closed' | 'open')[]>} */ (Loads)),
  /**
   * Measures the start of a process: there is no automatic warm-up, no V8 tuning and no check for a steady state, and few operations are
   * normal.
   */
  isCold: OptionalTrue,
  /** Shortest window in ms with enough operations. */
  leastWindowMs: optional(withErrorText(AboveZero, 'a number of ms above 0')),
  /** Round trips per operation, 1 by default. Null if an operation also has other messages. */
  roundTrips: optional(withErrorText(nullable(positive), 'a number above 0, null')),
  /** Returns whether the master sends each message to all workers. */
  isPublished: optional(/** @type {Method<(settings: Chosen) => boolean>} */ (method)),
  /** Returns whether the master, not the workers, follows the schedule of open load. */
  isPacedByMaster: optional(/** @type {Method<(settings: Chosen) => boolean>} */ (method)),
  /** Returns the queue from which all workers take jobs, or null if the master sends to each worker. */
  sharedQueue: optional(/** @type {Method<(settings: Chosen, cell: Cell) => SharedQueue | null>} */ (method)),
  /** Present if the master sends tasks, which a pool can execute. */
  tasks: optional(/** @type {Method<(settings: Chosen) => TaskSettings>} */ (method)),
  /** Returns the number of workers to kill in the middle of the window, in scenarios that run for a fixed time. */
  kills: optional(/** @type {Method<(settings: Chosen) => number>} */ (method)),
  /** Returns why the scenario does not apply to a transport, or null. */
  skipReason: optional(
    /** @type {Method<(traits: Traits, settings: Chosen, cell: Cell) => string | null>} */ (method),
  ),
  /**
   * A worker may have several connections. Its endpoint receives further ones by `serve`. Then `ready`, if present, is called
   * again, and resolves after the first verified operation of each new connection.
   */
  isOverConnections: OptionalTrue,
  /** Present if messages contain objects or lists, so --payload and --content do not apply. */
  carries: optional(/** @type {Method<(settings: Chosen) => Carries>} */ (method)),
  /** The load consists of request loops that can pause, so it is measured in slices instead of one window. */
  canPause: OptionalTrue,
  /** The load always ends by the clock, so --messages and loops without a transport do not apply. */
  isByTime: OptionalTrue,
  /** Returns how often a message is encoded and decoded between its ends, once by default. */
  codings: optional(/** @type {Method<(settings: Chosen) => number>} */ (method)),
  /** The scenario to which this one adds a process. A report shows the difference if both are measured. */
  addsTo: optional(withErrorText(OneLine, 'the name of a scenario')),
  /** By default, a master that listens and workers that connect to it. */
  roles: optional(/** @type {GenericSchema<readonly Role[]>} */ (Roles)),
  /** Settings like those of transports: 'stream:handle=10'. */
  settings: optional(withErrorText(record(Setting), 'an object')),
  /** Returns properties that depend on the settings and override those above. */
  ofSettings: optional(/** @type {Method<(settings: Chosen) => DependentProperties>} */ (method)),
  /** Methods of the kit that `endpoint` calls, by role, so that a process loads only these. All by default. */
  endpoints: optional(withErrorText(record(array(string())), 'lists of methods of the kit by role')),
  /** Makes the endpoint of a role. Called once per launch in each process. */
  endpoint: /** @type {Method<(role: string, kit: ScenarioKit) => Endpoint>} */ (method),
});
/** @typedef {InferOutput<typeof Scenario> & { chosen?: Chosen }} Scenario   chosen: set by the core */

// The reports of the processes of a launch.

/**
 * The time until the first verified response of a worker, or until the first tasks of a pool. The times of a worker exclude what the
 * harness does between them: loading itself, waiting for its command, and making payloads.
 * @typedef {object} Arrival
 * @property {number | null} startMs   from fork to the first line of code; null for a pool, which starts workers during their first tasks
 * @property {number | null} importMs   loading transport, codec and scenario; null for a pool
 * @property {number} connectMs   for a pool: loading the library and making the pool
 * @property {number} answerMs   from the request to the verified response; for a pool, from when it is made to the mean end of its first
 *   tasks, one per worker
 */

/**
 * The report of a role after its load.
 * @typedef {object} WindowOfRole
 * @property {string} role   'worker', 'master', 'relay'
 * @property {string} id   'w0', 'master', 'relay'
 * @property {number} openMs   instant at which the window opened, on the monotonic clock of the controller
 * @property {number} windowMs   length of the window; if loops count whole operations, their number divided by their rate
 * @property {Arrival | null} arrival   set for workers, and by `idleTasks`; otherwise null
 * @property {WatchedWork | null} work   work until the window opened; null if it did not open, and for the master
 * @property {ProcessCost | null} cost   cost within the window; null if unknown, and for the master
 * @property {number} [rejectedConnections]   set for a role that listens, unless the controller counts them
 */
/**
 * The report of an endpoint with the window of its role. If the endpoint does not report them, `bins`, `times` and `values` are empty, `open`
 * is null and `requests` is 0; the optional properties are absent. `operations` is null if another role counts them.
 * @typedef {Required<Pick<EndpointReport, 'mistakes' | 'bins' | 'times' | 'values' | 'open' | 'requests'>> &
 *   Pick<EndpointReport, 'latency' | 'whole' | 'sightings' | 'streams' | 'sent' | 'outage'> &
 *   { operations: number | null } & WindowOfRole} RoleReport
 */
