// A conversation over two one-way streams is one channel: it ends as a whole, once, and with nothing left open.

import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import string from '../../lib/codecs/builtin/string.js';
import { BenchError } from '../../lib/errors.js';
import { encodeFrame } from '../../lib/transport/framing.js';
import { StreamChannel } from '../../lib/transport/stream-channel.js';
import { fifoUnavailableReason } from '../../transports/fifo/fifo.js';
import { makeFifos, openStream, openToRead, openToWrite } from '../../transports/fifo/fifo-door.js';
import { patiently } from '../conformance/deadline.js';
import { nextUncaught } from '../fixtures/uncaught.js';

const reason = process.platform === 'win32' ? 'there is no mkfifo on Windows' : fifoUnavailableReason();
const CLOSE_WITHIN_MS = 3_000;

/** @import { Socket } from 'node:net' */
/** @typedef {{ source: Socket, sink: Socket, channel: StreamChannel, heard: string[], endings: (Error | undefined)[] }} End */

/** @type {string} */
let folder;
/** @type {End} */
let near;
/** @type {End} */
let far;

/** @param {string} path */
function pipeAt(path) {
  const reader = openToRead(path); // first: without it nobody can open it to write
  return { reader: openStream(reader, 'read'), writer: openStream(openToWrite(path), 'write') };
}

/**
 * @param {Socket} source
 * @param {Socket} sink
 * @param {string} flush
 * @returns {End}
 */
function endOver(source, sink, flush) {
  const channel = new StreamChannel(
    source,
    { settings: { flush }, wireKind: 'text', maxMessageBytes: 2 ** 24 },
    sink,
  );
  /** @type {End} */
  const end = { source, sink, channel, heard: [], endings: [] };
  channel.onMessage = (wire) => end.heard.push(wire);
  channel.onClose = (why) => end.endings.push(why);
  return end;
}

/** @param {string} [flush] */
async function openBoth(flush = 'direct') {
  const paths = ['there', 'back'].map((name) => join(folder, name));
  await makeFifos(paths);
  const [there, back] = paths.map(pipeAt);
  near = endOver(back.reader, there.writer, flush);
  far = endOver(there.reader, back.writer, flush);
}

const allClosed = () => Promise.all([near.channel.closed, far.channel.closed]);

/** @param {End} end */
const isReleased = ({ source, sink }) => source.destroyed && sink.destroyed && source.closed && sink.closed;

describe('a channel over two pipes', { skip: reason ?? false, timeout: 600_000 }, () => {
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'ipcb-two-'));
  });
  afterEach(() => {
    for (const { channel } of [near, far]) channel.destroy();
    rmSync(folder, { recursive: true });
  });

  for (const flush of ['direct', 'tick', 'lead', 'split']) {
    it(`delivers all that was said before it was closed, also what no pipe holds, with flush=${flush}`, async () => {
      await openBoth(flush);
      const words = ['first', 'x'.repeat(1_000_000), 'last'];
      for (const word of words) near.channel.send(word);
      far.channel.send('from the other end');
      await far.channel.drained();
      await near.channel.close();
      await allClosed();
      assert.deepEqual(
        far.heard.map((word) => word.length),
        words.map((word) => word.length),
      );
    });
  }

  it('carries messages of any size where the codec needs no wire', async () => {
    await openBoth('tick');
    /** @type {any[]} */
    const heard = [];
    far.channel.onMessage = (message) => heard.push(message);
    for (const { channel } of [near, far]) assert.equal(channel.carry(string), true);
    const payloads = [
      'x',
      'é'.repeat(15_000),
      'x'.repeat(1_000_000),
      ...new Array(1_000).fill('y'.repeat(100)),
    ];
    const sent = payloads.map((payload, index) => ({ id: index + 1, payload }));
    for (const message of sent) near.channel.send(message);
    await near.channel.close();
    await allClosed();
    assert.deepEqual(heard, sent);
  });

  for (const [flush, writes] of /** @type {[string, number[]][]} */ ([
    ['direct', [1, 1, 1]],
    ['tick', [3]],
    ['lead', [1, 2]],
  ])) {
    it(`writes three messages of a turn as ${writes.join(', then ')} with flush=${flush}, in every turn`, async () => {
      await openBoth(flush);
      const frameBytes = 4 + 'word'.length;
      /** @type {number[]} */
      const written = [];
      const write = near.sink.write.bind(near.sink);
      near.channel.sink.write = (bytes) => {
        written.push(bytes.length / frameBytes);
        return write(bytes);
      };
      for (let turn = 1; turn <= 2; turn += 1) {
        for (let message = 0; message < 3; message += 1) near.channel.send('word');
        await new Promise((resolve) => setImmediate(resolve));
        assert.deepEqual(written.splice(0), writes);
      }
      await near.channel.close();
      await allClosed();
      assert.equal(far.heard.join(), Array(6).fill('word').join());
    });
  }

  it('tells both ends once, without a reason, and lets go of all four streams', async () => {
    await openBoth();
    await Promise.all([near.channel.close(), near.channel.close()]);
    await near.channel.close();
    await allClosed();
    assert.deepEqual([near.endings, far.endings], [[undefined], [undefined]]);
    assert.deepEqual([near, far].map(isReleased), [true, true]);
  });

  it('can be closed from both ends at once', async () => {
    await openBoth();
    await Promise.all([near.channel.close(), far.channel.close()]);
    assert.deepEqual([near.endings.length, far.endings.length], [1, 1]);
  });

  it('closes although the other end reads nothing, within its deadline', async () => {
    await openBoth();
    far.source.pause();
    near.channel.send('x'.repeat(1_000_000));
    const startMs = performance.now();
    await near.channel.close();
    assert.ok(performance.now() - startMs < patiently(CLOSE_WITHIN_MS));
    assert.ok(isReleased(near));
  });

  it('ends as a whole when the other end stops writing', async () => {
    await openBoth();
    far.sink.destroy();
    await near.channel.closed;
    assert.ok(isReleased(near));
    assert.deepEqual(near.endings, [undefined]);
  });

  for (const bytes of [2, 40]) {
    it(`says that the other end stopped writing within a frame, after ${bytes} bytes of it`, async () => {
      await openBoth();
      far.sink.write(encodeFrame('x'.repeat(100)).subarray(0, bytes));
      far.sink.end();
      await near.channel.closed;
      const [why] = /** @type {any[]} */ (near.endings);
      assert.deepEqual([why?.code, why?.message], ['PROTOCOL', 'the stream ended within a frame']);
    });
  }

  it('is not the channel that is to blame for what its own handler throws', async (t) => {
    await openBoth();
    const bug = new BenchError('PROTOCOL', 'of another channel');
    far.channel.onMessage = () => {
      throw bug;
    };
    const uncaught = nextUncaught(t);
    near.channel.send('a message');
    assert.equal(await uncaught, bug);
    assert.deepEqual([near.endings, far.endings], [[], []]);
  });

  it('ends as a whole when the other end stops reading', async () => {
    await openBoth();
    far.source.destroy();
    await new Promise((resolve) => far.source.once('close', resolve));
    near.channel.send('to nobody');
    await near.channel.closed;
    assert.ok(isReleased(near));
    assert.equal(near.endings.length, 1);
  });

  it('does not leave anybody waiting for drained() when it ends', async () => {
    await openBoth();
    far.source.pause();
    assert.equal(near.channel.send('x'.repeat(1_000_000)), false);
    const drained = near.channel.drained();
    far.channel.destroy();
    await drained;
  });

  it('hangs up on a frame that is too large, and says why', async () => {
    await openBoth();
    near.sink.write(Buffer.from('7fffffff', 'hex'));
    await allClosed();
    assert.equal(/** @type {any} */ (far.endings[0]).code, 'PROTOCOL');
    assert.deepEqual([near, far].map(isReleased), [true, true]);
    assert.deepEqual(readdirSync(folder).sort(), ['back', 'there']);
  });
});
