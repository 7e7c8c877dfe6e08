// What the controller makes of a channel that broke: the end of the worker explains it better, where there is one.

import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { it } from 'node:test';
import { WorkerGroup } from '../../lib/launch/controller/worker-group.js';

const BROKEN = Object.assign(new Error('the master hung up on w0: the stream ended within a frame'), {
  code: 'PROTOCOL',
});

/** @param {import('node:test').TestContext} t */
function groupOf(t) {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  let end = (/** @type {any} */ _how) => {};
  const ended = new Promise((resolve) => (end = resolve));
  const worker = { port: new EventEmitter(), ended, identity: 'pid 1', kill() {} };
  const group = new WorkerGroup({
    processes: [{ id: 'w0', role: { name: 'worker' } }],
    cpus: null,
    helpers: [],
    areThreads: false,
    recruit: () => /** @type {any} */ (worker),
    phase: () => 'measure',
  });
  return { group, end, noticed: () => t.mock.timers.tick(1_000) };
}

it('a worker that was killed within a frame is what its launch fails by', async (t) => {
  const { group, end } = groupOf(t);
  group.blameWorker('w0', BROKEN);
  end({ code: null, how: 'was killed by SIGKILL', why: '' });
  await assert.rejects(group.trouble, { code: 'PROCESS_DIED', message: /w0 .* was killed by SIGKILL/ });
});

it('a worker that lives is blamed for half a frame', async (t) => {
  const { group, noticed } = groupOf(t);
  group.blameWorker('w0', BROKEN);
  noticed();
  await assert.rejects(group.trouble, { code: 'PROTOCOL' });
});

it('a worker that reports that the controller hung up on it does not hide the reason', async (t) => {
  const { group, noticed } = groupOf(t);
  group.blameWorker('w0', BROKEN);
  group.onMessage(group.members[0], { control: 'failed', message: 'its channel closed', isHangUp: true });
  noticed();
  await assert.rejects(group.trouble, { code: 'PROTOCOL', message: BROKEN.message });
});

for (const [whose, prepare] of /** @type {[string, (group: WorkerGroup) => void][]} */ ([
  ['a worker that the scenario kills', (group) => group.killOne(group.members[0])],
  ['a worker that was told to leave', (group) => group.dismiss()],
])) {
  it(`half a frame of ${whose} fails nothing`, async (t) => {
    const { group, noticed } = groupOf(t);
    prepare(group);
    group.blameWorker('w0', BROKEN);
    noticed();
    assert.equal(await Promise.race([group.trouble, Promise.resolve('no trouble')]), 'no trouble');
  });
}

it('a worker that speaks another protocol fails its launch at once, and says why', async (t) => {
  const { group } = groupOf(t);
  group.onMessage(group.members[0], /** @type {any} */ ({ control: 'hello', version: -1 }));
  await assert.rejects(group.trouble, { code: 'PROTOCOL', message: /^worker w0: / });
});

it('a failure that a worker tells is told at once, with its code and the phase', async (t) => {
  const { group } = groupOf(t);
  group.onMessage(group.members[0], { control: 'failed', message: 'it broke', code: 'INTEGRITY' });
  await assert.rejects(group.trouble, { code: 'INTEGRITY', message: 'worker w0 during measure: it broke' });
});

it('a failure without a code is one of the transport', async (t) => {
  const { group } = groupOf(t);
  group.onMessage(group.members[0], { control: 'failed', message: 'it broke' });
  await assert.rejects(group.trouble, { code: 'TRANSPORT' });
});

it('has been told by all what all have told, until that is forgotten', (t) => {
  const { group } = groupOf(t);
  assert.equal(group.haveAllSaid('warm'), false);
  group.onMessage(group.members[0], { control: 'warm' });
  assert.equal(group.haveAllSaid('warm'), true);
  group.onMessage(group.members[0], { control: 'connected' });
  group.forget('connected');
  assert.deepEqual([...group.members[0].said.keys()], ['warm']);
  assert.equal(group.threadIds(), undefined, 'of processes');
  assert.deepEqual(
    [group.playing().length, group.playing('worker').length, group.playing('relay')],
    [1, 1, []],
  );
});
