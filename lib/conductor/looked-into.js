// What sets a launch apart that is looked into: its assignment and the flags of its processes. A launch that counts is
// none of these.

/** @import { Assignment } from '../launch/assignment.js' */
/**
 * A launch that is looked into, and slowed down by it: it never counts.
 * @typedef {object} Look
 * @property {string} [profileDir]
 * @property {number} [explainMs]   the least window of a launch whose round trips are to be explained
 * @property {string} [traceDir]   that gets the logs of strace
 * @property {(fields: any) => void} [onDone]   what the master handed in
 */

// A profile takes an inlined function for a piece of its caller, which may stand in another part.
const EXPLAINED_FLAGS = ['--no-turbo-inlining'];

/** @param {string[]} nodeFlags @param {Look} look @returns {string[]} */
export function flagsToLook(nodeFlags, { explainMs }) {
  return explainMs === undefined ? nodeFlags : [...nodeFlags, ...EXPLAINED_FLAGS];
}

/** @param {Assignment} assignment @param {Look} look @returns {Assignment} */
export function lookedInto(assignment, { profileDir, explainMs }) {
  if (profileDir === undefined) return assignment;
  if (explainMs === undefined) return { ...assignment, profileDir };
  const { timing, deadlines } = assignment;
  const measureMs = Math.max(timing.measureMs, explainMs);
  return {
    ...{ ...assignment, profileDir, isExplained: true },
    timing: { ...timing, messages: null, measureMs },
    deadlines: { ...deadlines, lifeMs: deadlines.lifeMs + measureMs },
  };
}
