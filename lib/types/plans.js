// What the user chose, and the cells that are made of it.

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
  Count,
  described,
  Finite,
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

/** @import { InferOutput } from 'valibot' */
/** @import { FurtherColumn, PictureWishes, SortKey } from './reports.js' */

export const PlacementMode = picklist(['split', 'same', 'free']);
/** @typedef {InferOutput<typeof PlacementMode>} PlacementMode */

// What payloads are made of, see lib/workload/messages/payloads.js; the default is ascii.
export const SpecialContent = picklist(['utf8', 'binary', 'json']);
/** @typedef {'ascii' | InferOutput<typeof SpecialContent>} ContentKind */

// 'orders.ndjson@1a2b3c4d'
const FileContent = textLike(/^[\p{L}\p{M}\p{N}_.-]{1,60}@[0-9a-f]{8}$/u);
export const Content = union([SpecialContent, FileContent]);

export const MessageFormat = picklist(['json', 'text']);
/** @typedef {InferOutput<typeof MessageFormat>} MessageFormat   of a file: an object on each line or in one list, or a text on each line */

const MessageSizes = object({
  mean: Positive,
  least: Positive,
  p50: Positive,
  p90: Positive,
  p99: Positive,
  greatest: Positive,
});

/** Mean sizes, both serialised as the recorded program does it. */
export const ReplaySizes = object({ channel: Positive, recordedBytes: Count, replayedBytes: Count });
/** @typedef {InferOutput<typeof ReplaySizes>} ReplaySizes */

/** Messages of the user, as they were when the run began. */
export const MessageFile = object({
  path: described(text(4096, 1), 'as it was given'),
  format: MessageFormat,
  sha256: text(64, 64),
  channel: optional(described(Positive, 'of recorded traffic, where the file is that')),
  content: described(FileContent, "what cells call it: 'orders.ndjson@1a2b3c4d'"),
  messages: Positive,
  bytes: described(MessageSizes, 'of a message'),
  responses: optional(
    described(
      object({ channel: Positive, bytes: MessageSizes }),
      'of recorded traffic; without it a response repeats its request',
    ),
  ),
  replaySizes: optional(
    described(
      array(ReplaySizes),
      'of recorded traffic: of its messages, and of their responses, as far as the recorder knows them',
    ),
  ),
  differences: described(array(text(2000)), 'of their fields, the first ones, in words'),
  moreDifferences: Count,
  rounded: optional(
    described(
      object({ messages: Positive, line: Positive }),
      'messages with numbers that JSON.parse rounds, and the line of the first one',
    ),
  ),
});
/** @typedef {InferOutput<typeof MessageFile>} MessageFile */

export const LockMode = picklist(['wait', 'ignore', 'fail']);
/** @typedef {InferOutput<typeof LockMode>} LockMode   what to do about another measuring run of this user */

/** Written WxC. */
const Shape = strictObject({ workers: Positive, loops: Positive });
/** @typedef {InferOutput<typeof Shape>} Shape */

export const TransportChoice = object({
  name: Name,
  settings: described(record(string()), 'as written, unchecked'),
});
/** @typedef {InferOutput<typeof TransportChoice>} TransportChoice */

export const PercentileName = picklist(['p50', 'p90', 'p99', 'p999']);
/** @typedef {InferOutput<typeof PercentileName>} PercentileName */

/** The percentile of response time stays below so many µs. */
export const Slo = object({ percentile: PercentileName, us: NonNegative });
/** @typedef {InferOutput<typeof Slo>} Slo */

/** Open load: requests are sent by a plan, whenever their responses come. */
export const OpenOptions = object({
  ratesPerSecond: described(
    array(Positive),
    'of a cell, all workers together; empty: searched, so that slo is met',
  ),
  arrivals: Arrivals,
  catchesUp: described(boolean(), 'what is late is sent as soon as a loop is free; else it is given up'),
  slo: described(nullable(Slo), 'that a rate has to meet'),
  maxTimeMs: optional(described(NonNegative, 'of each cell that is searched, with the curve around it')),
});
/** @typedef {InferOutput<typeof OpenOptions>} OpenOptions */

/** Adaptive stopping: blocks are added until the intervals are narrow enough, or the time is spent. */
export const StopOptions = object({
  targetError: described(NonNegative, 'greatest half-width of a 95 % interval of a ratio: 0.02 is 2 %'),
  maxTimeMs: described(NonNegative, 'of measuring'),
  mostLaunches: optional(
    described(
      Positive,
      'of --launches auto, where a ratio that is clear of 1 need not be as narrow; without it, 1,000',
    ),
  ),
});
/** @typedef {InferOutput<typeof StopOptions>} StopOptions */

export const HostChoice = object({
  master: described(text(40), 'name of an agent'),
  workers: described(pipe(array(text(40)), minLength(1)), 'names of agents; workers take turns on theirs'),
  sharesFolder: described(Mark, 'they are on one machine'),
});
/** @typedef {InferOutput<typeof HostChoice>} HostChoice */

/** What the user chose, after flags, environment, config file, preset and defaults, but for what a results file leaves out. */
export const SavedOptions = object({
  open: optional(described(OpenOptions, 'under open load')),
  hosts: optional(described(HostChoice, 'where processes are on other hosts')),
  shapes: array(Shape),
  payloadBytes: array(Positive),
  contents: optional(array(union([literal('ascii'), SpecialContent, FileContent]))),
  messageFile: optional(described(MessageFile, 'it decides payloadBytes and contents')),
  transports: array(TransportChoice),
  codecs: array(Name),
  scenarios: array(Name),
  series: described(
    nullable(array(object({ transport: Name, codec: Name }))),
    'of a preset: only these pairs; null: all',
  ),
  preset: nullable(string()),
  launches: described(Positive, 'at least, where stop is there'),
  stop: optional(described(StopOptions, 'without it, so many launches and no more')),
  warmupMs: described(nullable(NonNegative), 'null: detected'),
  tierUp: optional(
    described(picklist(['early', 'usual']), 'when V8 optimises master and workers; without it, usual'),
  ),
  measureMs: NonNegative,
  sliceMs: optional(described(NonNegative, 'without it, each launch was measured in one window')),
  messages: described(nullable(Positive), 'per loop; null: by time'),
  placements: array(PlacementMode),
  polls: optional(
    described(
      array(picklist(['event', 'busy'])),
      'how a process waits: asleep until something comes, or looking all the time',
    ),
  ),
  connections: optional(described(array(Positive), 'of each worker')),
  networks: optional(described(array(string()), "'1ms', '1ms+100mbit', 'none'")),
  runtimes: optional(
    described(
      array(Word),
      'that play the roles, as cells write them, or with paths; without them, this Node',
    ),
  ),
  runtimePath: optional(described(array(Word), 'folders in which runtimes are searched first')),
  lock: optional(described(LockMode, 'without it, wait')),
  controls: optional(described(boolean(), 'false: the loops without a transport are not measured')),
  floor: described(Mark, 'the same bytes through the same mechanisms, in C'),
  charts: optional(described(boolean(), 'false: none are drawn')),
  syscalls: described(Mark, 'an extra launch of each cell under strace'),
  profile: described(Mark, "an extra launch of each cell under V8's profiler"),
  explain: described(Mark, 'an extra launch of each cell that can be explained'),
  strict: optional(described(boolean(), 'refuse a machine that doctor calls unfit')),
  reference: described(string(), "'transport[:settings]/codec'"),
  referenceIsChosen: described(boolean(), 'false: the default, which may be absent from the plan'),
  seed: Finite,
  quick: boolean(),
  theme: picklist(['light', 'dark', 'both']),
  title: nullable(string()),
});

/** @typedef {{ url: string, secret: string }} Agents   url: of the Redis that carries commands; secret: of the agents */
/**
 * The rest of what the user chose; frozen.
 * @typedef {object} UnsavedOptions
 * @property {Agents} [agents]
 * @property {Record<string, string>} brokerUrls   by name of a broker, URLs of the user; may hold passwords: never stored or printed
 * @property {string} outDir
 * @property {Record<string, string>} outputs    report name → path, '-' = stdout
 * @property {PictureWishes} picture
 * @property {boolean} hasNotes              of the table: all that belongs to it
 * @property {FurtherColumn[]} furtherColumns    of the table
 * @property {SortKey | null} sort           of the rows
 * @property {boolean} [live]               whether the terminal shows a ranking while it is measured
 * @property {boolean} isQuiet
 * @property {boolean | null} colour         null if the terminal decides
 */
/** @typedef {InferOutput<typeof SavedOptions> & UnsavedOptions} Options */

export const Settings = record(union([string(), number(), boolean()]));
/** @typedef {InferOutput<typeof Settings>} Settings */

/**
 * One cell: the unit of work and of reporting. It has no unknown properties, since a setting that a reader does not know would be another
 * cell.
 */
export const Cell = strictObject({
  transport: Name,
  codec: Name,
  scenario: Name,
  payloadBytes: Positive,
  content: optional(
    described(
      Content,
      'of the payload, or of a file, whose messages have payloadBytes in the mean; without it, ascii',
    ),
  ),
  workers: Positive,
  loops: Positive,
  connections: optional(described(Several, 'of each worker, each with all its loops; without it, one')),
  runtime: optional(described(Name, 'that plays its roles; without it, this Node')),
  placement: PlacementMode,
  poll: optional(described(literal('busy'), 'without it, processes sleep until something comes')),
  hosts: optional(described(text(10_000, 3), "'a:b+c': the master on a, workers in turn on b and c")),
  network: optional(
    described(textLike(/^\d+(us|ms)(\+\d+(kbit|mbit|gbit))?$/), 'emulated between master and workers'),
  ),
  settings: described(Settings, "what differs from the transport's defaults"),
  ratePerSecond: optional(described(Positive, 'planned, all workers together; without it, loops are closed')),
});
/** @typedef {InferOutput<typeof Cell>} Cell */

/** @typedef {Omit<Cell, 'transport' | 'settings' | 'codec' | 'runtime'>} Question   common to the cells that are compared with each other */

/**
 * @typedef {object} PlannedCell
 * @property {Cell} cell
 * @property {string | null} skip            the reason, or null if it is measured
 * @property {true} [isImpossible]           it means nothing, so that no machine could measure it
 * @property {true} [isContradiction]        its scenario and an option exclude each other, whatever the transport and the codec
 */

/**
 * All cells of one side of a run.
 * @typedef {object} Plan
 * @property {PlannedCell[]} cells
 * @property {string} reference              label of a row that has at least one cell to measure; '' if there is none
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
 * @property {number} levelWithinCpuMs   0 if the cost of its operations does not show whether it is warm
 * @property {boolean} idleIsEnough   a process that mostly waits for something else need not become warm
 */

/**
 * @typedef {object} Timing
 * @property {number | null} warmupMs       null if it is detected, between the two limits below
 * @property {number} minWarmupMs
 * @property {number} maxWarmupMs
 * @property {number} steadyWithinMs        longest wait for a steady state after every process has worked enough
 * @property {number} warmupBinMs            warm-up is judged in bins of this length
 * @property {WorkGoal} workGoal   of every process
 * @property {number} measureMs
 * @property {number | null} messages       per loop, or null if the load ends by time
 * @property {number} binMs                  of the window
 * @property {SlicePlan} [slices]            without it, it is measured in one window
 */

/** @typedef {{ rounds: number, skipMs: number, measureMs: number }} SlicePlan   measureMs: of each slice at least, after the skipMs that are not counted */
