// Runs always.
// Waking a sleeping CPU, measured on this machine. What is made of it, and of disturbed launches, is in test/unit/machine-flags.test.js and
// in test/fixtures/snapshots.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { timesIn } from '../../lib/cell/headline.js';
import { canPin } from '../../lib/children/launcher.js';
import { readTopology } from '../../lib/machine/placement.js';
import { measureWakeLatency, measureWakeUp } from '../../lib/machine/wake-up.js';
import { buildResults, buildRow } from '../fixtures/build-results.js';

describe('the wake-up of a sleeping CPU', () => {
  it('is not measured without pinning, or on one CPU', async () => {
    assert.equal(await measureWakeUp(null), null);
    assert.equal(await measureWakeUp([3]), null);
  });

  const cpus = canPin() ? (readTopology()?.siblingsLast ?? []) : [];
  const MAX_ATTEMPTS = 10;
  /**
   * @template T
   * @param {() => Promise<T | null>} measure   returns null while others keep the CPUs busy
   * @returns {Promise<T>}
   */
  const measuredAtLast = async (measure) => {
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
      const measured = await measure();
      if (measured !== null) return measured;
    }
    assert.fail(`not measured in ${MAX_ATTEMPTS} attempts`);
  };
  const WITH_TWO_CPUS = { skip: cpus.length < 2 ? 'needs two CPUs and taskset' : false };
  it('takes half of the extra time of a round trip across two CPUs', WITH_TWO_CPUS, async () => {
    const wakeUp = await measuredAtLast(() => measureWakeUp(cpus));
    assert.ok(wakeUp.sameUs > 0 && wakeUp.splitUs > 0);
    assert.equal(wakeUp.costUs, Math.max(0, (wakeUp.splitUs - wakeUp.sameUs) / 2));
    assert.deepEqual(wakeUp.cpus, cpus.slice(0, 2));
  });

  it('has a latency across two CPUs', WITH_TWO_CPUS, async () => {
    const [from, to] = cpus;
    const us = await measuredAtLast(() => measureWakeLatency(from, to));
    assert.ok(us >= 0, `${us} µs`);
  });

  it('flags a cell whose round trips are hardly longer than two of them', () => {
    const [outcome] = buildResults({ series: ['pipe/json', 'unix/json'], shapes: ['1x1'] }).outcomes;
    assert.ok(outcome.status === 'measured');
    const launches = outcome.launches.map((launch) => ({
      ...launch,
      costs: launch.costs.map((cost) => ({ ...cost, voluntarySwitches: launch.operations })),
    }));
    const codesOf = (/** @type {{ wakeUpUs?: number }} */ known) => {
      const row = buildRow(outcome.cell, launches, null, 'pipe/json', known);
      return row.status === 'measured' && row.flags.map(({ code }) => code);
    };
    assert.deepEqual(codesOf({ wakeUpUs: timesIn(outcome)[0].p50 }), ['wake-up']);
    assert.deepEqual(codesOf({}), []);
  });
});
