// What rows count: the words of their scenario for one operation. Files that name none are of round trips.

/** @import { Operation } from '../types/scenarios.js' */

/** @type {Readonly<Operation>} */
const ROUND_TRIP = Object.freeze({ one: 'round trip', many: 'round trips', done: 'answered' });
/** @type {Readonly<Operation>} */
const OF_SEVERAL = Object.freeze({ one: 'operation', many: 'operations', done: 'did' });

/**
 * @param {readonly { operation?: Operation }[]} outcomes
 * @returns {Readonly<Operation>} that all of them count; where they differ, a word for all
 */
export function operationOf(outcomes) {
  const operations = outcomes.map(({ operation = ROUND_TRIP }) => operation);
  const [first = ROUND_TRIP] = operations;
  return operations.every(({ many }) => many === first.many) ? first : OF_SEVERAL;
}
