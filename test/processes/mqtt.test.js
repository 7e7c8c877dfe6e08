// Runs at night.
// The transport over real MQTT brokers: private ones of both kinds, and one of the user's own, here an aedes in this
// process that notes what it is asked to do.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { Aedes } from 'aedes';
import { resolveTraits } from '../../lib/cell/traits.js';
import { findServer } from '../../lib/channels/brokers/broker-transport.js';
import { freePort, startResponding } from '../../lib/channels/brokers/private-server.js';
import mqtt from '../../transports/mqtt/mqtt.js';
import { mqttBroker } from '../../transports/mqtt/mqtt-broker.js';
import { makeRoundTrips, openBothEnds } from '../fixtures/both-ends.js';
import { brokersOf } from '../fixtures/broker-subject.js';
import { measureOverOwn } from '../fixtures/cli-run.js';
import { describeFailingBroker } from '../fixtures/failing-broker.js';
import { eventually } from '../fixtures/launch-cell.js';
import { describePrivateBroker } from '../fixtures/private-broker.js';
import { describeStolenPort } from '../fixtures/stolen-port.js';
import { withPath } from '../fixtures/with-path.js';

/** @import { PublishPacket as Packet } from 'aedes' */

const TIMEOUT_MS = 600_000;
const ROUND_TRIPS = 200;
const MANY = 1_200; // more than a mosquitto lets wait when it is not told otherwise
const net = process.platform === 'win32' ? 'tcp' : 'unix';
const DEFAULTS = { qos: 0, inflight: 20, net, noDelay: true };
// In CI a missing service is a failure.
const noMosquitto = process.env.CI || findServer('mosquitto') ? undefined : 'no mosquitto found';

for (const { label, program, files, skip } of [
  {
    label: 'mosquitto',
    program: 'mosquitto',
    files: ['mosquitto.conf', 'mosquitto.log'],
    skip: noMosquitto,
  },
  { label: 'aedes', program: null, files: ['aedes.json', 'aedes.log'], skip: undefined },
]) {
  for (const way of net === 'unix' ? ['unix', 'tcp'] : ['tcp']) {
    const subject = {
      label: `${label} over ${way}`,
      transport: mqtt,
      settings: { ...DEFAULTS, net: way, broker: label },
      version: new RegExp(`^${label} \\d+\\.\\d+`),
      program,
      files,
      refusal: /Connection refused: Not authorized/,
    };
    describePrivateBroker(subject, skip, way !== net);
    if (way === net) describeFailingBroker(subject, skip);
    const find = () => (program === null ? process.execPath : findServer(program));
    if (way === 'tcp') describeStolenPort(subject, program ?? 'node', find, skip);
  }
}

const { scratchDir, start: startChosen } = brokersOf({
  transport: mqtt,
  settings: { ...DEFAULTS, broker: 'auto' },
});
/** @param {Record<string, string | number | boolean>} settings */
const start = (settings) => startChosen({ settings: { ...DEFAULTS, broker: 'auto', ...settings } });

describe('the choice of a private MQTT broker', { timeout: TIMEOUT_MS }, () => {
  it('is mosquitto if it is installed', { skip: noMosquitto }, async () => {
    const broker = await start({});
    assert.match(broker.version, /^mosquitto /);
    await broker.close();
  });

  it('is aedes otherwise, unless mosquitto was requested', async () => {
    await withPath('', async () => {
      assert.equal(await mqttBroker.whyUnavailable(), null);
      const broker = await start({});
      assert.match(broker.version, /^aedes /);
      await broker.close();
      const message = /no mosquitto found: apt install mosquitto.*mqtt:broker=aedes.*--broker-url mqtt=/;
      assert.match(String(await mqttBroker.whyUnavailable({ broker: 'mosquitto' })), message);
      await assert.rejects(start({ broker: 'mosquitto' }), { code: 'BROKER', message });
    });
  });

  it('states how many messages may wait for their acknowledgement', { skip: noMosquitto }, async () => {
    const broker = await start({ inflight: 7 });
    assert.equal(broker.config.max_inflight_messages, '7');
    assert.equal(broker.config.max_queued_messages, '0');
    await broker.close();
  });

  it('states whether it sends at once over tcp', async () => {
    for (const [broker, key] of [
      ...(noMosquitto ? [] : [['mosquitto', 'set_tcp_nodelay']]),
      ['aedes', 'noDelay'],
    ]) {
      for (const noDelay of [true, false]) {
        const running = await start({ broker, net: 'tcp', noDelay });
        assert.equal(running.config[key], String(noDelay));
        await running.close();
      }
    }
  });
});

/**
 * @param {import('node:test').TestContext} t   it is closed behind it
 * @param {import('aedes').AedesOptions} [options]
 */
async function openForeign(t, options = {}) {
  const seen = {
    /** @type {Packet[]} */
    given: [],
    handedOn: 0,
    /** @type {{ version: number, clean: boolean }[]} */
    clients: [],
  };
  const aedes = await Aedes.createBroker({
    ...options,
    // Before anything is acknowledged or handed on; the event for it comes behind.
    authorizePublish(_, packet, done) {
      seen.given.push(packet);
      done(null);
    },
    authorizeForward(_, packet) {
      seen.handedOn += 1;
      return packet;
    },
  });
  aedes.on('client', ({ version, clean }) => seen.clients.push({ version, clean }));
  const server = createServer({ noDelay: true }, aedes.handle).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  t.after(async () => {
    await new Promise((resolve) => aedes.close(() => resolve(undefined)));
    await new Promise((resolve) => server.close(resolve));
  });
  return { aedes, seen, url: `mqtt://127.0.0.1:${port}` };
}

describe('messages at an MQTT broker', { timeout: TIMEOUT_MS }, () => {
  for (const qos of [0, 1, 2]) {
    it(`are two in and two out per round trip at any number of loops, all with QoS ${qos}`, async (t) => {
      const { seen, url } = await openForeign(t);
      const { listener, worker } = await openBothEnds(mqtt, { settings: { qos }, brokerUrl: url });
      for (const loops of [1, 8]) {
        const from = { given: seen.given.length, handedOn: seen.handedOn };
        await makeRoundTrips(worker, loops, ROUND_TRIPS / loops);
        assert.equal(seen.given.length - from.given, 2 * ROUND_TRIPS);
        assert.equal(seen.handedOn - from.handedOn, 2 * ROUND_TRIPS);
      }
      await worker.close();
      await listener.close();
      assert.ok(seen.given.every((packet) => packet.qos === qos && !packet.retain));
      assert.deepEqual(seen.clients, Array(2).fill({ version: 4, clean: true }));
    });
  }

  it('are named with their size and limit if the broker closes the connection at the first of them', async (t) => {
    const { aedes, url } = await openForeign(t);
    aedes.authorizePublish = (client, { payload }, done) => {
      if (payload.length < 2_000) done(null);
      else client?.close();
    };
    const { listener, worker } = await openBothEnds(mqtt, { settings: { qos: 0 }, brokerUrl: url });
    const closed = new Promise((resolve) => {
      worker.onClose = resolve;
    });
    worker.send('x'.repeat(5_000));
    assert.match(
      (await closed).message,
      /: the connection was closed; if a message of 5,000 bytes .*max_packet_size.*--payload$/,
    );
    await listener.close();
  });

  for (const [broker, skip] of [
    ['mosquitto', noMosquitto],
    ['aedes', undefined],
  ]) {
    it(`keep their order and are not lost in ${broker}, thousands at once, at any QoS`, {
      skip,
    }, async () => {
      const running = await start({ broker: String(broker) });
      for (const qos of [0, 1, 2]) {
        const { listener, worker } = await openBothEnds(mqtt, { settings: { qos }, brokerUrl: running.url });
        /** @type {string[]} */
        const heard = [];
        await new Promise((resolve) => {
          worker.onMessage = (wire) => {
            if (heard.push(wire) === MANY) resolve(undefined);
          };
          for (let index = 0; index < MANY; index += 1) worker.send(String(index));
        });
        assert.deepEqual(
          heard,
          Array.from({ length: MANY }, (_, index) => String(index)),
        );
        await worker.close();
        await listener.close();
      }
      await running.close();
    });
  }

  it('have the guarantee of their QoS', () => {
    const told = [0, 1, 2].map((qos) => resolveTraits(mqtt, { qos }).guarantee);
    assert.match(told[0], /^at most once/);
    assert.match(told[1], /^at least once/);
    assert.match(told[2], /^exactly once/);
  });
});

describe('an MQTT broker of the user', { timeout: TIMEOUT_MS }, () => {
  it('has an unknown name if it does not report one', async (t) => {
    const { url } = await openForeign(t);
    const described = await mqttBroker.describe?.(url);
    assert.deepEqual(described, { version: 'a broker that does not give its name', config: {} });
  });

  it('is rejected if it permits no subscription, and no connection stays open', async (t) => {
    const { url, aedes } = await openForeign(t, {
      authorizeSubscribe: (_, __, done) => done(null, null),
    });
    const message = /cannot subscribe at the MQTT broker at mqtt:\/\/127\.0\.0\.1:\d+: Subscribe error/;
    await assert.rejects(openBothEnds(mqtt, { settings: {}, brokerUrl: url }), { code: 'BROKER', message });
    assert.equal(aedes.connectedClients, 0);
  });

  it('is rejected if it grants a lower QoS', { skip: noMosquitto }, async (t) => {
    const port = await freePort('127.0.0.1');
    const [configPath, logPath] = ['foreign.conf', 'foreign.log'].map((name) => join(scratchDir, name));
    writeFileSync(configPath, `listener ${port} 127.0.0.1\nallow_anonymous true\nmax_qos 1\n`);
    const brokerUrl = `mqtt://127.0.0.1:${port}`;
    const server = await startResponding(
      { command: String(findServer('mosquitto')), args: ['-c', configPath], cpus: null, logPath },
      { deadlineMs: 5_000, check: async () => mqttBroker.describe?.(brokerUrl) },
    );
    t.after(() => server.end());
    const opening = openBothEnds(mqtt, { settings: { qos: 2 }, brokerUrl });
    await assert.rejects(opening, { code: 'BROKER', message: /grants QoS 1 where 2 was requested/ });
  });

  it('keeps nothing of closed connections while others continue', async (t) => {
    const { aedes, url } = await openForeign(t);
    /** @type {Set<string>} */
    const topics = new Set();
    aedes.on('subscribe', (all) => all.forEach(({ topic }) => void topics.add(topic)));
    aedes.on('unsubscribe', (all) => all.forEach((topic) => void topics.delete(topic)));
    const launch = await openBothEnds(mqtt, { settings: {}, brokerUrl: url });
    const before = [...topics];
    assert.equal(before.length, 4);
    await launch.connectAgain(50);
    await eventually(() => topics.size === before.length && aedes.connectedClients === 2, 2_000);
    assert.deepEqual([...topics], before);
    await makeRoundTrips(launch.worker, 1, 1);
    await launch.worker.close();
    await launch.listener.close();
  });

  it('is left unchanged: clients, subscriptions and retained messages', async (t) => {
    const { aedes, seen, url } = await openForeign(t);
    const { results } = await measureOverOwn('mqtt:qos=1', { args: ['--broker-url', `mqtt=${url}`] });
    assert.equal(results.environment.brokers.mqtt.origin, 'url');
    assert.ok(seen.given.length > 0 && seen.given.every(({ topic }) => topic.startsWith('ipc-bench/')));
    assert.equal(aedes.connectedClients, 0);
    assert.ok(!seen.given.some(({ retain }) => retain));
    const { persistence } = /** @type {any} */ (aedes);
    assert.deepEqual(await persistence.countOffline(), { subsCount: 0, clientsCount: 0 });
  });
});
