// Where a flag is shown: at each number that has it, unless it holds for all of them, for all of one shape, payload, rate,
// codec or row, or for all but a few. Then it stands once below.

import { commonOperation } from '../../../cell/headline.js';
import { shapeLabel } from '../../../cell/labels.js';
import { capitalised, groupedBy, listed } from '../../../format/lists.js';
import { formatBytes, formatCount } from '../../../format/numbers.js';
import { findFlag, flagMark, flagMeaning } from '../../../format/result-flags.js';
import { flagsIn, isMeasured } from '../../text/groups.js';
import { labelText, rowText } from '../text/short-texts.js';

/** @import { Cell, MeasuredOutcome, Outcome } from '../../../types/index.js' */
/** @typedef {{ where: string, marked: MeasuredOutcome[] }} Scope   where: of those without a mark at their number; '': there are none */

const LEAST_OF_GROUP = 3; // fewer are told by their marks
const GROUPS_SHOWN = 6;
const MOST_EXCEPTIONS = 2;
const LEAST_RULE = 6; // numbers that a rule with exceptions is of
const ALWAYS_MARKED = 'generator-limited'; // its mark replaces a missing number

/** @type {((cell: Cell) => string)[]} */
const PLACES = [
  shapeLabel,
  ({ payloadBytes }) => formatBytes(payloadBytes),
  ({ ratePerSecond = 0 }) => `${formatCount(ratePerSecond)}/s`,
  ({ codec }) => `codec ${labelText(codec)}`,
  (cell) => rowText({ cell }),
];

/** @param {MeasuredOutcome[]} measured @param {Set<MeasuredOutcome>} flagged @returns {Scope} of the groups that have it as a whole */
function scopeOfGroups(measured, flagged) {
  /** @type {Scope} */
  let best = { where: '', marked: [...flagged] };
  for (const placeOf of PLACES) {
    const groups = [...groupedBy(measured, ({ cell }) => placeOf(cell))];
    const whole = groups.filter(
      ([, own]) => own.length >= LEAST_OF_GROUP && own.every((outcome) => flagged.has(outcome)),
    );
    const covered = new Set(whole.flatMap(([, own]) => own));
    const marked = [...flagged].filter((outcome) => !covered.has(outcome));
    const names = whole.map(([name]) => name);
    if (marked.length < best.marked.length && names.length <= GROUPS_SHOWN)
      best = { where: `all of ${listed(names)}`, marked };
  }
  return best;
}

/** @param {MeasuredOutcome[]} measured @param {string} code @returns {Scope} */
function findScope(measured, code) {
  const flagged = new Set(measured.filter(({ flags }) => flags.some((flag) => flag.code === code)));
  if (code === ALWAYS_MARKED) return { where: '', marked: [...flagged] };
  const others = measured.filter((outcome) => !flagged.has(outcome));
  if (others.length === 0) return { where: 'all rows', marked: [] };
  const ofGroups = scopeOfGroups(measured, flagged);
  if (ofGroups.marked.length === 0) return ofGroups;
  const hasOnePlace = PLACES.slice(0, 3).every(
    (placeOf) => new Set(measured.map(({ cell }) => placeOf(cell))).size === 1,
  );
  const isRule = hasOnePlace && others.length <= MOST_EXCEPTIONS && flagged.size >= LEAST_RULE;
  return isRule ? { where: `all but ${listed(others.map(rowText))}`, marked: [] } : ofGroups;
}

/** @param {Outcome[]} outcomes   of a chart @returns {(outcome: Outcome) => string} the marks to be set at its number: 'ob' */
export function flagMarks(outcomes) {
  const measured = outcomes.filter(isMeasured);
  const marked = flagsIn(outcomes).map((code) => ({ code, at: new Set(findScope(measured, code).marked) }));
  return (outcome) =>
    isMeasured(outcome)
      ? outcome.flags
          .filter(({ code }) => marked.some((one) => one.code === code && one.at.has(outcome)))
          .map(({ code }) => flagMark(code))
          .join('')
      : '';
}

/** @param {Outcome[]} outcomes @returns {string[]} one line for each mark, and for all flags that stand at the same rows */
export function flagNotes(outcomes) {
  const measured = outcomes.filter(isMeasured);
  const operation = commonOperation(measured);
  const told = flagsIn(outcomes).map((code) => {
    const summary = findFlag(code) === null ? labelText(code, 40) : flagMeaning(code, 'summary', operation);
    const { where, marked } = findScope(measured, code);
    const marks = marked.length === 0 ? [] : [`[${flagMark(code)}]`];
    return { at: capitalised([...(where === '' ? [] : [where]), ...marks].join(' and ')), summary };
  });
  const byPlace = [...groupedBy(told, ({ at }) => at)];
  return byPlace.map(([at, own]) => `${at}: ${own.map(({ summary }) => summary).join('; ')}`);
}
