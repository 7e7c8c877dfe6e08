// When an adaptive run ends, and that its rule makes few false positives.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { runLengthLines } from '../../lib/report/text/run-words.js';
import { launchesText } from '../../lib/report/text/surroundings.js';
import {
  findReferenceEntry,
  halfWidth,
  judgeRatio,
  knownRatios,
  MAX_REPETITIONS,
  stopDecision,
} from '../../lib/run/stop-rule.js';
import { estimateTypical } from '../../lib/statistics/estimate.js';
import { leastRepetitions } from '../../lib/statistics/log-model.js';
import { pairedTest } from '../../lib/statistics/ratio.js';
import { IS_LONG, IS_WIDE } from '../conformance/long-form.js';
import { buildResults, measuredOf } from '../fixtures/build-results.js';
import { noiseFrom } from '../fixtures/noise.js';

const STEADY = 0.01;
const WILD = 0.4;
const OPTIONS = { targetError: 0.02, maxTimeMs: 60_000 };
/** @param {number} width @param {number} [clear] */
const known = (width, clear = 0) => ({ width, clear });
const PROGRESS = { repetitions: 6, leastRepetitions: 6, elapsedMs: 6_000, known: [known(STEADY)] };

describe('stopDecision', () => {
  it('ends when every interval is narrow enough', () => {
    assert.equal(stopDecision(OPTIONS, PROGRESS).endedBy, 'target');
    const { endedBy, widest } = stopDecision(OPTIONS, { ...PROGRESS, known: [known(STEADY), known(WILD)] });
    assert.equal(endedBy, null);
    assert.equal(widest, WILD);
  });

  it('goes on until the fewest repetitions are done', () => {
    const early = {
      ...PROGRESS,
      leastRepetitions: 2,
      repetitions: 1,
      known: [known(Infinity)],
      elapsedMs: 1e9,
    };
    assert.deepEqual(stopDecision(OPTIONS, early), { endedBy: null, widest: null });
    assert.equal(stopDecision(OPTIONS, { ...PROGRESS, leastRepetitions: 7 }).endedBy, null);
  });

  it('needs a third repetition of single windows, which show less of the noise than slices', () => {
    assert.deepEqual([leastRepetitions(2, true), leastRepetitions(2, false)], [2, 3]);
    assert.deepEqual([leastRepetitions(1, true), leastRepetitions(6, false)], [1, 6]);
  });

  it('ends when another repetition would exceed the time', () => {
    const wild = { ...PROGRESS, known: [known(WILD)] };
    assert.equal(stopDecision(OPTIONS, { ...wild, elapsedMs: 51_000 }).endedBy, null);
    assert.equal(stopDecision(OPTIONS, { ...wild, elapsedMs: 52_000 }).endedBy, 'time');
  });

  it('ends when every row has failed, and at the limit of repetitions', () => {
    assert.equal(stopDecision(OPTIONS, { ...PROGRESS, known: [] }).endedBy, 'failures');
    const endless = { ...PROGRESS, repetitions: MAX_REPETITIONS, known: [known(WILD)], elapsedMs: 1 };
    assert.equal(stopDecision(OPTIONS, endless).endedBy, 'repetitions');
  });

  it('ends --launches auto when ratios are clear of 1, with wider bounds at early looks', () => {
    const auto = { targetError: 0.05, maxTimeMs: 60_000, mostLaunches: 8 };
    const at = (/** @type {number} */ repetitions, /** @type {number} */ clear) =>
      stopDecision(auto, {
        repetitions,
        leastRepetitions: 3,
        elapsedMs: 1_000 * repetitions,
        known: [known(STEADY), known(WILD, clear)],
      }).endedBy;
    assert.equal(at(2, 9), null);
    assert.equal(at(3, 1.7), 'settled');
    assert.equal(at(3, 1.6), null, 'the square root of 8 / 3 is 1.63');
    assert.equal(at(6, 1.2), 'settled');
    assert.equal(at(6, 1.1), null);
    assert.equal(at(8, 1), 'settled');
    assert.equal(at(8, 0.9), 'repetitions');
    // A target that the user chose is about widths alone.
    const chosen = { ...PROGRESS, known: [known(WILD, 9)] };
    assert.equal(stopDecision(OPTIONS, chosen).endedBy, null);
  });

  it('measures half the width of an interval as a share of the estimate', () => {
    const ratio = /** @type {const} */ ({
      estimate: 2,
      low: 1.9,
      high: 2.2,
      level: 0.95,
      n: 6,
      method: 'log-model',
    });
    assert.equal(halfWidth(ratio).toFixed(6), '0.075000');
    assert.equal(halfWidth(estimateTypical([100])), Infinity);
    assert.equal(halfWidth(null), Infinity);
  });
});

/**
 * A cell against itself, in shared repetitions, until the interval of the ratio is narrow enough.
 * @param {ReturnType<typeof noiseFrom>} noise
 * @param {{ launchNoise: number, disturbed: number }} machine
 * @param {number} targetError
 * @returns {{ p: number, repetitions: number }}
 */
function adaptiveComparison(noise, { launchNoise, disturbed }, targetError) {
  /** @type {number[][]} */
  const samples = [[], []];
  const slope = 0.02 * noise.normal();
  for (let repetitions = 1; ; repetitions++) {
    const level = 0.01 * noise.normal() + (slope * repetitions) / 40;
    for (const rates of samples) {
      const slowed = noise.uniform(0, 1) < disturbed ? Math.log(noise.uniform(0.4, 0.9)) : 0;
      rates.push(20_000 * Math.exp(level + launchNoise * noise.normal() + slowed));
    }
    if (repetitions < 6) continue;
    const test = pairedTest({ old: samples[1], new: samples[0] });
    const progress = {
      repetitions,
      leastRepetitions: 6,
      elapsedMs: repetitions * 1_000,
      known: [known(halfWidth(test.ratio))],
    };
    if (stopDecision({ targetError, maxTimeMs: 40_000 }, progress).endedBy === null) continue;
    return { p: test.p ?? 1, repetitions };
  }
}

describe('adaptive stopping', () => {
  // A rule that makes one difference of ten out of nothing is three standard deviations above the bound in the usual form, too.
  const times = IS_LONG ? 1_500 : 200;

  const machines = [
    { launchNoise: 0.02, disturbed: 0 },
    { launchNoise: 0.05, disturbed: 0 },
    { launchNoise: 0.03, disturbed: 0.1 },
  ];
  for (const [seed, machine] of machines.slice(0, IS_WIDE ? 3 : 1).entries()) {
    it(`makes few more false positives than a fixed number of launches (${JSON.stringify(machine)})`, () => {
      const noise = noiseFrom(seed);
      const runs = Array.from({ length: times }, () => adaptiveComparison(noise, machine, 0.02));
      const lengths = new Set(runs.map(({ repetitions }) => repetitions));
      assert.ok(lengths.size > 3, 'the rule decides how long it takes');
      const share = runs.filter(({ p }) => p <= 0.05).length / times;
      // 5 % of a fixed number; a rule that waits for a narrow interval meets those that are narrow by chance.
      assert.ok(share <= 0.09, `${share}`);
      assert.ok(share >= 0.02, `${share}`);
    });
  }
});

describe('knownRatios', () => {
  const results = buildResults({ series: ['pipe/json', 'unix/json', 'tcp/json'], launches: 6 });
  /** @param {object} [own] @returns {any} */
  const sideOf = (own) => ({ results, reference: 'pipe/json', ...own });
  /** @param {any} side @returns {any[]} */
  const entriesOf = (side) =>
    measuredOf(results).map(({ cell, launches }) => ({ side, cell, launches: [...launches] }));

  it('returns the ratio of each row to the reference', () => {
    const side = sideOf();
    const all = knownRatios([side], entriesOf(side));
    assert.equal(all.length, 2);
    for (const { width, clear } of all) assert.ok(width > 0 && width < 1 && clear > 0, `${width} ${clear}`);
  });

  it('returns estimates without a reference', () => {
    const side = sideOf({ reference: 'zeromq/json' });
    const all = knownRatios([side], entriesOf(side));
    assert.equal(all.length, 3);
    for (const { width, clear } of all) assert.ok(width > 0 && width < 1 && clear === 0, `${width} ${clear}`);
  });

  it('ignores failed rows, and compares nothing with them', () => {
    const side = sideOf();
    const entries = entriesOf(side);
    entries[1].launches[2] = { status: 'failed', group: 2 };
    assert.equal(knownRatios([side], entries).length, 1);
    const lacking = entriesOf(side);
    lacking[0].launches[2] = { status: 'failed', group: 2 };
    assert.deepEqual(
      knownRatios([side], lacking).map(({ clear }) => clear),
      [0, 0],
    );
  });

  it('compares each row with the same row of the first side', () => {
    const [one, other] = [sideOf(), sideOf()];
    const entries = [...entriesOf(one), ...entriesOf(other)];
    assert.equal(findReferenceEntry(entries[4], [one, other], entries), entries[1]);
    assert.equal(findReferenceEntry(entries[1], [one, other], entries), entries[1]);
    assert.equal(knownRatios([one, other], entries).length, 3);
  });

  it('returns by how much wider a simultaneous interval could be', () => {
    const ratio = /** @type {any} */ ({ estimate: 2, low: 1.9, high: 2.1, level: 0.95 });
    const at = (/** @type {number} */ estimate, /** @type {number} */ factor) =>
      judgeRatio({
        ...ratio,
        estimate,
        simultaneous: { low: estimate / factor, high: estimate * factor },
      }).clear;
    // An estimate of 1.02 e^0.2 is 0.2 beyond what may be claimed, on logarithms.
    assert.ok(Math.abs(at(1.02 * Math.exp(0.2), Math.exp(0.1)) - 2) < 0.01);
    assert.ok(Math.abs(at(Math.exp(-0.2) / 1.02, Math.exp(0.2)) - 1) < 0.01, 'whichever is faster');
    assert.equal(at(1.001, 1.01), 0, 'too small to claim');
    assert.deepEqual(judgeRatio(ratio), { width: halfWidth(ratio), clear: 0 });
    assert.deepEqual(judgeRatio(null), { width: Infinity, clear: 0 });
  });
});

describe('runLengthLines', () => {
  /** @param {object} own */
  const linesWith = (own) => {
    const results = buildResults({ series: ['unix/json'], launches: 1 });
    const stop = { targetError: 0.0256, maxTimeMs: 90_000 };
    return runLengthLines(/** @type {any} */ ({ ...results, options: { ...results.options, stop }, ...own }));
  };
  const before = 'before every interval was within ± 2.6 %: the widest interval is ± 3.5 %';

  it('prints what ended an adaptive run', () => {
    for (const [endedBy, widest, reason] of /** @type {const} */ ([
      ['target', 0.02, 'every interval, taken alone, is within ± 2.6 % of its estimate'],
      ['time', 0.0351, `--max-time (1 min 30 s) was over ${before}`],
      ['repetitions', 0.0351, `that is the greatest number of a run, ${before}`],
      ['failures', null, 'every row had failed'],
      [null, 0.0351, `it was interrupted ${before}`],
      [
        null,
        null,
        'it was interrupted before every interval was within ± 2.6 %: not every row has an interval',
      ],
    ]))
      assert.deepEqual(linesWith({ stopRule: { endedBy, widest, repetitions: 7 } }), [
        `ended after 7 repetitions because ${reason}`,
      ]);
    const [one] = linesWith({ stopRule: { endedBy: 'failures', widest: null, repetitions: 1 } });
    assert.match(one, /^ended after 1 repetition because/);
  });

  it('prints nothing for a run of fixed length but when it was resumed', () => {
    assert.deepEqual(linesWith({}), []);
    const stopRule = { endedBy: 'target', widest: 0.02, repetitions: 7 };
    assert.deepEqual(linesWith({ stopRule, options: {} }), []);
    const continuedAt = ['2026-01-15T09:07:59.999Z', '2026-01-16T10:00:00.000Z'];
    assert.deepEqual(linesWith({ continuedAt }), [
      'interrupted, and continued at 2026-01-15 09:07 UTC, 2026-01-16 10:00 UTC',
    ]);
  });
});

describe('launchesText', () => {
  it('gives the range of launches if rows have different numbers, and the plan if a row has fewer', () => {
    const results = buildResults({ series: ['pipe/json', 'unix/json'], launches: 5 });
    const textWith = (/** @type {object} */ options) =>
      launchesText({ ...results, options: { ...results.options, ...options } });
    assert.equal(textWith({}), '5 launches per row');
    measuredOf(results)[0].launches.length = 3;
    assert.equal(textWith({ launches: 3 }), '3 to 5 launches per row');
    assert.equal(textWith({ quick: true }), '3 to 5 launches per row');
    assert.equal(textWith({}), '5 launches per row planned, at least 3 made');
  });
});
