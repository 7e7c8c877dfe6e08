// Why there is no verdict, and what to do about it, in words.

import { formatCount } from '../../format/numbers.js';
import { printable } from '../../format/printable.js';
import { findFlag } from '../../format/result-flags.js';

/** @import { Reason } from '../../types/index.js' */

/** @type {Readonly<Record<string, (reason: Reason) => string>>} */
const REASONS = Object.freeze({
  'few-launches': ({ least = 1, of = 'launches' }) => `fewer than ${least} ${of}`,
  // With launches counted, the interval is that of a row, whose ratio may have one nevertheless.
  'interval-unknown': ({ of }) => (of === 'launches' ? 'interval of the value unknown' : 'interval unknown'),
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
  'few-messages': ({ least = 1 }) =>
    `fewer than ${formatCount(least)} messages cannot show what they cost once V8 has compiled the code`,
  'no-sample': () => 'the channel has no sample of messages',
  'sender-not-recorded': () => 'the sender was not recorded',
  'receiver-not-recorded': () => 'the receiver was not recorded',
  'transfers-memory': () => 'the channel transfers memory or ports, which no other mechanism does',
  'reference-skipped': () => 'the present mechanism cannot be measured here',
  'reference-failed': () => 'all launches of the present mechanism failed',
  'replay-failed': () => 'the replay failed',
  'replay-noisy': () => 'the replay is too noisy to be compared with the program',
  'replay-unlike': () => 'the replay is not representative of the program',
  stopped: () => 'measuring was stopped',
  'not-compared': () => 'no launch to compare with the reference',
});

/** Remedies that do not belong to a flag. @type {Readonly<Record<string, string>>} */
const REMEDIES = Object.freeze({
  'add-launches': 'add --launches',
  'quieter-machine': 'try again while nothing else runs; ipc-bench doctor shows what disturbs',
  'record-longer': 'record the program for longer',
  'run-traffic': 'ipc-bench run --traffic shows why',
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

/**
 * @param {string | null} code   of a remedy, or of a flag
 * @returns {string | null} 'use a longer --warmup'; null if there is nothing to do
 */
export function remedyText(code) {
  if (code === null) return null;
  return Object.hasOwn(REMEDIES, code) ? REMEDIES[code] : (findFlag(code)?.unranked ?? null);
}
