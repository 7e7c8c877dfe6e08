// What a broker says that passed it, and what becomes of one that does not answer.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { TrafficMonitor } from '../../lib/launch/monitors/traffic.js';

/** @param {any} openGauge @param {string | null} [url] */
function monitorOf(openGauge, url = 'redis://here') {
  let operations = 100;
  const broker = openGauge && { openGauge };
  const monitor = new TrafficMonitor(/** @type {any} */ ({ broker }), url, () => operations);
  return {
    begin: () => monitor.begin(),
    /** @param {number} further   operations since begin() */
    async reportAfter(further) {
      operations += further;
      await monitor.end();
      return monitor.report();
    },
  };
}
const passed = async () => ({ published: 10, delivered: /** @type {number | null} */ (20), bytes: 400 });

describe('the traffic of a broker', () => {
  it('reports the traffic of a broker per operation, and closes the gauge once', async () => {
    const urls = /** @type {string[]} */ ([]);
    let closed = 0;
    const close = async () => {
      closed += 1;
    };
    const traffic = monitorOf(async (/** @type {string} */ url) => urls.push(url) && { passed, close });
    await traffic.begin();
    assert.deepEqual(await traffic.reportAfter(5), { published: 2, delivered: 4, bytes: 80 });
    assert.deepEqual(await traffic.reportAfter(5), { published: 2, delivered: 4, bytes: 80 });
    assert.deepEqual([urls, closed], [['redis://here'], 1]);
    const deaf = monitorOf(async () => ({
      passed: async () => ({ ...(await passed()), delivered: null }),
      close,
    }));
    await deaf.begin();
    assert.equal((await deaf.reportAfter(5))?.delivered, null);
  });

  it('reports no traffic without operations, a broker or a gauge, or if the broker refuses', async () => {
    const close = async () => {};
    const refuse = async () => {
      throw new Error('NOPERM');
    };
    const idle = monitorOf(async () => ({ passed, close }));
    await idle.begin();
    assert.equal(await idle.reportAfter(0), null);
    const all = [
      monitorOf(undefined),
      monitorOf(passed, null),
      monitorOf(refuse),
      monitorOf(async () => ({ passed: refuse, close: refuse })),
    ];
    for (const traffic of all) {
      await traffic.begin();
      assert.equal(await traffic.reportAfter(5), null);
    }
  });

  it('waits for a gauge for at most two seconds, and closes one that opens later', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    let [letOpen, closed] = [(/** @type {any} */ _gauge) => {}, 0];
    const traffic = monitorOf(() => new Promise((resolve) => (letOpen = resolve)));
    let isOpen = false;
    const opening = traffic.begin().then(() => (isOpen = true));
    await turn();
    t.mock.timers.tick(1_999);
    await turn();
    assert.equal(isOpen, false);
    t.mock.timers.tick(1);
    await opening;
    const close = async () => {
      closed += 1;
    };
    letOpen({ passed, close });
    await turn();
    assert.deepEqual([closed, await traffic.reportAfter(5)], [1, null]);
  });
});
