// CBOR by cbor-x, with its record extension. Both ends have the record { id, payload }, so no field names are sent.

import { packageProblem } from '../../machine/packages.js';
import { recordMessage, sharedRecords } from '../record-message.js';

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
    const textStart = findTextStart(wire);
    let value;
    try {
      value = encoder.decode(wire);
    } catch {
      // Without a cause: some messages of cbor-x quote the input.
      throw new Error('not as long as its CBOR says');
    }
    return recordMessage(value, wire, textStart);
  },
  values: {
    carry(schema) {
      const encoder = new Encoder(sharedRecords(schema));
      return { encode: (value) => encoder.encode(value), decode: (wire) => encoder.decode(wire) };
    },
  },
};

/**
 * Throws unless the wire begins as encode() makes it: the record, an integer, a text. In cbor-x, other parts of the format can do harm:
 * a wire may redefine the shared record for all later ones, nest until the stack overflows, or use extensions.
 * @param {Uint8Array} wire
 * @returns {number} position of the payload
 */
function findTextStart(wire) {
  if (wire[0] === 0xd9 && wire[1] === 0xe0 && wire[2] === 0x00 && wire[3] === 0x82) {
    const at = RECORD_BYTES + 1 + bytesAfter(wire[RECORD_BYTES]);
    const token = wire[at];
    if (token >= 0x60 && token <= 0x7a) return at + 1 + bytesAfter(token - 0x60); // major type 3: text
  }
  throw new Error('not the CBOR record of a message');
}

/**
 * @param {number} token   initial byte of an item of major type 0
 * @returns {number} bytes of the integer that follow; NaN for more than four, and for other types
 */
function bytesAfter(token) {
  if (token < 0x18) return 0;
  if (token === 0x18) return 1;
  if (token === 0x19) return 2;
  return token === 0x1a ? 4 : Number.NaN;
}
