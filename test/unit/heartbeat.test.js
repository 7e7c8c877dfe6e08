// When the other end of a connection counts as gone, by a clock that the test moves.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Heartbeat } from '../../lib/hosts/heartbeat.js';

/** @param {import('node:test').TestContext} t */
function beating(t) {
  t.mock.timers.enable({ apis: ['setInterval'] });
  let nowMs = 0;
  t.mock.method(performance, 'now', () => nowMs);
  const count = { asked: 0, gone: 0 };
  const heartbeat = new Heartbeat(
    () => (count.asked += 1),
    () => (count.gone += 1),
  );
  /** @param {number} ms   in steps of a look */
  const pass = (ms) => {
    for (let passed = 0; passed < ms; passed += 500) {
      nowMs += 500;
      t.mock.timers.tick(500);
    }
  };
  /** @param {number} ms   during which no timer of this process fires */
  const standStill = (ms) => {
    nowMs += ms;
    t.mock.timers.tick(500);
  };
  return { heartbeat, count, pass, standStill };
}

describe('Heartbeat', () => {
  it('sends twice a second, and reports the other end as gone after every three seconds of silence', (t) => {
    const { count, pass } = beating(t);
    pass(2_500);
    assert.deepEqual(count, { asked: 5, gone: 0 });
    pass(500);
    assert.deepEqual(count, { asked: 6, gone: 1 });
    pass(2_500);
    assert.equal(count.gone, 1);
    pass(500);
    assert.equal(count.gone, 2);
  });

  it('restarts its count with every message', (t) => {
    const { heartbeat, count, pass } = beating(t);
    pass(2_500);
    heartbeat.heard();
    pass(2_500);
    assert.equal(count.gone, 0);
    pass(500);
    assert.equal(count.gone, 1);
  });

  it('counts a pause of its own process as one second at most', (t) => {
    const { count, pass, standStill } = beating(t);
    standStill(60_000);
    standStill(60_000);
    assert.equal(count.gone, 0, 'two seconds');
    pass(500);
    assert.equal(count.gone, 0);
    pass(500);
    assert.equal(count.gone, 1);
  });

  it('sends and checks nothing after its end', (t) => {
    const { heartbeat, count, pass } = beating(t);
    heartbeat.end();
    pass(10_000);
    assert.deepEqual(count, { asked: 0, gone: 0 });
  });

  it('does not keep its process alive', () => {
    const heartbeat = new Heartbeat(
      () => {},
      () => {},
    );
    assert.deepEqual([heartbeat.asking.hasRef(), heartbeat.looking.hasRef()], [false, false]);
    heartbeat.end();
  });
});
