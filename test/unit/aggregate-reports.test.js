// The reports of the processes of a launch, aggregated.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  checkIntegrity,
  costs,
  listWork,
  masterReport,
  sumReports,
  threadCosts,
} from '../../lib/launch/controller/aggregate-reports.js';

import task from '../../scenarios/task.js';

const NONE = { lost: 0, duplicate: 0, swapped: 0, corrupt: 0, outOfOrder: 0 };
const SAFE = /** @type {any} */ ({});
const LOSSY = /** @type {any} */ ({ loss: 'possible', order: 'free' });

/** @param {Partial<typeof NONE>} mistakes @param {number} [requests] */
const reportOf = (mistakes, requests = 10) =>
  /** @type {any} */ ({ mistakes: { ...NONE, ...mistakes }, requests });

describe('checkIntegrity', () => {
  it('throws the counts of mistakes over all workers', () => {
    assert.equal(checkIntegrity([reportOf({}), reportOf({})], SAFE), null);
    assert.throws(() => checkIntegrity([reportOf({ lost: 1 }), reportOf({ lost: 2, swapped: 1 })], SAFE), {
      code: 'INTEGRITY',
      message: 'wrong responses: 3 lost, 1 swapped',
      integrity: { ...NONE, lost: 3, swapped: 1 },
    });
    assert.throws(() => checkIntegrity([reportOf({ outOfOrder: 1 })], SAFE), /1 outOfOrder/);
  });

  it('counts as losses what a transport does not guarantee', () => {
    const reports = [reportOf({ lost: 5, duplicate: 2, outOfOrder: 3 }), reportOf({ lost: 1 }, 7)];
    assert.deepEqual(checkIntegrity(reports, LOSSY), { requests: 17, lost: 4, late: 2, reordered: 3 });
    assert.throws(() => checkIntegrity([reportOf({ lost: 1, duplicate: 3 })], LOSSY), /: 2 duplicate$/);
    assert.throws(() => checkIntegrity([reportOf({ corrupt: 1 })], LOSSY), /: 1 corrupt$/);
    assert.throws(
      () => checkIntegrity([reportOf({ outOfOrder: 1 })], { ...LOSSY, order: 'kept' }),
      /outOfOrder/,
    );
  });
});

describe('costs', () => {
  /** @param {number} atMs @param {number} userUs */
  const reading = (atMs, userUs) =>
    /** @type {any} */ ({
      atMs,
      userUs,
      systemUs: 0,
      voluntarySwitches: 0,
      involuntarySwitches: 0,
      peakRssBytes: 9,
      rssBytes: 5,
    });
  const cpus = { master: [0], workers: [[1], [1]] };
  const broker = { name: 'redis', pid: 3, cpus: [2] };
  const own = { name: 'w0', userUs: 50, systemUs: 0, share: 0.1 };
  const reports = /** @type {any[]} */ ([{ cost: own, role: 'worker', id: 'w0' }]);
  /** @param {number} atMs @param {number} userUs @param {object} [others] */
  const all = (atMs, userUs, others = {}) =>
    /** @type {any} */ ({
      own: reading(atMs, userUs),
      thread: undefined,
      brokers: [reading(atMs, 2 * userUs)],
      ...others,
    });
  const spec = /** @type {any} */ ({ cpus, broker, toMaster: null });
  /** @param {any[]} rows */
  const told = (rows) => rows.map(({ name, role, userUs, cpus: on }) => [name, role, userUs, on]);

  /** @param {any} from @param {any} to @param {any[]} [handedIn] @param {any[]} [killed] @param {object} [changes] */
  const between = (from, to, handedIn = reports, killed = [], changes = {}) =>
    costs({ ...spec, ...changes }, { from, to, spanMs: 100 }, handedIn, killed);

  it('lists the master, workers and broker, each with its CPUs', () => {
    const { costs: rows, unknownCosts } = between(all(0, 100), all(100, 400));
    assert.equal(unknownCosts, undefined);
    assert.deepEqual(told(rows), [
      ['master', 'master', 300, [0]],
      ['w0', 'worker', 50, [1]],
      ['redis', 'broker', 600, [2]],
    ]);
    assert.deepEqual(
      rows.map((row) => /** @type {any} */ (row).helperCpus),
      [[0, 1], [0, 1], undefined],
    );
    const killed = /** @type {any} */ ({ name: 'w1', role: 'worker', userUs: 7, cpus: null });
    assert.deepEqual(told(between(all(0, 100), all(100, 400), reports, [killed]).costs)[2], [
      ...['w1', 'worker', 7, null],
    ]);
  });

  it('excludes the CPU time of waiting for scheduled sends', () => {
    const pacing = (/** @type {number} */ pacingCpuUs) => ({ open: { pacingCpuUs } });
    const paced = [
      { ...reports[0], cost: { ...own, userUs: 30, systemUs: 20 }, ...pacing(20) },
      { cost: null, role: 'master', id: 'master', ...pacing(60) },
    ];
    const {
      costs: [master, worker],
    } = between(all(0, 100), all(100, 400), paced);
    assert.deepEqual(
      [master, worker].map(({ userUs, systemUs }) => [userUs, systemUs].map(Math.round)),
      [
        [240, 0],
        [18, 12],
      ],
    );
    assert.ok(Math.abs(worker.share - 0.06) < 1e-9, `a share of ${worker.share}`);
    const thread = reading(0, 0);
    const last = all(100, 400, { thread: reading(100, 200) });
    const { costs: inThreads } = between(all(0, 100, { thread }), last, paced);
    const totalUs = inThreads
      .filter(({ role }) => role !== 'broker')
      .reduce((sumUs, { userUs, systemUs }) => sumUs + userUs + systemUs, 0);
    assert.equal(Math.round(totalUs), 300 - 20 - 60, 'nor do the helper threads get it');
  });

  it('lists the workers of a pool', () => {
    const withPool = (/** @type {number} */ atMs, /** @type {any[]} */ pool) => all(atMs, atMs, { pool });
    const two = [reading(0, 10), reading(0, 20)];
    const { costs: rows } = between(
      withPool(0, two),
      withPool(100, [reading(100, 60), reading(100, 90)]),
      [],
    );
    assert.deepEqual(told(rows).slice(1, 3), [
      ['w0', 'worker', 50, [1]],
      ['w1', 'worker', 70, [1]],
    ]);
    assert.deepEqual(between(withPool(0, [null]), withPool(100, [null]), []), {
      costs: [],
      unknownCosts: ['w0'],
    });
  });

  it('names the process whose cost is unknown, and returns no other costs', () => {
    const [from, to] = [all(0, 100), all(100, 400)];
    const late = (/** @type {number} */ atMs) => ({ own: reading(atMs, 400) });
    const unread = { brokers: [null] };
    const other = { cost: null, role: 'worker', id: 'w1' };
    for (const [name, found] of /** @type {[string, any][]} */ ([
      ['master', between(from, all(100, 400, late(106)))],
      ['master', between(from, all(100, 400, late(94)))],
      ['redis', between(all(0, 100, unread), to)],
      ['redis', between(from, all(100, 400, unread))],
      ['redis', between(from, all(100, 400, { brokers: [reading(110, 800)] }))],
      ['w1', between(from, to, [...reports, other])],
    ]))
      assert.deepEqual(found, { costs: [], unknownCosts: [name] });
    for (const atMs of [95, 105])
      assert.equal(between(from, all(100, 400, late(atMs))).unknownCosts, undefined, String(atMs));
  });

  it('divides the cost of one process among its threads', () => {
    const alone = { broker: null };
    const from = all(0, 100, { thread: reading(0, 10), brokers: [] });
    const to = all(100, 400, { thread: reading(100, 60), brokers: [] });
    const { costs: rows } = between(from, to, reports, [], alone);
    assert.deepEqual(
      rows.map(({ name, userUs, partOf }) => [name, userUs, partOf]),
      [
        ['master', 50, undefined],
        ['w0', 50, 'master'],
        ['helpers', 200, 'master'],
      ],
    );
  });

  it('does not count a process of several threads for its main thread, and names the thread whose cost is unknown', () => {
    const alone = { broker: null };
    const from = all(0, 100, { thread: reading(0, 10), brokers: [] });
    const to = all(100, 400, { thread: reading(100, 60), brokers: [] });
    for (const thread of [null, reading(110, 60)]) {
      const found = between(from, { ...to, thread }, reports, [], alone);
      assert.deepEqual(told(found.costs), [['threads', 'undivided', 300, [0, 1]]]);
      assert.deepEqual(found.unknownCosts, ['master']);
    }
    const other = /** @type {any} */ ({ cost: null, role: 'worker', id: 'w1' });
    const found = between(from, to, [...reports, other], [], alone);
    assert.deepEqual(told(found.costs), [
      ['master', 'master', 50, [0]],
      ['threads', 'undivided', 250, [0, 1]],
    ]);
    assert.deepEqual(found.unknownCosts, ['w1']);
    const [mainCpu, workerCpu] = ['mainCpu', 'workerCpu'].map((name) =>
      task.measures
        ?.find((measure) => measure.name === name)
        ?.read(/** @type {any} */ ([{ operations: 10 }]), /** @type {any} */ ({}), found.costs),
    );
    assert.deepEqual([mainCpu, workerCpu], [5, null], 'the main thread has its own reading');
  });
});

describe('threadCosts', () => {
  /** @param {string} name @param {number} userUs @param {number} systemUs @param {object} [others] @returns {any} */
  const cost = (name, userUs, systemUs, others = {}) => ({
    name,
    role: 'worker',
    userUs,
    systemUs,
    share: (userUs + systemUs) / 10_000,
    cpus: null,
    voluntarySwitches: 10,
    involuntarySwitches: 1,
    peakRssBytes: 100,
    grownRssBytes: 20,
    ...others,
  });
  const whole = cost('master', 6_000, 3_000, {
    voluntarySwitches: 50,
    involuntarySwitches: 5,
  });

  it('returns rows that add up to their process, with its helper threads', () => {
    const workers = [cost('w0', 1_000, 500), cost('w1', 1_500, 500)];
    const rows = threadCosts(whole, cost('master', 2_000, 1_000), workers);
    assert.deepEqual(
      rows.map(({ name, partOf, peakRssBytes }) => [name, partOf, peakRssBytes]),
      [
        ['master', undefined, 100],
        ['w0', 'master', null],
        ['w1', 'master', null],
        ['helpers', 'master', null],
      ],
    );
    const { share, cpus: _cpus, partOf: _partOf, ...helpers } = rows[3];
    assert.ok(Math.abs(share - 0.25) < 1e-9);
    assert.deepEqual(helpers, {
      name: 'helpers',
      role: 'helpers',
      userUs: 1_500,
      systemUs: 1_000,
      voluntarySwitches: 20,
      involuntarySwitches: 2,
      peakRssBytes: null,
      grownRssBytes: null,
    });
  });

  it('returns nothing below 0, and null for unknown counts', () => {
    const main = cost('master', 9_000, 100, { voluntarySwitches: null });
    const [, helpers] = threadCosts(whole, main, []);
    assert.deepEqual([helpers.userUs, helpers.systemUs, helpers.share], [0, 0, 0]);
    assert.deepEqual([helpers.voluntarySwitches, helpers.involuntarySwitches], [null, 4]);
    const [, divided] = threadCosts(whole, cost('master', 100, 4_000), []);
    assert.deepEqual([divided.userUs, divided.systemUs], [4_900, 0], 'the split is only known roughly');
  });

  it('adds up to the process, with its memory, if the cost of a thread is unknown', () => {
    for (const [main, workers] of /** @type {[any, any[]][]} */ ([
      [null, [cost('w0', 1, 1)]],
      [cost('master', 1_000, 500, { role: 'master' }), [cost('w0', 1, 1), null]],
    ])) {
      const rows = threadCosts(whole, main, workers);
      assert.equal(
        rows.reduce((us, { userUs, systemUs }) => us + userUs + systemUs, 0),
        9_000,
      );
      const processes = rows.filter(({ partOf }) => partOf === undefined);
      assert.deepEqual(
        processes.map(({ peakRssBytes }) => peakRssBytes),
        [100],
      );
    }
  });
});

describe('the reports of a launch', () => {
  const reports = /** @type {any[]} */ ([
    { operations: 3, bins: [1, 2], openMs: 100, windowMs: 50, work: null, role: 'worker' },
    { operations: 5, bins: [2, 2, 1], openMs: 90, windowMs: 40, work: { name: 'w1' }, role: 'worker' },
    { operations: null, bins: [], openMs: 1, windowMs: 900, work: null, role: 'relay' },
  ]);

  it('sums operations over a window from the first opening to the last closing', () => {
    assert.deepEqual(sumReports(reports), { operations: 8, windowMs: 60, openMs: 90, bins: [3, 4, 1] });
  });

  it('gives a master without other roles its own window', () => {
    const { openMs, windowMs } = masterReport(/** @type {any} */ ({ mistakes: NONE }), [], {
      openMs: 5,
      windowMs: 40,
    });
    assert.deepEqual([openMs, windowMs], [5, 40]);
  });

  it('gives the master the longest window of the other roles', () => {
    const { openMs, windowMs, role, id, work, cost } = masterReport(
      /** @type {any} */ ({ mistakes: NONE }),
      reports.slice(0, 2),
      { openMs: 1, windowMs: 1 },
    );
    assert.deepEqual(
      { openMs, windowMs, role, id, work, cost },
      {
        openMs: 90,
        windowMs: 50,
        role: 'master',
        id: 'master',
        work: null,
        cost: null,
      },
    );
  });

  it('lists the work of each process with its role', () => {
    const work = listWork(/** @type {any[]} */ ([{ name: 'master' }, { name: 'redis' }]), reports);
    assert.deepEqual(work, [
      { name: 'master', role: 'master' },
      { name: 'w1', role: 'worker' },
      { name: 'redis', role: 'broker' },
    ]);
  });
});
