// Options of the user, the cells that are planned from them, and the timing of launches.

import {
  array,
  boolean,
  literal,
  minLength,
  nullable,
  number,
  object,
  optional,
  picklist,
  pipe,
  strictObject,
  string,
  union,
} from 'valibot';
import { Arrivals } from './launches.js';
import {
  AboveZero,
  Count,
  Finite,
  IntegerFromTwo,
  Name,
  NonNegative,
  OptionalTrue,
  Positive,
  record,
  text,
  textLike,
  Word,
  withDescription,
} from './scalars.js';

/** @import { InferOutput } from 'valibot' */
/** @import { FurtherColumn, PictureOptions } from './reports.js' */

export const PlacementMode = picklist(['split', 'same', 'free']);
/** @typedef {InferOutput<typeof PlacementMode>} PlacementMode */

// Contents of payloads, see lib/workload/messages/payloads.js; the default is ascii.
export const SpecialContent = picklist(['utf8', 'binary', 'json', 'bytes']);
/** @typedef {'ascii' | InferOutput<typeof SpecialContent>} ContentKind */

// 'orders.ndjson@1a2b3c4d'
const FileContent = textLike(/^[\p{L}\p{M}\p{N}_.-]{1,60}@[0-9a-f]{8}$/u);
export const Content = union([SpecialContent, FileContent]);

export const MessageFormat = picklist(['json', 'text']);
/**
 * @typedef {InferOutput<typeof MessageFormat>} MessageFormat   format of a file: objects on separate lines or in a list, or texts on
 *   separate lines
 */

const MessageSizes = object({
  mean: Positive,
  least: Positive,
  p50: Positive,
  p90: Positive,
  p99: Positive,
  greatest: Positive,
});

/** Mean message sizes in a recorded channel and in its replay, both in the serialisation of the recorded program. */
export const ReplaySizes = object({ channel: Positive, recordedBytes: Count, replayedBytes: Count });
/** @typedef {InferOutput<typeof ReplaySizes>} ReplaySizes */

/** The file with the user's messages, as read at the start of the run. */
export const MessageFile = object({
  path: withDescription(text(4096, 1), 'path as given by the user'),
  format: MessageFormat,
  sha256: text(64, 64),
  channel: optional(
    withDescription(Positive, 'number of the channel, if the file contains recorded traffic'),
  ),
  content: withDescription(FileContent, "name in cells: 'orders.ndjson@1a2b3c4d'"),
  messages: Positive,
  bytes: withDescription(MessageSizes, 'size of a message in UTF-8'),
  responses: optional(
    withDescription(
      object({ channel: Positive, bytes: MessageSizes }),
      'recorded responses; if absent, a response repeats its request',
    ),
  ),
  replaySizes: optional(
    withDescription(
      array(ReplaySizes),
      'for recorded traffic: sizes of requests and of responses, if recorded',
    ),
  ),
  differences: withDescription(
    array(text(2000)),
    'first differences between the fields of messages, as sentences',
  ),
  moreDifferences: withDescription(Count, 'number of further differences'),
  rounded: optional(
    withDescription(
      object({ messages: Positive, line: Positive }),
      'number of messages with numbers that JSON.parse rounds, and line of the first one',
    ),
  ),
});
/** @typedef {InferOutput<typeof MessageFile>} MessageFile */

export const LockMode = picklist(['wait', 'ignore', 'fail']);
/** @typedef {InferOutput<typeof LockMode>} LockMode   reaction to another measuring run of this user */

/** Written as workers x loops: '2x4'. */
const Shape = strictObject({ workers: Positive, loops: Positive });
/** @typedef {InferOutput<typeof Shape>} Shape */

export const TransportChoice = object({
  name: Name,
  settings: withDescription(record(string()), 'as written by the user, not validated'),
});
/** @typedef {InferOutput<typeof TransportChoice>} TransportChoice */

export const PercentileName = picklist(['p50', 'p90', 'p99', 'p999']);
/** @typedef {InferOutput<typeof PercentileName>} PercentileName */

/** A limit in µs for a percentile of response time. */
export const Slo = object({ percentile: PercentileName, us: NonNegative });
/** @typedef {InferOutput<typeof Slo>} Slo */

/** Open load: requests are sent by a schedule that does not depend on responses. */
export const OpenOptions = object({
  ratesPerSecond: withDescription(
    array(AboveZero),
    'rate of all workers of a cell together; empty if the rate that meets the SLO is searched',
  ),
  arrivals: Arrivals,
  slo: withDescription(nullable(Slo), 'response-time limit that a rate has to meet; null without one'),
  maxTimeMs: optional(withDescription(NonNegative, 'time limit for the search and the curve of one cell')),
  isWindowChosen: optional(
    withDescription(
      literal(true),
      'the user chose the length of the window, which may hold fewer requests than usual',
    ),
  ),
});
/** @typedef {InferOutput<typeof OpenOptions>} OpenOptions */

/** Adaptive stopping: repetitions are added until the intervals are narrow enough or the time limit is reached. */
export const StopOptions = object({
  targetError: withDescription(
    NonNegative,
    'maximum half-width of the 95 % interval of a ratio: 0.02 is 2 %',
  ),
  maxTimeMs: withDescription(NonNegative, 'limit of the measuring time'),
  mostLaunches: optional(
    withDescription(
      Positive,
      'maximum for --launches auto, which also stops if a ratio clearly differs from 1; 1,000 if absent',
    ),
  ),
});
/** @typedef {InferOutput<typeof StopOptions>} StopOptions */

export const HostChoice = object({
  master: withDescription(text(40), 'name of an agent'),
  workers: withDescription(
    pipe(array(text(40)), minLength(1)),
    'names of agents, to which workers are assigned in rotation',
  ),
  sharesFolder: withDescription(OptionalTrue, 'all agents run on one machine'),
});
/** @typedef {InferOutput<typeof HostChoice>} HostChoice */

/** Options that a results file contains, resolved from flags, environment, config file, preset and defaults. */
export const SavedOptions = object({
  open: optional(withDescription(OpenOptions, 'present under open load')),
  hosts: optional(withDescription(HostChoice, 'present if agents start the processes')),
  shapes: array(Shape),
  payloadBytes: array(Positive),
  contents: optional(array(union([literal('ascii'), SpecialContent, FileContent]))),
  messageFile: optional(withDescription(MessageFile, 'determines payloadBytes and contents')),
  transports: array(TransportChoice),
  codecs: array(Name),
  codecsAreChosen: optional(
    withDescription(
      boolean(),
      'false for the default, to which transports add the formats that they serialise by themselves',
    ),
  ),
  scenarios: array(Name),
  series: withDescription(
    nullable(array(object({ transport: Name, codec: Name }))),
    'pairs of a preset; null for all pairs',
  ),
  preset: nullable(string()),
  launches: withDescription(Positive, 'launches of each cell; the minimum if `stop` is present'),
  stop: optional(withDescription(StopOptions, 'absent with a fixed number of launches')),
  warmupMs: withDescription(nullable(NonNegative), 'null if the end of the warm-up is detected'),
  tierUp: optional(
    withDescription(
      picklist(['early', 'usual']),
      'when V8 optimises code of master and workers; usual if absent',
    ),
  ),
  measureMs: NonNegative,
  sliceMs: optional(
    withDescription(NonNegative, 'length of a slice; absent if each launch is measured in one window'),
  ),
  messages: withDescription(nullable(Positive), 'messages per loop; null if the load ends after measureMs'),
  placements: array(PlacementMode),
  polls: optional(
    withDescription(
      array(picklist(['event', 'busy'])),
      'event: processes sleep until a message arrives; busy: they poll continuously',
    ),
  ),
  connections: optional(withDescription(array(Positive), 'connections per worker')),
  networks: optional(withDescription(array(string()), "'1ms', '1ms+100mbit', 'none'")),
  runtimes: optional(
    withDescription(
      array(Word),
      'runtimes of the roles, as named in cells or with paths; this Node if absent',
    ),
  ),
  runtimePath: optional(withDescription(array(Word), 'folders in which runtimes are searched first')),
  lock: optional(withDescription(LockMode, 'wait if absent')),
  controls: optional(withDescription(boolean(), 'false if loops without a transport are not measured')),
  floor: withDescription(OptionalTrue, 'measures the native baseline in C'),
  charts: optional(boolean()),
  syscalls: withDescription(OptionalTrue, 'adds a launch of each cell under strace'),
  profile: withDescription(OptionalTrue, 'adds a launch of each cell under the CPU profiler of V8'),
  explain: withDescription(OptionalTrue, 'adds two launches of each round-trip cell that can be explained'),
  reference: withDescription(string(), "'transport[:settings]/codec'"),
  referenceIsChosen: withDescription(boolean(), 'false for the default, which need not be in the plan'),
  seed: Finite,
  quick: boolean(),
  theme: picklist(['light', 'dark', 'both']),
  title: nullable(string()),
});

/** @typedef {{ url: string, secret: string }} Agents   url: Redis that carries commands; secret: shared by run and agents */
/**
 * Options that a results file does not contain; frozen.
 * @typedef {object} UnsavedOptions
 * @property {Agents} [agents]
 * @property {Record<string, string>} brokerUrls   the user's URLs by name of the broker; they may contain passwords, which are never stored
 *   or printed
 * @property {string} outDir
 * @property {Record<string, string>} outputs   paths by the name of the report; '-' is stdout
 * @property {PictureOptions} picture
 * @property {boolean} hasNotes   shows all notes of the table
 * @property {FurtherColumn[]} furtherColumns   additional columns of the table
 * @property {boolean} isQuiet
 */
/** @typedef {InferOutput<typeof SavedOptions> & UnsavedOptions} Options */

export const Settings = record(union([string(), number(), boolean()]));
/** @typedef {InferOutput<typeof Settings>} Settings */

/**
 * One cell: the unit of work and of reporting. Unknown properties are rejected, since a setting of a later version makes another cell.
 */
export const Cell = strictObject({
  transport: Name,
  codec: Name,
  scenario: Name,
  payloadBytes: Positive,
  content: optional(
    withDescription(
      Content,
      'kind of payload, or a file whose messages have a mean size of payloadBytes; ascii if absent',
    ),
  ),
  workers: Positive,
  loops: Positive,
  connections: optional(
    withDescription(IntegerFromTwo, 'connections per worker, each with `loops` loops; 1 if absent'),
  ),
  runtime: optional(withDescription(Name, 'runtime of the roles; this Node if absent')),
  placement: PlacementMode,
  poll: optional(
    withDescription(
      literal('busy'),
      'processes poll continuously; if absent, they sleep until a message arrives',
    ),
  ),
  hosts: optional(withDescription(text(10_000, 3), "'a:b+c': master on a, workers alternately on b and c")),
  network: optional(
    withDescription(
      textLike(/^\d+(us|ms)(\+\d+(kbit|mbit|gbit))?$/),
      'emulated network between master and workers',
    ),
  ),
  settings: withDescription(Settings, "settings that differ from the transport's defaults"),
  ratePerSecond: optional(
    withDescription(AboveZero, 'offered rate of all workers together; absent for closed loops'),
  ),
});
/** @typedef {InferOutput<typeof Cell>} Cell */

/** @typedef {Omit<Cell, 'transport' | 'settings' | 'codec' | 'runtime'>} Question   properties that compared cells have in common */

/**
 * @typedef {object} PlannedCell
 * @property {Cell} cell
 * @property {string | null} skip   the reason, or null if the cell is measured
 * @property {number} [launches]   number of launches, if the time of a sweep permits fewer than the options request
 * @property {true} [isImpossible]   no machine could measure this combination
 * @property {true} [isContradiction]   the scenario and an option exclude each other for all transports and codecs
 */

/**
 * All cells of one side of a run.
 * @typedef {object} Plan
 * @property {PlannedCell[]} cells
 * @property {string} reference   label of a row that has at least one cell to measure; '' if there is none
 * @property {RunEstimate} estimate
 * @property {string[]} warnings   sentences about options that are out of proportion to this machine
 */

/**
 * Estimated size of a run. For a sweep, `launches` and `ms` are maxima.
 * @typedef {object} RunEstimate
 * @property {number} launches   the minimum in an adaptive run
 * @property {number} ofEach   launches of each cell among these
 * @property {number} ms   duration of these launches
 * @property {number} [slowMs]   their duration if each warm-up takes as long as it may, and plug-ins of the user are slow; `ms` if absent
 * @property {number} [mostMs]   longest duration of an adaptive run
 */

/**
 * When a process counts as warm: after `operations` and `leastCpuMs`, or after `enoughCpuMs`, which takes fewer operations if they are
 * expensive. Then its warm-up continues until its operations get no cheaper, at most for `levelWithinCpuMs`, since noisy operations may
 * never look level.
 * @typedef {object} WorkGoal
 * @property {number} operations
 * @property {number} leastCpuMs
 * @property {number} enoughCpuMs
 * @property {number} levelWithinCpuMs   0 if the cost of operations does not show whether the process is warm
 * @property {boolean} idleIsEnough   a process that mostly waits counts as warm
 */

/**
 * @typedef {object} Timing
 * @property {number | null} warmupMs   null if the end of the warm-up is detected, between the two limits below
 * @property {number} minWarmupMs
 * @property {number} maxWarmupMs
 * @property {number | null} steadyWithinMs   longest wait for a steady state after every process has reached its work goal; null in
 *   slices, where the rate does not show a steady state, since other launches of the group start during the warm-up
 * @property {number} warmupBinMs   length of the bins of the warm-up
 * @property {WorkGoal} workGoal   applies to every process
 * @property {number} measureMs   length of the window; in slices, of all slices of a launch together
 * @property {number | null} messages   messages per loop, or null if the load ends after a time
 * @property {number} binMs   length of the bins of the window
 * @property {SlicePlan} [slices]   without it, a launch is measured in one window
 */

/**
 * @typedef {{ rounds: number, skipMs: number, measureMs: number }} SlicePlan   measureMs: minimum length of a slice, after skipMs that do
 *   not count
 */
