// Runs at night.
// The transport over a real RabbitMQ: what its guarantees do on the wire and on the broker, how it fails, and that a
// broker of the user's own is left as it was found.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { connect } from 'amqplib';
import { transportLabel } from '../../lib/cell/labels.js';
import { resolveTraits } from '../../lib/cell/traits.js';
import { topicNames } from '../../lib/channels/brokers/topic-names.js';
import rabbitmq, { rabbitmqBroker } from '../../transports/rabbitmq/rabbitmq.js';
import { openRabbitmq } from '../../transports/rabbitmq/rabbitmq-connection.js';
import { openMail } from '../../transports/rabbitmq/rabbitmq-mail.js';
import { startAmqpProxy } from '../fixtures/amqp-proxy.js';
import { closeOf, makeRoundTrips, openBothEnds, TOKEN } from '../fixtures/both-ends.js';

/** @typedef {Record<string, string | number | boolean>} Settings */

// In CI a missing service is a failure.
const skip = process.env.CI ? undefined : ((await rabbitmqBroker.whyUnavailable()) ?? undefined);
const TIMEOUT_MS = 600_000;
const ROUND_TRIPS = 200;
const DURABLE = { guarantee: 'durable' };

let scratchDir = '';
/** @type {import('../../lib/types/transports.js').RunningBroker} */
let broker;
before(async () => {
  if (skip) return;
  scratchDir = mkdtempSync(join(tmpdir(), 'ipcb-rq-'));
  broker = await rabbitmqBroker.start({ scratchDir, settings: {}, cpus: null });
});
after(async () => {
  await broker?.close();
  if (scratchDir !== '') rmSync(scratchDir, { recursive: true });
});

/** @param {Settings} settings */
const openLaunch = (settings = {}, brokerUrl = broker.url) => openBothEnds(rabbitmq, { settings, brokerUrl });

/** @param {Awaited<ReturnType<typeof openLaunch>>} launch */
async function closeLaunch({ worker, listener }) {
  await worker.close();
  await listener.close();
}

/** @param {string} address */
function queuesOf(address) {
  const { toMaster, toWorker } = topicNames(address, TOKEN, 'w0', '.');
  return { address, toMaster, toWorker };
}

/**
 * As somebody else, who is told by an error what there is.
 * @param {(channel: import('amqplib').Channel) => Promise<any>} ask
 * @returns {Promise<any>} the answer, or the text of the error
 */
async function asked(ask) {
  const model = await connect(broker.url);
  const channel = await model.createChannel();
  channel.on('error', () => {}); // what was asked fails with it
  try {
    return await ask(channel).catch((error) => error.message);
  } finally {
    await model.close();
  }
}

describe('the guarantees of rabbitmq', { skip, timeout: TIMEOUT_MS }, () => {
  for (const [settings, expected] of /** @type {[Settings, Record<string, number>][]} */ ([
    [{ guarantee: 'none' }, { acks: 0, persistent: 0 }],
    [
      { guarantee: 'none', reply: 'direct' },
      { acks: 0, persistent: 0 },
    ],
    [{ guarantee: 'confirm' }, { acks: 2, persistent: 0 }],
    [DURABLE, { acks: 2, persistent: 2 }],
    [
      { ...DURABLE, queue: 'quorum', prefetch: 1 },
      { acks: 2, persistent: 2 },
    ],
  ])) {
    const label = transportLabel({ transport: 'rabbitmq', settings });
    it(`${label} publishes and delivers two messages per round trip, at any number of loops`, async () => {
      for (const loops of [1, 8]) {
        const proxy = await startAmqpProxy(broker.url);
        const launch = await openLaunch(settings, proxy.url);
        await makeRoundTrips(launch.worker, loops, ROUND_TRIPS / loops);
        await closeLaunch(launch);
        // The notes of joining and leaving are a few more.
        const near = (/** @type {string} */ what, /** @type {number} */ wanted) =>
          assert.equal(
            Math.round((proxy.counts[what] ?? 0) / ROUND_TRIPS),
            wanted,
            `${what}, ${loops} loops`,
          );
        near('publish from client', 2);
        near('deliver from broker', 2);
        near('ack from client', expected.acks);
        near('persistent from client', expected.persistent);
        assert.equal('ack from broker' in proxy.counts, expected.acks > 0, 'publisher confirms');
        await proxy.close();
      }
    });
  }

  it('has queues of its own for each launch, on disk only if durable, and removes them', async () => {
    await asked(async (channel) => {
      await channel.assertQueue('mine', { durable: true });
      channel.sendToQueue('mine', Buffer.from('x'), { persistent: true });
      await channel.checkQueue('mine'); // what closes a connection overtakes what was published just before
    });
    /** @type {Settings[]} */
    const each = [{}, { reply: 'direct' }, { guarantee: 'confirm' }, DURABLE];
    for (const settings of each) {
      const launch = await openLaunch(settings);
      const { address, toMaster, toWorker } = queuesOf(launch.address);
      await makeRoundTrips(launch.worker, 2, 2);
      assert.match(await asked((channel) => channel.checkQueue(address)), /RESOURCE_LOCKED/);
      for (const queue of settings.reply === 'direct' ? [toMaster] : [toMaster, toWorker]) {
        if (settings.guarantee !== 'durable') {
          assert.match(await asked((channel) => channel.checkQueue(queue)), /RESOURCE_LOCKED/);
          continue;
        }
        const asTransient = await asked((channel) => channel.assertQueue(queue, { durable: false }));
        assert.match(asTransient, /inequivalent arg 'durable'/);
        const forEver = await asked((channel) => channel.assertQueue(queue, { durable: true }));
        assert.match(forEver, /inequivalent arg 'x-expires'.*'30000'/);
      }
      await closeLaunch(launch);
      for (const queue of [address, toMaster, toWorker]) {
        assert.match(await asked((channel) => channel.checkQueue(queue)), /NOT_FOUND/);
      }
    }
    assert.equal((await asked((channel) => channel.checkQueue('mine'))).messageCount, 1);
  });

  for (const settings of [{}, DURABLE]) {
    it(`keeps nothing of closed connections while others continue: ${JSON.stringify(settings)}`, async () => {
      const launch = await openLaunch(settings);
      await launch.connectAgain(12);
      for (const connection of ['w0c1', 'w0c12']) {
        const { toMaster, toWorker } = topicNames(launch.address, TOKEN, connection, '.');
        for (const queue of [toMaster, toWorker]) {
          assert.match(await asked((channel) => channel.checkQueue(queue)), /NOT_FOUND/);
        }
      }
      await makeRoundTrips(launch.worker, 1, 1);
      await closeLaunch(launch);
      assert.deepEqual(launch.errors, []);
    });
  }

  it('rejects settings that exclude each other, with a remedy', async () => {
    for (const [settings, reason] of /** @type {[Settings, RegExp][]} */ ([
      [{ reply: 'direct', guarantee: 'confirm' }, /reply=direct goes with guarantee=none only/],
      [{ queue: 'quorum' }, /queue=quorum goes with guarantee=durable only/],
      [{ prefetch: 1 }, /prefetch goes with guarantee=confirm or durable only/],
    ])) {
      await assert.rejects(openLaunch(settings), { code: 'BAD_ARGUMENT', message: reason });
    }
  });

  it('notes that durable messages are written to disk', () => {
    const told = (/** @type {string} */ guarantee) => resolveTraits(rabbitmq, { guarantee });
    assert.deepEqual([told('none').durability, told('confirm').durability], ['memory', 'memory']);
    assert.deepEqual([told('durable').durability, told('durable').isCostly], ['disk', true]);
  });
});

describe('rabbitmq fails a launch', { skip, timeout: TIMEOUT_MS }, () => {
  it('when its queue is deleted', async () => {
    const launch = await openLaunch(DURABLE);
    const reason = closeOf(launch.master);
    const { toMaster } = queuesOf(launch.address);
    await asked((channel) => channel.deleteQueue(toMaster));
    assert.match(String(await reason), /has lost the queue ipc-bench\.test\./);
    await launch.listener.close();
  });

  it('when a message cannot be routed, unless nothing is guaranteed', async () => {
    const connection = await openRabbitmq(broker.url, (reason) => assert.fail(reason));
    for (const guarantee of ['confirm', 'durable']) {
      const returned = new Promise((resolve) => {
        const opened = openMail(connection, { guarantee, prefetch: 1 }, resolve);
        opened.then((mail) => mail.publisher('nobody-reads-this', {}).send('hello'));
      });
      assert.match(String(await returned), /returned a message \(NO_ROUTE\): the other end is gone/);
    }
    await connection.close();
  });

  it('when the broker does not confirm a message', async (t) => {
    const proxy = await startAmqpProxy(broker.url);
    t.after(() => proxy.close());
    const launch = await openLaunch({ guarantee: 'confirm' }, proxy.url);
    const reason = closeOf(launch.worker);
    proxy.nack();
    launch.worker.send('hello');
    assert.match(String(await reason), /RabbitMQ refused a message \(nack\)/);
    await launch.listener.close();
  });

  it('when the broker accepts no more messages', async (t) => {
    const proxy = await startAmqpProxy(broker.url);
    t.after(() => proxy.close());
    const launch = await openLaunch({}, proxy.url);
    const reasons = Promise.all([closeOf(launch.worker), closeOf(launch.master)]);
    proxy.block('low on memory');
    for (const reason of await reasons)
      assert.match(String(reason), /accepts no more messages \(low on memory\)/);
    assert.equal(launch.errors.length, 1);
    await launch.listener.close();
  });
});
