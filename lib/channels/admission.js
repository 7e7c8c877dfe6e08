// Admission of a worker to a launch: the token, the deadline, and the names of connections.

import { timingSafeEqual } from 'node:crypto';

/** @param {string} given @param {string} expected */
export function isSameToken(given, expected) {
  const givenBytes = Buffer.from(given);
  const expectedBytes = Buffer.from(expected);
  return givenBytes.length === expectedBytes.length && timingSafeEqual(givenBytes, expectedBytes);
}

/**
 * Added to the deadline for each process that starts at the same time. A start takes 0.1 to 0.15 s of CPU time, and on a busy machine only
 * a quarter of a CPU may be free for it. A process that ends is detected at once, so a long deadline does no harm.
 */
export const START_MS_PER_WORKER = 600;
const JOINING_MS = 5_000; // joining usually takes a few milliseconds

/**
 * @returns {number} deadline for the admission of a worker, in ms
 * @param {Pick<import('../types/transports.js').GuestContext, 'workers'>} guest
 */
export function joiningMs({ workers = 0 }) {
  return JOINING_MS + workers * START_MS_PER_WORKER;
}

// The first connection of a worker has the name of the worker, such as 'w0'; further ones are 'w0c1', 'w0c2' and so on.

const FURTHER = /^w\d+c\d+$/;

/** @param {string} connectionId @returns {boolean} true unless it is the first connection of its worker */
export function isFurther(connectionId) {
  return FURTHER.test(connectionId);
}
