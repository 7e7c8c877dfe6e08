// How long the ends of a load wait for open messages when it is over, with a clock of the test.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { untilQuiet, untilSettled } from '../../lib/workload/endpoints/exchange.js';

/**
 * Runs with time that passes at once, 10 ms at a time.
 * @template T
 * @param {import('node:test').TestContext} t
 * @param {() => Promise<T>} wait
 * @param {(nowMs: number) => void} [onStep]
 * @returns {Promise<{ answer: T, ms: number }>} ms: after which it resolved
 */
async function timed(t, wait, onStep = () => {}) {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  let nowMs = 0;
  const clock = t.mock.method(performance, 'now', () => nowMs);
  /** @type {{ answer: T, ms: number }[]} */
  const ends = [];
  const waiting = wait().then((answer) => ends.push({ answer, ms: nowMs }));
  while (ends.length === 0 && nowMs < 60_000) {
    for (let turn = 0; turn < 5; turn += 1) await Promise.resolve();
    if (ends.length > 0) break;
    nowMs += 10;
    onStep(nowMs);
    t.mock.timers.tick(10);
  }
  await waiting;
  clock.mock.restore();
  t.mock.timers.reset();
  return ends[0];
}

/** @param {Partial<Parameters<typeof untilSettled>[0]>} load */
const settledOf = (load) => () =>
  untilSettled({ isComplete: () => false, progress: () => 0, replyMs: 10_000, handleMs: 0, ...load });

describe('untilSettled', () => {
  it('resolves at once if all messages have arrived', async (t) => {
    const { answer, ms } = await timed(t, settledOf({ isComplete: () => true }));
    assert.deepEqual([answer, ms], ['complete', 0]);
  });

  it('resolves with the last message', async (t) => {
    let isComplete = false;
    const { answer, ms } = await timed(t, settledOf({ isComplete: () => isComplete }), (nowMs) => {
      isComplete = nowMs >= 1_000;
    });
    assert.deepEqual([answer, ms], ['complete', 1_000]);
  });

  it('gives up after silence for half the reply deadline, and sooner over lossy transports', async (t) => {
    const safe = await timed(t, settledOf({}));
    assert.deepEqual(safe, { answer: 'silent', ms: 5_010 });
    const lossy = await timed(t, settledOf({ mayLose: true }));
    assert.deepEqual(lossy, { answer: 'silent', ms: 510 });
    const slow = await timed(t, settledOf({ mayLose: true, handleMs: 300 }));
    assert.deepEqual(slow, { answer: 'silent', ms: 810 });
  });

  it('ends at the reply deadline while messages still arrive', async (t) => {
    let count = 0;
    const load = { progress: () => count, mayLose: true, replyMs: 2_000 };
    const { answer, ms } = await timed(t, settledOf(load), (nowMs) => {
      if (nowMs % 400 === 0) count += 1;
    });
    assert.deepEqual([answer, ms], ['under way', 2_010]);
  });
});

describe('untilQuiet', () => {
  it('resolves after 50 ms without a message', async (t) => {
    let count = 0;
    const { ms } = await timed(
      t,
      () => untilQuiet(() => count, 1_000),
      (nowMs) => {
        if (nowMs <= 200) count += 1;
      },
    );
    assert.equal(ms, 250);
  });

  it('resolves at its deadline while messages still arrive', async (t) => {
    let count = 0;
    const { ms } = await timed(
      t,
      () => untilQuiet(() => count, 300),
      () => {
        count += 1;
      },
    );
    assert.equal(ms, 300);
  });
});
