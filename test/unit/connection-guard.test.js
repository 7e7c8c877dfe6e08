// Connections that have not proved that they belong to a launch, and bodies that are longer than any may be.

import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { PassThrough } from 'node:stream';
import { describe, it } from 'node:test';
import { ConnectionGuard, readBody } from '../../lib/channels/http/request-server.js';

class Connection extends EventEmitter {
  isOpen = true;
  destroy() {
    this.isOpen = false;
    this.emit('close', true);
  }
}

/** @param {import('node:test').TestContext} t */
function guarding(t) {
  t.mock.timers.enable({ apis: ['setInterval'] });
  /** @type {string[]} */
  const rejected = [];
  const guard = new ConnectionGuard({ onRejected: (why) => void rejected.push(why) });
  return { guard, rejected };
}

describe('an unauthenticated connection', () => {
  it('is cut after two seconds', (t) => {
    const { guard, rejected } = guarding(t);
    const connection = new Connection();
    guard.watch(connection);
    t.mock.timers.tick(1_900);
    assert.deepEqual([connection.isOpen, rejected], [true, []]);
    t.mock.timers.tick(100);
    assert.deepEqual([connection.isOpen, rejected], [false, ['did not authenticate in time']]);
    assert.equal(guard.unproven.size, 0);
  });

  it('is kept once it is trusted or authenticated, even at the last moment', (t) => {
    const { guard, rejected } = guarding(t);
    const [trusted, proving] = [new Connection(), new Connection()];
    let isProven = false;
    guard.watch(trusted);
    guard.watch(proving, () => isProven);
    guard.trust(trusted);
    t.mock.timers.tick(1_900);
    isProven = true;
    t.mock.timers.tick(10_000);
    trusted.emit('close', false);
    assert.deepEqual([trusted.isOpen, proving.isOpen, rejected], [true, true, []]);
  });

  it('is counted if it closes, unless it was authenticated before', (t) => {
    const { guard, rejected } = guarding(t);
    const all = [new Connection(), new Connection(), new Connection()];
    guard.watch(all[0]);
    guard.watch(all[1], () => true);
    guard.watch(all[2], () => true);
    all[0].emit('close', false);
    all[1].emit('close', false);
    assert.deepEqual(rejected, ['disconnected before authentication']);
    all[2].emit('close', true);
    assert.equal(rejected.length, 2, 'one that broke off proves nothing');
  });

  it('is closed without being counted when the launch ends', (t) => {
    const { guard, rejected } = guarding(t);
    const connection = new Connection();
    guard.watch(connection);
    guard.close();
    t.mock.timers.tick(10_000);
    assert.deepEqual([connection.isOpen, rejected, guard.unproven.size], [false, [], 0]);
  });
});

describe('readBody', () => {
  /** @param {string[]} chunks @param {number} most @returns {Promise<string>} */
  const gathered = (chunks, most) =>
    new Promise((resolve) => {
      const stream = new PassThrough();
      readBody(stream, most, {
        onWhole: (bytes) => resolve(`whole ${bytes}`),
        onTooMuch: (bytes) => resolve(`${bytes} ${stream.destroyed}`),
      });
      for (const chunk of chunks) stream.write(chunk);
      stream.end();
    });

  it('joins all chunks of a body', async () => {
    assert.equal(await gathered(['abc'], 10), 'whole abc');
    assert.equal(await gathered(['abc', 'de', 'f'], 6), 'whole abcdef');
    assert.equal(await gathered([], 6), 'whole ');
  });

  it('rejects a body with one byte too many', async () => {
    assert.equal(await gathered(['abc', 'defg', 'h'], 6), '7 false');
  });
});
