// Messages that pass a broker for each operation, given and delivered, where they become more with the workers, the loops or
// the connections. They are counted, so that neither few launches nor rows that were cold keep them from being told.

import { TOLERATED_GROWTH } from '../results/thresholds.js';
import { isMeasured, isOpen } from './groups.js';
import { isOverProportional, seriesAlong, toAllOf } from './growth.js';

/** @import { MeasuredLaunch, MeasuredOutcome, Outcome } from '../types/index.js' */
/** @import { Series } from './growth.js' */
/**
 * @typedef {object} Counted
 * @property {number[]} messages    one number for each value; of a message to all workers, where the quantity is how many they are
 * @property {number} perUnit       that each further unit adds
 * @property {boolean} isSteep      they should not become more, or not so fast
 */
/** @typedef {Series & Counted} BrokerGrowth */

/** @param {readonly Outcome[]} outcomes @returns {BrokerGrowth[]} of every series that grows */
export function brokerGrowthsIn(outcomes) {
  const told = outcomes.filter(isMeasured).filter((outcome) => !isOpen(outcome) && isToldOfOurs(outcome));
  // Larger messages bring along more notes of how much was read.
  const ofCounts = seriesAlong(told, {}).filter(({ quantity }) => quantity !== 'payloadBytes');
  return ofCounts.flatMap((series) => growthOf(series) ?? []);
}

/** @param {Series} series @returns {BrokerGrowth | null} null: it does not grow */
function growthOf(series) {
  const { quantity, outcomes, values } = series;
  const isToAll = toAllOf(quantity, outcomes[0]) !== null;
  const isWhole = outcomes.every(({ launches }) =>
    launches.every(({ traffic }) => traffic !== undefined && traffic.delivered !== null),
  );
  const messages = outcomes.map(
    ({ launches }, index) => messagesIn(launches, isWhole) * (isToAll ? values[index] : 1),
  );
  const last = values.length - 1;
  if (!(messages[last] > TOLERATED_GROWTH * messages[0])) return null;
  const perUnit = (messages[last] - messages[0]) / (values[last] - values[0]);
  const each = messages.map((count) => [count]);
  return { ...series, messages, perUnit, isSteep: !isToAll || isOverProportional(values, each) };
}

/**
 * @param {MeasuredOutcome} outcome
 * @returns {boolean} to a broker of others, whose CPU time nobody knows, others may talk as well
 */
function isToldOfOurs({ launches, cpuUsPerOperation }) {
  return cpuUsPerOperation.broker !== null && launches.every(({ traffic }) => traffic !== undefined);
}

/** @param {MeasuredLaunch[]} launches @param {boolean} isWhole   the broker tells what it delivered, too @returns {number} their mean */
function messagesIn(launches, isWhole) {
  const counts = launches.map(
    ({ traffic }) => Number(traffic?.published) + (isWhole ? Number(traffic?.delivered) : 0),
  );
  return counts.reduce((sum, count) => sum + count, 0) / counts.length;
}
