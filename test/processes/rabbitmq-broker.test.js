// Runs at night.
// The private RabbitMQ of a run: nobody else reaches it, and whatever dies, nothing of it remains.

import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { describe, it } from 'node:test';
import { connect } from 'amqplib';
import { findServer } from '../../lib/channels/brokers/broker-transport.js';
import { findOnPath } from '../../lib/children/launcher.js';
import rabbitmq, { rabbitmqBroker } from '../../transports/rabbitmq/rabbitmq.js';
import { patiently } from '../conformance/deadline.js';
import { listeningPorts } from '../conformance/listening-ports.js';
import { assertGone } from '../fixtures/alive.js';
import { describeFailingBroker } from '../fixtures/failing-broker.js';
import { commandOf, eventually, processesBelow } from '../fixtures/launch-cell.js';
import { ownFolder } from '../fixtures/own-folder.js';
import { describePrivateBroker } from '../fixtures/private-broker.js';
import { describeStolenPort } from '../fixtures/stolen-port.js';
import { withPath } from '../fixtures/with-path.js';

const GONE_MS = 2_000;
const TIMEOUT_MS = 600_000; // Erlang takes its time to start, some seconds of a core each
const missing = (await rabbitmqBroker.whyUnavailable()) ?? undefined;
// In CI a missing service is a failure.
const skip = process.env.CI ? undefined : missing;
const onLinux = process.platform === 'linux' ? skip : 'finds the processes in /proc';

const scratchDir = ownFolder('ibrq-');

const startRabbitmq = () => rabbitmqBroker.start({ scratchDir, settings: {}, cpus: null });

/** @param {number} pid @returns {number[]} its own and those of all below it: Erlang starts programs to look up names, and the like */
const familyOf = (pid) => [pid, ...processesBelow(pid, '')];

const subject = {
  label: 'RabbitMQ',
  transport: rabbitmq,
  settings: {},
  version: /^RabbitMQ \d+\.\d+/,
  program: 'rabbitmq-server',
  files: ['rabbitmq.conf', '.erlang.cookie', 'rabbitmq.log'],
  refusal: /ACCESS.REFUSED/,
};
describePrivateBroker(subject, skip);
describeFailingBroker(subject, skip);
describeStolenPort(
  subject,
  'rabbitmq-server',
  () => findOnPath('rabbitmq-server', '/usr/lib/rabbitmq/bin') ?? findServer('rabbitmq-server'),
  skip,
);

describe('a private RabbitMQ', { skip: onLinux, timeout: TIMEOUT_MS }, () => {
  it('has one port and no user guest, starts no port mapper, and ends all processes below it when it is killed', async () => {
    const { url, pid, died, close } = await startRabbitmq();
    const { host, port, password } = new URL(url);
    assert.deepEqual(
      listeningPorts(pid)?.map((each) => each.port),
      [Number(port)],
    );
    await assert.rejects(connect(`amqp://guest:guest@${host}`), /ACCESS.REFUSED/);
    const family = familyOf(pid);
    for (const one of family) {
      assert.doesNotMatch(commandOf(one).split(' ')[0], /\bepmd\b/);
      assert.ok(!commandOf(one).includes(password), 'in a command line');
    }
    process.kill(pid, 'SIGKILL');
    assert.match(await died, /killed by SIGKILL/);
    await assertGone(...family);
    await close();
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
    await assertGone(...family);
    assert.deepEqual(readdirSync(scratchDir), []);
  });

  it('is found in the folders of packages outside PATH', async () => {
    await withPath('/usr/bin:/bin', async () => assert.equal(await rabbitmqBroker.whyUnavailable(), null));
  });
});
