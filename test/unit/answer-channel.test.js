// A channel that answers over a transport of questions and answers.

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { ResponseChannel } from '../../lib/transport/request-reply.js';

const END = { wireKind: /** @type {const} */ ('text'), maxMessageBytes: 10 };

/** @param {(reply: string, wire: any) => void} [respond] */
function makeChannel(respond = () => {}) {
  const channel = new ResponseChannel(END, 'w3', respond);
  const [heard, closings] = [[], []].map((list) => /** @type {any[]} */ (list));
  channel.onMessage = (wire) => heard.push(wire);
  channel.onClose = (reason) => closings.push(reason);
  return { channel, heard, closings };
}

it('answers go out in the order in which their questions were heard', () => {
  /** @type {string[]} */
  const sent = [];
  const { channel, heard } = makeChannel((reply, wire) => sent.push(`${reply}: ${wire}`));
  for (const [question, reply] of [
    ['a', 'first'],
    ['0123456789', 'second'],
  ])
    assert.equal(channel.hear(Buffer.from(question), reply), true);
  assert.deepEqual(heard, ['a', '0123456789']);
  for (const answer of ['one', 'two']) assert.equal(channel.send(answer), true);
  assert.deepEqual(sent, ['first: one', 'second: two']);
  assert.throws(() => channel.send('three'), {
    code: 'PROTOCOL',
    message: 'the master has no open request of w3 to respond to, and it cannot send on its own',
  });
});

it('a question of no bytes, or of more than there may be, is refused and hangs up', async () => {
  for (const bytes of [0, 11]) {
    const { channel, heard, closings } = makeChannel();
    let hangUps = 0;
    channel.hangUp = async () => {
      hangUps += 1;
    };
    assert.equal(channel.hear(Buffer.alloc(bytes), 'reply'), false);
    channel.finish();
    assert.deepEqual([hangUps, heard.length, closings.length], [1, 0, 1]);
    assert.match(closings[0].message, new RegExp(`^w3 sent a message of ${bytes} bytes or more; 1 to 10 `));
  }
});

it('a channel of answers that has ended hears nothing, answers nothing, and has told so once', () => {
  const { channel, heard, closings } = makeChannel(() => assert.fail('nobody waits for it'));
  channel.hear(Buffer.from('a'), 'reply');
  channel.finish();
  channel.finish();
  assert.deepEqual(closings, [undefined]);
  assert.equal(channel.hear(Buffer.from('b'), 'reply'), false);
  assert.equal(channel.send('answer'), false);
  assert.deepEqual(heard, ['a']);
});
