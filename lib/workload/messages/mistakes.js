// Mistakes of a transport or a codec, counted by each end that verifies messages and summed over all of them. The controller fails a
// launch with mistakes (launch/controller/aggregate-reports.js).

/** @import { Mistakes } from '../../types/index.js' */

export function noMistakes() {
  return { lost: 0, duplicate: 0, swapped: 0, corrupt: 0, outOfOrder: 0 };
}

/** @param {Iterable<Partial<Mistakes>>} all */
export function summedMistakes(all) {
  const total = noMistakes();
  for (const mistakes of all) {
    for (const [kind, count] of Object.entries(mistakes))
      total[/** @type {keyof Mistakes} */ (kind)] += count;
  }
  return total;
}

/** @param {unknown} got @param {unknown} expected */
export const isIdentical = (got, expected) => got === expected;

/**
 * @param {Mistakes} mistakes
 * @param {unknown[]} payloads   all valid payloads at this end
 * @param {unknown} payload     differs from the expected one
 * @param {(got: any, expected: any) => boolean} [isSame]   compares payloads that are not texts
 */
export function countWrongPayload(mistakes, payloads, payload, isSame = isIdentical) {
  if (payloads.some((each) => isSame(payload, each))) mistakes.swapped += 1;
  else mistakes.corrupt += 1;
}
