// Response times under open load in words, and all times of a row.

import { SERVICE_TIME, timesIn } from '../../cell/headline.js';
import { ifAny } from '../../format/lists.js';
import { formatCount, formatInterval, formatNumber } from '../../format/numbers.js';
import { printable } from '../../format/printable.js';
import { isMeasured } from '../../results/measured-outcomes.js';
import { hasResponseTimes } from '../findings/groups.js';

/** @import { Latency, MeasuredOutcome, Outcome, SustainedRate } from '../../types/index.js' */
/** @import { ResponseTime } from '../findings/response-times.js' */

/**
 * @param {ResponseTime} time
 * @param {string} [unit]   written after the estimate
 * @returns {string} '310 (290–340)', '310 µs (290–340)', '> 12,300 µs'
 */
export function responseTimeText({ us, isAtLeast }, unit = '') {
  return isAtLeast ? `> ${formatNumber(us.estimate)}${unit}` : formatInterval(us, unit);
}

// All times of a row, launch by launch.

/** @typedef {{ kind: string, explained: string, latencies: Latency[] }} NamedTimes */

const SERVICE = Object.freeze({ kind: 'service', explained: 'service time, from the actual send' });

/**
 * @param {MeasuredOutcome} outcome
 * @returns {NamedTimes[]} times of its scenario, and response times and schedule delays if an offered rate was sustained
 */
export function listAllTimes(outcome) {
  const own = timesIn(outcome).map(({ name, title }) => ({
    ...(name === SERVICE_TIME ? SERVICE : { kind: name, explained: printable(title) }),
    latencies: outcome.launches.map(({ times }) => times[name]),
  }));
  if (!hasResponseTimes(outcome)) return own;
  const opens = outcome.launches.flatMap(({ open }) => (open === undefined ? [] : [open]));
  return [
    {
      kind: 'response',
      explained: 'response time, from the scheduled send',
      latencies: opens.map(({ response }) => response),
    },
    ...own,
    {
      kind: 'send-lag',
      explained: 'schedule delay, from the scheduled to the actual send',
      latencies: opens.map(({ sendLag }) => sendLag),
    },
  ];
}

/** @param {SustainedRate} sustained @returns {string} '84,000/s (78,000–88,000) in 9 of 10 launches' */
export function sustainedText({ estimate, low, high, isBounded }) {
  const rate = isBounded
    ? formatInterval({ estimate, low, high, level: 0.95, n: 1, method: 'log-model' }, '/s')
    : `${formatCount(Number(low.toPrecision(2)))}/s or more`;
  return `${rate} in 9 of 10 launches`;
}

// Notes on open load.

const PACINGS = Object.freeze({
  spin: 'Pacing spin: event loops of workers never sleep, and their CPU time is mostly that of the pacing.',
  tick: 'Pacing tick: timers of about 1 ms, and short sleeps before a send while no response is awaited.',
});

/** @param {Outcome[]} outcomes @returns {string[]} */
export function openNotes(outcomes) {
  const opens = outcomes.filter(isMeasured).flatMap(({ open }) => open ?? []);
  if (opens.length === 0) return [];
  const pacings = new Set(opens.map(({ pacing }) => PACINGS[pacing]));
  const mostPacingUs = Math.max(...opens.map(({ pacingCpuUsPerOperation = 0 }) => pacingCpuUsPerOperation));
  const bounded = opens.filter(({ responseUs }) => (responseUs.perLaunch.atLeast ?? []).length > 0);
  const beside =
    mostPacingUs === 0
      ? ''
      : ` CPU time leaves out precise waiting for planned instants: up to ${formatNumber(mostPacingUs)} µs per operation.`;
  return [
    `${[...pacings].join(' ')}${beside}`,
    'late: the channel had no room when it was due; dropped: not sent before the end of the window.',
    ...ifAny(bounded, () => '> x: at least x, since too many responses were missing when the window closed.'),
  ];
}
