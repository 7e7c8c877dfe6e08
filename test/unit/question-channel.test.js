// A channel that asks over a transport of questions and answers, and what becomes of it when a question fails.

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { RequestChannel } from '../../lib/transport/request-reply.js';

const END = { wireKind: /** @type {const} */ ('bytes'), maxMessageBytes: 100 };

/** @returns {{ channel: RequestChannel, asked: any[], heard: any[], closings: any[] }} whose presence is still there when it was hung up */
function makeChannel() {
  const channel = new RequestChannel(END);
  const [asked, heard, closings] = [[], [], []].map((list) => /** @type {any[]} */ (list));
  channel.asking = { ask: (wire) => void asked.push(wire), release() {} };
  channel.hangUp = async () => {};
  channel.onMessage = (wire) => heard.push(wire);
  channel.onClose = (reason) => closings.push(reason);
  return { channel, asked, heard, closings };
}

it('a channel on which a request failed asks nothing more, and takes no answer', async () => {
  const { channel, asked, heard, closings } = makeChannel();
  const [first, second] = [Buffer.from('first'), Buffer.from('second')];
  for (const wire of [first, second]) assert.equal(channel.send(wire), true);
  const cause = new Error('refused');
  channel.fail(cause);
  channel.fail(new Error('and another'));
  assert.equal(channel.send(Buffer.from('third')), false);
  channel.deliver(Buffer.from('answer'), second);
  assert.deepEqual([asked, heard], [[first, second], []]);
  await channel.finish();
  assert.equal(closings.length, 1);
  assert.deepEqual([closings[0].code, closings[0].cause], ['TRANSPORT', cause]);
});

it('a channel on which a request failed lets go of those who wait for room', async () => {
  const { channel } = makeChannel();
  while (channel.send(Buffer.alloc(100)));
  const drained = channel.drained();
  channel.fail(new Error('refused'));
  await drained;
});

it('a channel that is closed waits for the answers that are due, and leaves no timer behind', async (t) => {
  const timers = new Set();
  t.mock.method(globalThis, 'setTimeout', () => {
    const timer = {};
    timers.add(timer);
    return timer;
  });
  t.mock.method(globalThis, 'clearTimeout', (/** @type {object} */ timer) => timers.delete(timer));
  const channel = new RequestChannel(END); // that nobody listens to yet
  let isHungUp = false;
  channel.hangUp = async () => {
    isHungUp = true;
  };
  const question = Buffer.from('last words');
  channel.send(question);
  const closed = channel.close();
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual([isHungUp, timers.size], [false, 1]);
  channel.deliver(Buffer.from('answer'), question);
  await closed;
  assert.deepEqual([isHungUp, timers.size], [true, 0]);
});
