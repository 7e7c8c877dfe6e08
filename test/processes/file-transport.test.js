// Runs at night.
// Messages as files: what lies in the folder, who is believed, what happens when it fills, and what remains when an end
// is killed. That messages arrive is conformance/transport.js' business.

import assert from 'node:assert/strict';
import fs, { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it, mock } from 'node:test';
import file from '../../transports/file/file.js';
import { joinByFiles, receiveByFiles } from '../../transports/file/file-folders.js';
import { eventually, launchCell } from '../fixtures/launch-cell.js';
import { nextUncaught } from '../fixtures/uncaught.js';

const WHERE_IT_RUNS = file.traits.platforms.includes(process.platform) ? false : 'it does not run here';
const TOKEN = 'a'.repeat(32);
const MAX_BYTES = 100_000;
const WINDOW_MESSAGES = 5_000; // more than send() takes unread, whatever they hold

/** @import { Channel } from '../../lib/types/index.js' */
/** @typedef {{ channel: Channel, heard: any[], endings: (Error | undefined)[] }} End */

/** @type {string} */
let folder;
/** @type {string[]} */
let rejectedConnections;
/** @type {End[]} */
let hosts;
/** @type {import('../../lib/types/transports.js').Listener} */
let listener;
let sync = false;

/** @param {Channel} channel @returns {End} */
function endOf(channel) {
  /** @type {End} */
  const end = { channel, heard: [], endings: [] };
  channel.onMessage = (wire) => end.heard.push(wire);
  channel.onClose = (why) => end.endings.push(why);
  return end;
}

const context = () => ({
  settings: { sync },
  codec: 'string',
  wireKind: /** @type {const} */ ('text'),
  token: TOKEN,
  launchId: 'l1',
  brokerUrl: null,
  maxMessageBytes: MAX_BYTES,
});

/** @param {Partial<import('../../lib/types/transports.js').GuestContext>} [other] */
const guest = (other) =>
  /** @type {any} */ ({
    ...context(),
    address: folder,
    workerId: 'w0',
    line: { onDisconnect() {} },
    ...other,
  });

async function listen() {
  [rejectedConnections, hosts] = [[], []];
  folder = mkdtempSync(join(tmpdir(), 'ipcb-file-'));
  listener = await receiveByFiles(
    /** @type {any} */ ({
      ...context(),
      scratchDir: folder,
      workers: 1,
      onChannel: (/** @type {Channel} */ channel) => hosts.push(endOf(channel)),
      onRejected: (/** @type {string} */ what) => rejectedConnections.push(what),
      onError: (/** @type {Error} */ error) => assert.fail(error),
    }),
  );
}

const join0 = async () => endOf(await joinByFiles(guest()));
const toMaster = () => join(folder, 'w0', 'to-master', 'post');
const toWorker = () => join(folder, 'w0', 'to-worker', 'post');

for (const choice of [false, true]) {
  describe(`a folder of messages, with sync=${choice}`, { skip: WHERE_IT_RUNS, timeout: 600_000 }, () => {
    beforeEach(() => {
      sync = choice;
      return listen();
    });
    afterEach(async () => {
      await listener.close();
      await listener.close();
      assert.deepEqual(readdirSync(folder), []);
      rmSync(folder, { recursive: true });
    });

    it('keeps no file that has been read', async () => {
      const worker = await join0();
      worker.channel.send('a question');
      await eventually(() => hosts[0].heard.length === 1, 2_000);
      hosts[0].channel.send('an answer');
      await eventually(() => worker.heard.length === 1, 2_000);
      assert.deepEqual([...readdirSync(toMaster()), ...readdirSync(toWorker())], []);
      await worker.channel.close();
    });

    it('reports backpressure when it is full, and resumes all waiting senders once it has been read', async () => {
      const worker = await join0();
      let goesOn = true;
      for (let index = 0; index < WINDOW_MESSAGES && goesOn; index += 1) goesOn = worker.channel.send('x');
      assert.equal(goesOn, false);
      let isBlocked = true;
      worker.channel.drained().then(() => {
        isBlocked = false;
      });
      // As loops do that were let go on before the others: it must not spin.
      while (isBlocked) await worker.channel.drained();
      assert.equal(worker.channel.send('y'), true);
      await worker.channel.close();
    });

    it('does not close when its handler throws', async (t) => {
      const worker = await join0();
      const uncaught = nextUncaught(t);
      const bug = new Error('of the handler');
      worker.channel.onMessage = () => {
        throw bug;
      };
      hosts[0].channel.send('a message');
      assert.equal(await uncaught, bug);
      assert.deepEqual(worker.endings, []);
      await worker.channel.close();
    });

    it('rejects peers without the token, and accepts the worker afterwards', async () => {
      writeFileSync(join(toMaster(), '0'), 'b'.repeat(32));
      await eventually(() => rejectedConnections.length === 1, 2_000);
      const worker = await join0();
      assert.equal(hosts.length, 1);
      await worker.channel.close();
    });

    it('ignores other files', async () => {
      const worker = await join0();
      for (const name of ['7', 'x', '-1', '1.5', 'NaN']) writeFileSync(join(toMaster(), name), 'strange');
      worker.channel.send('a question');
      await eventually(() => hosts[0].heard.length === 1, 2_000);
      assert.deepEqual(hosts[0].heard, ['a question']);
      await worker.channel.close();
    });

    it('fails a worker whose master ended before its welcome', async () => {
      const line = { onDisconnect() {} };
      const other = mkdtempSync(join(tmpdir(), 'ipcb-file-'));
      fs.cpSync(folder, other, { recursive: true });
      const joining = joinByFiles(guest({ address: other, line: /** @type {any} */ (line) }));
      line.onDisconnect();
      await assert.rejects(joining, { code: 'TRANSPORT', message: /w0 lost the master before its welcome/ });
      await eventually(() => existsSync(join(other, 'w0/to-master/post/0')), 2_000);
      rmSync(other, { recursive: true });
    });
  });
}

describe('a folder that cannot be watched', { skip: WHERE_IT_RUNS }, () => {
  for (const [code, remedy] of [
    ['ENOSPC', /raise fs\.inotify\.max_user_watches/],
    ['EMFILE', /raise fs\.inotify\.max_user_instances/],
  ]) {
    it(`fails because of ${code}, with the limit to raise`, async () => {
      const watch = mock.method(fs, 'watch', () => {
        throw Object.assign(new Error(`${code}: no more`), { code });
      });
      syncBuiltinESMExports();
      try {
        await assert.rejects(listen(), { code: 'TRANSPORT', message: remedy });
      } finally {
        watch.mock.restore();
        syncBuiltinESMExports();
        assert.deepEqual(readdirSync(folder), []);
        rmSync(folder, { recursive: true });
      }
    });
  }
});

describe('a launch over files', { skip: WHERE_IT_RUNS, timeout: 600_000 }, () => {
  const transport = 'file';

  it('sends more than may be unread at once', async () => {
    const { end, left } = await launchCell({
      transport,
      cell: { loops: 20, workers: 1, payloadBytes: 1_000_000 },
      timing: { warmupMs: 0, messages: 3 },
      deadlines: { finishMs: 15_000, replyMs: 10_000 },
    });
    assert.equal(end.kind, 'done', JSON.stringify(end));
    assert.deepEqual(left, []);
  });
});
