// The file that `ipc-bench record` writes, channel by channel.

import {
  any,
  array,
  boolean,
  check,
  nullable,
  number,
  object,
  optional,
  picklist,
  pipe,
  string,
  tuple,
  union,
} from 'valibot';
import { Count, Finite, NonNegative, OptionalTrue, Positive, withDescription } from './scalars.js';
import { measureShape } from './shape-limits.js';

/** @import { GenericSchema, InferOutput } from 'valibot' */
/** @import { MessageShape as Shape } from './shape-limits.js' */

/** A histogram in the unit of its quantity. */
const SavedHistogram = object({
  count: NonNegative,
  sum: Finite,
  least: Finite,
  greatest: Finite,
  cells: withDescription(array(tuple([number(), number()])), 'values and their weights, ascending by value'),
});

// A schema of valibot for each part would take seconds for the sample of a large file.
/** @type {GenericSchema<Shape>} */
const MessageShape = pipe(
  any(),
  check(
    (shape) => measureShape(shape).problem === null,
    ({ input }) => String(measureShape(input).problem),
  ),
);

const SampledMessage = union([object({ shape: MessageShape }), object({ value: any() })]);

const SizeSample = object({
  messages: withDescription(Count, 'number of measured messages'),
  low: withDescription(NonNegative, 'of the mean size, in bytes, at 95 %'),
  high: withDescription(nullable(NonNegative), 'of the mean size; null if too few messages were measured'),
});

const Arrivals = object({
  ms: withDescription(NonNegative, 'length of a stretch'),
  stretches: withDescription(
    array(array(Finite)),
    'send times in ms from the start of each stretch: one of the whole recording, or several of equal length from all of its parts',
  ),
});

const TrafficPairs = object({
  requests: Count,
  paired: Count,
  field: withDescription(
    nullable(string()),
    'field of requests whose value the responses repeat; its name is replaced, unless contents are recorded; null if each request has a port for its response',
  ),
  roundTripUs: SavedHistogram,
  inFlight: withDescription(SavedHistogram, 'open requests per link'),
});

/** All messages over one mechanism from the processes or threads with the label `from` to those with the label `to`. */
export const TrafficChannel = object({
  number: withDescription(Positive, 'from 1, in descending order of messages'),
  mechanism: picklist(['process.send', 'postMessage', 'MessagePort']),
  serialisation: picklist(['json', 'v8']),
  from: string(),
  to: string(),
  fromMaster: withDescription(
    OptionalTrue,
    'the sender has several receivers, or started its receiver; absent if not, or if unknown',
  ),
  links: withDescription(Count, 'number of pairs of processes or threads'),
  atOnce: optional(withDescription(Count, 'most links in use at the same time; absent if unknown')),
  messages: withDescription(
    Count,
    'messages received, or messages sent and not lost if there are more of them',
  ),
  lost: optional(
    withDescription(
      Count,
      'further messages that were sent and not received; known only if both ends were recorded until they ended',
    ),
  ),
  isLeast: withDescription(
    OptionalTrue,
    '`messages` is a lower bound, since no end was recorded until it ended',
  ),
  kinds: object({ text: Count, bytes: Count, value: Count }),
  withTransfer: withDescription(Count, 'messages with a transfer list'),
  unsized: withDescription(
    Count,
    'messages of unknown size, because serialising them would run code of the program',
  ),
  bytes: withDescription(SavedHistogram, 'sizes of messages'),
  sizeSample: optional(withDescription(SizeSample, 'absent if the size of every message is known')),
  sendUs: withDescription(SavedHistogram, 'wall time of send() or postMessage() of every message'),
  decodeUs: withDescription(
    SavedHistogram,
    'of the messages of the sample, deserialised after the program had ended',
  ),
  firstMs: withDescription(
    nullable(Finite),
    'first message, in ms since the start of the program; null if no send was recorded',
  ),
  lastMs: withDescription(
    nullable(Finite),
    'last message, in ms since the start of the program; null if no send was recorded',
  ),
  arrivals: Arrivals,
  pairs: withDescription(nullable(TrafficPairs), 'null if no responses were found'),
  sample: withDescription(array(SampledMessage), 'its sizes are distributed as those of all messages'),
});
/** @typedef {InferOutput<typeof TrafficChannel>} TrafficChannel */

export const RecordedTraffic = object({
  tool: withDescription(string(), 'version of ipc-bench'),
  recordedAt: string(),
  program: withDescription(string(), 'names of program and script, without folders'),
  durationMs: NonNegative,
  stopped: optional(
    object({
      ms: withDescription(NonNegative, 'when the recording ended before the program'),
      why: withDescription(string(), 'cap, or the error code of the folder of the facts'),
    }),
  ),
  hasContents: boolean(),
  processes: Count,
  threads: Count,
  notRecorded: withDescription(array(string()), 'processes and threads without a recording, with the reason'),
  errors: withDescription(array(string()), 'errors of the recorder itself'),
  recorderUs: withDescription(
    NonNegative,
    'time that recording took for each sent or received message, in µs',
  ),
  recorderShare: withDescription(NonNegative, 'share of a core that recording took in all processes'),
  channels: array(TrafficChannel),
});
/** @typedef {InferOutput<typeof RecordedTraffic>} RecordedTraffic */
