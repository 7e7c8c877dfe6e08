// What a results file from anywhere says of its measures, beyond what its schema can check: each row has its headline, and
// the words of its scenarios are safe to show.

import { printable } from '../words/printable.js';

/** @import { Results } from '../types/index.js' */

/**
 * What the schema cannot say: a row without its headline could be neither shown nor ranked.
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
    const launch = launches.findIndex(({ values }) => typeof values[headline] !== 'number');
    if (launch !== -1) return `outcomes[${place}].launches[${launch}] lacks ${headline}`;
  }
  return null;
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
