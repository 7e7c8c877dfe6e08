import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';
import { serialize } from 'node:v8';
import fc from 'fast-check';
import { pack } from 'msgpackr';
import { checkedMessage } from '../lib/message.js';
import { describeCodec } from './conformance/codec.js';

/** @typedef {import('../lib/types.js').Codec} Codec */

const folder = new URL('../lib/codecs/', import.meta.url);
/** @type {Record<string, Codec>} */
const codecs = {};
for (const file of await readdir(folder)) codecs[file] = (await import(new URL(file, folder).href)).default;
const {
  'json.js': json,
  'string.js': string,
  'binary.js': binary,
  'msgpack.js': msgpack,
  'v8.js': v8,
} = codecs;

const ids = fc.integer({ min: 1, max: 2 ** 31 - 1 });
const payloads = fc.string({ unit: 'binary', size: 'large' });

for (const [file, codec] of Object.entries(codecs)) {
  describeCodec(codec);

  describe(file, () => {
    it('is named like its codec', () => assert.equal(file, `${codec.name}.js`));

    it('gives back any id and payload', () => {
      const survives = fc.property(ids, payloads, (id, payload) => {
        assert.deepEqual(codec.decode(codec.encode({ id, payload })), { id, payload });
      });
      fc.assert(survives, { seed: 1, numRuns: 300 });
    });

    it('refuses any noise, or reads a message out of it', () => {
      const noise = codec.produces === 'text' ? payloads : fc.uint8Array({ maxLength: 200 });
      const isHandled = fc.property(noise, (wire) => {
        const message = decodedOrRefused(codec, wire);
        if (message !== 'refused') checkedMessage(message.id, message.payload);
      });
      fc.assert(isHandled, { seed: 1, numRuns: 1_000 });
    });
  });
}

describe('checkedMessage', () => {
  it('takes an integer from 1 to 2147483647 and a text, and nothing else', () => {
    assert.deepEqual(checkedMessage(1, ''), { id: 1, payload: '' });
    assert.deepEqual(checkedMessage(2 ** 31 - 1, 'x'), { id: 2 ** 31 - 1, payload: 'x' });
    const badIds = [
      0,
      -0,
      -1,
      1.5,
      2 ** 31,
      2 ** 32 + 1,
      Number.NaN,
      Infinity,
      '1',
      1n,
      null,
      undefined,
      [1],
      true,
    ];
    for (const id of badIds) assert.throws(() => checkedMessage(id, 'x'), /^Error: not a message/);
    for (const payload of [undefined, null, 1, ['x'], Object('x')]) {
      assert.throws(() => checkedMessage(1, payload), /^Error: not a message/);
    }
  });
});

describe('each codec by itself', () => {
  it('json refuses what is not a message, and drops what a message does not have', () => {
    const refused = [
      '',
      'null',
      '1',
      '"x"',
      '[1,"x"]',
      '{"id":1}',
      '{"id":1,"payload":"x"} x',
      '[{"id":1,"payload":"x"}]',
    ];
    for (const wire of refused) assert.equal(decodedOrRefused(json, wire), 'refused', wire);
    const polluting = '{"id":1,"payload":"x","__proto__":{"polluted":true},"more":1}';
    assert.deepEqual(json.decode(polluting), { id: 1, payload: 'x' });
    assert.equal(decodedOrRefused(json, '{"__proto__":{"id":1,"payload":"x"}}'), 'refused');
  });

  it('string refuses every form but its own', () => {
    assert.deepEqual(string.decode('7 3 a b'), { id: 7, payload: 'a b' });
    const refused = [
      '7',
      '7 ',
      '7 3',
      '7 3 ',
      '7 3 ab',
      '7 3 abcd',
      ' 7 3 abc',
      '7  abc',
      '-7 3 abc',
      '+7 3 abc',
    ];
    const numbers = [
      '7.0 3 abc',
      '0x7 3 abc',
      '7e0 3 abc',
      '7 3.0 abc',
      '7 0x3 abc',
      '0 3 abc',
      '2147483648 3 abc',
    ];
    const others = ['7\n3\nabc', '00000000007 3 abc', '7 00000000003 abc', '٧ 3 abc', 'NaN 3 abc'];
    for (const wire of [...refused, ...numbers, ...others]) {
      assert.equal(decodedOrRefused(string, wire), 'refused', wire);
    }
  });

  it('binary refuses a length that is not the one at hand, and ids of 2^31 and above', () => {
    const wire = (/** @type {number[]} */ ...bytes) => Uint8Array.from(bytes);
    assert.deepEqual(binary.decode(wire(7, 0, 0, 0, 1, 0, 0, 0, 0x78)), { id: 7, payload: 'x' });
    for (const length of [0, 2, 0xff, 0xfd]) {
      assert.equal(decodedOrRefused(binary, wire(7, 0, 0, 0, length, 0, 0, 0, 0x78)), 'refused');
    }
    for (const id of [
      [0, 0, 0, 0],
      [0, 0, 0, 0x80],
      [1, 0, 0, 0x80],
      [255, 255, 255, 255],
    ]) {
      assert.equal(decodedOrRefused(binary, wire(...id, 1, 0, 0, 0, 0x78)), 'refused');
    }
  });

  it('msgpack sends no field names, and refuses maps and records of other makers', () => {
    assert.equal(
      Buffer.from(/** @type {Uint8Array} */ (msgpack.encode({ id: 7, payload: 'x' }))).toString('hex'),
      '4007a178',
    );
    assert.equal(decodedOrRefused(msgpack, pack({ id: 7, payload: 'x' })), 'refused');
    for (const hex of [
      'd4724092a2696401a178',
      '4007c0',
      '40c0a178',
      '40cb401c000000000000a178',
      '40ffa178',
      '40d107a178',
    ]) {
      assert.equal(decodedOrRefused(msgpack, Buffer.from(hex, 'hex')), 'refused', hex);
    }
  });

  it('msgpack gives back a leading byte order mark without its native part', async () => {
    const url = new URL('msgpack.js', folder).href;
    const script = `import codec from '${url}';
      import { isNativeAccelerationEnabled } from 'msgpackr';
      const payload = '\\ufeff\\ufeff' + 'x'.repeat(200);
      const decoded = codec.decode(codec.encode({ id: 1, payload }));
      process.stdout.write(String(!isNativeAccelerationEnabled && decoded.payload === payload));`;
    const env = { ...process.env, MSGPACKR_NATIVE_ACCELERATION_DISABLED: 'true' };
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ['--input-type=module', '--eval', script],
      { env },
    );
    assert.equal(stdout, 'true');
  });

  it('v8 refuses every value but a message', () => {
    for (const value of [null, 1, 'x', [1, 'x'], new Map([['id', 1]]), { id: 1n, payload: 'x' }, { id: 1 }]) {
      assert.equal(decodedOrRefused(v8, serialize(value)), 'refused');
    }
  });
});

/**
 * @param {Codec} codec
 * @param {unknown} wire
 */
function decodedOrRefused(codec, wire) {
  try {
    return codec.decode(wire);
  } catch (error) {
    assert.ok(error instanceof Error);
    return 'refused';
  }
}
