// What the user asks of `compare`: argv → checked values. What they mean is said where they are used.

import { quoted } from '../format/quoted.js';
import { FAIL_REASONS } from './flags.js';
import { COMPARISON_TABLE } from './option-table.js';
import { claim } from './output-options.js';
import { parseChoice, parsePercent, refuse, splitList } from './quantities.js';

/** @import { FailReason } from './flags.js' */
/**
 * @typedef {object} CompareOptions
 * @property {number} minEffect      0.05 is 5 %
 * @property {FailReason[]} failOn
 * @property {Record<string, string>} outputs   flag → path, '-' = stdout
 * @property {boolean} isForced
 * @property {boolean | null} colour
 */

export const DEFAULT_MIN_EFFECT = '5%';
export const DEFAULT_FAIL_ON = 'slower';
const NEVER = 'none';

/** @param {string} flag */
export function sourceFor(flag) {
  return /** @type {const} */ ({ label: `--${flag}`, code: 'BAD_ARGUMENT' });
}

/** @param {Record<string, unknown>} argv @param {string} flag @returns {string | null} null: not given */
export function readText(argv, flag) {
  const value = argv[flag];
  if (value === undefined) return null;
  if (Array.isArray(value)) refuse(sourceFor(flag), 'given more than once; it takes one value');
  if (typeof value === 'boolean') refuse(sourceFor(flag), `--no-${flag} means nothing; leave it out`);
  if (String(value).trim() === '') refuse(sourceFor(flag), 'needs a value');
  return String(value);
}

/** @param {string} text @returns {number} */
export function parseMinEffect(text) {
  const percent = parsePercent(text);
  if (percent > 0 && percent <= 100) return percent / 100;
  return refuse(
    sourceFor('min-effect'),
    `${quoted(text)} is not a share above 0 and up to 100 %; write 5% or 2.5%`,
  );
}

/** @param {string} text @returns {FailReason[]} */
function parseFailOn(text) {
  const known = [...FAIL_REASONS, NEVER];
  const source = sourceFor('fail-on');
  const parts = splitList([text], source).map((part) => parseChoice(part, known, source));
  if (parts.includes(NEVER) && parts.length > 1) {
    refuse(source, `${NEVER} stands alone; leave it out, or the rest`);
  }
  return FAIL_REASONS.filter((reason) => parts.includes(reason));
}

/**
 * @param {Record<string, unknown>} argv
 * @returns {CompareOptions}
 * @throws {import('../errors.js').BenchError} BAD_ARGUMENT
 */
export function compareOptions(argv) {
  /** @type {Record<string, string>} */
  const outputs = {};
  for (const flag of Object.keys(COMPARISON_TABLE)) {
    const path = readText(argv, flag);
    if (path !== null) claim(outputs, flag, path, sourceFor(flag));
  }
  return {
    minEffect: parseMinEffect(readText(argv, 'min-effect') ?? DEFAULT_MIN_EFFECT),
    failOn: parseFailOn(readText(argv, 'fail-on') ?? DEFAULT_FAIL_ON),
    outputs,
    isForced: argv.force === true,
    colour: typeof argv.color === 'boolean' ? argv.color : null,
  };
}
