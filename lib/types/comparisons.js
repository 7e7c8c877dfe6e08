// The comparison of two results.

import {
  array,
  boolean,
  gtValue,
  literal,
  maxValue,
  minLength,
  minValue,
  nullable,
  number,
  object,
  omit,
  picklist,
  pipe,
  string,
} from 'valibot';
import { Estimate } from './launches.js';
import { Cell } from './plans.js';
import { described, Finite, Name, NonNegative, Positive, Several, Share } from './scalars.js';
import { MeasureFacts, Operation } from './scenarios.js';

/** @import { InferOutput } from 'valibot' */

const Verdict = picklist(['faster', 'slower', 'same', 'inconclusive']);
/** @typedef {InferOutput<typeof Verdict>} Verdict */

const ComparisonDesign = picklist(['interleaved', 'separate']);
/**
 * @typedef {InferOutput<typeof ComparisonDesign>} ComparisonDesign   whether launches pair by group, or runs were made one after another
 */

const ComparedSide = object({
  name: described(string(), "'old', 'new', or as the user called it"),
  source: described(string(), 'where the results came from, for people'),
  startedAt: string(),
  version: described(string(), 'of ipc-bench'),
  status: picklist(['running', 'complete', 'interrupted']),
});
/** @typedef {InferOutput<typeof ComparedSide>} ComparedSide */

const { name, title, unit, better, kind } = MeasureFacts.entries;
const ComparedMeasure = object({ name, title, unit, better, kind });
/** @typedef {InferOutput<typeof ComparedMeasure>} ComparedMeasure */

/**
 * Compares a speed, so that a ratio above 1 is faster: the headline of the scenario for closed loops; a percentile of the response time
 * under open load, whose number of operations is planned.
 */
const ComparedRow = object({
  cell: Cell,
  operation: described(Operation, 'that its scenario counts'),
  measure: described(ComparedMeasure, 'of the two estimates'),
  old: Estimate,
  new: Estimate,
  ratio: described(Estimate, 'how many times as fast the new side is'),
  p: described(nullable(Share), 'that there is no difference; null: too few launches for a test'),
  adjustedP: described(nullable(Share), 'by Holm over the rows'),
  verdict: Verdict,
  isBeyond: described(boolean(), 'faster or slower by more than the least effect, with certainty'),
  why: described(nullable(string()), 'there can be no verdict'),
  moreLaunches: described(
    nullable(Positive),
    'of each side that would settle it, about; null: it is settled, or too few were made for an estimate',
  ),
  detectableRatio: described(
    nullable(pipe(Finite, minValue(1))),
    'what such a comparison finds four times of five; null: nothing',
  ),
  flags: described(object({ old: array(string()), new: array(string()) }), 'codes'),
});
/** @typedef {InferOutput<typeof ComparedRow>} ComparedRow */

const MissingCell = object({
  cell: Cell,
  side: described(picklist(['old', 'new', 'both']), 'that lacks it'),
  reason: string(),
});
/** @typedef {InferOutput<typeof MissingCell>} MissingCell */

/** The mean over cells that differ only in transport and codec, for one question and one quantity. */
const GeometricMean = object({
  ...omit(Cell, ['transport', 'settings', 'codec', 'runtime']).entries,
  measure: ComparedMeasure,
  cells: Several,
  ratio: described(Estimate, 'of the geometric means of the cells'),
});
/** @typedef {InferOutput<typeof GeometricMean>} GeometricMean */

export const Comparison = object({
  schemaVersion: literal(1),
  kind: literal('comparison'),
  tool: object({ name: literal('ipc-bench'), version: string() }),
  design: ComparisonDesign,
  minEffect: described(pipe(number(), gtValue(0), maxValue(1)), 'δ: 0.05 is 5 %'),
  old: ComparedSide,
  new: ComparedSide,
  forced: described(array(string()), 'differences that would be refused; empty: none'),
  isForced: described(boolean(), 'the user insists'),
  warnings: described(array(string()), 'unlike surroundings'),
  machineDifferences: described(array(string()), 'why the two cannot be one machine'),
  rows: described(pipe(array(ComparedRow), minLength(1)), 'in the order of the old plan'),
  missing: array(MissingCell),
  geometricMeans: described(array(GeometricMean), 'of questions with several cells'),
});
/** @typedef {InferOutput<typeof Comparison>} Comparison */

/** Published figures of other authors, which charts show beside the measured ones. */
export const PublishedFigures = object({
  title: string(),
  source: string(),
  caveats: array(string()),
  results: array(
    object({
      transport: Name,
      codec: Name,
      label: string(),
      workers: Positive,
      loops: Positive,
      payloadBytes: Positive,
      roundTripsPerSecond: NonNegative,
    }),
  ),
});
/** @typedef {InferOutput<typeof PublishedFigures>} PublishedFigures */
