// Which pauses of the event loop the code of a process explains.

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { PauseMonitor } from '../../lib/launch/monitors/pauses.js';
import { ownWaitMs } from '../../lib/machine/process-cost.js';

const KNOWS_WAIT = { skip: ownWaitMs() === null && 'the wait for a CPU is unknown on this system' };

it('counts code that sleeps or computes as blocked time of its own', KNOWS_WAIT, async () => {
  const pauses = new PauseMonitor();
  pauses.begin();
  await sleep(100);
  const asleep = new Int32Array(new SharedArrayBuffer(4));
  Atomics.wait(asleep, 0, 0, 200);
  await sleep(60);
  pauses.end();
  const { blockedMs, blockedInAllMs } = pauses.report();
  assert.ok(blockedMs > 150, `${blockedMs} ms`);
  assert.ok(blockedInAllMs >= blockedMs);
});

it('counts a pause that lasts until the end', KNOWS_WAIT, async () => {
  const pauses = new PauseMonitor();
  pauses.begin();
  await sleep(100);
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200);
  pauses.end();
  assert.ok(pauses.report().blockedMs > 150);
});

it('reports the longest pauses of all slices that count, and adds up blocked time', () => {
  const pauses = new PauseMonitor();
  pauses.slices = [
    { stallMs: 5, blockedMs: 40, blockedInAllMs: 60 },
    { stallMs: 9, blockedMs: 30, blockedInAllMs: 30 },
    { stallMs: 99, blockedMs: 99, blockedInAllMs: 99 },
  ];
  pauses.drop();
  assert.deepEqual(pauses.report(), { stallMs: 9, blockedMs: 40, blockedInAllMs: 90 });
});
