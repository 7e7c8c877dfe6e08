// Whether two results were measured in the same way: differences that forbid a comparison. Which cells they share is
// match-cells.js, what is not alike around them surroundings.js.

import { AXES } from '../cell/axes.js';
import { formatCount } from '../words/numbers.js';
import { printable } from '../words/printable.js';
import { differenceOf, orElse, plainText } from './difference.js';

/** @import { Results } from '../types/results-file.js' */
/** @import { Format, SideNames } from './difference.js' */

const CELLS = [...AXES.flatMap(({ option }) => option ?? []), 'series', 'preset', 'open'];
const LAUNCHES = ['launches', 'stop', 'seed', 'strict', 'lock'];
const BESIDES = [
  'controls',
  'charts',
  'syscalls',
  'profile',
  'reference',
  'referenceIsChosen',
  'theme',
  'title',
];

/** What chooses cells, how many launches there are and when, and what is measured or shown besides. */
export const FREE_OPTIONS = new Set([...CELLS, ...LAUNCHES, ...BESIDES]);

/** @type {Format} */
const milliseconds = (value) => `${formatCount(value)} ms`;

/**
 * What shapes each single measurement, as it is written on the command line.
 * @type {Readonly<Record<string, { name: string, format: Format }>>}
 */
export const SHAPING_OPTIONS = {
  warmupMs: { name: '--warmup', format: orElse(milliseconds, 'auto') },
  tierUp: { name: '--tier-up', format: plainText },
  measureMs: { name: '--measure', format: milliseconds },
  messages: { name: '--messages', format: orElse(formatCount, 'not given') },
  quick: { name: '--quick', format: (isQuick) => (isQuick ? 'on' : 'off') },
  arrivals: { name: '--arrivals', format: plainText },
  catchesUp: { name: '--catchup', format: (isOn) => (isOn ? 'on' : 'off') },
};

/** @param {Results['options']} options @returns {Record<string, unknown>} all that may shape a measurement */
function shapingOptions({ open, ...options }) {
  // Files of versions that did not know it were measured as usual.
  const shaping = Object.entries({ tierUp: 'usual', ...options }).filter(([key]) => !FREE_OPTIONS.has(key));
  return {
    ...Object.fromEntries(shaping),
    ...(open && { arrivals: open.arrivals, catchesUp: open.catchesUp }),
  };
}

/**
 * @param {Results} old
 * @param {Results} fresh
 * @param {SideNames} names
 * @returns {string[]} why they must not be compared, one sentence each without a full stop
 */
export function refusalsOf(old, fresh, names) {
  const versions = differenceOf(
    'the version of the results file',
    [old.schemaVersion, fresh.schemaVersion],
    String,
    names,
  );
  const [oldOptions, newOptions] = [shapingOptions(old.options), shapingOptions(fresh.options)];
  // An option of a later version counts as well. What only one version knows cannot be held against the other.
  const keys = Object.keys(oldOptions).filter((key) => Object.hasOwn(newOptions, key));
  const options = keys.flatMap((key) => {
    const { name, format } = SHAPING_OPTIONS[key] ?? { name: printable(key), format: plainText };
    return differenceOf(name, [oldOptions[key], newOptions[key]], format, names);
  });
  return [...versions, ...options];
}
