// Messages in streams of bytes, wherever the system cuts them.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  afterUpgrade,
  FrameReader,
  isHttp,
  LENGTH_PREFIXES,
  LineReader,
  openWebSocket,
  PROTOCOLS,
} from '../../lib/record/framings.js';

/** @typedef {[size: number, kind: string, body: string | null, command?: string]} Heard */

/**
 * @param {(onMessage: import('../../lib/record/framings.js').OnMessage) => { feed: (chunk: Buffer) => boolean }} open
 * @param {Buffer} stream
 * @param {number} chunk   bytes of each
 */
function hear(open, stream, chunk) {
  /** @type {Heard[]} */
  const heard = [];
  const reader = open((size, kind, readBody, command) => {
    const body = readBody === null ? null : String(readBody());
    heard.push(command === undefined ? [size, kind, body] : [size, kind, body, command]);
  });
  for (let at = 0; at < stream.length; at += chunk)
    assert.equal(reader.feed(stream.subarray(at, at + chunk)), true);
  return heard;
}

/** @param {Parameters<typeof hear>[0]} open @param {Buffer} stream @param {Heard[]} expected */
function assertHeard(open, stream, expected) {
  for (let chunk = 1; chunk <= stream.length; chunk += chunk < 40 ? 1 : 37)
    assert.deepEqual(hear(open, stream, chunk), expected, `in chunks of ${chunk} bytes`);
}

/** @param {import('../../lib/record/framings.js').ReadFrame} read @returns {Parameters<typeof hear>[0]} */
const frames = (read) => (onMessage) => new FrameReader(read, onMessage);

/** @param {string} mechanism */
function protocol(mechanism) {
  const found = PROTOCOLS.find((each) => each.mechanism === mechanism);
  assert.ok(found);
  return found;
}

/** @param {string} mechanism @returns {Parameters<typeof hear>[0]} a reader for each stream */
const opened = (mechanism) => (onMessage) => new FrameReader(protocol(mechanism).open()(), onMessage);

/** @param {number} bytes @param {number} value */
function number(bytes, value) {
  const buffer = Buffer.alloc(bytes);
  buffer.writeUIntBE(value, 0, bytes);
  return buffer;
}

describe('frames of a stream', () => {
  it('are lines, of which JSON is recognised', () => {
    assertHeard((onMessage) => new LineReader(onMessage), Buffer.from('{"a":"é"}\n\nplain\n[1]\n{"left'), [
      [10, 'value', '{"a":"é"}'],
      [5, 'text', 'plain'],
      [3, 'value', '[1]'],
    ]);
  });

  it('are texts of one line without a copy of them, and no others', () => {
    /** @type {number[]} */
    const sizes = [];
    const reader = new LineReader((size) => sizes.push(size));
    assert.equal(reader.feedText('{"a":"é"}\n'), true);
    assert.equal(reader.feedText('one\ntwo\n'), false);
    assert.equal(reader.feedText('no end'), false);
    assert.deepEqual(sizes, [10]);
  });

  it('have a length before them, in either order of its bytes', () => {
    const bodies = ['{"id":1}', 'x'.repeat(300), ''].map((text) => Buffer.from(text));
    const expected = /** @type {Heard[]} */ ([
      [8, 'value', '{"id":1}'],
      [300, 'bytes', null],
    ]);
    for (const [place, read] of LENGTH_PREFIXES.entries()) {
      const prefix = (/** @type {Buffer} */ body) =>
        place === 1 ? number(4, body.length).reverse() : number(4, body.length);
      const stream = Buffer.concat(bodies.flatMap((body) => [prefix(body), body]));
      const sizes = hear(frames(read), stream, 7).map(([size, kind]) => [size, kind]);
      assert.deepEqual(
        sizes,
        expected.map(([size, kind]) => [size, kind]),
      );
      assert.deepEqual(hear(frames(read), stream, stream.length), expected);
    }
  });

  it('have a flag in the highest bit of the length, as those of this program', () => {
    const body = Buffer.from('{"id":1}');
    const prefix = number(4, body.length);
    prefix[0] |= 0x80;
    const stream = Buffer.concat([prefix, body, number(4, body.length), body]);
    const heard = /** @type {Heard} */ ([8, 'value', '{"id":1}']);
    assertHeard(frames(LENGTH_PREFIXES[2]), stream, [heard, heard]);
    const reader = new FrameReader(LENGTH_PREFIXES[0], () => assert.fail());
    assert.equal(reader.feed(stream), false);
  });

  it('are read as JSON behind numbers as well', () => {
    const bodies = ['12 34 {"id":1}', '42["event",{}]', '7', ' {"a":1}', '-1 {"a":1}', `${'1'.repeat(24)}{}`];
    const stream = Buffer.concat(bodies.flatMap((body) => [number(4, body.length), Buffer.from(body)]));
    assertHeard(frames(LENGTH_PREFIXES[0]), stream, [
      [14, 'value', '{"id":1}'],
      [14, 'value', '["event",{}]'],
      [1, 'bytes', null],
      [8, 'bytes', null],
      [10, 'bytes', null],
      [26, 'bytes', null],
    ]);
  });

  it('are refused where a length is impossible', () => {
    const reader = new FrameReader(LENGTH_PREFIXES[0], () => assert.fail());
    assert.equal(reader.feed(Buffer.from('plain text')), false);
  });

  it('of a size that makes no sense are refused', () => {
    for (const [mechanism, text] of [
      ['NATS', 'PUB t -3\r\n'],
      ['NATS', 'HPUB t 9 3\r\n'],
      ['NATS', 'MSG t 1 99999999999\r\n'],
      ['Redis', '$x\r\n'],
      ['Redis', '$9999999999\r\n'],
      ['Redis', 'GET key\r\n'],
    ]) {
      const reader = new FrameReader(protocol(mechanism).open()(), () => assert.fail(text));
      assert.equal(reader.feed(Buffer.from(text)), false, text);
    }
  });

  it('of WebSocket are unmasked, joined where they are parts, and not read where they are compressed', () => {
    const mask = Buffer.from([1, 2, 3, 4]);
    const masked = Buffer.from('{"id":7}').map((byte, at) => byte ^ mask[at % 4]);
    const long = Buffer.from(`[${'1,'.repeat(200)}1]`);
    const stream = Buffer.concat([
      Buffer.from([0x81, 0x80 | masked.length]),
      mask,
      masked,
      Buffer.from([0x89, 0]), // ping
      Buffer.from([0x01, 3]),
      Buffer.from('{"a'),
      Buffer.from([0x80, 2]),
      Buffer.from('":'),
      Buffer.from([0xc1, 2]),
      Buffer.from('{}'),
      Buffer.from([0x82, 126]),
      number(2, long.length),
      long,
    ]);
    assertHeard(frames(openWebSocket()), stream, [
      [8, 'value', '{"id":7}'],
      [5, 'text', null],
      [2, 'text', null],
      [long.length, 'value', String(long)],
    ]);
  });

  it('of Redis are whole commands and replies, with the names of those that other transports have', () => {
    const stream = Buffer.from(
      '*3\r\n$7\r\nPUBLISH\r\n$2\r\nch\r\n$5\r\nhello\r\n+OK\r\n$-1\r\n*2\r\n*1\r\n:1\r\n$0\r\n\r\n%1\r\n+a\r\n#t\r\n*0\r\n',
    );
    assert.ok(protocol('Redis').begins(stream));
    const sizes = (/** @type {number} */ chunk) => hear(opened('Redis'), stream, chunk).map(([size]) => size);
    for (let chunk = 1; chunk <= stream.length; chunk += 1)
      assert.deepEqual(sizes(chunk), [36, 5, 5, 18, 12, 4], `in chunks of ${chunk} bytes`);
    assert.equal(hear(opened('Redis'), stream, stream.length)[0][3], 'PUBLISH');
    const large = Buffer.from(`*3\r\n$7\r\nPUBLISH\r\n$2\r\nch\r\n$2097152\r\n${'x'.repeat(2 ** 21)}\r\n`);
    assert.deepEqual(
      hear(opened('Redis'), large, 65_536).map(([, , , command]) => command),
      ['PUBLISH'],
    );
  });

  it('of MQTT are PUBLISH packets with their payload, of versions 4 and 5', () => {
    const connect = (/** @type {number} */ version) =>
      Buffer.from([0x10, 8, 0, 4, ...Buffer.from('MQTT'), version, 2]);
    const publish = (/** @type {number[]} */ properties) => {
      const body = Buffer.from([0, 1, 0x74, 0, 9, ...properties, ...Buffer.from('{"id":1}')]);
      return Buffer.concat([Buffer.from([0x32, body.length]), body]);
    };
    for (const [version, properties] of /** @type {[number, number[]][]} */ ([
      [4, []],
      [5, [2, 1, 0]],
    ])) {
      const stream = Buffer.concat([connect(version), publish(properties), Buffer.from([0xc0, 0])]);
      assert.ok(protocol('MQTT').begins(stream));
      assertHeard(opened('MQTT'), stream, [[8, 'value', '{"id":1}']]);
    }
  });

  it('of AMQP are complete with the last part of their body', () => {
    const frame = (/** @type {number} */ type, /** @type {Buffer} */ body) =>
      Buffer.concat([Buffer.from([type, 0, 1]), number(4, body.length), body, Buffer.from([0xce])]);
    const header = (/** @type {number} */ size) =>
      Buffer.concat([number(4, 60 << 16), number(2, 0), number(6, size), number(2, 0)]);
    const stream = Buffer.concat([
      Buffer.from('AMQP\0\0\x09\x01'),
      frame(1, Buffer.from('method')),
      frame(2, header(8)),
      frame(3, Buffer.from('{"id":1}')),
      frame(2, header(6)),
      frame(3, Buffer.from('{"a')),
      frame(3, Buffer.from('":1')),
      frame(2, header(0)),
    ]);
    assert.ok(protocol('AMQP').begins(stream));
    assertHeard(opened('AMQP'), stream, [
      [8, 'value', '{"id":1}'],
      [6, 'bytes', null],
      [0, 'bytes', null],
    ]);
  });

  it('of NATS are payloads, with and without headers', () => {
    const stream = Buffer.from(
      'INFO {"a":1}\r\nPING\r\nPUB t 5\r\nhello\r\nMSG t 1 reply 8\r\n{"id":1}\r\nHMSG t 1 12 20\r\nNATS/1.0\r\n\r\n[1,2,34]\r\n',
    );
    assert.ok(protocol('NATS').begins(stream));
    assertHeard(opened('NATS'), stream, [
      [5, 'bytes', null],
      [8, 'value', '{"id":1}'],
      [8, 'value', '[1,2,34]'],
    ]);
  });
});

describe('the beginning of a stream', () => {
  it('tells HTTP, and where it becomes one of WebSocket', () => {
    for (const text of ['GET / HTTP/1.1', 'POST /a', 'HTTP/1.1 200 OK']) assert.ok(isHttp(Buffer.from(text)));
    for (const text of ['', 'G', 'GETTING', '{"a":1}']) assert.ok(!isHttp(Buffer.from(text)));
    const upgrade = 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n\r\n';
    assert.equal(String(afterUpgrade(`${upgrade}rest`)), 'rest');
    assert.equal(afterUpgrade(Buffer.from(upgrade))?.length, 0);
    assert.equal(afterUpgrade('HTTP/1.1 101 Switching Protocols\r\nUpgrade: h2c\r\n\r\n'), null);
    assert.equal(afterUpgrade('HTTP/1.1 200 OK\r\n\r\n'), null);
  });

  it('is no protocol where it is too short, or something else', () => {
    for (const text of ['', '*', '*1\r\n', 'AMQ', 'INFO', '\x10', 'hello'])
      assert.equal(
        PROTOCOLS.find(({ begins }) => begins(Buffer.from(text))),
        undefined,
        text,
      );
  });
});
