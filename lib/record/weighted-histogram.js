// A histogram with few cells: integers below 256 are exact, and the error of other values is at most 0.4 %. Histograms are merged by adding
// cells. A value that represents several messages has their number as its weight.

const EXACT_BELOW = 256;
const CELLS_PER_DOUBLING = EXACT_BELOW / 2;

/**
 * @typedef {{ count: number, sum: number, least: number, greatest: number, cells: [number, number][] }} SavedHistogram
 *   cells: value and weight, in ascending order of the values
 */

/** @param {number} value @returns {number} the value itself if it is an integer below EXACT_BELOW, otherwise the middle of its cell */
function cellOf(value) {
  if (value < EXACT_BELOW && Number.isInteger(value)) return value;
  const width = 2 ** Math.floor(Math.log2(value)) / CELLS_PER_DOUBLING;
  return Math.floor(value / width) * width + width / 2;
}

export class WeightedHistogram {
  constructor() {
    this.count = 0;
    this.sum = 0;
    this.least = Infinity;
    this.greatest = 0;
    /** @type {Map<number, number>} */
    this.cells = new Map();
  }

  /** @param {number} value   at least 0 @param {number} [weight] */
  record(value, weight = 1) {
    const cell = cellOf(value);
    this.cells.set(cell, (this.cells.get(cell) ?? 0) + weight);
    this.count += weight;
    this.sum += value * weight;
    if (value < this.least) this.least = value;
    if (value > this.greatest) this.greatest = value;
  }

  /** @param {WeightedHistogram | SavedHistogram} other */
  add({ count, sum, least, greatest, cells }) {
    if (count === 0) return;
    for (const [cell, weight] of cells) this.cells.set(cell, (this.cells.get(cell) ?? 0) + weight);
    this.count += count;
    this.sum += sum;
    this.least = Math.min(this.least, least);
    this.greatest = Math.max(this.greatest, greatest);
  }

  /** @returns {SavedHistogram} */
  save() {
    const cells = [...this.cells].sort(([left], [right]) => left - right);
    return {
      count: this.count,
      sum: this.sum,
      least: this.count === 0 ? 0 : this.least,
      greatest: this.greatest,
      cells,
    };
  }
}

/** @param {SavedHistogram} saved @param {number} share @returns {number} the percentile, between least and greatest */
export function readPercentile({ count, least, greatest, cells }, share) {
  let left = share * count;
  for (const [value, weight] of cells) {
    left -= weight;
    if (left <= 1e-9 * count) return Math.min(greatest, Math.max(least, value));
  }
  return greatest;
}
