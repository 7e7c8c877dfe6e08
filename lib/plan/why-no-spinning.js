// Why a transport that spins while it waits is not measured: both of its ends would be on one CPU. Which process goes
// where is said by machine/placement.js.

import { traitsOf } from '../cell/traits.js';

/** @typedef {import('../types.js').Cell} Cell */
/** @typedef {import('../types.js').Transport} Transport */
/** @typedef {import('../machine/placement.js').CpusToPlan} CpusToPlan */

/**
 * Who spins keeps its CPU until the scheduler takes it away: with both ends on one, a round trip takes two time slices.
 * @param {Transport} transport
 * @param {Cell} cell
 * @param {CpusToPlan | null} cpus
 * @returns {string | null}
 */
export function whyNoSpinning(transport, { settings, placement }, cpus) {
  if (cpus === null || traitsOf(transport, settings).isSpinning !== true) return null;
  const isAlone = cpus.usableCpus === 1;
  if (!isAlone && !(placement === 'same' && cpus.canPin)) return null;
  const where = isAlone ? 'the only usable CPU' : 'one CPU with --placement same';
  const remedy = isAlone ? 'give it a second CPU' : 'use --placement split';
  return `both ends would spin on ${where}, and measure the scheduler’s time slice: ${remedy}, or add --force to measure it all the same`;
}
