// Runs in CI.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { comparedRows } from '../../lib/report/compare/compare-results.js';
import { IS_LONG } from '../conformance/long-form.js';
import { noiseFrom } from '../fixtures/noise.js';
import { claimsIn, coverageInParts, coverageOf } from '../simulation/coverage-experiments.js';
import {
  anyFalseAlarm,
  coverage,
  falseFailures,
  falsePositives,
  powerAtDetectable,
} from '../simulation/experiments.js';
import { simulatedPairs } from '../simulation/machine.js';
import { HOSTS, loudnessOf } from '../simulation/noisy-host.js';

/** @import { ComparisonDesign as Design } from '../../lib/types/index.js' */

const DESIGNS = /** @type {Design[]} */ (['interleaved', 'separate']);
const NOISE = { launches: 10, launchNoise: 0.05, disturbed: 0.1 };
const effort = { seed: 7, times: 600 };
// Of 24 cells, each judged as if it were the only one, seven of ten matrices would raise an alarm: few matrices show that.
const MATRICES = IS_LONG ? 100 : 40;
const percent = (/** @type {number} */ share) => `${(100 * share).toFixed(1)} %`;

// A small part of `npm run simulate`, whose table is committed beside it. The bounds are those of the table and three
// standard deviations of so few comparisons.
for (const design of DESIGNS) {
  describe(`verdicts of ${design} launches, 10 % of them disturbed`, () => {
    test('call a cell different from itself in one of twenty comparisons', (context) => {
      const share = falsePositives(effort, design, NOISE);
      context.diagnostic(percent(share));
      assert.ok(share > 0.02 && share < 0.075, percent(share));
    });

    test('have intervals that cover the truth in 95 % of all comparisons', (context) => {
      const share = coverage(effort, design, { ...NOISE, ratio: 1.05 });
      context.diagnostic(percent(share));
      assert.ok(share > 0.925 && share < 0.98, percent(share));
    });

    if (!IS_LONG && design === 'separate') return; // what follows differs between the designs by the pairs alone

    test('give a false alarm in one of twenty matrices of 24 cells', (context) => {
      const share = anyFalseAlarm({ seed: 8, times: MATRICES }, design, { ...NOISE, cells: 24 });
      context.diagnostic(percent(share));
      assert.ok(share <= 0.11, percent(share));
    });

    test('fail hardly any build without a cause, however noisy the machine is', (context) => {
      for (const launchNoise of [0.05, 0.33]) {
        const share = falseFailures(effort, design, { ...NOISE, launchNoise });
        context.diagnostic(percent(share));
        assert.ok(share <= 0.015, percent(share));
      }
    });

    test('find the detectable ratio in four of five runs', (context) => {
      const share = powerAtDetectable({ seed: 9, times: 400 }, design, { ...NOISE, disturbed: 0 });
      context.diagnostic(percent(share));
      assert.ok(share > 0.74 && share < 0.86, percent(share));
    });
  });
}

// A small part of test/simulation/coverage.txt. The bounds are its figures and three standard deviations of so few tables.
describe('a table on a noisy host', () => {
  const times = IS_LONG ? 200 : 50;

  for (const [launches, isSliced] of /** @type {const} */ ([
    [2, true],
    [6, false],
  ])) {
    const how = `${launches} launches in ${isSliced ? 'slices' : 'windows'}`;
    test(`has intervals that cover the truth for rows with unlike noise, by ${how}`, (context) => {
      for (const count of [2, 9]) {
        const run = { rows: loudnessOf(count), launches, isSliced };
        const { mean, loudest } = coverageOf({ seed: 13 + count, times }, HOSTS.usual, run);
        context.diagnostic(`${count} rows: ${percent(mean)}, the loudest ${percent(loudest)}`);
        assert.ok(mean > 0.9, percent(mean));
        assert.ok(loudest > 0.74, percent(loudest));
      }
    });

    test(`claims hardly any difference between equal rows, by ${how}`, (context) => {
      const run = { rows: new Array(9).fill(1), launches, isSliced };
      const share = claimsIn({ seed: 14, times }, HOSTS.loud, run);
      context.diagnostic(percent(share));
      assert.ok(share <= 0.12, percent(share));
    });
  }
});

describe('a table of three groups that share a reference', () => {
  for (const ending of /** @type {const} */ (['whole', 'failed', 'ended'])) {
    test(`has intervals that cover the truth from the first repetition on (${ending})`, (context) => {
      for (const launches of [1, 2]) {
        const run = { rows: loudnessOf(10), launches, isSliced: true, parts: 3, isDoubled: true };
        const found = coverageInParts({ seed: 15 + launches, times: 50 }, HOSTS.usual, run, ending);
        context.diagnostic(`${launches}: ${percent(found.coverage)}, claims ${percent(found.claims)}`);
        assert.ok(found.coverage > 0.9, percent(found.coverage));
        assert.ok(found.claims <= 0.12, percent(found.claims));
      }
    });
  }
});

describe('the reasons for the rules', () => {
  test('fails no build on a very noisy machine for differences that its runs cannot detect', () => {
    const noise = noiseFrom(12);
    const machine = { launches: 10, launchNoise: 0.33, disturbed: 0.1 };
    const rules = { design: /** @type {const} */ ('interleaved'), minEffect: 0.05 };
    const rows = Array.from(
      { length: 400 },
      () => comparedRows(simulatedPairs(noise, rules.design, machine), rules)[0],
    );
    const seemingly = rows.filter(({ ratio }) => ratio.high < 1 / 1.05 || ratio.low > 1.05);
    const isFound = (
      /** @type {import('../../lib/types/comparisons.js').ComparedRow} */ { ratio, detectableRatio },
    ) => {
      const finds = detectableRatio ?? Infinity;
      return finds < 1.5 || Math.max(ratio.estimate, 1 / ratio.estimate) >= finds;
    };
    assert.ok(seemingly.length > 3, String(seemingly.length));
    assert.deepEqual(
      seemingly.map(({ isBeyond }) => isBeyond),
      seemingly.map(isFound),
    );
    assert.ok(seemingly.some(({ isBeyond }) => !isBeyond));
  });
});
