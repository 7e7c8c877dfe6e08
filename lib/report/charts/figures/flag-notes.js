// What is said of the flags of a picture's rows: those that are not ranked look so, and its notes say why, and which rows have a fault
// or a property.

import { commonOperation } from '../../../cell/headline.js';
import { groupedBy } from '../../../format/lists.js';
import { faultText, findFlag, flagMeaning, isFault } from '../../../format/result-flags.js';
import { flagsIn, isMeasured } from '../../text/groups.js';
import { PLACES, scopeText } from '../../text/remarks.js';
import { hasUntrueLevel } from '../../text/verdicts.js';
import { labelText, rowText } from '../text/short-texts.js';

/** @import { MeasuredOutcome, Outcome } from '../../../types/index.js' */
/** @import { Look } from '../scene-types.js' */

const NAMES_SHOWN = { fault: 6, property: 3 };

/** @param {Outcome} outcome @returns {boolean} measured, and a fault makes its level untrue */
export function isNotRanked(outcome) {
  return isMeasured(outcome) && hasUntrueLevel(outcome);
}

/** @param {Look} look @param {Outcome | null} outcome @returns {Look} of its bar: with an outline only, it is not ranked */
export function rankedLook(look, outcome) {
  if (outcome === null || !isNotRanked(outcome)) return look;
  return { ...look, outline: look.colour, fill: 'empty' };
}

/** @param {MeasuredOutcome[]} measured @returns {(outcome: MeasuredOutcome) => string} 'unix/json 2x4', with what differs */
function rowNamer(measured) {
  const told = PLACES.filter((placeOf) => new Set(measured.map(({ cell }) => placeOf(cell))).size > 1);
  return ({ cell }) => [rowText({ cell }), ...told.map((placeOf) => placeOf(cell))].join(' ');
}

/** @param {Outcome[]} outcomes   of a chart @returns {string[]} a line on those that are not ranked, one on other faults, and one on properties */
export function flagNotes(outcomes) {
  const measured = outcomes.filter(isMeasured);
  const operation = commonOperation(measured);
  const nameOf = rowNamer(measured);
  const isUnranking = (/** @type {string} */ code) => isFault(code) && findFlag(code)?.unranked !== undefined;
  const wordsOf = (/** @type {string} */ code) => {
    if (findFlag(code) === null) return labelText(code, 40);
    return isFault(code) ? faultText(code, operation) : flagMeaning(code, 'brief', operation);
  };
  /** @param {string[]} codes */
  const lineOf = (codes) => {
    const byWords = [...groupedBy(codes, wordsOf)].map(([words, same]) => {
      const some = measured.filter(({ flags }) => flags.some(({ code }) => same.includes(code)));
      const mostNames = NAMES_SHOWN[isFault(same[0]) ? 'fault' : 'property'];
      const rows = some.map((outcome) => measured.indexOf(outcome)).join();
      return { words, rows, where: scopeText(measured, some, { nameOf, mostNames }) };
    });
    const byRows = [...groupedBy(byWords, ({ rows }) => rows).values()];
    return byRows.map((own) => `${own[0].where}: ${own.map(({ words }) => words).join(', ')}`).join('; ');
  };
  const codes = flagsIn(outcomes);
  const unranked = lineOf(codes.filter(isUnranking));
  const others = [
    lineOf(codes.filter((code) => isFault(code) && !isUnranking(code))),
    lineOf(codes.filter((code) => !isFault(code))),
  ];
  return [
    ...(unranked === '' ? [] : [`Not ranked: ${unranked}`]),
    ...others.filter((line) => line !== '').map((line) => line.replace(/^all /, 'All ')),
  ];
}
