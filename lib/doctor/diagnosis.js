// Is this machine fit to measure on? Each check says what it found, what that does to numbers, and the command that mends
// it; nobody runs these commands but the user.

import { BenchError } from '../errors.js';
import { CPU_CHECKS } from './cpu-checks.js';
import { readFacts } from './facts.js';
import { SYSTEM_CHECKS } from './system-checks.js';

/** @import { Facts } from './facts.js' */
/**
 * unfit: numbers would measure this instead of a transport. advice: they would repeat less well, or some not at all.
 * @typedef {'ok' | 'advice' | 'unfit' | 'unknown'} Level
 */
/** @typedef {{ level: Level, found: string, means?: string, mend?: string | null }} Diagnosis   what is ok keeps no advice */
/** @typedef {(facts: Facts) => Diagnosis} Check */
/**
 * @typedef {object} Finding
 * @property {string} check
 * @property {Level} level
 * @property {string} found
 * @property {string | null} means      null: nothing
 * @property {string | null} mend       a command; null: none, or none that helps
 */

/** @param {Facts} facts @returns {Finding[]} one for each check */
export function diagnose(facts) {
  return Object.entries({ ...CPU_CHECKS, ...SYSTEM_CHECKS }).map(([name, check]) => {
    const { level, found, means = null, mend = null } = check(facts);
    const isSick = level === 'advice' || level === 'unfit';
    return { check: name, level, found, means: isSick ? means : null, mend: isSick ? mend : null };
  });
}

/** @throws {BenchError} UNFIT_MACHINE, with every finding that is unfit */
export async function refuseUnfitMachine() {
  const unfit = diagnose(await readFacts({ unavailable: [] })).filter(({ level }) => level === 'unfit');
  if (unfit.length === 0) return;
  const lines = unfit.map(({ check, found, means, mend }) => {
    return `\n  - ${check}: ${found}; ${means}${mend === null ? '' : `\n    ${mend}`}`;
  });
  throw new BenchError(
    'UNFIT_MACHINE',
    `this machine is not fit to measure on:${lines.join('')}\nFix this, or measure anyway without --strict`,
  );
}
