// The results file.

/** @import { Count, Instant, LongText, Name, NonNegative, Positive, Word } from './scalars.js' */
/** @import { Floor } from './baselines.js' */
/** @import { CodecLook, TransportLook } from './appearance.js' */
/** @import { HostFacts } from './hosts.js' */
/** @import { Traits } from './transports.js' */
/** @import { Cell, Options, Shard, Slo } from './plans.js' */
/** @import { CpuProfile, Explanation, FailedLook, SyscallCounts } from './explanations.js' */
/** @import { PublishedFigures } from './comparisons.js' */
/** @import { ScenarioFacts } from './measures.js' */
/** @import { Outcome } from './outcomes.js' */

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
 * @property {'target' | 'time' | 'blocks' | 'failures' | null} endedBy   blocks: more than that no run makes; failures:
 *                                        nothing is left that can be measured; null: not ended, or interrupted
 * @property {NonNegative | null} widest   half-width of the widest interval, as a share of its estimate; null: no interval
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
 * @property {TransportLook} [look]       absent: the transport declares none
 */

/**
 * Of a codec, as it was when the run was made.
 * @typedef {object} CodecFacts
 * @property {CodecLook} [look]           absent: it declares none
 * @property {true} [carriesTexts]        and no objects, of which there were some; absent: it carries both, or there were none
 */

/** @typedef {Omit<Options, 'brokerUrls' | 'agents' | 'outDir' | 'outputs' | 'picture' | 'hasNotes' | 'furtherColumns' | 'isQuiet' | 'colour'>} SavedOptions */

/**
 * @typedef {object} RunResults        of one run
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
 * @property {Sweep[]} [sweeps]           searches for the highest rate, each confirmed by outcomes around it
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
 * shards: that these results were joined from, by their index; absent: of one run, or of one shard, which `options` tells.
 * @typedef {RunResults & { shards?: JoinedShard[] }} Results
 */

/**
 * A part of a run that was measured by itself. What stands beside the outcomes is of all of them together.
 * @typedef {Shard & Pick<RunResults, 'status' | 'startedAt' | 'updatedAt' | 'continuedAt' | 'environment' | 'machine' | 'controls'>} JoinedShard
 */

/**
 * @typedef {object} Sweep
 * @property {Cell} cell                  without its rate
 * @property {Slo} slo
 * @property {'up' | 'down'} direction    from which side the search came, drawn by the seed
 * @property {SweepProbe[]} probes         one launch each
 * @property {Positive | null} foundPerSecond   null: no rate kept it
 * @property {'found' | 'none' | 'time' | 'disturbed'} endedBy   none: not even the lowest rate keeps the limit; time and
 *                                         disturbed: found is the highest that kept it so far
 * @property {NonNegative} elapsedMs       of the search
 * @property {{ ratePerSecond: Positive, maxTimeMs: NonNegative }} [next]   ended by time: the rate that was next, and the time with
 *                                         which it could have been tried and what is found then confirmed
 * @property {Positive} [ratesLeftOut]     of the curve around the rate found: they did not fit into the time any more
 */

/**
 * @typedef {object} SweepProbe
 * @property {Positive} ratePerSecond
 * @property {NonNegative | null} us       of the percentile
 * @property {boolean} keeps
 * @property {string} why                  it does not keep
 * @property {Word[]} [flags]              codes of the launch; absent: none
 */

export {};
