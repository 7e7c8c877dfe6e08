// Compares runtimes: each row of one runtime with the same row of another.

import { seriesLabel } from '../../cell/labels.js';
import { THIS_NODE } from '../../cell/launch-roles.js';
import { groupedBy, ifAny } from '../../format/lists.js';
import { foundGroup, makeFinding, measureFacts, withoutTarget } from './finding.js';
import { judgeIn } from './row-verdicts.js';

/** @import { Cell, Finding, FoundRow, MeasuredOutcome } from '../../types/index.js' */
/** @import { ReportFacts } from './report-facts.js' */

const MIN_ROWS = 2; // the findings on the ranking already describe a single row

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
 * @param {string} base                  a runtime
 * @returns {FoundRow[]} the rows of other runtimes, compared with the same row of the base
 */
function comparedRows(measured, base) {
  const judge = judgeIn(measured);
  const ofBase = new Map(
    measured
      .filter((outcome) => runtimeOfRow(outcome) === base)
      .map((outcome) => [rowOnAny(outcome), outcome]),
  );
  return measured.flatMap((outcome) => {
    const [runtime, same] = [runtimeOfRow(outcome), ofBase.get(rowOnAny(outcome))];
    if (runtime === base || same === undefined) return [];
    const { ratio, verdict, why } = judge(outcome, same);
    if (ratio === null) return [];
    return [
      { row: seriesLabel(outcome.cell), ratio: withoutTarget(ratio), verdict, why, names: { runtime } },
    ];
  });
}

/**
 * @param {ReportFacts} facts
 * @returns {Finding[]} one for each scenario, compared with the Node.js of ipc-bench, or else with the first runtime
 */
export function runtimeFindings({ closed }) {
  return [...groupedBy(closed, ({ cell }) => cell.scenario).values()].flatMap((tables) => {
    const measured = tables.flatMap((table) => table.measured);
    const runtimes = new Set(measured.map(runtimeOfRow));
    const base = runtimes.has(THIS_NODE) ? THIS_NODE : [...runtimes][0];
    const rows = tables.flatMap((table) => comparedRows(table.measured, base));
    const judged = [...groupedBy(rows, ({ names }) => names?.runtime).values()].filter(
      (own) => own.length >= MIN_ROWS && own.some(({ verdict }) => verdict !== 'none'),
    );
    return ifAny(judged, () =>
      makeFinding('runtimes', {
        group: tables.length === 1 ? foundGroup(tables[0]) : null,
        rows: judged.flat(),
        against: base,
        measure: measureFacts(measured[0]),
      }),
    );
  });
}
