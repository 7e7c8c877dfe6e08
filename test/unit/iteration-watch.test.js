// How long the iterations of an event loop are at work, with clocks of the test.

import assert from 'node:assert/strict';
import { performance } from 'node:perf_hooks';
import { it } from 'node:test';
import { IterationWatch } from '../../lib/machine/iteration-watch.js';

it('divides an iteration of the event loop at its last write, and ignores one without a write', (t) => {
  let [nowMs, idleMs] = [1_000, 400];
  t.mock.method(performance, 'now', () => nowMs);
  t.mock.getter(performance.nodeTiming, 'idleTime', () => idleMs);
  /** @type {(() => void)[]} */
  const turns = [];
  t.mock.method(globalThis, 'setImmediate', (/** @type {() => void} */ turn) => {
    turns.push(turn);
    return { unref() {} };
  });
  const pass = (/** @type {number} */ workMs, sleepMs = 0) => {
    nowMs += workMs + sleepMs;
    idleMs += sleepMs;
  };
  const watch = new IterationWatch();
  pass(50);
  watch.begin();
  pass(3, 20);
  watch.onWrite();
  pass(2);
  watch.onWrite();
  pass(7);
  turns.shift()?.();
  assert.deepEqual([watch.onTheWayMs, watch.afterMs], [5, 7], 'what it slept is no work');
  pass(100);
  turns.shift()?.();
  assert.deepEqual([watch.onTheWayMs, watch.afterMs], [5, 7]);
  pass(1);
  watch.onWrite();
  turns.shift()?.();
  assert.deepEqual([watch.onTheWayMs, watch.afterMs], [6, 7]);
  assert.equal(turns.length, 1, 'it goes on watching');
  watch.onWrite();
  watch.begin();
  pass(9);
  turns.shift()?.();
  assert.deepEqual(
    [watch.onTheWayMs, watch.afterMs],
    [6, 7],
    'what was written before it began counts for nothing',
  );
});
