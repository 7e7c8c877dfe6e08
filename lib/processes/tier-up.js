// Flags with which V8 is after a second where it otherwise is after many: it optimises the code of master and workers after
// fewer calls, and their young generation begins as great as it ends. What that does to steady rates stands in docs/warm-up.md.

import { spawnSync } from 'node:child_process';

/** @typedef {import('../types/plans.js').Options['tierUp']} TierUp */

// Of V8: flags of a version are printed by `node --v8-options`. From 12 on (Node 22) calls of a function are counted, 3,000 by default;
// before, the bytes of bytecode that it ran, 67,584 by default, three times over.
const CALLS_COUNTED_SINCE = 12;
const BY_CALLS = ['--invocation-count-for-turbofan=400'];
const BY_BYTES = ['--interrupt-budget=8000'];
// MB of each half. V8 begins with 1 and doubles it whenever as much has survived, up to 16: where few objects survive a message,
// that takes seconds, and operations get cheaper by 15 to 30 % on the way.
const GREAT_FROM_THE_START = '--min-semi-space-size=16';

/** @type {string[] | undefined} */
let known;

/** @param {TierUp} tierUp @returns {string[]} of Node's command line; none where this Node does not know them */
export function tierUpFlags(tierUp) {
  if (tierUp !== 'early') return [];
  const early = Number.parseInt(process.versions.v8 ?? '', 10) >= CALLS_COUNTED_SINCE ? BY_CALLS : BY_BYTES;
  const flags = [...early, GREAT_FROM_THE_START];
  known ??= isKnown(flags) ? flags : [];
  return known;
}

/** @param {string[]} flags @returns {boolean} Node starts with them: it refuses what V8 does not know */
function isKnown(flags) {
  return spawnSync(process.execPath, [...flags, '--version'], { stdio: 'ignore' }).status === 0;
}
