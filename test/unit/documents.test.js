// Where the documents of saved results go, and what is said of them.

import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, it } from 'node:test';
import { deliver, deliverComparison, withCharts } from '../../lib/cli/documents.js';
import { errorText } from '../../lib/cli/process-io.js';
import { report } from '../../lib/cli/report.js';
import { exitCodeFor } from '../../lib/errors.js';
import { reportOptions } from '../../lib/options/output-options.js';
import { compareResults } from '../../lib/report/compare/compare-results.js';
import { withFindings } from '../../lib/report/findings/index.js';
import { resultsText } from '../../lib/results/write.js';
import { buildResults } from '../fixtures/build-results.js';
import { capturedOutput } from '../fixtures/captured-output.js';
import { ownFolder } from '../fixtures/own-folder.js';

const root = ownFolder('ipcb-documents-');
const newFolder = () => mkdtempSync(join(root, 'd-'));
const results = buildResults({ series: ['unix/json', 'tcp/json'], payloads: [10], launches: 2 });

/** @param {number} [columns] */
function newHost(columns) {
  const { output, stdout, stderr } = capturedOutput();
  for (const stream of [stdout, stderr]) Object.assign(stream, { columns });
  return { written: output, stdout, stderr, environment: {}, exitNow() {} };
}

/**
 * @param {Record<string, unknown>} flags   of `report`
 * @param {number} [columns]
 * @param {Record<string, string>} [environment]
 */
async function delivered(flags, columns, environment = {}) {
  const { theme, ...options } = reportOptions(flags);
  const host = { ...newHost(columns), environment };
  const end = await deliver(results, { ...options, theme: theme ?? 'light' }, host);
  return { ...end, ...host.written };
}

/** @param {string} body   of a report that is not built in @returns {string} its file */
function ownReport(body) {
  const path = join(newFolder(), 'mine.mjs');
  writeFileSync(path, `export default { name: 'mine', summary: 'of mine', ${body} };`);
  return path;
}

describe('deliver', () => {
  it('prints title, notes, columns and colours', async () => {
    const plain = (await delivered({})).stdout;
    assert.match((await delivered({ title: 'Of mine' })).stdout, /Of mine/);
    assert.notEqual((await delivered({ notes: true })).stdout, plain);
    assert.notEqual((await delivered({ columns: 'memory' })).stdout, plain);
    assert.notEqual((await delivered({}, undefined, { FORCE_COLOR: '1' })).stdout, plain);
  });

  it('draws both themes, and prints HTML that shows the one that fits, or writes it to the captions', async () => {
    const folder = newFolder();
    const png = join(folder, 'png');
    mkdirSync(png);
    const { saved, elements } = await delivered({ png, theme: 'both' });
    const names = ['throughput-10B', 'latency-10B'];
    assert.deepEqual(
      readdirSync(png).toSorted(),
      names.flatMap((name) => [`${name}-dark.png`, `${name}.png`]).toSorted(),
    );
    assert.equal(saved.length, 4);
    const [light, dark] = ['', '-dark'].map((end) => readFileSync(join(png, `latency-10B${end}.png`)));
    assert.ok(!light.equals(dark));
    const elementOf = (/** @type {string} */ name, /** @type {string} */ place) =>
      new RegExp(
        `srcset="${place}/${name}-dark\\.png"><img alt="[^"]+" src="${place}/${name}\\.png" width="800"></picture>`,
      );
    const place = encodeURI(png.replaceAll('\\', '/'));
    for (const [index, name] of names.entries()) assert.match(elements[index], elementOf(name, place));
    const captions = join(folder, 'captions.md');
    const captioned = await delivered({ png, captions, theme: 'both' });
    assert.deepEqual(captioned.elements, []);
    const text = readFileSync(captions, 'utf8');
    for (const name of names) assert.match(text, elementOf(name, 'png'));
  });

  it('leaves stdout to the document that goes there', async () => {
    const file = join(newFolder(), 'own.md');
    const { stdout, saved } = await delivered({ csv: '-', markdown: file });
    assert.match(stdout, /^[^\n]*,[^\n]*\n/);
    assert.doesNotMatch(stdout, /[│┃]/);
    assert.deepEqual(saved, [file]);
    const alone = await delivered({ csv: '-' });
    assert.equal(alone.stdout, stdout);
  });

  it('writes files and folders beside the table', async () => {
    const folder = newFolder();
    const pictures = join(folder, 'pictures');
    mkdirSync(pictures);
    const { stdout, saved } = await delivered({ csv: join(folder, 'own.csv'), svg: pictures });
    assert.match(stdout, /unix\/json/);
    const drawn = readdirSync(pictures);
    assert.ok(drawn.length > 0 && drawn.every((name) => name.endsWith('.svg')), drawn.join());
    assert.deepEqual(
      saved.sort(),
      [join(folder, 'own.csv'), ...drawn.map((name) => join(pictures, name))].sort(),
    );
    const { stdout: csv } = await delivered({ csv: '-' });
    assert.equal(readFileSync(join(folder, 'own.csv'), 'utf8'), csv);
  });

  it('draws nothing if nothing was measured, and reports it if pictures were requested', async () => {
    const failed = buildResults({ fail: () => 'it fell' });
    const host = newHost();
    const options = { ...reportOptions({ png: newFolder() }), theme: /** @type {const} */ ('light') };
    const { saved, exitCode } = await deliver(failed, options, host);
    assert.deepEqual([saved, exitCode], [[], 0]);
    assert.match(host.written.stderr, /^--png: no document/);
  });

  it('links captions to pictures by relative paths', async () => {
    const folder = newFolder();
    const drawn = join(folder, 'pictures');
    for (const name of ['texts', 'pictures']) mkdirSync(join(folder, name));
    const captions = join(folder, 'texts', 'own.md');
    const linksOf = async (/** @type {Record<string, unknown>} */ places) => {
      await delivered({ captions, ...places });
      return [...readFileSync(captions, 'utf8').matchAll(/[("]([^()"\n]+\.(?:svg|png))[)"]/g)].map(
        ([, link]) => link,
      );
    };
    const links = await linksOf({ svg: drawn });
    assert.deepEqual(
      links.map((link) => join(folder, 'texts', link)).sort(),
      readdirSync(drawn)
        .map((name) => join(drawn, name))
        .sort(),
    );
    const both = await linksOf({ png: join(folder, 'texts'), svg: drawn });
    assert.ok(both.length > 0 && both.every((link) => /^[^/]+\.png$/.test(link)), both.join());
    assert.deepEqual(await linksOf({}), both, 'beside it, where nothing is drawn');
    assert.deepEqual(await linksOf({ png: '-' }), both, 'on stdout it is nowhere');
  });

  it('writes all other documents if a report throws, and returns an exit code', async () => {
    const folder = newFolder();
    const broken = ownReport(`render() { throw new Error('no ink'); }`);
    const { saved, stdout, stderr, exitCode } = await delivered({
      report: [`${broken}=${join(folder, 'own.txt')}`],
      csv: join(folder, 'own.csv'),
    });
    assert.match(stdout, /unix\/json/);
    assert.deepEqual(saved, [join(folder, 'own.csv')]);
    assert.match(stderr, /^ipc-bench: the report .*mine\.mjs cannot be rendered: no ink\n$/);
    assert.notEqual(exitCode, 0);
  });

  it("writes a user's report to a file, or all of its documents to a folder", async () => {
    const folder = newFolder();
    const content = `(name) => ({ name, mediaType: 'text/plain', content: name })`;
    const mine = ownReport(`render() { return ['a.txt', 'b.txt'].map(${content}); }`);
    const one = await delivered({ report: [`${mine}=${join(folder, 'one.txt')}`] });
    assert.deepEqual(one.saved, [join(folder, 'one.txt')]);
    assert.equal(readFileSync(join(folder, 'one.txt'), 'utf8'), 'a.txt');
    mkdirSync(join(folder, 'all'));
    const { saved } = await delivered({ report: [`${mine}=${join(folder, 'all')}/`] });
    assert.deepEqual(saved, [join(folder, 'all', 'a.txt'), join(folder, 'all', 'b.txt')]);
    const { stdout } = await delivered({ report: [`${mine}=-`] });
    assert.equal(stdout, 'a.txt');
  });

  it('refuses names that lead out of the folder', async () => {
    const folder = newFolder();
    const namesOf = (/** @type {unknown[]} */ names) =>
      ownReport(`render: () => ${JSON.stringify(names)}.map((name) => ({ name, content: name ?? '' }))`);
    for (const name of ['', '.', '..', '../a', 'a/b', 'a\\b', 'a\0', null]) {
      const { stderr, exitCode } = await delivered({ report: [`${namesOf([name])}=${folder}/`] });
      assert.match(stderr, /is not a name of a document/, String(name));
      assert.notEqual(exitCode, 0);
    }
    assert.deepEqual(readdirSync(folder), []);
    const names = ['...', '.a', 'a..b'];
    const { saved } = await delivered({ report: [`${namesOf(names)}=${folder}/`] });
    assert.deepEqual(
      saved,
      names.map((name) => join(folder, name)),
    );
  });

  it("accepts a user's report without documents for a folder, but not for a file", async () => {
    const none = ownReport('render: () => []');
    const folder = newFolder();
    const { saved, exitCode } = await delivered({ report: [`${none}=${folder}/`] });
    assert.deepEqual([saved, exitCode], [[], 0]);
    const { stderr } = await delivered({ report: [`${none}=${join(folder, 'one')}`] });
    assert.match(stderr, /made no document/);
    assert.deepEqual(readdirSync(folder), []);
  });

  it("refuses other values than documents from a user's report", async () => {
    for (const body of [
      'render: () => null',
      `render: () => 'text'`,
      'render: () => [null]',
      'render: () => [{ name: 1 }]',
      `render: () => [{ name: 'a', content: 'a' }, { name: 'b', content: 1 }]`,
    ]) {
      const folder = newFolder();
      const { stderr, exitCode, saved } = await delivered({ report: [`${ownReport(body)}=${folder}/`] });
      assert.match(stderr, /made no documents: its render\(\) must return a list/, body);
      assert.notEqual(exitCode, 0, body);
      assert.deepEqual(saved, [], body);
    }
    const bytes = ownReport(`render: () => [{ name: 'a', content: new Uint8Array([104, 105]) }]`);
    assert.equal((await delivered({ report: [`${bytes}=-`] })).stdout, 'hi');
  });

  it('prints the warnings of reports, but not with --quiet', async () => {
    const warning = ownReport(`render: () => [{ name: 'a', content: 'a', warning: 'faded' }]`);
    const flags = { report: [`${warning}=${newFolder()}/`] };
    const { stderr } = await delivered(flags);
    assert.match(stderr, /^--.*: faded\n$/);
    assert.equal((await delivered({ ...flags, quiet: true })).stderr, '');
  });
});

describe('deliverComparison', () => {
  it('writes all other documents if one cannot be written, and returns an exit code', async () => {
    const side = { name: 'old', source: 'old.json', results };
    const settings = {
      design: /** @type {const} */ ('separate'),
      minEffect: 0.05,
      controls: [],
      isForced: true,
    };
    const comparison = compareResults(side, { ...side, name: 'new' }, settings);
    const folder = newFolder();
    const outputs = { json: join(folder, 'none', 'own.json'), markdown: join(folder, 'own.md'), svg: folder };
    const { written, stdout, stderr } = newHost();
    const compared = { comparison, old: side, new: side };
    const { saved, exitCode } = await deliverComparison(outputs, compared, { stdout, stderr, onStep() {} });
    assert.deepEqual(saved, [outputs.markdown, ...saved.filter((path) => path.endsWith('.svg'))]);
    assert.deepEqual(readdirSync(folder).toSorted(), saved.map((path) => basename(path)).toSorted());
    assert.match(written.stderr, /^ipc-bench: .*own\.json cannot be written/);
    assert.equal(exitCode, 2);
  });
});

describe('the charts of a run', () => {
  it('draws charts beside the results, unless --png or --no-charts says otherwise', () => {
    assert.deepEqual(withCharts({ outputs: { csv: 'a' } }, 'out'), { csv: 'a', png: 'out' });
    assert.deepEqual(withCharts({ outputs: { png: 'own' } }, 'out'), { png: 'own' });
    assert.deepEqual(withCharts({ outputs: {}, charts: false }, 'out'), {});
    assert.deepEqual(withCharts({ outputs: { csv: 'a' } }, null), { csv: 'a' });
  });
});

describe('report', () => {
  const file = join(root, 'saved.json');
  writeFileSync(file, resultsText(withFindings(results)));

  /** @param {Record<string, unknown>} argv */
  async function reported(argv) {
    const host = newHost();
    const exitCode = await report(argv, host);
    return { exitCode, ...host.written };
  }

  it('prints a table for each file, under its name if there are several', async () => {
    const one = await reported({ files: [file] });
    assert.deepEqual([one.exitCode, one.stderr], [0, '']);
    const two = await reported({ files: [file, file] });
    assert.equal(two.stdout, `${file}\n${one.stdout}\n${file}\n${one.stdout}`);
  });

  it('refuses no file, and several files for one place', async () => {
    const here = process.cwd();
    process.chdir(newFolder()); // where there are no saved runs
    try {
      await assert.rejects(reported({}), {
        code: 'BAD_ARGUMENT',
        message: /report needs a run, and there is none/,
      });
    } finally {
      process.chdir(here);
    }
    for (const place of [{ csv: '-' }, { out: 'x' }])
      await assert.rejects(reported({ files: [file, file], ...place }), {
        code: 'BAD_ARGUMENT',
        message: /^2 files cannot share one place/,
      });
  });

  it('prints what it has saved on the stream without documents, and nothing on stderr with --quiet', async () => {
    const folder = newFolder();
    const csv = join(folder, 'own.csv');
    const beside = await reported({ files: [file], csv });
    assert.ok(beside.stdout.endsWith(`Saved ${csv}\n`));
    const taken = await reported({ files: [file], csv, markdown: '-', force: true });
    assert.equal(taken.stderr, `Saved ${csv}\n`);
    assert.doesNotMatch(taken.stdout, /Saved/);
    const quiet = await reported({ files: [file], csv, markdown: '-', force: true, quiet: true });
    assert.equal(quiet.stderr, '');
    assert.match((await reported({ files: [file], csv, force: true, quiet: true })).stdout, /Saved/);
  });

  it('names its steps on stderr if they take long, and only then', async () => {
    const large = join(newFolder(), 'large.json');
    writeFileSync(large, readFileSync(file, 'utf8') + ' '.repeat(8 * 2 ** 20));
    const { stdout, stderr } = await reported({ files: [large] });
    assert.equal(stdout, (await reported({ files: [file] })).stdout);
    assert.match(stderr, /^Reading .*large\.json \(8\.\d+ MiB\)\n$/);
    assert.equal((await reported({ files: [large], quiet: true })).stderr, '');
    const many = structuredClone(results);
    for (const outcome of many.outcomes)
      if (outcome.status === 'measured')
        outcome.launches = Array.from(
          { length: 2_000 },
          (_, index) => outcome.launches[index % outcome.launches.length],
        );
    const host = newHost();
    const csv = join(newFolder(), 'own.csv');
    await deliver(many, { ...reportOptions({ csv }), theme: 'light' }, host);
    assert.equal(host.written.stderr, 'Making the table\nMaking --csv\n');
  });

  it('copies the results with --out, with charts or without', async () => {
    const folder = newFolder();
    const out = join(folder, 'plain');
    const { exitCode, stdout } = await reported({ files: [file], out, charts: false });
    assert.equal(exitCode, 0);
    assert.ok(stdout.endsWith(`Saved ${join(out, 'results.json')}\n`));
    assert.deepEqual(readdirSync(out), ['results.json']);
    assert.equal(readFileSync(join(out, 'results.json'), 'utf8'), readFileSync(file, 'utf8'));
    await assert.rejects(reported({ files: [file], out, charts: false }), { code: 'OUTPUT_EXISTS' });
    const drawn = join(folder, 'drawn');
    await reported({ files: [file], out: drawn });
    assert.ok(readdirSync(drawn).some((name) => name.endsWith('.png')));
  });

  it("prints where a user's report is loaded from, but not with --quiet", async () => {
    const mine = ownReport(`render: () => [{ name: 'a', content: 'a' }]`);
    const loud = await reported({ files: [file], report: [`${mine}=-`] });
    assert.match(loud.stderr, /^mine is loaded from file:.*mine\.mjs\n$/);
    assert.equal((await reported({ files: [file], report: [`${mine}=-`], quiet: true })).stderr, '');
  });
});

describe('errorText', () => {
  const binding = Object.assign(
    new Error('Cannot find native binding. npm has a bug related to optional dependencies', {
      cause: new Error("Cannot find module '@napi-rs/canvas-win32-x64-msvc'", {
        cause: Object.assign(new Error('The specified module could not be found.\n\\\\?\\C:\\skia.node'), {
          code: 'ERR_DLOPEN_FAILED',
        }),
      }),
    }),
    {
      stack:
        'Error: Cannot find native binding\n    at C:\\node_modules\\@napi-rs\\canvas\\js-binding.js:428:11',
    },
  );

  it('explains that pictures cannot be drawn, with the cause and a remedy', () => {
    const text = errorText(binding);
    assert.match(
      text,
      /^ipc-bench: no PNG files can be drawn, .* \(The specified module could not be found\.\): run npm ci/,
    );
    assert.ok(!text.includes('\n'));
    assert.equal(exitCodeFor(binding), 2);
    assert.match(errorText(new Error('Cannot find it')), /unexpected error/);
  });
});
