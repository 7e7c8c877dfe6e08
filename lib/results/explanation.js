// The round trip in parts: what each is, how it was found, and what is left over. Of one round trip at a time the parts are
// what follows one after the other; what runs beside is taken out. Of several at once they are what each costs by itself,
// and what is left over is waiting for the others.

import { sumBy } from '../statistics/sum.js';
import { besideUs, endParts } from './end-parts.js';
import { brokerParts, sharesCpuWithNext, threadParts, wakingPart } from './hop-costs.js';

/** @import { Cell, Explanation, InsideFacts } from '../types/index.js' */
/** @import { Explained } from './hop-costs.js' */
/**
 * @typedef {object} Known
 * @property {Explained} outcome
 * @property {Explanation['wholeUs']} wholeUs
 * @property {number} explainedUs
 * @property {InsideFacts[]} processes     of the extra launch
 * @property {number | null} wakeUs        until a process on another CPU goes on that was woken; null: unknown
 * @property {string | null} broker        its name; null: there is none
 * @property {boolean} serialisesItself    the transport does the work of the codec
 */

/** @param {Known} known @returns {Explanation} */
export function makeExplanation({
  outcome,
  wholeUs,
  explainedUs,
  processes,
  wakeUs,
  broker,
  serialisesItself,
}) {
  const { cell } = outcome;
  const underWay = underWayIn(cell);
  const isAlone = underWay === 1;
  const besideOf = (/** @type {InsideFacts} */ facts) => (isAlone ? notOnTheWay(facts, outcome) : 0);
  const ends = { processes, serialisesItself, besideOf };
  const parts = [
    ...endParts(ends),
    wakingPart(outcome, wakeUs),
    ...threadParts(outcome),
    ...brokerParts(outcome, broker),
  ];
  const sumUs = sumBy(parts, ({ us }) => us ?? 0);
  return {
    cell,
    wholeUs,
    explainedUs,
    ...(!isAlone && { underWay }),
    parts,
    remainderUs: wholeUs.estimate - sumUs,
    besideUs: besideUs(ends),
    processes,
  };
}

/** @param {Cell} cell   of closed loops @returns {number} how many round trips are under way at once */
function underWayIn({ workers, loops, connections = 1 }) {
  return workers * loops * connections;
}

/** @param {InsideFacts} facts @param {Explained} outcome @returns {number} µs for which it was at work while its message was already on its way */
function notOnTheWay({ role, activeUs, onTheWayUs, afterUs }, outcome) {
  if (outcome.cell.placement === 'same') return 0;
  const beyondUs = Math.max(0, activeUs - onTheWayUs);
  return sharesCpuWithNext(outcome, role) ? Math.max(0, beyondUs - afterUs) : beyondUs;
}
