// Flags with which V8 is after a second where it otherwise is after many: it optimises the code of master and workers after
// fewer calls, and their young generation begins as great as it ends. What that does to steady rates stands in docs/method.md.

import { spawnSync } from 'node:child_process';
import { setFlagsFromString } from 'node:v8';
import { isMainThread } from 'node:worker_threads';

/** @typedef {import('../types/plans.js').Options['tierUp']} TierUp */
/** @typedef {{ path: string, version: string }} Node   its program */

// Of V8: flags of a version are printed by `node --v8-options`. From Node 22 on calls of a function are counted, 3,000 by default;
// before, the bytes of bytecode that it ran, 67,584 by default, three times over.
const CALLS_COUNTED_SINCE = 22;
const BY_CALLS = '--invocation-count-for-turbofan=400';
const BY_BYTES = '--interrupt-budget=8000';
// MB of each half. V8 begins with 1 and doubles it whenever as much has survived, up to 16: where few objects survive a message,
// that takes seconds, and operations get cheaper by 15 to 30 % on the way.
const GREAT_FROM_THE_START = '--min-semi-space-size=16';

/** @type {Node} */
const THIS = { path: process.execPath, version: process.versions.node };

/** @type {Map<string, string[]>} by the path of a Node */
const known = new Map();

/** @param {TierUp} tierUp @param {Node} [node] @returns that its V8 has under load; none where it does not know them */
export function tierUpFlags(tierUp, { path, version } = THIS) {
  if (tierUp !== 'early') return [];
  const flags = known.get(path);
  if (flags !== undefined) return flags;
  const wanted = [flagOfCalls(version), GREAT_FROM_THE_START];
  known.set(path, isKnown(path, wanted) ? wanted : []);
  return tierUpFlags(tierUp, { path, version });
}

/** @param {TierUp} tierUp @param {Node} [node] @returns {string[]} of its command line: those that V8 reads only as it starts */
export function startFlags(tierUp, node) {
  return tierUpFlags(tierUp, node).filter((flag) => flag === GREAT_FROM_THE_START);
}

/** @param {string} version   of Node @returns {string} */
const flagOfCalls = (version) => (Number.parseInt(version, 10) >= CALLS_COUNTED_SINCE ? BY_CALLS : BY_BYTES);

/**
 * To be called in a process before its load begins, and once it has loaded its modules: on the command line, the flag makes a start
 * take half as long again, since V8 then optimises what runs once, and compiles what Node brings along compiled.
 * @param {TierUp} tierUp
 */
export function optimiseAfterFewerCalls(tierUp) {
  const { bun, deno, node } = process.versions;
  // Flags are those of a process, whichever of its threads sets them.
  if (tierUp !== 'early' || !isMainThread || bun !== undefined || deno !== undefined) return;
  const flag = flagOfCalls(node);
  const [name] = flag.split('=');
  // What this program was given counts more.
  if (!process.execArgv.some((given) => given.startsWith(name))) setFlagsFromString(flag);
}

/** @param {string} path @param {string[]} flags @returns this Node starts with them: it refuses what V8 does not know */
function isKnown(path, flags) {
  return spawnSync(path, [...flags, '--version'], { stdio: 'ignore' }).status === 0;
}
