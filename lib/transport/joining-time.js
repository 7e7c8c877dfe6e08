// How long a worker may take to be let in by the master.

/**
 * More for each process that starts beside it. A start takes 0.1 to 0.15 s of CPU time, and a machine that other programs
 * keep busy gives a quarter of its CPUs; a process that dies meanwhile is noticed at once, whatever the deadline.
 */
export const START_MS_PER_WORKER = 600;
const JOINING_MS = 5_000; // it takes some milliseconds

/** @param {Pick<import('../types/transports.js').GuestContext, 'workers'>} guest @returns {number} */
export function joiningMs({ workers = 0 }) {
  return JOINING_MS + workers * START_MS_PER_WORKER;
}
