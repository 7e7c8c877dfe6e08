// What a user needs, and what measured results answer to it.

/** @import { Estimate } from './launches.js' */
/** @import { MeasuredOutcome } from './results-file.js' */
/** @import { Cell } from './plans.js' */
/** @import { Traits } from './transports.js' */

/** @typedef {Partial<Omit<Traits, 'class' | 'broker' | 'messagesPerRoundTrip'>> & { class?: string, broker?: string | null }} KnownTraits   what is absent is
 *   not known, or has its usual value */

/**
 * Whether a row meets its rate and the limit of response time.
 * @typedef {object} Kept
 * @property {'yes' | 'no' | 'unclear'} verdict
 * @property {Estimate | null} number   the percentile, µs; null: there is no limit, or no number
 * @property {string} why               without a number: why it does not meet it, or why that is unclear
 */

/**
 * @typedef {object} RecommendedRow
 * @property {string} name              'unix:flush=tick/json'
 * @property {MeasuredOutcome} outcome
 * @property {KnownTraits} traits
 * @property {string} lack              which need it does not meet; '': none
 * @property {Kept} kept
 * @property {string} doubt             why nothing may be concluded from it; '': it may
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
 * @property {Answer[][]} chains        of answers that differ in their size, or in their rate, the smallest first
 * @property {'payloadBytes' | 'ratePerSecond'} axis   in which they differ
 * @property {{ why: string, names: string[] }[]} leftOut   rows that do not meet the needs
 */

/**
 * @typedef {object} Crossover
 * @property {number} estimate
 * @property {number} low      up to here one of them is cheaper
 * @property {number} high     from here on the other is
 * @property {boolean} isCheaperAbove   the one whose `costs` these are; else the other
 */

/**
 * What was measured of both at one place.
 * @typedef {object} CrossoverPoint
 * @property {number} x          above 0
 * @property {number[]} costs    of one operation, one for each block, all above 0
 * @property {number[]} others   of the other, of the same blocks in the same order
 */

export {};
