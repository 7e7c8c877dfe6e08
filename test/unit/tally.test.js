// What the processes of a launch handed in, put together.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  checkIntegrity,
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

describe('the window of a launch', () => {
  const reports = /** @type {any[]} */ ([
    { operations: 3, bins: [1, 2], openMs: 100, windowMs: 50, work: null, role: 'worker' },
    { operations: 5, bins: [2, 2, 1], openMs: 90, windowMs: 40, work: { name: 'w1' }, role: 'worker' },
    { operations: null, bins: [], openMs: 1, windowMs: 900, work: null, role: 'relay' },
  ]);

  it('lasts from the first that opened to the last that closed, of those that count operations', () => {
    assert.deepEqual(summed(reports), { operations: 8, windowMs: 60, openMs: 90, bins: [3, 4, 1] });
  });

  it('is of the master as long as the longest of the others', () => {
    const { openMs, windowMs, role, id, work, cost } = masterReport(
      /** @type {any} */ ({ mistakes: NONE }),
      reports.slice(0, 2),
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
    const work = sumWork(/** @type {any} */ ({ name: 'master' }), reports, [
      /** @type {any} */ ({ name: 'redis' }),
    ]);
    assert.deepEqual(work, [
      { name: 'master', role: 'master' },
      { name: 'w1', role: 'worker' },
      { name: 'redis', role: 'broker' },
    ]);
  });
});
