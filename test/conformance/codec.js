// The contract of a codec as a test suite, for those of this package and of plug-ins: call `await describeCodec(codec)` in a
// file that `node --test` runs. It does not measure speed.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sameness } from '../../lib/codecs/same-value.js';
import { inferSchema } from '../../lib/codecs/shapes.js';
import { seededRandom } from '../../lib/statistics/random.js';
import { describeBytes } from './codec-bytes.js';
import { garbageTexts, garbageValues } from './codec-garbage.js';
import { bitFlips, garbageBytes } from './codec-garbage-bytes.js';
import { describeInPlace } from './codec-in-place.js';
import * as inputs from './codec-inputs.js';
import { arrived, assertSurvives, outcomeOf, SMALL } from './codec-outcome.js';

/** @import { Codec } from '../../lib/types/index.js' */

const LENGTH_REMEDY = 'reject it, or declare trustsLength: true if a message ends where its wire ends';

/**
 * Declares the suite. If the codec is unavailable, the suite is skipped with the reason; with the environment variable CI set,
 * it fails.
 * @param {Codec} codec
 */
export async function describeCodec(codec) {
  const reason = (await codec.whyUnavailable?.()) ?? undefined;
  if (reason === undefined) await codec.prepare?.();
  describe(`codec ${codec.name}`, () => {
    describeDeclaration(codec);
    if (reason !== undefined) {
      it('runs on this machine', (t) => (process.env.CI ? assert.fail(reason) : t.skip(reason)));
      return;
    }
    describePreparation(codec);
    describeRoundTrip(codec);
    describeIndependence(codec);
    describeGarbage(codec);
    if (codec.inPlace !== undefined) describeInPlace(codec, codec.inPlace);
    describeValues(codec);
    if (codec.bytes !== undefined) describeBytes(codec, codec.bytes);
    if (codec.produces !== 'value') describeLength(codec);
  });
}

/** @param {Codec} codec */
function describeDeclaration(codec) {
  it('declares a name, a summary of one line and a kind of wire', () => {
    assert.match(codec.name, /^[a-z0-9][a-z0-9-]*$/);
    assert.match(codec.summary, /^\S.*$/);
    assert.ok(['text', 'bytes', 'value'].includes(codec.produces), `produces: ${codec.produces}`);
  });

  it('cites the documentation of its optional packages', () => {
    if (codec.whyUnavailable !== undefined) assert.ok(codec.sources?.length, 'sources');
    for (const source of codec.sources ?? []) assert.match(source, /^https:\/\/\S+$/);
  });
}

/** @param {Codec} codec */
function describePreparation(codec) {
  it('can be prepared again, even at the same time, and decodes earlier wires', async () => {
    const wire = codec.encode(SMALL);
    await Promise.all([codec.prepare?.(), codec.prepare?.()]);
    assert.deepEqual(codec.decode(arrived(wire)), SMALL);
    assertSurvives(codec, SMALL);
  });

  it('produces its declared kind of wire, which is never empty', () => {
    for (const payload of inputs.trickyPayloads()) {
      const wire = codec.encode({ id: 1, payload });
      assert.equal(kindOf(wire), codec.produces);
      if (codec.produces !== 'value') assert.notEqual(/** @type {string | Uint8Array} */ (wire).length, 0);
    }
  });
}

/** @param {Codec} codec */
function describeRoundTrip(codec) {
  it('decodes every payload unchanged', () => {
    const random = seededRandom(1);
    const payloads = inputs.trickyPayloads();
    for (let i = 0; i < 500; i += 1) payloads.push(inputs.randomPayload(random));
    for (const payload of payloads) assertSurvives(codec, { id: 7, payload });
  });

  it('decodes every id from 1 to 2147483647 unchanged', () => {
    for (const id of inputs.IDS) assertSurvives(codec, { id, payload: 'x' });
  });

  for (const payloadBytes of inputs.PAYLOAD_BYTES) {
    it(`carries payloads of exactly ${payloadBytes} bytes`, () => {
      const wide = '😀'.repeat(payloadBytes / 4) + 'x'.repeat(payloadBytes % 4);
      for (const payload of ['x'.repeat(payloadBytes), wide]) assertSurvives(codec, { id: 7, payload });
    });
  }

  it('decodes to a new plain object with an id and a payload only', () => {
    const first = codec.decode(arrived(codec.encode(SMALL)));
    const second = codec.decode(arrived(codec.encode(SMALL)));
    assert.deepEqual(Reflect.ownKeys(first), ['id', 'payload']);
    assert.equal(Object.getPrototypeOf(first), Object.prototype);
    assert.notEqual(first, second);
  });
}

/** @param {Codec} codec */
function describeIndependence(codec) {
  it('does not change a message that it encodes', () => {
    const message = { ...SMALL };
    codec.encode(message);
    codec.encode(Object.freeze(message));
    assert.deepEqual(message, SMALL);
  });

  it('does not change a wire when it encodes the next', () => {
    for (const units of [1, 100, 5_000, 100_000]) {
      const message = { id: 3, payload: 'é'.repeat(units) };
      const wire = codec.encode(message);
      const before = arrived(wire);
      for (let id = 10; id < 110; id += 1) codec.encode({ id, payload: 'y'.repeat(units * 2) });
      assert.deepEqual(codec.decode(arrived(wire)), message);
      assert.deepEqual(arrived(wire), before);
    }
  });

  if (codec.produces !== 'bytes') return;
  it('keeps no reference to the memory of a wire', () => {
    for (const payload of ['x', 'é', '😀'].flatMap((text) => [
      text,
      text.repeat(100),
      text.repeat(100_000),
    ])) {
      const wire = /** @type {Uint8Array} */ (arrived(codec.encode({ id: 5, payload })));
      const message = codec.decode(wire);
      new Uint8Array(wire.buffer).fill(0x21);
      assert.deepEqual(message, { id: 5, payload });
    }
  });

  it('decodes a wire in memory shared by threads', () => {
    for (const payload of ['x', 'é'].flatMap((text) => [text, text.repeat(1_000)])) {
      const wire = /** @type {Uint8Array} */ (codec.encode({ id: 5, payload }));
      const shared = Buffer.from(new SharedArrayBuffer(wire.length));
      shared.set(wire);
      assert.deepEqual(codec.decode(shared), { id: 5, payload });
    }
  });
}

/** @param {Codec} codec */
function describeGarbage(codec) {
  it('decodes or rejects noise, and works afterwards', () => {
    for (const wire of garbageFor(codec)) outcomeOf(codec, wire);
  });

  if (codec.produces === 'value') return;
  it('decodes or rejects a wire with one changed bit, and works afterwards', () => {
    const wire = /** @type {string | Uint8Array} */ (codec.encode(SMALL));
    for (const flipped of bitFlips(Buffer.from(wire))) {
      outcomeOf(codec, typeof wire === 'string' ? Buffer.from(flipped).toString() : flipped);
    }
  });
}

/** @param {Codec} codec   which may carry more than texts */
function describeValues(codec) {
  const { produces, values } = codec;
  if (values === undefined) return;
  if (produces !== 'value') describeSpoiledValues(codec, values);
  for (const [what, all] of Object.entries(inputs.VALUES)) {
    const schema = inferSchema(all);
    const isSame = sameness(schema.shape);
    const skip = values.skipReason?.(schema) ?? false;
    it(`decodes ${what} unchanged, with independent readers`, { skip }, () => {
      const { encode, decode } = values.carry(schema);
      const other = values.carry(schema);
      const wires = all.map(encode);
      for (const [index, value] of all.entries()) {
        assert.equal(kindOf(wires[index]), produces);
        for (const read of [decode, other.decode]) {
          const got = read(arrived(wires[index]));
          assert.ok(isSame(got, value), `${JSON.stringify(got)} in place of ${JSON.stringify(value)}`);
        }
      }
    });
  }
}

/**
 * @param {Codec} codec
 * @param {NonNullable<Codec['values']>} values
 */
function describeSpoiledValues({ produces }, values) {
  const [all] = Object.values(inputs.VALUES);
  it('decodes or rejects a value with one changed bit, and the next one unchanged', () => {
    const schema = inferSchema(all);
    const { encode, decode } = values.carry(schema);
    const isSame = sameness(schema.shape);
    const wire = /** @type {string | Uint8Array} */ (arrived(encode(all[0])));
    for (const flipped of bitFlips(Buffer.from(wire))) {
      try {
        decode(produces === 'text' ? Buffer.from(flipped).toString() : flipped);
      } catch (error) {
        assert.ok(error instanceof Error);
      }
      assert.ok(isSame(decode(arrived(wire)), all[0]));
    }
  });
}

/** @param {Codec} codec   whose wires have a length */
function describeLength(codec) {
  const wire = /** @type {string | Uint8Array} */ (codec.encode(SMALL));
  const trust = codec.trustsLength && 'it declares trustsLength';

  it('rejects a truncated wire, at every place', { skip: trust }, () => {
    for (let end = 0; end < wire.length; end += 1) {
      const what = `it decodes a wire that was cut off after ${end} of ${wire.length}`;
      assert.ok(outcomeOf(codec, wire.slice(0, end)) === 'refused', `${what}; ${LENGTH_REMEDY}`);
    }
  });

  it('rejects or ignores bytes after a wire', { skip: trust }, () => {
    for (const longer of lengthened(wire)) {
      const outcome = outcomeOf(codec, longer);
      const isFine = outcome === 'refused' || (outcome.id === SMALL.id && outcome.payload === SMALL.payload);
      assert.ok(isFine, `bytes after a wire become a part of its message; ${LENGTH_REMEDY}`);
    }
  });

  if (!codec.trustsLength) return;
  it('decodes or rejects a truncated or continued wire, and works afterwards', () => {
    for (let end = 0; end < wire.length; end += 1) outcomeOf(codec, wire.slice(0, end));
    for (const longer of lengthened(wire)) outcomeOf(codec, longer);
  });
}

/**
 * @param {string | Uint8Array} wire
 * @returns {(string | Uint8Array)[]} the same with something behind it
 */
function lengthened(wire) {
  return ['\0', ' ', 'x', '}', '\u00ff', wire].map((tail) =>
    typeof wire === 'string' ? wire + tail : Buffer.concat([wire, Buffer.from(tail)]),
  );
}

/** @param {Codec} codec */
function garbageFor(codec) {
  if (codec.produces === 'text') return garbageTexts();
  return codec.produces === 'bytes' ? garbageBytes() : garbageValues();
}

/** @param {unknown} wire */
function kindOf(wire) {
  if (typeof wire === 'string') return 'text';
  if (wire instanceof Uint8Array) return 'bytes';
  return typeof wire === 'object' && wire !== null ? 'value' : typeof wire;
}
