// The results file. A null property could not be read or does not exist; an absent one does not apply.

import {
  array,
  boolean,
  literal,
  minLength,
  minValue,
  nullable,
  object,
  optional,
  picklist,
  pipe,
  string,
  union,
  variant,
} from 'valibot';
import { PublishedFigures } from './comparisons.js';
import { Finding } from './findings.js';
import {
  Arrivals,
  Backpressure,
  CpuUsPerOperation,
  Estimate,
  Flag,
  Interval,
  Launch,
  Losses,
  MeasuredLaunch,
  Pacing,
  ProcessCost,
} from './launches.js';
import { Cell, Content, PlacementMode, SavedOptions, Slo } from './plans.js';
import {
  AboveZero,
  ascending,
  Count,
  Finite,
  Instant,
  IntegerFromTwo,
  LongText,
  Name,
  NonNegative,
  OptionalTrue,
  Positive,
  record,
  Share,
  text,
  textLike,
  Word,
  withDescription,
} from './scalars.js';
import { MeasureFacts, Operation, ScenarioFacts } from './scenarios.js';
import { AcknowledgementWindow } from './transports.js';

/** @import { GenericSchema, InferOutput } from 'valibot' */
/** @import { CodecLook, TransportLook } from './reports.js' */

const Texts = array(string());
const MaybeText = nullable(string());

export const Environment = object({
  cpuModel: MaybeText,
  logicalCpus: Count,
  usableCpus: withDescription(nullable(array(Count)), 'CPUs of the affinity mask; null if it cannot be read'),
  cpuQuota: withDescription(nullable(NonNegative), 'cores that the cgroup may use; null without a limit'),
  smt: nullable(boolean()),
  governor: MaybeText,
  turbo: nullable(boolean()),
  hypervisor: MaybeText,
  container: MaybeText,
  clockSource: MaybeText,
  memoryBytes: NonNegative,
  memoryLimitBytes: nullable(NonNegative),
  platform: string(),
  arch: string(),
  os: withDescription(string(), 'name and version'),
  kernel: string(),
  node: string(),
  v8: string(),
  libuv: string(),
  nodeFlags: Texts,
  variables: optional(
    withDescription(record(string()), 'inherited environment variables that may affect results'),
  ),
  loadAverage: withDescription(array(NonNegative), 'over 1, 5 and 15 minutes'),
  openFilesLimit: nullable(NonNegative),
  pressureCpuSome: withDescription(nullable(NonNegative), 'PSI avg10, percent'),
  tmpFilesystem: MaybeText,
  pinning: withDescription(boolean(), 'whether processes can be pinned to CPUs'),
  packages: withDescription(record(string()), 'versions of the npm packages that transports and codecs use'),
  runtimes: optional(
    withDescription(record(Word), 'version by runtime as named in cells; absent if this Node ran all roles'),
  ),
  brokers: record(
    object({
      version: string(),
      config: record(string()),
      origin: picklist(['private', 'url']),
      deaths: optional(withDescription(Texts, 'causes of death of private brokers that were restarted')),
    }),
  ),
});
/** @typedef {InferOutput<typeof Environment>} Environment */

/** The cost of waking a sleeping CPU: medians of round trips of one byte between two processes. */
export const WakeUp = object({
  sameUs: withDescription(NonNegative, 'round trip with both processes on one CPU'),
  splitUs: withDescription(NonNegative, 'round trip with the processes on two CPUs'),
  costUs: withDescription(
    NonNegative,
    '(splitUs - sameUs) / 2, at least 0, since a round trip wakes both processes',
  ),
  cpus: withDescription(array(Count), 'the two CPUs of splitUs; sameUs uses the first one'),
});
/** @typedef {InferOutput<typeof WakeUp>} WakeUp */

/** Why an adaptive run ended with its number of launches. */
export const StopRule = object({
  endedBy: withDescription(
    nullable(picklist(['target', 'settled', 'time', 'repetitions', 'failures'])),
    'target: every interval is narrow enough; settled (--launches auto): every ratio is precise enough or clearly differs from 1; ' +
      'time: the next repetition would exceed the time limit; repetitions: maximum reached; failures: no row is left to measure; ' +
      'null: running or interrupted',
  ),
  widest: withDescription(
    nullable(NonNegative),
    'half-width of the widest interval, relative to its estimate; null if a row has no interval',
  ),
  repetitions: withDescription(Count, 'repetitions completed'),
  elapsedMs: withDescription(NonNegative, 'measuring time, including the interrupted parts of a resumed run'),
});
/** @typedef {InferOutput<typeof StopRule>} StopRule */

/** One of several sides that were measured in the same groups, so that their launches pair by group. */
export const Variant = object({
  name: withDescription(text(100, 1), "name of the side: 'A'"),
  written: withDescription(LongText, 'difference from the other sides, as the user wrote it'),
  command: optional(withDescription(LongText, 'command that measures all sides again')),
  runId: withDescription(textLike(/^[0-9a-f]{16}$/), 'common to the files of all sides'),
});
/** @typedef {InferOutput<typeof Variant>} Variant */

/** Cost of harness and codec without a transport: a worker's loops and a master's responses in one process. */
export const ControlRow = object({
  codec: Name,
  scenario: Name,
  runtime: optional(withDescription(Name, 'runtime of all roles of the compared rows; this Node if absent')),
  payloadBytes: Positive,
  content: optional(withDescription(Content, 'ascii if absent')),
  loops: Positive,
  codecUs: withDescription(
    ascending(object({ estimate: NonNegative, low: NonNegative, high: NonNegative }), [
      'low',
      'estimate',
      'high',
    ]),
    'CPU time per round trip to encode and decode request and response in a hot loop: minimum (also the estimate) and maximum of ' +
      'repeated samples',
  ),
  checkUs: withDescription(
    NonNegative,
    'time to compare the payload of a response with that of its request: minimum of repeated samples',
  ),
  nullUs: withDescription(
    NonNegative,
    'CPU time of a round trip with a function call in place of the transport: minimum of repeated samples',
  ),
  spread: optional(
    withDescription(
      Share,
      '1 − minimum / maximum of the samples of codecUs or nullUs, whichever is greater; unknown if absent',
    ),
  ),
});
/** @typedef {InferOutput<typeof ControlRow>} ControlRow */

export const Controls = object({
  timer: withDescription(
    nullable(object({ nowNs: NonNegative, recordNs: NonNegative })),
    'CPU time of one performance.now(), and of recording one latency; null if no loop was measured in this Node',
  ),
  rows: array(ControlRow),
});
/** @typedef {InferOutput<typeof Controls>} Controls */

export const NetworkLink = object({
  mtuBytes: nullable(Finite),
  megabitsPerSecond: withDescription(nullable(Finite), 'link speed; null if unknown, as for virtual links'),
});
/** @typedef {InferOutput<typeof NetworkLink>} NetworkLink */

export const HostFacts = object({
  role: picklist(['master', 'worker']),
  environment: Environment,
  link: optional(withDescription(NetworkLink, 'absent for the loopback')),
  wakeUp: optional(nullable(WakeUp)),
  controls: optional(Controls),
});
/** @typedef {InferOutput<typeof HostFacts>} HostFacts */

const LooseText = text(300); // a later version may have further values

/** Traits of a transport at the time of the run. */
export const TransportFacts = object({
  class: Name,
  guarantee: Name,
  broker: withDescription(nullable(LooseText), 'name of the broker; null if there is none'),
  messagesPerRoundTrip: withDescription(
    nullable(NonNegative),
    'messages that a broker should receive, and also deliver, per round trip; null if unknown',
  ),
  direction: optional(LooseText),
  reach: optional(LooseText),
  durability: optional(LooseText),
  order: optional(LooseText),
  loss: optional(LooseText),
  isSpinning: optional(boolean()),
  acknowledgementWindow: optional(AcknowledgementWindow),
  requestsAtOnce: optional(
    withDescription(Positive, 'requests of one worker on the way at once; further ones wait in it'),
  ),
  look: optional(
    /** @type {GenericSchema<TransportLook>} */ (
      object({ hue: LooseText, marker: LooseText, ownsHue: optional(boolean()) })
    ),
  ),
});
/** @typedef {InferOutput<typeof TransportFacts>} TransportFacts */

/** Facts about a codec at the time of the run. */
export const CodecFacts = object({
  look: optional(/** @type {GenericSchema<CodecLook>} */ (object({ fill: LooseText, dash: array(Finite) }))),
  carriesTexts: withDescription(
    OptionalTrue,
    'encodes the objects of --message-file as JSON text, since it supports no objects',
  ),
});

/** The rate per second that nine of ten undisturbed launches sustain. */
export const SustainedRate = object({
  estimate: withDescription(Positive, 'median of the posterior'),
  low: withDescription(Positive, '2.5 % quantile of the posterior'),
  high: withDescription(Positive, '97.5 % quantile of the posterior'),
  isBounded: withDescription(
    boolean(),
    'false if the interval extends far above the highest tried rate, so that only its lower bound is known',
  ),
});
/** @typedef {InferOutput<typeof SustainedRate>} SustainedRate */

export const SweepProbe = object({
  ratePerSecond: Positive,
  us: withDescription(
    nullable(NonNegative),
    'response time at the percentile of the SLO; null if not measured',
  ),
  keeps: withDescription(boolean(), 'whether the launch met the SLO'),
  why: withDescription(string(), 'reason if it did not; otherwise empty'),
  flags: optional(withDescription(array(Word), 'flag codes of the launch')),
});
/** @typedef {InferOutput<typeof SweepProbe>} SweepProbe */

/** A search for the rate that nine of ten launches sustain. */
export const Sweep = object({
  cell: withDescription(Cell, 'the cell without ratePerSecond'),
  slo: Slo,
  guessPerSecond: optional(
    withDescription(
      nullable(Positive),
      'initial rate: sends per second of a launch with closed loops; null if that launch gave no rate',
    ),
  ),
  probes: withDescription(array(SweepProbe), 'one per launch under open load'),
  foundPerSecond: withDescription(
    nullable(Positive),
    'rate that nine of ten launches sustain, estimated from the search alone; the curve is measured around it; null if no launch met the SLO',
  ),
  sustained: optional(
    withDescription(
      nullable(SustainedRate),
      'estimate from all launches of the cell under open load; null if none met the SLO',
    ),
  ),
  endedBy: withDescription(
    picklist(['found', 'launches', 'none', 'time', 'disturbed']),
    'found: the interval is narrow enough; launches: maximum reached; none: even the lowest rate misses the SLO; ' +
      'time: time limit reached; disturbed: other programs determine the results',
  ),
  elapsedMs: withDescription(NonNegative, 'duration of the launches of the search'),
  next: optional(
    withDescription(
      object({
        ratePerSecond: Positive,
        launchesAtFound: optional(
          withDescription(Positive, 'launches at the rate found that time was kept for'),
        ),
        neededMs: optional(
          withDescription(NonNegative, 'time of these launches and of one at the next rate'),
        ),
        maxTimeMs: withDescription(NonNegative, 'a limit that suffices for search and curve'),
      }),
      'present if the time limit ended the search: the next rate, and what did not fit',
    ),
  ),
  launchesLeftOut: optional(
    withDescription(Positive, 'number of launches at the rate found that did not fit into the time limit'),
  ),
  ratesLeftOut: optional(
    withDescription(Positive, 'number of rates of the curve that did not fit into the time limit'),
  ),
});
/** @typedef {InferOutput<typeof Sweep>} Sweep */

// Summaries of all launches of a cell.

const PERCENTILES = {
  count: Count,
  min: NonNegative,
  mean: NonNegative,
  p50: NonNegative,
  p90: NonNegative,
  p99: withDescription(nullable(NonNegative), 'null below 1,000 samples'),
  p999: withDescription(nullable(NonNegative), 'null below 10,000 samples'),
  max: NonNegative,
  atLeast: optional(
    withDescription(
      array(picklist(['p50', 'p90', 'p99', 'p999', 'max'])),
      'percentiles that are lower bounds, because requests had no response at the end of the window',
    ),
  ),
};

/** Times in µs, merged over workers and launches. */
export const LatencySummary = object({
  ...PERCENTILES,
  perLaunch: withDescription(
    object({
      p50: Estimate,
      p99: withDescription(nullable(Estimate), 'null if a launch has fewer than 1,000 samples'),
      atLeast: optional(
        withDescription(
          array(picklist(['p50', 'p99'])),
          'percentiles that are lower bounds in at least one launch',
        ),
      ),
    }),
    'estimates with launches as samples',
  ),
});
/** @typedef {InferOutput<typeof LatencySummary>} LatencySummary */

/** Summary of a cell under open load. Counts are sums over its launches, times are in µs. */
export const OpenSummary = object({
  arrivals: Arrivals,
  pacing: Pacing,
  achieved: withDescription(NonNegative, 'requests sent / requests due'),
  due: Count,
  late: Count,
  dropped: Count,
  responseUs: LatencySummary,
  sendLagUs: object(PERCENTILES),
  pacingCpuUsPerOperation: optional(
    withDescription(
      NonNegative,
      'CPU time to wait precisely for scheduled sends; no other CPU time includes it',
    ),
  ),
});
/** @typedef {InferOutput<typeof OpenSummary>} OpenSummary */

/** The busiest process, with its mean share of a core. */
export const Busiest = object({
  name: ProcessCost.entries.name,
  role: ProcessCost.entries.role,
  share: ProcessCost.entries.share,
});
/** @typedef {InferOutput<typeof Busiest>} Busiest */

const ESTIMATE_KEYS = ['low', 'estimate', 'high'];

export const Ratio = ascending(
  object({
    ...Estimate.entries,
    to: withDescription(string(), 'label of the reference'),
    simultaneous: optional(
      withDescription(
        Interval,
        'simultaneous 95 % interval over all rows of the table, which verdicts use; absent for the reference, and without an interval',
      ),
    ),
  }),
  ESTIMATE_KEYS,
);
/** @typedef {InferOutput<typeof Ratio>} Ratio */

/** A measure over all launches of a cell, which are the samples of the estimate. */
export const MeasuredValue = ascending(
  object({
    ...MeasureFacts.entries,
    ...Estimate.entries,
    estimate: Finite, // may be negative on a linear scale
    low: Finite,
    high: Finite,
    kind: literal('value'),
  }),
  ESTIMATE_KEYS,
);
/** @typedef {InferOutput<typeof MeasuredValue>} MeasuredValue */

/** Times are in µs. */
export const MeasuredTimes = object({
  ...MeasureFacts.entries,
  ...LatencySummary.entries,
  kind: literal('times'),
});
/** @typedef {InferOutput<typeof MeasuredTimes>} MeasuredTimes */

export const MeasuredOutcome = object({
  status: literal('measured'),
  cell: Cell,
  operation: Operation,
  headline: withDescription(Name, 'name of the measure that ratios and verdicts compare'),
  measures: withDescription(
    record(variant('kind', [MeasuredValue, MeasuredTimes])),
    'by name, the headline first',
  ),
  ratio: withDescription(
    nullable(Ratio),
    'ratio of the headline to that of the reference, 1 for the reference itself; null under open load or without a comparison',
  ),
  cpuUsPerOperation: CpuUsPerOperation,
  peakRssBytes: withDescription(
    nullable(NonNegative),
    'sum over the processes of a launch, maximum of the launches; null if unknown',
  ),
  busiest: withDescription(
    nullable(Busiest),
    'null if no launch has the cost of each worker, or if processes never sleep',
  ),
  flags: withDescription(array(Flag), 'one per code'),
  launches: pipe(array(MeasuredLaunch), minLength(1)),
  open: optional(withDescription(OpenSummary, 'present under open load')),
  backpressure: optional(withDescription(Backpressure, 'mean of the launches; present for streams')),
  losses: optional(
    withDescription(Losses, 'sums over the launches; present for transports that may lose messages'),
  ),
});
/** @typedef {InferOutput<typeof MeasuredOutcome>} MeasuredOutcome */

export const SkippedOutcome = object({
  status: literal('skipped'),
  cell: Cell,
  reason: string(),
  cause: optional(
    withDescription(
      literal('not-launched'),
      'the run ended before the first launch of the cell; absent if the plan skipped it',
    ),
  ),
  isImpossible: withDescription(OptionalTrue, 'no machine could measure this combination'),
});
/** @typedef {InferOutput<typeof SkippedOutcome>} SkippedOutcome */

export const FailedOutcome = object({
  status: literal('failed'),
  cell: Cell,
  code: Name,
  message: string(),
  launches: array(Launch),
});
/** @typedef {InferOutput<typeof FailedOutcome>} FailedOutcome */

export const Outcome = variant('status', [MeasuredOutcome, SkippedOutcome, FailedOutcome]);
/** @typedef {InferOutput<typeof Outcome>} Outcome */

// Results of diagnostic launches: facts about processes, and the parts of the time of a round trip.

export const ExplainedPart = object({
  name: Name,
  title: withDescription(Name, "for people: 'codec in the worker'"),
  us: withDescription(
    nullable(NonNegative),
    'time per round trip; null if unknown, and then part of remainderUs',
  ),
  found: withDescription(text(300), 'how it was measured, or why it is unknown'),
});
/** @typedef {InferOutput<typeof ExplainedPart>} ExplainedPart */

/** Facts about one process from two diagnostic launches, in µs per round trip. */
export const InsideFacts = object({
  name: withDescription(Name, "'master', 'w0', ..."),
  role: picklist(['master', 'worker']),
  activeUs: withDescription(
    NonNegative,
    'time in which the event loop did not wait: median over short intervals of the window',
  ),
  onTheWayUs: withDescription(
    Finite,
    'part of activeUs until the last write of each event-loop iteration that wrote',
  ),
  afterUs: withDescription(Finite, 'part of activeUs after the last write, in the same iterations'),
  cpuUs: withDescription(
    NonNegative,
    'CPU time of the thread that runs JavaScript, or of the process if unknown: median over the same intervals',
  ),
  userShare: withDescription(NonNegative, 'user time / CPU time of the process'),
  collectingUs: withDescription(NonNegative, 'garbage collection on the thread that runs JavaScript'),
  codecUs: withDescription(NonNegative, 'from samples of the CPU profiler, like transportUs and harnessUs'),
  transportUs: NonNegative,
  harnessUs: NonNegative,
  samples: withDescription(NonNegative, 'number of samples of the CPU profiler in the window'),
});
/** @typedef {InferOutput<typeof InsideFacts>} InsideFacts */

/** Explanation of a cell, from two separate launches with instruments, which would slow a measured launch down. */
export const Explanation = object({
  cell: Cell,
  wholeUs: withDescription(Estimate, 'median round trip of the measured launches'),
  explainedUs: withDescription(
    AboveZero,
    'median round trip of the diagnostic launch without the CPU profiler',
  ),
  underWay: optional(withDescription(IntegerFromTwo, 'concurrent round trips; 1 if absent')),
  parts: withDescription(array(ExplainedPart), 'in the order of the path'),
  remainderUs: withDescription(
    Finite,
    'wholeUs minus the sum of the parts; negative if parts overlap. With concurrent round trips, it is time spent waiting for the others',
  ),
  besideUs: optional(
    withDescription(
      NonNegative,
      'work of both ends that does not delay the round trip and is in no part; 0 with concurrent round trips',
    ),
  ),
  processes: array(InsideFacts),
});
/** @typedef {InferOutput<typeof Explanation>} Explanation */

/** System calls in the window of a separate launch under strace, which would slow a measured launch down. */
export const SyscallCounts = object({
  cell: Cell,
  operations: Positive,
  processes: array(
    object({
      name: Name,
      calls: withDescription(record(NonNegative), 'calls per operation, by name of the system call'),
    }),
  ),
});
/** @typedef {InferOutput<typeof SyscallCounts>} SyscallCounts */

/** A diagnostic launch that failed. */
export const FailedDiagnosis = object({
  cell: Cell,
  flag: withDescription(
    picklist(['syscalls', 'profile', 'explain']),
    'name of the flag that requests the launch',
  ),
  code: Name,
  message: string(),
});
/** @typedef {InferOutput<typeof FailedDiagnosis>} FailedDiagnosis */

// The native baseline of a run (--floor), measured with programs in C.

/** Result of one launch of the baseline, in a group of the run. */
export const FloorLaunch = object({
  group: Count,
  perSecond: withDescription(pipe(Finite, minValue(1e-6)), 'responses per second, verified'),
  cpuUs: withDescription(
    nullable(object({ master: NonNegative, workers: NonNegative })),
    'CPU time per response; null if the system does not report it',
  ),
});
/** @typedef {InferOutput<typeof FloorLaunch>} FloorLaunch */

/** Baseline of programs in C that send the same bytes over the same mechanism: a header of four bytes and a payload. */
export const FloorRow = object({
  mechanism: picklist(['pipe', 'unix', 'tcp', 'memory']),
  coalesces: withDescription(
    boolean(),
    'whether responses that are ready together share a write; otherwise each has its own',
  ),
  spins: withDescription(boolean(), 'whether its processes busy-wait; otherwise they sleep'),
  payloadBytes: Positive,
  workers: Positive,
  loops: Positive,
  placement: PlacementMode,
  cells: withDescription(array(LongText), 'labels of the cells that are compared with it'),
  launches: withDescription(
    array(union([FloorLaunch, object({ group: Count, code: text(100), message: LongText })])),
    'at most one per group of the run',
  ),
});
/** @typedef {InferOutput<typeof FloorRow>} FloorRow */

export const Floor = object({
  rows: array(FloorRow),
  without: withDescription(
    array(object({ reason: LongText, cells: array(LongText) })),
    'labels of cells without a baseline',
  ),
});
/** @typedef {InferOutput<typeof Floor>} Floor */

export const Results = object({
  schemaVersion: literal(1),
  tool: object({ name: literal('ipc-bench'), version: string() }),
  status: picklist(['running', 'complete', 'interrupted']),
  startedAt: Instant,
  updatedAt: Instant,
  environment: Environment,
  continuedAt: optional(withDescription(Texts, 'when an interrupted run was resumed, ISO 8601')),
  hosts: optional(
    withDescription(
      record(HostFacts),
      "by name, the master's first, whose environment is `environment`; absent for a run on one host",
    ),
  ),
  stopRule: optional(withDescription(StopRule, 'absent with a fixed number of launches')),
  variant: optional(withDescription(Variant, 'present if other sides were measured in the same groups')),
  machine: optional(
    withDescription(
      object({ wakeUp: nullable(WakeUp) }),
      'wake-up cost, measured once per run; the upper median of several hosts; null if it could not be measured',
    ),
  ),
  options: SavedOptions,
  seed: Finite,
  reference: withDescription(string(), 'label of the row that ratios refer to'),
  published: withDescription(
    nullable(PublishedFigures),
    'published figures of the preset, shown beside the measured ones; null if it has none',
  ),
  outcomes: withDescription(array(Outcome), 'in the order of the plan'),
  findings: optional(
    withDescription(
      array(Finding),
      'what the outcomes show, the most important first; absent before the first launch',
    ),
  ),
  sweeps: optional(
    withDescription(array(Sweep), 'searches for the sustained rate; `outcomes` contains the rates around it'),
  ),
  controls: optional(
    withDescription(Controls, 'loops without a transport; the upper median of several hosts, row by row'),
  ),
  floor: optional(withDescription(Floor, 'native baseline (--floor)')),
  transports: optional(
    withDescription(record(TransportFacts), "by name, and by 'name:key=value' if settings change them"),
  ),
  codecs: optional(withDescription(record(CodecFacts), 'by name')),
  scenarios: withDescription(record(ScenarioFacts), 'by name'),
  syscalls: optional(withDescription(array(SyscallCounts), 'results of --syscalls')),
  profiles: optional(
    withDescription(
      array(
        object({
          cell: Cell,
          process: withDescription(Name, "'master', 'w0', ..."),
          file: withDescription(Name, 'path of the .cpuprofile, relative to the results file'),
        }),
      ),
      'results of --profile: CPU profiles under load',
    ),
  ),
  explanations: optional(withDescription(array(Explanation), 'results of --explain')),
  failedDiagnoses: optional(
    withDescription(array(FailedDiagnosis), 'failed launches of --syscalls, --profile and --explain'),
  ),
  sha256: optional(withDescription(string(), 'of the compact JSON without this property, in a file')),
});
/** @typedef {InferOutput<typeof Results>} Results */
