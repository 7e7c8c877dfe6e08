import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { median, signedRankInterval } from '../../lib/statistics/rank-tests.js';

const REPEATABLE = { seed: 1, numRuns: 200 };

// Hamilton depression scale, Hollander and Wolfe, table 3.1: after minus before.
const DEPRESSION = [-0.952, 0.147, -1.022, -0.43, -0.62, -0.59, -0.49, 0.08, -0.01];

/**
 * The exact two-sided test by going through every choice of signs.
 * @param {number[]} values no two differences from the centre of one size
 * @param {number} centre
 */
function pValueByEnumeration(values, centre) {
  const differences = values.map((value) => value - centre);
  const ranked = [...differences].sort((left, right) => Math.abs(left) - Math.abs(right));
  const observed = ranked.reduce((sum, value, index) => sum + (value > 0 ? index + 1 : 0), 0);
  let [atMost, atLeast] = [0, 0];
  for (let signs = 0; signs < 2 ** values.length; signs++) {
    let sum = 0;
    for (let index = 0; index < values.length; index++) if ((signs >> index) & 1) sum += index + 1;
    if (sum <= observed) atMost++;
    if (sum >= observed) atLeast++;
  }
  return Math.min(1, (2 * Math.min(atMost, atLeast)) / 2 ** values.length);
}

/** @param {number[]} values */
function pairwiseMeans(values) {
  return values
    .flatMap((value, index) => values.slice(index).map((other) => (value + other) / 2))
    .sort((left, right) => left - right);
}

describe('signedRankInterval', () => {
  test('returns the published estimate and interval of the depression data', () => {
    const { estimate, low, high, ...rest } = signedRankInterval(DEPRESSION);
    const published = ['-0.460', '-0.786', '-0.010'];
    assert.deepEqual(
      [estimate, low, high].map((value) => value.toFixed(3)),
      published,
    );
    assert.deepEqual(rest, { level: 0.95, n: 9, method: 'signed-rank' });
  });

  test('takes the critical values of the published tables, two-sided 5 %', () => {
    const greatestRejected = {
      6: 0,
      7: 2,
      8: 3,
      9: 5,
      10: 8,
      12: 13,
      15: 25,
      20: 52,
      25: 89,
      30: 137,
      50: 434,
    };
    for (const [n, critical] of Object.entries(greatestRejected)) {
      const values = Array.from({ length: Number(n) }, (_, index) => Math.sqrt(index + 2));
      const means = pairwiseMeans(values);
      const { low, high } = signedRankInterval(values);
      assert.deepEqual([n, low, high], [n, means[critical], means[means.length - 1 - critical]]);
    }
  });

  test('holds exactly the centres that the test by enumeration does not reject', () => {
    const samples = fc.uniqueArray(fc.integer({ min: -1e6, max: 1e6 }), { minLength: 6, maxLength: 9 });
    fc.assert(
      fc.property(samples, (values) => {
        const means = pairwiseMeans(values);
        fc.pre(new Set(means).size === means.length);
        const { low, high } = signedRankInterval(values);
        // Pairwise means of whole numbers are half a unit apart: a tenth of one passes only the end itself.
        assert.ok(pValueByEnumeration(values, low + 0.1) > 0.05);
        assert.ok(pValueByEnumeration(values, high - 0.1) > 0.05);
        assert.ok(pValueByEnumeration(values, low - 0.1) <= 0.05);
        assert.ok(pValueByEnumeration(values, high + 0.1) <= 0.05);
      }),
      REPEATABLE,
    );
  });

  test('moves and turns with its values, in whatever order they come', () => {
    const samples = fc.array(fc.integer({ min: -1e6, max: 1e6 }), { minLength: 1, maxLength: 30 });
    fc.assert(
      fc.property(samples, fc.integer({ min: -1e6, max: 1e6 }), (values, shift) => {
        const plain = signedRankInterval(values);
        const moved = signedRankInterval(values.map((value) => value + shift).reverse());
        const turned = signedRankInterval(values.map((value) => -value));
        assert.ok(plain.low <= plain.estimate && plain.estimate <= plain.high);
        assert.deepEqual(
          [moved.estimate, moved.low, moved.high],
          [plain.estimate + shift, plain.low + shift, plain.high + shift],
        );
        // Sums with 0 make both zeros one.
        assert.deepEqual(
          [0 - turned.estimate, 0 - turned.high, 0 - turned.low],
          [0 + plain.estimate, 0 + plain.low, 0 + plain.high],
        );
      }),
      REPEATABLE,
    );
  });

  test('returns the range without a level for fewer than 6 values', () => {
    assert.deepEqual(signedRankInterval([5, 1, 2, 4, 3]), {
      estimate: 3,
      low: 1,
      high: 5,
      level: null,
      n: 5,
      method: 'range',
    });
    assert.equal(signedRankInterval([5, 1, 2, 4, 3, 6]).method, 'signed-rank');
    assert.equal(signedRankInterval([7]).estimate, 7);
  });

  test('is exact for hundreds of values too', () => {
    // Centre ± 1.96 standard deviations of the statistic, where the normal approximation is as good.
    const n = 300;
    const values = Array.from({ length: n }, (_, index) => index);
    const expected = (n * (n + 1)) / 4 - 1.96 * Math.sqrt((n * (n + 1) * (2 * n + 1)) / 24);
    const means = pairwiseMeans(values);
    assert.ok(Math.abs(means.indexOf(signedRankInterval(values).low) - expected) < n);
  });

  test('rejects an empty list', () => {
    assert.throws(() => signedRankInterval([]), RangeError);
  });
});

test('median returns the middle value, or the mean of the two in the middle', () => {
  assert.equal(median([3, 1, 2]), 2);
  assert.equal(median([10, 9, 1, 100]), 9.5);
});
