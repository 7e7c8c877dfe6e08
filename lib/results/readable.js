// Checks that a document is a results file. The writer makes these checks too, except for the check of histograms, before it replaces a
// file, so that it does not write a file that the reader would refuse.

import { createHash } from 'node:crypto';
import { printable } from '../format/printable.js';
import { findFault } from '../format/shape-fault.js';
import { histogramProblem } from '../statistics/latency-counts.js';
import { Launch } from '../types/launches.js';
import { Outcome, Results } from '../types/results-file.js';
import { isIdle } from './failed-outcome.js';

/** @import { GenericSchema } from 'valibot' */
/** @import { Latency, MeasuredLaunch, MeasuredOutcome } from '../types/index.js' */

export const RESULTS_VERSION = 1;

// A launch takes about 5 kB, so this is enough for 50,000 launches, and the file still fits into one string.
export const MAX_FILE_BYTES = 256 * 2 ** 20;

/** @param {string} content   compact JSON of results */
export function checksum(content) {
  return createHash('sha256').update(content).digest('hex');
}

/**
 * Searches for keys that would change the prototype of a copy. Walks without recursion, because the file determines the depth.
 * @param {unknown} document
 * @returns {string | null} what is wrong with it; null if nothing is
 */
export function faultOfKeys(document) {
  const pending = [document];
  while (pending.length > 0) {
    const value = pending.pop();
    if (value === null || typeof value !== 'object') continue;
    // Assigning to this key of a copy would set its prototype.
    if (Object.hasOwn(value, '__proto__')) return 'it has a key "__proto__"';
    for (const item of Object.values(value)) {
      if (typeof item === 'object') pending.push(item);
    }
  }
  return null;
}

/** @param {GenericSchema<any>} shape @param {unknown} value */
function faultInPart(shape, value) {
  // JSON is checked first, because walking the keys of a circular value never ends.
  return jsonProblem(value) ?? faultOfKeys(value) ?? findFault(shape, value);
}

/**
 * Finds a BigInt or a circular value, also in properties that the shape does not describe.
 * @param {unknown} value
 * @returns {string | null} why it has no JSON; null if it has
 */
function jsonProblem(value) {
  try {
    JSON.stringify(value);
    return null;
  } catch (error) {
    return /** @type {Error} */ (error).message;
  }
}

/** Launches that passed the check: a run saves them again after each launch, but checks them once. @type {WeakSet<Launch>} */
const readableLaunches = new WeakSet();

/** @param {Launch} launch @returns {string | null} why the reader would refuse a file that contains it; null if it would not */
export function faultInLaunch(launch) {
  if (readableLaunches.has(launch)) return null;
  const fault = faultInPart(Launch, launch);
  if (fault === null) readableLaunches.add(launch);
  return fault;
}

/** @param {Outcome} outcome @returns {string | null} why the reader would refuse a file that contains it; null if it would not */
export function faultInOutcome(outcome) {
  if (outcome.status === 'skipped') return faultInPart(Outcome, outcome);
  for (const [index, launch] of outcome.launches.entries()) {
    const fault = faultInLaunch(launch);
    if (fault !== null) return `launches[${index}].${fault}`;
  }
  // The launches are checked already, but the shape requires one.
  return faultInPart(Outcome, { ...outcome, launches: outcome.launches.slice(0, 1) });
}

/** @param {Results} results @returns {string | null} why the reader would refuse a file that contains them; null if it would not */
export function faultInResults(results) {
  for (const [index, outcome] of results.outcomes.entries()) {
    const fault = faultInOutcome(outcome);
    if (fault !== null) return `outcomes[${index}].${fault}`;
  }
  const others = { ...results, outcomes: [] };
  return faultOfKeys(others) ?? findFault(Results, others) ?? faultOfHeadlines(results);
}

// Checks beyond the shape: each row has its headline, and histograms can be decoded. Texts of scenarios are made printable.

/**
 * A row without its headline cannot be shown or ranked, and a value of 0 or less has no ratio to other rows.
 * @param {Results} results
 */
export function faultOfHeadlines({ outcomes, scenarios }) {
  for (const [index, outcome] of outcomes.entries()) {
    if (outcome.status !== 'measured') continue;
    const { cell, headline, measures, launches } = outcome;
    if (!Object.hasOwn(scenarios, cell.scenario))
      return `outcomes[${index}] is of a scenario that scenarios does not explain`;
    if (!Object.hasOwn(measures, headline) || measures[headline].name !== headline)
      return `outcomes[${index}] lacks its headline ${headline}`;
    const negative = Object.values(measures).find(isWronglyNegative);
    if (negative !== undefined) return `outcomes[${index}].measures.${negative.name} is less than 0`;
    for (const [number, launch] of launches.entries()) {
      const value = launch.values[headline];
      if (typeof value !== 'number') return `outcomes[${index}].launches[${number}] lacks ${headline}`;
      // A launch without operations makes its row fail, and that reason is reported instead.
      if (!(value > 0) && !isIdle(launch))
        return `outcomes[${index}].launches[${number}].values.${headline} is not above 0`;
    }
  }
  return null;
}

/** Checks all launches, including launches of failed rows. @param {Results} results */
export function faultOfHistograms({ outcomes }) {
  for (const [index, outcome] of outcomes.entries()) {
    if (outcome.status === 'skipped') continue;
    for (const [number, launch] of outcome.launches.entries()) {
      if (launch.status !== 'measured') continue;
      for (const [name, latency] of latenciesIn(launch)) {
        const why = histogramProblem(latency);
        if (why !== null) return `outcomes[${index}].launches[${number}].${name}.histogram ${why}`;
      }
    }
  }
  return null;
}

/** @param {MeasuredLaunch} launch @returns {[string, Latency][]} pairs of path and latency */
function latenciesIn({ times, open }) {
  /** @type {[string, Latency][]} */
  const named = Object.entries(times).map(([name, latency]) => [`times.${name}`, latency]);
  if (open === undefined) return named;
  const { response, sendLag, unanswered } = open;
  named.push(['open.response', response], ['open.sendLag', sendLag]);
  if (unanswered !== undefined) named.push(['open.unanswered', unanswered]);
  return named;
}

/** @param {MeasuredOutcome['measures'][string]} measure */
function isWronglyNegative(measure) {
  return measure.kind === 'value' && measure.scale !== 'linear' && measure.low < 0;
}

/** Makes the texts of scenarios printable. @param {Results} results @returns {Results} */
export function withPrintableWords(results) {
  /** @param {Record<string, any>} words @param {string[]} keys */
  const safe = (words, keys) => ({
    ...words,
    ...Object.fromEntries(keys.flatMap((key) => (key in words ? [[key, printable(words[key])]] : []))),
  });
  /** @param {any} operation */
  const operationIn = (operation) => safe(operation, ['one', 'many', 'done', 'toAll']);
  /** @param {any} measure */
  const measureIn = (measure) => safe(measure, ['title', 'of']);
  /** @param {object} record @param {(value: any) => any} change */
  const mapValues = (record, change) =>
    Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value)]));
  return {
    ...results,
    scenarios: mapValues(results.scenarios, ({ operation, measures, pieces, ...rest }) => ({
      ...rest,
      operation: operationIn(operation),
      measures: measures.map(measureIn),
      ...(pieces && { pieces: safe(pieces, ['name']) }),
    })),
    outcomes: results.outcomes.map((outcome) =>
      outcome.status === 'measured'
        ? {
            ...outcome,
            operation: /** @type {any} */ (operationIn(outcome.operation)),
            measures: mapValues(outcome.measures, measureIn),
          }
        : outcome,
    ),
  };
}
