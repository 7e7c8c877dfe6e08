// Runs always.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';
import { serialize } from 'node:v8';
import fc from 'fast-check';
import { pack } from 'msgpackr';
import { describeCodec } from '../conformance/codec.js';

/** @import { Codec } from '../../lib/types/index.js' */

const folder = new URL('../../lib/codecs/builtin/', import.meta.url);
/** @type {Record<string, Codec>} */
const codecs = {};
for (const file of await readdir(folder)) codecs[file] = (await import(new URL(file, folder).href)).default;
const {
  'json.js': json,
  'string.js': string,
  'msgpack.js': msgpack,
  'v8.js': v8,
  'none.js': none,
  'cbor.js': cbor,
  'protobuf.js': protobuf,
  'avro.js': avro,
  'flatbuffers.js': flatbuffers,
  'json-schema.js': jsonSchema,
} = codecs;
/** @type {Map<Codec, string>} codec → why it is skipped here; the suite fails for it in CI */
const missing = new Map();
for (const codec of Object.values(codecs)) {
  const reason = (await codec.whyUnavailable?.()) ?? undefined;
  if (reason !== undefined) missing.set(codec, reason);
}

const ids = fc.integer({ min: 1, max: 2 ** 31 - 1 });
const payloads = fc.string({ unit: 'binary', size: 'large' });

for (const [file, codec] of Object.entries(codecs)) {
  await describeCodec(codec);

  describe(file, () => {
    it('is named like its codec', () => assert.equal(file, `${codec.name}.js`));
  });
}

// What they reject beyond the noise of the conformance suite.
describe('each codec by itself', () => {
  it('string rejects numbers of more digits than it writes', () => {
    assert.deepEqual(string.decode('7 3 a b'), { id: 7, payload: 'a b' });
    for (const wire of ['00000000007 3 abc', '7 00000000003 abc'])
      assert.equal(decodedOrRefused(string, wire), 'refused', wire);
  });

  it('msgpack sends no field names, and rejects maps and other records', () => {
    assert.equal(hexOf(msgpack.encode({ id: 7, payload: 'x' })), '4007a178');
    assert.equal(decodedOrRefused(msgpack, pack({ id: 7, payload: 'x' })), 'refused');
    const wires = 'd4724092a2696401a178 4007c0 40c0a178 40cb401c000000000000a178 40ffa178 40d107a178';
    for (const hex of wires.split(' ')) {
      assert.equal(decodedOrRefused(msgpack, Buffer.from(hex, 'hex')), 'refused', hex);
    }
  });

  for (const [codec, name, variable] of /** @type {const} */ ([
    [msgpack, 'msgpackr', 'MSGPACKR_NATIVE_ACCELERATION_DISABLED'],
    [cbor, 'cbor-x', 'CBOR_NATIVE_ACCELERATION_DISABLED'],
  ])) {
    const skip = missing.get(codec);
    it(`${codec.name} decodes a leading byte order mark without its native part`, { skip }, async () => {
      const url = new URL(`${codec.name}.js`, folder).href;
      const script = `import codec from '${url}';
      import { isNativeAccelerationEnabled } from '${name}';
      await codec.prepare?.();
      const payload = '\\ufeff\\ufeff' + 'x'.repeat(200);
      const decoded = codec.decode(codec.encode({ id: 1, payload }));
      process.stdout.write(String(!isNativeAccelerationEnabled && decoded.payload === payload));`;
      const env = { ...process.env, [variable]: 'true' };
      const { stdout } = await promisify(execFile)(
        process.execPath,
        ['--input-type=module', '--eval', script],
        { env },
      );
      assert.equal(stdout, 'true');
    });
  }

  it('none has four bytes of id, inverted before ASCII, and reads what is left as the payload', () => {
    assert.equal(hexOf(none.encode({ id: 7, payload: 'xy' })), 'f8ffffff7879');
    assert.equal(hexOf(none.encode({ id: 7, payload: 'é' })), '07000000c3a9');
    assert.deepEqual(none.decode(Buffer.from('f8ffffff', 'hex')), { id: 7, payload: '' });
  });

  it('cbor sends no field names, and rejects maps and other records', {
    skip: missing.get(cbor),
  }, () => {
    assert.equal(hexOf(cbor.encode({ id: 7, payload: 'x' })), 'd9e00082076178');
    for (const hex of [
      'a262696407677061796c6f61646178', // a map
      'd9dfff8419e000826269646770' + '61796c6f6164076178', // a record with its definition
      'd9e000830761786178',
      'd9e00182076178',
      'd9e00082276178', // a negative id
      'd9e000821b00000000000000076178',
      'd9e00082074178', // bytes in place of a text
      'd9e000820778ff78', // a text that says to be longer
    ]) {
      assert.equal(decodedOrRefused(cbor, Buffer.from(hex, 'hex')), 'refused', hex);
    }
  });

  it('protobuf reads fields in any order, skips others, and rejects a message that lacks one', {
    skip: missing.get(protobuf),
  }, () => {
    assert.equal(hexOf(protobuf.encode({ id: 7, payload: 'x' })), '0807120178');
    assert.equal(hexOf(protobuf.encode({ id: 7, payload: '' })), '08071200');
    for (const hex of ['1201780807', '08071201781a017a', '18010807120178']) {
      assert.deepEqual(protobuf.decode(Buffer.from(hex, 'hex')), { id: 7, payload: 'x' }, hex);
    }
    const wires = '0807 120178 0800120178 088080808008120178 08071202c328 0d07000000120178';
    for (const hex of wires.split(' ')) {
      assert.equal(decodedOrRefused(protobuf, Buffer.from(hex, 'hex')), 'refused', hex);
    }
  });

  it('avro sends only values', {
    skip: missing.get(avro),
  }, () => {
    assert.equal(hexOf(avro.encode({ id: 7, payload: 'x' })), '0e0278');
  });

  it('flatbuffers follows no offset out of the wire', { skip: missing.get(flatbuffers) }, () => {
    const wire = Buffer.from(/** @type {Uint8Array} */ (flatbuffers.encode({ id: 7, payload: 'xyz' })));
    assert.deepEqual(flatbuffers.decode(wire), { id: 7, payload: 'xyz' });
    const [least, greatest, end] = [-(2 ** 31), 2 ** 31 - 1, wire.length];
    const offsets = { 0: [-1, end - 3], 12: [13, 12 - end], 16: [-17, end - 16] };
    const lengths = { 24: [-1, 4] };
    for (const [at, outside] of Object.entries({ ...offsets, ...lengths })) {
      for (const offset of [...outside, least, greatest]) {
        const bent = Buffer.from(wire);
        bent.writeInt32LE(offset, Number(at));
        assert.equal(decodedOrRefused(flatbuffers, bent), 'refused', `${offset} at ${at}`);
      }
    }
    for (let id = 1; id < 50; id += 1) {
      assert.equal(decodedOrRefused(flatbuffers, Buffer.alloc(id * 4, 4)), 'refused');
    }
  });

  it('flatbuffers rejects objects that do not fit a table, and carries all others', {
    skip: missing.get(flatbuffers),
  }, () => {
    const { carry, skipReason: whyNot } = /** @type {NonNullable<Codec['values']>} */ (flatbuffers.values);
    const samples = { number: 0.5, integer: 1, boolean: true, text: 'x' };
    /** @type {[(keyof typeof samples)[], number][]} */
    const mosts = [
      [['number'], 4096],
      [['boolean', 'number'], 4094],
    ];
    for (const [kinds, most] of mosts) {
      const shapeOf = (/** @type {number} */ count) => ({
        kind: /** @type {const} */ ('object'),
        fields: Array.from({ length: count }, (_, index) => ({
          name: `k${index}`,
          shape: { kind: kinds[index % kinds.length] },
        })),
      });
      const shape = shapeOf(most);
      assert.equal(whyNot?.({ shape, layouts: [] }), null, kinds.join());
      const value = Object.fromEntries(
        shape.fields.map(({ name, shape: { kind } }) => [name, samples[kind]]),
      );
      const { encode, decode } = carry({ shape, layouts: [] });
      assert.deepEqual(decode(encode(value)), value, kinds.join());
      const wider = shapeOf(most + kinds.length);
      assert.match(
        String(whyNot?.({ shape: wider, layouts: [] })),
        /^a message has [\d,]+ fields, and a table has room for 32,767 bytes/,
      );
      const inner = { kind: /** @type {const} */ ('object'), fields: [{ name: 'inner', shape: wider }] };
      assert.match(String(whyNot?.({ shape: inner, layouts: [] })), /^"inner" has [\d,]+ fields/);
    }
  });

  it('protobuf rejects objects with so many fields that loading their schema takes minutes', {
    skip: missing.get(protobuf),
  }, () => {
    const fields = Array.from({ length: 20_000 }, (_, index) => ({
      name: `k${index}`,
      shape: { kind: /** @type {const} */ ('number') },
    }));
    const whyNot = (/** @type {number} */ count) =>
      protobuf.values?.skipReason?.({
        shape: { kind: 'object', fields: fields.slice(0, count) },
        layouts: [],
      });
    assert.equal(whyNot(4_000), null);
    assert.match(String(whyNot(20_000)), /^a message has 20,000 fields: protobufjs takes too long/);
  });

  it('json-schema writes the same bytes as json', { skip: missing.get(jsonSchema) }, () => {
    fc.assert(
      fc.property(ids, payloads, (id, payload) => {
        assert.equal(jsonSchema.encode({ id, payload }), json.encode({ id, payload }));
      }),
      { seed: 1, numRuns: 200 },
    );
  });

  it('v8 rejects every value but a message', () => {
    for (const value of [null, 1, 'x', [1, 'x'], new Map([['id', 1]]), { id: 1n, payload: 'x' }, { id: 1 }]) {
      assert.equal(decodedOrRefused(v8, serialize(value)), 'refused');
    }
  });
});

/** @param {import('../../lib/types/messages.js').Wire} wire */
function hexOf(wire) {
  return Buffer.from(/** @type {Uint8Array} */ (wire)).toString('hex');
}

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
