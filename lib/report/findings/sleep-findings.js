// Comparisons of rows that sleep unequally often. Part of such a ratio may be due to scheduling, which cannot be separated from it, so the
// findings also contain the ratio of the CPU times.

import { headlineMeasure } from '../../cell/headline.js';
import { seriesLabel } from '../../cell/labels.js';
import { ifAny } from '../../format/lists.js';
import { findUnequalSleeps } from '../../results/sleeps.js';
import { contrastsIn, isMixed } from './contrasts.js';
import { foundComparison, makeFinding } from './finding.js';
import { comparedIn } from './row-verdicts.js';

/** @import { Finding, FoundRow } from '../../types/index.js' */
/** @import { ReportFacts } from './report-facts.js' */
/** @import { ComparedOutcome } from './row-verdicts.js' */

/**
 * @param {Pick<ReportFacts, 'closed' | 'results' | 'kindIn'>} facts
 * @returns {Finding[]} one for all comparisons of tables, and of the rows that contrasts compare
 */
export function sleepFindings({ closed, results, kindIn }) {
  const rows = closed.flatMap((group) => {
    const { measured, heading } = group;
    const contrasts = isMixed(measured) ? contrastsIn([group], results.reference, kindIn) : [];
    const ofContrasts = contrasts.flatMap(({ rows: own }) => own.flatMap(({ at: [row] }) => row ?? []));
    const ofTable = comparedIn(measured, kindIn);
    /** @param {ComparedOutcome} compared */
    const isOfTable = ({ outcome, base }) =>
      ofTable.some((row) => row.outcome === outcome && row.base === base);
    return [...ofTable, ...ofContrasts.filter((row) => !isOfTable(row))]
      .flatMap((row) => foundUnequal(row) ?? [])
      .map((row) => (closed.length > 1 ? { ...row, heading } : row));
  });
  return ifAny(rows, () =>
    makeFinding('unequal-sleeps', { rows, operation: closed[0].measured[0].operation }),
  );
}

/** @param {ComparedOutcome} compared @returns {FoundRow | null} null if the rows do not sleep unequally often, or if that is unknown */
function foundUnequal(compared) {
  const { outcome, base } = compared;
  // Sleeps are counted within the window. A headline that is not a rate, such as the time to the first answer, is not measured there.
  if (base === null || headlineMeasure(outcome).unit !== 'per second') return null;
  const unequal = findUnequalSleeps(outcome, base);
  if (unequal === null) return null;
  return {
    ...foundComparison(compared),
    numbers: { ...unequal },
    names: { against: seriesLabel(base.cell) },
  };
}
