// CBOR by cbor-x, with its record extension. Both ends have the record { id, payload }, so no field names are sent.

import { packageProblem } from '../../machine/packages.js';
import { checkedBytes } from '../message.js';
import { recordMessage, sharedRecords } from '../record-message.js';

// Initial bytes of the major types, with no length in them.
const BYTES_TYPE = 0x40;
const TEXT_TYPE = 0x60;
const MAX_LENGTH_BYTES = 0x1a; // in an initial byte: the length takes four bytes

const RECORD_BYTES = 4; // d9 e0 00 is tag 57344, the first shared structure of cbor-x; 82 begins an array of two fields

/** @type {typeof import('cbor-x').Encoder} */
let Encoder;
/** @type {import('cbor-x').Encoder} */
let encoder;

/** @type {import('../../types/messages.js').Codec} */
export default {
  name: 'cbor',
  summary: 'CBOR by cbor-x, with a shared record structure',
  look: { fill: 'cross', dash: [8, 3, 2, 3, 2, 3] },
  produces: 'bytes',
  sources: ['https://github.com/kriszyp/cbor-x#shared-record-structures'],
  packages: ['cbor-x'],
  whyUnavailable: (isGlance) => packageProblem('cbor-x', isGlance),
  async prepare() {
    ({ Encoder } = await import('cbor-x'));
    encoder = new Encoder({ structures: [['id', 'payload']] });
  },
  // Returns a view of a shared buffer. Later calls append to that buffer and overwrite nothing.
  encode: ({ id, payload }) => encoder.encode({ id, payload }),
  decode(wire) {
    const textStart = findPayloadStart(wire, TEXT_TYPE);
    return recordMessage(read(wire), wire, textStart);
  },
  values: {
    carry(schema) {
      const encoder = new Encoder(sharedRecords(schema));
      return { encode: (value) => encoder.encode(value), decode: (wire) => encoder.decode(wire) };
    },
  },
  bytes: {
    encode: ({ id, payload }) => encoder.encode({ id, payload }),
    decode(wire) {
      findPayloadStart(wire, BYTES_TYPE);
      const { id, payload } = read(wire);
      return checkedBytes(id, payload);
    },
  },
};

/** @param {Uint8Array} wire @returns {any} */
function read(wire) {
  try {
    return encoder.decode(wire);
  } catch {
    // The error has no cause, since some errors of cbor-x quote the input.
    throw new Error('not as long as its CBOR says');
  }
}

/**
 * Throws unless the wire begins as encode() makes it: the record, an integer, a text or bytes. In cbor-x, other parts of the format can do harm:
 * a wire may redefine the shared record for all later ones, nest until the stack overflows, or use extensions.
 * @param {Uint8Array} wire
 * @param {number} type   BYTES_TYPE or TEXT_TYPE
 * @returns {number} position of the payload
 */
function findPayloadStart(wire, type) {
  if (wire[0] === 0xd9 && wire[1] === 0xe0 && wire[2] === 0x00 && wire[3] === 0x82) {
    const at = RECORD_BYTES + 1 + bytesAfter(wire[RECORD_BYTES]);
    const token = wire[at] - type;
    if (token >= 0 && token <= MAX_LENGTH_BYTES) return at + 1 + bytesAfter(token);
  }
  throw new Error('not the CBOR record of a message');
}

/**
 * @param {number} token   initial byte of an integer, or that of a text or bytes minus its major type
 * @returns {number} bytes of the integer or length that follow; NaN if they are more than four, or if the item has another major type
 */
function bytesAfter(token) {
  if (token < 0x18) return 0;
  if (token === 0x18) return 1;
  if (token === 0x19) return 2;
  return token === 0x1a ? 4 : Number.NaN;
}
