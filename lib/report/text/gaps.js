// Describes which rows are missing and why, in one line for each cause, and in one line for all rows that no machine can measure. A
// transport whose rows are all missing for one cause is named once, however many codecs, levels of concurrency and sizes were planned.

import { tableLabel, transportLabel } from '../../cell/labels.js';
import { groupedBy, listed } from '../../format/lists.js';
import { printable } from '../../format/printable.js';
import { formatRowName, groupRows, isMeasured, isPossible } from './groups.js';

/** @import { FailedOutcome, Outcome, Plan, Results, SkippedOutcome } from '../../types/index.js' */
/** @typedef {SkippedOutcome | FailedOutcome} Missing */
/** @typedef {{ kind: 'impossible' | 'skipped' | 'failed', why: string }} Cause   impossible: no machine could measure it */
/** @typedef {Cause & { rows: Map<string, Missing[]> }} Gap   rows: outcomes by the name of a transport or a row */

const GREATEST_PLACES_NAMED = 2;
const GREATEST_NAMES = 12;
const GREATEST_IMPOSSIBLE_CAUSES = 4;

/** @type {Readonly<Record<Cause['kind'], (names: string, why: string) => string>>} */
const GAP_TEXTS = Object.freeze({
  impossible: (names, why) => `${names} (${why})`,
  skipped: (names, why) => `Skipped: ${names}: ${why}`,
  failed: (names, why) => `Failed: ${names}: ${why}`,
});

/** @param {Missing} outcome @returns {Cause} */
function findCause(outcome) {
  if (outcome.status === 'failed')
    return { kind: 'failed', why: `${printable(outcome.message)} (${printable(outcome.code)})` };
  return { kind: isPossible(outcome) ? 'skipped' : 'impossible', why: printable(outcome.reason) };
}

/** @param {Cause} cause @returns {string} */
function causeKey({ kind, why }) {
  return `${kind} ${why}`;
}

/**
 * @param {Outcome[]} outcomes
 * @returns {Set<string>} transports whose rows are all missing for the same cause
 */
export function missingTransports(outcomes) {
  const byTransport = groupedBy(outcomes, ({ cell }) => transportLabel(cell));
  const missing = [...byTransport].filter(([, rows]) => {
    const causes = new Set(rows.map((row) => (isMeasured(row) ? null : causeKey(findCause(row)))));
    return causes.size === 1 && !causes.has(null);
  });
  return new Set(missing.map(([name]) => name));
}

/**
 * @param {Outcome[]} outcomes
 * @param {(outcome: Missing) => string} nameFor    returns the name of the transport or row
 * @param {(outcome: Missing) => Cause} [causeFor]
 * @returns {Gap[]}
 */
export function groupGaps(outcomes, nameFor, causeFor = findCause) {
  const missing = outcomes.flatMap((outcome) =>
    isMeasured(outcome) ? [] : [{ outcome, cause: causeFor(outcome) }],
  );
  return [...groupedBy(missing, ({ cause }) => causeKey(cause)).values()].map((rows) => ({
    ...rows[0].cause,
    rows: groupedBy(
      rows.map(({ outcome }) => outcome),
      nameFor,
    ),
  }));
}

/**
 * @param {Outcome[]} outcomes
 * @param {Set<string>} missing    transports that are named as a whole
 * @param {Pick<Results, 'outcomes' | 'reference'>} results
 * @returns {string[]} one for each cause, with the transports or rows that have it, and where
 */
function causeTexts(outcomes, missing, results) {
  const groups = groupRows(results);
  const placeOf = new Map(groups.map(({ place, cell }) => [tableLabel(cell), place]));
  const where = (/** @type {Missing[]} */ rows) => {
    const places = new Set(rows.map(({ cell }) => placeOf.get(tableLabel(cell))));
    if (places.size === groups.length) return '';
    return places.size > GREATEST_PLACES_NAMED
      ? ` in ${places.size} of ${groups.length} groups`
      : ` at ${[...places].join(' and at ')}`;
  };
  const gaps = groupGaps(outcomes, ({ cell }) => {
    const transport = transportLabel(cell);
    return missing.has(transport) ? printable(transport) : formatRowName(cell);
  });
  return gaps.map(({ kind, why, rows }) => {
    const names = [...rows].map(([name, outcomes]) => name + where(outcomes));
    return GAP_TEXTS[kind](listed(names, GREATEST_NAMES), why);
  });
}

/** @param {string[]} texts @returns {string[]} one line at most */
function impossibleNotes(texts) {
  if (texts.length === 0) return [];
  const rest = texts.length - GREATEST_IMPOSSIBLE_CAUSES;
  const shown = rest > 1 ? texts.slice(0, GREATEST_IMPOSSIBLE_CAUSES) : texts;
  const more = rest > 1 ? `; and ${rest} more (--dry-run lists them)` : '';
  return [`Not applicable: ${shown.join('; ')}${more}`];
}

/**
 * @param {Results} results
 * @param {Outcome['status']} [only]
 * @returns {string[]} one line for all rows that are not applicable, and one for each cause of a gap
 */
export function gapNotes(results, only) {
  const { outcomes } = results;
  const isWanted = (/** @type {Outcome} */ { status }) => only === undefined || status === only;
  const possible = outcomes.filter(isPossible);
  const impossible = outcomes.filter((outcome) => !isPossible(outcome));
  return [
    ...impossibleNotes(causeTexts(impossible.filter(isWanted), missingTransports(outcomes), results)),
    ...causeTexts(possible.filter(isWanted), missingTransports(possible), results),
  ];
}

/**
 * @param {Pick<Plan, 'cells' | 'reference'>} plan
 * @returns {string[]} the gaps that are known before the first launch, in the words of gapNotes(), without rows that are not applicable
 */
export function plannedGapNotes({ cells, reference }) {
  const outcomes = /** @type {Outcome[]} */ (
    cells.map(({ cell, skip, isImpossible }) =>
      skip === null
        ? { status: 'measured', cell }
        : { status: 'skipped', cell, reason: skip, ...(isImpossible && { isImpossible }) },
    )
  );
  const possible = outcomes.filter(isPossible);
  return causeTexts(possible, missingTransports(possible), { outcomes, reference });
}
