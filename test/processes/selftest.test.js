// selftest: what it makes of known rates, and that the command measures what it says.

import assert from 'node:assert/strict';
import { Writable } from 'node:stream';
import { describe, it } from 'node:test';
import { selftest } from '../../lib/cli/selftest.js';
import { judgedRates } from '../../lib/selftest/selftest-judge.js';
import { selftestText, whyUnfit } from '../../lib/selftest/selftest-words.js';
import { shareInterval } from '../../lib/statistics/share.js';
import { IS_LONG } from '../conformance/long-form.js';
import { noiseFrom } from '../fixtures/noise.js';
import { simulatedLauncher } from '../fixtures/simulated-launcher.js';

const BLOCKS = 60;

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
  it('finds a known difference of 10 % on a quiet machine, and about as many false positives as are promised', () => {
    const judgement = judgedRates(ratesOf({ launchNoise: 0.03, seed: 2 }), 0.1);
    const { falsePositives, knownDifference, detectable } = judgement;
    assert.equal(knownDifference.isFound, true);
    assert.ok(knownDifference.ratio.low < 1 / 1.1 && 1 / 1.1 < knownDifference.ratio.high);
    const { share, promised } = falsePositives.interleaved;
    assert.ok(Math.abs(share - Number(promised)) < 0.02, `${share}`);
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
    const { falsePositives } = judgedRates(ratesOf({ launchNoise: 0.02, drift: 0.5 }), 0.1);
    assert.ok(falsePositives.interleaved.share <= 0.07);
    assert.ok(Number(falsePositives.separate?.share) > 0.8);
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

  it('measures the same cell twice and a slowed one in each block', async () => {
    let text = '';
    const stdout = new Writable({
      write(chunk, _encoding, done) {
        text += chunk;
        done();
      },
    });
    // What slows the other cell is met with real processes in compare-run.test.js, too.
    const launch = IS_LONG ? undefined : simulatedLauncher();
    const host = { stdout, stderr: new Writable(), environment: {}, exitNow() {}, launch };
    const effort = { leastBlocks: 6, maxTimeMs: 1_000, warmup: '20ms', measure: '60ms' };
    const code = await selftest({ json: true, quiet: true, lock: 'ignore' }, host, effort);
    const document = JSON.parse(text);
    assert.equal(document.kind, 'selftest');
    assert.equal(code, document.isFit ? 0 : 6);
    assert.ok(document.blocks >= effort.leastBlocks); // simulated launches leave time for more
    assert.ok(document.delayUs > 0);
    assert.equal(document.knownDifference.ratio.n, document.blocks);
    assert.match(document.cell, /^unix\/json round-trip 1x1 1000 B/);
  });
});

describe('the interval of a share', () => {
  it('is Wilson’s', () => {
    const { low, high } = shareInterval(0.05, 1_000);
    assert.deepEqual([low.toFixed(4), high.toFixed(4)], ['0.0381', '0.0653']);
    assert.equal(shareInterval(0, 8).low, 0);
    assert.ok(shareInterval(0, 8).high > 0.3);
  });
});
