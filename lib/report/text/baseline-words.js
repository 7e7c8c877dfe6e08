// Notes on the native baseline (C): its numbers, what it means, and which rows have none.

import { commonOperation } from '../../cell/headline.js';
import { cellLabel } from '../../cell/labels.js';
import { groupedBy, listed, unended } from '../../format/lists.js';
import { formatInterval, formatNumber } from '../../format/numbers.js';
import { printable } from '../../format/printable.js';
import { findFloorRow, floorCpuUs, measuredFloors, readFloor } from '../../results/calibration-rows.js';
import { isMeasured } from '../../results/measured-outcomes.js';
import { groupRows } from '../findings/groups.js';
import { cellName } from './names.js';

/** @import { FloorRow, Results } from '../../types/index.js' */

const NAMES_SHOWN = 4;

/** @param {FloorRow} row @returns {string} 'unix', 'memory, spinning', 'tcp, coalesced' */
function mechanismText({ mechanism, coalesces, spins }) {
  return [mechanism, ...(coalesces ? ['coalesced'] : []), ...(spins ? ['spinning'] : [])].join(', ');
}

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
    return `No native baseline: ${listed(names, NAMES_SHOWN)} (${reason})`;
  });
}

/** @param {Results} results @returns {string[]} */
export function floorNotes(results) {
  const { floor } = results;
  if (floor === undefined) return [];
  const lines = groupRows(results).flatMap(({ heading, measured }) => {
    const texts = measured.flatMap(({ cell }) => {
      const [row, rate] = [findFloorRow(floor, cell), readFloor(floor, cell)];
      if (row === null || rate === null) return [];
      return [`${mechanismText(row)} ${formatInterval(rate)}${cpuText(row)}`];
    });
    if (texts.length === 0) return [];
    const { many } = commonOperation(measured);
    return [
      `Native baseline (C) at ${heading}, ${printable(many)} per second: ${[...new Set(texts)].join('; ')}.`,
    ];
  });
  if (lines.length === 0) return [];
  const legend =
    'native baseline = master and workers in C, with a length prefix of four bytes and nothing else: no codec, no event loop, ' +
    'no promise, no clock; each response is compared with its request byte by byte; same groups, same CPUs.';
  return [...lines, legend];
}

/** @param {FloorRow} row @returns {string} ', 9.30 µs of CPU time each' */
function cpuText(row) {
  const us = floorCpuUs(row);
  return us === null ? '' : `, ${formatNumber(us)} µs of CPU time each`;
}
