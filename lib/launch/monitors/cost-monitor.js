// Reads costs at the start and at the end of each slice. A worker reads the costs of its own process or thread; the controller reads all
// other costs.

import { sumBy } from '../../statistics/sum.js';

/** @import { Monitor } from '../../types/index.js' */

/**
 * @template Reading
 * @implements {Monitor<{ openMs: number, spanMs: number, from: Reading, to: Reading } | null>}
 */
export class CostMonitor {
  /**
   * @param {() => Reading} read
   * @param {(upTo: Reading, from: Reading, to: Reading) => Reading} extend   adds the costs between two readings to a sum
   */
  constructor(read, extend) {
    this.read = read;
    this.extend = extend;
    /** @type {{ openMs: number, spanMs: number, from: Reading, to: Reading }[]} */
    this.slices = [];
    this.from = /** @type {Reading} */ (undefined);
  }

  begin() {
    this.from = this.read();
  }

  /**
   * @param {{ openMs: number, spanMs: number }} times   openMs: start of the slice; spanMs: expected time between its two readings
   * @returns the readings of this slice
   */
  end(times) {
    const slice = { ...times, from: this.from, to: this.read() };
    this.slices.push(slice);
    return slice;
  }

  drop() {
    this.slices.pop();
  }

  /** @returns from: the first reading; to: a reading that exceeds it by the costs of all slices; null if no slice has ended */
  report() {
    const [first, ...others] = this.slices;
    if (first === undefined) return null;
    const to = others.reduce((upTo, slice) => this.extend(upTo, slice.from, slice.to), first.to);
    return { openMs: first.openMs, spanMs: sumBy(this.slices, ({ spanMs }) => spanMs), from: first.from, to };
  }
}
