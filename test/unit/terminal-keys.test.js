// The keys of a terminal: a state machine of raw mode, signals and the background.

import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { describe, it } from 'node:test';
import { openKeys } from '../../lib/cli/terminal-keys.js';

function terminal({ isForeground = true, isGone = false } = {}) {
  /** @type {string[]} */
  const log = [];
  const state = { isForeground };
  const stdin = /** @type {any} */ (
    Object.assign(new EventEmitter(), {
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
    kill: (/** @type {string} */ signal) => void log.push(signal),
  };
  return { log, state, stdin, keys: openKeys(stdin, handlers, system) };
}

describe('openKeys', () => {
  it('reads keys one by one until it is closed, which restores the terminal once', () => {
    const { log, stdin, keys } = terminal();
    stdin.emit('data', Buffer.from('xq'));
    keys.close();
    keys.close();
    stdin.emit('data', Buffer.from('q'));
    assert.deepEqual(log, ['raw', 'reads', 'key x', 'key q', 'rests', 'usual']);
  });

  it('sends the signals of the terminal, and restores it before the process is stopped or ended', () => {
    for (const [key, signals] of /** @type {[string, string[]][]} */ ([
      ['\u0003', ['SIGINT']],
      ['\u001a', ['rests', 'usual', 'stops', 'SIGTSTP']],
      ['\u001c', ['rests', 'usual', 'stops', 'SIGQUIT']],
    ])) {
      const { log, stdin } = terminal();
      stdin.emit('data', Buffer.from(key));
      assert.deepEqual(log.slice(2), signals);
    }
  });

  it('reads again when a stopped process is continued in the foreground', () => {
    const { log, state, stdin, keys } = terminal();
    stdin.emit('data', Buffer.from('\u001a'));
    state.isForeground = false;
    assert.equal(keys.listen(), false);
    state.isForeground = true;
    assert.equal(keys.listen(), true);
    assert.deepEqual(log.slice(6), ['raw', 'reads']);
  });

  it('does not touch the terminal in the background, which would stop the process', () => {
    const { log, keys } = terminal({ isForeground: false });
    assert.equal(keys.listen(), false);
    keys.close();
    assert.deepEqual(log, []);
  });

  it('closes without an error when the terminal is gone', () => {
    assert.doesNotThrow(terminal({ isGone: true }).keys.close);
  });
});
