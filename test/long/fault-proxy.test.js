// What becomes of a launch when the way between its ends goes wrong, for each fault and each kind of stream; and of the
// proxy that makes the faults, whether it makes them.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { redisBroker } from '../../lib/transport/brokers/redis-broker.js';
import { longEnoughMs, patiently } from '../conformance/deadline.js';
import { IS_LONG } from '../conformance/long-form.js';
import { startFaultProxy } from '../fixtures/fault-proxy.js';
import { launchCell, processesBelow } from '../fixtures/launch-cell.js';
import { ownFolder } from '../fixtures/own-folder.js';

/** @import { Fault } from '../fixtures/fault-proxy.js' */

const ON_POSIX = process.platform === 'win32' ? 'needs unix sockets' : false;
const TEXT = Buffer.from(Array.from({ length: 3_000 }, (_, at) => 97 + (at % 26)));

const folder = ownFolder('ipcb-proxy-');

/**
 * Sends three texts through a proxy, one after the other.
 * @param {'tcp' | 'unix'} kind
 * @param {Fault} fault
 * @param {number} waitMs   for the end, if it comes
 */
async function sendThrough(kind, fault, waitMs = 2_000) {
  const place = (/** @type {string} */ name) =>
    kind === 'tcp' ? { host: '127.0.0.1', port: 0 } : { path: join(folder, `${name}${Math.random()}`) };
  /** @type {Buffer[]} */
  const arrived = [];
  let isOver = false;
  const server = createServer((socket) => {
    socket.on('data', (chunk) => arrived.push(chunk)).on('error', () => {});
    socket.on('close', () => {
      isOver = true;
    });
  });
  const target = place('target');
  server.listen(target);
  await once(server, 'listening');
  const bound = /** @type {any} */ (server.address());
  const proxy = await startFaultProxy({
    listen: place('proxy'),
    target: kind === 'tcp' ? { host: '127.0.0.1', port: bound.port } : target,
    fault,
  });
  const client = connect(/** @type {any} */ (proxy.place));
  /** @type {string | undefined} */
  let reason;
  client.on('error', (error) => {
    reason = /** @type {any} */ (error).code;
  });
  const beganMs = performance.now();
  const ended = () => performance.now() - beganMs;
  for (const at of [0, 1_000, 2_000]) {
    client.write(TEXT.subarray(at, at + 1_000));
    // On a crowded machine two texts would arrive as one chunk.
    do await sleep(5);
    while (proxy.bytesTaken() < at + 1_000 && !isOver && ended() < waitMs);
  }
  client.end();
  while (!isOver && ended() < waitMs) await sleep(5);
  const tookMs = ended();
  const hasEnded = isOver;
  client.destroy();
  await proxy.close();
  await new Promise((resolve) => server.close(resolve));
  assert.equal(proxy.openConnections(), 0);
  return { bytes: Buffer.concat(arrived), chunks: arrived.length, isOver: hasEnded, tookMs, reason };
}

for (const kind of /** @type {const} */ (['tcp', 'unix'])) {
  describe(`a fault proxy over ${kind}`, { skip: kind === 'unix' && ON_POSIX, concurrency: 4 }, () => {
    it('changes nothing without a fault, and forwards the end', async () => {
      const { bytes, isOver } = await sendThrough(kind, { kind: 'none' });
      assert.ok(bytes.equals(TEXT) && isOver);
    });
    it('delays, limits the rate, splits and ends late, without changing a byte', async () => {
      for (const fault of /** @type {Fault[]} */ ([
        { kind: 'latency', ms: 80, jitterMs: 20 },
        { kind: 'bandwidth', bytesPerSecond: 10_000 },
        { kind: 'slicer', bytes: 20, ms: 1 },
        { kind: 'slow-close', ms: 150 },
      ])) {
        const { bytes, isOver, tookMs, chunks } = await sendThrough(kind, fault);
        assert.ok(bytes.equals(TEXT) && isOver, fault.kind);
        assert.ok(tookMs > 100, `${fault.kind} took ${tookMs} ms`);
        if (fault.kind === 'slicer') assert.ok(chunks > 20);
      }
    });
    it('changes one byte, duplicates a chunk, or swaps two, after the given number of bytes', async () => {
      const corrupt = await sendThrough(kind, { kind: 'corrupt', afterBytes: 1_000 });
      const differing = [...corrupt.bytes].flatMap((byte, at) => (byte === TEXT[at] ? [] : [at]));
      assert.deepEqual(differing, [1_997]);
      const doubled = await sendThrough(kind, { kind: 'duplicate', afterBytes: 1_000 });
      const parts = [0, 1_000, 2_000].map((at) => TEXT.subarray(at, at + 1_000));
      assert.ok(doubled.bytes.equals(Buffer.concat([parts[0], parts[1], parts[1], parts[2]])));
      const swapped = await sendThrough(kind, { kind: 'reorder', afterBytes: 1_000 });
      assert.ok(swapped.bytes.equals(Buffer.concat([parts[0], parts[2], parts[1]])));
    });
    it('closes after the given number of bytes, at once, later or never', async () => {
      for (const fault of /** @type {Fault[]} */ ([
        { kind: 'limit-data', afterBytes: 1_500 },
        { kind: 'timeout', afterBytes: 1_500, ms: 100 },
        { kind: 'half-open', afterBytes: 1_500 },
      ])) {
        const { bytes, isOver } = await sendThrough(kind, fault, 400);
        assert.ok(bytes.equals(TEXT.subarray(0, 1_500)), `${fault.kind} let ${bytes.length} bytes pass`);
        assert.equal(isOver, fault.kind !== 'half-open', fault.kind);
      }
    });
    it('refuses or resets connections', async () => {
      const down = await sendThrough(kind, { kind: 'down' }, 300);
      assert.equal(down.bytes.length, 0);
      const reset = await sendThrough(kind, { kind: 'reset-peer', ms: 5 });
      assert.ok(reset.isOver && reset.tookMs < patiently(1_000));
      if (kind === 'tcp') assert.match(String(reset.reason), /ECONNRESET|EPIPE/);
    });
  });
}

const LATER = { afterBytes: 15_000 }; // beyond the greetings of a Redis, and a hundred messages: the load is on
const MESSAGES = 80; // of each loop: together more than twice as many bytes. In silence they would never be made.
// Longer than a Redis's word that it has published something, which a client may get twice without a loss.
const TO_A_MESSAGE = { ...LATER, bytes: 50 };
/** @type {[string, Fault, RegExp][]}   name, fault, what becomes of the launch */
const EXPECTED = [
  ['latency', { kind: 'latency', ms: 5, jitterMs: 3 }, /^measured$/],
  ['little bandwidth', { kind: 'bandwidth', bytesPerSecond: 200_000 }, /^measured$/],
  ['slices of some bytes', { kind: 'slicer', bytes: 7 }, /^measured$/],
  ['a slow end', { kind: 'slow-close', ms: 200 }, /^measured$/],
  ['nobody there', { kind: 'down' }, /^(TRANSPORT|BROKER|DEADLINE) connect$/],
  ['silence from the start', { kind: 'half-open' }, /^(DEADLINE|TRANSPORT|BROKER) connect$/],
  [
    'silence and an end from the start',
    { kind: 'timeout', ms: 200 },
    /^(TRANSPORT|BROKER|DEADLINE) connect$/,
  ],
  ['silence under load', { kind: 'half-open', ...LATER }, /^(INTEGRITY|DEADLINE|TRANSPORT) (measure|drain)$/],
  [
    'silence and an end under load',
    { kind: 'timeout', ms: 100, ...LATER },
    /^(TRANSPORT|BROKER|PROTOCOL) (warm-up|measure)$/, // PROTOCOL: the end came within a frame
  ],
  ['a reset under load', { kind: 'reset-peer', ...LATER }, /^(TRANSPORT|BROKER) (warm-up|measure)$/],
  [
    'a cut after some bytes',
    { kind: 'limit-data', ...LATER },
    /^(TRANSPORT|BROKER|PROTOCOL) (warm-up|measure)$/,
  ],
  [
    'a corrupt question',
    { kind: 'corrupt', toward: 'target', ...TO_A_MESSAGE },
    /^(INTEGRITY|TRANSPORT|BROKER|PROTOCOL) /,
  ],
  [
    'a corrupt answer',
    { kind: 'corrupt', toward: 'client', ...TO_A_MESSAGE },
    /^(INTEGRITY|TRANSPORT|BROKER|PROTOCOL) /,
  ],
  [
    'a chunk twice',
    { kind: 'duplicate', toward: 'client', ...TO_A_MESSAGE },
    /^(INTEGRITY|TRANSPORT|BROKER|PROTOCOL) /,
  ],
  [
    'two chunks swapped',
    { kind: 'reorder', toward: 'client', ...TO_A_MESSAGE },
    /^(INTEGRITY|TRANSPORT|BROKER|PROTOCOL) /,
  ],
];

const noRedis = process.env.CI ? undefined : await redisBroker.whyUnavailable();

// Between unix and tcp only the sockets differ, which the proxy above is tried with.
const OVER = ['unix', 'redis-pubsub', 'zeromq', ...(IS_LONG ? ['tcp'] : [])];
// What a library and a server do about it themselves; all other faults are met by our own framing in each run.
const MET_BY_ALL = [
  'nobody there',
  'silence under load',
  'a reset under load',
  'a corrupt question',
  'a corrupt answer',
];
// To an end of ours it is the same as another fault, or less: bytes come late, or there is nobody, or none come any more, or the
// stream is at its end, or they are not those that are due.
const MET_AS_ANOTHER = [
  ...['latency', 'little bandwidth', 'a slow end', 'silence and an end from the start'],
  ...['silence and an end under load', 'a cut after some bytes', 'two chunks swapped'],
];

for (const over of OVER) {
  const skip = over === 'redis-pubsub' ? (noRedis ?? false) : over === 'unix' && ON_POSIX;
  describe(`a launch over ${over}`, { skip, concurrency: 4 }, () => {
    /** @type {import('../../lib/types/transports.js').RunningBroker | null} */
    let broker = null;
    before(async () => {
      const place = { scratchDir: folder, settings: { net: 'unix' }, cpus: null };
      if (over === 'redis-pubsub') broker = await redisBroker.start(place);
    });
    after(async () => {
      await broker?.close();
      if (process.platform === 'linux') assert.deepEqual(processesBelow(process.pid, ''), []);
    });

    const isMet = (/** @type {string} */ name) =>
      IS_LONG || MET_BY_ALL.includes(name) || (over === 'unix' && !MET_AS_ANOTHER.includes(name));
    for (const [name, fault, expected] of EXPECTED.filter(([name]) => isMet(name))) {
      it(`reports ${name}, and ends`, async () => {
        const isSilent = fault.kind === 'half-open';
        const { end, left } = await launchCell({
          transport: '../fixtures/proxied.js',
          cell: {
            workers: 1,
            settings: { over, fault: JSON.stringify(fault) },
            // Long messages: a few are enough for the silence to begin within the window, however busy the machine is.
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
