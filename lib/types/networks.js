// What is known of a network between the processes of a launch.

/**
 * A network of our own between master and workers: what a probe said before the launch, and what was counted in the window.
 * @typedef {object} NetworkUse
 * @property {number} roundTripUs         median, between the kernels at its ends
 * @property {number} mtuBytes
 * @property {number} carriedPackets      both ways
 * @property {number} droppedPackets
 * @property {number} meanLateUs          by which packets were delivered later than they should be, each way
 * @property {number} p99LateUs
 * @property {number} share               of one core, that it took
 */

export {};
