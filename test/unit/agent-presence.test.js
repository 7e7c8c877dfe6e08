// Whether agents are there, as a run sees it by the keys that they renew: with a server that only answers when it is told to.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { LivenessWatch } from '../../lib/hosts/bullmq-engine.js';
import { Seal } from '../../lib/hosts/control-redis.js';

const LOOK_MS = 500;
const SEAL = new Seal('a secret that is long enough');
const AWAITED = new Map(
  ['a', 'b', 'c'].map((agent) => [`order to ${agent}`, { agent, instance: `1 ${agent}` }]),
);

/** @param {import('node:test').TestContext} t @param {(keys: string[]) => Promise<(string | null)[]>} mget */
function watched(t, mget) {
  t.mock.timers.enable({ apis: ['setInterval'] });
  let nowMs = 0;
  t.mock.method(performance, 'now', () => nowMs);
  /** @type {string[]} */
  const gone = [];
  let silences = 0;
  const watch = new LivenessWatch(/** @type {any} */ ({ status: 'ready', mget }), SEAL, {
    awaited: AWAITED,
    onGone: (orderId) => gone.push(orderId),
    onSilence() {
      silences += 1;
    },
  });
  /** @param {number} ms   that pass at once @returns {Promise<void>} when what was asked is answered */
  const pass = async (ms) => {
    nowMs += ms;
    t.mock.timers.tick(LOOK_MS);
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { watch, gone, pass, silences: () => silences };
}

/** @param {string[]} keys @param {(agent: string) => string | null} instanceOf */
const answers = (keys, instanceOf) =>
  keys.map((key) => {
    const agent = String(key.split(':').at(-1));
    const instance = instanceOf(agent);
    return instance === null ? null : SEAL.close({ instance }, `presence of ${agent}`);
  });

describe('the presence of agents', () => {
  it('is asked of all of them at once, and told of those that are gone or another process', async (t) => {
    /** @type {string[][]} */
    const asked = [];
    const { watch, gone, pass } = watched(t, async (keys) => {
      asked.push(keys);
      return answers(keys, (agent) => ({ a: '1 a', b: '2 b' })[agent] ?? null);
    });
    await pass(LOOK_MS);
    watch.end();
    assert.equal(asked.length, 1);
    assert.equal(asked[0].length, 3);
    assert.deepEqual(gone, ['order to b', 'order to c']);
  });

  it('is unknown after 3 s without an answer, and that is told again as long as it lasts', async (t) => {
    const { watch, gone, pass, silences } = watched(t, () => new Promise(() => {}));
    for (let look = 1; look <= 5; look += 1) await pass(LOOK_MS);
    assert.equal(silences(), 0);
    await pass(LOOK_MS);
    assert.equal(silences(), 1);
    for (let look = 1; look <= 6; look += 1) await pass(LOOK_MS);
    assert.equal(silences(), 2);
    watch.end();
    assert.deepEqual(gone, []);
  });

  it('is not doubted because this process itself stood still', async (t) => {
    const { watch, pass, silences } = watched(t, async (keys) => answers(keys, (agent) => `1 ${agent}`));
    for (let look = 1; look <= 5; look += 1) await pass(10_000);
    watch.end();
    assert.equal(silences(), 0);
  });
});
