// The keys of a terminal: what they do, and that the terminal is restored.

import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { describe, it } from 'node:test';
import { openKeys } from '../../lib/cli/terminal-keys.js';

/** @param {import('node:test').TestContext} t @param {{ isForeground?: boolean, isGone?: boolean }} [how] */
function terminal(t, { isForeground = true, isGone = false } = {}) {
  /** @type {string[]} */
  const log = [];
  const state = { isForeground };
  const stdin = /** @type {any} */ (
    Object.assign(new EventEmitter(), {
      isTTY: true,
      setRawMode(/** @type {boolean} */ isRaw) {
        log.push(isRaw ? 'raw' : 'usual');
        if (isGone && !isRaw) throw new Error('EIO');
      },
      resume: () => log.push('reads'),
      pause: () => log.push('rests'),
    })
  );
  const handlers = {
    onKey: (/** @type {string} */ key) => log.push(`key ${key}`),
    onStop: () => log.push('stops'),
  };
  const system = {
    isInForeground: () => state.isForeground,
    kill: (/** @type {number} */ pid, /** @type {string} */ signal) =>
      log.push(`${pid === process.pid ? 'own' : pid} ${signal}`),
  };
  const keys = openKeys(stdin, handlers, system);
  t.after(keys.close);
  return { log, state, stdin, keys };
}

describe('the keys of a terminal', () => {
  it('are heard one by one until they are closed, which restores the terminal once', (t) => {
    const { log, stdin, keys } = terminal(t);
    stdin.emit('data', Buffer.from('xq'));
    keys.close();
    keys.close();
    stdin.emit('data', Buffer.from('q'));
    assert.deepEqual(log, ['raw', 'reads', 'key x', 'key q', 'rests', 'usual']);
  });

  it('send to the whole group what the terminal would send it', (t) => {
    const { log, stdin, keys } = terminal(t);
    stdin.emit('data', Buffer.from('\u0003'));
    stdin.emit('data', Buffer.from('\u001a'));
    assert.deepEqual(log.slice(2), ['0 SIGINT', '0 SIGTSTP']);
    assert.ok(keys.listen());
    stdin.emit('data', Buffer.from('\u001c'));
    assert.deepEqual(log.slice(4), ['rests', 'usual', '0 SIGQUIT']);
  });

  it('are given up before the process stops, and heard again when it goes on in the foreground', {
    skip: process.platform === 'win32' && 'Windows stops no process from the keyboard',
  }, (t) => {
    const { log, state, keys } = terminal(t);
    process.emit('SIGTSTP');
    assert.deepEqual(log.slice(2), ['rests', 'usual', 'stops', 'own SIGSTOP']);
    state.isForeground = false;
    process.emit('SIGCONT');
    assert.equal(keys.listen(), false);
    state.isForeground = true;
    process.emit('SIGCONT');
    assert.deepEqual(log.slice(6), ['raw', 'reads']);
  });

  it('are not touched by a process in the background, which the system would stop, until it is brought to the foreground', (t) => {
    const { log, state, keys } = terminal(t, { isForeground: false });
    assert.equal(keys.listen(), false);
    assert.deepEqual(log, []);
    state.isForeground = true;
    assert.equal(keys.listen(), true);
    assert.deepEqual(log, ['raw', 'reads']);
  });

  it('are closed without an error when the terminal is gone', (t) => {
    const { keys } = terminal(t, { isGone: true });
    assert.doesNotThrow(keys.close);
  });
});
