// A comparison in words, of rows that are made up.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { comparisonFigures } from '../../lib/report/compare/comparison-figures.js';
import { comparisonFindings } from '../../lib/report/compare/comparison-findings.js';
import { conclusionsOf, tallyText } from '../../lib/report/compare/comparison-words.js';
import { roughCount } from '../../lib/report/text/phrases/comparison-phrases.js';
import { buildEstimate, buildResults, measuredOf } from '../fixtures/build-results.js';

/** @import { ComparedRow, Comparison } from '../../lib/types/index.js' */

const [outcome] = measuredOf(buildResults({ series: ['unix/json'], payloads: [10], launches: 1 }));

/** @param {number} estimate @param {number} [width] @returns {import('../../lib/types/index.js').Estimate} */
const ratioOf = (estimate, width = 1.01) => buildEstimate(estimate, estimate / width, estimate * width, 8);
/** @param {ComparedRow['verdict']} verdict @param {Partial<ComparedRow>} [rest] @returns {any} */
const rowOf = (verdict, rest = {}) => ({
  cell: outcome.cell,
  operation: outcome.operation,
  verdict,
  isBeyond: false,
  why: null,
  measure: outcome.measures.roundTripsPerSecond,
  flags: { old: [], new: [] },
  ratio: ratioOf(1),
  moreLaunches: null,
  detectableRatio: null,
  p: null,
  ...rest,
});
/** @param {ComparedRow[]} rows @param {Partial<Comparison>} [rest] @returns {any} */
const comparisonOf = (rows, rest = {}) => {
  const comparison = {
    rows,
    controls: [],
    missing: [],
    design: 'interleaved',
    minEffect: 0.05,
    tool: { name: 'ipc-bench', version: '1.2.3' },
    warnings: [],
    old: sideOf('old', 'a.json'),
    new: sideOf('new', 'b.json'),
    ...rest,
  };
  return { ...comparison, findings: comparisonFindings(/** @type {any} */ (comparison)) };
};
/** @param {string} name @param {string} source @returns {any} */
const sideOf = (name, source) => ({ name, source, startedAt: '2026-01-02T03:04:05.678Z', version: '1.2.3' });
/** @param {number} payloadBytes */
const cellOf = (payloadBytes) => ({ ...outcome.cell, payloadBytes });

describe('the tally of a comparison', () => {
  it('counts the slower cells first, then the faster ones, those beyond the least effect before the others', () => {
    const beyond = { isBeyond: true };
    const rows = [
      ...['same', 'inconclusive', 'faster', 'slower'].map((verdict) => rowOf(/** @type {any} */ (verdict))),
      ...[rowOf('faster', beyond), rowOf('slower', beyond), rowOf('slower', beyond)],
    ];
    const text = '2 slower beyond 5 %, 1 slower, 1 faster beyond 5 %, 1 faster, 1 inconclusive, 1 same';
    assert.equal(tallyText(comparisonOf(rows)), text);
    assert.equal(tallyText(comparisonOf(rows.toReversed())), text);
  });
});

describe('the conclusions of a comparison', () => {
  it('names the three cells farthest from 1 on either side, and counts the others', () => {
    const ratios = [1.1, 1.4, 1.2, 1.3];
    const rows = ratios.map((estimate, index) =>
      rowOf('faster', { ratio: ratioOf(estimate), cell: cellOf(10 + index) }),
    );
    const [count, ...told] = conclusionsOf(comparisonOf(rows));
    assert.match(count, /^4 cells compared side by side, --min-effect 5 %: 4 faster\.$/);
    assert.deepEqual(
      told.map((line) => / has ([\d.]+)×/.exec(line)?.[1] ?? line),
      ['1.40', '1.30', '1.20', '1 more cell is faster.'],
    );
    const unclear = [0.5, 0.9, 1.3, 1.6, 1].map((estimate, index) =>
      rowOf('inconclusive', { ratio: ratioOf(estimate), cell: cellOf(10 + index), moreLaunches: 1 }),
    );
    const [, ...lines] = conclusionsOf(comparisonOf(unclear));
    assert.deepEqual(
      lines.map((line) => /: inconclusive, ([\d.]+)×/.exec(line)?.[1] ?? line),
      ['0.500', '1.60', '1.30', '2 more cells are inconclusive.'],
    );
    assert.match(conclusionsOf(comparisonOf(unclear.slice(1)))[4], /^1 more cell is inconclusive\.$/);
  });

  it('names the groups or launches that would settle a cell', () => {
    const said = (/** @type {number} */ moreLaunches, /** @type {any} */ design) =>
      /About (.*) would settle it/.exec(
        conclusionsOf(comparisonOf([rowOf('inconclusive', { moreLaunches })], { design }))[1],
      )?.[1];
    assert.equal(said(1, 'interleaved'), '1 more repetition');
    assert.equal(said(2, 'interleaved'), '2 more repetitions');
    assert.equal(said(1, 'separate'), '1 more launch per side');
    assert.equal(said(2, 'separate'), '2 more launches per side');
    assert.equal(said(1_001, 'separate'), 'more than 1,000 more launches per side');
    assert.deepEqual([roughCount(1_000), roughCount(194)], ['1,000', '190']);
  });
});

describe('an inconclusive cell', () => {
  it('has the p that decides, if its interval alone excludes 1', () => {
    const own = rowOf('inconclusive', { ratio: ratioOf(1.05), p: 0.02, adjustedP: 0.16 });
    const rows = [own, { ...own, cell: cellOf(20), p: 0.3, adjustedP: 0.6 }];
    const [, ...sentences] = conclusionsOf(comparisonOf(rows));
    assert.match(sentences[0], /1\.05× \(1\.04–1\.06\) alone, p = 0\.16 after the correction for 2 cells/);
    assert.doesNotMatch(sentences[1], /p =/);
  });
});

describe('the picture of a comparison', () => {
  /** @param {ComparedRow[]} rows @returns {any} */
  const axisOf = (rows) => comparisonFigures(comparisonOf(rows))[0].panels[0].options.scales.x;

  it('has an axis with 1 and all intervals on it', () => {
    for (const estimates of [[1], [0.95, 1.1], [0.72], [1.35], [0.1, 30], [5]]) {
      const rows = estimates.map((estimate, index) =>
        rowOf('faster', { ratio: ratioOf(estimate), cell: cellOf(10 + index) }),
      );
      const { min, max } = axisOf(rows);
      for (const { ratio } of rows)
        assert.ok(min < ratio.low && ratio.high < max, `${estimates} ${min} ${max}`);
      assert.ok(min < 1 / 1.05 && max > 1.05);
    }
  });

  it('names up to twelve rows in its alt text, and of more the first and the last one', () => {
    const rows = (/** @type {number} */ count) =>
      Array.from({ length: count }, (_, index) => rowOf('same', { cell: cellOf(1 + index) }));
    const words = (/** @type {number} */ count) => comparisonFigures(comparisonOf(rows(count)))[0].altText;
    assert.equal(words(12).match(/unix\/json at/g)?.length, 12);
    assert.match(words(13), /From unix\/json at 1 B, .* to unix\/json at 13 B, .*\.$/);
  });

  it('draws forty rows, and puts the places of more into another picture', () => {
    const rows = (/** @type {number} */ count) =>
      Array.from({ length: count }, (_, index) => rowOf('same', { cell: cellOf(1 + index) }));
    const sizes = (/** @type {number} */ count) =>
      comparisonFigures(comparisonOf(rows(count))).map(({ cells }) => cells?.length);
    assert.deepEqual([sizes(40), sizes(41)], [[40], [40, 1]]);
  });

  it('draws slower and faster rows in colours of their own', () => {
    const verdicts = /** @type {const} */ (['faster', 'slower', 'same', 'inconclusive']);
    const rows = verdicts.map((verdict, index) => rowOf(verdict, { cell: cellOf(10 + index) }));
    const { marks } = comparisonFigures(comparisonOf(rows))[0].panels[0];
    const [faster, slower, same, unclear] = marks
      .filter((/** @type {any} */ { symbol }) => symbol === 'circle')
      .map((/** @type {any} */ { colour }) => colour);
    assert.equal(new Set([faster, slower, same]).size, 3);
    assert.equal(same, unclear);
  });
});
