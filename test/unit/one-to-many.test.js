// What a master sends to all of its workers at once, and jobs of which each goes to one of them, over sockets in this process.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { settingDefaults } from '../../lib/cell/traits.js';
import udp from '../../transports/udp.js';
import zeromq from '../../transports/zeromq/zeromq.js';
import { TOKEN } from '../fixtures/both-ends.js';
import { ownFolder } from '../fixtures/own-folder.js';

/** @import { TestContext } from 'node:test' */
/** @import { Transport } from '../../lib/types/index.js' */

const WORKERS = 3;
const ON_POSIX = { skip: process.platform === 'win32' ? 'a folder of ours is no place for a pipe' : false };
const scratchDir = ownFolder('iom-');

/** @param {() => boolean} isSo */
async function until(isSo) {
  while (!isSo()) await turn();
}

/** @param {TestContext} t @param {Transport} transport @param {object} own   of both ends */
async function launched(t, transport, own) {
  const { settings = {}, ...more } = /** @type {any} */ (own);
  const end = /** @type {any} */ ({
    settings: { ...settingDefaults(transport), ...settings },
    codec: 'string',
    wireKind: 'text',
    maxMessageBytes: 10_000,
    token: TOKEN,
    launchId: 'l',
    brokerUrl: null,
    ...more,
  });
  /** @type {Map<string, any>} */
  const masters = new Map();
  /** @type {string[]} */
  const rejected = [];
  const listener = /** @type {any} */ (
    await transport.listen({
      ...end,
      scratchDir,
      workers: WORKERS,
      onRejected: (/** @type {string} */ why) => void rejected.push(why),
      onError: assert.ifError,
      onChannel: (/** @type {any} */ channel, /** @type {string} */ id) => masters.set(id, channel),
    })
  );
  t.after(() => listener.close());
  const line = { send: () => true, onValue() {}, onDisconnect() {} };
  const join = async (/** @type {string} */ workerId, other = {}) => {
    /** @type {string[]} */
    const heard = [];
    const guest = { ...end, workers: WORKERS, address: listener.address, workerId, line, ...other };
    const channel = await transport.connect(guest);
    channel.onMessage = (wire) => void heard.push(String(wire));
    return { channel, heard };
  };
  const workers = [];
  for (let index = 0; index < WORKERS; index += 1) workers.push(await join(`w${index}`));
  await until(() => masters.size === WORKERS);
  return { listener, masters, rejected, workers, join };
}

for (const [transport, settings] of /** @type {[Transport, object][]} */ ([
  [zeromq, { net: 'ipc' }],
  [zeromq, { net: 'tcp' }],
  [udp, {}],
])) {
  it(
    `what is published over ${transport.name} ${JSON.stringify(settings)} reaches each worker, beside its own messages`,
    ON_POSIX,
    async (t) => {
      const { listener, masters, workers } = await launched(t, transport, { settings, isPublished: true });
      const publisher = listener.publisher();
      for (const text of ['first', 'second', 'third']) assert.equal(publisher.send(text), true);
      masters.get('w1').send('own');
      await until(() => workers.every(({ heard }) => heard.length >= 3) && workers[1].heard.length === 4);
      for (const [index, { heard }] of workers.entries())
        assert.deepEqual(
          heard.filter((text) => text !== 'own'),
          ['first', 'second', 'third'],
          `w${index}`,
        );
      await workers[0].channel.close();
      await workers[2].channel.close();
      await workers[1].channel.close();
    },
  );
}

describe('jobs over ZeroMQ', ON_POSIX, () => {
  for (const net of ['ipc', 'tcp'])
    it(`go to each worker in turn, over ${net}`, async (t) => {
      const { listener, workers } = await launched(t, zeromq, {
        settings: { net },
        sharedQueue: { prefetch: 4 },
      });
      const queue = listener.queue();
      const jobs = Array.from({ length: 12 }, (_, index) => `job ${index}`);
      for (const job of jobs) assert.equal(queue.send(job), true);
      await queue.drained();
      await until(() => workers.flatMap(({ heard }) => heard).length === jobs.length);
      assert.deepEqual(workers.flatMap(({ heard }) => heard).toSorted(), jobs.toSorted(), 'each once');
      assert.ok(
        workers.every(({ heard }) => heard.length > 1),
        'in turn',
      );
      for (const { channel } of workers) await channel.close();
    });

  it('are not given to a peer that has another token', async (t) => {
    const { rejected, workers, join } = await launched(t, zeromq, {
      settings: { net: 'tcp' },
      sharedQueue: { prefetch: 1 },
    });
    await assert.rejects(join('w9', { token: 'cd'.repeat(16) }), /hung up/);
    await until(() => rejected.length > 0);
    assert.match(rejected[0], /without the token|before it had shown the token/);
    for (const { channel } of workers) await channel.close();
  });
});
