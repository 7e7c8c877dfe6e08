// The V8 flag that shortens the warm-up from many seconds to about one: code of master and workers is optimised after fewer calls.
// docs/method.md describes the effect on steady rates.

import { spawnSync } from 'node:child_process';
import { setFlagsFromString } from 'node:v8';
import { isMainThread } from 'node:worker_threads';

/** @typedef {import('../types/plans.js').Options['tierUp']} TierUp */
/** @typedef {{ path: string, version: string }} Node   path: executable */

// `node --v8-options` prints the flags of a version. Since Node 22, V8 counts the calls of a function (3,000 by default). Older versions
// count the bytes of bytecode that a function executes, and optimise the function when it has used up its budget (67,584 by default) three
// times.
const CALLS_COUNTED_SINCE = 22;
const BY_CALLS = '--invocation-count-for-turbofan=400';
const BY_BYTES = '--interrupt-budget=8000';
export const TIER_UP_FLAGS = [BY_CALLS, BY_BYTES];

/** @type {Node} */
const THIS = { path: process.execPath, version: process.versions.node };

/** @type {Map<string, string[]>} accepted flags; a key has the path of a Node and the flag of its version */
const known = new Map();

/**
 * @param {TierUp} tierUp
 * @param {Node} [node]
 * @returns V8 flags that a process under load sets once its modules are loaded; empty unless `tierUp` is 'early' and `node` accepts them
 */
export function tierUpFlags(tierUp, { path, version } = THIS) {
  if (tierUp !== 'early') return [];
  const wanted = flagOfCalls(version);
  const key = `${path} ${wanted}`;
  const flags = known.get(key) ?? (isKnown(path, wanted) ? [wanted] : []);
  known.set(key, flags);
  return flags;
}

/** @param {string} version   of Node @returns {string} */
const flagOfCalls = (version) => (Number.parseInt(version, 10) >= CALLS_COUNTED_SINCE ? BY_CALLS : BY_BYTES);

/**
 * To be called after a process has loaded its modules and before its load begins. On the command line, the flag makes a start 50 % longer,
 * since V8 then optimises code that runs once, and compiles code that Node contains in compiled form.
 * @param {TierUp} tierUp
 */
export function optimiseAfterFewerCalls(tierUp) {
  const { bun, deno, node } = process.versions;
  // Flags apply to the whole process, whichever thread sets them.
  if (tierUp !== 'early' || !isMainThread || bun !== undefined || deno !== undefined) return;
  const flag = flagOfCalls(node);
  const [name] = flag.split('=');
  // The user's flags take precedence.
  if (!process.execArgv.some((given) => given.startsWith(name))) setFlagsFromString(flag);
}

/** @param {string} path @param {string} flag @returns whether the Node at that path accepts the flag */
function isKnown(path, flag) {
  return spawnSync(path, [flag, '--version'], { stdio: 'ignore' }).status === 0;
}
