// The framing of byte streams and rings: a four-byte header, then the body. Bits 0 to 30 of the header (big-endian) are the length of
// the body in bytes, and bit 31 marks a text of ASCII characters only, which decodes faster.

import { decodeText, latin1Slice, utf8Slice, utf8Write } from '../codecs/wire-bytes.js';
import { BenchError } from '../errors.js';

/** @import { Codec, EndContext, InPlace, Message, WireKind } from '../types/index.js' */

export const HEADER_BYTES = 4;
const ASCII_BIT = 0x8000_0000;
const LENGTH_BITS = 0x7fff_ffff;
const UTF8_BYTES_PER_UNIT = 3; // at most, per UTF-16 code unit: RFC 3629 with surrogate pairs as 4 bytes for 2 units

/** Thrown if the other end has sent bytes that are not frames, or an impossible count of a ring. Handlers of messages never throw it. */
export class FrameError extends BenchError {
  /** @param {string} message */
  constructor(message) {
    super('PROTOCOL', message);
  }
}

/** @param {string | Uint8Array} wire @returns {number} an upper bound of its frame in bytes */
export function frameBytesBound(wire) {
  return HEADER_BYTES + (typeof wire === 'string' ? wire.length * UTF8_BYTES_PER_UNIT : wire.length);
}

/** @param {string | Uint8Array} wire @returns {Buffer} the frame in a new buffer */
export function encodeFrame(wire) {
  const isText = typeof wire === 'string';
  const bodyBytes = isText ? Buffer.byteLength(wire) : wire.length;
  const frame = Buffer.allocUnsafe(HEADER_BYTES + bodyBytes);
  writeHeader(frame, 0, isText && bodyBytes === wire.length ? bodyBytes + ASCII_BIT : bodyBytes);
  if (isText) frame.write(wire, HEADER_BYTES);
  else frame.set(wire, HEADER_BYTES);
  return frame;
}

/**
 * @param {Buffer} target     has room for the frame
 * @param {number} at
 * @param {string} text
 * @returns {number} size of the frame in bytes
 */
function writeTextFrame(target, at, text) {
  const start = at + HEADER_BYTES;
  const bodyBytes = utf8Write.call(target, text, start, target.length - start);
  writeHeader(target, at, bodyBytes === text.length ? bodyBytes + ASCII_BIT : bodyBytes);
  return HEADER_BYTES + bodyBytes;
}

/** @param {Buffer} target @param {number} at @param {Uint8Array} bytes @returns {number} size of the frame in bytes */
function writeBytesFrame(target, at, bytes) {
  writeHeader(target, at, bytes.length);
  target.set(bytes, at + HEADER_BYTES);
  return HEADER_BYTES + bytes.length;
}

/**
 * @param {Buffer} target     has room for the frame
 * @param {number} at
 * @param {Message} message
 * @param {InPlace} inPlace
 * @returns {number} size of the frame in bytes
 */
function writeMessageFrame(target, at, message, inPlace) {
  const written = inPlace.encodeInto(message, target, at + HEADER_BYTES);
  const bodyBytes = written < 0 ? ~written : written;
  writeHeader(target, at, written < 0 ? bodyBytes + ASCII_BIT : bodyBytes);
  return HEADER_BYTES + bodyBytes;
}

/** @param {Buffer} target @param {number} at @param {number} header */
function writeHeader(target, at, header) {
  // writeUInt32BE() would check its arguments for each message.
  target[at] = header >>> 24;
  target[at + 1] = header >>> 16;
  target[at + 2] = header >>> 8;
  target[at + 3] = header;
}

/**
 * Cuts a byte stream into frames, however the stream was split. Throws FrameError on a length of zero or above `maxBodyBytes`, and on a
 * body of bytes with the ASCII mark, before anything is allocated for the body.
 */
export class FrameReader {
  /**
   * @param {object} settings
   * @param {WireKind} settings.kind           'text': strings; 'bytes': views that are valid until `onFrame` returns
   * @param {number} settings.maxBodyBytes
   * @param {(wire: any) => void} settings.onFrame
   */
  constructor({ kind, maxBodyBytes, onFrame }) {
    this.isText = kind === 'text';
    this.maxBodyBytes = maxBodyBytes;
    this.onFrame = onFrame;
    this.isStopped = false;
    this.partialHeader = Buffer.alloc(HEADER_BYTES);
    this.partialHeaderBytes = 0;
    /** Null between two frames. @type {Buffer | null} */
    this.partialBody = null;
    this.partialBodyBytes = 0;
    this.partialIsAscii = false;
    /** @type {InPlace | null} set if messages are delivered instead of wires */
    this.inPlace = null;
  }

  /** @returns {FrameError | undefined} an error if the stream ended within a frame and the reader was not stopped before */
  cutOff() {
    const isAtFrameEnd = this.partialBody === null && this.partialHeaderBytes === 0;
    return isAtFrameEnd || this.isStopped ? undefined : new FrameError('the stream ended within a frame');
  }

  /** Stops the delivery, even within a chunk. */
  stop() {
    this.isStopped = true;
    this.partialBody = null;
  }

  /**
   * @param {Buffer} chunk
   * @param {number} [start]    start of the range to read; creating a view of the range would take as long as reading a small message
   * @param {number} [end]
   */
  push(chunk, start = 0, end = chunk.length) {
    let at = start;
    if (this.partialBody !== null) at = this.continueBody(chunk, at, end);
    else if (this.partialHeaderBytes > 0) at = this.continueHeader(chunk, at, end);
    while (!this.isStopped && at < end) {
      const left = end - at;
      if (left < HEADER_BYTES) {
        this.partialHeaderBytes = chunk.copy(this.partialHeader, 0, at, end);
        return;
      }
      const header = chunk[at] * 0x100_0000 + ((chunk[at + 1] << 16) | (chunk[at + 2] << 8) | chunk[at + 3]);
      const bodyBytes = this.checkedLength(header);
      at += HEADER_BYTES;
      if (left - HEADER_BYTES < bodyBytes) {
        this.beginBody(header);
        at = this.continueBody(chunk, at, end);
      } else {
        this.deliver(chunk, at, at + bodyBytes, header >= ASCII_BIT);
        at += bodyBytes;
      }
    }
  }

  /** @param {number} header @returns {number} length of the body in bytes */
  checkedLength(header) {
    const bodyBytes = header & LENGTH_BITS;
    if (bodyBytes === 0 || bodyBytes > this.maxBodyBytes || (header >= ASCII_BIT && !this.isText)) {
      const letters = String.fromCharCode(
        header >>> 24,
        (header >> 16) & 255,
        (header >> 8) & 255,
        header & 255,
      );
      const hint = /^[\t\n\r -~]{4}$/.test(letters)
        ? `: it begins with the text ${JSON.stringify(letters)}, which something else writes, such as console.log() in a preloaded module`
        : '';
      throw new FrameError(
        `a frame announces ${bodyBytes} bytes where 1 to ${this.maxBodyBytes} are allowed${hint}`,
      );
    }
    return bodyBytes;
  }

  /** @param {number} header */
  beginBody(header) {
    // Allocates the whole body: joining the chunks one by one would cost O(size²).
    this.partialBody = Buffer.allocUnsafe(header & LENGTH_BITS);
    this.partialBodyBytes = 0;
    this.partialIsAscii = header >= ASCII_BIT;
  }

  /** @param {Buffer} chunk @param {number} at @param {number} end @returns {number} the first unread position */
  continueHeader(chunk, at, end) {
    const copied = chunk.copy(this.partialHeader, this.partialHeaderBytes, at, end);
    this.partialHeaderBytes += copied;
    if (this.partialHeaderBytes < HEADER_BYTES) return end;
    this.partialHeaderBytes = 0;
    const header = this.partialHeader.readUInt32BE(0);
    this.checkedLength(header);
    this.beginBody(header);
    return this.continueBody(chunk, at + copied, end);
  }

  /** @param {Buffer} chunk @param {number} at @param {number} end @returns {number} the first unread position */
  continueBody(chunk, at, end) {
    const body = /** @type {Buffer} */ (this.partialBody);
    const copied = chunk.copy(body, this.partialBodyBytes, at, end);
    this.partialBodyBytes += copied;
    if (this.partialBodyBytes === body.length) {
      this.partialBody = null;
      this.deliver(body, 0, body.length, this.partialIsAscii);
    }
    return at + copied;
  }

  /** @param {Buffer} source @param {number} start @param {number} end @param {boolean} isAscii */
  deliver(source, start, end, isAscii) {
    if (this.inPlace !== null) this.onFrame(this.messageIn(source, start, end, isAscii));
    else if (!this.isText) this.onFrame(source.subarray(start, end));
    else this.onFrame((isAscii ? latin1Slice : utf8Slice).call(source, start, end));
  }

  /**
   * @param {Buffer} source
   * @param {number} start
   * @param {number} end
   * @param {boolean} isAscii
   * @returns {Message | null} null if the message is malformed
   */
  messageIn(source, start, end, isAscii) {
    try {
      return /** @type {InPlace} */ (this.inPlace).decodeFrom(source, start, end, isAscii);
    } catch {
      return null;
    }
  }
}

/** Delivers each message as a separate Buffer or text and ignores the ASCII mark, like libraries that deliver whole messages. */
class WholeFrameReader extends FrameReader {
  /** @override @param {Buffer} source @param {number} start @param {number} end */
  deliver(source, start, end) {
    const bytes = source.subarray(start, end);
    this.onFrame(this.isText ? decodeText(bytes) : bytes);
  }
}

/**
 * @typedef {object} Framing
 * @property {(sent: any) => number} bound     upper bound of the frame in bytes
 * @property {(sent: any) => number} closeBound   a closer bound; reads the whole text
 * @property {(target: Buffer, at: number, sent: any) => number} write   returns the size of the frame in bytes; `target` has room for it
 * @property {(sent: any) => Buffer} whole     returns the frame in a new buffer
 */

/** @type {Framing} */
export const wireFraming = Object.freeze({
  bound: frameBytesBound,
  closeBound: (wire) => HEADER_BYTES + (typeof wire === 'string' ? Buffer.byteLength(wire) : wire.length),
  write: (target, at, wire) =>
    typeof wire === 'string' ? writeTextFrame(target, at, wire) : writeBytesFrame(target, at, wire),
  whole: encodeFrame,
});

/** @param {Pick<Codec, 'encode'>} codec @param {InPlace} inPlace @returns {Framing} */
function messageFraming(codec, inPlace) {
  const headBytes = HEADER_BYTES + inPlace.headBytes;
  return {
    bound: ({ payload }) => headBytes + payload.length * UTF8_BYTES_PER_UNIT,
    closeBound: ({ payload }) => headBytes + Buffer.byteLength(payload),
    write: (target, at, message) => writeMessageFrame(target, at, message, inPlace),
    whole: (message) => encodeFrame(/** @type {string | Uint8Array} */ (codec.encode(message))),
  };
}

/** @param {Pick<EndContext, 'settings' | 'wireKind' | 'maxMessageBytes'>} end @param {(wire: any) => void} onFrame */
export function makeFrameReader({ settings, wireKind, maxMessageBytes }, onFrame) {
  const parts = { kind: wireKind, maxBodyBytes: maxMessageBytes, onFrame };
  return settings.inPlace === false ? new WholeFrameReader(parts) : new FrameReader(parts);
}

/**
 * Makes `writer` accept and `reader` deliver messages instead of wires. Returns false, and changes nothing, if the codec has no `inPlace`,
 * or if the setting `inPlace` is false.
 * @param {Pick<Codec, 'encode' | 'inPlace'>} codec
 * @param {{ framing: Framing }} writer
 * @param {FrameReader} reader
 */
export function carryMessages(codec, writer, reader) {
  const { inPlace } = codec;
  if (inPlace === undefined || reader instanceof WholeFrameReader) return false;
  writer.framing = messageFraming(codec, inPlace);
  reader.inPlace = inPlace;
  return true;
}
