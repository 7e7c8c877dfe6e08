// Why a transport that spins while it waits is not measured: both of its ends would be on one CPU. Which process goes
// where is said by machine/placement.js.

import { resolveTraits } from '../../cell/traits.js';

/** @import { CpusToPlan } from '../../machine/placement.js' */
/** @import { Cell, Transport } from '../../types/index.js' */

const CROWDED =
  'a worker and its peer would busy-wait on the same CPU and measure the time slice of the scheduler: use fewer workers or ' +
  'more CPUs, or add --force to measure it anyway';

/**
 * A process that spins keeps its CPU until the scheduler takes it away: with both ends on one, a round trip takes two time slices.
 * @param {Transport} transport
 * @param {Cell} cell
 * @param {CpusToPlan | null} cpus
 * @param {number} [between]   processes between the master and the workers
 * @returns {string | null}
 */
export function spinSkipReason(transport, { settings, placement, workers }, cpus, between = 0) {
  if (cpus === null || resolveTraits(transport, settings).isSpinning !== true) return null;
  const isAlone = cpus.usableCpus === 1;
  // The master has one of them; those between take the next ones, and workers the rest, in turn.
  const isCrowded = between > 0 && cpus.usableCpus - 1 < between + workers;
  if (!isAlone && isCrowded && placement === 'split' && cpus.canPin) return CROWDED;
  if (!isAlone && !(placement === 'same' && cpus.canPin)) return null;
  const where = isAlone ? 'the only usable CPU' : 'one CPU with --placement same';
  const remedy = isAlone ? 'add a second CPU' : 'use --placement split';
  return `both ends would busy-wait on ${where} and measure the time slice of the scheduler: ${remedy}, or add --force to measure it anyway`;
}
