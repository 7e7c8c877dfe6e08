// Runs always.
// Connections, topics, queues and counters of a Redis, against a private one.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { transportLabel } from '../../lib/cell/labels.js';
import { redisBroker } from '../../lib/channels/brokers/redis-broker.js';
import { leaveQueues, removeKeys } from '../../lib/channels/brokers/redis-cleanup.js';
import { openRedis, openTopics } from '../../lib/channels/brokers/redis-client.js';
import { assertPersists, connectOverQueues } from '../../lib/channels/brokers/redis-queues.js';
import { describeRedis, passedBetween } from '../../lib/channels/brokers/redis-server.js';
import { listQueues } from '../../transports/redis-list/list-queue.js';
import redisList from '../../transports/redis-list/redis-list.js';
import redisPubsub from '../../transports/redis-pubsub.js';
import redisStreams from '../../transports/redis-streams/redis-streams.js';
import { IS_LONG } from '../conformance/long-form.js';
import { makeRoundTrips, openBothEnds, TOKEN } from '../fixtures/both-ends.js';
import { eventually } from '../fixtures/launch-cell.js';
import { ownFolder } from '../fixtures/own-folder.js';
import { withRedis } from '../fixtures/with-redis.js';

/** @import { Redis } from 'ioredis' */
/** @import { RunningBroker, Transport } from '../../lib/types/index.js' */

const ROUND_TRIPS = 400;
const missing = (await redisBroker.whyUnavailable()) ?? undefined;
// In CI a missing service is a failure.
const skip = process.platform === 'win32' ? 'a unix socket is needed' : process.env.CI ? undefined : missing;
const scratchDir = ownFolder('ibr-');

/** @type {RunningBroker} */
let broker;
before(async () => {
  if (!skip) broker = await redisBroker.start({ scratchDir, settings: { net: 'unix' }, cpus: null });
});
after(() => broker?.close());

/** @template T @param {(redis: Redis) => Promise<T>} use */
const onRedis = (use) => withRedis(broker.url, use);

/** @param {string} name @param {...string} rules @returns {Promise<string>} the URL of a user who may do less */
async function urlOfUser(name, ...rules) {
  await onRedis((redis) => redis.call('ACL', 'SETUSER', name, 'on', 'nopass', '~*', '&*', '+@all', ...rules));
  return `unix://${name}:any@${broker.url}`;
}

const countClients = () =>
  onRedis(
    async (redis) =>
      String(await redis.client('LIST'))
        .trim()
        .split('\n').length,
  );

describe('openRedis', { skip }, () => {
  it('reports a lost connection once, and a closed one not at all', async () => {
    /** @type {string[]} */
    const lost = [];
    const onLost = (/** @type {Error} */ { message }) => void lost.push(message);
    const first = await openRedis(broker.url, onLost);
    assert.match(first.server, /^(redis|valkey) \d+\.\d+/);
    await first.close();
    await first.close();
    const second = await openRedis(broker.url, onLost);
    const id = await second.client.client('ID');
    await onRedis((redis) => redis.call('CLIENT', 'KILL', 'ID', String(id)));
    await eventually(() => lost.length > 0, 2_000);
    await sleep(20);
    assert.deepEqual(lost, [`lost the connection to Redis at ${broker.url}: the connection was closed`]);
  });

  it('requests the version of a server only once', async () => {
    const { server, close } = await openRedis(broker.url, assert.fail, true);
    assert.equal(server, '');
    await close();
  });
});

describe('openTopics', { skip }, () => {
  it('names the limit for subscribers when Redis closes the connection of one, if there is a limit', async () => {
    const name = 'client-output-buffer-limit';
    for (const [limit, expected] of /** @type {const} */ ([
      ['33554432 8388608 60', /client-output-buffer-limit \(pubsub 33554432 8388608 60\): .* CONFIG SET /],
      ['0 0 0', /: the connection was closed$/],
    ])) {
      await onRedis((redis) => redis.config('SET', name, `pubsub ${limit}`));
      /** @type {Error[]} */
      const lost = [];
      const { client } = await openTopics(broker.url, (reason) => void lost.push(reason));
      const id = await client.client('ID');
      await onRedis((redis) => redis.call('CLIENT', 'KILL', 'ID', String(id)));
      await eventually(() => lost.length > 0, 2_000);
      assert.match(lost[0].message, expected);
    }
  });

  it('delivers to subscribers, and reports a message that reaches fewer or more than it should', async (t) => {
    const topics = await openTopics(broker.url, assert.fail);
    t.after(() => topics.close());
    /** @type {string[]} */
    const heard = [];
    /** @type {string[]} */
    const refused = [];
    const publish = (/** @type {string} */ topic, /** @type {number | undefined} */ listeners = undefined) =>
      topics.publisher(topic, ({ message }) => refused.push(message), listeners);
    await topics.subscribe('here', (bytes) => heard.push(String(bytes)));
    publish('here')('text');
    publish('here')(new Uint8Array(Buffer.from('bytes')));
    publish('nowhere', 0)('x');
    await eventually(() => heard.length === 2, 2_000);
    publish('nowhere')('x');
    publish('here', 0)('again');
    await eventually(() => refused.length === 2, 2_000);
    assert.deepEqual(heard, ['text', 'bytes', 'again']);
    assert.deepEqual(refused, [
      'a message reached 0 receivers instead of 1: the other end is gone',
      'a message reached 1 receivers instead of 0: another client of this Redis is subscribed as well',
    ]);
    topics.unsubscribe('here');
    publish('here', 0)('gone');
    await topics.client.ping();
    assert.deepEqual([heard.length, refused.length], [3, 2]);
  });

  it('quotes a server that refuses to subscribe or to publish', async (t) => {
    const topics = await openTopics(await urlOfUser('mute', '-subscribe', '-publish'), assert.fail);
    t.after(() => topics.close());
    await assert.rejects(
      topics.subscribe('x', () => {}),
      { code: 'BROKER', message: /^Redis refused a subscription: NOPERM / },
    );
    /** @type {any} */
    const reason = await new Promise((resolve) => topics.publisher('x', resolve)('wire'));
    assert.equal(reason.code, 'BROKER');
    assert.match(reason.message, /^Redis did not publish a message: NOPERM /);
  });
});

describe('the ends of a launch over topics', { skip }, () => {
  it('leave no connection open where they may not subscribe', async () => {
    const brokerUrl = await urlOfUser('deaf', '-subscribe');
    const end = /** @type {any} */ ({
      settings: {},
      launchId: 'l1',
      token: TOKEN,
      brokerUrl,
      workerId: 'w0',
      address: 'a',
      wireKind: 'text',
    });
    const clients = await countClients();
    await assert.rejects(redisPubsub.listen(end), /NOPERM/);
    await assert.rejects(redisPubsub.connect(end), /NOPERM/);
    assert.equal(await countClients(), clients);
  });
});

describe('the queues of a Redis', { skip }, () => {
  it('are removed by their reader, and expire within three seconds if their reader has died', async () => {
    const { client, close } = await openRedis(broker.url, assert.fail);
    await client.lpush('mine', 'x');
    await client.lpush('theirs', 'x');
    await leaveQueues(client, { read: ['mine'], written: ['theirs'] });
    assert.equal(await client.exists('mine'), 0);
    const ttl = await client.ttl('theirs');
    assert.ok(ttl > 0 && ttl <= 3, `${ttl} s`);
    assert.equal(await removeKeys(client, ['theirs']), true);
    assert.equal(await client.exists('theirs'), 0);
    await close();
    assert.equal(await removeKeys(client, ['theirs']), false);
  });

  it('leave no connection open where the jobs of all workers cannot be read', async () => {
    const end = /** @type {any} */ ({
      settings: { guarantee: 'pop', batch: 1 },
      launchId: 'l1',
      token: TOKEN,
      wireKind: 'text',
      maxMessageBytes: 1_000,
      brokerUrl: broker.url,
      address: 'ipc-bench:l1:a',
    });
    const clients = await countClients();
    const kind = listQueues(end);
    const ofJobs = { ...kind, prepare: () => Promise.reject(new Error('NOPERM')) };
    await assert.rejects(
      connectOverQueues({ ...end, workerId: 'w0', sharedQueue: { prefetch: 1 } }, kind, ofJobs),
      { code: 'BROKER', message: 'Redis refused to read a queue: NOPERM' },
    );
    assert.equal(await countClients(), clients);
  });
});

describe('a launch over a Redis of the user', { skip }, () => {
  const ways = /** @type {[Transport, Record<string, string | number>][]} */ ([
    [redisPubsub, {}],
    [redisList, {}],
    [redisStreams, {}],
    // These share their code with one of the others.
    ...(IS_LONG
      ? [
          [redisList, { batch: 10 }],
          [redisList, { guarantee: 'move' }],
          [redisStreams, { count: 3 }],
          [redisStreams, { read: 'group' }],
        ]
      : []),
  ]);
  for (const [transport, settings] of ways) {
    const label = transportLabel({ transport: transport.name, settings });
    it(`takes two messages for a round trip, and leaves nothing of a connection or of itself: ${label}`, async () => {
      await onRedis((redis) => redis.mset('mine', '1', 'ipc-bench:mine', '2'));
      const state = () =>
        onRedis(async (redis) => ({
          keys: (await redis.keys('*')).sort(),
          topics: (await redis.pubsub('CHANNELS')).sort(),
          clients: String(await redis.client('LIST')).split('\n').length,
        }));
      const before = await state();
      const launch = await openBothEnds(transport, { settings, brokerUrl: broker.url, scratchDir });
      await makeRoundTrips(launch.worker, 1, 1);
      const open = await state();
      await launch.connectAgain(50);
      assert.deepEqual(await state(), open);
      for (const loops of [1, 8]) {
        const gauge = await /** @type {any} */ (transport.broker).openGauge(broker.url);
        assert.deepEqual(await gauge.passed(), { published: 0, delivered: 0, bytes: 0 });
        await makeRoundTrips(launch.worker, loops, ROUND_TRIPS / loops);
        const { published, delivered, bytes } = await gauge.passed();
        await gauge.close();
        assert.equal(published, 2 * ROUND_TRIPS);
        // Of commands that take many at once, Redis counts the calls.
        const isCounted = transport !== redisStreams && settings.batch === undefined;
        if (isCounted)
          assert.ok(Math.abs(delivered / (2 * ROUND_TRIPS) - 1) < 0.01, `${delivered} were delivered`);
        else assert.equal(delivered, null);
        assert.ok(bytes < 2.5 * 1_000 * ROUND_TRIPS, `${bytes} bytes were sent, ${loops} loops`);
      }
      await launch.worker.close();
      await launch.listener.close();
      await launch.listener.close();
      assert.deepEqual(await state(), before);
      assert.deepEqual(launch.errors, []);
    });
  }
});

describe('passedBetween', () => {
  it('derives deliveries from bytes, and gives none where many connections were made', () => {
    const zero = { published: 0, bytesIn: 0, bytesOut: 0, replyBytes: 700, connections: 0 };
    const [question, publish, push] = [58, 100 * 50, 200 * 50];
    const to = { published: 100, bytesIn: question + publish, bytesOut: 700 + push + 400, replyBytes: 0 };
    const bytes = push + 400;
    assert.deepEqual(passedBetween(zero, { ...to, connections: 10 }), {
      published: 100,
      delivered: 200,
      bytes,
    });
    assert.equal(passedBetween(zero, { ...to, connections: 11 }).delivered, null);
  });
});

describe('the settings of a Redis', { skip }, () => {
  it('are described, as far as it lets us read them', async () => {
    const { version, config } = await describeRedis(broker.url);
    assert.match(version, /^(redis|valkey) \d/);
    assert.deepEqual([config.save, config.appendonly, config.maxmemory], ['""', 'no', '0']);
    const clients = await countClients();
    const refused = await describeRedis(await urlOfUser('plain', '-config'));
    assert.deepEqual(new Set(Object.values(refused.config)), new Set(['unknown']));
    assert.equal(await countClients(), clients);
  });

  it('have to persist what a cell says', async (t) => {
    const { client, close } = await openRedis(broker.url, assert.fail);
    t.after(close);
    await assertPersists(client, 'none');
    await assertPersists(client, undefined);
    const needs = (/** @type {string} */ what) => ({
      code: 'BROKER',
      message: `persist=everysec needs a Redis with ${what}: change the server, or leave out persist=everysec`,
    });
    await assert.rejects(assertPersists(client, 'everysec'), needs('appendonly yes, and here it is no'));
    await client.config('SET', 'appendonly', 'yes');
    await client.config('SET', 'appendfsync', 'always');
    await assertPersists(client, 'always');
    await assert.rejects(
      assertPersists(client, 'everysec'),
      needs('appendfsync everysec, and here it is always'),
    );
  });
});
