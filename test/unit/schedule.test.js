import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { intervalMs, plannedInstants } from '../../lib/measure/open-load.js';
import { kolmogorovSmirnov } from '../fixtures/kolmogorov-smirnov.js';

/** @typedef {Parameters<typeof plannedInstants>[0]} Plan */

/** @param {Partial<Plan>} plan @param {number} count @returns {number[]} instants of one worker */
function instantsOf(plan, count) {
  const next = plannedInstants({
    ratePerSecond: 1_000,
    workers: 1,
    worker: 0,
    arrivals: 'fixed',
    seed: 1,
    ...plan,
  });
  return Array.from({ length: count }, next);
}

/** @param {Partial<Plan>} plan @param {number} untilMs @returns {number[]} instants of all workers, in order */
function merged(plan, untilMs) {
  const { workers = 1, ratePerSecond = 1_000 } = plan;
  const each = Math.ceil(((untilMs / 1_000) * ratePerSecond * 1.5) / workers) + 10;
  return Array.from({ length: workers }, (_, worker) => instantsOf({ ...plan, worker }, each))
    .flat()
    .filter((ms) => ms < untilMs)
    .sort((left, right) => left - right);
}

/** @param {number[]} instants */
const gapsOf = (instants) => instants.slice(1).map((ms, index) => ms - instants[index]);

/** @param {number[]} instants @param {number} spanMs @returns {number} most instants within any such span */
function greatestBurst(instants, spanMs) {
  let greatest = 0;
  for (let first = 0, last = 0; last < instants.length; last += 1) {
    while (instants[last] - instants[first] >= spanMs) first += 1;
    greatest = Math.max(greatest, last - first + 1);
  }
  return greatest;
}

/** @param {number} meanMs */
const exponential = (meanMs) => (/** @type {number} */ ms) => 1 - Math.exp(-ms / meanMs);

describe('fixed arrivals', () => {
  it('spreads instants evenly over all workers at exactly the rate', () => {
    const plan = fc.record({
      ratePerSecond: fc.integer({ min: 1, max: 1_000_000 }),
      workers: fc.integer({ min: 1, max: 16 }),
      seed: fc.integer(),
    });
    fc.assert(
      fc.property(plan, (drawn) => {
        const all = Array.from({ length: drawn.workers }, (_, worker) => instantsOf({ ...drawn, worker }, 50))
          .flat()
          .sort((left, right) => left - right);
        const gap = intervalMs(drawn.ratePerSecond, 1);
        assert.ok(all[0] >= 0 && all[0] < gap);
        for (const found of gapsOf(all)) assert.ok(Math.abs(found - gap) < gap * 1e-6, `${found} ${gap}`);
      }),
      { seed: 1, numRuns: 200 },
    );
  });

  it('makes no bursts: at 1,000/s at most 2 lie within a millisecond', () => {
    for (const workers of [1, 2, 8]) {
      assert.ok(greatestBurst(merged({ workers }, 10_000), 1) <= 2, `${workers} workers`);
    }
  });

  it('does not drift within an hour', () => {
    const next = plannedInstants({ ratePerSecond: 3, workers: 1, worker: 0, arrivals: 'fixed', seed: 1 });
    const first = next();
    let last = first;
    for (let count = 0; count < 3 * 3_600; count += 1) last = next();
    assert.ok(Math.abs(last - first - 3_600_000) < 1e-3);
  });
});

describe('poisson arrivals', () => {
  it('draws exponential intervals (Kolmogorov–Smirnov, p > 0.01)', () => {
    for (const seed of [1, 2, 3]) {
      const p = kolmogorovSmirnov(gapsOf(instantsOf({ arrivals: 'poisson', seed }, 10_000)), exponential(1));
      assert.ok(p > 0.01, `seed ${seed}: p = ${p}`);
    }
  });

  it('makes one Poisson process of the whole rate out of all workers', () => {
    const all = merged({ arrivals: 'poisson', workers: 4, seed: 5 }, 20_000);
    assert.ok(Math.abs(all.length - 20_000) < 4 * Math.sqrt(20_000), `${all.length} instants`);
    assert.ok(kolmogorovSmirnov(gapsOf(all), exponential(1)) > 0.01);
  });

  it('fails the same test with fixed arrivals and with another rate', () => {
    const fixed = gapsOf(instantsOf({}, 1_000));
    const faster = gapsOf(instantsOf({ arrivals: 'poisson', ratePerSecond: 1_200 }, 10_000));
    for (const gaps of [fixed, faster]) assert.ok(kolmogorovSmirnov(gaps, exponential(1)) < 0.01);
  });
});

describe('plannedInstants', () => {
  it('ascends, and repeats only from the same seed', () => {
    for (const arrivals of /** @type {const} */ (['fixed', 'poisson'])) {
      const plan = instantsOf({ arrivals, seed: 7 }, 1_000);
      assert.ok(gapsOf(plan).every((gap) => gap > 0));
      assert.deepEqual(plan, instantsOf({ arrivals, seed: 7 }, 1_000));
      assert.notEqual(plan[0], instantsOf({ arrivals, seed: 8 }, 1)[0]);
    }
  });
});
