// Compares a received value with the sent one, field by field. Comparing must be cheap compared with decoding, and cost the same for every
// codec, so the code is generated once per shape of values. It contains only names from the schema of this process.

/** @import { ValueShape } from '../types/index.js' */

/** With more optional fields than this, only the fields that an object has are compared, since objects usually lack most of them. */
const MAX_OPTIONAL = 4;

/** @param {ValueShape} shape @returns {(got: any, expected: any) => boolean} treats null and missing fields alike */
export function sameness(shape) {
  /** @type {string[]} */
  const functions = [];
  const compare = nameOfComparer(shape, functions);
  return new Function('sameAny', 'hasFields', `${functions.join('\n')}\nreturn ${compare};`)(
    sameAny,
    hasFields,
  );
}

/** @param {ValueShape} shape @param {string[]} functions   collects the code @returns {string} the name of a function */
function nameOfComparer(shape, functions) {
  const body = generateBody(shape, functions);
  if (body === null) return 'sameAny';
  const name = `same${functions.length}`;
  functions.push(`function ${name}(got, expected) {
    if (got == null || expected == null) return got == null && expected == null;
    ${body}
  }`);
  return name;
}

/**
 * @param {ValueShape} shape
 * @param {string[]} functions
 * @returns {string | null} statements that return whether `got` and `expected` are equal; null unless it is an object or a list of one shape
 */
function generateBody({ kind, items, fields }, functions) {
  if (kind === 'object' && (fields ?? []).filter(({ mayBeAbsent }) => mayBeAbsent).length > MAX_OPTIONAL) {
    const names = `names${functions.length}`;
    const hasNull = fields?.some(({ shape }) => shape.mayBeNull);
    functions.push(`const ${names} = new Set(${JSON.stringify(fields?.map(({ name }) => name))});`);
    return `if (!hasFields(got, expected)) return false;
    const own = Object.keys(got);
    ${hasNull ? '' : 'if (own.length === Object.keys(expected).length) return true;'}
    return own.every((name) => got[name] == null || expected[name] != null || !${names}.has(name));`;
  }
  if (kind === 'object') {
    const tests = (fields ?? []).map(({ name, shape }) => {
      const [got, expected] = ['got', 'expected'].map((value) => `${value}[${JSON.stringify(name)}]`);
      if (shape.kind !== 'object' && shape.kind !== 'list' && shape.kind !== 'mixed') {
        return `(${got} === ${expected} || (${got} ?? null) === (${expected} ?? null))`;
      }
      return `${nameOfComparer(shape, functions)}(${got}, ${expected})`;
    });
    return `return typeof got === 'object' && ${['true', ...tests].join(' && ')};`;
  }
  if (kind === 'list' && items !== undefined) {
    return `if (!Array.isArray(got) || got.length !== expected.length) return false;
    for (let at = 0; at < expected.length; at += 1) {
      if (!${nameOfComparer(items, functions)}(got[at], expected[at])) return false;
    }
    return true;`;
  }
  return null;
}

/** @param {any} got @param {any} expected @returns {boolean} */
function sameAny(got, expected) {
  if (got === expected) return true;
  if (got == null || expected == null) return got == null && expected == null;
  if (typeof expected !== 'object' || typeof got !== 'object') return false;
  if (!Array.isArray(expected)) return !Array.isArray(got) && hasFields(got, expected);
  if (!Array.isArray(got) || got.length !== expected.length) return false;
  for (let at = 0; at < expected.length; at += 1) if (!sameAny(got[at], expected[at])) return false;
  return true;
}

/** @param {any} got @param {any} expected @returns {boolean} */
function hasFields(got, expected) {
  if (typeof got !== 'object') return false;
  const names = Object.keys(expected);
  for (let at = 0; at < names.length; at += 1) {
    const name = names[at];
    if (got[name] !== expected[name] && !sameAny(got[name], expected[name])) return false;
  }
  return true;
}
