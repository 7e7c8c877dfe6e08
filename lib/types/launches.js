// Estimates, the results of one launch, the progress of a run, and monitors.

import {
  array,
  literal,
  nullable,
  object,
  objectWithRest,
  optional,
  picklist,
  string,
  variant,
} from 'valibot';
import {
  AboveZero,
  ascending,
  Count,
  Finite,
  Instant,
  Name,
  NonNegative,
  OptionalTrue,
  Positive,
  record,
  Share,
  text,
  withDescription,
} from './scalars.js';
import { QueuePromise } from './transports.js';

/** @import { InferOutput } from 'valibot' */
/** @import { Cell } from './plans.js' */

/**
 * An estimate with its interval. `method` is 'log-model' for rows and groups on logarithms with t intervals; 'signed-rank' for
 * Hodges–Lehmann with the exact interval, for values without a logarithm; 'range' if there is no interval, and `low` and `high` are the
 * extremes; 'unknown' if the launches determine no interval, or one wider than a factor of 100, and `low` and `high` are the estimate.
 * `level` is null for 'range' and 'unknown'.
 */
export const Estimate = ascending(
  object({
    estimate: NonNegative,
    low: NonNegative,
    high: NonNegative,
    level: nullable(withDescription(Share, "confidence level; null if `method` is 'range' or 'unknown'")),
    n: withDescription(Positive, 'number of launches or groups'),
    method: picklist(['log-model', 'signed-rank', 'range', 'unknown']),
  }),
  ['low', 'estimate', 'high'],
);
/** @typedef {InferOutput<typeof Estimate>} Estimate */

export const Interval = ascending(object({ low: NonNegative, high: NonNegative }), ['low', 'high']);
/** @typedef {InferOutput<typeof Interval>} Interval */

// 'master', 'worker', 'helpers', 'broker', 'undivided', or another role of a scenario.
export const ProcessRole = text(80, 1);

/**
 * Costs are differences between the start and the end of the measured window, except `peakRssBytes`. They are null if the system does not
 * report them; a thread has no memory of its own.
 */
export const ProcessCost = object({
  name: withDescription(Name, "'master', 'relay', 'w0', 'w1', ..., 'helpers', 'threads', 'redis'"),
  role: withDescription(
    ProcessRole,
    "'master', 'worker', 'helpers', 'broker', a role of the scenario, or 'undivided' for threads of which only the sum is known",
  ),
  userUs: NonNegative,
  systemUs: NonNegative,
  share: withDescription(
    NonNegative,
    'share of one core: (user + system) / window; above 1 if several threads run',
  ),
  mainShare: optional(
    withDescription(NonNegative, 'share of one core that the main thread used; absent if unknown'),
  ),
  voluntarySwitches: nullable(NonNegative),
  involuntarySwitches: nullable(NonNegative),
  peakRssBytes: nullable(NonNegative),
  grownRssBytes: withDescription(nullable(Finite), 'growth of resident memory; negative if it shrank'),
  cpus: withDescription(nullable(array(Count)), 'CPU affinity of the main thread; null if unknown'),
  helperCpus: optional(
    withDescription(
      array(Count),
      'CPU affinity of the helper threads of V8 and libuv, if it differs from that of the main thread',
    ),
  ),
  partOf: optional(
    withDescription(
      literal('master'),
      'set for worker threads and helper threads (V8, libuv), also if only their sum is known. The entry of the master then has the ' +
        'costs of its main thread, and the memory of the whole process',
    ),
  ),
});
/** @typedef {InferOutput<typeof ProcessCost>} ProcessCost */

/**
 * CPU time per operation by role, summed over the processes of the role, in the launches with known costs; all values are null if there are
 * none. If no launch has the cost of each thread, `undivided` is the sum of all roles except the broker.
 */
export const CpuUsPerOperation = objectWithRest(
  {
    workers: withDescription(nullable(NonNegative), 'null if the costs of workers are unknown'),
    master: withDescription(nullable(NonNegative), 'includes helper threads; null if unknown'),
    broker: withDescription(nullable(NonNegative), 'null unless the run started a broker'),
  },
  nullable(NonNegative),
);
/** @typedef {InferOutput<typeof CpuUsPerOperation>} CpuUsPerOperation */

/** Work of a process from the start of the load until the window opened. */
export const Work = object({
  name: withDescription(string(), "'master', 'w0', ..."),
  role: ProcessRole,
  operations: Count,
  cpuMs: withDescription(nullable(NonNegative), 'null if the system does not report it'),
  isIdle: withDescription(
    OptionalTrue,
    'it ran or waited for a CPU for less than a tenth of the time, so more warm-up would not change its rate by 5 %',
  ),
});
/** @typedef {InferOutput<typeof Work>} Work */
/** @typedef {Omit<Work, 'role'>} WatchedWork */

export const Warmup = object({
  status: withDescription(
    picklist(['steady', 'not-steady', 'worked', 'cold', 'fixed']),
    'not-steady: no steady state in time; worked: every process had worked enough, while other launches of its group started; cold: a process had not worked enough when the time was over; fixed: the user set the length',
  ),
  ms: withDescription(NonNegative, 'from the start of the load to the start of the window'),
  binMs: NonNegative,
  operations: withDescription(
    array(Count),
    'operations of the whole launch in each bin, as counted by the master',
  ),
  work: withDescription(array(Work), 'one per process: master, other roles, brokers'),
});
/** @typedef {InferOutput<typeof Warmup>} Warmup */

/** Durations of the operations of a window. */
export const Latency = object({
  count: Count,
  minNs: withDescription(NonNegative, 'exact, unlike the histogram'),
  maxNs: withDescription(NonNegative, 'exact, unlike the histogram'),
  meanNs: NonNegative,
  histogram: withDescription(
    text(4_000_000),
    'HdrHistogram V2, compressed, base64; nanoseconds, 3 significant digits',
  ),
});
/** @typedef {InferOutput<typeof Latency>} Latency */

/**
 * A finding on a launch or a row, with its measured numbers. Which numbers a flag has depends on its code; a flag of an earlier version may
 * have none.
 */
export const Flag = object({
  code: withDescription(Name, 'a key of lib/format/result-flags.js'),
  // Properties of the flags of rows.
  launches: optional(
    withDescription(Count, 'number of launches of the row with this flag; interrupted: with a measurement'),
  ),
  of: optional(withDescription(Positive, 'number of launches of the row')),
  planned: optional(withDescription(Positive, 'interrupted: launches of the row in the plan')),
  process: optional(withDescription(Name, 'bottleneck: name of the busiest process')),
  lead: optional(
    withDescription(NonNegative, 'harness-limited: rate of the loop without a transport / rate of the row'),
  ),
  medianUs: optional(withDescription(NonNegative, 'wake-up: median time of an operation')),
  climb: optional(
    withDescription(NonNegative, 'cold: rate in the second half of the windows / rate in their first half'),
  ),
  // Properties of the flags of launches, some of which rows have too.
  share: optional(
    withDescription(
      NonNegative,
      'blocked, stalled: of the window; bottleneck: of a core; crowded, steal: of the CPU time of the CPUs of the launch; wake-up: of the median',
    ),
  ),
  longestMs: optional(withDescription(NonNegative, 'blocked, stalled: longest time at once')),
  operations: optional(
    withDescription(
      Count,
      'too-few-samples: of the launch; low-rate: of the worker with the fewest, before the window opened',
    ),
  ),
  coldProcesses: optional(
    withDescription(
      array(
        object({
          name: Work.entries.name,
          operations: Work.entries.operations,
          cpuMs: Work.entries.cpuMs,
        }),
      ),
      'cold: processes with too little work before the window opened, and their work until then',
    ),
  ),
  processes: optional(withDescription(Count, 'oversubscribed: number of processes that share the CPUs')),
  usedCpus: optional(withDescription(NonNegative, 'oversubscribed: CPU time of these processes / window')),
  cpus: optional(withDescription(Count, 'oversubscribed: number of these CPUs')),
  excess: optional(
    withDescription(
      NonNegative,
      'little-law: relative difference between the number of loops, and rate times mean time; late-network: mean delay of both directions beyond the emulated one, as a share of the round-trip time',
    ),
  ),
  coreShare: optional(withDescription(NonNegative, 'late-network: share of one core used by the emulation')),
  sentShare: optional(
    withDescription(
      NonNegative,
      'generator-limited: share of the planned sends that were sent, without those for which the channel had no room',
    ),
  ),
  dropped: optional(withDescription(Count, 'generator-limited: planned sends that were never sent')),
  inFlight: optional(
    withDescription(Count, 'generator-limited: most requests in flight, which reached the limit'),
  ),
  publishedRatio: optional(
    withDescription(
      NonNegative,
      'amplified: messages that the broker received / messages that the pattern needs',
    ),
  ),
  deliveredRatio: optional(
    withDescription(
      NonNegative,
      'amplified: messages that the broker delivered / messages that the pattern needs; absent if unknown',
    ),
  ),
  requests: optional(withDescription(Count, 'lost: requests sent')),
  lost: optional(withDescription(Count, 'lost: requests without any response; broken-promise: lost jobs')),
  late: optional(withDescription(Count, 'lost: responses that arrived after their loop stopped waiting')),
  doneTwice: optional(withDescription(Count, 'broken-promise: jobs done more than once')),
  connections: optional(withDescription(Count, 'rejected-connections: connections of unauthenticated peers')),
  throttledPeriods: optional(
    withDescription(Count, 'throttled: periods in which the CPU quota of the cgroup throttled the launch'),
  ),
  spinRatio: optional(
    withDescription(NonNegative, 'frequency: duration of fixed work / its median in the run'),
  ),
});
/** @typedef {InferOutput<typeof Flag>} Flag */

export const Arrivals = picklist(['fixed', 'poisson', 'recorded']);
export const Pacing = withDescription(
  picklist(['spin', 'tick']),
  'spin: event loops of senders never sleep, which takes a core each; ' +
    'tick: timers of 1 ms, and short sleeps while a sender has no open requests',
);

/**
 * Additional results of a launch under open load. If messages have responses, `times.serviceTime` begins at the actual send and `response`
 * at the planned instant; their difference is `sendLag`, and all three are histograms of the same round trips. Otherwise `response` is the
 * time from the planned instant to the last delivery.
 */
export const OpenLaunch = object({
  arrivals: Arrivals,
  pacing: Pacing,
  due: withDescription(Count, 'sends scheduled in the window'),
  started: withDescription(Count, 'requests sent in the window'),
  late: withDescription(
    Count,
    'sends of `started` that could not be sent when they were due: the channel had no room, or too many requests were in flight',
  ),
  dropped: withDescription(Count, 'due by the end of the window and never sent'),
  withheld: optional(withDescription(Count, 'sends of `dropped` that the channel had no room for')),
  mostInFlight: optional(
    withDescription(Count, 'greatest number of requests in flight in the window, summed over the senders'),
  ),
  response: Latency,
  sendLag: Latency,
  unanswered: optional(
    withDescription(
      Latency,
      'ages, at the end of the window, of due requests without a response, sent or not: lower bounds of their response times',
    ),
  ),
  pacingCpuUs: optional(
    withDescription(
      NonNegative,
      'CPU time of all senders in the window to wait for scheduled sends more precisely than timers do; ' +
        'not included in costs; absent if no sender did so',
    ),
  ),
});
/** @typedef {InferOutput<typeof OpenLaunch>} OpenLaunch */

/**
 * Disturbances of a launch: in its slices, or from before its first fork to after its last exit. Values are null if unreadable.
 * `othersShare` and `stealShare` are fractions of the time of its CPUs.
 */
export const HostNoise = object({
  othersShare: withDescription(nullable(NonNegative), 'CPU time of programs outside of the launch'),
  stealShare: withDescription(
    nullable(NonNegative),
    'CPU time that the hypervisor gave to other virtual machines',
  ),
  pressureShare: withDescription(
    nullable(NonNegative),
    'share of the time in which a task of the machine waited for a CPU (PSI some)',
  ),
  throttledPeriods: withDescription(
    nullable(Count),
    'periods in which the CPU quota of the cgroup throttled it',
  ),
  spinRatio: withDescription(
    NonNegative,
    'duration of fixed work (codec, system call, memory) / its median in the run: ' +
      'the slower one of before and after the launch, or the median before its slices',
  ),
});
/** @typedef {InferOutput<typeof HostNoise>} HostNoise */

export const Noise = object({
  ...HostNoise.entries,
  masterStallMs: withDescription(
    NonNegative,
    "longest delay of the master's event loop in the window that its own code does not explain, minus the median delay",
  ),
  hosts: optional(
    withDescription(
      record(HostNoise),
      'by name of the host, if there are several; the values above are the worst of all hosts',
    ),
  ),
});
/** @typedef {InferOutput<typeof Noise>} Noise */

/**
 * The slices of a launch, which alternate with slices of the other launches of its group. All arrays have an element per slice.
 */
export const Slices = object({
  rounds: withDescription(array(Count), 'round within the group'),
  operations: withDescription(array(Count), 'operations that began in the slice'),
  windowMs: withDescription(
    array(NonNegative),
    'operations divided by their rate, which is the sum over the loops of n / t',
  ),
  cpuMs: withDescription(array(NonNegative), 'CPU time of all processes for these operations'),
  workRatio: optional(
    withDescription(
      array(NonNegative),
      'duration of fixed work just before the slice / its median in the run',
    ),
  ),
  takenShare: optional(
    withDescription(
      array(NonNegative),
      'share of the CPUs taken by other programs and other virtual machines',
    ),
  ),
  repeated: optional(
    withDescription(
      Count,
      'number of slices measured again, because other programs disturbed them; absent if none',
    ),
  ),
  isCutShort: withDescription(
    OptionalTrue,
    'the run was stopped before the last round of the group, whose launches --resume measures again',
  ),
});
/** @typedef {InferOutput<typeof Slices>} Slices */

/** Counts of jobs in scenarios that kill workers. */
export const OutageCounts = object({ promise: QueuePromise, lost: Count, doneTwice: Count });
/** @typedef {InferOutput<typeof OutageCounts>} OutageCounts */

/** Comparison of the clock of a process with the controller's clock, just before the process joined. */
export const ClockComparison = object({
  shiftMs: withDescription(Finite, 'offset to add to the clock of the process'),
  boundMs: withDescription(NonNegative, 'uncertainty of the offset: half of the shortest round trip'),
});
/** @typedef {InferOutput<typeof ClockComparison>} ClockComparison */

/**
 * Traffic of a broker per operation, from before the load of a launch to after its last response, so that no operation is cut in two. If a
 * launch is measured in slices, only its warm-up is counted.
 */
export const BrokerTraffic = object({
  published: withDescription(NonNegative, 'messages received by the broker'),
  delivered: withDescription(
    nullable(NonNegative),
    'messages delivered by the broker; null if it does not report them',
  ),
  bytes: withDescription(NonNegative, 'bytes sent to clients'),
});
/** @typedef {InferOutput<typeof BrokerTraffic>} BrokerTraffic */

/**
 * Outcomes of all requests over a transport that may lose messages, including the warm-up. A loop waits for a response for half a
 * second, with an allowance for the bytes in flight, and then continues. Under open load it waits longer as long as other responses arrive.
 */
export const Losses = object({
  requests: withDescription(Count, 'requests sent'),
  lost: withDescription(Count, 'requests without any response'),
  late: withDescription(Count, 'responses that arrived after their loop stopped waiting'),
  reordered: withDescription(Count, 'responses that overtook others of the same worker'),
});
/** @typedef {InferOutput<typeof Losses>} Losses */

export const BufferOwner = picklist(['sender', 'taker', 'worker', 'master', 'broker']);
/** @typedef {InferOutput<typeof BufferOwner>} BufferOwner   worker and master are used if both ends send and receive */

/** Messages that a consumer did not read immediately. Values are measured in the window unless their descriptions say otherwise. */
export const Backpressure = object({
  waits: withDescription(
    NonNegative,
    'number of times that senders waited for the channel, over the whole load',
  ),
  backlog: withDescription(NonNegative, 'maximum of messages sent and not yet delivered'),
  backlogPerSecond: withDescription(
    Finite,
    'growth of the backlog in messages per second; negative if it shrank',
  ),
  lostShare: withDescription(
    Share,
    'share of the messages of the whole load that were lost or must be assumed lost',
  ),
  grownIn: withDescription(
    nullable(BufferOwner),
    'where memory grew most, by at least half of the growth of the backlog; null if nowhere, or if the backlog grew by less than 1 MB',
  ),
});
/** @typedef {InferOutput<typeof Backpressure>} Backpressure */

/** An emulated network between master and workers: results of a probe before the launch, and counts of the window. */
export const NetworkUse = object({
  roundTripUs: withDescription(AboveZero, 'median ping between the kernels at both ends'),
  mtuBytes: Positive,
  carriedPackets: withDescription(Count, 'packets forwarded, both directions'),
  droppedPackets: Count,
  meanLateUs: withDescription(NonNegative, 'mean delay of a packet beyond the emulated one, per direction'),
  p99LateUs: withDescription(NonNegative, '99th percentile of that delay, in steps of 5 µs'),
  share: withDescription(NonNegative, 'share of one core used by the emulation'),
});
/** @typedef {InferOutput<typeof NetworkUse>} NetworkUse */

const LAUNCH_POSITION = {
  group: withDescription(
    Count,
    'from 0; launches of a group alternated in slices, or ran one after another without slices',
  ),
  order: withDescription(Count, 'position in the whole run, from 0'),
  startedAt: Instant,
};

export const MeasuredLaunch = object({
  status: literal('measured'),
  ...LAUNCH_POSITION,
  operations: withDescription(Count, 'verified operations; for closed loops, those that began in the window'),
  windowMs: withDescription(
    NonNegative,
    'for closed loops, operations divided by their rate; otherwise the length of the window',
  ),
  loopsMs: optional(
    withDescription(NonNegative, 'for closed loops, total duration of the counted operations of all loops'),
  ),
  completed: optional(
    withDescription(
      NonNegative,
      'operations between the readings of costs, by which costs are divided; `operations` if absent',
    ),
  ),
  values: withDescription(
    record(nullable(Finite)),
    'by name of the measure; for a headline of times, their median in µs; null if the launch has none',
  ),
  times: withDescription(record(Latency), 'by name of the measure'),
  warmup: Warmup,
  binMs: NonNegative,
  bins: withDescription(
    array(NonNegative),
    'operations of all workers that ended in each bin of the window; with slices, the rate of each slice times binMs',
  ),
  costs: withDescription(
    array(ProcessCost),
    'master, other processes in the order of their start, brokers; empty if the cost of a process is unknown',
  ),
  unknownCosts: optional(
    withDescription(
      array(Name),
      'processes and threads with a missing reading, or whose readings do not span the window within 5 %',
    ),
  ),
  blockedMaster: optional(
    withDescription(
      object({
        longestMs: withDescription(NonNegative, 'longest time at once'),
        share: withDescription(NonNegative, 'share of the window'),
      }),
      'time for which code of the master, such as that of its transport, blocked its event loop; present above 5 %',
    ),
  ),
  rejectedConnections: withDescription(Count, 'connections of unauthenticated peers'),
  flags: array(Flag),
  open: optional(withDescription(OpenLaunch, 'present under open load')),
  noise: optional(Noise),
  traffic: optional(
    withDescription(BrokerTraffic, 'absent without a broker, or if it does not report its traffic'),
  ),
  losses: optional(withDescription(Losses, 'present for transports that may lose messages')),
  outage: optional(withDescription(OutageCounts, 'present if workers were killed')),
  backpressure: optional(withDescription(Backpressure, 'present for streams')),
  clocks: optional(
    withDescription(
      record(ClockComparison),
      "by name of the process, for processes whose clock differs from the controller's",
    ),
  ),
  toController: optional(
    withDescription(
      record(object({ roundTripUs: NonNegative })),
      "by name of a host of workers: shortest round trip to the controller's host",
    ),
  ),
  network: optional(withDescription(NetworkUse, 'emulated network between master and workers')),
  slices: optional(withDescription(Slices, 'absent if the launch was measured in one window')),
  recordedUs: optional(
    withDescription(
      NonNegative,
      'time to send and to deserialise a message and its response, if any; present under the recorder',
    ),
  ),
  isSpinning: withDescription(
    OptionalTrue,
    'processes busy-wait for messages, so their CPU time is not a cost',
  ),
});
/** @typedef {InferOutput<typeof MeasuredLaunch>} MeasuredLaunch */

export const FailedLaunch = object({
  status: literal('failed'),
  ...LAUNCH_POSITION,
  code: withDescription(Name, 'a code of lib/errors.js'),
  message: withDescription(string(), 'process, cause and phase'),
  phase: picklist(['start', 'connect', 'warm-up', 'measure', 'drain']),
  stderr: withDescription(array(string()), 'last lines of stderr of the processes'),
  integrity: withDescription(
    nullable(record(Finite)),
    'counts of lost, duplicate and invalid messages, if they are the cause; otherwise null',
  ),
});
/** @typedef {InferOutput<typeof FailedLaunch>} FailedLaunch */

export const Launch = variant('status', [MeasuredLaunch, FailedLaunch]);
/** @typedef {InferOutput<typeof Launch>} Launch */

/**
 * Progress of a run, reported only between measurements.
 * @typedef {object} Progress
 * @property {'launch' | 'end'} phase   'launch' until the run has ended, then 'end'
 * @property {number} repetition   current repetition of the whole plan, from 0
 * @property {number} repetitions
 * @property {Cell | null} cell   cell of the last launch that made progress; null before the first and at the end
 * @property {number} launchesDone
 * @property {number} launchesTotal
 * @property {number} failed   number of failed launches
 * @property {number} elapsedMs
 * @property {number | null} etaMs   null until it can be estimated
 */

/**
 * Watches one quantity of a launch: in each of its slices, or once, over its load or its life. A monitor reads, and changes nothing.
 * @template Report
 * @typedef {object} Monitor
 * @property {() => unknown} begin
 * @property {(...facts: any[]) => unknown} end
 * @property {() => void} [drop]   discards what was watched between the last begin() and end()
 * @property {() => Report} [report]   returns what was watched in all; a monitor without this function reports in end()
 */
