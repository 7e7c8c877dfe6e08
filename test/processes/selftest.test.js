// selftest: what it makes of known rates, and that the command measures what it says.

import assert from 'node:assert/strict';
import { Writable } from 'node:stream';
import { describe, it } from 'node:test';
import { selftest } from '../../lib/cli/selftest.js';
import { judgedRates } from '../../lib/selftest/selftest-judge.js';
import { selftestText, whyUnfit } from '../../lib/selftest/selftest-words.js';
import { seededRandom, seedFrom, shuffled } from '../../lib/statistics/random.js';
import { shareInterval } from '../../lib/statistics/share.js';
import { IS_LONG } from '../conformance/long-form.js';
import { noiseFrom } from '../fixtures/noise.js';
import { simulatedLauncher } from '../fixtures/simulated-launcher.js';

const BLOCKS = 60;
const EFFORT = { leastBlocks: 12, maxTimeMs: 1_000, warmup: '20ms', measure: '60ms', seed: 1 };
const PILOTS = 3;
const SIDES = ['one', 'other', 'slowed'];

/** @param {{ seed?: number, launchNoise: number, drift?: number }} machine */
function ratesOf({ seed = 1, launchNoise, drift = 0 }) {
  const noise = noiseFrom(seed);
  const rates = {
    one: /** @type {number[]} */ ([]),
    other: /** @type {number[]} */ ([]),
    slowed: /** @type {number[]} */ ([]),
  };
  for (let block = 0; block < BLOCKS; block++) {
    const level = 20_000 * Math.exp((drift * block) / BLOCKS);
    const rate = () => level * Math.exp(launchNoise * noise.normal());
    rates.one.push(rate());
    rates.other.push(rate());
    rates.slowed.push(rate() / 1.1);
  }
  return rates;
}

describe('a self-test', () => {
  it('finds a known difference of 10 % on a quiet machine, and none between two sides of one cell', () => {
    const judgement = judgedRates(ratesOf({ launchNoise: 0.03, seed: 2 }), 0.1);
    const { sameCell, knownDifference, detectable } = judgement;
    assert.equal(knownDifference.isFound, true);
    assert.ok(knownDifference.ratio.low < 1 / 1.1 && 1 / 1.1 < knownDifference.ratio.high);
    assert.equal(sameCell.isSame, true);
    assert.match(
      selftestText(judgement, { cell: 'unix/json', delayUs: 5 }),
      /against itself.*, the same within 10 %$/m,
    );
    assert.deepEqual(
      detectable.map(({ blocks }) => blocks),
      [6, 10, 20, 40],
    );
    const ratios = detectable.map(({ ratio }) => Number(ratio));
    assert.deepEqual(
      ratios,
      ratios.toSorted((left, right) => right - left),
      'more blocks find less',
    );
    assert.equal(whyUnfit(judgement), null);
  });

  it('shows what drift makes of runs that are not interleaved, and nothing of those that are', () => {
    const { falsePositives, sameCell } = judgedRates(ratesOf({ launchNoise: 0.02, drift: 0.5 }), 0.1);
    assert.equal(sameCell.isSame, true);
    assert.ok(Number(falsePositives.separate?.share) > 0.8);
  });

  for (const [speed, launchNoise] of [
    [0.5, 0.03],
    [0.5, 0.3],
    [0.9, 0.05],
    [0.97, 0.02],
  ]) {
    it(`says that comparisons are not to be trusted where one of two equal sides runs at ${speed} of its speed, with a noise of ${launchNoise}`, () => {
      const rates = ratesOf({ launchNoise, seed: 4 });
      const judgement = judgedRates({ ...rates, other: rates.other.map((rate) => speed * rate) }, 0.1);
      assert.equal(judgement.sameCell.isSame, false);
      assert.match(
        whyUnfit(judgement) ?? '',
        /a cell differs from itself, measured twice in each block: 0\.\d+× /,
      );
    });
  }

  it('says so as well where the launches differ too much to show that a cell is as fast as itself', () => {
    const judgement = judgedRates(ratesOf({ launchNoise: 0.8, seed: 3 }), 0.1);
    assert.match(whyUnfit(judgement) ?? '', /a cell cannot be shown to be as fast as itself within 10 %/);
    assert.match(
      selftestText(judgement, { cell: 'unix/json', delayUs: 5 }),
      /NOT SHOWN to be the same within 10 %/,
    );
  });

  it('passes nearly every quiet machine', () => {
    const unfit = Array.from({ length: 100 }, (_, seed) =>
      whyUnfit(judgedRates(ratesOf({ launchNoise: 0.05, seed: 100 + seed }), 0.1)),
    ).filter((why) => why !== null);
    assert.ok(unfit.length <= 3, unfit.join('\n'));
  });

  it('says that a noisy machine cannot tell 10 %', () => {
    const judgement = judgedRates(ratesOf({ launchNoise: 0.8, seed: 3 }), 0.1);
    assert.equal(judgement.knownDifference.isFound, false);
    assert.match(whyUnfit(judgement) ?? '', /10 % longer was not told/);
    assert.match(selftestText(judgement, { cell: 'unix/json', delayUs: 5 }), /NOT FOUND/);
  });

  it('gives no rate of separate runs where there are too few launches for one', () => {
    const { one, other, slowed } = ratesOf({ launchNoise: 0.03 });
    const few = judgedRates(
      { one: one.slice(0, 12), other: other.slice(0, 12), slowed: slowed.slice(0, 12) },
      0.1,
    );
    assert.equal(few.falsePositives.separate, null);
    assert.match(selftestText(few, { cell: 'unix/json', delayUs: 5 }), /too few blocks to tell/);
  });

  /**
   * @param {import('../../lib/cli/main.js').Host['launch']} launch
   * @returns {Promise<{ code: number, document: any }>}
   */
  async function ran(launch) {
    let text = '';
    const stdout = new Writable({
      write(chunk, _encoding, done) {
        text += chunk;
        done();
      },
    });
    const host = { stdout, stderr: new Writable(), environment: {}, exitNow() {}, launch };
    const code = await selftest({ json: true, quiet: true, lock: 'ignore' }, host, EFFORT);
    return { code, document: JSON.parse(text) };
  }

  it('measures the same cell twice and a slowed one in each block', async () => {
    // What slows the other cell is met with real processes in compare-run.test.js, too.
    const { code, document } = await ran(IS_LONG ? undefined : simulatedLauncher());
    assert.equal(document.kind, 'selftest');
    assert.equal(code, document.isFit ? 0 : 6);
    assert.ok(document.blocks >= EFFORT.leastBlocks); // simulated launches leave time for more
    assert.ok(document.delayUs > 0);
    assert.equal(document.knownDifference.ratio.n, document.blocks);
    assert.match(document.cell, /^unix\/json round-trip 2x4 1000 B/);
  });

  for (const [speed, expected] of [
    [1, 0],
    [0.5, 6],
    [0.9, 6],
  ]) {
    it(`ends with exit code ${expected} where the second side of the same cell runs at ${speed} of its speed`, async () => {
      const speedOf = (/** @type {unknown} */ _assignment, /** @type {number} */ index) => {
        const launches = index - PILOTS;
        if (launches < 0) return 1;
        const random = seededRandom(seedFrom(EFFORT.seed, 'block', Math.floor(launches / SIDES.length)));
        return shuffled(SIDES, random)[launches % SIDES.length] === 'other' ? speed : 1;
      };
      const { code, document } = await ran(simulatedLauncher(undefined, undefined, speedOf));
      assert.ok(
        Math.abs(document.sameCell.ratio.estimate / speed - 1) < 0.05,
        document.sameCell.ratio.estimate,
      );
      assert.equal(document.knownDifference.isFound, true);
      assert.equal(code, expected, document.why);
    });
  }
});

describe('the interval of a share', () => {
  it('is Wilson’s', () => {
    const { low, high } = shareInterval(0.05, 1_000);
    assert.deepEqual([low.toFixed(4), high.toFixed(4)], ['0.0381', '0.0653']);
    assert.equal(shareInterval(0, 8).low, 0);
    assert.ok(shareInterval(0, 8).high > 0.3);
  });
});
