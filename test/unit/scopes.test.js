import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { scopeText } from '../../lib/report/text/remarks.js';
import { makeResults } from '../fixtures/make-results.js';

/** @import { Cell, MeasuredOutcome } from '../../lib/types/index.js' */

const SIX = ['pipe/json', 'unix/json', 'tcp/json', 'udp/json', 'stdio/json', 'pipe/string'];

/** @param {Parameters<typeof makeResults>[0]} recipe @param {(cell: Cell, place: number) => boolean} isConcerned */
function scopeOf(recipe, isConcerned) {
  const measured = /** @type {MeasuredOutcome[]} */ (makeResults(recipe).outcomes);
  return scopeText(
    measured,
    measured.filter(({ cell }, place) => isConcerned(cell, place)),
  );
}

describe('scopeText', () => {
  it('names all rows, or all of a group of at least three', () => {
    const both = { series: SIX.slice(0, 3), shapes: ['1x2', '4x2'] };
    assert.equal(
      scopeOf(both, () => true),
      'all rows',
    );
    assert.equal(
      scopeOf(both, ({ workers }) => workers === 4),
      'all of 4x2',
    );
    assert.equal(
      scopeOf({ series: SIX }, ({ codec }) => codec === 'json'),
      'all of codec json',
    );
  });

  it('names the one or two rows of six or more that are not concerned', () => {
    assert.equal(
      scopeOf({ series: [...SIX, 'unix/string'] }, (_cell, place) => place > 0),
      'all but pipe/json',
    );
    assert.equal(
      scopeOf({ series: SIX }, (_cell, place) => place > 0 && place < 5),
      '4 of 6 rows',
    );
  });

  it('names up to three rows, and counts others', () => {
    assert.equal(
      scopeOf({ series: SIX }, (_cell, place) => place < 3),
      'pipe/json, unix/json, tcp/json',
    );
    const both = { series: SIX.slice(0, 2), shapes: ['1x2', '4x2'] };
    assert.equal(
      scopeOf(both, (_cell, place) => place < 2),
      '2 of 4 rows',
    );
    assert.equal(
      scopeOf(both, (_cell, place) => place === 0),
      'pipe/json',
    );
  });
});
