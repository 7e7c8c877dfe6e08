// Compares runtimes: each row of one runtime with the same row of another.

import { seriesLabel } from '../../cell/labels.js';
import { THIS_NODE } from '../../cell/launch-roles.js';
import { groupedBy } from '../../format/lists.js';
import { foundGroup, makeFinding, measureFacts, withoutTarget } from './finding.js';
import { judgeIn } from './row-verdicts.js';

/** @import { Cell, Finding, FoundRow, MeasuredOutcome } from '../../types/index.js' */
/** @import { ReportFacts } from './report-facts.js' */
/** @typedef {{ runtime: string, base: string, first: MeasuredOutcome, rows: FoundRow[] }} Tally */

const MIN_ROWS = 2; // the findings on the ranking already describe a single row
const MAX_GROUPS = 2;

/** @param {{ cell: { runtime?: string } }} outcome @returns {string} */
export function runtimeOfRow({ cell: { runtime = THIS_NODE } }) {
  return runtime;
}

/** @param {{ cell: Cell }} outcome @returns {string} label of the row without its runtime */
function rowOnAny({ cell }) {
  return seriesLabel({ ...cell, runtime: undefined });
}

/**
 * @param {MeasuredOutcome[]} measured   all of one group
 * @returns {Tally[]} one for each runtime with rows that the base has too. The base is the Node.js of ipc-bench, or else the first runtime
 */
function runtimeTallies(measured) {
  const byRuntime = groupedBy(measured, runtimeOfRow);
  const judge = judgeIn(measured);
  const [base, ...others] = byRuntime.has(THIS_NODE)
    ? [THIS_NODE, ...[...byRuntime.keys()].filter((name) => name !== THIS_NODE)]
    : byRuntime.keys();
  return others.flatMap((runtime) => {
    const own = byRuntime.get(runtime) ?? [];
    const rows = own.flatMap((outcome) => {
      const same = byRuntime.get(base)?.find((other) => rowOnAny(other) === rowOnAny(outcome));
      if (same === undefined) return [];
      const { ratio, verdict, why } = judge(outcome, same);
      return ratio === null
        ? []
        : [{ row: seriesLabel(outcome.cell), ratio: withoutTarget(ratio), verdict, why, names: { runtime } }];
    });
    return rows.length === 0 ? [] : [{ runtime, base, first: own[0], rows }];
  });
}

/** @param {Tally[]} tallies @returns {Tally[]} one for each runtime, with its rows from all tallies that have the base of the first one */
function mergedTallies(tallies) {
  const alike = tallies.filter(({ base }) => base === tallies[0].base);
  const byRuntime = [...groupedBy(alike, ({ runtime }) => runtime).values()];
  return byRuntime.map((own) => ({ ...own[0], rows: own.flatMap(({ rows }) => rows) }));
}

/** @param {ReportFacts} facts @returns {Finding[]} for each scenario one finding per table, or one for all if there are many tables */
export function runtimeFindings({ closed }) {
  const tables = closed.flatMap((group) => {
    const tallies = runtimeTallies(group.measured);
    return tallies.length === 0 ? [] : [{ group, tallies }];
  });
  return [...groupedBy(tables, ({ group }) => group.cell.scenario).values()].flatMap((own) => {
    const parts = own.length > MAX_GROUPS ? [own] : own.map((table) => [table]);
    return parts.flatMap((some) => {
      const judged = mergedTallies(some.flatMap(({ tallies }) => tallies)).filter(
        ({ rows }) => rows.length >= MIN_ROWS && rows.some(({ verdict }) => verdict !== 'none'),
      );
      if (judged.length === 0) return [];
      const [{ base, first }] = judged;
      return [
        makeFinding('runtimes', {
          group: some.length === 1 ? foundGroup(some[0].group) : null,
          rows: judged.flatMap(({ rows }) => rows),
          against: base,
          numbers: { tables: some.length },
          measure: measureFacts(first),
        }),
      ];
    });
  });
}
