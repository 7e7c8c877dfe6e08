// Which rows are missing and why, one finding for each cause. A transport whose rows are all missing for one cause is named once, however many
// codecs, levels of concurrency and sizes were planned.

import { seriesLabel, tableLabel, transportLabel } from '../../cell/labels.js';
import { groupedBy } from '../../format/lists.js';
import { isMeasured } from '../../results/measured-outcomes.js';
import { makeFinding } from './finding.js';
import { groupRows, isPossible } from './groups.js';

/** @import { FailedOutcome, Finding, Outcome, Plan, Results, SkippedOutcome } from '../../types/index.js' */
/** @typedef {SkippedOutcome | FailedOutcome} Missing */
/** @typedef {'failed' | 'skipped' | 'not-applicable'} GapKind   not-applicable: no machine could measure it */

/** @param {Missing} outcome @returns {GapKind} */
function gapKind(outcome) {
  if (outcome.status === 'failed') return 'failed';
  return isPossible(outcome) ? 'skipped' : 'not-applicable';
}

/** @param {Missing} outcome @returns {{ message: string, code?: string }} */
export function readCause(outcome) {
  return outcome.status === 'failed'
    ? { message: outcome.message, code: outcome.code }
    : { message: outcome.reason };
}

/** @param {Missing} outcome @returns {string} */
const causeKey = (outcome) => JSON.stringify([gapKind(outcome), readCause(outcome)]);

/** @param {Outcome[]} outcomes @returns {Set<string>} transports whose rows are all missing for the same cause */
export function missingTransports(outcomes) {
  const byTransport = groupedBy(outcomes, ({ cell }) => transportLabel(cell));
  const missing = [...byTransport].filter(([, rows]) => {
    const causes = new Set(rows.map((row) => (isMeasured(row) ? null : causeKey(row))));
    return causes.size === 1 && !causes.has(null);
  });
  return new Set(missing.map(([name]) => name));
}

/** @param {Pick<Results, 'outcomes' | 'status'>} results @returns {Finding[]} at most one, if the run has rows, but ended early */
export function unfinishedFindings({ outcomes, status }) {
  return status === 'complete' || !outcomes.some(isMeasured)
    ? []
    : [makeFinding('unfinished', { remedy: 'finish' })];
}

/**
 * @param {Pick<Results, 'outcomes' | 'reference'>} results
 * @returns {Finding[]} failed rows first. A row is named once for each table that lacks it, or without a table if all tables do
 */
export function gapFindings(results) {
  const { outcomes } = results;
  const groups = groupRows(results);
  const headingOf = new Map(groups.map(({ heading, cell }) => [tableLabel(cell), heading]));
  const wholly = {
    possible: missingTransports(outcomes.filter(isPossible)),
    all: missingTransports(outcomes),
  };
  const missing = outcomes.flatMap((outcome) => (isMeasured(outcome) ? [] : [outcome]));
  /** @param {Missing} outcome */
  const nameOf = (outcome) => {
    const transport = transportLabel(outcome.cell);
    const names = isPossible(outcome) ? wholly.possible : wholly.all;
    return names.has(transport) ? transport : seriesLabel(outcome.cell);
  };
  const findings = [...groupedBy(missing, causeKey).values()].map((alike) => {
    const [first] = alike;
    const byName = groupedBy(alike, (outcome) => `${nameOf(outcome)} ${outcome.cell.ratePerSecond ?? ''}`);
    const rows = [...byName.values()].flatMap((some) => {
      const { ratePerSecond } = some[0].cell;
      const row = nameOf(some[0]);
      const isAtRate = row === seriesLabel(some[0].cell) && ratePerSecond !== undefined;
      const found = { row, ...(isAtRate && { numbers: { perSecond: ratePerSecond } }) };
      const headings = new Set(some.map(({ cell }) => String(headingOf.get(tableLabel(cell)))));
      return headings.size === groups.length
        ? [found]
        : [...headings].map((heading) => ({ ...found, heading }));
    });
    const { message, code } = readCause(first);
    return makeFinding(gapKind(first), {
      rows,
      numbers: { tables: groups.length },
      names: { message, ...(code !== undefined && { code }) },
    });
  });
  const order = ['failed', 'not-applicable', 'skipped'];
  return findings.toSorted((one, other) => order.indexOf(one.kind) - order.indexOf(other.kind));
}

/**
 * @param {Pick<Plan, 'cells' | 'reference'>} plan
 * @returns {Finding[]} gaps that are known before the first launch, without rows that are not applicable
 */
export function plannedGapFindings({ cells, reference }) {
  const outcomes = /** @type {Outcome[]} */ (
    cells.map(({ cell, skip, isImpossible }) =>
      skip === null
        ? { status: 'measured', cell }
        : { status: 'skipped', cell, reason: skip, ...(isImpossible && { isImpossible }) },
    )
  );
  return gapFindings({ outcomes, reference }).filter(({ kind }) => kind === 'skipped');
}
