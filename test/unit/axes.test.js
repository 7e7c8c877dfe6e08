// The table of axes: labels, groups, columns, charts and options follow from its rows, as a test with a further axis shows.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { AXES, axisColumns, CONTROL_KEYS, makeAxis, QUESTION_KEYS } from '../../lib/cell/axes.js';
import { cellLabel, makeLabels } from '../../lib/cell/labels.js';
import { BenchError } from '../../lib/errors.js';
import { OPTION_TABLE } from '../../lib/options/option-table.js';
import { resolveOptions } from '../../lib/options/options.js';
import { choices } from '../../lib/options/quantities.js';
import { toConfig } from '../../lib/options/written-options.js';
import { divideByQuestion } from '../../lib/report/charts/figures/series.js';
import { benchmarkName } from '../../lib/report/columns/exchange-formats.js';
import { FREE_OPTIONS } from '../../lib/report/compare/comparability.js';
import { differenceInCells, matchCells } from '../../lib/report/compare/match-cells.js';
import { groupRows, headingNamer } from '../../lib/report/findings/groups.js';
import { placesOf } from '../fixtures/axis-cells.js';
import { buildResults } from '../fixtures/build-results.js';
import { SURROUNDINGS } from '../fixtures/resolved.js';
import { COMPARISON_SCHEMA, RESULTS_SCHEMA } from '../fixtures/write-schemas.js';

/** @import { Results } from '../../lib/types/index.js' */

const WEATHER = makeAxis({
  name: 'weather',
  part: 'manner',
  usual: 'fair',
  values: ['fair', 'foul'],
  option: /** @type {any} */ ('weathers'),
});
const WITH_WEATHER = Object.freeze([...AXES, WEATHER]);
const SOURCE = /** @type {const} */ ({ label: '--weather', code: 'BAD_ARGUMENT' });

/** @param {...string} weathers @returns {Results} the same cells on each of them */
function resultsOn(...weathers) {
  const results = buildResults({ series: ['unix/json', 'tcp/json'], shapes: ['2x4'], payloads: [1000] });
  const outcomes = weathers.flatMap((weather) =>
    results.outcomes.map((outcome) => ({
      ...outcome,
      cell: { ...outcome.cell, ...(weather === 'fair' ? {} : { weather }) },
    })),
  );
  return { ...results, outcomes };
}

/** @param {Results} results @param {string} weather */
const cellOn = (results, weather) =>
  results.outcomes.map(({ cell }) => cell).find((cell) => WEATHER.of(cell) === weather) ??
  assert.fail(`nothing on ${weather}`);

describe('a further axis', () => {
  const both = resultsOn('fair', 'foul');
  const [onFair, onFoul] = ['fair', 'foul'].map((weather) => cellOn(both, weather));

  it('appears in labels, unless its value is the default', () => {
    const labels = makeLabels(WITH_WEATHER);
    assert.equal(labels.cellLabel(onFair), cellLabel(onFair));
    assert.equal(labels.cellLabel(onFoul), 'unix/json round-trip 2x4 1000 B split weather=foul');
    assert.equal(labels.tableLabel({ ...onFoul, ratePerSecond: 5 }), `${labels.groupLabel(onFoul)} open`);
    assert.equal(labels.unheadedLabel(onFoul), 'round-trip 2x4 1000 B weather=foul');
  });

  it('separates groups, and is named if one value is not the default', () => {
    assert.deepEqual(
      groupRows(both, WITH_WEATHER).map(({ heading: place, outcomes }) => [place, outcomes.length]),
      [
        ['1,000 B, 2x4, weather fair', 2],
        ['1,000 B, 2x4, weather foul', 2],
      ],
    );
    const usual = resultsOn('fair').outcomes;
    assert.equal(headingNamer(usual, WITH_WEATHER)(onFair), '1,000 B, 2x4');
  });

  it('separates cells of two results, with the difference in words', () => {
    const [old, fresh] = [resultsOn('fair'), resultsOn('foul')];
    assert.equal(matchCells(old, fresh, 'separate').pairs.length, 0);
    assert.equal(
      differenceInCells(old, fresh, { old: 'old', new: 'new' }, WITH_WEATHER),
      'weather is fair in old and foul in new',
    );
  });

  it('is a column of CSV and a part of the name of a benchmark', () => {
    const columns = axisColumns(onFoul, WITH_WEATHER);
    assert.deepEqual(columns, { ...axisColumns(onFoul), weather: 'foul' });
    assert.equal(axisColumns(onFair, WITH_WEATHER).weather, 'fair');
    assert.match(
      benchmarkName(onFoul, WITH_WEATHER),
      /\/payload=1000B\/shape=2x4\/weather=foul\/placement=split$/,
    );
    assert.equal(benchmarkName(onFair, WITH_WEATHER), benchmarkName(onFair));
  });

  it('has separate charts for each value', () => {
    assert.deepEqual(
      divideByQuestion(both, WITH_WEATHER).map(({ parts, outcomes }) => [parts, outcomes.length]),
      [
        [[{ name: 'fair', title: 'weather fair' }], 2],
        [[{ name: 'foul', title: 'weather foul' }], 2],
      ],
    );
    assert.deepEqual(
      divideByQuestion(resultsOn('foul'), WITH_WEATHER).map(({ parts }) => parts),
      [[]],
    );
  });

  it('is parsed from text, and makes cells of a plan', () => {
    assert.deepEqual(choices(WEATHER.values ?? [])(['foul,fair', 'foul'], SOURCE), ['foul', 'fair']);
    assert.throws(
      () => choices(WEATHER.values ?? [])(['foull'], SOURCE),
      new BenchError('BAD_ARGUMENT', '--weather: "foull" is not one of fair, foul. Did you mean foul?'),
    );
    assert.deepEqual(WEATHER.chosen({ weathers: ['fair', 'foul'] }), [{}, { weather: 'foul' }]);
    assert.deepEqual(WEATHER.chosen({}), [{}], 'options without it');
  });
});

describe('AXES', () => {
  const { Cell: cell, SavedOptions: options } = RESULTS_SCHEMA.$defs;
  const sorted = (/** @type {Iterable<string>} */ names) => [...names].sort();

  it('lists each property of a cell once, as the schema of results does', () => {
    const keys = AXES.flatMap((axis) => axis.keys);
    assert.deepEqual(sorted(keys), sorted(Object.keys(cell.properties)));
    // Settings are written even where there are none.
    const required = AXES.filter(({ name, usual }) => usual === undefined || name === 'settings');
    assert.deepEqual(sorted(cell.required), sorted(required.flatMap((axis) => axis.keys)));
  });

  /** @param {any} schema @returns {string[]} the allowed values, without files as content */
  function valuesOf(schema) {
    const { enum: values, const: only, anyOf } = resolved(RESULTS_SCHEMA, schema);
    return only
      ? [only]
      : (values ?? anyOf.flatMap((/** @type {any} */ each) => each.enum ?? each.const ?? []));
  }

  it('lists the values that the schema of results allows', () => {
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

  it('has the keys of calibrations and means of the schemas', () => {
    const row = RESULTS_SCHEMA.$defs.ControlRow;
    const measured = ['codecUs', 'checkUs', 'nullUs', 'spread'];
    assert.deepEqual(sorted(Object.keys(row.properties)), sorted([...CONTROL_KEYS, ...measured]));
    const mean = COMPARISON_SCHEMA.properties.geometricMeans.items;
    const found = ['measure', 'cells', 'ratio'];
    assert.deepEqual(sorted(Object.keys(mean.properties)), sorted([...QUESTION_KEYS, ...found]));
  });

  it('has a printed option for each axis that does not prevent a comparison', () => {
    const all = resolveOptions({ codec: 'json' }, SURROUNDINGS);
    const written = toConfig(all.options, all.chosen);
    for (const axis of AXES.filter(({ option }) => option !== undefined)) {
      const { sets, partOf } = OPTION_TABLE[axis.flag];
      assert.equal(sets ?? partOf, axis.option, axis.flag);
      const option = /** @type {keyof typeof all.options} */ (axis.option);
      assert.ok(Array.isArray(all.options[option]), option);
      assert.ok(Array.isArray(written[axis.flag]), axis.flag);
      assert.ok(FREE_OPTIONS.has(option), option);
    }
  });
});

/** @param {any} schema @param {any} rule @returns {any} the rule, or the one to which it refers */
function resolved(schema, rule) {
  return rule.$ref === undefined ? rule : schema.$defs[rule.$ref.split('/').at(-1)];
}

describe('placeNamer', () => {
  it('names the content of payloads where one is not ASCII', () => {
    assert.deepEqual(placesOf({ content: 'ascii,json' }), ['1,000 B of ascii, 2x4', '1,000 B of json, 2x4']);
    assert.deepEqual(placesOf({}), ['1,000 B, 2x4']);
  });
});
