// One difference between two results, in words: what differs, and what each side has.

import { isDeepStrictEqual } from 'node:util';
import { printable } from '../../format/printable.js';

/** @typedef {{ old: string, new: string }} SideNames */
/** @typedef {(value: any) => string} Format */

/** @type {Format} */
export const plainText = (value) => printable(typeof value === 'string' ? value : JSON.stringify(value));

/** @type {(format: Format, otherwise: string) => Format} */
export const orElse = (format, otherwise) => (value) =>
  value === null || value === undefined ? otherwise : format(value);

/**
 * @param {string} what
 * @param {[unknown, unknown]} values old and new
 * @param {Format} format
 * @param {SideNames} names
 * @returns {string[]} nothing where they are equal
 */
export function formatDifference(what, [old, fresh], format, names) {
  if (isDeepStrictEqual(old, fresh)) return [];
  return [`${what} is ${format(old)} in ${names.old} and ${format(fresh)} in ${names.new}`];
}
