// What a scenario counts and measures, as data: every table, chart, verdict and export takes its words, columns and
// directions from here.

/** @import { MeasureName, Name } from './scalars.js' */
/** @import { FurtherColumn } from './reports.js' */
/** @import { Cell } from './plans.js' */
/** @import { BrokerTraffic, Estimate, Latency, ProcessCost } from './launches.js' */
/** @import { LatencySummary } from './outcomes.js' */
/** @import { RoleReport } from './roles.js' */

/**
 * What a scenario counts, in the words of every sentence about it: 'connection', 'connections', 'made'. `toAll`: what goes to all
 * workers, and is counted at each of them: 'message'; absent: each operation is of one worker.
 * @typedef {{ one: Name, many: Name, done: Name, toAll?: Name }} Operation
 */

/**
 * A named number of a scenario, as a results file keeps it.
 * @typedef {object} MeasureFacts
 * @property {MeasureName} name           its key in results and CSV: 'roundTripsPerSecond'
 * @property {Name} title                 'round trips per second'; without its unit, unless the unit is 'per second'
 * @property {'per second' | 'MB/s' | 'µs' | 'bytes' | 'count' | 'share'} unit   of times in a launch: nanoseconds
 * @property {'higher' | 'lower' | null} better   null: it is shown, and nothing is ranked by it
 * @property {'value' | 'times'} kind     one number for each launch, or one histogram
 * @property {'linear'} [scale]           of a value: it may be 0 or less, and is estimated without logarithms; absent: it is never negative,
 *                                        as a headline is always above 0
 * @property {FurtherColumn} [column]     of --columns, which shows it; absent: a first look has it
 * @property {Name} [of]                  what its column shares with its neighbours: 'payload'
 * @property {MeasureName} [beside]       of a value: the name of the headline beside which it is drawn; their units are the same
 * @property {MeasureName} [partOf]       of a value: the name of the measure that it adds up to with others, drawn as one bar
 */

/**
 * How a measure is read is code, and stays out of the file.
 * @typedef {MeasureFacts & { read: (reports: readonly RoleReport[], cell: Cell, costs: readonly ProcessCost[], traffic?: BrokerTraffic | null) => number | Latency[] | Float64Array | null }} Measure
 *   pure, once for each launch: where it throws, or gives anything else, the launch fails; `reports` are of all roles; of times those of each process, or all of them, each in ns; null: this
 *   launch has none; `costs` are of all processes of the launch, in its window; `traffic` is what passed its broker for each operation;
 *   null, or absent: there is none, or it does not tell
 */

/** @typedef {{ name: Name, bytes: number, question: Name }} PiecesFacts   as of Carries; `question`: its scenario, however many pieces */

/**
 * @typedef {{ operation: Operation, measures: MeasureFacts[], roundTrips?: number | null, addsTo?: string, pieces?: PiecesFacts }} ScenarioFacts
 *   the headline first; `roundTrips` and `addsTo` as in Scenario
 */

/**
 * What all launches of a cell say of a measure. Of a value the estimate has launches as samples; times are in µs.
 * @typedef {MeasureFacts & Estimate & { kind: 'value' }} MeasuredValue
 * @typedef {MeasureFacts & LatencySummary & { kind: 'times' }} MeasuredTimes
 */

export {};
