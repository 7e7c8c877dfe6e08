// The ends and ticks of the axes of charts.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { linearAxis, logEnds, ticksAt } from '../../lib/report/charts/figures/chart-axes.js';
import { FORMATS, si } from '../../lib/report/text/quantity-words.js';

describe('the ends and ticks of an axis', () => {
  it('has round ticks along the whole axis, and ends a log axis at round numbers that hold all values, and not much more', () => {
    for (const value of [0.003, 0.7, 1, 3, 9.9, 10, 12, 99, 101, 4_200, 5_000, 77_000, 1e6]) {
      const ticks = linearAxis({ max: value }).stops.map((stop) => stop.value);
      const [zero, step] = ticks;
      const last = ticks[ticks.length - 1];
      assert.ok(zero === 0 && last <= 1.001 * value && last + step > value, String(value));
      assert.ok(ticks.length >= 3 && ticks.length <= 6, `${value}: ${ticks}`);
      assert.ok(
        ['1', '2', '2.5', '5', '10'].includes(String(Number(`${step.toExponential(6).split('e')[0]}`))),
      );
      const { min, max: end } = logEnds([value, 3 * value]);
      assert.ok(min <= 0.9 * value && min > (0.9 * value) / 2.6, `${value}: ${min}`);
      assert.ok(end >= 3.3 * value && end < 3.3 * value * 2.6, `${value}: ${end}`);
      for (const edge of [min, end]) assert.match(edge.toExponential(6), /^(?:1|2|5)\.000000e/);
    }
  });

  it('has a tick for each measured value, unless it stands too close', () => {
    const ticks = (/** @type {number[]} */ values, /** @type {number} */ px) =>
      ticksAt(values, px, FORMATS.payload);
    assert.deepEqual(ticks([1, 10, 100], 400), [1, 10, 100]);
    assert.deepEqual(ticks([1, 1.01, 10, 99, 100], 400), [1, 10, 100]);
    assert.deepEqual(ticks([1_000, 10_000, 100_000], 90), [1_000, 100_000]);
    assert.deepEqual(ticks([1_000, 100_000], 20), [1_000]);
    assert.deepEqual(ticks([10, 10], 400), [10]);
  });

  it('writes ticks short', () => {
    assert.deepEqual([0, 1.234, 500, 999, 1_000, 1_500, 999_000, 1e6, 2.5e9, -2_000].map(si), [
      '0',
      '1.23',
      '500',
      '999',
      '1k',
      '1.5k',
      '999k',
      '1M',
      '2.5G',
      '-2k',
    ]);
    assert.deepEqual([10, 900, 1_000, 1_500, 999_900, 1e6, 2e6, 25_600, 65_536].map(FORMATS.payload), [
      '10 B',
      '900 B',
      '1 kB',
      '1.5 kB',
      '999.9 kB',
      '1 MB',
      '2 MB',
      '25 KiB',
      '64 KiB',
    ]);
  });
});
