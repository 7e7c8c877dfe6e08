import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { cellLabel } from '../../lib/cell/labels.js';
import { exitCodeFor } from '../../lib/errors.js';
import { benchstatText, githubActionBenchmarkText } from '../../lib/report/columns/exchange-formats.js';
import { FREE_OPTIONS, SHAPING_OPTIONS } from '../../lib/report/compare/comparability.js';
import { compareResults } from '../../lib/report/compare/compare-results.js';
import { comparisonMarkdown, comparisonTable } from '../../lib/report/compare/comparison-table.js';
import { conclusionsOf } from '../../lib/report/compare/comparison-words.js';
import { evaluateGate } from '../../lib/report/compare/gate.js';
import { LatencyCounts } from '../../lib/statistics/latency-counts.js';
import json from '../../reports/json.js';
import { ALL_FACTS } from '../fixtures/all-transports.js';
import { buildResults, measuredOf } from '../fixtures/build-results.js';
import { COMPARISON_SCHEMA, RESULTS_SCHEMA } from '../fixtures/write-schemas.js';

/** @import { Cell, Results } from '../../lib/types/index.js' */
/** @typedef {Parameters<typeof buildResults>[0]} Recipe */

const RULES = /** @type {const} */ ({ design: 'separate', minEffect: 0.05, isForced: false });

/** @param {Results} old @param {Results} fresh @param {Partial<Parameters<typeof compareResults>[2]>} [rules] */
function compared(old, fresh, rules = {}) {
  return compareResults(
    { name: 'old', source: 'old.json', results: old },
    { name: 'new', source: 'new.json', results: fresh },
    { ...RULES, ...rules },
  );
}

/** Launches of 1 ± a fixed pattern of noise, the same in every call. @param {number} group @param {number} noise */
const wobble = (group, noise) => 1 + noise * Math.sin(group * 2.4 + 1);

/**
 * @param {Record<string, [number, number]>} speeds series → how many times as fast, and noise of its launches
 * @param {Recipe} [recipe]
 * @returns {Results}
 */
function resultsOf(speeds, recipe = {}) {
  const results = buildResults({ series: Object.keys(speeds), launches: 10, ...recipe });
  for (const { cell, launches } of measuredOf(results)) {
    const [speed, noise] = speeds[`${cell.transport}/${cell.codec}`];
    for (const launch of launches)
      launch.values.roundTripsPerSecond = 20_000 * speed * wobble(launch.group, noise);
  }
  return results;
}

const ONE = /** @type {Recipe} */ ({ series: ['unix/json'], launches: 6 });
/** @param {Partial<Cell>} values */
const cellsWith =
  (values) =>
  (/** @type {Results} */ { outcomes }) => {
    for (const { cell } of outcomes) Object.assign(cell, values);
  };
/** @param {Record<string, unknown>} values */
const optionsWith =
  (values) =>
  (/** @type {Results} */ { options }) => {
    Object.assign(options, values);
  };
/** @param {'fixed' | 'poisson'} arrivals */
const openWith = (arrivals) => optionsWith({ open: { ratesPerSecond: [1], arrivals, slo: null } });
const same = () => {};

describe('unlike things are refused with the exact difference', () => {
  const noCell = (/** @type {string} */ why) =>
    `no cell was measured in both: ${why}. Measure the same cells twice.`;
  const unlike = (/** @type {string} */ why) =>
    `the two are not comparable: ${why}. Measure both in the same way, or add --force, which marks the result.`;
  const axes = /** @type {[string, Partial<Cell>, string][]} */ ([
    ['payload', { payloadBytes: 65_536 }, 'payload is 1,000 B in old and 64 KiB in new'],
    ['codec', { codec: 'string' }, 'codec is json in old and string in new'],
    ['transport', { transport: 'tcp' }, 'transport is unix in old and tcp in new'],
    ['settings', { settings: { flush: 'tick' } }, 'transport settings is none in old and flush=tick in new'],
    ['workers', { workers: 1 }, 'workers x loops is 2x4 in old and 1x4 in new'],
    ['loops', { loops: 8 }, 'workers x loops is 2x4 in old and 2x8 in new'],
    ['placement', { placement: 'same' }, 'placement is split in old and same in new'],
    ['scenario', { scenario: 'fan-out' }, 'scenario is round-trip in old and fan-out in new'],
    [
      'load model',
      { ratePerSecond: 500 },
      'load model is closed loops in old and open, 500 per second in new',
    ],
    ['polling', { poll: 'busy' }, 'poll is event in old and busy in new'],
    ['content', { content: 'utf8' }, 'content is ascii in old and utf8 in new'],
    [
      'two axes',
      { codec: 'string', payloadBytes: 1 },
      'codec is json in old and string in new; payload is 1,000 B in old and 1 B in new',
    ],
  ]);
  const cases = /** @type {[string, (results: Results) => void, (results: Results) => void, string][]} */ ([
    ...axes.map(([what, values, why]) => [what, same, cellsWith(values), noCell(why)]),
    [
      'nothing measured',
      same,
      (results) => {
        results.outcomes = [];
      },
      noCell('nothing was measured in new'),
    ],
    [
      'measured time',
      same,
      optionsWith({ measureMs: 500 }),
      unlike('--measure is 1,000 ms in old and 500 ms in new'),
    ],
    ['warm-up', same, optionsWith({ warmupMs: 300 }), unlike('--warmup is auto in old and 300 ms in new')],
    [
      'messages',
      optionsWith({ messages: 10_000 }),
      same,
      unlike('--messages is 10,000 in old and not given in new'),
    ],
    ['quick', same, optionsWith({ quick: true }), unlike('--quick is off in old and on in new')],
    [
      'arrivals',
      openWith('fixed'),
      openWith('poisson'),
      unlike('--arrivals is fixed in old and poisson in new'),
    ],
    [
      'an option of a later version',
      optionsWith({ integrity: 'full' }),
      optionsWith({ integrity: 'none' }),
      unlike('integrity is full in old and none in new'),
    ],
    [
      'two options',
      same,
      optionsWith({ quick: true, measureMs: 1 }),
      unlike('--measure is 1,000 ms in old and 1 ms in new; --quick is off in old and on in new'),
    ],
  ]);
  test('refuses each difference, and names it', () => {
    for (const [name, changeOld, changeNew, message] of cases) {
      const [old, fresh] = [buildResults(ONE), buildResults(ONE)];
      changeOld(old);
      changeNew(fresh);
      const isExpected = (/** @type {any} */ error) => error.message === message && exitCodeFor(error) === 2;
      assert.throws(() => compared(old, fresh), isExpected, name);
    }
  });

  test('ignores an option that only one version has', () => {
    const later = buildResults(ONE);
    Object.assign(later.options, { someday: true });
    assert.deepEqual(compared(buildResults(ONE), later).forced, []);
    assert.deepEqual(compared(later, buildResults(ONE)).forced, []);
  });

  test('knows of every option whether it shapes a measurement', () => {
    const keys = Object.keys(RESULTS_SCHEMA.$defs.SavedOptions.properties);
    const unknown = keys.filter((key) => !FREE_OPTIONS.has(key) && !Object.hasOwn(SHAPING_OPTIONS, key));
    assert.deepEqual(
      unknown,
      [],
      'what it shapes is to be said in lib/options/flags.js, launch-table.js or output-table.js',
    );
  });

  test('ignores the order of settings', () => {
    const [old, fresh] = [buildResults(ONE), buildResults(ONE)];
    old.outcomes[0].cell.settings = { flush: 'tick', noDelay: false };
    fresh.outcomes[0].cell.settings = { noDelay: false, flush: 'tick' };
    assert.equal(compared(old, fresh).rows.length, 1);
  });
});

describe('unlike surroundings are said, and nothing is refused for them', () => {
  // The sentences on them are in test/fixtures/snapshots/compare.txt.
  const ofMachine = /** @type {Partial<Results['environment']>[]} */ ([
    { cpuModel: 'Arm' },
    { logicalCpus: 8 },
    { usableCpus: null },
    { cpuQuota: 1.5 },
    { memoryBytes: 4 * 2 ** 30 },
    { platform: 'darwin' },
    { hypervisor: null },
  ]);
  const around = /** @type {Partial<Results['environment']>[]} */ ([
    { node: 'v22.1.0' },
    { nodeFlags: ['--jitless'] },
    { variables: { UV_THREADPOOL_SIZE: '64' } },
    { kernel: '6.2' },
    { os: 'Alpine' },
    { governor: 'powersave' },
    { turbo: true },
    { smt: false },
    { container: 'docker' },
    { memoryLimitBytes: 2 ** 30 },
    { pinning: false },
    { packages: { ioredis: '7.0.0' } },
    { brokers: { redis: { version: '7.2.0', config: {}, origin: 'private' } } },
  ]);
  test('tells another machine from another environment of the same', () => {
    for (const [changes, counts] of /** @type {const} */ ([
      [ofMachine, [1, 0]],
      [around, [0, 1]],
      [[{ memoryBytes: 8 * 2 ** 30 + 2 ** 24 }], [0, 0]],
    ]))
      for (const change of changes) {
        const fresh = buildResults({ ...ONE, seed: 2 });
        Object.assign(fresh.environment, change);
        const { machineDifferences, environmentDifferences } = compared(buildResults(ONE), fresh);
        assert.deepEqual(
          [machineDifferences.length, environmentDifferences.length],
          counts,
          JSON.stringify(change),
        );
      }
  });

  test('names differences of the hosts of workers', () => {
    const across = (/** @type {Partial<Results['environment']>} */ ofB) => {
      const results = buildResults(ONE);
      const { environment } = results;
      const b = { role: /** @type {const} */ ('worker'), environment: { ...environment, ...ofB } };
      return { ...results, hosts: { a: { role: /** @type {const} */ ('master'), environment }, b } };
    };
    const other = { cpuModel: 'Arm', node: 'v22.1.0', packages: { ioredis: '7.0.0' } };
    const comparison = compared(across({}), across(other));
    assert.deepEqual(comparison.machineDifferences, [
      'CPU of host b is AMD EPYC 7763 64-Core Processor in old and Arm in new',
    ]);
    assert.deepEqual(comparison.environmentDifferences, [
      'Node of host b is v20.20.2 in old and v22.1.0 in new',
      'package ioredis of host b is 6.0.1 in old and 7.0.0 in new',
    ]);
  });

  test('names transports of another kind, if both runs saved it', () => {
    const fresh = buildResults({ ...ONE, seed: 2 });
    fresh.transports = { unix: ALL_FACTS['threads-shared'] };
    const old = { ...buildResults(ONE), transports: undefined };
    const differencesOf = (/** @type {Results} */ before) => compared(before, fresh).environmentDifferences;
    assert.deepEqual(differencesOf(old), []);
    const threads = ['kind of transports is plain processes in old and threads, not processes in new'];
    assert.deepEqual(differencesOf({ ...old, transports: { unix: ALL_FACTS.unix } }), threads);
    // Only the sides of one run compare rows of different transports.
    const others = { ...old, transports: { pipe: ALL_FACTS.unix } };
    assert.deepEqual(differencesOf(others), []);
    const [variant, ofFresh] = ['A', 'B'].map((name) => ({ name, written: '', runId: '0123456789abcdef' }));
    fresh.variant = ofFresh;
    assert.deepEqual(differencesOf({ ...others, variant }), threads);
  });

  test('begins with the differences of two runs, or says that there are none', () => {
    const fresh = buildResults({ ...ONE, seed: 2 });
    const firstLine = (/** @type {typeof RULES.design | 'interleaved'} */ design) =>
      comparisonTable(compared(buildResults(ONE), fresh, { design })).split('\n')[0];
    assert.match(firstLine('separate'), /^Both runs have the same machine/);
    assert.doesNotMatch(firstLine('interleaved'), /machine/);
    Object.assign(fresh.environment, { node: 'v22.1.0', kernel: '6.2' });
    assert.match(firstLine('separate'), /^Different environments: Node is v20\.20\.2 in old and v22\.1\.0/);
    fresh.environment.cpuModel = 'Arm';
    assert.match(firstLine('separate'), /^Different machines: CPU is .* and Arm in new; Node is/);
  });

  test('names another version, an unfinished run, swapped files and one file given twice', () => {
    const fresh = buildResults({ ...ONE, seed: 2, status: 'interrupted' });
    fresh.tool.version = '0.2.0';
    fresh.startedAt = '2025-12-31T00:00:00.000Z';
    const { environmentDifferences, warnings } = compared(buildResults(ONE), fresh);
    assert.deepEqual(environmentDifferences, ['ipc-bench is 0.1.0 in old and 0.2.0 in new']);
    assert.deepEqual(warnings, ['the run of new was not finished', 'new was measured before old']);
    assert.deepEqual(compared(buildResults(ONE), buildResults(ONE)).warnings, [
      'you gave the same file twice',
    ]);
  });
});

describe('cells that one side lacks', () => {
  test('lists missing cells with the reason, and compares the others', () => {
    const series = ['pipe/json', 'unix/json', 'tcp/json', 'zeromq/json', 'redis-pubsub/json'];
    const isOf =
      (/** @type {string} */ name) =>
      (/** @type {Cell} */ { transport }) =>
        transport === name;
    const old = buildResults({ series: series.slice(0, 4), launches: 6 });
    const fresh = buildResults({
      series: series.filter((name) => name !== 'zeromq/json'),
      launches: 6,
      skip: (cell) => (isOf('tcp')(cell) ? 'no network' : null),
      fail: (cell) => (isOf('unix')(cell) ? 'worker w0 died' : null),
    });
    const { rows, missing } = compared(old, fresh);
    assert.deepEqual(
      rows.map(({ cell }) => cell.transport),
      ['pipe'],
    );
    assert.deepEqual(
      missing.map(({ cell, side, reason }) => [cell.transport, side, reason]),
      [
        ['unix', 'new', 'failed: in all 6 launches: worker w0 died'],
        ['tcp', 'new', 'skipped: no network'],
        ['zeromq', 'new', 'not in the plan'],
        ['redis-pubsub', 'old', 'not in the plan'],
      ],
    );
  });

  test('lists cells that failed on both sides, and none that both skipped', () => {
    const recipe = /** @type {Recipe} */ ({
      series: ['pipe/json', 'unix/json', 'tcp/json'],
      launches: 6,
      skip: ({ transport }) => (transport === 'tcp' ? 'no network' : null),
      fail: ({ transport }) => (transport === 'unix' ? 'worker w0 died' : null),
    });
    const { missing } = compared(buildResults(recipe), buildResults(recipe));
    assert.deepEqual(
      missing.map(({ cell, side }) => [cell.transport, side]),
      [['unix', 'both']],
    );
  });
});

const OLD = resultsOf({
  'pipe/json': [1, 0.02],
  'unix/json': [1, 0.02],
  'tcp/json': [1, 0.2],
  'zeromq/json': [1, 0.02],
});
const NEW = resultsOf(
  {
    'pipe/json': [1.001, 0.02],
    'unix/json': [1.36, 0.02],
    'tcp/json': [1.05, 0.21],
    'zeromq/json': [0.5, 0.02],
  },
  { seed: 2 },
);

describe('verdicts', () => {
  test('judges separate runs by a model of each side, and says that they are not interleaved', () => {
    const comparison = compared(OLD, NEW);
    assert.deepEqual(
      comparison.rows.map(({ verdict }) => verdict),
      ['same', 'faster', 'inconclusive', 'slower'],
    );
    assert.ok(comparison.rows.every(({ ratio }) => ratio.method === 'log-model' && ratio.level === 0.95));
    assert.match(comparisonTable(comparison), /^Not interleaved/m);
    assert.match(comparisonMarkdown(comparison), /Not interleaved/);
  });

  test('judges interleaved launches by the model of rows and groups, in which shared noise cancels', () => {
    const noisy = (/** @type {number} */ speed) => resultsOf({ 'tcp/json': [speed, 0.3] });
    const separate = compared(noisy(1), noisy(1.1));
    const interleaved = compared(noisy(1), noisy(1.1), { design: 'interleaved' });
    assert.equal(separate.rows[0].verdict, 'inconclusive');
    assert.equal(interleaved.rows[0].verdict, 'faster');
    assert.equal(interleaved.rows[0].ratio.method, 'log-model');
    assert.doesNotMatch(comparisonTable(interleaved), /Not interleaved/);
  });

  test('pairs interleaved launches by group', () => {
    const old = resultsOf({ 'tcp/json': [1, 0.3] });
    const fresh = resultsOf({ 'tcp/json': [1.1, 0.3] });
    measuredOf(fresh)[0].launches.reverse();
    measuredOf(old)[0].launches.shift();
    const [{ ratio, verdict }] = compared(old, fresh, { design: 'interleaved' }).rows;
    assert.equal(verdict, 'faster');
    assert.equal(ratio.n, 9);
  });

  test('needs 2 launches a side, or 2 groups, and no quick run', () => {
    const results = (/** @type {number} */ launches, quick = false) =>
      resultsOf({ 'unix/json': [launches, 0.01] }, { launches, quick });
    const least = 2;
    for (const design of /** @type {const} */ (['separate', 'interleaved'])) {
      const rules = { design };
      const enough = compared(
        resultsOf({ 'unix/json': [1, 0.01] }, { launches: least }),
        results(least),
        rules,
      );
      assert.equal(enough.rows[0].verdict, 'faster', design);
      const few = compared(
        resultsOf({ 'unix/json': [1, 0.01] }, { launches: least - 1 }),
        results(least - 1),
        rules,
      );
      const [{ verdict, p, ratio, moreLaunches, why }] = few.rows;
      assert.deepEqual([verdict, p, ratio.level], ['inconclusive', null, null]);
      assert.equal(moreLaunches, null, 'the least number of launches is no estimate');
      assert.equal(why?.code, 'few-launches');
    }
    const [quick] = compared(results(6, true), results(6, true)).rows;
    assert.deepEqual(
      [quick.verdict, quick.why, quick.moreLaunches],
      ['inconclusive', { code: 'quick' }, null],
    );
    const [short] = compared(results(3, true), results(3, true)).rows;
    assert.equal(short.moreLaunches, null, 'more launches of a quick run would settle nothing');
  });

  test('corrects for the number of cells', () => {
    const recipe = { payloads: Array.from({ length: 24 }, (_, index) => index + 1), launches: 6 };
    const { rows } = compared(
      resultsOf({ 'unix/json': [1, 0.05] }, recipe),
      resultsOf({ 'unix/json': [1.06, 0.05] }, { ...recipe, seed: 2 }),
    );
    const least = rows.toSorted((one, other) => Number(one.p) - Number(other.p))[0];
    assert.ok(Math.abs(Number(least.adjustedP) - Math.min(1, 24 * Number(least.p))) < 1e-9);
    const alone = rows.filter(({ p }) => Number(p) <= 0.05);
    assert.ok(alone.length > 3, String(alone.length));
    assert.ok(rows.every(({ verdict, adjustedP }) => verdict !== 'faster' || Number(adjustedP) <= 0.05));
    assert.ok(
      alone.some(({ verdict, moreLaunches }) => verdict === 'inconclusive' && Number(moreLaunches) > 0),
    );
  });

  test('corrects for the number of cells whether one is beyond the least effect, too', () => {
    const [alone, among] = [1, 24].map((cells) => {
      const recipe = { payloads: Array.from({ length: cells }, (_, index) => index + 1) };
      const [old, fresh] = [1, 2].map((seed) => resultsOf({ 'unix/json': [1, 0.05] }, { ...recipe, seed }));
      for (const { group, values } of measuredOf(fresh)[0].launches)
        values.roundTripsPerSecond = 0.9 * 20_000 * wobble(group, 0.05);
      return compared(old, fresh).rows[0];
    });
    assert.deepEqual([alone.verdict, alone.isBeyond], ['slower', true]);
    assert.deepEqual([among.verdict, among.isBeyond], ['slower', false]);
  });

  test('compares two runs of three launches each, with levels whose quotient is the ratio', () => {
    const speeds = /** @type {Record<string, [number, number]>} */ ({
      'pipe/json': [1, 0.03],
      'unix/json': [1, 0.3],
      'tcp/json': [1, 0.03],
    });
    const { rows } = compared(
      resultsOf(speeds, { launches: 3 }),
      resultsOf({ ...speeds, 'tcp/json': [0.5, 0.03] }, { launches: 3, seed: 3 }),
    );
    assert.deepEqual(
      rows.map(({ why, verdict }) => [why, verdict === 'slower']),
      [
        [null, false],
        [null, false],
        [null, true],
      ],
    );
    for (const { ratio, old, new: fresh } of rows)
      assert.ok(Math.abs(fresh.estimate / old.estimate / ratio.estimate - 1) < 1e-9);
  });

  test('inverts verdicts if the sides are swapped', () => {
    const there = compared(OLD, NEW);
    const back = compared(NEW, OLD);
    for (const [index, { ratio }] of there.rows.entries()) {
      assert.ok(Math.abs(ratio.estimate * back.rows[index].ratio.estimate - 1) < 1e-9);
      assert.ok(Math.abs(ratio.low * back.rows[index].ratio.high - 1) < 1e-9);
    }
    assert.deepEqual(
      back.rows.map(({ verdict }) => verdict),
      ['same', 'slower', 'inconclusive', 'faster'],
    );
  });

  test('calls a run the same as itself, not inconclusive', () => {
    const results = resultsOf({ 'unix/json': [1, 0.02] });
    const [{ verdict, ratio, p }] = compared(results, results).rows;
    assert.deepEqual([verdict, ratio.estimate, p], ['same', 1, 1]);
  });

  test('compares response times under open load', () => {
    const results = (/** @type {number} */ us) => {
      const made = resultsOf({ 'unix/json': [1, 0] });
      for (const outcome of measuredOf(made)) {
        outcome.cell.ratePerSecond = 500;
        for (const launch of outcome.launches) {
          const counts = new LatencyCounts();
          for (let count = 0; count < 2000; count++)
            counts.record(Math.round(us * 1000 * wobble(launch.group, 0.02)));
          const response = counts.toLatency();
          launch.open = /** @type {any} */ ({ arrivals: 'fixed', response });
        }
      }
      return made;
    };
    const comparison = compared(results(100), results(200));
    const [{ measure, ratio, verdict, old }] = comparison.rows;
    assert.deepEqual([measure.name, verdict], ['responseP99Us', 'slower']);
    assert.ok(Math.abs(ratio.estimate - 0.5) < 0.02 && Math.abs(old.estimate - 100) < 3);
    assert.match(comparisonTable(comparison), /p99 of response time, µs/);
    assert.match(conclusionsOf(comparison)[1], /new has 0\.500× the speed by p99 of response time of old \(/);
  });

  test('refuses rates of 0 and broken histograms', () => {
    const broken = buildResults(ONE);
    measuredOf(broken)[0].launches[0].values.roundTripsPerSecond = 0;
    assert.throws(() => compared(buildResults(ONE), broken), { code: 'BAD_RESULTS_FILE' });
    const garbled = buildResults(ONE);
    for (const { launches } of measuredOf(garbled))
      for (const launch of launches)
        launch.open = /** @type {any} */ ({ response: { count: 1, histogram: 'x' } });
    assert.throws(() => compared(garbled, garbled), { code: 'BAD_RESULTS_FILE' });
  });
});

describe('geometric mean', () => {
  test('takes the geometric mean of the groups of each question', () => {
    const recipe = { payloads: [100, 1000] };
    const old = resultsOf({ 'pipe/json': [1, 0], 'unix/json': [1, 0] }, recipe);
    const fresh = resultsOf({ 'pipe/json': [2, 0], 'unix/json': [0.5, 0] }, recipe);
    for (const { cell, launches } of measuredOf(fresh))
      if (cell.payloadBytes === 100 && cell.transport === 'unix')
        for (const launch of launches)
          launch.values.roundTripsPerSecond = 4 * (launch.values.roundTripsPerSecond ?? 0);
    const means = compared(old, fresh).geometricMeans;
    assert.deepEqual(
      means.map(({ payloadBytes, cells }) => [payloadBytes, cells]),
      [
        [100, 2],
        [1000, 2],
      ],
    );
    assert.ok(Math.abs(means[0].ratio.estimate - 2) < 1e-9);
    assert.ok(Math.abs(means[1].ratio.estimate - 1) < 1e-9);
    assert.equal(means[0].ratio.level, 0.95);
  });

  test('lies between the ratios of its rows', () => {
    const noise = /** @type {const} */ ({ 'pipe/json': 0.3, 'unix/json': 0.02, 'tcp/json': 0.15 });
    for (const seed of [1, 2, 3, 4, 5]) {
      const speeds = (/** @type {number} */ speed) =>
        Object.fromEntries(Object.entries(noise).map(([row, spread]) => [row, [speed, spread]]));
      const { rows, geometricMeans } = compared(
        resultsOf(/** @type {any} */ (speeds(1)), { seed }),
        resultsOf(/** @type {any} */ (speeds(1.1)), { seed: seed + 10 }),
      );
      const product = rows.reduce((all, { ratio }) => all * ratio.estimate, 1);
      assert.ok(Math.abs(geometricMeans[0].ratio.estimate - product ** (1 / 3)) < 1e-9);
    }
  });

  test('makes a mean for each of two questions', () => {
    const speeds = /** @type {Record<string, [number, number]>} */ ({
      'pipe/json': [1, 0],
      'unix/json': [1, 0],
    });
    /** @param {number} speed @param {Partial<Cell>} difference */
    const twice = (speed, difference) => {
      const [results, other] = [resultsOf(speeds), resultsOf(speeds)];
      for (const outcome of measuredOf(other)) {
        outcome.cell = { ...outcome.cell, ...difference };
        for (const launch of outcome.launches)
          launch.values.roundTripsPerSecond = speed * (launch.values.roundTripsPerSecond ?? 0);
      }
      results.outcomes.push(...other.outcomes);
      return results;
    };
    for (const difference of /** @type {Partial<Cell>[]} */ ([
      { payloadBytes: 100 },
      { content: 'utf8' },
      { scenario: 'other' },
      { workers: 8 },
      { loops: 8 },
      { placement: 'same' },
      { poll: 'busy' },
    ])) {
      const { rows, geometricMeans } = compared(twice(1, difference), twice(4, difference));
      const { transport: _transport, settings: _settings, codec: _codec, ...question } = rows[0].cell;
      assert.deepEqual(
        geometricMeans.map(({ measure: _measure, ratio, ...rest }) => [
          rest,
          Number(ratio.estimate.toFixed(9)),
        ]),
        [
          [{ ...question, cells: 2 }, 1],
          [{ ...question, ...difference, cells: 2 }, 4],
        ],
      );
    }
  });

  test('leaves out of a mean groups in which a cell was not launched', () => {
    const old = resultsOf({ 'pipe/json': [1, 0], 'unix/json': [100, 0] });
    measuredOf(old)[1].launches.splice(0, 2);
    const [{ ratio }] = compared(
      old,
      resultsOf({ 'pipe/json': [1, 0], 'unix/json': [100, 0] }),
    ).geometricMeans;
    assert.deepEqual([Math.round(ratio.estimate * 1e9) / 1e9, ratio.n], [1, 8]);
  });
});

describe('the table', () => {
  test('fits into the columns of the terminal, and has no ESC byte without colours', () => {
    const comparison = compared(OLD, NEW);
    for (const columns of [60, 80, 120]) {
      for (const line of comparisonTable(comparison, { columns }).split('\n')) {
        assert.ok([...line].length <= columns, `${columns}: ${line}`);
      }
    }
    assert.equal(comparisonTable(comparison).includes('\u001b'), false);
    assert.equal(comparisonTable(comparison, { colour: true }).includes('\u001b[31m'), true);
  });
});

describe('the gate', () => {
  const slower = () => compared(OLD, NEW);
  test('fails with 4 for cells that are slower beyond the least effect', () => {
    assert.equal(evaluateGate(slower(), ['slower']).exitCode, 4);
    assert.equal(evaluateGate(slower(), []).exitCode, 0);
    const little = compared(
      resultsOf({ 'unix/json': [1, 0.004] }),
      resultsOf({ 'unix/json': [0.953, 0.004] }),
    );
    assert.deepEqual([little.rows[0].verdict, little.rows[0].isBeyond], ['slower', false]);
    assert.deepEqual(evaluateGate(little, ['slower']), { exitCode: 0, why: null });
  });

  test('takes a difference that is only just found for one beyond the least effect, unless noise hides 50 %', () => {
    const isBeyond = (/** @type {number} */ speed, /** @type {number} */ noise) => {
      const [{ verdict, ...row }] = compared(
        resultsOf({ 'unix/json': [1, noise] }),
        resultsOf({ 'unix/json': [speed, noise] }),
      ).rows;
      assert.equal(verdict, 'slower');
      const isFound = 1 / row.ratio.estimate >= Number(row.detectableRatio);
      return { isHidden: Number(row.detectableRatio) >= 1.5, isFound, isBeyond: row.isBeyond };
    };
    assert.deepEqual(isBeyond(0.7, 0.3), { isHidden: false, isFound: false, isBeyond: true });
    assert.deepEqual(isBeyond(0.65, 0.35), { isHidden: true, isFound: false, isBeyond: false });
    assert.deepEqual(isBeyond(0.6, 0.35), { isHidden: true, isFound: true, isBeyond: true });
  });

  test('fails with 5 for cells that are slower in separate runs of two launches', () => {
    const few = compared(
      resultsOf({ 'unix/json': [1, 0.004] }, { launches: 2 }),
      resultsOf({ 'unix/json': [0.5, 0.004] }, { launches: 2 }),
    );
    assert.deepEqual([few.rows[0].verdict, few.rows[0].isBeyond], ['slower', true]);
    const { exitCode, why } = evaluateGate(few, ['slower']);
    assert.equal(exitCode, 5);
    assert.match(why ?? '', /No failure for 1 cell that is slower: fewer than 3 launches a side/);
  });

  test('fails with 5 for inconclusive cells and with 3 for missing ones, the worst first', () => {
    const unclear = compared(resultsOf({ 'tcp/json': [1, 0.2] }), resultsOf({ 'tcp/json': [1.05, 0.21] }));
    assert.equal(evaluateGate(unclear, ['slower']).exitCode, 0);
    assert.equal(evaluateGate(unclear, ['slower', 'inconclusive']).exitCode, 5);
    assert.match(evaluateGate(unclear, ['slower']).why ?? '', /^Passed undecided: .* may have been missed/);
    assert.match(evaluateGate(unclear, ['inconclusive']).why ?? '', /^Failed .* may have been missed/);
    assert.equal(evaluateGate(unclear, []).why, null);
    const lacking = compared(OLD, { ...NEW, outcomes: NEW.outcomes.slice(0, 3) });
    assert.equal(evaluateGate(lacking, ['slower']).exitCode, 0);
    assert.equal(evaluateGate(lacking, ['inconclusive', 'missing']).exitCode, 3);
    assert.equal(evaluateGate(slower(), ['inconclusive', 'slower', 'missing']).exitCode, 4);
  });

  test('proposes more launches only if a cell without a fault lacks them', () => {
    const whyOf = (/** @type {string[]} */ codes) => {
      const sideOf = (/** @type {number} */ speed) =>
        resultsOf({ 'tcp/json': [speed, 0.2] }, { flag: () => codes });
      return evaluateGate(compared(sideOf(1), sideOf(1.05)), ['slower']).why ?? '';
    };
    assert.match(whyOf([]), /--launches/);
    const single = resultsOf({ 'tcp/json': [1, 0.2] }, { launches: 1 });
    assert.match(evaluateGate(compared(single, single), ['slower']).why ?? '', /--launches/);
    assert.match(whyOf(['cold']), /may have been missed/);
    assert.doesNotMatch(whyOf(['cold']), /--launches/);
  });

  test('fails with 5 for a cell that is slower while other load disturbed its launches', () => {
    const measured = (/** @type {number} */ speed, /** @type {string[]} */ codes) =>
      resultsOf(
        { 'unix/json': [speed, 0.01], 'pipe/json': [1, 0.01] },
        { flag: ({ transport }) => (transport === 'unix' ? codes : []) },
      );
    const gateOf = (/** @type {string[]} */ codes) =>
      evaluateGate(compared(measured(1, []), measured(0.5, codes), { design: 'interleaved' }), ['slower']);
    assert.equal(gateOf([]).exitCode, 4);
    assert.equal(gateOf(['bottleneck']).exitCode, 4);
    const { exitCode, why } = gateOf(['crowded']);
    assert.equal(exitCode, 5);
    assert.match(why ?? '', /Repeat the comparison/);
  });

  test('fails no build for two machines, unless forced or interleaved', () => {
    const fresh = structuredClone(NEW);
    fresh.environment.cpuModel = 'another';
    const { exitCode, why } = evaluateGate(compared(OLD, fresh), ['slower']);
    assert.equal(exitCode, 0);
    assert.match(
      why ?? '',
      /not interleaved and come from different machines \(CPU is .*Run both on one machine, or add --force/,
    );
    const elsewhere = structuredClone(fresh);
    Object.assign(elsewhere.environment, { logicalCpus: 999, arch: 'riscv64', hypervisor: 'another' });
    assert.match(
      evaluateGate(compared(OLD, elsewhere), ['slower']).why ?? '',
      /different machines \(CPU is [^,]*, CPUs is [^,]* and 2 more\)\. /,
    );
    assert.equal(evaluateGate(compared(OLD, fresh), ['slower', 'inconclusive']).exitCode, 5);
    assert.equal(evaluateGate(compared(OLD, fresh, { isForced: true }), ['slower']).exitCode, 4);
    assert.equal(evaluateGate(compared(OLD, fresh, { design: 'interleaved' }), ['slower']).exitCode, 4);
  });
});

describe('controls', () => {
  const speeds = (/** @type {number} */ unix, /** @type {number} */ pipe, noise = 0.02) =>
    /** @type {Record<string, [number, number]>} */ ({
      'unix/json': [unix, noise],
      'pipe/json': [pipe, noise],
    });
  const old = resultsOf(speeds(1, 1));
  const against = (
    /** @type {ReturnType<typeof speeds>} */ fresh,
    /** @type {Partial<Parameters<typeof compareResults>[2]>} */ rules = {},
  ) =>
    compared(old, resultsOf(fresh, { seed: 2 }), {
      controls: ['pipe/json'],
      design: 'interleaved',
      ...rules,
    });
  const gateOf = (
    /** @type {ReturnType<typeof compared>} */ comparison,
    /** @type {Parameters<typeof evaluateGate>[1]} */ failOn = ['slower'],
  ) => evaluateGate(comparison, failOn).exitCode;

  test('a control that does not differ is no row, and changes no verdict', () => {
    const comparison = against(speeds(0.8, 1.001));
    assert.deepEqual(
      [comparison.rows, comparison.controls].map((rows) => rows.map(({ cell }) => cell.transport)),
      [['unix'], ['pipe']],
    );
    assert.equal(comparison.controls[0].isBeyond, false);
    assert.equal(comparison.geometricMeans.length, 0);
    assert.equal(gateOf(comparison), 4);
    assert.equal(gateOf(against(speeds(1, 1))), 0);
    assert.match(comparisonMarkdown(comparison), /^\| pipe\/json .*\| control \|/m);
  });

  test('no row passes or fails beside a control that moved, in whatever direction', () => {
    for (const [unix, pipe] of [
      [0.8, 0.96],
      [0.8, 1.04],
      [1, 0.96],
      [1.2, 1.04],
    ]) {
      const comparison = against(speeds(unix, pipe));
      assert.equal(comparison.controls[0].isBeyond, true);
      assert.equal(comparison.findings[0].kind, 'control-moved');
      assert.equal(gateOf(comparison), 5);
      assert.equal(gateOf(comparison, []), 0, 'there is no gate');
    }
  });

  test('a missing row fails beside a control that moved', () => {
    const fresh = resultsOf(speeds(1, 0.9), {
      fail: ({ transport }) => (transport === 'unix' ? 'died' : null),
    });
    const series = ['unix/json', 'pipe/json', 'tcp/json'];
    const rest = { 'tcp/json': /** @type {[number, number]} */ ([1, 0.02]) };
    const comparison = compared(
      resultsOf({ ...speeds(1, 1), ...rest }, { series }),
      { ...fresh, outcomes: [...fresh.outcomes, ...resultsOf(rest).outcomes] },
      { controls: ['pipe/json'] },
    );
    assert.equal(gateOf(comparison, ['slower', 'missing']), 3);
    assert.equal(gateOf(comparison), 5);
  });

  test('a certain movement below the margin, and an uncertain one above it, are none', () => {
    assert.equal(against(speeds(1, 0.985)).controls[0].isBeyond, false);
    const noisy = compared(resultsOf(speeds(1, 1, 0.2)), resultsOf(speeds(1, 0.95, 0.21), { seed: 2 }), {
      controls: ['pipe/json'],
    });
    assert.equal(noisy.controls[0].isBeyond, false);
    assert.equal(gateOf(noisy), 0);
  });

  test('the margin is the least effect of interest if that is smaller', () => {
    assert.equal(against(speeds(1, 0.985), { minEffect: 0.01 }).controls[0].isBeyond, true);
  });

  test('a control without a verdict leaves the comparison open', () => {
    const few = (/** @type {number} */ seed) => resultsOf(speeds(1, 1), { launches: 1, seed });
    const comparison = compared(few(1), few(2), { controls: ['pipe/json'] });
    assert.equal(comparison.controls[0].why?.code, 'few-launches');
    assert.ok(comparison.findings.some(({ kind }) => kind === 'control-unjudged'));
    assert.equal(gateOf(comparison, ['slower', 'inconclusive']), 5);
  });

  test('a control that one side lacks is refused with the reason, and so are controls alone', () => {
    const lacking = resultsOf(speeds(1, 1), {
      fail: ({ transport }) => (transport === 'pipe' ? 'it died' : null),
    });
    const refused = (/** @type {string[]} */ controls, fresh = old) => {
      try {
        compared(old, fresh, { controls, isForced: true });
        return '';
      } catch (error) {
        assert.equal(exitCodeFor(error), 2);
        return /** @type {Error} */ (error).message;
      }
    };
    assert.match(
      refused(['pipe/json'], lacking),
      /"pipe\/json" was not measured in new \(failed: .*it died\)/,
    );
    assert.match(refused(['pipe/jsn']), /is in neither old nor new\. .*Did you mean pipe\/json/);
    assert.match(refused(['pipe/json', 'unix/json']), /are controls/);
  });

  test('a control is named without its runtime, or with it', () => {
    const on = (/** @type {number} */ seed) => {
      const results = resultsOf(speeds(1, 1), { seed });
      for (const { cell } of results.outcomes) cell.runtime = 'bun';
      return results;
    };
    for (const row of ['pipe/json', 'pipe/json on bun']) {
      const { controls } = compared(on(1), on(2), { controls: [row] });
      assert.equal(controls.length, 1, row);
    }
  });
});

describe('documents', () => {
  test('conforms to the published schema, with the method of every estimate', async () => {
    const isValid = new Ajv2020({ strict: false, formats: {} }).compile(COMPARISON_SCHEMA);
    const lacking = compared(OLD, { ...NEW, outcomes: NEW.outcomes.slice(0, 3) });
    const failed = compared(
      OLD,
      resultsOf(
        { 'pipe/json': [1, 0.02], 'unix/json': [1, 0.02] },
        {
          fail: ({ transport }) => (transport === 'unix' ? 'x'.repeat(10_000) : null),
        },
      ),
    );
    const few = compared(buildResults({ ...ONE, launches: 3 }), buildResults({ ...ONE, launches: 3 }));
    for (const comparison of [
      compared(OLD, NEW),
      compared(OLD, NEW, { design: 'interleaved' }),
      compared(OLD, NEW, { controls: ['pipe/json', 'unix/json'] }),
      lacking,
      failed,
      few,
    ]) {
      assert.ok(isValid(JSON.parse(JSON.stringify(comparison))), JSON.stringify(isValid.errors));
    }
    const broken = JSON.parse(JSON.stringify(few));
    delete broken.rows[0].ratio.method;
    assert.equal(isValid(broken), false);
    await assert.rejects(
      async () => json.comparison?.render(/** @type {any} */ ({ comparison: broken })),
      /rows\[0\]\.ratio lacks method/,
    );
  });

  test('leaves the tables out of a step summary that has no room for them, and says so', () => {
    const comparison = compared(OLD, NEW);
    const whole = comparisonMarkdown(comparison);
    const bytes = Buffer.byteLength(whole);
    assert.equal(comparisonMarkdown(comparison, bytes), whole);
    const cut = comparisonMarkdown(comparison, bytes - 1);
    assert.match(cut, /- The table of 4 rows is left out here: the summary may not be larger\./);
    assert.match(cut, /^- zeromq\/json at .* is slower beyond 5 %/m);
    assert.equal(cut.includes('| zeromq/json'), false);
    assert.equal(comparisonMarkdown(comparison, Buffer.byteLength(cut) - 1), '');
  });

  test('lets no label of a file become markup, a command or another line', () => {
    const hostile =
      'a\u001b[31m\u001b]0;title\u0007|b`c`\n::error::x\r\nBenchmarkEvil 1 2 ns/op <img src=x onerror=alert(1)>\u202e';
    const made = buildResults({ series: ['pipe/json'], launches: 6 });
    Object.assign(made.outcomes[0].cell, {
      transport: hostile,
      codec: hostile,
      settings: { [hostile]: hostile },
    });
    made.outcomes.push({
      ...structuredClone(made.outcomes[0]),
      cell: { ...made.outcomes[0].cell, payloadBytes: 7 },
    });
    Object.assign(made.environment, { cpuModel: hostile, node: hostile });
    made.tool.version = hostile;
    const other = structuredClone(made);
    other.outcomes[1] = {
      status: 'failed',
      cell: other.outcomes[1].cell,
      code: hostile,
      message: hostile,
      launches: [],
    };
    Object.assign(other.environment, {
      kernel: hostile,
      governor: hostile,
      packages: { [hostile]: hostile },
    });
    const comparison = compareResults(
      { name: hostile, source: hostile, results: made },
      { name: 'new', source: 'new.json', results: other },
      RULES,
    );
    const texts = [
      comparisonTable(comparison),
      comparisonMarkdown(comparison),
      benchstatText(made),
      ...conclusionsOf(comparison),
    ];
    for (const text of texts) {
      for (const line of text.split('\n')) assert.doesNotMatch(line.replaceAll('\t', ''), /[\p{Cc}\u202e]/u);
    }
    const markdown = comparisonMarkdown(comparison).replace('<!-- ipc-bench compare -->', '');
    assert.doesNotMatch(markdown, /<|(?<!\\)`/);
    const bars = new Set(
      markdown
        .split('\n')
        .filter((line) => line.startsWith('|'))
        .map((row) => row.match(/(?<!\\)\|/g)?.length),
    );
    assert.equal(bars.size, 1);
    const benchmarks = benchstatText(made)
      .split('\n')
      .filter((line) => line.startsWith('Benchmark'));
    assert.equal(benchmarks.length, 12);
    for (const line of benchmarks)
      assert.match(line, /^Benchmark[A-Z][^\s]*\t\d+\t[\d.]+ roundtrips\/s\t[\d.]+ latency-ns$/);
    assert.equal(JSON.parse(githubActionBenchmarkText(made)).length, 2);
  });
});

describe('exports for tools that know no flags', () => {
  test('leaves rows that were still warming up out of exports, and no others', () => {
    const flag = (/** @type {Cell} */ { transport }) =>
      ({ tcp: ['bottleneck', 'cold'], unix: ['bottleneck'] })[transport] ?? [];
    const made = buildResults({ series: ['pipe/json', 'unix/json', 'tcp/json'], launches: 6, flag });
    const [pipe, unix] = measuredOf(made).map(({ cell }) => cellLabel(cell));
    const entries = JSON.parse(githubActionBenchmarkText(made));
    assert.deepEqual(
      entries.map((/** @type {{ name: string }} */ { name }) => name),
      [pipe, unix],
    );
    const transports = [...benchstatText(made).matchAll(/^Benchmark.*\/transport=(\w+)/gm)].map(
      ([, name]) => name,
    );
    assert.deepEqual(transports, [...Array(6).fill('pipe'), ...Array(6).fill('unix')]);
  });
});
