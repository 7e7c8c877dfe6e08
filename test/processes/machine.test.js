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
  const WITH_TWO_CPUS = { skip: cpus.length < 2 ? 'needs two CPUs and taskset' : false };
  it('takes half of the extra time of a round trip across two CPUs', WITH_TWO_CPUS, async (t) => {
    const wakeUp = await measureWakeUp(cpus);
    if (wakeUp === null) return t.skip('others keep the CPUs too busy to tell');
    assert.ok(wakeUp.sameUs > 0 && wakeUp.splitUs > 0);
    assert.equal(wakeUp.costUs, Math.max(0, (wakeUp.splitUs - wakeUp.sameUs) / 2));
    assert.deepEqual(wakeUp.cpus, cpus.slice(0, 2));
  });

  it('has a latency across two CPUs', WITH_TWO_CPUS, async (t) => {
    const [from, to] = cpus;
    const us = await measureWakeLatency(from, to);
    if (us === null) return t.skip('others keep the CPUs busy for longer than its deadline');
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
