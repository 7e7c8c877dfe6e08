// Runs always.
// One launch with real processes, and faults that fault-matrix.test.js lacks. What it counts and times is in launch-times.test.js.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { patiently } from '../conformance/deadline.js';
import { launchCell } from '../fixtures/launch-cell.js';

const FAULTS = './faulty-transport.js';
const ON_LINUX = { skip: process.platform === 'linux' ? false : 'finds processes in /proc' };

/** @param {Record<string, string | number>} settings */
const faulty = (settings) => ({ transport: FAULTS, cell: { settings } });

describe('a faulty worker', () => {
  it('is named when it hangs up', async () => {
    const { end, left } = await launchCell({
      ...faulty({ fault: 'hangup', afterMs: 700 }),
      timing: { measureMs: 60_000 },
    });
    assert.equal(end.kind, 'failed');
    if (end.kind !== 'failed') return;
    assert.match(end.message, /worker w0 during measure: its channel closed/);
    assert.equal(end.phase, 'measure');
    assert.deepEqual(left, []);
  });
});

describe('a faulty master', () => {
  it('fails the launch when its control channel breaks while it runs', ON_LINUX, async () => {
    const { end } = await launchCell(faulty({ fault: 'cut-master' }));
    assert.match(
      end.kind === 'failed' ? `${end.code} ${end.message}` : '',
      /^PROTOCOL the control channel of the master \(pid \d+\) broke during .*, and it still ran: it was closed/,
    );
  });
});

describe('a request that the master cannot decode', () => {
  it('is reported instead of the timeout of its worker', async () => {
    const cell = { codec: new URL('../fixtures/deaf-codec.js', import.meta.url).href };
    const { end } = await launchCell({ cell, deadlines: { connectMs: patiently(1_000) } });
    assert.match(
      end.kind === 'failed' ? `${end.code} ${end.message}` : '',
      /^INTEGRITY the codec could not decode 2 of the first requests: w0 .* did not connect within/,
    );
  });
});
