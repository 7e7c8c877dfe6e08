import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createProgress, progressLine } from '../../lib/cli/measuring.js';
import { durationText } from '../../lib/format/numbers.js';

/** @type {import('../../lib/types/launches.js').Progress} */
const PROGRESS = {
  phase: 'launch',
  block: 1,
  blocks: 6,
  cell: {
    transport: 'unix',
    codec: 'json',
    scenario: 'round-trip',
    payloadBytes: 1000,
    workers: 2,
    loops: 4,
    placement: 'split',
    settings: { flush: 'tick' },
  },
  launchesDone: 11,
  launchesTotal: 54,
  failed: 0,
  elapsedMs: 20_000,
  etaMs: 78_000,
};

/** @param {{ isTTY?: boolean, isQuiet?: boolean, colour?: boolean, isDumb?: boolean, columns?: number }} view */
function viewOf({ isTTY = false, isQuiet = false, colour = false, isDumb = false, columns = 80 }) {
  /** @type {string[]} */
  const written = [];
  const stream = /** @type {any} */ ({
    isTTY,
    columns,
    write: (/** @type {string} */ text) => written.push(text),
  });
  const clock = { ms: 0 };
  const progress = createProgress({ stream, isQuiet, colour, isDumb, nowMs: () => clock.ms });
  return { written, clock, ...progress };
}

describe('progressLine', () => {
  it('says block, launch, time left and cell', () => {
    assert.equal(
      progressLine(PROGRESS),
      'block 2/6 · launch 12/54 · about 1 min 18 s left · unix:flush=tick/json round-trip 2x4 1000 B split',
    );
  });

  it('does not guess before the first launch, and counts failures', () => {
    const line = progressLine({ ...PROGRESS, etaMs: null, failed: 2 });
    assert.match(line, /20 s so far · 2 failed/);
  });
});

describe('createProgress', () => {
  it('redraws one line on a terminal, within its width, and clears it at the end', () => {
    const view = viewOf({ isTTY: true, columns: 30 });
    view.onProgress(PROGRESS);
    view.end();
    assert.deepEqual(view.written, ['\r\u001b[2Kblock 2/6 · launch 12/54 · ab', '\r\u001b[2K']);
  });

  it('writes plain lines elsewhere, one in five seconds', () => {
    const view = viewOf({});
    for (const ms of [0, 4999, 5000, 9000]) {
      view.clock.ms = ms;
      view.onProgress(PROGRESS);
    }
    view.end();
    assert.equal(view.written.length, 2);
    assert.match(view.written[0], /^block.*split\n$/);
  });

  it('writes no control character where it is not a terminal, or a dumb one', () => {
    for (const view of [viewOf({ colour: true }), viewOf({ isTTY: true, isDumb: true })]) {
      view.onProgress(PROGRESS);
      view.end();
      assert.equal(view.written.join('').includes('\u001b'), false);
    }
  });

  it('is dim on a terminal with colours', () => {
    const view = viewOf({ isTTY: true, colour: true });
    view.onProgress(PROGRESS);
    assert.ok(view.written[0].includes('\u001b[2m'));
  });

  it('is silent when quiet, and at the end of the run', () => {
    const quiet = viewOf({ isQuiet: true });
    quiet.onProgress(PROGRESS);
    quiet.end();
    const over = viewOf({});
    over.onProgress({ ...PROGRESS, phase: 'end', cell: null });
    assert.deepEqual([...quiet.written, ...over.written], []);
  });
});

describe('durationText', () => {
  it('rounds to what one would say', () => {
    assert.deepEqual([400, 59_400, 200_000, 7_500_000].map(durationText), [
      '0 s',
      '59 s',
      '3 min 20 s',
      '2 h 5 min',
    ]);
    assert.equal(durationText(59_600), '1 min 0 s');
    assert.equal(durationText(3_599_900), '1 h 0 min');
  });
});
