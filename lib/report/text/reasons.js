// Why there is no verdict, and what to do about it, in words.

import { printable } from '../../format/printable.js';
import { findFlag } from '../../format/result-flags.js';

/** @import { Reason } from '../../types/index.js' */

/** @type {Readonly<Record<string, (reason: Reason) => string>>} */
const REASONS = Object.freeze({
  'few-launches': ({ least = 1, of = 'launches' }) => `fewer than ${least} ${of}`,
  'interval-unknown': () => 'interval unknown',
  'no-direction': () => 'neither more nor less of it is better',
  alone: () => 'nothing else to compare',
  'few-responses': () => 'too few responses for this percentile',
  'missing-responses': () => 'responses were missing when the windows closed',
  'limit-in-interval': () => 'its interval contains the limit',
  disturbed: () => 'something else disturbed the machine',
  'no-row-meets-needs': () => 'no row meets the needs',
  'no-row-meets-requirements': () => 'no row meets the requirements',
  'mostly-disturbed': () => 'most launches were disturbed',
  'mostly-unranked': () => 'half of the rows or more are not ranked',
  'breaks-limit': () => 'does not meet the requirements',
  'not-measured': () => 'was not measured',
  'choice-unranked': () => 'the answer so far is not ranked there',
  'cpu-unknown': () => 'its CPU time is unknown',
  'not-compared': () => 'no launch to compare with the reference',
});

/** @param {Reason | null | undefined} reason @returns {string} 'may still be warming up (pipe/json)'; '' for none */
export function reasonText(reason) {
  if (!reason) return '';
  const { code, row } = reason;
  const text = Object.hasOwn(REASONS, code)
    ? REASONS[code](reason)
    : (findFlag(code)?.brief ?? printable(code));
  return row === undefined ? text : `${text} (${printable(row)})`;
}

/** @param {string | null} code   of a flag @returns {string | null} 'use a longer --warmup'; null if there is nothing to do */
export function remedyText(code) {
  return code === null ? null : (findFlag(code)?.unranked ?? null);
}
