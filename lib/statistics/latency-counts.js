// Records the latencies of one process on the hot path, and encodes them as text. latency.js merges them and reads percentiles.

import { deflateSync, inflateSync } from 'node:zlib';

/** @import { Latency } from '../types/index.js' */

/** 73 minutes in ns. All histograms have this limit, and thus the same layout, so they merge by adding counts. */
export const MAX_NS = 2 ** 42 - 1;
export const MIN_NS = 1;
export const SIGNIFICANT_DIGITS = 3;

// Layout of an HdrHistogram with lowest discernible value 1 and 3 significant digits: 2,048 cells of width 1, then for every doubling 1,024
// cells of twice the width. A cell is an element of the array of counts, a sub-bucket in the source. Source: http://hdrhistogram.org, G.
// Tene.
const HALF_BITS = 10;
const FIRST_BUCKET_MASK = 2 ** (HALF_BITS + 1) - 1;
const LAST_BIT_OF_FIRST_BUCKET = 31 - HALF_BITS;
const CELLS = indexOfLarge(MAX_NS) + 1;

const SUM = 0;
const MIN = 1;
const MAX = 2;
const NONE = Object.freeze([0, Infinity, 0]);

/** Finds the cell of a value of more than 32 bits. Slow but exact. @param {number} nanoseconds an integer in [2^32, 2^52) */
function indexOfLarge(nanoseconds) {
  const bucket = 20 + LAST_BIT_OF_FIRST_BUCKET - Math.clz32(Math.floor(nanoseconds / 2 ** 20));
  return bucket * 2 ** HALF_BITS + Math.floor(nanoseconds / 2 ** bucket);
}

/** @param {number} cell @returns {number} lowest value of the cell, ns */
function valueOfCell(cell) {
  const bucket = Math.max(0, (cell >>> HALF_BITS) - 1);
  return (cell - bucket * 2 ** HALF_BITS) * 2 ** bucket;
}

export class LatencyCounts {
  #counts = new Float64Array(CELLS);
  // Numbers in a typed array are never boxed; V8 boxes numbers in fields once they are no small integers.
  #totals = Float64Array.from(NONE);

  /** @param {number} nanoseconds a whole number in [0, 2^42) @throws {RangeError} on any other value; values are never clamped */
  record(nanoseconds) {
    const totals = this.#totals;
    const word = nanoseconds >>> 0;
    if (word === nanoseconds) {
      const bucket = LAST_BIT_OF_FIRST_BUCKET - Math.clz32(word | FIRST_BUCKET_MASK);
      this.#counts[(bucket << HALF_BITS) + (word >>> bucket)]++;
    } else {
      if (!Number.isInteger(nanoseconds) || nanoseconds < 0 || nanoseconds > MAX_NS) {
        throw new RangeError(`a latency is a whole number of ns from 0 to 2^42 - 1, got ${nanoseconds}`);
      }
      this.#counts[indexOfLarge(nanoseconds)]++;
    }
    totals[SUM] += nanoseconds;
    // Avoids branches, since a branch that only a new extreme takes would not be compiled when a window opens.
    totals[MIN] = Math.min(totals[MIN], nanoseconds);
    totals[MAX] = Math.max(totals[MAX], nanoseconds);
  }

  /** @param {LatencyCounts} others */
  add(others) {
    for (let cell = 0; cell < CELLS; cell += 1) this.#counts[cell] += others.#counts[cell];
    const totals = this.#totals;
    totals[SUM] += others.#totals[SUM];
    totals[MIN] = Math.min(totals[MIN], others.#totals[MIN]);
    totals[MAX] = Math.max(totals[MAX], others.#totals[MAX]);
  }

  clear() {
    this.#counts.fill(0);
    this.#totals.set(NONE);
  }

  /** @returns {number} the value at and above which values contribute half of the sum; 0 if there are none */
  timeWeightedMedianNs() {
    let rest = this.#totals[SUM] / 2;
    for (let cell = CELLS - 1; cell >= 0; cell -= 1) {
      rest -= this.#counts[cell] * valueOfCell(cell);
      if (this.#counts[cell] > 0 && rest <= 0) return valueOfCell(cell);
    }
    return 0;
  }

  toLatency() {
    return encodeLatency({
      counts: this.#counts,
      minNs: this.#totals[MIN],
      maxNs: this.#totals[MAX],
      sumNs: this.#totals[SUM],
    });
  }
}

// Latencies as text in the compressed format V2 of HdrHistogram, byte for byte as hdr-histogram-js writes it. Loading that package would
// take 30 ms of CPU time in each process of a launch.

// Source: HdrHistogram/src/main/java/org/HdrHistogram/AbstractHistogram.java, encodeIntoByteBuffer and fillBufferFromCountsArray.
const COOKIE = 0x1c849313;
const COMPRESSED_COOKIE = 0x1c849314;
const HEAD_BYTES = 40;
const COMPRESSED_HEAD_BYTES = 8;
const MORE_FOLLOWS = 0x80;
const FIRST_CELLS = 2_048; // cells of width 1; every doubling of the value adds half as many cells
const MAX_WORD_BYTES = 8;
const MAX_BYTES = HEAD_BYTES + cellsUpTo(MAX_NS) * MAX_WORD_BYTES;

/**
 * @param {object} recorded
 * @param {ArrayLike<number>} recorded.counts   one per cell, in the layout above
 * @param {number} recorded.minNs
 * @param {number} recorded.maxNs
 * @param {number} recorded.sumNs
 */
export function encodeLatency({ counts, ...facts }) {
  const { count, words } = countWords(counts);
  return toLatency({ ...facts, count, histogram: histogramText(words) });
}

/** @param {Omit<Latency, 'meanNs'> & { sumNs: number }} facts */
export function toLatency({ count, minNs, maxNs, sumNs, histogram }) {
  return {
    count,
    minNs: count === 0 ? 0 : minNs,
    maxNs,
    meanNs: count === 0 ? 0 : sumNs / count,
    histogram,
  };
}

/**
 * Checks a histogram without hdr-histogram-js, which is slower and need not be loaded for this.
 * @param {Pick<Latency, 'count' | 'histogram'>} latency   of unknown origin
 * @returns {string | null} what is wrong with the histogram, such as 'is damaged or was cut off'; null if it contains `count` values
 */
export function histogramProblem({ count, histogram }) {
  const bytes = Buffer.from(histogram, 'base64');
  if (bytes.length < COMPRESSED_HEAD_BYTES || bytes.readInt32BE(0) !== COMPRESSED_COOKIE)
    return 'is not a histogram';
  let plain;
  try {
    plain = inflateSync(bytes.subarray(COMPRESSED_HEAD_BYTES), { maxOutputLength: MAX_BYTES });
  } catch {
    return 'is damaged or was cut off';
  }
  const words = plain.subarray(HEAD_BYTES);
  const isOurs =
    plain.length > HEAD_BYTES &&
    plain.readInt32BE(0) === COOKIE &&
    plain.readInt32BE(4) === words.length &&
    plain.readInt32BE(12) === SIGNIFICANT_DIGITS &&
    plain.readBigInt64BE(16) === BigInt(MIN_NS) &&
    plain.readBigInt64BE(24) <= BigInt(MAX_NS);
  if (!isOurs) return 'is of another layout';
  const counted = countIn(words, cellsUpTo(Number(plain.readBigInt64BE(24))));
  return counted === count ? null : `does not hold ${count} times`;
}

/** @param {number} highestNs @returns {number} cells of a histogram with values up to it */
function cellsUpTo(highestNs) {
  const doublings = Math.max(0, Math.ceil(Math.log2((highestNs + 1) / FIRST_CELLS)));
  return FIRST_CELLS + (doublings * FIRST_CELLS) / 2;
}

/**
 * @param {Uint8Array} words   bytes, as `countWords` makes them
 * @param {number} mostCells
 * @returns {number} sum of the counts, or NaN if the bytes are not a histogram of at most `mostCells` cells
 */
function countIn(words, mostCells) {
  let [total, cells] = [0, 0];
  for (let at = 0; at < words.length; ) {
    let word = 0;
    let byte = MORE_FOLLOWS;
    for (let index = 0; byte >= MORE_FOLLOWS; index += 1) {
      if (at === words.length || index === MAX_WORD_BYTES) return Number.NaN;
      byte = words[at];
      word += (byte % MORE_FOLLOWS) * MORE_FOLLOWS ** index;
      at += 1;
    }
    const isEmptyRow = word % 2 === 1;
    cells += isEmptyRow ? (word + 1) / 2 : 1;
    if (!isEmptyRow) total += word / 2;
  }
  return cells <= mostCells ? total : Number.NaN;
}

/** @param {number[]} words   bytes */
function histogramText(words) {
  const plain = Buffer.alloc(HEAD_BYTES + words.length);
  plain.writeInt32BE(COOKIE, 0);
  plain.writeInt32BE(words.length, 4);
  plain.writeInt32BE(1, 8); // normalizing index offset, for which hdr-histogram-js always writes 1
  plain.writeInt32BE(SIGNIFICANT_DIGITS, 12);
  plain.writeBigInt64BE(BigInt(MIN_NS), 16);
  plain.writeBigInt64BE(BigInt(MAX_NS), 24);
  plain.writeBigInt64BE(1n, 32); // conversion ratio of integers, for which hdr-histogram-js always writes 1
  plain.set(words, HEAD_BYTES);
  const compressed = deflateSync(plain);
  const head = Buffer.alloc(COMPRESSED_HEAD_BYTES);
  head.writeInt32BE(COMPRESSED_COOKIE, 0);
  head.writeInt32BE(compressed.length, 4);
  return Buffer.concat([head, compressed]).toString('base64');
}

/**
 * @param {ArrayLike<number>} counts
 * @returns {{ count: number, words: number[] }} words: one number, in LEB128, per cell or run of several empty cells
 */
function countWords(counts) {
  /** @type {number[]} */
  const words = [];
  let count = 0;
  for (let cell = 0, empty = 0; cell < counts.length; cell++) {
    const inCell = counts[cell];
    if (inCell === 0) {
      empty++;
      continue;
    }
    // ZigZag: a count is even, and the length of a run of empty cells is negative and therefore odd. A single empty cell is the count 0.
    if (empty > 0) pushWord(words, empty === 1 ? 0 : 2 * empty - 1);
    pushWord(words, 2 * inCell);
    count += inCell;
    empty = 0;
  }
  if (count === 0) pushWord(words, 0); // an empty histogram contains the first cell only
  return { count, words };
}

/**
 * Appends a number in LEB128.
 * @param {number[]} words   bytes
 * @param {number} word   below 2^56, beyond which HdrHistogram differs from LEB128
 */
function pushWord(words, word) {
  let rest = word;
  while (rest >= MORE_FOLLOWS) {
    words.push((rest % MORE_FOLLOWS) + MORE_FOLLOWS);
    rest = Math.floor(rest / MORE_FOLLOWS);
  }
  words.push(rest);
}
