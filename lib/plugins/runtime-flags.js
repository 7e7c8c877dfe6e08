// Flags of a runtime's command line, as of V8. The program is started with them before anything is measured: a launch that dies
// of one says less.

import { fileURLToPath } from 'node:url';
import { argsOf } from '../cell/runtime-text.js';
import { BenchError } from '../errors.js';
import { programOutput } from '../processes/program-output.js';
import { printable } from '../words/printable.js';
import { quoted } from '../words/quoted.js';

/** @import { FoundRuntime } from '../types/index.js' */

const DEADLINE_MS = 10_000; // some 50 ms, and longer on a busy machine
const DOES_NOTHING = fileURLToPath(new URL('../errors.js', import.meta.url)); // a module that only exports

/**
 * @param {FoundRuntime} one
 * @param {string[]} flags   at least one
 * @returns {Promise<FoundRuntime>}
 * @throws {BenchError} BAD_ARGUMENT: it does not start with them
 */
export async function withFlags(one, flags) {
  const name = [one.name, ...flags].join(' ');
  const place = `--runtime ${quoted(name)}`;
  if (one.runtime.speaks !== 'modules')
    throw new BenchError('BAD_ARGUMENT', `${place}: a program in another language takes no flags`);
  const found = { ...one, name, flags };
  const why = await whyNotStarted(found.path, argsOf(found));
  if (why !== null) throw new BenchError('BAD_ARGUMENT', `${place}: it does not start: ${why}`);
  return found;
}

/**
 * @param {string} path
 * @param {string[]} args   that stand before a module
 * @returns {Promise<string | null>} what it says of them; null: it runs a module with them
 */
async function whyNotStarted(path, args) {
  const { stderr, how } = await programOutput(path, [...args, DOES_NOTHING], DEADLINE_MS);
  return how === null ? null : printable(stderr.trim().split('\n')[0].replace(`${path}: `, '') || how);
}
