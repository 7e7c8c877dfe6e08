import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  estimateMean,
  estimateRatio,
  estimateTypical,
  scaleEstimate,
} from '../../lib/statistics/estimate.js';
import { littleLawResidual } from '../../lib/statistics/little-law.js';
import { detectableRatio, pairedTest } from '../../lib/statistics/ratio.js';
import { noiseFrom } from '../fixtures/noise.js';

const GROUP_NOISE = 0.1; // of both launches of a group
const LAUNCH_NOISE = 0.05;

/**
 * @param {ReturnType<typeof noiseFrom>} noise
 * @param {{ groups: number, ratio: number, disturbed: number }} experiment
 */
function measuredPairs(noise, { groups, ratio, disturbed }) {
  const rate = (/** @type {number} */ typical) => {
    const isDisturbed = noise.uniform(0, 1) < disturbed;
    return typical * Math.exp(LAUNCH_NOISE * noise.normal()) * (isDisturbed ? noise.uniform(0.4, 0.9) : 1);
  };
  const typical = Array.from({ length: groups }, () => 10_000 * Math.exp(GROUP_NOISE * noise.normal()));
  return { rates: typical.map((group) => rate(ratio * group)), references: typical.map(rate) };
}

describe('estimateTypical', () => {
  test('estimates on a log scale: the typical value of 5, 10 and 20 is 10', () => {
    const { estimate, low, high, ...rest } = estimateTypical([20, 5, 10]);
    assert.equal(Math.round(estimate), 10);
    assert.ok(low < 5 && high > 20 && Math.abs(low * high - 100) < 1e-6, `${low}–${high}`);
    assert.deepEqual(rest, { level: 0.95, n: 3, method: 'log-model' });
    const alone = { estimate: 7, low: 7, high: 7, level: null, n: 1, method: 'range' };
    assert.deepEqual({ ...estimateTypical([7]), estimate: 7, low: 7, high: 7 }, alone);
  });

  test('estimates by ranks if a value is 0, which has no logarithm', () => {
    assert.deepEqual(estimateTypical([0, 4, 2]), {
      estimate: 2,
      low: 0,
      high: 4,
      level: null,
      n: 3,
      method: 'range',
    });
  });

  test('narrows with more launches of the same noise', () => {
    const noise = noiseFrom(1);
    const widths = [6, 20, 80].map((n) => {
      const { low, high } = estimateTypical(Array.from({ length: n }, () => Math.exp(0.05 * noise.normal())));
      return Math.log(high / low);
    });
    assert.ok(widths[0] > widths[1] && widths[1] > widths[2], String(widths));
  });
});

describe('scaleEstimate', () => {
  test('multiplies the estimate and its interval, and nothing else', () => {
    const rest = /** @type {const} */ ({ level: 0.95, n: 5, method: 'log-model' });
    assert.deepEqual(scaleEstimate({ estimate: 4, low: 2, high: 8, ...rest }, 0.5), {
      estimate: 2,
      low: 1,
      high: 4,
      ...rest,
    });
  });
});

describe('estimateMean', () => {
  test('returns the mean and the extremes of counts', () => {
    assert.deepEqual(estimateMean([0, 6, 0]), {
      estimate: 2,
      low: 0,
      high: 6,
      level: null,
      n: 3,
      method: 'range',
    });
  });
});

describe('estimateRatio', () => {
  test('returns exactly 1 for a row against itself', () => {
    const rates = [13_001.7, 12_876.2, 14_020.9, 12_999.1, 13_400.4, 13_333.3];
    const expected = { estimate: 1, low: 1, high: 1, level: 0.95, n: 6, method: 'log-model' };
    assert.deepEqual(estimateRatio(rates, rates), expected);
  });

  test('returns the inverse for swapped rows', () => {
    const { rates, references } = measuredPairs(noiseFrom(2), { groups: 9, ratio: 1.6, disturbed: 0.1 });
    const there = estimateRatio(rates, references);
    const back = estimateRatio(references, rates);
    for (const [value, inverse] of [
      [there.estimate, back.estimate],
      [there.low, back.high],
      [there.high, back.low],
    ]) {
      assert.ok(Math.abs(value * inverse - 1) < 1e-12);
    }
  });

  test('cancels what slows a whole group down', () => {
    const speed = [1, 0.5, 2, 0.25, 4, 1];
    const { low, high } = estimateRatio(
      speed.map((factor) => 300 * factor),
      speed.map((factor) => 200 * factor),
    );
    assert.ok(Math.abs(low - 1.5) < 1e-12 && Math.abs(high - 1.5) < 1e-12);
  });

  test('rejects lists of different lengths', () => {
    assert.throws(() => estimateRatio([1, 2], [1]), RangeError);
  });

  // Of more designs: npm run simulate.
  for (const [groups, disturbed] of [
    [2, 0],
    [20, 0.1],
  ]) {
    test(`covers the truth of ${groups} groups with ${disturbed * 100} % disturbed launches`, (context) => {
      const noise = noiseFrom(groups + disturbed);
      const experiments = 1_000;
      let [known, covered] = [0, 0];
      for (let experiment = 0; experiment < experiments; experiment++) {
        const pairs = measuredPairs(noise, { groups, ratio: 1.05, disturbed });
        const { low, high, level } = estimateRatio(pairs.rates, pairs.references);
        if (level === null) continue;
        known++;
        if (low <= 1.05 && 1.05 <= high) covered++;
      }
      const coverage = covered / known;
      context.diagnostic(`covered ${(100 * coverage).toFixed(1)} % of ${known}`);
      assert.ok(coverage > 0.935 && coverage < 0.99, String(coverage));
    });
  }
});

describe('detectableRatio', () => {
  test('returns null for one group', () => {
    assert.equal(detectableRatio(pairedTest({ old: [1], new: [2] })), null);
  });

  for (const groups of [6, 20]) {
    test(`is found in four of five runs of ${groups} groups`, (context) => {
      const noise = noiseFrom(groups);
      const runs = 1_000;
      let found = 0;
      for (let run = 0; run < runs; run++) {
        const stated = measuredPairs(noise, { groups, ratio: 1, disturbed: 0 });
        const ratio = detectableRatio(pairedTest({ old: stated.references, new: stated.rates })) ?? 1;
        const looking = measuredPairs(noise, { groups, ratio, disturbed: 0 });
        if (estimateRatio(looking.rates, looking.references).low > 1) found++;
      }
      context.diagnostic(`found by ${((100 * found) / runs).toFixed(1)} %`);
      assert.ok(found / runs > 0.75 && found / runs < 0.85, String(found));
    });
  }
});

describe('littleLawResidual', () => {
  test('returns 0 if loops, rate and mean latency agree', () => {
    assert.equal(littleLawResidual({ loops: 8, perSecond: 80_000, meanNs: 100_000 }), 0);
  });

  test('detects latencies of only three quarters of the wait', () => {
    const residual = littleLawResidual({ loops: 8, perSecond: 80_000, meanNs: 75_000 });
    assert.ok(Math.abs(residual - 0.25) < 1e-12);
  });

  test('detects latencies that are too long', () => {
    const residual = littleLawResidual({ loops: 8, perSecond: 80_000, meanNs: 150_000 });
    assert.ok(Math.abs(residual - 0.5) < 1e-12);
  });
});
