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
  const seen = new SeenValues(layouts);
  for (const value of values) seen.add(value);
  return { shape: seen.toShape(), layouts: [...layouts.values()] };
}

/** The values seen at one place of a message. Adding a value takes time in proportion to its own fields, not to those of all. */
class SeenValues {
  /** @param {Map<string, string[]>} layouts   receives the fields of each object */
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

/** @param {number} value @returns {boolean} whether 32 bits hold it; larger ones, and negative zero, need a float */
function isInteger(value) {
  return Number.isInteger(value) && Math.abs(value) < GREATEST_INTEGER && !Object.is(value, -0);
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
