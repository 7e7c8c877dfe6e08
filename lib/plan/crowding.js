// Cells that are planned although they are out of proportion to this machine: what is said of them before they are measured.

import { loopsInAll } from '../cell/connections.js';
import { counted } from '../words/lists.js';
import { formatCount, formatMemory } from '../words/numbers.js';

/** @import { CpusToPlan } from '../machine/placement.js' */
/** @import { Cell, PlannedCell } from '../types/index.js' */

const WORKERS_PER_CPU = 16;
const WORKER_BYTES = 50e6; // of an idle process of Node with a transport
// The text, what the codec makes of it, what the transport holds, and its echo.
const COPIES = 4;

/**
 * @param {PlannedCell[]} plan
 * @param {Pick<CpusToPlan, 'usableCpus' | 'freeBytes'>} machine
 * @returns {string[]} sentences
 */
export function crowdingLines(plan, { usableCpus, freeBytes = Infinity }) {
  const cells = plan.filter(({ skip }) => skip === null).map(({ cell }) => cell);
  const mostWorkers = Math.max(0, ...cells.map(({ workers }) => workers));
  const mostBytes = Math.max(0, ...cells.map(launchBytes));
  return [
    ...(mostWorkers > WORKERS_PER_CPU * usableCpus
      ? [
          `${formatCount(mostWorkers)} workers share ${counted(usableCpus, 'CPU', 'CPUs')}: they start slowly, and mostly wait for each other. Choose fewer --workers.`,
        ]
      : []),
    ...(mostBytes > freeBytes
      ? [
          `A launch may need ${formatMemory(mostBytes)} of memory, and ${formatMemory(freeBytes)} are free. Choose fewer --workers, or a smaller --payload.`,
        ]
      : []),
  ];
}

/** @param {Cell} cell @returns {number} */
function launchBytes(cell) {
  return WORKER_BYTES * cell.workers + COPIES * loopsInAll(cell) * cell.payloadBytes;
}
