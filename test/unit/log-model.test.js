import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { formatInterval, formatRatioOf } from '../../lib/format/numbers.js';
import { expectedSpreads, modelLaunches, roundLevels } from '../../lib/results/launch-model.js';
import {
  computeDifference as compare,
  computeContrast,
  computeLevel,
  computeMeanLevel,
  computeP,
  fitLogModel,
  levelSpread,
  makeEstimate,
} from '../../lib/statistics/log-model.js';
import { median } from '../../lib/statistics/rank-tests.js';
import { logGamma, studentQuantile, studentTail } from '../../lib/statistics/student.js';
import { sum } from '../../lib/statistics/sum.js';
import { claimDirection } from '../../lib/statistics/verdict.js';
import { noiseFrom } from '../fixtures/noise.js';

/** @import { MeasuredLaunch, Slices } from '../../lib/types/index.js' */

/** @param {number} actual @param {number} expected @param {number} tolerance */
function near(actual, expected, tolerance) {
  assert.ok(Math.abs(actual - expected) <= tolerance, `${actual}, not ${expected}`);
}

/** @param {import('../../lib/statistics/log-model.js').LogModel} model @param {number} row @param {number} other */
const differenceOf = (model, row, other) =>
  compare(model, row, other)?.contrast ?? assert.fail('nothing connects them');
const rowOf = (/** @type {number[]} */ values) => new Map(values.map((value, group) => [group, value]));

/** @param {number} group @param {number} rate @param {Partial<Slices>} [slices] @returns {MeasuredLaunch} with all that the model reads */
function launchOf(group, rate, slices) {
  return /** @type {any} */ ({ group, values: { rate }, ...(slices && { slices }) });
}

/** @param {number[]} rates   operations of each round of 100 ms @param {number[]} [rounds] */
const slicesOf = (rates, rounds = rates.map((_, round) => round)) => ({
  rounds,
  operations: rates,
  windowMs: rates.map(() => 100),
  cpuMs: rates.map(() => 100),
});

const readRate = (/** @type {MeasuredLaunch} */ { values }) => values.rate;

describe('studentQuantile', () => {
  test('returns the quantiles of the published table', () => {
    for (const [tail, degrees, t] of [
      [0.025, 1, 12.706],
      [0.025, 2, 4.303],
      [0.025, 5, 2.571],
      [0.025, 30, 2.042],
      [0.005, 3, 5.841],
      [0.05, 10, 1.812],
    ])
      near(studentQuantile(tail, degrees), t, 0.0006);
    near(studentQuantile(0.025, 1e6), 1.95996, 0.0001);
    near(studentTail(studentQuantile(0.01, 2.5), 2.5), 0.01, 1e-9);
    // Of one degree of freedom it is Cauchy's distribution, whose quantiles are tangents: small ones are as exact as large ones.
    for (const tail of [0.4999, 1e-4]) {
      const t = Math.tan(Math.PI * (0.5 - tail));
      near(studentQuantile(tail, 1) / t, 1, 1e-9);
    }
    assert.deepEqual([studentTail(0, 3), studentTail(Infinity, 3)], [0.5, 0]);
    near(logGamma(0.5), Math.log(Math.sqrt(Math.PI)), 1e-10);
    near(logGamma(10), Math.log(362_880), 1e-10);
  });
});

describe('fitLogModel', () => {
  test('removes what all rows of a group share, even if groups are missing', () => {
    const groups = [0, 0.3, -0.2, 0.5];
    const rows = [1, 2, 3].map((level) => rowOf(groups.map((effect) => level + effect)));
    rows[1].delete(3);
    const model = fitLogModel(rows);
    near(differenceOf(model, 1, 0).difference, 1, 1e-8);
    near(differenceOf(model, 2, 0).standardError, 0, 1e-8);
    assert.ok(computeLevel(model, 0).standardError > 0.1, 'the level itself is as uncertain as its groups');
  });

  test('does not follow a single wild launch', () => {
    const noise = noiseFrom(3);
    const values = Array.from({ length: 4 }, () => Array.from({ length: 6 }, () => 0.02 * noise.normal()));
    const calm = differenceOf(fitLogModel(values.map(rowOf)), 0, 1);
    values[1][4] -= 0.6;
    const wild = differenceOf(fitLogModel(values.map(rowOf)), 0, 1);
    assert.ok(Math.abs(wild.difference - calm.difference) < 0.06, `${wild.difference}`);
    const others = differenceOf(fitLogModel(values.map(rowOf)), 0, 2);
    assert.ok(others.standardError < 0.03, `${others.standardError}`);
  });

  test('solves the equations of Huber’s proposal 2 for a row alone', () => {
    const values = [0, 0.1, -0.05, 0.07, 1.2, -0.12, 0.03];
    const n = values.length;
    const model = fitLogModel([rowOf(values)]);
    const [{ level, weights, spread }] = model.rows;
    const unclipped = [...weights.values()].filter((weight) => weight === 1).length / n;
    assert.equal(unclipped, 5 / 7);
    const variance = spread.variance / (1 + (1 - unclipped) / unclipped / n) ** 2; // without the factor for few values
    const clippedAt = (/** @type {number} */ most) =>
      values.map((value) => Math.max(-most, Math.min(most, value - level)));
    near(sum(clippedAt(1.345 * Math.sqrt(variance))), 0, 1e-4);
    const squares = clippedAt(1.345 * Math.sqrt((variance * (n - 1)) / n)).map((value) => value ** 2);
    near(sum(squares) / (n - 1) / variance, 0.7101, 1e-4);
    near(computeLevel(model, 0).standardError, Math.sqrt(spread.variance / sum(weights.values())), 1e-12);
  });

  test('shrinks the noise of rows towards the prior that fits them and what is known best', () => {
    const signs = [1, -1, 1, -1, 1, -1, 1];
    const degrees = 3; // of two rows that share seven groups
    for (const knownVariance of [0.001, 0.01, 1]) {
      const expected = { variance: knownVariance, degrees: 4 };
      const rows = [signs.map((sign) => 0.1 * sign), signs.map((sign) => -0.1 * sign)].map(rowOf);
      const { spread } = fitLogModel(rows, [expected, expected]).rows[0];
      const variance = sum(signs.map((sign) => (0.1 * (sign - 1 / 7)) ** 2)) / degrees / 0.7101;
      const priorDegrees = spread.degrees - degrees;
      const priorVariance = (spread.variance * spread.degrees - degrees * variance) / priorDegrees;
      /** The logarithm of the density of an F distribution, and of the hyperprior. @param {number} d0 @param {number} s0 */
      const likelihood = (d0, s0) =>
        [{ variance, degrees }, { variance, degrees }, expected]
          .map(({ variance: of, degrees: d }) => {
            const ratio = (d * of) / (d0 * s0);
            const half = (d + d0) / 2;
            return logGamma(half) - logGamma(d0 / 2) + (d / 2) * Math.log(ratio) - half * Math.log(1 + ratio);
          })
          .reduce((total, one) => total + one) -
        Math.log(d0 / 3) ** 2 / 2;
      const found = likelihood(priorDegrees, priorVariance);
      for (const factor of [0.97, 1.03])
        assert.ok(found > likelihood(priorDegrees, factor * priorVariance), `${knownVariance}`);
      for (const factor of [0.5, 2]) assert.ok(found > likelihood(factor * priorDegrees, priorVariance));
    }
  });

  test('estimates the noise of a row better with other rows, but not as well as with their launches', () => {
    const noise = noiseFrom(4);
    const rows = Array.from({ length: 9 }, () => rowOf([0, 0, 0].map(() => 0.05 * noise.normal())));
    const alone = differenceOf(fitLogModel(rows.slice(0, 2)), 0, 1);
    const beside = differenceOf(fitLogModel(rows), 0, 1);
    near(alone.degrees, 2, 1e-9);
    assert.ok(beside.degrees > 3 && beside.degrees <= 16, `${beside.degrees}`);
  });

  test('estimates the noise of two rows by both', () => {
    const model = fitLogModel(
      [
        [0, 0.1, 0.2, -0.1, 0.05],
        [0.3, 0.35, 0.6, 0.15, 0.4],
      ].map(rowOf),
    );
    near(model.sharedDegrees, 4, 1e-9); // a row alone has 2
    for (const row of [0, 1]) near(levelSpread(model, row).degrees, 4, 1e-9);
  });

  test('leaves the noise of rows as it is beside a row of one launch, which has none', () => {
    const noise = noiseFrom(6);
    const rows = Array.from({ length: 5 }, (_, row) =>
      rowOf([0, 0, 0].map(() => 0.05 * (1 + row) * noise.normal())),
    );
    const [alone, beside] = [rows, [...rows, rowOf([0])]].map((all) => differenceOf(fitLogModel(all), 4, 0));
    near(beside.standardError, alone.standardError, 1e-3);
    near(beside.degrees, alone.degrees, 0.01);
  });

  test('uses known noise of a row as the prior', () => {
    const noise = noiseFrom(6);
    const rows = Array.from({ length: 5 }, () => rowOf([0, 0, 0].map(() => 0.05 * noise.normal())));
    const known = rows.map((_, row) => ({ variance: (row === 4 ? 0.15 : 0.05) ** 2, degrees: 4 }));
    const widthOf = (/** @type {ReturnType<typeof fitLogModel>} */ model) =>
      differenceOf(model, 4, 0).standardError / differenceOf(model, 3, 0).standardError;
    assert.ok(widthOf(fitLogModel(rows, known)) > 1.2 * widthOf(fitLogModel(rows)));
    // Rows that show no noise have what is known.
    const exact = fitLogModel([rowOf([0, 0.1]), rowOf([0.3, 0.4])], known.slice(0, 2));
    assert.ok(differenceOf(exact, 1, 0).standardError > 0.01);
    // A row of one launch has none, and leaves that of the others.
    const loud = rows.map(() => ({ variance: 0.5 ** 2, degrees: 4 }));
    const beside = fitLogModel([...rows, rowOf([0])], [...loud, loud[0]]);
    assert.ok(differenceOf(beside, 3, 0).standardError < 0.2);
    // A single group has no information on the noise.
    const once = fitLogModel(
      rows.map((row) => rowOf([Number(row.get(0))])),
      known,
    );
    near(differenceOf(once, 4, 0).standardError, Math.hypot(0.15, 0.05), 1e-9);
    near(differenceOf(once, 3, 0).standardError, Math.hypot(0.05, 0.05), 1e-9);
    near(computeLevel(once, 4).standardError, 0.15, 1e-9);
  });

  test('keeps the noise of rows that are as noisy as is known', () => {
    const noise = noiseFrom(7);
    const rows = Array.from({ length: 9 }, (_, row) =>
      rowOf(Array.from({ length: 6 }, () => (row === 8 ? 0.15 : 0.05) * noise.normal())),
    );
    const known = rows.map((_, row) => ({ variance: (row === 8 ? 0.15 : 0.05) ** 2, degrees: 4 }));
    const [quiet, noisy] = [0, 8].map((row) => Math.sqrt(fitLogModel(rows, known).rows[row].spread.variance));
    near(quiet, 0.05, 0.02);
    near(noisy, 0.15, 0.05);
  });

  test('counts the degrees of freedom that levels and group effects leave', () => {
    const noise = noiseFrom(8);
    // Three groups, each with the reference and three rows of its own, as in a table of many rows.
    const tableOf = (/** @type {number} */ repetitions) =>
      Array.from(
        { length: 10 },
        (_, row) =>
          new Map(
            Array.from({ length: 3 * repetitions }, (__, group) => group)
              .filter((group) => row === 0 || group % 3 === row % 3)
              .map((group) => [group, 0.1 * noise.normal()]),
          ),
      );
    const expected = Array.from({ length: 10 }, () => ({ variance: 0.15 ** 2, degrees: 4 }));
    // Four rows and a group leave nothing of one launch per row, and the noise is what is known from elsewhere.
    const once = tableOf(1);
    for (const row of [1, 2, 3])
      near(differenceOf(fitLogModel(once, expected), row, 0).standardError, Math.hypot(0.15, 0.15), 1e-9);
    assert.equal(makeEstimate(differenceOf(fitLogModel(once), 1, 0), 1, 1).level, null);
    // The level of the reference is known by its own three launches, in which noise and group effects are one.
    const own = [...once[0].values()];
    const mean = own.reduce((total, value) => total + value) / 3;
    const variance = own.reduce((total, value) => total + (value - mean) ** 2, 0) / 2;
    const level = computeLevel(fitLogModel(once), 0);
    near(level.standardError, Math.sqrt(variance / 3), 1e-6);
    assert.equal(level.degrees, 2);
    const pair = fitLogModel([rowOf([0, 0.2]), new Map([[0, 1]]), new Map([[1, 1]])]);
    const { standardError, degrees } = computeLevel(pair, 0);
    near(standardError, 0.1, 1e-9);
    assert.equal(degrees, 1);
    const ofBoth = computeMeanLevel(fitLogModel(once), [0, 1]);
    near(ofBoth.standardError, Math.sqrt(variance), 1e-6); // as of the one launch of the other row
    near(fitLogModel(tableOf(2)).sharedDegrees, 24 - (10 + 6 - 1), 1e-6);
    // A further launch of one row connects two groups, and leaves one degree.
    once[1].set(0, 0.05);
    near(fitLogModel(once).sharedDegrees, 1, 1e-6);
    // Groups without a common row have a level of their own.
    const apart = [rowOf([0.1, 0.2, 0.4]), rowOf([0.2, 0.2, 0.1])];
    const others = apart.map((row) => new Map([...row].map(([group, value]) => [group + 10, value])));
    near(fitLogModel([...apart, ...others]).sharedDegrees, 4, 1e-6);
  });

  test('fits levels and group effects to each other, with less weight for noisy rows, but not more for quiet ones', () => {
    const noise = noiseFrom(2);
    const groups = [0.5, -0.2, 0.1, 0, -0.4, 0.3];
    const rows = [0.01, 0.02, 0.04, 0.1, 0.3].map((deviation, row) => {
      const values = rowOf(groups.map((effect) => row + effect + deviation * noise.normal()));
      values.delete(row);
      return values;
    });
    const model = fitLogModel(rows);
    const variances = model.rows.map(({ spread }) => spread.variance);
    const rowWeights = variances.map((variance) => Math.min(1, median(variances) / variance));
    assert.ok(rowWeights[0] === 1 && rowWeights[4] < 0.5, `${rowWeights}`);
    /** @param {[weight: number, value: number][]} terms */
    const meanOf = (terms) =>
      sum(terms.map(([weight, value]) => weight * value)) / sum(terms.map(([weight]) => weight));
    const effects = groups.map((_, group) =>
      meanOf(
        model.rows.flatMap(({ level, weights }, row) => {
          const value = rows[row].get(group);
          return value === undefined ? [] : [[rowWeights[row] * (weights.get(group) ?? 0), value - level]];
        }),
      ),
    );
    near(sum(effects), 0, 1e-4);
    for (const [row, { level, weights }] of model.rows.entries())
      near(
        level,
        meanOf([...rows[row]].map(([group, value]) => [weights.get(group) ?? 0, value - effects[group]])),
        1e-5,
      );
  });

  test('keeps a noisy row noisy beside quiet ones', () => {
    for (const quiet of [2, 3, 8]) {
      const noise = noiseFrom(5);
      const rows = Array.from({ length: quiet + 1 }, (_, row) =>
        rowOf(Array.from({ length: 6 }, () => (row === quiet ? 0.2 : 0.02) * noise.normal())),
      );
      const model = fitLogModel(rows);
      assert.ok(computeLevel(model, quiet).standardError > 2 * computeLevel(model, 0).standardError);
      const { standardError } = differenceOf(model, 0, 1);
      assert.ok(standardError < 0.03, `${standardError} beside ${quiet} quiet rows`);
    }
  });

  test('returns no interval of one launch, and one of equal launches', () => {
    const once = makeEstimate(computeLevel(fitLogModel([rowOf([1])]), 0), 1);
    assert.deepEqual([once.level, once.method], [null, 'range']);
    const equal = makeEstimate(computeLevel(fitLogModel([rowOf([0, 0, 0])]), 0), 3);
    assert.deepEqual([equal.low, equal.high, equal.level], [1, 1, 0.95]);
  });

  test('returns no interval that is wider than a factor of 100, alone or together with others', () => {
    const contrast = { difference: Math.log(577), standardError: 1.7, degrees: 1 };
    const wide = makeEstimate(contrast, 2);
    near(wide.estimate, 577, 1e-9);
    assert.deepEqual([wide.low, wide.high, wide.level], [wide.estimate, wide.estimate, null]);
    assert.equal(formatInterval(wide, ' µs'), '577 µs (unknown)');
    const known = { ...contrast, standardError: 0.05 };
    assert.equal(makeEstimate(known, 2).level, 0.95);
    const among = makeEstimate(known, 2, 2, 1_000);
    assert.equal(among.level, null);
    assert.match(formatRatioOf(among, 'the throughput of pipe/json'), /unknown/);
    const few = makeEstimate(known, 2, 2, 2).simultaneous ?? assert.fail();
    for (const end of [few.low, few.high]) near(computeP(known, Math.log(end)), 0.05 / 2, 1e-9);
  });

  test('compares two rows by shared groups, or through a third row', () => {
    const noise = noiseFrom(6);
    const rowIn = (/** @type {number[]} */ groups, level = 0) =>
      new Map(groups.map((group) => [group, level + group / 10 + 0.02 * noise.normal()]));
    const [first, second] = [
      [0, 1, 2],
      [10, 11, 12],
    ];
    const rows = [
      rowIn([...first, ...second]),
      rowIn(first, 1),
      rowIn(first),
      rowIn(second, 3),
      rowIn(second),
    ];
    const model = fitLogModel(rows);
    near(differenceOf(model, 3, 1).difference, 2, 0.1);
    const [one, other, both] = [compare(model, 1, 0), compare(model, 3, 0), compare(model, 3, 1)];
    assert.ok(one && other && both);
    assert.deepEqual([one.n, other.n, both.n], [3, 3, 3]);
    near(
      both.contrast.standardError,
      Math.hypot(one.contrast.standardError, other.contrast.standardError),
      1e-9,
    );
    assert.equal(compare(fitLogModel([rowIn(first), rowIn(second)]), 0, 1), null);
  });

  test('computes contrasts of several rows', () => {
    const rows = [0, 1, 2, 4].map((level) => rowOf([level, level + 0.01, level - 0.01]));
    const mean = new Map([
      [0, -0.5],
      [1, 0.5],
      [2, -0.5],
      [3, 0.5],
    ]);
    const model = fitLogModel(rows);
    const contrast = computeContrast(model, mean);
    near(contrast.difference, 1.5, 1e-9);
    const variances = [0, 1, 2, 3].map((row) => levelSpread(model, row).variance);
    near(contrast.standardError, Math.sqrt(sum(variances)) / 2, 1e-12);
  });

  test('adds the differences of the groups to the noise of a level, as Satterthwaite does', () => {
    for (const [groups, noise] of [
      [
        [0.3, -0.3, 0.2, -0.2],
        [0.1, 0.1, -0.1, -0.1],
      ],
      [
        [0.3, -0.3],
        [0.1, -0.1],
      ],
    ]) {
      const count = groups.length;
      const model = fitLogModel(
        [1, -1].map((sign) => rowOf(groups.map((effect, at) => effect + sign * noise[at]))),
      );
      const { variance } = model.rows[0].spread;
      // A mean of two rows has half of their noise.
      const between = (sum(groups.map((effect) => effect ** 2)) / (count - 1) - variance / 2) / count;
      for (const [contrast, own] of /** @type {const} */ ([
        [computeLevel(model, 0), variance / count],
        [computeMeanLevel(model, [0, 1]), variance / count / 2],
      ])) {
        near(contrast.standardError, Math.sqrt(own + between), 1e-12);
        const terms = own ** 2 / model.sharedDegrees + between ** 2 / (count - 1);
        near(contrast.degrees, (own + between) ** 2 / terms, 1e-9);
      }
    }
  });
});

describe('computeP', () => {
  test('is two-sided, and agrees with the published table', () => {
    for (const [t, degrees, p] of [
      [2.571, 5, 0.05],
      [5.841, 3, 0.01],
      [1.812, 10, 0.1],
    ]) {
      for (const difference of [0.1 * t, -0.1 * t])
        near(computeP({ difference, standardError: 0.1, degrees }), p, 1e-4);
      near(computeP({ difference: 0.3 + 0.1 * t, standardError: 0.1, degrees }, 0.3), p, 1e-4);
    }
  });

  test('is 0 or 1 without noise', () => {
    const exact = { difference: 0.3, standardError: 0, degrees: 5 };
    assert.deepEqual([computeP(exact), computeP(exact, 0.3)], [0, 1]);
  });
});

describe('modelLaunches', () => {
  test('fits rows of one launch each, in groups that share only the reference', () => {
    const reference = [1.9, 17.4, 5.3, 2.9, 1.01].map((rate, group) => launchOf(group, rate));
    // A third of the rows is in the first group, as after a run that ended in its first repetition.
    const others = Array.from({ length: 44 }, (_, row) => [
      launchOf(row < 15 ? 0 : 1 + (row % 4), Math.exp(4 * Math.sin(12.9898 * row))),
    ]);
    const model = modelLaunches([reference, ...others], readRate);
    others.forEach(([{ group, values }], row) => {
      const ratio = model.ratioOf(row + 1, 0)?.estimate ?? Number.NaN;
      near(ratio / (Number(values.rate) / Number(reference[group].values.rate)), 1, 1e-6);
      assert.ok(Number.isFinite(model.valueOf(row + 1)?.estimate));
    });
  });

  const table = [
    [100, 120, 90].map((rate, group) => launchOf(group, rate)),
    [205, 230, 188].map((rate, group) => launchOf(group, rate)),
    [101, 119, 91].map((rate, group) => launchOf(group, rate)),
  ];

  test('returns ratios that are the quotients of the rates', () => {
    const model = modelLaunches(table, readRate);
    const [one, other] = [1, 0].map((row) => model.valueOf(row)?.estimate ?? 0);
    near(model.ratioOf(1, 0)?.estimate ?? 0, one / other, 1e-9);
  });

  test('returns simultaneous intervals that are wider than the printed ones', () => {
    const ratio = modelLaunches(table, readRate).ratioOf(1, 0, 8);
    assert.ok(
      ratio?.simultaneous && ratio.simultaneous.low < ratio.low && ratio.high < ratio.simultaneous.high,
    );
    const printed = { estimate: 1.1, low: 1.04, high: 1.17 };
    assert.equal(claimDirection(printed), 1);
    assert.equal(claimDirection({ ...printed, simultaneous: { low: 1.01, high: 1.2 } }), 0);
  });

  test('leaves out a row without a positive value, and returns no ratio of rows without a shared group', () => {
    const model = modelLaunches([...table, [launchOf(0, 0), launchOf(1, 5)], [launchOf(7, 100)]], readRate);
    assert.equal(model.valueOf(3), null);
    assert.equal(model.ratioOf(3, 0), null);
    assert.equal(model.ratioOf(4, 0), null);
    assert.notEqual(model.ratioOf(1, 0), null);
  });

  test('uses ratios of whole rates, and removes what all rows share in a round', () => {
    const shared = [100, 50, 102, 98, 101, 99, 100, 100];
    const own = [1, 1.01, 0.99, 1.02, 1, 0.98, 1, 1];
    const launchAt = (
      /** @type {number} */ group,
      /** @type {number} */ speed,
      /** @type {number[]} */ rounds,
    ) => {
      const rates = rounds.map((rate, round) => speed * rate * own[(round + group + speed) % own.length]);
      return launchOf(group, (10 * rates.reduce((sum, rate) => sum + rate)) / rates.length, slicesOf(rates));
    };
    const modelOf = (/** @type {number[]} */ rounds) =>
      modelLaunches(
        [[launchAt(0, 1, rounds)], [launchAt(0, 2, rounds)], [launchAt(0, 3, rounds)]],
        readRate,
        {
          isRate: true,
        },
      );
    const [uneven, even] = [shared, shared.map(() => 100)].map((rounds) => modelOf(rounds).ratioOf(1, 0));
    near(uneven?.estimate ?? 0, 2, 0.02);
    const widthOf = (/** @type {any} */ { low, high }) => Math.log(high / low);
    near(widthOf(uneven) / widthOf(even), 1, 0.1);
  });

  test('counts a stall in a single slice by its duration', () => {
    const slices = { rounds: [0, 1], operations: [1_000, 400], windowMs: [100, 400], cpuMs: [1, 1] };
    const launches = [0, 1].map((group) => launchOf(group, (1_400 * 1_000) / 500, slices));
    const steady = [0, 1].map((group) => launchOf(group, 10_000, slicesOf([1_000, 1_000])));
    near(
      modelLaunches([steady, launches], readRate, { isRate: true }).ratioOf(1, 0)?.estimate ?? 0,
      0.28,
      1e-9,
    );
  });

  test('narrows intervals by slices, with two groups of two rows', () => {
    const rows = [1, 1.5].map((speed) =>
      [1, 1.04].map((drift, group) =>
        launchOf(
          group,
          1_000 * speed * drift ** speed,
          slicesOf([100, 101, 99, 100].map((rate) => rate * speed * drift ** speed)),
        ),
      ),
    );
    const width = (/** @type {boolean} */ isRate) => {
      const { low, high } = modelLaunches(rows, readRate, { isRate }).ratioOf(1, 0) ?? assert.fail();
      return Math.log(high / low);
    };
    assert.ok(width(true) < width(false) / 2, `${width(true)}, ${width(false)}`);
  });

  test('returns an interval of a single group by its slices, and none of a single window', () => {
    const noise = noiseFrom(5);
    const rates = (/** @type {number} */ level) =>
      Array.from({ length: 6 }, () => Math.round(level * Math.exp(0.1 * noise.normal())));
    const rows = [1_000, 1_500, 500].map((level) => [launchOf(0, 10 * level, slicesOf(rates(level)))]);
    const ratio = modelLaunches(rows, readRate, { isRate: true }).ratioOf(1, 0, 2);
    assert.ok(ratio !== null && ratio.level === 0.95 && ratio.n === 1);
    assert.ok(ratio.low < 1.5 && ratio.high > 1.5 && ratio.high / ratio.low < 1.6);
    // What a fresh process adds is not seen in a single group, and is in the interval all the same.
    assert.ok(ratio.high / ratio.low > Math.exp(2 * 1.96 * Math.SQRT2 * 0.03));
    const windows = [1_000, 1_500].map((rate) => [launchOf(0, rate)]);
    assert.equal(modelLaunches(windows, readRate, { isRate: true }).ratioOf(1, 0)?.level, null);
  });

  test('returns ratios of a single launch per row as uncertain as its slices, in any number of groups', () => {
    const noise = noiseFrom(9);
    const launchIn = (/** @type {number} */ group) => {
      const rates = Array.from({ length: 6 }, () => Math.round(1_000 * Math.exp(0.1 * noise.normal())));
      return launchOf(group, (10 * rates.reduce((sum, rate) => sum + rate)) / rates.length, slicesOf(rates));
    };
    const groups = [0, 1, 2];
    const rows = [groups.map(launchIn), ...groups.flatMap((group) => [[launchIn(group)], [launchIn(group)]])];
    const model = modelLaunches(rows, readRate, { isRate: true });
    const ratios = rows.slice(1).map((_, row) => model.ratioOf(row + 1, 0) ?? assert.fail());
    for (const { low, high } of ratios)
      assert.ok(high / low > 1.1 && high / low < 2 && low < 1.05 && high > 0.95, `${low}, ${high}`);
    assert.equal(modelLaunches(rows, readRate).ratioOf(1, 0)?.level, null);
  });

  test('has the effect of a round on the rate, relative to the rate of all slices', () => {
    const slices = { rounds: [0, 0, 1], operations: [10, 10, 40], windowMs: [10, 10, 20] };
    // 60 operations in 40 ms; the rounds have 20 ms each, so that 30 operations are expected of each.
    assert.deepEqual(
      [...roundLevels(slices)],
      [
        [0, -1 / 3],
        [1, 1 / 3],
      ],
    );
  });

  test('expects of a single launch the spread of its slices and that of processes, with the degrees of the sum', () => {
    const processes = expectedSpreads([[{ variance: 0, degrees: 5 }]], true)?.[0] ?? assert.fail();
    const { variance, degrees } = processes;
    assert.deepEqual(expectedSpreads([[{ variance: 0, degrees: 5 }]], false), [{ variance, degrees }]);
    const sums = expectedSpreads([[{ variance, degrees }], []], true);
    for (const sum of sums ?? assert.fail()) {
      near(sum.variance, 2 * variance, 1e-12);
      near(sum.degrees, 2 * degrees, 1e-9); // of two equal variances
    }
    assert.equal(expectedSpreads([[], []], true), null);
  });

  test('merges several slices of one round', () => {
    const twice = slicesOf([800, 1_200, 900, 1_100], [0, 0, 1, 1]);
    const once = slicesOf([1_000, 1_000], [0, 1]);
    const rows = [twice, once].map((slices) => [launchOf(0, 10_000, slices)]);
    near(modelLaunches(rows, readRate, { isRate: true }).ratioOf(1, 0)?.estimate ?? 0, 1, 1e-9);
  });

  test('takes a launch without a finished slice as one that was not measured in slices', () => {
    const ratioWith = (/** @type {Slices | undefined} */ slices) =>
      modelLaunches(
        [
          [0, 1].map((group) => launchOf(group, 10_000, slicesOf([1_000, 1_010]))),
          [launchOf(0, 20_000, slicesOf([2_000, 2_010])), launchOf(1, 20_100, slices)],
        ],
        readRate,
        { isRate: true },
      ).ratioOf(1, 0);
    assert.ok(Number.isFinite(ratioWith(undefined)?.high));
    assert.deepEqual(ratioWith(slicesOf([])), ratioWith(undefined));
  });

  test('returns a level although no operation ended in one slice', () => {
    const rows = [0, 1].map(() => [0, 1].map((group) => launchOf(group, 5, slicesOf([1, 0, 1]))));
    const ratio = modelLaunches(rows, readRate, { isRate: true }).ratioOf(1, 0);
    near(ratio?.estimate ?? 0, 1, 1e-9);
  });
});
