// What a comparison means for a build: the exit code, and why in one sentence. It fails on what is certain only.

import { exitCode } from '../../errors.js';
import { listed } from '../../format/lists.js';
import { FAIL_REASONS } from '../../options/flags.js';

/** @import { FailReason } from '../../options/flags.js' */
/** @import { Comparison } from '../../types/index.js' */

/** @type {Readonly<Record<FailReason, string>>} the name of the exit code of each */
const EXIT_NAMES = Object.freeze({ slower: 'slower', missing: 'failed', inconclusive: 'inconclusive' });

/**
 * Runs that were made one after another on different machines differ by the machines as well: no build fails by that
 * unless the user insists.
 * @param {Comparison} comparison
 * @param {readonly FailReason[]} failOn
 * @returns {{ exitCode: number, why: string | null }} why: it fails, or does not although something is slower
 */
export function evaluateGate(comparison, failOn) {
  const { rows, missing, design, machineDifferences, isForced } = comparison;
  const slower = rows.filter(({ verdict, isBeyond }) => verdict === 'slower' && isBeyond).length;
  const mustNotFail = design === 'separate' && machineDifferences.length > 0 && !isForced;
  const counts = {
    slower: mustNotFail ? 0 : slower,
    missing: missing.length,
    inconclusive:
      rows.filter(({ verdict }) => verdict === 'inconclusive').length + (mustNotFail ? slower : 0),
  };
  const failure = FAIL_REASONS.find((reason) => failOn.includes(reason) && counts[reason] > 0);
  const refused =
    mustNotFail && slower > 0 && failOn.includes('slower')
      ? `No failure for what is slower: the runs were not interleaved and come from different machines (${listed(machineDifferences, 2)}). Run both on one machine, or add --force.`
      : null;
  if (failure === undefined) return { exitCode: 0, why: refused };
  const code = exitCode(EXIT_NAMES[failure]);
  const why = `Failed with exit code ${code}: --fail-on ${failure}, and ${counts[failure]} of ${rows.length + missing.length} cells ${counts[failure] === 1 ? 'is' : 'are'}.`;
  return { exitCode: code, why: refused === null ? why : `${why} ${refused}` };
}
