import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  classifyTrace,
  estimateClimb,
  isSteady,
  leftSteadyState,
  warmUpStatus,
} from '../../lib/statistics/warm-up.js';
import { noiseFrom } from '../fixtures/noise.js';

/** @typedef {ReturnType<typeof noiseFrom>} Noise */
/** @typedef {(bin: number) => number} Shape   relative to the steady level */

// Throughput of the first bins of 50 ms of a pipe, measured, relative to the steady level.
const REAL_START = [0, 0.1, 0.22, 0.4, 0.56, 0.72, 0.85, 0.96];
/** @type {Shape} */
const realStart = (bin) => REAL_START[bin] ?? 1;
/** @type {Shape} */
const level = () => 1;

/**
 * @param {Noise} noise
 * @param {Shape} shape
 * @param {{ bins: number, variation: number, disturbed?: number }} trace `variation`: of a bin, as a share of the level
 */
function traceOf(noise, shape, { bins, variation, disturbed = 0 }) {
  return Array.from({ length: bins }, (_, bin) => {
    const hiccup = noise.uniform(0, 1) < disturbed ? 0.5 : 1;
    return Math.max(0, Math.round(1_000 * shape(bin) * hiccup * (1 + variation * noise.normal())));
  });
}

/**
 * @param {number[]} trace
 * @returns {number} bins after which the window opened
 */
function binsUntilSteady(trace) {
  const opened = trace.findIndex((_, index) => isSteady(trace.slice(0, index + 1)));
  return opened === -1 ? Infinity : opened + 1;
}

/** @param {number} count @param {(index: number) => number} value */
function ascending(count, value) {
  return Array.from({ length: count }, (_, index) => value(index)).sort((left, right) => left - right);
}

describe('warmUpStatus', () => {
  const limits = { minWarmupMs: 100, maxWarmupMs: 1_000, steadyWithinMs: 300 };
  const steady = new Array(12).fill(1_000);
  const climbing = Array.from({ length: 12 }, (_, bin) => 100 * (bin + 1));
  for (const [
    elapsedMs,
    warmAtMs,
    operations,
    status,
  ] of /** @type {[number, number, number[], string | null][]} */ ([
    [99, 50, steady, null],
    [100, 50, steady, 'steady'],
    [100, 101, steady, null],
    [200, Infinity, steady, null],
    [399, 50, climbing, null],
    [400, 50, climbing, 'not-steady'],
    [699, 400, climbing, null],
    [700, 400, climbing, 'not-steady'],
    [999, Infinity, steady, null],
    [1_000, Infinity, steady, 'cold'],
    [1_000, 900, climbing, 'not-steady'],
  ])) {
    const trace = operations === steady ? 'steady' : 'climbing';
    test(`returns ${status} after ${elapsedMs} ms of a ${trace} load that is warm at ${warmAtMs} ms`, () =>
      assert.equal(warmUpStatus(limits, { elapsedMs, warmAtMs, operations }), status));
  }

  test('does not judge the rate of a launch beside which others start', () => {
    const beside = { ...limits, steadyWithinMs: null };
    const statusAfter = (/** @type {number} */ elapsedMs, /** @type {number} */ warmAtMs) =>
      warmUpStatus(beside, { elapsedMs, warmAtMs, operations: climbing });
    assert.equal(statusAfter(99, 50), null);
    assert.equal(statusAfter(100, 50), 'worked');
    assert.equal(statusAfter(999, Infinity), null);
    assert.equal(statusAfter(1_000, Infinity), 'cold');
  });
});

describe('isSteady', () => {
  test('returns false before 12 bins', () => {
    assert.equal(isSteady(new Array(11).fill(1_000)), false);
    assert.equal(isSteady(new Array(12).fill(1_000)), true);
  });

  test('accepts steady noise within 1 s in 99 of 100 launches', (context) => {
    for (const [variation, disturbed] of [
      [0.02, 0],
      [0.05, 0.05],
      [0.1, 0],
      [0.1, 0.1],
    ]) {
      const noise = noiseFrom(variation);
      const trace = () => traceOf(noise, realStart, { bins: 60, variation, disturbed });
      const waits = ascending(500, () => binsUntilSteady(trace()));
      context.diagnostic(`variation ${variation}: half by bin ${waits[250]}, 99 % by bin ${waits[495]}`);
      assert.ok(waits[495] <= 20, `${waits[495]} bins`);
    }
  });

  test('detects a slow climb within ten bins, and rarely one that does not exist', () => {
    const opened = (/** @type {number} */ climb) => {
      const noise = noiseFrom(11);
      /** @type {Shape} */
      const shape = (bin) => 1 + climb * bin;
      const looks = ascending(1_000, () =>
        Number(isSteady(traceOf(noise, shape, { bins: 24, variation: 0.05 }))),
      );
      return looks.filter(Boolean).length;
    };
    const [flat, climbing] = [opened(0), opened(0.02)];
    assert.ok(flat >= 940 && flat <= 975, `${flat} of 1,000 flat traces`);
    assert.ok(climbing >= 370 && climbing <= 470, `${climbing} of 1,000 traces that climb by 2 % a bin`);
  });

  test('reports a trend from 33 of 45 ordered pairs on', () => {
    const trace = (/** @type {number[]} */ indexes) => [
      ...[1_000, 1_000],
      ...indexes.map((index) => 1_000 + 40 * index),
    ];
    const with33 = trace([4, 3, 5, 1, 7, 6, 8, 2, 10, 9]);
    const with32 = trace([4, 5, 3, 1, 7, 6, 8, 2, 10, 9]);
    assert.deepEqual([with33, with32].map(isSteady), [false, true]);
    assert.deepEqual(
      [with33.toReversed(), with32.toReversed()].map((bins) =>
        isSteady([...bins.slice(-2), ...bins.slice(0, -2)]),
      ),
      [false, true],
    );
  });

  test('does not open the window right after a change of level', () => {
    for (const shape of [
      (/** @type {number} */ bin) => (bin < 20 ? 0.7 : 1),
      (/** @type {number} */ bin) => (bin < 20 ? 1 : 0.7),
    ]) {
      const noise = noiseFrom(8);
      const opened = ascending(300, () =>
        Number(isSteady(traceOf(noise, shape, { bins: 25, variation: 0.03 }))),
      );
      assert.ok(opened.filter(Boolean).length < 15, `${opened.filter(Boolean).length} of 300`);
    }
  });

  test('judges slow transports with a few round trips per bin', () => {
    assert.equal(isSteady([0, 1, 2, 1, 2, 2, 1, 2, 2, 1, 2, 2]), true);
    assert.equal(isSteady([0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6]), false);
  });

  test('returns false for a standstill', () => {
    assert.equal(isSteady(new Array(30).fill(0)), false);
    assert.equal(isSteady([...new Array(20).fill(500), ...new Array(10).fill(0)]), false);
  });
});

describe('leftSteadyState', () => {
  test('flags at most 2 % of steady windows', (context) => {
    for (const bins of [10, 20, 60]) {
      for (const [variation, disturbed] of [
        [0.02, 0],
        [0.05, 0],
        [0.1, 0.05],
      ]) {
        const noise = noiseFrom(bins + variation);
        const flagged = ascending(1_000, () =>
          Number(leftSteadyState(traceOf(noise, level, { bins, variation, disturbed }))),
        ).filter(Boolean).length;
        context.diagnostic(`${bins} bins, variation ${variation}: ${flagged / 10} %`);
        assert.ok(flagged <= 20, `${flagged} of 1,000`);
      }
    }
  });

  test('flags a window of 10 bins whose level drops or rises anywhere', () => {
    for (const at of [3, 5, 7]) {
      for (const after of [0.75, 1.33]) {
        const noise = noiseFrom(at);
        const trace = () => traceOf(noise, (bin) => (bin < at ? 1 : after), { bins: 10, variation: 0.03 });
        const flagged = ascending(200, () => Number(leftSteadyState(trace()))).filter(Boolean).length;
        assert.ok(flagged >= 190, `change at ${at} to ${after}: ${flagged} of 200`);
      }
    }
  });

  test('flags a long window that swings', () => {
    const noise = noiseFrom(4);
    /** @type {Shape} */
    const swing = (bin) => 1 + 0.15 * Math.sin(bin / 2);
    for (let index = 0; index < 50; index++) {
      assert.ok(leftSteadyState(traceOf(noise, swing, { bins: 60, variation: 0.03 })));
    }
  });

  test('flags a swing of more than 10 %, up to the last bins, in 20 bins or more', () => {
    const half = [1_040, 1_000, 960, 1_000].flatMap((count) => [count, count, count]);
    const swinging = (/** @type {number} */ peak) => [...half, ...half.slice(0, -3), 1_000, peak, peak];
    assert.equal(leftSteadyState(swinging(1_040)), false);
    assert.equal(leftSteadyState(swinging(1_070)), true);
    const long = [1_070, 1_000, 930, 1_000, 1_070, 1_000, 930].flatMap((count) => [count, count, count]);
    assert.deepEqual(
      [20, 19].map((bins) => leftSteadyState(long.slice(0, bins))),
      [true, false],
    );
  });

  test('does not flag a swing if neighbours explain less than half of the variance of ranks', () => {
    const ranks = [13, 10, 16, 15, 9, 5, 3, 12, 11, 19, 14, 7, 6, 2, 8, 18, 20, 17, 4, 1];
    const steps = ranks.slice(1).reduce((sum, rank, index) => sum + (rank - ranks[index]) ** 2, 0);
    const spread = ranks.reduce((sum, rank) => sum + (rank - 10.5) ** 2, 0);
    assert.ok(steps / spread > 1 && steps / spread < 1.002);
    const binsOf = (/** @type {number[]} */ order) => order.map((rank) => 1_000 + 20 * rank);
    assert.equal(leftSteadyState(binsOf(ranks)), false);
    assert.equal(leftSteadyState(binsOf([13, 15, 16, 10, ...ranks.slice(4)])), true, 'a little smoother');
  });

  test('does not flag a single stall, a small change or too few bins', () => {
    assert.equal(
      leftSteadyState([100, 101, 99, 100, 30, 102, 100, 98, 101, 100].map((count) => 10 * count)),
      false,
    );
    assert.equal(leftSteadyState([...new Array(10).fill(1_000), ...new Array(10).fill(1_040)]), false);
    const slowAtOneEnd = [500, 501, 1_003, 1_000, 1_002, 1_001];
    for (const bins of [slowAtOneEnd, slowAtOneEnd.toReversed()]) assert.equal(leftSteadyState(bins), false);
    assert.equal(leftSteadyState([]), false);
    assert.equal(leftSteadyState([1_000, 500, 100]), false);
  });
});

describe('estimateClimb', () => {
  test('returns the ratio of the halves, with bounds by all launches', () => {
    const windows = [10, 11, 12, 13, 14, 15].map((last) => [10, 10, 10, last]);
    const { estimate, low, high } = estimateClimb(windows) ?? assert.fail();
    const logs = windows.map(([, , third, last]) => Math.log((third + last) / 20));
    const mean = logs.reduce((sum, log) => sum + log) / 6;
    const variance = logs.reduce((sum, log) => sum + (log - mean) ** 2, 0) / 5;
    const margin = 2.015 * Math.sqrt(variance / 6); // t of 5 degrees of freedom
    assert.ok(Math.abs(estimate - Math.exp(mean)) < 1e-12);
    assert.ok(Math.abs(low - Math.exp(mean - margin)) < 1e-4, `${low}`);
    assert.ok(Math.abs(high - Math.exp(mean + margin)) < 1e-4, `${high}`);
  });

  test('returns null if a launch has an empty half or too few bins, or if launches are too few', () => {
    const windows = new Array(6).fill([10, 10, 11, 11]);
    assert.notEqual(estimateClimb(windows), null);
    for (const bins of [
      [0, 0, 11, 11],
      [10, 10, 0, 0],
      [10, 11, 12],
    ])
      assert.equal(estimateClimb([...windows, bins]), null, bins.join());
    assert.equal(estimateClimb(windows.slice(1)), null);
  });
});

describe('classifyTrace', () => {
  /**
   * @param {Noise} noise
   * @returns {{ name: string, shape: Shape, isRight: (verdict: ReturnType<typeof classifyTrace>) => boolean }[]}
   */
  function scenes({ uniform }) {
    const at = Math.floor(uniform(4, 36));
    const lateAt = Math.floor(uniform(44, 56));
    const depth = uniform(0.15, 0.6);
    const [amplitude, period, phase] = [uniform(0.1, 0.3), uniform(8, 24), uniform(0, 2 * Math.PI)];
    return [
      { name: 'flat', shape: level, isRight: ({ kind }) => kind === 'flat' },
      {
        name: 'step',
        shape: (bin) => (bin < at ? 1 - depth : 1),
        isRight: (verdict) => verdict.kind === 'warmed' && Math.abs(verdict.from - at) <= 2,
      },
      {
        name: 'real start',
        shape: realStart,
        isRight: (verdict) => verdict.kind === 'warmed' && verdict.from >= 5 && verdict.from <= 10,
      },
      {
        name: 'slow ramp',
        shape: (bin) => 1 - depth - 0.1 + ((depth + 0.1) * bin) / 60,
        isRight: ({ kind }) => kind === 'not-steady',
      },
      {
        name: 'cyclic',
        shape: (bin) => 1 + amplitude * Math.sin(phase + (2 * Math.PI * bin) / period),
        isRight: ({ kind }) => kind === 'not-steady',
      },
      {
        name: 'late drop',
        shape: (bin) => (bin < lateAt ? 1 : 1 - depth),
        isRight: ({ kind }) => kind === 'not-steady',
      },
    ];
  }

  test('classifies at least 95 % of 1,000 traces correctly, and 90 % of each kind', (context) => {
    const noise = noiseFrom(1);
    /** @type {Map<string, { right: number, all: number }>} */
    const tally = new Map();
    for (let index = 0; index < 1_000; index++) {
      const all = scenes(noise);
      const { name, shape, isRight } = all[index % all.length];
      const verdict = classifyTrace(
        traceOf(noise, shape, { bins: 60, variation: noise.uniform(0.01, 0.05) }),
      );
      const counts = tally.get(name) ?? { right: 0, all: 0 };
      tally.set(name, { right: counts.right + Number(isRight(verdict)), all: counts.all + 1 });
    }
    for (const [name, { right, all }] of tally) {
      context.diagnostic(`${name}: ${((100 * right) / all).toFixed(1)} %`);
      assert.ok(right / all >= 0.9, `${name}: ${right} of ${all}`);
    }
    const right = [...tally.values()].reduce((sum, counts) => sum + counts.right, 0);
    assert.ok(right >= 950, `${right} of 1,000`);
  });

  test('finds no steady state if the level changes within the last third', () => {
    const bins = [...new Array(50).fill(1_000), ...new Array(10).fill(600)];
    assert.deepEqual(classifyTrace(bins), { kind: 'not-steady' });
  });

  test('ignores a difference of a single round trip', () => {
    assert.deepEqual(classifyTrace([3, ...new Array(30).fill(2)]), { kind: 'flat' });
  });

  test('requires a third of the trace, and at least ten bins, at the last level', () => {
    const risesAt = (/** @type {number} */ bin, /** @type {number} */ bins) =>
      Array.from({ length: bins }, (_, index) => (index < bin ? 700 : 1_000));
    assert.deepEqual(classifyTrace(risesAt(40, 60)), { kind: 'warmed', from: 40 });
    assert.deepEqual(classifyTrace(risesAt(41, 60)), { kind: 'not-steady' });
    assert.deepEqual(classifyTrace(risesAt(8, 18)), { kind: 'warmed', from: 8 });
    assert.deepEqual(classifyTrace(risesAt(9, 18)), { kind: 'not-steady' });
  });

  test('finds no warm-up in a trace that starts within 5 % of the level of its last third', () => {
    const stretches = [
      [10, 96_500],
      [42, 100_000],
      [8, 103_500],
    ];
    const bins = stretches.flatMap(([length, count]) => new Array(length).fill(count));
    assert.deepEqual(classifyTrace(bins), { kind: 'flat' });
    assert.deepEqual(classifyTrace([...new Array(10).fill(94_500), ...bins.slice(10)]), {
      kind: 'warmed',
      from: 10,
    });
  });

  test('classifies a trace of 12 bins of warm-up and 10 of window', () => {
    const bins = [100, 300, 600, 900, ...new Array(18).fill(1_000)];
    assert.deepEqual(classifyTrace(bins), { kind: 'warmed', from: 4 });
    for (const count of [0, 7]) assert.deepEqual(classifyTrace(new Array(22).fill(count)), { kind: 'flat' });
  });
});
