// What a user needs, and what measured results answer to it.

/** @import { Estimate, MeasuredLaunch } from './launches.js' */

/** @import { MeasuredOutcome, Results, SustainedRate, Sweep } from './results-file.js' */
/** @import { Cell, Shape, Slo } from './plans.js' */

/** @import { Traits } from './transports.js' */

/** @typedef {Partial<Omit<Traits, 'class' | 'broker' | 'messagesPerRoundTrip'>> & { class?: string, broker?: string | null }} KnownTraits   what is absent is
 *   not known, or has its usual value */

/**
 * @typedef {object} Crossover
 * @property {number} estimate
 * @property {number} low      up to here one of them is cheaper
 * @property {number} high     from here on the other is
 * @property {boolean} isCheaperAbove   the one whose `costs` these are; else the other
 */

/**
 * @typedef {object} Request
 * @property {string[]} needs             words of --need
 * @property {number | null} ratePerSecond   null: as fast as it goes
 * @property {number | null} payloadBytes    null: the one that was measured, or the least
 * @property {Shape | null} shape            null: the one that was measured, or the first
 * @property {string | null} scenario        null: the one that was measured, or the first
 * @property {Slo | null} slo
 * @property {number} minEffect              differences below this share nobody notices: 0.05
 * @property {Merit['name']} by
 */

/** @typedef {{ name: string, results: Results }} Source   a results file, and what the user calls it */

/**
 * What is compared. speed: the headline of the scenario; cpu: CPU time of an operation in all processes; master: of the master.
 * @typedef {object} Merit
 * @property {'speed' | 'cpu' | 'master'} name
 * @property {(outcome: MeasuredOutcome, launch: MeasuredLaunch) => number} costOf   of an operation: the less, the better; NaN: not told
 */

/** @typedef {'payloadBytes' | 'workers' | 'loops' | 'connections' | 'ratePerSecond'} AxisName   a property of cells */

/**
 * A row at a place of an axis. Blocks of one run pair with blocks of the same run only.
 * @typedef {object} Place
 * @property {number} x
 * @property {{ run: number, outcome: MeasuredOutcome }[]} measured   at least one; most often of one run
 */

/**
 * @typedef {object} Candidate
 * @property {string} name                'unix:flush=tick/json'
 * @property {Cell} cell                  at the place that was asked for, or near it
 * @property {KnownTraits} traits
 * @property {Place} at                   at the payload that was asked for, or near it
 * @property {Record<AxisName, Place[]>} along   ascending: what differs in this axis alone
 * @property {MeasuredOutcome[]} closed   at that place, by closed loops
 * @property {MeasuredOutcome[]} open     under open load there, the lowest rate first
 * @property {Sweep[]} sweeps             of it
 */

/**
 * Whether the promise is kept. `sustained`: the rate that nine launches of ten sustain, by all launches under open load after a
 * sweep; `open`: response times under open load at `ratePerSecond`; `capacity`: closed loops did so many per second, which says
 * nothing of response times; `none`: nothing was asked, or told.
 * @typedef {object} Kept
 * @property {'yes' | 'no' | 'unclear'} verdict
 * @property {'sustained' | 'open' | 'capacity' | 'none'} evidence
 * @property {number | null} ratePerSecond   of the evidence; null: none of a single rate
 * @property {Estimate | null} number     open: the percentile, µs; capacity: operations per second; null: not told
 * @property {SustainedRate | null} sustained   of `sustained`; null: no launch kept the limit, or other evidence
 * @property {string} why                 without a number: it is not kept, or that cannot be told; '' where there is no more to say
 */

/**
 * @typedef {object} Judged               a candidate that can do it
 * @property {Candidate} candidate
 * @property {Kept} kept
 * @property {Estimate | null} cost       of an operation, by the merit; null: not told
 * @property {number | null} cpuUs        CPU time of an operation, all processes but those that spin to send by a plan; null: not told
 * @property {number | null} coreShare    of that at the rate asked for; null: there is none
 * @property {number | null} memoryBytes
 * @property {Estimate | null} ratio      its cost, times that of the choice; null: it is the choice, or they share no blocks
 * @property {'alike' | 'unclear' | 'worse' | 'none'} standing   beside the choice. alike: no difference that one would notice; unclear:
 *                                        it cannot be told from it; none: no verdict, or it is the choice
 */

/**
 * How sure the choice is. best: proven better than all others; alike: what is better is so by less than one would notice; unclear:
 * others cannot be told from it; only: nothing else can do it; none: no verdict, for want of launches or of candidates.
 * @typedef {'best' | 'alike' | 'unclear' | 'only' | 'none'} Certainty
 */

/**
 * @typedef {object} Recommendation
 * @property {Request} request
 * @property {Evidence} evidence
 * @property {Certainty} certainty
 * @property {Judged | null} choice       null: nothing keeps it
 * @property {Judged | null} runnerUp
 * @property {Judged[]} judged            all others: first those that come near, then by their cost
 * @property {Candidate[]} unranked       others that are quick, cold or launched too seldom
 * @property {Judged[]} broken            that do not keep the promise
 * @property {{ why: string, names: string[] }[]} leftOut   by their traits
 */

/** @typedef {Pick<Cell, AxisName>} Spot   the place that was asked for, as it was measured */

/**
 * @typedef {object} Evidence
 * @property {Candidate[]} candidates
 * @property {Spot} spot
 * @property {Cell} question
 * @property {number | null} rate      of open load, at which candidates are compared; null: by closed loops
 * @property {string[]} unmeasured     rows that have nothing at that place and rate
 * @property {number} others           rows that were measured in another manner
 */

/**
 * What was measured of both at one place.
 * @typedef {object} CrossoverPoint
 * @property {number} x          above 0
 * @property {number[]} costs    of one operation, along a rate of all of a second, one for each block, all above 0
 * @property {number[]} others   of the other, of the same blocks in the same order
 */

export {};
