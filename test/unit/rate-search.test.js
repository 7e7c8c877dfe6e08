import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { judgedBySlo } from '../../lib/run/rate-sweep.js';
import { rateSearch } from '../../lib/statistics/rate-search.js';
import { capacityOf, simulatedLaunch, waitingProbability } from '../fixtures/simulated-server.js';

/** @import { SearchStart } from '../../lib/statistics/rate-search.js' */

/**
 * @param {SearchStart} start
 * @param {(ratePerSecond: number, probe: number) => boolean} keeps
 */
function searched(start, keeps) {
  const search = rateSearch(start);
  const probes = [];
  let step = search.next();
  while (!step.done) {
    const { ratePerSecond } = step.value;
    probes.push(ratePerSecond);
    step = search.next(keeps(ratePerSecond, probes.length));
  }
  return { found: step.value, probes };
}

describe('the search for the highest rate', () => {
  it('ends within 3 % below any limit, from either side, in few launches', () => {
    const wish = fc.record({
      limit: fc.integer({ min: 40, max: 2_000_000 }),
      guessPerSecond: fc.integer({ min: 1, max: 2_000_000 }),
      direction: fc.constantFrom('up', 'down'),
    });
    fc.assert(
      fc.property(wish, ({ limit, ...start }) => {
        const { found, probes } = searched(/** @type {SearchStart} */ (start), (rate) => rate <= limit);
        assert.ok(found !== null && found <= limit, `${found} of ${limit}`);
        assert.ok(found >= limit / 1.03 - 1, `${found} of ${limit}`);
        const doublings = Math.abs(Math.log2(limit / start.guessPerSecond));
        assert.ok(probes.length <= 2 * (doublings + 10), `${probes.length} launches`);
      }),
      { seed: 1, numRuns: 300 },
    );
  });

  it('begins on the side that it is told', () => {
    const first = (/** @type {'up' | 'down'} */ direction) =>
      /** @type {any} */ (rateSearch({ guessPerSecond: 1_000, direction }).next().value);
    assert.deepEqual([first('up').ratePerSecond, first('down').ratePerSecond], [250, 2_000]);
  });

  it('tells at every step what it knows so far, and how many tries at least decide the rate', () => {
    const search = rateSearch({ guessPerSecond: 1_000, direction: 'up' });
    assert.deepEqual(search.next().value, { ratePerSecond: 250, keptPerSecond: null, votes: 2 });
    assert.deepEqual(search.next(true).value, { ratePerSecond: 250, keptPerSecond: null, votes: 1 });
    assert.deepEqual(search.next(false).value, { ratePerSecond: 250, keptPerSecond: null, votes: 1 });
    assert.deepEqual(search.next(true).value, { ratePerSecond: 500, keptPerSecond: 250, votes: 2 });
    assert.deepEqual(search.next(false).value, { ratePerSecond: 500, keptPerSecond: 250, votes: 1 });
    assert.deepEqual(search.next(false).value, { ratePerSecond: 354, keptPerSecond: 250, votes: 2 });
  });

  it('takes one launch for enough where twice the guess breaks the limit, and no less for keeping it', () => {
    const rates = (/** @type {number} */ limit) =>
      searched({ guessPerSecond: 1_000, direction: 'down' }, (rate) => rate <= limit).probes.slice(0, 3);
    assert.deepEqual(rates(900), [2_000, 1_000, 1_000]);
    assert.deepEqual(rates(3_000), [2_000, 2_000, 4_000]);
  });

  it('is not misled by one disturbed launch at any rate', () => {
    const limit = 12_345;
    const undisturbed = searched({ guessPerSecond: 10_000, direction: 'up' }, (rate) => rate <= limit);
    for (let disturbed = 1; disturbed <= undisturbed.probes.length; disturbed += 1) {
      const { found } = searched({ guessPerSecond: 10_000, direction: 'up' }, (rate, probe) =>
        probe === disturbed ? rate > limit : rate <= limit,
      );
      assert.equal(found, undisturbed.found, `launch ${disturbed}`);
    }
  });

  it('says so when no rate keeps the limit, and ends when every rate does', () => {
    assert.equal(searched({ guessPerSecond: 1_000, direction: 'down' }, () => false).found, null);
    assert.equal(searched({ guessPerSecond: 1_000, direction: 'up' }, () => true).found, 10_000_000);
  });
});

describe('the simulated server', () => {
  it('waits as the formula of the M/D/1 queue says', () => {
    const launch = simulatedLaunch({ ratePerSecond: 8_000, serviceMs: 0.1, windowMs: 20_000, seed: 3 });
    const { open } = launch;
    // Pollaczek and Khinchine: the mean wait is load times service time over twice the idle share.
    const expectedMs = 0.1 + (0.8 * 0.1) / (2 * 0.2);
    assert.ok(open && Math.abs(open.response.meanNs / 1e6 / expectedMs - 1) < 0.05);
    assert.ok(Math.abs(waitingProbability(0, 8_000, 0.1) - 0.2) < 1e-9, 'idle for a fifth of the time');
    assert.ok(waitingProbability(3, 8_000, 0.1) > 0.999);
  });
});

describe('a sweep of an M/D/1 server', () => {
  const serviceMs = 0.1; // 10,000/s at the very most
  for (const [name, limitMs] of /** @type {[string, number][]} */ ([
    ['a strict limit', 0.5],
    ['a loose limit', 1.5],
  ])) {
    for (const direction of /** @type {const} */ (['up', 'down'])) {
      it(`finds the known capacity under ${name} within 5 %, coming ${direction}`, () => {
        const capacity = capacityOf(serviceMs, 0.99, limitMs);
        const slo = /** @type {const} */ ({ percentile: 'p99', us: limitMs * 1_000 });
        const { found } = searched({ guessPerSecond: 5_000, direction }, (ratePerSecond, seed) => {
          const launch = simulatedLaunch({ ratePerSecond, serviceMs, windowMs: 1_000, seed });
          return judgedBySlo(launch, slo).keeps;
        });
        assert.ok(found !== null && Math.abs(found / capacity - 1) < 0.05, `${found} of ${capacity}`);
      });
    }
  }

  it('does not take a backlog that grows for capacity, however patient the limit', () => {
    const slo = /** @type {const} */ ({ percentile: 'p50', us: 60e6 });
    const { found } = searched({ guessPerSecond: 5_000, direction: 'up' }, (ratePerSecond, seed) => {
      const launch = simulatedLaunch({ ratePerSecond, serviceMs, arrivals: 'fixed', loops: 8, seed });
      return judgedBySlo(launch, slo).keeps;
    });
    assert.ok(found !== null && Math.abs(found / 10_000 - 1) < 0.05, `${found}`);
  });
});
