// What the machine did to a cell: which launches were disturbed, and when waking CPUs is most of a latency.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { RESULT_FLAGS } from '../../lib/format/result-flags.js';
import { areOftenDisturbed, isDisturbed, wakeUpFlags } from '../../lib/results/cell-flags.js';

const NOISY = Object.keys(RESULT_FLAGS).find((code) => RESULT_FLAGS[code].isNoise) ?? '';
const CELL = /** @type {any} */ ({ placement: 'split', poll: 'yield' });

/** @param {number} noisy @param {number} all */
const launchesOf = (noisy, all) =>
  Array.from({ length: all }, (_, index) => ({
    flags: [{ code: index < noisy ? NOISY : 'quick' }],
  }));

/** @param {string} name @param {number | null} voluntarySwitches @param {number[] | null} cpus */
const costOf = (name, voluntarySwitches, cpus) => ({
  name,
  role: name === 'master' ? name : 'worker',
  voluntarySwitches,
  cpus,
});

/** @param {{ master?: number | null, workers?: (number | null)[], masterCpus?: number[] | null, workerCpus?: number[] | null }} launch */
const launchOf = ({ master = 50, workers = [30, 20], masterCpus = [0], workerCpus = [1] } = {}) =>
  /** @type {any} */ ({
    operations: 100,
    costs: [
      costOf('master', master, masterCpus),
      ...workers.map((switches, index) => costOf(`w${index}`, switches, workerCpus)),
    ],
  });

/** @param {any[]} launches @param {number | null} medianUs @param {number | null} wakeUpUs @param {object} [cell] */
function shareOf(launches, medianUs, wakeUpUs, cell = {}) {
  const flags = wakeUpFlags({ ...CELL, ...cell }, launches, medianUs, wakeUpUs);
  assert.ok(flags.every(({ code }) => code === 'wake-up'));
  assert.ok(flags.every((flag) => flag.medianUs === medianUs));
  return flags.map(({ share }) => share?.toFixed(2));
}

describe('disturbed launches', () => {
  it('are those with a flag of noise', () => {
    const [noisy, quick] = launchesOf(1, 2);
    assert.deepEqual(
      [isDisturbed(noisy), isDisturbed(quick), isDisturbed({ flags: [] })],
      [true, false, false],
    );
    assert.equal(isDisturbed({ flags: [{ code: 'of a later version' }] }), false);
  });

  it('are often disturbed above a fifth of them, and not at a fifth', () => {
    assert.equal(areOftenDisturbed(launchesOf(2, 10)), false);
    assert.equal(areOftenDisturbed(launchesOf(3, 10)), true);
    assert.equal(areOftenDisturbed([]), false);
  });
});

describe('the flag of wake-ups', () => {
  it('gives the share of the median: sleeps per operation of both ends, times a wake-up', () => {
    // 0.5 of the master and 0.3 + 0.2 of the workers: one sleep of 30 µs in 50 µs.
    assert.deepEqual(shareOf([launchOf()], 50, 30), ['0.60']);
    // The mean of 1 and 0.5 sleeps.
    assert.deepEqual(shareOf([launchOf(), launchOf({ workers: [0] })], 40.4, 30), ['0.56']);
  });

  it('counts one sleep at most for each end, and at most the whole median', () => {
    const sleepy = launchOf({ master: 900, workers: [400, 500] });
    assert.deepEqual(shareOf([sleepy], 100, 30), ['0.60']);
    assert.deepEqual(shareOf([sleepy], 100, 80), ['1.00']);
  });

  it('is set above a half, and not at a half', () => {
    assert.deepEqual(shareOf([launchOf()], 100, 50), []);
    assert.deepEqual(shareOf([launchOf()], 100, 51), ['0.51']);
  });

  it('needs processes that are apart and that sleep, and both figures', () => {
    assert.deepEqual(shareOf([launchOf()], null, 90), []);
    assert.deepEqual(shareOf([launchOf()], 100, null), []);
    assert.deepEqual(shareOf([launchOf()], 100, 90, { placement: 'free' }), []);
    assert.deepEqual(shareOf([launchOf()], 100, 90, { poll: 'busy' }), []);
    for (const unknown of [
      { master: null },
      { workers: [30, null] },
      { masterCpus: null },
      { workerCpus: null },
      { workerCpus: [1, 0] },
    ]) {
      assert.deepEqual(shareOf([launchOf(unknown)], 100, 90), [], JSON.stringify(unknown));
      assert.equal(shareOf([launchOf(unknown), launchOf()], 100, 90).length, 1, 'of the launches that tell');
    }
  });

  it('needs the sleeps of each thread', () => {
    const [master] = launchOf().costs;
    const undivided = { ...master, name: 'threads', role: 'undivided', partOf: 'master' };
    assert.deepEqual(shareOf([{ operations: 100, costs: [master, undivided] }], 20, 90), []);
  });
});
