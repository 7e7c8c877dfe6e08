// Which rows are the best in most tables of a scenario.

import { readHeadline } from '../../cell/headline.js';
import { seriesLabel } from '../../cell/labels.js';
import { groupedBy } from '../../format/lists.js';
import { aheadRow, findReferenceName, makeFinding, measureFacts } from './finding.js';
import { varyingAxes } from './groups.js';
import { comparedIn, findLeader } from './row-verdicts.js';

/** @import { Finding, FoundRow } from '../../types/index.js' */
/** @import { RowGroup } from './groups.js' */
/** @import { KindIn } from './transport-kinds.js' */
/** @import { ComparedOutcome, Leader } from './row-verdicts.js' */

/**
 * @param {Pick<RowGroup, 'measured' | 'cell'>[]} groups   several, of one scenario
 * @param {KindIn} kindIn
 * @param {boolean} [isOneOfMany]   true if there are other scenarios
 * @returns {Finding[]} how often each row is the best of its table; empty if nothing was measured
 */
export function winnersFinding(groups, kindIn, isOneOfMany = false) {
  const tables = groups.flatMap(({ measured }) => {
    const leader = findLeader(measured, kindIn);
    return leader === null ? [] : [{ leader, compared: comparedIn(measured, kindIn) }];
  });
  if (tables.length === 0) return [];
  const byWinner = [...groupedBy(tables, ({ leader }) => seriesLabel(leader.ranked[0].cell)).values()].sort(
    (one, other) => listClear(other).length - listClear(one).length || other.length - one.length,
  );
  const all = tables.flatMap(({ leader }) => leader.ranked);
  const whys = tables.map(({ leader }) => leader.why);
  const isOneReason = new Set(whys.map((why) => JSON.stringify(why))).size === 1;
  const varying = varyingAxes(groups);
  const values = all.map((outcome) => readHeadline(outcome).estimate);
  return [
    makeFinding('winners', {
      rows: [
        ...byWinner.map(winnerRow),
        ...tables.flatMap(({ leader }) => leader.faster.map((outcome) => aheadRow(outcome, kindIn))),
      ],
      verdict: listClear(byWinner[0]).length === groups.length ? 'better' : 'unclear',
      why: isOneReason ? whys[0] : null,
      numbers: {
        groups: groups.length,
        series: new Set(all.map(({ cell }) => seriesLabel(cell))).size,
        least: Math.min(...values),
        greatest: Math.max(...values),
      },
      names: {
        scenario: groups[0].cell.scenario,
        tables: varying.length === 1 ? varying[0].name : '',
        ...(isOneOfMany && { isOneOfMany: 'true' }),
        ...findReferenceName(all),
      },
      measure: measureFacts(all[0]),
    }),
  ];
}

/** @typedef {{ leader: Leader, compared: ComparedOutcome[] }} Led */

/** @param {Led[]} won @returns {Led[]} */
const listClear = (won) =>
  won.filter(({ leader: { verdict, runnerUp } }) => verdict === 'better' || runnerUp === null);

/**
 * @param {Led[]} won   tables with the same best row
 * @returns {FoundRow} the row with the range of its ratios in the tables in which it is clearly the best
 */
function winnerRow(won) {
  const [{ leader }] = won;
  const [first] = leader.ranked;
  const proven = won.filter((table) => table.leader.verdict === 'better');
  const compared = proven.flatMap((table) =>
    table.compared.filter(({ outcome }) => outcome === table.leader.ranked[0]),
  );
  const ratios = compared.map(({ ratio }) => ratio.estimate);
  return {
    row: seriesLabel(first.cell),
    numbers: {
      groups: won.length,
      clear: listClear(won).length,
      proven: proven.length,
      ...(ratios.length > 0 && { leastRatio: Math.min(...ratios), greatestRatio: Math.max(...ratios) }),
    },
  };
}
