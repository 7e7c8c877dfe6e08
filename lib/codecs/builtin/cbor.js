// CBOR by cbor-x, with its record extension: both ends know the one record { id, payload } beforehand, so that no field
// names travel.

import { packageProblem } from '../../machine/packages.js';
import { recordMessage, sharedRecords } from '../record-message.js';

const RECORD_BYTES = 4; // d9 e0 00: tag 57344, cbor-x's for the first of the shared structures; 82: two fields

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
  // A view of a larger buffer, which encode() goes on to fill behind it and never writes to again.
  encode: ({ id, payload }) => encoder.encode({ id, payload }),
  decode(wire) {
    const textStart = findTextStart(wire);
    let value;
    try {
      value = encoder.decode(wire);
    } catch {
      // Not passed on as a cause: some messages of cbor-x quote what was read.
      throw new Error('not as long as its CBOR says');
    }
    return recordMessage(value, wire, textStart);
  },
  values: {
    carry(schema) {
      const own = new Encoder(sharedRecords(schema));
      return { encode: (value) => own.encode(value), decode: (wire) => own.decode(wire) };
    },
  },
};

/**
 * Lets cbor-x see only what encode() makes: the record, an integer, a text. Everything else of the format can harm: a
 * wire may redefine the shared record for all later ones, nest until the stack is full, or name extensions.
 * @param {Uint8Array} wire
 * @returns {number} where the bytes of the payload start
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
 * @param {number} token   of major type 0: the integer, or how many bytes of it follow
 * @returns {number} that many; NaN for more than four, and for anything else
 */
function bytesAfter(token) {
  if (token < 0x18) return 0;
  if (token === 0x18) return 1;
  if (token === 0x19) return 2;
  return token === 0x1a ? 4 : Number.NaN;
}
