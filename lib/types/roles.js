// What the processes of a launch hand in.

/** @import { ProcessCost, WatchedWork } from './launches.js' */
/** @import { EndpointReport } from './scenarios.js' */

/**
 * How long a worker took to its first verified answer. What the harness does between the parts is in none of them: it loads
 * itself, waits for its order, and makes payloads.
 * @typedef {object} Arrival
 * @property {number} startMs             from the fork to its first line of code
 * @property {number} importMs            loading transport, codec and scenario
 * @property {number} connectMs
 * @property {number} answerMs            from the question to its verified answer
 */

/**
 * What a role hands in when its load is over.
 * @typedef {object} WindowOfRole
 * @property {string} role                'worker', 'master', 'relay'
 * @property {string} id                  'w0', 'master', 'relay'
 * @property {number} openMs              when its window opened
 * @property {number} windowMs            how long it was
 * @property {Arrival | null} arrival     null: it was there before the launch began to connect
 * @property {WatchedWork | null} work           up to then; null: the window did not open
 * @property {ProcessCost | null} cost    within it
 * @property {number} [strangers]         turned away by a role that listens; absent: it does not, or the controller counts them
 */
/**
 * What its endpoint says only where it has it is here empty, null or 0; `operations` is null where another role counts them.
 * @typedef {Required<Omit<EndpointReport, 'latency' | 'sightings' | 'streams' | 'sent' | 'outage' | 'operations' | 'strangers'>> &
 *   Pick<EndpointReport, 'latency' | 'sightings' | 'streams' | 'sent' | 'outage'> &
 *   { operations: number | null } & WindowOfRole} RoleReport
 */

export {};
