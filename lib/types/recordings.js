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
import { Count, described, Finite, Mark, NonNegative, Positive } from './scalars.js';
import { measureShape } from './shape-limits.js';

/** @import { GenericSchema, InferOutput } from 'valibot' */
/** @import { MessageShape as Shape } from './shape-limits.js' */

const SavedHistogram = object({
  count: NonNegative,
  sum: Finite,
  least: Finite,
  greatest: Finite,
  cells: described(array(tuple([number(), number()])), 'values and their weights, ascending by value'),
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
  messages: described(Count, 'number of measured messages'),
  low: described(NonNegative, 'of the mean size, in bytes, at 95 %'),
  high: described(nullable(NonNegative), 'of the mean size; null if too few messages were measured'),
});

const Arrivals = object({
  ms: described(NonNegative, 'length of a stretch'),
  stretches: described(
    array(array(Finite)),
    'send times in ms from the start of each stretch: one of the whole recording, or several of equal length from all of its parts',
  ),
});

const TrafficPairs = object({
  requests: Count,
  paired: Count,
  field: described(
    string(),
    'field of requests whose value the responses repeat; its name is replaced, unless contents are recorded',
  ),
  roundTripUs: SavedHistogram,
  inFlight: described(SavedHistogram, 'open requests per link'),
});

/** All messages over one mechanism from the processes or threads with the label `from` to those with the label `to`. */
export const TrafficChannel = object({
  number: described(Positive, 'from 1, in descending order of messages'),
  mechanism: picklist(['process.send', 'postMessage', 'MessagePort']),
  serialisation: picklist(['json', 'v8']),
  from: string(),
  to: string(),
  fromMaster: described(
    Mark,
    'the sender has several receivers, or started its receiver; absent if not, or if unknown',
  ),
  links: described(Count, 'number of pairs of processes or threads'),
  atOnce: optional(described(Count, 'most links in use at the same time; absent if unknown')),
  messages: described(Count, 'messages received, or messages sent and not lost if there are more of them'),
  lost: optional(
    described(
      Count,
      'further messages that were sent and not received; known only if both ends were recorded until they ended',
    ),
  ),
  isLeast: described(Mark, '`messages` is a lower bound, since no end was recorded until it ended'),
  kinds: object({ text: Count, bytes: Count, value: Count }),
  withTransfer: Count,
  unsized: described(
    Count,
    'messages of unknown size, because serialising them would run code of the program',
  ),
  bytes: SavedHistogram,
  sizeSample: optional(described(SizeSample, 'absent if the size of every message is known')),
  sendUs: described(SavedHistogram, 'wall time of send() or postMessage() of every message'),
  decodeUs: described(
    SavedHistogram,
    'of the messages of the sample, deserialised after the program had ended',
  ),
  firstMs: described(nullable(Finite), 'first message, in ms since the start of the program'),
  lastMs: described(nullable(Finite), 'last message, in ms since the start of the program'),
  arrivals: Arrivals,
  pairs: described(nullable(TrafficPairs), 'null if no responses were found'),
  sample: described(array(SampledMessage), 'its sizes are distributed as those of all messages'),
});
/** @typedef {InferOutput<typeof TrafficChannel>} TrafficChannel */

export const RecordedTraffic = object({
  tool: described(string(), 'version of ipc-bench'),
  recordedAt: string(),
  program: described(string(), 'names of program and script, without folders'),
  durationMs: NonNegative,
  stopped: optional(
    object({
      ms: described(NonNegative, 'when the recording ended before the program'),
      why: described(string(), 'cap, or the error code of the folder of the facts'),
    }),
  ),
  hasContents: boolean(),
  processes: Count,
  threads: Count,
  notRecorded: described(array(string()), 'processes and threads without a recording, with the reason'),
  errors: described(array(string()), 'errors of the recorder itself'),
  recorderUs: described(NonNegative, 'time that recording took for each sent or received message, in µs'),
  recorderShare: described(NonNegative, 'share of a core that recording took in all processes'),
  channels: array(TrafficChannel),
});
/** @typedef {InferOutput<typeof RecordedTraffic>} RecordedTraffic */
