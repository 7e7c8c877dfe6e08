// A scenario and a report: a question, and what is made of its answers.

/** @import { Comparison } from './comparisons.js' */
/** @import { Message } from './messages.js' */
/** @import { Cell } from './plans.js' */
/** @import { Latency, OpenLaunch, OutageCounts } from './launches.js' */
/** @import { Measure, Operation } from './measures.js' */
/** @import { Results } from './results-file.js' */
/** @import { Channel, Setting, SharedQueue, Traits } from './transports.js' */

/**
 * What a scenario's loop is given. It lives as long as the loop: nothing is allocated per round trip but the promise.
 * @typedef {object} LoopHandle
 * @property {() => boolean} goesOn
 * @property {() => Promise<void>} ask     resolves with the verified answer
 */

/** @typedef {'master' | 'worker'} Role   the master listens and answers, each worker connects and asks */

/**
 * What one process does in a scenario, made once for each launch. All times are of this process's own clock.
 * @typedef {object} Half
 * @property {(channel: Channel, peer: string) => void} [serve]   sets its `onMessage`; of the role that listens
 * @property {() => Promise<void>} [ready]               the first verified operation
 * @property {LoadClock} [meter]                          of its load, where it has one of its own
 * @property {(atMs: number) => Promise<void>} [run]     its load, which began at that instant and ends when the meter is over
 * @property {() => void} [opened]                       the window opens: nothing is counted yet
 * @property {() => void} [closed]                       the window is over
 * @property {() => number} progress                     operations so far; asked many times a second
 * @property {(reports: readonly (HalfReport & { id: string })[]) => Promise<void>} [settled]   in the master, when the load is over and the workers
 *                                                       have handed in: waits for what is under way; gives up by itself
 * @property {(nowMs: number) => void} [killing]         in the master: workers are killed now, as the scenario asks for it
 * @property {(workerId: string) => void} [gone]         one of them has ended
 * @property {() => HalfReport} report                   once, at the end
 */

/**
 * @typedef {object} MeterPlan            times of this process, in ms
 * @property {number} fromMs
 * @property {number} toMs                Infinity: until every loop has done its messages
 * @property {number} binMs
 * @property {() => void} onOpen          called at the first stamp in the window, before anything is counted
 * @property {() => void} onClose         called at the first stamp after it
 */

/** @typedef {{ schedule: (plan: MeterPlan) => void, tickAt: (ms: number) => void, giveUp: () => void }} LoadClock */

/** @typedef {[count: number, ms: number]} Sighting   of the message of that count from 0; ms of the host's monotonic clock */

/**
 * What a half has counted: within the window where it has one.
 * @typedef {object} HalfReport
 * @property {number} [operations]                       that it counts; absent: another role counts them
 * @property {Partial<Mistakes>} mistakes                over the whole launch
 * @property {number[]} [bins]                           operations per bin of the window
 * @property {Latency} [latency]                         of every operation of the window; absent: nobody took them
 * @property {Record<string, Latency>} [times]           others of the window, by name
 * @property {Record<string, number>} [values]           further numbers, by name: for measures to read
 * @property {Record<string, Sighting[]>} [sightings]     when messages of a stream were seen, by the worker at its other or own end
 * @property {OpenCounts | null} [open]                  null: closed loops
 * @property {number} [asked]                            questions over the whole launch
 * @property {OutageCounts} [outage]                     absent: nobody was killed
 */

/** @typedef {{ prefetch: number, handleMs: number }} QueueTerms   prefetch: most jobs of a worker at once, 0: its loops; handleMs: that each keeps it
 *   busy */
/** @typedef {{ lost: number, duplicate: number, swapped: number, corrupt: number, outOfOrder: number }} Mistakes */
/** @typedef {Omit<OpenLaunch, 'arrivals' | 'catchesUp' | 'pacing'>} OpenCounts */

/** @typedef {{ record: (nanoseconds: number) => void, toLatency: () => Latency }} Times   whole nanoseconds */

/**
 * What a half is made of, in one process of one launch.
 * @typedef {object} ScenarioKit
 * @property {Cell} cell
 * @property {Readonly<Record<string, string | number | boolean>>} settings   of the scenario, defaults filled in
 * @property {{ readonly isOpen: boolean, readonly isOver: boolean }} meter   whether the window is open, and whether the load is over; in a worker
 * @property {() => Times} times           an empty one, for what a scenario times itself
 * @property {(loop: (handle: LoopHandle) => Promise<void>, times?: Record<string, Times>) => Half} asking   `loop` is called once
 *                                         for each loop of the cell; `times` are reported with what it counts; in a worker
 * @property {() => Half} connecting       each loop connects, asks once, and hangs up; in a worker
 * @property {(pausesMs: readonly number[]) => Half} resting   each loop rests, asks once, then some more without a pause; in a worker
 * @property {() => Half} sending         as fast as the channel takes it; in either role
 * @property {(handleMs: number) => Half} taking   what the other end sends; each message keeps the event loop busy for so long
 * @property {() => Half} publishing      each message to all workers; in the master
 * @property {() => Half} hearing         what is published; in a worker
 * @property {(terms: QueueTerms) => Half} offering   jobs to workers that acknowledge them; in the master
 * @property {(handleMs: number) => Half} working   on what is offered, for so long each; in a worker
 * @property {(answer?: (question: Message) => Message) => Half} answering           absent: the answer is the question itself; in the master
 */

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
 * @property {(settings: NonNullable<Scenario['chosen']>, cell: Cell) => SharedQueue | null} [sharedQueue]   what its master sends goes to a queue
 *                                              from which all workers take; absent, or null: to each of them
 * @property {(settings: NonNullable<Scenario['chosen']>) => number} [kills]   workers that are killed in the middle of the window,
 *                                              the last ones, of what is by time; absent: none
 * @property {(traits: Traits, settings: NonNullable<Scenario['chosen']>, cell: Cell) => string | null} [whyNot]   why it cannot be asked of a transport;
 *                                              null: it can
 * @property {true} [isByTime]                  its load has no end of its own: it has no --messages and no loop without a transport
 * @property {Record<string, Setting>} [settings]   as transports have them: 'stream:handle=10'
 * @property {Readonly<Record<string, string | number | boolean>>} [chosen]   of the core: the settings of this question, defaults
 *                                              filled in
 * @property {(role: Role, kit: ScenarioKit) => Half} half   in each process, once for each launch
 */

/**
 * @typedef {object} Document
 * @property {string} name                a file name without folder
 * @property {string} mediaType
 * @property {string | Uint8Array} content
 * @property {string} [caption]           of a picture: what it shows, as its alt text
 */

/**
 * @typedef {object} ReportOptions
 * @property {'light' | 'dark'} [theme]
 * @property {string} [title]
 * @property {boolean} [colour]           ANSI colours are welcome
 * @property {number} [columns]           width of the terminal; absent: there is none
 * @property {boolean} [hasNotes]         of the table: all that belongs to it, not only what a first look needs
 * @property {FurtherColumn[]} [furtherColumns]   of the table, beside those of a first look
 */

/** @typedef {'mb' | 'cpu' | 'net' | 'memory' | 'service' | 'lag' | 'sends'} FurtherColumn   of --columns */

/**
 * The option of `run` and `report` that asks for a built-in report. One of the user's own is asked for by --report.
 * @typedef {object} ReportOption
 * @property {string} flag
 * @property {number} rank                its place among them in --help
 * @property {{ ending: string, what: string }} [many]   it makes many documents, for a folder: '.png', 'pictures'
 */

/**
 * What is made of a comparison of two runs.
 * @typedef {object} ComparisonReport
 * @property {string} summary
 * @property {(compared: Compared) => string | Promise<string>} render
 */

/** @typedef {{ comparison: Comparison, old: { name: string, results: Results }, new: { name: string, results: Results } }} Compared */

/**
 * Results in, documents out; pure, the core writes. One that is built in is loaded at the start of every command, for its
 * flag: it imports what it is made of inside of `render`.
 * @typedef {object} Report
 * @property {string} name
 * @property {string} summary             of an option: its help
 * @property {ReportOption} [option]      absent: of the user's own, or always shown
 * @property {ComparisonReport} [comparison]   the same option of `compare`; absent: it has none
 * @property {(results: Results, options: ReportOptions) => Document[] | Promise<Document[]>} render
 */

export {};
