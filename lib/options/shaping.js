// Options that shape the same thing.

/** @import { OptionEntry } from './option-table.js' */

/**
 * @param {OptionEntry['shapes']} shapes
 * @param {Record<string, Omit<OptionEntry, 'shapes'>>} entries
 * @returns {Readonly<Record<string, OptionEntry>>}
 */
export function shaping(shapes, entries) {
  const shaped = Object.entries(entries).map(([flag, entry]) => [flag, { shapes, ...entry }]);
  return Object.freeze(Object.fromEntries(shaped));
}
