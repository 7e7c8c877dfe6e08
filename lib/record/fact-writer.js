// Appends the facts of a process or thread to its file. Facts are collected in memory, which is written every second, and when it is full.
// The memory is shared, so that the main thread can write the facts of a thread that is terminated, or that waits in Atomics.wait().

import fs from 'node:fs';
import { CAP, encodeBase, encodeFact, MAX_FIELDS, TICKS_PER_MS } from './fact-format.js';

// Captured now, since the program may replace these functions later.
const { closeSync, fstatSync, openSync, writeSync } = fs;

const WORDS = 16_384;
const BASE_WORDS = 3;
const MAX_WORDS_OF_MESSAGE = 6 + MAX_FIELDS;
const MAX_TICKS = 1_000 * TICKS_PER_MS;
// The file `size` in the folder has a byte for each UNIT_BYTES of facts that any process or thread has written.
const UNIT_BYTES = 4_096;
const LOCK_MS = 20;
// Indexes of the words after the facts in the shared memory.
const USED = WORDS; // number of words of facts so far
const WRITTEN = WORDS + 1; // number of these words that are already in the file
const LOCK = WORDS + 2;
const ENDED = WORDS + 3;
// Words of a double: the time before which all facts are in the file.
const COMPLETE = WORDS + 4;
const COMPLETE_WORDS = 2;

/** @typedef {{ path: string, memory: SharedArrayBuffer }} Shared   the file and the memory of a writer */

/** @param {string} path @param {Uint8Array} bytes @returns {number} bytes written */
function append(path, bytes) {
  const file = openSync(path, 'a', 0o600);
  try {
    for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at);
  } finally {
    closeSync(file);
  }
  return bytes.length;
}

/** @param {SharedArrayBuffer} memory @returns {Float64Array} one element: ms of the system's monotonic clock */
const completeMs = (memory) => new Float64Array(memory, 4 * COMPLETE, 1);

/** @param {Shared} shared @param {number} nowMs @returns {number} bytes written */
function appendUnwritten({ path, memory }, nowMs) {
  const words = new Int32Array(memory);
  const [used, written] = [Atomics.load(words, USED), words[WRITTEN]];
  const bytes = append(path, new Uint8Array(memory, 4 * written, 4 * (used - written)));
  words[WRITTEN] = used;
  completeMs(memory)[0] = nowMs;
  return bytes;
}

/** @param {Shared} shared @returns {boolean} */
export const hasEnded = ({ memory }) => Atomics.load(new Int32Array(memory), ENDED) === 1;

/**
 * @param {Shared} shared
 * @param {number} nowMs   on the system's monotonic clock
 * @param {boolean} isEnd   whether the thread was terminated
 * @returns {number} bytes written
 */
function appendForThread(shared, nowMs, isEnd) {
  const words = new Int32Array(shared.memory);
  // The thread holds the lock while it writes.
  const untilMs = performance.now() + LOCK_MS;
  while (Atomics.compareExchange(words, LOCK, 0, 1) !== 0) if (performance.now() > untilMs) return 0;
  try {
    if (Atomics.load(words, ENDED) === 1) return 0;
    const bytes = appendUnwritten(shared, nowMs);
    if (!isEnd) return bytes;
    const end = append(shared.path, encodeFact({ end: { ms: nowMs } }));
    Atomics.store(words, ENDED, 1);
    return bytes + end;
  } finally {
    Atomics.store(words, LOCK, 0);
  }
}

export class FactWriter {
  /**
   * @param {string} path   file of this process or thread
   * @param {string} sizePath   path of the file `size`
   * @param {number} mostBytes   cap of all files together
   * @param {() => number} now   returns ms of the system's monotonic clock
   */
  constructor(path, sizePath, mostBytes, now) {
    this.path = path;
    this.sizePath = sizePath;
    this.mostUnits = mostBytes / UNIT_BYTES;
    this.now = now;
    this.memory = new SharedArrayBuffer(4 * (COMPLETE + COMPLETE_WORDS));
    this.words = new Int32Array(this.memory);
    completeMs(this.memory)[0] = now();
    this.used = 0; // position of the next word
    this.baseMs = 0;
    this.unsized = 0; // bytes that were written to the file, but are not yet counted in the file `size`
    /** CAP or the code of an error if the recording has stopped before the program ended, else null. @type {string | null} */
    this.stoppedBy = null;
  }

  /**
   * Begins a message. The caller sets its further words in `words`, and then calls `commit`.
   * @param {number} head
   * @param {number} link
   * @param {number} ms
   * @returns {number} position of the next word
   */
  begin(head, link, ms) {
    if (this.used + MAX_WORDS_OF_MESSAGE > WORDS || (ms - this.baseMs) * TICKS_PER_MS > MAX_TICKS)
      this.flush();
    if (this.used === 0) {
      this.baseMs = ms;
      this.words.set(encodeBase(ms));
      this.used = BASE_WORDS;
    }
    const { words, used } = this;
    words[used] = head;
    words[used + 1] = link;
    words[used + 2] = Math.max(0, Math.round((ms - this.baseMs) * TICKS_PER_MS));
    return used + 3;
  }

  /** Makes the message visible to the main thread. @param {number} used   index of the first word after the message */
  commit(used) {
    this.used = used;
    Atomics.store(this.words, USED, used);
  }

  /** Appends the facts in memory to the file. */
  flush() {
    const { words } = this;
    if (this.used === 0) return;
    while (Atomics.compareExchange(words, LOCK, 0, 1) !== 0);
    try {
      this.counted(() => appendUnwritten(this, this.now()));
      words[WRITTEN] = 0;
      this.commit(0);
    } finally {
      Atomics.store(words, LOCK, 0);
    }
  }

  /** @param {object} fact */
  write(fact) {
    const bytes = encodeFact(fact);
    const words = bytes.length / 4;
    if (this.used + words > WORDS) this.flush();
    if (words > WORDS) this.counted(() => append(this.path, bytes));
    else {
      new Uint8Array(this.memory).set(bytes, 4 * this.used);
      this.commit(this.used + words);
    }
  }

  /**
   * Writes what another thread has not written yet, or nothing if that thread holds the lock for longer than LOCK_MS.
   * @param {Shared} shared
   * @param {boolean} isEnd   whether the thread was terminated, so that its end is written too
   */
  writeForThread(shared, isEnd) {
    const write = () => appendForThread(shared, this.now(), isEnd);
    // At the cap, the facts of the thread from before are still missing.
    if (this.stoppedBy === CAP) write();
    else this.counted(write, shared);
  }

  /** @param {object} facts   written with the time of the end */
  end(facts) {
    const end = { end: { ms: this.now(), ...facts } };
    if (this.stoppedBy === CAP) append(this.path, encodeFact(end));
    this.write(end);
    this.flush();
    Atomics.store(this.words, ENDED, 1);
  }

  /**
   * Calls `writing` and counts the bytes in the file `size`. Stops the recording at the cap, or if the folder is full or gone.
   * @param {() => number} writing   returns the number of bytes that it wrote
   * @param {Shared} [shared]   owner of these bytes
   */
  counted(writing, shared = this) {
    if (this.stoppedBy !== null) return;
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
      this.stop(CAP, this.now());
    } catch (error) {
      // The facts since the last successful write are missing.
      this.stop(String(/** @type {NodeJS.ErrnoException} */ (error).code), completeMs(shared.memory)[0]);
    }
  }

  /** @param {string} why @param {number} ms   time before which all facts are in the file */
  stop(why, ms) {
    this.stoppedBy = why;
    try {
      // A full disk may still have room for an empty file. Its name has the time and the reason.
      closeSync(openSync(`${this.path}-${Math.floor(ms)}-${why}.stopped`, 'a', 0o600));
    } catch {} // the folder is gone
  }
}
