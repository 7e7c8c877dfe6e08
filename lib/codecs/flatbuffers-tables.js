// Generates code that writes and reads tables of values, like flatc does for their schema. Every scalar is optional (`field: int = null;`),
// so that null differs from 0 and false. The length of a list is checked before its items are read; offsets are not checked, since the
// value is compared afterwards.

import { formatCount } from '../format/numbers.js';
import { utf8Slice } from './wire-bytes.js';

/** @import { ValueShape } from '../types/index.js' */
/** @typedef {{ write: (builder: any, value: any) => number, read: (bytes: any, wire: Uint8Array, table: number) => any }} Tables */
/** @typedef {{ add: string, field: string, read: string, bytes: number }} Scalar */
/** @typedef {{ write: (value: string) => string, read: (at: string) => string }} ValueCode   returns expressions of generated code */

const FIRST_SLOT = 4; // offset of the first field in a vtable, which has two bytes per field
const OFFSET_BYTES = 4;
const MAX_BYTES = 2 ** 15 - 1;
const PHASES = [0, 1, 2, 3, 4, 5, 6, 7]; // ends of a table modulo 8, the alignment of doubles, which is the largest

/** @type {Readonly<Partial<Record<ValueShape['kind'], Scalar>>>} */
const SCALARS = Object.freeze({
  boolean: { add: 'addInt8', field: 'addFieldInt8', read: 'readInt8', bytes: 1 },
  integer: { add: 'addInt32', field: 'addFieldInt32', read: 'readInt32', bytes: 4 },
  number: { add: 'addFloat64', field: 'addFieldFloat64', read: 'readFloat64', bytes: 8 },
});

/**
 * A vtable stores its own length and the offsets of the fields in 16 bits, which the package reads as signed numbers.
 * @param {ValueShape} shape
 * @returns {string | null} a reason if the fields of an object exceed these numbers
 */
export function tableProblem({ kind, fields = [] }) {
  if (kind !== 'object') return null;
  const furthest = Math.max(...PHASES.map((phase) => furthestOffset(fields, phase)));
  const slots = FIRST_SLOT + 2 * fields.length;
  if (furthest <= MAX_BYTES && slots <= MAX_BYTES) return null;
  return `has ${formatCount(fields.length)} fields, and a table has room for ${formatCount(MAX_BYTES)} bytes of them`;
}

/**
 * Tables are built from their end, so the first field has the largest offset.
 * @param {NonNullable<ValueShape['fields']>} fields   all fields, none of them missing
 * @param {number} phase   bytes after the table, up to the next multiple of the largest alignment
 * @returns {number} the largest offset, in bytes
 */
function furthestOffset(fields, phase) {
  const sizes = fields.map(({ shape }) => SCALARS[shape.kind]?.bytes ?? OFFSET_BYTES);
  let used = phase;
  let first = 0;
  for (const size of [...sizes, OFFSET_BYTES]) {
    used = Math.ceil(used / size) * size + size;
    first ||= used;
  }
  return used - first;
}

/** @param {ValueShape} shape   must be an object @returns {Tables} */
export function buildTables(shape) {
  /** @type {string[]} */
  const functions = [];
  const index = addTable(shape, functions);
  const source = `${functions.join('\n')}\nreturn { write: write${index}, read: read${index} };`;
  return new Function('textAt', 'lengthAt', source)(textAt, lengthAt);
}

/**
 * @param {ValueShape} shape
 * @param {string[]} functions   collects the code
 * @returns {number} the number in the names of the table's functions
 */
function addTable({ fields = [] }, functions) {
  const index = functions.push('') - 1;
  const parts = fields.map(({ name, shape }, index) => {
    const key = JSON.stringify(name);
    const scalar = SCALARS[shape.kind];
    const at = `table + at${index}`;
    const find = `const at${index} = bytes.__offset(table, ${FIRST_SLOT + 2 * index});`;
    if (scalar !== undefined) {
      const read = `bytes.${scalar.read}(${at})${shape.kind === 'boolean' ? ' !== 0' : ''}`;
      const add = `if (value[${key}] != null) builder.${scalar.field}(${index}, value[${key}], null);`;
      return { build: '', add, find, read: `${key}: at${index} === 0 ? null : ${read}` };
    }
    const { write, read } = referred(shape, functions);
    return {
      build: `const offset${index} = value[${key}] == null ? 0 : ${write(`value[${key}]`)};`,
      add: `builder.addFieldOffset(${index}, offset${index}, 0);`,
      find,
      read: `${key}: at${index} === 0 ? null : ${read(at)}`,
    };
  });
  /** @param {'build' | 'add' | 'find'} part */
  const lines = (part) => parts.map((own) => own[part]).join('\n');
  functions[index] = `function write${index}(builder, value) {
    ${lines('build')}
    builder.startObject(${fields.length});
    ${lines('add')}
    return builder.endObject();
  }
  function read${index}(bytes, wire, table) {
    ${lines('find')}
    return { ${parts.map(({ read }) => read).join(',\n')} };
  }`;
  return index;
}

/**
 * @param {ValueShape} shape   its values are stored at an offset
 * @param {string[]} functions
 * @returns {ValueCode}
 */
function referred(shape, functions) {
  if (shape.kind === 'text') {
    return { write: (value) => `builder.createString(${value})`, read: (at) => `textAt(bytes, wire, ${at})` };
  }
  const index = shape.kind === 'list' ? addList(shape, functions) : addTable(shape, functions);
  /** @param {string} at */
  const from = (at) => (shape.kind === 'list' ? at : `bytes.__indirect(${at})`);
  return {
    write: (value) => `write${index}(builder, ${value})`,
    read: (at) => `read${index}(bytes, wire, ${from(at)})`,
  };
}

/** @param {ValueShape} shape   must be a list @param {string[]} functions */
function addList({ items }, functions) {
  const index = functions.push('') - 1;
  const own = /** @type {ValueShape} */ (items);
  const scalar = SCALARS[own.kind];
  const { write, read } = scalar === undefined ? referred(own, functions) : ofScalar(own, scalar);
  const [bytes, add] = scalar === undefined ? [OFFSET_BYTES, 'addOffset'] : [scalar.bytes, scalar.add];
  functions[index] = `function write${index}(builder, values) {
    const parts = values.map((value) => ${write('value')});
    builder.startVector(${bytes}, parts.length, ${bytes});
    for (let index = parts.length - 1; index >= 0; index -= 1) builder.${add}(parts[index]);
    return builder.endVector();
  }
  function read${index}(bytes, wire, at) {
    const length = lengthAt(bytes, wire, at, ${bytes});
    const start = bytes.__vector(at);
    const values = [];
    for (let index = 0; index < length; index += 1) values.push(${read(`start + index * ${bytes}`)});
    return values;
  }`;
  return index;
}

/** @param {ValueShape} shape @param {Scalar} scalar @returns {ValueCode} */
function ofScalar({ kind }, scalar) {
  return {
    write: (value) => value,
    read: (at) => `bytes.${scalar.read}(${at})${kind === 'boolean' ? ' !== 0' : ''}`,
  };
}

/** @param {any} bytes @param {Uint8Array} wire @param {number} at @param {number} itemBytes @returns {number} length of a list */
function lengthAt(bytes, wire, at, itemBytes) {
  const length = bytes.__vector_len(at);
  if (length >= 0 && length * itemBytes <= wire.length) return length;
  throw new Error('a list is longer than its wire');
}

/** @param {any} bytes @param {Uint8Array} wire @param {number} at @returns {string} */
function textAt(bytes, wire, at) {
  const start = bytes.__vector(at);
  // The TextDecoder of __string() would drop U+FEFF at the beginning as a byte order mark. Its first byte is 0xef.
  if (wire[start] !== 0xef) return bytes.__string(at);
  return utf8Slice.call(wire, start, start + bytes.__vector_len(at));
}
