// Runs always.
// Waking a sleeping CPU, measured on this machine. What is made of it, and of disturbed launches, is in test/unit/machine-flags.test.js and
// in test/fixtures/snapshots.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { canPin } from '../../lib/children/launcher.js';
import { readTopology } from '../../lib/machine/placement.js';
import { measureWakeLatency, measureWakeUp } from '../../lib/machine/wake-up.js';

describe('the wake-up of a sleeping CPU', () => {
  it('is not measured without pinning, or on one CPU', async () => {
    assert.equal(await measureWakeUp(null), null);
    assert.equal(await measureWakeUp([3]), null);
  });

  const cpus = canPin() ? (readTopology()?.siblingsLast ?? []) : [];
  const WITH_TWO_CPUS = { skip: cpus.length < 2 ? 'needs two CPUs and taskset' : false };
  it('takes half of the extra time of a round trip across two CPUs', WITH_TWO_CPUS, async () => {
    const wakeUp = await measureWakeUp(cpus);
    if (wakeUp === null) return; // others keep the CPUs too busy to tell
    assert.ok(wakeUp.sameUs > 0 && wakeUp.splitUs > 0);
    assert.equal(wakeUp.costUs, Math.max(0, (wakeUp.splitUs - wakeUp.sameUs) / 2));
    assert.deepEqual(wakeUp.cpus, cpus.slice(0, 2));
  });

  it('has a latency across two CPUs', WITH_TWO_CPUS, async () => {
    const [from, to] = cpus;
    let us = await measureWakeLatency(from, to);
    // Others may keep the CPUs busy for longer than its deadline.
    for (let tries = 1; us === null && tries < 3; tries += 1) us = await measureWakeLatency(from, to);
    assert.ok(us !== null && us >= 0, `${us} µs`);
  });
});
