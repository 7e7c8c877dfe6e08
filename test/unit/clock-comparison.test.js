import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import {
  comparedClock,
  listClocks,
  slowestExchangeMs,
} from '../../lib/launch/controller/start-up-barrier.js';
import { sharedNowMs } from '../../lib/machine/clock.js';

const AHEAD_MS = 5_000_000;
const HELD_UP_MS = 10;

describe('the comparison of two clocks', () => {
  it('finds the offset of the other clock within the returned uncertainty', async () => {
    const { shiftMs, boundMs } = await comparedClock(async () => {
      await turn();
      const theirsMs = sharedNowMs() + AHEAD_MS;
      await turn();
      return theirsMs;
    });
    assert.ok(boundMs > 0);
    assert.ok(Math.abs(shiftMs + AHEAD_MS) <= boundMs, `${shiftMs} ± ${boundMs}`);
  });

  it('uses the quickest exchange', async () => {
    let exchanges = 0;
    const { boundMs } = await comparedClock(async () => {
      exchanges += 1;
      const untilMs = sharedNowMs() + (exchanges % 3 === 0 ? 0 : HELD_UP_MS);
      while (sharedNowMs() < untilMs);
      return sharedNowMs();
    });
    assert.ok(boundMs < HELD_UP_MS / 2, `${boundMs}`);
  });

  it('compares only processes with another clock', () => {
    const clock = { shiftMs: -3, boundMs: 0.1 };
    const member = (/** @type {string} */ id, /** @type {typeof clock | null} */ own) =>
      /** @type {any} */ ({ id, clock: own });
    assert.deepEqual(listClocks([member('w0', null), member('w1', clock)]), { clocks: { w1: clock } });
    assert.deepEqual(listClocks([member('w0', null)]), {});
  });

  it('returns how much earlier commands are sent, so that the farthest process has them in time', () => {
    const clocks = [{ shiftMs: 9, boundMs: 0.1 }, null, { shiftMs: -3, boundMs: 60 }];
    assert.equal(slowestExchangeMs(clocks.map((clock) => ({ clock }))), 120);
    assert.equal(slowestExchangeMs([{ clock: null }]), 0);
  });
});
