// Numbers in digits: what JavaScript writes, at every border where a digit or a thousand more begins.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { integerText, writeInteger } from '../../lib/codecs/decimals.js';

const BORDERS = Array.from({ length: 10 }, (_, power) => [
  10 ** power - 1,
  10 ** power,
  10 ** power + 1,
]).flat();

/** @param {number} integer */
function assertWritten(integer) {
  assert.equal(integerText(integer), String(integer));
  const target = Buffer.alloc(20, '-');
  const end = writeInteger(target, 4, integer);
  assert.equal(target.toString(), `----${integer}`.padEnd(20, '-'));
  assert.equal(end, 4 + String(integer).length);
}

describe('decimal digits', () => {
  it('writes the digits of numbers around powers of ten', () => {
    for (const integer of [...BORDERS, 1_000_999, 1_001_000, 2 ** 31 - 1]) assertWritten(integer);
  });

  it('writes the digits of any number of 31 bits', () => {
    fc.assert(fc.property(fc.nat({ max: 2 ** 31 - 1 }), assertWritten), { seed: 1, numRuns: 500 });
  });
});
