import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { IS_LONG } from '../conformance/long-form.js';
import { countedRecommendations } from '../simulation/recommendation-experiments.js';

const PAYLOADS = [100, 1_000, 10_000, 100_000];
const NOISE = { launches: 10, launchNoise: 0.05, disturbed: 0.1, payloads: PAYLOADS };
const percent = (/** @type {number} */ share) => `${(100 * share).toFixed(1)} %`;

// A small part of `npm run simulate`, whose table is committed beside it. The bounds are those of the table and three
// standard deviations of so few results.
describe('recommendations on simulated results, 10 % of the launches disturbed', () => {
  const times = IS_LONG ? 400 : 200;
  const counts = countedRecommendations({ seed: 21, times }, { ...NOISE, rows: 3 });

  test('are right or undecided, and hardly ever wrong', (context) => {
    context.diagnostic(`right ${percent(counts.right / times)}, wrong ${percent(counts.wrong / times)}`);
    assert.equal(counts.right + counts.undecided + counts.wrong, times);
    assert.ok(counts.wrong / times <= 0.03, percent(counts.wrong / times));
    assert.ok(counts.right / times > 0.65, percent(counts.right / times));
  });

  test('have crossovers whose intervals hold the truth in 95 % of all cases', (context) => {
    const share = counts.held / counts.found;
    context.diagnostic(`${counts.found} found, ${percent(share)} hold the truth`);
    assert.ok(counts.found / times > 0.7, String(counts.found));
    assert.ok(share > 0.91 && share < 0.99, percent(share));
  });

  test('invent no crossover where nothing takes turns, and no lead where there is none', () => {
    const others = times / 2;
    for (const lead of [1, 1.05]) {
      const { wrong, invented } = countedRecommendations(
        { seed: 22, times: others },
        { ...NOISE, rows: 4, lead },
      );
      assert.ok(invented / others <= 0.03, String(invented));
      assert.ok(wrong / others <= 0.03, String(wrong));
    }
  });
});
