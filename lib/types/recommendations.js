// The needs of a user, and the recommendation by measured results.

/** @import { Estimate } from './launches.js' */
/** @import { MeasuredOutcome } from './results-file.js' */
/** @import { Cell } from './plans.js' */
/** @import { Traits } from './transports.js' */

/** @typedef {Partial<Omit<Traits, 'class' | 'broker' | 'messagesPerRoundTrip'>> & { class?: string, broker?: string | null }} KnownTraits   missing
 *   traits are unknown, or have their usual value */

/**
 * Whether a row meets its rate and the limit of response time.
 * @typedef {object} Kept
 * @property {'yes' | 'no' | 'unclear'} verdict
 * @property {Estimate | null} number   the percentile in µs, or null without a limit or a number
 * @property {string} why               without a number: why it does not meet the limit, or why that is unclear
 */

/**
 * @typedef {object} RecommendedRow
 * @property {string} name              'unix:flush=tick/json'
 * @property {MeasuredOutcome} outcome
 * @property {KnownTraits} traits
 * @property {string} lack              the need that it does not meet, or empty
 * @property {Kept} kept
 * @property {string} doubt             why it permits no conclusion, or empty
 */

/**
 * @typedef {object} Answer             at one measured size and rate
 * @property {string} place             '1,000 B, 2x4'
 * @property {Cell} cell
 * @property {RecommendedRow | null} choice
 * @property {RecommendedRow | null} previous   the choice at the next smaller size or rate that has one
 * @property {string} why               there is no choice
 * @property {boolean} isInconclusive   other launches may give a choice
 * @property {RecommendedRow[]} ranked  rows that may be recommended, the best estimate first
 * @property {RecommendedRow[]} doubtful   rows of which nothing may be concluded
 * @property {RecommendedRow[]} broken  rows that do not meet the rate or the limit
 * @property {number} comparisons      for which verdicts are corrected
 * @property {(first: RecommendedRow, second: RecommendedRow) => { ratio: Estimate | null, verdict: 'better' | 'worse' | 'unclear' | 'none' }} judge
 */

/**
 * @typedef {object} Recommendation
 * @property {Answer[][]} chains        answers along one axis, the smallest size or rate first
 * @property {'payloadBytes' | 'ratePerSecond'} axis   of the chains
 * @property {{ why: string, names: string[] }[]} leftOut   rows that do not meet the needs
 */

/**
 * @typedef {object} Crossover
 * @property {number} estimate
 * @property {number} low      up to here one of them is cheaper
 * @property {number} high     from here on the other is
 * @property {boolean} isCheaperAbove   the first of the two is cheaper above
 */

/**
 * What was measured of both at one place.
 * @typedef {object} CrossoverPoint
 * @property {number} x          above 0
 * @property {number[]} costs    of one operation, one for each block, all above 0
 * @property {number[]} others   of the other, of the same blocks in the same order
 */

export {};
