// What a broker says that passed it, and what becomes of one that does not answer.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { watchTraffic } from '../../lib/launch/monitors/traffic.js';

/** @param {any} openGauge @param {string | null} [url] */
const watch = (openGauge, url = 'redis://here') => {
  let operations = 100;
  const broker = openGauge && { openGauge };
  return watchTraffic(/** @type {any} */ ({ broker }), url, () => operations).then(
    ({ perOperation, close }) => ({
      close,
      /** @param {number} further */
      perOperation(further) {
        operations = 100 + further;
        return perOperation();
      },
    }),
  );
};
const passed = async () => ({ published: 10, delivered: /** @type {number | null} */ (20), bytes: 400 });

describe('the traffic of a broker', () => {
  it('reports the traffic of a broker per operation, and none without operations', async () => {
    const urls = /** @type {string[]} */ ([]);
    let closed = 0;
    const close = async () => {
      closed += 1;
    };
    const traffic = await watch(async (/** @type {string} */ url) => urls.push(url) && { passed, close });
    assert.deepEqual(await traffic.perOperation(5), { published: 2, delivered: 4, bytes: 80 });
    assert.equal(await traffic.perOperation(0), null);
    traffic.close();
    assert.deepEqual([urls, closed], [['redis://here'], 1]);
    const deaf = await watch(async () => ({
      passed: async () => ({ ...(await passed()), delivered: null }),
      close,
    }));
    assert.equal((await deaf.perOperation(5))?.delivered, null);
  });

  it('reports no traffic without a broker or a gauge, or if the broker refuses', async () => {
    const refuse = async () => {
      throw new Error('NOPERM');
    };
    const all = [
      await watch(undefined),
      await watch(passed, null),
      await watch(refuse),
      await watch(async () => ({ passed: refuse, close: refuse })),
    ];
    for (const traffic of all) {
      assert.equal(await traffic.perOperation(5), null);
      traffic.close();
    }
  });

  it('waits for a gauge for at most two seconds, and closes one that opens later', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    let [letOpen, closed] = [(/** @type {any} */ _gauge) => {}, 0];
    const opening = watch(() => new Promise((resolve) => (letOpen = resolve)));
    let isOpen = false;
    opening.then(() => (isOpen = true));
    t.mock.timers.tick(1_999);
    await turn();
    assert.equal(isOpen, false);
    t.mock.timers.tick(1);
    const traffic = await opening;
    const close = async () => {
      closed += 1;
    };
    letOpen({ passed, close });
    await turn();
    assert.deepEqual([closed, await traffic.perOperation(5)], [1, null]);
  });
});
