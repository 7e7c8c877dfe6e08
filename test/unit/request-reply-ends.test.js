// Transports whose master only responds, with both ends in this process: requests, responses, and what is refused.

import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { describe, it } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { MESSAGE_OVERHEAD_BYTES, WINDOW_BYTES } from '../../lib/transport/base-channel.js';
import { RequestChannel } from '../../lib/transport/request-reply.js';
import grpc from '../../transports/grpc/grpc.js';
import http from '../../transports/http.js';
import http2 from '../../transports/http2/http2.js';
import https from '../../transports/https.js';
import zeromq from '../../transports/zeromq/zeromq.js';
import { closeOf, openBothEnds } from '../fixtures/both-ends.js';
import { ownFolder } from '../fixtures/own-folder.js';

/** @import { TestContext } from 'node:test' */
/** @import { Transport } from '../../lib/types/index.js' */

const MOST = 100_000;
const ON_POSIX = { skip: process.platform === 'win32' ? 'a folder of ours is no place for a pipe' : false };
const scratchDir = ownFolder('irr-');

/** @param {() => boolean} isSo */
async function until(isSo) {
  while (!isSo()) await turn();
}

describe('the channel of a worker that asks', () => {
  const channelOf = (/** @type {number} */ maxMessageBytes) => {
    const channel = new RequestChannel({ wireKind: 'text', maxMessageBytes });
    const asked = /** @type {string[]} */ ([]);
    channel.asking = { ask: (wire) => void asked.push(String(wire)), release() {} };
    return { channel, asked };
  };

  it('asks to wait once two of the longest messages are unanswered, or a window of shorter ones', () => {
    const most = 4 * WINDOW_BYTES;
    const { channel, asked } = channelOf(most);
    const longest = 'x'.repeat(most);
    assert.deepEqual([channel.send(longest), channel.send(longest), asked.length], [true, false, 2]);
    const { channel: ofShort } = channelOf(10);
    const messages = Math.floor(WINDOW_BYTES / (10 + MESSAGE_OVERHEAD_BYTES));
    for (let sent = 0; sent < messages; sent += 1) assert.equal(ofShort.send('x'.repeat(10)), true);
    assert.equal(ofShort.send('x'.repeat(10)), false);
  });
});

for (const [transport, settings] of /** @type {[Transport, Record<string, string | number>][]} */ ([
  [http, { net: 'unix' }],
  [http, { net: 'tcp', client: 'undici', pipelining: 4, connections: 2 }],
  [http, { net: 'unix', client: 'undici' }],
  [https, { net: 'tcp' }],
  [https, { net: 'unix' }],
  [https, { net: 'unix', client: 'undici' }],
  [http2, { net: 'unix' }],
  [http2, { net: 'tcp' }],
  [grpc, { net: 'unix' }],
  [grpc, { net: 'tcp', call: 'stream' }],
  [zeromq, { net: 'tcp', pattern: 'req-rep' }],
])) {
  const label = Object.entries(settings).map(([name, value]) => ` ${name}=${value}`);
  describe(`both ends of ${transport.name}${label.join('')}`, ON_POSIX, () => {
    /** @param {TestContext} t @param {object} [end] */
    async function opened(t, end) {
      /** @type {string[]} */
      const rejected = [];
      const onRejected = (/** @type {string} */ why) => void rejected.push(why);
      const ends = await openBothEnds(transport, { settings, scratchDir, onRejected, end });
      t.after(() => ends.listener.close());
      return { ...ends, rejected };
    }

    for (const kind of /** @type {const} */ (['text', 'bytes'])) {
      it(`respond to each request of ${kind} with what its master says, however many are open`, async (t) => {
        const { worker, master, errors } = await opened(t, { wireKind: kind });
        const wireOf = (/** @type {string} */ text) => (kind === 'text' ? text : Buffer.from(text));
        master.onMessage = (wire) => void master.send(wireOf(`${Buffer.from(wire).toString()}!`));
        /** @type {string[]} */
        const heard = [];
        worker.onMessage = (wire) => {
          assert.equal(typeof wire, kind === 'text' ? 'string' : 'object');
          heard.push(Buffer.from(wire).toString());
        };
        const requests = [
          'one',
          'ä€😀',
          'x'.repeat(MOST - 1),
          ...Array.from({ length: 20 }, (_, at) => `n${at}`),
        ];
        if (settings.pattern === 'req-rep') {
          for (const [at, request] of requests.entries()) {
            worker.send(wireOf(request));
            await until(() => heard.length > at);
          }
        } else for (const request of requests) worker.send(wireOf(request));
        await until(() => heard.length === requests.length);
        assert.deepEqual(heard.toSorted(), requests.map((request) => `${request}!`).toSorted());
        assert.deepEqual(errors, []);
        await worker.close();
      });
    }

    it('end without a reason where the worker leaves', async (t) => {
      const { worker, master } = await opened(t);
      const ended = closeOf(master);
      await worker.close();
      assert.equal(await ended, undefined);
    });

    it('end with a reason where a request is longer than any may be', async (t) => {
      const request = await opened(t);
      const refused = closeOf(request.master);
      request.master.onMessage = () => assert.fail();
      request.worker.send('q'.repeat(MOST + 1));
      assert.match((await refused).message, /100,?00/);
      await request.worker.close();
    });

    it('end with a reason where a response is longer than any may be', async (t) => {
      const response = await opened(t);
      response.master.onMessage = () => void response.master.send('r'.repeat(MOST + 1));
      response.worker.onMessage = () => assert.fail();
      const ended = closeOf(response.worker);
      response.worker.send('q');
      assert.ok((await ended) instanceof Error);
      await response.worker.close();
    });

    it('are not made with a peer that has another token, or says nothing', async (t) => {
      const { guest, rejected, worker, address } = await opened(t);
      const stranger = { ...guest, workerId: 'w0c1', token: 'cd'.repeat(16) };
      await assert.rejects(transport.connect(stranger), { code: 'TRANSPORT' });
      assert.ok(rejected.length >= 1, rejected.join());
      if (settings.net === 'unix' && transport !== grpc && transport !== http2) {
        const before = rejected.length;
        const socket = connect(JSON.parse(address).at);
        socket.on('error', () => {});
        socket.once('connect', () => socket.end());
        await until(() => rejected.length > before);
      }
      await worker.close();
    });
  });
}
