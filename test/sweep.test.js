// A whole sweep against a simulated server: what is searched, what is then planned, and what is kept for the results.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { judgedBySlo, windowForSlo } from '../lib/conductor/slo.js';
import { launchesOfSweep, sweptPlan } from '../lib/conductor/sweep.js';
import { makeResults } from './fixtures/make-results.js';
import { capacityOf, simulatedLaunch } from './fixtures/simulated-server.js';

/** @typedef {import('../lib/types.js').Cell} Cell */

const SERVICE_MS = 0.1;
const SLO = /** @type {const} */ ({ percentile: 'p99', us: 1_000 });
const [{ cell }] = makeResults({ series: ['unix/json'], shapes: ['1x64'], launches: 1 }).outcomes;

/** @param {Cell} asked @param {number} order @returns {any} */
function simulated({ ratePerSecond }, order) {
  const launch = simulatedLaunch({
    ratePerSecond: ratePerSecond ?? 9_000,
    serviceMs: SERVICE_MS,
    seed: order,
  });
  if (ratePerSecond !== undefined) return launch;
  const { open: _open, ...closed } = launch;
  return { ...closed, roundTripsPerSecond: 10_000 };
}

/**
 * @param {object} [wish]
 * @param {number} [wish.seed]
 * @param {(cell: Cell, order: number) => any} [wish.answer]
 */
async function swept({ seed = 1, answer = simulated } = {}) {
  /** @type {Cell[]} */
  const launched = [];
  /** @type {any[]} */
  const progress = [];
  const results = /** @type {any} */ ({});
  const run = /** @type {any} */ ({
    plan: [
      { cell, skip: null },
      { cell: { ...cell, transport: 'pipe' }, skip: 'not here' },
    ],
    options: { seed, launches: 6, open: { slo: SLO } },
    onProgress: (/** @type {any} */ told) => progress.push(told),
    signal: new AbortController().signal,
  });
  const runner = /** @type {any} */ ({
    run: async (/** @type {Cell} */ asked, /** @type {number} */ _block, /** @type {number} */ order) => {
      launched.push(asked);
      return answer(asked, order);
    },
  });
  const plan = await sweptPlan(run, results, runner);
  return { plan, sweep: results.sweeps[0], sweeps: results.sweeps, launched, progress };
}

describe('a sweep', () => {
  it('plans a curve up to the rate that it found and one step beyond, and leaves skipped cells skipped', async () => {
    const { plan, sweep } = await swept();
    const capacity = capacityOf(SERVICE_MS, 0.99, SLO.us / 1_000);
    assert.ok(Math.abs(sweep.foundPerSecond / capacity - 1) < 0.05, `${sweep.foundPerSecond} of ${capacity}`);
    const rates = plan
      .filter(({ skip }) => skip === null)
      .map(({ cell: { ratePerSecond = 0 } }) => ratePerSecond);
    assert.equal(rates.length, 6);
    assert.ok(rates.includes(sweep.foundPerSecond));
    assert.ok(Math.max(...rates) > sweep.foundPerSecond && Math.min(...rates) < 0.3 * sweep.foundPerSecond);
    assert.deepEqual(plan.at(-1), { cell: { ...cell, transport: 'pipe' }, skip: 'not here' });
  });

  it('begins with closed loops for a guess, and keeps every launch of the search', async () => {
    const { launched, sweep, progress } = await swept();
    assert.equal(launched[0].ratePerSecond, undefined);
    assert.deepEqual(
      sweep.probes.map((/** @type {any} */ { ratePerSecond }) => ratePerSecond),
      launched.slice(1).map(({ ratePerSecond }) => ratePerSecond),
    );
    assert.equal(progress.length, launched.length);
    assert.ok(progress.every(({ launchesDone, launchesTotal }) => launchesDone < launchesTotal));
    assert.ok(launchesOfSweep(6) > launched.length);
  });

  it('comes from above or from below as the seed has it, and repeats from it', async () => {
    const directions = new Set();
    for (let seed = 0; seed < 8; seed += 1) {
      const { sweep } = await swept({ seed });
      assert.equal(sweep.probes[0].ratePerSecond, sweep.direction === 'up' ? 2_500 : 40_000);
      directions.add(sweep.direction);
    }
    assert.equal(directions.size, 2);
    assert.deepEqual((await swept({ seed: 3 })).sweep, (await swept({ seed: 3 })).sweep);
  });

  it('skips the cell with the reason when no rate keeps the limit', async () => {
    const failed = { status: 'failed', message: 'worker w0 died' };
    const { plan, sweep } = await swept({ answer: () => failed });
    assert.equal(sweep.foundPerSecond, null);
    assert.equal(plan[0].skip, 'no rate kept p99<1ms, down to 20/s');
    assert.equal(sweep.probes[0].why, 'failed: worker w0 died');
  });
});

describe('a limit', () => {
  const quick = { ratePerSecond: 2_000, serviceMs: 0.1, windowMs: 1_000, seed: 1 };

  it('is kept by times below it, without errors, and without a backlog that grows', () => {
    const judged = (/** @type {any} */ wish, us = 1_000) =>
      judgedBySlo(simulatedLaunch({ ...quick, ...wish }), { percentile: 'p99', us });
    assert.equal(judged({}).keeps, true);
    assert.deepEqual([judged({}, 100).keeps, judged({}, 100).why], [false, 'too slow']);
    assert.match(
      judged({ ratePerSecond: 11_000, loops: 4 }, 1e9).why,
      /^the backlog grew: 9\d\.\d % were sent$/,
    );
  });

  it('is not kept by launches with too few samples to tell, and windows of a sweep are long enough', () => {
    const slo = /** @type {const} */ ({ percentile: 'p999', us: 1e6 });
    assert.deepEqual(judgedBySlo(simulatedLaunch(quick), slo), {
      us: null,
      keeps: false,
      why: `${simulatedLaunch(quick).open?.response.count} samples are too few`,
    });
    const windowMs = windowForSlo(slo, 2_000);
    assert.equal(judgedBySlo(simulatedLaunch({ ...quick, windowMs }), slo).keeps, true);
    assert.equal(windowForSlo(slo, undefined), 0);
    assert.equal(windowForSlo(null, 2_000), 0);
  });
});
