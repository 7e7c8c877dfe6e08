// What an operation costs, in the columns of a table: CPU time of all processes together and apart, and memory.

import { cpuUsInAll } from '../results/control-rows.js';
import { netText } from '../verdicts/fairness.js';
import { formatMemory, formatNumber, NOTHING, orNothing } from '../words/numbers.js';

/** @import { MeasuredOutcome } from '../types/outcomes.js' */
/** @import { Results } from '../types/results-file.js' */
/** @import { Choice } from './columns.js' */

/**
 * @param {string} cpu    their common title
 * @param {(isThere: (outcome: MeasuredOutcome) => boolean) => boolean} has
 * @param {Results['controls']} controls
 * @returns {Choice[]} CPU time and memory
 */
export function costColumns(cpu, has, controls) {
  return [
    {
      span: cpu,
      title: 'in all',
      short: 'CPU µs',
      isSum: true,
      align: 'right',
      text: ({ cpuUsPerRoundTrip }) => formatNumber(cpuUsInAll(cpuUsPerRoundTrip)),
    },
    ...cpuColumns(cpu, has),
    {
      span: cpu,
      title: 'net of codec',
      further: 'net',
      align: 'right',
      text: (outcome) => netText(outcome, controls) ?? NOTHING,
      isShown: has((outcome) => netText(outcome, controls) !== null),
    },
    {
      span: 'memory',
      title: 'peak',
      further: 'memory',
      align: 'right',
      text: ({ peakRssBytes }) => orNothing(peakRssBytes, formatMemory),
      isShown: has(({ peakRssBytes }) => peakRssBytes !== null),
    },
  ];
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
    further: /** @type {const} */ ('cpu'),
    align: 'right',
    text: ({ cpuUsPerRoundTrip }) => orNothing(cpuUsPerRoundTrip[role]),
    isShown: has(({ cpuUsPerRoundTrip }) => cpuUsPerRoundTrip[role] !== null),
  }));
}
