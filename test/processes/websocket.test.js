// Runs at night.
// What a WebSocket adds to the contract of transports: who may upgrade, which frames are legitimate, how it is closed,
// and that it does not compress. The rest is conformance/transport.js' business.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { packageProblem } from '../../lib/machine/packages.js';
import websocket from '../../transports/websocket/websocket.js';
import { patiently } from '../conformance/deadline.js';
import { closeOf } from '../fixtures/both-ends.js';
import { eventually } from '../fixtures/launch-cell.js';

const reason = (await packageProblem('ws')) ?? false;
const TOKEN = 'a'.repeat(32);
const MAX_BYTES = 1_000;
const UPGRADE = Object.freeze({
  connection: 'Upgrade',
  upgrade: 'websocket',
  'sec-websocket-version': '13',
  'sec-websocket-key': 'AAAAAAAAAAAAAAAAAAAAAA==',
  'sec-websocket-extensions': 'permessage-deflate',
});
const CLOSE_WITHIN_MS = 2_500;

/** @import { Channel } from '../../lib/types/index.js' */

/** @type {string} */
let folder;
/** @type {string[]} */
let rejectedConnections;
/** @type {{ channel: Channel, heard: any[], endings: (Error | undefined)[] }[]} */
let hosts;
/** @type {import('../../lib/types/transports.js').Listener} */
let listener;
/** What the host says to each worker as soon as it is there; '': nothing. */
let firstWord = '';

const end = {
  settings: { net: 'tcp' },
  codec: 'string',
  wireKind: /** @type {const} */ ('text'),
  token: TOKEN,
  launchId: 'l1',
  brokerUrl: null,
  maxMessageBytes: MAX_BYTES,
};

/** @returns {Promise<Channel>} */
const connectWorker = () =>
  websocket.connect(/** @type {any} */ ({ ...end, address: listener.address, workerId: 'w0' }));

/** @returns {Promise<import('ws').WebSocket>} open, and without the manners of a channel */
async function rawClient() {
  const { WebSocket } = await import('ws');
  const headers = { authorization: `${TOKEN} w0` };
  const client = new WebSocket(`ws://${listener.address}`, { headers, perMessageDeflate: false });
  client.on('error', () => {});
  await new Promise((resolve) => client.once('open', resolve));
  return client;
}

/**
 * @param {Record<string, string>} headers
 * @returns {Promise<string | Record<string, any>>} how it was refused, or the headers of the answer
 */
function answerTo(headers) {
  return new Promise((resolve) => {
    const asking = request(`http://${listener.address}/`, { headers });
    asking.on('error', (error) => resolve(error.message));
    asking.on('response', (response) => resolve(`status ${response.statusCode}`));
    asking.on('upgrade', (response, socket) => {
      socket.destroy();
      resolve(response.headers);
    });
    asking.end();
  });
}

describe('a WebSocket server', { skip: reason, timeout: 600_000 }, () => {
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'ipcb-ws-'));
    [rejectedConnections, hosts, firstWord] = [[], [], ''];
    listener = await websocket.listen(
      /** @type {import('../../lib/types/transports.js').HostContext} */ ({
        ...end,
        scratchDir: folder,
        workers: 1,
        onChannel(channel) {
          /** @type {typeof hosts[number]} */
          const host = { channel, heard: [], endings: [] };
          channel.onMessage = (wire) => host.heard.push(wire);
          channel.onClose = (why) => host.endings.push(why);
          hosts.push(host);
          if (firstWord !== '') channel.send(firstWord);
        },
        onRejected: (what) => rejectedConnections.push(what),
        onError: (error) => assert.fail(error),
      }),
    );
  });
  afterEach(async () => {
    await listener.close();
    await listener.close();
    rmSync(folder, { recursive: true });
  });

  /** @type {[string, Record<string, string>][]} */
  const strange = [
    ['asks for a page', {}],
    ['upgrades without a token', UPGRADE],
    ['upgrades with a wrong token', { ...UPGRADE, authorization: `${'b'.repeat(32)} w0` }],
    ['upgrades with the token and no name', { ...UPGRADE, authorization: TOKEN }],
  ];
  for (const [what, headers] of strange) {
    it(`closes the connection of a peer that ${what}, and counts it`, async () => {
      assert.equal(await answerTo(headers), 'socket hang up');
      assert.equal(rejectedConnections.length, 1);
      assert.equal(hosts.length, 0);
    });
  }

  it('does not compress if that is offered', async () => {
    const headers = await answerTo({ ...UPGRADE, authorization: `${TOKEN} w0` });
    assert.ok(typeof headers === 'object', String(headers));
    assert.equal(headers['sec-websocket-extensions'], undefined);
    await eventually(() => hosts[0]?.endings.length === 1, 2_000);
  });

  /** @type {[string, string | Buffer, RegExp][]} */
  const violations = [
    ['bytes where text is due', Buffer.from('x'), /a binary message of 1 bytes arrived; only text ones/],
    ['an empty message', '', /a text message of 0 bytes arrived/],
    ['more than the cell allows', 'x'.repeat(MAX_BYTES + 1), /Max payload size exceeded/],
  ];
  for (const [what, wire, message] of violations) {
    it(`closes with a reason after ${what}`, async () => {
      const client = await rawClient();
      client.send(wire);
      await eventually(() => hosts[0].endings.length === 1, 2_000);
      assert.match(String(hosts[0].endings[0]?.message), message);
      assert.deepEqual(hosts[0].heard, []);
      client.terminate();
    });
  }

  it('reports the status with which a worker was rejected', async () => {
    const channel = await connectWorker();
    const why = closeOf(channel);
    channel.send('x'.repeat(MAX_BYTES + 1));
    assert.match(String(await why), /the other end closed the WebSocket with status 1009/);
  });

  it('delivers messages that arrive with the welcome once the worker has its handler', async () => {
    firstWord = 'at once';
    const channel = await connectWorker();
    assert.equal(
      await new Promise((resolve) => {
        channel.onMessage = resolve;
      }),
      'at once',
    );
  });

  it('closes if the other end does not confirm the close', async () => {
    const client = await rawClient();
    client.pause(); // it reads nothing any more, so it never sees it
    const startMs = performance.now();
    await hosts[0].channel.close();
    assert.ok(performance.now() - startMs < patiently(CLOSE_WITHIN_MS));
    assert.deepEqual(hosts[0].endings, [undefined]);
    client.terminate();
  });

  it('delivers messages before the close', async () => {
    const channel = await connectWorker();
    const words = ['first', 'x'.repeat(MAX_BYTES), 'last'];
    for (const word of words) channel.send(word);
    await channel.close();
    await eventually(() => hosts[0].endings.length === 1, 2_000);
    assert.deepEqual(hosts[0].heard, words);
    assert.deepEqual(hosts[0].endings, [undefined]);
  });
});
