// Results of one launch, and the progress of a run.

import { array, literal, nullable, object, optional, picklist, string, variant } from 'valibot';
import {
  AboveZero,
  ascending,
  Count,
  described,
  Finite,
  Instant,
  Mark,
  Name,
  NonNegative,
  Positive,
  record,
  Share,
  text,
} from './scalars.js';
import { QueuePromise } from './transports.js';

/** @import { InferOutput } from 'valibot' */
/** @import { Cell } from './plans.js' */

/**
 * An estimate with its interval. `method` is 'log-model' for rows and groups on logarithms with t intervals; 'signed-rank' for
 * Hodges–Lehmann with the exact interval, for values without a logarithm; 'rank-sum' for the shift of logarithms between launches without
 * common groups, only in comparisons; 'range' if there is no interval: `low` and `high` are the extremes, `level` is null.
 */
export const Estimate = ascending(
  object({
    estimate: NonNegative,
    low: NonNegative,
    high: NonNegative,
    level: nullable(described(Share, '0.95 where it is an interval')),
    n: described(Positive, 'launches, or groups'),
    method: picklist(['log-model', 'signed-rank', 'rank-sum', 'range']),
  }),
  ['low', 'estimate', 'high'],
);
/** @typedef {InferOutput<typeof Estimate>} Estimate */

export const Interval = ascending(object({ low: NonNegative, high: NonNegative }), ['low', 'high']);
/** @typedef {InferOutput<typeof Interval>} Interval */

// 'master', 'worker', 'helpers', 'broker', or another role of a scenario.
export const ProcessRole = text(80, 1);

/** Differences between the start and the end of the measured window, except the peak. */
export const ProcessCost = object({
  name: described(Name, "'master', 'relay', 'w0', 'w1', ..., 'helpers', 'redis'"),
  role: described(ProcessRole, "'master', 'worker', 'helpers', 'broker' or a role of the scenario"),
  userUs: NonNegative,
  systemUs: NonNegative,
  share: described(NonNegative, 'of one core: (user + system) / window'),
  mainShare: optional(described(NonNegative, 'of its main thread alone, where it can be distinguished')),
  voluntarySwitches: nullable(NonNegative),
  involuntarySwitches: nullable(NonNegative),
  peakRssBytes: nullable(NonNegative),
  grownRssBytes: described(nullable(Finite), 'by which its resident memory grew'),
  cpus: described(nullable(array(Count)), 'affinity of its main thread; null if unknown'),
  helperCpus: optional(
    described(
      array(Count),
      "affinity of V8's and libuv's helper threads, where it differs from the main thread's",
    ),
  ),
  readCalls: optional(
    described(
      nullable(NonNegative),
      'system calls of the read family, all threads; recv and its kin are not counted',
    ),
  ),
  writeCalls: optional(
    described(nullable(NonNegative), 'system calls of the write family; send and its kin are not counted'),
  ),
  partOf: optional(
    described(
      literal('master'),
      "in a launch whose workers are threads: 'master' is the main thread with the memory of the whole process, 'helpers' are the threads of V8 and libuv that serve all others; where threads cannot be distinguished, 'master' is all",
    ),
  ),
});
/** @typedef {InferOutput<typeof ProcessCost>} ProcessCost */

/** Work of a process from the start of the load until the window opened. */
export const Work = object({
  name: described(string(), "'master', 'w0', ..."),
  role: ProcessRole,
  operations: Count,
  cpuMs: described(nullable(NonNegative), 'null if the system does not report it'),
  isIdle: described(
    Mark,
    'it worked or waited for a CPU for less than a tenth of the time: faster code would not change its rate by 5 %',
  ),
});
/** @typedef {InferOutput<typeof Work>} Work */
/** @typedef {Omit<Work, 'role'>} WatchedWork */

export const Warmup = object({
  status: described(
    picklist(['steady', 'not-steady', 'cold', 'fixed']),
    'cold: its time was over before every process had worked enough; fixed: the user set its length',
  ),
  ms: described(NonNegative, 'from the start of load to the window'),
  binMs: NonNegative,
  operations: described(array(Count), 'of each bin, whole launch, as the master counted'),
  work: described(array(Work), 'of each process, master first'),
});
/** @typedef {InferOutput<typeof Warmup>} Warmup */

/** Durations of the operations of a window. */
export const Latency = object({
  count: Count,
  minNs: described(NonNegative, 'exact'),
  maxNs: described(NonNegative, 'exact'),
  meanNs: NonNegative,
  histogram: described(
    text(4_000_000),
    'HdrHistogram V2, compressed, base64; nanoseconds, 3 significant digits',
  ),
});
/** @typedef {InferOutput<typeof Latency>} Latency */

export const Flag = object({
  code: described(Name, 'a key of lib/format/result-flags.js'),
  message: string(),
});
/** @typedef {InferOutput<typeof Flag>} Flag */

export const Arrivals = picklist(['fixed', 'poisson', 'recorded']);
export const Pacing = described(
  picklist(['spin', 'tick']),
  "spin: each worker's event loop never sleeps, at a core each; tick: timers of 1 ms, and short sleeps while a sender has nothing in flight",
);

/**
 * Additional results of a launch under open load. `times.serviceTime` begins at the actual send, response time at the planned instant;
 * their difference is the send lag. All three are histograms of the same round trips.
 */
export const OpenLaunch = object({
  arrivals: Arrivals,
  pacing: Pacing,
  due: described(Count, 'planned instants in the window'),
  started: described(Count, 'requests sent in the window'),
  late: described(Count, 'of these: no loop was free when they were due'),
  dropped: described(Count, 'due by the end of the window, and never started'),
  response: Latency,
  sendLag: Latency,
  unanswered: optional(
    described(
      Latency,
      'ages, at the end of the window, of what was due and had no response then, sent or not: its response time is at least that',
    ),
  ),
  pacingCpuUs: optional(
    described(
      NonNegative,
      'CPU time in the window that all senders spent on waiting for planned instants more precisely than timers do, which is no part of costs. Only senders that know each response wait in this way',
    ),
  ),
});
/** @typedef {InferOutput<typeof OpenLaunch>} OpenLaunch */

/**
 * Disturbances of a launch from before its first fork to after its last exit. Values are null if unreadable; shares are fractions of the
 * time of its CPUs.
 */
export const HostNoise = object({
  othersShare: described(nullable(NonNegative), 'used by programs that are not of the launch'),
  stealShare: described(nullable(NonNegative), 'given to other virtual machines'),
  pressureShare: described(
    nullable(NonNegative),
    'of all time: something waited for a CPU, one of this program or not (PSI, some)',
  ),
  throttledPeriods: described(nullable(Count), 'of the control group'),
  spinRatio: described(
    NonNegative,
    'a fixed piece of work (codec, system call, memory), before or after the launch: times as long as usual',
  ),
});
/** @typedef {InferOutput<typeof HostNoise>} HostNoise */

export const Noise = object({
  ...HostNoise.entries,
  masterStallMs: described(
    NonNegative,
    "longest delay of the master's event loop in the window, beyond the usual",
  ),
  hosts: optional(
    described(record(HostNoise), 'by name, where there are several; the worst of each reading stands above'),
  ),
});
/** @typedef {InferOutput<typeof Noise>} Noise */

/**
 * The slices of a launch, which alternate with slices of the other launches of its group. All arrays have an element per slice.
 */
export const Slices = object({
  rounds: described(array(Count), 'the round of each, within the group'),
  operations: described(array(Count), 'that began in it'),
  windowMs: described(
    array(NonNegative),
    'these operations divided by their rate, which is the sum over the loops of n / t',
  ),
  cpuMs: described(array(NonNegative), 'of all processes together, for these operations'),
  workRatio: optional(
    described(
      array(NonNegative),
      'how long a fixed piece of work took just before each, times as long as usual',
    ),
  ),
  takenShare: optional(
    described(array(NonNegative), 'of the CPUs, by other programs and other virtual machines, in each'),
  ),
  repeated: optional(
    described(Count, 'slices that were measured again, since something outside of the launch disturbed them'),
  ),
});
/** @typedef {InferOutput<typeof Slices>} Slices */

/** Counts of jobs in scenarios that kill workers. */
export const OutageCounts = object({ promise: QueuePromise, lost: Count, doneTwice: Count });
/** @typedef {InferOutput<typeof OutageCounts>} OutageCounts */

/** Comparison of the clock of a process with the controller's clock, just before the process joined. */
export const ClockComparison = object({
  shiftMs: described(Finite, 'to be added to its clock'),
  boundMs: described(NonNegative, 'by which that may be wrong: half of the quickest exchange'),
});
/** @typedef {InferOutput<typeof ClockComparison>} ClockComparison */

/**
 * Traffic of a broker per round trip, from before the load of a launch to after its last response. It includes the warm-up, so that no
 * round trip is cut in two.
 */
export const BrokerTraffic = object({
  published: described(NonNegative, 'messages that it was given'),
  delivered: described(nullable(NonNegative), 'messages that it handed on; null if it does not report them'),
  bytes: described(NonNegative, 'that it sent to its clients'),
});
/** @typedef {InferOutput<typeof BrokerTraffic>} BrokerTraffic */

/**
 * Outcomes of all requests over a transport that may lose messages, including the warm-up. A loop waits half a second for a response, and
 * then continues.
 */
export const Losses = object({
  requests: Count,
  lost: described(Count, 'neither the response nor a sign of it came'),
  late: described(Count, 'the response came when its loop had given it up'),
  reordered: described(Count, 'responses that overtook others of their worker'),
});
/** @typedef {InferOutput<typeof Losses>} Losses */

export const BufferPlace = picklist(['sender', 'taker', 'worker', 'master', 'broker']);
/** @typedef {InferOutput<typeof BufferPlace>} BufferPlace   worker and master are used if both ends send and receive */

/** Messages that a consumer did not read immediately, as measured in the window. */
export const Backpressure = object({
  waits: described(NonNegative, 'how often senders had to wait, over the whole load'),
  backlog: described(NonNegative, 'most messages that were sent and not yet delivered'),
  backlogPerSecond: described(
    Finite,
    'messages by which more was sent than delivered; less than 0: the backlog shrank',
  ),
  lostShare: described(Share, 'of what was sent over the whole load, or must be assumed lost'),
  grownIn: described(
    nullable(BufferPlace),
    'which process grew by most of the backlog; null if none did, or it did not grow',
  ),
});
/** @typedef {InferOutput<typeof Backpressure>} Backpressure */

/** An emulated network between master and workers: results of a probe before the launch, and counts of the window. */
export const NetworkUse = object({
  roundTripUs: described(AboveZero, 'median, between the kernels at its ends'),
  mtuBytes: Positive,
  carriedPackets: described(Count, 'both ways'),
  droppedPackets: Count,
  meanLateUs: described(NonNegative, 'by which packets were delivered later than they should be, each way'),
  p99LateUs: NonNegative,
  share: described(NonNegative, 'of one core, that it took'),
});
/** @typedef {InferOutput<typeof NetworkUse>} NetworkUse */

const LAUNCH_PLACE = {
  group: described(
    Count,
    'from 0; launches of one group ran at the same time, or one after another if they were not sliced',
  ),
  order: described(Count, 'place in the whole run, from 0'),
  startedAt: Instant,
};

export const MeasuredLaunch = object({
  status: literal('measured'),
  ...LAUNCH_PLACE,
  operations: described(Count, 'verified; of closed loops those that begin in the window'),
  windowMs: described(
    NonNegative,
    'of closed loops these operations divided by their rate, else the length of the window',
  ),
  loopsMs: optional(described(NonNegative, 'of closed loops, the time that all loops together counted for')),
  completed: optional(
    described(
      NonNegative,
      'operations between the readings of costs, by which costs are divided; without it, operations',
    ),
  ),
  values: described(
    record(nullable(Finite)),
    'by name of the measure, and of a headline of times their median, µs; null: it has none',
  ),
  times: described(record(Latency), 'by name of the measure, in ns'),
  warmup: Warmup,
  binMs: NonNegative,
  bins: described(
    array(NonNegative),
    'operations that ended in each bin of the window, all workers; in slices, what each would have had in binMs at its rate',
  ),
  costs: described(
    array(ProcessCost),
    'master first, then the others in the order of their start, then brokers; empty if unknown',
  ),
  unknownCosts: optional(
    described(
      array(Name),
      'processes of which a reading is missing, or whose two readings do not span the window within 5 %',
    ),
  ),
  rejectedConnections: described(Count, 'of unauthenticated peers'),
  flags: array(Flag),
  open: optional(described(OpenLaunch, 'under open load')),
  noise: optional(Noise),
  traffic: optional(described(BrokerTraffic, 'where a broker reports it')),
  losses: optional(described(Losses, 'of a transport that may lose messages')),
  outage: optional(described(OutageCounts, 'where workers were killed')),
  backpressure: optional(described(Backpressure, 'of a stream')),
  clocks: optional(
    described(record(ClockComparison), "by name of each process whose clock is not the controller's"),
  ),
  toController: optional(
    described(
      record(object({ roundTripUs: NonNegative })),
      "by name of each host of workers: the quickest round trip to the controller's host",
    ),
  ),
  network: optional(described(NetworkUse, 'between master and workers that do not share a host')),
  slices: optional(described(Slices, 'where it was not measured in one window')),
  isSpinning: described(Mark, 'its processes busy-wait for messages, so that CPU time is no cost'),
});
/** @typedef {InferOutput<typeof MeasuredLaunch>} MeasuredLaunch */

export const FailedLaunch = object({
  status: literal('failed'),
  ...LAUNCH_PLACE,
  code: described(Name, 'of lib/errors.js'),
  message: described(string(), 'who, what and in which phase'),
  phase: picklist(['start', 'connect', 'warm-up', 'measure', 'drain']),
  stderr: described(array(string()), 'the last lines of its processes'),
  integrity: described(nullable(record(Finite)), 'counters, when it failed by them'),
});
/** @typedef {InferOutput<typeof FailedLaunch>} FailedLaunch */

export const Launch = variant('status', [MeasuredLaunch, FailedLaunch]);
/** @typedef {InferOutput<typeof Launch>} Launch */

/**
 * Progress of a run, reported only between launches.
 * @typedef {object} Progress
 * @property {'launch' | 'end'} phase   'launch' when a launch begins, 'end' when the run has ended
 * @property {number} repetition   current repetition of the whole plan, from 0
 * @property {number} repetitions
 * @property {Cell | null} cell   cell of the launch that begins
 * @property {number} launchesDone
 * @property {number} launchesTotal
 * @property {number} failed
 * @property {number} elapsedMs
 * @property {number | null} etaMs   null until it can be estimated
 */
