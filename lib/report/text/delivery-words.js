// How a transport treats a slow consumer, in words.

import { formatNumber, formatPercent } from '../../format/numbers.js';

/** @import { Cell, MeasuredOutcome } from '../../types/index.js' */

/** Least growth of a growing backlog, as a share of the delivered messages. A smaller growth is an oscillation between bounds. */
const GROWING = 0.05;
const BYTES_PER_MB = 1e6;

/**
 * A sender that has to wait continues when there is room again, so the backlog is bounded. It only grows if
 * no sender has to wait.
 * @param {Pick<MeasuredOutcome, 'backpressure' | 'measures' | 'headline'> & { cell: Pick<Cell, 'payloadBytes'> }} outcome
 * @returns {string | null} how a stream over this transport treats a slow consumer: 'waits', 'waits, 16.0 MB behind', 'loses 31 %',
 *   'buffers in the broker: 12.0 MB/s', 'keeps up'; null for other scenarios
 */
export function backpressureOfRow({ backpressure, cell, measures, headline }) {
  const delivered = measures[headline];
  if (backpressure === undefined || delivered.kind !== 'value') return null;
  const { waits, backlog, backlogPerSecond, lostShare, grownIn } = backpressure;
  /** @param {number} messages */
  const megabytes = (messages) => (messages * cell.payloadBytes) / BYTES_PER_MB;
  const texts = [];
  // Lost messages count as backlog: they were sent and not delivered.
  const hasLost = lostShare > 0;
  if (waits > 0) {
    texts.push('waits');
    if (!hasLost && megabytes(backlog) >= 1) texts.push(`${formatNumber(megabytes(backlog))} MB behind`);
  } else if (!hasLost && backlogPerSecond > GROWING * delivered.estimate) {
    const where = grownIn === null ? '' : ` in the ${grownIn}`;
    texts.push(`buffers${where}: ${formatNumber(megabytes(backlogPerSecond))} MB/s`);
  }
  if (hasLost) texts.push(`loses ${formatPercent(lostShare, 2)}`);
  return texts.length === 0 ? 'keeps up' : texts.join(', ');
}
