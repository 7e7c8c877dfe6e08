// The user's needs, and recommendations from measured results.

/** @import { Estimate, Interval } from './launches.js' */
/** @import { Reason } from './findings.js' */
/** @import { MeasuredOutcome } from './results-file.js' */
/** @import { Cell } from './plans.js' */
/** @import { Traits } from './transports.js' */

/** @typedef {Partial<Omit<Traits, 'class' | 'broker' | 'messagesPerRoundTrip'>> & { class?: string, broker?: string | null }} KnownTraits   missing
 * traits are unknown or have their default */

/**
 * Whether a row meets its rate, the limit of response time, and the limit of --max-block.
 * @typedef {object} Kept
 * @property {'yes' | 'no' | 'unclear'} verdict
 * @property {Estimate | null} number   the percentile in µs, or null without a limit or a measured percentile
 * @property {Reason | null} why   why the row does not meet the limit, or why that is unclear; null if `number` shows it
 */

/**
 * @typedef {object} RecommendedRow
 * @property {string} name   'unix:flush=tick/json'
 * @property {MeasuredOutcome} outcome
 * @property {KnownTraits} traits
 * @property {string | null} lack   why the row does not meet the needs; null if it does
 * @property {Kept} kept
 * @property {Estimate | null} block   µs for which it blocks an event loop at a time; null if unknown
 * @property {Reason | null} doubt   why the row permits no conclusion; null if it does
 */

/**
 * @typedef {object} Answer   recommendation for one measured size and rate
 * @property {string} heading   name of the cell's load in sentences, such as '1,000 B, 2x4'
 * @property {Cell} cell
 * @property {RecommendedRow | null} choice   null if no row is recommended
 * @property {RecommendedRow | null} previous   the choice at the next smaller size or rate that has one; null if there is none
 * @property {Reason | null} why   why there is no choice; null if there is one
 * @property {boolean} isInconclusive   further launches may give a choice
 * @property {RecommendedRow[]} ranked   rows that may be recommended, the best estimate first
 * @property {RecommendedRow[]} doubtful   rows that permit no conclusion
 * @property {RecommendedRow[]} sorted   all ranked and doubtful rows, the best estimate first
 * @property {RecommendedRow[]} broken   rows that do not meet the rate or the limit
 * @property {number} comparisons   number of comparisons for which verdicts are corrected
 * @property {(first: RecommendedRow, second: RecommendedRow) => { ratio: Estimate | null, verdict: 'better' | 'worse' | 'unclear' | 'none' }} judge
 *   ratio: first / second, null if unknown; verdict: on the first
 */

/**
 * @typedef {object} Recommendation
 * @property {Answer[][]} chains   answers along one axis, the smallest size or rate first
 * @property {'payloadBytes' | 'ratePerSecond'} axis   axis of the chains
 * @property {{ why: string, names: string[] }[]} leftOut   rows that do not meet the needs
 */

/**
 * @typedef {object} Crossover
 * @property {number} estimate   value on the axis, like the two below
 * @property {number} low   up to this value, one of the two candidates is cheaper
 * @property {number} high   from this value on, the other candidate is cheaper
 * @property {boolean} isCheaperAbove   the first candidate is cheaper above the crossover
 * @property {CrossoverPoint[]} points   points that determine the crossover: the two with a proven sign, and those between them
 */

/**
 * Costs of two candidates at one value of the axis.
 * @typedef {object} CrossoverPoint
 * @property {number} x   0 or above
 * @property {-1 | 0 | 1} sign   1 if the first candidate is proven to cost more than the second, -1 if it is proven to cost less
 * @property {Interval & { estimate: number }} excess   cost of an operation of the first candidate minus that of the second
 */

export {};
