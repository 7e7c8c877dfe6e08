// A whole sweep against a simulated server, by a clock that only launches move: what is searched, what is then planned,
// how much time that takes, and what is kept for the results.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { estimatedRun } from '../../lib/plan/duration-estimate.js';
import { launchMs, windowForSlo } from '../../lib/plan/timing.js';
import { judgedBySlo } from '../../lib/results/sustained-rate.js';
import { sweptPlan } from '../../lib/run/rate-sweep.js';
import { LatencyCounts } from '../../lib/statistics/latency-counts.js';
import { buildResults } from '../fixtures/build-results.js';
import { capacityOf, simulatedLaunch } from '../fixtures/simulated-server.js';

/** @import { Cell, Sweep } from '../../lib/types/index.js' */

const SERVICE_MS = 0.1;
const SLO = /** @type {const} */ ({ percentile: 'p99', us: 1_000 });
const [{ cell }] = buildResults({ series: ['unix/json'], shapes: ['1x64'], launches: 1 }).outcomes;

/** @param {Cell} asked @param {number} order @returns {any} */
function simulated({ ratePerSecond }, order) {
  const launch = simulatedLaunch({
    ratePerSecond: ratePerSecond ?? 9_000,
    serviceMs: SERVICE_MS,
    seed: order,
  });
  if (ratePerSecond !== undefined) return launch;
  const { open: _open, ...closed } = launch;
  return { ...closed, operations: 5_000, windowMs: 500 };
}

/** Of a run that nothing disturbs, with room for any search. */
const AMPLE_MS = 3_600_000;

/**
 * @param {object} [wish]
 * @param {number} [wish.seed]
 * @param {number} [wish.maxTimeMs]
 * @param {number} [wish.excessMs]     of each launch, beyond what the estimate says
 * @param {(cell: Cell, order: number) => any} [wish.answer]
 * @param {string[]} [wish.transports]   of the cells
 */
async function swept({
  seed = 1,
  maxTimeMs = AMPLE_MS,
  excessMs = 0,
  answer = simulated,
  transports = ['unix'],
} = {}) {
  /** @type {Cell[]} */
  const launched = [];
  /** @type {any[]} */
  const progress = [];
  const results = /** @type {any} */ ({ scenarios: {} });
  const run = /** @type {any} */ ({
    plan: [
      ...transports.map((transport) => ({ cell: { ...cell, transport }, skip: null })),
      { cell: { ...cell, transport: 'pipe' }, skip: 'not here' },
    ],
    options: {
      seed,
      launches: 6,
      warmupMs: null,
      measureMs: 400,
      messages: null,
      tierUp: 'early',
      open: { ratesPerSecond: [], slo: SLO, maxTimeMs },
    },
    onProgress: (/** @type {any} */ told) => progress.push(told),
    signal: new AbortController().signal,
  });
  let clockMs = 0;
  const tookMs = (/** @type {Cell} */ asked) => launchMs(asked, run.options) + excessMs;
  const runner = /** @type {any} */ ({
    run: async (/** @type {Cell} */ asked, /** @type {number} */ _group, /** @type {number} */ order) => {
      launched.push(asked);
      clockMs += tookMs(asked);
      return answer(asked, order);
    },
  });
  const plan = await sweptPlan(run, results, runner, () => clockMs);
  const full = plan.filter(({ skip }) => skip === null);
  const fullMs = full.reduce(
    (sum, { cell: each, launches = run.options.launches }) => sum + launches * tookMs(each),
    0,
  );
  const sweep = /** @type {Sweep} */ (results.sweeps[0]);
  const rates = full.map(({ cell: { ratePerSecond = 0 } }) => ratePerSecond);
  const sweeps = /** @type {Sweep[]} */ (results.sweeps);
  return { plan, rates, sweep, sweeps, launched, progress, options: run.options, searchMs: clockMs, fullMs };
}

/** @param {string[]} codes */
const flagsOf = (...codes) => codes.map((code) => ({ code }));

const [inTime, late] = [2_000, 20_000].map((ratePerSecond) => simulated({ ...cell, ratePerSecond }, 1));

/** @param {number} limit @returns {(cell: Cell, order: number) => any} in time up to it, and never beyond */
const keptUpTo = (limit) => (asked, order) => {
  if (asked.ratePerSecond === undefined) return simulated(asked, order);
  return asked.ratePerSecond <= limit ? inTime : late;
};

describe('a sweep', () => {
  it('plans a curve up to one step beyond the rate found, and keeps skipped cells', async () => {
    const { plan, rates, sweep } = await swept();
    const capacity = capacityOf(SERVICE_MS, 0.99, SLO.us / 1_000);
    const { foundPerSecond: found, ratesLeftOut } = sweep;
    // Percentiles of single launches scatter: nine of ten keep the limit at a somewhat lower rate.
    assert.ok(found !== null && found > 0.9 * capacity && found < 1.03 * capacity, `${found} of ${capacity}`);
    assert.equal(ratesLeftOut, undefined);
    assert.equal(rates.length, 6);
    assert.ok(rates.includes(found));
    assert.ok(Math.max(...rates) > found && Math.min(...rates) < 0.3 * found);
    assert.deepEqual(
      rates.toSorted((left, right) => left - right),
      rates,
    );
    assert.deepEqual(plan.at(-1), { cell: { ...cell, transport: 'pipe' }, skip: 'not here' });
  });

  it('begins with closed loops, and records every launch of the search', async () => {
    const { launched, sweep, progress, options } = await swept();
    assert.equal(launched[0].ratePerSecond, undefined);
    assert.deepEqual(
      sweep.probes.map(({ ratePerSecond }) => ratePerSecond),
      launched.slice(1).map(({ ratePerSecond }) => ratePerSecond),
    );
    assert.equal(progress.length, launched.length);
    assert.deepEqual(
      progress
        .slice(0, 2)
        .map(({ phase, repetition, repetitions, launchesDone, failed, etaMs }) => [
          ...[phase, repetition, repetitions, launchesDone, failed, etaMs],
        ]),
      [
        ['launch', 0, 6, 0, 0, null],
        ['launch', 0, 6, 1, 0, null],
      ],
    );
    assert.ok(progress.every(({ launchesDone, launchesTotal }) => launchesDone < launchesTotal));
    const { launches } = estimatedRun(options, [{ cell, skip: null }]);
    assert.ok(launches >= launched.length + 36, `${launches} for ${launched.length} and six of six rates`);
  });

  it('skips a cell with the reason when no rate keeps the limit', async () => {
    const failed = { status: 'failed', message: 'worker w0 died' };
    const { plan, sweep } = await swept({ answer: () => failed });
    assert.deepEqual([sweep.foundPerSecond, sweep.endedBy], [null, 'none']);
    assert.equal(plan[0].skip, 'no rate met p99<1ms, down to 20/s');
    assert.equal(sweep.probes[0].why, 'failed: worker w0 died');
  });
});

describe('a sweep of several cells', () => {
  const transports = ['unix', 'tcp', 'zeromq'];

  it('gives each cell one launch in every step, in a changing order', async () => {
    const { launched } = await swept({ transports });
    const orders = new Set();
    for (let round = 0; round < 6; round += 1) {
      const order = launched.slice(3 * round, 3 * round + 3).map(({ transport }) => transport);
      assert.deepEqual(order.toSorted(), transports.toSorted(), `round ${round}`);
      orders.add(order.join());
    }
    assert.ok(orders.size > 1);
    assert.ok(launched.slice(0, 3).every(({ ratePerSecond }) => ratePerSecond === undefined));
  });

  it('continues without a cell that has ended, and keeps the order of the plan', async () => {
    const answer = (/** @type {Cell} */ asked, /** @type {number} */ order) =>
      asked.transport === 'tcp' && asked.ratePerSecond !== undefined
        ? { status: 'failed', message: 'refused' }
        : simulated(asked, order);
    const { plan, sweeps, launched } = await swept({ transports, answer });
    assert.deepEqual(
      sweeps.map((sweep) => [sweep.cell.transport, sweep.foundPerSecond === null]),
      [
        ['unix', false],
        ['tcp', true],
        ['zeromq', false],
      ],
    );
    const rows = [...new Set(plan.map((planned) => planned.cell.transport))];
    assert.deepEqual(rows, ['unix', 'tcp', 'zeromq', 'pipe']);
    assert.notEqual(launched.at(-1)?.transport, 'tcp');
  });

  it('counts only the launches of a cell towards its time', async () => {
    const maxTimeMs = 60_000;
    const alone = await swept({ maxTimeMs, answer: keptUpTo(6_000) });
    const together = await swept({ maxTimeMs, transports, answer: keptUpTo(6_000) });
    assert.deepEqual(together.sweeps[0], alone.sweep);
    assert.equal(
      together.searchMs,
      together.sweeps.reduce((total, { elapsedMs }) => total + elapsedMs, 0),
    );
    assert.ok(together.searchMs + together.fullMs <= 3 * maxTimeMs);
  });
});

describe('--max-time of a sweep', () => {
  it('bounds the search and the curve, on slow machines as well', async () => {
    for (const maxTimeMs of [30_000, 120_000]) {
      for (const excessMs of [0, 1_000]) {
        for (const [seed, limit] of [
          [1, 6_000],
          [4, 90],
        ]) {
          const wish = { maxTimeMs, excessMs, seed };
          const { searchMs, fullMs, sweep } = await swept({ ...wish, answer: keptUpTo(limit) });
          const usedMs = searchMs + fullMs;
          const found = JSON.stringify({ ...wish, limit, usedMs, found: sweep.foundPerSecond });
          // What a launch takes beyond the estimate is only known from the first on.
          assert.ok(usedMs <= maxTimeMs + excessMs, found);
          assert.equal(sweep.elapsedMs, searchMs);
        }
      }
    }
  });

  it('is long enough by default for thousands per second', async () => {
    const { sweep, rates } = await swept({ maxTimeMs: 240_000, answer: keptUpTo(6_000) });
    assert.notEqual(sweep.endedBy, 'time');
    assert.equal(rates.length + (sweep.ratesLeftOut ?? 0), 6);
    assert.ok((sweep.foundPerSecond ?? 0) > 6_000 / 1.06, `${sweep.foundPerSecond}/s`);
  });

  it('ends the search, whose best rate is measured in full first', async () => {
    const { sweep, rates } = await swept({ maxTimeMs: 70_000, seed: 1, answer: keptUpTo(6_000) });
    const { foundPerSecond: found, endedBy, ratesLeftOut = 0, next } = sweep;
    assert.equal(endedBy, 'time');
    assert.ok(found !== null && Math.abs(found / 6_000 - 1) < 0.3, `${found}/s`);
    assert.ok(rates.includes(found) && rates.length + ratesLeftOut === 6 && ratesLeftOut > 0);
    assert.ok(next && next.maxTimeMs > 70_000);
    const longer = await swept({ maxTimeMs: next.maxTimeMs, seed: 1, answer: keptUpTo(6_000) });
    assert.ok(longer.launched.length > sweep.probes.length + 1);
    assert.ok(longer.launched.some(({ ratePerSecond }) => ratePerSecond === next.ratePerSecond));
  });

  it('is used by the search until a rate is found, and leaves out launches at that rate', async () => {
    const { plan, rates, sweep, searchMs, fullMs } = await swept({
      maxTimeMs: 60_000,
      answer: keptUpTo(1_500),
    });
    const { foundPerSecond: found, launchesLeftOut = 0 } = sweep;
    assert.ok(found !== null && found > 700 && found < 3_000, `${found}/s`);
    assert.deepEqual(rates, [found]);
    assert.ok(searchMs + fullMs <= 60_000, `${searchMs} + ${fullMs}`);
    assert.equal((plan[0].launches ?? 6) + launchesLeftOut, 6);
    assert.ok(launchesLeftOut > 0);
  });

  it('says what of it was kept for the launches at the rate found', async () => {
    const { sweep, launched } = await swept({ maxTimeMs: 25_000, answer: keptUpTo(0) });
    const { next, elapsedMs } = sweep;
    assert.equal(sweep.endedBy, 'time');
    assert.equal(next?.launchesAtFound, 1);
    assert.ok(elapsedMs + (next?.neededMs ?? 0) > 25_000);
    assert.ok(launched.length > 2);
  });

  it('skips rates whose windows are too long', async () => {
    const { plan, sweep, searchMs } = await swept({ maxTimeMs: 120_000, answer: keptUpTo(0) });
    assert.deepEqual([sweep.endedBy, sweep.foundPerSecond], ['time', null]);
    assert.ok(searchMs < 120_000);
    const lowest = Math.min(...sweep.probes.map(({ ratePerSecond }) => ratePerSecond));
    assert.equal(plan[0].skip, `no rate met p99<1ms within --max-time, down to ${lowest}/s`);
    assert.ok(sweep.next && sweep.next.ratePerSecond > 20);
  });

  it('skips a cell if it is too short for any rate', async () => {
    const slow = (/** @type {Cell} */ asked, /** @type {number} */ order) => ({
      ...simulated(asked, order),
      operations: 30,
      windowMs: 1_000,
    });
    const { plan, sweep } = await swept({ maxTimeMs: 60_000, answer: slow, seed: 1 });
    assert.deepEqual([sweep.probes, sweep.endedBy, sweep.foundPerSecond], [[], 'time', null]);
    assert.match(plan[0].skip ?? '', /^no rate could be tried within --max-time, beginning with \d+\/s$/);
    assert.equal(plan[0].cell.ratePerSecond, sweep.next?.ratePerSecond);
  });
});

describe('a sweep of a disturbed machine', () => {
  /**
   * @param {(probe: number, ratePerSecond: number) => boolean} keeps
   * @param {string[]} codes     of each launch of the search
   * @returns {(cell: Cell, order: number) => any}
   */
  const answering = (keeps, codes) => {
    let probes = 0;
    return (asked, order) => {
      const { ratePerSecond } = asked;
      if (ratePerSecond === undefined) return simulated(asked, order);
      const launch = keptUpTo(keeps(probes, ratePerSecond) ? Infinity : 0)(asked, order);
      probes += 1;
      return { ...launch, flags: flagsOf(...codes) };
    };
  };
  const byTurns = (/** @type {number} */ probe) => probe % 2 === 0;

  it('ends early when launches contradict each other, and measures only the rate found in full', async () => {
    const { sweep, rates } = await swept({ answer: answering(byTurns, ['crowded', 'low-rate']) });
    assert.equal(sweep.endedBy, 'disturbed');
    assert.ok(sweep.probes.length <= 12, `${sweep.probes.length} launches`);
    assert.deepEqual(sweep.probes[0].flags, ['crowded', 'low-rate']);
    assert.deepEqual(rates, [sweep.foundPerSecond]);
  });

  it('ends early when no rate keeps the limit', async () => {
    const { sweep, plan } = await swept({ answer: answering(() => false, ['steal']) });
    assert.deepEqual([sweep.endedBy, sweep.foundPerSecond], ['disturbed', null]);
    assert.ok(sweep.probes.length >= 5, 'fewer launches do not show that a machine is often disturbed');
    const least = Math.min(...sweep.probes.map(({ ratePerSecond }) => ratePerSecond));
    assert.ok(least > 50 && least < 10_000 / 8, `${least}/s`);
    assert.match(
      plan[0].skip ?? '',
      /^no rate met p99<1ms, down to \d+\/s on a machine that was too disturbed$/,
    );
  });

  it('continues when launches agree, or are undisturbed', async () => {
    const agreed = await swept({ answer: answering((_probe, rate) => rate <= 6_000, ['crowded']) });
    assert.ok(agreed.sweep.endedBy === 'found' || agreed.sweep.endedBy === 'launches');
    for (const codes of [[], ['too-few-samples']]) {
      const { sweep } = await swept({ answer: answering(byTurns, codes) });
      assert.notEqual(sweep.endedBy, 'disturbed');
    }
  });
});

describe('judgedBySlo', () => {
  const quick = { ratePerSecond: 2_000, serviceMs: 0.1, windowMs: 1_000, seed: 1 };

  it('requires times below the limit and no growing backlog', () => {
    const judged = (/** @type {any} */ wish, us = 1_000) =>
      judgedBySlo(simulatedLaunch({ ...quick, ...wish }), { percentile: 'p99', us });
    assert.equal(judged({}).keeps, true);
    assert.deepEqual([judged({}, 100).keeps, judged({}, 100).why], [false, 'too slow']);
    assert.match(
      judged({ ratePerSecond: 11_000, loops: 4 }, 1e9).why,
      /^the backlog grew: 9\d\.\d % were sent$/,
    );
  });

  it('requires times strictly below the limit, and 99 % of the planned sends', () => {
    const launch = simulatedLaunch(quick);
    const judged = (/** @type {number} */ us, /** @type {object} */ counts = {}) =>
      judgedBySlo(
        { ...launch, open: /** @type {any} */ ({ ...launch.open, ...counts }) },
        { percentile: 'p99', us },
      );
    const us = Number(judged(1e6).us);
    assert.deepEqual([judged(us).keeps, judged(us * 1.001).keeps], [false, true]);
    const sent = (/** @type {number} */ started) => judged(1e6, { due: 2_000, started }).keeps;
    assert.deepEqual([sent(1_980), sent(1_979)], [true, false]);
    assert.equal(judged(1e6, { due: 0, started: 0 }).keeps, true, 'all of none');
    assert.equal(judged(1e6, { due: 1, started: 0 }).keeps, false);
  });

  it('requires the samples of each percentile, and counts requests without a response', () => {
    const timesOf = (/** @type {number} */ count) => {
      const counts = new LatencyCounts();
      for (let index = 0; index < count; index += 1) counts.record(1_000);
      return counts.toLatency();
    };
    const launch = simulatedLaunch(quick);
    /** @param {'p50' | 'p90' | 'p99'} percentile @param {number} count @param {number} [missing] */
    const isJudged = (percentile, count, missing = 0) => {
      const missed = missing > 0 ? { unanswered: timesOf(missing) } : {};
      const open = { ...launch.open, response: timesOf(count), ...missed };
      return judgedBySlo({ ...launch, open: /** @type {any} */ (open) }, { percentile, us: 1e6 }).keeps;
    };
    for (const [percentile, least] of /** @type {const} */ ([
      ['p50', 20],
      ['p90', 100],
      ['p99', 1_000],
    ])) {
      assert.deepEqual([isJudged(percentile, least - 1), isJudged(percentile, least)], [false, true]);
      assert.deepEqual(isJudged(percentile, least - 1, 1), true);
    }
  });

  it('requires enough samples, for which windows of a sweep are long enough', () => {
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
