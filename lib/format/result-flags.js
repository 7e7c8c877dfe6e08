// The caveats of measured numbers. Each flag is a marker in the table, a code in the results and a footnote in the chart (U-14).
// `brief` is the form of the default table, `summary` that of --notes. {one} and {many} are operations.

import { formatCount } from './numbers.js';
import { printable } from './printable.js';

const UNKNOWN_MARK = '?';

/**
 * Of one process, until V8 has compiled what a round trip runs. Measured here with its --trace-opt (Node 20, unix/json, 100
 * and 500 a second): it optimises the first functions of the path after 800 round trips, and nearly all after 3,200.
 */
export const WARM_OPERATIONS = 3_000;

/** @type {Readonly<Record<string, { mark: string, brief?: string, summary: string, isNoise?: true }>>} */
export const FLAGS = Object.freeze({
  quick: {
    mark: 'q',
    brief: 'quick run',
    summary: 'quick run: too few launches for a verdict',
  },
  'not-steady': {
    mark: 's',
    brief: 'not stable',
    summary: 'throughput was not stable, or the launches are too few or too noisy to show that it was',
  },
  cold: {
    mark: 'k',
    brief: 'still warming up',
    summary:
      'still warming up: a process had done too little work when the window opened, or throughput kept rising; not ranked; use a longer --warmup',
  },
  'too-few-samples': {
    mark: 'n',
    brief: 'few {many}',
    summary: 'fewer than 1,000 {many} in a launch: use a longer --measure',
  },
  'little-law': {
    mark: 'l',
    brief: 'Little’s law violated',
    summary: 'concurrency, throughput and mean latency do not agree within 2 % (Little’s law)',
  },
  oversubscribed: {
    mark: 'o',
    brief: 'more busy processes than CPUs',
    summary: 'more busy processes than usable CPUs, so they wait for each other',
  },
  bottleneck: {
    mark: 'b',
    brief: 'bottleneck',
    summary: 'one process uses more than 90 % of a core and limits the number',
  },
  free: {
    mark: 'f',
    brief: 'not pinned',
    summary: 'processes could not be pinned to CPUs; the scheduler placed them',
  },
  lost: {
    mark: 'd',
    brief: 'lost or late responses',
    summary: 'responses were lost or late; each timed out after half a second or more',
  },
  'broken-promise': {
    mark: 'p',
    brief: 'guarantee violated',
    summary: 'workers were killed, and the delivery guarantee for their jobs was violated',
  },
  'rejected-connections': {
    mark: 'x',
    brief: 'unauthenticated connections rejected',
    summary: 'unauthenticated connections were rejected during the launch',
  },
  'generator-limited': {
    mark: 'g',
    brief: 'offered rate not sustained',
    summary:
      'offered rate not sustained (below 99 %), or more than 1 % of the sends delayed; no response times',
  },
  'low-rate': {
    mark: 'r',
    brief: 'low rate',
    summary: `fewer than ${formatCount(WARM_OPERATIONS)} {many} per worker: V8 still interprets much of the code, as in a recently started service at such a rate`,
  },
  'harness-limited': {
    mark: 'm',
    brief: 'mostly codec and harness',
    summary: 'mostly codec and harness: without a transport the same loop is less than 10 times as fast',
  },
  amplified: {
    mark: 'a',
    brief: 'extra broker messages',
    summary: 'the broker handled more messages per {one} than its pattern needs',
  },
  'wake-up': {
    mark: 'w',
    brief: 'wake-ups',
    summary:
      'waking sleeping CPUs takes more than half of the median and hides differences between transports',
  },
  'late-network': {
    mark: 'e',
    brief: 'emulated network too slow',
    summary:
      'the emulated network added more than 10 % to its round-trip time or used half of a core, and limits the number',
  },
  crowded: {
    mark: 'c',
    brief: 'other programs',
    isNoise: true,
    summary: 'other programs took more than 5 % of the CPUs that the launch ran on',
  },
  steal: {
    mark: 'v',
    brief: 'other virtual machines',
    isNoise: true,
    summary: 'other virtual machines took more than 5 % of the CPUs that the launch ran on',
  },
  throttled: {
    mark: 't',
    brief: 'throttled',
    isNoise: true,
    summary: 'the control group reached its limit of CPU time',
  },
  frequency: {
    mark: 'h',
    brief: 'lower CPU frequency',
    isNoise: true,
    summary: 'the CPU was more than 5 % slower than in the rest of the run, due to heat or other load',
  },
  stalled: {
    mark: 'z',
    brief: 'master blocked',
    isNoise: true,
    summary: 'the event loop of the master was blocked for more than 5 % of the window',
  },
  interrupted: {
    mark: 'i',
    brief: 'fewer launches',
    summary: 'fewer launches than planned: the run was interrupted, or a shard is missing',
  },
});

/** @param {string} code @returns {(typeof FLAGS)[string] | null} null: of a later version */
export function findFlag(code) {
  return Object.hasOwn(FLAGS, code) ? FLAGS[code] : null;
}

/** @param {string} code */
export function flagMark(code) {
  return findFlag(code)?.mark ?? UNKNOWN_MARK;
}

/**
 * @param {string} code
 * @param {'summary' | 'brief'} length
 * @param {{ one: string, many: string }} operation   that the rows count
 */
export function flagMeaning(code, length, { one, many }) {
  const flag = findFlag(code);
  const text = flag?.[length] ?? flag?.summary ?? `${printable(code)}, a flag of a later version`;
  return text.replace('{one}', one).replace('{many}', many);
}

/**
 * @param {Iterable<string>} codes    each once
 * @param {{ one: string, many: string }} operation
 * @param {ReadonlySet<string>} [shared]   those of all rows, which have no mark
 * @returns {string[]} one line for each
 */
export function flagNotes(codes, operation, shared = new Set()) {
  return [...codes].map((code) => {
    const mark = shared.has(code) ? 'all rows' : flagMark(code);
    return `${mark} = ${flagMeaning(code, 'summary', operation)}.`;
  });
}
