// The ring under shared-memory and threads-shared, whose channel is in test/unit/ring-channel.test.js: whatever is written comes out,
// wherever the end of the memory lies and after any number of bytes, and an end that finds nonsense in it says so.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { encodeFrame, FrameReader } from '../../lib/channels/framing.js';
import { RingReader, RingWriter, ringFootprintBytes } from '../../lib/channels/ring/ring.js';

const WRITTEN_WORD = 0; // where each end counts, in words of the header
const READ_WORD = 32;

/** @param {number} ringBytes @param {number} [count]   that both ends begin at */
function makeRing(ringBytes, count = 0) {
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
    kind: 'text',
    maxBodyBytes: 100_000,
    onFrame: (wire) => heard.push(wire),
  });
  return { writer: new RingWriter(parts), reader: new RingReader(parts), words, frames, heard };
}

/**
 * As a channel does: at once where it fits, in pieces where it does not.
 * @param {ReturnType<typeof makeRing>} ring
 * @param {string} wire
 */
function pass({ writer, reader, frames }, wire) {
  if (writer.append(wire)) return;
  const frame = encodeFrame(wire);
  for (let at = 0; at < frame.length; reader.drain(frames)) at += writer.write(frame, at);
}

describe('RingWriter and RingReader', () => {
  it('return messages of any size unchanged, at any position of the end, also where the counters wrap', () => {
    const wires = fc.array(
      fc.record({ text: fc.string({ unit: 'binary', minLength: 1, maxLength: 90 }), isRead: fc.boolean() }),
      { maxLength: 40 },
    );
    const counts = fc.oneof(fc.nat(300), fc.constantFrom(2 ** 31 - 40, -40));
    fc.assert(
      fc.property(wires, fc.constantFrom(16, 64, 256), counts, (steps, ringBytes, count) => {
        const ring = makeRing(ringBytes, count);
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
      { seed: 1, numRuns: 300 },
    );
  });

  it('write text that fits exactly in place, although UTF-8 could be three times as long', () => {
    const { writer } = makeRing(64);
    assert.equal(writer.append('x'.repeat(60)), true);
    assert.equal(writer.hasRoom(1), false);
    assert.equal(writer.write(encodeFrame('abc'), 0), 0);
  });

  it('report no more that an end has to be woken once it has woken itself', () => {
    const { writer, reader } = makeRing(64);
    for (const [end, isWoken] of /** @type {const} */ ([
      [reader, () => writer.shouldWakeReader()],
      [writer, () => reader.shouldWakeWriter()],
    ])) {
      end.setAsleep(true);
      assert.deepEqual([isWoken(), isWoken()], [true, false]);
      end.setAsleep(true);
      end.setAsleep(false);
      assert.equal(isWoken(), false);
    }
  });

  it('reject a count of the other end that is beyond the ring', () => {
    for (const [word, counts] of /** @type {[number, number[]][]} */ ([
      [WRITTEN_WORD, [65, -1, 2 ** 31 - 1]],
      [READ_WORD, [1, -65, 2 ** 31 - 1]],
    ])) {
      for (const count of counts) {
        const { writer, reader, words, frames } = makeRing(64);
        words[word] = count;
        const read = word === READ_WORD ? () => writer.append('x') : () => reader.drain(frames);
        assert.throws(read, { code: 'PROTOCOL', message: /counts -?\d+ bytes in a ring of 64/ });
      }
    }
  });
});
