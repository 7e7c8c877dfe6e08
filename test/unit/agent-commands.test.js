// Commands from a run to agents and their results, over a fake Redis and a fake BullMQ.

import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { describe, it } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { CommandReceiver } from '../../lib/hosts/command-receiver.js';
import { CommandSender } from '../../lib/hosts/command-sender.js';
import { leaveInTime, ownerKeyOf, presenceKeyOf, trackConnections } from '../../lib/hosts/control-redis.js';
import { keepPresence, Presence, renewPresence } from '../../lib/hosts/presence.js';

/** @import { TestContext } from 'node:test' */

const SECRET = 'a secret that is long enough';
const OTHER_SECRET = 'another one, as long as that';
const URL = 'redis://:hidden@10.0.0.1:6379';
const turns = async (count = 20) => {
  for (let times = 0; times < count; times += 1) await turn();
};

/** @param {() => boolean} isSo */
async function until(isSo) {
  while (!isSo()) await turn();
}

/** @template T @param {() => T | undefined} find @returns {Promise<T>} */
async function untilFound(find) {
  for (;;) {
    const found = find();
    if (found !== undefined) return found;
    await turn();
  }
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
  /** @type {any[]} */
  const jobs = [];

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

    /** @param {string} key   of a job */
    async exists(key) {
      return Number(jobs.some(({ id, isLost }) => key === id && !isLost));
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
  class QueueEvents extends Part {
    /** @returns {Promise<void>} settles when reading ends */
    run() {
      return new Promise((_, reject) => {
        this.fail = reject;
      });
    }
  }
  class Queue extends Part {
    /** @param {string} name */
    toKey(name) {
      return name;
    }

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
      jobs.push(job);
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
  return { keys, sets, parts, clients, agents, jobs, bullmq, client };
}

/**
 * @param {ReturnType<typeof makeServer>} server
 * @param {import('../../lib/types/index.js').CommandHandler} [handle]
 * @param {string} [secret]
 */
async function agentAt({ client }, handle = notCalled, secret = SECRET) {
  return new CommandReceiver(client(), { presence: await Presence.derive('b', secret), secret, handle });
}

/**
 * @param {TestContext} t
 * @param {(command: any, context: any) => Promise<any>} handle
 * @param {{ secret?: string }} [how]
 */
async function runAndAgent(t, handle, { secret = SECRET } = {}) {
  t.mock.timers.enable({ apis: ['setInterval'] });
  let nowMs = 1_000; // time of the agent
  t.mock.method(process.hrtime, 'bigint', () => BigInt(nowMs) * 1_000_000n);
  const server = makeServer();
  const agent = await agentAt(server, /** @type {any} */ (handle), secret);
  /** @type {string[]} */
  const warnings = [];
  agent.warn = (what) => warnings.push(what);
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
  /** @param {number} ms   in steps of 500 ms, the interval of looks */
  const pass = async (ms) => {
    for (let passed = 0; passed < ms; passed += 500) {
      nowMs += 500;
      await showPresence();
      t.mock.timers.tick(500);
      await turns();
    }
  };
  const showPresence = async () => {
    const shown = server.keys.get(presenceKeyOf('b')) ?? null;
    if (agent.presence.readTimeMs(shown) !== undefined)
      server.keys.set(presenceKeyOf('b'), agent.presence.write());
  };
  /** @param {number} ms   during which no timer fires */
  const pause = async (ms) => {
    nowMs += ms;
    await showPresence();
    t.mock.timers.tick(500);
    await turns();
  };
  /** @returns {unknown} the run and the launch that use the agent */
  const owner = () => {
    const { timeMs: _ofAgent, ...who } = agent.seal.open(server.keys.get(ownerKeyOf('b')), 'owner of b');
    return who;
  };
  return { ...server, agent, sender, send, events, pass, pause, owner, warnings };
}

/** @param {{ signal: AbortSignal }} context @returns {Promise<any>} */
const untilAborted = ({ signal }) =>
  new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve({ status: 'refused', message: signal.reason.message }));
  });
const notCalled = async () => assert.fail('the agent executes a command');

describe('a command to an agent', () => {
  it('returns its result and its events, and claims the agent for the launch', async (t) => {
    const { send, events, sender, owner, parts, sets } = await runAndAgent(
      t,
      async (command, { launchId, onEvent }) => {
        onEvent({ event: 'phase', phase: `${command.kind} ${launchId}` });
        assert.deepEqual(owner(), { run: sender.runId, launchId });
        return { status: 'workers-ended' };
      },
    );
    assert.deepEqual(await send(), { status: 'workers-ended' });
    assert.deepEqual(events, [{ event: 'phase', phase: 'workers l1' }]);
    assert.deepEqual(await send('l2'), { status: 'workers-ended' });
    assert.equal(events[1].phase, 'workers l2');
    const kept = { run: sender.runId, launchId: 'stopped' };
    assert.deepEqual(owner(), kept, 'other runs do not get it in between');
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
    const { send } = await runAndAgent(t, notCalled, { secret: OTHER_SECRET });
    await assert.rejects(send(), { code: 'HOST', message: /host b: its agent holds another secret/ });
  });

  it('is not executed by a later process of the same name', async (t) => {
    const { send, agent } = await runAndAgent(t, notCalled);
    agent.seal = (await Presence.derive('b', SECRET)).seal;
    await assert.rejects(send(), {
      code: 'HOST',
      message: /^host b: its agent failed: it refuses a command that was not sealed for it/,
    });
  });

  it('is executed once, however often and whenever it is added, and the agent reports the others', async (t) => {
    let count = 0;
    const { send, sender, agent, keys, jobs, warnings } = await runAndAgent(t, async () => {
      count += 1;
      return { status: 'workers-ended' };
    });
    const repeated = async () => {
      await assert.rejects(
        agent.execute(jobs[0]),
        /^Error: it refuses a command that it has executed already$/,
      );
      assert.equal(warnings.pop(), 'refuses a command that it has executed already');
    };
    await send();
    await repeated();
    const owner = String(keys.get(ownerKeyOf('b')));
    await send('l2');
    await repeated();
    await sender.close();
    assert.equal(keys.has(ownerKeyOf('b')), false);
    keys.set(ownerKeyOf('b'), owner);
    await repeated();
    assert.equal(count, 2);
    const { id } = jobs[0];
    await assert.rejects(
      agent.execute({ ...jobs[1], id }),
      /it refuses a command that was not sealed for it/,
    );
    assert.deepEqual(warnings, ['refuses a command that was not sealed for it with its secret']);
  });

  it('is refused if the Redis holds it back for more than a minute on the clock of the agent', async (t) => {
    let count = 0;
    const { send, agent, agents, jobs, warnings, pause } = await runAndAgent(t, async () => {
      count += 1;
      return { status: 'workers-ended' };
    });
    agents.delete('b'); // the server does not deliver
    const deliverAfter = async (/** @type {number} */ ms) => {
      send().catch(() => {});
      const job = await untilFound(() => jobs.pop());
      await pause(ms);
      return agent.execute(job).catch((error) => error);
    };
    assert.ok('sealed' in (await deliverAfter(50_000)));
    assert.match(String(await deliverAfter(70_000)), /it refuses a command that arrives after its deadline/);
    assert.deepEqual([count, warnings.length], [1, 1]);
  });

  it('ends when its run sends no heartbeat for 10 s, although the Redis repeats the earlier ones', async (t) => {
    /** @type {any[]} */
    const begun = [];
    const { send, sender, keys, pass } = await runAndAgent(t, (_command, context) => {
      begun.push(context);
      return untilAborted(context);
    });
    send();
    await until(() => begun.length === 1);
    await pass(20_000);
    assert.equal(begun[0].signal.aborted, false, 'the run renews its claim');
    const claim = String(keys.get(ownerKeyOf('b')));
    sender.endChecks(); // as if the run had been killed
    for (let seconds = 0; seconds < 9; seconds += 1) {
      keys.set(ownerKeyOf('b'), seconds % 2 === 0 ? claim : 'x');
      await pass(1_000);
    }
    assert.equal(begun[0].signal.aborted, false, 'other users of the Redis do not end it with one write');
    keys.set(ownerKeyOf('b'), claim);
    await pass(2_000);
    assert.match(begun[0].signal.reason?.message, /does not respond/);
  });

  it('continues when another user of the Redis repeats the claim of an earlier launch', async (t) => {
    /** @type {any[]} */
    const begun = [];
    const { send, keys, pass } = await runAndAgent(t, async (_command, context) => {
      if (context.launchId === 'l1') return { status: 'workers-ended' };
      begun.push(context);
      return untilAborted(context);
    });
    await send('l1');
    const earlier = String(keys.get(ownerKeyOf('b')));
    await pass(1_000);
    send('l2');
    await until(() => begun.length === 1);
    keys.set(ownerKeyOf('b'), earlier);
    await pass(500);
    assert.equal(begun[0].signal.aborted, false);
  });

  it('continues after pauses of both processes, in which they receive nothing', async (t) => {
    /** @type {any[]} */
    const begun = [];
    const { send, sender, agent, pause } = await runAndAgent(t, (_command, context) => {
      begun.push(context);
      return untilAborted(context);
    });
    send();
    await until(() => begun.length === 1);
    sender.client.mget = () => new Promise(() => {});
    agent.client.get = () => new Promise(() => {});
    for (let pauses = 0; pauses < 9; pauses += 1) await pause(60_000);
    assert.deepEqual([begun[0].signal.aborted, sender.pending.size], [false, 1]);
  });

  it('is never sent if it was aborted before', async (t) => {
    const { send, parts, sender } = await runAndAgent(t, notCalled);
    await sender.findAgent('b'); // derives the key, which takes longer than the turns below
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
    const { send, sender, owner, pass } = await runAndAgent(t, async (_command, context) => {
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
    assert.deepEqual(owner(), { run: sender.runId, launchId: 'stopped' });
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
    assert.match(begun[0].signal.reason.message, /^the run or its Redis does not respond$/);
  });

  const LOSSES = /** @type {[string, (server: any) => unknown, RegExp][]} */ ([
    [
      'the agent is gone',
      ({ keys }) => keys.delete(presenceKeyOf('b')),
      /^host b: .*sent no heartbeat for 10 s/,
    ],
    [
      'another process has its name',
      async ({ keys }) => keys.set(presenceKeyOf('b'), (await Presence.derive('b', SECRET)).write()),
      /^host b: .*sent no heartbeat for 10 s/,
    ],
    [
      'another key is presented as that of the agent',
      ({ keys, agent }) =>
        keys.set(presenceKeyOf('b'), new Presence('c', agent.presence.instance, agent.seal).write()),
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
      await harm(server);
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

  it('fails if an event of its agent cannot be read, and the next one is executed', async (t) => {
    let count = 0;
    const { send, parts, keys } = await runAndAgent(t, async (_command, context) => {
      count += 1;
      return count === 1 ? untilAborted(context) : { status: 'workers-ended' };
    });
    const sending = send('l1');
    await until(() => count === 1);
    keys.set('events', 'of another program');
    parts[1].fail(new SyntaxError('no JSON'));
    await assert.rejects(sending, { code: 'HOST', message: /^host b: its agent .*no JSON.*use a Redis/ });
    await until(() => !keys.has('events'));
    assert.deepEqual(await send('l2'), { status: 'workers-ended' });
  });

  it('fails if its job does not exist for 10 s, so that no event will come', async (t) => {
    let count = 0;
    const { send, jobs, sender, pass } = await runAndAgent(t, (_command, context) => {
      count += 1;
      return untilAborted(context);
    });
    const sending = send();
    await until(() => count === 1);
    await pass(30_000);
    jobs[0].isLost = true;
    await pass(9_500);
    assert.equal(sender.pending.size, 1);
    await pass(500);
    await assert.rejects(sending, {
      code: 'HOST',
      message: /^host b: its agent returned no result.*use a Redis/,
    });
  });

  it('fails at its deadline, although its agent is alive', async (t) => {
    const { sender } = await runAndAgent(t, (_command, context) => untilAborted(context));
    const { signal } = new AbortController();
    const command = /** @type {any} */ ({ kind: 'describe' });
    await assert.rejects(sender.send('b', 'describe', command, { signal, deadlineMs: 50 }), {
      code: 'HOST',
      message: /^host b: its agent did not execute describe within 50 ms: restart it/,
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

  it('reports each event of the agent once, although the Redis repeats them', async (t) => {
    /** @type {any} */
    let context;
    const { send, parts, events } = await runAndAgent(t, (_command, given) => {
      context = given;
      return untilAborted(given);
    });
    send();
    await until(() => context !== undefined);
    parts[1].on('progress', (/** @type {any} */ event) => {
      if (!('again' in event)) parts[1].emit('progress', { ...event, again: true });
    });
    for (const phase of ['connect', 'warm-up', 'connect']) context.onEvent({ event: 'phase', phase });
    await turns();
    assert.deepEqual(
      events.map(({ phase }) => phase),
      ['connect', 'warm-up', 'connect'],
    );
  });

  it('renews its claim each second while the run lasts, and leaves no trace', async (t) => {
    const { send, sender, keys, owner, parts, clients, pass } = await runAndAgent(t, async () => ({
      status: 'workers-ended',
    }));
    await send();
    keys.delete(ownerKeyOf('b'));
    await pass(1_000);
    assert.deepEqual(owner(), { run: sender.runId, launchId: 'stopped' });
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
  it('renews its presence, but not if another one with its secret has taken its name', async () => {
    const server = makeServer();
    const agent = await agentAt(server);
    await agent.takeName();
    const { client, presence } = agent;
    const key = presenceKeyOf('b');
    const renewed = () => renewPresence(client, presence, SECRET);
    const isShown = () => presence.readTimeMs(server.keys.get(key) ?? null) !== undefined;
    assert.deepEqual(server.sets, [[key, 'PX', 10_000, 'NX']]);
    assert.equal(await renewed(), 'renewed');
    server.keys.delete(key); // the server was restarted
    assert.equal(await renewed(), 'renewed');
    assert.ok(isShown());
    assert.deepEqual(server.sets.slice(1), [
      [key, 'PX', 10_000],
      [key, 'PX', 10_000],
    ]);
    const another = (await Presence.derive('b', SECRET)).write();
    server.keys.set(key, another);
    assert.equal(await renewed(), 'lost');
    assert.equal(server.keys.get(key), another);
  });

  it('overwrites a presence that was not written with its secret', async () => {
    const server = makeServer();
    const { client, presence } = await agentAt(server);
    const key = presenceKeyOf('b');
    const ofOther = (await Presence.derive('b', OTHER_SECRET)).write();
    const otherName = (await Presence.derive('c', SECRET)).write();
    for (const value of ['x', '', ofOther, otherName, `${presence.instance} x`, `${'0'.repeat(32)} x`]) {
      server.keys.set(key, value);
      assert.equal(await renewPresence(client, presence, SECRET), 'restored', value);
      assert.equal(presence.readTimeMs(server.keys.get(key) ?? null) !== undefined, true);
      assert.equal(await renewPresence(client, presence, SECRET), 'renewed');
    }
    const { get } = client;
    client.get = () => Promise.reject(new Error('WRONGTYPE Operation against a key'));
    assert.equal(await renewPresence(client, presence, SECRET), 'restored');
    client.get = get;
    assert.equal(await renewPresence(client, presence, SECRET), 'renewed');
  });

  it('cannot take a name that another one has, and says whether that one has its secret', async (t) => {
    let nowMs = 0;
    t.mock.method(performance, 'now', () => {
      nowMs += 20_000;
      return nowMs;
    });
    const server = makeServer();
    await (await agentAt(server)).takeName();
    const refusal = (/** @type {RegExp} */ message) => ({ code: 'HOST', message });
    await assert.rejects(
      (await agentAt(server)).takeName(),
      refusal(/there is an agent b at this Redis already/),
    );
    const other = await agentAt(server, notCalled, OTHER_SECRET);
    await assert.rejects(
      other.takeName(),
      refusal(/ipc-bench:present:b .* was not written with this secret/),
    );
  });

  it('shares no key with another agent of the same secret', async () => {
    const [one, other] = await Promise.all(['b', 'c'].map((name) => Presence.derive(name, SECRET)));
    assert.equal(other.seal.open(one.seal.close(1, 'x'), 'x'), undefined);
  });

  it('leaves nothing behind', async () => {
    const server = makeServer();
    const agent = await agentAt(server);
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

  it('reports once that its Redis has not responded for 10 s, and whether it is connected does not matter', async (t) => {
    t.mock.timers.enable({ apis: ['setInterval'] });
    const { client, presence } = await agentAt(makeServer());
    let reports = 0;
    keepPresence(client, presence, SECRET, (state) => {
      reports += Number(state === 'gone');
    });
    const pass = async (/** @type {number} */ seconds) => {
      for (let passed = 0; passed < seconds; passed += 1) {
        t.mock.timers.tick(1_000);
        await turns();
      }
    };
    const { get } = client;
    const losses = [
      () => Object.assign(client, { status: 'reconnecting' }),
      () => Object.assign(client, { get: () => new Promise(() => {}) }),
    ];
    for (const lose of losses) {
      reports = 0;
      await pass(1);
      lose();
      await pass(9);
      assert.equal(reports, 0);
      await pass(30);
      assert.equal(reports, 1);
      Object.assign(client, { status: 'ready', get });
    }
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
