import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import {
  encodeControlFrame,
  joinMaster,
  MessageChannel,
  publishedTo,
  readControlFrame,
  receiveWorkers,
} from '../../lib/channels/message-channel.js';
import { closeOf } from '../fixtures/both-ends.js';

const TOKEN = 'ab'.repeat(16);
const WINDOW_BYTES = 16 * 1024 * 1024;
const turn = () => new Promise((resolve) => setImmediate(resolve));

/**
 * A message system within this process: what is sent in one turn arrives in the next, in order and all at once, as from
 * one chunk of a socket. Nothing tells when an end goes.
 * @param {{ wireKind?: 'text' | 'bytes', maxMessageBytes?: number }} [end]
 */
function messageSystem({ wireKind = 'text', maxMessageBytes = 1_000 } = {}) {
  /** @type {Map<string, MessageChannel>} */
  const masterChannels = new Map();
  /** @type {string[]} */
  const rejectedConnections = [];
  /** @type {string[]} */
  const released = [];
  /** @type {{ channel: MessageChannel, workerId: string }[]} */
  const joined = [];
  let greet = (/** @type {MessageChannel} */ _) => {};
  /** @type {(() => void)[]} */
  let underWay = [];
  const later = (/** @type {() => void} */ deliver) => {
    if (underWay.length === 0) setImmediate(arrive);
    underWay.push(deliver);
  };
  const arrive = () => {
    const arriving = underWay;
    underWay = [];
    for (const deliver of arriving) deliver();
  };
  const context = { settings: {}, codec: '', launchId: 'l', brokerUrl: null, wireKind, maxMessageBytes };
  /** @type {Map<string, (bytes: Uint8Array) => void>} */
  const workerHears = new Map();
  /** @type {Map<string, MessageChannel>} */
  const workerChannels = new Map();
  const host = {
    ...context,
    token: TOKEN,
    scratchDir: '',
    workers: 2,
    onChannel: (/** @type {any} */ channel, /** @type {string} */ workerId) => {
      joined.push({ channel, workerId });
      process.nextTick(() => greet(channel));
    },
    onRejected: (/** @type {string} */ what) => void rejectedConnections.push(what),
    onError: (/** @type {Error} */ error) => assert.fail(error),
  };
  const workers = receiveWorkers(host, (channel, workerId) => {
    masterChannels.set(workerId, channel);
    return {
      send: (wire) => later(() => workerChannels.get(workerId)?.deliver(Buffer.from(wire))),
      sendControl: (frame) => later(() => workerHears.get(workerId)?.(Buffer.from(frame))),
      release: () => void released.push(`${workerId} at the master`),
    };
  });
  const join = (/** @type {string} */ workerId, { token = TOKEN } = {}) => {
    const line = { send: () => true, onValue() {}, onDisconnect() {} };
    return joinMaster({ ...context, token, address: '', workerId, line }, async (channel, receiveControl) => {
      workerChannels.set(workerId, channel);
      workerHears.set(workerId, receiveControl);
      return {
        send: (wire) => later(() => masterChannels.get(workerId)?.deliver(Buffer.from(wire))),
        sendControl: (frame) => later(() => workers.receiveControl(Buffer.from(frame), undefined)),
        release: () => void released.push(`${workerId} itself`),
      };
    });
  };
  const whenJoined = (/** @type {typeof greet} */ listener) => {
    greet = listener;
  };
  return { join, joined, rejectedConnections, released, workers, workerHears, whenJoined };
}

describe('connecting message channels', () => {
  it('keeps the first messages of the master until the worker adds its handler', async () => {
    const system = messageSystem();
    const joining = system.join('w0');
    system.whenJoined((master) => {
      for (const wire of ['first', 'second']) master.send(wire);
    });
    const worker = await joining;
    /** @type {string[]} */
    const heard = [];
    worker.onMessage = (wire) => heard.push(wire);
    system.joined[0].channel.send('third');
    for (let turns = 0; turns < 4; turns += 1) await turn();
    assert.deepEqual(heard, ['first', 'second', 'third']);
  });

  it('reports an unauthenticated peer to the host, and fails by its deadline with the name of the worker', async (t) => {
    const system = messageSystem();
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const joining = system.join('w7', { token: 'cd'.repeat(16) });
    const failure = assert.rejects(joining, { code: 'DEADLINE', message: /accept w7 within 5000 ms/ });
    await turn();
    await turn();
    t.mock.timers.tick(5_000);
    await failure;
    assert.deepEqual([system.rejectedConnections.length, system.joined.length], [1, 0]);
    assert.deepEqual(system.released, ['w7 itself']);
  });

  it('gives each of many workers more time', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    let waits = true;
    const guest = /** @type {any} */ ({
      token: TOKEN,
      workerId: 'w0',
      wireKind: 'text',
      maxMessageBytes: 10,
    });
    const late = joinMaster({ ...guest, workers: 64 }, () => new Promise(() => {}));
    const refused = assert.rejects(late, /within 43400 ms/).then(() => {
      waits = false;
    });
    t.mock.timers.tick(43_399);
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal(waits, true);
    t.mock.timers.tick(1);
    await refused;
  });

  it('fails by its deadline if the connection to the master does not open, and closes it if it opens later', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    let releases = 0;
    /** @type {(outlet: import('../../lib/channels/message-channel.js').PeerSender) => void} */
    let open = () => {};
    const guest = /** @type {any} */ ({
      token: TOKEN,
      workerId: 'w0',
      wireKind: 'text',
      maxMessageBytes: 10,
    });
    const joining = joinMaster(guest, () => {
      return new Promise((resolve) => {
        open = resolve;
      });
    });
    const failure = assert.rejects(joining, { code: 'DEADLINE' });
    t.mock.timers.tick(5_000);
    await failure;
    open({
      send() {},
      sendControl() {},
      release() {
        releases += 1;
      },
    });
    await turn();
    assert.equal(releases, 1);
  });

  it('rejects a second worker with the same name', async () => {
    const system = messageSystem();
    await system.join('w0');
    system.workers.receiveControl(Buffer.from(encodeControlFrame(TOKEN, 'w0', 'join', 0)), undefined);
    assert.match(system.rejectedConnections[0], /w0/);
    assert.equal(system.joined.length, 1);
  });

  it('counts any noise as an unauthenticated peer, and never throws', () => {
    const { workers, rejectedConnections } = messageSystem();
    const parts = fc.constantFrom(TOKEN, 'w0', 'join', 'bye', 'read', '1', '-1', ' ', '');
    const text = fc.array(parts, { maxLength: 6 }).map((words) => Buffer.from(words.join(' ')));
    fc.assert(
      fc.property(fc.oneof(fc.uint8Array({ maxLength: 2_000 }), text), (bytes) => {
        fc.pre(readControlFrame(bytes, TOKEN) === null);
        const before = rejectedConnections.length;
        workers.receiveControl(bytes, undefined);
        assert.equal(rejectedConnections.length, before + 1);
      }),
      { seed: 1, numRuns: 300 },
    );
    assert.equal(readControlFrame(Buffer.from(`${TOKEN} w0 bye 0 ${'x'.repeat(2_000)}`), TOKEN), null);
    assert.deepEqual(readControlFrame(Buffer.from(encodeControlFrame(TOKEN, 'w3', 'read', 77)), TOKEN), {
      workerId: 'w3',
      verb: 'read',
      bytes: 77,
    });
  });
});

describe('closing a message channel', () => {
  for (const leaver of ['worker', 'master']) {
    it(`closes both ends once when the ${leaver} closes twice`, async () => {
      const system = messageSystem();
      const worker = await system.join('w0');
      const master = system.joined[0].channel;
      /** @type {string[]} */
      const told = [];
      worker.onClose = (reason) => told.push(`worker ${reason}`);
      master.onClose = (reason) => told.push(`master ${reason}`);
      const channel = leaver === 'worker' ? worker : master;
      await Promise.all([channel.close(), channel.close()]);
      await channel.close();
      assert.deepEqual(told.sort(), ['master undefined', 'worker undefined']);
      assert.deepEqual(system.released.sort(), ['w0 at the master', 'w0 itself']);
      assert.equal(worker.send('too late'), false);
      await worker.drained();
    });
  }

  it('waits only one second for a peer that does not confirm', async (t) => {
    const system = messageSystem();
    const worker = await system.join('w0');
    system.workerHears.clear(); // the worker hears nothing more, so it cannot answer
    t.mock.timers.enable({ apis: ['setTimeout'] });
    let isClosed = false;
    const closing = system.workers.close().then(() => {
      isClosed = true;
    });
    await turn();
    await turn();
    assert.equal(isClosed, false);
    t.mock.timers.tick(1_000);
    await closing;
    assert.deepEqual(system.released, ['w0 at the master']);
    worker.onClose = () => {};
  });

  it('fails at once with the reason if the connection is lost', async () => {
    const system = messageSystem();
    await system.join('w0');
    const master = system.joined[0].channel;
    const reason = closeOf(master);
    system.workers.breakOff(new Error('the broker died'));
    assert.match(String(await reason), /the broker died/);
  });
});

describe('limits of a message channel', () => {
  for (const wire of ['', 'x'.repeat(1_001), '€'.repeat(334)]) {
    it(`hangs up on a message of ${Buffer.byteLength(wire)} bytes where 1 to 1000 are legitimate`, async () => {
      const system = messageSystem({ maxMessageBytes: 1_000 });
      const worker = await system.join('w0');
      const master = system.joined[0].channel;
      master.onMessage = () => assert.fail('it was delivered');
      const closed = Promise.all([master, worker].map(closeOf));
      worker.send(wire);
      const [reason] = await closed;
      assert.equal(reason.code, 'PROTOCOL');
      assert.match(reason.message, /^w0 sent a message of \d+ bytes/);
    });
  }

  it('reports backpressure while too much is unread', async () => {
    const system = messageSystem({ wireKind: 'bytes', maxMessageBytes: 1024 * 1024 });
    const worker = await system.join('w0');
    const master = system.joined[0].channel;
    let received = 0;
    master.onMessage = (wire) => {
      received += wire.length;
    };
    const megabyte = Buffer.alloc(1024 * 1024);
    for (let round = 0; round < 4; round += 1) {
      let sent = 1;
      while (worker.send(megabyte)) sent += 1;
      assert.ok(sent * megabyte.length <= WINDOW_BYTES, `${sent} MiB were unread`);
      await worker.drained();
    }
    assert.ok(received >= WINDOW_BYTES);
    await worker.close();
  });

  it('resumes waiting senders when the channel closes', async () => {
    const system = messageSystem({ wireKind: 'bytes', maxMessageBytes: WINDOW_BYTES });
    const worker = await system.join('w0');
    system.joined[0].channel.report = () => {}; // a reader that never tells
    while (worker.send(Buffer.alloc(WINDOW_BYTES)));
    const waiting = worker.drained();
    worker.breakOff(new Error('lost'));
    await waiting;
  });
});

describe('publishing to several workers', () => {
  it('reports backpressure while one of them has no room, and counts the message for each', async () => {
    const published = [];
    const end = { wireKind: /** @type {const} */ ('text'), maxMessageBytes: 1_000, token: TOKEN };
    const [full, free] = ['w0', 'w1'].map(
      (workerId) => new MessageChannel(end, workerId, `worker ${workerId}`),
    );
    for (const channels of [
      [full, free],
      [free, full],
    ]) {
      const all = publishedTo(channels, (wire) => published.push(wire));
      assert.equal(all.send('x'.repeat(1_000)), true);
      const counted = free.unreadBytes;
      full.unreadBytes += WINDOW_BYTES;
      assert.equal(all.send('y'.repeat(1_000)), false);
      assert.equal(free.unreadBytes, 2 * counted);
      assert.equal(full.unreadBytes, 2 * counted + WINDOW_BYTES);
      let hasRoom = false;
      const drained = all.drained().then(() => {
        hasRoom = true;
      });
      await turn();
      assert.equal(hasRoom, false, 'one of them reads slowly');
      full.receiveControl({ verb: 'read', workerId: 'w0', bytes: full.unreadBytes });
      free.receiveControl({ verb: 'read', workerId: 'w1', bytes: free.unreadBytes });
      await drained;
    }
    assert.equal(published.length, 4, 'sent once, however many there are');
  });
});
