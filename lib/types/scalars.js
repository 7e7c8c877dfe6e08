// Elements of shapes: numbers and texts within bounds. A shape is a schema of valibot. TypeScript infers the type of the same name from it,
// and readers, writers and the published JSON schema derive their checks from it.
//
// Importing a shape as a value loads valibot, so workers and recorders only import types.

import {
  array,
  check,
  custom,
  description,
  finite,
  gtValue,
  integer,
  literal,
  maxLength,
  maxValue,
  metadata,
  minLength,
  minValue,
  number,
  optional,
  pipe,
  record as recordOf,
  regex,
  string,
} from 'valibot';

/** @import { GenericSchema, InferOutput } from 'valibot' */

/** Only the schema contains the bounds, which keeps the type short. @typedef {GenericSchema<number>} NumberShape */
/** @typedef {GenericSchema<string>} TextShape */

// JSON.parse reads 1e999 as Infinity.
/** @type {NumberShape} */
export const Finite = pipe(number(), finite());
/** @type {NumberShape} */
export const NonNegative = pipe(number(), finite(), minValue(0));
/** @type {NumberShape} */
export const AboveZero = pipe(number(), finite(), gtValue(0));
/** @type {NumberShape} */
export const Share = pipe(number(), minValue(0), maxValue(1));
/** @type {NumberShape} */
export const Count = pipe(number(), integer(), minValue(0));
/** @type {NumberShape} */
export const Positive = pipe(number(), integer(), minValue(1));
/** @type {NumberShape} */
export const IntegerFromTwo = pipe(number(), integer(), minValue(2));

/** @param {number} longest @param {number} [shortest] @returns {TextShape} */
export const text = (longest, shortest = 0) => pipe(string(), minLength(shortest), maxLength(longest));
/** @param {RegExp} pattern @returns {TextShape} */
export const textLike = (pattern) => pipe(string(), regex(pattern));
export const Name = text(300, 1);
export const LongText = text(10_000);
/** @type {TextShape} */
export const Word = pipe(string(), minLength(1));
/** A key of results and the name of a column. */
export const MeasureName = textLike(/^[a-z][A-Za-z0-9]{0,79}$/);
/** ISO 8601, UTC. */
export const Instant = textLike(
  /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,9})?Z$/,
);
/** An optional property that is either true or absent. */
export const OptionalTrue = optional(literal(true));

/** @typedef {InferOutput<typeof Count>} Count               an integer from 0 */
/** @typedef {InferOutput<typeof Positive>} Positive         an integer from 1 */
/** @typedef {InferOutput<typeof NonNegative>} NonNegative */
/** @typedef {InferOutput<typeof Share>} Share               from 0 to 1 */
/** @typedef {InferOutput<typeof Name>} Name                 of 1 to 300 characters */

/** @param {unknown} value @returns {value is Record<string, any>} */
export const isRecord = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);
const AnyRecord = custom(isRecord, 'object');

/** @template T @param {GenericSchema<T>} value @returns {GenericSchema<Record<string, T>>} */
export const record = (value) =>
  /** @type {any} */ ({ ...pipe(AnyRecord, recordOf(string(), value)), value });

/**
 * Adds a description without valibot's `pipe()`, which would make the check slower.
 * @template {GenericSchema} T
 * @param {T} schema
 * @param {string} words   description in the published JSON schema
 * @returns {T}
 */
export function withDescription(schema, words) {
  const { pipe: actions = [schema] } = /** @type {any} */ (schema);
  return { ...schema, pipe: [...actions, description(words)] };
}

/**
 * @template {GenericSchema<any>} T
 * @param {T} schema   schema of an object
 * @param {string[]} keys   properties in ascending order, which JSON Schema cannot express
 * @returns {T}
 */
export function ascending(schema, keys) {
  /** @param {any} value */
  const isAscending = (value) =>
    keys.every((key, index) => index === 0 || value[keys[index - 1]] <= value[key]);
  const rule = check(isAscending, `should have ${keys.join(' <= ')}`);
  return /** @type {any} */ (pipe(schema, metadata({ 'x-ascending': keys }), rule));
}

/**
 * @template {GenericSchema<any>} T
 * @param {T} schema   schema of a part of a plug-in
 * @param {string} words   the expected value, as error messages describe it
 * @returns {T}
 */
export const withErrorText = (schema, words) => ({ ...schema, errorText: words });

/** @template {Function} F @typedef {GenericSchema<F>} Method   a function, whose parameters only TypeScript checks */
/** @type {any} */
export const method = withErrorText(
  custom((value) => typeof value === 'function'),
  'a function',
);

/** One line that is saved in results and printed. @type {TextShape} */
export const OneLine = withErrorText(
  pipe(string(), regex(/^(?=.*\S)[^\n]*$/), maxLength(300)),
  'one line of text, at most 300 characters',
);
/** @param {string} what @returns {GenericSchema<string[]>} */
export const texts = (what) => withErrorText(array(string()), `a list of ${what}`);
/** @type {NumberShape} */
export const positive = withErrorText(pipe(number(), gtValue(0)), 'a number above 0');

/** Properties of all plug-ins. Names become parts of labels such as `unix:flush=tick/json`. */
export const PLUGIN = {
  name: withErrorText(
    textLike(/^[a-z0-9][a-z0-9._-]{0,63}$/i),
    'a name of letters, digits and . _ -, at most 64',
  ),
  /** Text for `ipc-bench list`. */
  summary: OneLine,
};
