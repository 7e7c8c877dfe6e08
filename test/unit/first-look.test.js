// What a newcomer sees on the screen: the table, the answer in the line after it, and the rest one flag away.

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { sayWhatIsSaved } from '../../lib/cli/documents.js';
import { FLAGS } from '../../lib/format/result-flags.js';
import { FURTHER_COLUMNS } from '../../lib/options/flags.js';
import { wrapped } from '../../lib/report/columns/aligned.js';
import { CLOSED_LOOP_SENTENCES } from '../../lib/report/text/conclusion.js';
import { readResults } from '../../lib/results/read.js';
import { terminalTable } from '../../reports/table/terminal-table.js';
import { makeResults } from '../fixtures/make-results.js';

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
  await sayWhatIsSaved(paths, stream, { next });
  return said;
}

/** @param {Results} results @returns {Promise<string[]>} the lines of the whole stdout of a run, in a pipe */
async function screenOf(results) {
  return (shown(results) + (await saidOf(FILES, undefined, NEXT))).trimEnd().split('\n');
}

/** @returns {Results} the default run on a machine that has every reason to complain */
function disturbedRun() {
  const codes = ['oversubscribed', 'harness-limited', 'bottleneck', 'wake-up', 'not-steady', 'crowded'];
  const results = makeResults({ flag: ({ codec }) => (codec === 'json' ? codes : codes.slice(0, 2)) });
  for (const outcome of results.outcomes) {
    if (outcome.status !== 'measured') continue;
    outcome.busiest = { name: 'master', role: 'master', share: outcome.cell.codec === 'json' ? 0.97 : 0.92 };
    if (outcome.cell.transport === 'tcp' && outcome.ratio !== null)
      Object.assign(outcome.ratio, { estimate: 1.01, low: 0.96, high: 1.05 });
  }
  return results;
}

describe('the first look at a default run', () => {
  it('is at most 100 columns wide and 30 lines high, with files and next command', async () => {
    for (const results of [saved, makeResults(), disturbedRun()]) {
      const lines = await screenOf(results);
      const remarks = lines.filter((line) => /^ +\(/.test(line)).length; // below their rows
      assert.ok(lines.length <= 30 + remarks, `${lines.length} lines:\n${lines.join('\n')}`);
      for (const line of lines) assert.ok([...line].length <= 100, line);
    }
  });

  it('has all columns beside each other, and one line of titles', async () => {
    const [heading, titles, ...rest] = await screenOf(makeResults());
    assert.match(heading, /^1,000 B, 2x4 \(2 workers, 4 concurrent loops each\)$/);
    assert.deepEqual(titles.split(/ {2,}/), [
      'transport/codec',
      'round trips/s (95 %)',
      'ratio to pipe/json',
      'p50 µs',
      'p99 µs',
      'CPU µs',
    ]);
    assert.equal(rest.filter((line) => line.startsWith('transport/codec')).length, 0);
  });

  it('says the answer in the first line after the table: which, how much, how sure', async () => {
    const lines = await screenOf(saved);
    const end = lines.indexOf('');
    assert.match(lines[end - 1], /^ redis-pubsub\/json/);
    assert.equal(
      lines[end + 1],
      'unix/string: 1.90× the throughput of pipe/json (95 % CI 1.84–2.02) at 1,000 B, 2x4.',
    );
    assert.ok(lines.includes(CLOSED_LOOP_SENTENCES.brief), 'M-12');
  });

  it('says the answer first where there is no reference as well', () => {
    const text = shown(makeResults({ series: ['unix/json', 'tcp/json'] }));
    assert.match(text.split('\n\n')[1], /^unix\/json: .*\nNo ratios: /s);
  });

  it('has no mark at a row that only has properties, which one sentence says of all rows', () => {
    const flag = (/** @type {{ transport: string }} */ { transport }) => [
      'oversubscribed',
      ...(transport === 'unix' ? ['harness-limited'] : []),
    ];
    const text = shown(makeResults({ series: ['pipe/json', 'unix/json', 'tcp/json'], flag }));
    assert.match(text, /^More busy processes than CPUs: all rows\.$/m);
    assert.match(text, /^Codec and harness are much of the CPU time: unix\/json\.$/m);
    assert.doesNotMatch(text, /flags|remarks|^ +\(/im);
    assert.match(text, /^unix\/json .* \d+\.\d$/m, 'its last column is a number');
  });

  it('says at most three properties, and all of them with --notes', () => {
    const codes = ['free', 'low-rate', 'oversubscribed', 'wake-up', 'harness-limited', 'quick'];
    const results = makeResults({ series: ['pipe/json', 'unix/json'], flag: () => codes });
    const sentences =
      /^(?:A quick run|More busy|Codec and harness|Waking sleeping|The rate is too low|Processes could not)/gm;
    assert.equal(shown(results).match(sentences)?.length, 3);
    assert.equal(shown(results, { hasNotes: true }).match(sentences)?.length, codes.length);
  });

  it('has a fault in words in its row, and does not rank a row whose level it makes untrue', () => {
    const faults = ['cold', 'lost', 'broken-promise', 'late-network', 'little-law', 'generator-limited'];
    for (const code of faults) {
      const results = makeResults({
        series: ['pipe/json', 'unix/json', 'tcp/json'],
        flag: ({ transport }) => (transport === 'unix' ? [code] : []),
      });
      const words = FLAGS[code].brief;
      const text = shown(results, { columns: 120 });
      assert.match(text, /CPU µs {2}remarks$/m);
      assert.ok(
        text.split('\n').some((line) => line.startsWith('unix/json') && line.endsWith(`  ${words}`)),
        text,
      );
      assert.match(text, /^No verdict: unix\/json about /m, code);
    }
  });

  it('has the remark below its row where the screen is too narrow for a column', () => {
    const results = makeResults({
      series: ['pipe/json', 'unix/json'],
      flag: ({ transport }) => (transport === 'unix' ? ['cold', 'not-steady'] : []),
    });
    assert.match(shown(results), /^unix\/json .*\n {2}\(still warming up; not stable\)\n/m);
  });

  it('says a fault of all rows once, below the table', () => {
    const flag = (/** @type {{ transport: string }} */ { transport }) =>
      transport === 'unix' ? ['not-steady', 'cold', 'crowded'] : ['not-steady', 'steal'];
    const text = shown(makeResults({ series: ['pipe/json', 'unix/json', 'tcp/json'], flag }));
    assert.match(text, /^All rows: not stable\.$/m);
    assert.match(text, /^unix\/json .*\n {2}\(still warming up\)\n/m);
    assert.equal(text.match(/^ +\(/gm)?.length, 1);
  });

  it('has no legend of letters', () => {
    for (const results of [saved, disturbedRun()]) {
      for (const columns of [60, 80, 100, 140]) {
        const text = shown(results, { columns });
        assert.doesNotMatch(text, /^Flags:/m);
        assert.doesNotMatch(text, /(?:^|[.;:] )[a-z] [a-z]{3,}/m, 'a letter and its meaning');
      }
    }
  });

  it('has a remark of a later version, and tells what was skipped and what failed', () => {
    const text = shown(
      makeResults({
        series: ['pipe/json', 'pipe/string', 'unix/json', 'tcp/json', 'tcp/string'],
        flag: ({ transport }) => (transport === 'unix' ? ['bottleneck', 'a-later-flag'] : []),
        fail: ({ transport }) => (transport === 'tcp' ? 'worker w0 died' : null),
      }),
    );
    assert.match(text, /^ *\(a-later-flag, a flag of a later version\)$/m);
    assert.match(text, /^Skipped: pipe\/string: pipe serialises by itself/m);
    assert.equal(text.match(/worker w0 died/g)?.length, 1, 'once, not with the conclusion and once more');
    assert.match(text, /^Failed: tcp: worker w0 died \(PROCESS_DIED\)$/m);
  });

  it('adds up the CPU time of all processes', () => {
    const results = makeResults({ series: ['pipe/json', 'redis-pubsub/json'] });
    const broker = results.outcomes[1];
    assert.ok(broker.status === 'measured');
    broker.cpuUsPerOperation = { workers: 10, master: 20, broker: 12.5 };
    assert.match(shown(results), /^redis-pubsub\/json .* 42\.5$/m);
    broker.cpuUsPerOperation = { workers: null, master: 20, broker: null };
    assert.match(shown(results), /^redis-pubsub\/json .* 20\.0$/m);
  });
});

describe('sentences on the screen', () => {
  it('break between words at 80 columns, and never between a number and its unit', () => {
    for (const results of [saved, disturbedRun()]) {
      for (let columns = 60; columns <= 110; columns += 1) {
        const text = shown(results, { columns });
        for (const line of text.split('\n')) assert.ok([...line].length <= columns, line);
        const sentences = text.slice(text.indexOf('\n\n') + 2);
        assert.match(
          sentences.replaceAll('\n  ', ' '),
          / the\s+throughput\s+of\s+pipe\/json .* at\s+1,000 B, 2x4\./,
        );
        assert.doesNotMatch(sentences, /1,000\n|[\d×]\n {2}\(|\d\n {2}(?:%|µs|s|B)\b/);
      }
    }
  });

  it('are at most 100 columns wide in a terminal that is wider, where the table takes all it needs', () => {
    const text = shown(saved, { columns: 240, hasNotes: true, furtherColumns: [...FURTHER_COLUMNS] });
    const [head, , ...below] = text.split('\n\n');
    for (const line of [head, ...below].join('\n').split('\n')) assert.ok([...line].length <= 100, line);
    assert.equal(text.match(/^transport\/codec/gm)?.length, 1);
  });

  it('keep together what belongs together, unless it is longer than a line', () => {
    assert.deepEqual(wrapped('it takes 1,000 B at unix/json 1.90× (1.84–2.02) in 5 µs', 30), [
      'it takes 1,000 B at',
      '  unix/json 1.90× (1.84–2.02)',
      '  in 5 µs',
    ]);
    assert.deepEqual(wrapped('unix/json 1.90× (1.84–2.02)', 16), ['unix/json 1.90×', '  (1.84–2.02)']);
    assert.deepEqual(wrapped('5 seconds', 4), ['5', '  seconds']);
  });

  it('name the files of a folder in one line, and a single file by its path', async () => {
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

describe('what a first look does without', () => {
  const codecUs = {
    estimate: 5,
    low: 4.9,
    high: 5.1,
    level: 0.95,
    n: 6,
    method: /** @type {const} */ ('signed-rank'),
  };
  /** @type {Results} */
  const results = {
    ...disturbedRun(),
    controls: {
      timer: null,
      rows: [
        {
          scenario: 'round-trip',
          codec: 'json',
          payloadBytes: 1000,
          loops: 4,
          nullUs: 6,
          codecUs,
          checkUs: 0.06,
        },
      ],
    },
  };

  it('is told by --notes: machine, placement, controls, and what every remark means', () => {
    const brief = shown(results);
    const full = shown(results, { hasNotes: true });
    for (const words of [
      /^placement split: /m,
      /^Controls at 1,000 B: /m,
      /Debian GNU/,
      /^more busy processes than CPUs = processes wait/m,
      /Also faster: unix\/json 1\.4\d× \(/,
      /Closed loop: each loop waits for the response before it sends the next/,
    ]) {
      assert.match(full, words);
      assert.doesNotMatch(brief, words);
    }
    assert.match(brief, /More: --notes, --columns all\.$/m);
    assert.doesNotMatch(full, /More: /);
  });

  it('is shown by --columns, each by its name', () => {
    const titles = /** @type {const} */ ({
      mb: 'MB/s',
      cpu: 'workers  master',
      net: 'net of codec',
      memory: 'memory',
      busiest: 'busiest process',
      harness: 'harness',
    });
    for (const [name, title] of Object.entries(titles)) {
      const own = shown(results, {
        columns: 200,
        furtherColumns: [/** @type {keyof typeof titles} */ (name)],
      });
      const others = Object.values(titles).filter((other) => other !== title);
      const head = own.slice(0, own.indexOf('Pipes'));
      assert.ok(head.includes(title), name);
      assert.deepEqual(
        others.filter((other) => head.includes(other)),
        [],
        name,
      );
    }
  });
});
