// How the ends of a question-and-answer transport find each other, over sockets within this process.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { acceptRequesters, connectRequester, encodeCredentials } from '../../lib/transport/request-reply.js';

const TOKEN = 'a'.repeat(32);

/** @returns {Promise<{ requesters: any, channels: any[], rejectedConnections: string[], guestOf: (workerId: string) => any }>} */
async function receiving() {
  /** @type {any[]} */
  const channels = [];
  /** @type {string[]} */
  const rejectedConnections = [];
  const end = {
    settings: { net: 'tcp' },
    wireKind: 'bytes',
    maxMessageBytes: 100,
    token: TOKEN,
    launchId: 'l',
  };
  const host = /** @type {any} */ ({
    ...end,
    workers: 2,
    brokerUrl: null,
    scratchDir: '',
    onError: assert.ifError,
    onChannel: (/** @type {any} */ channel, /** @type {string} */ workerId) =>
      channels.push(Object.assign(channel, { workerId, closed: closed(channel) })),
    onRejected: (/** @type {string} */ what) => rejectedConnections.push(what),
  });
  const requesters = await acceptRequesters(host, () => {});
  return {
    requesters,
    channels,
    rejectedConnections,
    guestOf: (workerId) => ({ ...end, workerId, workers: 2 }),
  };
}

const closed = (/** @type {any} */ channel) => new Promise((resolve) => (channel.onClose = resolve));

describe('a presence', () => {
  it('lets questions of its worker through, and nobody else’s', async () => {
    const { requesters, channels, rejectedConnections, guestOf } = await receiving();
    const order = /** @type {string[]} */ ([]);
    const asking = { ask() {}, release: () => void order.push('released') };
    const requester = await connectRequester(guestOf('w0'), requesters.place, () => asking);
    assert.equal(requester.asking, asking);
    assert.match(requesters.place, /^127\.0\.0\.1:\d+$/, 'where net is tcp');
    assert.equal(channels[0].workerId, 'w0');
    assert.equal(requesters.channelOf(encodeCredentials(guestOf('w0'))), channels[0]);
    assert.equal(requesters.channelOf(encodeCredentials(guestOf('w1'))), undefined);
    assert.deepEqual(rejectedConnections, [], 'the token was known');
    for (const none of [undefined, '', `${'b'.repeat(32)} w0`])
      assert.equal(requesters.channelOf(none), undefined);
    assert.deepEqual(rejectedConnections, Array(3).fill('did not know the token'));
    await requester.close();
    await channels[0].closed;
    assert.deepEqual(order, ['released']);
    assert.equal(requesters.channelOf(encodeCredentials(guestOf('w0'))), undefined, 'it has left');
    await requesters.close();
  });

  it('ends both ends, whoever hangs up', async () => {
    const { requesters, channels, guestOf } = await receiving();
    const requester = await connectRequester(guestOf('w0'), requesters.place, () => ({
      ask() {},
      release() {},
    }));
    const gone = closed(requester);
    await channels[0].close();
    await Promise.all([gone, channels[0].closed]);
    await requesters.close();
  });

  it('is that of the first who comes by a name: a second one is hung up on, and told of', async () => {
    const { requesters, channels, rejectedConnections, guestOf } = await receiving();
    /** @type {Promise<unknown>[]} */
    const gone = [];
    const open = (/** @type {any} */ channel) => {
      gone.push(closed(channel));
      return { ask() {}, release() {} };
    };
    const first = await connectRequester(guestOf('w0'), requesters.place, open);
    await connectRequester(guestOf('w0'), requesters.place, open);
    await gone[1];
    assert.deepEqual(rejectedConnections, ['wanted to join as w0, who is here']);
    assert.deepEqual([channels.length, first.isOpen], [1, true]);
    assert.equal(requesters.channelOf(encodeCredentials(guestOf('w0'))), channels[0]);
    await first.close();
    await requesters.close();
  });

  it('is given up where the way to ask cannot be opened', async () => {
    const { requesters, channels, guestOf } = await receiving();
    const failed = connectRequester(guestOf('w0'), requesters.place, () =>
      Promise.reject(new Error('no way')),
    );
    await assert.rejects(failed, /no way/);
    await channels[0].closed;
    assert.equal(requesters.channelOf(encodeCredentials(guestOf('w0'))), undefined);
    await requesters.close();
  });
});
