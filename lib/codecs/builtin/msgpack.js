// MessagePack by msgpackr, with its record extension: both ends know the one record { id, payload } beforehand, so that
// no field names travel.

import { recordMessage, sharedRecords } from '../record-message.js';

const RECORD = 0x40; // msgpackr's number for the first of the shared structures

/** @type {typeof import('msgpackr').Packr} */
let Packr;
/** @type {import('msgpackr').Packr} */
let packr;
let isNative = false;

/** @type {import('../../types/messages.js').Codec} */
export default {
  name: 'msgpack',
  summary: 'MessagePack by msgpackr, with a shared record structure',
  look: { fill: 'horizontal', dash: [8, 3, 2, 3] },
  produces: 'bytes',
  async prepare() {
    ({ Packr, isNativeAccelerationEnabled: isNative } = await import('msgpackr'));
    packr = new Packr({ useRecords: true, structures: [['id', 'payload']] });
  },
  // A view of a larger buffer, which pack() goes on to fill behind it and never writes to again.
  encode: ({ id, payload }) => packr.pack({ id, payload }),
  decode(wire) {
    const textStart = findTextStart(wire);
    let value;
    try {
      value = packr.unpack(unsharedBytes(wire));
    } catch {
      // Not passed on as a cause: some messages of msgpackr quote what was read.
      throw new Error('not as long as its MessagePack says');
    }
    return recordMessage(value, wire, textStart);
  },
  values: {
    carry(schema) {
      const own = new Packr(sharedRecords(schema));
      return { encode: (value) => own.pack(value), decode: (wire) => own.unpack(unsharedBytes(wire)) };
    },
  },
};

/**
 * The native part of msgpackr, which reads texts, ends the process with SIGSEGV where the bytes are in a SharedArrayBuffer.
 * @param {any} wire
 * @returns {any} a copy of bytes in shared memory
 */
function unsharedBytes(wire) {
  return isNative && wire.buffer instanceof SharedArrayBuffer ? Buffer.from(wire) : wire;
}

/**
 * Lets msgpackr see only what encode() makes: the record, an integer, a text. Everything else of the format can harm:
 * a wire may redefine the shared record for all later ones, nest until the stack is full, or name extensions.
 * @param {Uint8Array} wire
 * @returns {number} where the bytes of the payload start
 */
function findTextStart(wire) {
  if (wire[0] === RECORD) {
    const at = 2 + integerBytes(wire[1]);
    const token = wire[at];
    if (token >= 0xa0 && token <= 0xbf) return at + 1; // fixstr
    if (token === 0xd9) return at + 2; // str 8
    if (token === 0xda) return at + 3; // str 16
    if (token === 0xdb) return at + 5; // str 32
  }
  throw new Error('not the MessagePack record of a message');
}

/** @param {number} token @returns {number} how many bytes follow it; NaN when it starts no positive integer */
function integerBytes(token) {
  if (token < 0x40) return 0; // 0x40 and above, fixint elsewhere, are records here
  if (token === 0xcc) return 1; // uint 8
  if (token === 0xcd) return 2; // uint 16
  if (token === 0xce) return 4; // uint 32
  return Number.NaN;
}
