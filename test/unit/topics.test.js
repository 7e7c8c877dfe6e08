// A launch over topics of a broker, and the lines between its processes: with a broker and ports of the test's own.

import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { describe, it } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { openForkControlChannel } from '../../lib/launch/control/control-channel.js';
import {
  comparedClock,
  listClocks,
  slowestExchangeMs,
} from '../../lib/launch/controller/start-up-barrier.js';
import { closeAll, connectAll, furtherIds } from '../../lib/launch/worker/joined-worker.js';
import { connectOverTopics, listenOverTopics } from '../../lib/transport/brokers/over-topics.js';
import { closeOf, TOKEN } from '../fixtures/both-ends.js';

/** A broker within this process: what is published arrives in the next turn. */
function brokerOf() {
  /** @type {{ topic: string, onBytes: (bytes: Buffer) => void, isShared: boolean, owner: object }[]} */
  let subscriptions = [];
  /** @type {[string, number | undefined][]} */
  const publishers = [];
  /** @type {any[]} */
  const connections = [];
  const open = async (/** @type {string} */ url, /** @type {(reason: Error) => void} */ onLost) => {
    const connection = { url, onLost, isOpen: true, refuses: /** @type {string | null} */ (null) };
    connections.push(connection);
    return {
      async subscribe(/** @type {string} */ topic, /** @type {any} */ onBytes, isShared = false) {
        if (connection.refuses !== null) throw new Error(connection.refuses);
        subscriptions.push({ topic, onBytes, isShared, owner: connection });
      },
      unsubscribe(/** @type {string} */ topic) {
        subscriptions = subscriptions.filter((each) => each.topic !== topic || each.owner !== connection);
      },
      publisher(
        /** @type {string} */ topic,
        /** @type {any} */ _refused,
        /** @type {number | undefined} */ listeners = undefined,
      ) {
        publishers.push([topic, listeners]);
        return (/** @type {string | Uint8Array} */ wire) =>
          void setImmediate(() => {
            const heard = subscriptions.filter((each) => each.topic === topic);
            for (const { onBytes } of heard[0]?.isShared ? heard.slice(0, 1) : heard)
              onBytes(Buffer.from(wire));
          });
      },
      async close() {
        connection.isOpen = false;
        subscriptions = subscriptions.filter(({ owner }) => owner !== connection);
      },
    };
  };
  return { open, publishers, connections, topics: () => subscriptions.map(({ topic }) => topic) };
}

const END = {
  settings: {},
  codec: '',
  launchId: 'l1',
  brokerUrl: 'own://broker',
  token: TOKEN,
  wireKind: 'text',
  maxMessageBytes: 1_000,
};

/** @param {object} [how] */
async function launched(how = {}) {
  const broker = brokerOf();
  /** @type {Record<string, any>} */
  const masters = {};
  /** @type {string[]} */
  const errors = [];
  const host = /** @type {any} */ ({
    ...END,
    scratchDir: '',
    workers: 2,
    onRejected: assert.fail,
    ...how,
    onChannel(/** @type {any} */ channel, /** @type {string} */ id) {
      masters[id] = channel;
      channel.onMessage = (/** @type {string} */ wire) => channel.send(`${wire}, ${id}`);
    },
    onError: (/** @type {Error} */ { message }) => errors.push(message),
  });
  const listener = /** @type {any} */ (await listenOverTopics(host, ':', broker.open));
  const line = { send: () => true, onValue() {}, onDisconnect() {} };
  const guest = { ...END, workers: 2, address: listener.address, line, ...how };
  const join = (/** @type {string} */ workerId) =>
    connectOverTopics(/** @type {any} */ ({ ...guest, workerId }), ':', broker.open);
  return { broker, masters, errors, listener, join };
}

/** @param {any} channel @returns {string[]} what it hears from now on */
function heardBy(channel) {
  /** @type {string[]} */
  const heard = [];
  channel.onMessage = (/** @type {string} */ wire) => heard.push(wire);
  return heard;
}

/** @param {() => boolean} isSo */
async function until(isSo) {
  while (!isSo()) await turn();
}

describe('a launch over topics', () => {
  it('has topics of its own for each worker and direction, of which none is left', async () => {
    const { broker, listener, join, errors } = await launched();
    const workers = [await join('w0'), await join('w1')];
    const heard = workers.map(heardBy);
    for (const worker of workers) worker.send('hello');
    await until(() => heard.every(({ length }) => length === 1));
    assert.deepEqual(heard, [['hello, w0'], ['hello, w1']]);
    const topics = broker.topics();
    assert.equal(topics.length, 1 + 3 * 2);
    assert.equal(new Set(topics).size, topics.length);
    assert.ok(topics.includes(listener.address));
    assert.ok(topics.every((topic) => topic.startsWith(listener.address)));
    assert.ok(!listener.address.includes(TOKEN));
    await workers[0].close();
    assert.equal(broker.topics().length, 1 + 3);
    await listener.close();
    await until(() => broker.connections.every(({ isOpen }) => !isOpen));
    assert.deepEqual([broker.topics(), errors], [[], []]);
    assert.ok(broker.connections.every(({ url }) => url === 'own://broker'));
  });

  it('has one more for what goes to all workers, where that is asked for', async () => {
    const { broker, listener, join } = await launched({ isPublished: true });
    const heard = [await join('w0'), await join('w1')].map(heardBy);
    assert.equal(broker.topics().length, 1 + 4 * 2);
    listener.publisher().send('to all');
    await until(() => heard.every(({ length }) => length === 1));
    assert.deepEqual(heard, [['to all'], ['to all']]);
    assert.equal(broker.publishers.at(-1)?.[1], 2, 'it knows how many listen');
    await listener.close();
  });

  it('has one for jobs, of which each goes to one worker', async () => {
    const { listener, join } = await launched({ sharedQueue: { isAcknowledged: false } });
    const heard = [await join('w0'), await join('w1')].map(heardBy);
    listener.queue().send('a job');
    await until(() => heard.flat().length > 0);
    for (let turns = 0; turns < 5; turns += 1) await turn();
    assert.deepEqual(heard.flat(), ['a job']);
    await listener.close();
  });

  it('is lost with its broker, at both ends, with the reason', async () => {
    const { broker, listener, masters, errors, join } = await launched();
    const worker = await join('w0');
    const [ofMaster, ofWorker] = [closeOf(masters.w0), closeOf(worker)];
    for (const { onLost } of broker.connections) onLost(new Error('the broker is gone'));
    assert.equal((await ofMaster)?.message, 'the broker is gone');
    assert.equal((await ofWorker)?.message, 'the broker is gone');
    assert.deepEqual(errors, ['the broker is gone']);
    await listener.close();
  });

  it('leaves no connection behind where it may not listen', async () => {
    const broker = brokerOf();
    /** @type {import('../../lib/transport/brokers/over-topics.js').OpenTopics} */
    const open = async (url, onLost) => {
      const topics = await broker.open(url, onLost);
      broker.connections.at(-1).refuses = 'NOPERM';
      return topics;
    };
    const host = /** @type {any} */ ({ ...END, onError: assert.ifError });
    await assert.rejects(listenOverTopics(host, ':', open), /NOPERM/);
    const line = { send: () => true, onValue() {}, onDisconnect() {} };
    const guest = /** @type {any} */ ({ ...END, workers: 1, workerId: 'w0', address: 'x', line });
    await assert.rejects(connectOverTopics(guest, ':', open), /NOPERM/);
    assert.deepEqual(
      broker.connections.map(({ isOpen }) => isOpen),
      [false, false],
    );
  });
});

describe('the line of a fork', () => {
  function opened({ hasPort = true } = {}) {
    /** @type {any[]} */
    const sent = [];
    const port = /** @type {any} */ (Object.assign(new EventEmitter(), { connected: true }));
    if (hasPort)
      port.send = (/** @type {any} */ value, /** @type {any} */ done) => {
        sent.push(value);
        port.done = done;
        return true;
      };
    /** @type {any[]} */
    const heard = [];
    /** @type {string[]} */
    const broken = [];
    const own = openForkControlChannel(
      port,
      (message) => heard.push(message.control),
      (why) => broken.push(why),
    );
    return { port, sent, heard, broken, ...own };
  }

  it('keeps what is said of the launch apart from values of the transport, and drops what is neither', () => {
    const { port, heard, line } = opened();
    /** @type {any[]} */
    const values = [];
    line.onValue = (value) => values.push(value);
    for (const message of [{ control: 'start' }, { id: 1 }, null, 'text', 7, undefined, [{ id: 2 }]])
      port.emit('message', message);
    assert.deepEqual([heard, values], [['start'], [{ id: 1 }, [{ id: 2 }]]]);
  });

  it('tells once the system has a message, or that it cannot be sent', async () => {
    const { port, sent, broken, sendControl } = opened();
    let isSaid = false;
    const said = sendControl({ control: 'start' }).then(() => {
      isSaid = true;
    });
    await turn();
    assert.deepEqual([sent, isSaid], [[{ control: 'start' }], false]);
    port.done(null);
    await said;
    const failed = sendControl({ control: 'leave' });
    port.done(new Error('EPIPE'));
    await failed;
    port.emit('error', new Error('EBADF'));
    assert.deepEqual(broken, ['EPIPE', 'EBADF']);
    port.connected = false;
    await sendControl({ control: 'measure' });
    assert.equal(sent.length, 2);
  });

  it('tells both its users when it is cut, and of a process that could not be started nothing', () => {
    const { port, broken, line } = opened();
    let cuts = 0;
    line.onDisconnect = () => {
      cuts += 1;
    };
    port.emit('disconnect');
    assert.deepEqual([cuts, broken], [1, ['it was closed']]);
    assert.equal(opened({ hasPort: false }).line.send({ id: 1 }), false);
  });
});

describe('further connections', () => {
  it('are named after those that there are, and made a few at once', async () => {
    assert.deepEqual(furtherIds('w1', 1, 4), ['w1c1', 'w1c2', 'w1c3']);
    assert.deepEqual(furtherIds('w1', 4, 4), []);
    let [open, most] = [0, 0];
    /** @type {string[]} */
    const taken = [];
    const connect = async (/** @type {string} */ id) => {
      open += 1;
      most = Math.max(most, open);
      await turn();
      open -= 1;
      return /** @type {any} */ ({ id, close: async () => taken.splice(taken.indexOf(id), 1) });
    };
    const ids = furtherIds('w0', 1, 1_001);
    /** @type {any[]} */
    const channels = [];
    await connectAll(ids, { workers: 4 }, connect, (channel, id) => {
      channels.push(channel);
      taken.push(id);
    });
    assert.deepEqual(taken.toSorted(), ids.toSorted());
    assert.ok(most > 0 && most < 200, `${most} at once`);
    await closeAll(channels, { workers: 4 });
    assert.deepEqual(taken, []);
  });

  it('are each made within 10 s, or the launch fails with what to do', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const never = connectAll(['w0c1'], { workers: 1 }, () => new Promise(() => {}), assert.fail);
    t.mock.timers.tick(9_999);
    let isLate = false;
    const refused = assert
      .rejects(never, {
        code: 'DEADLINE',
        message: 'w0c1 did not connect within 10000 ms: ask for fewer --connections',
      })
      .then(() => {
        isLate = true;
      });
    await turn();
    assert.equal(isLate, false);
    t.mock.timers.tick(1);
    await refused;
  });
});

describe('another clock', () => {
  it('is compared by the quickest of 25 exchanges', async (t) => {
    let nowNs = 1_000_000_000n;
    t.mock.method(process.hrtime, 'bigint', () => nowNs);
    let asked = 0;
    const { shiftMs, boundMs } = await comparedClock(async () => {
      asked += 1;
      const halfNs = asked === 7 ? 50_000n : 900_000n;
      nowNs += halfNs;
      const theirsMs = Number(nowNs) / 1e6 - 40;
      nowNs += asked === 7 ? halfNs : 3n * halfNs;
      return theirsMs;
    });
    assert.equal(asked, 25);
    assert.ok(Math.abs(shiftMs - 40) < 1e-6, `${shiftMs}`);
    assert.ok(Math.abs(boundMs - 0.05) < 1e-6, `${boundMs}`);
  });

  it('is told of those that have one, and how long the farthest takes', () => {
    const clock = { shiftMs: 3, boundMs: 2 };
    const members = /** @type {any[]} */ ([
      { id: 'w0', clock: null },
      { id: 'w1', clock },
    ]);
    assert.deepEqual(listClocks(members), { clocks: { w1: clock } });
    assert.deepEqual(listClocks(members.slice(0, 1)), {});
    assert.deepEqual([slowestExchangeMs(members), slowestExchangeMs(members.slice(0, 1))], [4, 0]);
  });
});
