// Runs in CI, alone.
// The costs of a launch of threads.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Worker } from 'node:worker_threads';
import { costBetween, readOwnCost, readThreadCost } from '../../lib/machine/process-cost.js';
import { launchWithKnownCosts } from '../fixtures/launch-cell.js';

const THREADS = 'threads-message';
const ON_LINUX = { skip: process.platform === 'linux' ? false : 'reads /proc' };

describe('the costs of a launch of threads', ON_LINUX, () => {
  it('lists its threads, and counts its memory once', async () => {
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

  it('separate one thread from another, and include both in the process', async () => {
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
