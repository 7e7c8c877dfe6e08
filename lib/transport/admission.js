// Who is let into a launch: the token, the time to join, and the names of connections.

import { timingSafeEqual } from 'node:crypto';

/** @param {string} given @param {string} expected */
export function isSameToken(given, expected) {
  const givenBytes = Buffer.from(given);
  const expectedBytes = Buffer.from(expected);
  return givenBytes.length === expectedBytes.length && timingSafeEqual(givenBytes, expectedBytes);
}

// How long a worker may take to be let in by the master.

/**
 * More for each process that starts beside it. A start takes 0.1 to 0.15 s of CPU time, and a machine that other programs
 * keep busy gives a quarter of its CPUs; a process that dies meanwhile is noticed at once, whatever the deadline.
 */
export const START_MS_PER_WORKER = 600;
const JOINING_MS = 5_000; // it takes some milliseconds

/** @param {Pick<import('../types/transports.js').GuestContext, 'workers'>} guest */
export function joiningMs({ workers = 0 }) {
  return JOINING_MS + workers * START_MS_PER_WORKER;
}

// The first connection of a worker bears its name, 'w0'; further ones are 'w0c1', 'w0c2' and so on.

const FURTHER = /^w\d+c\d+$/;

/** @param {string} connectionId @returns {boolean} its worker is connected already */
export function isFurther(connectionId) {
  return FURTHER.test(connectionId);
}
