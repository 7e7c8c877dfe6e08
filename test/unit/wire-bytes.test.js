// Bytes of a message as a text: what Buffer's toString() gives, whatever they are.

import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import { decodeText } from '../../lib/codecs/wire-bytes.js';

it('bytes are decoded as by toString(), short or long, ASCII or not', () => {
  const ascii = fc.string({ unit: 'binary-ascii', maxLength: 3_000 }).map((text) => Buffer.from(text));
  const text = fc.string({ unit: 'binary', maxLength: 2_000 }).map((all) => Buffer.from(all));
  const bytes = fc.uint8Array({ maxLength: 3_000 }).map((array) => Buffer.from(array));
  const some = fc.oneof(...[ascii, text, bytes].map((one) => fc.tuple(one, fc.constantFrom(1, 30))));
  fc.assert(
    fc.property(some, ([part, times]) => {
      const all = Buffer.concat(Array(times).fill(part));
      assert.equal(decodeText(all), all.toString());
    }),
    { seed: 1, numRuns: 300 },
  );
});
