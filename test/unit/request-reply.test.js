// The two ends of transports that carry requests one way and responses the other, over a presence socket within this process.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { describe, it } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { MESSAGE_OVERHEAD_BYTES, WINDOW_BYTES } from '../../lib/channels/base-channel.js';
import { respondOverHttp } from '../../lib/channels/http/http-responses.js';
import {
  acceptRequesters,
  connectRequester,
  encodeCredentials,
  RequestChannel,
  ResponseChannel,
} from '../../lib/channels/request-reply.js';
import { closeOf, TOKEN } from '../fixtures/both-ends.js';

const NO_REQUESTS = { send() {}, release() {} };

describe('ResponseChannel', () => {
  /** @param {(reply: string, wire: any) => void} [respond] */
  function makeChannel(respond = () => {}) {
    const channel = new ResponseChannel({ wireKind: 'text', maxMessageBytes: 10 }, 'w3', respond);
    const [heard, closings] = [[], []].map((list) => /** @type {any[]} */ (list));
    channel.onMessage = (wire) => heard.push(wire);
    channel.onClose = (reason) => closings.push(reason);
    return { channel, heard, closings };
  }

  it('sends responses in the order of their requests, and none without a request', () => {
    /** @type {string[]} */
    const sent = [];
    const { channel, heard } = makeChannel((reply, wire) => sent.push(`${reply}: ${wire}`));
    for (const [request, reply] of [
      ['a', 'first'],
      ['0123456789', 'second'],
    ])
      assert.equal(channel.receive(Buffer.from(request), reply), true);
    assert.deepEqual(heard, ['a', '0123456789']);
    for (const response of ['one', 'two']) assert.equal(channel.send(response), true);
    assert.deepEqual(sent, ['first: one', 'second: two']);
    assert.throws(() => channel.send('three'), {
      code: 'PROTOCOL',
      message: 'the master has no open request of w3 to respond to, and it cannot send on its own',
    });
  });

  it('hangs up on a request that is empty or too large', () => {
    for (const bytes of [0, 11]) {
      const { channel, heard, closings } = makeChannel();
      let hangUps = 0;
      channel.hangUp = async () => {
        hangUps += 1;
      };
      assert.equal(channel.receive(Buffer.alloc(bytes), 'reply'), false);
      channel.finish();
      assert.deepEqual([hangUps, heard.length, closings.length], [1, 0, 1]);
      assert.match(closings[0].message, new RegExp(`^w3 sent a message of ${bytes} bytes; 1 to 10 `));
    }
  });

  it('closes once, and then neither delivers nor responds', () => {
    const { channel, heard, closings } = makeChannel(() => assert.fail('nothing waits for it'));
    channel.receive(Buffer.from('a'), 'reply');
    channel.finish();
    channel.finish();
    assert.deepEqual(closings, [undefined]);
    assert.equal(channel.receive(Buffer.from('b'), 'reply'), false);
    assert.equal(channel.send('response'), false);
    assert.deepEqual(heard, ['a']);
  });
});

describe('RequestChannel', () => {
  /** @param {number} [maxMessageBytes] @param {import('../../lib/types/index.js').WireKind} [wireKind] */
  function makeChannel(maxMessageBytes = 100, wireKind = 'bytes') {
    const channel = new RequestChannel({ wireKind, maxMessageBytes });
    const [sent, heard, closings] = [[], [], []].map((list) => /** @type {any[]} */ (list));
    channel.requestSender = { send: (wire) => void sent.push(wire), release() {} };
    channel.onMessage = (wire) => heard.push(wire);
    channel.onClose = (reason) => closings.push(reason);
    return { channel, sent, heard, closings };
  }

  it('reports backpressure with two open requests of the greatest length, or a window of shorter ones', () => {
    const most = 4 * WINDOW_BYTES;
    const longest = makeChannel(most, 'text').channel;
    assert.deepEqual([longest.send('x'.repeat(most)), longest.send('x'.repeat(most))], [true, false]);
    const short = makeChannel(10, 'text').channel;
    const messages = Math.floor(WINDOW_BYTES / (10 + MESSAGE_OVERHEAD_BYTES));
    for (let sent = 0; sent < messages; sent += 1) assert.equal(short.send('x'.repeat(10)), true);
    assert.equal(short.send('x'.repeat(10)), false);
  });

  it('resumes once there is room', async () => {
    const { channel } = makeChannel();
    const wire = Buffer.alloc(100);
    while (channel.send(wire));
    const drained = channel.drained();
    channel.deliver(Buffer.from('response'), wire);
    await drained;
    assert.equal(channel.send(Buffer.alloc(1)), false, 'the window is full again');
  });

  it('hangs up on a response that is empty or too large', () => {
    for (const bytes of [0, 101]) {
      const { channel, heard } = makeChannel();
      const wire = Buffer.from('request');
      channel.send(wire);
      channel.deliver(Buffer.alloc(bytes), wire);
      assert.match(String(channel.reason), new RegExp(`the master sent a message of ${bytes} bytes;`));
      assert.deepEqual([heard, channel.isOpen], [[], false]);
    }
  });

  it('sends nothing more after a request has failed, delivers nothing, and releases those who wait for room', async () => {
    const { channel, sent, heard, closings } = makeChannel();
    const [first, second] = [Buffer.from('first'), Buffer.from('second')];
    for (const wire of [first, second]) assert.equal(channel.send(wire), true);
    while (channel.send(Buffer.alloc(100)));
    const count = sent.length;
    const drained = channel.drained();
    const cause = new Error('refused');
    channel.fail(cause);
    channel.fail(new Error('and another'));
    await drained;
    assert.equal(channel.send(Buffer.from('third')), false);
    channel.deliver(Buffer.from('response'), second);
    assert.deepEqual([sent.length, heard], [count, []]);
    await channel.finish();
    assert.equal(closings.length, 1);
    assert.deepEqual([closings[0].code, closings[0].cause], ['TRANSPORT', cause]);
  });

  it('waits for open responses when it is closed, and leaves no timer behind', async (t) => {
    const timers = new Set();
    t.mock.method(globalThis, 'setTimeout', () => {
      const timer = {};
      timers.add(timer);
      return timer;
    });
    t.mock.method(globalThis, 'clearTimeout', (/** @type {object} */ timer) => timers.delete(timer));
    const { channel } = makeChannel();
    let isHungUp = false;
    channel.hangUp = async () => {
      isHungUp = true;
    };
    const request = Buffer.from('last words');
    channel.send(request);
    const closed = channel.close();
    await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual([isHungUp, timers.size], [false, 1]);
    channel.deliver(Buffer.from('response'), request);
    await closed;
    assert.deepEqual([isHungUp, timers.size], [true, 0]);
  });
});

describe('acceptRequesters and connectRequester', () => {
  async function accepting() {
    /** @type {any[]} */
    const channels = [];
    /** @type {string[]} */
    const rejected = [];
    const end = /** @type {any} */ ({
      settings: { net: 'tcp' },
      wireKind: 'bytes',
      maxMessageBytes: 100,
      token: TOKEN,
      workers: 2,
    });
    /** @type {Error[]} */
    const errors = [];
    const host = {
      ...end,
      onError: (/** @type {Error} */ error) => errors.push(error),
      onChannel: (/** @type {any} */ channel, /** @type {string} */ workerId) =>
        channels.push(Object.assign(channel, { workerId, ended: closeOf(channel) })),
      onRejected: (/** @type {string} */ what) => rejected.push(what),
    };
    const requesters = await acceptRequesters(host, () => {});
    const guestOf = (/** @type {string} */ workerId) => ({ ...end, workerId });
    const channelOf = (/** @type {string} */ workerId) =>
      requesters.channelOf(encodeCredentials(guestOf(workerId)));
    return { host, requesters, channels, rejected, errors, guestOf, channelOf };
  }

  it('find the channel of a connected worker by its credentials, and count wrong tokens', async () => {
    const { requesters, channels, rejected, guestOf, channelOf } = await accepting();
    let releases = 0;
    const requestSender = {
      send() {},
      release() {
        releases += 1;
      },
    };
    const requester = await connectRequester(guestOf('w0'), requesters.address, () => requestSender);
    assert.equal(requester.requestSender, requestSender);
    assert.match(requesters.address, /^127\.0\.0\.1:\d+$/);
    assert.equal(channels[0].workerId, 'w0');
    assert.deepEqual([channelOf('w0'), channelOf('w1')], [channels[0], undefined]);
    assert.deepEqual(rejected, []);
    for (const none of [undefined, '', `${'b'.repeat(32)} w0`])
      assert.equal(requesters.channelOf(none), undefined);
    assert.deepEqual(rejected, Array(3).fill('sent no valid token'));
    await requester.close();
    await channels[0].ended;
    assert.deepEqual([releases, channelOf('w0')], [1, undefined]);
    await requesters.close();
  });

  it('hang up on a second worker of the same name', async () => {
    const { requesters, channels, rejected, guestOf, channelOf } = await accepting();
    /** @type {Promise<unknown>[]} */
    const gone = [];
    const open = (/** @type {any} */ channel) => {
      gone.push(closeOf(channel));
      return NO_REQUESTS;
    };
    const first = await connectRequester(guestOf('w0'), requesters.address, open);
    await connectRequester(guestOf('w0'), requesters.address, open);
    await gone[1];
    assert.deepEqual(rejected, ['tried to join as w0, which has joined already']);
    assert.deepEqual([channels.length, first.isOpen, channelOf('w0')], [1, true, channels[0]]);
    await first.close();
    await requesters.close();
  });

  it('close the presence if requests cannot be sent', async () => {
    const { requesters, channels, guestOf, channelOf } = await accepting();
    const failed = connectRequester(guestOf('w0'), requesters.address, () =>
      Promise.reject(new Error('no way')),
    );
    await assert.rejects(failed, /no way/);
    await channels[0].ended;
    assert.equal(channelOf('w0'), undefined);
    await requesters.close();
  });

  it('lose the response to a request whose connection has ended, and survive an error of their server', async () => {
    const { host, requesters, channels, errors, guestOf } = await accepting();
    await requesters.close();
    const server = createServer();
    const listener = await respondOverHttp({ ...host, bindAddress: '127.0.0.1' }, server);
    const { presence, at } = JSON.parse(listener.address);
    const requester = await connectRequester(guestOf('w0'), presence, () => NO_REQUESTS);
    const [channel] = channels;
    const ask = async () => {
      const request = {
        method: 'POST',
        headers: { authorization: encodeCredentials(guestOf('w0')) },
        body: 'a question',
      };
      const heard = new Promise((resolve) => {
        channel.onMessage = resolve;
      });
      const connected = once(server, 'connection');
      const response = fetch(`http://${at}`, request).then((received) => received.text());
      await heard;
      return { response, socket: (await connected)[0] };
    };
    const lost = await ask();
    lost.socket.destroy();
    await once(lost.socket, 'close');
    channel.send('too late');
    await assert.rejects(lost.response, TypeError);
    await turn();
    const { response } = await ask();
    channel.send('in time');
    assert.equal(await response, 'in time');
    const tooMany = new Error('accept EMFILE');
    server.emit('error', tooMany);
    assert.deepEqual(errors, [tooMany]);
    await requester.close();
    await listener.close();
  });
});
