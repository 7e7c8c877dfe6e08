// Runs at night.
// selftest: the command measures what it says.

import assert from 'node:assert/strict';
import { Writable } from 'node:stream';
import { describe, it } from 'node:test';
import { selftest } from '../../lib/cli/selftest.js';
import { seededRandom, seedFrom, shuffled } from '../../lib/statistics/random.js';
import { simulatedLauncher } from '../fixtures/simulated-launcher.js';

// On a crowded machine a short window of a real launch may pass without a round trip.
const EFFORT = { leastGroups: 12, maxTimeMs: 1_000, warmup: '20ms', measure: '250ms', seed: 1 };
const PILOTS = 3;
const SIDES = ['one', 'other', 'slowed'];

describe('a self-test', () => {
  /**
   * @param {import('../../lib/cli/main.js').Host['launch']} launch
   * @returns {Promise<{ code: number, document: any }>}
   */
  async function ran(launch) {
    let text = '';
    const stdout = new Writable({
      write(chunk, _encoding, done) {
        text += chunk;
        done();
      },
    });
    const host = { stdout, stderr: new Writable(), environment: {}, exitNow() {}, launch };
    const code = await selftest({ json: '-', quiet: true, lock: 'ignore' }, host, EFFORT);
    return { code, document: JSON.parse(text) };
  }

  it('measures the same cell twice and a slowed one in each group', async () => {
    // What slows the other cell is met with real processes in compare-run.test.js, too.
    const { code, document } = await ran(undefined);
    assert.equal(document.kind, 'selftest');
    assert.equal(code, document.isFit ? 0 : 6);
    assert.ok(document.groups >= EFFORT.leastGroups); // simulated launches leave time for more
    assert.ok(document.delayUs > 0);
    assert.equal(document.knownDifference.ratio.n, document.groups);
    assert.match(document.cell, /^unix\/json round-trip 2x4 1000 B/);
  });

  for (const [speed, expected] of [
    [1, 0],
    [0.5, 6],
    [0.9, 6],
  ]) {
    it(`ends with exit code ${expected} where the second side of the same cell runs at ${speed} of its speed`, async () => {
      const speedOf = (/** @type {unknown} */ _assignment, /** @type {number} */ index) => {
        const launches = index - PILOTS;
        if (launches < 0) return 1;
        const random = seededRandom(seedFrom(EFFORT.seed, 'group 0', Math.floor(launches / SIDES.length)));
        return shuffled(SIDES, random)[launches % SIDES.length] === 'other' ? speed : 1;
      };
      const { code, document } = await ran(simulatedLauncher(undefined, undefined, speedOf));
      assert.ok(
        Math.abs(document.sameCell.ratio.estimate / speed - 1) < 0.05,
        document.sameCell.ratio.estimate,
      );
      assert.equal(document.knownDifference.isFound, true);
      assert.equal(code, expected, document.why);
    });
  }
});
