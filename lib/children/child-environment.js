// The environment of processes that this one starts: brokers, controls, compilers, and programs of others.

const OWN = /^IPC_BENCH_/;
/** Of random length: processes of one launch have it in common, down to the last. */
const PADDING = 'IPC_BENCH_PADDING';

/**
 * URLs with passwords and the secret of agents may stand in variables of ipc-bench. Only the command itself reads those.
 * @param {Record<string, string>} [more]   that the child is told besides
 * @returns {NodeJS.ProcessEnv} the one of this process, without them
 */
export function childEnvironment(more = {}) {
  const own = Object.entries(process.env).filter(([name]) => name === PADDING || !OWN.test(name));
  return { ...Object.fromEntries(own), ...more };
}
