// The channel over a fork channel that sends all messages of one turn at once, with a line that only notes what it is given.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { adoptFork, givePort, joinFork, takePort } from '../../lib/channels/fork-channel.js';

const TICK = { settings: { flush: 'tick' }, maxMessageBytes: 1_000 };

function noted() {
  /** @type {any[]} */
  const sent = [];
  const line = {
    onValue: (/** @type {any} */ _value) => {},
    onDisconnect() {},
    /** @param {any} value @param {() => void} [done] */
    send(value, done) {
      sent.push(value);
      if (done !== undefined) process.nextTick(done);
      return true;
    },
  };
  return { line: /** @type {any} */ (line), sent };
}

/** @param {any} end */
function joined(end) {
  const { line, sent } = noted();
  const channel = joinFork(line, end);
  assert.deepEqual(sent.splice(0), [{ forkChannel: 'hello' }]);
  return { channel, line, sent };
}

/** @returns {Promise<void>} when what was scheduled for the end of this turn has been done */
const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('ForkChannel', () => {
  it('sends each message by itself by default', () => {
    for (const end of [undefined, { ...TICK, settings: { flush: 'direct' } }]) {
      const { channel, sent } = joined(end);
      channel.send({ id: 1 });
      channel.send({ id: 2 });
      assert.deepEqual(sent, [{ id: 1 }, { id: 2 }]);
    }
  });

  it('sends the messages of an iteration as one array, in order, with flush=tick', async () => {
    const { channel, sent } = joined(TICK);
    channel.send({ id: 1 });
    channel.send({ id: 2 });
    assert.deepEqual(sent, []);
    await turn();
    assert.deepEqual(sent, [[{ id: 1 }, { id: 2 }]]);
    channel.send({ id: 3 });
    await turn();
    assert.deepEqual(sent[1], [{ id: 3 }]);
  });

  it('sends the first message of an iteration at once and the others as one array, with flush=lead', async () => {
    const { channel, sent } = joined({ ...TICK, settings: { flush: 'lead' } });
    for (const id of [1, 2, 3]) channel.send({ id });
    assert.deepEqual(sent, [{ id: 1 }]);
    await turn();
    assert.deepEqual(sent.splice(0), [{ id: 1 }, [{ id: 2 }, { id: 3 }]]);
    channel.send({ id: 4 });
    assert.deepEqual(sent, [{ id: 4 }]);
    await turn();
    assert.equal(sent.length, 1);
    channel.send({ id: 5 });
    channel.send({ id: 6 });
    await channel.drained();
    assert.deepEqual(sent.slice(1), [{ id: 5 }, [{ id: 6 }], { forkChannel: 'mark' }]);
  });

  it('delivers the messages of an array, and no more of them once it has hung up', () => {
    const { line } = noted();
    /** @type {any[]} */
    const taken = [];
    adoptFork(
      line,
      (channel) => {
        channel.onMessage = (value) => {
          taken.push(value);
          if (value.id === 2) channel.close();
        };
      },
      /** @type {any} */ (TICK),
    );
    line.onValue({ forkChannel: 'hello' });
    line.onValue([{ id: 1 }]);
    line.onValue([{ id: 2 }]);
    assert.deepEqual(taken, [{ id: 1 }, { id: 2 }]);
  });

  it('limits the length of an array', async () => {
    for (const [maxMessageBytes, most] of [
      [1_000, 1_000],
      [2 ** 17, 8],
      [2 ** 30, 1],
    ]) {
      const { channel, sent } = joined({ ...TICK, maxMessageBytes });
      for (let id = 0; id < 2_500; id += 1) channel.send({ id });
      await turn();
      assert.equal(sent[0].length, most);
      assert.deepEqual(
        sent.flat().map(({ id }) => id),
        Array.from({ length: 2_500 }, (_, id) => id),
      );
    }
  });

  it('has sent everything before drained() resolves, and before it hangs up', async () => {
    const { channel, sent } = joined(TICK);
    channel.send({ id: 1 });
    await channel.drained();
    assert.deepEqual(sent, [[{ id: 1 }], { forkChannel: 'mark' }]);
    channel.send({ id: 2 });
    await channel.close();
    assert.deepEqual(sent.slice(2), [[{ id: 2 }], { forkChannel: 'hang up' }]);
  });
});

describe('a channel over the IPC channel of a fork', () => {
  function forked() {
    /** @type {any[]} */
    const sent = [];
    const line = /** @type {any} */ ({
      goesOn: true,
      send(/** @type {any} */ value, /** @type {() => void} */ done) {
        sent.push(value);
        if (done) line.done = done;
        return line.goesOn;
      },
    });
    const channel = joinFork(
      line,
      /** @type {any} */ ({ settings: { flush: 'tick' }, maxMessageBytes: 100 }),
    );
    sent.length = 0;
    /** @type {unknown[]} */
    const closings = [];
    channel.onClose = (reason) => closings.push(reason);
    return { line, channel, sent, closings };
  }

  it('closes once when the other end hangs up or the IPC channel closes', async () => {
    for (const end of [
      (/** @type {any} */ line) => line.onValue({ forkChannel: 'hang up' }),
      (/** @type {any} */ line) => line.onDisconnect(),
    ]) {
      const { line, channel, sent, closings } = forked();
      end(line);
      end(line);
      assert.deepEqual(closings, [undefined]);
      await channel.close();
      await channel.drained();
      channel.send({ id: 1 });
      await turn();
      assert.deepEqual(sent, [], 'nothing is said to who is gone');
    }
  });

  it('reports backpressure from a full IPC channel until it has drained', async () => {
    const { line, channel } = forked();
    line.goesOn = false;
    assert.equal(channel.send({ id: 1 }), true);
    await turn();
    assert.equal(channel.send({ id: 2 }), false);
    const drained = channel.drained();
    line.done();
    await drained;
    assert.equal(channel.send({ id: 3 }), true);
  });
});

describe('the port of a thread', () => {
  it('is sent once, when the thread asks for it, with what else is shared', async () => {
    /** @type {any} */
    const [near, far] = [{}, {}];
    near.transfer = (/** @type {any} */ value) => far.onValue(value);
    far.send = (/** @type {any} */ value) => near.onValue(value);
    /** @type {any[]} */
    const ports = [];
    givePort(near, { memory: 7 }, (port) => ports.push(port));
    const { port, memory } = await takePort(far);
    assert.equal(memory, 7);
    near.onValue({ wants: 'a port' });
    assert.equal(ports.length, 1);
    const heard = new Promise((resolve) => ports[0].once('message', resolve));
    port.postMessage('hello');
    assert.equal(await heard, 'hello');
    port.close();
  });

  it('is not awaited after the master has closed the control channel', async () => {
    const line = /** @type {any} */ ({ send() {} });
    const taken = takePort(line);
    line.onDisconnect();
    await assert.rejects(taken, { code: 'TRANSPORT', message: /before it sent a port/ });
  });
});
