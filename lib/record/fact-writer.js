// Appends the facts of a process or thread to its file. Messages collect in a block of shared memory, which is written when it is full or a
// second old. So the main thread can write the last block of a thread that is terminated, or that waits in Atomics.wait.

import fs from 'node:fs';
import {
  HEADER_BYTES,
  HEADER_WORDS,
  IS_FACT,
  MESSAGES,
  MOST_FIELDS,
  TEXT,
  TICKS_PER_MS,
} from './fact-format.js';

// Captured now, since the program may replace these functions later.
const { closeSync, fstatSync, openSync, writeSync } = fs;

const BLOCK_BYTES = 65_536;
const MOST_WORDS_OF_MESSAGE = 2 + MOST_FIELDS; // after the first three
const MOST_TICKS = 1_000 * TICKS_PER_MS;
// The file `size` in the folder has a byte for each UNIT_BYTES that any process or thread has written.
const UNIT_BYTES = 4_096;
const LOCK_MS = 20;
// Positions of 32-bit integers behind the block.
const USED = BLOCK_BYTES / 4; // words of the block
const WRITTEN = USED + 1; // of them, in the file
const LOCK = USED + 2;
const ENDED = USED + 3;

/** @typedef {{ path: string, memory: SharedArrayBuffer }} Shared   the file and the memory of a writer */

/** @param {string} path @param {Uint8Array[]} parts */
function append(path, parts) {
  const file = openSync(path, 'a', 0o600);
  try {
    for (const part of parts) for (let at = 0; at < part.length; ) at += writeSync(file, part, at);
  } finally {
    closeSync(file);
  }
}

/** @param {number} kind @param {number} bytes @param {number} ms */
function headerOf(kind, bytes, ms) {
  const header = new DataView(new ArrayBuffer(HEADER_BYTES));
  header.setUint32(0, kind, true);
  header.setUint32(4, bytes, true);
  header.setFloat64(8, ms, true);
  return new Uint8Array(header.buffer);
}

/** @param {Int32Array} words @param {string} path @returns {number} bytes written */
function writeBlock(words, path) {
  const [used, written] = [Atomics.load(words, USED), words[WRITTEN]];
  if (used === written) return 0;
  const bytes = new Uint8Array(words.buffer, HEADER_BYTES + 4 * written, 4 * (used - written));
  const baseMs = new Float64Array(words.buffer, 8, 1)[0];
  append(path, [headerOf(MESSAGES, bytes.length, baseMs), bytes]);
  words[WRITTEN] = used;
  return HEADER_BYTES + bytes.length;
}

/** @param {string} path @param {Uint8Array} text   JSON of a fact @param {number} ms @returns {number} bytes written */
function writeText(path, text, ms) {
  append(path, [headerOf(TEXT, text.length, ms), text]);
  return HEADER_BYTES + text.length;
}

/** @param {Shared} shared @returns {boolean} */
export const hasEnded = ({ memory }) => Atomics.load(new Int32Array(memory), ENDED) === 1;

/**
 * Writes what another thread has not written yet.
 * @param {Shared} shared
 * @param {number} ms   on the system's monotonic clock
 * @param {boolean} isEnd   the thread is terminated
 */
export function writeForThread({ path, memory }, ms, isEnd) {
  const words = new Int32Array(memory);
  // Held while the thread writes its block.
  const untilMs = performance.now() + LOCK_MS;
  while (Atomics.compareExchange(words, LOCK, 0, 1) !== 0) if (performance.now() > untilMs) return;
  try {
    if (Atomics.load(words, ENDED) === 1) return;
    writeBlock(words, path);
    if (!isEnd) return;
    writeText(path, Buffer.from(JSON.stringify({ end: ms })), ms);
    Atomics.store(words, ENDED, 1);
  } finally {
    Atomics.store(words, LOCK, 0);
  }
}

export class FactWriter {
  /**
   * @param {string} path   of the file
   * @param {string} sizePath   of the file `size`
   * @param {number} mostBytes   cap of all files together
   * @param {() => number} now   ms
   */
  constructor(path, sizePath, mostBytes, now) {
    this.path = path;
    this.sizePath = sizePath;
    this.mostUnits = mostBytes / UNIT_BYTES;
    this.now = now;
    this.memory = new SharedArrayBuffer(BLOCK_BYTES + 16);
    this.words = new Int32Array(this.memory);
    this.base = new Float64Array(this.memory, 8, 1);
    this.baseMs = 0;
    this.used = HEADER_WORDS; // position of the next word
    this.unsized = 0; // bytes that `size` does not have
    this.isClosed = false;
    this.isCapped = false;
  }

  /**
   * @param {number} head
   * @param {number} link   or the number of bytes of a text
   * @param {number} ms
   * @param {number} [words]   most words that follow
   * @returns {number} position of the next word
   */
  begin(head, link, ms, words = MOST_WORDS_OF_MESSAGE) {
    if (this.used > HEADER_WORDS) {
      const isFull = this.used + 3 + words > BLOCK_BYTES / 4;
      if (isFull || (ms - this.baseMs) * TICKS_PER_MS > MOST_TICKS) this.flush();
    }
    if (this.used === HEADER_WORDS) {
      this.baseMs = ms;
      this.base[0] = ms;
    }
    const { words: memory, used } = this;
    memory[used] = head;
    memory[used + 1] = link;
    memory[used + 2] = Math.max(0, Math.round((ms - this.baseMs) * TICKS_PER_MS));
    return used + 3;
  }

  /** @param {number} used   position behind the message */
  commit(used) {
    this.used = used;
    Atomics.store(this.words, USED, used - HEADER_WORDS);
  }

  /** Writes the facts in memory. */
  flush() {
    const { words } = this;
    if (this.used === HEADER_WORDS) return;
    while (Atomics.compareExchange(words, LOCK, 0, 1) !== 0);
    try {
      this.counted(() => writeBlock(words, this.path));
      words[WRITTEN] = 0;
      Atomics.store(words, USED, 0);
      this.used = HEADER_WORDS;
    } finally {
      Atomics.store(words, LOCK, 0);
    }
  }

  /** @param {object} fact */
  write(fact) {
    const text = Buffer.from(JSON.stringify(fact));
    const words = Math.ceil(text.length / 4);
    if (HEADER_WORDS + 3 + words > BLOCK_BYTES / 4) {
      this.flush();
      this.counted(() => writeText(this.path, text, this.now()));
      return;
    }
    const at = this.begin(IS_FACT, text.length, this.now(), words);
    new Uint8Array(this.memory, 4 * at, text.length).set(text);
    this.commit(at + words);
  }

  /** @param {object} fact */
  end(fact) {
    const end = { ...fact, end: this.now() };
    if (this.isCapped) writeText(this.path, Buffer.from(JSON.stringify(end)), end.end);
    this.write(end);
    this.flush();
    Atomics.store(this.words, ENDED, 1);
  }

  /**
   * Ends the recording at the cap, or if the folder is full or gone.
   * @param {() => number} writing   returns the number of bytes
   */
  counted(writing) {
    if (this.isClosed) return;
    try {
      this.unsized += writing();
      if (this.unsized < UNIT_BYTES) return;
      const units = Math.floor(this.unsized / UNIT_BYTES);
      this.unsized -= units * UNIT_BYTES;
      const file = openSync(this.sizePath, 'a', 0o600);
      try {
        writeSync(file, 'x'.repeat(units));
        if (fstatSync(file).size < this.mostUnits) return;
      } finally {
        closeSync(file);
      }
      this.isClosed = true;
      this.isCapped = true;
      const stopped = this.now();
      writeText(this.path, Buffer.from(JSON.stringify({ stopped, why: 'cap' })), stopped);
    } catch (error) {
      this.isClosed = true;
      const { code } = /** @type {NodeJS.ErrnoException} */ (error);
      // An empty file may fit where content does not. Its name has the reason.
      closeSync(openSync(`${this.path}-${Math.floor(this.now())}-${code}.stopped`, 'a', 0o600));
    }
  }
}
