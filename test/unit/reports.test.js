import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { stripVTControlCharacters } from 'node:util';
import { readHeadline, timesIn } from '../../lib/cell/headline.js';
import { faultTexts, flagMeaning, isFault, RESULT_FLAGS } from '../../lib/format/result-flags.js';
import { parseResults } from '../../lib/results/read.js';
import csv from '../../reports/csv/csv.js';
import json from '../../reports/json.js';
import markdown from '../../reports/markdown/markdown.js';
import table from '../../reports/table/table.js';
import { buildResults } from '../fixtures/build-results.js';
import { SCENARIOS } from '../fixtures/counted.js';

/** @import { Report, ReportOptions, Results } from '../../lib/types/index.js' */

const TEXT_REPORTS = [table, json, csv, markdown];

/** @param {Report} report @param {Results} results @param {ReportOptions} [options] @returns {Promise<string>} */
async function textOf(report, results, options = {}) {
  const documents = await report.render(results, options);
  assert.equal(documents.length, 1);
  return /** @type {string} */ (documents[0].content);
}

/** @param {string} text @returns {string[][]} the fields of each row, by RFC 4180 */
function parseCsv(text) {
  const rows = /** @type {string[][]} */ ([[]]);
  for (const [, quoted, plain, end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/g)) {
    rows.at(-1)?.push(quoted?.replaceAll('""', '"') ?? plain);
    if (end === '\r\n') rows.push([]);
  }
  return rows.slice(0, -1);
}

/** Names that a plug-in or a results file of somebody else may bring. */
const HOSTILE = 'a\u001b[31m\u001b]0;title\u0007|b`c`\n=cmd()\u202e<img src=x onerror=alert(1)>';
/** @param {string} text   Markdown */
const withoutCode = (text) => text.replace(/(?<!\\)`[^`]*`/g, '');

const hostile = buildResults({ series: ['pipe/json'], flag: () => ['bottleneck'] });
hostile.outcomes = [
  ...hostile.outcomes,
  ...structuredClone(buildResults({ series: ['pipe/json'] }).outcomes),
];
Object.assign(hostile.outcomes[1].cell, { transport: HOSTILE, codec: '=cmd()', settings: { '+x': '@y' } });
hostile.outcomes.push({
  status: 'skipped',
  cell: { ...hostile.outcomes[1].cell, payloadBytes: 1 },
  reason: HOSTILE,
});
hostile.outcomes.push({
  status: 'failed',
  cell: { ...hostile.outcomes[1].cell, payloadBytes: 2 },
  code: HOSTILE,
  message: HOSTILE,
  launches: [],
});
hostile.environment.brokers[HOSTILE] = { version: HOSTILE, config: { [HOSTILE]: HOSTILE }, origin: 'url' };
Object.assign(hostile.environment, {
  cpuModel: HOSTILE,
  os: HOSTILE,
  kernel: HOSTILE,
  node: HOSTILE,
  container: HOSTILE,
});

describe('every text report', () => {
  it('renders the same again, and changes nothing in the results', async () => {
    const results = buildResults();
    const before = structuredClone(results);
    for (const report of TEXT_REPORTS) {
      assert.equal(await textOf(report, results), await textOf(report, results), report.name);
    }
    assert.deepEqual(results, before);
  });

  it('shows every fault of a row, and explains it', async () => {
    const codes = Object.keys(RESULT_FLAGS);
    const { operation } = SCENARIOS['round-trip'];
    const results = buildResults({ series: ['pipe/json'], flag: () => codes });
    const joined = (/** @type {string} */ text) => text.replaceAll(/\n */g, ' ');
    for (const report of [table, markdown]) {
      const text = joined(await textOf(report, results, { hasNotes: true }));
      for (const code of codes.filter(isFault))
        assert.ok(text.includes(flagMeaning(code, 'summary', operation)), `${report.name} ${code}`);
    }
    const [remarks] = /\(may still be warming up;[^)]*\)/.exec(joined(await textOf(table, results))) ?? [''];
    assert.deepEqual(
      remarks.slice(1, -1).split('; ').toSorted(),
      faultTexts(codes, operation).toSorted(),
      'all faults in words, and no property',
    );
    const [names, row] = parseCsv(await textOf(csv, results));
    assert.equal(row[names.indexOf('flags')], codes.join(' '));
  });

  it('says something sensible when nothing was measured, or nothing planned', async () => {
    for (const results of [buildResults({ skip: () => 'no' }), buildResults({ series: [] })]) {
      for (const report of TEXT_REPORTS) assert.equal(typeof (await textOf(report, results)), 'string');
    }
  });

  it('lets no label move the cursor, run as a formula or become markup', async () => {
    for (const report of [table, csv, markdown]) {
      const text = await textOf(report, hostile, { title: HOSTILE });
      const lines = text.split(/\r?\n/);
      for (const line of lines) assert.doesNotMatch(line, /[\p{Cc}\u202e]/u, report.name);
    }
    for (const field of parseCsv(await textOf(csv, hostile)).flat())
      assert.doesNotMatch(field, /^[=+@]|^-\D/);
    const text = (await textOf(markdown, hostile, { title: HOSTILE })).replace(
      /<\/?(?:details|summary)>/g,
      '',
    );
    assert.doesNotMatch(withoutCode(text), /<|(?<!\\)`/);
    const rows = text.split('\n').filter((line) => line.startsWith('|'));
    const bars = new Set(rows.map((row) => row.match(/(?<!\\)\|/g)?.length));
    assert.equal(bars.size, 1, 'a label broke out of its cell');
  });

  it('has links and mentions of a hostile file in Markdown as code only, and versions as text', async () => {
    const results = buildResults({ series: ['pipe/json', 'unix/json'], flag: () => ['bottleneck'] });
    const links = ['@someone', 'x@a.example', 'https://a.example/?b|@c', 'www.a.example', '#1@d', '`@e`@f'];
    const name = links.join(' ');
    for (const outcome of results.outcomes) outcome.cell.transport = name;
    Object.assign(results.environment, {
      cpuModel: 'v@22.1 by @someone',
      packages: { '@scope/name': '1.0.0' },
    });
    results.environment.brokers[name] = { version: name, config: { [name]: name }, origin: 'url' };
    const text = await textOf(markdown, results, { title: name });
    assert.match(text, /^# `@someone` x`@a\.example` /);
    const outside = withoutCode(text);
    assert.match(outside, /v@22\.1/);
    assert.doesNotMatch(outside.replaceAll('v@22.1', ''), /@|:\/\/|www|#\d/);
  });
});

describe('the table', () => {
  it('has no ESC byte unless colours are welcome, and the same text then', async () => {
    const plain = await textOf(table, buildResults(), { colour: false });
    const coloured = await textOf(table, buildResults(), { colour: true });
    assert.equal(plain.includes('\u001b'), false);
    assert.equal(coloured.includes('\u001b'), true);
    assert.equal(stripVTControlCharacters(coloured), plain);
  });
});

describe('the other documents', () => {
  it('writes raw numbers to CSV, one row per cell, each as long as the first', async () => {
    const results = buildResults();
    const text = await textOf(csv, results);
    assert.ok(text.endsWith('\r\n') && !/[^\r]\n/.test(text));
    const [names, ...rows] = parseCsv(text);
    assert.equal(new Set(names).size, names.length);
    assert.deepEqual(
      rows.map((row) => row.length),
      results.outcomes.map(() => names.length),
    );
    const [first] = results.outcomes;
    assert.ok(first.status === 'measured');
    const numberIn = (/** @type {string} */ name) => Number(rows[0][names.indexOf(name)]);
    assert.equal(numberIn('roundTripsPerSecond'), readHeadline(first).estimate);
    assert.equal(numberIn('roundTripsPerSecondLow'), readHeadline(first).low);
    assert.equal(numberIn('p99Us'), timesIn(first)[0].p99);
    assert.equal(rows[0][names.indexOf('cpuUsPerRoundTripBroker')], '');
  });

  it('writes JSON that can be read back', async () => {
    const results = buildResults();
    assert.deepEqual(parseResults(await textOf(json, results), 'json'), JSON.parse(JSON.stringify(results)));
  });
});
