// Losses of messages, jobs of killed workers, and how a transport treats a slow consumer.

import { hasServiceTimes } from '../../cell/headline.js';
import { groupedBy, listed } from '../../format/lists.js';
import { formatCount, formatNumber, formatPercent } from '../../format/numbers.js';
import { summed, sumOfLosses } from '../../results/summarise.js';
import { cellName, isMeasured } from './groups.js';

/** @import { Losses, Outcome, OutageCounts, Backpressure, MeasuredOutcome } from '../../types/index.js' */

/** @param {Losses | undefined} losses @returns {string | null} '3 of 1,204,332 lost, 1 late'; null if no message was */
export function lossText(losses) {
  if (losses === undefined || losses.lost + losses.late === 0) return null;
  const { requests, lost, late } = losses;
  const of = ` of ${formatCount(requests)}`;
  const texts = [
    ...(lost > 0 ? [`${formatCount(lost)}${of} lost`] : []),
    ...(late > 0 ? [`${formatCount(late)}${lost > 0 ? '' : of} late`] : []),
  ];
  return texts.join(', ');
}

/**
 * @param {Outcome[]} outcomes
 * @param {{ isBrief?: boolean }} [detail]    isBrief: only series that lost messages
 * @returns {string[]} one for each series whose transport may lose messages
 */
export function lossNotes(outcomes, { isBrief = false } = {}) {
  const lossy = outcomes.filter(isMeasured).filter(({ losses }) => losses !== undefined);
  const nameOf = (/** @type {MeasuredOutcome} */ outcome) =>
    `${hasServiceTimes(outcome) ? 'Responses of' : 'Messages of'} ${cellName(outcome.cell)}`;
  return [...groupedBy(lossy, nameOf)].flatMap(([name, rows]) => {
    const sum = sumOfLosses(rows.flatMap(({ losses }) => losses ?? []));
    if (isBrief && lossText(sum) === null) return [];
    const what = lossText(sum) ?? `none of ${formatCount(sum.requests)} lost or late`;
    const order = sum.reordered === 0 ? 'in order' : `${formatCount(sum.reordered)} out of order`;
    return [`${name}: ${what}; ${order}.`];
  });
}

const NAMES_SHOWN = 4;

/** @param {OutageCounts} outage @returns {boolean} true if the guarantee was violated */
export function isBroken({ promise, lost, doneTwice }) {
  return (promise === 'at most once' ? doneTwice : lost) > 0;
}

/** @param {OutageCounts} outage @returns {string} '9 lost, none done twice; guarantee: at most once' */
function outageText(outage) {
  const { promise, lost, doneTwice } = outage;
  const count = (/** @type {number} */ jobs) => (jobs === 0 ? 'none' : formatCount(jobs));
  const end = isBroken(outage) ? ' (violated)' : '';
  return `${count(lost)} lost, ${count(doneTwice)} done twice; guarantee: ${promise}${end}`;
}

/** @param {Outcome[]} outcomes @returns {string[]} one for all rows with the same outcome; violated guarantees first */
export function promiseSentences(outcomes) {
  const rows = outcomes.filter(isMeasured).flatMap(({ cell, launches }) => {
    const all = launches.flatMap(({ outage }) => outage ?? []);
    if (all.length === 0) return [];
    return { name: cellName(cell), outage: { ...all[0], ...summed(all, ['lost', 'doneTwice']) } };
  });
  const inOrder = rows.sort((left, right) => Number(isBroken(right.outage)) - Number(isBroken(left.outage)));
  return [...groupedBy(inOrder, ({ outage }) => outageText(outage))].map(([text, alike]) => {
    const names = [...new Set(alike.map(({ name }) => name))];
    return `Jobs of killed workers, ${listed(names, NAMES_SHOWN)}: ${text}.`;
  });
}

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
  const megabytes = (/** @type {number} */ messages) =>
    `${formatNumber((messages * payloadBytes) / BYTES_PER_MB)} MB`;
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

/** @param {MeasuredOutcome} outcome @returns {string | null} null if it is not a stream */
export function backpressureOfRow({ backpressure, cell, measures, headline }) {
  const delivered = measures[headline];
  if (backpressure === undefined || delivered.kind !== 'value') return null;
  const { payloadBytes } = cell;
  return backpressureText(backpressure, { deliveredPerSecond: delivered.estimate, payloadBytes });
}
