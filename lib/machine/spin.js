// A fixed piece of work, timed: how fast a CPU is just now. It is slower when the clock of the CPU is lowered, by heat
// or to save power, and when something else runs on the other thread of its core.

import { median } from '../statistics/signed-rank.js';

const PIECE_MS = 0.5; // shorter than any time slice: the fastest of several was not interrupted
const PIECES = 10;
const FIRST_READINGS = 5;
const FIRST_ITERATIONS = 10_000;
const COMPILED_AFTER = 50;

let state = 1;

/**
 * Xorshift, since a compiler cannot leave it out.
 * Source: G. Marsaglia, "Xorshift RNGs", Journal of Statistical Software 8 (2003).
 * @param {number} iterations
 */
function spin(iterations) {
  let x = state;
  for (let i = 0; i < iterations; i += 1) {
    x ^= x << 13;
    x ^= x >>> 17;
    x ^= x << 5;
  }
  state = x;
}

/** @param {number} iterations @returns {number} ms of the fastest piece */
function fastestPiece(iterations) {
  let fastestMs = Infinity;
  for (let piece = 0; piece < PIECES; piece += 1) {
    const beganMs = performance.now();
    spin(iterations);
    fastestMs = Math.min(fastestMs, performance.now() - beganMs);
  }
  return fastestMs;
}

export class SpinGauge {
  constructor() {
    for (let i = 0; i < COMPILED_AFTER; i += 1) spin(FIRST_ITERATIONS);
    this.iterations = Math.ceil((FIRST_ITERATIONS * PIECE_MS) / fastestPiece(FIRST_ITERATIONS));
    this.readingsMs = Array.from({ length: FIRST_READINGS }, () => fastestPiece(this.iterations));
  }

  /** @returns {number} ms, about 0.5 on an undisturbed CPU; takes ten times as long */
  read() {
    return fastestPiece(this.iterations);
  }

  /**
   * @param {number} beforeMs    as `read` gave it
   * @param {number} afterMs
   * @returns {number} the slower of the two as a multiple of what was usual in this run so far
   */
  ratioOf(beforeMs, afterMs) {
    const usualMs = median(this.readingsMs);
    this.readingsMs.push(beforeMs, afterMs);
    return Math.max(beforeMs, afterMs) / usualMs;
  }
}
