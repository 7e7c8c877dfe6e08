// What results show, as plain data: codes instead of words, so that every command, picture and page phrases the same findings.

import { array, nullable, object, omit, optional, picklist } from 'valibot';
import { Estimate, Interval } from './launches.js';
import { Cell } from './plans.js';
import { Finite, LongText, Name, Positive, record, Word, withDescription } from './scalars.js';
import { MeasureFacts, Operation } from './scenarios.js';

/** @import { InferOutput } from 'valibot' */

export const Reason = object({
  code: withDescription(
    Word,
    "the code of a flag, or 'few-launches', 'interval-unknown', 'no-direction', 'alone', 'not-compared'",
  ),
  row: optional(withDescription(Name, 'the other row of a comparison, if it is the one that has the flag')),
  least: optional(withDescription(Positive, 'smallest number that gives a verdict')),
  of: optional(
    withDescription(Word, "what is counted: 'launches', 'groups', 'launches a side', 'pairs of launches'"),
  ),
});
/** @typedef {InferOutput<typeof Reason>} Reason */

const RowVerdict = picklist(['better', 'worse', 'unclear', 'none']);
/** @typedef {InferOutput<typeof RowVerdict>} RowVerdict   on a row that is compared with another */

const FoundRatio = object({
  ...Estimate.entries,
  simultaneous: optional(
    withDescription(Interval, 'holds together with the intervals of all rows of the table; verdicts use it'),
  ),
});

/** A part of the ratio of a row: the ratio for its transport alone, or for its codec alone. */
const FoundPart = object({
  row: Name,
  against: Name,
  ratio: FoundRatio,
});
/** @typedef {InferOutput<typeof FoundPart>} FoundPart */

const FoundRow = object({
  row: withDescription(Name, "label of the row: 'unix/json'"),
  heading: optional(withDescription(Name, 'its group, if the rows of the finding are of several groups')),
  kind: optional(
    withDescription(Name, 'codes of the properties in which it differs in kind from the reference'),
  ),
  value: optional(withDescription(Estimate, 'of the measure')),
  ratio: optional(withDescription(nullable(FoundRatio), 'of the row to `against`; null if there is none')),
  verdict: optional(RowVerdict),
  why: optional(withDescription(nullable(Reason), 'why the verdict is none; null for another verdict')),
  parts: optional(
    withDescription(
      array(FoundPart),
      'the ratio of the transport and that of the codec, if it differs in both from the reference; empty if no row tells them apart',
    ),
  ),
  numbers: optional(record(nullable(Finite))),
  names: optional(record(LongText)),
});
/** @typedef {InferOutput<typeof FoundRow>} FoundRow */

const FoundGroup = object({
  heading: withDescription(Name, "heading of its table: '1,000 B, 2x4'"),
  ...omit(Cell, ['transport', 'settings', 'codec', 'runtime']).entries,
});
/** @typedef {InferOutput<typeof FoundGroup>} FoundGroup */

const FoundScope = object({
  kind: withDescription(
    picklist(['all', 'all-of', 'all-but', 'rows']),
    "'all-of' and 'all-but' have names of groups or rows; otherwise `rows` of the finding names them",
  ),
  names: array(Name),
  of: withDescription(Positive, 'number of measured rows'),
});
/** @typedef {InferOutput<typeof FoundScope>} FoundScope */

export const Finding = object({
  kind: withDescription(
    Word,
    'what was found, such as fastest, contrast, growth, limit, disturbed, failed, next',
  ),
  group: withDescription(nullable(FoundGroup), 'the table; null if the finding is about several'),
  rows: withDescription(array(FoundRow), 'the rows that it is about, the most important first'),
  against: withDescription(nullable(Name), 'the row that the ratios compare with; null if there is none'),
  ratio: withDescription(nullable(FoundRatio), 'of the first row to `against`; null if there is none'),
  verdict: withDescription(nullable(RowVerdict), 'on the first row; null if the finding has none'),
  why: withDescription(nullable(Reason), 'why the verdict is none; null for another verdict'),
  numbers: withDescription(
    record(nullable(Finite)),
    'further measured quantities, with the unit in the name; null if unknown',
  ),
  names: withDescription(record(LongText), 'names that belong to them: an axis, a process, a setting'),
  measure: optional(MeasureFacts),
  operation: optional(Operation),
  scope: optional(withDescription(FoundScope, 'which of the measured rows have the property')),
  remedy: withDescription(
    nullable(Word),
    'code of what to do about it, or of a flag; null if there is nothing to do',
  ),
});
/** @typedef {InferOutput<typeof Finding>} Finding */
