// The table of axes: what is said of a cell follows from it, and a row more is taken up everywhere.

import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { describe, it } from 'node:test';
import { AXES, CONTROL_KEYS, columnsOf, QUESTION_KEYS } from '../../lib/cell/axes.js';
import { axisOf } from '../../lib/cell/axis.js';
import { cellLabel, labelsOf } from '../../lib/cell/labels.js';
import { slicesOf } from '../../lib/charts/series.js';
import { FREE_OPTIONS } from '../../lib/compare/likeness.js';
import { differenceInCells, matchCells } from '../../lib/compare/match-cells.js';
import { BenchError } from '../../lib/errors.js';
import { CHOSEN_AXES, parseAxis } from '../../lib/options/axis-options.js';
import { resolveOptions } from '../../lib/options/options.js';
import { configOf } from '../../lib/options/print-config.js';
import { RESULTS_SCHEMA } from '../../lib/results/read.js';
import { benchmarkName } from '../../lib/tables/benchstat.js';
import { groupsOf, placeNamer } from '../../lib/verdicts/groups.js';
import { makeResults } from '../fixtures/make-results.js';

/** @import { Results } from '../../lib/types/results-file.js' */

const COMPARISON_SCHEMA = createRequire(import.meta.url)('../../lib/compare/comparison-schema.json');
const RUNTIME = axisOf({
  name: 'runtime',
  part: 'manner',
  usual: 'node',
  values: ['node', 'bun'],
  option: /** @type {any} */ ('runtimes'),
});
const WITH_RUNTIME = Object.freeze([...AXES, RUNTIME]);
const SOURCE = /** @type {const} */ ({ label: '--runtime', code: 'BAD_ARGUMENT' });

/** @param {...string} runtimes @returns {Results} the same cells on each of them */
function resultsOn(...runtimes) {
  const results = makeResults({ series: ['unix/json', 'tcp/json'], shapes: ['2x4'], payloads: [1000] });
  const outcomes = runtimes.flatMap((runtime) =>
    results.outcomes.map((outcome) => ({
      ...outcome,
      cell: { ...outcome.cell, ...(runtime === 'node' ? {} : { runtime }) },
    })),
  );
  return { ...results, outcomes };
}

/** @param {Results} results @param {string} runtime */
const cellOn = (results, runtime) =>
  results.outcomes.map(({ cell }) => cell).find((cell) => RUNTIME.of(cell) === runtime) ??
  assert.fail(`nothing on ${runtime}`);

describe('a row more in the table of axes', () => {
  const both = resultsOn('node', 'bun');
  const [onNode, onBun] = ['node', 'bun'].map((runtime) => cellOn(both, runtime));

  it('stands in labels, unless its value is the usual one', () => {
    const labels = labelsOf(WITH_RUNTIME);
    assert.equal(labels.cellLabel(onNode), cellLabel(onNode));
    assert.equal(labels.cellLabel(onBun), 'unix/json round-trip 2x4 1000 B split runtime=bun');
    assert.equal(labels.tableLabel({ ...onBun, ratePerSecond: 5 }), `${labels.groupLabel(onBun)} open`);
    assert.equal(labels.placelessLabel(onBun), 'round-trip 2x4 1000 B runtime=bun');
  });

  it('sets groups apart, and is named where one value is unusual', () => {
    assert.deepEqual(
      groupsOf(both, WITH_RUNTIME).map(({ place, outcomes }) => [place, outcomes.length]),
      [
        ['1,000 B, 2x4, runtime node', 2],
        ['1,000 B, 2x4, runtime bun', 2],
      ],
    );
    const usual = resultsOn('node').outcomes;
    assert.equal(placeNamer(usual, WITH_RUNTIME)(onNode), '1,000 B, 2x4');
  });

  it('keeps cells of two results apart, and says so', () => {
    const [old, fresh] = [resultsOn('node'), resultsOn('bun')];
    assert.equal(matchCells(old, fresh, 'separate').pairs.length, 0);
    assert.equal(
      differenceInCells(old, fresh, { old: 'old', new: 'new' }, WITH_RUNTIME),
      'runtime is node in old and bun in new',
    );
  });

  it('is a column of CSV, and a part of the name of a benchmark', () => {
    const columns = columnsOf(onBun, WITH_RUNTIME);
    assert.deepEqual(columns, { ...columnsOf(onBun), runtime: 'bun' });
    assert.equal(columnsOf(onNode, WITH_RUNTIME).runtime, 'node');
    assert.match(
      benchmarkName(onBun, WITH_RUNTIME),
      /\/payload=1000B\/shape=2x4\/runtime=bun\/placement=split$/,
    );
    assert.equal(benchmarkName(onNode, WITH_RUNTIME), benchmarkName(onNode));
  });

  it('has charts of its own for each value', () => {
    assert.deepEqual(
      slicesOf(both, WITH_RUNTIME).map(({ parts, outcomes }) => [parts, outcomes.length]),
      [
        [[{ name: 'node', title: 'runtime node' }], 2],
        [[{ name: 'bun', title: 'runtime bun' }], 2],
      ],
    );
    assert.deepEqual(
      slicesOf(resultsOn('bun'), WITH_RUNTIME).map(({ parts }) => parts),
      [[]],
    );
  });

  it('is read from texts, and makes cells of a plan', () => {
    assert.deepEqual(parseAxis(RUNTIME, ['bun,node', 'bun'], SOURCE), ['bun', 'node']);
    assert.throws(
      () => parseAxis(RUNTIME, ['bunn'], SOURCE),
      new BenchError('BAD_ARGUMENT', '--runtime: "bunn" is not one of node, bun. Did you mean bun?'),
    );
    assert.deepEqual(RUNTIME.chosen({ runtimes: ['node', 'bun'] }), [{}, { runtime: 'bun' }]);
    assert.deepEqual(RUNTIME.chosen({}), [{}], 'options of an earlier version');
  });
});

describe('the table of axes', () => {
  const { cell, options } = RESULTS_SCHEMA.$defs;
  const sorted = (/** @type {Iterable<string>} */ names) => [...names].sort();

  it('has every property of a cell once, as the schema of results does', () => {
    const keys = AXES.flatMap((axis) => axis.keys);
    assert.deepEqual(sorted(keys), sorted(Object.keys(cell.properties)));
    // Settings are written even where there are none.
    const required = AXES.filter(({ name, usual }) => usual === undefined || name === 'settings');
    assert.deepEqual(sorted(cell.required), sorted(required.flatMap((axis) => axis.keys)));
  });

  /** @param {any} schema @returns {string[]} of an axis; a content may be a file of the user's own as well */
  function valuesOf(schema) {
    const { enum: values, anyOf } = resolved(RESULTS_SCHEMA, schema);
    return values ?? anyOf.flatMap((/** @type {any} */ each) => each.enum ?? []);
  }

  it('knows the values that the schema of results allows', () => {
    for (const { keys, option, usual, values } of AXES) {
      if (values === undefined || option === undefined) continue;
      const own = valuesOf(cell.properties[keys[0]]);
      const chosen = valuesOf(options.properties[option].items);
      assert.deepEqual(chosen, values);
      assert.deepEqual(
        own,
        values.filter((value) => value !== usual),
      );
    }
  });

  it('has the keys of controls and of means as their schemas do', () => {
    const row = RESULTS_SCHEMA.$defs.controls.properties.rows.items;
    const measured = ['codecUs', 'checkUs', 'nullUs'];
    assert.deepEqual(sorted(Object.keys(row.properties)), sorted([...CONTROL_KEYS, ...measured]));
    const mean = COMPARISON_SCHEMA.properties.geometricMeans.items;
    const found = ['measure', 'cells', 'ratio'];
    assert.deepEqual(sorted(Object.keys(mean.properties)), sorted([...QUESTION_KEYS, ...found]));
  });

  it('has an option for each axis, which is printed, and does not forbid a comparison', () => {
    const all = resolveOptions({}, { environment: {}, now: new Date(0), randomSeed: 1 });
    const written = configOf(all.options, all.chosen);
    assert.deepEqual(
      sorted(CHOSEN_AXES.map(({ name }) => name)),
      sorted(AXES.flatMap(({ name, option }) => (option === undefined ? [] : [name]))),
    );
    for (const axis of CHOSEN_AXES) {
      const option = /** @type {keyof typeof all.options} */ (axis.option);
      assert.ok(Array.isArray(all.options[option]), option);
      assert.ok(Array.isArray(written[axis.flag]), axis.flag);
      assert.ok(FREE_OPTIONS.has(option), option);
    }
  });
});

/** @param {any} schema @param {any} rule @returns {any} what it refers to, or itself */
function resolved(schema, rule) {
  return rule.$ref === undefined ? rule : schema.$defs[rule.$ref.split('/').at(-1)];
}
