// The search for the highest rate that keeps a limit: which rate to try next, and when to stop. Pure: the caller tries the
// rates tells what came of it, and may end the search at any time with what it knows by then.

/**
 * @typedef {object} SearchStart
 * @property {number} guessPerSecond       about where the limit may lie
 * @property {boolean} [isGuessMeasured]   false: nothing is known; absent: it is
 * @property {'up' | 'down'} direction     the first try lies well below the guess, or well above it
 */
/**
 * @typedef {object} SearchStep
 * @property {number} ratePerSecond            to be tried next
 * @property {number | null} keptPerSecond     the highest that has kept the limit so far
 * @property {number} votes                    tries of this rate that are needed at the least to decide, this one included
 */

const LEAST_PER_SECOND = 20; // below, a launch of a minute has too few samples for its p99
const GREATEST_PER_SECOND = 10_000_000;
const FIRST_SHARES = Object.freeze({ up: 1 / 4, down: 2 }); // of the guess
const STEP = 2;
const PRECISE_ENOUGH = 1.03; // of the two rates between which the limit lies; launches differ by as much
const VOTES = 2; // alike, of at most three: one disturbed launch decides nothing
// Times the guess. Where so much more is sent than seems possible, one launch that breaks the limit is enough.
const HOPELESS_SHARE = 2;
/** About how many tries a search takes. */
export const TRIES_OF_A_SEARCH = 18;

/**
 * Geometric steps until one rate keeps the limit and another does not, then the geometric middle of the two.
 * @param {SearchStart} start
 * @returns {Generator<SearchStep, number | null, boolean>} yields rates, to be answered with whether the rate keeps the
 *   limit; returns the highest that does, null: none of 20/s or more
 */
export function* rateSearch({ guessPerSecond, isGuessMeasured = true, direction }) {
  let rate = within(FIRST_SHARES[direction] * guessPerSecond);
  let [kept, broken] = [0, Infinity];
  while (broken / kept > PRECISE_ENOUGH) {
    const isHopeless = isGuessMeasured && rate >= HOPELESS_SHARE * guessPerSecond;
    const votesToBreak = isHopeless ? 1 : VOTES;
    if (yield* vote(rate, votesToBreak, kept === 0 ? null : kept)) kept = rate;
    else broken = rate;
    if (kept === GREATEST_PER_SECOND) return kept;
    if (broken === LEAST_PER_SECOND) return null;
    const next = within(nextRate(kept, broken));
    if (next === kept || next === broken) break; // whole numbers lie no closer together
    rate = next;
  }
  return kept;
}

/** @param {number} kept      0: none so far @param {number} broken    Infinity: none so far */
function nextRate(kept, broken) {
  if (broken === Infinity) return kept * STEP;
  return kept === 0 ? broken / STEP : Math.sqrt(kept * broken);
}

/** @param {number} rate */
function within(rate) {
  return Math.min(GREATEST_PER_SECOND, Math.max(LEAST_PER_SECOND, Math.round(rate)));
}

/**
 * @param {number} ratePerSecond
 * @param {number} votesToBreak
 * @param {number | null} keptPerSecond
 * @returns {Generator<SearchStep, boolean, boolean>}
 */
function* vote(ratePerSecond, votesToBreak, keptPerSecond) {
  const votes = { kept: 0, broken: 0 };
  while (votes.kept < VOTES && votes.broken < votesToBreak) {
    const missing = Math.min(VOTES - votes.kept, votesToBreak - votes.broken);
    if (yield { ratePerSecond, keptPerSecond, votes: missing }) votes.kept += 1;
    else votes.broken += 1;
  }
  return votes.kept === VOTES;
}
