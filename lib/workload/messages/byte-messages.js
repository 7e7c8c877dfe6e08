// Messages that carry bytes instead of texts. Both ends have all payloads, and a payload begins with its index. `decode` compares each byte
// that arrives, and returns the payload itself, so that endpoints compare it like a text.

/** @import { Codec, ReceivedBytes } from '../../types/index.js' */

/** Replaces received bytes that equal no payload of the launch. */
const WRONG = Buffer.alloc(0);
const BYTE_VALUES = 256;

/**
 * @param {Buffer[]} generated   at least one; this function writes the index of each into its first bytes
 * @param {Pick<Codec, 'bytes'>} codec
 */
export function byteMessages(generated, { bytes }) {
  if (bytes === undefined) throw new TypeError('the codec carries no bytes: the plan should have skipped it');
  const [{ length }] = generated;
  const payloads = generated.slice(0, length === 1 ? BYTE_VALUES : BYTE_VALUES ** 2);
  for (const [index, payload] of payloads.entries()) {
    payload[0] = index;
    if (length > 1) payload[1] = index >> 8;
  }
  const isSame = bytes.isList ? isSameList : isSameBytes;
  const { encode, decode, inPlace } = bytes;

  /**
   * @param {ReceivedBytes} message
   * @returns {any} the message with the payload of the launch whose index it begins with, or with WRONG if its bytes differ from that payload
   */
  function identify({ id, payload }) {
    const expected = payloads[length === 1 ? payload[0] : payload[0] + payload[1] * BYTE_VALUES];
    return { id, payload: expected !== undefined && isSame(payload, expected) ? expected : WRONG };
  }

  return {
    payloads: /** @type {any[]} */ (payloads),
    encode: /** @type {any} */ (encode),
    /** @param {any} wire */
    decode: (wire) => identify(decode(wire)),
    inPlace: inPlace && {
      headBytes: inPlace.headBytes,
      encodeInto: /** @type {any} */ (inPlace.encodeInto),
      /** @param {Buffer} source @param {number} start @param {number} end @param {boolean} isAscii */
      decodeFrom: (source, start, end, isAscii) => identify(inPlace.decodeFrom(source, start, end, isAscii)),
    },
  };
}

/** Throws for anything but bytes. @param {any} got @param {Buffer} expected */
function isSameBytes(got, expected) {
  return expected.equals(got);
}

/** @param {any} got   a list @param {Buffer} expected */
function isSameList(got, expected) {
  if (got.length !== expected.length) return false;
  for (let at = 0; at < expected.length; at += 1) if (got[at] !== expected[at]) return false;
  return true;
}
