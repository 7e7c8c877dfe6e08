// Writes the percentile distribution of HdrHistogram, byte for byte as hdr-histogram-js does. That package visits all 33,792 cells several
// times, which takes ten seconds for 500 histograms.

import { NS_PER_MS } from '../format/units.js';
import { sumBy } from './sum.js';

/** @import { JsHistogram } from 'hdr-histogram-js' */
/** @typedef {{ ns: number, medianNs: number, count: number }} Cell   ns: greatest value of the cell */

const TICKS_PER_HALF_DISTANCE = 5; // default of HdrHistogram
const HEAD = '       Value     Percentile TotalCount 1/(1-Percentile)\n\n';

/** @param {number} digits @param {number} width @returns {(value: number) => string} */
function column(digits, width) {
  const format = new Intl.NumberFormat('en-US', {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
    useGrouping: false,
  });
  return (value) => format.format(value).padStart(width);
}

/** @typedef {ReturnType<typeof newColumns>} Columns */
// Created when text is written, since most commands that load this file write none.
const newColumns = () => ({ ms: column(3, 12), percentile: column(12, 2), rarity: column(2, 14) });

/** @param {JsHistogram} histogram @returns {Cell[]} without empty cells */
function listCells(histogram) {
  const cells = [];
  for (let index = 0, left = histogram.totalCount; left > 0; index += 1) {
    const count = histogram.getCountAtIndex(index);
    if (count === 0) continue;
    left -= count;
    const value = histogram.valueFromIndex(index);
    const ns = histogram.highestEquivalentValue(value);
    cells.push({ ns, medianNs: histogram.medianEquivalentValue(value), count });
  }
  return cells;
}

/** @param {number} percentile @returns {number} the next one: steps halve each time the distance to 100 has halved */
function nextPercentile(percentile) {
  const halves = Math.floor(Math.log2(100 / (100 - percentile))) + 1;
  return percentile + 100 / (TICKS_PER_HALF_DISTANCE * 2 ** halves);
}

/** @param {Columns} columns @param {number} ns @param {number} percentile @param {number} seen */
function formatLine(columns, ns, percentile, seen) {
  const rarity = percentile < 100 ? ` ${columns.rarity(1 / (1 - percentile / 100))}` : '';
  const count = String(seen).padStart(10);
  return `${columns.ms(ns / NS_PER_MS)} ${columns.percentile(percentile / 100)} ${count}${rarity}\n`;
}

/** @param {Columns} columns @param {Cell[]} cells @param {number} total */
function formatLines(columns, cells, total) {
  let text = '';
  let [seen, percentile] = [0, 0];
  for (const { ns, count } of cells) {
    seen += count;
    while ((100 * seen) / total >= percentile) {
      text += formatLine(columns, ns, percentile, seen);
      percentile = nextPercentile(percentile);
      if (seen === total) return text + formatLine(columns, ns, 100, seen);
    }
  }
  return text;
}

/** @param {JsHistogram} histogram   of ns @returns {string} in milliseconds */
export function distributionText(histogram) {
  const cells = listCells(histogram);
  const columns = newColumns();
  const { totalCount: total, maxValue, bucketCount, subBucketCount } = histogram;
  const mean = total === 0 ? 0 : sumBy(cells, ({ medianNs, count }) => medianNs * count) / total;
  const squares = sumBy(cells, ({ medianNs, count }) => (medianNs - mean) ** 2 * count);
  const [meanMs, deviationMs, maxMs] = [mean, total === 0 ? 0 : Math.sqrt(squares / total), maxValue].map(
    (ns) => columns.ms(ns / NS_PER_MS),
  );
  const [counted, buckets, parts] = [total, bucketCount, subBucketCount].map((count) =>
    String(count).padStart(12),
  );
  return `${HEAD}${formatLines(columns, cells, total)}#[Mean    = ${meanMs}, StdDeviation   = ${deviationMs}]
#[Max     = ${maxMs}, Total count    = ${counted}]
#[Buckets = ${buckets}, SubBuckets     = ${parts}]
`;
}
