// Commands from a run to agents and their results, over a fake Redis and a fake BullMQ.

import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { describe, it } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { CommandReceiver } from '../../lib/hosts/command-receiver.js';
import { CommandSender } from '../../lib/hosts/command-sender.js';
import {
  leaveInTime,
  ownerKeyOf,
  presenceKeyOf,
  renewPresence,
  trackConnections,
} from '../../lib/hosts/control-redis.js';

/** @import { TestContext } from 'node:test' */

const SECRET = 'a secret that is long enough';
const URL = 'redis://:hidden@10.0.0.1:6379';
const turns = async (count = 20) => {
  for (let times = 0; times < count; times += 1) await turn();
};

/** @param {() => boolean} isSo */
async function until(isSo) {
  while (!isSo()) await turn();
}

function makeServer() {
  /** @type {Map<string, string>} */
  const keys = new Map();
  /** @type {[string, ...unknown[]][]} */
  const sets = [];
  /** @type {any[]} */
  const parts = [];
  /** @type {any[]} */
  const clients = [];
  /** @type {Map<string, CommandReceiver>} */
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

    async *scanStream() {
      yield [...keys.keys()].filter((key) => key.startsWith(presenceKeyOf('')));
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

    async close() {
      this.calls.push(['close']);
    }
  }
  class QueueEvents extends Part {}
  class Queue extends Part {
    /** @param {string} kind @param {{ sealed: string }} data @param {any} how */
    async add(kind, data, how) {
      const { jobId } = how;
      this.calls.push([kind, how]);
      const events = parts.find((part) => part instanceof QueueEvents && part.name === this.name);
      const job = {
        id: jobId,
        data,
        updateProgress: async (/** @type {any} */ event) => events.emit('progress', { jobId, data: event }),
      };
      agents
        .get(this.name.replace('agent-', ''))
        ?.execute(/** @type {any} */ (job))
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
  const bullmq = /** @type {any} */ ({ Queue, QueueEvents });
  const client = () => /** @type {any} */ (new Client());
  return { keys, sets, parts, clients, agents, bullmq, client };
}

/**
 * @param {TestContext} t
 * @param {(command: any, context: any) => Promise<any>} handle
 * @param {{ secret?: string }} [how]
 */
async function runAndAgent(t, handle, { secret = SECRET } = {}) {
  t.mock.timers.enable({ apis: ['setInterval'] });
  let nowMs = 1_000; // whole: the steps of a fraction may add up to a little less than 10 s
  t.mock.method(performance, 'now', () => nowMs);
  const server = makeServer();
  const agent = new CommandReceiver(server.client(), {
    name: 'b',
    secret,
    handle: /** @type {any} */ (handle),
  });
  await agent.takeName();
  server.agents.set('b', agent);
  const sender = new CommandSender(URL, SECRET, server.client(), server.bullmq);
  t.after(() => sender.close());
  /** @type {any[]} */
  const events = [];
  const send = (launchId = 'l1', signal = new AbortController().signal) => {
    const command = /** @type {any} */ ({ kind: 'workers' });
    const result = sender.send('b', launchId, command, { signal, onEvent: (event) => events.push(event) });
    result.catch(() => {});
    return result;
  };
  /** @param {number} ms   in steps of 500 ms, the interval of a heartbeat */
  const pass = async (ms) => {
    for (let passed = 0; passed < ms; passed += 500) {
      nowMs += 500;
      t.mock.timers.tick(500);
      await turn();
    }
  };
  return { ...server, agent, sender, send, events, pass };
}

/** @param {{ signal: AbortSignal }} context @returns {Promise<any>} */
const untilAborted = ({ signal }) =>
  new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve({ status: 'refused', message: signal.reason.message }));
  });
const notCalled = async () => assert.fail('the agent executes a command');

describe('a command to an agent', () => {
  it('returns its result and its events, and claims the agent for the launch', async (t) => {
    const { send, events, sender, keys, parts, sets } = await runAndAgent(
      t,
      async (command, { launchId, onEvent }) => {
        onEvent({ event: 'phase', phase: `${command.kind} ${launchId}` });
        assert.equal(keys.get(ownerKeyOf('b')), `${sender.runId} ${launchId}`);
        return { status: 'workers-ended' };
      },
    );
    assert.deepEqual(await send(), { status: 'workers-ended' });
    assert.deepEqual(events, [{ event: 'phase', phase: 'workers l1' }]);
    assert.deepEqual(await send('l2'), { status: 'workers-ended' });
    assert.equal(events[1].phase, 'workers l2');
    assert.equal(keys.get(ownerKeyOf('b')), `${sender.runId} stopped`, 'other runs do not get it in between');
    assert.equal(sender.pending.size, 0);
    const [queue, queueEvents] = parts;
    assert.equal(parts.length, 2, 'an agent has one queue');
    const once = { jobId: `${sender.runId}-1`, attempts: 1, removeOnComplete: true, removeOnFail: true };
    assert.deepEqual(queue.calls[0], ['workers', once]);
    assert.deepEqual([queue.options.prefix, queueEvents.options.lastEventId], ['ipc-bench', '0-0']);
    for (const [, px, ms] of sets) assert.deepEqual([px, ms], ['PX', 10_000]);
    for (const part of parts) part.emit('error', new Error('repeats that of the connection'));
  });

  it('fails if another run uses the agent', async (t) => {
    const { send, keys } = await runAndAgent(t, notCalled);
    keys.set(ownerKeyOf('b'), 'another run');
    await assert.rejects(send(), { code: 'HOST', message: /^host b is used by another run: wait/ });
    assert.equal(keys.get(ownerKeyOf('b')), 'another run');
  });

  it('fails if the agent has another secret, and says what to do', async (t) => {
    const { send } = await runAndAgent(t, notCalled, { secret: 'another one, as long as that' });
    await assert.rejects(send(), { code: 'HOST', message: /host b: its agent holds another secret/ });
  });

  it('is not executed by a later process of the same name', async (t) => {
    const { send, agent } = await runAndAgent(t, notCalled);
    agent.instance = 'a later one';
    await assert.rejects(send(), {
      code: 'HOST',
      message: /^host b: its agent failed: it refuses a command that was not sealed for it/,
    });
  });

  it('is never sent if it was aborted before', async (t) => {
    const { send, parts, sender } = await runAndAgent(t, notCalled);
    const controller = new AbortController();
    const sending = send('l1', controller.signal);
    controller.abort(new Error('stop'));
    await assert.rejects(sending, /^Error: stop$/);
    await assert.rejects(send('l1', controller.signal), /^Error: stop$/);
    await turns();
    assert.deepEqual([parts.flatMap(({ calls }) => calls), sender.pending.size], [[], 0]);
  });

  it('stops at the agent when it is aborted, and the next one is executed', async (t) => {
    /** @type {any[]} */
    const begun = [];
    const { send, sender, keys, pass } = await runAndAgent(t, async (_command, context) => {
      begun.push(context);
      return context.launchId === 'l1' ? untilAborted(context) : { status: 'workers-ended' };
    });
    const controller = new AbortController();
    const sending = send('l1', controller.signal);
    await until(() => begun.length === 1);
    await pass(500);
    assert.equal(begun[0].signal.aborted, false);
    controller.abort();
    await assert.rejects(sending);
    assert.equal(keys.get(ownerKeyOf('b')), `${sender.runId} stopped`);
    await pass(500);
    assert.match(begun[0].signal.reason.message, /^the run continued without it, or has ended$/);
    assert.deepEqual(await send('l2'), { status: 'workers-ended' });
  });

  it('ends at both ends if the Redis is gone, without its password in the message', async (t) => {
    /** @type {any[]} */
    const begun = [];
    const { send, sender, agent, pass } = await runAndAgent(t, (_command, context) => {
      begun.push(context);
      return untilAborted(context);
    });
    const sending = send();
    await until(() => begun.length === 1);
    sender.client.emit('close');
    await assert.rejects(sending, ({ code, message }) => {
      assert.equal(code, 'HOST');
      assert.match(message, /^the Redis of --agents at redis:.*10\.0\.0\.1:6379 broke off the connection$/);
      assert.doesNotMatch(message, /hidden/);
      return true;
    });
    /** @type {any} */ (agent.client).status = 'reconnecting';
    await pass(9_500);
    assert.equal(begun[0].signal.aborted, false);
    await pass(500);
    assert.match(begun[0].signal.reason.message, /^the Redis of the run does not answer$/);
  });

  const LOSSES = /** @type {[string, (server: any) => void, RegExp][]} */ ([
    [
      'the agent is gone',
      ({ keys }) => keys.delete(presenceKeyOf('b')),
      /^host b: .*sent no heartbeat for 10 s/,
    ],
    [
      'another process has its name',
      ({ keys, agent }) =>
        keys.set(presenceKeyOf('b'), agent.seal.close({ instance: 'another' }, 'presence of b')),
      /^host b: .*sent no heartbeat for 10 s/,
    ],
    [
      'another key is presented as that of the agent',
      ({ keys, agent }) =>
        keys.set(presenceKeyOf('b'), agent.seal.close({ instance: agent.instance }, 'presence of c')),
      /^host b: .*sent no heartbeat for 10 s/,
    ],
  ]);
  for (const [what, harm, message] of LOSSES)
    it(`fails at the next look if ${what}`, async (t) => {
      let count = 0;
      const { send, pass, ...server } = await runAndAgent(t, (_command, context) => {
        count += 1;
        return untilAborted(context);
      });
      const sending = send();
      await until(() => count === 1);
      harm(server);
      await pass(500);
      await assert.rejects(sending, { code: 'HOST', message });
    });

  it('fails if the Redis does not respond for 10 s', async (t) => {
    let count = 0;
    const { send, sender, pass } = await runAndAgent(t, (_command, context) => {
      count += 1;
      return untilAborted(context);
    });
    const sending = send();
    await until(() => count === 1);
    sender.client.mget = () => new Promise(() => {});
    await pass(9_500);
    assert.equal(sender.pending.size, 1);
    await pass(500);
    await assert.rejects(sending, {
      code: 'HOST',
      message: /^the Redis of --agents at .* does not respond$/,
    });
  });

  it('ignores events and results that were sealed for something else', async (t) => {
    let count = 0;
    const { send, parts, sender, agent, events } = await runAndAgent(t, (_command, context) => {
      count += 1;
      return untilAborted(context);
    });
    const sending = send();
    await until(() => count === 1);
    const jobId = `${sender.runId}-1`;
    parts[1].emit('completed', { jobId: 'of another run', returnvalue: { sealed: '' } });
    parts[1].emit('progress', { jobId, data: { sealed: agent.seal.close({ event: 'x' }, 'event of c 1') } });
    const sealed = agent.seal.close({ status: 'workers-ended' }, 'result of another command');
    parts[1].emit('completed', { jobId, returnvalue: { sealed } });
    await assert.rejects(sending, { code: 'HOST', message: 'host b: its agent uses another secret' });
    assert.deepEqual(events, []);
  });

  it('renews its claim each second while the run lasts, and leaves no trace', async (t) => {
    const { send, sender, keys, parts, clients, pass } = await runAndAgent(t, async () => ({
      status: 'workers-ended',
    }));
    await send();
    keys.delete(ownerKeyOf('b'));
    await pass(1_000);
    assert.equal(keys.get(ownerKeyOf('b')), `${sender.runId} stopped`);
    keys.delete(ownerKeyOf('b'));
    /** @type {any} */ (sender.client).status = 'reconnecting';
    await pass(1_000);
    assert.equal(keys.has(ownerKeyOf('b')), false);
    /** @type {any} */ (sender.client).status = 'ready';
    await pass(1_000);
    sender.client.duplicate();
    await sender.close();
    await pass(5_000);
    assert.equal(keys.has(ownerKeyOf('b')), false);
    for (const { calls } of parts) assert.deepEqual(calls.at(-1), ['close']);
    assert.deepEqual(parts[0].calls.at(-2), ['trim', 0]);
    const connected = clients.map(({ isConnected }) => isConnected);
    assert.deepEqual(connected, [true, false, false], 'the first one is that of the agent');
  });
});

describe('an agent', () => {
  /** @param {ReturnType<typeof makeServer>} server */
  const agentAt = ({ client }) =>
    new CommandReceiver(client(), { name: 'b', secret: SECRET, handle: notCalled });

  it('renews its presence, but not if another one has taken its name', async () => {
    const server = makeServer();
    const agent = agentAt(server);
    await agent.takeName();
    const key = presenceKeyOf('b');
    assert.deepEqual(server.sets, [[key, 'PX', 10_000, 'NX']]);
    assert.equal(await renewPresence(agent.client, key, agent.presence), true);
    server.keys.delete(key); // the server was restarted
    assert.equal(await renewPresence(agent.client, key, agent.presence), true);
    assert.equal(server.keys.get(key), agent.presence);
    assert.deepEqual(server.sets.slice(1), [
      [key, 'PX', 10_000],
      [key, 'PX', 10_000],
    ]);
    server.keys.set(key, 'another');
    assert.equal(await renewPresence(agent.client, key, agent.presence), false);
    assert.equal(server.keys.get(key), 'another');
  });

  it('leaves nothing behind', async () => {
    const server = makeServer();
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

  it('aborts its command when it is closed, and waits for the end of the command', async (t) => {
    /** @type {string[]} */
    const calls = [];
    const { send, agent } = await runAndAgent(t, async (_command, context) => {
      calls.push('begun');
      const { message } = await untilAborted(context);
      await turns();
      calls.push(message);
    });
    send();
    await until(() => calls.length === 1);
    /** @type {any} */ (agent.client).status = 'reconnecting';
    await agent.close();
    assert.deepEqual(calls, ['begun', 'the agent was stopped']);
  });

  it('reports a loss of its Redis once, after 10 s', (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const agent = agentAt(makeServer());
    let reports = 0;
    agent.onGone = () => {
      reports += 1;
    };
    agent.watchServer();
    const loseFor = (/** @type {number} */ seconds) => {
      for (let passed = 0; passed < seconds; passed += 1) {
        agent.client.emit('close');
        t.mock.timers.tick(1_000);
      }
      const reported = reports;
      agent.client.emit('ready');
      t.mock.timers.tick(20_000);
      assert.equal(reports, reported);
      return reported;
    };
    assert.deepEqual([loseFor(9), loseFor(9), loseFor(30), loseFor(10)], [0, 0, 1, 2]);
  });
});

describe('leaving a Redis that is gone', () => {
  it('disconnects all connections after a second', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const first = makeServer().client();
    const all = trackConnections(first);
    const second = first.duplicate();
    assert.deepEqual(all, [first, second]);
    const left = leaveInTime(new Promise(() => {}), all);
    t.mock.timers.tick(999);
    await turns();
    assert.equal(first.isConnected, true);
    t.mock.timers.tick(1);
    await left;
    assert.deepEqual([first.isConnected, second.isConnected], [false, false]);
  });
});
