// The file that `ipc-bench record` writes, channel by channel.

import {
  any,
  array,
  boolean,
  nullable,
  number,
  object,
  optional,
  picklist,
  string,
  tuple,
  union,
} from 'valibot';
import { Count, described, Finite, Mark, NonNegative, Positive } from './scalars.js';

/** @import { InferOutput } from 'valibot' */

const SavedHistogram = object({
  count: NonNegative,
  sum: Finite,
  least: Finite,
  greatest: Finite,
  cells: described(array(tuple([number(), number()])), 'value and weight, ascending'),
});

/** `key`: messages with the greatest keys are kept; `characters`: length as JSON. */
const SampledMessage = union([
  object({ key: Finite, characters: NonNegative, shape: any() }),
  object({ key: Finite, characters: NonNegative, value: any() }),
]);

const TrafficPairs = object({
  requests: Count,
  paired: Count,
  field: described(string(), 'by which they were paired, its name replaced as all names are'),
  roundTripUs: SavedHistogram,
  inFlight: described(SavedHistogram, 'of one link'),
});

/** All messages over one mechanism from the processes or threads of one script to the processes or threads of another. */
export const TrafficChannel = object({
  number: described(Positive, 'from 1, the busiest first'),
  mechanism: picklist(['process.send', 'postMessage', 'MessagePort']),
  serialisation: picklist(['json', 'v8']),
  from: string(),
  to: string(),
  fromMaster: described(
    Mark,
    'its sender has the others as its children; without it, it does not, or that is unknown',
  ),
  links: described(Count, 'pairs of processes or threads'),
  atOnce: optional(
    described(
      Count,
      'of these, the most that were in use at the same time; without it, as many as there are',
    ),
  ),
  messages: described(Count, 'that were received, or sent to one that was not recorded until its end'),
  lost: optional(described(Count, 'further ones, that were sent and not received')),
  kinds: object({ text: Count, bytes: Count, value: Count }),
  withTransfer: Count,
  unsized: Count,
  bytes: SavedHistogram,
  sendUs: SavedHistogram,
  decodeUs: SavedHistogram,
  firstMs: described(nullable(Finite), 'since the program began'),
  lastMs: nullable(Finite),
  arrivals: described(array(Finite), 'of the first messages, ms since the program began'),
  pairs: described(nullable(TrafficPairs), 'null: no responses were found'),
  sample: array(SampledMessage),
});
/** @typedef {InferOutput<typeof TrafficChannel>} TrafficChannel */

export const RecordedTraffic = object({
  tool: described(string(), 'version of ipc-bench'),
  recordedAt: string(),
  program: described(string(), 'and its script, by their names alone'),
  durationMs: NonNegative,
  hasContents: boolean(),
  processes: Count,
  threads: Count,
  notRecorded: described(array(string()), 'processes and threads, with the reason'),
  errors: described(array(string()), 'of the recorder itself'),
  channels: array(TrafficChannel),
});
/** @typedef {InferOutput<typeof RecordedTraffic>} RecordedTraffic */
