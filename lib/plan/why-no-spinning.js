// Why a transport that spins while it waits is not measured: both of its ends would be on one CPU. Which process goes
// where is said by machine/placement.js.

import { traitsOf } from '../cell/traits.js';

/** @import { CpusToPlan } from '../machine/placement.js' */
/** @import { Cell } from '../types/plans.js' */
/** @import { Transport } from '../types/transports.js' */

/**
 * A process that spins keeps its CPU until the scheduler takes it away: with both ends on one, a round trip takes two time slices.
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
