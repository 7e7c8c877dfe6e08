// The figure of what a measure adds up from: of any scenario whose measures say so.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { makeFigures } from '../../lib/report/charts/figures/figures.js';
import { COLOURS } from '../../lib/report/charts/style/colours.js';
import { parseResults } from '../../lib/results/read.js';
import { resultsText } from '../../lib/results/write.js';
import { makeResults } from '../fixtures/make-results.js';
import { summariseRow } from '../fixtures/summarise-row.js';

/** @import { MeasureFacts, Outcome } from '../../lib/types/index.js' */

const OPERATION = { one: 'delivery', many: 'deliveries', done: 'made' };
const UNIT = /** @type {const} */ ({ unit: 'µs', better: 'lower', kind: 'value' });
/** @type {MeasureFacts[]} */
const MEASURES = [
  { name: 'delivery', title: 'delivery', ...UNIT },
  { name: 'packing', title: 'packing', ...UNIT, partOf: 'delivery' },
  { name: 'driving', title: 'driving', ...UNIT, partOf: 'delivery' },
];
const PACKING_US = 1_000;
const DRIVING_US = { pipe: 3_000, unix: 9_000 };

/** @param {Parameters<typeof makeResults>[0]} recipe @param {MeasureFacts[]} [measures] @param {number} [share]   that the whole is of its parts */
function deliveries(recipe, measures = MEASURES, share = 1) {
  const results = makeResults({ series: ['pipe/json', 'unix/json'], flag: () => [], ...recipe });
  const scenarios = { 'round-trip': { operation: OPERATION, measures } };
  const outcomes = results.outcomes.map((/** @type {Outcome} */ outcome) => {
    if (outcome.status !== 'measured') return outcome;
    const driving = DRIVING_US[/** @type {'pipe' | 'unix'} */ (outcome.cell.transport)];
    const values = { packing: PACKING_US, driving, delivery: share * (PACKING_US + driving) };
    const launches = outcome.launches.map((launch) => ({ ...launch, values, times: {} }));
    return summariseRow(outcome.cell, launches, launches, 'pipe/json', {
      plannedLaunches: launches.length,
      quick: false,
      scenarios,
    });
  });
  return makeFigures(parseResults(resultsText({ ...results, scenarios, outcomes }), 'deliveries'));
}

/** @param {ReturnType<typeof deliveries>} figures */
function partsIn(figures) {
  return figures.filter(({ name }) => name.startsWith('delivery-parts'));
}

describe('a measure with parts', () => {
  it('is drawn as one bar of them for each row, in their order', () => {
    const [{ panels, legend, title, message }] = partsIn(deliveries({}));
    assert.match(title, /^Delivery in parts, 1,000 B payload, 2x4/);
    assert.equal(message, 'The greatest part of it is driving: 75 to 90 %');
    assert.deepEqual(
      legend.map(({ text }) => text),
      ['packing', 'driving'],
    );
    const [{ data, options, marks }] = panels.map(({ configuration }) => configuration);
    assert.ok(options.scales.x.stacked && options.scales.y.stacked);
    const [packing, driving] = data.datasets.map((dataset) => dataset.data);
    const xOf = (/** @type {{ y: string, x: number }[]} */ points, /** @type {string} */ row) =>
      Math.round(Number(points.find(({ y }) => y === row)?.x));
    assert.deepEqual([xOf(packing, 'pipe/json'), xOf(driving, 'pipe/json')], [1_000, 3_000]);
    assert.deepEqual([xOf(packing, 'unix/json'), xOf(driving, 'unix/json')], [1_000, 9_000]);
    const texts = marks.map(({ value, text }) => [Math.round(Number(value)), text]);
    assert.deepEqual(
      texts.toSorted(([left], [right]) => Number(left) - Number(right)),
      [
        [500, '1 ms'],
        [500, '1 ms'],
        [2_500, '3 ms'],
        [4_000, '4.00 ms'],
        [5_500, '9 ms'],
        [10_000, '10.0 ms'],
      ],
      'each number in the middle of its part, and that of the whole at the end of its bar',
    );
  });

  it('has a look of its own for each part, without the hue of a transport', () => {
    const [{ panels, legend }] = partsIn(deliveries({}));
    const fills = panels[0].configuration.data.datasets.map((dataset) => dataset.fills[0]);
    const colours = fills.map(({ colour }) => colour);
    assert.equal(new Set(colours).size, 2);
    const hues = Object.values(COLOURS.light.hues);
    assert.ok(colours.every((colour) => !hues.includes(colour)));
    const swatches = legend.map(({ swatch }) => (swatch.kind === 'bar' ? swatch.look.colour : null));
    assert.deepEqual(swatches, colours);
  });

  it('ends at the whole where the parts are more', () => {
    const [{ panels }] = partsIn(deliveries({}, MEASURES, 0.8));
    const [{ data }] = panels.map(({ configuration }) => configuration);
    for (const [row, whole] of [
      ['pipe/json', 3_200],
      ['unix/json', 8_000],
    ]) {
      const lengths = data.datasets.map((dataset) =>
        Number(dataset.data.find((/** @type {any} */ { y }) => y === row)?.x),
      );
      assert.equal(Math.round(lengths[0] + lengths[1]), whole);
    }
  });

  it('is hollow where its row is not ranked', () => {
    const [{ panels, legend }] = partsIn(
      deliveries({ flag: ({ transport }) => (transport === 'unix' ? ['cold'] : []) }),
    );
    const fills = panels[0].configuration.data.datasets.map((dataset) =>
      dataset.fills.map((/** @type {any} */ own) => own.fill).toSorted(),
    );
    assert.deepEqual(fills, [
      ['empty', 'solid'],
      ['empty', 'solid'],
    ]);
    assert.equal(legend.at(-1)?.text, 'hollow: not ranked');
  });

  it('has a panel for each shape, and says where a row is missing', () => {
    const [{ panels, notes }] = partsIn(
      deliveries({
        shapes: ['1x1', '2x4'],
        fail: ({ transport, workers }) => (transport === 'unix' && workers === 2 ? 'it hung' : null),
      }),
    );
    assert.deepEqual(
      panels.map(({ title }) => title),
      ['1x1', '2x4'],
    );
    assert.ok(panels[1].configuration.marks.some(({ text }) => text === '✕ failed'));
    assert.ok(notes.some((note) => note.includes('it hung')));
  });

  it('is no figure where no measure is a part', () => {
    assert.deepEqual(
      partsIn(
        deliveries(
          {},
          MEASURES.map(({ partOf: _, ...measure }) => measure),
        ),
      ),
      [],
    );
    assert.deepEqual(partsIn(deliveries({ fail: () => 'it hung' })), []);
  });
});
