// Objects and lists as each built-in codec carries them, after the schema that is inferred from them.

import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { describe, it } from 'node:test';
import { sameness } from '../../lib/codecs/same-value.js';
import { inferSchema } from '../../lib/codecs/shapes.js';

/** @import { Codec } from '../../lib/types/index.js' */

const FOLDER = new URL('../../lib/codecs/builtin/', import.meta.url);
/** @type {Codec[]} */
const codecs = [];
for (const file of readdirSync(FOLDER)) codecs.push((await import(new URL(file, FOLDER).href)).default);

/** @type {Record<string, any[]>} */
const VALUES = {
  'numbers at their ends': [
    { i: 0, n: 0.1 },
    { i: 2 ** 31 - 1, n: -1e300 },
    { i: -(2 ** 31) + 1, n: 5e-324 },
    { i: 7, n: 2 ** 53 },
  ],
  'texts of all lengths and kinds': [
    { t: '', more: 'x' },
    { t: 'ä€😀', more: 'y'.repeat(1_000) },
    { t: '"\\\n\u0000', more: '{}' },
  ],
  'truth, and what is neither': [
    { yes: true, no: false, perhaps: true },
    { yes: true, no: false, perhaps: null },
    { yes: false, no: true, perhaps: false },
  ],
  'objects in objects': [
    { a: { b: { c: 1, d: 'x' } }, e: 2 },
    { a: { b: { c: 2, d: '' } }, e: 0 },
  ],
  'lists of texts, numbers and objects': [
    {
      texts: ['a', '', 'c'],
      whole: [1, -2, 3],
      parts: [0.5],
      rows: [
        { id: 1, on: true },
        { id: 2, on: false },
      ],
    },
    { texts: [], whole: [], parts: [], rows: [] },
    { texts: ['ä'], whole: [0], parts: [1e-9, 2.5], rows: [{ id: 3, on: true }] },
  ],
  'what is missing at times': [{ a: 1, b: 'x' }, { a: 2 }, { a: 3, b: 'y' }],
  'lists by themselves': [
    [
      { id: 1, name: 'one' },
      { id: 2, name: '' },
    ],
    [{ id: 3, name: 'three' }],
  ],
};

for (const codec of codecs) {
  const { name, values } = codec;
  if (values === undefined) continue;
  describe(`values in ${name}`, () => {
    for (const [what, all] of Object.entries(VALUES))
      it(`are decoded unchanged: ${what}`, async (t) => {
        if ((await codec.whyUnavailable?.()) !== undefined) return t.skip('its package is not installed');
        await codec.prepare?.();
        const schema = inferSchema(all);
        const reason = values.skipReason?.(schema);
        if (reason !== undefined && reason !== null) return t.skip(String(reason));
        const { encode, decode } = values.carry(schema);
        const isSame = sameness(schema.shape);
        const wires = all.map((value) => structuredClone(encode(value)));
        for (const [place, value] of all.entries()) {
          const back = decode(Buffer.isBuffer(wires[place]) ? wires[place] : asWire(wires[place]));
          assert.ok(isSame(back, value), JSON.stringify([back, value]));
        }
        if (all.length > 1) assert.ok(!isSame(decode(asWire(wires[1])), all[0]), 'another is another');
      });
  });
}

/** @param {any} wire   a copy, of whatever class @returns {any} as a channel hands it over */
function asWire(wire) {
  return wire instanceof Uint8Array ? Buffer.from(wire) : wire;
}
