// What can be wrong with a number that was measured all the same. Each flag is a marker in the table, a code in the
// results and a footnote in the chart (U-14). `brief` is what a first look has room for. {one} and {many} are operations.

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
    summary: 'quick run: too few launches for a verdict; a ratio only where they agree within 10 %',
  },
  'not-steady': {
    mark: 's',
    brief: 'not steady',
    summary:
      'a steady state was not reached before the window, was left within it, or cannot be shown by so few or noisy launches',
  },
  cold: {
    mark: 'k',
    brief: 'still warming up',
    summary:
      'still warming up: a process had not worked enough when the window opened, or the windows got faster; not ranked, use a longer --warmup',
  },
  'too-few-samples': {
    mark: 'n',
    brief: 'few {many}',
    summary: 'fewer than 1,000 {many} in a launch: use a longer --measure',
  },
  'little-law': {
    mark: 'l',
    brief: 'against Little’s law',
    summary: 'loops, throughput and mean latency do not agree within 2 % (Little’s law)',
  },
  oversubscribed: {
    mark: 'o',
    brief: 'too few CPUs',
    summary: 'more busy processes than usable CPUs: they wait for each other',
  },
  bottleneck: {
    mark: 'b',
    brief: 'bottleneck',
    summary: 'one process is above 90 % of a core: the number measures that process',
  },
  free: {
    mark: 'f',
    brief: 'not pinned',
    summary: 'processes could not be pinned as asked: the scheduler placed them',
  },
  lost: {
    mark: 'd',
    brief: 'lost or late answers',
    summary: 'answers that did not come, or not in time: each cost its loop half a second or more',
  },
  'broken-promise': {
    mark: 'p',
    brief: 'promise not kept',
    summary: 'workers were killed, and what is promised of their jobs was not kept',
  },
  strangers: {
    mark: 'x',
    brief: 'strangers turned away',
    summary: 'somebody else connected to the launch and was turned away',
  },
  'generator-limited': {
    mark: 'g',
    brief: 'plan not kept',
    summary:
      'the plan was not kept: below 99 % of the rate, or 1 % of the sends later than a loop’s next turn; no response times',
  },
  'low-rate': {
    mark: 'r',
    brief: 'low rate',
    summary: `fewer than ${formatCount(WARM_OPERATIONS)} {many} of each worker: V8 still interprets much of the code, as in a service at such a rate that began not long ago`,
  },
  'harness-limited': {
    mark: 'm',
    brief: 'harness-limited',
    summary:
      'without any transport the same loops are less than 10 times as fast: codec and harness are much of the number',
  },
  amplified: {
    mark: 'a',
    brief: 'extra broker messages',
    summary: 'the broker had to handle more messages per {one} than its pattern needs',
  },
  'wake-up': {
    mark: 'w',
    brief: 'wake-ups',
    summary:
      'waking sleeping CPUs takes more than half of the median: it hides differences between transports',
  },
  'late-network': {
    mark: 'e',
    brief: 'late network',
    summary:
      'the network of our own added more than 10 % to its round-trip time, or took half of a core: the number measures it',
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
    summary: 'the control group had used up its share of CPU time',
  },
  frequency: {
    mark: 'h',
    brief: 'slower CPU',
    isNoise: true,
    summary: 'the CPU was more than 5 % slower than usual in this run, by heat or by other load',
  },
  stalled: {
    mark: 'z',
    brief: 'stalled master',
    isNoise: true,
    summary: 'the master stood still for more than 5 % of the window',
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

/** @param {string} code @returns {string} */
export function flagMark(code) {
  return findFlag(code)?.mark ?? UNKNOWN_MARK;
}

/**
 * @param {string} code
 * @param {'summary' | 'brief'} length
 * @param {{ one: string, many: string }} operation   that the rows count
 * @returns {string}
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
