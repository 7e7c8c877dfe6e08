// How a transport treated a slow consumer, in a few words, from measured facts only.

import { formatNumber, formatPercent } from '../../format/numbers.js';

/** @import { Backpressure, MeasuredOutcome } from '../../types/index.js' */

/** Of what was delivered: a backlog that grows by less is what comes and goes between two ends. */
const GROWING = 0.05;
const BYTES_PER_MB = 1e6;

/**
 * A sender that is told to wait goes on when there is room again: then what lies between the ends has an end, and rises and falls
 * below it. It only grows where nobody is told to wait.
 * @param {Backpressure} facts
 * @param {{ deliveredPerSecond: number, payloadBytes: number }} row
 * @returns {string} 'waits', 'waits, 16 MB behind', 'buffers in the broker: 12 MB/s', 'loses 31 %', 'keeps up'
 */
export function backpressureText(facts, { deliveredPerSecond, payloadBytes }) {
  const { waits, backlog, backlogPerSecond, lostShare, grownIn } = facts;
  const megabytes = (/** @type {number} */ messages) =>
    `${formatNumber((messages * payloadBytes) / BYTES_PER_MB)} MB`;
  const told = [];
  // What is lost was sent and not delivered, too: it would look as if it were still to come.
  const hasLost = lostShare > 0;
  if (waits > 0) {
    told.push('waits');
    if (!hasLost && backlog * payloadBytes >= BYTES_PER_MB) told.push(`${megabytes(backlog)} behind`);
  } else if (!hasLost && backlogPerSecond > GROWING * deliveredPerSecond) {
    told.push(`buffers${grownIn === null ? '' : ` in the ${grownIn}`}: ${megabytes(backlogPerSecond)}/s`);
  }
  if (hasLost) told.push(`loses ${formatPercent(lostShare, 2)}`);
  return told.length === 0 ? 'keeps up' : told.join(', ');
}

/** @param {MeasuredOutcome} outcome @returns {string | null} null: it is no stream */
export function backpressureOfRow({ backpressure, cell, measures, headline }) {
  const delivered = measures[headline];
  if (backpressure === undefined || delivered.kind !== 'value') return null;
  const { payloadBytes } = cell;
  return backpressureText(backpressure, { deliveredPerSecond: delivered.estimate, payloadBytes });
}
