// Which cells of two variants are held against each other.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { cellLabel, seriesLabel } from '../../lib/cell/labels.js';
import { alignedSides, areInterleaved, pairedCells } from '../../lib/report/compare/match-cells.js';
import { buildResults } from '../fixtures/build-results.js';

describe('the cells of two variants', () => {
  const names = { old: 'A', new: 'B' };
  const cellsOf = (/** @type {string[]} */ series, payloads = [1000]) =>
    buildResults({ series, payloads, launches: 1 }).outcomes.map(({ cell }) => cell);
  const pairsOf = (
    /** @type {ReturnType<typeof cellsOf>} */ one,
    /** @type {ReturnType<typeof cellsOf>} */ other,
  ) =>
    [...pairedCells(one, other, names)].map(
      ([label, cell]) => `${label.split(' ')[0]}=${cell.transport} ${cell.payloadBytes}`,
    );

  it('pairs equal cells first, and others in order', () => {
    const pairs = pairsOf(cellsOf(['unix/json', 'tcp/json']), cellsOf(['tcp/json', 'pipe/json']));
    assert.deepEqual(pairs.sort(), ['pipe/json=unix 1000', 'tcp/json=tcp 1000']);
  });

  it('pairs only cells of the same question', () => {
    const pairs = pairsOf(cellsOf(['unix/json'], [10, 100]), cellsOf(['tcp/json'], [100, 10]));
    assert.deepEqual(pairs, ['tcp/json=unix 10', 'tcp/json=unix 100']);
    assert.throws(() => pairsOf(cellsOf(['unix/json'], [10]), cellsOf(['tcp/json'], [100])), {
      code: 'NOT_COMPARABLE',
      message: /A has 1 cell of round-trip 2x4 10 B that B does not have/,
    });
  });

  it('pairs by payload, content, polling and placement, whatever the order of the plans', () => {
    const [cell] = cellsOf(['unix/json']);
    /** @type {Partial<typeof cell>[]} */
    const places = [{}, { content: 'utf8' }, { poll: 'busy' }, { placement: 'same' }, { payloadBytes: 10 }];
    const one = places.map((place) => ({ ...cell, ...place }));
    const other = places.toReversed().map((place) => ({ ...cell, ...place, transport: 'tcp' }));
    for (const [label, partner] of pairedCells(one, other, names)) {
      assert.equal(label, cellLabel({ ...partner, transport: 'tcp' }));
    }
  });

  it('pairs cells of different placements, and of no other difference', () => {
    const [cell] = cellsOf(['unix/json']);
    const pairs = pairedCells([cell], [{ ...cell, placement: 'same' }], names);
    assert.deepEqual([...pairs.values()], [cell]);
    /** @type {[Partial<typeof cell>, RegExp][]} */
    const questions = [
      [
        { content: 'utf8' },
        /1 cell of round-trip 2x4 1000 B that B does not have, and B 0 that A does not have/,
      ],
      [{ poll: 'busy' }, /1 cell of round-trip 2x4 1000 B that B does not have/],
      [{ ratePerSecond: 50 }, /1 cell of round-trip 2x4 1000 B that B does not have/],
    ];
    for (const [difference, message] of questions) {
      const others = [{ ...cell, ...difference }];
      assert.throws(() => pairedCells([cell], others, names), { code: 'NOT_COMPARABLE', message });
    }
  });

  it('pairs cells of different runtimes by their row, and names them without the runtime', () => {
    const on = (/** @type {string} */ runtime, /** @type {string[]} */ series) => {
      const results = buildResults({ series, launches: 1 });
      for (const { cell } of results.outcomes) cell.runtime = runtime;
      return results;
    };
    const aligned = alignedSides(
      on('node@24', ['pipe/json', 'unix/json']),
      on('node@26', ['unix/json', 'pipe/json']),
    );
    assert.deepEqual(
      aligned.map(({ outcomes }) => outcomes.map(({ cell }) => seriesLabel(cell))),
      [
        ['pipe/json', 'unix/json'],
        ['unix/json', 'pipe/json'],
      ],
    );
    const [, same] = alignedSides(on('node@24', ['unix/json']), on('node@24', ['unix/json']));
    assert.equal(seriesLabel(same.outcomes[0].cell), 'unix/json on node@24');
  });

  it('names paired cells alike, and recognises interleaved files', () => {
    const runId = '0123456789abcdef';
    const old = {
      ...buildResults({ series: ['unix/json'] }),
      variant: { name: 'A', written: 'unix', runId },
    };
    const fresh = {
      ...buildResults({ series: ['tcp/json'] }),
      variant: { name: 'B', written: 'tcp', runId },
    };
    assert.deepEqual(alignedSides(old, fresh)[1].outcomes[0].cell, old.outcomes[0].cell);
    assert.equal(areInterleaved(old, fresh), true);
    assert.deepEqual(
      alignedSides(old, buildResults({ series: ['unix/json'] }))[1].outcomes[0].cell,
      old.outcomes[0].cell,
    );
    const ofOthers = { ...buildResults({ series: ['tcp/json'], payloads: [10] }), variant: undefined };
    assert.throws(
      () => alignedSides({ ...old, variant: undefined }, ofOthers),
      /old has 1 cell .* that new does not have/,
    );
    assert.equal(areInterleaved(old, old), false);
    assert.equal(areInterleaved(old, buildResults()), false);
    assert.equal(
      areInterleaved(old, { ...fresh, variant: { ...fresh.variant, runId: 'fedcba9876543210' } }),
      false,
    );
  });
});
