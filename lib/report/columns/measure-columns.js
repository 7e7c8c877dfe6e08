// The columns of what a scenario measures beside its headline: titles and units are those of its measures.

import { findMainTimes, timesIn, valuesIn } from '../../cell/headline.js';
import { formatCount, formatNumber, orNothing } from '../../format/numbers.js';
import { printable } from '../../format/printable.js';
import { measureTitle } from '../text/measure-words.js';

/** @import { MeasuredOutcome, MeasureFacts } from '../../types/index.js' */
/** @import { Choice } from './columns.js' */

/** @param {MeasureFacts} measure @returns {string} 'sent/s' */
export function rateTitle(measure) {
  const title = printable(measureTitle(measure));
  return measure.unit === 'per second' ? title.replace(/ per second$/, '/s') : title;
}

/** @param {MeasuredOutcome[]} measured @returns {Choice[]} the times that come first in its scenario, with their tail */
export function mainTimeColumns(measured) {
  const main = measured.map(findMainTimes).find((times) => times !== null);
  if (main === undefined) return [];
  return /** @type {const} */ (['p50', 'p99']).map((percentile) => ({
    span: printable(measureTitle(main)),
    title: percentile,
    short: `${percentile} µs`,
    align: /** @type {const} */ ('right'),
    text: (outcome) => orNothing(findMainTimes(outcome)?.[percentile] ?? null),
    value: (outcome) => findMainTimes(outcome)?.[percentile],
  }));
}

/** @param {MeasuredOutcome} outcome @param {MeasureFacts} measure @returns {number | null} null: it has none */
function readEstimate({ measures }, { name }) {
  const own = measures[name];
  return own?.kind === 'value' ? own.estimate : null;
}

/** @param {MeasuredOutcome[]} measured @returns {Choice[]} what their scenario counts besides */
export function valueColumns(measured) {
  const values = new Map(measured.flatMap((row) => valuesIn(row).map((value) => [value.name, value])));
  return [...values.values()].map((measure) => ({
    span: printable(measure.of ?? ''),
    title: printable(measureTitle(measure)),
    short: rateTitle(measure),
    ...(measure.column && { further: measure.column }),
    align: /** @type {const} */ ('right'),
    text: (outcome) => {
      const estimate = readEstimate(outcome, measure);
      // What is counted and the same in all launches has no decimals.
      const isWhole = measure.unit === 'count' && Number.isInteger(estimate);
      return orNothing(estimate, isWhole ? formatCount : formatNumber);
    },
    value: (outcome) => readEstimate(outcome, measure),
  }));
}

/** @param {MeasuredOutcome[]} measured @returns {Choice[]} the medians of what their scenarios time besides */
export function timeColumns(measured) {
  const further = measured.flatMap((row) => timesIn(row).slice(1));
  const titles = new Map(further.map(({ name, title }) => [name, title]));
  return [...titles].map(([name, title]) => ({
    span: 'median µs',
    title: printable(title),
    short: `${printable(title)} µs`,
    align: /** @type {const} */ ('right'),
    text: (outcome) => orNothing(timesIn(outcome).find((times) => times.name === name)?.p50 ?? null),
    value: (outcome) => timesIn(outcome).find((times) => times.name === name)?.p50,
  }));
}
