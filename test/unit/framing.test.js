// The one framing: any split of the stream gives the same frames, and a lying length is refused before it costs anything.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import {
  carryMessages,
  encodeFrame,
  FrameReader,
  frameBytesBound,
  HEADER_BYTES,
  makeFrameReader,
  wireFraming,
} from '../../lib/channels/framing.js';
import { FrameWriter } from '../../lib/channels/stream-channel.js';
import binary from '../../lib/codecs/builtin/binary.js';
import none from '../../lib/codecs/builtin/none.js';
import string from '../../lib/codecs/builtin/string.js';

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
  it('returns the same texts however the stream is split', () => {
    fc.assert(
      fc.property(fc.array(text, { maxLength: 20 }), fc.array(fc.nat()), (texts, cuts) => {
        assert.deepEqual(framesIn('text', split(Buffer.concat(texts.map(encodeFrame)), cuts)), texts);
      }),
      RUNS,
    );
  });

  it('returns the same bytes however the stream is split', () => {
    const bytes = fc.uint8Array({ minLength: 1, maxLength: 300 }).map((array) => Buffer.from(array));
    fc.assert(
      fc.property(fc.array(bytes, { maxLength: 20 }), fc.array(fc.nat()), (messages, cuts) => {
        assert.deepEqual(framesIn('bytes', split(Buffer.concat(messages.map(encodeFrame)), cuts)), messages);
      }),
      RUNS,
    );
  });

  it('returns the same texts and bytes if each message is passed as a whole', () => {
    const texts = ['a', 'é\n\0"', '\ufeff', 'x'.repeat(5_000), 'é'.repeat(5_000)];
    for (const kind of /** @type {const} */ (['text', 'bytes'])) {
      const messages = kind === 'text' ? texts : texts.map((text) => Buffer.from(text));
      /** @type {any[]} */
      const heard = [];
      const end = { settings: { inPlace: false }, wireKind: kind, maxMessageBytes: 20_000 };
      const reader = makeFrameReader(end, (wire) => heard.push(wire));
      for (const chunk of split(Buffer.concat(messages.map(encodeFrame)), [3, 4_000, 9_001]))
        reader.push(chunk);
      assert.deepEqual(heard, messages);
    }
  });

  it('returns the same frames byte by byte', () => {
    const texts = ['a', 'é\n\0"', '😀'.repeat(50), 'x'.repeat(70_000)];
    const stream = Buffer.concat(texts.map(encodeFrame));
    const bytes = Array.from({ length: stream.length }, (_, at) => stream.subarray(at, at + 1));
    assert.deepEqual(framesIn('text', bytes), texts);
  });

  for (const [name, header] of /** @type {[string, number][]} */ ([
    ['zero', 0],
    ['one more than allowed', 101],
    ['2^31 - 1', 0x7fff_ffff],
    ['an ASCII text of zero bytes', 0x8000_0000],
  ])) {
    it(`rejects a length of ${name} at once, in one piece and in four`, () => {
      const bytes = Buffer.alloc(HEADER_BYTES);
      bytes.writeUInt32BE(header);
      assert.throws(() => framesIn('text', [bytes], 100), { code: 'PROTOCOL' });
      const pieces = [...bytes].map((byte) => Buffer.of(byte));
      assert.throws(() => framesIn('text', pieces, 100), { code: 'PROTOCOL' });
    });
  }

  it('reports a stream that ends within a frame, and no other', () => {
    const stream = Buffer.concat([encodeFrame('one'), encodeFrame('two')]);
    const cuts = Array.from({ length: stream.length + 1 }, (_, bytes) => {
      const reader = new FrameReader({ kind: 'text', maxBodyBytes: 100, onFrame() {} });
      reader.push(stream.subarray(0, bytes));
      return reader.cutOff()?.code;
    });
    const within = Array(HEADER_BYTES + 2).fill('PROTOCOL');
    assert.deepEqual(cuts, [undefined, ...within, undefined, ...within, undefined]);
  });

  it('rejects text where bytes are expected', () => {
    assert.throws(() => framesIn('bytes', [encodeFrame('text')]), { code: 'PROTOCOL' });
  });

  it('accepts exactly the greatest length', () => {
    assert.deepEqual(framesIn('text', [encodeFrame('x'.repeat(100))], 100), ['x'.repeat(100)]);
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
    reader.push(Buffer.concat([encodeFrame('one'), encodeFrame('two')]));
    assert.deepEqual(frames, ['one']);
  });
});

describe('FrameWriter', () => {
  it('writes the same frames as frameOf(), one after the other', () => {
    fc.assert(
      fc.property(fc.array(text, { minLength: 1, maxLength: 20 }), (texts) => {
        const writer = new FrameWriter();
        for (const each of texts) {
          assert.ok(writer.hasRoom(frameBytesBound(each)));
          writer.append(each);
        }
        assert.deepEqual(Buffer.from(writer.take()), Buffer.concat(texts.map(encodeFrame)));
        assert.equal(writer.take().length, 0, 'what was taken is not given twice');
      }),
      RUNS,
    );
  });

  it('does not overwrite what was taken until it is released', () => {
    const writer = new FrameWriter();
    writer.append('first');
    const first = writer.take();
    writer.append(Buffer.from('second'));
    const second = writer.take();
    assert.deepEqual(Buffer.from(first), encodeFrame('first'));
    assert.deepEqual(Buffer.from(second), encodeFrame(Buffer.from('second')));
    writer.recycle();
    writer.append('third');
    assert.deepEqual(Buffer.from(writer.take()), encodeFrame('third'));
  });
});

/** @import { Codec, InPlace } from '../../lib/types/index.js' */
/** @typedef {Codec & { inPlace: InPlace }} InPlaceCodec */

describe('frames that a codec writes and reads in place', () => {
  for (const codec of /** @type {InPlaceCodec[]} */ ([string, binary, none])) {
    /** @param {(message: any) => void} onFrame */
    const endOf = (onFrame) => {
      const kind = codec.produces === 'text' ? 'text' : 'bytes';
      const writer = new FrameWriter();
      const reader = new FrameReader({ kind, maxBodyBytes: 1_000_000, onFrame });
      assert.equal(carryMessages(codec, writer, reader), true);
      return { writer, reader };
    };
    const messages = fc.record(
      { id: fc.integer({ min: 1, max: 2 ** 31 - 1 }), payload: text },
      { noNullPrototype: true },
    );
    const frameOfWire = (/** @type {any} */ message) =>
      encodeFrame(/** @type {any} */ (codec.encode(message)));

    it(`${codec.name}: equal those of its wires, and return the messages however the stream is split`, () => {
      fc.assert(
        fc.property(fc.array(messages, { minLength: 1, maxLength: 20 }), fc.array(fc.nat()), (sent, cuts) => {
          /** @type {any[]} */
          const heard = [];
          const { writer, reader } = endOf((message) => heard.push(message));
          for (const message of sent) writer.append(message);
          const stream = Buffer.from(writer.take());
          assert.deepEqual(stream, Buffer.concat(sent.map(frameOfWire)));
          for (const chunk of split(stream, cuts)) reader.push(chunk);
          assert.deepEqual(heard, sent);
        }),
        RUNS,
      );
    });

    it(`${codec.name}: need no more room than their bounds, and are the same in a separate buffer`, () => {
      for (const payload of ['', 'x'.repeat(100), 'é漢😀'.repeat(50), 'x'.repeat(70_000)]) {
        const { framing } = endOf(() => {}).writer;
        const message = { id: 1_999_999_999, payload };
        const frame = framing.whole(message);
        assert.deepEqual(frame, frameOfWire(message));
        assert.ok(frame.length <= framing.closeBound(message));
        assert.ok(framing.closeBound(message) <= framing.bound(message));
      }
    });

    it(`${codec.name}: return null for an invalid message, and continue`, () => {
      /** @type {any[]} */
      const heard = [];
      const { reader } = endOf((message) => heard.push(message));
      const message = { id: 7, payload: 'after' };
      reader.push(Buffer.concat([encodeFrame(Buffer.of(0x20, 0x78)), frameOfWire(message)]));
      assert.deepEqual(heard, [null, message]);
    });
  }

  it('are not offered if messages are not read in place', () => {
    for (const inPlace of [true, false]) {
      const end = { settings: { inPlace }, wireKind: /** @type {const} */ ('text'), maxMessageBytes: 100 };
      const writer = new FrameWriter();
      assert.equal(
        carryMessages(
          string,
          writer,
          makeFrameReader(end, () => {}),
        ),
        inPlace,
      );
      assert.equal(writer.framing === wireFraming, !inPlace);
    }
  });

  it('are not offered for a codec that has wires only', () => {
    const writer = new FrameWriter();
    const reader = new FrameReader({ kind: 'text', maxBodyBytes: 100, onFrame() {} });
    const wiresOnly = { encode: string.encode, decode: string.decode };
    assert.equal(carryMessages(wiresOnly, writer, reader), false);
  });
});

describe('FrameReader', () => {
  it('reads only the given part of a buffer', () => {
    /** @type {string[]} */
    const frames = [];
    const reader = new FrameReader({ kind: 'text', maxBodyBytes: 100, onFrame: (wire) => frames.push(wire) });
    const stream = Buffer.concat(['one', 'two', 'three'].map(encodeFrame));
    const memory = Buffer.alloc(3 + stream.length + 3, 0xff);
    stream.copy(memory, 3);
    const end = 3 + stream.length;
    for (let at = 3; at < end; at += 5) reader.push(memory, at, Math.min(at + 5, end));
    assert.deepEqual(frames, ['one', 'two', 'three']);
  });
});
