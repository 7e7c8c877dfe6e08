import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { findCrossovers } from '../../lib/statistics/crossover.js';
import { normalQuantile, normalTail } from '../../lib/statistics/normal.js';
import { detectableRatio, pairedTest, separateTest } from '../../lib/statistics/ratio.js';
import { studentQuantile } from '../../lib/statistics/student.js';
import {
  decideVerdict,
  holmAdjusted,
  launchesToSettle,
  plannedDetectableRatio,
} from '../../lib/statistics/verdict.js';
import { noiseFrom } from '../fixtures/noise.js';

const SEEDED = { seed: 1, numRuns: 200 };
/** @param {number} actual @param {number} expected @param {number} [tolerance] */
const near = (actual, expected, tolerance = 1e-9) =>
  assert.ok(Math.abs(actual - expected) <= tolerance, `${actual} is not ${expected}`);

/** Distinct whole numbers: no ties. */
const distinct = (/** @type {number} */ least, /** @type {number} */ most) =>
  fc.uniqueArray(fc.integer({ min: -1000, max: 1000 }), { minLength: least, maxLength: most });

describe('pairedTest and separateTest', () => {
  test('exclude 1 from the 95 % interval exactly if p is at most 0.05', () => {
    fc.assert(
      fc.property(distinct(12, 30), fc.integer({ min: 0, max: 400 }), (all, shift) => {
        const pairs = all.length >> 1;
        const [fresh, old] = [
          all.slice(0, pairs).map((value) => value + shift),
          all.slice(pairs, 2 * pairs),
        ].map((own) => own.map((value) => Math.exp(value / 1e3)));
        for (const { ratio, p } of [
          pairedTest({ old, new: fresh }),
          separateTest({ old, new: fresh }),
          separateTest({ old: old.slice(1), new: fresh }),
        ])
          assert.equal(ratio.low > 1 || ratio.high < 1, (p ?? 1) <= 0.05);
      }),
      SEEDED,
    );
  });

  for (const launches of [3, 5])
    test(`separateTest covers the truth with ${launches} launches a side`, (context) => {
      const noise = noiseFrom(launches);
      const draw = () => Array.from({ length: launches }, () => Math.exp(0.05 * noise.normal()));
      const hits = Array.from(
        { length: 1_000 },
        () => separateTest({ old: draw(), new: draw() }).ratio,
      ).filter(({ low, high }) => low <= 1 && 1 <= high);
      context.diagnostic(`${hits.length / 10} %`);
      assert.ok(hits.length > 930 && hits.length < 995, String(hits.length));
    });

  test('return the p of a ratio beyond an edge, on either side of 1', () => {
    const [old, fresh] = [
      [1, 1.02, 0.97, 1.01],
      [1.2, 1.25, 1.19, 1.22],
    ];
    for (const { ratio, p, pBeyond } of [
      separateTest({ old, new: fresh }),
      separateTest({ old: fresh, new: old }),
    ]) {
      near(pBeyond(1), p ?? 1, 1e-12);
      near(pBeyond(Math.max(ratio.estimate, 1 / ratio.estimate)), 1);
      // An end of the interval has 5 %.
      near(pBeyond(ratio.estimate > 1 ? ratio.low : 1 / ratio.high), 0.05);
    }
    assert.equal(separateTest({ old: [1], new: fresh }).pBeyond(1.1), 1);
  });

  test('separateTest needs two launches a side', () => {
    assert.equal(separateTest({ old: [1], new: [2, 2.1, 2.2] }).p, null);
    const { p, ratio } = separateTest({ old: [1, 1.01], new: [2, 2.01, 2.02] });
    assert.ok(Number(p) < 0.05);
    assert.equal(ratio.n, 2);
  });
});

describe('holmAdjusted', () => {
  test('multiplies the smallest by all, the next by one less, and never falls', () => {
    const adjusted = holmAdjusted([0.01, 0.04, 0.03, 0.005]);
    [0.03, 0.06, 0.06, 0.02].forEach((expected, index) => {
      near(adjusted[index], expected);
    });
  });

  test('lies between p and its Bonferroni correction', () => {
    fc.assert(
      fc.property(fc.array(fc.double({ min: 0, max: 1, noNaN: true })), (ps) => {
        const adjusted = holmAdjusted(ps);
        assert.equal(adjusted.length, ps.length);
        for (const [index, p] of ps.entries()) {
          assert.ok(adjusted[index] >= p && adjusted[index] <= Math.min(1, ps.length * p));
        }
      }),
      SEEDED,
    );
    assert.deepEqual(holmAdjusted([0.2]), [0.2]);
    assert.deepEqual(holmAdjusted([]), []);
  });
});

test('computes normalQuantile within half a thousandth of the published table', () => {
  for (const [tail, z] of [
    [0.5, 0],
    [0.2, 0.8416],
    [0.025, 1.96],
    [0.001, 3.0902],
    [0.00001, 4.2649],
  ]) {
    near(normalQuantile(tail), z, 5e-4);
  }
});

test('computes normalTail within a millionth of the published table, on both sides of 0', () => {
  for (const [z, tail] of [
    [0, 0.5],
    [1, 0.158655],
    [-1, 0.841345],
    [1.959964, 0.025],
    [-3, 0.99865],
  ]) {
    near(normalTail(z), tail, 1e-6);
  }
});

describe('plannedDetectableRatio', () => {
  test('falls with more launches, and rises with more comparisons', () => {
    const ofGroups = [6, 10, 20, 40].map((groups) => plannedDetectableRatio(groups, 1, 0.02));
    assert.deepEqual(
      ofGroups,
      ofGroups.toSorted((one, other) => other - one),
    );
    assert.ok(plannedDetectableRatio(10, 4, 0.02) > ofGroups[1]);
    // Of a row with itself, whose noise was 1.7 %, ten groups stated 2.1 % (docs/method.md).
    near(plannedDetectableRatio(10, 1, 0.017), 1.021, 0.003);
  });

  test('uses Student’s t with one degree of freedom less than groups', () => {
    // t of 9 degrees: 2.262 and 0.883; of 1: 12.706 and 1.376. The last factor is 1 + 0.37 · 2.8016 / degrees.
    near(plannedDetectableRatio(10, 1, 0.1), Math.exp((0.1 / Math.sqrt(10)) * 3.145 * 1.1152), 1e-3);
    near(plannedDetectableRatio(2, 1, 0.02), Math.exp((0.02 / Math.sqrt(2)) * 14.082 * 2.0366), 1e-3);
  });
});

describe('findCrossovers', () => {
  /** @param {number} x @param {-1 | 0 | 1} sign @param {number} estimate */
  const point = (x, sign, estimate) => ({
    x,
    sign,
    excess: { estimate, low: estimate - 1, high: estimate + 1 },
  });

  test('interpolates between points of opposite signs, where the excess falls and where it rises', () => {
    const points = [point(0, 1, 4), point(10, 0, 0), point(20, -1, -4), point(30, -1, -4), point(40, 1, 4)];
    assert.deepEqual(
      findCrossovers(points).map(({ points: within, ...found }) => ({ ...found, among: within.length })),
      [
        { estimate: 10, low: 7.5, high: 12.5, isCheaperAbove: true, among: 3 },
        { estimate: 35, low: 33.75, high: 36.25, isCheaperAbove: false, among: 2 },
      ],
    );
  });

  test('finds none without two opposite signs', () => {
    assert.deepEqual(findCrossovers([point(0, 1, 4), point(10, 0, -1), point(20, 1, 4)]), []);
  });
});

describe('decideVerdict', () => {
  const cases = /** @type {[string, [number, number, number], number, string][]} */ ([
    ['above 1 and significant', [1.2, 1.1, 1.3], 0.01, 'faster'],
    ['below 1 and significant', [0.8, 0.7, 0.9], 0.01, 'slower'],
    ['inside ±5 %', [1.0, 0.96, 1.04], 0.9, 'same'],
    ['inside ±5 % and significant: too small to matter', [1.02, 1.01, 1.03], 0.001, 'same'],
    ['significant, with an end inside ±5 %', [1.06, 1.01, 1.11], 0.02, 'faster'],
    ['printed from 1.00 on, whatever its p', [1.08, 1.0032, 1.18], 0.03, 'inconclusive'],
    ['printed up to 1.00, whatever its p', [0.9, 0.8, 0.9963], 0.03, 'inconclusive'],
    ['wide around 1', [1.0, 0.8, 1.2], 0.9, 'inconclusive'],
    ['outside, but not after the correction', [1.2, 1.01, 1.4], 0.3, 'inconclusive'],
    ['one end exactly on the edge', [1.0, 0.97, 1.05], 0.9, 'inconclusive'],
    ['p exactly at the level', [1.2, 1.05, 1.4], 0.05, 'faster'],
  ]);
  for (const [name, [estimate, low, high], adjustedP, expected] of cases) {
    test(`returns ${expected} for a ratio ${name}`, () => {
      const ratio = { estimate, low, high, level: 0.95 };
      assert.equal(decideVerdict({ ratio, adjustedP, minEffect: 0.05 }), expected);
    });
  }

  test('returns inconclusive without an interval, whatever the extremes are', () => {
    const ratio = { estimate: 3, low: 2.9, high: 3.1, level: null };
    assert.equal(decideVerdict({ ratio, adjustedP: 0.001, minEffect: 0.05 }), 'inconclusive');
  });

  test('returns the opposite verdict if the sides are swapped', () => {
    const opposite = { faster: 'slower', slower: 'faster', same: 'same', inconclusive: 'inconclusive' };
    const value = fc.double({ min: 0.5, max: 2, noNaN: true });
    fc.assert(
      fc.property(value, value, value, fc.double({ min: 0, max: 0.1, noNaN: true }), (a, b, c, adjustedP) => {
        const [low, estimate, high] = [a, b, c].sort((left, right) => left - right);
        fc.pre(Math.abs(Math.log(estimate)) > 1e-9);
        const there = decideVerdict({
          ratio: { estimate, low, high, level: 0.95 },
          adjustedP,
          minEffect: 0.05,
        });
        const inverse = { estimate: 1 / estimate, low: 1 / high, high: 1 / low, level: 0.95 };
        assert.equal(decideVerdict({ ratio: inverse, adjustedP, minEffect: 0.05 }), opposite[there]);
      }),
      SEEDED,
    );
  });
});

describe('launchesToSettle', () => {
  test('returns nothing where the noise is unknown', () => {
    const tooFew = { estimate: 1.1, low: 1, high: 1.2, level: null };
    const known = { comparisons: 1, minEffect: 0.05 };
    assert.equal(
      launchesToSettle({ ratio: tooFew, standardError: 0.1, degrees: 4, launches: 3, ...known }),
      null,
    );
  });

  test('needs fewer launches with less noise, and more with more cells', () => {
    const known = { launches: 10, minEffect: 0.05 };
    const moreOf = (/** @type {number} */ standardError, comparisons = 1) =>
      launchesToSettle({
        ...known,
        comparisons,
        standardError,
        degrees: 18,
        ratio: { estimate: 1.04, level: 0.95 },
      }) ?? 0;
    assert.ok(moreOf(0.025) < moreOf(0.05) && moreOf(0.05) < moreOf(0.1));
    assert.ok(moreOf(0.05) < moreOf(0.05, 24));
    assert.deepEqual([moreOf(0.0001), moreOf(0)], [1, 1]);
  });

  test('returns the launches after which the estimate would be the detectable ratio', () => {
    for (const [estimate, comparisons] of [
      [1.04, 1],
      [1 / 1.1, 1],
      [1.03, 8],
    ]) {
      const known = { launches: 6, degrees: 5, comparisons, minEffect: 0 };
      const standardError = 0.1 / Math.sqrt(6);
      const more = launchesToSettle({ ratio: { estimate, level: 0.95 }, standardError, ...known }) ?? 0;
      const isFoundBy = (/** @type {number} */ groups) =>
        plannedDetectableRatio(groups, comparisons, 0.1) <= Math.max(estimate, 1 / estimate);
      assert.deepEqual([isFoundBy(6 + more), isFoundBy(6 + more - 1)], [true, false]);
    }
  });

  test('returns the launches after which four of five intervals lie within the edges', () => {
    const known = { launches: 6, degrees: 5, comparisons: 1, minEffect: 0.05 };
    const standardError = 0.1 / Math.sqrt(6);
    for (const estimate of [1, 1.01, 1 / 1.01]) {
      const more = launchesToSettle({ ratio: { estimate, level: 0.95 }, standardError, ...known }) ?? 0;
      const areEnough = (/** @type {number} */ groups) => {
        const reach = studentQuantile(0.025, groups - 1); // of an interval, in standard errors
        const beyond = [1.05 / estimate, 1.05 * estimate].map((edge) =>
          normalTail((Math.log(edge) * Math.sqrt(groups)) / 0.1 - reach),
        );
        return beyond[0] + beyond[1] <= 0.2;
      };
      assert.deepEqual([areEnough(6 + more), areEnough(6 + more - 1)], [true, false]);
    }
  });

  for (const [
    truth,
    isEnough,
    name,
  ] of /** @type {[number, (test: import('../../lib/statistics/ratio.js').RatioTest) => boolean, string][]} */ ([
    [1.06, ({ p }) => (p ?? 1) <= 0.05, 'a difference of 6 %'],
    [1, ({ ratio }) => ratio.low > 1 / 1.05 && ratio.high < 1.05, 'no difference'],
  ])) {
    // Groups that differ by 10 % from pair to pair: by simulation it takes 23 of them to find 6 %, and 50 to exclude 5 %.
    test(`estimates the launches of ${name} from 6, 10 and 20 groups`, (context) => {
      const noise = noiseFrom(23);
      const tested = (/** @type {number} */ n) => {
        const old = Array.from({ length: n }, () => 1);
        return pairedTest({ old, new: old.map(() => truth * Math.exp(0.1 * noise.normal())) });
      };
      const powerOf = (/** @type {number} */ n, runs = 400) =>
        Array.from({ length: runs }, () => tested(n)).filter(isEnough).length / runs;
      const needed = truth === 1 ? 50 : 23;
      assert.ok(powerOf(Math.round(0.8 * needed)) < 0.8 && powerOf(Math.round(1.25 * needed)) > 0.8);
      for (const launches of [6, 10, 20]) {
        const totals = Array.from({ length: 400 }, () => {
          const { ratio, standardError, degrees } = tested(launches);
          const known = { comparisons: 1, minEffect: 0.05 };
          return launches + (launchesToSettle({ ratio, standardError, degrees, launches, ...known }) ?? 0);
        }).sort((left, right) => left - right);
        const typical = totals[200];
        context.diagnostic(`from ${launches}: ${typical}`);
        assert.ok(typical > needed / 1.5 && typical < needed * 1.5, `from ${launches}: ${typical}`);
      }
    });
  }
});

describe('detectableRatio of separate runs', () => {
  for (const [launches, comparisons] of [
    [5, 1],
    [10, 24],
  ]) {
    test(`is found in four of five runs of ${launches} launches a side and ${comparisons} cells`, (context) => {
      const noise = noiseFrom(launches + comparisons);
      const draw = (ratio = 1) =>
        Array.from({ length: launches }, () => 10_000 * ratio * Math.exp(0.05 * noise.normal()));
      const runs = 1_000;
      let found = 0;
      for (let run = 0; run < runs; run++) {
        const ratio =
          detectableRatio(separateTest({ old: draw(), new: draw() }), 1 - 0.05 / comparisons) ?? 1;
        const { p } = separateTest({ old: draw(), new: draw(ratio) });
        if (p !== null && p <= 0.05 / comparisons) found++;
      }
      context.diagnostic(`found by ${((100 * found) / runs).toFixed(1)} %`);
      assert.ok(found / runs > 0.75 && found / runs < 0.85, String(found / runs));
    });
  }

  test('approaches 2.8 standard errors with many launches', () => {
    const noise = noiseFrom(5);
    const values = Array.from({ length: 400 }, () => Math.exp(0.1 * noise.normal()));
    const expected = 2.8 * 0.1 * Math.sqrt(2 / 400);
    near(Math.log(detectableRatio(separateTest({ old: values, new: values })) ?? 0) / expected, 1, 0.08);
  });

  test('returns null if no verdict is possible', () => {
    assert.equal(detectableRatio(separateTest({ old: [1], new: [1, 1.2] })), null);
    assert.equal(detectableRatio(pairedTest({ old: [1], new: [2] })), null);
  });
});
