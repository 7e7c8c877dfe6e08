// What one launch measured, and how far a run has come.

/** @import { Cell } from './plans.js' */

/** @import { Count, Instant, Name, NonNegative, Positive, Share } from './scalars.js' */
/** @import { QueuePromise } from './transports.js' */

/**
 * An estimate with its interval. `method` 'log-model': rows and blocks on logarithms, with t intervals; 'signed-rank':
 * Hodges–Lehmann with the exact interval, of what has no logarithm; 'rank-sum': the shift of logs between launches that shared
 * no blocks, in comparisons only; 'range': there is no interval, so `low` and `high` are the extremes and `level` is null.
 * @typedef {object} Estimate
 * @property {NonNegative} estimate
 * @property {NonNegative} low
 * @property {NonNegative} high
 * @property {Share | null} level        0.95 where it is an interval
 * @property {Positive} n                launches (or blocks)
 * @property {'log-model' | 'signed-rank' | 'rank-sum' | 'range'} method
 */

/** @typedef {{ low: NonNegative, high: NonNegative }} Interval */

/** @typedef {'master' | 'worker' | 'helpers' | 'broker' | (string & {})} ProcessRole   of the scenario's own too */

/**
 * @typedef {object} ProcessCost          differenced over the measured window, except the peak
 * @property {Name} name                  'master', 'relay', 'w0', 'w1', ..., 'helpers', 'redis'
 * @property {ProcessRole} role  of the scenario's own too; helpers: see partOf
 * @property {NonNegative} userUs
 * @property {NonNegative} systemUs
 * @property {NonNegative} share          of one core, busy: (user + system) / window
 * @property {NonNegative} [mainShare]    the same of its main thread alone; absent: not distinguished
 * @property {NonNegative | null} voluntarySwitches
 * @property {NonNegative | null} involuntarySwitches
 * @property {NonNegative | null} peakRssBytes
 * @property {number | null} grownRssBytes   by which its resident memory grew
 * @property {Count[] | null} cpus        the affinity that its main thread ran with; null: unknown
 * @property {Count[]} [helperCpus]       that of V8's and libuv's helper threads; absent: as the main thread
 * @property {NonNegative | null} [readCalls]   system calls of the read family, all threads; recv and its kin are not among them
 * @property {NonNegative | null} [writeCalls] of the write family; send and its kin are not among them
 * @property {'master'} [partOf]          of threads: in a launch whose workers are threads, 'master' is the main thread
 *   with the memory of the whole process, 'helpers' are the threads of V8 and libuv
 *   that serve all others; where threads cannot be distinguished, 'master' is all
 */

/**
 * @typedef {object} Warmup
 * @property {'steady' | 'not-steady' | 'cold' | 'fixed'} status   cold: its time was over before every process had worked
 *                                        enough; fixed: the user said how long
 * @property {NonNegative} ms             from the start of load to the window
 * @property {NonNegative} binMs
 * @property {Count[]} operations         of each bin of warm-up, whole launch, as the master counted
 * @property {Work[]} work                of each process: master first
 */

/**
 * What a process had done when the window opened, since the load began.
 * @typedef {object} Work
 * @property {string} name                'master', 'w0', ...
 * @property {ProcessRole} role
 * @property {Count} operations
 * @property {NonNegative | null} cpuMs   null: the system does not tell
 * @property {true} [isIdle]              it worked or waited for a CPU for less than a tenth of the time: faster code would
 *                                        not change its rate by 5 %
 */

/** @typedef {Omit<Work, 'role'>} WatchedWork   of a process whose role the watch does not know */

/**
 * @typedef {object} Latency              how long each of the operations of a window took
 * @property {Count} count
 * @property {NonNegative} minNs          exact
 * @property {NonNegative} maxNs          exact
 * @property {NonNegative} meanNs
 * @property {string} histogram           HdrHistogram V2, compressed, base64; nanoseconds, 3 significant digits
 */

/** @typedef {{ code: Name, message: string }} Flag    code: a key of lib/format/result-flags.js */

/**
 * What a launch under open load has besides. `times.serviceTime` stays the time from the real send; response time runs from the
 * planned instant, and their difference is the send lag: three histograms of the same round trips.
 * @typedef {object} OpenLaunch
 * @property {'fixed' | 'poisson' | 'recorded'} arrivals
 * @property {boolean} catchesUp
 * @property {'spin' | 'tick'} pacing     spin: each worker's event loop never sleeps, at a core each; tick: timers of 1 ms, and short
 *                                        sleeps where a sender knows that nothing is in flight
 * @property {Count} due                  planned instants in the window
 * @property {Count} started              questions sent in the window
 * @property {Count} late                 of these: no loop was free when they were due
 * @property {Count} missed               given up in the window, since the launch does not catch up
 * @property {Count} dropped              due by the end of the window, and never started
 * @property {Latency} response
 * @property {Latency} sendLag
 * @property {Latency} [unanswered]       ages, at the end of the window, of what was due and had no answer then, sent or not: its response
 *                                        time is at least that; absent: nothing
 * @property {NonNegative} [pacingCpuUs]  CPU time in the window that all senders spent on waiting for planned instants more precisely than
 *                                        timers do, which is no part of `costs`. Only senders that know each response wait in this way
 */

/**
 * What disturbed a launch from before its first fork to after its last exit; null: unreadable. Shares are of the time of its CPUs.
 * @typedef {object} HostNoise
 * @property {NonNegative | null} othersShare   used by programs that are not of the launch
 * @property {NonNegative | null} stealShare   given to other virtual machines
 * @property {NonNegative | null} pressureShare   of all time: something waited for a CPU, one of this program or not (PSI, some)
 * @property {Count | null} throttledPeriods of the control group
 * @property {NonNegative} spinRatio          a fixed piece of work (codec, system call, memory), before or after the launch: times as long as usual
 */

/**
 * masterStallMs: longest delay of the master's event loop in the window, beyond the usual. hosts: by name; the worst of each reading stands
 * above; absent: one.
 * @typedef {HostNoise & { masterStallMs: NonNegative, hosts?: Record<string, HostNoise> }} Noise
 */

/**
 * The turns in which a launch was measured, side by side with the others of its group. Arrays of one length: the nth numbers
 * of all of them are of the nth slice.
 * @typedef {object} Slices
 * @property {Count[]} rounds             the round of each, within the block
 * @property {Count[]} operations         that began in it
 * @property {NonNegative[]} windowMs     these operations divided by their rate, which is the sum over the loops of n / t
 * @property {NonNegative[]} cpuMs        of all processes together, for these operations
 * @property {NonNegative[]} [workRatio]  how long a fixed piece of work took just before each, times as long as usual
 * @property {NonNegative[]} [takenShare] of the CPUs, by other programs and other virtual machines, in each
 * @property {Count} [repeated]           slices that were measured again, since something outside of the launch disturbed them
 */

/**
 * @typedef {object} MeasuredLaunch
 * @property {'measured'} status
 * @property {Count} block                   from 0; launches of one block ran close together, or in turns
 * @property {Count} order                place in the whole run, from 0
 * @property {Instant} startedAt          ISO 8601
 * @property {Count} operations           verified; of closed loops those that begin in the window
 * @property {NonNegative} windowMs       of closed loops these operations divided by their rate, else how long the window was
 * @property {NonNegative} [loopsMs]      of closed loops, the time that all loops together counted for
 * @property {NonNegative} [completed]    operations between the readings of costs, which costs are divided by; without it, `operations`
 * @property {Record<string, number | null>} values   by name of the measure, and of a headline of times their median, µs; null: it
 *                                         has none
 * @property {Record<string, Latency>} times   by name of the measure, in ns
 * @property {Warmup} warmup
 * @property {NonNegative} binMs
 * @property {NonNegative[]} bins         operations that ended in each bin of the window, all workers; in slices, what each would have had in
 *                                        binMs at its rate
 * @property {ProcessCost[]} costs        master first, then the others in the order of their start, then brokers; empty: unknown
 * @property {Name[]} [unknownCosts]      processes of which a reading is missing, or whose two readings do not span the window within 5 %;
 *                                        absent: the costs are complete
 * @property {Count} rejectedConnections            turned away
 * @property {Flag[]} flags
 * @property {OpenLaunch} [open]          absent: closed loops
 * @property {Noise} [noise]
 * @property {BrokerTraffic} [traffic]    absent: no broker, or one that does not tell
 * @property {Losses} [losses]            absent: the transport loses nothing
 * @property {OutageCounts} [outage]      absent: nobody was killed
 * @property {Backpressure} [backpressure]   of a stream; absent: nothing streams to one taker
 * @property {Record<string, ClockComparison>} [clocks]   by name of each process whose clock is not the controller's; absent: all share one
 * @property {Record<string, { roundTripUs: NonNegative }>} [toController]   by name of each host of workers: the quickest round trip to the
 *                                         controller's host; absent: all are on one
 * @property {NetworkUse} [network]        between master and workers; absent: they share a host
 * @property {Slices} [slices]            absent: it was measured in one window
 * @property {true} [isSpinning]          by the transport: who waited kept looking, so that CPU time is no cost
 */

/** @typedef {{ promise: QueuePromise, lost: Count, doneTwice: Count }} OutageCounts   of jobs, where workers were killed */

/**
 * The clock of one process against the controller's, just before it joined.
 * @typedef {object} ClockComparison
 * @property {number} shiftMs             to be added to its clock
 * @property {NonNegative} boundMs        by which that may be wrong: half of the quickest exchange
 */

/**
 * What passed a broker per round trip, from before the load of a launch to after its last answer: warm-up included, so
 * that no round trip is cut in two.
 * @typedef {object} BrokerTraffic
 * @property {NonNegative} published      messages that it was given
 * @property {NonNegative | null} delivered   messages that it handed on; null: it does not tell
 * @property {NonNegative} bytes          that it sent to its clients
 */

/**
 * What became of the questions of a transport that may lose messages, from the first to the last, warm-up included. A loop
 * that gave up an answer goes on: with half a second less.
 * @typedef {object} Losses
 * @property {Count} asked
 * @property {Count} lost                 neither the answer nor a sign of it came
 * @property {Count} late                 the answer came when its loop had given it up
 * @property {Count} reordered            answers that overtook others of their worker
 */

/**
 * What became of what a taker did not take at once, as it was measured in the window.
 * @typedef {object} Backpressure
 * @property {NonNegative} waits          how often senders were told to wait, over the whole load
 * @property {NonNegative} backlog        messages that were sent and not yet delivered, where they were most
 * @property {number} backlogPerSecond    messages by which more was sent than delivered; less than 0: it was made up for
 * @property {Share} lostShare            of what was sent over the whole load, or is to be taken for lost
 * @property {BufferPlace | null} grownIn   which process grew by most of the backlog; null: none did, or it did not grow
 */

/** @typedef {'sender' | 'taker' | 'worker' | 'master' | 'broker'} BufferPlace   worker, master: where both send and take */

/**
 * @typedef {object} FailedLaunch
 * @property {'failed'} status
 * @property {Count} block
 * @property {Count} order
 * @property {Instant} startedAt
 * @property {Name} code                  of lib/errors.js
 * @property {string} message             who, what and in which phase
 * @property {'start' | 'connect' | 'warm-up' | 'measure' | 'drain'} phase
 * @property {string[]} stderr            the last lines of its processes
 * @property {Record<string, number> | null} integrity   counters, when it failed by them
 */

/** @typedef {MeasuredLaunch | FailedLaunch} Launch */

/**
 * Where a run is, told between launches only.
 * @typedef {object} Progress
 * @property {'launch' | 'end'} phase        a launch begins, or the run has ended
 * @property {number} block                  from 0
 * @property {number} blocks
 * @property {Cell | null} cell              the one that is launched now
 * @property {number} launchesDone
 * @property {number} launchesTotal
 * @property {number} failed                 launches
 * @property {number} elapsedMs
 * @property {number | null} etaMs           null before the first launch has ended
 */

// What is known of a network between the processes of a launch.

/**
 * An emulated network between master and workers: what a probe said before the launch, and what was counted in the window.
 * @typedef {object} NetworkUse
 * @property {number} roundTripUs         median, between the kernels at its ends
 * @property {Positive} mtuBytes
 * @property {Count} carriedPackets       both ways
 * @property {Count} droppedPackets
 * @property {NonNegative} meanLateUs     by which packets were delivered later than they should be, each way
 * @property {NonNegative} p99LateUs
 * @property {NonNegative} share          of one core, that it took
 */

export {};
