// Runs at night.
// The ring under shared-memory and threads-shared: whatever is written comes out, wherever the end of the memory lies, and
// an end that finds nonsense in it says so.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { describe, it } from 'node:test';
import { Worker } from 'node:worker_threads';
import fc from 'fast-check';
import { encodeFrame, FrameReader } from '../../lib/channels/framing.js';
import { RingReader, RingWriter, ringFootprintBytes } from '../../lib/channels/ring/ring.js';
import { readChunks, until } from '../fixtures/ring-echo.js';

const RUNS = { seed: 1, numRuns: 300 };
const ECHO = new URL('../fixtures/ring-echo.js', import.meta.url);
const WRITTEN_WORD = 0; // where each end counts, in words of the header
const READ_WORD = 32;

/**
 * @param {number} ringBytes
 * @param {object} [how]
 * @param {number} [how.count]   that both ends begin at
 * @param {'text' | 'bytes'} [how.kind]
 */
function makeRing(ringBytes, { count = 0, kind = 'text' } = {}) {
  const parts = {
    memory: new SharedArrayBuffer(64 + ringFootprintBytes(ringBytes)),
    byteOffset: 64,
    ringBytes,
  };
  const words = new Int32Array(parts.memory, 64);
  words[WRITTEN_WORD] = count;
  words[READ_WORD] = count;
  /** @type {any[]} */
  const heard = [];
  const frames = new FrameReader({
    kind,
    maxBodyBytes: 100_000,
    onFrame: (wire) => heard.push(typeof wire === 'string' ? wire : Buffer.from(wire)),
  });
  return { writer: new RingWriter(parts), reader: new RingReader(parts), words, frames, heard };
}

/**
 * As a channel does: at once where it fits, in pieces where it does not.
 * @param {ReturnType<typeof makeRing>} ring
 * @param {string | Buffer} wire
 */
function pass({ writer, reader, frames }, wire) {
  if (writer.append(wire)) return;
  const frame = encodeFrame(wire);
  for (let at = 0; at < frame.length; reader.drain(frames)) at += writer.write(frame, at);
}

describe('RingWriter and RingReader', () => {
  it('returns messages of any size unchanged, at any position of its end', () => {
    const wires = fc.array(
      fc.record({ text: fc.string({ unit: 'binary', minLength: 1, maxLength: 90 }), isRead: fc.boolean() }),
      { maxLength: 40 },
    );
    fc.assert(
      fc.property(wires, fc.constantFrom(16, 64, 256), fc.nat(300), (steps, ringBytes, count) => {
        const ring = makeRing(ringBytes, { count });
        for (const { text, isRead } of steps) {
          pass(ring, text);
          if (isRead) ring.reader.drain(ring.frames);
        }
        while (ring.reader.drain(ring.frames));
        assert.deepEqual(
          ring.heard,
          steps.map(({ text }) => text),
        );
        assert.ok(ring.reader.isEmpty());
      }),
      RUNS,
    );
  });

  for (const [border, count] of [
    ['2^31', 2 ** 31 - 40],
    ['2^32', -40],
  ]) {
    it(`continues when its counters wrap at ${border}`, () => {
      const ring = makeRing(64, { count: Number(count), kind: 'bytes' });
      const wires = Array.from({ length: 30 }, (_, index) => Buffer.alloc(1 + index, index));
      for (const wire of wires) {
        pass(ring, wire);
        ring.reader.drain(ring.frames);
      }
      assert.deepEqual(ring.heard, wires);
    });
  }

  it('accepts no more than fits, and the rest once there is room', () => {
    const { writer, reader, frames, heard } = makeRing(64);
    for (let taken = 0; taken < 4; taken += 1) assert.ok(writer.append('x'.repeat(12)));
    assert.equal(writer.append('x'), false);
    assert.equal(writer.write(encodeFrame('abc'), 0), 0);
    assert.equal(reader.drain(frames), true);
    assert.equal(reader.drain(frames), false);
    assert.equal(writer.append('again'), true);
    assert.equal(reader.drain(frames), true);
    assert.deepEqual(heard, [...new Array(4).fill('x'.repeat(12)), 'again']);
  });

  it('writes text that fits exactly in place, although UTF-8 could be three times as long', () => {
    const { writer } = makeRing(64);
    assert.equal(writer.append('x'.repeat(60)), true);
    assert.equal(writer.hasRoom(1), false);
  });

  it('reports once that a sleeping end has to be woken', () => {
    const { writer, reader } = makeRing(64);
    assert.equal(writer.shouldWakeReader(), false);
    reader.setAsleep(true);
    assert.equal(writer.shouldWakeReader(), true);
    assert.equal(writer.shouldWakeReader(), false);
    writer.setAsleep(true);
    assert.equal(reader.shouldWakeWriter(), true);
    assert.equal(reader.shouldWakeWriter(), false);
    reader.setAsleep(true);
    reader.setAsleep(false);
    assert.equal(writer.shouldWakeReader(), false);
  });

  it('rejects a writer that counts more than the ring holds, or less than was read', () => {
    for (const count of [65, -1, 2 ** 31 - 1]) {
      const { reader, words, frames } = makeRing(64);
      words[WRITTEN_WORD] = count;
      assert.throws(() => reader.drain(frames), {
        code: 'PROTOCOL',
        message: /counts -?\d+ bytes in a ring of 64/,
      });
    }
  });

  it('rejects a reader that counts more than was written, or too little', () => {
    for (const count of [1, -65, 2 ** 31 - 1]) {
      const { writer, words } = makeRing(64);
      words[READ_WORD] = count;
      assert.throws(() => writer.append('x'), { code: 'PROTOCOL' });
    }
  });

  it('survives any noise that the other end writes into the memory', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ minLength: 64, maxLength: 64 }),
        fc.integer(),
        fc.integer(),
        (junk, written, read) => {
          const { writer, reader, words, frames } = makeRing(64);
          writer.write(Buffer.from(junk), 0);
          words[WRITTEN_WORD] = written;
          words[READ_WORD] = read;
          for (const step of [
            () => reader.drain(frames),
            () => writer.append('x'),
            () => writer.write(encodeFrame('x'), 0),
          ]) {
            try {
              step();
            } catch (error) {
              assert.equal(/** @type {any} */ (error).code, 'PROTOCOL');
            }
          }
        },
      ),
      RUNS,
    );
  });

  for (const [ringBytes, bytes] of [
    [64, 50_000],
    [65_536, 20_000_000],
  ]) {
    it(`of ${ringBytes} bytes loses and changes nothing between two busy threads`, async () => {
      const footprint = ringFootprintBytes(ringBytes);
      const memory = new SharedArrayBuffer(2 * footprint);
      const [to, from] = [0, footprint].map((byteOffset) => ({ memory, byteOffset, ringBytes }));
      const thread = new Worker(ECHO, { workerData: { from: to, to: from, bytes } });
      const [writer, reader] = [new RingWriter(to), new RingReader(from)];
      const pattern = Buffer.from(Array.from({ length: 251 * 7 }, (_, index) => index % 251));
      let sent = 0;
      let heard = 0;
      while (heard < bytes) {
        const start = sent % 251;
        const chunk = pattern.subarray(start, start + Math.min(1 + (sent % 911), bytes - sent));
        sent += writer.write(chunk, 0);
        const check = (/** @type {Buffer} */ echo) => {
          for (const byte of echo) {
            if (byte !== heard % 251) assert.fail(`byte ${heard} is ${byte}`);
            heard += 1;
          }
        };
        readChunks(reader, check);
        until(() => heard === bytes || !reader.isEmpty() || (sent < bytes && writer.hasRoom(1)));
      }
      assert.equal(heard, bytes);
      await once(thread, 'exit');
    });
  }
});
