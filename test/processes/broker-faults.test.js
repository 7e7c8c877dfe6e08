// Runs at night.
// A broker that is absent, refuses, dies, stalls or is slow: its launch fails with the cause, nothing waits for ever, and
// a broker of the user's own is left as it was found.

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { Redis } from 'ioredis';
import { redisBroker } from '../../lib/channels/brokers/redis-broker.js';
import { openRedis } from '../../lib/channels/brokers/redis-client.js';
import { findOnPath } from '../../lib/children/launcher.js';
import { openMqtt } from '../../transports/mqtt/mqtt-client.js';
import { openRabbitmq } from '../../transports/rabbitmq/rabbitmq-connection.js';
import redisPubsub from '../../transports/redis-pubsub.js';
import { measureOverOwn } from '../fixtures/cli-run.js';
import { describeFailingBroker } from '../fixtures/failing-broker.js';
import { launchUnderLoad, processesBelow } from '../fixtures/launch-cell.js';
import { ownFolder } from '../fixtures/own-folder.js';
import { withPath } from '../fixtures/with-path.js';
import { withRedis } from '../fixtures/with-redis.js';

const skip = process.env.CI ? undefined : ((await redisBroker.whyUnavailable()) ?? undefined);
const TRANSPORT = 'redis-pubsub';
const DEADLINES = { connectMs: 8_000, replyMs: 500, finishMs: 1_000, exitMs: 1_000 };

const scratchDir = ownFolder('ipcb-bf-');
/** @type {import('../../lib/types/transports.js').RunningBroker} */
let broker;
beforeEach(async () => {
  if (!skip) broker = await redisBroker.start({ scratchDir, settings: { net: 'tcp' }, cpus: null });
});
afterEach(() => broker?.close());

/** @param {(redis: Redis) => Promise<any>} ask */
const asked = (ask) => withRedis(broker.url, ask);

/**
 * @param {object} [how]
 * @param {string} [how.brokerUrl]
 * @param {() => unknown} [how.disturb]    while it measures
 * @param {number} [how.measureMs]
 */
async function launchOver(how = {}) {
  const { brokerUrl = broker.url, disturb, measureMs = 60_000 } = how;
  const { ending, underLoad } = launchUnderLoad({
    transport: TRANSPORT,
    cell: { workers: 1, settings: { net: 'tcp' } },
    timing: { warmupMs: 50, measureMs },
    deadlines: DEADLINES,
    brokerUrl,
  });
  if (disturb !== undefined) {
    await underLoad;
    await disturb();
  }
  const fromMs = performance.now();
  const { end, left } = await ending;
  assert.deepEqual(left, []);
  assert.deepEqual(processesBelow(process.pid, '/lib/launch/'), []);
  const outcome = end.kind === 'done' ? 'measured' : `${end.code} ${end.phase}`;
  return { outcome, message: end.kind === 'failed' ? end.message : '', tookMs: performance.now() - fromMs };
}

/**
 * A stand-in for a Redis that reads its data from disk: it knows what it is, and refuses what needs the data.
 * @param {number} refusals   of PING, one after the other
 * @param {number} [proto]    version of the protocol that it speaks
 */
async function openLoadingRedis(refusals, proto = 3) {
  let pings = 0;
  /** @type {import('node:net').Socket[]} */
  const sockets = [];
  const server = createServer((socket) => {
    sockets.push(socket.on('error', () => {}));
    socket.on('data', (bytes) => {
      for (const [, command] of bytes.toString().matchAll(/\$\d+\r\n(hello|client|ping)\r\n/gi)) {
        if (command.toLowerCase() === 'ping') {
          pings += 1;
          socket.write(
            pings > refusals ? '+PONG\r\n' : '-LOADING Redis is loading the dataset in memory\r\n',
          );
          server.emit('ping', pings);
        } else if (command.toLowerCase() === 'client') socket.write('+OK\r\n');
        else socket.write(`%3\r\n+server\r\n+redis\r\n+version\r\n+7.0.15\r\n+proto\r\n:${proto}\r\n`);
      }
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  const close = () => {
    server.close();
    for (const socket of sockets) socket.destroy();
  };
  return { url: `redis://127.0.0.1:${port}`, server, pings: () => pings, close };
}

const onLinux = process.platform === 'linux' ? skip : 'finds processes in /proc';

describeFailingBroker(
  {
    label: 'Redis',
    transport: redisPubsub,
    settings: { net: 'tcp' },
    version: /^(redis|valkey) /,
    program: 'redis-server',
    files: [],
    refusal: /WRONGPASS|NOAUTH/,
  },
  skip,
);

describe('a Redis', { skip: onLinux }, () => {
  it('is used if it refuses INFO to its user, and its client prints nothing', async (context) => {
    await asked((redis) =>
      redis.call('ACL', 'SETUSER', 'plain', 'on', 'nopass', '~*', '&*', '+@all', '-info'),
    );
    const warn = context.mock.method(console, 'warn', () => {});
    const { server, close } = await openRedis(
      `redis://plain:any@127.0.0.1:${new URL(broker.url).port}`,
      () => {},
    );
    await close();
    assert.match(server, /^(redis|valkey) \d/);
    assert.equal(warn.mock.callCount(), 0);
  });

  it('is rejected if it does not speak RESP3', async (context) => {
    const old = await openLoadingRedis(0, 2);
    context.after(old.close);
    await assert.rejects(
      openRedis(old.url, () => {}),
      {
        code: 'BROKER',
        message: `cannot use Redis at ${old.url}: it does not speak RESP3: version 6.2 or newer is needed`,
      },
    );
  });

  it('is awaited while it loads its data', async (context) => {
    const loading = await openLoadingRedis(2);
    context.after(loading.close);
    const { server, close } = await openRedis(loading.url, () => {});
    await close();
    assert.deepEqual([server, loading.pings()], ['redis 7.0.15', 3]);
  });

  it('is not used if it loads its data for too long, with that reason', async (context) => {
    context.mock.timers.enable({ apis: ['setTimeout'] });
    const { url, server, close } = await openLoadingRedis(Number.POSITIVE_INFINITY);
    context.after(close);
    const opening = openRedis(url, () => {});
    server.on('ping', () => context.mock.timers.tick(1_000));
    await assert.rejects(opening, {
      code: 'BROKER',
      message: `cannot use Redis at ${url}: it still loads its data after 5000 ms`,
    });
  });

  it('fails a launch with the reason if it accepts no more clients', async () => {
    await asked((redis) => redis.config('SET', 'maxclients', '1'));
    const { outcome, message } = await launchOver();
    assert.match(outcome, /^BROKER (start|connect)$/);
    assert.match(message, /: ERR max number of clients reached$/);
  });

  it('without free memory still delivers messages of topics', async () => {
    await asked((redis) => redis.config('SET', 'maxmemory', '1'));
    assert.equal((await launchOver({ measureMs: 200 })).outcome, 'measured');
  });
});

describe('a Redis of the user', { skip }, () => {
  /** @returns {Promise<string>} all that a user would miss */
  const state = () =>
    asked(async (redis) => {
      const keys = (await redis.keys('*')).sort();
      const dumps = await Promise.all(keys.map((key) => redis.dumpBuffer(key)));
      const content = createHash('sha256').update(Buffer.concat(dumps.map((dump) => dump ?? Buffer.of())));
      const config = await redis.call('CONFIG', 'GET', '*');
      const channels = await redis.pubsub('CHANNELS', '*');
      const clients = String(await redis.client('LIST'))
        .trim()
        .split('\n').length;
      return JSON.stringify({ keys, content: content.digest('hex'), config, channels, clients });
    });

  it('is left unchanged: keys, configuration, topics and clients', async () => {
    await asked(async (redis) => {
      await redis.mset('text', 'x', 'ipc-bench', 'mine', 'ipc-bench:old:1', 'mine too');
      await redis.rpush('list', 1, 2, 3);
      await redis.hset('hash', { a: 1 });
      await redis.config('SET', 'maxmemory', '64mb');
    });
    const before = await state();
    await measureOverOwn(TRANSPORT, { environment: { IPC_BENCH_BROKER_URL: `redis=${broker.url}` } });
    assert.equal(await state(), before);
  });
});

describe('a private broker', { skip }, () => {
  it('is awaited if it needs more than 5 s to start, as on a busy machine', async () => {
    const bin = join(scratchDir, 'bin');
    await mkdir(bin);
    const server = findOnPath('redis-server') ?? findOnPath('valkey-server');
    await writeFile(join(bin, 'redis-server'), `#!/bin/sh\nsleep 6\nexec '${server}' "$@"\n`, {
      mode: 0o700,
    });
    await withPath(`${bin}:${process.env.PATH}`, async () => {
      const slow = await redisBroker.start({ scratchDir, settings: {}, cpus: null });
      await slow.close();
    });
    await rm(bin, { recursive: true });
  });
});

describe('a broker that takes a connection and never answers', () => {
  it('fails with the deadline, in the same words for each library', async (context) => {
    const server = createServer((socket) => socket.on('error', () => {})).listen(0, '127.0.0.1');
    context.after(() => server.close());
    await once(server, 'listening');
    const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
    const refusal = { code: 'BROKER', message: /: no answer within 5000 ms$/ };
    const openings = [
      openRedis(`redis://127.0.0.1:${port}`, () => {}),
      openMqtt(`mqtt://127.0.0.1:${port}`, () => {}),
      openRabbitmq(`amqp://127.0.0.1:${port}`, () => {}),
    ];
    await Promise.all(openings.map((opening) => assert.rejects(opening, refusal)));
  });
});
