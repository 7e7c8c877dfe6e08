// The width and height of what a run prints at first. Its words are in test/fixtures/snapshots.

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { printSaved } from '../../lib/cli/documents.js';
import { readResults } from '../../lib/results/read.js';
import { terminalTable } from '../../reports/table/terminal-table.js';
import { buildResults, changeRatio } from '../fixtures/build-results.js';

/** @import { ReportOptions, Results } from '../../lib/types/index.js' */

const FILE = join(import.meta.dirname, '..', 'fixtures', 'results-default.json');
const saved = await readResults(FILE);
const FOLDER = join('ipc-bench-results', '2026-11-22T09-00-00Z');
const FILES = ['results.json', 'throughput-1000B.png', 'latency-1000B.png'].map((name) => join(FOLDER, name));
const NEXT = "how it changes with the size: npx ipc-bench --payload '10..100k*10'";

/** @param {Results} results @param {ReportOptions} [options] */
const shown = (results, options = {}) => terminalTable(results, options);

/** @param {string[]} paths @param {number} [columns] @param {string} [next] */
async function saidOf(paths, columns, next) {
  let said = '';
  /** @type {any} */
  const stream = {
    columns,
    write(/** @type {string} */ text, /** @type {() => void} */ done) {
      said += text;
      done();
    },
  };
  await printSaved(paths, stream, { next });
  return said;
}

/** @param {Results} results @returns {Promise<string[]>} the lines of the whole stdout of a run, in a pipe */
async function screenOf(results) {
  return (shown(results) + (await saidOf(FILES, undefined, NEXT))).trimEnd().split('\n');
}

/** @returns {Results} the default run on a machine that has every reason to complain */
function disturbedRun() {
  const codes = ['oversubscribed', 'harness-limited', 'bottleneck', 'wake-up', 'not-steady', 'crowded'];
  const results = buildResults({ flag: ({ codec }) => (codec === 'json' ? codes : codes.slice(0, 2)) });
  for (const outcome of results.outcomes) {
    if (outcome.status !== 'measured') continue;
    outcome.busiest = { name: 'master', role: 'master', share: outcome.cell.codec === 'json' ? 0.97 : 0.92 };
    if (outcome.cell.transport === 'tcp') changeRatio(outcome, { estimate: 1.01, low: 0.96, high: 1.05 });
  }
  return results;
}

describe('the first look at a default run', () => {
  it('is at most 100 columns wide and 30 lines high, with files and next command', async () => {
    for (const [results, height] of /** @type {const} */ ([
      [saved, 30],
      [buildResults(), 30],
      [disturbedRun(), 32],
    ])) {
      const lines = await screenOf(results);
      const remarks = lines.filter((line) => /^ +\(/.test(line)).length; // below their rows
      assert.ok(lines.length <= height + remarks, `${lines.length} lines:\n${lines.join('\n')}`);
      for (const line of lines) assert.ok([...line].length <= 100, line);
    }
  });
});

describe('sentences on the screen', () => {
  it('breaks between words, and never between a number and its unit', () => {
    for (const results of [saved, disturbedRun()]) {
      for (let columns = 60; columns <= 110; columns += 5) {
        const text = shown(results, { columns });
        for (const line of text.split('\n')) assert.ok([...line].length <= columns, line);
        const sentences = text.slice(text.indexOf('\n\n') + 2);
        assert.match(
          sentences.replaceAll('\n  ', ' '),
          / is\s+fastest\s+at\s+1,000 B, 2x4: .* the\s+throughput\s+of\s+pipe\/json /,
        );
        assert.doesNotMatch(sentences, /1,000\n|[\d×]\n {2}\(|\d\n {2}(?:%|µs|s|B)\b/);
      }
    }
  });

  it('names the files of a folder in one line, and a single file by its path', async () => {
    assert.equal(
      await saidOf(FILES, 120, NEXT),
      `Saved ${FOLDER}: results.json, throughput-1000B.png, latency-1000B.png\nNext, ${NEXT}\n`,
    );
    assert.equal(await saidOf(['a b/results.json', 'x.csv']), 'Saved a b/results.json\nSaved x.csv\n');
    assert.equal(await saidOf(['x.csv', 'y.md']), 'Saved x.csv, y.md\n');
    const many = await saidOf(
      ['1', '2', '3', '4', '5'].map((name) => `a b/picture-${name}.png`),
      40,
    );
    assert.deepEqual(many.trimEnd().split('\n'), [
      'Saved a b: picture-1.png, picture-2.png,',
      '  picture-3.png, picture-4.png,',
      '  picture-5.png',
    ]);
  });
});
