// Runs always.

import assert from 'node:assert/strict';
import { fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { mkdir, rm, symlink } from 'node:fs/promises';
import { connect } from 'node:net';
import { constants } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Redis } from 'ioredis';
import { findServer } from '../../lib/channels/brokers/broker-transport.js';
import { redisBroker } from '../../lib/channels/brokers/redis-broker.js';
import { startGuarded } from '../../lib/children/guarded-server.js';
import { canDieWithParent, findOnPath } from '../../lib/children/launcher.js';
import redisList from '../../transports/redis-list/redis-list.js';
import redisPubsub from '../../transports/redis-pubsub.js';
import redisStreams from '../../transports/redis-streams/redis-streams.js';
import { assertGone, isAlive } from '../fixtures/alive.js';
import { closeOf, makeRoundTrips, openBothEnds } from '../fixtures/both-ends.js';
import { parentOf } from '../fixtures/launch-cell.js';
import { ownFolder } from '../fixtures/own-folder.js';
import { describePrivateBroker } from '../fixtures/private-broker.js';
import { describeStolenPort } from '../fixtures/stolen-port.js';
import { withPath } from '../fixtures/with-path.js';
import { withRedis } from '../fixtures/with-redis.js';

/** @import { RunningBroker } from '../../lib/types/index.js' */

const HOLDER_PATH = fileURLToPath(new URL('../fixtures/broker-holder.js', import.meta.url));
const SUPERVISOR_PATH = fileURLToPath(new URL('../../lib/children/supervisor.js', import.meta.url));
const TIMEOUT_MS = 600_000;
const missing = (await redisBroker.whyUnavailable()) ?? undefined;
// In CI a missing service is a failure.
const skip = process.env.CI ? undefined : missing;
const onLinux = process.platform === 'linux' ? skip : 'reads /proc';
const posixOnly = process.platform === 'win32' ? 'posix only' : undefined;

const scratchDir = ownFolder('ibb-');

const startRedis = ({ net = 'unix' } = {}) =>
  redisBroker.start({ scratchDir, settings: { net }, cpus: null });

it('kills a server that ignores SIGTERM one second after the runner has stopped it', {
  skip: posixOnly,
}, async () => {
  const server = `process.on('SIGTERM', () => {}); setInterval(() => {}, 1_000); console.log('deaf');`;
  const args = [SUPERVISOR_PATH, process.execPath, '-e', server];
  const supervisor = spawn(process.execPath, args, { stdio: ['pipe', 'ignore', 'pipe'] });
  await once(supervisor.stderr, 'data');
  supervisor.stdin.end();
  const [code] = await once(supervisor, 'exit');
  assert.equal(code, 128 + constants.signals.SIGKILL);
});

const overTcp = {
  label: 'Redis over tcp',
  transport: redisPubsub,
  settings: { net: 'tcp' },
  version: /^(redis|valkey) \d+\.\d+/,
  program: 'redis-server',
  files: ['redis.conf', 'redis.log'],
  refusal: /WRONGPASS/,
};
describePrivateBroker(overTcp, skip);
describeStolenPort(overTcp, 'redis-server', () => findServer('redis-server', 'valkey-server'), skip);

describe('a private Redis', { skip, timeout: TIMEOUT_MS }, () => {
  it('keeps nothing on disk, is accessible to its owner only, and leaves no file and no process', async () => {
    const broker = await startRedis();
    const [folder] = readdirSync(scratchDir);
    const modes = ['', 'redis.conf', 'redis.log', 'redis.sock'].map(
      (name) => statSync(join(scratchDir, folder, name)).mode & 0o777,
    );
    assert.deepEqual(modes, [0o700, 0o600, 0o600, 0o700]);
    assert.match(broker.version, /^(redis|valkey) \d+\.\d+/);
    const config = await withRedis(broker.url, async (redis) => {
      const names = ['save', 'appendonly', 'port', 'client-output-buffer-limit'];
      return Promise.all(names.map(async (name) => String((await redis.config('GET', name))[1])));
    });
    assert.deepEqual(config.slice(0, 3), ['', 'no', '0']);
    assert.match(config[3], /pubsub 0 0 0/);
    assert.equal(broker.config['client-output-buffer-limit'], 'pubsub 0 0 0');
    await broker.close();
    await broker.close();
    assert.deepEqual(readdirSync(scratchDir), []);
    await assertGone(broker.pid);
  });

  it('listens on loopback only over tcp, with a password that is not in its configuration', async () => {
    const broker = await startRedis({ net: 'tcp' });
    try {
      const { hostname, port, password } = new URL(broker.url);
      assert.equal(hostname, '127.0.0.1');
      assert.ok(!JSON.stringify(broker.config).includes(password));
      const socket = connect({ host: hostname, port: Number(port) });
      socket.write('GET x\r\n');
      assert.match(String((await once(socket, 'data'))[0]), /NOAUTH/);
      socket.destroy();
      await assert.rejects(withRedis(`redis://:wrong@127.0.0.1:${port}`, (redis) => redis.ping()));
    } finally {
      await broker.close();
    }
  });

  it('rejects a folder whose path is too long for a socket, and leaves nothing in it', {
    skip: posixOnly,
  }, async () => {
    const deep = join(scratchDir, 'x'.repeat(100));
    await mkdir(deep);
    await assert.rejects(redisBroker.start({ scratchDir: deep, settings: { net: 'unix' }, cpus: null }), {
      code: 'PATH_TOO_LONG',
    });
    assert.deepEqual(readdirSync(deep), []);
    await rm(deep, { recursive: true });
  });
});

describe('without a server', () => {
  it('there is a reason with a remedy', async () => {
    await withPath('', async () => {
      const reason = (await redisBroker.whyUnavailable()) ?? undefined;
      assert.match(String(reason), /no redis-server or valkey-server.*apt install.*--broker-url redis=/);
      await assert.rejects(startRedis(), { code: 'BROKER', message: reason });
    });
  });
});

describe('a private server', { skip: onLinux, timeout: TIMEOUT_MS }, () => {
  /** A runner of its own process, with its server and what stands between. */
  async function startHolder(env = process.env) {
    const holder = fork(HOLDER_PATH, [scratchDir], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'], env });
    const [{ serverPid }] = await once(holder, 'message');
    return { holder, serverPid, supervisorPid: parentOf(serverPid) };
  }
  const emptyScratch = async () => {
    for (const name of readdirSync(scratchDir)) await rm(join(scratchDir, name), { recursive: true });
  };

  for (const tools of ['with', 'without']) {
    it(`ends with its supervisor, ${tools} setpriv, which the runner learns`, async () => {
      const bin = join(scratchDir, 'bin');
      await mkdir(bin);
      await symlink(
        String(findOnPath('redis-server') ?? findOnPath('valkey-server')),
        join(bin, 'redis-server'),
      );
      const env = tools === 'with' ? process.env : { ...process.env, PATH: bin };
      const { holder, serverPid, supervisorPid } = await startHolder(env);
      process.kill(supervisorPid, 'SIGKILL');
      const [{ cause }] = await once(holder, 'message');
      assert.match(cause, /supervisor was killed by SIGKILL/);
      await assertGone(serverPid, supervisorPid);
      holder.kill('SIGKILL');
      await emptyScratch();
    });
  }

  const needsKernel = canDieWithParent() ? undefined : 'no setpriv on PATH';
  it('is killed by the kernel when the runner and the supervisor are killed', {
    skip: needsKernel,
  }, async () => {
    const { holder, serverPid, supervisorPid } = await startHolder();
    holder.kill('SIGSTOP'); // it cannot do anything about it any more
    process.kill(supervisorPid, 'SIGKILL');
    holder.kill('SIGKILL');
    await assertGone(serverPid, supervisorPid);
    await emptyScratch();
  });

  it('is killed if it ignores SIGTERM, and receives no Ctrl-C', async () => {
    const logPath = join(scratchDir, 'stubborn.log');
    const script = `process.on('SIGTERM', () => {}); setInterval(() => {}, 1e3); console.log('up')`;
    const server = await startGuarded({
      command: process.execPath,
      args: ['-e', script],
      cpus: null,
      logPath,
    });
    const supervisorPid = parentOf(server.pid);
    while (readFileSync(logPath, 'utf8') !== 'up\n') await sleep(10);
    assert.notEqual(groupOf(supervisorPid), groupOf(process.pid));
    assert.equal(groupOf(server.pid), groupOf(supervisorPid));
    process.kill(supervisorPid, 'SIGINT');
    process.kill(supervisorPid, 'SIGTERM');
    await sleep(50);
    assert.ok(isAlive(supervisorPid) && isAlive(server.pid));
    await server.end();
    await assertGone(server.pid, supervisorPid);
    await rm(logPath);
  });

  it('is reported if it cannot be started', async () => {
    const logPath = join(scratchDir, 'none.log');
    const command = join(scratchDir, 'no-such-program');
    // With a tool of the launcher in front it is that tool which starts, and fails.
    const how = startGuarded({ command, args: [], cpus: null, logPath }).then(({ died }) => died, String);
    assert.match(await how, /exit code 127/);
    await rm(logPath);
  });
});

/** @param {number} pid */
function groupOf(pid) {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[2]);
}

describe('topics of a Redis', { skip, timeout: TIMEOUT_MS }, () => {
  /** @type {RunningBroker} */
  let broker;
  before(async () => {
    broker = await startRedis();
  });
  after(() => broker.close());

  /** @param {string} brokerUrl */
  const openLaunch = (brokerUrl) => openBothEnds(redisPubsub, { settings: {}, brokerUrl, scratchDir });

  it('make two publishes and two deliveries per round trip, at any number of loops', async () => {
    const { listener, worker } = await openLaunch(broker.url);
    const count = () =>
      withRedis(broker.url, async (redis) => {
        const [stats, network] = [await redis.info('commandstats'), await redis.info('stats')];
        const number = (/** @type {RegExp} */ pattern, /** @type {string} */ text) =>
          Number(pattern.exec(text)?.[1] ?? 0);
        return {
          publishes: number(/cmdstat_publish:calls=(\d+)/, stats),
          bytes: number(/total_net_output_bytes:(\d+)/, network),
        };
      });
    const perRoundTrip = [];
    for (const loops of [1, 8]) {
      const [start, idle] = [await count(), await count()];
      await makeRoundTrips(worker, loops, 400 / loops);
      const end = await count();
      const asking = idle.bytes - start.bytes;
      perRoundTrip.push({
        publishes: (end.publishes - start.publishes) / 400,
        bytes: Math.round((end.bytes - idle.bytes - asking) / 400),
      });
    }
    assert.deepEqual([perRoundTrip[0].publishes, perRoundTrip[1].publishes], [2, 2]);
    const [one, eight] = perRoundTrip.map(({ bytes }) => bytes);
    assert.ok(Math.abs(one - eight) <= 2 && one < 2.5 * 1_000, `bytes sent per round trip: ${one}, ${eight}`);
    await worker.close();
    await listener.close();
  });

  it('use no key and leave no topic', async () => {
    await withRedis(broker.url, (redis) => redis.mset('one', '1', 'two', '2'));
    const { listener, worker } = await openLaunch(broker.url);
    await makeRoundTrips(worker, 4, 10);
    await worker.close();
    await listener.close();
    const left = await withRedis(broker.url, async (redis) => ({
      keys: (await redis.keys('*')).sort(),
      topics: await redis.pubsub('CHANNELS'),
      clients: String(await redis.client('LIST'))
        .trim()
        .split('\n').length,
    }));
    assert.deepEqual(left, { keys: ['one', 'two'], topics: [], clients: 1 });
  });

  for (const transport of [redisPubsub, redisList, redisStreams]) {
    it(`keep nothing of closed connections while others continue: ${transport.name}`, async () => {
      const launch = await openBothEnds(transport, { settings: {}, brokerUrl: broker.url, scratchDir });
      const state = () =>
        withRedis(broker.url, async (redis) => ({
          keys: (await redis.keys('ipc-bench:*')).sort(),
          topics: (await redis.pubsub('CHANNELS')).sort(),
          clients: String(await redis.client('LIST')).split('\n').length,
        }));
      await makeRoundTrips(launch.worker, 1, 1);
      const before = await state();
      await launch.connectAgain(50);
      assert.deepEqual(await state(), before);
      await makeRoundTrips(launch.worker, 1, 1);
      await launch.worker.close();
      await launch.listener.close();
      assert.deepEqual(launch.errors, []);
    });
  }

  it('report another subscriber, which multiplies the deliveries', async () => {
    const { listener, worker, address } = await openLaunch(broker.url);
    const reason = closeOf(worker);
    const spy = new Redis(broker.url, { retryStrategy: () => null });
    await spy.psubscribe(`${address}:*`);
    worker.send('hello');
    assert.match(String(await reason), /reached 2 receivers instead of 1/);
    spy.disconnect();
    await listener.close();
  });

  it('do not print the password if they cannot connect', async () => {
    const own = await startRedis({ net: 'tcp' });
    const { port, password } = new URL(own.url);
    const urls = [
      [`redis://someone:s3cr%2Fet@127.0.0.1:${port}`, 's3cr', 'someone'],
      [`redis://:s3cret@127.0.0.1:${port}/nonsense`, 's3cret'],
      ['redis://someone:s3cret@127.0.0.1:1', 's3cret', 'someone', 'port 1'],
      ['redis://someone:s3cr et@:::', 's3cr', 'someone'],
    ];
    for (const [url, ...hidden] of urls) {
      await assert.rejects(openLaunch(url), (/** @type {any} */ error) => {
        assert.equal(error.code, 'BROKER');
        const shown = `${error.stack} ${JSON.stringify(error)} ${error.cause}`;
        for (const secret of [password, ...hidden]) assert.ok(!shown.includes(secret), shown);
        return true;
      });
    }
    await own.close();
    assert.equal(existsSync(join(scratchDir, 'redis.conf')), false);
  });
});
