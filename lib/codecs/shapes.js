// What values look like: the schema that codecs with a schema are given, derived from the values themselves, and what of it a
// format cannot say.

/** @import { Field, ValueSchema, ValueShape } from '../types/index.js' */

const GREATEST_INTEGER = 2 ** 31;
const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/; // of a field, in most formats
/** A message tells its parts by number, so that these differ in no format that has names at all. */
const NOT_IN_LISTS = Object.freeze(['list', 'unknown', 'mixed']);

/** @param {readonly any[]} values   as JSON has them, at least one @returns {ValueSchema} that all of them keep */
export function inferSchema(values) {
  /** @type {Map<string, string[]>} */
  const layouts = new Map();
  const shape = values.map((value) => inferShape(value, layouts)).reduce(merged);
  return { shape, layouts: [...layouts.values()] };
}

/** @param {any} value @param {Map<string, string[]>} layouts   gets those of its objects @returns {ValueShape} */
function inferShape(value, layouts) {
  if (value === null) return { kind: 'unknown', mayBeNull: true };
  if (typeof value === 'number') return { kind: isInteger(value) ? 'integer' : 'number' };
  if (typeof value === 'string') return { kind: 'text' };
  if (typeof value === 'boolean') return { kind: 'boolean' };
  if (Array.isArray(value)) {
    const items = value.map((item) => inferShape(item, layouts));
    return { kind: 'list', items: items.length === 0 ? { kind: 'unknown' } : items.reduce(merged) };
  }
  const names = Object.keys(value);
  layouts.set(JSON.stringify(names), names);
  return { kind: 'object', fields: names.map((name) => ({ name, shape: inferShape(value[name], layouts) })) };
}

/** @param {number} value @returns {boolean} of 32 bits; what has more, and zero below zero, is kept by floats alone */
function isInteger(value) {
  return Number.isInteger(value) && Math.abs(value) < GREATEST_INTEGER && !Object.is(value, -0);
}

/** @param {ValueShape} one @param {ValueShape} other @returns {ValueShape} of what is one or the other */
function merged(one, other) {
  const mayBeNull = one.mayBeNull || other.mayBeNull ? { mayBeNull: /** @type {true} */ (true) } : {};
  if (one.kind === 'unknown') return { ...other, ...mayBeNull };
  if (other.kind === 'unknown') return { ...one, ...mayBeNull };
  if (one.kind === 'list' && other.kind === 'list') {
    const items = merged(/** @type {ValueShape} */ (one.items), /** @type {ValueShape} */ (other.items));
    return { kind: 'list', items, ...mayBeNull };
  }
  if (one.kind === 'object' && other.kind === 'object') {
    return { kind: 'object', fields: mergedFields(one.fields ?? [], other.fields ?? []), ...mayBeNull };
  }
  if (one.kind === other.kind && one.kind !== 'mixed') return { ...one, ...mayBeNull };
  const kinds = [...new Set([...(one.kinds ?? [one.kind]), ...(other.kinds ?? [other.kind])])];
  if (kinds.every((kind) => kind === 'integer' || kind === 'number')) return { kind: 'number', ...mayBeNull };
  const told = kinds.includes('number') ? kinds.filter((kind) => kind !== 'integer') : kinds;
  return { kind: 'mixed', kinds: told, ...mayBeNull };
}

/** @param {Field[]} ours @param {Field[]} others @returns {Field[]} */
function mergedFields(ours, others) {
  const theirs = new Map(others.map((field) => [field.name, field]));
  const both = ours.map((field) => {
    const other = theirs.get(field.name);
    theirs.delete(field.name);
    if (other === undefined) return absentAtTimes(field);
    const { name, mayBeAbsent } = field.mayBeAbsent ? field : other;
    return { name, shape: merged(field.shape, other.shape), ...(mayBeAbsent && { mayBeAbsent }) };
  });
  return [...both, ...[...theirs.values()].map(absentAtTimes)];
}

/** @param {Field} field @returns {Field} */
function absentAtTimes(field) {
  return { ...field, mayBeAbsent: true };
}

/**
 * @param {ValueShape} shape
 * @param {(shape: ValueShape, field: Field | null) => string | undefined} whyNot   of one part of it; field: null, it is none
 * @param {string} [path]
 * @returns {string | undefined} the first reason, with the place: 'orders[].price is integer and text'
 */
export function findShapeProblem(shape, whyNot, path = '') {
  const why = path === '' ? whyNot(shape, null) : undefined;
  if (why !== undefined) return `a message ${why}`;
  for (const field of shape.fields ?? []) {
    const at = path === '' ? field.name : `${path}.${field.name}`;
    const own = whyNot(field.shape, field);
    if (own !== undefined) return `${JSON.stringify(at)} ${own}`;
    const inner = findShapeProblem(field.shape, whyNot, at);
    if (inner !== undefined) return inner;
  }
  if (shape.items === undefined) return undefined;
  const at = `${path}[]`;
  const own = whyNot(shape.items, null);
  return own === undefined ? findShapeProblem(shape.items, whyNot, at) : `${JSON.stringify(at)} ${own}`;
}

/** @type {(shape: ValueShape, field: Field | null) => string | undefined} what no schema of fields with types can say */
export function typeProblem({ kind, kinds = [] }, field) {
  if (kind === 'mixed') return `is ${kinds.join(' and ')}`;
  if (field !== null && !NAME.test(field.name)) return 'is no name of letters, digits and _';
  return undefined;
}

/** @type {(shape: ValueShape, field: Field | null) => string | undefined} as above, in formats whose lists hold values of one known type */
export function plainTypeProblem(shape, field) {
  const { kind, items, mayBeNull } = shape;
  if (kind === 'unknown') return 'is never anything but null';
  if (kind === 'list' && NOT_IN_LISTS.includes(String(items?.kind)))
    return `is a list of ${items?.kind} values`;
  if (kind === 'list' && items?.mayBeNull) return 'is a list with null in it';
  // An empty list and none are the same to them.
  if (kind === 'list' && (mayBeNull || field?.mayBeAbsent)) return 'is a list that is missing at times';
  return typeProblem(shape, field);
}
