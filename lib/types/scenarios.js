// A scenario: the question that is put to every transport, and what it is made of.

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
 * What a scenario's loop is given. It lives as long as the loop: nothing is allocated per round trip but the promise.
 * @typedef {object} LoopHandle
 * @property {() => boolean} shouldContinue
 * @property {() => Promise<void>} request     resolves with the verified answer
 */

/**
 * What one process does in a scenario, made once for each launch. All times are of this process's own clock.
 * @typedef {object} Endpoint
 * @property {(channel: Channel, peer: string) => void} [serve]   sets its `onMessage`; of a role that listens, and of a further connection
 *                                                       of a worker
 * @property {() => Promise<void>} [ready]               the first verified operation; of one that listens: all that it needs before
 * @property {LoadClock} [meter]                          of its load, where it has one of its own
 * @property {(atMs: number) => Promise<void>} [run]     its load, which began at that instant and ends when the meter is over;
 *                                                       absent: the load is that of others, and ends when they have handed in
 * @property {() => void} [opened]                       the window opens: nothing is counted yet
 * @property {() => void} [closed]                       the window is over
 * @property {() => number} progress                     operations so far; asked many times a second
 * @property {(reports: readonly EndpointReport[]) => Promise<void>} [settled]   in the master, when the load is over and the workers
 *                                                       have handed in: waits for what is under way; gives up by itself
 * @property {(nowMs: number) => void} [killing]         in the master: workers are killed now, as the scenario asks for it
 * @property {(workerId: string) => void} [gone]         one of them has ended
 * @property {() => EndpointReport} report                   once, at the end
 */

/**
 * @typedef {object} MeterPlan            times of this process, in ms
 * @property {number} fromMs
 * @property {number} toMs                Infinity: until every loop has done its messages
 * @property {number} binMs
 * @property {() => void} onOpen          called at the first stamp in the window, before anything is counted
 * @property {() => void} [onCounted]     called when each of the loops has counted its whole operations, at the end of the window without loops
 * @property {() => void} onClose         called at the first stamp after it, or where loops count whole operations, when the load ends
 */

/** @typedef {{ schedule: (plan: MeterPlan) => void, tickAt: (ms: number) => void, giveUp: () => void, readonly isWhole?: boolean, typicalOperationMs?: () => number }} LoadClock
 *   isWhole: its loops count whole operations */

/**
 * What the closed loops of a process have counted: the operations that begin in the window, whole.
 * @typedef {object} WholeCounts
 * @property {number} operations
 * @property {number} windowMs            the operations divided by the sum of the rates of the loops
 * @property {number} loopsMs             the time of all loops together, which the times of the operations add up to
 * @property {number} completed           operations between the readings of costs, those that a reading cuts by their part
 */

/** @typedef {[count: number, ms: number, plannedMs?: number]} TimestampSample   of the message of that count from 0; ms of the host's monotonic clock;
 *   plannedMs: when it was due, where it was sent by a plan */

/**
 * What an endpoint has counted: within the window where it has one.
 * @typedef {object} EndpointReport
 * @property {number} [operations]                       that it counts; absent: another role counts them
 * @property {Partial<Mistakes>} mistakes                over the whole launch
 * @property {number[]} [bins]                           operations per bin of the window
 * @property {WholeCounts} [whole]                       of closed loops that count whole operations
 * @property {Latency} [latency]                         of every operation of the window; absent: nobody took them
 * @property {Record<string, Latency>} [times]           others of the window, by name
 * @property {Record<string, number>} [values]           further numbers, by name: for measures to read
 * @property {Record<string, TimestampSample[]>} [sightings]     when messages of a stream were seen, by the worker at its other or own end
 * @property {Record<string, number>} [streams]         messages over the whole launch, by the stream that they were sent in
 * @property {EndpointReport} [sent]                         of one that takes and sends at once: what it sent
 * @property {OpenCounts | null} [open]                  null: closed loops
 * @property {number} [asked]                            questions over the whole launch
 * @property {number} [rejectedConnections]                      that it has turned away itself; absent: the listener of the core has counted them
 * @property {OutageCounts} [outage]                     absent: nobody was killed
 * @property {Arrival | null} [arrival]                  of a pool
 */

/** @typedef {{ prefetch: number, handleMs: number }} QueueTerms   prefetch: most jobs of a worker at once, 0: its loops; handleMs: that each keeps it
 *   busy */
/** @typedef {{ lost: number, duplicate: number, swapped: number, corrupt: number, outOfOrder: number }} Mistakes */
/** @typedef {Omit<OpenLaunch, 'arrivals' | 'catchesUp' | 'pacing'>} OpenCounts */
/** @typedef {{ record: (nanoseconds: number) => void, toLatency: () => Latency }} Times   whole nanoseconds */

/**
 * Values that both ends know, each called by a name that takes the place of a payload.
 * @typedef {object} CarriedValues
 * @property {string[]} names
 * @property {(message: Message) => Wire} encode       the value whose name is the payload
 * @property {(wire: any) => Message} decode           the name of the value, which was compared field by field
 * @property {() => number | null} encodedBytes        of all of them; null: the channel encodes
 */

/**
 * What a scenario's messages carry in the place of a payload.
 * @typedef {object} Carries
 * @property {ValueSchema} schema
 * @property {number} payloadBytes        of a message, in JSON
 * @property {boolean} isUntouched        a value is encoded once, and handed on
 * @property {{ name: string, bytes: number }} [pieces]   what charts count a payload in: 'records', of so many bytes each. A setting that
 *                                        says how many there are is a quantity; absent: bytes
 */

/**
 * What an endpoint is made of, in one process of one launch.
 * @typedef {object} ScenarioKit
 * @property {Cell} cell
 * @property {number} seed                 of the launch
 * @property {Pick<Codec, 'encode' | 'decode'>} codec
 * @property {Readonly<Record<string, string | number | boolean>>} settings   of the scenario, defaults filled in
 * @property {{ readonly isOpen: boolean, readonly isOver: boolean }} meter   whether the window is open, and whether the load is over; in a worker
 * @property {() => Times} times           an empty one, for what a scenario times itself
 * @property {(loop?: (handle: LoopHandle) => Promise<void>, times?: Record<string, Times>) => Endpoint} requester   `loop` is called once
 *                                         for each loop of the cell; absent: it asks again and again; `times` are reported with what it counts; in a worker
 * @property {() => Endpoint} reconnectingRequester       each loop connects, asks once, and hangs up; in a worker
 * @property {(pausesMs: readonly number[]) => Endpoint} idleRequester   each loop rests, asks once, then some more without a pause; in a worker
 * @property {() => Endpoint} producer         as fast as the channel takes it; in either role
 * @property {(handleMs: number) => Endpoint} consumer   what the other end sends; each message keeps the event loop busy for so long
 * @property {(role: string, handleMs: number) => Endpoint} duplex   sends and takes at once; in both roles
 * @property {() => Endpoint} publisher      each message to all workers; in the master
 * @property {() => Endpoint} subscriber         what is published; in a worker
 * @property {(terms: QueueTerms) => Endpoint} jobProducer   jobs to workers that acknowledge them; in the master
 * @property {(handleMs: number) => Endpoint} jobConsumer   on what is offered, for so long each; in a worker
 * @property {(values: readonly any[], schema: ValueSchema, how?: { isUntouched?: boolean }) => CarriedValues} carriedValues   `isUntouched`:
 *                                         each is encoded once, and handed on ever after
 * @property {(codec: Pick<Codec, 'encode' | 'decode'>, payloads: string[]) => ScenarioKit} withCodec   the same with another codec, and
 *                                         other payloads to ask with
 * @property {boolean} isPool          the transport starts its workers itself: they are given tasks
 * @property {(pausesMs: readonly number[]) => Endpoint} idleTasks   each loop rests and submits a task, then some more without a pause; in the master of a pool
 * @property {() => Endpoint} taskProducer   tasks to workers or to a pool, so many at once; in the master
 * @property {() => Endpoint} taskWorker      does them; in a worker
 * @property {(answer?: (question: Message) => Message) => Endpoint} responder           absent: the answer is the question itself; in the master
 * @property {(isEncoded: boolean) => Endpoint} proxy   what workers ask goes on to the role that it connects to, and the answers come
 *                                         back; encoded: each message is decoded and encoded anew. In a role between the two
 */

/** @typedef {{ workUs: number, resultBytes: number, isBytes: boolean }} TaskSettings   resultBytes: 0: as many as the payload; isBytes: payloads are bytes */

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
  /** null: it is shown, and nothing is ranked by it. */
  better: wanted(nullable(picklist(['higher', 'lower'])), 'higher or lower or null'),
  /** One number for each launch, or one histogram. */
  kind: picklist(['value', 'times']),
  /** Of a value: it may be 0 or less, and is estimated without logarithms; without it, it is never negative, and as a headline above 0. */
  scale: optional(wanted(literal('linear'), 'linear')),
  /** Of --columns, which shows it; without it, a first look has it. */
  column: optional(/** @type {GenericSchema<FurtherColumn>} */ (/** @type {any} */ (Name))),
  /** What its column shares with its neighbours: 'payload'. */
  of: optional(Name),
  /** Of a value: the name of the headline on whose bar it is marked; their units are the same. */
  beside: optional(MeasureName),
  /** Of a value: the name of the measure that it adds up to with others, drawn as one bar. */
  partOf: optional(MeasureName),
});
/** @typedef {InferOutput<typeof MeasureFacts>} MeasureFacts */

/** @typedef {Cell & { responseBytes?: number }} MeasuredCell   responseBytes: mean length of recorded responses, where they are not as long as their requests */

/** How a measure is read is code, and stays out of the file. */
const Measure = object({
  ...MeasureFacts.entries,
  title: OneLine,
  of: optional(OneLine),
  /**
   * Pure, once for each launch: where it throws, or returns anything else, the launch fails. `reports` are of all roles; of times those
   * of each process, or all of them, each in ns; null: this launch has none. `costs` are of all processes of the launch, in its
   * window, and empty where that of one is unknown. `traffic` is what passed its broker for each operation, where that reports it.
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

/** `question`: its scenario, however many pieces; else as of Carries. */
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
  /** A window for others would see too little of it. */
  leastWindowMs: optional(wanted(AboveZero, 'a number of ms above 0')),
  /** Requests with their responses that an operation takes; null: other messages as well; without it, one. */
  roundTrips: optional(wanted(nullable(positive), 'a number above 0, null')),
  /** Its master sends to all workers at once. */
  isPublished: optional(/** @type {Method<(settings: Chosen) => boolean>} */ (method)),
  /** Under open load its master sends by the plan, and not its workers. */
  isPacedByMaster: optional(/** @type {Method<(settings: Chosen) => boolean>} */ (method)),
  /** What its master sends goes to a queue from which all workers take; without it, or null: to each of them. */
  sharedQueue: optional(/** @type {Method<(settings: Chosen, cell: Cell) => SharedQueue | null>} */ (method)),
  /** What its master sends are tasks, which a pool can do. */
  tasks: optional(/** @type {Method<(settings: Chosen) => TaskSettings>} */ (method)),
  /** Workers that are killed in the middle of the window, the last ones, of what is by time. */
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
  /** Its load is made of loops of requests, which can end and begin again: it is measured in slices, and not in one window. */
  canPause: Mark,
  /** Its load has no end of its own: it has no --messages and no loop without a transport. */
  isByTime: Mark,
  /** How often a message of an operation is encoded and decoded on its way; without it, once. */
  codings: optional(/** @type {Method<(settings: Chosen) => number>} */ (method)),
  /** The scenario of which it is one with something in between: the report says what that adds to each operation, if both are measured. */
  addsTo: optional(wanted(OneLine, 'the name of a scenario')),
  /** Without them, a master that listens, and workers that connect to it. */
  roles: optional(/** @type {GenericSchema<readonly Role[]>} */ (/** @type {any} */ (Roles))),
  /** As transports have them: 'stream:handle=10'. */
  settings: optional(wanted(record(Setting), 'an object')),
  /** What of it follows from its settings, instead of what it says without them. */
  ofSettings: optional(
    /** @type {Method<(settings: Chosen) => { measures?: readonly [headline: Measure, ...Measure[]], leastWindowMs?: number, roundTrips?: number | null }>} */ (
      method
    ),
  ),
  /** By role, the methods of the kit that `endpoint` calls, so that a process loads no others; without it, all. */
  endpoints: optional(wanted(record(array(string())), 'lists of methods of the kit by role')),
  /** In each process, once for each launch. */
  endpoint: /** @type {Method<(role: string, kit: ScenarioKit) => Endpoint>} */ (method),
});
/** @typedef {InferOutput<typeof Scenario> & { chosen?: Chosen }} Scenario   chosen: set by the core */

// What the processes of a launch hand in.

/**
 * How long it took to the first verified answer of a worker, or to the first tasks of a pool. What the harness does between the parts is in none of them: it loads
 * itself, waits for its order, and makes payloads.
 * @typedef {object} Arrival
 * @property {number | null} startMs      from the fork to its first line of code; null: a pool starts its workers while it does their first tasks
 * @property {number | null} importMs     loading transport, codec and scenario; null: likewise
 * @property {number} connectMs           of a pool: loading the library and making the pool
 * @property {number} answerMs            from the question to its verified answer
 */

/**
 * What a role hands in when its load is over.
 * @typedef {object} WindowOfRole
 * @property {string} role                'worker', 'master', 'relay'
 * @property {string} id                  'w0', 'master', 'relay'
 * @property {number} openMs              when its window opened
 * @property {number} windowMs            how long it was; of loops that count whole operations, these divided by their rate
 * @property {Arrival | null} arrival     null: it was there before the launch began to connect
 * @property {WatchedWork | null} work           up to then; null: the window did not open
 * @property {ProcessCost | null} cost    within it
 * @property {number} [rejectedConnections]         turned away by a role that listens; absent: it does not, or the controller counts them
 */
/**
 * What its endpoint says only where it has it is here empty, null or 0; `operations` is null where another role counts them.
 * @typedef {Required<Omit<EndpointReport, 'latency' | 'whole' | 'sightings' | 'streams' | 'sent' | 'outage' | 'operations' | 'rejectedConnections' | 'arrival'>> &
 *   Pick<EndpointReport, 'latency' | 'whole' | 'sightings' | 'streams' | 'sent' | 'outage'> &
 *   { operations: number | null } & WindowOfRole} RoleReport
 */
