import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createProgress, progressLine } from '../../lib/cli/measuring.js';
import { durationText } from '../../lib/format/numbers.js';

/** @type {import('../../lib/types/launches.js').Progress} */
const PROGRESS = {
  phase: 'launch',
  repetition: 1,
  repetitions: 6,
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
  const view = createProgress({ stream, isQuiet, colour, isDumb, nowMs: () => clock.ms });
  const report = (/** @type {number} */ ms, progress = PROGRESS) => {
    clock.ms = ms;
    view.onProgress(progress);
  };
  return { written, report, end: view.end };
}

describe('createProgress', () => {
  it('names repetition, launches, time and cell', () => {
    assert.equal(
      progressLine(PROGRESS),
      'repetition 2/6 · launches 11/54 · 20 % · about 1 min 18 s left · unix:flush=tick/json round-trip 2x4 1000 B split',
    );
    assert.match(progressLine({ ...PROGRESS, etaMs: null, failed: 2 }), /20 s so far · 2 failed/);
  });

  it('redraws one line on a terminal, within its width, and clears it at the end', () => {
    const { written, report, end } = viewOf({ isTTY: true, columns: 30 });
    report(0);
    end();
    assert.deepEqual(written, ['\r\u001b[2Krepetition 2/6 · launches 11/', '\r\u001b[2K']);
  });

  it('dims the line on a terminal with colours', () => {
    const { written, report } = viewOf({ isTTY: true, colour: true });
    report(0);
    assert.ok(written[0].includes('\u001b[2m'));
  });

  it('writes a plain line in five seconds in a pipe and on a dumb terminal', () => {
    for (const view of [{ colour: true }, { isTTY: true, isDumb: true }]) {
      const { written, report, end } = viewOf(view);
      for (const ms of [0, 4999, 5000, 9000]) report(ms);
      end();
      assert.equal(written.length, 2);
      for (const line of written) assert.match(line, /^repetition .*split\n$/);
      assert.equal(written.join('').includes('\u001b'), false);
    }
  });

  it('writes nothing with --quiet, and at the end of the run', () => {
    const quiet = viewOf({ isQuiet: true });
    quiet.report(0);
    quiet.end();
    const over = viewOf({});
    over.report(0, { ...PROGRESS, phase: 'end', cell: null });
    assert.deepEqual([...quiet.written, ...over.written], []);
  });
});

describe('durationText', () => {
  it('rounds to seconds, or to minutes from an hour on', () => {
    assert.deepEqual([400, 59_400, 59_600, 200_000, 3_599_900, 7_500_000].map(durationText), [
      '0 s',
      '59 s',
      '1 min 0 s',
      '3 min 20 s',
      '1 h 0 min',
      '2 h 5 min',
    ]);
  });
});
