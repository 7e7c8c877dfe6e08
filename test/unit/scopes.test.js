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

describe('the rows that a sentence is about', () => {
  it('are all of them, or all of a group of at least three', () => {
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

  it('are all but two at most, where there are six or more and only names differ', () => {
    assert.equal(
      scopeOf({ series: [...SIX, 'unix/string'] }, (_cell, place) => place > 0),
      'all but pipe/json',
    );
    assert.equal(
      scopeOf({ series: SIX }, (_cell, place) => place > 0 && place < 5),
      '4 of 6 rows',
    );
  });

  it('are up to three names, or one where a name alone does not say which row it is', () => {
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
