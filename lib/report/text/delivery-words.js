// What became of messages: losses, jobs of killed workers, and how a transport treated a slow consumer.

import { hasServiceTimes } from '../../cell/headline.js';
import { groupedBy, listed } from '../../format/lists.js';
import { formatCount, formatNumber, formatPercent } from '../../format/numbers.js';
import { summed, sumOfLosses } from '../../results/summarise.js';
import { cellName, isMeasured } from './groups.js';

/** @import { Losses, Outcome, OutageCounts, Backpressure, MeasuredOutcome } from '../../types/index.js' */

/**
 * @param {Losses | undefined} losses
 * @returns {string | null} '3 of 1,204,332 lost, 1 late'; null: every response came in time
 */
export function lossText(losses) {
  if (losses === undefined || losses.lost + losses.late === 0) return null;
  const { asked, lost, late } = losses;
  const of = ` of ${formatCount(asked)}`;
  const texts = [
    ...(lost > 0 ? [`${formatCount(lost)}${of} lost`] : []),
    ...(late > 0 ? [`${formatCount(late)}${lost > 0 ? '' : of} late`] : []),
  ];
  return texts.join(', ');
}

/**
 * @param {Outcome[]} outcomes
 * @param {{ isBrief?: boolean }} [detail]    brief: only of series that lost something
 * @returns {string[]} a line for each series whose transport may lose messages
 */
export function lossNotes(outcomes, { isBrief = false } = {}) {
  const told = outcomes.filter(isMeasured).filter(({ losses }) => losses !== undefined);
  const nameOf = (/** @type {MeasuredOutcome} */ outcome) =>
    `${hasServiceTimes(outcome) ? 'Responses of' : 'Messages of'} ${cellName(outcome.cell)}`;
  return [...groupedBy(told, nameOf)].flatMap(([name, rows]) => {
    const sum = sumOfLosses(rows.flatMap(({ losses }) => losses ?? []));
    if (isBrief && lossText(sum) === null) return [];
    const what = lossText(sum) ?? `none of ${formatCount(sum.asked)} lost or late`;
    const order = sum.reordered === 0 ? 'in order' : `${formatCount(sum.reordered)} out of order`;
    return [`${name}: ${what}; ${order}.`];
  });
}

const NAMES_SHOWN = 4;

/** @param {OutageCounts} outage @returns {boolean} the guarantee was violated */
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

/** @param {Outcome[]} outcomes @returns {string[]} a sentence for all rows with the same outcome; violated guarantees first */
export function promiseSentences(outcomes) {
  const rows = outcomes.filter(isMeasured).flatMap(({ cell, launches }) => {
    const all = launches.flatMap(({ outage }) => outage ?? []);
    if (all.length === 0) return [];
    return { name: cellName(cell), outage: { ...all[0], ...summed(all, ['lost', 'doneTwice']) } };
  });
  const inOrder = rows.sort((left, right) => Number(isBroken(right.outage)) - Number(isBroken(left.outage)));
  return [...groupedBy(inOrder, ({ outage }) => outageText(outage))].map(([text, some]) => {
    const names = [...new Set(some.map(({ name }) => name))];
    return `Jobs of killed workers, ${listed(names, NAMES_SHOWN)}: ${text}.`;
  });
}

// How a transport treated a slow consumer, in a few words, from measured facts only.

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
