// Which pauses of the event loop the code of a process explains.

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { PauseMonitor } from '../../lib/launch/monitors/pauses.js';
import { ownWaitMs } from '../../lib/machine/process-cost.js';

const KNOWS_WAIT = { skip: ownWaitMs() === null && 'the wait for a CPU is unknown on this system' };

const BLOCK_MS = 200;
const asleep = new Int32Array(new SharedArrayBuffer(4));

/**
 * The time in which a process waits for a CPU is not blocked time of its own, so a block that others have disturbed is repeated.
 * @param {number} afterMs   time from the block to the end of the slice
 */
async function reportOfBlock(afterMs) {
  for (;;) {
    const pauses = new PauseMonitor();
    pauses.begin();
    await sleep(100);
    const waitedMs = Number(ownWaitMs());
    Atomics.wait(asleep, 0, 0, BLOCK_MS);
    if (afterMs > 0) await sleep(afterMs);
    pauses.end();
    if (Number(ownWaitMs()) - waitedMs < 0.1 * BLOCK_MS) return pauses.report();
  }
}

it('counts code that sleeps or computes as blocked time of its own', KNOWS_WAIT, async () => {
  const { blockedMs, blockedInAllMs } = await reportOfBlock(60);
  assert.ok(blockedMs > 0.75 * BLOCK_MS, `${blockedMs} ms`);
  assert.ok(blockedInAllMs >= blockedMs);
});

it('counts a pause that lasts until the end', KNOWS_WAIT, async () => {
  assert.ok((await reportOfBlock(0)).blockedMs > 0.75 * BLOCK_MS);
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
