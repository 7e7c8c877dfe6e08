// What results show, as plain data: codes instead of words, so that every command, picture and page phrases the same findings.

import { array, nullable, object, omit, optional, picklist } from 'valibot';
import { Estimate, Interval } from './launches.js';
import { Cell } from './plans.js';
import { described, Finite, LongText, Name, Positive, record, Word } from './scalars.js';
import { MeasureFacts, Operation } from './scenarios.js';

/** @import { InferOutput } from 'valibot' */

export const Reason = object({
  code: described(
    Word,
    "the code of a flag, or 'few-launches', 'interval-unknown', 'no-direction', 'alone', 'not-compared'",
  ),
  row: optional(described(Name, 'the other row of a comparison, if it is the one that has the flag')),
  least: optional(described(Positive, 'smallest number that gives a verdict')),
  of: optional(
    described(Word, "what is counted: 'launches', 'groups', 'launches a side', 'pairs of launches'"),
  ),
});
/** @typedef {InferOutput<typeof Reason>} Reason */

const RowVerdict = picklist(['better', 'worse', 'unclear', 'none']);
/** @typedef {InferOutput<typeof RowVerdict>} RowVerdict   on a row that is compared with another */

const FoundRatio = object({
  ...Estimate.entries,
  simultaneous: optional(
    described(Interval, 'holds together with the intervals of all rows of the table; verdicts use it'),
  ),
});

/** A ratio that stands beside the one of its row. */
const FoundPart = object({
  row: Name,
  against: Name,
  ratio: FoundRatio,
  numbers: optional(record(nullable(Finite))),
});
/** @typedef {InferOutput<typeof FoundPart>} FoundPart */

const FoundRow = object({
  row: described(Name, "label of the row: 'unix/json'"),
  place: optional(described(Name, 'its group, if the rows of the finding are of several groups')),
  kind: optional(described(Name, 'codes of the properties in which it differs in kind from the reference')),
  value: optional(described(Estimate, 'of the measure')),
  ratio: optional(described(nullable(FoundRatio), 'of the row to `against`')),
  verdict: optional(RowVerdict),
  why: optional(described(nullable(Reason), 'why the verdict is none')),
  parts: optional(
    described(
      array(FoundPart),
      'the ratio of the transport and that of the codec, if it differs in both from the reference; empty if no row tells them apart',
    ),
  ),
  numbers: optional(record(nullable(Finite))),
  names: optional(record(LongText)),
});
/** @typedef {InferOutput<typeof FoundRow>} FoundRow */

const FoundGroup = object({
  place: described(Name, "heading of its table: '1,000 B, 2x4'"),
  ...omit(Cell, ['transport', 'settings', 'codec', 'runtime']).entries,
});
/** @typedef {InferOutput<typeof FoundGroup>} FoundGroup */

const FoundScope = object({
  kind: described(
    picklist(['all', 'all-of', 'all-but', 'rows', 'rows-of-places']),
    "'all-of' and 'all-but' have names of groups or rows; otherwise `rows` of the finding names them",
  ),
  names: array(Name),
  of: described(Positive, 'number of measured rows'),
});
/** @typedef {InferOutput<typeof FoundScope>} FoundScope */

export const Finding = object({
  kind: described(Word, 'what was found, such as fastest, contrast, growth, limit, disturbed, failed, next'),
  group: described(nullable(FoundGroup), 'the table; null if the finding is about several'),
  rows: described(array(FoundRow), 'the rows that it is about, the most important first'),
  against: described(nullable(Name), 'the row that the ratios compare with'),
  ratio: described(nullable(FoundRatio), 'of the first row to `against`'),
  verdict: described(nullable(RowVerdict), 'on the first row; null if the finding has none'),
  why: described(nullable(Reason), 'why the verdict is none'),
  numbers: described(record(nullable(Finite)), 'further measured quantities, with the unit in the name'),
  names: described(record(LongText), 'names that belong to them: an axis, a process, a setting'),
  measure: optional(MeasureFacts),
  operation: optional(Operation),
  scope: optional(described(FoundScope, 'which of the measured rows have the property')),
  remedy: described(
    nullable(Word),
    'code of what to do about it, or of a flag; null if there is nothing to do',
  ),
});
/** @typedef {InferOutput<typeof Finding>} Finding */
