// The search for the highest rate that keeps a limit: which rate to try next, and when to stop. Pure: whoever tries the
// rates tells what came of it.

/**
 * @typedef {object} SearchStart
 * @property {number} guessPerSecond       about where the limit may lie
 * @property {'up' | 'down'} direction     the first try lies well below the guess, or well above it
 */

const LEAST_PER_SECOND = 20; // below, a launch of a minute has too few samples for its p99
const GREATEST_PER_SECOND = 10_000_000;
const FIRST_STEP = 4;
const STEP = 2;
const PRECISE_ENOUGH = 1.03; // of the two rates between which the limit lies; launches differ by as much
const VOTES = 2; // alike, of at most three: one disturbed launch decides nothing

/**
 * Geometric steps until one rate keeps the limit and another does not, then the geometric middle of the two.
 * @param {SearchStart} start
 * @returns {Generator<number, number | null, boolean>} yields rates per second, to be answered with whether the rate
 *   keeps the limit; returns the highest that does, null: none of 20/s or more
 */
export function* rateSearch({ guessPerSecond, direction }) {
  const first = direction === 'up' ? guessPerSecond / FIRST_STEP : guessPerSecond * FIRST_STEP;
  let rate = within(first);
  let [kept, broken] = [0, Infinity];
  while (broken / kept > PRECISE_ENOUGH) {
    if (yield* vote(rate)) kept = rate;
    else broken = rate;
    if (kept === GREATEST_PER_SECOND) return kept;
    if (broken === LEAST_PER_SECOND) return null;
    const next = within(nextRate(kept, broken));
    if (next === kept || next === broken) break; // whole numbers lie no closer together
    rate = next;
  }
  return kept;
}

/**
 * @param {number} kept      0: none so far
 * @param {number} broken    Infinity: none so far
 */
function nextRate(kept, broken) {
  if (broken === Infinity) return kept * STEP;
  return kept === 0 ? broken / STEP : Math.sqrt(kept * broken);
}

/** @param {number} rate */
function within(rate) {
  return Math.min(GREATEST_PER_SECOND, Math.max(LEAST_PER_SECOND, Math.round(rate)));
}

/**
 * @param {number} rate
 * @returns {Generator<number, boolean, boolean>}
 */
function* vote(rate) {
  const votes = { kept: 0, broken: 0 };
  while (votes.kept < VOTES && votes.broken < VOTES) {
    if (yield rate) votes.kept += 1;
    else votes.broken += 1;
  }
  return votes.kept === VOTES;
}
