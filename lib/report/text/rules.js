// Rules for sentences: the condition, the text, and the text of the default output.

import { groupRows, isMeasured, isOpen } from './groups.js';
import { kindsIn } from './transport-kinds.js';

/** @import { Results } from '../../types/index.js' */
/** @typedef {ReturnType<typeof readFacts>} Facts */
/** @template T @typedef {(found: NonNullable<T>, facts: Facts) => string | string[]} Say */
/**
 * @template T
 * @typedef {object} Rule
 * @property {(facts: Facts) => T} when    subject of the sentences; none are printed for a falsy value or an empty list
 * @property {Say<T> | null} say           null if only the default output has sentences
 * @property {Say<T> | null} [brief]       for the default output: null for no sentences; `say` if undefined
 */

/** Gives `say` the type of what `when` returns. @template T @param {Rule<T>} own @returns {Rule<any>} */
export const rule = (own) => own;

/** @param {Results} results */
export function readFacts(results) {
  const groups = groupRows(results).filter(({ measured }) => measured.length > 0);
  return {
    results,
    measured: results.outcomes.filter(isMeasured),
    closed: groups.filter((group) => !isOpen(group)),
    open: groups.filter(isOpen),
    kindIn: kindsIn(results),
  };
}

/** @param {readonly Rule<any>[]} rules @param {Facts} facts @param {boolean} isBrief @returns {string[]} */
export function applyRules(rules, facts, isBrief) {
  return rules.flatMap(({ when, say, brief = say }) => {
    const text = isBrief ? brief : say;
    if (text === null) return [];
    const found = when(facts);
    return !found || found.length === 0 ? [] : text(found, facts);
  });
}
