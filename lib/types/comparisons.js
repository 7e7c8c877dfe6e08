// The comparison of two results, and published figures of other authors.

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
import { Finding, Reason } from './findings.js';
import { CpuUsPerOperation, Estimate } from './launches.js';
import { Cell } from './plans.js';
import {
  Finite,
  IntegerFromTwo,
  Name,
  NonNegative,
  OptionalTrue,
  Positive,
  Share,
  withDescription,
} from './scalars.js';
import { MeasureFacts, Operation } from './scenarios.js';

/** @import { InferOutput } from 'valibot' */

const Verdict = picklist(['faster', 'slower', 'same', 'inconclusive']);
/** @typedef {InferOutput<typeof Verdict>} Verdict */

const ComparisonDesign = picklist(['interleaved', 'separate']);
/**
 * @typedef {InferOutput<typeof ComparisonDesign>} ComparisonDesign   'interleaved': launches pair by group; 'separate': the runs were made
 *   one after the other
 */

const ComparedSide = object({
  name: withDescription(string(), "'old', 'new', or the name given by the user"),
  source: withDescription(string(), 'path or reference of the results, for people'),
  startedAt: string(),
  version: withDescription(string(), 'version of ipc-bench'),
  status: picklist(['running', 'complete', 'interrupted']),
  machine: withDescription(string(), 'CPU and operating system, for people'),
  programs: withDescription(string(), 'versions of ipc-bench, of runtimes and of brokers, for people'),
});
/** @typedef {InferOutput<typeof ComparedSide>} ComparedSide */

const { name, title, unit, better, kind } = MeasureFacts.entries;
const ComparedMeasure = object({ name, title, unit, better, kind });
/** @typedef {InferOutput<typeof ComparedMeasure>} ComparedMeasure */

const ComparedCosts = object({
  cpuUsPerOperation: CpuUsPerOperation,
  peakRssBytes: withDescription(
    nullable(NonNegative),
    'sum over the processes of a launch, maximum of the launches; null if unknown',
  ),
});

/**
 * A ratio above 1 means that the new result is faster. The measure is the headline of the scenario for closed loops, and a percentile of
 * the response time under open load, where the rate of operations is planned.
 */
const ComparedRow = object({
  cell: Cell,
  operation: Operation,
  measure: ComparedMeasure,
  old: Estimate,
  new: Estimate,
  ratio: withDescription(Estimate, 'speed of new / speed of old'),
  p: withDescription(
    nullable(Share),
    'p-value of the hypothesis that both are equally fast; null if the row gets no verdict',
  ),
  adjustedP: withDescription(
    nullable(Share),
    'p, adjusted by the method of Holm over all rows that get a verdict; null if p is',
  ),
  verdict: Verdict,
  isBeyond: withDescription(boolean(), 'faster or slower by significantly more than minEffect'),
  why: withDescription(nullable(Reason), 'why the row gets no verdict; null if it gets one'),
  moreLaunches: withDescription(
    nullable(Positive),
    'estimated further launches per side until a verdict; null if there is one, if launches cannot give one, or if it cannot be estimated',
  ),
  detectableRatio: withDescription(
    nullable(pipe(Finite, minValue(1))),
    'smallest ratio that the comparison detects with 80 % power; null if unknown',
  ),
  flags: withDescription(object({ old: array(string()), new: array(string()) }), 'flag codes'),
  costs: object({ old: ComparedCosts, new: ComparedCosts }),
  isControl: OptionalTrue,
});
/** @typedef {InferOutput<typeof ComparedRow>} ComparedRow */

const MissingCell = object({
  cell: Cell,
  side: withDescription(picklist(['old', 'new', 'both']), 'side without a result for the cell'),
  reason: string(),
});
/** @typedef {InferOutput<typeof MissingCell>} MissingCell */

/** The mean of one measure over cells that differ only in transport, settings, codec and runtime. */
const GeometricMean = object({
  ...omit(Cell, ['transport', 'settings', 'codec', 'runtime']).entries,
  measure: ComparedMeasure,
  cells: IntegerFromTwo,
  ratio: withDescription(
    Estimate,
    'geometric mean of the ratios of the cells, new / old, or of speeds if the runs were separate',
  ),
});
/** @typedef {InferOutput<typeof GeometricMean>} GeometricMean */

export const Comparison = object({
  schemaVersion: literal(1),
  kind: literal('comparison'),
  tool: object({ name: literal('ipc-bench'), version: string() }),
  design: ComparisonDesign,
  minEffect: withDescription(
    pipe(number(), gtValue(0), maxValue(1)),
    'smallest relevant difference: 0.05 is 5 %',
  ),
  old: ComparedSide,
  new: ComparedSide,
  forced: withDescription(array(string()), 'differences for which the comparison is refused without --force'),
  isForced: withDescription(boolean(), 'set by --force'),
  warnings: withDescription(array(string()), 'reasons for doubt, such as an unfinished run'),
  machineDifferences: withDescription(
    array(string()),
    'differences that rule out that both ran on the same machine',
  ),
  environmentDifferences: withDescription(
    array(string()),
    'differences in programs and settings, such as the version of Node, which one machine may have too',
  ),
  rows: withDescription(pipe(array(ComparedRow), minLength(1)), 'in the order of the plan of the old side'),
  controls: withDescription(
    array(ComparedRow),
    'rows that must not differ (--control). isBeyond: one did, by more than 2 % or minEffect, whichever is less. Their p-values are adjusted over them alone',
  ),
  missing: array(MissingCell),
  findings: withDescription(array(Finding), 'what the rows show, the most important first'),
  geometricMeans: withDescription(
    array(GeometricMean),
    'one per question and measure with several ranked cells, if it has an interval',
  ),
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
