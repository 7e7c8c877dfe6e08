// Derives a schema from values, for codecs with a schema, and finds parts of it that a format cannot express.

/** @import { Field, ValueSchema, ValueShape } from '../types/index.js' */

const MAX_INTEGER = 2 ** 31;
const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/; // valid name of a field in most formats
const NOT_IN_LISTS = Object.freeze(['list', 'unknown', 'mixed']);

/** @param {readonly any[]} values   values of JSON, at least one @returns {ValueSchema} a schema that fits all values */
export function inferSchema(values) {
  /** @type {Map<string, string[]>} */
  const layouts = new Map();
  const seen = new SeenValues(layouts);
  for (const value of values) seen.add(value);
  return { shape: seen.toShape(), layouts: [...layouts.values()] };
}

/** The values at one position of a message. Adding a value takes time in proportion to its own fields, not to all known fields. */
class SeenValues {
  /** @param {Map<string, string[]>} layouts   collects the field lists of all objects */
  constructor(layouts) {
    this.layouts = layouts;
    this.hasNull = false;
    /** In the order in which they were seen. @type {Set<Exclude<ValueShape['kind'], 'unknown' | 'mixed'>>} */
    this.kinds = new Set();
    /** @type {SeenValues | null} */
    this.items = null;
    this.objects = 0;
    /** @type {Map<string, { count: number, values: SeenValues }>} */
    this.fields = new Map();
  }

  /** @param {any} value */
  add(value) {
    if (value === null) this.hasNull = true;
    else if (typeof value === 'number') this.kinds.add(isInteger(value) ? 'integer' : 'number');
    else if (typeof value === 'string') this.kinds.add('text');
    else if (typeof value === 'boolean') this.kinds.add('boolean');
    else if (Array.isArray(value)) this.addList(value);
    else this.addObject(value);
  }

  /** @param {any[]} list */
  addList(list) {
    this.kinds.add('list');
    this.items ??= new SeenValues(this.layouts);
    for (const item of list) this.items.add(item);
  }

  /** @param {Record<string, any>} object */
  addObject(object) {
    this.kinds.add('object');
    this.objects += 1;
    const names = Object.keys(object);
    this.layouts.set(JSON.stringify(names), names);
    for (const name of names) {
      let field = this.fields.get(name);
      if (field === undefined) {
        field = { count: 0, values: new SeenValues(this.layouts) };
        this.fields.set(name, field);
      }
      field.count += 1;
      field.values.add(object[name]);
    }
  }

  /** @returns {ValueShape} */
  toShape() {
    const mayBeNull = this.hasNull ? { mayBeNull: /** @type {true} */ (true) } : {};
    const kinds = [...this.kinds].filter((kind) => kind !== 'integer' || !this.kinds.has('number'));
    if (kinds.length === 0) return { kind: 'unknown', ...mayBeNull };
    if (kinds.length > 1) return { kind: 'mixed', kinds, ...mayBeNull };
    const [kind] = kinds;
    if (kind === 'list') {
      return { kind, items: /** @type {SeenValues} */ (this.items).toShape(), ...mayBeNull };
    }
    if (kind !== 'object') return { kind, ...mayBeNull };
    const fields = [...this.fields].map(([name, { count, values }]) => {
      const shape = values.toShape();
      return count < this.objects
        ? { name, shape, mayBeAbsent: /** @type {true} */ (true) }
        : { name, shape };
    });
    return { kind, fields, ...mayBeNull };
  }
}

/** @param {number} value @returns {boolean} true for integers between -2^31 and 2^31, exclusive, except -0, which only floats preserve */
function isInteger(value) {
  return Number.isInteger(value) && Math.abs(value) < MAX_INTEGER && !Object.is(value, -0);
}

/**
 * @param {ValueShape} shape
 * @param {(shape: ValueShape, field: Field | null) => string | null} problemOf   checks one part; field is null for the root and for
 *   items
 * @param {string} [path]
 * @returns {string | null} the first problem, after its path or 'a message' for the root: '"orders[].price" is integer and text'
 */
export function findShapeProblem(shape, problemOf, path = '') {
  const rootProblem = path === '' ? problemOf(shape, null) : null;
  if (rootProblem !== null) return `a message ${rootProblem}`;
  for (const field of shape.fields ?? []) {
    const at = path === '' ? field.name : `${path}.${field.name}`;
    const problem = problemOf(field.shape, field);
    if (problem !== null) return `${JSON.stringify(at)} ${problem}`;
    const inner = findShapeProblem(field.shape, problemOf, at);
    if (inner !== null) return inner;
  }
  if (shape.items === undefined) return null;
  const at = `${path}[]`;
  const problem = problemOf(shape.items, null);
  return problem === null ? findShapeProblem(shape.items, problemOf, at) : `${JSON.stringify(at)} ${problem}`;
}

/** @type {(shape: ValueShape, field: Field | null) => string | null} finds what a schema of typed fields cannot express */
export function typeProblem({ kind, kinds = [] }, field) {
  if (kind === 'mixed') return `is ${kinds.join(' and ')}`;
  if (field !== null && !NAME.test(field.name)) return 'is not a name of letters, digits and _';
  return null;
}

/** @type {(shape: ValueShape, field: Field | null) => string | null} also finds what protobuf and flatbuffers do not support */
export function plainTypeProblem(shape, field) {
  const { kind, items, mayBeNull } = shape;
  if (kind === 'unknown') return 'is never anything but null';
  if (kind === 'list' && NOT_IN_LISTS.includes(String(items?.kind)))
    return `is a list of ${items?.kind} values`;
  if (kind === 'list' && items?.mayBeNull) return 'is a list with null in it';
  // Protocol Buffers do not distinguish an empty list from a missing one.
  if (kind === 'list' && (mayBeNull || field?.mayBeAbsent)) return 'is a list that is missing at times';
  return typeProblem(shape, field);
}
