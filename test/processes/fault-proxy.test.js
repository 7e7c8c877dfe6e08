// Runs at night.
// Tests launches whose connection is faulty, for each fault and several transports, and the proxy that makes the faults.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { redisBroker } from '../../lib/channels/brokers/redis-broker.js';
import { longEnoughMs, patiently } from '../conformance/deadline.js';
import { startFaultProxy } from '../fixtures/fault-proxy.js';
import { launchCell, processesBelow } from '../fixtures/launch-cell.js';
import { ownFolder } from '../fixtures/own-folder.js';

/** @import { AddressInfo } from 'node:net' */
/** @import { Fault } from '../fixtures/fault-proxy.js' */

const ON_POSIX = process.platform === 'win32' ? 'needs unix sockets' : false;
const LOOPBACK = { host: '127.0.0.1', port: 0 };
const TEXT = Buffer.from(Array.from({ length: 3_000 }, (_, at) => 97 + (at % 26)));
const WAIT_MS = 2_000; // the longest time until the end of the connection
const PARTS = [0, 1_000, 2_000].map((at) => TEXT.subarray(at, at + 1_000));

const folder = ownFolder('ipcb-proxy-');

/**
 * Sends three texts through a proxy, one after the other.
 * @param {Fault} fault
 */
async function sendThrough(fault) {
  /** @type {Buffer[]} */
  const arrived = [];
  let isOver = false;
  const server = createServer((socket) => {
    socket.on('data', (chunk) => arrived.push(chunk)).on('error', () => {});
    socket.on('close', () => {
      isOver = true;
    });
  });
  server.listen(LOOPBACK);
  await once(server, 'listening');
  const { port } = /** @type {AddressInfo} */ (server.address());
  const proxy = await startFaultProxy({ listen: LOOPBACK, target: { ...LOOPBACK, port }, fault });
  const client = connect(/** @type {any} */ (proxy.address));
  client.on('error', () => {});
  const beganMs = performance.now();
  const ended = () => performance.now() - beganMs;
  for (const [index, part] of PARTS.entries()) {
    client.write(part);
    // On a busy machine two texts would arrive as one chunk.
    do await sleep(5);
    while (proxy.bytesTaken() < 1_000 * (index + 1) && !isOver && ended() < WAIT_MS);
  }
  client.end();
  while (!isOver && ended() < WAIT_MS) await sleep(5);
  const tookMs = ended();
  const hasEnded = isOver;
  client.destroy();
  await proxy.close();
  await new Promise((resolve) => server.close(resolve));
  assert.equal(proxy.openConnections(), 0);
  return { bytes: Buffer.concat(arrived), chunks: arrived.length, isOver: hasEnded, tookMs };
}

// What its other faults do, the outcomes of launches show.
describe('startFaultProxy', () => {
  it('delays, limits the rate, splits and ends late, without changing a byte', async () => {
    for (const fault of /** @type {Fault[]} */ ([
      { kind: 'latency', ms: 80, jitterMs: 20 },
      { kind: 'bandwidth', bytesPerSecond: 10_000 },
      { kind: 'slicer', bytes: 20, ms: 1 },
      { kind: 'slow-close', ms: 150 },
    ])) {
      const { bytes, isOver, tookMs, chunks } = await sendThrough(fault);
      assert.ok(bytes.equals(TEXT) && isOver, fault.kind);
      assert.ok(tookMs > 100, `${fault.kind} took ${tookMs} ms`);
      if (fault.kind === 'slicer') assert.ok(chunks > 20);
    }
  });
});

const AFTER = { afterBytes: 15_000 }; // more than the handshake of a Redis and a hundred messages, so that the load has begun
const MESSAGES = 80; // per loop; together more than twice as many bytes
// Longer than the response of a Redis to a publish, whose repetition loses nothing.
const A_MESSAGE = { ...AFTER, bytes: 50 };
const FAILS_TO_CONNECT = /^(TRANSPORT|BROKER|DEADLINE) connect$/;
const IS_CLOSED = /^(TRANSPORT|BROKER|PROTOCOL) (warm-up|measure)$/; // PROTOCOL: within a frame
const IS_WRONG = /^(INTEGRITY|TRANSPORT|BROKER|PROTOCOL) /;

/** @type {[string, Fault, RegExp][]} the name of a fault, and its outcome */
const EXPECTED = [
  ['latency', { kind: 'latency', ms: 5, jitterMs: 3 }, /^measured$/],
  ['little bandwidth', { kind: 'bandwidth', bytesPerSecond: 200_000 }, /^measured$/],
  ['slices of some bytes', { kind: 'slicer', bytes: 7 }, /^measured$/],
  ['a slow close', { kind: 'slow-close', ms: 200 }, /^measured$/],
  ['refused connections', { kind: 'down' }, FAILS_TO_CONNECT],
  ['silence from the start', { kind: 'half-open' }, FAILS_TO_CONNECT],
  ['silence and a close from the start', { kind: 'timeout', ms: 200 }, FAILS_TO_CONNECT],
  ['silence under load', { kind: 'half-open', ...AFTER }, /^(INTEGRITY|DEADLINE|TRANSPORT) (measure|drain)$/],
  ['silence and a close under load', { kind: 'timeout', ms: 100, ...AFTER }, IS_CLOSED],
  ['a reset under load', { kind: 'reset-peer', ...AFTER }, /^(TRANSPORT|BROKER) (warm-up|measure)$/],
  ['a close after some bytes', { kind: 'limit-data', ...AFTER }, IS_CLOSED],
  ['a corrupt request', { kind: 'corrupt', toward: 'target', ...A_MESSAGE }, IS_WRONG],
  ['a corrupt response', { kind: 'corrupt', toward: 'client', ...A_MESSAGE }, IS_WRONG],
  ['a repeated chunk', { kind: 'duplicate', toward: 'client', ...A_MESSAGE }, IS_WRONG],
  ['swapped chunks', { kind: 'reorder', toward: 'client', ...A_MESSAGE }, IS_WRONG],
];

const noRedis = process.env.CI ? undefined : ((await redisBroker.whyUnavailable()) ?? undefined);

for (const over of ['unix', 'redis-pubsub', 'zeromq']) {
  const skip = over === 'redis-pubsub' ? (noRedis ?? false) : over === 'unix' && ON_POSIX;
  describe(`a launch over ${over}`, { skip, concurrency: 4 }, () => {
    /** @type {import('../../lib/types/transports.js').RunningBroker | null} */
    let broker = null;
    before(async () => {
      const address = { scratchDir: folder, settings: { net: 'unix' }, cpus: null };
      if (over === 'redis-pubsub') broker = await redisBroker.start(address);
    });
    after(async () => {
      await broker?.close();
      if (process.platform === 'linux') assert.deepEqual(processesBelow(process.pid, ''), []);
    });

    for (const [name, fault, expected] of EXPECTED) {
      it(`reports ${name}, and ends`, async () => {
        const isSilent = fault.kind === 'half-open';
        const { end, left } = await launchCell({
          transport: '../fixtures/proxied.js',
          cell: {
            workers: 1,
            settings: { over, fault: JSON.stringify(fault) },
            // A few long messages suffice for the silence to begin within the window on a busy machine.
            ...(isSilent && { payloadBytes: 1_000 }),
          },
          timing: {
            warmupMs: 50,
            ...(isSilent ? { measureMs: longEnoughMs(250) } : { messages: MESSAGES }),
          },
          deadlines: { connectMs: patiently(2_500), replyMs: patiently(600), finishMs: patiently(1_500) },
          brokerUrl: broker?.url ?? null,
        });
        const outcome = end.kind === 'done' ? 'measured' : `${end.code} ${end.phase}`;
        assert.match(outcome, expected, JSON.stringify(end).slice(0, 500));
        assert.deepEqual(left, []);
      });
    }
  });
}
