// The progress of a run.

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { launchTracker } from '../../lib/run/run-groups.js';

const CELL = /** @type {any} */ ({ transport: 'unix' });

it('reports progress at the start of each launch and at the end, with the remaining time', (t) => {
  let nowMs = 1_000;
  t.mock.method(performance, 'now', () => nowMs);
  /** @type {any[]} */
  const told = [];
  const tracker = launchTracker(2, 3, (progress) => told.push(progress));
  tracker.ended(CELL, false); // of an earlier run: it took no time of this one
  for (const hasFailed of [false, true, false]) {
    tracker.advances(CELL, 0);
    nowMs += 500;
    tracker.ended(CELL, hasFailed);
  }
  tracker.ends();
  const seen = told.map(({ phase, repetition, launchesDone, launchesTotal, failed, etaMs }) => [
    ...[phase, repetition, launchesDone, launchesTotal, failed, etaMs],
  ]);
  assert.deepEqual(seen, [
    ['launch', 0, 1, 6, 0, null],
    ['launch', 1, 2, 6, 0, 2_000],
    ['launch', 1, 3, 6, 1, 1_500],
    ['end', 1, 4, 6, 1, 1_000],
  ]);
  assert.deepEqual([told[0].cell, told[0].repetitions, told.at(-1).cell], [CELL, 3, null]);
  assert.equal(told.at(-1).elapsedMs, 1_500);
});

it('estimates no time before the work of one launch is done, or all launches of a small group have started', () => {
  const known = (/** @type {number} */ launches, /** @type {number} */ started) => {
    /** @type {any} */
    let last;
    const tracker = launchTracker(launches, 3, (progress) => {
      last = progress;
    });
    for (let cell = 0; cell < started; cell += 1) tracker.advances(/** @type {any} */ ({ cell }), 0.2);
    return last.etaMs !== null;
  };
  assert.deepEqual([known(3, 2), known(3, 3), known(9, 4), known(9, 5)], [false, true, false, true]);
});

it('reports more repetitions than planned once they begin', () => {
  /** @type {any[]} */
  const told = [];
  const tracker = launchTracker(1, 1, (progress) => told.push([progress.repetition, progress.repetitions]));
  for (let launch = 0; launch < 3; launch += 1) {
    tracker.advances(CELL, 0);
    tracker.ended(CELL, false);
  }
  assert.deepEqual(told, [
    [0, 1],
    [1, 2],
    [2, 3],
  ]);
});
