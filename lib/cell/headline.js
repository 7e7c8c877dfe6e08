// Reads the headline, the times and the other values among the measures of a row. Also has the operation and the measures of scenarios that
// declare none.

import { camelCase } from '../format/lists.js';

/** @import { Estimate, MeasuredLaunch, MeasuredOutcome, MeasuredTimes, MeasuredValue, MeasureFacts, Operation } from '../types/index.js' */
/** @import { ScenarioFacts } from '../types/index.js' */
/** @typedef {Pick<MeasuredOutcome, 'headline' | 'measures'>} MeasuredRow */

/** Name of the measure that times each operation. The check by Little’s law compares these times with loops and rate. */
export const SERVICE_TIME = 'serviceTime';

/** The operation of scenarios that name none. @type {Readonly<Operation>} */
export const ROUND_TRIP = Object.freeze({ one: 'round trip', many: 'round trips', done: 'answered' });
/** @type {Readonly<Operation>} */
const OF_SEVERAL = Object.freeze({ one: 'operation', many: 'operations', done: 'did' });

/**
 * @param {readonly { operation: Operation }[]} outcomes   at least one
 * @returns {Readonly<Operation>} the common operation, or a generic one if they differ
 */
export function commonOperation(outcomes) {
  const [first = { operation: OF_SEVERAL }, ...rest] = outcomes;
  return rest.every(({ operation }) => operation.many === first.operation.many)
    ? first.operation
    : OF_SEVERAL;
}

/** @param {MeasuredRow} outcome @returns {MeasureFacts} the measure that ranks and compares the row */
export function headlineMeasure({ headline, measures }) {
  return measures[headline];
}

/** @param {MeasuredRow} outcome @returns {Estimate} headline over launches; for times, the estimate of their medians in µs */
export function readHeadline({ headline, measures }) {
  const measure = measures[headline];
  return measure.kind === 'times' ? measure.perLaunch.p50 : measure;
}

/**
 * @param {Pick<MeasureFacts, 'name'>} headline
 * @param {Pick<MeasuredLaunch, 'values'>} launch
 * @returns {number} the value of the launch, or for times their median in µs; NaN if it has none
 */
export function headlineOfLaunch({ name }, { values }) {
  return values[name] ?? Number.NaN;
}

/** @param {Pick<MeasureFacts, 'better'>} measure @returns {boolean} */
export function isHigherBetter({ better }) {
  return better !== 'lower';
}

/** @param {MeasuredRow} outcome @returns {number} a score that is greater for a better row of the same scenario */
export function rankingScore(outcome) {
  const { estimate } = readHeadline(outcome);
  return isHigherBetter(headlineMeasure(outcome)) ? estimate : -estimate;
}

/**
 * @param {Pick<MeasuredRow, 'measures'>} outcome
 * @returns {MeasuredTimes[]} all measures of times; tables and charts show the tail of the first one
 */
export function timesIn({ measures }) {
  return Object.values(measures).filter((measure) => measure.kind === 'times');
}

/** @param {MeasuredRow} outcome @returns {MeasuredValue[]} the values except the headline */
export function valuesIn({ headline, measures }) {
  return Object.values(measures)
    .filter((measure) => measure.kind === 'value')
    .filter(({ name }) => name !== headline);
}

/** @param {MeasuredRow} outcome @returns {MeasuredTimes | null} null if its scenario has no times */
export function findMainTimes(outcome) {
  return timesIn(outcome)[0] ?? null;
}

/** @param {Pick<MeasuredRow, 'measures'>} outcome @returns {boolean} whether its loops wait for responses and time each of them */
export function hasServiceTimes({ measures }) {
  return Object.hasOwn(measures, SERVICE_TIME);
}

/** @param {Operation} operation @returns {ScenarioFacts} the measures of scenarios that declare none */
export function usualFacts(operation) {
  const rate = `${operation.many} per second`;
  return {
    operation,
    measures: [
      { name: camelCase(rate), title: rate, unit: 'per second', better: 'higher', kind: 'value' },
      { name: SERVICE_TIME, title: 'latency', unit: 'µs', better: 'lower', kind: 'times' },
      {
        name: 'megabytesPerSecond',
        title: 'MB/s',
        unit: 'MB/s',
        better: 'higher',
        kind: 'value',
        column: 'mb',
        of: 'payload',
      },
    ],
  };
}
