import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { seededRandom, seedFrom, shuffled } from '../../lib/statistics/random.js';

/** @param {() => number} random @param {number} count */
const draws = (random, count) => Array.from({ length: count }, () => random());

describe('seededRandom', () => {
  test('repeats from its seed, and differs between neighbouring seeds', () => {
    assert.deepEqual(draws(seededRandom(42), 10), draws(seededRandom(42), 10));
    assert.notDeepEqual(draws(seededRandom(42), 10), draws(seededRandom(43), 10));
  });

  test('is uniform in [0, 1)', () => {
    const counts = new Array(20).fill(0);
    for (const value of draws(seededRandom(0), 100_000)) counts[Math.floor(20 * value)]++;
    const chiSquare = counts.reduce((sum, count) => sum + (count - 5_000) ** 2 / 5_000, 0);
    assert.equal(counts.length, 20);
    assert.ok(chiSquare < 43.8, `${chiSquare} is exceeded by 1 of 1,000 fair generators`);
  });
});

describe('seedFrom', () => {
  test('returns different seeds for similar parts', () => {
    const seeds = [seedFrom(1, 23), seedFrom(12, 3), seedFrom('1', 23), seedFrom(123), seedFrom('block', 0)];
    assert.equal(new Set(seeds).size, seeds.length);
    assert.ok(seeds.every((seed) => Number.isInteger(seed) && seed >= 0 && seed < 2 ** 32));
  });

  test('never changes, since results files name seeds', () => {
    assert.equal(seedFrom(1, 'block', 0), 4093074407);
    assert.deepEqual(shuffled([1, 2, 3, 4, 5, 6, 7, 8], seededRandom(1)), [2, 1, 7, 5, 3, 6, 4, 8]);
  });
});

describe('shuffled', () => {
  test('keeps every element and leaves the list as it was', () => {
    const list = Object.freeze(['a', 'b', 'c', 'd']);
    assert.deepEqual(shuffled(list, seededRandom(5)).sort(), [...list]);
  });

  test('makes every order equally often', () => {
    const random = seededRandom(3);
    /** @type {Map<string, number>} */
    const counts = new Map();
    for (let round = 0; round < 24_000; round++) {
      const order = shuffled([1, 2, 3, 4], random).join('');
      counts.set(order, (counts.get(order) ?? 0) + 1);
    }
    const chiSquare = [...counts.values()].reduce((sum, count) => sum + (count - 1_000) ** 2 / 1_000, 0);
    assert.equal(counts.size, 24);
    assert.ok(chiSquare < 49.7, `${chiSquare} is exceeded by 1 of 1,000 fair shuffles`);
  });

  test('draws one number less than there are elements', () => {
    let drawn = 0;
    shuffled([1, 2, 3, 4], () => {
      drawn += 1;
      return 0.5;
    });
    assert.equal(drawn, 3);
  });

  test('accepts empty lists and lists of one element', () => {
    assert.deepEqual(shuffled([], seededRandom(1)), []);
    assert.deepEqual(shuffled(['only'], seededRandom(1)), ['only']);
  });
});
