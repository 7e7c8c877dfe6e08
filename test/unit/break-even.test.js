// From how much work per task a worker pays: the crossover of simulated rows whose truth is known.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { breakEvenSentences, findBreakEvens } from '../../lib/report/text/break-even.js';
import { makeTaskResults } from '../fixtures/make-task-results.js';

describe('the break-even of a pool', () => {
  it('is found with an interval that holds the truth', () => {
    const [{ crossovers, points }] = findBreakEvens(makeTaskResults({ quick: { overheadUs: 20, cores: 2 } }));
    assert.deepEqual(
      points.map(({ x }) => x),
      [0.1, 10, 100, 1_000],
    );
    const [{ estimate, low, high, isCheaperAbove }] = crossovers;
    assert.equal(crossovers.length, 1);
    assert.ok(isCheaperAbove);
    // Between 10 and 100 µs: inline takes work + 1, the pool 20 at 10 µs and 60 at 100 µs, on a straight line.
    const truth = 10 + (90 * 9) / (41 + 9);
    assert.ok(low < truth && truth < high && low < estimate && estimate < high, `${low} ${estimate} ${high}`);
  });

  it('is told of each row, the lowest first, and of those without any what is known at the most work', () => {
    const sentences = breakEvenSentences(
      makeTaskResults({
        slow: { overheadUs: 200, cores: 2 },
        quick: { overheadUs: 20, cores: 2 },
        blocking: { overheadUs: 20, cores: 1 },
      }),
    );
    assert.equal(sentences.length, 2);
    assert.match(
      sentences[0],
      /^More tasks per second than inline\/none above so much work per task: quick\/v8 [\d.]+ µs \([\d.]+–[\d.]+\), slow\/v8 \d+ µs/,
    );
    assert.match(
      sentences[1],
      /^No break-even with inline\/none was found: blocking\/v8 \(0\.9\d×, .*, at 1,000 µs\)\.$/,
    );
  });

  it('has no place where a row and inline were not measured in the same blocks', () => {
    const results = makeTaskResults({ quick: { overheadUs: 20, cores: 2 } });
    const apart = results.outcomes.find(
      ({ cell }) => cell.transport !== 'inline' && /work=10$/.test(cell.scenario),
    );
    assert.ok(apart?.status === 'measured');
    for (const launch of apart.launches) launch.block += 100;
    const [{ row, inline, points }] = findBreakEvens(results);
    assert.deepEqual(
      row.map(({ cell }) => cell.scenario),
      inline.map(({ cell }) => cell.scenario),
    );
    assert.equal(row.length, points.length);
    assert.ok(!row.includes(apart));
  });

  it('is not given where one of the rows is not ranked, and the reason is', () => {
    const results = makeTaskResults({
      quick: { overheadUs: 20, cores: 2 },
      slow: { overheadUs: 200, cores: 2 },
    });
    const flag = (/** @type {string} */ transport, /** @type {string} */ scenario) => {
      const row = results.outcomes.find(
        ({ cell }) => cell.transport === transport && cell.scenario === scenario,
      );
      assert.ok(row?.status === 'measured');
      row.flags.push({ code: 'cold', message: '' });
    };
    // Its break-even lies between 10 and 100 µs: what is known at 1,000 µs does not matter.
    flag('quick', 'task:work=1000');
    assert.match(breakEvenSentences(results)[0], /: quick\/v8 [\d.]+ µs .*, slow\/v8 \d+ µs/);
    flag('quick', 'task:work=100');
    const [slow, quick, ...rest] = breakEvenSentences(results);
    assert.deepEqual(rest, []);
    assert.match(slow, /^More tasks .*: slow\/v8 \d+ µs \([\d.]+–[\d.]+\)\.$/);
    assert.equal(quick, 'No break-even with inline/none is given for quick/v8: still warming up.');
  });

  it('is not looked for without an inline row, or with one amount of work', () => {
    const results = makeTaskResults({ quick: { overheadUs: 20, cores: 2 } });
    assert.deepEqual(breakEvenSentences({ ...results, transports: {} }), []);
    const alone = results.outcomes.filter(({ cell }) => cell.scenario === 'task:work=10');
    assert.deepEqual(breakEvenSentences({ ...results, outcomes: alone }), []);
  });
});
