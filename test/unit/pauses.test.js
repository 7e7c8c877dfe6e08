// Which pauses of the event loop the code of a process explains.

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { joinPauses, watchPauses } from '../../lib/launch/monitors/pauses.js';
import { ownWaitMs } from '../../lib/machine/process-cost.js';

const KNOWS_WAIT = { skip: ownWaitMs() === null && 'the wait for a CPU is unknown on this system' };

it('counts code that sleeps or computes as blocked time of its own', KNOWS_WAIT, async () => {
  const pauses = watchPauses();
  pauses.open();
  await sleep(100);
  const asleep = new Int32Array(new SharedArrayBuffer(4));
  Atomics.wait(asleep, 0, 0, 200);
  await sleep(60);
  const { blockedMs, blockedInAllMs } = pauses.close();
  assert.ok(blockedMs > 150, `${blockedMs} ms`);
  assert.ok(blockedInAllMs >= blockedMs);
});

it('counts a pause that lasts until the end', KNOWS_WAIT, async () => {
  const pauses = watchPauses();
  pauses.open();
  await sleep(100);
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200);
  assert.ok(pauses.close().blockedMs > 150);
});

it('joins slices by their longest pauses, and adds up blocked time', () => {
  const one = { stallMs: 5, blockedMs: 40, blockedInAllMs: 60 };
  const other = { stallMs: 9, blockedMs: 30, blockedInAllMs: 30 };
  assert.deepEqual(joinPauses(one, other), { stallMs: 9, blockedMs: 40, blockedInAllMs: 90 });
});
