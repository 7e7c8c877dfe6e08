// Runs at night.
// UDP: who may write to the sockets of a launch, what a worker does if its request gets lost, and late responses. The conformance suite
// proves that it carries messages, losses.test.js how losses are counted.

import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import udp from '../../transports/udp.js';
import { openBothEnds, TOKEN } from '../fixtures/both-ends.js';
import { eventually, launchCell, processesBelow } from '../fixtures/launch-cell.js';

const TIMEOUT_MS = 600_000;
const LOOPBACK = '127.0.0.1';
const onLinux = process.platform === 'linux' ? false : 'asks /proc';

/** A socket of somebody's own. */
async function anySocket() {
  const socket = createSocket('udp4');
  /** @type {string[]} */
  const heard = [];
  socket.on('message', (bytes) => heard.push(String(bytes)));
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
    /** @type {string[]} */
    const rejectedConnections = [];
    const onRejected = (/** @type {string} */ what) => void rejectedConnections.push(what);
    const before = openPorts();
    const { listener, worker, master } = await openBothEnds(udp, { settings: {}, onRejected });
    const ports = openPorts().filter((port) => !before.includes(port));
    assert.equal(ports.length, 3, 'one that listens, one at each end');
    /** @type {string[]} */
    const heard = [];
    for (const channel of [worker, master]) channel.onMessage = (wire) => void heard.push(wire);
    const { socket } = await anySocket();
    for (const port of ports) socket.send('psst', port, LOOPBACK);
    await eventually(() => rejectedConnections.length > 0, 2_000);
    worker.send('ours');
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

describe('a request of a worker', { timeout: TIMEOUT_MS }, () => {
  it('is repeated until its deadline', async () => {
    const { socket, heard } = await anySocket();
    const guest = {
      settings: { sndbuf: 0, rcvbuf: 0 },
      codec: 'string',
      wireKind: /** @type {const} */ ('text'),
      maxMessageBytes: 100,
      token: TOKEN,
      launchId: 'test',
      brokerUrl: null,
      address: `${LOOPBACK}:${socket.address().port}`,
      workerId: 'w0',
      line: { send: () => true, onValue() {}, onDisconnect() {} },
    };
    await assert.rejects(udp.connect(guest), { code: 'DEADLINE' });
    assert.ok(heard.filter((text) => text.includes(' join ')).length > 10);
    socket.close();
  });
});

describe('a late response', { skip: onLinux, timeout: TIMEOUT_MS }, () => {
  it('is distinguished from a lost one', async () => {
    const ending = launchCell({
      transport: 'udp',
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
