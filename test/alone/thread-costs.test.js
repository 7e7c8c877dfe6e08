// What a launch of threads costs: rows that add up to its one process.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Worker } from 'node:worker_threads';
import { threadCosts } from '../../lib/launch/controller/aggregate-reports.js';
import { costBetween, readOwnCost, readThreadCost } from '../../lib/machine/process-cost.js';
import { callsPerProcess } from '../../lib/run/diagnostics/strace.js';
import { launchWithKnownCosts } from '../fixtures/launch-cell.js';

const THREADS = 'threads-message';
const ON_LINUX = { skip: process.platform === 'linux' ? false : 'reads /proc' };

describe('the costs of a launch of threads', ON_LINUX, () => {
  it('are those of its threads, and its memory is counted once', async () => {
    // Where the cost of a thread is unknown, that of the process stands for all of them.
    const timing = { measureMs: 500 };
    const { end } = await launchWithKnownCosts({ transport: THREADS, cell: { codec: 'v8' }, timing });
    assert.ok(end.kind === 'done', JSON.stringify(end));
    const { costs } = end.fields;
    assert.deepEqual(
      costs.map((/** @type {any} */ { name, partOf }) => [name, partOf]),
      [
        ['master', undefined],
        ['w0', 'master'],
        ['w1', 'master'],
        ['helpers', 'master'],
      ],
    );
    assert.deepEqual(
      costs.map((/** @type {any} */ { peakRssBytes }) => peakRssBytes !== null),
      [true, false, false, false],
    );
    for (const { name, share } of costs.slice(0, 3)) assert.ok(share > 0 && share < 1.1, `${name}: ${share}`);
  });

  it('of one thread are not those of another, and of the process are those of both', async () => {
    const spinning = new Worker(new URL('../fixtures/spinning-thread.js', import.meta.url));
    const from = { own: readThreadCost(), whole: readOwnCost() };
    const { spentUs } = await new Promise((resolve) => spinning.once('message', resolve));
    const to = { own: readThreadCost(), whole: readOwnCost() };
    assert.ok(from.own !== null && to.own !== null);
    const own = costBetween({ name: 'own', role: 'worker' }, from.own, to.own, null);
    const whole = costBetween({ name: 'whole', role: 'master' }, from.whole, to.whole, null);
    assert.ok(spentUs >= 200_000);
    assert.ok(own.userUs + own.systemUs < 100_000, `${own.userUs} + ${own.systemUs} µs`);
    assert.ok(whole.userUs + whole.systemUs > 0.98 * spentUs, `${whole.userUs} of ${spentUs} µs`);
    await spinning.terminate();
  });
});

describe('threadCosts', () => {
  /** @param {string} name @param {number} userUs @param {number} systemUs */
  const costOf = (name, userUs, systemUs) => ({
    name,
    userUs,
    systemUs,
    share: (userUs + systemUs) / 1_000,
    cpus: [1],
    voluntarySwitches: userUs / 10,
    involuntarySwitches: null,
    peakRssBytes: 9e6,
    role: name === 'master' ? name : 'worker',
    grownRssBytes: null,
    readCalls: 5,
    writeCalls: null,
  });

  it('gives what is left of the process to its helper threads, so that all add up', () => {
    const rows = threadCosts(costOf('master', 900, 100), costOf('master', 300, 20), [costOf('w0', 400, 30)]);
    const usOf = (/** @type {any} */ { name, userUs, systemUs }) => [name, userUs, systemUs];
    assert.deepEqual(rows.map(usOf), [
      ['master', 300, 20],
      ['w0', 400, 30],
      ['helpers', 200, 50],
    ]);
    assert.deepEqual(
      rows.map(({ voluntarySwitches, peakRssBytes }) => [voluntarySwitches, peakRssBytes]),
      [
        [30, 9e6],
        [40, null],
        [20, null],
      ],
    );
    assert.equal(rows[2].involuntarySwitches, null);
  });

  it('never goes below zero, and knows the sum better than its parts', () => {
    const [, , helpers] = threadCosts(costOf('master', 400, 300), costOf('master', 300, 100), [
      costOf('w0', 200, 50),
    ]);
    assert.deepEqual([helpers.userUs, helpers.systemUs], [0, 50]);
  });

  it('divides nothing where the system does not tell threads apart', () => {
    const whole = costOf('master', 900, 100);
    assert.deepEqual(threadCosts(whole, null, [null]), [whole]);
  });
});

describe('the system calls of a launch of threads', () => {
  it('are those of each worker, and the master’s with what helper threads do for all of them', () => {
    const thread = (/** @type {number} */ id) => `1.000000 clone3({flags=CLONE_VM|CLONE_THREAD}, 88) = ${id}`;
    const logs = [
      { threadId: 10, text: [11, 12, 13].map(thread).join('\n').concat('\n2.000000 write(7) = 8\n') },
      { threadId: 11, text: '2.100000 futex(0x1) = 0\n' },
      { threadId: 12, text: '2.200000 write(9) = 8\n2.300000 write(9) = 8\n' },
      { threadId: 13, text: '2.300000 read(9) = 8\n' },
      { threadId: 14, text: '1.500000 execve("taskset") = 0\n' },
    ];
    const window = { fromMs: 2_000, toMs: 3_000, operations: 1, threadIds: [13, 12] };
    assert.deepEqual(callsPerProcess(logs, window), [
      { name: 'master', calls: { write: 1, futex: 1 } },
      { name: 'w0', calls: { read: 1 } },
      { name: 'w1', calls: { write: 2 } },
    ]);
  });
});
