// Runs in CI, alone.
// --poll busy: an axis of the plan, and processes that never sleep.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { launchCell, launchWithKnownCosts } from '../fixtures/launch-cell.js';

/** @param {import('../../lib/types/plans.js').Cell['poll']} [poll] @returns {Promise<number[]>} the share of a core of each process */
async function sharesOfIdleLaunch(poll) {
  const { end } = await launchWithKnownCosts({
    transport: '../fixtures/fixed-delay.js',
    cell: { workers: 1, loops: 1, settings: { delayMs: 20 }, ...(poll && { poll }) },
    timing: { warmupMs: 100, measureMs: 300 },
  });
  assert.ok(end.kind === 'done', JSON.stringify(end));
  return end.fields.costs.map((/** @type {any} */ { share }) => share);
}

describe('a launch with --poll busy', () => {
  it('never sleeps with an idle load, unlike one without it', async () => {
    const busy = await sharesOfIdleLaunch('busy');
    const event = await sharesOfIdleLaunch();
    assert.equal(busy.length, 2);
    // Others may have most of the CPUs here, but something that never sleeps gets its part of them.
    for (const [index, share] of busy.entries()) {
      assert.ok(share > 2 * event[index], `${busy} against ${event}`);
    }
  });

  for (const fault of ['throw', 'hangup']) {
    it(`ends when a worker fails by ${fault}`, async () => {
      const { end } = await launchCell({
        transport: './faulty-transport.js',
        cell: { workers: 1, loops: 1, poll: 'busy', settings: { fault, afterMs: 150 } },
        timing: { warmupMs: 100, measureMs: 300 },
        deadlines: { lifeMs: 6_000 },
      });
      assert.ok(end.kind === 'failed');
      assert.doesNotMatch(end.message, /master .* did not finish/);
    });
  }

  it('ends when it is stopped', async () => {
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 500);
    const cell = { workers: 1, loops: 1, poll: /** @type {const} */ ('busy') };
    const launch = launchCell({ cell, timing: { measureMs: 20_000 }, signal: controller.signal });
    await assert.rejects(launch, { code: 'INTERRUPTED' });
  });
});
