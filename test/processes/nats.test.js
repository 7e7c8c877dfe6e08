// Runs at night.
// The transport over a real NATS, private and of the user's own.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect } from '@nats-io/transport-node';
import { findServer } from '../../lib/channels/brokers/broker-transport.js';
import { startGuarded } from '../../lib/children/guarded-server.js';
import nats, { natsBroker } from '../../transports/nats/nats.js';
import { closeOf, makeRoundTrips, openBothEnds } from '../fixtures/both-ends.js';
import { measureOverOwn } from '../fixtures/cli-run.js';
import { describeFailingBroker } from '../fixtures/failing-broker.js';
import { eventually } from '../fixtures/launch-cell.js';
import { describePrivateBroker } from '../fixtures/private-broker.js';

/** @import { RunningBroker } from '../../lib/types/index.js' */

// In CI a missing service is a failure.
const skip = process.env.CI ? undefined : ((await natsBroker.whyUnavailable()) ?? undefined);
const TIMEOUT_MS = 600_000;
const ROUND_TRIPS = 400;
const NOTICE_MS = 2_000;

const subject = {
  label: 'nats-server',
  transport: nats,
  settings: {},
  version: /^nats-server \d+\.\d+\.\d+/,
  program: 'nats-server',
  files: ['nats.conf', 'nats.log', 'nats-server_PID.ports'],
  refusal: /Authorization Violation/,
};
describePrivateBroker(subject, skip);
describeFailingBroker(subject, skip);

let scratchDir = '';
/** @type {RunningBroker} */
let broker;
before(async () => {
  scratchDir = mkdtempSync(join(tmpdir(), 'ipcb-na-'));
  if (!skip) broker = await natsBroker.start({ scratchDir, settings: {}, cpus: null });
});
after(async () => {
  await broker?.close();
  rmSync(scratchDir, { recursive: true });
});

/**
 * @param {string} page    of the monitoring
 * @param {string} [url]
 * @returns {Promise<any>}
 */
async function monitored(page, url = broker.url) {
  const response = await fetch(`http://127.0.0.1:${new URL(url).searchParams.get('monitor')}/${page}`);
  return response.json();
}

/**
 * A server as a user may have one.
 * @param {string} config
 * @param {(url: string) => Promise<void>} use
 */
async function withForeign(config, use) {
  const folder = mkdtempSync(join(scratchDir, 'foreign-'));
  const configPath = join(folder, 'foreign.conf');
  const ports = 'host: 127.0.0.1\nport: -1\nhttp: "127.0.0.1:-1"\n';
  writeFileSync(configPath, `${ports}ports_file_dir: ${JSON.stringify(folder)}\n${config}`);
  const command = String(findServer('nats-server'));
  const logPath = join(folder, 'log');
  const server = await startGuarded({ command, args: ['-c', configPath], cpus: null, logPath });
  try {
    const portsPath = join(folder, `nats-server_${server.pid}.ports`);
    const told = await eventually(() => parsed(portsPath), 5_000);
    await use(`nats://user:secret@${new URL(told.nats[0]).host}?monitor=${new URL(told.monitoring[0]).port}`);
  } finally {
    await server.end();
  }
}

/** @param {string} path */
function parsed(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return null; // not there yet, or half written
  }
}

describe('a private NATS', { skip, timeout: TIMEOUT_MS }, () => {
  it('listens on loopback only, with its documented limits', async () => {
    const { host, http_host, auth_required, max_payload, max_pending, write_deadline, jetstream } =
      await monitored('varz');
    assert.deepEqual([host, http_host, auth_required, jetstream], ['127.0.0.1', '127.0.0.1', true, {}]);
    assert.equal(max_payload, nats.traits.greatestMessageBytes);
    assert.deepEqual(broker.config, {
      max_payload: String(max_payload),
      max_pending: String(max_pending),
      write_deadline: '1h',
    });
    assert.equal(write_deadline, 3_600_000_000_000); // ns
  });
});

describe('messages at a NATS', { skip, timeout: TIMEOUT_MS }, () => {
  const openLaunch = () => openBothEnds(nats, { settings: {}, brokerUrl: broker.url });

  for (const loops of [1, 8]) {
    it(`are two in and two out per round trip with ${loops} loops, counted exactly`, async () => {
      const { listener, worker } = await openLaunch();
      const gauge = await natsBroker.openGauge?.(broker.url);
      await makeRoundTrips(worker, loops, ROUND_TRIPS / loops);
      const passed = await gauge?.passed();
      await gauge?.close();
      assert.deepEqual([passed?.published, passed?.delivered], [2 * ROUND_TRIPS, 2 * ROUND_TRIPS]);
      assert.equal(passed?.bytes, 2 * ROUND_TRIPS * 1_000);
      await worker.close();
      await listener.close();
    });
  }

  it('are counted for each delivery if there is another subscriber', async () => {
    const { listener, worker, address } = await openLaunch();
    const { host, username, password } = new URL(broker.url);
    const spy = await connect({ servers: host, user: username, pass: password });
    spy.subscribe(`${address}.>`, { callback: () => {} });
    await spy.flush();
    const gauge = await natsBroker.openGauge?.(broker.url);
    await makeRoundTrips(worker, 1, 10);
    const passed = await gauge?.passed();
    assert.deepEqual([passed?.published, passed?.delivered], [20, 40]);
    await spy.close();
    await worker.close();
    await listener.close();
  });

  it('cannot be counted without the port of its monitoring', async () => {
    const { host } = new URL(broker.url);
    await assert.rejects(async () => natsBroker.openGauge?.(`nats://${host}`), { code: 'BROKER' });
  });
});

describe('a NATS of the user', { skip, timeout: TIMEOUT_MS }, () => {
  it('is left unchanged: connections and subscriptions', async () => {
    /** It notices a connection that was closed a moment later. */
    const state = async () => {
      for (const deadline = performance.now() + NOTICE_MS; ; await sleep(10)) {
        const { connections, subscriptions } = await monitored('varz');
        if (connections === 0 || performance.now() > deadline) return { connections, subscriptions };
      }
    };
    const before = await state();
    const { results, shown } = await measureOverOwn('nats', { args: ['--broker-url', `nats=${broker.url}`] });
    const { origin, version } = results.environment.brokers.nats;
    assert.equal(origin, 'url');
    assert.match(version, /^nats-server /);
    const { password } = new URL(broker.url);
    assert.ok(!`${shown}${JSON.stringify(results.environment)}`.includes(password));
    assert.deepEqual(await state(), before);
  });

  it('keeps nothing of closed connections while others continue', async () => {
    const { connectAgain, worker, listener, errors } = await openBothEnds(nats, {
      settings: {},
      brokerUrl: broker.url,
    });
    const state = async () => {
      const { connections, subscriptions } = await monitored('varz');
      return JSON.stringify({ connections, subscriptions });
    };
    const before = await state();
    await connectAgain(50);
    for (const end = performance.now() + NOTICE_MS; performance.now() < end && (await state()) !== before; ) {
      await sleep(10);
    }
    assert.equal(await state(), before);
    await makeRoundTrips(worker, 1, 1);
    await worker.close();
    await listener.close();
    assert.deepEqual(errors, []);
  });

  it('rejects a message above its default limit, and names the limit', async () => {
    await withForeign('authorization { user: user, password: secret }', async (brokerUrl) => {
      const { listener, worker } = await openBothEnds(nats, { settings: {}, brokerUrl });
      const closed = closeOf(worker);
      worker.send('x'.repeat(1_048_577));
      assert.match(
        String(await closed),
        /has 1,048,577 bytes, and this NATS accepts 1,048,576 at most: raise/,
      );
      await listener.close();
    });
  });

  for (const [what, permissions] of [
    ['hear', 'subscribe: { deny: "ipc-bench.>" }'],
    ['publish', 'publish: { deny: "ipc-bench.>" }'],
  ]) {
    it(`reports that it does not permit to ${what}`, async () => {
      const config = `authorization { users: [{ user: user, password: secret, permissions: { ${permissions} } }] }`;
      await withForeign(config, async (brokerUrl) => {
        const opening = openBothEnds(nats, { settings: {}, brokerUrl });
        await assert.rejects(opening, { code: 'BROKER', message: /Permissions Violation for / });
      });
    });
  }

  it('is rejected if it is another server, and no socket stays open', async (t) => {
    const server = createServer((socket) => socket.write('HTTP/1.1 400 Bad Request\r\n\r\n'));
    t.after(() => server.close());
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
    const left = once(server, 'connection').then(([socket]) => once(socket.resume(), 'close'));
    const opening = openBothEnds(nats, { settings: {}, brokerUrl: `nats://127.0.0.1:${port}` });
    await assert.rejects(opening, { code: 'BROKER', message: /cannot use NATS at nats:.*: it is no NATS/ });
    await left;
  });

  it('accepts a token before the @', async () => {
    await withForeign('authorization { token: "secret" }', async (url) => {
      const brokerUrl = url.replace('user:secret@', 'secret@');
      const { listener, worker } = await openBothEnds(nats, { settings: {}, brokerUrl });
      await worker.close();
      await listener.close();
    });
  });
});
