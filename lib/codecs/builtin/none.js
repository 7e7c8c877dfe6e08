// The smallest format: four bytes of id, little-endian, then the bytes of the payload. The id is stored inverted (~) if the payload is a
// text of ASCII only. The length of the payload follows from the length of the message that the transport delivers.

import { checkedBytes, checkedMessage } from '../message.js';
import { latin1Slice, latin1Write, readInt32, utf8Slice, utf8Write, writeInt32 } from '../wire-bytes.js';

/** @import { ByteMessage, Codec } from '../../types/index.js' */

const ID_BYTES = 4;

/** @type {Codec} */
export default {
  name: 'none',
  summary: 'raw bytes: four of id, then the payload in UTF-8, and nothing else',
  look: { fill: 'bricks', dash: [2, 6] },
  produces: 'bytes',
  trustsLength: true,
  encode({ id, payload }) {
    const payloadBytes = Buffer.byteLength(payload);
    const isAscii = payloadBytes === payload.length;
    const wire = Buffer.allocUnsafe(ID_BYTES + payloadBytes);
    writeInt32(wire, 0, isAscii ? ~id : id);
    if (isAscii) latin1Write.call(wire, payload, ID_BYTES, payloadBytes);
    else utf8Write.call(wire, payload, ID_BYTES, payloadBytes);
    return wire;
  },
  decode: (wire) => decodeFrom(wire, 0, wire.length),
  inPlace: {
    headBytes: ID_BYTES,
    encodeInto({ id, payload }, target, at) {
      const payloadAt = at + ID_BYTES;
      const payloadBytes = utf8Write.call(target, payload, payloadAt, target.length - payloadAt);
      writeInt32(target, at, payloadBytes === payload.length ? ~id : id);
      return ID_BYTES + payloadBytes;
    },
    decodeFrom,
  },
  bytes: {
    encode(message) {
      const wire = Buffer.allocUnsafe(ID_BYTES + message.payload.length);
      writeBytes(message, wire, 0);
      return wire;
    },
    decode: (wire) => bytesFrom(wire, 0, wire.length),
    inPlace: { headBytes: ID_BYTES, encodeInto: writeBytes, decodeFrom: bytesFrom },
  },
};

/** @param {ByteMessage} message @param {Buffer} target @param {number} at @returns {number} */
function writeBytes({ id, payload }, target, at) {
  writeInt32(target, at, id);
  target.set(payload, at + ID_BYTES);
  return ID_BYTES + payload.length;
}

/** @param {Uint8Array} source @param {number} start @param {number} end */
function bytesFrom(source, start, end) {
  if (end - start < ID_BYTES) throw new Error('too short for an id');
  return checkedBytes(readInt32(source, start), source.subarray(start + ID_BYTES, end));
}

/** @param {Uint8Array} source @param {number} start @param {number} end */
function decodeFrom(source, start, end) {
  if (end - start < ID_BYTES) throw new Error('too short for an id');
  const id = readInt32(source, start);
  return id < 0
    ? checkedMessage(~id, latin1Slice.call(source, start + ID_BYTES, end))
    : checkedMessage(id, utf8Slice.call(source, start + ID_BYTES, end));
}
