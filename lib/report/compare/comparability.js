// Whether two results were measured in the same way: differences that forbid a comparison. Which cells they share is
// match-cells.js, what is not alike around them surroundings.js.

import { formatCount } from '../../format/numbers.js';
import { printable } from '../../format/printable.js';
import { FLAGS } from '../../options/flags.js';
import { formatDifference, orElse, plainText } from './difference.js';

/** @import { Results } from '../../types/index.js' */
/** @import { Format, SideNames } from './difference.js' */

const ENTRIES = Object.entries(FLAGS).map(([flag, entry]) => ({
  field: entry.sets ?? flag,
  flag: `--${flag}`,
  shapes: entry.shapes,
}));
// What follows from --preset and --reference.
const DERIVED = ['series', 'referenceIsChosen'];

/** What chooses cells, how many launches there are and when, and what is measured or shown besides. */
export const FREE_OPTIONS = new Set([
  ...ENTRIES.filter(({ shapes }) => shapes !== 'launch').map(({ field }) => field),
  ...DERIVED,
]);

/** @type {Format} */
const milliseconds = (value) => `${formatCount(value)} ms`;
/** @type {Format} */
const onOrOff = (isOn) => (isOn ? 'on' : 'off');

/** @type {Readonly<Record<string, Format>>} of values that are not their own text */
const FORMATS = {
  warmupMs: orElse(milliseconds, 'auto'),
  measureMs: milliseconds,
  messages: orElse(formatCount, 'not given'),
  quick: onOrOff,
};

/**
 * What shapes each single measurement, as it is written on the command line.
 * @type {Readonly<Record<string, { name: string, format: Format }>>}
 */
export const SHAPING_OPTIONS = {
  ...Object.fromEntries(
    ENTRIES.filter(({ shapes }) => shapes === 'launch').map(({ field, flag }) => [
      field,
      { name: flag, format: FORMATS[field] ?? plainText },
    ]),
  ),
  // Of open load, whose rates choose cells.
  arrivals: { name: '--arrivals', format: plainText },
  catchesUp: { name: '--catchup', format: onOrOff },
};

/** @param {Results['options']} options @returns {Record<string, unknown>} all that may shape a measurement */
function shapingOptions({ open, ...options }) {
  // Absent, it is usual.
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
export function listRefusals(old, fresh, names) {
  const [oldOptions, newOptions] = [shapingOptions(old.options), shapingOptions(fresh.options)];
  // An option of a later version counts as well. What only one version knows cannot be held against the other.
  const keys = Object.keys(oldOptions).filter((key) => Object.hasOwn(newOptions, key));
  const options = keys.flatMap((key) => {
    const { name, format } = SHAPING_OPTIONS[key] ?? { name: printable(key), format: plainText };
    return formatDifference(name, [oldOptions[key], newOptions[key]], format, names);
  });
  return [...options, ...runtimeDifferences(old, fresh, names)];
}

/**
 * @param {Results} old
 * @param {Results} fresh
 * @param {SideNames} names
 * @returns {string[]} rows of one name that two versions played
 */
function runtimeDifferences({ environment: { runtimes: before = {} } }, { environment }, names) {
  const { runtimes: after = {} } = environment;
  const shared = Object.keys(before).filter((name) => Object.hasOwn(after, name));
  return shared.flatMap((name) =>
    formatDifference(`the version of ${printable(name)}`, [before[name], after[name]], plainText, names),
  );
}
