// The floor of a run: what programs in C make of the same bytes.

/** @import { PlacementMode } from './plans.js' */
/** @import { Traits } from './transports.js' */

/**
 * What one launch of the floor made, in a block of the run.
 * @typedef {object} FloorLaunch
 * @property {number} block
 * @property {number} perSecond           verified answers
 * @property {{ master: number, workers: number } | null} cpuUs   of each answer; null: this system does not tell
 */

/** @typedef {{ block: number, code: string, message: string }} FailedFloorLaunch */

/**
 * Programs in C that put the same bytes through the same mechanism: a payload behind a header of four bytes.
 * @typedef {object} FloorRow
 * @property {NonNullable<Traits['mechanism']>} mechanism
 * @property {boolean} coalesces          answers that can go in one write do; false: each goes in its own
 * @property {boolean} spins              who waits keeps looking; false: it sleeps
 * @property {number} payloadBytes
 * @property {number} workers
 * @property {number} loops
 * @property {PlacementMode} placement
 * @property {string[]} cells             labels of those whose floor it is
 * @property {(FloorLaunch | FailedFloorLaunch)[]} launches   in the same blocks as those of the cells
 */

/** @typedef {{ rows: FloorRow[], without: { reason: string, cells: string[] }[] }} Floor   without: labels of cells that have none */

export {};
