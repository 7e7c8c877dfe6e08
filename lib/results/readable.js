// Whether a document is what a results file holds. The reader refuses what is not; the writer checks the same before it
// replaces a file, so that none is written that could not be read again.

import { printable } from '../format/printable.js';
import { findFault } from '../format/shape-fault.js';
import { histogramProblem } from '../statistics/latency-counts.js';
import { Launch } from '../types/launches.js';
import { Outcome, Results } from '../types/results-file.js';
import { isIdle } from './failed-outcome.js';

/** @import { GenericSchema } from 'valibot' */
/** @import { Latency, MeasuredLaunch, MeasuredOutcome } from '../types/index.js' */

export const RESULTS_VERSION = 1;

// A launch takes about 5 kB: this is 50,000 launches, and still fits into memory as one string.
export const GREATEST_FILE_BYTES = 256 * 2 ** 20;

/**
 * Goes through values without recursion: the file decides how deep they are nested.
 * @param {unknown} document
 * @returns {string | null} what is wrong with its keys
 */
export function faultOfKeys(document) {
  const pending = [document];
  while (pending.length > 0) {
    const value = pending.pop();
    if (value === null || typeof value !== 'object') continue;
    // It would set a prototype when the object is copied.
    if (Object.hasOwn(value, '__proto__')) return 'it has a key "__proto__"';
    for (const item of Object.values(value)) {
      if (typeof item === 'object') pending.push(item);
    }
  }
  return null;
}

/** @param {GenericSchema<any>} shape @param {unknown} value */
function faultInPart(shape, value) {
  // First, for in a circle the keys never end.
  return jsonProblem(value) ?? faultOfKeys(value) ?? findFault(shape, value);
}

/** @param {unknown} value @returns {string | null} of what the shape does not mention: a BigInt, or a circle */
function jsonProblem(value) {
  try {
    JSON.stringify(value);
    return null;
  } catch (error) {
    return /** @type {Error} */ (error).message;
  }
}

/** Launches that could be read again: a run saves them anew after each further one, unchanged. @type {WeakSet<Launch>} */
const readableLaunches = new WeakSet();

/** @param {Launch} launch @returns {string | null} why a file with it could not be read again */
export function faultInLaunch(launch) {
  if (readableLaunches.has(launch)) return null;
  const fault = faultInPart(Launch, launch);
  if (fault === null) readableLaunches.add(launch);
  return fault;
}

/** @param {Outcome} outcome @returns {string | null} why a file with it could not be read again */
export function faultInOutcome(outcome) {
  if (outcome.status === 'skipped') return faultInPart(Outcome, outcome);
  for (const [place, launch] of outcome.launches.entries()) {
    const fault = faultInLaunch(launch);
    if (fault !== null) return `launches[${place}].${fault}`;
  }
  // Its launches are known now, and the shape has one at least.
  return faultInPart(Outcome, { ...outcome, launches: outcome.launches.slice(0, 1) });
}

/** @param {Results} results   about to be written @returns {string | null} why they could not be read again */
export function faultInResults(results) {
  for (const [place, outcome] of results.outcomes.entries()) {
    const fault = faultInOutcome(outcome);
    if (fault !== null) return `outcomes[${place}].${fault}`;
  }
  const others = { ...results, outcomes: [] };
  return faultOfKeys(others) ?? findFault(Results, others) ?? faultOfHeadlines(results);
}

// What a results file from anywhere says of its measures, beyond what its shape can check: each row has its headline, and
// the words of its scenarios are safe to show.

/**
 * What the shape cannot say: a row without its headline could be neither shown nor ranked, and what is 0 or less has no ratio to others.
 * @param {Results} results
 */
export function faultOfHeadlines({ outcomes, scenarios }) {
  for (const [place, outcome] of outcomes.entries()) {
    if (outcome.status !== 'measured') continue;
    const { cell, headline, measures, launches } = outcome;
    if (!Object.hasOwn(scenarios, cell.scenario))
      return `outcomes[${place}] is of a scenario that scenarios does not explain`;
    if (!Object.hasOwn(measures, headline) || measures[headline].name !== headline)
      return `outcomes[${place}] lacks its headline ${headline}`;
    const negative = Object.values(measures).find(isWronglyNegative);
    if (negative !== undefined) return `outcomes[${place}].measures.${negative.name} is less than 0`;
    for (const [number, launch] of launches.entries()) {
      const value = launch.values[headline];
      if (typeof value !== 'number') return `outcomes[${place}].launches[${number}] lacks ${headline}`;
      // In one that stood idle nothing happened, which is said of its row.
      if (!(value > 0) && !isIdle(launch))
        return `outcomes[${place}].launches[${number}].values.${headline} is not above 0`;
    }
  }
  return null;
}

/** Of all launches, also those of rows that failed: whatever shows their times can decode them. @param {Results} results */
export function faultOfHistograms({ outcomes }) {
  for (const [place, outcome] of outcomes.entries()) {
    if (outcome.status === 'skipped') continue;
    for (const [number, launch] of outcome.launches.entries()) {
      if (launch.status !== 'measured') continue;
      for (const [name, latency] of latenciesIn(launch)) {
        const why = histogramProblem(latency);
        if (why !== null) return `outcomes[${place}].launches[${number}].${name}.histogram ${why}`;
      }
    }
  }
  return null;
}

/** @param {MeasuredLaunch} launch @returns {[string, Latency][]} by where they are in it */
function latenciesIn({ times, open }) {
  /** @type {[string, Latency][]} */
  const named = Object.entries(times).map(([name, latency]) => [`times.${name}`, latency]);
  return open === undefined
    ? named
    : [...named, ['open.response', open.response], ['open.sendLag', open.sendLag]];
}

/** @param {MeasuredOutcome['measures'][string]} measure */
function isWronglyNegative(measure) {
  return measure.kind === 'value' && measure.scale !== 'linear' && measure.low < 0;
}

/** @param {Results} results @returns {Results} the words of whose scenarios are safe to show, wherever they came from */
export function withPrintableWords(results) {
  const safe = (/** @type {Record<string, any>} */ words, /** @type {string[]} */ keys) => ({
    ...words,
    ...Object.fromEntries(keys.flatMap((key) => (key in words ? [[key, printable(words[key])]] : []))),
  });
  const operationIn = (/** @type {any} */ operation) => safe(operation, ['one', 'many', 'done', 'toAll']);
  const measureIn = (/** @type {any} */ measure) => safe(measure, ['title', 'of']);
  const each = (/** @type {object} */ record, /** @type {(value: any) => any} */ change) =>
    Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value)]));
  return {
    ...results,
    scenarios: each(results.scenarios, ({ operation, measures, pieces, ...rest }) => ({
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
            measures: each(outcome.measures, measureIn),
          }
        : outcome,
    ),
  };
}
