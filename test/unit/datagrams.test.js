// How the ends of a launch find each other over UDP, and who else may write to them: over sockets within this process.

import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { describe, it } from 'node:test';
import {
  addressTowards,
  DatagramSendQueue,
  joinByDatagrams,
  listenForDatagrams,
  openDatagramSocket,
  openMulticast,
} from '../../lib/channels/datagrams.js';
import { encodeControlFrame } from '../../lib/channels/message-channel.js';
import { assertSize, requestedBuffers } from '../../lib/channels/socket-buffers.js';
import { closeOf, TOKEN } from '../fixtures/both-ends.js';

const ON_LINUX = { skip: process.platform === 'linux' ? false : 'as Linux has it' };
const END = {
  settings: {},
  codec: '',
  launchId: 'l',
  brokerUrl: null,
  wireKind: 'text',
  maxMessageBytes: 1_000,
};
const turn = () => new Promise((resolve) => setImmediate(resolve));

/** @param {() => boolean} isSo */
async function until(isSo) {
  while (!isSo()) await turn();
}

/** @param {object} [unusual] */
async function listening(unusual = {}) {
  /** @type {Record<string, any>} */
  const masters = {};
  /** @type {string[]} */
  const joined = [];
  /** @type {string[]} */
  const rejectedConnections = [];
  /** @type {string[]} */
  const heard = [];
  const listener = await listenForDatagrams(
    /** @type {any} */ ({
      ...END,
      token: TOKEN,
      scratchDir: '',
      workers: 2,
      ...unusual,
      onChannel(/** @type {any} */ channel, /** @type {string} */ workerId) {
        masters[workerId] = channel;
        joined.push(workerId);
        channel.onMessage = (/** @type {string} */ wire) => heard.push(wire);
      },
      onRejected: (/** @type {string} */ what) => rejectedConnections.push(what),
      onError: assert.ifError,
    }),
  );
  const line = { send: () => true, onValue() {}, onDisconnect() {} };
  const join = (/** @type {string} */ workerId, own = line) =>
    joinByDatagrams(
      /** @type {any} */ ({
        ...END,
        token: TOKEN,
        workers: 2,
        address: listener.address,
        workerId,
        line: own,
      }),
    );
  return {
    listener,
    masters,
    joined,
    rejectedConnections,
    heard,
    line,
    join,
    port: portOf(listener.address),
  };
}

/** @param {string} address @returns {number} */
const portOf = (address) => Number(/:(\d+)/.exec(address)?.[1]);

/** @param {(socket: import('node:dgram').Socket) => Promise<void>} use   a socket of somebody else */
async function withForeign(use) {
  const foreign = createSocket('udp4');
  try {
    await use(foreign);
  } finally {
    foreign.close();
  }
}

/** @param {import('node:dgram').Socket} socket @param {string} text @param {number} port @returns {Promise<void>} */
const sent = (socket, text, port, host = '127.0.0.1') =>
  new Promise((resolve, reject) =>
    socket.send(text, port, host, (error) => (error ? reject(error) : resolve())),
  );

describe('listenForDatagrams and joinByDatagrams', () => {
  it('never reports backpressure, because the system drops what nobody reads', async () => {
    const { listener, masters, join } = await listening();
    const worker = await join('w0');
    for (const channel of [worker, masters.w0]) assert.equal(channel.windowBytes, Infinity);
    await listener.close();
  });

  it('repeats the welcome for a worker that did not receive it, and gives it one channel', async () => {
    const { listener, joined, rejectedConnections, port } = await listening();
    await withForeign(async (late) => {
      /** @type {string[]} */
      const frames = [];
      late.on('message', (bytes) => frames.push(String(bytes)));
      await sent(late, encodeControlFrame(TOKEN, 'w0', 'join', 0), port);
      await until(() => frames.length === 1);
      await sent(late, encodeControlFrame(TOKEN, 'w0', 'join', 0), port);
      await until(() => frames.length === 2);
      assert.deepEqual(frames, Array(2).fill(encodeControlFrame(TOKEN, 'w0', 'joined', 0)));
      assert.deepEqual([rejectedConnections, joined], [[], ['w0']]);
    });
    await listener.close();
  });

  it('closes all channels of a worker whose control channel is cut', async () => {
    const { listener, line, join } = await listening();
    const channels = [await join('w0', line), await join('w0c1', line)];
    const left = await join('w0c2', line);
    await left.close();
    const closings = Promise.all(channels.map(closeOf));
    line.onDisconnect();
    for (const { code, message } of await closings)
      assert.deepEqual([code, message], ['TRANSPORT', 'the master is gone']);
    await listener.close();
  });

  it('fails with a reason when nobody listens at the other end any more', ON_LINUX, async () => {
    const { listener, line } = await listening();
    const master = await openDatagramSocket({ settings: {} });
    master.once('message', (_bytes, { port }) =>
      master.send(encodeControlFrame(TOKEN, 'w0', 'joined', 0), port),
    );
    const address = `127.0.0.1:${master.address().port}`;
    const guest = { ...END, token: TOKEN, workers: 1, address, workerId: 'w0', line };
    const worker = await joinByDatagrams(/** @type {any} */ (guest));
    const lost = closeOf(worker);
    await new Promise((resolve) => master.close(() => resolve(undefined))); // as when its process is killed
    worker.send('x');
    const { code, message } = await lost;
    assert.equal(code, 'TRANSPORT');
    assert.match(message, /^lost the master: .*ECONNREFUSED/);
    await listener.close();
  });

  it('sends the longest message that a datagram holds, and fails on a longer one', async () => {
    for (const tooLong of [Buffer.alloc(65_508), `é${'x'.repeat(65_506)}`]) {
      const { listener, heard, join } = await listening({ maxMessageBytes: 65_507 });
      const worker = await join('w0');
      const refused = closeOf(worker);
      worker.send('x'.repeat(65_507));
      await until(() => heard.length === 1);
      worker.send(tooLong);
      const { code, message } = await refused;
      assert.equal(code, 'PROTOCOL');
      assert.match(
        message,
        /^a message of 65,508 bytes exceeds the greatest datagram \(65,507 bytes\): choose/,
      );
      await listener.close();
    }
  });

  it('publishes to all workers at once, but not from sockets outside of the launch', async () => {
    const { listener, masters, join } = await listening({ isPublished: true });
    const [address, multicast] = listener.address.split(' ');
    const { group, port, from } = JSON.parse(multicast);
    assert.match(group, /^239\.\d+\.\d+\.\d+$/);
    assert.equal(from.address, '127.0.0.1');
    assert.notEqual(from.port, portOf(address));
    const workers = [await join('w0'), await join('w1')];
    /** @type {string[][]} */
    const heard = [[], []];
    for (const [index, worker] of workers.entries()) worker.onMessage = (wire) => heard[index].push(wire);
    await withForeign(async (foreign) => {
      await new Promise((resolve) => foreign.bind(0, '127.0.0.1', () => resolve(undefined)));
      foreign.setMulticastInterface('127.0.0.1');
      await sent(foreign, 'from an unauthenticated peer', port, group);
      assert.equal(listener.publisher?.().send('to all'), true);
      await until(() => heard.every(({ length }) => length > 0));
    });
    assert.deepEqual(heard, [['to all'], ['to all']]);
    masters.w0.send('to one');
    await until(() => heard[0].length === 2);
    assert.deepEqual(heard, [['to all', 'to one'], ['to all']]);
    await workers[0].close();
    listener.publisher?.().send('to those who are left');
    await until(() => heard[1].length === 2);
    assert.equal(heard[0].length, 2);
    await listener.close();
  });

  it('opens no group unless the scenario publishes', async () => {
    const { listener } = await listening();
    assert.equal(listener.publisher, undefined);
    assert.doesNotMatch(listener.address, / /);
    await listener.close();
  });

  it('refuses to publish over IPv6, with a remedy', async () => {
    const host = /** @type {any} */ ({ settings: {}, bindAddress: '::1', onError: assert.ifError });
    await assert.rejects(openMulticast(host), {
      code: 'TRANSPORT',
      message: /groups of IPv4 only, and ::1 is IPv6: give the agents IPv4 addresses with --bind, or/,
    });
  });
});

describe('openDatagramSocket', () => {
  it('opens a socket with the requested buffers', ON_LINUX, async () => {
    const socket = await openDatagramSocket({ settings: { sndbuf: 8_192, rcvbuf: 16_384 } });
    assert.deepEqual([socket.getSendBufferSize(), socket.getRecvBufferSize()], [16_384, 32_768]);
    assert.equal(socket.address().address, '127.0.0.1');
    socket.close();
  });

  it('fails if the system grants less than the requested buffers', ON_LINUX, async () => {
    for (const option of ['sndbuf', 'rcvbuf']) {
      const name = `${option}=1: the system gives \\d+ bytes; give more`;
      await assert.rejects(openDatagramSocket({ settings: { [option]: 1 } }), {
        code: 'TRANSPORT',
        message: new RegExp(name),
      });
    }
  });

  it('fails if the port is taken', async () => {
    const first = await openDatagramSocket({ settings: {} });
    const { port } = first.address();
    await assert.rejects(openDatagramSocket({ settings: {} }, { port }), { code: 'EADDRINUSE' });
    first.close();
  });

  it('returns the local address that reaches a peer', async () => {
    assert.equal(await addressTowards({ host: '127.0.0.1', port: 9 }), '127.0.0.1');
    assert.equal(await addressTowards({ host: '127.9.9.9', port: 9 }), '127.0.0.1');
  });
});

describe('the size of a buffer', () => {
  it('leaves the size of a buffer to the system with 0, and requests it otherwise', () => {
    assert.deepEqual(requestedBuffers({}), []);
    assert.deepEqual(requestedBuffers({ sndbuf: 0, rcvbuf: 0 }), []);
    const requested = requestedBuffers({ sndbuf: 1, rcvbuf: 4_096 });
    assert.deepEqual(
      requested.map(({ option, name, bytes }) => [option, name, bytes]),
      [
        ['sndbuf', 'sndbuf=1', 1],
        ['rcvbuf', 'rcvbuf=4096', 4_096],
      ],
    );
  });

  it('rejects another size of a buffer than requested, with the limit to raise', ON_LINUX, () => {
    const [sndbuf, rcvbuf] = requestedBuffers({ sndbuf: 1_000, rcvbuf: 1_000 });
    for (const request of [sndbuf, rcvbuf]) assertSize(request, 2_000);
    const messages = /** @type {const} */ ([
      [sndbuf, 1_998, 'sndbuf=1000: the system gives 999 bytes; give less, or raise net.core.wmem_max'],
      [rcvbuf, 1_998, 'rcvbuf=1000: the system gives 999 bytes; give less, or raise net.core.rmem_max'],
      [sndbuf, 2_002, 'sndbuf=1000: the system gives 1001 bytes; give more'],
    ]);
    for (const [request, told, message] of messages)
      assert.throws(() => assertSize(request, told), { code: 'TRANSPORT', message });
  });
});

describe('DatagramSendQueue', () => {
  it('repeats a control frame ten times a second until the peer sends something', async (t) => {
    t.mock.timers.enable({ apis: ['setInterval'] });
    /** @type {string[]} */
    const said = [];
    const socket = /** @type {any} */ ({ close: (/** @type {() => void} */ then) => then() });
    const queue = new DatagramSendQueue((frame) => said.push(frame), socket, assert.ifError);
    queue.sendControl('join');
    assert.deepEqual(said, ['join']);
    t.mock.timers.tick(1_000);
    assert.equal(said.length, 11);
    queue.sendControl('bye');
    t.mock.timers.tick(100);
    assert.deepEqual(said.slice(11), ['bye', 'bye'], 'the last frame only');
    queue.stopRepeating();
    t.mock.timers.tick(1_000);
    queue.sendControl('bye');
    await queue.release();
    t.mock.timers.tick(1_000);
    assert.equal(said.length, 14);
  });
});
