// What one launch with real processes counts and times: within some milliseconds, which takes a machine of its own.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { launchCell } from '../fixtures/launch-cell.js';

const TIMING = { warmupMs: 100, measureMs: 300 };

/** @param {Record<string, string | number>} settings */
const faulty = (settings) => ({ transport: './faulty-transport.js', cell: { settings } });

describe('a launch', () => {
  for (const transport of ['pipe', 'unix', 'tcp']) {
    it(`counts and times every round trip over ${transport}`, async () => {
      const { end } = await launchCell({ transport, timing: TIMING });
      assert.equal(end.kind, 'done', JSON.stringify(end));
      if (end.kind !== 'done') return;
      const { operations, reports, bins, windowMs, costs } = end.fields;
      assert.ok(operations > 100);
      const counted = reports.reduce(
        (/** @type {number} */ sum, /** @type {any} */ { latency }) => sum + (latency?.count ?? 0),
        0,
      );
      assert.equal(counted, operations, 'as many latencies as round trips');
      assert.equal(
        bins.reduce((/** @type {number} */ sum, /** @type {number} */ bin) => sum + bin, 0),
        operations,
      );
      assert.ok(Math.abs(windowMs - 300) < 30, `window of ${windowMs} ms`);
      assert.deepEqual(
        costs.map((/** @type {any} */ cost) => cost.name),
        ['master', 'w0', 'w1'],
      );
      assert.ok(costs.every((/** @type {any} */ cost) => cost.share > 0 && cost.share < 1.2));
    });
  }

  it('agrees with Little’s law: the loops’ mean times add up to the window', async () => {
    const { end } = await launchCell({ cell: { workers: 1, loops: 8 }, timing: TIMING });
    assert.equal(end.kind, 'done');
    if (end.kind !== 'done') return;
    const [{ operations, windowMs, latency }] = end.fields.reports;
    const loops = (operations * latency.meanNs) / 1e6 / windowMs;
    assert.ok(Math.abs(loops - 8) < 0.16, `${loops} loops`);
  });

  it('makes exactly the messages that were asked for', async () => {
    const { end } = await launchCell({ timing: { messages: 250 } });
    assert.equal(end.kind === 'done' && end.fields.operations, 2 * 4 * 250);
  });

  it('leaves the time that connecting takes out of the window', async () => {
    const { end } = await launchCell({ ...faulty({ fault: 'slow', afterMs: 800 }), timing: TIMING });
    assert.equal(end.kind, 'done', JSON.stringify(end));
    if (end.kind !== 'done') return;
    assert.ok(Math.abs(end.fields.windowMs - 300) < 30);
    assert.ok(
      end.fields.bins.every((/** @type {number} */ bin) => bin > 0),
      'both workers were there all the time',
    );
  });
});
