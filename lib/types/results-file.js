// The results file.

/** @import { PublishedFigures } from './comparisons.js' */

/** @import { HostFacts } from './hosts.js' */
/** @import { Backpressure, Estimate, Flag, Interval, Launch, Losses, MeasuredLaunch, ProcessCost } from './launches.js' */

/** @import { Cell, Options, PlacementMode, Slo } from './plans.js' */
/** @import { CodecLook, TransportLook } from './reports.js' */

/** @import { Count, Instant, LongText, Name, NonNegative, Positive, Several, Word } from './scalars.js' */
/** @import { MeasuredTimes, MeasuredValue, Operation, ScenarioFacts } from './scenarios.js' */

/** @import { Traits } from './transports.js' */

/**
 * @typedef {object} Environment          null where unreadable, never absent
 * @property {string | null} cpuModel
 * @property {Count} logicalCpus
 * @property {Count[] | null} usableCpus        the affinity mask
 * @property {NonNegative | null} cpuQuota      cores, of the cgroup
 * @property {boolean | null} smt
 * @property {string | null} governor
 * @property {boolean | null} turbo
 * @property {string | null} hypervisor
 * @property {string | null} container
 * @property {string | null} clockSource
 * @property {NonNegative} memoryBytes
 * @property {NonNegative | null} memoryLimitBytes
 * @property {string} platform
 * @property {string} arch
 * @property {string} os                        name and version
 * @property {string} kernel
 * @property {string} node
 * @property {string} v8
 * @property {string} libuv
 * @property {string[]} nodeFlags
 * @property {NonNegative[]} loadAverage
 * @property {NonNegative | null} openFilesLimit
 * @property {NonNegative | null} pressureCpuSome   PSI avg10, percent
 * @property {string | null} tmpFilesystem
 * @property {boolean} pinning                  processes can be pinned here
 * @property {Record<string, string>} packages   npm versions of what moves messages
 * @property {Record<string, Word>} [runtimes]     versions, by the names that cells have; absent: this Node played all
 * @property {Record<string, { version: string, config: Record<string, string>, origin: 'private' | 'url', deaths?: string[] }>} brokers   deaths: causes, of
 *                                             private ones that another one replaced
 */

/**
 * Ping-pong of one byte between two processes, at its median: what it costs to wake a sleeping CPU.
 * @typedef {object} WakeUp
 * @property {NonNegative} sameUs         a round trip with both on one CPU
 * @property {NonNegative} splitUs        the same across two
 * @property {NonNegative} costUs         half of the difference: a round trip wakes both ends
 * @property {Count[]} cpus               the two
 */

/**
 * How an adaptive run came to its number of launches.
 * @typedef {object} StopRule
 * @property {'target' | 'settled' | 'time' | 'blocks' | 'failures' | null} endedBy   settled: of --launches auto, every ratio is known
 *                                        well enough or clear of 1; blocks: more than that no run makes; failures:
 *                                        nothing is left that can be measured; null: not ended, or interrupted
 * @property {NonNegative | null} widest   half-width of the widest interval of a ratio, as a share of its estimate; null: no interval
 * @property {Count} blocks               when this was decided
 * @property {NonNegative} elapsedMs      of measuring, of all parts of a run that was continued
 */

/**
 * One of several sides that were measured in the same blocks: their launches pair by block.
 * @typedef {object} Variant
 * @property {string} name                'A'
 * @property {LongText} written           what makes it different, as the user wrote it
 * @property {string} runId               the same in the files of all sides
 */

/**
 * What the harness and the codec take without any transport: a worker's loops and a master's answers in one process.
 * @typedef {object} ControlRow
 * @property {Name} codec
 * @property {Name} scenario
 * @property {Name} [runtime]            that plays all roles of the rows; absent: this Node
 * @property {Positive} payloadBytes
 * @property {Cell['content']} [content]   absent: ascii
 * @property {Positive} loops
 * @property {{ estimate: NonNegative, low: NonNegative, high: NonNegative }} codecUs   CPU time per round trip of encoding and decoding
 *                                         question and answer, in a hot loop: median, least and greatest of the slices
 * @property {NonNegative} checkUs        of that an answer's payload is held against its question's
 * @property {NonNegative} nullUs         of a whole round trip with a function call in place of the transport
 */

/**
 * @typedef {object} Controls
 * @property {{ nowNs: NonNegative, recordNs: NonNegative } | null} timer   reading the clock, recording a latency
 * @property {ControlRow[]} rows
 */

/**
 * What a transport promises, as it was when the run was made.
 * @typedef {object} TransportFacts
 * @property {Traits['class']} class
 * @property {Name} guarantee
 * @property {string | null} broker       its name
 * @property {NonNegative | null} messagesPerRoundTrip   that a broker should be given, and as many deliver
 * @property {Traits['direction']} [direction]   absent, as the next: as in Traits
 * @property {Traits['reach']} [reach]
 * @property {Traits['durability']} [durability]
 * @property {Traits['order']} [order]
 * @property {Traits['loss']} [loss]
 * @property {true} [isSpinning]
 * @property {Traits['acknowledgementWindow']} [acknowledgementWindow]
 * @property {TransportLook} [look]       absent: the transport declares none
 */

/**
 * Of a codec, as it was when the run was made.
 * @typedef {object} CodecFacts
 * @property {CodecLook} [look]           absent: it declares none
 * @property {true} [carriesTexts]        and no objects, of which there were some; absent: it carries both, or there were none
 */

/** @typedef {Omit<Options, 'brokerUrls' | 'agents' | 'outDir' | 'outputs' | 'picture' | 'hasNotes' | 'furtherColumns' | 'live' | 'isQuiet' | 'colour'>} SavedOptions */

/**
 * @typedef {object} Results
 * @property {1} schemaVersion
 * @property {{ name: 'ipc-bench', version: string }} tool
 * @property {'running' | 'complete' | 'interrupted'} status
 * @property {Instant} startedAt          ISO 8601, UTC
 * @property {Instant} updatedAt
 * @property {Environment} environment
 * @property {string[]} [continuedAt]      when an interrupted run was taken up again, ISO 8601
 * @property {Record<string, HostFacts>} [hosts]   by name, the master's first: that is whose environment the above is; absent: one host
 * @property {StopRule} [stopRule]        absent: a fixed number of launches
 * @property {Variant} [variant]          absent: nothing was interleaved with it
 * @property {{ wakeUp: WakeUp | null }} [machine]   measured once per run, of several hosts the middle one; null: it cannot be told here
 * @property {SavedOptions} options
 * @property {number} seed
 * @property {string} reference           label of the row that ratios refer to
 * @property {PublishedFigures | null} published     of the preset, to be shown beside
 * @property {Outcome[]} outcomes         in the order of the plan
 * @property {Sweep[]} [sweeps]           searches for the rate that nine launches of ten sustain; outcomes around it follow
 * @property {Controls} [controls]        of several hosts the middle one, row by row; absent: --no-controls
 * @property {Floor} [floor]              of --floor
 * @property {Record<string, TransportFacts>} [transports]   by name; by 'name:key=value' too, where settings change them
 * @property {Record<string, CodecFacts>} [codecs]   by name
 * @property {Record<string, ScenarioFacts>} scenarios   by name: what each counts and measures
 * @property {SyscallCounts[]} [syscalls]   of --syscalls
 * @property {CpuProfile[]} [profiles]    of --profile
 * @property {Explanation[]} [explanations]   of --explain
 * @property {FailedLook[]} [failedLooks]   of all three; absent: none failed
 */

/**
 * @typedef {object} Sweep
 * @property {Cell} cell                  without its rate
 * @property {Slo} slo
 * @property {Positive | null} [guessPerSecond]   sends per second of closed loops, from which the search began; null: they gave none
 * @property {SweepProbe[]} probes         one launch each
 * @property {Positive | null} foundPerSecond   about the rate that nine launches of ten sustain, by the search alone: the curve is
 *                                         measured around it; null: no launch kept the limit
 * @property {SustainedRate | null} [sustained]   by all launches of the cell under open load; null: none kept the limit
 * @property {'found' | 'launches' | 'none' | 'time' | 'disturbed'} endedBy   found: the interval is narrow enough; launches: after
 *                                         as many as a search makes; none: not even the lowest rate keeps the limit
 * @property {NonNegative} elapsedMs       of the launches of the search
 * @property {{ ratePerSecond: Positive, maxTimeMs: NonNegative }} [next]   ended by time: the rate that was next, and the time with
 *                                         which the whole search and the curve would fit
 * @property {Positive} [ratesLeftOut]     of the curve around the rate found: they did not fit into the time any more
 */

/**
 * @typedef {object} SustainedRate        that nine of ten launches sustain which nothing disturbs, per second
 * @property {Positive} estimate          the median of the posterior
 * @property {Positive} low               its 2.5 % and 97.5 % quantiles
 * @property {Positive} high
 * @property {boolean} isBounded          false: the upper end lies beyond all that was tried, so that only the lower one is known
 */

/**
 * @typedef {object} SweepProbe
 * @property {Positive} ratePerSecond
 * @property {NonNegative | null} us       of the percentile
 * @property {boolean} keeps
 * @property {string} why                  it does not keep
 * @property {Word[]} [flags]              codes of the launch; absent: none
 */

// What all launches of a cell say together.

/**
 * @typedef {object} LatencySummary       microseconds; merged over workers and launches
 * @property {Count} count
 * @property {NonNegative} min
 * @property {NonNegative} mean
 * @property {NonNegative} p50
 * @property {NonNegative} p90
 * @property {NonNegative | null} p99     null below 1,000 samples
 * @property {NonNegative | null} p999    null below 10,000 samples
 * @property {NonNegative} max
 * @property {('p50' | 'p90' | 'p99' | 'p999' | 'max')[]} [atLeast]   these are lower bounds: so much was unanswered at the end of the window
 * @property {{ p50: Estimate, p99: Estimate | null, atLeast?: ('p50' | 'p99')[] }} perLaunch   the same percentiles, launches as samples; atLeast: of
 *                                        one launch or more it is a lower bound
 */

/**
 * Of a cell under open load; counts are sums of its launches, times in µs.
 * @typedef {object} OpenSummary
 * @property {'fixed' | 'poisson' | 'recorded'} arrivals
 * @property {boolean} catchesUp
 * @property {'spin' | 'tick'} pacing
 * @property {NonNegative} achieved       questions sent / planned instants
 * @property {Count} due
 * @property {Count} late
 * @property {Count} missed
 * @property {Count} dropped
 * @property {LatencySummary} responseUs
 * @property {Omit<LatencySummary, 'perLaunch'>} sendLagUs
 * @property {NonNegative} [pacingCpuUsPerOperation]   of waiting precisely for planned instants, which no other CPU time contains
 */

/** @typedef {Pick<ProcessCost, 'name' | 'role' | 'share'>} Busiest   process, with its mean share of one core */
/**
 * `to`: label of the reference. `simultaneous`: the interval that contains the truth together with those of all other rows of
 * the table, in 95 % of runs; what is called more or less goes by it. Absent: there is no interval, or no other row.
 * @typedef {Estimate & { to: string, simultaneous?: Interval }} Ratio
 */

/**
 * @typedef {object} MeasuredOutcome
 * @property {'measured'} status
 * @property {Cell} cell
 * @property {Operation} operation         that its scenario counts
 * @property {Name} headline               name of the measure that ratios and verdicts are of
 * @property {Record<string, MeasuredValue | MeasuredTimes>} measures   by name, the headline first
 * @property {Ratio | null} ratio                          of the headline; `to`: label of the reference; null: none measured. The
 *                                         reference itself has estimate, low and high of exactly 1
 * @property {CpuUsPerOperation} cpuUsPerOperation
 * @property {NonNegative | null} peakRssBytes   sum over the launch's processes, greatest of the launches
 * @property {Busiest | null} busiest
 * @property {Flag[]} flags                each code once
 * @property {MeasuredLaunch[]} launches
 * @property {OpenSummary} [open]          absent: closed loops
 * @property {Backpressure} [backpressure]   of its launches together; absent: it is no stream
 * @property {Losses} [losses]             sums of the launches; absent: the transport loses nothing
 */

/**
 * CPU time of all processes of a role, by role, in the launches whose costs are known; all are null where no launch has them.
 * `workers` is null where they are threads that cannot be distinguished; helper threads count for the master; `broker` is null
 * where there is not one of this program.
 * @typedef {{ workers: NonNegative | null, master: NonNegative | null, broker: NonNegative | null } & Record<string, number | null>} CpuUsPerOperation
 */

/**
 * @typedef {object} SkippedOutcome
 * @property {'skipped'} status
 * @property {Cell} cell
 * @property {string} reason
 * @property {'not-launched'} [cause]     the run ended before its turn came; absent: by the plan
 * @property {true} [isImpossible]        it means nothing, and no machine could measure it; absent: another one could
 */

/**
 * @typedef {object} FailedOutcome
 * @property {'failed'} status
 * @property {Cell} cell
 * @property {Name} code
 * @property {string} message
 * @property {Launch[]} launches
 */

/** @typedef {MeasuredOutcome | SkippedOutcome | FailedOutcome} Outcome */

// What extra launches showed of the processes, and where the time of a round trip goes.

/**
 * A part of a round trip.
 * @typedef {object} ExplainedPart
 * @property {Name} name
 * @property {Name} title                 'codec in the worker'
 * @property {NonNegative | null} us      of a round trip; null: it could not be found, and is within the remainder
 * @property {string} found               how; where it could not be found, why
 */

/**
 * What an extra launch showed of one process, in µs of a round trip.
 * @typedef {object} InsideFacts
 * @property {Name} name                  'master', 'w0'
 * @property {'master' | 'worker'} role
 * @property {NonNegative} activeUs       its event loop did not wait: the median of slices of the window
 * @property {number} onTheWayUs          of that, until the last write of a turn of the event loop, likewise
 * @property {number} afterUs             of that, in the same turns, after the last write
 * @property {NonNegative} cpuUs          CPU time of the thread that runs JavaScript, likewise
 * @property {NonNegative} userShare      of the CPU time of its process, not in the kernel
 * @property {NonNegative} collectingUs   garbage, on the thread that runs JavaScript
 * @property {NonNegative} codecUs        the next three by samples of functions
 * @property {NonNegative} transportUs
 * @property {NonNegative} harnessUs
 * @property {NonNegative} samples        of the window
 */

/**
 * Of one cell, by an extra launch with instruments; never of a measured one, which they would slow down.
 * @typedef {object} Explanation
 * @property {Cell} cell
 * @property {Estimate} wholeUs           the median round trip of the measured launches
 * @property {number} explainedUs         that of the extra launch
 * @property {Several} [underWay]         round trips at once; absent: one
 * @property {ExplainedPart[]} parts      in the order of the path
 * @property {number} remainderUs         of the whole, beyond all parts; less than 0: parts that ran at the same time. With others under
 *                                        way it is waiting for them
 * @property {NonNegative} [besideUs]     what both ends did while others worked, and is in no part
 * @property {InsideFacts[]} processes
 */

/**
 * Of one extra launch under strace, in its window; never of a measured one, since tracing slows everything.
 * @typedef {object} SyscallCounts
 * @property {Cell} cell
 * @property {Positive} operations
 * @property {{ name: Name, calls: Record<string, NonNegative> }[]} processes   per operation, by system call
 */

/**
 * Of one extra launch with V8's sampling profiler on, while it was under load.
 * @typedef {object} CpuProfile
 * @property {Cell} cell
 * @property {Name} process               'master', 'w0', ...
 * @property {Name} file                  its .cpuprofile, relative to the results
 */

/**
 * An extra launch that was to be looked into, and showed nothing.
 * @typedef {object} FailedLook
 * @property {Cell} cell
 * @property {'syscalls' | 'profile' | 'explain'} look   as its option is called
 * @property {Name} code
 * @property {string} message
 */

// The floor of a run: what programs in C make of the same bytes.

/**
 * What one launch of the floor made, in a block of the run.
 * @typedef {object} FloorLaunch
 * @property {Count} block
 * @property {number} perSecond           verified answers
 * @property {{ master: NonNegative, workers: NonNegative } | null} cpuUs   of each answer; null: this system does not tell
 */

/** @typedef {{ block: Count, code: string, message: LongText }} FailedFloorLaunch */

/**
 * Programs in C that put the same bytes through the same mechanism: a payload behind a header of four bytes.
 * @typedef {object} FloorRow
 * @property {'pipe' | 'unix' | 'tcp' | 'memory'} mechanism
 * @property {boolean} coalesces          answers that can go in one write do; false: each goes in its own
 * @property {boolean} spins              its processes busy-wait; false: they sleep
 * @property {Positive} payloadBytes
 * @property {Positive} workers
 * @property {Positive} loops
 * @property {PlacementMode} placement
 * @property {LongText[]} cells           labels of those whose floor it is
 * @property {(FloorLaunch | FailedFloorLaunch)[]} launches   in the same blocks as those of the cells
 */

/** @typedef {{ rows: FloorRow[], without: { reason: LongText, cells: LongText[] }[] }} Floor   without: labels of cells that have none */

export {};
