// What payloads are made of: an axis of the plan like their size, and texts that ask something of codecs.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { groupLabel } from '../../lib/cell/labels.js';
import { BenchError } from '../../lib/errors.js';
import { printedConfig } from '../../lib/options/print-config.js';
import { makeFigures } from '../../lib/report/charts/figures/figures.js';
import { linesBelow } from '../../lib/report/charts/scene/layout.js';
import { benchstatText } from '../../lib/report/columns/exchange-formats.js';
import { matchCells } from '../../lib/report/compare/match-cells.js';
import { parseResults } from '../../lib/results/read.js';
import { resultsText } from '../../lib/results/write.js';
import { makePayloads } from '../../lib/workload/messages/payloads.js';
import { cellsOf, columnInCsv, placesOf } from '../fixtures/axis-cells.js';
import { makeResults } from '../fixtures/make-results.js';
import { resolved } from '../fixtures/resolved.js';

/** @import { MeasuredOutcome } from '../../lib/types/index.js' */

const KINDS = /** @type {const} */ (['ascii', 'utf8', 'binary', 'json']);

/** @param {typeof KINDS[number]} kind @param {number} payloadBytes @param {number} [loops] @param {number} [seed] */
function payloadsOf(kind, payloadBytes, loops = 4, seed = 1) {
  const content = kind === 'ascii' ? undefined : kind;
  return makePayloads(seed, { payloadBytes, ...(content && { content }) }, loops);
}

/** @param {string[]} texts @param {RegExp} pattern @returns {number} how much of them it matches */
function shareOf(texts, pattern) {
  const all = texts.flatMap((text) => [...text]);
  return all.filter((character) => pattern.test(character)).length / all.length;
}

/** @param {string[]} texts @returns {number} how many times as long JSON makes them */
function growthInJson(texts) {
  const bytes = (/** @type {string} */ text) => Buffer.byteLength(text);
  const [before, after] = [texts.map(bytes), texts.map((text) => bytes(JSON.stringify(text)) - 2)];
  const sum = (/** @type {number[]} */ values) => values.reduce((total, value) => total + value);
  return sum(after) / sum(before);
}

/** @returns {{ results: import('../../lib/types/results-file.js').Results, measured: MeasuredOutcome[] }} ascii, then utf8 */
function twoContents() {
  const results = makeResults({ series: ['unix/json', 'unix/string'], placements: ['split'] });
  const measured = /** @type {MeasuredOutcome[]} */ (results.outcomes);
  measured[1].cell = { ...measured[1].cell, codec: 'json', content: 'utf8' };
  return { results, measured };
}

describe('payloads of every content', () => {
  for (const kind of KINDS) {
    it(`${kind}: are exactly as long as asked for in UTF-8, well-formed, and differ from each other`, () => {
      const small = Array.from({ length: 300 }, (_, index) => index + 1);
      for (const payloadBytes of [...small, 1_000, 4_095, 4_096, 4_097, 4_098, 4_101, 65_537]) {
        const payloads = payloadsOf(kind, payloadBytes);
        for (const payload of payloads) {
          assert.equal(Buffer.byteLength(payload), payloadBytes);
          // A lone surrogate would not come back.
          assert.equal(Buffer.from(payload).toString(), payload);
        }
        assert.equal(new Set(payloads).size, 9, `${payloadBytes} B`);
      }
    });

    it(`${kind}: can be of 16 MiB, one of two`, () => {
      const payloads = payloadsOf(kind, 2 ** 24, 100);
      assert.deepEqual(
        payloads.map((payload) => Buffer.byteLength(payload)),
        [2 ** 24, 2 ** 24],
      );
      assert.ok(payloads[0] !== payloads[1]);
    });

    it(`${kind}: are those of the seed`, () => {
      assert.deepEqual(payloadsOf(kind, 500), payloadsOf(kind, 500));
      assert.notDeepEqual(payloadsOf(kind, 500), payloadsOf(kind, 500, 4, 2));
    });
  }

  it('ascii: nothing in them is escaped or converted', () => {
    const payloads = payloadsOf('ascii', 1_000);
    assert.equal(shareOf(payloads, /[\w-]/), 1);
    assert.equal(growthInJson(payloads), 1);
  });

  it('utf8: have as many characters of one byte as of two, three and four, and none is escaped', () => {
    for (const payloadBytes of [5_000, 50_000]) {
      const payloads = payloadsOf('utf8', payloadBytes);
      for (const pattern of [/[\w-]/, /[\u0080-\u07ff]/, /[\u0800-\uffff]/, /[\u{10000}-\u{10ffff}]/u]) {
        const share = shareOf(payloads, new RegExp(`^${pattern.source}$`, 'u'));
        assert.ok(share > 0.23 && share < 0.27, `${pattern}: ${share}`);
      }
      assert.equal(growthInJson(payloads), 1);
    }
    for (const payload of payloadsOf('utf8', 2)) assert.match(payload, /^[\u0400-\u04ff]$/);
  });

  it('binary: hold every byte up to 127, and JSON doubles them', () => {
    const payloads = payloadsOf('binary', 20_000);
    assert.equal(new Set(payloads.join('')).size, 128);
    assert.equal(shareOf(payloads, /[^\0-\x7f]/), 0);
    assert.ok(Math.abs(growthInJson(payloads) - 2.14) < 0.1, `${growthInJson(payloads)}`);
  });

  it('json: are documents whose quotes JSON escapes, at every size', () => {
    for (const payloadBytes of [...Array(200).keys(), 20_000].map((bytes) => bytes + 1)) {
      for (const payload of payloadsOf('json', payloadBytes)) JSON.parse(payload);
    }
    const payloads = payloadsOf('json', 20_000);
    const records = JSON.parse(payloads[0]).slice(0, -1);
    assert.ok(records.length > 400);
    for (const record of records) assert.deepEqual(Object.keys(record), ['id', 'name', 'tag']);
    assert.ok(growthInJson(payloads) > 1.15 && growthInJson(payloads) < 1.25, `${growthInJson(payloads)}`);
  });
});

describe('--content', () => {
  it('is ascii unless something else is asked for, and then nothing speaks of it', () => {
    const [cell] = cellsOf({});
    assert.equal(Object.hasOwn(cell, 'content'), false);
    assert.equal(groupLabel(cell), 'round-trip 2x4 1000 B split');
  });

  it('is crossed with the size', () => {
    assert.deepEqual(cellsOf({ payload: '10,100', content: 'ascii,utf8' }).map(groupLabel), [
      'round-trip 2x4 10 B split',
      'round-trip 2x4 10 B content=utf8 split',
      'round-trip 2x4 100 B split',
      'round-trip 2x4 100 B content=utf8 split',
    ]);
  });

  it('sets groups apart, and is named where one of them is not ascii', () => {
    assert.deepEqual(placesOf({ content: 'ascii,json' }), ['1,000 B of ascii, 2x4', '1,000 B of json, 2x4']);
    assert.deepEqual(placesOf({ content: 'utf8' }), ['1,000 B of utf8, 2x4']);
    assert.deepEqual(placesOf({}), ['1,000 B, 2x4']);
  });

  it('is refused with the kinds that there are, taken from the environment, and printed as it was given', () => {
    const isRefused = (/** @type {unknown} */ error) =>
      error instanceof BenchError &&
      /--content: "utf" is not one of ascii, utf8, binary, json.*Did you mean utf8/.test(error.message);
    assert.throws(() => resolved({ content: 'utf' }), isRefused);
    assert.deepEqual(resolved({}, { IPC_BENCH_CONTENT: 'json,utf8' }).options.contents, ['json', 'utf8']);
    const config = JSON.parse(printedConfig(resolved({ content: 'binary,binary,ascii' })));
    assert.deepEqual(config.content, ['binary', 'ascii']);
  });

  it('counts in the size of a plan', () => {
    const huge = { payload: '1..1000', workers: '1..40x1', content: KINDS.join() };
    assert.throws(() => cellsOf(huge), { code: 'TOO_MANY_CELLS', message: /^160,000 cells/ });
  });
});

describe('results with several contents', () => {
  it('are read as they were written, and refused where they are not what they should be', () => {
    const { results, measured } = twoContents();
    results.options = { ...results.options, contents: ['ascii', 'utf8'] };
    assert.deepEqual(parseResults(resultsText(results), 'x'), results);
    measured[0].cell = { ...measured[0].cell, content: /** @type {any} */ ('ascii') };
    assert.throws(() => parseResults(resultsText(results), 'x'), {
      message: /outcomes\[0\]\.cell\.content should /,
    });
  });

  it('have a column in CSV, a part of the name for benchstat, and charts of their own', async () => {
    const { results } = twoContents();
    assert.deepEqual(await columnInCsv(results, 'content'), ['ascii', 'utf8']);
    assert.match(benchstatText(results), /\/codec=json\/payload=1000B\/content=utf8\/shape=/);
    const figures = makeFigures(results).filter(({ name }) => name.startsWith('throughput'));
    assert.deepEqual(
      figures.map(({ name }) => name),
      ['throughput-1000B-ascii', 'throughput-1000B-utf8'],
    );
    assert.match(figures[1].title, /, content utf8$/);
    assert.match(linesBelow(figures[1])[0], /content utf8/);
    assert.doesNotMatch(linesBelow(figures[0])[0], /content/);
  });

  it('are not matched with each other', () => {
    const { results, measured } = twoContents();
    const [ascii, utf8] = measured.map((outcome) => ({ ...results, outcomes: [outcome] }));
    const { pairs, missing } = matchCells(ascii, utf8, 'separate');
    assert.equal(pairs.length, 0);
    assert.deepEqual(
      missing.map(({ side, cell }) => [side, cell.content]),
      [
        ['new', undefined],
        ['old', 'utf8'],
      ],
    );
  });
});
