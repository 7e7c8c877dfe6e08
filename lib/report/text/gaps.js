// Which rows are missing and why: one line for each cause. A transport without any row is named once, however many codecs,
// shapes and sizes were planned for it.

import { tableLabel, transportLabel } from '../../cell/labels.js';
import { listed } from '../../format/lists.js';
import { printable } from '../../format/printable.js';
import { formatRowName, groupRows, isMeasured, isPossible } from './groups.js';

/** @import { FailedOutcome, Outcome, Plan, Results, SkippedOutcome } from '../../types/index.js' */
/** @typedef {SkippedOutcome | FailedOutcome} Missing */
/** @typedef {{ kind: 'impossible' | 'skipped' | 'failed', why: string }} Cause   impossible: no machine could measure it */
/** @typedef {Cause & { rows: Map<string, Missing[]> }} Gap   rows: by the name of their transport, or of a row */

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

/** @param {Cause} cause @returns {string} the same for the same */
function causeKey({ kind, why }) {
  return `${kind} ${why}`;
}

/**
 * @param {Outcome[]} outcomes
 * @returns {Set<string>} transports without any row, all for one cause: they are named once
 */
export function missingTransports(outcomes) {
  /** @type {Map<string, Set<string | null>>} null: it has a row */
  const causes = new Map();
  for (const outcome of outcomes) {
    const name = transportLabel(outcome.cell);
    const cause = isMeasured(outcome) ? null : causeKey(findCause(outcome));
    causes.set(name, (causes.get(name) ?? new Set()).add(cause));
  }
  return new Set([...causes].flatMap(([name, some]) => (some.size === 1 && !some.has(null) ? [name] : [])));
}

/**
 * @param {Outcome[]} outcomes
 * @param {(outcome: Missing) => string} nameFor    of its transport or row
 * @param {(outcome: Missing) => Cause} [causeFor]   left out: in full
 * @returns {Gap[]} one for each cause
 */
export function groupGaps(outcomes, nameFor, causeFor = findCause) {
  /** @type {Map<string, Gap>} */
  const gaps = new Map();
  for (const outcome of outcomes) {
    if (isMeasured(outcome)) continue;
    const cause = causeFor(outcome);
    const { rows } = gaps.get(causeKey(cause)) ?? { rows: new Map() };
    const name = nameFor(outcome);
    rows.set(name, [...(rows.get(name) ?? []), outcome]);
    gaps.set(causeKey(cause), { ...cause, rows });
  }
  return [...gaps.values()];
}

/**
 * @param {Outcome[]} outcomes
 * @param {Set<string>} missing    transports
 * @param {Pick<Results, 'outcomes' | 'reference'>} results
 * @returns {string[]} one text for each cause, with the transports or rows that have it, and where
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
    const names = [...rows].map(([name, some]) => name + where(some));
    return GAP_TEXTS[kind](listed(names, GREATEST_NAMES), why);
  });
}

/** @param {string[]} texts    one for each cause @returns {string[]} one line at most */
function impossibleNotes(texts) {
  if (texts.length === 0) return [];
  const rest = texts.length - GREATEST_IMPOSSIBLE_CAUSES;
  const told = rest > 1 ? texts.slice(0, GREATEST_IMPOSSIBLE_CAUSES) : texts;
  const more = rest > 1 ? `; and ${rest} more (--dry-run lists them)` : '';
  return [`Not applicable: ${told.join('; ')}${more}`];
}

/**
 * @param {Results} results
 * @param {Outcome['status']} [only]    of these; left out: skipped and failed ones
 * @returns {string[]} one line for all that is not applicable, and one for each cause of a gap
 */
export function gapNotes(results, only) {
  const { outcomes } = results;
  const isTold = (/** @type {Outcome} */ { status }) => only === undefined || status === only;
  const possible = outcomes.filter(isPossible);
  const impossible = outcomes.filter((outcome) => !isPossible(outcome));
  return [
    ...impossibleNotes(causeTexts(impossible.filter(isTold), missingTransports(outcomes), results)),
    ...causeTexts(possible.filter(isTold), missingTransports(possible), results),
  ];
}

/**
 * @param {Pick<Plan, 'cells' | 'reference'>} plan
 * @returns {string[]} one line for each cause of a gap that is known before the first launch, as gapNotes() will say it
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
