// A binary format written by hand: a header of eight bytes, then the payload, which is a text in UTF-8 or bytes. Bytes 0 to 3 are the id,
// 4 to 7 the length of the payload in bytes, both little-endian; the length is stored inverted (~) if the payload is a text of ASCII only.

import { checkedBytes, checkedMessage } from '../message.js';
import { latin1Slice, latin1Write, readInt32, utf8Slice, utf8Write, writeInt32 } from '../wire-bytes.js';

/** @import { ByteMessage, Codec } from '../../types/index.js' */

const HEADER_BYTES = 8;

/** @type {Codec} */
export default {
  name: 'binary',
  summary: 'hand-rolled bytes: eight of header, then the payload in UTF-8',
  look: { fill: 'diagonal', dash: [2, 2] },
  produces: 'bytes',
  encode({ id, payload }) {
    const payloadBytes = Buffer.byteLength(payload);
    // Only ASCII has one byte per UTF-16 code unit. For 1 MiB, copying takes less than half as long as converting.
    const isAscii = payloadBytes === payload.length;
    const wire = Buffer.allocUnsafe(HEADER_BYTES + payloadBytes);
    writeInt32(wire, 0, id);
    writeInt32(wire, 4, isAscii ? ~payloadBytes : payloadBytes);
    if (isAscii) latin1Write.call(wire, payload, HEADER_BYTES, payloadBytes);
    else utf8Write.call(wire, payload, HEADER_BYTES, payloadBytes);
    return wire;
  },
  decode: (wire) => decodeFrom(wire, 0, wire.length),
  inPlace: {
    headBytes: HEADER_BYTES,
    encodeInto({ id, payload }, target, at) {
      const payloadAt = at + HEADER_BYTES;
      const payloadBytes = utf8Write.call(target, payload, payloadAt, target.length - payloadAt);
      writeInt32(target, at, id);
      writeInt32(target, at + 4, payloadBytes === payload.length ? ~payloadBytes : payloadBytes);
      return HEADER_BYTES + payloadBytes;
    },
    decodeFrom,
  },
  bytes: {
    encode(message) {
      const wire = Buffer.allocUnsafe(HEADER_BYTES + message.payload.length);
      writeBytes(message, wire, 0);
      return wire;
    },
    decode: (wire) => bytesFrom(wire, 0, wire.length),
    inPlace: { headBytes: HEADER_BYTES, encodeInto: writeBytes, decodeFrom: bytesFrom },
  },
};

/** @param {ByteMessage} message @param {Buffer} target @param {number} at @returns {number} */
function writeBytes({ id, payload }, target, at) {
  writeInt32(target, at, id);
  writeInt32(target, at + 4, payload.length);
  target.set(payload, at + HEADER_BYTES);
  return HEADER_BYTES + payload.length;
}

/** @param {Uint8Array} source @param {number} start @param {number} end */
function bytesFrom(source, start, end) {
  if (readInt32(source, start + 4) !== end - start - HEADER_BYTES)
    throw new Error('not as long as its header says');
  return checkedBytes(readInt32(source, start), source.subarray(start + HEADER_BYTES, end));
}

/** @param {Uint8Array} source @param {number} start @param {number} end */
function decodeFrom(source, start, end) {
  const length = readInt32(source, start + 4);
  const isAscii = length < 0;
  if ((isAscii ? ~length : length) !== end - start - HEADER_BYTES)
    throw new Error('not as long as its header says');
  return checkedMessage(
    readInt32(source, start),
    (isAscii ? latin1Slice : utf8Slice).call(source, start + HEADER_BYTES, end),
  );
}
