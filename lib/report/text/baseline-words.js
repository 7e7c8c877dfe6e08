// Notes on the native baseline (C): what it means, and which rows have none.

import { cellLabel } from '../../cell/labels.js';
import { groupedBy, listed, unended } from '../../format/lists.js';
import { printable } from '../../format/printable.js';
import { measuredFloors } from '../../results/calibration-rows.js';
import { isMeasured } from '../../results/measured-outcomes.js';
import { cellName } from './names.js';

/** @import { Results } from '../../types/index.js' */

const NAMES_SHOWN = 4;

/** @param {Results} results @returns {string[]} */
export function floorGaps({ floor, outcomes }) {
  if (floor === undefined) return [];
  const failed = floor.rows
    .filter((row) => measuredFloors(row).length === 0)
    .flatMap(({ cells, launches }) => {
      const last = launches.at(-1);
      if (last === undefined || !('code' in last)) return [];
      return [{ cells, reason: `${unended(printable(last.message))} (${printable(last.code)})` }];
    });
  const measured = outcomes.filter(isMeasured);
  const all = [...floor.without, ...failed].flatMap(({ cells, reason }) => {
    const labels = new Set(cells);
    const names = measured
      .filter(({ cell }) => labels.has(cellLabel(cell)))
      .map(({ cell }) => cellName(cell));
    return names.map((name) => ({ name, reason: printable(reason) }));
  });
  return [...groupedBy(all, ({ reason }) => reason)].map(([reason, rows]) => {
    const names = [...new Set(rows.map(({ name }) => name))];
    return `No native baseline: ${listed(names, NAMES_SHOWN)} (${reason}).`;
  });
}

/** @param {Results} results @returns {string[]} */
export function floorNotes({ floor }) {
  if (floor === undefined || floor.rows.every((row) => measuredFloors(row).length === 0)) return [];
  return [
    'floor = native baseline: master and workers in C, with a length prefix of four bytes and nothing else: no codec, no event loop, ' +
      'no promise, no clock; each response is compared with its request byte by byte; same mechanism, same groups, same CPUs.',
  ];
}
