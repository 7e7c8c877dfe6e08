// The comparison of two results.

/** @import { Name, NonNegative, Positive, Several, Share } from './scalars.js' */
/** @import { Cell, Question } from './plans.js' */
/** @import { Estimate } from './launches.js' */

/** @import { MeasureFacts, Operation } from './scenarios.js' */
/** @import { Results } from './results-file.js' */

/** @typedef {'faster' | 'slower' | 'same' | 'inconclusive'} Verdict */
/** @typedef {'interleaved' | 'separate'} ComparisonDesign   launches paired by block, or runs made one after another */

/**
 * @typedef {object} ComparedSide
 * @property {string} name                'old', 'new', or as the user called it
 * @property {string} source              where the results came from, for people
 * @property {string} startedAt
 * @property {string} version             of ipc-bench
 * @property {Results['status']} status
 */

/** @typedef {Pick<MeasureFacts, 'name' | 'title' | 'unit' | 'better' | 'kind'>} ComparedMeasure */

/**
 * What is compared is a speed, so that more is better and a ratio above 1 is faster: the headline of the scenario in closed
 * loops; under open load, where the number of operations is planned, a percentile of the response time.
 * @typedef {object} ComparedRow
 * @property {Cell} cell
 * @property {Operation} operation        that its scenario counts
 * @property {ComparedMeasure} measure    of the two estimates
 * @property {Estimate} old
 * @property {Estimate} new
 * @property {Estimate} ratio             how many times as fast the new side is
 * @property {Share | null} p             that there is no difference; null: too few launches for a test
 * @property {Share | null} adjustedP     by Holm over the rows
 * @property {Verdict} verdict
 * @property {boolean} isBeyond           faster or slower by more than the least effect, with certainty
 * @property {string | null} why          there can be no verdict
 * @property {Positive | null} moreLaunches   of each side that would settle it, about; null: it is settled
 * @property {number | null} detectableRatio   what such a comparison finds four times of five; null: nothing
 * @property {{ old: string[], new: string[] }} flags   codes
 */

/**
 * @typedef {object} MissingCell
 * @property {Cell} cell
 * @property {'old' | 'new' | 'both'} side   that lacks it
 * @property {string} reason
 */

/**
 * Of the cells that differ in transport and codec only, of one question and one quantity.
 * @typedef {object} MeanOfCells
 * @property {ComparedMeasure} measure
 * @property {Several} cells
 * @property {Estimate} ratio             of the geometric means of the cells
 */

/** @typedef {Question & MeanOfCells} GeometricMean */

/**
 * @typedef {object} Comparison
 * @property {1} schemaVersion
 * @property {'comparison'} kind
 * @property {{ name: 'ipc-bench', version: string }} tool
 * @property {ComparisonDesign} design
 * @property {number} minEffect           δ: 0.05 is 5 %
 * @property {ComparedSide} old
 * @property {ComparedSide} new
 * @property {string[]} forced            differences that would be refused; empty: none
 * @property {boolean} isForced           the user insists
 * @property {string[]} warnings          unlike surroundings
 * @property {string[]} machineDifferences   why the two cannot be one machine
 * @property {ComparedRow[]} rows         in the order of the old plan
 * @property {MissingCell[]} missing
 * @property {GeometricMean[]} geometricMeans   of questions with several cells
 */

/**
 * Figures somebody published, for charts that show them beside the measured ones.
 * @typedef {object} PublishedFigures
 * @property {string} title
 * @property {string} source
 * @property {string[]} caveats
 * @property {{ transport: Name, codec: Name, label: string, workers: Positive, loops: Positive, payloadBytes: Positive, roundTripsPerSecond: NonNegative }[]} results
 */

export {};
