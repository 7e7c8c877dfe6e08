// Whether a worker pays at an amount of work, of made-up pools whose truth is known.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { recommendOptions } from '../../lib/options/recommend-options.js';
import { answerAt, workJson, workSentences } from '../../lib/report/recommend/work-words.js';
import { makeTaskResults } from '../fixtures/make-task-results.js';

const POOLS = {
  quick: { overheadUs: 20, cores: 2 },
  heavy: { overheadUs: 200, cores: 2 },
  fork: { overheadUs: 90, cores: 2, class: /** @type {const} */ ('process-pool') },
  blocking: { overheadUs: 12, cores: 1, class: /** @type {const} */ ('blocking') },
};

/** @param {Parameters<typeof makeTaskResults>[0]} pools @param {number} workUs @param {Parameters<typeof makeTaskResults>[1]} [how] */
function answered(pools, workUs, how) {
  const results = makeTaskResults(pools, how);
  const answer = answerAt(results, workUs);
  assert.ok(answer);
  return { results, answer, sentences: workSentences(results, answer) };
}

describe('recommend --work', () => {
  it('says yes where rows are faster than inline, the best of each class, and from where each pays', () => {
    const { answer, sentences } = answered(POOLS, 1_000);
    assert.equal(answer.pays, 'yes');
    const [first, threads, processes, blocking, breakEven, none, blocks] = sentences;
    assert.equal(
      first,
      'Yes, a worker pays at 1,000 µs of work per task, 1,000 B (2 workers, 4 concurrent loops each): 3 of 3 rows do more tasks per second than the main process alone.',
    );
    assert.match(
      threads,
      /^Pools of threads, compared with inline\/none: faster: quick\/v8 1\.9\d× \(.*\), heavy\/v8 1\.6\d× \(.*\); quick\/v8 is the fastest of them\.$/,
    );
    assert.match(processes, /^Pools of processes: faster: fork\/v8 1\.\d\d× \([^)]*\)\.$/);
    assert.match(blocking, /^Calls that block the caller: .*blocking\/v8/);
    assert.match(
      breakEven,
      /^More tasks per second than inline\/none above so much work per task: quick\/v8 /,
    );
    assert.match(none, /^No break-even with inline\/none was found: blocking\/v8 /);
    assert.match(blocks, /^Blocks of the main event loop, p99 in µs: inline\/none 1,000, quick\/v8 1,000, /);
  });

  it('says no where each row is slower', () => {
    const { answer, sentences } = answered(POOLS, 10);
    assert.equal(answer.pays, 'no');
    assert.match(sentences[0], /^No, a worker does not pay at 10 µs of work per task, 1,000 B \(/);
  });

  it('says that it is not clear where it is not', () => {
    const { answer, sentences } = answered({ quick: POOLS.quick }, 19, {
      worksUs: [10, 19, 100],
      noise: 0.2,
      launches: 8,
    });
    assert.equal(answer.pays, 'unclear');
    assert.match(sentences[0], /^It is not clear whether a worker pays at 19 µs of work per task/);
  });

  it('does not say no where a row is not ranked', () => {
    const results = makeTaskResults(POOLS);
    const row = results.outcomes.find(({ cell }) => cell.transport === 'fork');
    assert.ok(row?.status === 'measured');
    const there = results.outcomes.filter(({ cell }) => cell.scenario === row.cell.scenario);
    row.flags.push({ code: 'cold', message: '' });
    assert.equal(answerAt({ ...results, outcomes: there }, 0)?.pays, 'unclear');
    row.flags.pop();
    assert.equal(answerAt({ ...results, outcomes: there }, 0)?.pays, 'no');
  });

  it('does not count calls that block the caller', () => {
    const blocking = { overheadUs: 1, cores: 3, class: /** @type {const} */ ('blocking') };
    const { answer } = answered({ blocking, heavy: { overheadUs: 5_000, cores: 1 } }, 1_000);
    assert.equal(answer.pays, 'no');
    assert.equal(answered({ blocking }, 1_000).answer.pays, 'unclear');
  });

  it('has no answer without inline at that amount of work', () => {
    const results = makeTaskResults(POOLS);
    assert.equal(answerAt(results, 50), null);
    const outcomes = results.outcomes.filter(({ cell }) => cell.transport === 'inline');
    assert.equal(answerAt({ ...results, outcomes }, 10), null);
  });

  it('says what memory each worker takes beyond the main process alone', () => {
    const results = makeTaskResults(POOLS);
    const peaks = /** @type {Record<string, number | null>} */ ({
      inline: 90,
      quick: 150,
      heavy: 80,
      fork: 390,
      blocking: null,
    });
    const outcomes = results.outcomes.map((outcome) => {
      const mebibytes = peaks[outcome.cell.transport];
      return { ...outcome, peakRssBytes: mebibytes === null ? null : mebibytes * 2 ** 20 };
    });
    const own = /** @type {typeof results} */ ({ ...results, outcomes });
    const answer = answerAt(own, 100);
    assert.ok(answer);
    const sentences = workSentences(own, answer);
    assert.ok(
      sentences.includes('Memory of each worker: quick/v8 30.0 MiB, fork/v8 150 MiB.'),
      sentences.join('\n'),
    );
    const { rows } = /** @type {any} */ (workJson(own, answer, sentences));
    assert.deepEqual(rows.map((/** @type {any} */ { name, workerBytes }) => [name, workerBytes]).toSorted(), [
      ['blocking/v8', null],
      ['fork/v8', 150 * 2 ** 20],
      ['heavy/v8', null],
      ['quick/v8', 30 * 2 ** 20],
    ]);
  });

  it('gives the same as JSON', () => {
    const { results, answer, sentences } = answered(POOLS, 1_000);
    const document = /** @type {any} */ (workJson(results, answer, sentences));
    assert.equal(document.pays, 'yes');
    assert.equal(document.workUs, 1_000);
    assert.deepEqual(document.sentences, sentences);
    const quick = document.rows.find((/** @type {any} */ { name }) => name === 'quick/v8');
    assert.equal(quick.class, 'thread-pool');
    assert.equal(quick.verdict, 'better');
    assert.equal(quick.blockP99Us, 1_000);
    const [{ estimate, low, high }] = quick.breakEvenUs;
    assert.ok(10 < low && low < estimate && estimate < high && high < 100);
    const blocking = document.rows.find((/** @type {any} */ { name }) => name === 'blocking/v8');
    assert.deepEqual(blocking.breakEvenUs, []);
  });
});

describe('--work', () => {
  const workOf = (/** @type {string} */ work) => recommendOptions({ work }).workUs;

  it('is a time with a unit', () => {
    assert.deepEqual(['200us', '200µs', '1.5ms', '1us', '10ms'].map(workOf), [200, 200, 1_500, 1, 10_000]);
    assert.throws(() => workOf('200'), /--work: "200" has no unit; write 200us or 1\.5ms/);
    assert.throws(() => workOf('1s'), /--work: "1s" has an unknown unit "s"; write 200us or 1\.5ms/);
    assert.throws(() => workOf('0us'), /--work: "0us" is out of range; it goes from 1 to 10,000 µs/);
    assert.throws(() => workOf('11ms'), /--work: "11ms" is out of range/);
  });

  it('has a payload of text or of bytes', () => {
    assert.equal(recommendOptions({ work: '1ms', data: 'bytes' }).data, 'bytes');
    assert.throws(() => recommendOptions({ work: '1ms', data: 'blob' }), /--data: "blob"/);
    assert.throws(() => recommendOptions({ data: 'bytes' }), /--data: .*--work/);
  });

  it('refuses what asks something else', () => {
    for (const flag of ['rate', 'from', 'slo', 'traffic', 'scenario'])
      assert.throws(
        () => recommendOptions({ work: '1ms', rate: '1k', [flag]: flag === 'slo' ? 'p99<5ms' : '1k' }),
        /goes without --traffic|does not go with --work, which measures tasks in closed loops/,
        flag,
      );
  });
});
