// What can be wrong with messages, counted by each verifier, and summed over all of them.

/** @import { Mistakes } from '../../types/index.js' */

/** @returns {Mistakes} */
export function noMistakes() {
  return { lost: 0, duplicate: 0, swapped: 0, corrupt: 0, outOfOrder: 0 };
}

/** @param {Iterable<Partial<Mistakes>>} all @returns {Mistakes} */
export function summedMistakes(all) {
  const total = noMistakes();
  for (const mistakes of all) {
    for (const [kind, count] of Object.entries(mistakes))
      total[/** @type {keyof Mistakes} */ (kind)] += count;
  }
  return total;
}

/**
 * @param {Mistakes} mistakes   gets one more
 * @param {string[]} payloads   that are sent
 * @param {unknown} payload     of a message that should have another
 */
export function countWrongPayload(mistakes, payloads, payload) {
  if (payloads.includes(/** @type {string} */ (payload))) mistakes.swapped += 1;
  else mistakes.corrupt += 1;
}
