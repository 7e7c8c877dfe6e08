// Runs at night.
// Redis lists and streams as queues: what they promise of a reader that crashes, of a server that refuses, and of a Redis
// that goes on living after them. That they carry messages is the conformance suite's; what a launch leaves is in redis.test.js.

import assert from 'node:assert/strict';
import { existsSync, statfsSync } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { resolveTraits } from '../../lib/cell/traits.js';
import { redisQueueBroker } from '../../lib/channels/brokers/redis-broker.js';
import { startRedisCleanup } from '../../lib/channels/brokers/redis-cleanup.js';
import { openRedis } from '../../lib/channels/brokers/redis-client.js';
import { topicNames } from '../../lib/channels/brokers/topic-names.js';
import { listQueues } from '../../transports/redis-list/list-queue.js';
import redisList from '../../transports/redis-list/redis-list.js';
import redisStreams from '../../transports/redis-streams/redis-streams.js';
import { streamQueues } from '../../transports/redis-streams/stream-queue.js';
import { patiently } from '../conformance/deadline.js';
import { closeOf, openBothEnds, TOKEN } from '../fixtures/both-ends.js';
import { launchUnderLoad, processesBelow } from '../fixtures/launch-cell.js';
import { withRedis } from '../fixtures/with-redis.js';

/** @import { Channel, RunningBroker } from '../../lib/types/index.js' */
/** @typedef {Record<string, string | number | boolean>} Settings */

const TIMEOUT_MS = 600_000;
const missing = (await redisQueueBroker.whyUnavailable()) ?? undefined;
const skip = process.env.CI ? undefined : missing; // in CI a missing service is a failure
const onLinux = process.platform === 'linux' ? skip : 'finds processes in /proc';

/** @typedef {{ transport: import('../../lib/types/transports.js').Transport, settings: Settings }} Kind */
/** @type {Kind} */
const POP = { transport: redisList, settings: { guarantee: 'pop', batch: 1 } };
/** @type {Kind} */
const MOVE = { transport: redisList, settings: { guarantee: 'move', batch: 1 } };
/** @type {Kind} */
const PLAIN = { transport: redisStreams, settings: { read: 'plain', count: 0 } };
/** @type {Kind} */
const GROUP = { transport: redisStreams, settings: { read: 'group', count: 0 } };
const labelOf = (/** @type {Kind} */ { transport, settings }) =>
  `${transport.name} ${JSON.stringify(settings)}`;

let scratchDir = '';
/** @type {RunningBroker} */
let broker;
before(async () => {
  scratchDir = await mkdtemp(join(tmpdir(), 'ibq-'));
  if (!skip) broker = await startRedis({});
});
after(async () => {
  await broker?.close();
  await rm(scratchDir, { recursive: true, force: true });
});

/** @param {Settings} settings */
const startRedis = (settings) =>
  redisQueueBroker.start({ scratchDir, settings: { net: 'unix', ...settings }, cpus: null });

/** @param {(redis: Redis) => Promise<any>} ask @param {string} [url] */
const asked = (ask, url = broker.url) => withRedis(url, ask);

const keysLeft = () => asked((redis) => redis.keys('*'));

/**
 * A launch with one worker, both ends in this process.
 * @param {Kind} kind
 * @param {{ url?: string }} [how]
 */
async function openLaunch({ transport, settings }, { url = broker.url } = {}) {
  const launch = await openBothEnds(transport, {
    settings,
    brokerUrl: url,
    scratchDir,
    end: { codec: 'binary', wireKind: 'bytes', maxMessageBytes: 1_000_000, isBrokerOurs: true },
  });
  const { master } = launch;
  master.onMessage = (wire) => void master.send(Buffer.from(wire));
  return launch;
}

/**
 * @param {Channel} worker
 * @param {number} messages
 * @param {Buffer} [wire]
 */
async function roundTrips(worker, messages, wire = Buffer.from('x')) {
  let answers = 0;
  const done = new Promise((resolve) => {
    worker.onMessage = () => {
      answers += 1;
      if (answers === messages) resolve(undefined);
    };
  });
  for (let sent = 0; sent < messages; sent += 1) if (!worker.send(wire)) await worker.drained();
  await done;
}

/** @param {Channel[]} channels */
const endsOf = (...channels) => Promise.all(channels.map(closeOf));

describe('a launch over a Redis of the user', { skip: onLinux, timeout: 2 * TIMEOUT_MS }, () => {
  for (const [kind, scenario] of /** @type {const} */ ([
    [POP, 'round-trip'],
    [GROUP, 'round-trip'],
    [MOVE, 'round-trip'],
    [GROUP, 'connect'],
  ])) {
    for (const victim of ['worker', 'master']) {
      it(`leaves no key when its ${victim} is killed: ${labelOf(kind)}, ${scenario}`, async () => {
        await asked((redis) => redis.mset('mine', '1', 'ipc-bench:mine', '2'));
        const { ending, underLoad } = launchUnderLoad({
          transport: kind.transport.name,
          scenario,
          cell: { settings: kind.settings, loops: 50 },
          timing: { warmupMs: 50, measureMs: 60_000 },
          brokerUrl: broker.url,
        });
        await underLoad;
        process.kill(processesBelow(process.pid, `/${victim}.js`)[0], 'SIGKILL');
        const { end } = await ending;
        assert.equal(end.kind === 'failed' && end.code, 'PROCESS_DIED');
        for (const last = performance.now() + 5_000; (await keysLeft()).length > 2; await sleep(50)) {
          assert.ok(performance.now() < last, `left: ${await keysLeft()}`);
        }
        assert.deepEqual((await keysLeft()).sort(), ['ipc-bench:mine', 'mine']);
        await asked((redis) => redis.del('mine', 'ipc-bench:mine'));
      });
    }
  }

  it('is cleaned by the cleanup process only if it did not do that itself', async () => {
    const all = ['a', 'b', 'ours:1', 'ours:2'];
    await asked((redis) => redis.mset(...all.flatMap((key) => [key, '1'])));
    await startRedisCleanup(broker.url, ['a'], 'ours:*').dismiss(true);
    assert.deepEqual((await keysLeft()).sort(), all);
    await startRedisCleanup(broker.url, ['a'], 'ours:*').dismiss(false);
    for (const last = performance.now() + 5_000; (await keysLeft()).length > 1; await sleep(50)) {
      assert.ok(performance.now() < last);
    }
    assert.deepEqual(await keysLeft(), ['b']);
    await asked((redis) => redis.del('b'));
    const cleaning = () => processesBelow(process.pid, 'redis-cleanup.js');
    for (const last = performance.now() + patiently(5_000); cleaning().length > 0; await sleep(50))
      assert.ok(performance.now() < last, 'it ends when it has cleaned');
  });
});

describe('a reader that crashes between taking a message and working on it', {
  skip,
  timeout: TIMEOUT_MS,
}, () => {
  /**
   * @param {Kind} kind
   * @param {typeof listQueues} queuesOf
   */
  async function crashWhileWorking({ settings }, queuesOf) {
    const end = /** @type {any} */ ({ settings, token: TOKEN });
    const queues = queuesOf(end);
    const { client, close } = await openRedis(broker.url, () => {});
    await queues.prepare(client, 'queue');
    const taken = new Promise((resolve) => {
      const onData = (/** @type {Buffer} */ bytes) => {
        client.disconnect();
        resolve(String(bytes));
      };
      queues.read(client, 'queue', { onData, onControl() {}, refused() {} }).catch(() => {});
    });
    await asked(async (redis) => {
      queues.writer(redis, 'queue', () => {}).send('work');
      assert.equal(await taken, 'work');
    });
    await close();
  }
  const clean = () => asked((redis) => redis.flushall());

  it('loses it with guarantee=pop', async () => {
    await crashWhileWorking(POP, listQueues);
    assert.deepEqual(await keysLeft(), []);
  });

  it('leaves it in the list of what is being worked on with guarantee=move', async () => {
    await crashWhileWorking(MOVE, listQueues);
    assert.deepEqual(await asked((redis) => redis.lrange('queue:processing', 0, -1)), ['work']);
    await clean();
  });

  it('leaves it pending with read=group, and readable with read=plain', async () => {
    await crashWhileWorking(GROUP, streamQueues);
    assert.equal((await asked((redis) => redis.xpending('queue', 'readers')))[0], 1);
    await clean();
    await crashWhileWorking(PLAIN, streamQueues);
    assert.equal(await asked((redis) => redis.xlen('queue')), 1);
    await clean();
  });
});

describe('a message that was read', { skip, timeout: TIMEOUT_MS }, () => {
  for (const kind of [PLAIN, GROUP]) {
    it(`is removed from time to time, so that memory does not grow: ${labelOf(kind)}`, async () => {
      const { listener, worker } = await openLaunch(kind);
      const lengths = async () => {
        const keys = await asked((redis) => redis.keys('ipc-bench:*:to-*'));
        return Math.max(
          ...(await asked((redis) => Promise.all(keys.map((/** @type {string} */ key) => redis.xlen(key))))),
        );
      };
      for (let part = 0; part < 10; part += 1) await roundTrips(worker, 500);
      assert.ok((await lengths()) <= 1_100, `${await lengths()} small entries`);
      await roundTrips(worker, 100, Buffer.alloc(100_000));
      assert.ok((await lengths()) <= 1_100 + 20, `${await lengths()} entries, some large`);
      await roundTrips(worker, 2_000);
      assert.ok((await lengths()) <= 1_100);
      await worker.close();
      await listener.close();
    });
  }
});

describe('a Redis', { skip, timeout: TIMEOUT_MS }, () => {
  for (const kind of [POP, MOVE, PLAIN, GROUP]) {
    it(`reports that it has no free memory: ${labelOf(kind)}`, async () => {
      const own = await startRedis({});
      const { listener, worker, master } = await openLaunch(kind, { url: own.url });
      const ended = endsOf(worker);
      await asked((redis) => redis.config('SET', 'maxmemory', '1'), own.url);
      worker.send(Buffer.from('too much'));
      const [reason] = await ended;
      assert.equal(reason.code, 'BROKER');
      assert.match(reason.message, /OOM command not allowed/);
      await Promise.all([listener.close(), master.close()]);
      await own.close();
    });

    it(`reports a key of another type in place of a queue: ${labelOf(kind)}`, async () => {
      const { listener, worker, master, address } = await openLaunch(kind);
      const { toMaster } = topicNames(address, TOKEN, 'w0', ':');
      const told = new Promise((resolve) => {
        for (const channel of [worker, master]) channel.onClose = (reason) => reason && resolve(reason);
      });
      await asked((redis) => redis.set(toMaster, 'a string'));
      worker.send(Buffer.from('x'));
      const reason = await told; // of whoever noticed it first
      assert.equal(reason.code, 'BROKER');
      assert.match(reason.message, /WRONGTYPE|NOGROUP|UNBLOCKED/);
      await listener.close();
      assert.deepEqual(await keysLeft(), []);
    });

    // The other kinds of a transport lose their connections in the same way.
    if (kind !== POP && kind !== PLAIN) continue;

    it(`fails both ends within a second when it is killed: ${labelOf(kind)}`, async () => {
      const own = await startRedis({});
      const { listener, worker, master, errors } = await openLaunch(kind, { url: own.url });
      const ended = endsOf(worker, master);
      const fromMs = performance.now();
      process.kill(own.pid, 'SIGKILL');
      for (const reason of await ended) assert.match(String(reason), /lost the connection to Redis at /);
      assert.ok(performance.now() - fromMs < patiently(1_000));
      assert.equal(errors.length, 1);
      assert.equal(worker.send(Buffer.from('into the void')), false);
      await listener.close();
      assert.ok(performance.now() - fromMs < patiently(2_000));
      await own.close();
    });
  }

  it('does not delay a close while it hangs', { skip: onLinux }, async () => {
    const own = await startRedis({});
    const { listener, worker } = await openLaunch(POP, { url: own.url });
    process.kill(own.pid, 'SIGSTOP');
    const fromMs = performance.now();
    await Promise.all([worker.close(), listener.close()]);
    assert.ok(performance.now() - fromMs < patiently(5_000), `${performance.now() - fromMs} ms`);
    process.kill(own.pid, 'SIGCONT');
    await own.close();
  });

  it('can be closed at once while a read waits', async () => {
    const { listener, worker } = await openLaunch(POP);
    await sleep(300);
    const fromMs = performance.now();
    await worker.close();
    await listener.close();
    assert.ok(performance.now() - fromMs < patiently(800), `${performance.now() - fromMs} ms`);
  });
});

describe('persist', { skip, timeout: TIMEOUT_MS }, () => {
  it('is configured in the private server, and declared by the traits', async () => {
    for (const [persist, appendonly, durability] of [
      ['none', 'no', 'memory'],
      ['everysec', 'yes', 'disk'],
      ['always', 'yes', 'disk'],
    ]) {
      const own = await startRedis({ persist });
      const config = await asked(
        async (redis) => [
          (await redis.config('GET', 'appendonly'))[1],
          (await redis.config('GET', 'appendfsync'))[1],
        ],
        own.url,
      );
      assert.deepEqual(config, [appendonly, persist === 'none' ? 'everysec' : persist]);
      assert.equal(own.config.appendfsync, persist === 'none' ? undefined : persist);
      const kind = { transport: redisList, settings: { ...POP.settings, persist } };
      const { listener, worker } = await openLaunch(kind, { url: own.url });
      await roundTrips(worker, 20);
      await worker.close();
      await listener.close();
      const folder = join(
        scratchDir,
        String(
          (await readdir(scratchDir)).find((name) => existsSync(join(scratchDir, name, 'appendonlydir'))),
        ),
      );
      assert.equal(existsSync(join(folder, 'appendonlydir')), persist !== 'none');
      await own.close();
      for (const transport of [redisList, redisStreams]) {
        const traits = resolveTraits(transport, { persist });
        assert.deepEqual(
          [traits.durability, traits.isCostly],
          [durability, persist === 'always' ? true : undefined],
        );
        assert.match(traits.guarantee, persist === 'none' ? /memory only/ : /on disk/);
      }
    }
    assert.deepEqual((await readdir(scratchDir)).length, 1, 'the folder of the one that still runs');
  });

  it('is rejected for a server of the user that persists less', async () => {
    const kind = { transport: redisStreams, settings: { ...PLAIN.settings, persist: 'always' } };
    await assert.rejects(openLaunch(kind), {
      code: 'BROKER',
      message: /needs a Redis with appendonly yes, and here it is no/,
    });
    assert.deepEqual(await keysLeft(), []);
  });

  const inMemory =
    process.platform === 'linux' && existsSync('/dev/shm') && statfsSync('/dev/shm').type === 0x0102_1994;
  it('is rejected if the folder of temporary files is in memory', { skip: !inMemory }, async () => {
    const folder = await mkdtemp('/dev/shm/ibq-');
    try {
      const starting = redisQueueBroker.start({
        scratchDir: folder,
        settings: { net: 'unix', persist: 'always' },
        cpus: null,
      });
      await assert.rejects(starting, { code: 'BROKER', message: /set TMPDIR/ });
      assert.deepEqual(await readdir(folder), []);
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});

describe('settings that exclude each other', () => {
  it('are reported before anything starts', () => {
    assert.match(String(redisList.whyImpossible?.({ guarantee: 'move', batch: 2 })), /one element at a time/);
    assert.equal(redisList.whyImpossible?.({ guarantee: 'move', batch: 1 }), null);
    assert.equal(redisList.whyImpossible?.({ guarantee: 'pop', batch: 2 }), null);
  });
});
