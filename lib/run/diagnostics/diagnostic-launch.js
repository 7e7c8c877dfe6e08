// What sets a launch apart that is looked into: its assignment and the flags of its processes. A launch that counts is
// none of these.

/** @import { Assignment } from '../../launch/assignment.js' */
/**
 * A launch that is looked into, and slowed down by it: it never counts.
 * @typedef {object} Look
 * @property {string} [profileDir]
 * @property {{ by: NonNullable<Assignment['explained']>, leastMs: number }} [explain]   its round trips, in a window that is no shorter
 * @property {string} [traceDir]   that gets the logs of strace
 * @property {(fields: any) => void} [onDone]   what the master handed in
 */

// A profile takes an inlined function for a piece of its caller, which may stand in another part.
const EXPLAINED_FLAGS = ['--no-turbo-inlining'];

/** @param {string[]} nodeFlags @param {Look} look @returns {string[]} */
export function diagnosticFlags(nodeFlags, { explain }) {
  return explain?.by === 'functions' ? [...nodeFlags, ...EXPLAINED_FLAGS] : nodeFlags;
}

/** @param {Assignment} assignment @param {Look} look @returns {Assignment} */
export function runDiagnosticLaunch(assignment, { profileDir, explain }) {
  if (profileDir === undefined) return assignment;
  if (explain === undefined) return { ...assignment, profileDir };
  const { timing, deadlines } = assignment;
  const measureMs = Math.max(timing.measureMs, explain.leastMs);
  return {
    ...assignment,
    profileDir,
    explained: explain.by,
    timing: { ...timing, messages: null, measureMs },
    deadlines: { ...deadlines, lifeMs: deadlines.lifeMs + measureMs },
  };
}
