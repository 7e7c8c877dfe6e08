// The one framing: any split of the stream gives the same frames, and a lying length is refused before it costs anything.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { FrameWriter } from '../../lib/transport-kit/frame-writer.js';
import { FrameReader, frameBytesBound, frameOf, HEADER_BYTES } from '../../lib/transport-kit/framing.js';

const RUNS = { seed: 1, numRuns: 300 };
const text = fc.string({ unit: 'binary', minLength: 1, maxLength: 200 });

/**
 * @param {'text' | 'bytes'} kind
 * @param {Buffer[]} chunks
 * @param {number} [maxBodyBytes]
 */
function framesIn(kind, chunks, maxBodyBytes = 1_000_000) {
  /** @type {any[]} */
  const frames = [];
  const reader = new FrameReader({
    kind,
    maxBodyBytes,
    onFrame: (wire) => frames.push(typeof wire === 'string' ? wire : Buffer.from(wire)),
  });
  for (const chunk of chunks) reader.push(chunk);
  return frames;
}

/**
 * @param {Buffer} stream
 * @param {number[]} cuts   anywhere in the stream
 */
function split(stream, cuts) {
  const ends = [...new Set(cuts.map((cut) => cut % (stream.length + 1)))].sort((left, right) => left - right);
  return [0, ...ends].map((start, index) => stream.subarray(start, ends[index] ?? stream.length));
}

describe('framing', () => {
  it('gives the same texts however the stream is split', () => {
    fc.assert(
      fc.property(fc.array(text, { maxLength: 20 }), fc.array(fc.nat()), (texts, cuts) => {
        assert.deepEqual(framesIn('text', split(Buffer.concat(texts.map(frameOf)), cuts)), texts);
      }),
      RUNS,
    );
  });

  it('gives the same bytes however the stream is split', () => {
    const bytes = fc.uint8Array({ minLength: 1, maxLength: 300 }).map((array) => Buffer.from(array));
    fc.assert(
      fc.property(fc.array(bytes, { maxLength: 20 }), fc.array(fc.nat()), (messages, cuts) => {
        assert.deepEqual(framesIn('bytes', split(Buffer.concat(messages.map(frameOf)), cuts)), messages);
      }),
      RUNS,
    );
  });

  it('gives the same frames byte by byte', () => {
    const texts = ['a', 'é\n\0"', '😀'.repeat(50), 'x'.repeat(70_000)];
    const stream = Buffer.concat(texts.map(frameOf));
    const bytes = Array.from({ length: stream.length }, (_, at) => stream.subarray(at, at + 1));
    assert.deepEqual(framesIn('text', bytes), texts);
  });

  for (const [name, header] of /** @type {[string, number][]} */ ([
    ['zero', 0],
    ['one more than allowed', 101],
    ['2^31 - 1', 0x7fff_ffff],
    ['an ASCII text of zero bytes', 0x8000_0000],
  ])) {
    it(`refuses a length of ${name} at once, in one piece and in four`, () => {
      const bytes = Buffer.alloc(HEADER_BYTES);
      bytes.writeUInt32BE(header);
      assert.throws(() => framesIn('text', [bytes], 100), { code: 'PROTOCOL' });
      const pieces = [...bytes].map((byte) => Buffer.of(byte));
      assert.throws(() => framesIn('text', pieces, 100), { code: 'PROTOCOL' });
    });
  }

  it('refuses text where bytes travel', () => {
    assert.throws(() => framesIn('bytes', [frameOf('text')]), { code: 'PROTOCOL' });
  });

  it('allows exactly the greatest length', () => {
    assert.deepEqual(framesIn('text', [frameOf('x'.repeat(100))], 100), ['x'.repeat(100)]);
  });

  it('delivers nothing after stop(), not even the rest of the chunk', () => {
    /** @type {string[]} */
    const frames = [];
    const reader = new FrameReader({
      kind: 'text',
      maxBodyBytes: 100,
      onFrame(wire) {
        frames.push(wire);
        reader.stop();
      },
    });
    reader.push(Buffer.concat([frameOf('one'), frameOf('two')]));
    assert.deepEqual(frames, ['one']);
  });
});

describe('a frame writer', () => {
  it('writes the frames that frameOf() makes, one behind the other', () => {
    fc.assert(
      fc.property(fc.array(text, { minLength: 1, maxLength: 20 }), (texts) => {
        const writer = new FrameWriter();
        for (const each of texts) {
          assert.ok(writer.hasRoom(frameBytesBound(each)));
          writer.appendText(each);
        }
        assert.deepEqual(Buffer.from(writer.take()), Buffer.concat(texts.map(frameOf)));
        assert.equal(writer.take().length, 0, 'what was taken is not given twice');
      }),
      RUNS,
    );
  });

  it('never writes over what was taken, until it is told that nobody reads it', () => {
    const writer = new FrameWriter();
    writer.appendText('first');
    const first = writer.take();
    writer.appendBytes(Buffer.from('second'));
    const second = writer.take();
    assert.deepEqual(Buffer.from(first), frameOf('first'));
    assert.deepEqual(Buffer.from(second), frameOf(Buffer.from('second')));
    writer.recycle();
    writer.appendText('third');
    assert.deepEqual(Buffer.from(writer.take()), frameOf('third'));
  });
});
