// MessagePack by msgpackr, with its record extension. Both ends have the record { id, payload }, so no field names are sent.

import { checkedBytes } from '../message.js';
import { recordMessage, sharedRecords } from '../record-message.js';

const RECORD = 0x40; // number of the first shared structure of msgpackr
const BIN_8 = 0xc4; // the next two tokens are bin 16 and bin 32
const BIN_32 = 0xc6;

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
  // Returns a view of a shared buffer. Later calls append to that buffer and overwrite nothing.
  encode: ({ id, payload }) => packr.pack({ id, payload }),
  decode(wire) {
    const textStart = findTextStart(wire);
    return recordMessage(read(wire), wire, textStart);
  },
  values: {
    carry(schema) {
      const packr = new Packr(sharedRecords(schema));
      return { encode: (value) => packr.pack(value), decode: (wire) => packr.unpack(unsharedBytes(wire)) };
    },
  },
  bytes: {
    encode: ({ id, payload }) => packr.pack({ id, payload }),
    decode(wire) {
      const token = wire[findPayload(wire)];
      if (!(token >= BIN_8 && token <= BIN_32)) throw new Error('not the MessagePack record of bytes');
      const { id, payload } = read(wire);
      return checkedBytes(id, payload);
    },
  },
};

/** @param {Uint8Array} wire @returns {any} */
function read(wire) {
  try {
    return packr.unpack(unsharedBytes(wire));
  } catch {
    // The error has no cause, since some errors of msgpackr quote the input.
    throw new Error('not as long as its MessagePack says');
  }
}

/**
 * Copies bytes in shared memory if msgpackr reads texts by its native part, which crashes (SIGSEGV) with a SharedArrayBuffer.
 * @param {any} wire
 * @returns {any}
 */
function unsharedBytes(wire) {
  return isNative && wire.buffer instanceof SharedArrayBuffer ? Buffer.from(wire) : wire;
}

// A wire has to begin as encode() makes it: the record, an integer, a text or bytes. In msgpackr, other parts of the format can do harm: a
// wire may redefine the shared record for all later ones, nest until the stack overflows, or use extensions.

/** @param {Uint8Array} wire @returns {number} position of the payload, with its token; NaN if the wire begins otherwise */
function findPayload(wire) {
  return wire[0] === RECORD ? 2 + integerBytes(wire[1]) : Number.NaN;
}

/** @param {Uint8Array} wire @returns {number} position of the payload's text */
function findTextStart(wire) {
  const at = findPayload(wire);
  const token = wire[at];
  if (token >= 0xa0 && token <= 0xbf) return at + 1; // fixstr
  if (token === 0xd9) return at + 2; // str 8
  if (token === 0xda) return at + 3; // str 16
  if (token === 0xdb) return at + 5; // str 32
  throw new Error('not the MessagePack record of a message');
}

/** @param {number} token @returns {number} bytes that follow it; NaN unless it begins an unsigned integer of at most 32 bits */
function integerBytes(token) {
  if (token < 0x40) return 0; // msgpackr uses 0x40 to 0x7f, positive fixints in the standard, for records
  if (token === 0xcc) return 1; // uint 8
  if (token === 0xcd) return 2; // uint 16
  if (token === 0xce) return 4; // uint 32
  return Number.NaN;
}
