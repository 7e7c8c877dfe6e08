// Searches for the rate that nine launches of ten sustain, in a world where it is known: that of a sweep, and the one that it
// replaces, which bisected with two votes of three and asked full launches to confirm what it had found.

import { CURVE } from '../../lib/plan/timing.js';
import { seededRandom, seedFrom } from '../../lib/statistics/random.js';
import { estimateSustainedRate, RateSearch } from '../../lib/statistics/rate-search.js';

/**
 * @typedef {object} Capacities
 * @property {number} capacity    the median of all launches, per second
 * @property {number} spread      SD of its logarithm between launches
 * @property {number} disturbed   share of launches that break the limit at any rate
 */
/** @typedef {(ratePerSecond: number) => boolean} Keeps */

const NINE_OF_TEN = 1.2815515655; // standard deviations: a tenth of a normal distribution lies beyond
const GUESS = { share: 1.25, spread: 0.3 }; // closed loops by capacity
const FULL_LAUNCHES = { now: 3, before: 6 }; // of each rate of the curve

/** @param {() => number} random @returns {number} of a standard normal distribution: Box, Muller, Ann. Math. Stat. 29 (1958) */
function normal(random) {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

/** @param {Capacities} world @param {() => number} random @returns {Keeps} whether a launch keeps the limit */
export function launchesOf({ capacity, spread, disturbed }, random) {
  return (ratePerSecond) => {
    const isDisturbed = random() < disturbed;
    const own = capacity * Math.exp(spread * normal(random));
    return !isDisturbed && ratePerSecond <= own;
  };
}

/** @param {Pick<Capacities, 'capacity' | 'spread'>} world @returns {number} the rate that nine undisturbed launches of ten sustain */
export function sustainedOf({ capacity, spread }) {
  return capacity * Math.exp(-NINE_OF_TEN * spread);
}

/** @param {Keeps} keeps @param {number} guessPerSecond */
function searchNow(keeps, guessPerSecond) {
  const search = new RateSearch({ guessPerSecond });
  for (let step = search.next(); !('endedBy' in step); step = search.next()) {
    const { ratePerSecond } = step;
    search.add({ ratePerSecond, keeps: keeps(ratePerSecond) });
  }
  const found = search.answer();
  const curve = CURVE.flatMap((share) =>
    Array.from({ length: found === null ? 0 : FULL_LAUNCHES.now }, () => {
      const ratePerSecond = Math.round(share * (found?.estimate ?? 0));
      return { ratePerSecond, keeps: keeps(ratePerSecond) };
    }),
  );
  const all = [...search.trials, ...curve];
  return { searched: search.trials.length, told: estimateSustainedRate(all, guessPerSecond) };
}

/** @param {Keeps} keeps @param {number} guessPerSecond @returns {{ searched: number, found: number, confirmed: number | null }} */
function bisectAsBefore(keeps, guessPerSecond) {
  let searched = 0;
  const vote = (/** @type {number} */ rate) => {
    const votes = [0, 0];
    while (votes[0] < 2 && votes[1] < 2) {
      searched += 1;
      votes[Number(keeps(rate))] += 1;
    }
    return votes[1] === 2;
  };
  let [kept, broken] = [0, Infinity];
  let rate = guessPerSecond / 4;
  while (broken / kept > 1.03) {
    if (vote(rate)) kept = rate;
    else broken = rate;
    rate = broken === Infinity ? 2 * kept : kept === 0 ? broken / 2 : Math.sqrt(kept * broken);
  }
  // One launch of six that is overloaded breaks the p99 of all of them together.
  const isConfirmed = (/** @type {number} */ share) =>
    Array.from({ length: FULL_LAUNCHES.before }, () => keeps(share * kept)).every(Boolean);
  const shares = CURVE.toSorted((one, other) => one - other);
  const firstBroken = shares.findIndex((share) => !isConfirmed(share));
  const confirmed = shares.slice(0, firstBroken === -1 ? undefined : firstBroken).at(-1);
  return { searched, found: kept, confirmed: confirmed === undefined ? null : confirmed * kept };
}

/** @param {{ seed: number, times: number }} effort @param {Capacities} world */
export function countedSearches({ seed, times }, world) {
  const truth = sustainedOf(world);
  /** @type {{ searched: number, missing: number, held: number, widths: number[], errors: number[] }} */
  const counts = { searched: 0, missing: 0, held: 0, widths: [], errors: [] };
  for (let time = 0; time < times; time += 1) {
    const random = seededRandom(seedFrom(seed, time));
    const guess = Math.round(world.capacity * GUESS.share * Math.exp(GUESS.spread * normal(random)));
    const { searched, told } = searchNow(launchesOf(world, random), guess);
    counts.searched += searched;
    if (told === null) {
      counts.missing += 1;
      continue;
    }
    counts.held += Number(told.low <= truth && truth <= told.high);
    counts.widths.push(told.high / told.low);
    counts.errors.push(told.estimate / truth);
  }
  return counts;
}

/** @param {{ seed: number, times: number }} effort @param {Capacities} world */
export function countedBisections({ seed, times }, world) {
  const truth = sustainedOf(world);
  /** @type {{ searched: number, confirmed: number, found: number[], told: number[] }} */
  const counts = { searched: 0, confirmed: 0, found: [], told: [] };
  for (let time = 0; time < times; time += 1) {
    const random = seededRandom(seedFrom(seed, time));
    const guess = Math.round(world.capacity * GUESS.share * Math.exp(GUESS.spread * normal(random)));
    const { searched, found, confirmed } = bisectAsBefore(launchesOf(world, random), guess);
    counts.searched += searched;
    counts.confirmed += Number(confirmed !== null && confirmed >= found);
    counts.found.push(found / truth);
    counts.told.push((confirmed ?? 0) / truth);
  }
  return counts;
}
