// What long payloads add to a task: the CPU time beyond a task with the shortest payload, which is the work that would take as long.

import { seriesLabel } from '../../cell/labels.js';
import { groupedBy, listed } from '../../format/lists.js';
import { formatBytes, formatNumber } from '../../format/numbers.js';
import { signedRankInterval } from '../../statistics/rank-tests.js';
import { cellName, isMeasured } from './groups.js';
import { notRankedReason } from './verdicts.js';

/** @import { Estimate, MeasuredOutcome, Results } from '../../types/index.js' */

/** @typedef {{ row: MeasuredOutcome[], us: Estimate }} PayloadCost   row: ascending by payload; us: µs from the first to the last */

const OVERHEAD = 'overheadPerTask';

/** @param {MeasuredOutcome} outcome @returns {boolean} it is of tasks */
export function hasOverhead({ measures }) {
  return OVERHEAD in measures;
}

/** @param {MeasuredOutcome} outcome @returns {string} the same for rows that differ in transport, codec, settings and payload alone */
function placeOfRow({ cell: { transport, codec, settings, payloadBytes, ...rest } }) {
  return JSON.stringify(rest);
}

/** @param {MeasuredOutcome} outcome @returns {Map<number, number>} µs of CPU time per task beside its work, by block */
function overheadByBlock({ launches }) {
  return new Map(
    launches.flatMap((launch) => {
      const us = launch.status === 'measured' ? (launch.values[OVERHEAD] ?? null) : null;
      return us === null ? [] : [[launch.block, us]];
    }),
  );
}

/** @param {MeasuredOutcome[]} row   at two payloads or more, ascending @returns {PayloadCost[]} one, or none where its launches share no two blocks */
function estimateCost(row) {
  const [least, most] = [row[0], row[row.length - 1]].map(overheadByBlock);
  const added = [...most].flatMap(([block, us]) => (least.has(block) ? us - Number(least.get(block)) : []));
  return added.length < 2 ? [] : [{ row, us: signedRankInterval(added) }];
}

/** @param {Results} results @returns {PayloadCost[][]} by place, the cheapest first; rows that are not ranked have none */
export function findPayloadCosts({ outcomes }) {
  const tasks = outcomes
    .filter(isMeasured)
    .filter((each) => hasOverhead(each) && notRankedReason(each) === '');
  return [...groupedBy(tasks, placeOfRow).values()].flatMap((some) => {
    const rows = [...groupedBy(some, ({ cell }) => seriesLabel(cell)).values()]
      .filter((row) => row.length > 1)
      .map((row) => row.toSorted((one, other) => one.cell.payloadBytes - other.cell.payloadBytes));
    const costs = rows.flatMap(estimateCost).sort((one, other) => one.us.estimate - other.us.estimate);
    return costs.length === 0 ? [] : [costs];
  });
}

/** @param {Results} results @returns {string[]} sentences */
export function payloadCostSentences(results) {
  return findPayloadCosts(results).flatMap((costs) => {
    const [{ row }] = costs;
    const [least, most] = [row[0], row[row.length - 1]].map(({ cell }) => formatBytes(cell.payloadBytes));
    const isClear = (/** @type {PayloadCost} */ { us }) => us.low > 0 || us.high < 0;
    const clear = costs.filter(isClear).map(({ row: [{ cell }], us }) => {
      const [estimate, low, high] = [us.estimate, us.low, us.high].map((value) => formatNumber(value));
      return `${cellName(cell)} ${estimate} µs (${low}–${high})`;
    });
    const alike = costs.filter((cost) => !isClear(cost)).map(({ row: [{ cell }] }) => cellName(cell));
    return [
      ...(clear.length === 0
        ? []
        : [`CPU time that a task of ${most} takes beyond one of ${least}: ${listed(clear, clear.length)}.`]),
      ...(alike.length === 0
        ? []
        : [
            `No clear difference in CPU time between a task of ${most} and one of ${least}: ${listed(alike, alike.length)}.`,
          ]),
    ];
  });
}
