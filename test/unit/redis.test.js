// Connections, topics, queues and counters of a Redis, against one within this process that says what a test wants.

import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { openRedis } from '../../lib/transport/brokers/redis-client.js';
import { assertPersists, persistenceConfig } from '../../lib/transport/brokers/redis-persistence.js';
import { connectOverQueues, listenOverQueues } from '../../lib/transport/brokers/redis-queues.js';
import { openTopics } from '../../lib/transport/brokers/redis-topics.js';
import { describeRedis, openQueueGauge, openTopicGauge } from '../../lib/transport/brokers/redis-traffic.js';
import { listQueues } from '../../transports/redis-list/list-queue.js';
import { closeOf, TOKEN } from '../fixtures/both-ends.js';
import { startFakeRedis } from '../fixtures/fake-redis.js';
import { ownFolder } from '../fixtures/own-folder.js';

/** @import { TestContext } from 'node:test' */

const ON_POSIX = { skip: process.platform === 'win32' ? 'a folder is no place for a pipe there' : false };
const folder = ownFolder('ibr-');

/** @param {TestContext} t @param {Parameters<typeof startFakeRedis>[1]} [answers] */
async function serving(t, answers) {
  const redis = await startFakeRedis(folder, answers);
  t.after(() => redis.close());
  return redis;
}

/** @param {string} url @param {(reason: Error) => void} [onLost] */
const opened = (url, onLost = (reason) => assert.fail(reason)) => openRedis(url, onLost);

/** @param {() => boolean} isSo */
async function until(isSo) {
  while (!isSo()) await new Promise((resolve) => setImmediate(resolve));
}

describe('a connection to a Redis', ON_POSIX, () => {
  it('tells its name and version, and is lost only where it was not closed', async (t) => {
    const redis = await serving(t);
    const lost = /** @type {string[]} */ ([]);
    const first = await opened(redis.url, ({ message }) => lost.push(message));
    assert.equal(first.server, 'redis 7.4.1');
    await first.close();
    await first.close();
    assert.equal(lost.length, 0);
    await opened(redis.url, ({ message }) => void lost.push(message));
    redis.hangUp();
    await until(() => lost.length > 0);
    assert.deepEqual(lost, [`lost the connection to Redis at ${redis.url}: the connection was closed`]);
  });

  it('asks nothing where it is known already', async (t) => {
    const redis = await serving(t, { ping: () => assert.fail() });
    const { server, close } = await openRedis(redis.url, assert.fail, true);
    assert.deepEqual([server, redis.callsOf('hello').length], ['', 1]);
    await close();
  });

  it('waits while the server reads its data, and for no other refusal', async (t) => {
    let loads = 2;
    const loading = await serving(t, {
      ping: () => (loads-- > 0 ? new Error('LOADING Redis is loading the dataset in memory') : 'PONG'),
    });
    await (await opened(loading.url)).close();
    assert.equal(loading.callsOf('ping').length, 3);
    const strict = await serving(t, { ping: () => new Error('NOPERM this user may not') });
    await (await opened(strict.url)).close();
    assert.equal(strict.callsOf('ping').length, 1);
  });

  it('refuses a server that does not speak RESP3', async (t) => {
    const old = { map: { server: 'redis', version: '5.0.1', proto: 2 } };
    const redis = await serving(t, { hello: () => old });
    await assert.rejects(opened(redis.url), {
      code: 'BROKER',
      message: `cannot use Redis at ${redis.url}: it does not speak RESP3: version 6.2 or newer is needed`,
    });
  });

  it('says what the server says to a client that it does not take', async (t) => {
    const path = join(folder, 'full.sock');
    const server = createServer((socket) => {
      socket.end('-ERR max number of clients reached\r\n');
      socket.resume().on('error', () => {});
    });
    await new Promise((resolve) => server.listen(path, () => resolve(undefined)));
    t.after(() => server.close());
    await assert.rejects(opened(path), {
      code: 'BROKER',
      message: `cannot use Redis at ${path}: ERR max number of clients reached`,
    });
  });

  it('is refused where nobody listens, or the database of a socket is no number', async () => {
    await assert.rejects(opened(join(folder, 'nobody.sock')), { code: 'BROKER', message: /: .*ENOENT/ });
    await assert.rejects(opened(`unix://${folder}/x.sock?db=one`), {
      code: 'BROKER',
      message: /^cannot read the address of Redis at .* db is no number of a database$/,
    });
  });

  it('takes user, password and database of a socket from its URL, however they are written, and tells no password', async (t) => {
    const redis = await serving(t, { auth: () => 'OK', select: () => 'OK' });
    const greetings = async (/** @type {string} */ url) => {
      const before = redis.calls.length;
      await (await opened(url)).close();
      const [[, ...hello]] = redis.calls.slice(before);
      return [hello, redis.calls.slice(before).find(([name]) => name === 'select')];
    };
    const plain = await greetings(`unix://${redis.url}`);
    assert.deepEqual(plain, [['3'], undefined]);
    const asHosts = await greetings(`unix://me:s%2Fcret@${redis.url}?db=3`);
    assert.deepEqual(asHosts, [
      ['3', 'AUTH', 'me', 's/cret'],
      ['select', '3'],
    ]);
    assert.deepEqual((await greetings(`unix://${redis.url}?user=me&pass=own`))[0], [
      '3',
      'AUTH',
      'me',
      'own',
    ]);
    const nobody = `unix://me:s3cret@${folder}/nobody.sock`;
    await assert.rejects(opened(nobody), (/** @type {Error} */ { message }) => !message.includes('s3cret'));
  });
});

describe('topics of a Redis', ON_POSIX, () => {
  it('are heard by those who subscribed, and one that reaches fewer or more than its listeners is an error', async (t) => {
    const redis = await serving(t);
    const topics = await openTopics(redis.url, assert.fail);
    t.after(() => topics.close());
    /** @type {string[]} */
    const heard = [];
    await topics.subscribe('here', (bytes) => heard.push(String(bytes)));
    /** @type {string[]} */
    const refused = [];
    const publish = (/** @type {string} */ topic, /** @type {number | undefined} */ listeners = undefined) =>
      topics.publisher(topic, ({ message }) => refused.push(message), listeners);
    publish('here')('text');
    publish('here')(Buffer.from('bytes'));
    publish('nowhere', 0)('x');
    await until(() => heard.length === 2);
    publish('nowhere')('x');
    publish('here', 0)('again');
    await until(() => refused.length === 2);
    assert.deepEqual(heard.slice(0, 2), ['text', 'bytes']);
    assert.deepEqual(refused, [
      'a message reached 0 receivers instead of 1: the other end is gone',
      'a message reached 1 receivers instead of 0: another client of this Redis listens in',
    ]);
    topics.unsubscribe('here');
    await until(() => redis.callsOf('unsubscribe').length === 1);
    publish('here', 0)('gone');
    await topics.close();
    assert.equal(heard.length, 3);
  });

  it('are refused by the words of the server', async (t) => {
    const redis = await serving(t, {
      subscribe: () => new Error('NOPERM no channel'),
      publish: () => new Error('OOM command not allowed'),
    });
    const topics = await openTopics(redis.url, assert.fail);
    t.after(() => topics.close());
    await assert.rejects(
      topics.subscribe('x', () => {}),
      { code: 'BROKER', message: 'Redis did not let us subscribe: NOPERM no channel' },
    );
    const reason = await /** @type {Promise<any>} */ (
      new Promise((resolve) => topics.publisher('x', resolve)('wire'))
    );
    assert.deepEqual(
      [reason.code, reason.message],
      ['BROKER', 'Redis did not publish a message: OOM command not allowed'],
    );
  });
});

describe('queues of a Redis', ON_POSIX, () => {
  const END = {
    settings: { guarantee: 'pop', batch: 1 },
    codec: '',
    launchId: 'l1',
    token: TOKEN,
    wireKind: /** @type {const} */ ('text'),
    maxMessageBytes: 1_000,
    workers: 1,
  };

  /** @param {TestContext} t @param {Record<string, any>} [settings] @param {Parameters<typeof startFakeRedis>[1]} [answers] */
  async function joined(t, settings = END.settings, answers = {}) {
    const redis = await serving(t, answers);
    const end = /** @type {any} */ ({ ...END, settings, brokerUrl: redis.url });
    /** @type {any} */
    let master;
    /** @type {Error[]} */
    const errors = [];
    const kind = listQueues(end);
    const listener = await listenOverQueues(
      {
        ...end,
        isBrokerOurs: true,
        onRejected: assert.fail,
        onError: (/** @type {Error} */ error) => errors.push(error),
        onChannel(/** @type {any} */ channel) {
          master = channel;
          channel.onMessage = (/** @type {string} */ wire) => channel.send(`${wire}!`);
        },
      },
      kind,
    );
    const line = { send: () => true, onValue() {}, onDisconnect() {} };
    const worker = /** @type {any} */ (
      await connectOverQueues({ ...end, address: listener.address, workerId: 'w0', line }, kind)
    );
    return { redis, listener, worker, master, errors };
  }

  for (const settings of [
    { guarantee: 'pop', batch: 1 },
    { guarantee: 'move', batch: 1 },
  ]) {
    it(`carry messages both ways, with ${settings.guarantee}, and nothing of them remains`, async (t) => {
      const { redis, listener, worker, errors } = await joined(t, settings);
      /** @type {string[]} */
      const heard = [];
      worker.onMessage = (/** @type {string} */ wire) => heard.push(wire);
      for (const wire of ['one', 'two', 'three']) worker.send(wire);
      await until(() => heard.length === 3);
      assert.deepEqual(heard, ['one!', 'two!', 'three!']);
      await worker.close();
      await listener.close();
      assert.deepEqual(errors, []);
      assert.deepEqual([...redis.lists.keys()], []);
      const given = redis.callsOf('lpush').length;
      const taken = redis.callsOf(settings.guarantee === 'pop' ? 'brpop' : 'blmove').length;
      assert.ok(given >= 6 && taken >= given - 2, `${taken} of ${given}`);
      if (settings.guarantee === 'move')
        assert.ok(
          redis.callsOf('lrem').every(([key, count]) => key.endsWith(':processing') && count === '1'),
        );
    });
  }

  it('are left to the other end for three seconds, by each of them', async (t) => {
    const { redis, listener, worker, master } = await joined(t);
    const closed = closeOf(master);
    await worker.close();
    await closed;
    await until(() => redis.callsOf('expire').length === 4);
    assert.deepEqual(new Set(redis.callsOf('expire').map(([, seconds]) => seconds)), new Set(['3']));
    const keys = redis
      .callsOf('expire')
      .map(([key]) => key.replace(/^ipc-bench:l1:[0-9a-f]{16}:[0-9a-f]{32}:/, ''));
    const queues = ['w0:to-master', 'w0:to-worker'];
    assert.deepEqual(
      keys.sort(),
      queues.flatMap((queue) => [queue, `${queue}:processing`]),
    );
    await listener.close();
    const last = redis.callsOf('unlink').at(-1) ?? [];
    assert.equal(last.length, 4, 'both queues of its worker');
  });

  it('leave no connection where the jobs of all workers cannot be read', async (t) => {
    const redis = await serving(t);
    const end = /** @type {any} */ ({ ...END, brokerUrl: redis.url, address: 'ipc-bench:l1:a' });
    const kind = listQueues(end);
    const ofJobs = { ...kind, prepare: () => Promise.reject(new Error('NOPERM')) };
    const guest = { ...end, workerId: 'w0', sharedQueue: { prefetch: 1 } };
    await assert.rejects(connectOverQueues(guest, kind, ofJobs), {
      code: 'BROKER',
      message: 'Redis does not let us read a queue: NOPERM',
    });
    await until(() => redis.sockets.size === 0);
  });

  it('break the channel with the words of a server that takes no message', async (t) => {
    let isFull = false;
    const { worker, listener } = await joined(t, END.settings, {
      lpush: () => (isFull ? new Error('OOM command not allowed') : undefined),
    });
    const ended = closeOf(worker);
    isFull = true;
    worker.send('x');
    const reason = await ended;
    assert.deepEqual(
      [reason?.code, reason?.message],
      ['BROKER', 'Redis did not take a message: OOM command not allowed'],
    );
    await listener.close();
  });
});

describe('what passed a Redis', ON_POSIX, () => {
  /** @param {Record<string, number>} stats @param {Record<string, number>} calls */
  const infoOf =
    (stats, calls) =>
    (/** @type {string[]} */ [section]) => ({
      verbatim:
        section === 'stats'
          ? Object.entries(stats)
              .map(([name, value]) => `${name}:${value}\r\n`)
              .join('')
          : Object.entries(calls)
              .map(([name, value]) => `cmdstat_${name}:calls=${value},usec=1\r\n`)
              .join(''),
    });

  it('in queues is what was given and taken, and unknown where one call takes many', async (t) => {
    const stats = { total_net_output_bytes: 1_000 };
    const calls = { lpush: 10, xadd: 1, brpop: 9, blmove: 1, blmpop: 0 };
    const redis = await serving(t, { info: (args) => infoOf(stats, calls)(args) });
    const gauge = await openQueueGauge(redis.url);
    const replyBytes = [0, 1].reduce((sum, place) => {
      const { verbatim } = infoOf(stats, calls)([['stats', 'commandstats'][place]]);
      const bytes = verbatim.length + 4;
      return sum + `=${bytes}\r\n`.length + bytes + 2;
    }, 0);
    Object.assign(calls, { lpush: 30, xadd: 2, brpop: 25, blmove: 4 });
    stats.total_net_output_bytes = 5_000;
    assert.deepEqual(await gauge.passed(), { published: 21, delivered: 19, bytes: 4_000 - replyBytes });
    calls.blmpop = 1;
    assert.equal((await gauge.passed()).delivered, null);
    await gauge.close();
  });

  it('in topics is what was published, and delivered by the bytes that went out for those that came in', async (t) => {
    const stats = { total_net_input_bytes: 0, total_net_output_bytes: 0, total_connections_received: 1 };
    const calls = { publish: 0 };
    const redis = await serving(t, { info: (args) => infoOf(stats, calls)(args) });
    const gauge = await openTopicGauge(redis.url);
    const [empty] = [await gauge.passed()];
    assert.deepEqual([empty.published, empty.delivered], [0, 0]);
    const question =
      '*2\r\n$4\r\ninfo\r\n$5\r\nstats\r\n'.length + '*2\r\n$4\r\ninfo\r\n$12\r\ncommandstats\r\n'.length;
    const reply = -empty.bytes;
    calls.publish = 100;
    stats.total_net_input_bytes = 100 * 50 + question;
    stats.total_net_output_bytes = 2 * 100 * 50 + 4 * 100 + reply;
    const passed = await gauge.passed();
    assert.deepEqual([passed.published, passed.delivered, passed.bytes], [100, 200, 2 * 100 * 50 + 400]);
    stats.total_connections_received = 11;
    assert.equal((await gauge.passed()).delivered, 200, 'one connection for ten messages');
    stats.total_connections_received = 12;
    assert.equal((await gauge.passed()).delivered, null, 'most bytes may be of connections');
    await gauge.close();
  });
});

describe('the settings of a Redis', ON_POSIX, () => {
  it('are told, unknown where it does not let us read them', async (t) => {
    const values = /** @type {Record<string, any>} */ ({
      save: { map: { save: '' } },
      appendonly: ['appendonly', 'no'],
      'io-threads': new Error('NOPERM'),
      maxmemory: { map: {} },
    });
    const redis = await serving(t, { config: ([, name]) => values[name] });
    const { version, config } = await describeRedis(redis.url);
    assert.equal(version, 'redis 7.4.1');
    assert.deepEqual(config, {
      save: '""',
      appendonly: 'no',
      appendfsync: '""',
      'io-threads': 'unknown',
      maxmemory: 'unknown',
      'client-output-buffer-limit': '""',
    });
    await until(() => redis.sockets.size === 0);
  });

  it('have to do what a cell says of them', async () => {
    /** @param {Record<string, any>} replies */
    const clientWith = (replies) =>
      /** @type {any} */ ({
        async config(/** @type {string} */ _get, /** @type {string} */ name) {
          if (replies[name] === undefined) throw new Error('NOPERM');
          return replies[name];
        },
      });
    const both = { appendonly: ['appendonly', 'yes'], appendfsync: { appendfsync: 'always' } };
    await assertPersists(clientWith({}), 'none');
    await assertPersists(clientWith({}), undefined);
    await assertPersists(clientWith(both), 'always');
    const refusal = (/** @type {string} */ wanted, /** @type {string} */ found) => ({
      code: 'BROKER',
      message: `persist=everysec needs a Redis with ${wanted}, and here it is ${found}: change the server, or leave out persist=everysec`,
    });
    await assert.rejects(
      assertPersists(clientWith(both), 'everysec'),
      refusal('appendfsync everysec', 'always'),
    );
    await assert.rejects(assertPersists(clientWith({}), 'everysec'), refusal('appendonly yes', 'unknown'));
  });

  it('of a private one follow from what is asked for, and no other word gets into its configuration', async () => {
    const none = { save: '""', appendonly: 'no' };
    assert.deepEqual(await persistenceConfig(undefined, folder), none);
    assert.deepEqual(await persistenceConfig('none', folder), none);
    await assert.rejects(persistenceConfig('always\nrequirepass x', folder), {
      code: 'BROKER',
      message: /^persist="always\\nrequirepass x" is none of none,everysec,always$/,
    });
  });
});
