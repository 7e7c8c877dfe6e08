// Avro by avsc. Both ends have the schema, so only values are sent.

import { packageProblem } from '../../machine/packages.js';
import { checkedBytes, checkedMessage } from '../message.js';
import { findShapeProblem, typeProblem } from '../shapes.js';
import { bufferView } from '../wire-bytes.js';

/** @import { Codec, Field, ValueShape } from '../../types/index.js' */

/** @param {'string' | 'bytes'} payload @returns {import('avsc').Schema} */
const makeSchema = (payload) => ({
  type: 'record',
  name: 'Message',
  fields: [
    { name: 'id', type: 'int' },
    { name: 'payload', type: payload },
  ],
});

/** @type {Readonly<Partial<Record<ValueShape['kind'], string>>>} */
const TYPES = Object.freeze({
  boolean: 'boolean',
  integer: 'int',
  number: 'double',
  text: 'string',
  unknown: 'null',
});

/** @type {typeof import('avsc')} */
let avro;
/** @type {import('avsc').Type} */
let type;
/** @type {import('avsc').Type} */
let typeOfBytes;

/** @type {Codec} */
export default {
  name: 'avro',
  summary: 'Avro by avsc, the schema known to both ends',
  look: { fill: 'vertical', dash: [5, 7] },
  produces: 'bytes',
  sources: ['https://github.com/mtth/avsc#examples', 'https://github.com/mtth/avsc/wiki/API'],
  packages: ['avsc'],
  whyUnavailable: (isGlance) => packageProblem('avsc', isGlance),
  async prepare() {
    ({ default: avro } = await import('avsc'));
    type = avro.Type.forSchema(makeSchema('string'));
    typeOfBytes = avro.Type.forSchema(makeSchema('bytes'));
  },
  encode: (message) => type.toBuffer(message),
  decode(wire) {
    const { id, payload } = read(type, wire);
    return checkedMessage(id, payload);
  },
  values: {
    skipReason: ({ shape }) => findShapeProblem(shape, typeProblem),
    carry({ shape }) {
      const type = avro.Type.forSchema(schemaFor(shape, { records: 0 }));
      return { encode: (value) => type.toBuffer(value), decode: (wire) => type.fromBuffer(bufferView(wire)) };
    },
  },
  bytes: {
    encode: (message) => typeOfBytes.toBuffer(message),
    decode(wire) {
      const { id, payload } = read(typeOfBytes, wire);
      return checkedBytes(id, payload);
    },
  },
};

/** @param {import('avsc').Type} type @param {Uint8Array} wire @returns {any} */
function read(type, wire) {
  try {
    // avsc only reads Buffers.
    return type.fromBuffer(bufferView(wire));
  } catch {
    // The error has no cause, since some errors of avsc quote the input.
    throw new Error('not a message in Avro, or not as long as it says');
  }
}

/** @param {ValueShape} shape @param {{ records: number }} named   counts named records @returns {any} */
function schemaFor({ kind, mayBeNull, items, fields = [] }, named) {
  if (kind === 'unknown') return TYPES.unknown;
  const type = TYPES[kind] ?? (items === undefined ? recordType(fields, named) : listType(items, named));
  return mayBeNull ? ['null', type] : type;
}

/** @param {ValueShape} items @param {{ records: number }} named */
function listType(items, named) {
  return { type: 'array', items: schemaFor(items, named) };
}

/** @param {Field[]} fields @param {{ records: number }} named */
function recordType(fields, named) {
  named.records += 1;
  return {
    type: 'record',
    name: `Record${named.records}`,
    fields: fields.map(({ name, shape, mayBeAbsent }) => {
      const isOptional = mayBeAbsent === true;
      const type = schemaFor(isOptional ? { ...shape, mayBeNull: true } : shape, named);
      return { name, type, ...(isOptional && { default: null }) };
    }),
  };
}
