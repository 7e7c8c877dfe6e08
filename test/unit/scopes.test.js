import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { seriesLabel } from '../../lib/cell/labels.js';
import { findScope } from '../../lib/report/findings/scope.js';
import { scopeText } from '../../lib/report/text/phrases/limit-phrases.js';
import { buildResults } from '../fixtures/build-results.js';

/** @import { Cell, MeasuredOutcome } from '../../lib/types/index.js' */

const SIX = ['pipe/json', 'unix/json', 'tcp/json', 'udp/json', 'stdio/json', 'pipe/string'];

/** @param {Parameters<typeof buildResults>[0]} recipe @param {(cell: Cell, index: number) => boolean} isConcerned */
function scopeIn(recipe, isConcerned) {
  const measured = /** @type {MeasuredOutcome[]} */ (buildResults(recipe).outcomes);
  const concerned = measured.filter(({ cell }, index) => isConcerned(cell, index));
  const rows = concerned.map(({ cell }) => ({ row: seriesLabel(cell) }));
  return scopeText({ rows, scope: findScope(measured, concerned) });
}

describe('scopeText', () => {
  it('names all rows, or all of a group of at least three', () => {
    const both = { series: SIX.slice(0, 3), shapes: ['1x2', '4x2'] };
    assert.equal(
      scopeIn(both, () => true),
      'all rows',
    );
    assert.equal(
      scopeIn(both, ({ workers }) => workers === 4),
      'all of 4x2',
    );
    assert.equal(
      scopeIn({ series: SIX }, ({ codec }) => codec === 'json'),
      'all of codec json',
    );
  });

  it('names the one or two rows of six or more that are not concerned', () => {
    assert.equal(
      scopeIn({ series: [...SIX, 'unix/string'] }, (_cell, index) => index > 0),
      'all rows but pipe/json',
    );
    assert.equal(
      scopeIn({ series: SIX }, (_cell, index) => index > 0 && index < 5),
      'all rows but pipe/json, pipe/string',
    );
    assert.equal(
      scopeIn({ series: [...SIX, 'unix/string'] }, (_cell, index) => index > 1 && index < 6),
      '4 of 7 rows',
    );
  });

  it('names up to three rows, and counts others', () => {
    assert.equal(
      scopeIn({ series: SIX }, (_cell, index) => index < 3),
      'pipe/json, unix/json, tcp/json',
    );
    const both = { series: SIX.slice(0, 2), shapes: ['1x2', '4x2'] };
    assert.equal(
      scopeIn(both, (_cell, index) => index === 0),
      'pipe/json',
    );
  });
});
