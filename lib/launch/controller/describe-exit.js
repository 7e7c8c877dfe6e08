// How a process of a launch ended: the rest of a sentence that begins with its name.

/** @param {number | null} code @param {NodeJS.Signals | null} signal @returns {string} */
export function describeExit(code, signal) {
  if (signal === null) return `ended by itself with exit code ${code}`;
  // Linux kills in the same way when memory runs out.
  const hint = signal === 'SIGKILL' ? ' (by the system, if memory ran out)' : '';
  return `was killed by ${signal}${hint}`;
}
