// Flags of launches and rows. A fault is shown in its row; a property in a column, or in one sentence below the table for all rows. Results
// contain the codes of flags. `brief` is for rows and captions, `summary` for --notes; {one} and {many} are nouns of the operation.

import { formatCount } from './numbers.js';
import { printable } from './printable.js';

/**
 * Operations of one process until V8 has compiled the code of a round trip. Measured with --trace-opt (Node 20, unix/json, 100 and
 * 500 per second): V8 optimises the first functions after 800 round trips, and nearly all after 3,200.
 */
export const WARM_OPERATIONS = 3_000;

/** Printed in a row instead of the texts of all flags of noise. */
export const DISTURBED = 'disturbed';

/**
 * @typedef {object} FlagFacts
 * @property {'fault' | 'property'} kind
 * @property {string} brief
 * @property {string} summary
 * @property {true} [isNoise]
 * @property {string} [unranked]   remedy; rows with this flag are not ranked
 */

/** @type {Readonly<Record<string, FlagFacts>>} */
export const RESULT_FLAGS = Object.freeze({
  quick: {
    kind: 'property',
    brief: 'a quick run',
    summary: 'too few launches for a verdict',
    unranked: 'measure without --quick',
  },
  'not-steady': {
    kind: 'fault',
    brief: 'not stable',
    summary: 'throughput changed during the window, or had not settled before it',
  },
  cold: {
    kind: 'fault',
    brief: 'may still be warming up',
    summary: 'a process had done too little work when the window opened, or throughput kept rising',
    unranked: 'use a longer --warmup',
  },
  'too-few-samples': {
    kind: 'fault',
    brief: 'few {many}',
    summary: 'fewer than 1,000 {many} in a launch: use a longer --measure',
  },
  'little-law': {
    kind: 'fault',
    brief: 'Little’s law violated',
    summary:
      'concurrency, throughput and mean latency do not agree within 2 %, so the clock or a count may be wrong',
    unranked: 'run ipc-bench doctor, which checks the clock',
  },
  oversubscribed: {
    kind: 'property',
    brief: 'more processes than CPUs',
    summary: 'there are more processes than CPUs, and they use more than 75 % of these',
  },
  bottleneck: {
    kind: 'property',
    brief: 'limited by one process',
    summary: 'one process uses more than 90 % of a core and limits the number',
  },
  blocked: {
    kind: 'property',
    brief: 'event loop of the master stood still',
    summary:
      'the event loop of the master stood still for more than 5 % of the window, and requests waited for it: its code ran or slept, or the process was stopped meanwhile',
  },
  free: {
    kind: 'property',
    brief: 'not pinned',
    summary: 'processes could not be pinned to CPUs; the scheduler placed them',
  },
  lost: {
    kind: 'fault',
    brief: 'lost or late responses',
    summary: 'responses were lost or late, and each timed out after half a second or more',
    unranked: 'use fewer loops or a lower rate, so that no response is lost',
  },
  'broken-promise': {
    kind: 'fault',
    brief: 'guarantee violated',
    summary: 'workers were killed, and the delivery guarantee for their jobs was violated',
    unranked: 'use a setting with a stronger guarantee',
  },
  'rejected-connections': {
    kind: 'fault',
    brief: 'unauthenticated connections rejected',
    summary: 'unauthenticated connections were rejected during the launch',
  },
  'generator-limited': {
    kind: 'fault',
    brief: 'offered rate not sustained',
    summary:
      'the senders sent less than 99 % of the offered rate though the channel had room, or 100,000 requests were in flight; no response times',
    unranked: 'use a lower --rate',
  },
  'low-rate': {
    kind: 'property',
    brief: 'few {many} before the window',
    summary: `fewer than ${formatCount(WARM_OPERATIONS)} {many} per worker before the window: V8 may still interpret part of the code, as in a service that has just started`,
  },
  'harness-limited': {
    kind: 'property',
    brief: 'much codec and harness',
    summary: 'without a transport the same loop is less than 10 times as fast',
  },
  amplified: {
    kind: 'fault',
    brief: 'extra broker messages',
    summary: 'the broker handled more messages per {one} than its pattern needs',
  },
  'wake-up': {
    kind: 'property',
    brief: 'mostly wake-ups',
    summary:
      'waking sleeping CPUs takes more than half of the median and hides differences between transports',
  },
  'late-network': {
    kind: 'fault',
    brief: 'emulated network too slow',
    summary:
      'the emulated network added more than 10 % to its round-trip time or used half of a core, and limits the number',
    unranked: 'emulate less bandwidth or a longer delay',
  },
  crowded: {
    kind: 'fault',
    brief: 'other programs',
    isNoise: true,
    summary: 'other programs took more than 5 % of the CPUs that the launch ran on',
  },
  steal: {
    kind: 'fault',
    brief: 'other virtual machines',
    isNoise: true,
    summary: 'other virtual machines took more than 5 % of the CPUs that the launch ran on',
  },
  throttled: {
    kind: 'fault',
    brief: 'CPU limit of the control group',
    isNoise: true,
    summary: 'the control group reached its limit of CPU time',
  },
  frequency: {
    kind: 'fault',
    brief: 'a slower CPU',
    isNoise: true,
    summary:
      'a fixed piece of work took more than 10 % longer than in the rest of the run, due to heat or other load',
  },
  stalled: {
    kind: 'fault',
    brief: 'stopped master',
    isNoise: true,
    summary:
      'the master was stopped, or waited for a CPU, for more than 5 % of the window at once, and the responses waited for it',
  },
  interrupted: {
    kind: 'fault',
    brief: 'fewer launches',
    summary: 'fewer launches than planned, because the run was interrupted',
  },
});

/** @param {string} code @returns {FlagFacts | null} null for a flag of a later version */
export function findFlag(code) {
  return Object.hasOwn(RESULT_FLAGS, code) ? RESULT_FLAGS[code] : null;
}

/** @param {string} code @returns {boolean} also true for unknown flags of a later version */
export function isFault(code) {
  return findFlag(code)?.kind !== 'property';
}

/** @param {string} code @returns {boolean} true if it reports a disturbance by other programs or by the machine */
export function isNoise(code) {
  return findFlag(code)?.isNoise === true;
}

/**
 * @param {string} code
 * @param {'summary' | 'brief'} length
 * @param {{ one: string, many: string }} operation
 */
export function flagMeaning(code, length, { one, many }) {
  const text = findFlag(code)?.[length] ?? `${printable(code)}, a flag of a later version`;
  return text.replace('{one}', one).replace('{many}', many);
}

/**
 * @param {string[]} codes
 * @param {{ one: string, many: string }} operation
 * @returns {string[]} the texts of the faults for a row, without duplicates
 */
export function faultTexts(codes, operation) {
  const texts = codes.filter(isFault).map((code) => faultText(code, operation));
  return [...new Set(texts)];
}

/**
 * @param {string} code
 * @param {{ one: string, many: string }} operation
 * @returns {string} 'disturbed' for every kind of noise, otherwise the brief meaning of the flag
 */
export function faultText(code, operation) {
  return isNoise(code) ? DISTURBED : flagMeaning(code, 'brief', operation);
}

/**
 * @param {Iterable<string>} codes   without duplicates
 * @param {{ one: string, many: string }} operation
 * @returns {string[]} a line per code: 'may still be warming up = a process had done too little work …'
 */
export function flagNotes(codes, operation) {
  return [...codes].map((code) => {
    const brief = flagMeaning(code, 'brief', operation);
    const term = isNoise(code) ? `${DISTURBED} (${brief})` : brief;
    const flag = findFlag(code);
    if (flag === null) return `${term}.`;
    const next = flag.unranked === undefined ? '' : `; not ranked: ${flag.unranked}`;
    return `${term} = ${flagMeaning(code, 'summary', operation)}${next}.`;
  });
}
