// The pictures of a comparison: which rows stand in which of them, and what they say of each.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { compareResults } from '../../lib/report/compare/compare-results.js';
import { comparisonFigures } from '../../lib/report/compare/comparison-figures.js';
import { makeResults } from '../fixtures/make-results.js';

/** @param {Parameters<typeof makeResults>[0]} [recipe] @param {(label: string) => number} [speedOf]   of the new side */
function compared(recipe = {}, speedOf = () => 1) {
  const [old, fresh] = [1, 2].map((seed) => makeResults({ ...recipe, seed, launches: 10 }));
  for (const outcome of fresh.outcomes) {
    if (outcome.status !== 'measured') continue;
    const speed = speedOf(`${outcome.cell.transport}/${outcome.cell.codec}`);
    for (const { values } of outcome.launches)
      values.roundTripsPerSecond = (values.roundTripsPerSecond ?? 0) * speed;
  }
  return compareResults(
    { name: 'old', source: 'old.json', results: old },
    { name: 'new', source: 'new.json', results: fresh },
    { design: 'separate', minEffect: 0.05, isForced: false },
  );
}

describe('the figures of a comparison', () => {
  it('have a row for each compared cell with its ratio, and fill what is told apart', () => {
    const comparison = compared({ series: ['pipe/json', 'unix/json'] }, (label) =>
      label === 'unix/json' ? 1.5 : 1,
    );
    const [figure, ...others] = comparisonFigures(comparison);
    assert.equal(others.length, 0);
    const [{ configuration }] = figure.panels;
    assert.deepEqual(configuration.data.labels, ['pipe/json', 'unix/json']);
    assert.deepEqual(
      configuration.data.datasets[0].data.map((/** @type {any} */ { x }) => x),
      comparison.rows.map(({ ratio }) => ratio.estimate),
    );
    const [same, faster] = configuration.marks.filter(({ symbol }) => symbol === 'circle');
    assert.equal(faster.fill, faster.colour);
    assert.notEqual(same.fill, same.colour);
    assert.match(figure.altText, /unix\/json at 1,000 B, 2x4 1\.5.× \(.*\) {2}faster beyond 5 %/);
    assert.match(figure.title, /^Round trips per second: ratio of new to old, 1,000 B, 2x4$/);
  });

  it('name the places of their rows where there are several, and hold whole places', () => {
    const comparison = compared({ shapes: ['1x1', '2x4', '4x4'], payloads: [10, 1_000] });
    const figures = comparisonFigures(comparison);
    const lines = figures.flatMap(({ panels }) => panels[0].configuration.data.labels);
    const places = lines.filter((line) => !String(line).includes('/'));
    assert.equal(new Set(places).size, 6);
    assert.equal(places.length, 6, 'no place is in two pictures');
    assert.equal(lines.length, comparison.rows.length + 6);
    assert.ok(figures.length > 1);
    assert.equal(new Set(figures.map(({ name }) => name)).size, figures.length);
  });
});
