// The progress of a run.

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { LaunchTracker } from '../../lib/run/run-groups.js';

const CELL = /** @type {any} */ ({ transport: 'unix' });

it('reports progress at the start of each launch and at the end, with the remaining time', (t) => {
  let nowMs = 1_000;
  t.mock.method(performance, 'now', () => nowMs);
  /** @type {any[]} */
  const reported = [];
  const tracker = new LaunchTracker(2, 3, (progress) => reported.push(progress));
  tracker.endLaunch(CELL, false); // of an earlier run: it took no time of this one
  for (const hasFailed of [false, true, false]) {
    tracker.report(CELL, 0);
    nowMs += 500;
    tracker.endLaunch(CELL, hasFailed);
  }
  tracker.end();
  const seen = reported.map(({ phase, repetition, launchesDone, launchesTotal, failed, etaMs }) => [
    ...[phase, repetition, launchesDone, launchesTotal, failed, etaMs],
  ]);
  assert.deepEqual(seen, [
    ['launch', 0, 1, 6, 0, null],
    ['launch', 1, 2, 6, 0, 2_000],
    ['launch', 1, 3, 6, 1, 1_500],
    ['end', 1, 4, 6, 1, 1_000],
  ]);
  assert.deepEqual([reported[0].cell, reported[0].repetitions, reported.at(-1).cell], [CELL, 3, null]);
  assert.equal(reported.at(-1).elapsedMs, 1_500);
});

it('estimates no time before the work of one launch is done, or all launches of a small group have started', () => {
  const known = (/** @type {number} */ launches, /** @type {number} */ started) => {
    /** @type {any} */
    let last;
    const tracker = new LaunchTracker(launches, 3, (progress) => {
      last = progress;
    });
    for (let cell = 0; cell < started; cell += 1) tracker.report(/** @type {any} */ ({ cell }), 0.2);
    return last.etaMs !== null;
  };
  assert.deepEqual([known(3, 2), known(3, 3), known(9, 4), known(9, 5)], [false, true, false, true]);
});

it('reports more repetitions than planned once they begin', () => {
  /** @type {any[]} */
  const reported = [];
  const tracker = new LaunchTracker(1, 1, (progress) =>
    reported.push([progress.repetition, progress.repetitions]),
  );
  for (let launch = 0; launch < 3; launch += 1) {
    tracker.report(CELL, 0);
    tracker.endLaunch(CELL, false);
  }
  assert.deepEqual(reported, [
    [0, 1],
    [1, 2],
    [2, 3],
  ]);
});
