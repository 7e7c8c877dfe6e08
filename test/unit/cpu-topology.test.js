import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { canPin } from '../../lib/children/launcher.js';
import {
  chooseCpuSets,
  cpusToPlan,
  pacingAt,
  parseCpuList,
  parseUsableCpus,
  pinnableCpus,
  readTopology,
  takenBy,
} from '../../lib/machine/placement.js';

/**
 * @param {{ allowed: string, online?: string, cores: Record<number, { siblings: string, socket: number }> }} machine
 */
function readerOf({ allowed, online, cores }) {
  /** @type {Map<string, string>} */
  const files = new Map([
    ['/proc/self/status', `Name:\tnode\nCpus_allowed:\tff\nCpus_allowed_list:\t${allowed}\n`],
  ]);
  if (online !== undefined) files.set('/sys/devices/system/cpu/online', `${online}\n`);
  for (const [cpu, { siblings, socket }] of Object.entries(cores)) {
    const folder = `/sys/devices/system/cpu/cpu${cpu}/topology`;
    files.set(`${folder}/thread_siblings_list`, `${siblings}\n`);
    files.set(`${folder}/physical_package_id`, `${socket}\n`);
  }
  return (/** @type {string} */ path) => files.get(path) ?? null;
}

describe('parseCpuList', () => {
  it('reads single CPUs and ranges, ascending and each once', () => {
    assert.deepEqual(parseCpuList('0-3,8,10-11\n'), [0, 1, 2, 3, 8, 10, 11]);
    assert.deepEqual(parseCpuList('5,1-2,2'), [1, 2, 5]);
  });

  it('returns null for everything that is no list of CPUs', () => {
    for (const text of [null, '', '\n', 'a', '1-', '-1', '3-1', '0,,1', '0-99999', '1.5', '0-3:1/2']) {
      assert.equal(parseCpuList(text), null, String(text));
    }
  });

  it('parses lists of random sets of CPUs', () => {
    const cpuSets = fc.uniqueArray(fc.integer({ min: 0, max: 300 }), { minLength: 1 });
    fc.assert(
      fc.property(cpuSets, (cpus) => {
        assert.deepEqual(
          parseCpuList(cpus.join(',')),
          cpus.toSorted((left, right) => left - right),
        );
      }),
      { seed: 1, numRuns: 200 },
    );
  });
});

describe('parseUsableCpus', () => {
  it('excludes allowed CPUs that are offline', () => {
    assert.deepEqual(parseUsableCpus('Cpus_allowed_list:\t0-127\n', '0-1\n'), [0, 1]);
  });

  it('returns the mask if the online CPUs are unknown', () => {
    assert.deepEqual(parseUsableCpus('Cpus_allowed_list:\t2,4\n', null), [2, 4]);
  });
});

describe('readTopology', () => {
  it('places one thread per core before any second thread', () => {
    const pair = (/** @type {string} */ siblings) => ({ siblings, socket: 0 });
    const read = readerOf({
      allowed: '0-7',
      online: '0-7',
      cores: {
        0: pair('0-1'),
        1: pair('0-1'),
        2: pair('2-3'),
        3: pair('2-3'),
        4: pair('4-5'),
        5: pair('4-5'),
        6: pair('6-7'),
        7: pair('6-7'),
      },
    });
    assert.deepEqual(readTopology(read)?.siblingsLast, [0, 2, 4, 6, 1, 3, 5, 7]);
  });

  it('keeps the cores of a socket together if the numbering alternates between sockets', () => {
    const core = (/** @type {string} */ siblings, /** @type {number} */ socket) => ({ siblings, socket });
    const read = readerOf({
      allowed: '0-7',
      cores: {
        0: core('0,4', 0),
        1: core('1,5', 1),
        2: core('2,6', 0),
        3: core('3,7', 1),
        4: core('0,4', 0),
        5: core('1,5', 1),
        6: core('2,6', 0),
        7: core('3,7', 1),
      },
    });
    assert.deepEqual(readTopology(read), {
      usableCpus: [0, 1, 2, 3, 4, 5, 6, 7],
      siblingsLast: [0, 2, 1, 3, 4, 6, 5, 7],
    });
  });

  it('takes a thread as the first of its core if its sibling is outside the mask', () => {
    const read = readerOf({
      allowed: '1-2',
      cores: { 1: { siblings: '0-1', socket: 0 }, 2: { siblings: '2-3', socket: 0 } },
    });
    assert.deepEqual(readTopology(read)?.siblingsLast, [1, 2]);
  });

  it('keeps the order of the mask if the topology is hidden, as in some containers', () => {
    assert.deepEqual(readTopology(readerOf({ allowed: '3,1', cores: {} })), {
      usableCpus: [1, 3],
      siblingsLast: [1, 3],
    });
  });

  it('returns null without /proc', () => {
    assert.equal(
      readTopology(() => null),
      null,
    );
  });

  it('returns the CPUs of this machine on Linux, and null on other systems', () => {
    const topology = readTopology();
    if (process.platform !== 'linux') return assert.equal(topology, null);
    assert.ok(topology !== null && topology.usableCpus.length >= 1);
    assert.deepEqual(
      topology.siblingsLast.toSorted((left, right) => left - right),
      topology.usableCpus,
    );
  });
});

describe('choosePlaces', () => {
  it('places brokers, then processes between master and workers, then workers in turn', () => {
    const cpuSets = chooseCpuSets('split', 5, 2, [4, 1, 2, 3], ['relay']);
    assert.deepEqual(cpuSets, {
      master: [4],
      brokers: [[1], [2]],
      others: { relay: [3] },
      workers: [[1], [2], [3], [1], [2]],
    });
    assert.deepEqual(takenBy(/** @type {any} */ (cpuSets)), [4, 1, 2, 3, 1, 2, 3, 1, 2]);
    assert.equal('others' in (chooseCpuSets('split', 1, 0, [0, 1]) ?? {}), false);
  });

  it('places all processes on one CPU with same, and with split if there is no other', () => {
    const all = { master: [3], brokers: [[3]], others: { relay: [3] }, workers: [[3], [3]] };
    assert.deepEqual(chooseCpuSets('same', 2, 1, [3, 4], ['relay']), all);
    assert.deepEqual(chooseCpuSets('split', 2, 1, [3], ['relay']), all);
  });

  it('leaves free placement to the scheduler, and any if it cannot pin', () => {
    assert.equal(chooseCpuSets('free', 2, 0, [0, 1]), null);
    assert.equal(chooseCpuSets('split', 2, 0, null), null);
  });

  it('lets open load spin only if each process has a CPU for itself', () => {
    assert.equal(pacingAt(chooseCpuSets('split', 2, 1, [0, 1, 2, 3]), 4, 4), 'spin');
    assert.equal(pacingAt(chooseCpuSets('split', 3, 1, [0, 1, 2, 3]), 5, 8), 'tick');
    assert.deepEqual([pacingAt(null, 4, 4), pacingAt(null, 5, 4)], ['spin', 'tick']);
  });

  it('uses the CPUs of this machine if it can pin', () => {
    const cpus = canPin() ? (readTopology()?.siblingsLast ?? null) : null;
    assert.deepEqual(pinnableCpus(), cpus);
    const { canPin: isPinned, usableCpus } = cpusToPlan();
    assert.equal(isPinned, cpus !== null);
    assert.ok(cpus === null ? usableCpus >= 1 : usableCpus === cpus.length);
  });
});
