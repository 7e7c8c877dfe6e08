// Runs always.
// Unauthenticated peers that speak the protocol of a transport, unlike those of the conformance suite, which send noise: they receive
// nothing, and cannot fill the memory of the master.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:http2';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import grpc from '../../transports/grpc/grpc.js';
import zeromq from '../../transports/zeromq/zeromq.js';
import { makeRoundTrips, openBothEnds, TOKEN } from '../fixtures/both-ends.js';
import { ownFolder } from '../fixtures/own-folder.js';
import { spawnBound } from '../fixtures/spawn-bound.js';

const SUBSCRIBER = fileURLToPath(new URL('../fixtures/zeromq-subscriber.js', import.meta.url));
const WITHIN = { timeout: 20_000 };

/** @param {unknown} why @returns {string | false} why it is skipped; CI has all packages */
const skippedFor = (why) => (typeof why === 'string' && !process.env.CI ? why : false);

describe('messages to all workers over zeromq', { skip: skippedFor(await zeromq.whyUnavailable?.()) }, () => {
  for (const [what, password] of /** @type {[string, string?][]} */ ([
    ['without a password'],
    ['with a wrong password', 'cd'.repeat(16)],
  ])) {
    it(`go to the workers, and not to another process that subscribes ${what}`, WITHIN, async (t) => {
      /** @type {string[]} */
      const rejectedConnections = [];
      /** @type {() => void} */
      let onRejected = () => {};
      const rejected = new Promise((resolve) => {
        onRejected = () => resolve(undefined);
      });
      const ends = await openBothEnds(zeromq, {
        settings: { net: 'tcp' },
        end: { isPublished: true },
        onRejected(why) {
          rejectedConnections.push(why);
          onRejected();
        },
      });
      t.after(() => Promise.all([ends.worker.close(), ends.listener.close()]));
      const words = [SUBSCRIBER, ends.address.split('\n')[1], ...(password === undefined ? [] : [password])];
      const subscriber = spawnBound([process.execPath, ...words], { stdio: ['ignore', 'pipe', 'inherit'] });
      t.after(() => subscriber.kill('SIGKILL'));
      let printed = '';
      const accepted = new Promise((resolve) => {
        subscriber.stdout?.setEncoding('utf8').on('data', (text) => {
          printed += text;
          resolve(undefined);
        });
      });
      await Promise.race([rejected, accepted]);
      const sent = Array.from({ length: 50 }, (_, index) => `message ${index}`);
      const received = new Promise((resolve) => {
        /** @type {unknown[]} */
        const all = [];
        ends.worker.onMessage = (wire) => all.push(wire) === sent.length && resolve(all);
      });
      const publisher = ends.listener.publisher?.();
      for (const wire of sent) publisher?.send(wire);
      assert.deepEqual(await received, sent);
      const ended = once(subscriber, 'close');
      subscriber.kill();
      await ended;
      assert.equal(printed, '');
      assert.equal(rejectedConnections.length, 1, rejectedConnections.join());
      await ends.worker.close();
      await ends.listener.close();
      assert.deepEqual(ends.errors, []);
    });
  }
});

describe('grpc', { skip: skippedFor(await grpc.whyUnavailable?.()) }, () => {
  for (const call of ['unary', 'stream'])
    it(`refuses an unauthenticated message before its body, call=${call}`, WITHIN, async (t) => {
      /** @type {string[]} */
      const rejectedConnections = [];
      const scratchDir = ownFolder('ipcb-s-');
      const ends = await openBothEnds(grpc, {
        settings: { call },
        scratchDir,
        onRejected: (why) => void rejectedConnections.push(why),
      });
      const session = connect(`http://${JSON.parse(ends.address).at}`);
      session.on('error', () => {}); // the listener closes first
      t.after(() => session.destroy());
      const request = session.request({
        ':method': 'POST',
        ':path': `/ipcbench.Exchange/${call === 'unary' ? 'Ask' : 'AskAll'}`,
        'content-type': 'application/grpc',
        te: 'trailers',
        authorization: `${'cd'.repeat(TOKEN.length / 2)} w0`,
      });
      request.on('error', () => {});
      // A flag, and the length of a message of which this is only the beginning: 2 GiB, and the limit is 100,000 bytes.
      request.write(Buffer.concat([Buffer.from('0080000000', 'hex'), Buffer.alloc(1_000)]));
      try {
        const [headers] = await once(request, 'response', { signal: t.signal });
        assert.equal(headers['grpc-status'], '16', 'UNAUTHENTICATED');
        assert.equal(rejectedConnections.length, 1, rejectedConnections.join());
        await makeRoundTrips(ends.worker, 4, 4);
      } finally {
        await ends.worker.close();
        await ends.listener.close();
      }
      assert.deepEqual(ends.errors, []);
    });
});
