// How long a worker may take to be let in by the master.

/** More for each process that starts beside it: a hundred of them take turns on the CPUs. */
export const START_MS_PER_WORKER = 150;
const JOINING_MS = 5_000; // it takes some milliseconds

/** @param {Pick<import('../types/transports.js').GuestContext, 'workers'>} guest @returns {number} */
export function joiningMs({ workers = 0 }) {
  return JOINING_MS + workers * START_MS_PER_WORKER;
}
