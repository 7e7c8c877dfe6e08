// Runs always.

import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdir, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { findServer } from '../../lib/channels/brokers/broker-transport.js';
import { redisBroker } from '../../lib/channels/brokers/redis-broker.js';
import { startGuarded } from '../../lib/children/guarded-server.js';
import { canDieWithParent, findOnPath } from '../../lib/children/launcher.js';
import { natsBroker } from '../../transports/nats/nats.js';
import redisPubsub from '../../transports/redis-pubsub.js';
import { assertGone, isAlive } from '../fixtures/alive.js';
import { parentOf } from '../fixtures/launch-cell.js';
import { ownFolder } from '../fixtures/own-folder.js';
import { describePrivateBroker } from '../fixtures/private-broker.js';
import { describeStolenPort } from '../fixtures/stolen-port.js';
import { withPath } from '../fixtures/with-path.js';
import { withRedis } from '../fixtures/with-redis.js';

const HOLDER_PATH = fileURLToPath(new URL('../fixtures/broker-holder.js', import.meta.url));
const TIMEOUT_MS = 600_000;
const missing = (await redisBroker.whyUnavailable()) ?? undefined;
// In CI a missing service is a failure.
const skip = process.env.CI ? undefined : missing;
const onLinux = process.platform === 'linux' ? skip : 'reads /proc';

const scratchDir = ownFolder('ibb-');

const startRedis = ({ net = 'unix' } = {}) =>
  redisBroker.start({ scratchDir, settings: { net }, cpus: null });

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
  it('keeps nothing on disk, and sets no limit to subscribers', async () => {
    const broker = await startRedis();
    const names = ['save', 'appendonly', 'port', 'client-output-buffer-limit'];
    const config = await withRedis(broker.url, (redis) =>
      Promise.all(names.map(async (name) => String((await redis.config('GET', name))[1]))),
    );
    assert.deepEqual(config.slice(0, 3), ['', 'no', '0']);
    assert.match(config[3], /pubsub 0 0 0/);
    assert.equal(broker.config['client-output-buffer-limit'], 'pubsub 0 0 0');
    await broker.close();
  });
});

describe('without a server', () => {
  for (const [broker, words] of /** @type {const} */ ([
    [redisBroker, /no redis-server or valkey-server.*apt install.*--broker-url redis=/],
    [natsBroker, /no nats-server found: apt install nats-server.*--broker-url nats=/],
  ])) {
    it(`there is no ${broker.name}, with a remedy`, async () => {
      await withPath('', async () => {
        const reason = (await broker.whyUnavailable()) ?? undefined;
        assert.match(String(reason), words);
        const starting = broker.start({ scratchDir, settings: {}, cpus: null });
        await assert.rejects(starting, { code: 'BROKER', message: reason });
      });
    });
  }
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
