// Messages that carry objects or lists instead of texts. Both ends have all values and refer to each by its index. Endpoints use the index
// as the payload, so that the same endpoints work for values and texts. On the wire, the id and the index precede the value, and the codec
// encodes only the value.
import { integerText } from '../../codecs/decimals.js';
import { checkedMessage } from '../../codecs/message.js';
import { sameness } from '../../codecs/same-value.js';
import { readInt32, writeInt32 } from '../../codecs/wire-bytes.js';
import { sumBy } from '../../statistics/sum.js';

/** @import { Codec, Message, ValueSchema, Wire, WireKind } from '../../types/index.js' */
/** @typedef {{ id: number, position: number, body: any }} MessageFields */
/**
 * @typedef {object} Frame
 * @property {(id: number, index: number, body: any) => Wire} join
 * @property {(wire: any) => MessageFields} part
 * @property {(body: any) => number} bytes
 */

const HEAD_BYTES = 8; // id and index of the value
/** Payload of a received value that differs from the value at its index. */
const WRONG = '';

/** @type {Readonly<Record<WireKind, Frame>>} */
const FRAMES = Object.freeze({
  text: {
    join: (id, index, body) => `${integerText(id)} ${index} ${body}`,
    part(wire) {
      const idEnd = wire.indexOf(' ');
      const positionEnd = wire.indexOf(' ', idEnd + 1);
      return {
        id: Number(wire.slice(0, idEnd)),
        position: positionEnd === -1 ? Number.NaN : Number(wire.slice(idEnd + 1, positionEnd)),
        body: wire.slice(positionEnd + 1),
      };
    },
    bytes: (body) => Buffer.byteLength(body),
  },
  bytes: {
    join(id, index, body) {
      const wire = Buffer.allocUnsafe(HEAD_BYTES + body.length);
      writeInt32(wire, 0, id);
      writeInt32(wire, HEAD_BYTES / 2, index);
      wire.set(body, HEAD_BYTES);
      return wire;
    },
    part: (wire) => ({
      id: readInt32(wire, 0),
      position: readInt32(wire, HEAD_BYTES / 2),
      body: wire.subarray(HEAD_BYTES),
    }),
    bytes: (body) => body.length,
  },
  value: {
    // An array, since property names would be longer than many messages.
    join: (id, index, body) => [id, index, body],
    part: ([id, position, body]) => ({ id, position, body }),
    bytes: () => Number.NaN, // unknown, since the channel encodes
  },
});

/**
 * @param {readonly any[]} values
 * @param {ValueSchema} schema
 * @param {Pick<Codec, 'produces' | 'values'>} codec
 * @param {{ isUntouched?: boolean }} [how]   `isUntouched` encodes each value only once
 */
export function valueMessages(values, schema, { produces, values: carried }, { isUntouched = false } = {}) {
  if (carried === undefined)
    throw new TypeError('the codec carries texts only: the plan should have skipped it');
  const carrier = carried.carry(schema);
  const isSame = sameness(schema.shape);
  const { join, part, bytes } = FRAMES[produces];
  const names = values.map((_, index) => String(index));
  const encoded = isUntouched ? values.map(carrier.encode) : [];
  /** @type {(index: number) => any} */
  const bodyOf = isUntouched ? (index) => encoded[index] : (index) => carrier.encode(values[index]);
  return {
    /** Indexes of the values as texts, which are the payloads of the sender. */
    names,
    /** @param {Message} message   `payload` is a name */
    encode({ id, payload }) {
      const index = Number(payload);
      return join(id, index, bodyOf(index));
    },
    /** @param {any} wire @returns {Message} `payload` is the name of the value, or WRONG if the value differs */
    decode(wire) {
      const { id, position, body } = part(wire);
      const name = names[position];
      if (name === undefined) throw new Error('not one of the values that both ends know');
      return checkedMessage(id, arrived(body, position) ? name : WRONG);
    },
    /** @returns {number | null} bytes of all values in the codec, or null if the channel encodes */
    encodedBytes() {
      const sum = sumBy(values, (value) => bytes(carrier.encode(value)));
      return Number.isNaN(sum) ? null : sum;
    },
  };

  /** @param {any} body @param {number} index @returns {boolean} true if it decodes to the value at that index */
  function arrived(body, index) {
    try {
      return isSame(carrier.decode(body), values[index]);
    } catch {
      return false;
    }
  }
}
