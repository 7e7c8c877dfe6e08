// A scenario: the question that is put to every transport, and what it is made of.

/** @import { BrokerTraffic, Estimate, Latency, OpenLaunch, OutageCounts, ProcessCost, WatchedWork } from './launches.js' */

/** @import { Codec, Message, ValueSchema, Wire } from './messages.js' */
/** @import { LatencySummary } from './results-file.js' */

/** @import { Cell } from './plans.js' */
/** @import { FurtherColumn } from './reports.js' */

/** @import { MeasureName, Name } from './scalars.js' */
/** @import { Channel, Setting, SharedQueue, Traits } from './transports.js' */

/**
 * What a scenario's loop is given. It lives as long as the loop: nothing is allocated per round trip but the promise.
 * @typedef {object} LoopHandle
 * @property {() => boolean} shouldContinue
 * @property {() => Promise<void>} request     resolves with the verified answer
 */

/**
 * What a process of a launch is there for. The first role of a scenario is the master's, which leads, and the last one the
 * workers'; what stands between them has one process each.
 * @typedef {object} Role
 * @property {string} name
 * @property {'workers'} [count]      absent: one
 * @property {true} [leads]           it starts the others, and gives the orders
 * @property {true} [listens]         others connect to it
 * @property {string} [connectsTo]    the name of a role before it, which listens; absent: it connects to nobody
 * @property {string} [over]          of one that connects to the master: the name of the setting that names the transport by which; absent,
 *                                    or where it is 'same': that of the cell
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

/**
 * @typedef {object} Scenario
 * @property {string} name
 * @property {string} summary
 * @property {Operation} [operation]            absent: a round trip
 * @property {readonly [headline: Measure, ...Measure[]]} [measures]   the headline is ranked, compared, and decides when to
 *                                              stop; absent: operations per second and the time of each
 * @property {readonly ('closed' | 'open')[]} [loads]    absent: both
 * @property {true} [isCold]                    it asks what the first moments of a process cost: nothing is warmed up, no steady
 *                                              state is looked for, and few operations are no fault
 * @property {number} [leastWindowMs]           a window for others would see too little of it
 * @property {number | null} [roundTrips]       questions with their answers that an operation takes; null: other messages as well;
 *                                              absent: one
 * @property {(settings: NonNullable<Scenario['chosen']>) => boolean} [isPublished]   its master sends to all workers at once;
 *                                              absent: it does not
 * @property {(settings: NonNullable<Scenario['chosen']>) => boolean} [isPacedByMaster]   under open load its master sends by the plan;
 *                                              absent: its workers do
 * @property {(settings: NonNullable<Scenario['chosen']>, cell: Cell) => SharedQueue | null} [sharedQueue]   what its master sends goes to a queue
 *                                              from which all workers take; absent, or null: to each of them
 * @property {(settings: NonNullable<Scenario['chosen']>) => TaskSettings} [tasks]   what its master sends are tasks. A pool can do them; absent: it has none
 * @property {(settings: NonNullable<Scenario['chosen']>) => number} [kills]   workers that are killed in the middle of the window,
 *                                              the last ones, of what is by time; absent: none
 * @property {(traits: Traits, settings: NonNullable<Scenario['chosen']>, cell: Cell) => string | null} [skipReason]   why it does not apply to a transport;
 *                                              null: it can
 * @property {true} [isOverConnections]         a worker may have several connections: its endpoint takes each further one by `serve`, and
 *                                              `ready` waits for those that are new; absent: it has one
 * @property {(settings: NonNullable<Scenario['chosen']>) => Carries} [carries]   objects or lists, so that --payload and --content say
 *                                              nothing of it; absent: a payload of text
 * @property {true} [canPause]                  its load is made of loops of requests, which can end and begin again: it is measured in
 *                                              slices; absent: in one window
 * @property {true} [isByTime]                  its load has no end of its own: it has no --messages and no loop without a transport
 * @property {(settings: NonNullable<Scenario['chosen']>) => number} [codings]   how often a message of an operation is encoded and
 *                                              decoded on its way; absent: once
 * @property {string} [addsTo]                  the scenario of which it is one with something in between: what that adds to each
 *                                              operation is told where both are measured; absent: none
 * @property {readonly Role[]} [roles]          absent: a master that listens, and workers that connect to it
 * @property {Record<string, Setting>} [settings]   as transports have them: 'stream:handle=10'
 * @property {(settings: NonNullable<Scenario['chosen']>) => Partial<Pick<Scenario, 'measures' | 'leastWindowMs' | 'roundTrips'>>} [ofSettings]   what
 *                                              of it follows from its settings, instead of what it says without them
 * @property {Readonly<Record<string, string | number | boolean>>} [chosen]   of the core: the settings of this question, defaults
 *                                              filled in
 * @property {Record<string, string[]>} [endpoints]   by role, the methods of the kit that `endpoint` calls: a process loads no others; absent,
 *                                              or of a role that is absent: all
 * @property {(role: string, kit: ScenarioKit) => Endpoint} endpoint   in each process, once for each launch
 */

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

// What a scenario counts and measures, as data: every table, chart, verdict and export takes its words, columns and
// directions from here.

/**
 * What a scenario counts, in the words of every sentence about it: 'connection', 'connections', 'made'. `toAll`: what goes to all
 * workers, and is counted at each of them: 'message'; absent: each operation is of one worker.
 * @typedef {{ one: Name, many: Name, done: Name, toAll?: Name }} Operation
 */

/**
 * A named number of a scenario, as a results file keeps it.
 * @typedef {object} MeasureFacts
 * @property {MeasureName} name           its key in results and CSV: 'roundTripsPerSecond'
 * @property {Name} title                 'round trips per second'; without its unit, unless the unit is 'per second'
 * @property {'per second' | 'MB/s' | 'µs' | 'bytes' | 'count' | 'share'} unit   of times in a launch: nanoseconds
 * @property {'higher' | 'lower' | null} better   null: it is shown, and nothing is ranked by it
 * @property {'value' | 'times'} kind     one number for each launch, or one histogram
 * @property {'linear'} [scale]           of a value: it may be 0 or less, and is estimated without logarithms; absent: it is never negative,
 *                                        as a headline is always above 0
 * @property {FurtherColumn} [column]     of --columns, which shows it; absent: a first look has it
 * @property {Name} [of]                  what its column shares with its neighbours: 'payload'
 * @property {MeasureName} [beside]       of a value: the name of the headline on whose bar it is marked; their units are the same
 * @property {MeasureName} [partOf]       of a value: the name of the measure that it adds up to with others, drawn as one bar
 */

/** @typedef {Cell & { responseBytes?: number }} MeasuredCell   responseBytes: mean length of recorded responses; absent: each is as long as its request */

/**
 * How a measure is read is code, and stays out of the file.
 * @typedef {MeasureFacts & { read: (reports: readonly RoleReport[], cell: MeasuredCell, costs: readonly ProcessCost[], traffic?: BrokerTraffic | null) => number | Latency[] | Float64Array | null }} Measure
 *   pure, once for each launch: where it throws, or gives anything else, the launch fails; `reports` are of all roles; of times those of each process, or all of them, each in ns; null: this
 *   launch has none; `costs` are of all processes of the launch, in its window, and empty where that of one is unknown; `traffic` is what passed its broker for each operation;
 *   null, or absent: there is none, or it does not tell
 */

/** @typedef {{ name: Name, bytes: number, question: Name }} PiecesFacts   as of Carries; `question`: its scenario, however many pieces */

/**
 * @typedef {{ operation: Operation, measures: MeasureFacts[], roundTrips?: number | null, addsTo?: string, pieces?: PiecesFacts }} ScenarioFacts
 *   the headline first; `roundTrips` and `addsTo` as in Scenario
 */

/**
 * What all launches of a cell say of a measure. Of a value the estimate has launches as samples; times are in µs.
 * @typedef {MeasureFacts & Estimate & { kind: 'value' }} MeasuredValue
 * @typedef {MeasureFacts & LatencySummary & { kind: 'times' }} MeasuredTimes
 */

export {};
