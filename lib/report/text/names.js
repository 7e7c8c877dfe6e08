// Names of rows and of groups of rows, as sentences and tables print them.

import { seriesLabel } from '../../cell/labels.js';
import { counted } from '../../format/lists.js';
import { formatRate } from '../../format/numbers.js';
import { printable } from '../../format/printable.js';

/** @import { Cell, FoundRow } from '../../types/index.js' */
/** @import { RowGroup } from '../findings/groups.js' */

/** @typedef {{ at: 'at' | 'in', many: string }} HeadingNoun   as in 'at 4 payload sizes' */

/** Nouns by the name of the only axis in which groups differ. @type {Readonly<Record<string, HeadingNoun>>} */
const HEADING_NOUNS = Object.freeze({
  payload: { at: 'at', many: 'payload sizes' },
  shape: { at: 'at', many: 'concurrency levels' },
});
/** @type {HeadingNoun} */
const GROUPS = Object.freeze({ at: 'in', many: 'groups' });

/** @param {string} axis   name of the only axis in which groups differ; '' if they differ in several @returns {HeadingNoun} */
export function headingNoun(axis) {
  return Object.hasOwn(HEADING_NOUNS, axis) ? HEADING_NOUNS[axis] : GROUPS;
}

/** @param {Pick<Cell, 'transport' | 'settings' | 'codec'>} cell @returns {string} */
export function cellName(cell) {
  return printable(seriesLabel(cell));
}

/** @param {Cell} cell @returns {string} 'unix/json', under open load 'unix/json at 5,000/s' */
export function formatRowName(cell) {
  return cell.ratePerSecond === undefined
    ? cellName(cell)
    : `${cellName(cell)} at ${formatRate(cell.ratePerSecond)}`;
}

/** @param {FoundRow} row @returns {string} 'unix/json', 'unix/json at 1,000 B, 2x4' */
export const nameOfRow = ({ row, heading }) =>
  printable(row) + (heading === undefined ? '' : ` at ${heading}`);

/** @param {FoundRow} row @returns {string} 'unix/json', under open load 'unix/json at 5,000/s' */
export const nameAtRate = ({ row, numbers: { perSecond } = {} }) =>
  printable(row) + (perSecond === undefined ? '' : ` at ${formatRate(Number(perSecond))}`);

/**
 * @param {Pick<RowGroup, 'heading' | 'cell'>} group
 * @returns {string} '1,000 B, 2x4 (2 workers, 4 concurrent loops each)', under open load, which loops do not limit, '(2 workers)'
 */
export function explainedHeading({ heading, cell: { workers, loops, connections, ratePerSecond } }) {
  const perWorker = workers === 1 ? '' : ' each';
  const suffix = connections === undefined ? perWorker : ' on each connection';
  const worker = counted(workers, 'worker', 'workers');
  if (ratePerSecond !== undefined) return `${heading} (${worker})`;
  return `${heading} (${worker}, ${counted(loops, 'loop', 'concurrent loops')}${suffix})`;
}
