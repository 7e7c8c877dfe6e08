// Latencies as text, as HdrHistogram has it: its format V2, compressed, byte for byte what hdr-histogram-js writes. Loading that
// package takes 30 ms of CPU time, which each process of a launch would spend to hand in what it counted.

import { deflateSync } from 'node:zlib';

/** @import { Latency } from '../types/index.js' */

/** Of every histogram, so that all have one layout and merge by adding counts: 73 minutes. */
export const HIGHEST_NS = 2 ** 42 - 1;
export const LOWEST_NS = 1;
export const SIGNIFICANT_DIGITS = 3;

// Source: HdrHistogram/src/main/java/org/HdrHistogram/AbstractHistogram.java, encodeIntoByteBuffer and fillBufferFromCountsArray.
const COOKIE = 0x1c849313;
const COMPRESSED_COOKIE = 0x1c849314;
const HEAD_BYTES = 40;
const COMPRESSED_HEAD_BYTES = 8;
const MORE_FOLLOWS = 0x80;

/**
 * @param {object} recorded
 * @param {ArrayLike<number>} recorded.counts   in the layout of the histogram, one per cell
 * @param {number} recorded.minNs
 * @param {number} recorded.maxNs
 * @param {number} recorded.sumNs
 * @returns {Latency}
 */
export function encodeLatency({ counts, ...facts }) {
  const { count, words } = wordsOf(counts);
  return latencyOf({ ...facts, count, histogram: histogramText(words) });
}

/** @param {Omit<Latency, 'meanNs'> & { sumNs: number }} facts @returns {Latency} */
export function latencyOf({ count, minNs, maxNs, sumNs, histogram }) {
  return {
    count,
    minNs: count === 0 ? 0 : minNs,
    maxNs,
    meanNs: count === 0 ? 0 : sumNs / count,
    histogram,
  };
}

/** @param {number[]} words   bytes of them */
function histogramText(words) {
  const plain = Buffer.alloc(HEAD_BYTES + words.length);
  plain.writeInt32BE(COOKIE, 0);
  plain.writeInt32BE(words.length, 4);
  plain.writeInt32BE(1, 8); // hdr-histogram-js has no offset, and writes this
  plain.writeInt32BE(SIGNIFICANT_DIGITS, 12);
  plain.writeBigInt64BE(BigInt(LOWEST_NS), 16);
  plain.writeBigInt64BE(BigInt(HIGHEST_NS), 24);
  plain.writeBigInt64BE(1n, 32); // nor has it a ratio of whole numbers to others
  plain.set(words, HEAD_BYTES);
  const compressed = deflateSync(plain);
  const head = Buffer.alloc(COMPRESSED_HEAD_BYTES);
  head.writeInt32BE(COMPRESSED_COOKIE, 0);
  head.writeInt32BE(compressed.length, 4);
  return Buffer.concat([head, compressed]).toString('base64');
}

/** @param {ArrayLike<number>} counts @returns {{ count: number, words: number[] }} words: bytes of a word for each count up to the last one, and for each row of empty cells */
function wordsOf(counts) {
  /** @type {number[]} */
  const words = [];
  let count = 0;
  for (let cell = 0, empty = 0; cell < counts.length; cell++) {
    const inCell = counts[cell];
    if (inCell === 0) {
      empty++;
      continue;
    }
    // ZigZag: a count is an even number, a row of empty cells a negative one, and so an odd one. A single one is a count.
    if (empty > 0) pushWord(words, empty === 1 ? 0 : 2 * empty - 1);
    pushWord(words, 2 * inCell);
    count += inCell;
    empty = 0;
  }
  if (count === 0) pushWord(words, 0); // the first cell, and no further one
  return { count, words };
}

/** @param {number[]} words   bytes @param {number} word   to be appended in LEB128; below 2^56, beyond which HdrHistogram differs from that */
function pushWord(words, word) {
  let rest = word;
  while (rest >= MORE_FOLLOWS) {
    words.push((rest % MORE_FOLLOWS) + MORE_FOLLOWS);
    rest = Math.floor(rest / MORE_FOLLOWS);
  }
  words.push(rest);
}
