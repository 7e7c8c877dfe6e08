// Runs always.
// Which process goes where.

import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { canPin } from '../../lib/children/launcher.js';
import { chooseCpuSets, readTopology } from '../../lib/machine/placement.js';
import { spinSkipReason } from '../../lib/plan/skip-reasons.js';
import { launchWithKnownCosts } from '../fixtures/launch-cell.js';

describe('a transport that spins', () => {
  it('is skipped exactly if the master shares its CPU with a worker', () => {
    const transport = /** @type {any} */ ({ name: 'memory', traits: { isSpinning: true } });
    for (const placement of /** @type {const} */ (['split', 'same'])) {
      for (const cpus of [[0], [0, 1], [0, 1, 2]]) {
        for (const workers of [1, 2, 4]) {
          const cpuSets = chooseCpuSets(placement, workers, 0, cpus);
          const isShared = cpuSets?.workers.some(([cpu]) => cpuSets.master.includes(cpu));
          const cell = /** @type {any} */ ({ settings: {}, placement });
          const why = spinSkipReason(transport, cell, { canPin: true, usableCpus: cpus.length });
          assert.equal(why !== null, isShared, `${placement}, ${workers} workers on ${cpus}`);
        }
      }
    }
  });
});

describe('a transport that spins on both sides of a relay', () => {
  it('is skipped exactly if the relay shares its CPU with a worker', () => {
    const transport = /** @type {any} */ ({ name: 'memory', traits: { isSpinning: true } });
    for (const cpus of [
      [0, 1],
      [0, 1, 2],
      [0, 1, 2, 3],
    ]) {
      for (const workers of [1, 2, 3]) {
        const cpuSets = chooseCpuSets('split', workers, 0, cpus, ['relay']);
        const isShared = cpuSets?.workers.some(([cpu]) => cpuSets.others?.relay.includes(cpu));
        const cell = /** @type {any} */ ({ settings: {}, placement: 'split', workers });
        const why = spinSkipReason(transport, cell, { canPin: true, usableCpus: cpus.length }, 1);
        assert.equal(why !== null, isShared, `${workers} workers on ${cpus}`);
      }
    }
  });
});

describe('placement', () => {
  it('gives the master a CPU alone, and the workers the others in turn', () => {
    const places = { master: [0], workers: [[1], [2], [3], [1]], brokers: [] };
    assert.deepEqual(chooseCpuSets('split', 4, 0, [0, 1, 2, 3]), places);
  });

  it('places the broker before the workers', () => {
    const places = { master: [0], workers: [[2], [3], [1]], brokers: [[1]] };
    assert.deepEqual(chooseCpuSets('split', 3, 1, [0, 1, 2, 3]), places);
  });

  it('places processes between master and workers after the broker', () => {
    const places = { master: [0], workers: [[3], [1]], brokers: [[1]], others: { relay: [2] } };
    assert.deepEqual(chooseCpuSets('split', 2, 1, [0, 1, 2, 3], ['relay']), places);
    assert.deepEqual(chooseCpuSets('same', 1, 0, [4, 5], ['relay']), {
      master: [4],
      workers: [[4]],
      brokers: [],
      others: { relay: [4] },
    });
  });

  it('uses CPUs in their order, so that SMT siblings come last', () => {
    assert.deepEqual(chooseCpuSets('split', 2, 0, [4, 6, 5, 7]), {
      master: [4],
      workers: [[6], [5]],
      brokers: [],
    });
  });

  it('places all on one CPU with split if there is only one', () => {
    assert.deepEqual(chooseCpuSets('split', 2, 1, [3]), { master: [3], workers: [[3], [3]], brokers: [[3]] });
    assert.deepEqual(chooseCpuSets('same', 2, 1, [3, 4]), {
      master: [3],
      workers: [[3], [3]],
      brokers: [[3]],
    });
  });

  it('leaves free placement to the scheduler, and any if it cannot pin', () => {
    assert.equal(chooseCpuSets('free', 2, 0, [0, 1]), null);
    assert.equal(chooseCpuSets('split', 2, 0, null), null);
  });
});

const usableCpus = readTopology()?.usableCpus ?? [];
const whyNoCpuSets = canPin() && usableCpus.length > 1 ? undefined : 'nothing can be pinned to two CPUs here';

describe('the threads of a launch', () => {
  it('pins the threads of messages, and leaves all CPUs of the launch to V8 and libuv', {
    skip: whyNoCpuSets,
  }, async () => {
    const cpus = usableCpus.slice(0, 2);
    const folder = mkdtempSync(join(tmpdir(), 'ipcb-affinity-'));
    process.env.AFFINITY_FOLDER = folder;
    try {
      const { end, spec } = await launchWithKnownCosts({
        transport: '../fixtures/tells-affinity.js',
        cell: { workers: 1, placement: 'split' },
        cpus,
      });
      if (end.kind === 'failed') assert.fail(end.message);
      const seen = JSON.parse(readFileSync(join(folder, 'w0'), 'utf8'));
      const [place] = spec.cpus?.workers ?? [];
      assert.equal(seen.main, String(place[0]));
      assert.equal(seen.own, String(place[0]), 'a thread that the transport started does its work');
      // Helpers of the thread that the transport started came with it.
      assert.ok(
        seen.rest.some((/** @type {string} */ list) => list !== String(place[0])),
        seen.rest.join(' '),
      );
      assert.deepEqual(end.fields.costs[0].helperCpus, cpus);
    } finally {
      delete process.env.AFFINITY_FOLDER;
      rmSync(folder, { recursive: true });
    }
  });
});
