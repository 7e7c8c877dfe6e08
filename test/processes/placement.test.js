// Runs always.
// Which thread of a process goes where.

import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { canPin } from '../../lib/children/launcher.js';
import { readTopology } from '../../lib/machine/placement.js';
import { launchWithKnownCosts } from '../fixtures/launch-cell.js';

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
