// What joins the processes of a launch: the line of a fork, further connections, and clocks of other hosts.

import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { describe, it } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { openForkControlChannel, RemoteControlChannel } from '../../lib/launch/control/control-channel.js';
import {
  comparedClock,
  listClocks,
  slowestExchangeMs,
} from '../../lib/launch/controller/start-up-barrier.js';
import { closeAll, connectAll, furtherIds } from '../../lib/launch/worker/joined-worker.js';

describe('openForkControlChannel', () => {
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

  it('separates control messages from values of the transport, and drops anything else', () => {
    const { port, heard, line } = opened();
    /** @type {any[]} */
    const values = [];
    line.onValue = (value) => values.push(value);
    for (const message of [{ control: 'start' }, { id: 1 }, null, 'text', 7, undefined, [{ id: 2 }]])
      port.emit('message', message);
    assert.deepEqual([heard, values], [['start'], [{ id: 1 }, [{ id: 2 }]]]);
  });

  it('resolves once the system has a message, and reports one that cannot be sent', async () => {
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
    port.done(new Error('ENOBUFS'));
    await failed;
    port.emit('error', new Error('EBADF'));
    assert.deepEqual(broken, ['ENOBUFS', 'EBADF']);
    port.connected = false;
    await sendControl({ control: 'measure' });
    assert.equal(sent.length, 2);
  });

  it('resolves once a message is on its way to another host, or if the channel is closed', async () => {
    /** @type {any[]} */
    const carried = [];
    const remote = new RemoteControlChannel((message) => carried.push(message));
    const { sendControl } = openForkControlChannel(remote, () => {});
    await sendControl({ control: 'start' });
    remote.disconnect();
    await sendControl({ control: 'leave' });
    assert.deepEqual(carried, [{ control: 'start' }]);
  });

  it('receives the last messages of a process that has closed its end before it reports that', async () => {
    const { port, heard, broken, sendControl } = opened();
    const failed = sendControl({ control: 'remote' });
    port.done(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }));
    await failed;
    assert.deepEqual(broken, []);
    port.emit('message', { control: 'done' });
    port.emit('disconnect');
    assert.deepEqual([heard, broken], [['done'], ['it was closed']]);
  });

  it('reports a cut line to both users, and sends nothing to a process that could not be started', () => {
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

describe('further connections of a worker', () => {
  it('are numbered behind the existing ones, and made eight at once in all workers together', async () => {
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
    const ids = furtherIds('w0', 1, 31);
    /** @type {any[]} */
    const channels = [];
    await connectAll(ids, { workers: 4 }, connect, (channel, id) => {
      channels.push(channel);
      taken.push(id);
    });
    assert.deepEqual(taken.toSorted(), ids.toSorted());
    assert.equal(most, 2, 'eight of four workers');
    await closeAll(channels, { workers: 4 });
    assert.deepEqual(taken, []);
  });

  it('fail the launch unless each is made within 10 s', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const never = connectAll(['w0c1'], { workers: 1 }, () => new Promise(() => {}), assert.fail);
    t.mock.timers.tick(9_999);
    let isLate = false;
    const refused = assert
      .rejects(never, {
        code: 'DEADLINE',
        message: 'w0c1 did not connect within 10000 ms: give fewer --connections',
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

describe('the clock of another host', () => {
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

  it('is listed for the workers that have one, with the longest exchange', () => {
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
