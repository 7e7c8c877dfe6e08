// Channels over two rings, in one process: who is woken and when, what waits for room, and what becomes of a broken ring.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { RingLayout } from '../../lib/channels/ring/ring.js';
import { AdaptiveSpin, RingChannel } from '../../lib/channels/ring/ring-channel.js';
import { Doorbell, Spinner } from '../../lib/channels/ring/ring-end.js';
import binary from '../../lib/codecs/builtin/binary.js';
import none from '../../lib/codecs/builtin/none.js';
import string from '../../lib/codecs/builtin/string.js';
import { BenchError } from '../../lib/errors.js';
import { seededRandom } from '../../lib/statistics/random.js';

const TURNS_TO_SLEEP = 5;
const DEADLINE_MS = 10_000;

/** @param {{ ringBytes?: number, settings?: Record<string, string | number>, kind?: 'text' | 'bytes' }} [how] */
function makePair({ ringBytes = 1_024, settings = {}, kind = 'text' } = {}) {
  const layout = new RingLayout(1, ringBytes);
  const memory = new SharedArrayBuffer(layout.bytes);
  const { toMaster, toWorker } = layout.ringsOf(memory, 0);
  const end = {
    settings: { wake: 'doorbell', spinUs: 0, flush: 'direct', ...settings },
    wireKind: kind,
    maxMessageBytes: 1_000_000,
  };
  const waiting = () => ({ spinner: settings.wake === 'spin' ? new Spinner() : null });
  const master = makeEnd(new RingChannel(end, { incoming: toMaster, outgoing: toWorker }, waiting()));
  const worker = makeEnd(new RingChannel(end, { incoming: toWorker, outgoing: toMaster }, waiting()));
  for (const [own, other] of [
    [master, worker],
    [worker, master],
  ]) {
    own.channel.start({
      notify() {
        own.rings += 1;
        asleep().then(other.channel.wake); // a notification is slower than a look at the memory
      },
      sleep() {
        own.sleeps += 1;
      },
      hangUp: () => own.hangUp(other),
      cut: () => own.hangUp(other),
    });
  }
  return { master, worker, toMaster, memory };
}

/** @param {RingChannel} channel */
function makeEnd(channel) {
  const end = {
    channel,
    rings: 0,
    sleeps: 0,
    /** @type {any[]} */
    heard: [],
    /** @type {(Error | undefined)[]} */
    closings: [],
    /** @param {{ channel: RingChannel }} other */
    hangUp(other) {
      setImmediate(() => channel.finish());
      setImmediate(() => other.channel.finish());
    },
  };
  channel.onMessage = (wire) => end.heard.push(typeof wire === 'string' ? wire : Buffer.from(wire));
  channel.onClose = (reason) => end.closings.push(reason);
  return end;
}

/** @param {() => boolean} isSo */
async function until(isSo) {
  const endMs = performance.now() + DEADLINE_MS;
  while (!isSo()) {
    assert.ok(performance.now() < endMs, `not so within ${DEADLINE_MS} ms: ${isSo}`);
    await turn();
  }
}

async function asleep() {
  for (let turns = 0; turns < TURNS_TO_SLEEP; turns += 1) await turn();
}

describe('RingChannel', () => {
  it('wakes a sleeping end once, and never one that is awake', async () => {
    const { master, worker } = makePair();
    master.channel.send('before it sleeps');
    assert.equal(master.rings, 0);
    await asleep();
    assert.deepEqual([master.sleeps, worker.sleeps], [1, 1]);
    for (const wire of ['a', 'b', 'c']) master.channel.send(wire);
    assert.equal(master.rings, 1);
    await until(() => worker.heard.length === 4);
    assert.deepEqual(worker.heard, ['before it sleeps', 'a', 'b', 'c']);
    await asleep();
    assert.equal(worker.sleeps, 2);
    assert.equal(worker.rings, 0);
  });

  it('wakes at the end of the iteration with flush=tick, when all messages are written', async () => {
    const { master, worker } = makePair({ settings: { flush: 'tick' } });
    await asleep();
    for (const wire of ['a', 'b']) master.channel.send(wire);
    assert.equal(master.rings, 0);
    await until(() => worker.heard.length === 2);
    assert.equal(master.rings, 1);
    assert.deepEqual(worker.heard, ['a', 'b']);
  });

  it('carries messages that a codec writes in place, also around the end of the ring and larger than it', async () => {
    for (const codec of [string, binary, none]) {
      const { master, worker } = makePair({ kind: codec === string ? 'text' : 'bytes' });
      /** @type {any[]} */
      const heard = [];
      worker.channel.onMessage = (message) => heard.push(message);
      for (const { channel } of [master, worker]) assert.equal(channel.carry(codec), true);
      const payloads = ['x'.repeat(100), 'é漢😀'.repeat(20), '', 'y'.repeat(300), 'z'.repeat(5_000)];
      const sent = Array.from({ length: 100 }, (_, index) => ({
        id: index + 1,
        payload: payloads[index % 5],
      }));
      for (const message of sent) if (!master.channel.send(message)) await master.channel.drained();
      await until(() => heard.length === sent.length);
      assert.deepEqual(heard, sent);
    }
  });

  it('receives messages without sleeping with wake=spin', async () => {
    const { master, worker } = makePair({ settings: { wake: 'spin' } });
    await asleep();
    master.channel.send('a');
    await asleep();
    assert.deepEqual(worker.heard, ['a']);
    assert.deepEqual([master.sleeps, worker.sleeps, master.rings], [0, 0, 0]);
    await master.channel.close();
  });

  it('sends messages larger than the ring in pieces, in order, and reports backpressure meanwhile', async () => {
    const { master, worker } = makePair({ ringBytes: 1_024 });
    const wires = ['small', 'x'.repeat(100_000), '€'.repeat(50_000), 'last'];
    const answers = wires.map((wire) => master.channel.send(wire));
    assert.deepEqual(answers, [true, false, false, false]);
    await master.channel.drained();
    await until(() => worker.heard.length === wires.length);
    assert.ok(worker.heard.every((wire, index) => wire === wires[index]));
    assert.equal(master.channel.send('and on'), true);
  });

  it('loses nothing, however often its ends sleep for lack of room or messages', async () => {
    const { master, worker } = makePair({ ringBytes: 64, kind: 'bytes' });
    const { channel } = worker;
    const random = seededRandom(4);
    const poll = channel.poll.bind(channel);
    channel.poll = () => random() < 0.3 && poll(); // it is slow
    const wires = Array.from({ length: 1_000 }, (_, index) => Buffer.alloc(1 + (index % 150), index));
    for (const wire of wires) {
      master.channel.send(wire);
      if (random() < 0.1) await asleep();
      if (random() < 0.05) await master.channel.drained();
    }
    await until(() => worker.heard.length === wires.length);
    assert.deepEqual(worker.heard, wires);
    assert.ok(master.sleeps > 10 && worker.rings > 10, `${master.sleeps} sleeps`);
    assert.ok(worker.sleeps > 10 && master.rings > 10, `${worker.sleeps} sleeps`);
  });

  it('sends everything that waits for room before it hangs up', async () => {
    const { master, worker } = makePair({ ringBytes: 64 });
    master.channel.send('x'.repeat(5_000));
    assert.equal(worker.channel.poll(), true, 'as much as there is room for is written at once');
    await Promise.all([master.channel.close(), master.channel.close()]);
    await until(() => worker.closings.length > 0);
    assert.deepEqual(worker.heard, ['x'.repeat(5_000)]);
    assert.deepEqual([master.closings, worker.closings], [[undefined], [undefined]]);
    assert.equal(master.channel.send('too late'), false);
    await master.channel.drained();
  });

  it('hangs up after a while if nobody makes room', async () => {
    const { master, worker } = makePair({ ringBytes: 64 });
    worker.channel.poll = () => false;
    master.channel.send('x'.repeat(5_000));
    await master.channel.close();
    assert.deepEqual(master.closings, [undefined]);
  });

  it('delivers the rest of the ring when the other end is lost, then fails with the reason', async () => {
    const { master, worker } = makePair();
    await asleep();
    master.channel.send('last words');
    const lost = new Error('killed');
    worker.channel.finish(lost);
    assert.deepEqual(worker.heard, ['last words']);
    assert.deepEqual(worker.closings, [lost]);
  });

  for (const [what, spoil] of /** @type {[string, (words: Int32Array, bytes: Buffer) => void][]} */ ([
    ['a count that cannot be', (words) => words.fill(2 ** 30, 0, 1)],
    [
      'a length that cannot be',
      (words, bytes) => {
        bytes.fill(0x7f);
        words[0] = 100;
      },
    ],
  ])) {
    it(`hangs up if the other end writes ${what} into the memory`, async () => {
      const { master, toMaster } = makePair();
      const { memory, byteOffset, ringBytes } = toMaster;
      const headerBytes = 512;
      const bytes = Buffer.from(/** @type {any} */ (memory), byteOffset + headerBytes, ringBytes);
      spoil(new Int32Array(memory, byteOffset), bytes);
      await until(() => master.closings.length > 0);
      assert.equal(/** @type {any} */ (master.closings[0]).code, 'PROTOCOL');
      assert.deepEqual(master.heard, []);
      await asleep();
      assert.equal(master.closings.length, 1);
    });
  }

  it('reports that the other end closed within a frame', async () => {
    const { master, worker } = makePair();
    await asleep();
    worker.channel.send('x'.repeat(5_000));
    await asleep();
    worker.channel.isOpen = false; // it writes no more
    master.channel.finish();
    const [why] = /** @type {any[]} */ (master.closings);
    assert.deepEqual([why?.code, why?.message], ['PROTOCOL', 'the stream ended within a frame']);
  });

  it('does not close when its handler throws', async () => {
    const { master, worker } = makePair();
    await asleep();
    const bug = new BenchError('PROTOCOL', 'of another channel');
    worker.channel.onMessage = () => {
      throw bug;
    };
    master.channel.send('a message');
    assert.throws(() => worker.channel.poll(), bug);
    assert.deepEqual(worker.closings, []);
    worker.channel.onMessage = () => {};
  });

  it('hangs up if the other end claims to have read more than was written', async () => {
    const { master, memory, toMaster } = makePair();
    const readOfWorker = 32;
    const toWorker = toMaster.byteOffset + 512 + toMaster.ringBytes;
    new Int32Array(memory, toWorker)[readOfWorker] = 77;
    master.channel.send('x');
    await until(() => master.closings.length > 0);
    assert.equal(/** @type {any} */ (master.closings[0]).code, 'PROTOCOL');
  });
});

describe('AdaptiveSpin', () => {
  it('polls once more after each message, and no longer with spinUs=0', () => {
    const patience = new AdaptiveSpin(0);
    assert.deepEqual(
      [true, false, true, false, false].map((came) => patience.countPoll(came)),
      [...[false, true, false, true, true]],
    );
  });

  it('polls for spinUs, and longer while messages arrive', () => {
    const patience = new AdaptiveSpin(1e9);
    for (const came of [true, false, false, true, false, true]) assert.equal(patience.countPoll(came), false);
  });

  it('skips twice as many waits after each failure, up to 1,024, and starts again after a success', (t) => {
    let nowMs = 0;
    t.mock.method(performance, 'now', () => nowMs);
    const patience = new AdaptiveSpin(200);
    const failedTry = () => {
      nowMs += 1;
      assert.equal(patience.countPoll(false), true);
    };
    /** @returns {number} waits that it slept at once, before it looks for so long again */
    const skips = () => {
      for (let count = 0; ; count += 1) if (!patience.countPoll(false)) return count;
    };
    assert.equal(skips(), 0);
    const found = [];
    for (let failures = 0; failures < 12; failures += 1) {
      failedTry();
      found.push(skips());
    }
    assert.deepEqual(found, [2, 4, 8, 16, 32, 64, 128, 256, 512, 1_024, 1_024, 1_024]);
    assert.equal(patience.countPoll(true), false);
    assert.equal(skips(), 0);
    failedTry();
    assert.equal(skips(), 2);
  });
});

describe('Doorbell', () => {
  /** @param {() => void} wake */
  const sleeper = (wake) => /** @type {any} */ ({ wake });

  /** @param {Int32Array} words @param {(whenOver: () => void) => void} onWait */
  const bellOf = (words, onWait) =>
    new Doorbell(words, 0, { wait: (_word, _seen, whenOver) => onWait(whenOver), wake() {} });

  it('waits once for all channels, and wakes those that sleep', () => {
    const words = new Int32Array(new SharedArrayBuffer(8));
    /** @type {(() => void)[]} */
    const waits = [];
    const bell = bellOf(words, (whenOver) => waits.push(whenOver));
    const woken = [0, 0];
    const channels = woken.map((_, index) => sleeper(() => woken.splice(index, 1, woken[index] + 1)));
    for (const channel of channels) bell.between(channel, 1).sleep();
    assert.equal(waits.length, 1);
    waits[0](); // time was up
    assert.deepEqual(woken, [0, 0]);
    assert.equal(waits.length, 2);
    Atomics.add(words, 0, 1);
    waits[1]();
    assert.deepEqual(woken, [1, 1]);
    assert.equal(waits.length, 2);
  });

  it('does not lose a notification before the wait', () => {
    const words = new Int32Array(new SharedArrayBuffer(8));
    const bell = bellOf(words, (whenOver) => whenOver());
    Atomics.add(words, 0, 1);
    /** @type {string[]} */
    const woken = [];
    bell
      .between(
        sleeper(() => woken.push('once')),
        1,
      )
      .sleep();
    assert.deepEqual(woken, ['once']);
  });

  it('wakes a channel once for each time that it sleeps, and waits again for the next', () => {
    const words = new Int32Array(new SharedArrayBuffer(8));
    /** @type {{ seen: number, whenOver: () => void }[]} */
    const waits = [];
    /** @type {number[]} */
    const rung = [];
    const waiting = {
      wait: (/** @type {number} */ _word, /** @type {number} */ seen, /** @type {() => void} */ whenOver) =>
        void waits.push({ seen, whenOver }),
      wake: (/** @type {number} */ word) => void rung.push(word),
    };
    const bell = new Doorbell(words, 0, waiting);
    let woken = 0;
    const between = bell.between(
      sleeper(() => {
        woken += 1;
      }),
      1,
    );
    for (let times = 1; times <= 3; times += 1) {
      between.sleep();
      assert.deepEqual([waits.length, waits[times - 1].seen], [times, times - 1]);
      bell.notify(0);
      waits[times - 1].whenOver();
      assert.equal(woken, times);
    }
    assert.deepEqual(rung, [0, 0, 0]);
    between.notify();
    assert.deepEqual([rung.at(-1), words[1]], [1, 1]);
  });

  it('stops waiting after a timeout if no channel sleeps', () => {
    const words = new Int32Array(new SharedArrayBuffer(8));
    /** @type {(() => void)[]} */
    const waits = [];
    const bell = bellOf(words, (whenOver) => waits.push(whenOver));
    const channel = sleeper(() => {});
    bell.between(channel, 1).sleep();
    bell.sleepers.clear();
    waits[0]();
    assert.equal(waits.length, 1);
    bell.leave(channel);
    assert.equal(words[0], 0, 'nobody waits whom it would have to wake');
  });

  it('stops waiting when the last channel is removed', () => {
    const words = new Int32Array(new SharedArrayBuffer(8));
    const bell = bellOf(words, () => {});
    const channel = sleeper(() => {});
    bell.between(channel, 1).sleep();
    bell.leave(channel);
    assert.equal(words[0], 1);
  });
});

describe('Spinner', () => {
  /** @param {() => boolean} look */
  const channelOf = (look) => /** @type {any} */ ({ poll: look });

  it('polls all channels of the process while there are any', async () => {
    const spinner = new Spinner();
    const looks = [0, 0];
    const channels = looks.map((_, index) =>
      channelOf(() => {
        looks[index] += 1;
        return false;
      }),
    );
    for (const channel of channels) spinner.join(channel);
    await turn();
    await turn();
    assert.ok(looks.every((count) => count > 1));
    assert.ok(Math.abs(looks[0] - looks[1]) <= 1, `${looks}`);
    spinner.leave(channels[0]);
    const [left, stays] = looks;
    await turn();
    await turn();
    assert.equal(looks[0], left);
    assert.ok(looks[1] > stays);
    spinner.leave(channels[1]);
    await turn();
    await turn();
    const last = looks[1];
    await turn();
    assert.equal(looks[1], last);
    assert.equal(spinner.isPolling, false);
  });

  it('polls eight times between two readings of the clock, and four times as often without messages, for 0.1 ms', async (t) => {
    let times = [0];
    t.mock.method(performance, 'now', () => times.shift() ?? Infinity);
    for (const [comes, expected] of /** @type {const} */ ([
      [false, 64],
      [true, 16],
    ])) {
      times = [0, 0.05, 0.1];
      const spinner = new Spinner();
      let looks = 0;
      const channel = channelOf(() => {
        looks += 1;
        return comes;
      });
      spinner.channels.add(channel);
      await spinner.busyPoll();
      assert.deepEqual([looks, times], [expected, []]);
      spinner.leave(channel);
      await turn();
    }
  });
});

describe('RingLayout', () => {
  it('has a word for each end, and two rings for each worker, which do not overlap', () => {
    const [workers, ringBytes] = [3, 1_024];
    const layout = new RingLayout(workers, ringBytes);
    const memory = new SharedArrayBuffer(layout.bytes);
    const bellBytes = 128 * (1 + workers);
    assert.equal(layout.doorbells(memory).byteLength, bellBytes);
    assert.deepEqual(
      ['master', 0, 1, 2].map((end) => layout.wordOf(/** @type {any} */ (end))),
      [0, 32, 64, 96],
    );
    const places = [0, 1, 2].flatMap((worker) => Object.values(layout.ringsOf(memory, worker)));
    const footprint = 512 + ringBytes;
    assert.deepEqual(
      places.map(({ byteOffset }) => byteOffset),
      places.map((_, index) => bellBytes + index * footprint),
    );
    assert.equal(layout.bytes, bellBytes + places.length * footprint);
  });

  it('finds workers by name', () => {
    const layout = new RingLayout(12, 64);
    assert.deepEqual(
      ['w0', 'w9', 'w11'].map((id) => layout.indexOf(id)),
      [0, 9, 11],
    );
    for (const strange of ['w12', 'w-1', 'x0', 'w', 'w1x', 'w1234567890', ''])
      assert.equal(layout.indexOf(strange), -1, strange);
  });
});
