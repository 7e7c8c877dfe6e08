// FlatBuffers: a table whose fields are found by offsets. The code replaces what flatc would generate, whose reader trusts every offset; the
// package has no verifier for JavaScript, so each offset is checked before it is followed.
//
//   table Message { id: int; payload: string; }
//   root_type Message;

import { packageProblem } from '../../machine/packages.js';
import { buildTables, tableProblem } from '../flatbuffers-tables.js';
import { checkedMessage } from '../message.js';
import { findShapeProblem, plainTypeProblem } from '../shapes.js';
import { utf8Slice } from '../wire-bytes.js';

const FIELDS = 2;
const ID_SLOT = 4; // of a vtable: two bytes for each field, after its own length and that of the table
const PAYLOAD_SLOT = 6;
const INT_BYTES = 4;

/** @type {typeof import('flatbuffers').ByteBuffer} */
let ByteBuffer;
/** @type {typeof import('flatbuffers').Builder} */
let Builder;
/** @type {import('flatbuffers').Builder} */
let builder;

/** @type {import('../../types/messages.js').Codec} */
export default {
  name: 'flatbuffers',
  summary: 'FlatBuffers by flatbuffers: a table of fields found by their offsets',
  look: { fill: 'checks', dash: [12, 3, 2, 3, 2, 3, 2, 3] },
  produces: 'bytes',
  sources: [
    'https://flatbuffers.dev/tutorial/',
    'https://flatbuffers.dev/internals/',
    'https://github.com/google/flatbuffers/pull/5109', // a builder is there to be used again
  ],
  packages: ['flatbuffers'],
  whyUnavailable: (isGlance) => packageProblem('flatbuffers', isGlance),
  async prepare() {
    const flatbuffers = await import('flatbuffers');
    ({ Builder, ByteBuffer } = flatbuffers);
    builder = new Builder();
  },
  encode({ id, payload }) {
    builder.clear();
    const payloadOffset = builder.createString(payload);
    builder.startObject(FIELDS);
    builder.addFieldInt32(0, id, 0);
    builder.addFieldOffset(1, payloadOffset, 0);
    builder.finish(builder.endObject());
    // A copy, since the next message is built in the same memory.
    return Buffer.from(builder.asUint8Array());
  },
  decode(wire) {
    const bytes = new ByteBuffer(wire);
    const table = bytes.readInt32(0);
    if (!within(wire, table) || !within(wire, table - bytes.readInt32(table)))
      throw new Error('not the table of a message');
    const idAt = fieldAt(bytes, table, ID_SLOT);
    const payloadAt = fieldAt(bytes, table, PAYLOAD_SLOT);
    if (!within(wire, idAt) || !within(wire, payloadAt)) throw new Error('not the fields of a message');
    return checkedMessage(bytes.readInt32(idAt), textAt(bytes, wire, payloadAt));
  },
  values: {
    skipReason: ({ shape }) =>
      findShapeProblem(shape, (part, field) => plainTypeProblem(part, field) ?? tableProblem(part)),
    carry({ shape }) {
      // The root is a table, so that a list is a field of one.
      const isList = shape.kind === 'list';
      const tables = buildTables(isList ? { kind: 'object', fields: [{ name: 'items', shape }] } : shape);
      const own = new Builder();
      return {
        encode(value) {
          own.clear();
          own.finish(tables.write(own, isList ? { items: value } : value));
          return Buffer.from(own.asUint8Array());
        },
        decode(wire) {
          const bytes = new ByteBuffer(wire);
          const value = tables.read(bytes, wire, bytes.readInt32(0));
          return isList ? value.items : value;
        },
      };
    },
  },
};

/** @param {Uint8Array} wire @param {number} at @returns {boolean} true if there is room for four bytes */
function within(wire, at) {
  return at >= 0 && at <= wire.length - INT_BYTES;
}

/**
 * @param {import('flatbuffers').ByteBuffer} bytes
 * @param {number} table
 * @param {number} slot
 * @returns {number} -1 if the table lacks it
 */
function fieldAt(bytes, table, slot) {
  const offset = bytes.__offset(table, slot);
  return offset === 0 ? -1 : table + offset;
}

/**
 * @param {import('flatbuffers').ByteBuffer} bytes
 * @param {Uint8Array} wire
 * @param {number} at      of the field with the offset of the text
 * @returns {unknown}
 */
function textAt(bytes, wire, at) {
  const lengthAt = at + bytes.readInt32(at);
  const textBytes = within(wire, lengthAt) ? bytes.readInt32(lengthAt) : -1;
  const start = lengthAt + INT_BYTES;
  // A text is followed by a zero and padding to four bytes. It is the end of the wire, since it is built first.
  if (textBytes < 0 || wire.length - start !== (textBytes & ~3) + INT_BYTES) {
    throw new Error('not as long as its text says');
  }
  // The TextDecoder of __string() would drop U+FEFF at the beginning as a byte order mark. Its first byte is 0xef.
  return wire[start] === 0xef ? utf8Slice.call(wire, start, start + textBytes) : bytes.__string(at);
}
