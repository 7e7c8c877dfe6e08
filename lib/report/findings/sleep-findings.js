// Comparisons of rows that sleep unequally often. Part of such a ratio may be due to scheduling, which cannot be separated from it, so the
// findings also contain the ratio of the CPU times.

import { seriesLabel } from '../../cell/labels.js';
import { contrastsIn, isMixed } from './contrasts.js';
import { foundComparison, makeFinding, unequalSleeps } from './finding.js';
import { comparedIn } from './row-verdicts.js';

/** @import { Finding } from '../../types/index.js' */
/** @import { ReportFacts } from './report-facts.js' */
/** @import { ComparedOutcome } from './row-verdicts.js' */

/** @param {ReportFacts} facts @returns {Finding[]} one for all comparisons of tables, and of the rows that contrasts compare */
export function sleepFindings({ closed, results, kindIn }) {
  const rows = closed.flatMap((group) => {
    const { measured } = group;
    const contrasts = isMixed(measured) ? contrastsIn([group], results.reference, kindIn) : [];
    const ofContrasts = contrasts.flatMap(({ rows: own }) =>
      own.flatMap(({ at }) => at.flatMap((row) => row ?? [])),
    );
    const ofTable = comparedIn(measured, kindIn);
    /** @param {ComparedOutcome} compared */
    const isOfTable = ({ outcome, base }) =>
      ofTable.some((row) => row.outcome === outcome && row.base === base);
    return [...ofTable, ...ofContrasts.filter((row) => !isOfTable(row))]
      .filter((row) => unequalSleeps(row) !== null)
      .map((row) => ({
        ...foundComparison(row),
        ...(closed.length > 1 && { heading: group.heading }),
        names: { against: row.base === null ? '' : seriesLabel(row.base.cell) },
        operation: row.outcome.operation,
      }));
  });
  if (rows.length === 0) return [];
  const [{ operation }] = rows;
  return [makeFinding('unequal-sleeps', { rows: rows.map(({ operation: _, ...row }) => row), operation })];
}
