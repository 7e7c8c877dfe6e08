// The end of child processes: their last lines, and a deadline, with fakes of a child and its streams.

import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { describe, it } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { endInTime, stderrTail } from '../../lib/children/child-exit.js';

/** @param {ReturnType<typeof stderrTail>} tail */
function addStream(tail) {
  const stream = new PassThrough();
  tail.take(stream);
  return stream;
}

describe('stderrTail', () => {
  it('keeps the last twenty lines of all streams, of at most 400 characters each', async () => {
    const tail = stderrTail();
    tail.take(null);
    const [one, other] = [addStream(tail), addStream(tail)];
    for (let line = 0; line < 15; line += 1) {
      one.write(`one ${line}  \n\n`);
      other.write(`other ${line}\n`);
      await turn();
    }
    const lines = tail.lines();
    assert.deepEqual([lines.length, lines[0], lines.at(-1)], [20, 'one 5', 'other 14']);
    one.write(`${'x'.repeat(399)}yz\n`);
    await turn();
    assert.equal(tail.lines().at(-1), `${'x'.repeat(399)}y`);
  });

  it('reads each stream to its end, and closes it', async () => {
    const tail = stderrTail();
    const [one, other] = [addStream(tail), addStream(tail)];
    let isDrained = false;
    const drained = tail.drain().then(() => (isDrained = true));
    one.end('first');
    await turn();
    await turn();
    assert.equal(isDrained, false);
    other.end(' and second');
    await drained;
    assert.deepEqual(tail.lines(), ['first and second']);
    assert.deepEqual([one.destroyed, other.destroyed], [true, true]);
  });

  it('does not wait for a stream that a child of the process holds open', async () => {
    const tail = stderrTail();
    const open = addStream(tail);
    open.write('last words');
    const keepsAlive = setTimeout(() => {}, 60_000); // the wait itself does not
    await tail.drain();
    clearTimeout(keepsAlive);
    assert.deepEqual([tail.lines(), open.destroyed], [['last words'], true]);
  });
});

describe('endInTime', () => {
  it('dismisses a child once, whether it is late or aborted, and kills it only if it stays', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const start = () => {
      /** @type {string[]} */
      const calls = [];
      const child = /** @type {any} */ ({ kill: (/** @type {string} */ signal) => calls.push(signal) });
      const controller = new AbortController();
      /** @type {(how: string) => void} */
      let end = () => {};
      const ended = new Promise((resolve) => {
        end = resolve;
      });
      const { signal } = controller;
      const how = endInTime(child, { lifeMs: 100, signal, dismiss: () => calls.push('dismissed'), ended });
      return { calls, how, end, abort: () => controller.abort() };
    };
    for (const abortFirst of [true, false]) {
      const { calls, how, end, abort } = start();
      if (abortFirst) abort();
      t.mock.timers.tick(100);
      abort();
      assert.deepEqual(calls, ['dismissed']);
      end('exit code 0');
      assert.equal(await how, null);
      t.mock.timers.tick(10_000);
      assert.deepEqual(calls, ['dismissed'], 'it has ended');
    }
    const { calls } = start();
    t.mock.timers.tick(100);
    t.mock.timers.tick(1_000);
    assert.deepEqual(calls, ['dismissed', 'SIGKILL']);
  });
});
