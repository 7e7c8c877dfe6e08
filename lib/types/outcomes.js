// What all launches of a cell say together.

/** @import { Count, Name, NonNegative } from './scalars.js' */
/** @import { Cell } from './plans.js' */
/** @import { MeasuredTimes, MeasuredValue, Operation } from './measures.js' */
/** @import { Backpressure, Estimate, Flag, Launch, Losses, MeasuredLaunch, ProcessCost } from './launches.js' */

/**
 * @typedef {object} LatencySummary       microseconds; merged over workers and launches
 * @property {Count} count
 * @property {NonNegative} min
 * @property {NonNegative} mean
 * @property {NonNegative} p50
 * @property {NonNegative} p90
 * @property {NonNegative | null} p99     null below 1,000 samples
 * @property {NonNegative | null} p999    null below 10,000 samples
 * @property {NonNegative} max
 * @property {('p50' | 'p90' | 'p99' | 'p999' | 'max')[]} [atLeast]   these are lower bounds: so much was unanswered at the end of the window
 * @property {{ p50: Estimate, p99: Estimate | null, atLeast?: ('p50' | 'p99')[] }} perLaunch   the same percentiles, launches as samples; atLeast: of
 *                                        one launch or more it is a lower bound
 */

/**
 * Of a cell under open load; counts are sums of its launches, times in µs.
 * @typedef {object} OpenSummary
 * @property {'fixed' | 'poisson'} arrivals
 * @property {boolean} catchesUp
 * @property {'spin' | 'tick'} pacing
 * @property {NonNegative} achieved       questions sent / planned instants
 * @property {Count} due
 * @property {Count} late
 * @property {Count} missed
 * @property {Count} dropped
 * @property {LatencySummary} responseUs
 * @property {Omit<LatencySummary, 'perLaunch'>} sendLagUs
 */

/** @typedef {Pick<ProcessCost, 'name' | 'role' | 'share'>} Busiest   process, with its mean share of one core */

/** @typedef {Estimate & { to: string }} Ratio   to: label of the reference */

/**
 * @typedef {object} MeasuredOutcome
 * @property {'measured'} status
 * @property {Cell} cell
 * @property {Operation} operation         that its scenario counts
 * @property {Name} headline               name of the measure that ratios and verdicts are of
 * @property {Record<string, MeasuredValue | MeasuredTimes>} measures   by name, the headline first
 * @property {Ratio | null} ratio                          of the headline; `to`: label of the reference; null: none measured. The
 *                                         reference itself has estimate, low and high of exactly 1
 * @property {CpuUsPerOperation} cpuUsPerOperation
 * @property {NonNegative | null} peakRssBytes   sum over the launch's processes, greatest of the launches
 * @property {Busiest | null} busiest
 * @property {Flag[]} flags                each code once
 * @property {MeasuredLaunch[]} launches
 * @property {OpenSummary} [open]          absent: closed loops
 * @property {Backpressure} [backpressure]   of its launches together; absent: it is no stream
 * @property {Losses} [losses]             sums of the launches; absent: the transport loses nothing
 */

/**
 * CPU time of all processes of a role, by role. `workers` is null where they are threads that cannot be distinguished; helper
 * threads count for the master; `broker` is null where there is not one of this program.
 * @typedef {{ workers: NonNegative | null, master: NonNegative, broker: NonNegative | null } & Record<string, number | null>} CpuUsPerOperation
 */

/**
 * @typedef {object} SkippedOutcome
 * @property {'skipped'} status
 * @property {Cell} cell
 * @property {string} reason
 * @property {'not-launched'} [cause]     the run ended before its turn came; absent: by the plan
 * @property {true} [isImpossible]        it means nothing, and no machine could measure it; absent: another one could
 */

/**
 * @typedef {object} FailedOutcome
 * @property {'failed'} status
 * @property {Cell} cell
 * @property {Name} code
 * @property {string} message
 * @property {Launch[]} launches
 */

/** @typedef {MeasuredOutcome | SkippedOutcome | FailedOutcome} Outcome */

export {};
