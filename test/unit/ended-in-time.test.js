// How a child is ended that has so long to live, with a child that only notes what is done to it.

import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { describe, it } from 'node:test';
import { endInTime, waitForExit } from '../../lib/children/child-exit.js';

function watched() {
  /** @type {string[]} */
  const done = [];
  const child = /** @type {any} */ ({ kill: (/** @type {string} */ signal) => done.push(signal) });
  const controller = new AbortController();
  /** @type {(how: string) => void} */
  let end = () => {};
  const ended = new Promise((resolve) => {
    end = resolve;
  });
  const { signal } = controller;
  const how = endInTime(child, { lifeMs: 100, signal, dismiss: () => done.push('dismissed'), ended });
  return { done, how, end, abort: () => controller.abort() };
}

describe('a child that has so long to live', () => {
  it('is told to leave once, though it is late and not wanted any more, and is killed only if it stays', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    for (const abortFirst of [true, false]) {
      const { done, how, end, abort } = watched();
      if (abortFirst) abort();
      t.mock.timers.tick(100);
      abort();
      assert.deepEqual(done, ['dismissed']);
      end('exit code 0');
      assert.equal(await how, null);
      t.mock.timers.tick(10_000);
      assert.deepEqual(done, ['dismissed'], 'nothing is sent to a process that has ended');
    }
    const { done } = watched();
    t.mock.timers.tick(100);
    t.mock.timers.tick(1_000);
    assert.deepEqual(done, ['dismissed', 'SIGKILL']);
  });
});

describe('how a child ended', () => {
  /** @param {string} event @param {...any} args */
  const after = (event, ...args) => {
    const child = /** @type {any} */ (new EventEmitter());
    const how = waitForExit(child);
    child.emit(event, ...args);
    return how;
  };

  it('is told by its exit code, its signal, or why it could not be started', async () => {
    assert.equal(await after('exit', 3, null), 'ended by itself with exit code 3');
    assert.equal(await after('exit', null, 'SIGTERM'), 'was killed by SIGTERM');
    assert.match(
      await after('exit', null, 'SIGKILL'),
      /^was killed by SIGKILL \(by the system, if memory ran out\)$/,
    );
    assert.equal(await after('error', new Error('spawn ENOENT')), 'could not be started: spawn ENOENT');
  });
});
