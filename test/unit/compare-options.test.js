import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { compareOptions } from '../../lib/options/compare-options.js';
import { FAIL_REASONS } from '../../lib/options/flags.js';
import { reportOptions } from '../../lib/options/output-options.js';

/** @param {(argv: Record<string, unknown>) => unknown} read @param {Record<string, unknown>} argv @param {RegExp} message */
const refuses = (read, argv, message) => assert.throws(() => read(argv), { code: 'BAD_ARGUMENT', message });

describe('the options of compare', () => {
  it('are 5 %, slower, the table and the colours of the terminal unless told otherwise', () => {
    assert.deepEqual(compareOptions({}), {
      minEffect: 0.05,
      failOn: ['slower'],
      outputs: {},
      isForced: false,
      colour: null,
    });
  });

  it('are what was asked for', () => {
    assert.deepEqual(compareOptions({ force: true, color: false, json: 'a', markdown: '-' }), {
      minEffect: 0.05,
      failOn: ['slower'],
      outputs: { json: 'a', markdown: '-' },
      isForced: true,
      colour: false,
    });
    assert.equal(compareOptions({ color: true }).colour, true);
    assert.equal(compareOptions({ force: false }).isForced, false);
  });

  it('take a share above 0 and up to 100 % for the smallest effect', () => {
    for (const [text, share] of /** @type {[string, number][]} */ ([
      ['2.5%', 0.025],
      ['0.1%', 0.001],
      ['100%', 1],
    ]))
      assert.equal(compareOptions({ 'min-effect': text }).minEffect, share);
    for (const text of ['0%', '-5%', '100.1%', 'much', '1/2'])
      refuses(compareOptions, { 'min-effect': text }, /^--min-effect: .* is not a share above 0/);
  });

  it('take reasons to fail in any order, each once, or none of them', () => {
    assert.deepEqual(compareOptions({ 'fail-on': 'none' }).failOn, []);
    const all = [...FAIL_REASONS, ...FAIL_REASONS].reverse().join(',');
    assert.deepEqual(compareOptions({ 'fail-on': all }).failOn, FAIL_REASONS);
    for (const reason of FAIL_REASONS)
      assert.deepEqual(compareOptions({ 'fail-on': reason }).failOn, [reason]);
    refuses(compareOptions, { 'fail-on': 'slower,none' }, /^--fail-on: none stands alone/);
    refuses(compareOptions, { 'fail-on': 'never' }, /"never" is not one of .*none/);
  });

  it('have one value each, and one place for each document', () => {
    for (const flag of ['min-effect', 'fail-on', 'json']) {
      refuses(compareOptions, { [flag]: ['5%', '6%'] }, new RegExp(`^--${flag}: given more than once`));
      refuses(compareOptions, { [flag]: false }, new RegExp(`^--${flag}: --no-${flag} means nothing`));
      refuses(compareOptions, { [flag]: ' ' }, new RegExp(`^--${flag}: needs a value`));
    }
    refuses(compareOptions, { json: 'a', markdown: 'a' }, /a is already taken by --/);
  });
});

describe('the options of report', () => {
  it('are the results as they were measured, on stdout, unless told otherwise', () => {
    const { picture: _, ...options } = reportOptions({});
    assert.deepEqual(options, {
      outputs: {},
      theme: null,
      title: null,
      hasNotes: false,
      furtherColumns: [],
      isQuiet: false,
      colour: null,
      outDir: null,
      baseline: null,
      isForced: false,
    });
  });

  it('are what was asked for', () => {
    const { picture: _, ...options } = reportOptions({
      theme: 'dark',
      title: 'Of mine',
      notes: true,
      quiet: true,
      color: true,
      force: true,
      out: 'folder',
      'save-baseline': 'main',
      charts: false,
      columns: 'memory,cpu',
      report: ['./mine.js=a=b/'],
      csv: 'c',
    });
    assert.deepEqual(options, {
      theme: 'dark',
      title: 'Of mine',
      hasNotes: true,
      isQuiet: true,
      colour: true,
      isForced: true,
      outDir: 'folder',
      baseline: 'main',
      charts: false,
      furtherColumns: ['cpu', 'memory'],
      outputs: { csv: 'c', './mine.js=a': 'b/' },
    });
    assert.equal('charts' in reportOptions({ charts: true }), false);
    assert.equal(reportOptions({ color: false }).colour, false);
    assert.deepEqual(reportOptions({ notes: false }).hasNotes, false);
  });

  it('have every further column with all, each once', () => {
    const { furtherColumns } = reportOptions({ columns: 'cpu,all,cpu' });
    assert.equal(new Set(furtherColumns).size, furtherColumns.length);
    assert.ok(furtherColumns.length > 4);
    refuses(reportOptions, { columns: 'cpus' }, /"cpus" is not one of .*Did you mean cpu/);
  });

  it('name a report of the user and its place, and no built-in one', () => {
    for (const text of ['./mine.js', '=a', './mine.js='])
      refuses(reportOptions, { report: [text] }, /is not a report and its place; write/);
    refuses(reportOptions, { report: ['csv=a'] }, /^--report: csv is built in; write --csv a/);
    refuses(reportOptions, { report: ['./mine.js=a'], csv: 'a' }, /a is already taken by --csv/);
  });

  it('say how a picture looks only where one is drawn', () => {
    for (const place of [{ png: 'p' }, { svg: 'p' }, { out: 'o' }, { out: 'o', charts: true }])
      assert.equal(reportOptions({ scale: '2', ...place }).isForced, false, JSON.stringify(place));
    for (const place of [{}, { csv: 'p' }, { out: 'o', charts: false }])
      refuses(reportOptions, { scale: '2', ...place }, /^--scale: no picture is drawn/);
    assert.doesNotThrow(() => reportOptions({ scale: '2', out: 'o', charts: false, svg: 'p' }));
  });
});
