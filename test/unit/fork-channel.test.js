// The channel over a fork channel that sends all messages of one turn at once, with a line that only notes what it is given.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { adoptFork, joinFork } from '../../lib/transport/fork-channel.js';

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

describe('a fork channel', () => {
  it('sends each message by itself unless it is told otherwise', () => {
    for (const end of [undefined, { ...TICK, settings: { flush: 'direct' } }]) {
      const { channel, sent } = joined(end);
      channel.send({ id: 1 });
      channel.send({ id: 2 });
      assert.deepEqual(sent, [{ id: 1 }, { id: 2 }]);
    }
  });

  it('sends the messages of a turn as one array, in their order, with flush=tick', async () => {
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

  it('sends the first message of a turn at once and the others as one array, with flush=lead', async () => {
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

  it('takes arrays apart at the other end, and no more of one once it has hung up', () => {
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

  it('never lets an array grow for as long as messages come', async () => {
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

  it('has sent all of it before it is drained, and before it hangs up', async () => {
    const { channel, sent } = joined(TICK);
    channel.send({ id: 1 });
    await channel.drained();
    assert.deepEqual(sent, [[{ id: 1 }], { forkChannel: 'mark' }]);
    channel.send({ id: 2 });
    await channel.close();
    assert.deepEqual(sent.slice(2), [[{ id: 2 }], { forkChannel: 'hang up' }]);
  });
});
