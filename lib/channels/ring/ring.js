// A ring of bytes between one writer and one reader that share memory: threads or processes. It carries the frames of framing.js as a
// stream, so that a message larger than the ring passes in pieces. Each end trusts only its own count, and checks the count of the other.
// ring-channel.js decides when an end sleeps and is woken.

import { FrameError, wireFraming } from '../framing.js';

/** @import { FrameReader } from '../framing.js' */

/**
 * @typedef {object} RingMemory
 * @property {ArrayBuffer | SharedArrayBuffer} memory    filled with zeros before the ends are created
 * @property {number} byteOffset     a multiple of 4
 * @property {number} ringBytes      a power of two, so that counts may wrap at 2^32
 */

// Words of the header, each on a separate cache line, so that a write of one end does not evict a line of the other. 128 bytes,
// since some processors fetch lines of 64 bytes in pairs.
const LINE_WORDS = 32;
const WRITTEN = 0; // bytes ever written, modulo 2^32; set by the writer
const READ = LINE_WORDS; // bytes ever read; set by the reader
const IS_READER_ASLEEP = 2 * LINE_WORDS; // set by the reader, cleared by the end that wakes it
const IS_WRITER_ASLEEP = 3 * LINE_WORDS; // set by the writer if there is no room
const HEADER_WORDS = 4 * LINE_WORDS;
const HEADER_BYTES = HEADER_WORDS * Int32Array.BYTES_PER_ELEMENT;

/** @param {number} ringBytes @returns {number} size of a ring with its header */
export function ringFootprintBytes(ringBytes) {
  return HEADER_BYTES + ringBytes;
}

/** @param {RingMemory} ring */
function makeViews({ memory, byteOffset, ringBytes }) {
  return {
    words: new Int32Array(memory, byteOffset, HEADER_WORDS),
    bytes: Buffer.from(/** @type {ArrayBuffer} */ (memory), byteOffset + HEADER_BYTES, ringBytes),
  };
}

/** @param {number} count    bytes in the ring, according to the other end @param {number} ringBytes */
function checkedCount(count, ringBytes) {
  if (count >= 0 && count <= ringBytes) return count;
  throw new FrameError(`the other end counts ${count} bytes in a ring of ${ringBytes}`);
}

/** @param {Int32Array} words @param {number} word @returns {boolean} true once after the flag was set, so that an end is woken once */
function clearFlag(words, word) {
  return Atomics.load(words, word) !== 0 && Atomics.exchange(words, word, 0) !== 0;
}

export class RingWriter {
  /** @param {RingMemory} ring */
  constructor(ring) {
    const { words, bytes } = makeViews(ring);
    this.words = words;
    this.bytes = bytes;
    this.written = Atomics.load(words, WRITTEN);
    this.roomBytes = 0; // lower bound: the count of the reader is only loaded if this is not sufficient
    this.framing = wireFraming;
  }

  /** @param {number} bytes @throws {FrameError} if the count of the reader contradicts the count of this end */
  hasRoom(bytes) {
    if (this.roomBytes >= bytes) return true;
    const ringBytes = this.bytes.length;
    const used = (this.written - Atomics.load(this.words, READ)) | 0;
    this.roomBytes = ringBytes - checkedCount(used, ringBytes);
    return this.roomBytes >= bytes;
  }

  /**
   * Writes into the memory, if there is room for the frame in one piece.
   * @param {any} sent     a value that `framing` accepts
   * @returns {boolean} false if nothing was written
   */
  append(sent) {
    const { bytes, framing, written } = this;
    const at = written & (bytes.length - 1);
    const pieceBytes = bytes.length - at;
    let neededBytes = framing.bound(sent);
    if (neededBytes > pieceBytes) neededBytes = framing.closeBound(sent);
    if (neededBytes > pieceBytes || !this.hasRoom(neededBytes)) return false;
    this.publish(framing.write(bytes, at, sent));
    return true;
  }

  /**
   * @param {Buffer} frame
   * @param {number} from    the first byte that is not written yet
   * @returns {number} bytes written
   */
  write(frame, from) {
    const { bytes } = this;
    this.hasRoom(frame.length - from);
    const copied = Math.min(frame.length - from, this.roomBytes);
    const at = this.written & (bytes.length - 1);
    const first = Math.min(copied, bytes.length - at);
    frame.copy(bytes, at, from, from + first);
    frame.copy(bytes, 0, from + first, from + copied);
    this.publish(copied);
    return copied;
  }

  /** Makes bytes visible to the reader. @param {number} bytes */
  publish(bytes) {
    this.roomBytes -= bytes;
    this.written = (this.written + bytes) | 0;
    Atomics.store(this.words, WRITTEN, this.written); // makes the bytes visible before this count
  }

  /** Sets the flag that makes the reader wake this end. Must be called before the last check for room. @param {boolean} isAsleep */
  setAsleep(isAsleep) {
    Atomics.store(this.words, IS_WRITER_ASLEEP, isAsleep ? 1 : 0);
  }

  /** Must be called after a write. Clears the flag of the reader. @returns {boolean} true if it was set: the caller has to wake the reader */
  shouldWakeReader() {
    return clearFlag(this.words, IS_READER_ASLEEP);
  }
}

export class RingReader {
  /** @param {RingMemory} ring */
  constructor(ring) {
    const { words, bytes } = makeViews(ring);
    this.words = words;
    this.bytes = bytes;
    this.read = Atomics.load(words, READ);
  }

  isEmpty() {
    return Atomics.load(this.words, WRITTEN) === this.read;
  }

  /**
   * Reads the bytes that are in the ring now. Later bytes wait for the next call, so that this call ends.
   * @param {FrameReader} frames    its views of the ring are valid until `onFrame` returns
   * @returns {boolean} false if the ring was empty
   */
  drain(frames) {
    const ringBytes = this.bytes.length;
    const count = checkedCount((Atomics.load(this.words, WRITTEN) - this.read) | 0, ringBytes);
    if (count === 0) return false;
    const at = this.read & (ringBytes - 1);
    const first = Math.min(count, ringBytes - at);
    this.feed(frames, at, first);
    if (count > first) this.feed(frames, 0, count - first);
    return true;
  }

  /** @param {FrameReader} frames @param {number} at @param {number} length */
  feed(frames, at, length) {
    frames.push(this.bytes, at, at + length);
    this.read = (this.read + length) | 0;
    Atomics.store(this.words, READ, this.read);
  }

  /** Sets the flag that makes the writer wake this end. Must be called before the last check for bytes. @param {boolean} isAsleep */
  setAsleep(isAsleep) {
    Atomics.store(this.words, IS_READER_ASLEEP, isAsleep ? 1 : 0);
  }

  /** Must be called after a read. Clears the flag of the writer. @returns {boolean} true if it was set: the caller has to wake the writer */
  shouldWakeWriter() {
    return clearFlag(this.words, IS_WRITER_ASLEEP);
  }
}

const BELL_BYTES = 128; // two cache lines, since some processors fetch lines in pairs
const BELL_WORDS = BELL_BYTES / Int32Array.BYTES_PER_ELEMENT;

/** The layout of the shared memory of a launch: a doorbell word for each end, then two rings for each worker. */
export class RingLayout {
  /** @param {number} workers @param {number} ringBytes    a power of two */
  constructor(workers, ringBytes) {
    this.workers = workers;
    this.ringBytes = ringBytes;
    this.bellBytes = BELL_BYTES * (1 + workers);
    this.bytes = this.bellBytes + 2 * workers * ringFootprintBytes(ringBytes);
  }

  /** @param {ArrayBuffer | SharedArrayBuffer} memory @returns {Int32Array} */
  doorbells(memory) {
    return new Int32Array(memory, 0, this.bellBytes / Int32Array.BYTES_PER_ELEMENT);
  }

  /** @param {number | 'master'} end */
  wordOf(end) {
    return end === 'master' ? 0 : (1 + end) * BELL_WORDS;
  }

  /** @param {string} workerId @returns {number} -1 if there is no such worker */
  indexOf(workerId) {
    const worker = /^w\d{1,9}$/.test(workerId) ? Number(workerId.slice(1)) : -1;
    return worker < this.workers ? worker : -1;
  }

  /** @param {ArrayBuffer | SharedArrayBuffer} memory @param {number} worker @returns {{ toMaster: RingMemory, toWorker: RingMemory }} */
  ringsOf(memory, worker) {
    const { ringBytes } = this;
    const footprint = ringFootprintBytes(ringBytes);
    const byteOffset = this.bellBytes + 2 * worker * footprint;
    return {
      toMaster: { memory, byteOffset, ringBytes },
      toWorker: { memory, byteOffset: byteOffset + footprint, ringBytes },
    };
  }
}
