// How what is sent becomes frames: wires as they are, or messages, which a codec writes into the frame itself.

import {
  encodeFrame,
  FrameReader,
  frameBytesBound,
  HEADER_BYTES,
  UTF8_BYTES_PER_UNIT,
  WholeFrameReader,
  writeBytesFrame,
  writeMessageFrame,
  writeTextFrame,
} from './framing.js';

/** @import { Codec, EndContext, InPlace, Setting } from '../types/index.js' */
/**
 * @typedef {object} Framing
 * @property {(sent: any) => number} bound     of its frame, in bytes
 * @property {(sent: any) => number} closeBound   for where the first one is too great: it costs a look at the whole text
 * @property {(target: Buffer, at: number, sent: any) => number} write   into what has room for it; bytes of the frame
 * @property {(sent: any) => Buffer} whole     in a buffer of its own
 */

/** @type {Framing} */
export const wireFraming = Object.freeze({
  bound: frameBytesBound,
  closeBound: (wire) => HEADER_BYTES + (typeof wire === 'string' ? Buffer.byteLength(wire) : wire.length),
  write: (target, at, wire) =>
    typeof wire === 'string' ? writeTextFrame(target, at, wire) : writeBytesFrame(target, at, wire),
  whole: encodeFrame,
});

/**
 * @param {Pick<Codec, 'encode'>} codec
 * @param {InPlace} inPlace   of it
 * @returns {Framing}
 */
export function messageFraming(codec, inPlace) {
  const headBytes = HEADER_BYTES + inPlace.headBytes;
  return {
    bound: ({ payload }) => headBytes + payload.length * UTF8_BYTES_PER_UNIT,
    closeBound: ({ payload }) => headBytes + Buffer.byteLength(payload),
    write: (target, at, message) => writeMessageFrame(target, at, message, inPlace),
    whole: (message) => encodeFrame(/** @type {string | Uint8Array} */ (codec.encode(message))),
  };
}

/** @type {Setting} */
export const inPlaceSetting = Object.freeze({
  summary:
    'codecs that can read and write messages in the memory of the channel do so, and marked ASCII is decoded as such; ' +
    'false: each message is a text or a Buffer of its own, as transports have it whose library hands over whole messages',
  default: true,
});

/**
 * @param {Pick<EndContext, 'settings' | 'wireKind' | 'maxMessageBytes'>} end
 * @param {(wire: any) => void} onFrame
 * @returns {FrameReader}
 */
export function makeFrameReader({ settings, wireKind, maxMessageBytes }, onFrame) {
  const parts = { kind: wireKind, maxBodyBytes: maxMessageBytes, onFrame };
  return settings.inPlace === false ? new WholeFrameReader(parts) : new FrameReader(parts);
}

/**
 * From now on messages are sent and delivered, where the codec can do without a wire.
 * @param {Pick<Codec, 'encode' | 'inPlace'>} codec
 * @param {{ framing: Framing }} writer
 * @param {FrameReader} reader
 * @returns {boolean}
 */
export function carryMessages(codec, writer, reader) {
  const { inPlace } = codec;
  if (inPlace === undefined || reader instanceof WholeFrameReader) return false;
  writer.framing = messageFraming(codec, inPlace);
  reader.inPlace = inPlace;
  return true;
}
