// The search for the rate that nine launches of ten sustain: against functions that are known, and against a simulated server.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { judgedBySlo } from '../../lib/results/sustained-rate.js';
import { seededRandom } from '../../lib/statistics/random.js';
import {
  estimateSustainedRate,
  MAX_LAUNCHES_OF_A_SEARCH,
  RateSearch,
} from '../../lib/statistics/rate-search.js';
import { sumBy } from '../../lib/statistics/sum.js';
import { IS_LONG, IS_WIDE } from '../conformance/long-form.js';
import { capacityOf, simulatedLaunch, waitingProbability } from '../fixtures/simulated-server.js';
import { countedSearches, launchesOf } from '../simulation/search-experiments.js';

/** @import { Trial } from '../../lib/statistics/rate-search.js' */
/** @import { SustainedRate } from '../../lib/types/index.js' */

/**
 * @param {number | null} guessPerSecond
 * @param {(ratePerSecond: number, launch: number) => boolean} keeps
 */
function searched(guessPerSecond, keeps) {
  const search = new RateSearch({ guessPerSecond });
  let step = search.next();
  while (!('endedBy' in step)) {
    const { ratePerSecond } = step;
    search.add({ ratePerSecond, keeps: keeps(ratePerSecond, search.trials.length) });
    step = search.next();
  }
  const rates = search.trials.map(({ ratePerSecond }) => ratePerSecond);
  return { found: search.answer(), endedBy: step.endedBy, rates, trials: search.trials };
}

/** @param {SustainedRate | null} found @returns {SustainedRate} */
function answered(found) {
  assert.ok(found !== null, 'there is an answer');
  return found;
}

describe('the estimate of a sustained rate', () => {
  it('is found for any number of trials', () => {
    const trials = Array.from({ length: 1_500 }, (_, trial) => ({
      ratePerSecond: 1_000,
      keeps: trial % 10 > 0,
    }));
    const { estimate, low, high } = answered(estimateSustainedRate(trials, 1_000));
    assert.ok(low <= estimate && estimate <= high);
    assert.ok(estimate > 900 && estimate < 1_100, String(estimate));
  });
});

describe('the search for the rate that nine launches of ten sustain', () => {
  it('finds a sharp limit, and ends when the interval is narrow', () => {
    let ended = 0;
    for (const limit of [60, 700, 12_345, 250_000, 2_000_000]) {
      for (const guess of [limit / 3, limit, 3 * limit]) {
        const { found, endedBy, rates } = searched(Math.round(guess), (rate) => rate <= limit);
        const { estimate, low, high, isBounded } = answered(found);
        const told = JSON.stringify({ limit, guess, estimate, low, high, launches: rates.length });
        assert.ok(low <= limit && limit <= 1.05 * high, told);
        assert.ok(Math.abs(estimate / limit - 1) < 0.06, told);
        assert.ok(isBounded && high / low <= 1.25, told);
        if (endedBy === 'found') ended += 1;
        else assert.deepEqual([endedBy, rates.length], ['launches', MAX_LAUNCHES_OF_A_SEARCH], told);
      }
    }
    assert.ok(ended >= 8, `${ended} of 15`);
  });

  it('works without a guess', () => {
    for (const limit of [60, 12_345, 2_000_000]) {
      const { estimate, low, high } = answered(searched(null, (rate) => rate <= limit).found);
      assert.ok(low <= limit && limit <= 1.05 * high, `${limit}: ${low} to ${high}`);
      assert.ok(Math.abs(estimate / limit - 1) < 0.15, `${estimate} of ${limit}`);
    }
  });

  it('covers the rate of nine launches of ten, with disturbed launches as well', () => {
    for (const disturbed of IS_WIDE ? [0, 0.05] : [0.05]) {
      for (const spread of IS_WIDE ? [0.05, 0.1] : [0.05]) {
        const times = IS_LONG ? 20 : 10;
        const world = { capacity: 50_000, spread, disturbed };
        const { held, errors, missing } = countedSearches({ seed: 7, times }, world);
        const told = JSON.stringify({ ...world, held, errors });
        assert.ok(held >= 0.9 * times && missing === 0, told);
        assert.ok(
          errors.every((error) => error > 0.75 && error < 1.25),
          told,
        );
      }
    }
  });

  it('makes more launches the more they differ, up to a limit', () => {
    const random = seededRandom(7);
    const wide = launchesOf({ capacity: 50_000, spread: 0.3, disturbed: 0.1 }, random);
    const { endedBy, rates, found } = searched(50_000, wide);
    assert.deepEqual([endedBy, rates.length], ['launches', MAX_LAUNCHES_OF_A_SEARCH]);
    const { low, high } = answered(found);
    assert.ok(high / low > 1.2);
  });

  it('tries the rate after which the variance of the result is expected to be least', () => {
    const spreadOf = (/** @type {Trial[]} */ trials) => {
      const search = new RateSearch({ guessPerSecond: 60_000 });
      for (const trial of trials) search.add(trial);
      const cells = search.cells();
      const mean = sumBy(cells, ({ lnSustained, weight }) => weight * lnSustained);
      const variance = sumBy(cells, ({ lnSustained, weight }) => weight * (lnSustained - mean) ** 2);
      return { mean, variance };
    };
    const { trials } = searched(60_000, (rate) => rate <= 50_000);
    for (const launches of [3, 6, 9]) {
      const before = trials.slice(0, launches);
      const expectedAt = (/** @type {number} */ ratePerSecond) => {
        const [kept, broken] = [true, false].map((keeps) => spreadOf([...before, { ratePerSecond, keeps }]));
        const share = (spreadOf(before).mean - broken.mean) / (kept.mean - broken.mean);
        return share * kept.variance + (1 - share) * broken.variance;
      };
      const { ratePerSecond } = trials[launches];
      for (const factor of [0.7, 0.85, 1.2, 1.4])
        assert.ok(expectedAt(ratePerSecond) < expectedAt(factor * ratePerSecond), `${launches}: ${factor}`);
    }
  });

  it('tries rates near the estimate', () => {
    const { rates, found } = searched(90_000, (rate) => rate <= 50_000);
    const { estimate } = answered(found);
    for (const rate of rates.slice(-5)) {
      assert.ok(rate > estimate / 1.3 && rate < 1.3 * estimate, `${rate} around ${estimate}`);
    }
  });

  it('changes little with one disturbed launch', () => {
    const limit = 12_345;
    for (let disturbed = 0; disturbed < 12; disturbed += 1) {
      const { found } = searched(15_000, (rate, launch) => launch !== disturbed && rate <= limit);
      const { estimate, low } = answered(found);
      assert.ok(estimate > 0.85 * limit && estimate < 1.05 * limit, `launch ${disturbed}: ${estimate}`);
      assert.ok(low < limit);
    }
  });

  it('returns nothing if no launch keeps the limit down to the lowest rate', () => {
    const { found, endedBy, rates } = searched(10_000, () => false);
    assert.deepEqual([found, endedBy, rates.at(-1), rates.at(-2)], [null, 'none', 20, 20]);
    for (const [launch, rate] of rates.slice(1).entries())
      assert.ok(rate === 20 || (rate > 0.24 * rates[launch] && rate < 0.51 * rates[launch]), `${rates}`);
    const lost = searched(10_000_000, () => false);
    assert.deepEqual([lost.found, lost.endedBy], [null, 'none']);
  });

  it('ends unbounded at the greatest rate if every launch keeps the limit', () => {
    const { found, endedBy, rates } = searched(1_000, () => true);
    assert.deepEqual([endedBy, rates.at(-1)], ['found', 10_000_000]);
    for (const [launch, rate] of rates.slice(1).entries())
      assert.ok(
        rate === 10_000_000 || (rate / rates[launch] >= 1.5 && rate / rates[launch] <= 4),
        `${rates}`,
      );
    const { low, isBounded } = answered(found);
    assert.ok(!isBounded && low > 1_000_000, `${low}`);
  });
});

describe('the rate that launches sustain', () => {
  /** @param {number} ratePerSecond @param {number} kept @param {number} broken @returns {Trial[]} */
  const at = (ratePerSecond, kept, broken, isDisturbed = false) => [
    ...Array.from({ length: kept }, () => ({ ratePerSecond, keeps: true })),
    ...Array.from({ length: broken }, () => ({ ratePerSecond, keeps: false, isDisturbed })),
  ];

  it('is below the rate of closed loops, within a factor of ten, before a launch says more', () => {
    const of = (/** @type {number | null} */ guess) =>
      answered(estimateSustainedRate([{ ratePerSecond: 20, keeps: true }], guess));
    const { estimate, low, high } = of(10_000);
    assert.ok(estimate > 5_500 && estimate < 7_000, `${estimate}`);
    assert.ok(low > 600 && low < 2_000 && high > 30_000 && high < 100_000, `${low} to ${high}`);
    const unknown = of(null);
    assert.ok(unknown.low < 100 && unknown.high > 1_000_000);
  });

  it('does not depend on the order of launches', () => {
    const trials = [...at(8_000, 5, 1), ...at(9_000, 4, 2), ...at(10_000, 1, 5)];
    const [one, other] = [trials, trials.toReversed()].map((some) =>
      answered(estimateSustainedRate(some, 9_000)),
    );
    for (const end of /** @type {const} */ (['low', 'estimate', 'high'])) {
      assert.ok(Math.abs(one[end] / other[end] - 1) < 1e-3);
    }
  });

  it('gets more precise with launches, and lower with those that break the limit', () => {
    const of = (/** @type {Trial[]} */ trials) => answered(estimateSustainedRate(trials, 12_000));
    const few = of([...at(8_000, 2, 0), ...at(12_000, 0, 2)]);
    const many = of([...at(8_000, 12, 0), ...at(12_000, 0, 12)]);
    assert.ok(many.high / many.low < few.high / few.low);
    const worse = of([...at(8_000, 9, 3), ...at(12_000, 0, 12)]);
    assert.ok(worse.estimate < many.estimate && worse.high < many.high);
  });

  it('gives less weight to disturbed launches that break the limit', () => {
    const rest = [...at(8_000, 3, 0), ...at(12_000, 0, 3)];
    const of = (/** @type {boolean} */ isDisturbed) =>
      answered(estimateSustainedRate([...rest, ...at(7_000, 0, 1, isDisturbed)], 12_000));
    assert.ok(of(true).low > of(false).low);
  });

  it('is unknown if no launch kept the limit', () => {
    assert.equal(estimateSustainedRate(at(8_000, 0, 3), 9_000), null);
    assert.equal(estimateSustainedRate([], null), null);
  });
});

describe('the simulated server', () => {
  it('has the waiting times of an M/D/1 queue', () => {
    const launch = simulatedLaunch({ ratePerSecond: 8_000, serviceMs: 0.1, windowMs: 20_000, seed: 3 });
    const { open } = launch;
    // Pollaczek and Khinchine: the mean wait is load times service time over twice the idle share.
    const expectedMs = 0.1 + (0.8 * 0.1) / (2 * 0.2);
    assert.ok(open && Math.abs(open.response.meanNs / 1e6 / expectedMs - 1) < 0.05);
    assert.ok(Math.abs(waitingProbability(0, 8_000, 0.1) - 0.2) < 1e-9, 'idle for a fifth of the time');
    assert.ok(waitingProbability(3, 8_000, 0.1) > 0.999);
  });
});

describe('a search of an M/D/1 server', () => {
  const serviceMs = 0.1; // 10,000/s at the very most
  for (const [name, limitMs] of /** @type {[string, number][]} */ ([
    ['a strict limit', 0.5],
    ['a loose limit', 1.5],
  ])) {
    it(`finds the known capacity under ${name} within 15 %`, () => {
      const capacity = capacityOf(serviceMs, 0.99, limitMs);
      const slo = /** @type {const} */ ({ percentile: 'p99', us: limitMs * 1_000 });
      const { found } = searched(5_000, (ratePerSecond, seed) => {
        const launch = simulatedLaunch({ ratePerSecond, serviceMs, windowMs: 1_000, seed });
        return judgedBySlo(launch, slo).keeps;
      });
      const { estimate } = answered(found);
      // Percentiles of single launches scatter: nine of ten keep the limit at a somewhat lower rate.
      assert.ok(estimate > 0.85 * capacity && estimate < 1.03 * capacity, `${estimate} of ${capacity}`);
    });
  }

  it('does not count a growing backlog as capacity', () => {
    const slo = /** @type {const} */ ({ percentile: 'p50', us: 60e6 });
    const { found } = searched(5_000, (ratePerSecond, seed) => {
      const launch = simulatedLaunch({ ratePerSecond, serviceMs, arrivals: 'fixed', loops: 8, seed });
      return judgedBySlo(launch, slo).keeps;
    });
    const { estimate } = answered(found);
    assert.ok(Math.abs(estimate / 10_000 - 1) < 0.05, `${estimate}`);
  });
});
