// The figures of one cell: every launch from its warm-up to its end, by hand-made bins.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { cellFigures } from '../../lib/report/charts/figures/cell-figures.js';
import { makeResults, measuredOf } from '../fixtures/make-results.js';

const [outcome] = measuredOf(makeResults({ series: ['unix/json'], launches: 2 }));

/** @param {object} own   of each launch */
function figuresWith(own) {
  return cellFigures({ ...outcome, launches: outcome.launches.map((launch) => ({ ...launch, ...own })) });
}

/** @param {any} figure @returns {[x: number, y: number][][]} of each line */
const pointsOf = ({ panels: [{ configuration }] }) =>
  configuration.data.datasets.map((/** @type {any} */ { data }) =>
    data.map((/** @type {any} */ { x, y }) => [x, y]),
  );

describe('the figure of the launches of a cell', () => {
  // Two bins of warm-up that were meant to last 100 ms each took 150 ms; the window ends within its last bin.
  const bins = { warmup: { ...outcome.launches[0].warmup, ms: 300, binMs: 100, operations: [10, 20] } };

  it('has a point in the middle of each bin, with its rate in a second, and 0 where the window opens', () => {
    const figure = figuresWith({ ...bins, bins: [30, 40, 15], binMs: 200, windowMs: 450 })[1];
    const rounded = pointsOf(figure).map((line) => line.map(([x, y]) => [Number(x.toFixed(6)), y]));
    const warmup = [
      [-0.225, 100],
      [-0.075, 200],
    ];
    const window = [
      [0.1, 150],
      [0.3, 200],
      [0.425, 300],
    ];
    assert.deepEqual(rounded, [warmup, window, warmup, window]);
    const { x, y } = figure.panels[0].configuration.options.scales;
    assert.deepEqual([x.min.toFixed(3), x.max, y.min], ['-0.225', 0.425, 0]);
    assert.ok(y.max >= 300);
  });

  it('has a time axis from the first point, or from 0 where there is no warm-up, and a rate axis to 1 at least', () => {
    const scalesWith = (/** @type {number[]} */ operations) => {
      const warmup = { ...bins.warmup, ms: 1_000 * operations.length, binMs: 1_000, operations };
      const own = { warmup, bins: [0, 0, 0, 0], binMs: 1_000, windowMs: 4_000 };
      const { x, y } = figuresWith(own)[1].panels[0].configuration.options.scales;
      const texts = x.stops.map((/** @type {{ text: string }} */ { text }) => text);
      return { x: [x.min, x.max], y: [y.min, y.max], texts };
    };
    const common = { y: [0, 1] };
    const texts = ['−1 s', '0 s', '1 s', '2 s', '3 s'];
    assert.deepEqual(scalesWith([0, 0]), { ...common, x: [-1.5, 3.5], texts });
    assert.deepEqual(scalesWith([]), { ...common, x: [0, 3.5], texts: texts.slice(1) });
  });

  it('leaves out a last bin that is shorter than a quarter of the others', () => {
    const lastOf = (/** @type {number} */ windowMs) =>
      pointsOf(figuresWith({ ...bins, bins: [30, 40, 15], binMs: 200, windowMs })[1])[1].length;
    assert.deepEqual([449, 450].map(lastOf), [2, 3]);
  });

  it('says what it shows', () => {
    const figure = figuresWith(bins)[1];
    assert.equal(figure.title, 'Round trips per second, launch by launch');
    assert.equal(figure.altText, 'Round trips per second in each bin of 2 launches, warm-up and window.');
    assert.deepEqual(
      figure.legend.map(({ text }) => text),
      ['warm-up', 'window'],
    );
    assert.deepEqual(
      figure.panels[0].configuration.data.datasets.map((/** @type {any} */ { label }) => label),
      ['launch 1, warm-up', 'launch 1', 'launch 2, warm-up', 'launch 2'],
    );
  });

  it('is left out where there are no bins', () => {
    const none = { bins: [], warmup: { ...outcome.launches[0].warmup, operations: [] } };
    assert.deepEqual(
      figuresWith(none).map(({ title }) => title),
      ['Percentiles of times'],
    );
  });
});
