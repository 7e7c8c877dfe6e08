// The results file. A null property could not be read or does not exist; an absent one does not apply.

import {
  array,
  boolean,
  literal,
  minLength,
  minValue,
  nullable,
  object,
  objectWithRest,
  optional,
  picklist,
  pipe,
  string,
  union,
  variant,
} from 'valibot';
import { PublishedFigures } from './comparisons.js';
import {
  Arrivals,
  Backpressure,
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
  described,
  Finite,
  Instant,
  LongText,
  Mark,
  Name,
  NonNegative,
  Positive,
  record,
  Several,
  text,
  textLike,
  Word,
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
  usableCpus: described(nullable(array(Count)), 'the affinity mask'),
  cpuQuota: described(nullable(NonNegative), 'cores, of the cgroup'),
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
  os: described(string(), 'name and version'),
  kernel: string(),
  node: string(),
  v8: string(),
  libuv: string(),
  nodeFlags: Texts,
  variables: optional(described(record(string()), 'inherited ones that may change what is measured')),
  loadAverage: array(NonNegative),
  openFilesLimit: nullable(NonNegative),
  pressureCpuSome: described(nullable(NonNegative), 'PSI avg10, percent'),
  tmpFilesystem: MaybeText,
  pinning: described(boolean(), 'processes can be pinned here'),
  packages: described(record(string()), 'npm versions of what moves messages'),
  runtimes: optional(
    described(record(Word), 'versions, by the names that cells have; without them, this Node played all'),
  ),
  brokers: record(
    object({
      version: string(),
      config: record(string()),
      origin: picklist(['private', 'url']),
      deaths: optional(described(Texts, 'causes, of private ones that another one replaced')),
    }),
  ),
});
/** @typedef {InferOutput<typeof Environment>} Environment */

/** The cost of waking a sleeping CPU: medians of round trips of one byte between two processes. */
export const WakeUp = object({
  sameUs: described(NonNegative, 'a round trip with both on one CPU'),
  splitUs: described(NonNegative, 'the same across two'),
  costUs: described(NonNegative, 'half of the difference: a round trip wakes both ends'),
  cpus: described(array(Count), 'the two'),
});
/** @typedef {InferOutput<typeof WakeUp>} WakeUp */

/** Why an adaptive run ended with its number of launches. */
export const StopRule = object({
  endedBy: described(
    nullable(picklist(['target', 'settled', 'time', 'repetitions', 'failures'])),
    'settled: of --launches auto, every ratio is known well enough or clear of 1; repetitions: no run makes more; failures: nothing is left that can be measured; null: not ended, or interrupted',
  ),
  widest: described(
    nullable(NonNegative),
    'half-width of the widest interval of a ratio, as a share of its estimate; null: no interval',
  ),
  repetitions: described(Count, 'when this was decided'),
  elapsedMs: described(NonNegative, 'of measuring, of all parts of a run that was continued'),
});
/** @typedef {InferOutput<typeof StopRule>} StopRule */

/** One of several sides that were measured in the same groups, so that their launches pair by group. */
export const Variant = object({
  name: described(text(100, 1), "'A'"),
  written: described(LongText, 'what makes it different, as the user wrote it'),
  command: optional(described(LongText, 'that measures all sides again')),
  runId: described(textLike(/^[0-9a-f]{16}$/), 'the same in the files of all sides'),
});
/** @typedef {InferOutput<typeof Variant>} Variant */

/** Cost of harness and codec without a transport: a worker's loops and a master's responses in one process. */
export const ControlRow = object({
  codec: Name,
  scenario: Name,
  runtime: optional(described(Name, 'that plays all roles of the rows; without it, this Node')),
  payloadBytes: Positive,
  content: optional(described(Content, 'without it, ascii')),
  loops: Positive,
  codecUs: described(
    ascending(object({ estimate: NonNegative, low: NonNegative, high: NonNegative }), [
      'low',
      'estimate',
      'high',
    ]),
    'CPU time per round trip of encoding and decoding request and response, in a hot loop: median, least and greatest of the slices',
  ),
  checkUs: described(NonNegative, 'of comparing the payload of a response with that of its request'),
  nullUs: described(NonNegative, 'of a whole round trip with a function call in place of the transport'),
});
/** @typedef {InferOutput<typeof ControlRow>} ControlRow */

export const Controls = object({
  timer: described(
    nullable(object({ nowNs: NonNegative, recordNs: NonNegative })),
    'reading the clock, recording a latency',
  ),
  rows: array(ControlRow),
});
/** @typedef {InferOutput<typeof Controls>} Controls */

export const NetworkLink = object({
  mtuBytes: nullable(Finite),
  megabitsPerSecond: described(
    nullable(Finite),
    'that it was negotiated or built for; null: unknown, as of what is virtual',
  ),
});
/** @typedef {InferOutput<typeof NetworkLink>} NetworkLink */

export const HostFacts = object({
  role: picklist(['master', 'worker']),
  environment: Environment,
  link: optional(described(NetworkLink, 'without it, the loopback')),
  wakeUp: optional(nullable(WakeUp)),
  controls: optional(Controls),
});
/** @typedef {InferOutput<typeof HostFacts>} HostFacts */

const LooseText = text(300); // a later version may have further values

/** Traits of a transport at the time of the run. */
export const TransportFacts = object({
  class: Name,
  guarantee: Name,
  broker: described(nullable(LooseText), 'its name'),
  messagesPerRoundTrip: described(
    nullable(NonNegative),
    'that a broker should be given, and as many deliver',
  ),
  direction: optional(LooseText),
  reach: optional(LooseText),
  durability: optional(LooseText),
  order: optional(LooseText),
  loss: optional(LooseText),
  isSpinning: optional(boolean()),
  acknowledgementWindow: optional(AcknowledgementWindow),
  look: optional(
    /** @type {GenericSchema<TransportLook>} */ (
      /** @type {any} */ (object({ hue: LooseText, marker: LooseText, ownsHue: optional(boolean()) }))
    ),
  ),
});
/** @typedef {InferOutput<typeof TransportFacts>} TransportFacts */

/** Facts about a codec at the time of the run. */
export const CodecFacts = object({
  look: optional(
    /** @type {GenericSchema<CodecLook>} */ (
      /** @type {any} */ (object({ fill: LooseText, dash: array(Finite) }))
    ),
  ),
  carriesTexts: described(Mark, 'and no objects, of which there were some'),
});

/** The rate per second that nine of ten undisturbed launches sustain. */
export const SustainedRate = object({
  estimate: described(Positive, 'the median of the posterior'),
  low: described(Positive, 'its 2.5 % quantile'),
  high: described(Positive, 'its 97.5 % quantile'),
  isBounded: described(
    boolean(),
    'false: the upper end lies beyond all that was tried, so that only the lower one is known',
  ),
});
/** @typedef {InferOutput<typeof SustainedRate>} SustainedRate */

export const SweepProbe = object({
  ratePerSecond: Positive,
  us: described(nullable(NonNegative), 'of the percentile'),
  keeps: boolean(),
  why: described(string(), 'it does not keep'),
  flags: optional(described(array(Word), 'codes of the launch')),
});
/** @typedef {InferOutput<typeof SweepProbe>} SweepProbe */

/** A search for the rate that nine of ten launches sustain. */
export const Sweep = object({
  cell: described(Cell, 'without its rate'),
  slo: Slo,
  guessPerSecond: optional(
    described(
      nullable(Positive),
      'sends per second of closed loops, from which the search began; null: they gave none',
    ),
  ),
  probes: described(array(SweepProbe), 'one launch each'),
  foundPerSecond: described(
    nullable(Positive),
    'about the rate that nine launches of ten sustain, by the search alone: the curve is measured around it; null: no launch kept the limit',
  ),
  sustained: optional(
    described(
      nullable(SustainedRate),
      'by all launches of the cell under open load; null: none kept the limit',
    ),
  ),
  endedBy: described(
    picklist(['found', 'launches', 'none', 'time', 'disturbed']),
    'found: the interval is narrow enough; launches: after as many as a search makes; none: not even the lowest rate keeps the limit',
  ),
  elapsedMs: described(NonNegative, 'of the launches of the search'),
  next: optional(
    described(
      object({ ratePerSecond: Positive, maxTimeMs: NonNegative }),
      'ended by time: the rate that was next, and the time with which the whole search and the curve would fit',
    ),
  ),
  ratesLeftOut: optional(
    described(Positive, 'of the curve around the rate found: they did not fit into the time any more'),
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
  p99: described(nullable(NonNegative), 'null below 1,000 samples'),
  p999: described(nullable(NonNegative), 'null below 10,000 samples'),
  max: NonNegative,
  atLeast: optional(
    described(
      array(picklist(['p50', 'p90', 'p99', 'p999', 'max'])),
      'these are lower bounds: so much had no response at the end of the window',
    ),
  ),
};

/** Times in µs, merged over workers and launches. */
export const LatencySummary = object({
  ...PERCENTILES,
  perLaunch: described(
    object({
      p50: Estimate,
      p99: nullable(Estimate),
      atLeast: optional(
        described(array(picklist(['p50', 'p99'])), 'of one launch or more it is a lower bound'),
      ),
    }),
    'the same percentiles, launches as samples',
  ),
});
/** @typedef {InferOutput<typeof LatencySummary>} LatencySummary */

/** Summary of a cell under open load. Counts are sums over its launches, times are in µs. */
export const OpenSummary = object({
  arrivals: Arrivals,
  pacing: Pacing,
  achieved: described(NonNegative, 'requests sent / planned instants'),
  due: Count,
  late: Count,
  dropped: Count,
  responseUs: LatencySummary,
  sendLagUs: object(PERCENTILES),
  pacingCpuUsPerOperation: optional(
    described(NonNegative, 'of waiting precisely for planned instants, which no other CPU time contains'),
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
    to: described(string(), 'label of the reference'),
    simultaneous: optional(
      described(
        Interval,
        'contains the truth together with those of all other rows of the table, in 95 % of runs; verdicts go by it. Without it there is no interval, or no other row',
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

/** CPU time by role, summed over its processes, in launches with known costs; all values are null without such launches. */
export const CpuUsPerOperation = objectWithRest(
  {
    workers: described(nullable(NonNegative), 'null where they are threads that cannot be distinguished'),
    master: described(nullable(NonNegative), 'helper threads included'),
    broker: described(nullable(NonNegative), 'null where there is not one of this program'),
  },
  nullable(NonNegative),
);
/** @typedef {InferOutput<typeof CpuUsPerOperation>} CpuUsPerOperation */

export const MeasuredOutcome = object({
  status: literal('measured'),
  cell: Cell,
  operation: described(Operation, 'that its scenario counts'),
  headline: described(Name, 'name of the measure that ratios and verdicts are of'),
  measures: described(record(variant('kind', [MeasuredValue, MeasuredTimes])), 'by name, the headline first'),
  ratio: described(
    nullable(Ratio),
    'of the headline; null: none measured. The reference itself has estimate, low and high of exactly 1',
  ),
  cpuUsPerOperation: CpuUsPerOperation,
  peakRssBytes: described(nullable(NonNegative), "sum over the launch's processes, greatest of the launches"),
  busiest: nullable(Busiest),
  flags: described(array(Flag), 'each code once'),
  launches: pipe(array(MeasuredLaunch), minLength(1)),
  open: optional(described(OpenSummary, 'under open load')),
  backpressure: optional(described(Backpressure, 'of its launches together, of a stream')),
  losses: optional(described(Losses, 'sums of the launches, of a transport that may lose messages')),
});
/** @typedef {InferOutput<typeof MeasuredOutcome>} MeasuredOutcome */

export const SkippedOutcome = object({
  status: literal('skipped'),
  cell: Cell,
  reason: string(),
  cause: optional(
    described(literal('not-launched'), 'the run ended before its turn came; without it, by the plan'),
  ),
  isImpossible: described(Mark, 'it means nothing, so that no machine could measure it'),
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
  title: described(Name, "'codec in the worker'"),
  us: described(
    nullable(NonNegative),
    'of a round trip; null: it could not be found, and is within the remainder',
  ),
  found: described(text(300), 'how; where it could not be found, why'),
});
/** @typedef {InferOutput<typeof ExplainedPart>} ExplainedPart */

/** Facts about one process in a diagnostic launch, in µs per round trip. */
export const InsideFacts = object({
  name: described(Name, "'master', 'w0'"),
  role: picklist(['master', 'worker']),
  activeUs: described(NonNegative, 'its event loop did not wait: the median of slices of the window'),
  onTheWayUs: described(Finite, 'of that, until the last write of an iteration of the event loop, likewise'),
  afterUs: described(Finite, 'of that, in the same iterations, after the last write'),
  cpuUs: described(NonNegative, 'CPU time of the thread that runs JavaScript, likewise'),
  userShare: described(NonNegative, 'of the CPU time of its process, not in the kernel'),
  collectingUs: described(NonNegative, 'garbage, on the thread that runs JavaScript'),
  codecUs: described(NonNegative, 'by samples of functions, as the next two'),
  transportUs: NonNegative,
  harnessUs: NonNegative,
  samples: described(NonNegative, 'of the window'),
});
/** @typedef {InferOutput<typeof InsideFacts>} InsideFacts */

/** Explanation of a cell, from a separate launch with instruments, which would slow a measured launch down. */
export const Explanation = object({
  cell: Cell,
  wholeUs: described(Estimate, 'the median round trip of the measured launches'),
  explainedUs: described(AboveZero, 'that of the extra launch'),
  underWay: optional(described(Several, 'round trips at once; without it, one')),
  parts: described(array(ExplainedPart), 'in the order of the path'),
  remainderUs: described(
    Finite,
    'of the whole, beyond all parts; less than 0: parts that ran at the same time. With others under way it is waiting for them',
  ),
  besideUs: optional(described(NonNegative, 'what both ends did while others worked, and is in no part')),
  processes: array(InsideFacts),
});
/** @typedef {InferOutput<typeof Explanation>} Explanation */

/** System calls in the window of a separate launch under strace, which would slow a measured launch down. */
export const SyscallCounts = object({
  cell: Cell,
  operations: Positive,
  processes: array(
    object({ name: Name, calls: described(record(NonNegative), 'per operation, by system call') }),
  ),
});
/** @typedef {InferOutput<typeof SyscallCounts>} SyscallCounts */

/** A diagnostic launch that failed. */
export const FailedLook = object({
  cell: Cell,
  look: described(picklist(['syscalls', 'profile', 'explain']), 'as its option is called'),
  code: Name,
  message: string(),
});
/** @typedef {InferOutput<typeof FailedLook>} FailedLook */

// The native baseline of a run (--floor), measured with programs in C.

/** Result of one launch of the baseline, in a group of the run. */
export const FloorLaunch = object({
  group: Count,
  perSecond: described(pipe(Finite, minValue(1e-6)), 'verified responses'),
  cpuUs: described(
    nullable(object({ master: NonNegative, workers: NonNegative })),
    'of each response; null: this system does not report it',
  ),
});
/** @typedef {InferOutput<typeof FloorLaunch>} FloorLaunch */

/** Baseline of programs in C that send the same bytes over the same mechanism: a header of four bytes and a payload. */
export const FloorRow = object({
  mechanism: picklist(['pipe', 'unix', 'tcp', 'memory']),
  coalesces: described(boolean(), 'responses that can go in one write do; false: each goes in its own'),
  spins: described(boolean(), 'its processes busy-wait; false: they sleep'),
  payloadBytes: Positive,
  workers: Positive,
  loops: Positive,
  placement: PlacementMode,
  cells: described(array(LongText), 'labels of those whose baseline it is'),
  launches: described(
    array(union([FloorLaunch, object({ group: Count, code: text(100), message: LongText })])),
    'in the same groups as those of the cells',
  ),
});
/** @typedef {InferOutput<typeof FloorRow>} FloorRow */

export const Floor = object({
  rows: array(FloorRow),
  without: described(
    array(object({ reason: LongText, cells: array(LongText) })),
    'labels of cells that have none',
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
  continuedAt: optional(described(Texts, 'when an interrupted run was taken up again, ISO 8601')),
  hosts: optional(
    described(
      record(HostFacts),
      "by name, the master's first, whose environment the above is; without them, one host",
    ),
  ),
  stopRule: optional(described(StopRule, 'without it, a fixed number of launches')),
  variant: optional(described(Variant, 'where other runs were interleaved with it')),
  machine: optional(
    described(
      object({ wakeUp: nullable(WakeUp) }),
      'measured once per run, of several hosts the middle one; null: it cannot be measured here',
    ),
  ),
  options: SavedOptions,
  seed: Finite,
  reference: described(string(), 'label of the row that ratios refer to'),
  published: described(nullable(PublishedFigures), 'of the preset, to be shown beside'),
  outcomes: described(array(Outcome), 'in the order of the plan'),
  sweeps: optional(
    described(
      array(Sweep),
      'searches for the rate that nine launches of ten sustain; outcomes around it follow',
    ),
  ),
  controls: optional(described(Controls, 'of several hosts the middle one, row by row')),
  floor: optional(described(Floor, 'of --floor')),
  transports: optional(
    described(record(TransportFacts), "by name; by 'name:key=value' too, where settings change them"),
  ),
  codecs: optional(described(record(CodecFacts), 'by name')),
  scenarios: described(record(ScenarioFacts), 'by name: what each counts and measures'),
  syscalls: optional(described(array(SyscallCounts), 'of --syscalls')),
  profiles: optional(
    described(
      array(
        object({
          cell: Cell,
          process: described(Name, "'master', 'w0', ..."),
          file: described(Name, 'its .cpuprofile, relative to the results'),
        }),
      ),
      'of --profile, while they were under load',
    ),
  ),
  explanations: optional(described(array(Explanation), 'of --explain')),
  failedLooks: optional(described(array(FailedLook), 'of all three')),
});
/** @typedef {InferOutput<typeof Results>} Results */
