// What a results file from anywhere says of its measures, beyond what its schema can check: each row has its headline, and
// the words of its scenarios are safe to show.

import { printable } from '../format/printable.js';
import { histogramProblem } from '../statistics/latency-counts.js';
import { isIdle } from './failed-outcome.js';

/** @import { Latency, MeasuredLaunch, MeasuredOutcome, Results } from '../types/index.js' */

/**
 * What the schema cannot say: a row without its headline could be neither shown nor ranked, and what is 0 or less has no ratio to others.
 * @param {Results} results
 * @returns {string | null}
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

/**
 * Of all launches, also those of rows that failed: whatever shows their times can decode them.
 * @param {Results} results
 * @returns {string | null}
 */
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

/** @param {MeasuredOutcome['measures'][string]} measure @returns {boolean} */
function isWronglyNegative(measure) {
  return measure.kind === 'value' && measure.scale !== 'linear' && measure.low < 0;
}

/**
 * @param {Results} results
 * @returns {Results} the words of whose scenarios are safe to show, wherever they came from
 */
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
