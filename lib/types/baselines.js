// The floor of a run: what programs in C make of the same bytes.

/** @import { Count, LongText, NonNegative, Positive } from './scalars.js' */
/** @import { PlacementMode } from './plans.js' */

/**
 * What one launch of the floor made, in a block of the run.
 * @typedef {object} FloorLaunch
 * @property {Count} block
 * @property {number} perSecond           verified answers
 * @property {{ master: NonNegative, workers: NonNegative } | null} cpuUs   of each answer; null: this system does not tell
 */

/** @typedef {{ block: Count, code: string, message: LongText }} FailedFloorLaunch */

/**
 * Programs in C that put the same bytes through the same mechanism: a payload behind a header of four bytes.
 * @typedef {object} FloorRow
 * @property {'pipe' | 'unix' | 'tcp' | 'memory'} mechanism
 * @property {boolean} coalesces          answers that can go in one write do; false: each goes in its own
 * @property {boolean} spins              who waits keeps looking; false: it sleeps
 * @property {Positive} payloadBytes
 * @property {Positive} workers
 * @property {Positive} loops
 * @property {PlacementMode} placement
 * @property {LongText[]} cells           labels of those whose floor it is
 * @property {(FloorLaunch | FailedFloorLaunch)[]} launches   in the same blocks as those of the cells
 */

/** @typedef {{ rows: FloorRow[], without: { reason: LongText, cells: LongText[] }[] }} Floor   without: labels of cells that have none */

export {};
