// What the user chose, and the cells that are made of it.

/** @import { Count, Name, NonNegative, Positive, Several, Word } from './scalars.js' */

/** @import { FurtherColumn, PictureWishes } from './reports.js' */

/** @typedef {'split' | 'same' | 'free'} PlacementMode */

/** @typedef {'ascii' | 'utf8' | 'binary' | 'json'} ContentKind   what payloads are made of: lib/scenario/messages/payloads.js */

/** @typedef {'json' | 'text'} MessageFormat   of a file: an object on each line or in one list, or a text on each line */

/** @typedef {{ mean: Positive, least: Positive, p50: Positive, p90: Positive, p99: Positive, greatest: Positive }} MessageSizes   of a message, in bytes */
/** @typedef {{ channel: Positive, recordedBytes: Count, replayedBytes: Count }} ReplaySizes   means, both serialised as the program does it */
/**
 * Messages of the user's own, as they were when the run began.
 * @typedef {object} MessageFile
 * @property {string} path                as it was given
 * @property {MessageFormat} format
 * @property {string} sha256
 * @property {Positive} [channel]         of recorded traffic, which the file is; absent: it is a file of messages
 * @property {string} content             what cells call it: 'orders.ndjson@1a2b3c4d'
 * @property {Positive} messages
 * @property {MessageSizes} bytes
 * @property {{ channel: Positive, bytes: MessageSizes }} [responses]   of recorded traffic; absent: a response repeats its request
 * @property {ReplaySizes[]} [replaySizes]   of recorded traffic: of its messages, and of their responses, as far as the recorder knows them
 * @property {string[]} differences       of their fields, the first ones, in words
 * @property {Count} moreDifferences
 */

/** @typedef {'event' | 'busy'} PollMode   how a process waits: asleep until something comes, or looking all the time */
/** @typedef {'wait' | 'ignore' | 'fail'} LockMode   what to do about another measuring run of this user */
/** @typedef {{ workers: Positive, loops: Positive }} Shape     written WxC */
/** @typedef {{ name: Name, settings: Record<string, string> }} TransportChoice   settings as written, unchecked */
/** @typedef {'p50' | 'p90' | 'p99' | 'p999'} PercentileName */
/** @typedef {{ percentile: PercentileName, us: NonNegative }} Slo   the percentile of response time stays below */

/**
 * Open load: what is sent, and when, is planned; answers are not waited for.
 * @typedef {object} OpenOptions
 * @property {Positive[]} ratesPerSecond     of a cell, all workers together; none: searched, so that `slo` is met
 * @property {'fixed' | 'poisson' | 'recorded'} arrivals
 * @property {boolean} catchesUp             what is late is sent as soon as a loop is free; else it is given up
 * @property {Slo | null} slo                that a rate has to meet; null: there is none
 * @property {NonNegative} [maxTimeMs]       of each cell that is searched, with the curve around it; absent:
 *                                           nothing is searched, or there was no such limit yet
 */

/**
 * Adaptive stopping: blocks are added until the intervals are narrow enough, or the time is spent.
 * @typedef {object} StopOptions
 * @property {NonNegative} targetError       greatest half-width of a 95 % interval of a ratio: 0.02 is 2 %
 * @property {NonNegative} maxTimeMs         of measuring
 * @property {Positive} [mostLaunches]       of --launches auto, where a ratio that is clear of 1 need not be as narrow; absent: 1,000
 */

/** @typedef {{ master: string, workers: string[], sharesFolder?: true }} HostChoice   names of agents; workers take turns on theirs; sharesFolder: of one machine */
/** @typedef {{ url: string, secret: string }} Agents   url: of the Redis that carries commands; secret: of the agents */

/**
 * What the user chose, after flags, environment, config file, preset and defaults; frozen.
 * @typedef {object} Options
 * @property {OpenOptions} [open]            absent: closed loops
 * @property {HostChoice} [hosts]            absent: all processes are on this host
 * @property {Agents} [agents]               of these hosts: never stored or printed
 * @property {Shape[]} shapes
 * @property {Positive[]} payloadBytes
 * @property {(ContentKind | (string & {}))[]} [contents]      absent: ascii
 * @property {MessageFile} [messageFile]     it decides `payloadBytes` and `contents`; absent: payloads are made
 * @property {TransportChoice[]} transports
 * @property {Name[]} codecs
 * @property {Name[]} scenarios
 * @property {{ transport: Name, codec: Name }[] | null} series       of a preset: only these pairs; null: all
 * @property {string | null} preset
 * @property {Positive} launches             at least, where `stop` is there
 * @property {StopOptions} [stop]            absent: so many launches and no more
 * @property {NonNegative | null} warmupMs   null: detected
 * @property {'early' | 'usual'} [tierUp]    when V8 optimises master and workers; absent: usual
 * @property {NonNegative} measureMs
 * @property {NonNegative} [sliceMs]   absent: each launch was measured in one window
 * @property {Positive | null} messages     per loop; null: by time
 * @property {PlacementMode[]} placements
 * @property {PollMode[]} [polls]            absent: event
 * @property {Positive[]} [connections]      of each worker; absent: one
 * @property {string[]} [networks]           '1ms', '1ms+100mbit', 'none'; absent: none
 * @property {Word[]} [runtimes]             that play the roles, as cell/launch-roles.js writes them, or with paths; absent: this Node
 * @property {Word[]} [runtimePath]          folders in which they are looked for first; absent: none
 * @property {LockMode} [lock]               absent: wait
 * @property {boolean} [controls]            absent: the controls are measured
 * @property {true} [floor]                  the same bytes through the same mechanisms, in C
 * @property {boolean} [charts]              absent: charts are drawn
 * @property {true} [syscalls]               an extra launch of each cell under strace
 * @property {true} [profile]                an extra launch of each cell under V8's profiler
 * @property {true} [explain]                an extra launch of each cell that can be explained
 * @property {boolean} [strict]              refuse a machine that doctor calls unfit
 * @property {string} reference              'transport[:settings]/codec'
 * @property {boolean} referenceIsChosen     false: the default, which may be absent from the plan
 * @property {number} seed
 * @property {boolean} quick
 * @property {Record<string, string>} brokerUrls   name of a broker → URL of one of the user's own; may hold passwords:
 *                                           never stored or printed
 * @property {string} outDir
 * @property {Record<string, string>} outputs    report name → path, '-' = stdout
 * @property {'light' | 'dark' | 'both'} theme
 * @property {string | null} title
 * @property {PictureWishes} picture
 * @property {boolean} hasNotes              of the table: all that belongs to it
 * @property {FurtherColumn[]} furtherColumns    of the table
 * @property {boolean} [live]               absent: the ranking is shown while it is measured, in a terminal
 * @property {boolean} isQuiet
 * @property {boolean | null} colour         null: ask the terminal
 */

/**
 * One cell: the unit of work and of reporting. `settings` holds only what differs from the transport's defaults.
 * @typedef {object} Cell
 * @property {Name} transport
 * @property {Name} codec
 * @property {Name} scenario
 * @property {Positive} payloadBytes
 * @property {Exclude<ContentKind, 'ascii'> | (string & {})} [content]   of the payload, or of a file, whose messages are `payloadBytes`
 *                                           long in the mean; absent: ascii
 * @property {Positive} workers
 * @property {Positive} loops
 * @property {Several} [connections]        of each worker, each with all its loops; absent: one
 * @property {Name} [runtime]                 that plays its roles, as cell/launch-roles.js writes it; absent: this Node
 * @property {PlacementMode} placement
 * @property {'busy'} [poll]                 absent: event
 * @property {string} [hosts]                'a:b+c': the master on a, workers in turn on b and c; absent: all on one
 * @property {string} [network]              between master and workers, '1ms+100mbit'; absent: they share a host
 * @property {Record<string, string | number | boolean>} settings
 * @property {Positive} [ratePerSecond]   planned, all workers together; absent: closed loops
 */

/** @typedef {Omit<Cell, 'transport' | 'settings' | 'codec' | 'runtime'>} Question   what cells share that are compared with each other */

/**
 * @typedef {object} PlannedCell
 * @property {Cell} cell
 * @property {string | null} skip            the reason; null: it is measured
 * @property {true} [isImpossible]           it means nothing, and no machine could measure it; absent: another one could
 * @property {true} [isContradiction]        its scenario and an option exclude each other, whatever the transport and the codec
 */

/**
 * All cells of one side of a run.
 * @typedef {object} Plan
 * @property {PlannedCell[]} cells
 * @property {string} reference              label of a row that has at least one cell to measure; '' where there is none
 * @property {RunEstimate} estimate
 * @property {string[]} warnings             sentences: what is out of proportion to this machine
 */

/**
 * Of a sweep: how many launches it takes where rates are high, and how long at the most.
 * @typedef {object} RunEstimate
 * @property {number} launches               of an adaptive run the fewest
 * @property {number} ms                     that they take
 * @property {number} [mostMs]               of an adaptive run: how long it goes on at the most
 */

/**
 * What makes a process warm: so many operations, and so much CPU time for them; or so much CPU time that dear operations
 * need not be as many. Beyond it, until its operations get no cheaper: noise may never look level, so this has an end.
 * @typedef {object} WorkGoal
 * @property {number} operations
 * @property {number} leastCpuMs
 * @property {number} enoughCpuMs
 * @property {number} levelWithinCpuMs   0: the cost of its operations tells nothing
 * @property {boolean} idleIsEnough   who mostly waits for something else is not waited for
 */

/**
 * @typedef {object} Timing
 * @property {number | null} warmupMs       null: detected, between the two limits below
 * @property {number} minWarmupMs
 * @property {number} maxWarmupMs
 * @property {number} steadyWithinMs        once every process has worked enough: longer is not waited for a steady state
 * @property {number} warmupBinMs            warm-up is judged in bins of this length
 * @property {WorkGoal} workGoal   of every process
 * @property {number} measureMs
 * @property {number | null} messages       per loop; null: by time
 * @property {number} binMs                  of the window
 * @property {SlicePlan} [slices]            absent: it is measured in one window
 */

/** @typedef {{ rounds: number, skipMs: number, measureMs: number }} SlicePlan   measureMs: of each slice at least, after the skipMs that are not counted */

export {};
