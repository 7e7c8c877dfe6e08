// The columns of the table of closed loops, for the terminal and for Markdown: what they are called and what stands in
// them. Those of open load are open-columns.js's.

import { FLAGS } from '../flags.js';
import { seriesLabel } from '../labels.js';
import { netText } from './fairness.js';
import { isMeasured, nameOf } from './groups.js';
import { shortened } from './lists.js';
import { formatInterval, formatMemory, formatNumber, formatRatioInterval } from './numbers.js';
import { printable } from './printable.js';

/** @typedef {import('../types.js').MeasuredOutcome} MeasuredOutcome */
/** @typedef {import('../types.js').Results} Results */
/**
 * @typedef {object} Column
 * @property {string} span      what it shares with its neighbours; '' where it stands alone
 * @property {string} title
 * @property {'left' | 'right' | 'first word'} align    first word: estimates right, intervals left
 * @property {(outcome: MeasuredOutcome) => string} text
 */
/** @typedef {Column & { isShown?: boolean }} Choice */

const NOTHING = '–';
const UNKNOWN_MARK = '?';
const GREATEST_TITLE_LABEL = 30;

/** @param {string} code @returns {string} */
export function markOf(code) {
  return Object.hasOwn(FLAGS, code) ? FLAGS[code].mark : UNKNOWN_MARK;
}

/** @param {number | null} value @param {(value: number) => string} [format] */
export function orNothing(value, format = formatNumber) {
  return value === null ? NOTHING : format(value);
}

/** @param {MeasuredOutcome[]} measured @returns {string} what stands beside the estimates */
export function intervalTitle(measured) {
  const levels = new Set(measured.map(({ roundTripsPerSecond }) => roundTripsPerSecond.level));
  const ranges = levels.has(null) ? ['[range]'] : [];
  const percents = [...levels]
    .filter((level) => level !== null)
    .map((level) => `(${level * 100} % interval)`);
  return [...percents, ...ranges].join(' or ');
}

/** @param {string} reference @returns {(outcome: MeasuredOutcome) => string} */
function ratioText(reference) {
  return ({ cell, ratio }) => {
    if (ratio === null) return NOTHING;
    return seriesLabel(cell) === reference ? '1× (reference)' : formatRatioInterval(ratio);
  };
}

/**
 * @param {Pick<Results, 'outcomes' | 'reference' | 'controls'>} results
 * @returns {Column[]} those that have something to show
 */
export function columnsOf({ outcomes, reference, controls }) {
  const measured = outcomes.filter(isMeasured);
  const has = (/** @type {(outcome: MeasuredOutcome) => boolean} */ isThere) => measured.some(isThere);
  const rates = 'round trips per second';
  const cpu = 'CPU µs per round trip';
  /** @type {Choice[]} */
  const columns = [
    { span: '', title: 'transport/codec', align: 'left', text: ({ cell }) => nameOf(cell) },
    {
      span: rates,
      title: `estimate ${intervalTitle(measured)}`,
      align: 'first word',
      text: ({ roundTripsPerSecond }) => formatInterval(roundTripsPerSecond),
    },
    {
      span: rates,
      title: `ratio to ${shortened(printable(reference), GREATEST_TITLE_LABEL)}`,
      align: 'first word',
      text: ratioText(reference),
      isShown: has(({ ratio }) => ratio !== null),
    },
    flagsColumn(has),
    {
      span: 'latency µs',
      title: 'p50',
      align: 'right',
      text: ({ latencyUs }) => formatNumber(latencyUs.p50),
    },
    { span: 'latency µs', title: 'p99', align: 'right', text: ({ latencyUs }) => orNothing(latencyUs.p99) },
    {
      span: 'payload',
      title: 'MB/s',
      align: 'right',
      text: ({ megabytesPerSecond }) => formatNumber(megabytesPerSecond),
    },
    ...cpuColumns(cpu, has),
    {
      span: cpu,
      title: 'net of codec',
      align: 'right',
      text: (outcome) => netText(outcome, controls) ?? NOTHING,
      isShown: has((outcome) => netText(outcome, controls) !== null),
    },
    {
      span: 'memory',
      title: 'peak',
      align: 'right',
      text: ({ peakRssBytes }) => orNothing(peakRssBytes, formatMemory),
      isShown: has(({ peakRssBytes }) => peakRssBytes !== null),
    },
  ];
  return columns.filter(({ isShown }) => isShown !== false);
}

/**
 * @param {(isThere: (outcome: MeasuredOutcome) => boolean) => boolean} has
 * @returns {Choice}
 */
export function flagsColumn(has) {
  return {
    span: '',
    title: 'flags',
    align: 'left',
    text: ({ flags }) => flags.map(({ code }) => markOf(code)).join(''),
    isShown: has(({ flags }) => flags.length > 0),
  };
}

/**
 * @param {string} span
 * @param {(isThere: (outcome: MeasuredOutcome) => boolean) => boolean} has
 * @returns {Choice[]}
 */
export function cpuColumns(span, has) {
  const roles = /** @type {const} */ (['workers', 'master', 'broker']);
  return roles.map((role) => ({
    span,
    title: role,
    align: 'right',
    text: ({ cpuUsPerRoundTrip }) => orNothing(cpuUsPerRoundTrip[role]),
    isShown: has(({ cpuUsPerRoundTrip }) => cpuUsPerRoundTrip[role] !== null),
  }));
}
