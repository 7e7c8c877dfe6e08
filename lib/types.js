/**
 * Every interface of the house, as JSDoc typedefs. Runs nothing; read it first.
 *
 * Units are in the names. Times within a process are milliseconds of `performance.now()`; instants that two
 * processes share are milliseconds of the machine's monotonic clock (`process.hrtime`), as a number.
 */

/* ---------------------------------------------------------------- messages and codecs */

/**
 * What a loop asks and the master answers.
 * @typedef {object} Message
 * @property {number} id        a positive integer below 2^31, chosen by the core
 * @property {string} payload   any well-formed string; its length in bytes of UTF-8 is the cell's `payloadBytes`
 */

/** @typedef {string | Uint8Array | object} Wire   what travels; never empty */
/** @typedef {'text' | 'bytes' | 'value'} WireKind */

/**
 * Pure and synchronous. What `encode` gave is left alone by later calls. `decode` gets a `Wire` that may be garbage, and
 * may be a view of memory that is reused after it returns: it keeps no reference, gives a fresh message, and throws a
 * plain `Error` that quotes nothing on anything malformed or cut off.
 * @typedef {object} Codec
 * @property {string} name        the file's own name
 * @property {string} summary     one line, for `ipc-bench list`
 * @property {WireKind} produces
 * @property {(message: Message) => Wire} encode
 * @property {(wire: any) => Message} decode
 * @property {() => Promise<string | undefined>} [whyUnavailable]   reason and remedy
 * @property {() => Promise<void>} [prepare]   loads a package that it needs; comes before the first encode and decode,
 *                                and may come again
 * @property {true} [trustsLength]   a wire has no length of its own: the message ends where the wire ends, and one that was
 *                                cut off is a shorter message
 * @property {string[]} [sources] documentation by which a package is used
 */

/* ---------------------------------------------------------------- transports */

/**
 * One end of one conversation. Order and boundaries are kept; there is one reader, the core, which assigns both
 * handlers in the tick in which it gets the channel.
 * @typedef {object} Channel
 * @property {(wire: any) => boolean} send       false: wait for `drained()` before sending more.
 *                                               The sender does not change the wire afterwards
 * @property {(wire: any) => void} onMessage     the wire is only valid until the handler returns
 * @property {(reason?: Error) => void} onClose  once, whichever end closes; nothing is held afterwards
 * @property {() => Promise<void>} drained
 * @property {() => Promise<void>} close         safe to call twice
 */

/**
 * What the fork channel lets a transport do: values only. The control line shares it and listens once for both,
 * since a second listener would cost an array copy per message.
 * @typedef {object} ForkLine
 * @property {(value: object, callback?: (error: Error | null) => void) => boolean} send
 * @property {(value: any) => void} onValue      every value that is not the control line's
 * @property {() => void} onDisconnect
 * @property {(value: object, transfer: readonly any[]) => void} [transfer]   only where the worker is a thread: a value
 *                                             that may hold what is in `transfer`, such as a MessagePort, or shared memory
 */

/**
 * What both ends know.
 * @typedef {object} EndContext
 * @property {Readonly<Record<string, string | number | boolean>>} settings   checked, defaults filled in
 * @property {string} codec           name of the codec of the cell
 * @property {WireKind} wireKind      what `send` gets and `onMessage` must be given
 * @property {number} maxMessageBytes largest legitimate message on the wire; more is a violation
 * @property {string} token           the launch's secret: 32 hexadecimal digits. What joins without it is a stranger
 * @property {string} launchId        unique among all runs; 1 to 24 characters of [0-9a-z]
 * @property {string | null} brokerUrl    where the broker is, for transports that have one
 * @property {boolean} [isBrokerOurs]     it ends with the run, and all that is in it; absent: as good as a user's own
 */

/**
 * @typedef {object} HostRole
 * @property {string} scratchDir      private (0700), short, removed by the conductor
 * @property {number} workers         how many will connect
 * @property {(channel: Channel, workerId: string) => void} onChannel   a worker proved that it belongs here
 * @property {(what: string) => void} onStranger    somebody else knocked and was turned away
 * @property {(error: Error) => void} onError       the listener itself is broken: the launch fails
 */
/** @typedef {EndContext & HostRole} HostContext */

/**
 * @typedef {object} GuestRole
 * @property {string} address         as `listen` gave it
 * @property {string} workerId        'w0', 'w1', ...
 * @property {ForkLine} line
 */
/** @typedef {EndContext & GuestRole} GuestContext */

/**
 * @typedef {object} Listener
 * @property {string} address                      reaches `connect` unchanged
 * @property {ForkWishes} [fork]                   how its workers are to be started
 * @property {(line: ForkLine, workerId: string, streams: WorkerStreams) => void} [adopt]   for transports that ride on what
 *                                                 the start of a worker makes: the fork channel, stdin and stdout
 * @property {() => Promise<void>} close           no file, port, topic or timer remains; safe to call twice
 */

/**
 * @typedef {object} ForkWishes
 * @property {'json' | 'advanced'} [serialization]   of the fork channel
 * @property {true} [stdio]                        stdin and stdout are the transport's; without it a worker has neither
 * @property {true} [thread]                       workers are threads of the master (node:worker_threads), not processes
 */
/**
 * The master's ends of a worker's stdin and stdout; null unless `fork.stdio` was asked for.
 * @typedef {{ stdin: import('node:stream').Writable, stdout: import('node:stream').Readable } | null} WorkerStreams
 */

/**
 * What may vary in a transport: `unix:flush=tick`.
 * @typedef {object} Setting
 * @property {string} summary
 * @property {string | number | boolean} default    its type is the type of the setting
 * @property {(string | number)[]} [choices]
 * @property {number} [min]
 * @property {number} [max]
 * @property {string} [unit]
 * @property {true} [takesFractions]  of a number; absent: whole ones only
 * @property {true} [changesTheWay]   a message goes another way, and not only faster or slower: the conformance suite
 *                                  plays every choice
 */

/**
 * @typedef {object} Traits
 * @property {'pipe' | 'socket' | 'memory' | 'brokerless' | 'broker' | 'rpc' | 'thread'} class
 * @property {'host' | 'network'} reach
 * @property {'duplex' | 'one-way' | 'request-reply'} direction   request-reply: the master answers each question once, in
 *                                         the order in which it hears them, and says nothing unasked
 * @property {string} guarantee            delivery guarantee in a few words
 * @property {'memory' | 'disk'} [durability]   of a broker: what it has accepted survives its end only on disk
 * @property {'free'} [order]              messages may overtake each other; absent: order is kept
 * @property {'possible'} [loss]           messages may get lost while both ends live; absent: none does
 * @property {true} [isSpinning]           who waits keeps looking, at a core each; absent: it sleeps
 * @property {true} [isCostly]             a message takes a process, a file or a disk: milliseconds. Suites send fewer
 * @property {number} greatestMessageBytes Infinity where only memory limits it
 * @property {string[]} platforms          of process.platform
 * @property {string | null} broker        its name, or null
 * @property {string[]} [packages]         npm packages that it imports
 * @property {string[]} sources            upstream documentation for the settings used (M-46)
 * @property {number} [messagesPerRoundTrip]   that a broker is given, and as many it delivers; absent: not to be told
 */

/**
 * A server that a transport needs, started by the conductor for the run.
 * @typedef {object} Broker
 * @property {string} name
 * @property {(settings?: Readonly<Record<string, string | number | boolean>>) => Promise<string | undefined>} whyUnavailable
 *                                         reason and remedy when no server is found to start, with such settings of the
 *                                         transport or, without, with any
 * @property {string[]} [urlSchemes]       of URLs that it can be given instead, as 'amqp'; those with 'unix' or '+unix' at
 *                                         their end name a unix socket
 * @property {string[]} [dependsOn]        settings of the transport that its start depends on: cells that differ in others
 *                                         share one; absent: all
 * @property {(place: BrokerPlace) => Promise<RunningBroker>} start
 * @property {(url: string) => Promise<TrafficGauge>} [openGauge]   to be read in the master, before and after the load
 * @property {(url: string) => Promise<{ version: string, config: Record<string, string> }>} [describe]   one that is not
 *                                         ours: the settings that change numbers, without secrets
 */
/**
 * What has passed a broker since its gauge was opened, without what asking for it took.
 * @typedef {object} Traffic
 * @property {number} published           messages that it was given
 * @property {number | null} delivered    messages that it handed on; may be derived from bytes, and then no whole number;
 *                                        null: it counts what it handed on in one go as one
 * @property {number} bytes               that it sent to its clients
 */
/**
 * @typedef {object} TrafficGauge
 * @property {() => Promise<Traffic>} passed
 * @property {() => Promise<void>} close
 */
/**
 * @typedef {object} BrokerPlace
 * @property {string} scratchDir
 * @property {Readonly<Record<string, string | number | boolean>>} settings   of the transport
 * @property {number[] | null} cpus        to be pinned to; null: free
 * @property {AbortSignal} [signal]        a start that takes seconds is given up
 */
/**
 * @typedef {object} RunningBroker
 * @property {string} url                  may hold a password: never stored or printed
 * @property {number} pid                  of the server itself, for its cost
 * @property {string} version
 * @property {Record<string, string>} config    what differs from the server's defaults, without secrets
 * @property {Promise<string>} died        resolves with the cause when it ends before `close`
 * @property {() => Promise<void>} close
 */

/**
 * One file, both ends.
 * @typedef {object} Transport
 * @property {string} name                 the file's own name
 * @property {string} summary
 * @property {Traits} traits
 * @property {WireKind[]} carries          the plan skips codecs that produce anything else
 * @property {string[]} [serialises]       codecs that the channel itself does: with them it is given 'value', the message
 * @property {Record<string, Setting>} [settings]
 * @property {(settings: Readonly<Record<string, string | number | boolean>>) => Partial<Traits>} [traitsOf]   what differs
 *                                         from `traits` with such settings, all filled in; see lib/cell/traits.js
 * @property {(settings: Readonly<Record<string, string | number | boolean>>) => string | undefined} [whyImpossible]   why such
 *                                         settings, all filled in, do not go together, and what would
 * @property {Broker} [broker]
 * @property {(settings?: Readonly<Record<string, string | number | boolean>>) => Promise<string | undefined>} [whyUnavailable]
 *                                         reason and remedy with such settings, all filled in; without: with the defaults
 * @property {(host: HostContext) => Promise<Listener>} listen      in the master
 * @property {(guest: GuestContext) => Promise<Channel>} connect    in a worker
 */

/* ---------------------------------------------------------------- scenarios and reports */

/**
 * What a scenario's loop is given. It lives as long as the loop: nothing is allocated per round trip but the promise.
 * @typedef {object} LoopHandle
 * @property {() => boolean} goesOn
 * @property {() => Promise<void>} ask     resolves with the verified answer
 */
/**
 * @typedef {object} Scenario
 * @property {string} name
 * @property {string} summary
 * @property {(question: Message) => Message} answer       in the master
 * @property {(handle: LoopHandle) => Promise<void>} loop   in a worker, once per loop
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
 * Results in, documents out; pure, the core writes.
 * @typedef {object} Report
 * @property {string} name
 * @property {string} summary
 * @property {(results: Results, options: ReportOptions) => Document[] | Promise<Document[]>} render
 */

/* ---------------------------------------------------------------- options and plan */

/** @typedef {'split' | 'same' | 'free'} PlacementMode */
/** @typedef {'ascii' | 'utf8' | 'binary' | 'json'} ContentKind   what payloads are made of: lib/scenario-kit/contents.js */
/** @typedef {'event' | 'busy'} PollMode   how a process waits: asleep until something comes, or looking all the time */
/** @typedef {'wait' | 'ignore' | 'fail'} LockMode   what to do about another measuring run of this user */

/** @typedef {{ workers: number, loops: number }} Shape     written WxC */
/** @typedef {{ name: string, settings: Record<string, string> }} TransportChoice   settings as written, unchecked */

/** @typedef {'p50' | 'p90' | 'p99' | 'p999'} PercentileName */
/** @typedef {{ percentile: PercentileName, us: number }} Slo   the percentile of response time stays below */

/**
 * Open load: what is sent, and when, is planned; answers are not waited for.
 * @typedef {object} OpenOptions
 * @property {number[]} ratesPerSecond       of a cell, all workers together; none: searched, so that `slo` is kept
 * @property {'fixed' | 'poisson'} arrivals
 * @property {boolean} catchesUp             what is late is sent as soon as a loop is free; else it is given up
 * @property {Slo | null} slo                null: nothing is searched
 * @property {number} [maxTimeMs]            of each cell that is searched, with the full launches that confirm it; absent:
 *                                           nothing is searched, or there was no such limit yet
 */

/**
 * Adaptive stopping: blocks are added until the intervals are narrow enough, or the time is spent.
 * @typedef {object} StopOptions
 * @property {number} targetError            greatest half-width of a 95 % interval of throughput: 0.02 is 2 %
 * @property {number} maxTimeMs              of measuring
 */

/**
 * What the user chose, after flags, environment, config file, preset and defaults; frozen.
 * @typedef {object} Options
 * @property {OpenOptions} [open]            absent: closed loops
 * @property {Shape[]} shapes
 * @property {number[]} payloadBytes
 * @property {ContentKind[]} [contents]      absent: ascii
 * @property {TransportChoice[]} transports
 * @property {string[]} codecs
 * @property {string[]} scenarios
 * @property {{ transport: string, codec: string }[] | null} series   of a preset: only these pairs; null: all
 * @property {string | null} preset
 * @property {number} launches               at least, where `stop` is there
 * @property {StopOptions} [stop]            absent: so many launches and no more
 * @property {number | null} warmupMs        null: detected
 * @property {'early' | 'usual'} [tierUp]    when V8 optimises master and workers; absent: usual
 * @property {number} measureMs
 * @property {number | null} messages        per loop; null: by time
 * @property {PlacementMode[]} placements
 * @property {PollMode[]} [polls]            absent: event
 * @property {LockMode} [lock]               absent: wait
 * @property {boolean} [controls]            absent: the controls are measured
 * @property {true} [syscalls]               an extra launch of each cell under strace
 * @property {true} [profile]                an extra launch of each cell under V8's profiler
 * @property {boolean} [strict]              refuse a machine that doctor calls unfit
 * @property {string} reference              'transport[:settings]/codec'
 * @property {boolean} referenceIsChosen     false: the default, which may be absent from the plan
 * @property {number} seed
 * @property {boolean} quick
 * @property {Record<string, string>} brokerUrls   name of a broker → URL of one of the user's own; may hold passwords:
 *                                           never stored or printed
 * @property {string} outDir
 * @property {Record<string, string>} outputs    report name → path, '-' = stdout
 * @property {'light' | 'dark'} theme
 * @property {string | null} title
 * @property {boolean} hasNotes              of the table: all that belongs to it
 * @property {FurtherColumn[]} furtherColumns    of the table
 * @property {boolean} isQuiet
 * @property {boolean | null} colour         null: ask the terminal
 */

/**
 * One cell: the unit of work and of reporting. `settings` holds only what differs from the transport's defaults.
 * @typedef {object} Cell
 * @property {string} transport
 * @property {string} codec
 * @property {string} scenario
 * @property {number} payloadBytes
 * @property {Exclude<ContentKind, 'ascii'>} [content]   of the payload; absent: ascii
 * @property {number} workers
 * @property {number} loops
 * @property {PlacementMode} placement
 * @property {'busy'} [poll]                 absent: event
 * @property {Record<string, string | number | boolean>} settings
 * @property {number} [ratePerSecond]    planned, all workers together; absent: closed loops
 */

/** @typedef {Omit<Cell, 'transport' | 'settings' | 'codec'>} Question   what cells share that are compared with each other */

/**
 * @typedef {object} PlannedCell
 * @property {Cell} cell
 * @property {string | null} skip            the reason; null: it is measured
 * @property {true} [isImpossible]           it means nothing, and no machine could measure it; absent: another one could
 */

/* ---------------------------------------------------------------- results file, version 1 */

/**
 * An estimate with its interval. `method` 'signed-rank': Hodges–Lehmann with the exact interval; 'range': fewer
 * launches than a 95 % interval needs, so `low` and `high` are the extremes and `level` is null; 'rank-sum': the shift
 * of logs between launches that shared no blocks, in comparisons only.
 * @typedef {object} Estimate
 * @property {number} estimate
 * @property {number} low
 * @property {number} high
 * @property {number | null} level       0.95 where it is an interval
 * @property {number} n                  launches (or blocks)
 * @property {'signed-rank' | 'rank-sum' | 'range'} method
 */

/**
 * @typedef {object} ProcessCost          differenced over the measured window, except the peak
 * @property {string} name                'master', 'w0', 'w1', ..., 'helpers', 'redis'
 * @property {number} userUs
 * @property {number} systemUs
 * @property {number} share               of one core, busy: (user + system) / window
 * @property {number} [mainShare]         the same of its main thread alone; absent: not told apart
 * @property {number | null} voluntarySwitches
 * @property {number | null} involuntarySwitches
 * @property {number | null} peakRssBytes
 * @property {number[] | null} cpus       the affinity that its main thread ran with; null: unknown
 * @property {number[]} [helperCpus]      that of V8's and libuv's helper threads; absent: as the main thread
 * @property {number | null} [readCalls]  system calls of the read family, all threads; recv and its kin are not among them
 * @property {number | null} [writeCalls] of the write family; send and its kin are not among them
 * @property {'master'} [partOf]          of threads: in a launch whose workers are threads, 'master' is the main thread
 *                                         with the memory of the whole process, 'helpers' are the threads of V8 and libuv
 *                                         that serve all others; where threads cannot be told apart, 'master' is all
 */

/**
 * @typedef {object} Warmup
 * @property {'steady' | 'not-steady' | 'cold' | 'fixed'} status   cold: its time was over before every process had worked
 *                                        enough; fixed: the user said how long
 * @property {number} ms                  from the start of load to the window
 * @property {number} binMs
 * @property {number[]} roundTrips        of each bin of warm-up, whole launch, as the master counted
 * @property {Work[]} [work]              of each process: master first; absent in results of earlier versions
 */
/**
 * What a process had done when the window opened, since the load began.
 * @typedef {object} Work
 * @property {string} name                'master', 'w0', ...
 * @property {number} operations
 * @property {number | null} cpuMs        null: the system does not tell
 * @property {true} [isIdle]              it worked or waited for a CPU for less than a tenth of the time: faster code would
 *                                        not change its rate by 5 %
 */

/**
 * @typedef {object} Latency              service time of every verified round trip of the window
 * @property {number} count
 * @property {number} minNs               exact
 * @property {number} maxNs               exact
 * @property {number} meanNs
 * @property {string} histogram           HdrHistogram V2, compressed, base64; nanoseconds, 3 significant digits
 */

/** @typedef {{ code: string, message: string }} Flag    code: a key of lib/words/result-flags.js */

/**
 * What a launch under open load has besides. `latency` stays the time from the real send; response time runs from the
 * planned instant, and their difference is the send lag: three histograms of the same round trips.
 * @typedef {object} OpenLaunch
 * @property {'fixed' | 'poisson'} arrivals
 * @property {boolean} catchesUp
 * @property {'spin' | 'tick'} pacing     spin: each worker's event loop never sleeps, at a core each; tick: timers of 1 ms
 * @property {number} due                 planned instants in the window
 * @property {number} started             questions sent in the window
 * @property {number} late                of these: no loop was free when they were due
 * @property {number} missed              given up in the window, since the launch does not catch up
 * @property {number} dropped             due by the end of the window, and never started
 * @property {Latency} response
 * @property {Latency} sendLag
 */

/**
 * What disturbed a launch from before its first fork to after its last exit; null where unreadable. Shares are of the
 * time of the CPUs that it was placed on.
 * @typedef {object} Noise
 * @property {number | null} othersShare      used by programs that are not of the launch
 * @property {number | null} stealShare       given to other virtual machines
 * @property {number | null} pressureShare    of all time: something waited for a CPU, one of ours or not (PSI, some)
 * @property {number | null} throttledPeriods of the control group
 * @property {number} spinRatio               a fixed piece of work, before or after the launch: times as long as usual
 * @property {number} masterStallMs           longest delay of the master's event loop in the window, beyond the usual
 */

/**
 * @typedef {object} MeasuredLaunch
 * @property {'measured'} status
 * @property {number} block               from 0
 * @property {number} order               place in the whole run, from 0
 * @property {string} startedAt           ISO 8601
 * @property {number} roundTrips          verified in the window
 * @property {number} windowMs
 * @property {number} roundTripsPerSecond
 * @property {Warmup} warmup
 * @property {number} binMs
 * @property {number[]} bins              round trips of each bin of the window, all workers
 * @property {Latency} latency
 * @property {ProcessCost[]} costs        master first, then workers, then brokers
 * @property {number} strangers           turned away
 * @property {Flag[]} flags
 * @property {OpenLaunch} [open]          absent: closed loops
 * @property {Noise} [noise]
 * @property {BrokerTraffic} [traffic]    absent: no broker, or one that does not tell
 * @property {Losses} [losses]            absent: the transport loses nothing
 * @property {true} [isSpinning]          by the transport: who waited kept looking, so that CPU time is no cost
 */
/**
 * What passed a broker per round trip, from before the load of a launch to after its last answer: warm-up included, so
 * that no round trip is cut in two.
 * @typedef {object} BrokerTraffic
 * @property {number} published           messages that it was given
 * @property {number | null} delivered    messages that it handed on; null: it does not tell
 * @property {number} bytes               that it sent to its clients
 */
/**
 * What became of the questions of a transport that may lose messages, from the first to the last, warm-up included. A loop
 * that gave up an answer goes on: with half a second less.
 * @typedef {object} Losses
 * @property {number} asked
 * @property {number} lost                neither the answer nor a sign of it came
 * @property {number} late                the answer came when its loop had given it up
 * @property {number} reordered           answers that overtook others of their worker
 */
/**
 * @typedef {object} FailedLaunch
 * @property {'failed'} status
 * @property {number} block
 * @property {number} order
 * @property {string} startedAt
 * @property {string} code                of lib/errors.js
 * @property {string} message             who, what and in which phase
 * @property {'start' | 'connect' | 'warm-up' | 'measure' | 'drain'} phase
 * @property {string[]} stderr            the last lines of its processes
 * @property {Record<string, number> | null} integrity   counters, when it failed by them
 */
/** @typedef {MeasuredLaunch | FailedLaunch} Launch */

/**
 * @typedef {object} LatencySummary       microseconds; merged over workers and launches
 * @property {number} count
 * @property {number} min
 * @property {number} mean
 * @property {number} p50
 * @property {number} p90
 * @property {number | null} p99          null below 1,000 samples
 * @property {number | null} p999         null below 10,000 samples
 * @property {number} max
 * @property {{ p50: Estimate, p99: Estimate | null }} perLaunch   the same percentiles, launches as samples
 */

/**
 * Of a cell under open load; counts are sums of its launches, times in µs.
 * @typedef {object} OpenSummary
 * @property {'fixed' | 'poisson'} arrivals
 * @property {boolean} catchesUp
 * @property {'spin' | 'tick'} pacing
 * @property {number} achieved            questions sent / planned instants
 * @property {number} due
 * @property {number} late
 * @property {number} missed
 * @property {number} dropped
 * @property {LatencySummary} responseUs
 * @property {Omit<LatencySummary, 'perLaunch'>} sendLagUs
 */

/**
 * @typedef {object} MeasuredOutcome
 * @property {'measured'} status
 * @property {Cell} cell
 * @property {Estimate} roundTripsPerSecond
 * @property {(Estimate & { to: string }) | null} ratio    `to`: label of the reference; null: none measured. The
 *                                         reference itself has estimate, low and high of exactly 1
 * @property {LatencySummary} latencyUs
 * @property {number} megabytesPerSecond   payload, both ways, 10^6 bytes
 * @property {{ workers: number | null, master: number, broker: number | null }} cpuUsPerRoundTrip   workers: null where
 *                                         they are threads that cannot be told apart; helper threads count for the master
 * @property {number | null} peakRssBytes  sum over the launch's processes, greatest of the launches
 * @property {{ name: string, share: number } | null} busiest   the busiest process, mean share of one core
 * @property {Flag[]} flags                each code once
 * @property {MeasuredLaunch[]} launches
 * @property {OpenSummary} [open]          absent: closed loops
 * @property {Losses} [losses]             sums of the launches; absent: the transport loses nothing
 */
/**
 * @typedef {object} SkippedOutcome
 * @property {'skipped'} status
 * @property {Cell} cell
 * @property {string} reason
 * @property {true} [isImpossible]        it means nothing, and no machine could measure it; absent: another one could, or
 *                                        it was noted by an earlier version
 */
/**
 * @typedef {object} FailedOutcome
 * @property {'failed'} status
 * @property {Cell} cell
 * @property {string} code
 * @property {string} message
 * @property {Launch[]} launches
 */
/** @typedef {MeasuredOutcome | SkippedOutcome | FailedOutcome} Outcome */

/**
 * @typedef {object} Environment          null where unreadable, never absent
 * @property {string | null} cpuModel
 * @property {number} logicalCpus
 * @property {number[] | null} usableCpus       the affinity mask
 * @property {number | null} cpuQuota           cores, of the cgroup
 * @property {boolean | null} smt
 * @property {string | null} governor
 * @property {boolean | null} turbo
 * @property {string | null} hypervisor
 * @property {string | null} container
 * @property {string | null} clockSource
 * @property {number} memoryBytes
 * @property {number | null} memoryLimitBytes
 * @property {string} platform
 * @property {string} arch
 * @property {string} os                        name and version
 * @property {string} kernel
 * @property {string} node
 * @property {string} v8
 * @property {string} libuv
 * @property {string[]} nodeFlags
 * @property {number[]} loadAverage
 * @property {number | null} openFilesLimit
 * @property {number | null} pressureCpuSome    PSI avg10, percent
 * @property {string | null} tmpFilesystem
 * @property {boolean} pinning                  processes can be pinned here
 * @property {Record<string, string>} packages  npm versions of what moves messages
 * @property {Record<string, { version: string, config: Record<string, string>, origin: 'private' | 'url' }>} brokers
 */

/**
 * Ping-pong of one byte between two processes, at its median: what it costs to wake a sleeping CPU.
 * @typedef {object} WakeUp
 * @property {number} sameUs              a round trip with both on one CPU
 * @property {number} splitUs             the same across two
 * @property {number} costUs              half of the difference: a round trip wakes both ends
 * @property {number[]} cpus              the two
 */

/**
 * How an adaptive run came to its number of launches.
 * @typedef {object} StopRule
 * @property {'target' | 'time' | 'blocks' | 'failures' | null} endedBy   blocks: more than that no run makes; failures:
 *                                        nothing is left that can be measured; null: not ended, or interrupted
 * @property {number | null} widest       half-width of the widest interval, as a share of its estimate; null: no interval
 * @property {number} blocks              when this was decided
 * @property {number} elapsedMs           of measuring, of all parts of a run that was continued
 */
/**
 * One of several sides that were measured in the same blocks: their launches pair by block.
 * @typedef {object} Variant
 * @property {string} name                'A'
 * @property {string} written             what makes it different, as the user wrote it
 * @property {string} runId               the same in the files of all sides
 */
/**
 * What the harness and the codec take without any transport: a worker's loops and a master's answers in one process.
 * @typedef {object} ControlRow
 * @property {string} codec
 * @property {string} scenario
 * @property {number} payloadBytes
 * @property {Cell['content']} [content]   absent: ascii
 * @property {number} loops
 * @property {{ estimate: number, low: number, high: number }} codecUs   CPU time per round trip of encoding and decoding
 *                                         question and answer, in a hot loop: median, least and greatest of the slices
 * @property {number} checkUs             of that an answer's payload is held against its question's
 * @property {number} nullUs              of a whole round trip with a function call in place of the transport
 */
/**
 * @typedef {object} Controls
 * @property {{ nowNs: number, recordNs: number } | null} timer   reading the clock, recording a latency
 * @property {ControlRow[]} rows
 */

/**
 * What a transport promises, as it was when the run was made.
 * @typedef {object} TransportFacts
 * @property {Traits['class']} class
 * @property {string} guarantee
 * @property {string | null} broker       its name
 * @property {number | null} messagesPerRoundTrip   that a broker should be given, and as many deliver
 * @property {Traits['direction']} [direction]   absent, as the next: noted by an earlier version, or as in Traits
 * @property {Traits['durability']} [durability]
 * @property {Traits['order']} [order]
 * @property {Traits['loss']} [loss]
 * @property {true} [isSpinning]
 */

/**
 * Of one extra launch under strace, in its window; never of a measured one, since tracing slows everything.
 * @typedef {object} SyscallCounts
 * @property {Cell} cell
 * @property {number} roundTrips
 * @property {{ name: string, calls: Record<string, number> }[]} processes   per round trip, by system call
 */
/**
 * Of one extra launch with V8's sampling profiler on, while it was under load.
 * @typedef {object} CpuProfile
 * @property {Cell} cell
 * @property {string} process             'master', 'w0', ...
 * @property {string} file                name of its .cpuprofile
 * @property {{ name: string, share: number }[]} heaviest   of the time in which it was not idle
 */

/**
 * An extra launch that was to be looked into, and showed nothing.
 * @typedef {object} FailedLook
 * @property {Cell} cell
 * @property {'syscalls' | 'profile'} look   as its option is called
 * @property {string} code
 * @property {string} message
 */

/**
 * @typedef {object} Results
 * @property {1} schemaVersion
 * @property {{ name: 'ipc-bench', version: string }} tool
 * @property {'running' | 'complete' | 'interrupted'} status
 * @property {string} startedAt           ISO 8601, UTC
 * @property {string} updatedAt
 * @property {Environment} environment
 * @property {string[]} [continuedAt]      when an interrupted run was taken up again, ISO 8601
 * @property {StopRule} [stopRule]        absent: a fixed number of launches
 * @property {Variant} [variant]          absent: nothing was interleaved with it
 * @property {{ wakeUp: WakeUp | null }} [machine]   measured once per run; null: it cannot be told here
 * @property {Omit<Options, 'brokerUrls' | 'outDir' | 'outputs' | 'hasNotes' | 'furtherColumns' | 'isQuiet' | 'colour'>} options
 * @property {number} seed
 * @property {string} reference           label of the row that ratios refer to
 * @property {PublishedFigures | null} published     of the preset, to be shown beside
 * @property {Outcome[]} outcomes         in the order of the plan
 * @property {Sweep[]} [sweeps]           searches for the highest rate, each confirmed by outcomes around it
 * @property {Controls} [controls]        absent: --no-controls
 * @property {Record<string, TransportFacts>} [transports]   by name; by 'name:key=value' too, where settings change them
 * @property {SyscallCounts[]} [syscalls]   of --syscalls
 * @property {CpuProfile[]} [profiles]    of --profile
 * @property {FailedLook[]} [failedLooks]   of both; absent: none failed
 */

/**
 * @typedef {object} Sweep
 * @property {Cell} cell                  without its rate
 * @property {Slo} slo
 * @property {'up' | 'down'} direction    from which side the search came, drawn by the seed
 * @property {SweepProbe[]} probes         one launch each
 * @property {number | null} foundPerSecond   null: no rate kept it
 * @property {'found' | 'none' | 'time' | 'disturbed'} [endedBy]   none: not even the lowest rate keeps the limit; time and
 *                                         disturbed: found is the highest that kept it so far. Absent, as the next three:
 *                                         by an earlier version
 * @property {number} [elapsedMs]          of the search
 * @property {{ ratePerSecond: number, maxTimeMs: number }} [next]   ended by time: the rate that was next, and the time with
 *                                         which it could have been tried and what is found then confirmed
 * @property {number} [ratesLeftOut]       of the curve around the rate found: they did not fit into the time any more
 */
/**
 * @typedef {object} SweepProbe
 * @property {number} ratePerSecond
 * @property {number | null} us            of the percentile
 * @property {boolean} keeps
 * @property {string} why                  it does not keep
 * @property {string[]} [flags]            codes of the launch; absent: none, or by an earlier version
 */

/* ---------------------------------------------------------------- comparison of two results, version 1 */

/** @typedef {'faster' | 'slower' | 'same' | 'inconclusive'} Verdict */
/** @typedef {'interleaved' | 'separate'} ComparisonDesign   launches paired by block, or runs made one after another */

/**
 * @typedef {object} ComparedSide
 * @property {string} name                'old', 'new', or as the user called it
 * @property {string} source              where the results came from, for people
 * @property {string} startedAt
 * @property {string} version             of ipc-bench
 * @property {Results['status']} status
 */
/**
 * What is compared is a speed, so that more is better and a ratio above 1 is faster: verified round trips per second in
 * closed loops; under open load, where their number is planned, what the response time at `percentile` is.
 * @typedef {object} ComparedRow
 * @property {Cell} cell
 * @property {'roundTripsPerSecond' | 'responseP50Us' | 'responseP99Us'} quantity   of the two estimates
 * @property {Estimate} old
 * @property {Estimate} new
 * @property {Estimate} ratio             how many times as fast the new side is
 * @property {number | null} p            that there is no difference; null: too few launches for a test
 * @property {number | null} adjustedP    by Holm over the rows
 * @property {Verdict} verdict
 * @property {boolean} isBeyond           faster or slower by more than the least effect, with certainty
 * @property {string | null} why          there can be no verdict
 * @property {number | null} moreLaunches   of each side that would settle it, about; null: it is settled
 * @property {number | null} detectableRatio   what such a comparison finds four times of five; null: nothing
 * @property {{ old: string[], new: string[] }} flags   codes
 */
/**
 * @typedef {object} MissingCell
 * @property {Cell} cell
 * @property {'old' | 'new' | 'both'} side   that lacks it
 * @property {string} reason
 */
/**
 * Of the cells that differ in transport and codec only, of one question and one quantity.
 * @typedef {object} MeanOfCells
 * @property {ComparedRow['quantity']} quantity
 * @property {number} cells
 * @property {Estimate} ratio             of the means of whole blocks
 */
/** @typedef {Question & MeanOfCells} GeometricMean */
/**
 * @typedef {object} Comparison
 * @property {1} schemaVersion
 * @property {'comparison'} kind
 * @property {{ name: 'ipc-bench', version: string }} tool
 * @property {ComparisonDesign} design
 * @property {number} minEffect           δ: 0.05 is 5 %
 * @property {ComparedSide} old
 * @property {ComparedSide} new
 * @property {string[]} forced            differences that would be refused; empty: none
 * @property {boolean} isForced           the user insists
 * @property {string[]} warnings          unlike surroundings
 * @property {string[]} machineDifferences   why the two cannot be one machine
 * @property {ComparedRow[]} rows         in the order of the old plan
 * @property {MissingCell[]} missing
 * @property {GeometricMean[]} geometricMeans   of questions with several cells
 */

/**
 * Figures somebody published, for charts that show them beside the measured ones.
 * @typedef {object} PublishedFigures
 * @property {string} title
 * @property {string} source
 * @property {string[]} caveats
 * @property {{ transport: string, codec: string, label: string, workers: number, loops: number, payloadBytes: number, roundTripsPerSecond: number }[]} results
 */

export {};
