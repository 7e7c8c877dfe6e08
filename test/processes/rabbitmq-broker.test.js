// Runs at night.
// The private RabbitMQ of a run: nobody else reaches it, and whatever dies, nothing of it remains.

import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { connect } from 'amqplib';
import { findServer } from '../../lib/channels/brokers/broker-transport.js';
import { canDieWithParent, canPin, findOnPath } from '../../lib/children/launcher.js';
import rabbitmq, { rabbitmqBroker } from '../../transports/rabbitmq/rabbitmq.js';
import { patiently } from '../conformance/deadline.js';
import { listeningPorts } from '../conformance/listening-ports.js';
import { commandOf, eventually, processesBelow } from '../fixtures/launch-cell.js';
import { ownFolder } from '../fixtures/own-folder.js';
import { describeStolenPort } from '../fixtures/stolen-port.js';
import { assertTellsLastWords, withPath } from '../fixtures/with-path.js';

const HOLDER_PATH = fileURLToPath(new URL('../fixtures/broker-holder.js', import.meta.url));
const GONE_MS = 2_000;
const TIMEOUT_MS = 600_000; // Erlang takes its time to start, some seconds of a core each
const missing = (await rabbitmqBroker.whyUnavailable()) ?? undefined;
// In CI a missing service is a failure.
const skip = process.env.CI ? undefined : missing;
const onLinux = process.platform === 'linux' ? skip : 'finds the processes in /proc';

const scratchDir = ownFolder('ibrq-');

/** @param {number[] | null} [cpus] @param {string} [bindAddress] */
const startRabbitmq = (cpus = null, bindAddress = undefined) =>
  rabbitmqBroker.start({ scratchDir, settings: {}, cpus, bindAddress });

/** @param {number} pid */
function isAlive(pid) {
  // A zombie has ended: what is left is its parent's to read.
  return existsSync(`/proc/${pid}/stat`) && !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'latin1'));
}

/** @param {number[]} pids */
const assertGone = (pids) => eventually(() => !pids.some(isAlive), GONE_MS);

/** @param {number} pid @returns {number[]} it and all below it: what Erlang starts to look up names, and the like */
const familyOf = (pid) => [pid, ...processesBelow(pid, '')];

/** @param {number} pid */
function parentOf(pid) {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
}

describe('a private RabbitMQ', { skip: onLinux, timeout: TIMEOUT_MS }, () => {
  it('listens only at its address, with a password and without a port mapper, two at once, and reports to its runner when it is killed', async () => {
    const [first] =
      /Cpus_allowed_list:\s*(\d+)/.exec(readFileSync('/proc/self/status', 'latin1'))?.slice(1) ?? [];
    const brokers = await Promise.all([startRabbitmq(), startRabbitmq([Number(first)], '127.0.0.2')]);
    const family = brokers.flatMap(({ pid }) => familyOf(pid));
    const addresses = ['127.0.0.1', '127.0.0.2'];
    for (const [index, { url, pid, version, config }] of brokers.entries()) {
      const { port, password, hostname: address } = new URL(url);
      assert.equal(address, addresses[index]);
      assert.deepEqual(listeningPorts(pid), [{ port: Number(port), address, isLoopback: true }]);
      assert.match(commandOf(pid), /beam/);
      assert.match(version, /^RabbitMQ \d+\.\d+/);
      assert.ok(password.length >= 32);
      for (const hidden of [password, address]) assert.ok(!JSON.stringify(config).includes(hidden), hidden);
      for (const one of family) assert.ok(!commandOf(one).includes(password), 'in a command line');
      await assert.rejects(connect(`amqp://guest:guest@${address}:${port}`), /ACCESS.REFUSED/);
    }
    if (canPin()) {
      const status = readFileSync(`/proc/${brokers[1].pid}/status`, 'latin1');
      assert.equal(/Cpus_allowed_list:\s*(\S+)/.exec(status)?.[1], first);
    }
    for (const folder of readdirSync(scratchDir)) {
      const modes = ['', 'rabbitmq.conf', '.erlang.cookie', 'rabbitmq.log'].map(
        (name) => statSync(join(scratchDir, folder, name)).mode & 0o777,
      );
      assert.deepEqual(modes, [0o700, 0o600, 0o400, 0o600]);
      assert.match(readFileSync(join(scratchDir, folder, '.erlang.cookie'), 'latin1'), /^[\da-f]{32}$/);
    }
    assert.deepEqual(
      family.filter((pid) => /\bepmd\b/.test(commandOf(pid).split(' ')[0])),
      [],
    );
    const killedFamily = familyOf(brokers[1].pid);
    process.kill(brokers[1].pid, 'SIGKILL');
    assert.match(await brokers[1].died, /killed by SIGKILL/);
    await assertGone(killedFamily);
    await Promise.all(brokers.map((broker) => broker.close()));
    await brokers[0].close();
    assert.deepEqual(readdirSync(scratchDir), []);
    await assertGone(family);
  });

  it('can be stopped while it starts', async () => {
    const abort = new AbortController();
    const starting = rabbitmqBroker.start({ scratchDir, settings: {}, cpus: null, signal: abort.signal });
    starting.catch(() => {});
    const [pid] = await eventually(() => {
      const pids = processesBelow(process.pid, 'beam');
      return pids.length > 0 && pids;
    }, TIMEOUT_MS);
    const family = familyOf(pid);
    const fromMs = performance.now();
    abort.abort();
    await assert.rejects(starting, {
      code: 'BROKER',
      message: /rabbitmq-server did not start: its start was cancelled/,
    });
    assert.ok(performance.now() - fromMs < patiently(GONE_MS));
    await assertGone(family);
    assert.deepEqual(readdirSync(scratchDir), []);
  });

  it('reports why it did not start, with its output, and leaves nothing', async () => {
    await assertTellsLastWords('rabbitmq-server', scratchDir, startRabbitmq);
  });

  it('is found in the folders of packages outside PATH', async () => {
    await withPath('/usr/bin:/bin', async () => assert.equal(await rabbitmqBroker.whyUnavailable(), null));
  });
});

describeStolenPort(
  { label: 'RabbitMQ', transport: rabbitmq, settings: {} },
  'rabbitmq-server',
  () => findOnPath('rabbitmq-server', '/usr/lib/rabbitmq/bin') ?? findServer('rabbitmq-server'),
  skip,
);

describe('a private RabbitMQ ends', { skip: onLinux, timeout: TIMEOUT_MS, concurrency: 2 }, () => {
  /** A runner of its own process, with its server and all that stands between and below. */
  async function startHolder() {
    const folder = mkdtempSync(join(scratchDir, 'h-'));
    const holder = fork(HOLDER_PATH, [folder, 'rabbitmq', '{}'], {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    const [{ serverPid }] = await once(holder, 'message');
    const supervisorPid = parentOf(serverPid);
    assert.equal(parentOf(supervisorPid), holder.pid);
    return { holder, supervisorPid, family: [supervisorPid, ...familyOf(serverPid)] };
  }

  it('when the runner is killed', async () => {
    const { holder, family } = await startHolder();
    holder.kill('SIGKILL');
    await assertGone(family);
  });

  it('when the supervisor is killed, which the runner learns', async () => {
    const { holder, supervisorPid, family } = await startHolder();
    process.kill(supervisorPid, 'SIGKILL');
    const [{ cause }] = await once(holder, 'message');
    assert.match(cause, /supervisor was killed by SIGKILL/);
    await assertGone(family);
    holder.kill('SIGKILL');
  });

  it('when the runner and the supervisor are killed', {
    skip: canDieWithParent() ? undefined : 'no setpriv on PATH',
  }, async () => {
    const { holder, supervisorPid, family } = await startHolder();
    holder.kill('SIGSTOP'); // it cannot do anything about it any more
    process.kill(supervisorPid, 'SIGKILL');
    holder.kill('SIGKILL');
    await assertGone(family);
  });
});
