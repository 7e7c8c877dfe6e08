// What an operation costs, in the columns of a table: CPU time of all processes together and apart, and memory.

import { formatMemory, formatNumber, NOTHING, orNothing } from '../../format/numbers.js';
import { printable } from '../../format/printable.js';
import { cpuUsInAll, netCpuUs } from '../../results/calibration-rows.js';
import { listRoles } from '../../results/summarise-costs.js';
import { netText } from '../text/fairness.js';

/** @import { MeasuredOutcome, Results } from '../../types/index.js' */
/** @import { Choice } from './columns.js' */

/**
 * @param {string} cpu    their common title
 * @param {MeasuredOutcome[]} measured
 * @param {Results['controls']} controls
 * @returns {Choice[]} CPU time and memory
 */
export function costColumns(cpu, measured, controls) {
  const has = (/** @type {(outcome: MeasuredOutcome) => boolean} */ isThere) => measured.some(isThere);
  return [
    {
      span: cpu,
      title: 'in all',
      short: 'CPU µs',
      isSum: true,
      align: 'right',
      text: ({ cpuUsPerOperation }) => formatNumber(cpuUsInAll(cpuUsPerOperation)),
      value: ({ cpuUsPerOperation }) => cpuUsInAll(cpuUsPerOperation),
    },
    ...cpuColumns(cpu, measured),
    {
      span: cpu,
      title: 'net of codec',
      further: 'net',
      align: 'right',
      text: (outcome) => netText(outcome, controls) ?? NOTHING,
      value: (outcome) => netCpuUs(outcome, controls)?.us,
      isShown: has((outcome) => netText(outcome, controls) !== null),
    },
    {
      span: 'memory',
      title: 'peak',
      further: 'memory',
      align: 'right',
      text: ({ peakRssBytes }) => orNothing(peakRssBytes, formatMemory),
      value: ({ peakRssBytes }) => peakRssBytes,
      isShown: has(({ peakRssBytes }) => peakRssBytes !== null),
    },
  ];
}

/** @param {string} span @param {MeasuredOutcome[]} measured @returns {Choice[]} */
export function cpuColumns(span, measured) {
  return listRoles(measured).map((role) => ({
    span,
    title: printable(role),
    further: /** @type {const} */ ('cpu'),
    align: 'right',
    text: ({ cpuUsPerOperation }) => orNothing(cpuUsPerOperation[role] ?? null),
    value: ({ cpuUsPerOperation }) => cpuUsPerOperation[role],
    isShown: measured.some(({ cpuUsPerOperation }) => (cpuUsPerOperation[role] ?? null) !== null),
  }));
}
