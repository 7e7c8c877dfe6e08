// A channel over streams of the test's own: when it waits, what it flushes, and how it ends.

import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { describe, it } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { waitForDrain } from '../../lib/channels/base-channel.js';
import { encodeFrame } from '../../lib/channels/framing.js';
import { acceptHandshake, sendHandshake } from '../../lib/channels/handshake.js';
import { encodeControlFrame, readControlFrame } from '../../lib/channels/message-channel.js';
import { FrameWriter, SplitWriter, StreamChannel } from '../../lib/channels/stream-channel.js';
import { BenchError } from '../../lib/errors.js';
import { TOKEN } from '../fixtures/both-ends.js';

class Stream extends EventEmitter {
  constructor() {
    super();
    /** @type {Buffer[]} */
    this.written = [];
    /** @type {string[]} */
    this.calls = [];
    this.writableNeedDrain = false;
    this.writableLength = 0;
  }

  /** @param {Buffer} bytes */
  write(bytes) {
    this.written.push(Buffer.from(bytes));
    return !this.writableNeedDrain;
  }

  end() {
    this.calls.push('end');
  }

  destroy() {
    this.calls.push('destroy');
  }

  pause() {
    this.calls.push('pause');
  }

  resume() {
    this.calls.push('resume');
  }

  /** @param {Buffer} bytes */
  unshift(bytes) {
    this.calls.push(`unshift ${bytes.length}`);
  }

  /** @returns {Buffer} */
  bytes() {
    return Buffer.concat(this.written);
  }

  listening() {
    return this.eventNames().length;
  }
}

/** @param {{ flush?: string, hasSink?: boolean }} [how] */
function channelOf({ flush = 'direct', hasSink = false } = {}) {
  const source = /** @type {any} */ (new Stream());
  const sink = hasSink ? /** @type {any} */ (new Stream()) : source;
  const end = /** @type {any} */ ({ settings: { flush }, wireKind: 'text', maxMessageBytes: 1_000_000 });
  const channel = new StreamChannel(source, end, sink);
  /** @type {string[]} */
  const heard = [];
  /** @type {(Error | undefined)[]} */
  const closings = [];
  channel.onMessage = (wire) => heard.push(wire);
  channel.onClose = (reason) => closings.push(reason);
  return { source, sink, channel, heard, closings };
}

describe('StreamChannel over one stream', () => {
  it('closes once with its stream, and delivers nothing more', () => {
    const { source, channel, heard, closings } = channelOf();
    source.emit('data', encodeFrame('one'));
    source.emit('close');
    source.emit('data', encodeFrame('two'));
    assert.deepEqual([heard, closings, channel.openStreams], [['one'], [undefined], 0]);
    assert.deepEqual(source.calls, []);
  });

  it('reports the first reason of a failure', () => {
    const { source, closings } = channelOf();
    source.emit('error', new Error('first'));
    source.emit('error', new Error('second'));
    source.emit('close');
    assert.equal(closings[0]?.message, 'first');
  });

  it('destroys its stream after an invalid frame, and delivers nothing more', () => {
    const { source, heard, closings } = channelOf();
    source.emit('data', Buffer.from([0x7f, 0xff, 0xff, 0xff, 1]));
    assert.deepEqual(source.calls.slice(0, 1), ['destroy']);
    source.emit('data', encodeFrame('too late'));
    source.emit('close');
    assert.equal(/** @type {any} */ (closings[0]).code, 'PROTOCOL');
    assert.deepEqual(heard, []);
  });

  it('does not close when its handler throws', () => {
    const { source, channel, closings } = channelOf();
    const bug = new BenchError('PROTOCOL', 'of another channel');
    channel.onMessage = () => {
      throw bug;
    };
    assert.throws(() => source.emit('data', encodeFrame('a message')), bug);
    assert.deepEqual([source.calls, closings], [[], []]);
  });

  it('reports that the other end closed within a frame', () => {
    const { source, closings } = channelOf();
    source.emit('data', encodeFrame('whole').subarray(0, 6));
    source.emit('end');
    source.emit('data', encodeFrame('whole').subarray(6));
    source.emit('close');
    assert.equal(closings[0]?.message, 'the stream ended within a frame');
  });

  it('writes what it kept, then waits until the stream has drained or closed', async () => {
    const { source, channel } = channelOf({ flush: 'tick' });
    channel.send('held back');
    source.writableNeedDrain = true;
    let isDrained = false;
    const drained = channel.drained().then(() => {
      isDrained = true;
    });
    assert.deepEqual(source.bytes(), encodeFrame('held back'));
    await turn();
    assert.equal(isDrained, false);
    source.emit('drain');
    await drained;
    source.emit('close');
    await channel.drained();
  });

  it('writes what it kept before it hangs up, and waits up to a second for the close', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const { source, channel, closings } = channelOf({ flush: 'tick' });
    channel.send('last words');
    const closed = channel.close();
    assert.deepEqual(source.bytes(), encodeFrame('last words'));
    assert.deepEqual(source.calls, ['end']);
    t.mock.timers.tick(999);
    assert.deepEqual(source.calls, ['end']);
    t.mock.timers.tick(1);
    assert.deepEqual(source.calls, ['end', 'destroy', 'destroy']);
    source.emit('close');
    await closed;
    assert.deepEqual(closings, [undefined]);
    await channel.close();
    assert.equal(source.calls.length, 3, 'it hangs up once');
  });

  it('leaves no timer when it was closed in time', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const { source, channel } = channelOf();
    const closed = channel.close();
    source.emit('close');
    await closed;
    t.mock.timers.tick(5_000);
    assert.deepEqual(source.calls, ['end']);
  });

  it('sends at once, by iteration or both, in order, and messages larger than a slab in one piece', async () => {
    const long = 'x'.repeat(100_000);
    for (const [flush, atOnce] of /** @type {const} */ ([
      ['direct', ['a', 'b', long, 'c']],
      ['tick', ['a', 'b', long]],
      ['lead', ['a', 'b', long, 'c']],
    ])) {
      const { source, channel } = channelOf({ flush });
      for (const wire of ['a', 'b', long, 'c']) assert.equal(channel.send(wire), true);
      assert.deepEqual(source.bytes(), Buffer.concat(atOnce.map(encodeFrame)), flush);
      await turn();
      assert.deepEqual(source.bytes(), Buffer.concat(['a', 'b', long, 'c'].map(encodeFrame)), flush);
    }
    const { source, channel } = channelOf({ flush: 'lead' });
    channel.send('first');
    channel.send('second');
    assert.deepEqual(source.bytes(), encodeFrame('first'));
    source.writableNeedDrain = true;
    assert.equal(channel.send('third'), false);
    await turn();
    assert.deepEqual(source.written.slice(1), [Buffer.concat(['second', 'third'].map(encodeFrame))]);
  });
});

describe('StreamChannel over a stream for each direction', () => {
  it('fails when either stream fails, and closes when both have closed', () => {
    for (const first of /** @type {const} */ (['source', 'sink'])) {
      const ends = channelOf({ hasSink: true });
      assert.equal(ends.channel.openStreams, 2);
      ends[first].emit('close');
      assert.deepEqual([ends.source.calls, ends.sink.calls, ends.closings], [['destroy'], ['destroy'], []]);
      ends[first === 'source' ? 'sink' : 'source'].emit('close');
      assert.deepEqual(ends.closings, [undefined]);
    }
  });

  it('reads from one and writes to the other', () => {
    const { source, sink, channel, heard } = channelOf({ hasSink: true });
    source.emit('data', encodeFrame('in'));
    channel.send('out');
    assert.deepEqual([heard, source.written, sink.bytes()], [['in'], [], encodeFrame('out')]);
    sink.emit('error', new Error('EPIPE'));
    assert.equal(channel.reason?.message, 'EPIPE');
  });
});

describe('waiting for a stream to drain', () => {
  it('waits until a stream has drained or closed, and leaves no listener', async () => {
    for (const event of ['drain', 'close']) {
      const stream = /** @type {any} */ (new Stream());
      const drained = waitForDrain(stream);
      stream.emit(event);
      await drained;
      assert.equal(stream.listening(), 0, event);
    }
  });
});

describe('frames written as head and body', () => {
  it('writes a frame in two parts, also again, and if it is too long to be kept', () => {
    const sink = new Stream();
    const writer = new SplitWriter(sink);
    assert.equal(/** @type {any} */ (sink)._writev, null);
    const frames = [encodeFrame('a'), encodeFrame('x'.repeat(65_532)), encodeFrame('y'.repeat(65_533))];
    for (const frame of frames) {
      for (let times = 0; times < 2; times += 1) assert.equal(writer.write(frame), true);
    }
    assert.deepEqual(
      sink.written.map(({ length }) => length),
      [4, 1, 4, 1, 4, 65_532, 4, 65_532, 4, 65_533, 4, 65_533],
    );
    assert.deepEqual(sink.bytes(), Buffer.concat(frames.flatMap((frame) => [frame, frame])));
    assert.equal(writer.lastFrame, frames[1], 'a longer one would keep its memory from being freed');
    sink.writableNeedDrain = true;
    for (const frame of [frames[1], frames[0]]) assert.equal(writer.write(frame), false);
  });
});

describe('a slab of frames', () => {
  it('fills a slab of 65,536 bytes, and returns the same view for messages of one size', () => {
    const writer = new FrameWriter();
    assert.deepEqual([writer.hasRoom(65_536), writer.hasRoom(65_537)], [true, false]);
    writer.append('abc');
    assert.deepEqual([writer.hasRoom(65_536 - 7), writer.hasRoom(65_536 - 6)], [true, false]);
    const view = writer.take();
    assert.deepEqual(view, encodeFrame('abc'));
    assert.equal(writer.take().length, 0);
    writer.recycle();
    assert.equal(writer.hasRoom(65_536), true);
    writer.append('xyz');
    assert.equal(writer.take(), view);
    writer.append('more');
    assert.deepEqual(writer.take(), encodeFrame('more'));
    writer.renew();
    writer.append('xyz');
    assert.notEqual(writer.take(), view);
    assert.deepEqual(view, encodeFrame('xyz'), 'what is under way is not written over');
  });
});

describe('the handshake over a stream for each direction', () => {
  const end = {
    settings: { flush: 'direct' },
    wireKind: 'text',
    maxMessageBytes: 1_000,
    token: TOKEN,
    workers: 1,
  };

  /** @param {(workerId: string) => any} [makeChannel] */
  function greeted(makeChannel) {
    const [source, sink] = [new Stream(), new Stream()].map((stream) => /** @type {any} */ (stream));
    /** @type {string[]} */
    const rejectedConnections = [];
    /** @type {string[]} */
    const joined = [];
    const host = /** @type {any} */ ({
      ...end,
      onRejected: (/** @type {string} */ why) => rejectedConnections.push(why),
      onChannel: (/** @type {any} */ _channel, /** @type {string} */ id) => joined.push(id),
    });
    acceptHandshake(source, host, sink, makeChannel);
    return { source, sink, rejectedConnections, joined };
  }
  const hello = encodeFrame(`${TOKEN} w0`);

  it('accepts peers with the token, and rejects all others', () => {
    for (const [what, happens] of /** @type {[string, (ends: ReturnType<typeof greeted>) => void][]} */ ([
      ['sent no valid token', ({ source }) => source.emit('data', encodeFrame(`${'cd'.repeat(16)} w0`))],
      ['sent no valid token', ({ source }) => source.emit('data', encodeFrame(TOKEN))],
      ['sent no valid token', ({ source }) => source.emit('data', encodeFrame(`${TOKEN} w0 more`))],
      [
        'sent something that is not a frame',
        ({ source }) => source.emit('data', encodeFrame('x'.repeat(1_025))),
      ],
      ['sent no valid token', ({ source }) => source.emit('data', encodeFrame('x'.repeat(1_024)))],
      ['broke the connection', ({ source }) => source.emit('error', new Error('x'))],
      ['broke the connection', ({ sink }) => sink.emit('error', new Error('x'))],
      ['disconnected before the handshake', ({ source }) => source.emit('close')],
      ['disconnected before the handshake', ({ sink }) => sink.emit('close')],
    ])) {
      const ends = greeted();
      happens(ends);
      ends.source.emit('data', hello);
      ends.source.emit('close');
      assert.deepEqual([ends.rejectedConnections, ends.joined], [[what], []]);
      assert.deepEqual([ends.source.calls, ends.sink.calls], [['destroy'], ['destroy']]);
      assert.deepEqual(ends.sink.written, []);
    }
    const { source, sink, rejectedConnections, joined } = greeted();
    source.emit('data', hello);
    source.emit('close');
    assert.deepEqual([rejectedConnections, joined, sink.written.length], [[], ['w0'], 1]);
  });

  it('rejects unknown workers and peers that send nothing by the deadline', (t) => {
    const none = greeted(() => null);
    none.source.emit('data', hello);
    assert.deepEqual(none.rejectedConnections, ['sent an invalid worker id']);
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const [mute, quick] = [greeted(), greeted()];
    quick.source.emit('data', hello);
    t.mock.timers.tick(600_000);
    assert.deepEqual([mute.rejectedConnections, mute.joined], [['sent no handshake in time'], []]);
    assert.deepEqual([quick.rejectedConnections, quick.source.calls], [[], []]);
  });

  /** @param {() => any} [makeChannel] */
  function introduced(makeChannel) {
    const [source, sink] = [new Stream(), new Stream()].map((stream) => /** @type {any} */ (stream));
    const guest = /** @type {any} */ ({ ...end, workerId: 'w0' });
    const joining = sendHandshake(source, guest, { sink, ...(makeChannel && { makeChannel }) });
    return { source, sink, joining };
  }
  const { sink: welcoming, source: asking } = greeted();
  asking.emit('data', hello);
  const [welcome] = welcoming.written;

  it('keeps the messages after the welcome of a handshake', async () => {
    const { source, sink, joining } = introduced(() => 'a channel');
    assert.deepEqual(sink.written, [hello]);
    source.emit('data', welcome.subarray(0, 3));
    source.emit('data', Buffer.concat([welcome.subarray(3), Buffer.from('data')]));
    assert.equal(await joining, 'a channel');
    assert.deepEqual(source.calls, ['pause', 'unshift 4', 'pause']);
    await turn();
    assert.equal(source.calls.at(-1), 'resume');
    assert.deepEqual([source.listening(), sink.listening()], [0, 0]);
  });

  it('fails with a reason, and closes both streams', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    for (const [why, happens] of /** @type {[RegExp, (source: Stream, sink: Stream) => void][]} */ ([
      [/: EPIPE$/, (_source, sink) => sink.emit('error', new Error('EPIPE'))],
      [/: it disconnected before its welcome$/, (source) => source.emit('close')],
      [/: it did not respond with a welcome$/, (source) => source.emit('data', Buffer.alloc(welcome.length))],
      [/: no welcome within 5600 ms$/, () => t.mock.timers.tick(5_600)],
      [/: cannot be made$/, (source) => source.emit('data', welcome)],
    ])) {
      const { source, sink, joining } = introduced(() => {
        throw new Error('cannot be made');
      });
      happens(source, sink);
      await assert.rejects(joining, { code: 'TRANSPORT', message: why });
      assert.ok(source.calls.includes('destroy') && sink.calls.includes('destroy'));
    }
  });
});

describe('a note', () => {
  it('accepts notes of at most 1,024 bytes', () => {
    const longest = encodeControlFrame(
      TOKEN,
      'w'.repeat(1_024 - encodeControlFrame(TOKEN, '', 'join', 0).length),
      'join',
      0,
    );
    assert.equal(longest.length, 1_024);
    assert.equal(readControlFrame(Buffer.from(longest), TOKEN)?.verb, 'join');
    assert.equal(readControlFrame(Buffer.from(longest.replace('ww', 'www')), TOKEN), null);
  });
});
