// Transports whose two ends can be in one process: what a channel promises, over real sockets and files.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { isInstalled } from '../../lib/machine/packages.js';
import file from '../../transports/file/file.js';
import memory from '../../transports/shared-memory/shared-memory.js';
import tcp from '../../transports/tcp.js';
import threads from '../../transports/threads-message.js';
import threadsShared from '../../transports/threads-shared/threads-shared.js';
import unix from '../../transports/unix.js';
import websocket from '../../transports/websocket/websocket.js';
import zeromq from '../../transports/zeromq/zeromq.js';
import { ownFolder } from '../fixtures/own-folder.js';

/** @import { Transport } from '../../lib/types/index.js' */

const TOKEN = 'a'.repeat(32);
const MOST = 100_000;
// A package that is optional maps the memory.
const WAKES = isInstalled('koffi') ? ['doorbell', ...(process.platform === 'linux' ? ['futex'] : [])] : [];
const ON_POSIX = { skip: process.platform === 'win32' ? 'a folder of ours is no place for a pipe' : false };

/** @param {any} channel @returns {any} with what it heard, and how it ended */
function noted(channel) {
  channel.heard = [];
  channel.onMessage = (/** @type {any} */ wire) =>
    channel.heard.push(typeof wire === 'string' ? wire : Buffer.from(wire).toString());
  channel.ended = new Promise((resolve) => (channel.onClose = resolve));
  return channel;
}

/** @param {() => boolean} isSo */
async function until(isSo) {
  while (!isSo()) await turn();
}

for (const [transport, settings] of /** @type {[Transport, Record<string, any>][]} */ ([
  [tcp, { flush: 'direct' }],
  [unix, { flush: 'direct' }],
  [unix, { flush: 'tick' }],
  [websocket, {}],
  [threads, { transfer: true }],
  [threads, { transfer: false }],
  [file, { sync: false }],
  [file, { sync: true }],
  [zeromq, { net: 'tcp' }],
  [zeromq, { net: 'ipc' }],
  ...WAKES.map((wake) => [memory, { wake }]),
  [threadsShared, { wake: 'waitAsync' }],
  [threadsShared, { wake: 'wait' }],
])) {
  const label = Object.entries(settings).map(([name, value]) => ` ${name}=${value}`);
  describe(`both ends of ${transport.name}${label.join('')}`, ON_POSIX, () => {
    const scratchDir = ownFolder('iop-');

    /** @param {'text' | 'bytes'} wireKind @param {import('node:test').TestContext} t */
    async function listening(wireKind, t) {
      const defaults = Object.fromEntries(
        Object.entries(transport.settings ?? {}).map(([name, { default: value }]) => [name, value]),
      );
      const all = { ...defaults, ...settings };
      const end = {
        settings: all,
        wireKind,
        maxMessageBytes: MOST,
        token: TOKEN,
        launchId: 'l',
        codec: 'json',
      };
      /** @type {Map<string, any>} */
      const channels = new Map();
      /** @type {string[]} */
      const rejectedConnections = [];
      const host = /** @type {any} */ ({
        ...end,
        workers: 2,
        brokerUrl: null,
        scratchDir,
        onError: assert.ifError,
        onChannel: (/** @type {any} */ channel, /** @type {string} */ id) => channels.set(id, noted(channel)),
        onRejected: (/** @type {string} */ why) => rejectedConnections.push(why),
      });
      const listener = await transport.listen(host);
      t.after(() => listener.close());
      /** @param {string} workerId @param {object} [other] */
      const join = async (workerId, other) => {
        /** @type {any} */
        const ofMaster = { onValue() {}, transfer: (/** @type {any} */ value) => line.onValue(value) };
        /** @type {any} */
        const line = {
          onValue() {},
          onDisconnect() {},
          send: (/** @type {any} */ value) => ofMaster.onValue(value),
        };
        listener.adopt?.(ofMaster, workerId, null);
        const guest = { workerId, workers: 2, address: listener.address, brokerUrl: null, line };
        return noted(await transport.connect(/** @type {any} */ ({ ...end, ...guest, ...other })));
      };
      return { channels, rejectedConnections, join };
    }

    for (const kind of /** @type {const} */ (['text', 'bytes'])) {
      it(`carry ${kind} of any length both ways, in order, each between its two`, async (t) => {
        const { channels, join } = await listening(kind, t);
        const wireOf = (/** @type {string} */ text) => (kind === 'text' ? text : Buffer.from(text));
        const workers = [await join('w0'), await join('w1')];
        await until(() => channels.size === 2);
        const texts = ['x', 'second', 'y'.repeat(MOST), 'last'];
        for (const [place, worker] of workers.entries()) {
          for (const text of texts) {
            worker.send(wireOf(`${text.slice(0, MOST - 1)}${place}`));
            channels.get(`w${place}`).send(wireOf(text));
          }
        }
        await until(() => workers.every(({ heard }) => heard.length === 4));
        await until(() => [...channels.values()].every(({ heard }) => heard.length === 4));
        for (const [place, worker] of workers.entries()) {
          assert.deepEqual(worker.heard, texts);
          const expected = texts.map((text) => `${text.slice(0, MOST - 1)}${place}`);
          assert.deepEqual(channels.get(`w${place}`).heard, expected);
        }
        await Promise.all(workers.map((worker) => worker.close()));
      });
    }

    it('ask to wait while the other end does not read, and lose nothing', async (t) => {
      const { channels, join } = await listening('text', t);
      const worker = await join('w0');
      await until(() => channels.size === 1);
      let sent = 0;
      for (let round = 0; round < 3; round += 1) {
        for (let hasRoom = true; hasRoom; sent += 1) hasRoom = worker.send(`${sent} ${'z'.repeat(50_000)}`);
        await worker.drained();
      }
      const { heard } = channels.get('w0');
      await until(() => heard.length === sent);
      assert.deepEqual(
        heard.map((/** @type {string} */ text) => Number.parseInt(text, 10)),
        Array.from({ length: sent }, (_, place) => place),
      );
      await worker.close();
    });

    it('deliver what was sent before a close, end both without a reason, and deliver nothing afterwards', async (t) => {
      const { channels, join } = await listening('text', t);
      const worker = await join('w0');
      await until(() => channels.size === 1);
      const master = channels.get('w0');
      for (let message = 0; message < 50; message += 1) worker.send(`m${message}`);
      await worker.close();
      assert.deepEqual([await worker.ended, await master.ended], [undefined, undefined]);
      assert.deepEqual([master.heard.length, master.heard.at(-1)], [50, 'm49']);
      for (const channel of [worker, master]) channel.send('late');
      await Promise.all([worker.close(), worker.drained(), master.close(), master.drained()]);
      assert.equal(master.heard.length, 50);
    });

    it('hang up on a message that is longer than any may be, and say so', async (t) => {
      const { channels, join } = await listening('text', t);
      const worker = await join('w0', { maxMessageBytes: 2 * MOST });
      await until(() => channels.size === 1);
      worker.send('q'.repeat(MOST + 1));
      assert.ok((await channels.get('w0').ended) instanceof Error);
      assert.deepEqual(channels.get('w0').heard, []);
      await worker.close();
    });

    // Files do not tell who wrote them, the threads of a master are no unauthenticated peers, and who asks a ZeroMQ without the token
    // waits until its deadline.
    const isTold = ![file, threads, threadsShared, zeromq].includes(transport);
    it('are not made with an unauthenticated peer', {
      skip: isTold ? false : 'nobody can be hung up on',
    }, async (t) => {
      const { channels, rejectedConnections, join } = await listening('text', t);
      await assert.rejects(join('w0', { token: 'b'.repeat(32) }), { code: 'TRANSPORT' });
      assert.deepEqual([channels.size, rejectedConnections.length], [0, 1]);
    });
  });
}
