// Orders from a run to agents and their ends back, over a Redis and a BullMQ that are the test's own.

import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { describe, it } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { BullmqAgent } from '../../lib/hosts/bullmq-agent.js';
import { BullmqEngine } from '../../lib/hosts/bullmq-engine.js';
import {
  leftInTime,
  openLane,
  presenceKeyOf,
  trackConnections,
  turnKeyOf,
} from '../../lib/hosts/control-redis.js';

/** @import { TestContext } from 'node:test' */

const SECRET = 'a secret that is long enough';
const URL = 'redis://:hidden@10.0.0.1:6379';
const turns = async (count = 20) => {
  for (let times = 0; times < count; times += 1) await turn();
};

/** @param {() => boolean} isSo   a key is derived on another thread, which takes some turns */
async function until(isSo) {
  while (!isSo()) await turn();
}

/** What is at the server: keys with the time for which they hold, and queues of orders. */
function serverOf() {
  /** @type {Map<string, string>} */
  const keys = new Map();
  /** @type {[string, ...unknown[]][]} */
  const sets = [];
  /** @type {any[]} */
  const parts = [];
  /** @type {any[]} */
  const clients = [];
  /** @type {Map<string, BullmqAgent>} */
  const agents = new Map();

  class Client extends EventEmitter {
    constructor() {
      super();
      this.status = 'ready';
      this.isConnected = true;
      clients.push(this);
    }

    /** @param {string} key @param {string} text @param {unknown[]} how */
    async set(key, text, ...how) {
      sets.push([key, ...how]);
      if (how.includes('NX') && keys.has(key)) return null;
      keys.set(key, text);
      return 'OK';
    }

    /** @param {string} key */
    async get(key) {
      return keys.get(key) ?? null;
    }

    /** @param {string[]} all */
    async mget(all) {
      return all.map((key) => keys.get(key) ?? null);
    }

    /** @param {string} key */
    async del(key) {
      keys.delete(key);
    }

    duplicate() {
      return new Client();
    }

    disconnect() {
      this.isConnected = false;
    }
  }

  class Part extends EventEmitter {
    /** @param {string} name @param {any} options */
    constructor(name, options) {
      super();
      this.name = name;
      this.options = options;
      /** @type {any[]} */
      this.calls = [];
      parts.push(this);
    }

    async waitUntilReady() {}

    /** @param {unknown} isForced */
    async close(isForced) {
      this.calls.push(['close', isForced]);
    }
  }
  class QueueEvents extends Part {}
  class Worker extends Part {
    /** @param {string} name @param {unknown} work @param {any} options */
    constructor(name, work, options) {
      super(name, options);
      this.work = work;
    }

    async startStalledCheckTimer() {
      this.calls.push('watches');
    }
  }
  class Queue extends Part {
    /** @param {string} kind @param {{ sealed: string }} data @param {any} how */
    async add(kind, data, how) {
      const { jobId } = how;
      this.calls.push([kind, how]);
      const events = parts.find((part) => part instanceof QueueEvents && part.name === this.name);
      const job = {
        id: jobId,
        data,
        updateProgress: async (/** @type {any} */ told) => events.emit('progress', { jobId, data: told }),
      };
      agents
        .get(this.name.replace('agent-', ''))
        ?.work(/** @type {any} */ (job))
        .then(
          (returnvalue) => events.emit('completed', { jobId, returnvalue }),
          (error) => events.emit('failed', { jobId, failedReason: error.message }),
        );
    }

    /** @param {number} most */
    async trimEvents(most) {
      this.calls.push(['trim', most]);
    }
  }
  const bullmq = /** @type {any} */ ({ Queue, QueueEvents, Worker });
  const client = () => /** @type {any} */ (new Client());
  return { keys, sets, parts, clients, agents, bullmq, client };
}

/**
 * @param {TestContext} t
 * @param {(order: any, launch: any) => Promise<any>} obey
 * @param {{ secret?: string }} [how]
 */
async function runAndAgent(t, obey, { secret = SECRET } = {}) {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const server = serverOf();
  /** @type {string[]} */
  const lost = [];
  const agent = new BullmqAgent(server.client(), {
    name: 'b',
    secret,
    obey: /** @type {any} */ (obey),
    onLost: ({ message }) => lost.push(message),
  });
  await agent.takeName();
  server.agents.set('b', agent);
  const engine = new BullmqEngine(URL, SECRET, server.client(), server.bullmq);
  t.after(() => engine.close());
  /** @type {any[]} */
  const news = [];
  const hand = (launchId = 'l1', order = { kind: 'work' }) =>
    engine.hand('b', launchId, /** @type {any} */ (order), (one) => news.push(one));
  return { ...server, agent, engine, hand, news, lost };
}

/** @param {{ signal: AbortSignal }} launch @returns {Promise<any>} that ends when it is stopped */
const untilStopped = ({ signal }) =>
  new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve({ status: 'refused', message: signal.reason.message }));
  });

describe('an order by BullMQ', () => {
  it('is done by its agent, whose news and end come back to the run', async (t) => {
    const { hand, news, engine, keys, parts, sets } = await runAndAgent(
      t,
      async (order, { launchId, tell }) => {
        tell({ news: 'phase', phase: `${order.kind} ${launchId}` });
        return { status: 'worked' };
      },
    );
    assert.deepEqual(await hand().ended, { status: 'worked' });
    assert.deepEqual(news, [{ news: 'phase', phase: 'work l1' }]);
    assert.equal(keys.get(turnKeyOf('b')), `${engine.runId} l1`);
    assert.deepEqual(await hand('l2').ended, { status: 'worked' });
    assert.equal(news[1].phase, 'work l2');
    assert.equal(keys.get(turnKeyOf('b')), `${engine.runId} l2`);
    assert.equal(engine.pending.size, 0);
    const [queue, events, watch] = parts;
    assert.equal(parts.length, 3, 'an agent has one lane');
    assert.deepEqual(
      queue.calls.map((/** @type {any[]} */ [kind]) => kind),
      ['work', 'work'],
    );
    const once = { jobId: `${engine.runId}-1`, attempts: 1, removeOnComplete: true, removeOnFail: true };
    assert.deepEqual(queue.calls[0][1], once);
    assert.deepEqual([queue.options.prefix, events.options.lastEventId], ['ipc-bench', '0-0']);
    const { maxStalledCount, concurrency, autorun, lockDuration } = watch.options;
    assert.deepEqual([maxStalledCount, concurrency, autorun, lockDuration], [0, 1, false, 3_000]);
    assert.deepEqual([watch.work, watch.calls], [null, ['watches']]);
    for (const [, px, ms] of sets) assert.deepEqual([px, ms], ['PX', 3_000]);
    for (const part of parts) part.emit('error', new Error('of the connection, which tells it itself'));
  });

  it('is refused where another run has the agent', async (t) => {
    const { hand, keys } = await runAndAgent(t, async () => assert.fail('it is not asked'));
    keys.set(turnKeyOf('b'), 'another run');
    await assert.rejects(hand().ended, { code: 'HOST', message: /^host b is used by another run: wait/ });
    assert.equal(keys.get(turnKeyOf('b')), 'another run');
  });

  it('is refused by an agent with another secret, with what to do', async (t) => {
    const { hand } = await runAndAgent(t, async () => assert.fail('it is not asked'), {
      secret: 'another one, as long as that',
    });
    await assert.rejects(hand().ended, { code: 'HOST', message: /host b: its agent holds another secret/ });
  });

  it('is done by nobody where it was for an earlier process of that name', async (t) => {
    const { hand, agent } = await runAndAgent(t, async () => assert.fail('it is not asked'));
    agent.instance = 'a later one';
    await assert.rejects(hand().ended, {
      code: 'HOST',
      message: /^host b: its agent failed: it refuses an order that was not sealed for it/,
    });
  });

  it('that is stopped before it was sent is never sent', async (t) => {
    const { hand, parts, engine } = await runAndAgent(t, async () => assert.fail('it is not asked'));
    hand().stop();
    await until(() => parts.length === 3);
    await turns();
    assert.deepEqual([parts[0].calls, engine.pending.size], [[], 0]);
  });

  it('that is stopped while it is worked at is stopped there as well, and the next one is done', async (t) => {
    /** @type {any[]} */
    const begun = [];
    const { hand, engine, keys } = await runAndAgent(t, async (_order, launch) => {
      begun.push(launch);
      return launch.launchId === 'l1' ? untilStopped(launch) : { status: 'worked' };
    });
    const { stop } = hand();
    await until(() => begun.length === 1);
    t.mock.timers.tick(500);
    await turns();
    assert.equal(begun[0].signal.aborted, false, 'its turn lasts');
    stop();
    assert.equal(keys.get(turnKeyOf('b')), `${engine.runId} stopped`);
    t.mock.timers.tick(500);
    await turns();
    assert.match(begun[0].signal.reason.message, /^the run has gone on without it, or is gone$/);
    assert.deepEqual(await hand('l2').ended, { status: 'worked' });
  });

  it('ends where the Redis of the run is gone, at both its ends, with the reason and without its password', async (t) => {
    /** @type {any[]} */
    const begun = [];
    const { hand, engine, agent } = await runAndAgent(t, (_order, launch) => {
      begun.push(launch);
      return untilStopped(launch);
    });
    const { ended } = hand();
    await until(() => begun.length === 1);
    engine.client.emit('close');
    await assert.rejects(ended, ({ code, message }) => {
      assert.equal(code, 'HOST');
      assert.match(message, /^the Redis of --agents at redis:.*10\.0\.0\.1:6379 broke off the connection$/);
      assert.doesNotMatch(message, /hidden/);
      return true;
    });
    let nowMs = performance.now();
    t.mock.method(performance, 'now', () => nowMs);
    /** @type {any} */ (agent.client).status = 'reconnecting';
    for (let looks = 0; looks < 20; looks += 1) {
      nowMs += 500;
      t.mock.timers.tick(500);
      await turn();
    }
    assert.match(begun[0].signal.reason.message, /^the Redis of the run does not answer$/);
  });

  it('fails when its agent is stalled, or answers with another secret', async (t) => {
    let count = 0;
    const { hand, parts, engine, agent } = await runAndAgent(t, (_order, launch) => {
      count += 1;
      return untilStopped(launch);
    });
    const stalled = hand();
    await until(() => count === 1);
    parts[1].emit('stalled', { jobId: `${engine.runId}-1` });
    parts[1].emit('stalled', { jobId: 'of another run' });
    await assert.rejects(stalled.ended, {
      code: 'HOST',
      message: /^host b: its agent has not been heard for 3 s/,
    });
    const forged = hand();
    await until(() => count === 2);
    const jobId = `${engine.runId}-2`;
    parts[1].emit('progress', { jobId, data: { sealed: agent.seal.close({ news: 'x' }, 'news of c 1') } });
    const sealed = agent.seal.close({ status: 'worked' }, 'end of another order');
    parts[1].emit('completed', { jobId, returnvalue: { sealed } });
    await assert.rejects(forged.ended, {
      code: 'HOST',
      message: 'host b: its agent uses another secret',
    });
  });

  it('is renewed each second as long as the run is there, and no trace of it is left', async (t) => {
    const { hand, engine, keys, parts, clients } = await runAndAgent(t, async () => ({ status: 'worked' }));
    await hand().ended;
    keys.delete(turnKeyOf('b'));
    t.mock.timers.tick(1_000);
    assert.equal(keys.get(turnKeyOf('b')), `${engine.runId} l1`);
    keys.delete(turnKeyOf('b'));
    /** @type {any} */ (engine.client).status = 'reconnecting';
    t.mock.timers.tick(1_000);
    assert.equal(keys.has(turnKeyOf('b')), false);
    /** @type {any} */ (engine.client).status = 'ready';
    t.mock.timers.tick(1_000);
    engine.client.duplicate();
    await engine.close();
    assert.equal(keys.has(turnKeyOf('b')), false);
    t.mock.timers.tick(5_000);
    assert.equal(keys.has(turnKeyOf('b')), false);
    assert.ok(
      parts.every(({ calls }) =>
        calls.some((/** @type {any[]} */ [what, isForced]) => what === 'close' && isForced),
      ),
    );
    assert.deepEqual(parts[0].calls.at(-2), ['trim', 0]);
    assert.deepEqual(
      clients.map(({ isConnected }) => isConnected),
      [true, false, false],
      'that of the agent is the agent’s',
    );
  });
});

describe('an agent by BullMQ', () => {
  /** @param {ReturnType<typeof serverOf>} server */
  const agentAt = ({ client }, /** @type {string[]} */ lost = []) =>
    new BullmqAgent(client(), {
      name: 'b',
      secret: SECRET,
      obey: async () => assert.fail('it has no orders'),
      onLost: ({ message }) => lost.push(message),
    });

  it('says that it is there for 3 s at a time, and anew', async () => {
    const server = serverOf();
    const agent = agentAt(server);
    await agent.takeName();
    const key = presenceKeyOf('b');
    assert.deepEqual(server.sets, [[key, 'PX', 3_000, 'NX']]);
    assert.equal(server.keys.get(key), agent.presence);
    server.keys.delete(key); // the server was restarted
    await agent.renew();
    assert.equal(server.keys.get(key), agent.presence);
    assert.deepEqual(server.sets[1], [key, 'PX', 3_000]);
    /** @type {any} */ (agent.client).status = 'reconnecting';
    await agent.renew();
    assert.equal(server.sets.length, 2);
  });

  it('waits 4 s for a name that is taken, and is refused then', async (t) => {
    const server = serverOf();
    server.keys.set(presenceKeyOf('b'), 'another');
    let nowMs = 0;
    t.mock.method(performance, 'now', () => nowMs);
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const taking = agentAt(server).takeName();
    let isSettled = false;
    const refused = assert
      .rejects(taking, { code: 'HOST', message: /^--name: there is an agent b at this Redis already; give/ })
      .then(() => {
        isSettled = true;
      });
    while (nowMs < 4_000) {
      await turns(3);
      assert.equal(isSettled, false);
      nowMs += 500;
      t.mock.timers.tick(500);
    }
    await turns(3);
    nowMs += 500;
    t.mock.timers.tick(500);
    await refused;
  });

  it('takes a name that becomes free meanwhile', async (t) => {
    const server = serverOf();
    server.keys.set(presenceKeyOf('b'), 'one that was killed');
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const agent = agentAt(server);
    const taking = agent.takeName();
    await turns(3);
    server.keys.delete(presenceKeyOf('b'));
    t.mock.timers.tick(500);
    await taking;
    assert.equal(server.keys.get(presenceKeyOf('b')), agent.presence);
  });

  it('ends where another one has taken its place, and leaves that one its name', async () => {
    const server = serverOf();
    /** @type {string[]} */
    const lost = [];
    const agent = agentAt(server, lost);
    await agent.takeName();
    server.keys.set(presenceKeyOf('b'), 'another');
    await agent.renew();
    assert.match(
      lost[0],
      /^another agent calls itself b: it took its place while this one was not heard for 3 s$/,
    );
    assert.equal(server.keys.get(presenceKeyOf('b')), 'another');
  });

  it('leaves nothing behind', async () => {
    const server = serverOf();
    const agent = agentAt(server);
    await agent.takeName();
    /** @type {string[]} */
    const calls = [];
    const part = (/** @type {string} */ name) =>
      /** @type {any} */ ({
        close: async () => calls.push(`${name} is closed`),
        obliterate: async () => calls.push(`${name} is emptied`),
      });
    Object.assign(agent, { worker: part('worker'), queue: part('queue') });
    await agent.close();
    assert.deepEqual(calls, ['worker is closed', 'queue is emptied', 'queue is closed']);
    assert.equal(server.keys.size, 0);
    assert.equal(server.clients[0].isConnected, false);
  });
});

describe('connections to a Redis that is gone', () => {
  it('are all ended after a second, whatever still waits for it', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const { client, bullmq } = serverOf();
    const first = client();
    const all = trackConnections(first);
    const second = first.duplicate();
    openLane(bullmq, 'b', first);
    assert.deepEqual(all, [first, second]);
    const left = leftInTime(new Promise(() => {}), all);
    t.mock.timers.tick(999);
    await turns();
    assert.equal(first.isConnected, true);
    t.mock.timers.tick(1);
    await left;
    assert.deepEqual([first.isConnected, second.isConnected], [false, false]);
  });
});
