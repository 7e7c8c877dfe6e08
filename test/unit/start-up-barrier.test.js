// How a controller brings its processes together and lets them go: who is told what, in which order, and who is missed.

import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { describe, it } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { awaitStartUp, dismissGroup } from '../../lib/launch/controller/start-up-barrier.js';
import { WorkerGroup } from '../../lib/launch/controller/worker-group.js';
import { collectReports, Killing } from '../../lib/launch/monitors/window.js';

const ROLES = /** @type {any[]} */ ([
  { name: 'relay', connectsTo: 'master' },
  { name: 'worker', connectsTo: 'relay' },
]);
const ASSIGNMENT = /** @type {any} */ ({ deadlines: { connectMs: 1_000 } });

/** @param {string[]} ids   'relay' or workers */
function makeGroup(...ids) {
  /** @type {string[]} */
  const log = [];
  /** @type {Record<string, { say: (message: any) => void, end: (code?: number) => void }>} */
  const players = {};
  const recruit = (/** @type {string} */ id) => {
    const port = Object.assign(new EventEmitter(), {
      connected: true,
      send(/** @type {any} */ message, /** @type {any[]} */ ...rest) {
        log.push(`${id}: ${message.control}${message.address === undefined ? '' : ` ${message.address}`}`);
        const callback = rest.find((each) => typeof each === 'function');
        if (callback !== undefined) process.nextTick(callback, null);
        return true;
      },
    });
    let [end, isAlive] = [(/** @type {any} */ _how) => {}, true];
    const ended = new Promise((resolve) => (end = resolve));
    players[id] = {
      say: (message) => port.emit('message', message),
      end(code = 0) {
        isAlive = false;
        end({ code, how: `ended with code ${code}`, why: '' });
      },
    };
    const kill = () => log.push(`${id} is killed${isAlive ? '' : ' though dead'}`);
    return { port, ended, identity: `pid of ${id}`, kill, sharesClock: true, pid: null };
  };
  const group = new WorkerGroup({
    processes: ids.map((id) => ({ id, role: /** @type {any} */ ({ name: id === 'relay' ? id : 'worker' }) })),
    cpus: null,
    helpers: [],
    areThreads: false,
    phase: () => 'this test',
    recruit: /** @type {any} */ (recruit),
  });
  return { group, log, players };
}

describe('the processes of a launch', () => {
  it('join one role after the other, each at the address of the one before it', async () => {
    const { group, log, players } = makeGroup('relay', 'w0', 'w1');
    const roles = [{ ...ROLES[0] }, { ...ROLES[1], connectsTo: 'master' }];
    const together = awaitStartUp(ASSIGNMENT, group, roles, 'here');
    await turn();
    assert.deepEqual(log, ['relay: join here']);
    players.relay.say({ control: 'ready', address: 'there' });
    await turn();
    assert.deepEqual(log.slice(1), ['w0: join here', 'w1: join here']);
    players.w0.say({ control: 'ready' });
    let isTogether = false;
    together.then(() => (isTogether = true));
    await turn();
    assert.equal(isTogether, false);
    players.w1.say({ control: 'ready' });
    await together;
  });

  it('hand in when their workers have, which those between them are told', async () => {
    const { group, log, players } = makeGroup('relay', 'w0', 'w1');
    const reports = collectReports(group, 1_000);
    players.w1.say({ control: 'done', of: 1 });
    await turn();
    assert.deepEqual(log, []);
    players.w0.say({ control: 'done', of: 0 });
    await turn();
    assert.deepEqual(log, ['relay: over']);
    players.relay.say({ control: 'done', of: 'relay' });
    assert.deepEqual(
      (await reports).map(({ of }) => of),
      ['relay', 0, 1],
      'in the order of the group',
    );
  });

  it('leave in the opposite order, each role when the one before it has left', async () => {
    const { group, log, players } = makeGroup('relay', 'w0');
    const parted = dismissGroup(group, ROLES, 1_000);
    assert.deepEqual(log, ['w0: leave']);
    players.w0.end();
    await turn();
    assert.deepEqual(log, ['w0: leave', 'relay: leave']);
    players.relay.end();
    await parted;
  });

  it('fail their launch when one leaves in disorder, although it was told to leave', async () => {
    const { group, players } = makeGroup('w0');
    const parted = dismissGroup(group, [ROLES[1]], 1_000);
    players.w0.end(1);
    await assert.rejects(parted, {
      code: 'PROCESS_DIED',
      message: 'worker w0 (pid of w0) ended with code 1 during this test',
    });
  });

  it('are missed by name after the deadline, and nobody listens any more', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const { group, players } = makeGroup('w0', 'w1', 'w2');
    const ready = group.allSay('ready', 99.6);
    players.w1.say({ control: 'ready' });
    t.mock.timers.tick(100);
    await assert.rejects(ready, {
      code: 'DEADLINE',
      message: 'w0 (pid of w0), w2 (pid of w2) did not connect within 100 ms during this test',
    });
    const done = group.allSay('done', 50, 'worker');
    t.mock.timers.tick(50);
    await assert.rejects(done, /did not report within 50 ms/);
    assert.deepEqual(group.listeners, []);
  });

  it('have a second after their control line broke to end, or are blamed for it', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const { group } = makeGroup('w0');
    let isBlamed = false;
    group.trouble.catch(() => (isBlamed = true));
    group.miss(group.members[0], 'gibberish');
    t.mock.timers.tick(999);
    await turn();
    assert.equal(isBlamed, false);
    t.mock.timers.tick(1);
    await assert.rejects(group.trouble, {
      code: 'PROTOCOL',
      message:
        'the control line of worker w0 (pid of w0) broke during this test, and it still runs: gibberish',
    });
  });

  it('are not waited for where the scenario kills them, and those that are left are killed with a failed launch', async () => {
    const { group, log, players } = makeGroup('w0', 'w1', 'w2');
    const killing = new Killing(2, group);
    /** @type {string[]} */
    const told = [];
    const endpoint = {
      killing: () => told.push('killing'),
      gone: (/** @type {string} */ id) => told.push(id),
    };
    const killed = killing.kill(/** @type {any} */ (endpoint));
    assert.deepEqual([log, told], [['w1 is killed', 'w2 is killed'], ['killing']]);
    players.w2.end(137);
    await turn();
    assert.deepEqual(told, ['killing', 'w2']);
    players.w1.end(137);
    await killed;
    assert.deepEqual(told, ['killing', 'w2', 'w1']);
    const done = group.allSay('done', 1_000);
    players.w0.say({ control: 'done' });
    assert.equal((await done).length, 1);
    group.kill();
    assert.deepEqual(log.slice(2), ['w0 is killed']);
  });
});
