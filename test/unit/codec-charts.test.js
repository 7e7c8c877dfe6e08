// Charts in which codecs are compared: every one of them on few transports.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { builtinNames } from '../../lib/plugins/builtins.js';
import { makeFigures } from '../../lib/report/charts/figures/figures.js';
import { makeResults } from '../fixtures/make-results.js';

const CODECS = builtinNames('codec');
const SERIES = CODECS.map((codec) => `unix/${codec}`);
const BOTH = [...SERIES, ...SERIES.map((name) => name.replace('unix', 'tcp'))];

/** @param {Parameters<typeof makeResults>[0]} recipe @param {string} name of a figure */
function figureOf(recipe, name) {
  const figure = makeFigures(makeResults(recipe)).find((each) => each.name === name);
  assert.ok(figure !== undefined, name);
  return figure;
}

describe('charts of many codecs', () => {
  it('have panels of one transport and a few codecs, named by these alone', () => {
    const recipe = { series: BOTH, payloads: [100, 10_000], shapes: ['1x10'] };
    const { panels } = figureOf(recipe, 'throughput-by-payload');
    assert.deepEqual(
      panels.map(({ title }) => title),
      ['unix, 1 of 2', 'unix, 2 of 2', 'tcp, 1 of 2', 'tcp, 2 of 2'],
    );
    const labels = panels.map(({ configuration }) => configuration.data.datasets.map(({ label }) => label));
    assert.deepEqual([...labels[0], ...labels[1]], CODECS);
    assert.deepEqual(labels.slice(2), labels.slice(0, 2));
  });

  it('have a row for each codec and a panel for each shape', () => {
    const { panels } = figureOf(
      { series: SERIES, payloads: [100], shapes: ['1x1', '2x4'] },
      'throughput-100B',
    );
    assert.deepEqual(
      panels.map(({ title }) => title),
      ['1x1', '2x4'],
    );
    for (const { configuration } of panels) {
      assert.deepEqual(configuration.data.labels?.toSorted(), SERIES.toSorted());
    }
  });

  it('keep the settings of a transport apart from another choice of them', () => {
    const recipe = { series: [...SERIES, 'unix:flush=tick/json'], payloads: [100, 10_000], shapes: ['1x10'] };
    const { panels } = figureOf(recipe, 'throughput-by-payload');
    assert.equal(panels.at(-1)?.title, 'unix:flush=tick');
  });
});
