// What is known of a network between the processes of a launch.

/** @import { Count, NonNegative, Positive } from './scalars.js' */

/**
 * An emulated network between master and workers: what a probe said before the launch, and what was counted in the window.
 * @typedef {object} NetworkUse
 * @property {number} roundTripUs         median, between the kernels at its ends
 * @property {Positive} mtuBytes
 * @property {Count} carriedPackets       both ways
 * @property {Count} droppedPackets
 * @property {NonNegative} meanLateUs     by which packets were delivered later than they should be, each way
 * @property {NonNegative} p99LateUs
 * @property {NonNegative} share          of one core, that it took
 */

export {};
