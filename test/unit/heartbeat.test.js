// When the other end of a connection counts as gone, by a clock that the test moves.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Heartbeat } from '../../lib/hosts/heartbeat.js';

/** @param {import('node:test').TestContext} t */
function start(t) {
  t.mock.timers.enable({ apis: ['setInterval'] });
  let nowMs = 0;
  t.mock.method(performance, 'now', () => nowMs);
  const count = { probes: 0, silences: 0 };
  const heartbeat = new Heartbeat(
    () => (count.probes += 1),
    () => (count.silences += 1),
  );
  /** @param {number} ms */
  const pass = (ms) => {
    for (let passed = 0; passed < ms; passed += 500) {
      nowMs += 500;
      t.mock.timers.tick(500);
    }
  };
  /** @param {number} ms   during which no timer of this process fires */
  const pause = (ms) => {
    nowMs += ms;
    t.mock.timers.tick(500);
  };
  return { heartbeat, count, pass, pause };
}

describe('a heartbeat', () => {
  it('probes twice a second, and reports every ten seconds of silence', (t) => {
    const { heartbeat, count, pass } = start(t);
    pass(9_500);
    assert.deepEqual(count, { probes: 19, silences: 0 });
    pass(500);
    assert.deepEqual(count, { probes: 20, silences: 1 });
    pass(9_500);
    assert.equal(count.silences, 1);
    heartbeat.beat();
    pass(9_500);
    assert.equal(count.silences, 1, 'a beat ends the silence');
    pass(500);
    assert.equal(count.silences, 2);
    heartbeat.end();
    pass(20_000);
    assert.deepEqual(count, { probes: 59, silences: 2 });
  });

  it('counts at most a second of silence for a pause of its own process', (t) => {
    const { count, pass, pause } = start(t);
    for (let pauses = 0; pauses < 9; pauses += 1) pause(60_000);
    assert.equal(count.silences, 0);
    pass(500);
    assert.equal(count.silences, 0);
    pass(500);
    assert.equal(count.silences, 1);
  });

  it('keeps no process alive', () => {
    const heartbeat = new Heartbeat(
      () => {},
      () => {},
    );
    assert.deepEqual([heartbeat.probing.hasRef(), heartbeat.looking.hasRef()], [false, false]);
    heartbeat.end();
  });
});
