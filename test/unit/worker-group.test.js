// The processes of a launch as their controller sees them: how they join and leave, and what fails the launch.

import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { describe, it } from 'node:test';
import { setImmediate as nextIteration } from 'node:timers/promises';
import { PROTOCOL_VERSION, protocolProblem, sendHello } from '../../lib/launch/control/protocol.js';
import { Killing } from '../../lib/launch/controller/killing.js';
import { awaitStartUp, dismissGroup } from '../../lib/launch/controller/start-up-barrier.js';
import { WorkerGroup } from '../../lib/launch/controller/worker-group.js';

const ROLES = /** @type {any[]} */ ([
  { name: 'relay', connectsTo: 'master' },
  { name: 'worker', connectsTo: 'relay' },
]);
const SPEC = /** @type {any} */ ({ deadlines: { connectMs: 1_000 } });

/** @param {string[]} ids   'relay' or workers */
function makeGroup(...ids) {
  /** @type {string[]} */
  const log = [];
  /** @type {Record<string, { send: (message: any) => void, end: (code?: number | null, how?: string) => void }>} */
  const players = {};
  const spawn = (/** @type {string} */ id) => {
    const port = Object.assign(new EventEmitter(), {
      connected: true,
      send(/** @type {any} */ message, /** @type {any[]} */ ...rest) {
        log.push(`${id}: ${message.control}${message.address === undefined ? '' : ` ${message.address}`}`);
        const callback = rest.find((arg) => typeof arg === 'function');
        if (callback !== undefined) process.nextTick(callback, null);
        return true;
      },
    });
    let [end, isAlive] = [(/** @type {any} */ _how) => {}, true];
    const ended = new Promise((resolve) => (end = resolve));
    players[id] = {
      send: (message) => port.emit('message', message),
      end(code = 0, how = `ended with code ${code}`) {
        isAlive = false;
        end({ code, how, why: '' });
      },
    };
    const kill = () => log.push(`${id} is killed${isAlive ? '' : ' though dead'}`);
    return { port, ended, identity: `pid of ${id}`, kill, sharesClock: true, pid: null };
  };
  const group = new WorkerGroup({
    processes: ids.map((id) => ({ id, role: /** @type {any} */ ({ name: id === 'relay' ? id : 'worker' }) })),
    cpus: null,
    areThreads: false,
    phase: () => 'measure',
    spawn: /** @type {any} */ (spawn),
  });
  return { group, log, players };
}

describe('awaitStartUp', () => {
  it('lets one role join after the other, each at the address of its role', async () => {
    const { group, log, players } = makeGroup('relay', 'w0', 'w1');
    const roles = [{ ...ROLES[0] }, { ...ROLES[1], connectsTo: 'master' }];
    const joined = awaitStartUp(SPEC, group, roles, 'here');
    await nextIteration();
    assert.deepEqual(log, ['relay: join here']);
    players.relay.send({ control: 'ready', address: 'there' });
    await nextIteration();
    assert.deepEqual(log.slice(1), ['w0: join here', 'w1: join here']);
    players.w0.send({ control: 'ready' });
    let isDone = false;
    joined.then(() => (isDone = true));
    await nextIteration();
    assert.equal(isDone, false);
    players.w1.send({ control: 'ready' });
    await joined;
  });
});

describe('dismissGroup', () => {
  it('lets the roles leave in the opposite order', async () => {
    const { group, log, players } = makeGroup('relay', 'w0');
    const left = dismissGroup(group, ROLES, 1_000);
    assert.deepEqual(log, ['w0: leave']);
    players.w0.end();
    await nextIteration();
    assert.deepEqual(log, ['w0: leave', 'relay: leave']);
    players.relay.end();
    await left;
  });

  it('rejects when a process leaves with an error', async () => {
    const { group, players } = makeGroup('w0');
    const left = dismissGroup(group, [ROLES[1]], 1_000);
    players.w0.end(1);
    await assert.rejects(left, {
      code: 'PROCESS_DIED',
      message: 'worker w0 (pid of w0) ended with code 1 during measure',
    });
  });
});

describe('WorkerGroup', () => {
  it('names the processes whose messages are missing at the deadline', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const { group, players } = makeGroup('w0', 'w1', 'w2');
    const ready = group.receiveAll('ready', 99.6);
    players.w1.send({ control: 'ready' });
    t.mock.timers.tick(100);
    await assert.rejects(ready, {
      code: 'DEADLINE',
      message: 'w0 (pid of w0), w2 (pid of w2) did not connect within 100 ms during measure',
    });
    const done = group.receiveAll('done', 50, 'worker');
    t.mock.timers.tick(50);
    await assert.rejects(done, /did not report within 50 ms/);
    assert.equal(group.listeners.size, 0);
  });

  it('fails a second after a control channel broke, unless its process ends', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const { group } = makeGroup('w0');
    let hasFailed = false;
    group.trouble.catch(() => (hasFailed = true));
    group.miss(group.members[0], 'gibberish');
    t.mock.timers.tick(999);
    await nextIteration();
    assert.equal(hasFailed, false);
    t.mock.timers.tick(1);
    await assert.rejects(group.trouble, {
      code: 'PROTOCOL',
      message:
        'the control channel of worker w0 (pid of w0) broke during measure, and it still runs: gibberish',
    });
  });

  it('fails by the messages of a worker, with its code and the phase', async () => {
    for (const [message, failure] of /** @type {[any, any][]} */ ([
      [
        { control: 'failed', message: 'it broke', code: 'INTEGRITY' },
        { code: 'INTEGRITY', message: 'worker w0 during measure: it broke' },
      ],
      [{ control: 'failed', message: 'it broke' }, { code: 'TRANSPORT' }],
      [
        { control: 'hello', version: -1 },
        { code: 'PROTOCOL', message: /^worker w0: / },
      ],
    ])) {
      const { group, players } = makeGroup('w0');
      players.w0.send(message);
      await assert.rejects(group.trouble, failure);
    }
  });

  it('forgets messages that are awaited again', () => {
    const { group, players } = makeGroup('w0');
    assert.equal(group.haveAllSent('warm'), false);
    players.w0.send({ control: 'warm' });
    assert.equal(group.haveAllSent('warm'), true);
    players.w0.send({ control: 'connected' });
    group.forget('connected');
    assert.deepEqual([...group.members[0].messages.keys()], ['warm']);
    assert.equal(group.threadIds(), undefined);
    assert.deepEqual(
      [group.playing().length, group.playing('worker').length, group.playing('relay')],
      [1, 1, []],
    );
  });
});

describe('a frame that ends in the middle', () => {
  const BROKEN = Object.assign(
    new Error('the master closed the channel of w0: the stream ended within a frame'),
    {
      code: 'PROTOCOL',
    },
  );

  it('is explained by the death of its worker', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const { group, players } = makeGroup('w0');
    group.onHangUp('w0', BROKEN);
    players.w0.end(null, 'was killed by SIGKILL');
    await assert.rejects(group.trouble, { code: 'PROCESS_DIED', message: /w0 .* was killed by SIGKILL/ });
  });

  it('fails the launch with the reason of the master if its worker lives', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const { group, players } = makeGroup('w0');
    group.onHangUp('w0', BROKEN);
    players.w0.send({ control: 'failed', message: 'its channel closed', isHangUp: true });
    t.mock.timers.tick(1_000);
    await assert.rejects(group.trouble, { code: 'PROTOCOL', message: BROKEN.message });
  });

  for (const [whose, prepare] of /** @type {[string, (group: WorkerGroup) => void][]} */ ([
    ['killed by its scenario', (group) => group.killOne(group.members[0])],
    ['dismissed', (group) => group.dismiss()],
  ])) {
    it(`does not fail the launch if its worker was ${whose}`, async (t) => {
      t.mock.timers.enable({ apis: ['setTimeout'] });
      const { group } = makeGroup('w0');
      prepare(group);
      group.onHangUp('w0', BROKEN);
      t.mock.timers.tick(1_000);
      assert.equal(await Promise.race([group.trouble, Promise.resolve('no trouble')]), 'no trouble');
    });
  }
});

describe('Killing', () => {
  it('kills the last workers, whose reports are not awaited any more', async () => {
    const { group, log, players } = makeGroup('w0', 'w1', 'w2');
    const killing = new Killing(2, group);
    /** @type {string[]} */
    const calls = [];
    const endpoint = {
      killing: () => calls.push('killing'),
      gone: (/** @type {string} */ id) => calls.push(id),
    };
    const killed = killing.kill(/** @type {any} */ (endpoint));
    assert.deepEqual([log, calls], [['w1 is killed', 'w2 is killed'], ['killing']]);
    players.w2.end(137);
    await nextIteration();
    assert.deepEqual(calls, ['killing', 'w2']);
    players.w1.end(137);
    await killed;
    assert.deepEqual(calls, ['killing', 'w2', 'w1']);
    const done = group.receiveAll('done', 1_000);
    players.w0.send({ control: 'done' });
    assert.equal((await done).length, 1);
    group.kill();
    assert.deepEqual(log.slice(2), ['w0 is killed']);
  });

  it('keeps what a killed worker has cost since the window opened', {
    skip: process.platform !== 'linux',
  }, async () => {
    const { group, players } = makeGroup('w0');
    group.members[0].worker.pid = process.pid;
    const killing = new Killing(1, group);
    killing.open();
    const killed = killing.kill(/** @type {any} */ ({}));
    players.w0.end(137);
    await killed;
    assert.deepEqual(
      killing.costs.map(({ name, role }) => [name, role]),
      [['w0', 'worker']],
    );
    const own = /** @type {any} */ ({ userUs: 500, systemUs: 100 });
    assert.equal(new Killing(0, group).without(own), own);
  });
});

describe('sendHello', () => {
  it('sends the version of the protocol, and another one is a problem', () => {
    /** @type {any[]} */
    const sent = [];
    sendHello((message) => sent.push(message));
    const [hello] = sent;
    assert.deepEqual([hello.control, hello.version], ['hello', process.versions[hello.runtime]]);
    assert.equal(protocolProblem(hello), null);
    const other = { ...hello, runtime: 'bun', version: '1.2', protocol: PROTOCOL_VERSION + 1 };
    assert.match(
      String(protocolProblem(other)),
      new RegExp(
        `bun 1.2 uses version ${PROTOCOL_VERSION + 1} .* this is version ${PROTOCOL_VERSION}: use one version`,
      ),
    );
  });
});
