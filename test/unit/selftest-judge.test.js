// What a self-test makes of known rates, and what it says of them.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { judgedRates, selftestText, unfitReason } from '../../lib/cli/selftest.js';
import { detectableRatio, pairedTest } from '../../lib/statistics/ratio.js';
import { shareInterval } from '../../lib/statistics/share.js';
import { IS_LONG } from '../conformance/long-form.js';
import { buildEstimate } from '../fixtures/build-results.js';
import { noiseFrom } from '../fixtures/noise.js';

const GROUPS = 60;
const EXPECTED_TEXT = `unix/json, 1,200 groups of two launches of the same and one that is slowed

The cell against itself, interleaved as compare --run measures: 1.01× (0.98–1.04), NOT SHOWN to be the same within 10 %
False positives of two runs of 10 launches one after the other, as saved runs are: 4.9 % (95 %: 3.0 %–8.0 %; the test promises 5.0 %), 2 comparisons that do not overlap
Least difference found four times of five: nothing with 6 groups, 12 % with 10 groups, 2.40× with 20 groups
Slowed by 5.0 µs per round trip in the master, which makes about 0.91×: NOT FOUND, 0.91× (0.89–0.93), slower
`;

/** @param {{ seed?: number, launchNoise: number, drift?: number }} machine */
function ratesOf({ seed = 1, launchNoise, drift = 0 }) {
  const noise = noiseFrom(seed);
  const rates = {
    one: /** @type {number[]} */ ([]),
    other: /** @type {number[]} */ ([]),
    slowed: /** @type {number[]} */ ([]),
  };
  for (let group = 0; group < GROUPS; group++) {
    const level = 20_000 * Math.exp((drift * group) / GROUPS);
    const rate = () => level * Math.exp(launchNoise * noise.normal());
    rates.one.push(rate());
    rates.other.push(rate());
    rates.slowed.push(rate() / 1.1);
  }
  return rates;
}

describe('the judgement of a self-test', () => {
  it('finds a known difference of 10 % on a quiet machine, and none between equal sides', () => {
    const judgement = judgedRates(ratesOf({ launchNoise: 0.03, seed: 2 }), 0.1);
    const { sameCell, knownDifference, detectable } = judgement;
    assert.equal(knownDifference.isFound, true);
    assert.equal(knownDifference.verdict, 'slower');
    assert.ok(knownDifference.ratio.low < 1 / 1.1 && 1 / 1.1 < knownDifference.ratio.high);
    assert.equal(sameCell.isSame, true);
    assert.match(
      selftestText(judgement, { cell: 'unix/json', delayUs: 5 }),
      /against itself.*, the same within 10 %$/m,
    );
    assert.deepEqual(
      detectable.map(({ groups }) => groups),
      [6, 10, 20, 40],
    );
    const ratios = detectable.map(({ ratio }) => Number(ratio));
    assert.deepEqual(
      ratios,
      ratios.toSorted((left, right) => right - left),
      'more groups find less',
    );
    assert.equal(unfitReason(judgement), null);
  });

  it('shows the effect of drift on separate runs, and none on interleaved ones', () => {
    const { falsePositives, sameCell } = judgedRates(ratesOf({ launchNoise: 0.02, drift: 0.5 }), 0.1);
    assert.equal(sameCell.isSame, true);
    assert.ok(Number(falsePositives.separate?.share) > 0.8);
  });

  for (const [speed, launchNoise] of [
    [0.5, 0.3],
    [0.97, 0.02],
  ]) {
    it(`reports unreliable comparisons if one of two equal sides runs at ${speed} of its speed, with a noise of ${launchNoise}`, () => {
      const rates = ratesOf({ launchNoise, seed: 4 });
      const judgement = judgedRates({ ...rates, other: rates.other.map((rate) => speed * rate) }, 0.1);
      assert.equal(judgement.sameCell.isSame, false);
      assert.match(
        unfitReason(judgement) ?? '',
        /a cell differs from itself, measured twice in each group: 0\.\d+× /,
      );
    });
  }

  it('reports unreliable comparisons if launches vary too much to show that equal sides are equal', () => {
    const judgement = judgedRates(ratesOf({ launchNoise: 0.8, seed: 3 }), 0.1);
    assert.equal(judgement.knownDifference.isFound, false);
    assert.match(
      unfitReason(judgement) ?? '',
      /a cell compared with itself is not the same within 10 %; a slowdown of 10 % was not detected/,
    );
    assert.match(
      selftestText(judgement, { cell: 'unix/json', delayUs: 5 }),
      /NOT SHOWN to be the same within 10 %/,
    );
  });

  it('passes nearly every quiet machine', () => {
    const machines = IS_LONG ? 100 : 5;
    const unfit = Array.from({ length: machines }, (_, seed) =>
      unfitReason(judgedRates(ratesOf({ launchNoise: 0.05, seed: 100 + seed }), 0.1)),
    ).filter((why) => why !== null);
    assert.ok(unfit.length <= 0.03 * machines, unfit.join('\n'));
  });

  it('returns no rate of separate runs with too few launches', () => {
    const { one, other, slowed } = ratesOf({ launchNoise: 0.03 });
    const few = judgedRates(
      { one: one.slice(0, 12), other: other.slice(0, 12), slowed: slowed.slice(0, 12) },
      0.1,
    );
    assert.equal(few.falsePositives.separate, null);
    assert.match(selftestText(few, { cell: 'unix/json', delayUs: 5 }), /too few groups to tell/);
  });

  it('counts a cell as equal only within 10 % on both sides', () => {
    const one = Array.from({ length: 12 }, (_, group) => 1_000 * (1 + (group % 3) / 1_000));
    const isSameAt = (/** @type {number} */ ratio) => {
      // Half of the pairs lie on the other side of 1, so that the test finds no difference.
      const other = one.map((rate, group) => rate * (group % 2 === 0 ? ratio : 1 / ratio));
      return judgedRates({ one, other, slowed: one }, 0.1).sameCell.isSame;
    };
    assert.deepEqual([1.05, 1.1, 1.2, 1.3].map(isSameAt), [true, true, false, false]);
  });

  it('computes the least difference from the launches if it draws all of them', () => {
    const { one, other, slowed } = ratesOf({ launchNoise: 0.1 });
    const six = judgedRates(
      { one: one.slice(0, 6), other: other.slice(0, 6), slowed: slowed.slice(0, 6) },
      0.25,
    );
    const [{ groups, ratio }, ...more] = six.detectable;
    assert.deepEqual([groups, more, six.groups], [6, [], 6]);
    const expected = Number(detectableRatio(pairedTest({ old: one.slice(0, 6), new: other.slice(0, 6) })));
    assert.ok(Math.abs(Number(ratio) - expected) < 1e-9);
    assert.deepEqual(six.falsePositives, { groups: 6, separate: null });
    assert.equal(six.knownDifference.expectedRatio, 0.8);
  });

  it('counts stretches of ten launches that do not overlap, on both sides', () => {
    const flat = Array.from({ length: 59 }, () => 1_000);
    const climbing = flat.map((rate, group) => rate + group);
    const { groups, separate } = judgedRates(
      { one: climbing, other: flat, slowed: flat },
      0.1,
    ).falsePositives;
    assert.equal(groups, 10);
    assert.deepEqual([separate?.share, separate?.comparisons], [0.5, 4]);
    assert.equal(separate?.promised, 0.05);
  });

  it('prints sentences, with what to do if comparisons cannot be trusted', () => {
    const judgement = /** @type {import('../../lib/cli/selftest.js').JudgedRates} */ ({
      groups: 1_200,
      sameCell: { ratio: buildEstimate(1.01, 0.98, 1.04), p: 0.04, within: 0.1, isSame: false },
      falsePositives: {
        groups: 10,
        separate: { share: 0.049, low: 0.03, high: 0.08, level: 0.95, promised: 0.05, comparisons: 2 },
      },
      detectable: [
        { groups: 6, ratio: null },
        { groups: 10, ratio: 1.12 },
        { groups: 20, ratio: 2.4 },
      ],
      knownDifference: {
        expectedRatio: 1 / 1.1,
        ratio: buildEstimate(0.91, 0.89, 0.93),
        p: 0.001,
        verdict: 'slower',
        isFound: false,
      },
    });
    assert.equal(selftestText(judgement, { cell: 'unix/json', delayUs: 5.04 }), EXPECTED_TEXT);
    const { sameCell } = judgement;
    const why = (/** @type {object} */ same) =>
      unfitReason({ ...judgement, sameCell: { ...sameCell, ...same } }) ?? '';
    const unknown = 'a slowdown of 10 % was not detected';
    const next = 'Stop other programs, run ipc-bench doctor, and try again.';
    const start = 'Comparisons on this machine are not reliable at the moment';
    assert.equal(why({ isSame: true }), `${start}: ${unknown}. ${next}`);
    for (const p of [0.05, 0.04]) assert.match(why({ p }), /: a cell differs from itself, .*; a slowdown/);
    for (const p of [0.051, null]) {
      const notSame = 'a cell compared with itself is not the same within 10 %';
      assert.equal(why({ p }), `${start}: ${notSame}; ${unknown}. ${next}`);
    }
  });
});

describe('the interval of a share', () => {
  it('returns Wilson’s interval of a share', () => {
    const { low, high } = shareInterval(0.05, 1_000);
    assert.deepEqual([low.toFixed(4), high.toFixed(4)], ['0.0381', '0.0653']);
    assert.equal(shareInterval(0, 8).low, 0);
    assert.ok(shareInterval(0, 8).high > 0.3);
    assert.equal(shareInterval(1, 8).high, 1);
    assert.deepEqual([shareInterval(0.5, 10).share, shareInterval(0.5, 10).level], [0.5, 0.95]);
  });
});
