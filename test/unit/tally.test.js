// What the processes of a launch handed in, put together.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  checkIntegrity,
  costs,
  masterReport,
  summed,
  sumWork,
} from '../../lib/launch/controller/aggregate-reports.js';

const NONE = { lost: 0, duplicate: 0, swapped: 0, corrupt: 0, outOfOrder: 0 };
const SAFE = /** @type {any} */ ({});
const LOSSY = /** @type {any} */ ({ loss: 'possible', order: 'free' });

/** @param {Partial<typeof NONE>} mistakes @param {number} [asked] */
const reportOf = (mistakes, asked = 10) => /** @type {any} */ ({ mistakes: { ...NONE, ...mistakes }, asked });

describe('the mistakes of a launch', () => {
  it('are none, or fail it with their counts over all workers', () => {
    assert.equal(checkIntegrity([reportOf({}), reportOf({})], SAFE), null);
    assert.throws(() => checkIntegrity([reportOf({ lost: 1 }), reportOf({ lost: 2, swapped: 1 })], SAFE), {
      code: 'INTEGRITY',
      message: 'wrong responses: 3 lost, 1 swapped',
      integrity: { ...NONE, lost: 3, swapped: 1 },
    });
    assert.throws(() => checkIntegrity([reportOf({ outOfOrder: 1 })], SAFE), /1 outOfOrder/);
  });

  it('do not count what the transport does not promise: those are losses, and answers that came late', () => {
    const reports = [reportOf({ lost: 5, duplicate: 2, outOfOrder: 3 }), reportOf({ lost: 1 }, 7)];
    assert.deepEqual(checkIntegrity(reports, LOSSY), { asked: 17, lost: 4, late: 2, reordered: 3 });
    assert.throws(() => checkIntegrity([reportOf({ lost: 1, duplicate: 3 })], LOSSY), /: 2 duplicate$/);
    assert.throws(() => checkIntegrity([reportOf({ corrupt: 1 })], LOSSY), /: 1 corrupt$/);
    assert.throws(
      () => checkIntegrity([reportOf({ outOfOrder: 1 })], { ...LOSSY, order: 'kept' }),
      /outOfOrder/,
    );
  });
});

describe('what the processes of a launch cost', () => {
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

  it('is told of the master, of workers, and of its broker, each on its CPUs', () => {
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

  it('does not contain the CPU time of waiting for planned instants', () => {
    const pacing = (/** @type {number} */ pacingCpuUs) => ({ open: { pacingCpuUs } });
    const paced = [
      { ...reports[0], ...pacing(20) },
      { cost: null, role: 'master', id: 'master', ...pacing(60) },
    ];
    const {
      costs: [master, worker],
    } = between(all(0, 100), all(100, 400), paced);
    assert.deepEqual(
      [master, worker].map(({ userUs }) => Math.round(userUs)),
      [240, 30],
    );
    assert.ok(Math.abs(worker.share - 0.06) < 1e-9, `a share of ${worker.share}`);
    const thread = reading(0, 0);
    const last = all(100, 400, { thread: reading(100, 200) });
    const { costs: inThreads } = between(all(0, 100, { thread }), last, paced);
    const totalUs = inThreads
      .filter(({ role }) => role !== 'broker')
      .reduce((sumUs, { userUs }) => sumUs + userUs, 0);
    assert.equal(Math.round(totalUs), 300 - 20 - 60, 'nor do the helper threads get it');
  });

  it('of a pool is that of its workers', () => {
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

  it('is unknown as a whole where that of one process is, which is named', () => {
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

  it('is divided among the threads of one process', () => {
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
    const whole = [['master', 'master', 300, [0, 1]]];
    const unread = { ...to, thread: null };
    const late = { ...to, thread: reading(110, 60) };
    for (const end of [unread, late])
      assert.deepEqual(told(between(from, end, reports, [], alone).costs), whole, 'the process is known');
    const other = /** @type {any} */ ({ cost: null, role: 'worker', id: 'w1' });
    assert.deepEqual(told(between(from, to, [...reports, other], [], alone).costs), whole);
  });
});

describe('the window of a launch', () => {
  const reports = /** @type {any[]} */ ([
    { operations: 3, bins: [1, 2], openMs: 100, windowMs: 50, work: null, role: 'worker' },
    { operations: 5, bins: [2, 2, 1], openMs: 90, windowMs: 40, work: { name: 'w1' }, role: 'worker' },
    { operations: null, bins: [], openMs: 1, windowMs: 900, work: null, role: 'relay' },
  ]);

  it('lasts from the first that opened to the last that closed, of those that count operations', () => {
    assert.deepEqual(summed(reports), { operations: 8, windowMs: 60, openMs: 90, bins: [3, 4, 1] });
  });

  it('is of a master without others its own', () => {
    const { openMs, windowMs } = masterReport(/** @type {any} */ ({ mistakes: NONE }), [], {
      openMs: 5,
      windowMs: 40,
    });
    assert.deepEqual([openMs, windowMs], [5, 40]);
  });

  it('is of the master as long as the longest of the others', () => {
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

  it('found each process after so much work, with its role', () => {
    const work = sumWork(/** @type {any[]} */ ([{ name: 'master' }, { name: 'redis' }]), reports);
    assert.deepEqual(work, [
      { name: 'master', role: 'master' },
      { name: 'w1', role: 'worker' },
      { name: 'redis', role: 'broker' },
    ]);
  });
});
