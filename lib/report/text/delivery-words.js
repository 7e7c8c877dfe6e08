// How a transport treats a slow consumer, in words.

import { formatNumber, formatPercent } from '../../format/numbers.js';

/** @import { Backpressure, MeasuredOutcome } from '../../types/index.js' */

/** Least growth of a growing backlog, as a share of the delivered messages. A smaller growth is an oscillation between bounds. */
const GROWING = 0.05;
const BYTES_PER_MB = 1e6;

/**
 * A sender that has to wait continues when there is room again, so the backlog is bounded. It only grows if
 * no sender has to wait.
 * @param {Backpressure} facts
 * @param {{ deliveredPerSecond: number, payloadBytes: number }} row
 * @returns {string} 'waits', 'waits, 16.0 MB behind', 'buffers in the broker: 12.0 MB/s', 'loses 31 %', 'keeps up'
 */
export function backpressureText(facts, { deliveredPerSecond, payloadBytes }) {
  const { waits, backlog, backlogPerSecond, lostShare, grownIn } = facts;
  /** @param {number} messages */
  const megabytes = (messages) => `${formatNumber((messages * payloadBytes) / BYTES_PER_MB)} MB`;
  const texts = [];
  // Lost messages count as backlog: they were sent and not delivered.
  const hasLost = lostShare > 0;
  if (waits > 0) {
    texts.push('waits');
    if (!hasLost && backlog * payloadBytes >= BYTES_PER_MB) texts.push(`${megabytes(backlog)} behind`);
  } else if (!hasLost && backlogPerSecond > GROWING * deliveredPerSecond) {
    texts.push(`buffers${grownIn === null ? '' : ` in the ${grownIn}`}: ${megabytes(backlogPerSecond)}/s`);
  }
  if (hasLost) texts.push(`loses ${formatPercent(lostShare, 2)}`);
  return texts.length === 0 ? 'keeps up' : texts.join(', ');
}

/**
 * @param {MeasuredOutcome} outcome
 * @returns {string | null} how a stream over this transport treats a slow consumer; null for other scenarios
 */
export function backpressureOfRow({ backpressure, cell, measures, headline }) {
  const delivered = measures[headline];
  if (backpressure === undefined || delivered.kind !== 'value') return null;
  const { payloadBytes } = cell;
  return backpressureText(backpressure, { deliveredPerSecond: delivered.estimate, payloadBytes });
}
