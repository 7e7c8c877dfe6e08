// Runs at night.
// UDP: who may write to the sockets of a launch, how two ends part when words get lost, and what does not fit. That it
// carries messages is the conformance suite's; how losses are counted is in losses.test.js.

import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { encodeControlFrame } from '../../lib/channels/message-channel.js';
import udp from '../../transports/udp.js';
import { eventually, launchCell, processesBelow } from '../fixtures/launch-cell.js';

/** @import { Channel } from '../../lib/types/index.js' */
/** @typedef {Record<string, string | number | boolean>} Settings */

const TIMEOUT_MS = 600_000;
const TOKEN = 'ab'.repeat(16);
const LOOPBACK = '127.0.0.1';
const UDP = 'udp';
const onLinux = process.platform === 'linux' ? false : 'asks /proc';

/** @param {{ settings?: Settings }} [how] */
async function openListener({ settings = { sndbuf: 0, rcvbuf: 0 } } = {}) {
  const end = {
    settings,
    codec: 'binary',
    wireKind: /** @type {const} */ ('bytes'),
    maxMessageBytes: 65_507,
    token: TOKEN,
    launchId: 'test',
    brokerUrl: null,
  };
  /** @type {string[]} */
  const rejectedConnections = [];
  /** @type {Error[]} */
  const errors = [];
  /** @type {[Channel, string][]} */
  const joined = [];
  const listener = await udp.listen({
    ...end,
    scratchDir: '',
    workers: 2,
    onRejected: (what) => void rejectedConnections.push(what),
    onError: (error) => void errors.push(error),
    onChannel: (channel, workerId) => void joined.push([channel, workerId]),
  });
  const port = Number(listener.address.split(':')[1]);
  const line = { send: () => true, onValue() {}, onDisconnect() {} };
  const connect = (workerId = 'w0') => udp.connect({ ...end, address: listener.address, workerId, line });
  return { listener, port, connect, rejectedConnections, errors, joined, line };
}

/** A socket of somebody's own. */
async function anySocket() {
  const socket = createSocket('udp4');
  /** @type {{ text: string, port: number }[]} */
  const heard = [];
  socket.on('message', (bytes, { port }) => heard.push({ text: String(bytes), port }));
  socket.bind(0, LOOPBACK);
  await once(socket, 'listening');
  return { socket, heard };
}

/** @returns {number[]} local ports of the UDP sockets of this machine */
function openPorts() {
  const rows = readFileSync('/proc/net/udp', 'latin1').trim().split('\n').slice(1);
  return rows.map((row) => Number.parseInt(row.trim().split(/\s+/)[1].split(':')[1], 16));
}

describe('unauthenticated peers', { timeout: TIMEOUT_MS }, () => {
  it('do not reach the sockets of a connection', { skip: onLinux }, async () => {
    const before = openPorts();
    const { listener, connect, rejectedConnections, joined } = await openListener();
    const worker = await connect();
    const ports = openPorts().filter((port) => !before.includes(port));
    assert.equal(ports.length, 3, 'one that listens, one at each end');
    /** @type {string[]} */
    const heard = [];
    worker.onMessage = (wire) => heard.push(String(wire));
    joined[0][0].onMessage = (wire) => heard.push(String(wire));
    const { socket } = await anySocket();
    for (const port of ports) socket.send('psst', port, LOOPBACK);
    await eventually(() => rejectedConnections.length > 0, 2_000);
    worker.send(Buffer.from('ours'));
    await eventually(() => heard.length > 0, 2_000);
    await sleep(50);
    assert.deepEqual([heard, rejectedConnections], [['ours'], ['sent a note without the token']]);
    socket.close();
    await worker.close();
    await listener.close();
    assert.deepEqual(
      openPorts().filter((port) => ports.includes(port)),
      [],
    );
  });
});

describe('lost notes of the handshake', { timeout: TIMEOUT_MS }, () => {
  it('are repeated: a worker that repeats its request gets another welcome, and one channel', async () => {
    const { listener, port, joined, rejectedConnections } = await openListener();
    const { socket, heard } = await anySocket();
    const join = encodeControlFrame(TOKEN, 'w0', 'join', 0);
    socket.send(join, port, LOOPBACK);
    await eventually(() => heard.length === 1, 2_000);
    socket.send(join, port, LOOPBACK);
    socket.send(join, port, LOOPBACK);
    await eventually(() => heard.length === 3, 2_000);
    const joinedNote = { text: encodeControlFrame(TOKEN, 'w0', 'joined', 0), port: heard[0].port };
    assert.deepEqual(heard, [joinedNote, joinedNote, joinedNote]);
    assert.deepEqual([joined.length, rejectedConnections.length], [1, 0]);
    const closing = listener.close();
    // Its goodbye is repeated until it is answered.
    await eventually(() => heard.filter(({ text }) => text.includes(' bye ')).length >= 3, 2_000);
    socket.send(encodeControlFrame(TOKEN, 'w0', 'bye', 0), heard[0].port, LOOPBACK);
    await closing;
    socket.close();
  });

  it('are repeated: a worker repeats its request until its deadline', async () => {
    const { socket, heard } = await anySocket();
    const { port } = socket.address();
    const guest = {
      settings: { sndbuf: 0, rcvbuf: 0 },
      codec: 'binary',
      wireKind: /** @type {const} */ ('bytes'),
      maxMessageBytes: 100,
      token: TOKEN,
      launchId: 'test',
      brokerUrl: null,
      address: `${LOOPBACK}:${port}`,
      workerId: 'w0',
      line: { send: () => true, onValue() {}, onDisconnect() {} },
    };
    await assert.rejects(udp.connect(guest), { code: 'DEADLINE' });
    assert.ok(heard.filter(({ text }) => text.includes(' join ')).length > 10);
    socket.close();
  });
});

describe('a message that does not fit', { timeout: TIMEOUT_MS }, () => {
  it('fails a launch with that reason', async () => {
    const { end } = await launchCell({ transport: UDP, cell: { payloadBytes: 65_500 } });
    assert.equal(end.kind === 'failed' && end.code, 'PROTOCOL');
    assert.match(end.kind === 'failed' ? end.message : '', /exceeds the greatest datagram/);
  });

  it('is dropped by a buffer that is too small, and the launch continues', {
    skip: onLinux,
  }, async () => {
    const { end } = await launchCell({
      transport: UDP,
      cell: { payloadBytes: 10_000, workers: 1, loops: 40, settings: { rcvbuf: 30_000 } },
      timing: { warmupMs: 50, measureMs: 400 },
      deadlines: { replyMs: 100 },
    });
    assert.equal(end.kind, 'done', JSON.stringify(end));
    const { losses, operations } = /** @type {any} */ (end).fields;
    assert.ok(losses.lost > 0 && losses.requests > losses.lost && operations > 0, JSON.stringify(losses));
  });
});

describe('a late response', { skip: onLinux, timeout: TIMEOUT_MS }, () => {
  it('is distinguished from a lost one', async () => {
    const ending = launchCell({
      transport: UDP,
      cell: { workers: 1, loops: 4 },
      timing: { warmupMs: 50, measureMs: 3_000 },
      deadlines: { replyMs: 50 },
    });
    const [master] = await eventually(() => {
      const isUp = processesBelow(process.pid, 'worker/worker.js').length === 1;
      return isUp && processesBelow(process.pid, 'controller/master.js');
    }, 10_000);
    await sleep(1_200);
    process.kill(master, 'SIGSTOP');
    await sleep(400);
    process.kill(master, 'SIGCONT');
    const { end } = await ending;
    assert.equal(end.kind, 'done', JSON.stringify(end));
    const { losses } = /** @type {any} */ (end).fields;
    assert.ok(losses.late > 0, JSON.stringify(losses));
  });
});
