import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import hdr from 'hdr-histogram-js';
import {
  censoredPercentiles,
  latencyPercentiles,
  latencySpectrum,
  mergeLatencies,
  percentileDistribution,
} from '../../lib/statistics/latency.js';
import { encodeLatency, LatencyCounts } from '../../lib/statistics/latency-counts.js';
import { IS_LONG } from '../conformance/long-form.js';
import { noiseFrom } from '../fixtures/noise.js';

const PER_DISTRIBUTION = 200_000;
const { normal, uniform } = noiseFrom(1);

/** @type {Record<string, () => number>} nanoseconds */
const distributions = {
  uniform: () => uniform(0, 100_000),
  'log-normal': () => Math.exp(11 + 0.5 * normal()),
  exponential: () => -50_000 * Math.log(1 - uniform(0, 1)),
  'two modes': () => (uniform(0, 1) < 0.9 ? 14_000 : 70_000) + 500 * Math.abs(normal()),
  'up to 60 s': () => 10 ** uniform(3, Math.log10(60e9)),
};

/** @param {ArrayLike<number>} values */
function recorded(values) {
  const counts = new LatencyCounts();
  for (let index = 0; index < values.length; index++) counts.record(values[index]);
  return counts.toLatency();
}

/** @param {number} count @param {() => number} draw */
function wholeNumbers(count, draw) {
  return Float64Array.from({ length: count }, () => Math.round(draw()));
}

/** @param {import('../../lib/types/launches.js').Latency} latency */
const decoded = (latency) => hdr.decodeFromCompressedBase64(latency.histogram, 64);

/** @param {ReturnType<typeof decoded>} histogram */
function countsOf(histogram) {
  const counts = [];
  const { countsArrayLength } = /** @type {any} */ (histogram);
  for (let cell = 0; cell < countsArrayLength; cell++) {
    const count = /** @type {any} */ (histogram).getCountAtIndex(cell);
    if (count > 0) counts.push([cell, count]);
  }
  return counts;
}

describe('censoredPercentiles', () => {
  const US = 1_000;

  test('returns the plain percentiles if no response is missing', () => {
    const latency = recorded(wholeNumbers(20_000, distributions['log-normal']));
    assert.deepEqual(censoredPercentiles(latency), latencyPercentiles(latency));
    assert.deepEqual(censoredPercentiles(latency, recorded([])), latencyPercentiles(latency));
  });

  test('estimates as Kaplan and Meier do', () => {
    // 1, 2, 3+, 4, 5+, 6: S = 5/6, 4/6, –, 4/6 · 2/3 = 4/9, –, 0.
    const { p50, p90, atLeast } = censoredPercentiles(
      recorded([1, 2, 4, 6].map((us) => us * US)),
      recorded([3, 5].map((us) => us * US)),
    );
    assert.deepEqual([Math.round(p50), Math.round(p90), atLeast], [4, 6, undefined]);
  });

  test('ignores requests that have just been sent', () => {
    const latency = recorded(wholeNumbers(20_000, distributions['log-normal']));
    const known = latencyPercentiles(latency);
    const young = censoredPercentiles(
      latency,
      recorded(Array.from({ length: 200 }, (_, index) => 100 * index)),
    );
    for (const name of /** @type {const} */ (['p50', 'p90', 'p99', 'p999']))
      assert.ok(Math.abs(Number(young[name]) / Number(known[name]) - 1) < 0.02, name);
    assert.equal(young.atLeast, undefined);
    const few = recorded(Array.from({ length: 10 }, (_, index) => (index + 1) * US));
    const { p50, p90 } = censoredPercentiles(few, recorded([0]));
    assert.deepEqual([Math.round(p50), Math.round(p90)], [5, 9]);
  });

  test('returns marked lower bounds for percentiles among unanswered requests', () => {
    const latency = recorded(Array.from({ length: 980 }, () => 100 * US));
    const stalled = recorded(Array.from({ length: 20 }, (_, index) => (index + 1) * 1_000 * US));
    const { p50, p90, p99, p999, max, atLeast } = censoredPercentiles(latency, stalled);
    assert.deepEqual([Math.round(p50), Math.round(p90), p999, max], [100, 100, null, 20_000]);
    assert.ok(Number(p99) > 9_900 && Number(p99) <= 10_000, `${p99}`);
    assert.deepEqual(atLeast, ['p99', 'max']);
    // Nine in a thousand and one: the p99 is of those that ended.
    assert.deepEqual(
      censoredPercentiles(
        recorded(Array.from({ length: 992 }, () => 100 * US)),
        recorded(Array.from({ length: 9 }, () => 1e9)),
      ).atLeast,
      ['max'],
    );
  });

  test('ends a spectrum at the last known percentile', () => {
    const values = wholeNumbers(20_000, distributions['log-normal']);
    const [latency, stalled] = [recorded(values), recorded(Array.from({ length: 1_000 }, () => 1e9))];
    const rarities = latencySpectrum([latency], [stalled]).map(({ rarity }) => rarity);
    assert.ok(Math.max(...rarities) < 21 && Math.max(...rarities) > 18, 'one of 21 has no end');
    assert.deepEqual(
      latencySpectrum([latency], [recorded([1])]).map(({ rarity }) => rarity),
      latencySpectrum([latency]).map(({ rarity }) => rarity),
    );
  });
});

describe('LatencyCounts', () => {
  for (const [name, draw] of Object.entries(distributions)) {
    const values = wholeNumbers(PER_DISTRIBUTION, draw);
    const latency = recorded(values);

    test(`counts ${name} values as hdr-histogram-js does`, () => {
      const theirs = hdr.build({ bitBucketSize: 64, numberOfSignificantValueDigits: 3 });
      for (const value of values) theirs.recordValue(value);
      const ours = decoded(latency);
      assert.deepEqual(countsOf(ours), countsOf(theirs));
      for (const percentile of [0, 10, 50, 99, 99.99, 100]) {
        assert.equal(ours.getValueAtPercentile(percentile), theirs.getValueAtPercentile(percentile));
      }
    });

    test(`returns count, minimum, maximum and mean of ${name} values exactly`, () => {
      const sorted = values.slice().sort();
      assert.equal(latency.count, values.length);
      assert.equal(latency.minNs, sorted[0]);
      assert.equal(latency.maxNs, sorted[sorted.length - 1]);
      assert.equal(latency.meanNs, sorted.reduce((sum, value) => sum + value, 0) / values.length);
    });

    test(`returns percentiles of ${name} values within 0.1 % of the exact ones`, () => {
      const sorted = values.slice().sort();
      const { p50, p90, p99, p999 } = latencyPercentiles(latency);
      for (const [share, microseconds] of /** @type {[number, number][]} */ ([
        [0.5, p50],
        [0.9, p90],
        [0.99, p99],
        [0.999, p999],
      ])) {
        const exact = sorted[Math.ceil(share * sorted.length) - 1] / 1e3;
        assert.ok(Math.abs(microseconds / exact - 1) <= 0.001, `${microseconds} for ${exact}`);
      }
    });
  }

  test('has the cells of hdr-histogram-js at every size up to 73 minutes', () => {
    const sizes = fc
      .nat({ max: 41 })
      .chain((bits) => fc.integer({ min: 2 ** bits - 1, max: 2 ** (bits + 1) - 1 }));
    fc.assert(
      fc.property(sizes, (value) => {
        const theirs = hdr.build({ bitBucketSize: 64, numberOfSignificantValueDigits: 3 });
        theirs.recordValue(value);
        const latency = recorded([value]);
        assert.deepEqual(countsOf(decoded(latency)), countsOf(theirs));
        assert.deepEqual([latency.minNs, latency.maxNs, latency.meanNs], [value, value, value]);
      }),
      {
        seed: 1,
        numRuns: 300,
        examples: [0, 2047, 2048, 2 ** 31 - 1, 2 ** 31, 2 ** 32 - 1, 2 ** 32, 2 ** 42 - 1].map((value) => [
          value,
        ]),
      },
    );
  });

  test('writes counts of any size as hdr-histogram-js does, byte for byte', () => {
    const cells = fc.tuple(
      fc.nat({ max: 30_000 }),
      fc.maxSafeNat().map((count) => Math.floor(count / 2 ** 9)),
    );
    fc.assert(
      fc.property(fc.array(cells, { maxLength: 50 }), (filled) => {
        const theirs = /** @type {any} */ (decoded(recorded([])));
        for (const [cell, count] of filled) theirs.setCountAtIndex(cell, count);
        theirs.establishInternalTackingValues();
        const counts = Array.from({ length: theirs.countsArrayLength }, (_, cell) =>
          theirs.getCountAtIndex(cell),
        );
        const facts = { minNs: 0, maxNs: 0, sumNs: 0 };
        assert.equal(encodeLatency({ counts, ...facts }).histogram, hdr.encodeIntoCompressedBase64(theirs));
      }),
      { seed: 1, numRuns: 50 },
    );
  });

  test('adds the values of others', () => {
    const counts = new LatencyCounts();
    for (const values of [[5, 7], [3_000, 2], []]) {
      const others = new LatencyCounts();
      for (const value of values) others.record(value);
      counts.add(others);
    }
    assert.deepEqual(counts.toLatency(), recorded([5, 7, 3_000, 2]));
  });

  test('rejects values that are not latencies, and clamps none', () => {
    const counts = new LatencyCounts();
    for (const value of [-1, 0.5, Number.NaN, Infinity, 2 ** 42]) {
      assert.throws(() => counts.record(value), RangeError);
    }
    assert.equal(counts.toLatency().count, 0);
  });
});

// Around each power of two and a few others; each number of them in the long form.
const PARTS = IS_LONG
  ? Array.from({ length: 64 }, (_, index) => index + 1)
  : [1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64];

describe('timeWeightedMedianNs', () => {
  test('is the length of the operations that take half of the time, and 0 without operations', () => {
    const counts = new LatencyCounts();
    assert.equal(counts.timeWeightedMedianNs(), 0);
    for (let count = 0; count < 90; count++) counts.record(1_000);
    counts.record(100_000);
    assert.ok(Math.abs(counts.timeWeightedMedianNs() / 100_000 - 1) < 0.01, 'one long one outweighs ninety');
    for (let count = 0; count < 20; count++) counts.record(1_000);
    assert.ok(Math.abs(counts.timeWeightedMedianNs() / 1_000 - 1) < 0.01);
    counts.clear();
    assert.equal(counts.timeWeightedMedianNs(), 0);
    for (const ns of [1_000, 1_000, 2_000]) counts.record(ns);
    assert.equal(counts.timeWeightedMedianNs(), 2_000, 'exactly half');
  });
});

describe('mergeLatencies', () => {
  test('merges 1 to 64 parts exactly into the whole', () => {
    const values = wholeNumbers(20_000, distributions['up to 60 s']);
    const whole = recorded(values);
    for (const parts of PARTS) {
      const split = Array.from({ length: parts }, (_, part) =>
        recorded(values.filter((_, index) => index % parts === part)),
      );
      assert.deepEqual(mergeLatencies(split), whole);
    }
  });

  test('keeps a sum that its own mean does not hold exactly', () => {
    const part = recorded([15, ...new Array(10).fill(0)]);
    assert.equal(mergeLatencies([part, part, part]).meanNs, 45 / 33);
  });

  test('merges in steps and in any order', () => {
    const [first, second, third] = [1, 2, 3].map(() =>
      recorded(wholeNumbers(1_000, distributions['log-normal'])),
    );
    assert.deepEqual(
      mergeLatencies([mergeLatencies([third, first]), second]),
      mergeLatencies([first, second, third]),
    );
  });

  test('merges no latencies, and empty ones', () => {
    const nothing = recorded([]);
    assert.deepEqual(mergeLatencies([]), nothing);
    assert.deepEqual(mergeLatencies([nothing, recorded([5, 7]), nothing]), recorded([5, 7]));
    assert.deepEqual([nothing.count, nothing.minNs, nothing.maxNs, nothing.meanNs], [0, 0, 0, 0]);
  });
});

describe('latencyPercentiles', () => {
  test('returns microseconds, never above the exact maximum', () => {
    const values = Array.from({ length: 100 }, (_, index) => 1_000_000 + index);
    assert.deepEqual(latencyPercentiles(recorded(values)), {
      count: 100,
      min: 1_000,
      mean: 1_000.0495,
      p50: 1_000.099,
      p90: 1_000.099,
      p99: null,
      p999: null,
      max: 1_000.099,
    });
  });

  test('returns only percentiles with ten samples above them', () => {
    const shown = [999, 1_000, 9_999, 10_000].map((count) => {
      const { p99, p999 } = latencyPercentiles(recorded(new Array(count).fill(20_000)));
      return [p99, p999];
    });
    assert.deepEqual(shown, [
      [null, null],
      [20, null],
      [20, null],
      [20, 20],
    ]);
  });
});

describe('percentileDistribution', () => {
  test('has every value in milliseconds, with its share', () => {
    const text = percentileDistribution([recorded([1_000_000, 2_000_000]), recorded([4_000_000])]);
    const lines = text.split('\n').map((line) => line.trim().split(/ +/).map(Number));
    const atMost = (/** @type {number} */ ms) =>
      lines.findLast(([value]) => value >= ms && value < 1.001 * ms)?.slice(1, 3);
    assert.deepEqual(atMost(2)?.[1], 2);
    assert.deepEqual(atMost(4), [1, 3]);
  });

  test('has the percentiles that hdr-histogram-js prints unless told otherwise', () => {
    const latency = recorded(wholeNumbers(20_000, distributions['log-normal']));
    const percentilesOf = (/** @type {string} */ text) =>
      text.split('\n').flatMap((line) => /^ *[\d.]+ +([\d.]+) +\d/.exec(line)?.[1] ?? []);
    const percentiles = percentilesOf(percentileDistribution([latency]));
    assert.ok(percentiles.length > 30);
    assert.deepEqual(percentiles, percentilesOf(decoded(latency).outputPercentileDistribution()));
  });
});

describe('latencySpectrum', () => {
  test('has twenty points per factor of ten, up to ten samples above', () => {
    const rarities = (/** @type {number} */ count) =>
      latencySpectrum([recorded(Array.from({ length: count }, (_, index) => 1_000 + index))]).map(
        ({ rarity }) => rarity,
      );
    assert.deepEqual(rarities(9), []);
    assert.deepEqual(rarities(10), [1]);
    assert.equal(rarities(99).length, 20);
    const found = rarities(100);
    assert.equal(found.length, 21);
    for (const [step, rarity] of found.entries()) assert.ok(Math.abs(rarity - 10 ** (step / 20)) < 1e-9);
    const answered = recorded(Array.from({ length: 99 }, (_, index) => 1_000 + index));
    assert.equal(latencySpectrum([answered], [recorded([0])]).length, 21, 'of a hundred requests');
  });

  test('has the percentiles that hdr-histogram-js has, also with a few unanswered requests', () => {
    const latency = recorded(wholeNumbers(20_000, distributions['log-normal']));
    const percentileAt = (/** @type {number} */ rarity) => {
      const ns = decoded(latency).getValueAtPercentile(100 * (1 - 1 / rarity));
      return Math.min(ns, latency.maxNs) / 1e3;
    };
    const points = latencySpectrum([latency]);
    assert.equal(points.length, 67);
    for (const { rarity, us } of points) assert.equal(us, percentileAt(rarity), `${rarity}`);
    for (const { rarity, us } of latencySpectrum([latency], [recorded([1])]))
      assert.ok(Math.abs(us / percentileAt(rarity) - 1) < 0.002, `${rarity}`);
  });
});

describe('percentileDistribution without values', () => {
  test('writes zeros', () => {
    const text = percentileDistribution([recorded([])]);
    assert.match(text, /Mean {4}= +0\.000, StdDeviation {3}= +0\.000\]/);
    assert.match(text, /Max {5}= +0\.000, Total count {4}= +0\]/);
  });
});
