// The page as text: what is in it, how large it is, and that its pictures are those of --png. How it behaves is proven in a browser,
// in test/long/page-in-browser.test.js.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { pathToFileURL } from 'node:url';
import { Script } from 'node:vm';
import { gunzipSync } from 'node:zlib';
import { rankingScore, timesIn } from '../../lib/cell/headline.js';
import { FURTHER_COLUMNS } from '../../lib/options/flags.js';
import { formatCommand } from '../../lib/options/print-config.js';
import { cellFigures } from '../../lib/report/charts/figures/cell-figures.js';
import { makeFigures } from '../../lib/report/charts/figures/figures.js';
import { toChartConfiguration } from '../../lib/report/charts/scene/chart-configuration.js';
import { COLOURS } from '../../lib/report/charts/style/colours.js';
import { columnsOfGroups } from '../../lib/report/columns/columns.js';
import { sectionsOfGroup } from '../../lib/report/columns/sections.js';
import { conclusions } from '../../lib/report/text/conclusion.js';
import { groupRows, isMeasured } from '../../lib/report/text/groups.js';
import { resultsText } from '../../lib/results/write.js';
import { encodeLatency } from '../../lib/statistics/latency-counts.js';
import { pageQuestion } from '../../reports/html/first-screen.js';
import report from '../../reports/html/html.js';
import { linkedModules } from '../../reports/html/link-modules.js';
import { html } from '../../reports/html/markup.js';
import { readableFigure } from '../../reports/html/page-pictures.js';
import { seededRandom } from '../fixtures/make-launch.js';
import { makeOpenResults } from '../fixtures/make-open-results.js';
import { makeResults } from '../fixtures/make-results.js';

/** @import { Choice } from '../../lib/report/columns/columns.js' */
/** @import { Cell, Results } from '../../lib/types/index.js' */

const MOST_BYTES = 2_000_000;
const ALL = [
  makeResults(),
  makeResults({ payloads: [100, 10_000], shapes: ['1x1', '2x4', '4x4'], flag: () => ['bottleneck'] }),
  makeResults({
    series: Array.from({ length: 26 }, (_, index) => `own${index}/json`),
    shapes: ['1x1', '2x4'],
  }),
  makeResults({ fail: ({ transport }) => (transport === 'tcp' ? 'it fell' : null) }),
  makeOpenResults(),
  makeResults({ series: ['pipe/json', 'zeromq/binary'], payloads: [100, 1_000, 10_000, 100_000] }),
];

/** @param {Cell} cell */
const isUnixString = ({ transport, codec }) => transport === 'unix' && codec === 'string';

/** @type {Map<Results, string>} */
const pages = new Map();

/** @param {Results} results @returns {Promise<string>} made once */
async function pageOf(results) {
  const page = pages.get(results) ?? String((await report.render(results, {}))[0].content);
  pages.set(results, page);
  return page;
}

/** @param {string} page @param {string} id */
function embeddedIn(page, id) {
  const base64 = new RegExp(`<script type="text/plain" id="${id}">([^<]*)</script>`).exec(page)?.[1] ?? '';
  return gunzipSync(Buffer.from(base64, 'base64')).toString();
}

/** @param {Results} results   that come to have histograms as large as measured ones are */
function withRealHistograms(results) {
  const random = seededRandom(1);
  for (const { launches } of results.outcomes.filter(isMeasured)) {
    for (const { times } of launches) {
      const counts = new Float64Array(33_792);
      const middle = 17_000 + Math.floor(3_000 * random());
      for (let sample = 0; sample < 20_000; sample++) {
        const spread = random() + random() + random() + random() - 2;
        counts[middle + Math.floor(spread * 600)]++;
      }
      const { count: _, histogram: __, meanNs, ...facts } = times.serviceTime;
      times.serviceTime = encodeLatency({ counts, ...facts, sumNs: meanNs * 20_000 });
    }
  }
  return results;
}

describe('the page', () => {
  it('says the answer and names every row in words that need no script', async () => {
    const [results] = ALL;
    const page = await pageOf(results);
    const written = page.slice(0, page.indexOf('<noscript>'));
    for (const sentence of conclusions(results, { isBrief: true }))
      assert.ok(written.includes(sentence), sentence);
    for (const { cell } of results.outcomes)
      assert.ok(written.includes(`>${cell.transport}/${cell.codec}</a>`));
  });

  it('says its answer once, and explains the concurrency where it names it first', async () => {
    const [results] = ALL;
    const page = await pageOf(results);
    const seen = page.slice(page.indexOf('<body>'), page.indexOf('<noscript>'));
    const [answer] = conclusions(results, { isBrief: true });
    assert.equal(seen.split(answer).length, 2);
    const [figure] = makeFigures(results);
    assert.ok(!seen.includes(`<p>${figure.message}.</p>`), 'the first picture stands below the answer');
    assert.match(
      seen.slice(seen.indexOf('2x4')),
      /^2x4 \(2 workers, 4 concurrent loops each\)/,
      'before anything else',
    );
  });

  it('praises the row that its table has first, where a run was interrupted as well', async () => {
    const cold = [() => false, () => true, isUnixString, (/** @type {Cell} */ cell) => !isUnixString(cell)];
    for (const launches of [1, 3]) {
      for (const reference of ['pipe/json', 'unix/string']) {
        for (const isCold of cold) {
          const flag = (/** @type {Cell} */ cell) => (isCold(cell) ? ['cold'] : []);
          const series = ['pipe/json', 'unix/json', 'tcp/json', 'unix/string'];
          const results = makeResults({ series, launches, reference, flag, status: 'interrupted' });
          const [group] = groupRows(results);
          const scores = group.measured.map(rankingScore);
          const best = group.measured[scores.indexOf(Math.max(...scores))];
          const [answer] = conclusions(results, { isBrief: true });
          const [{ message }] = makeFigures(results);
          for (const text of [answer, message])
            assert.ok(text.includes(`${best.cell.transport}/${best.cell.codec}`), text);
        }
      }
    }
  });

  it('says how it was made: by a command to copy, with a version, on a day, and where that comes from', async () => {
    const [results] = ALL;
    const page = await pageOf(results);
    const header = /<header>[\s\S]*<\/header>/.exec(page)?.[0] ?? '';
    assert.ok(header.includes(`<code>${formatCommand(results.options)}</code>`), header);
    assert.match(header, /<button type="button" data-copy hidden>Copy<\/button>/);
    assert.ok(header.includes(results.startedAt.slice(0, 10)));
    assert.match(header, new RegExp(`<a href="https://[^"]+">ipc-bench ${results.tool.version}</a>`));
  });

  it('tells previews of a link what it found, before they stop to read, and brings its icon', async () => {
    const [results] = ALL;
    const page = await pageOf(results);
    const head = page.slice(0, page.indexOf('<style>'));
    const [answer] = conclusions(results, { isBrief: true });
    const contentOf = (/** @type {string} */ name) =>
      new RegExp(`<meta (?:name|property)="${name}" content="([^"]*)">`).exec(head)?.[1];
    assert.deepEqual([contentOf('og:description'), contentOf('description')], [answer, answer]);
    assert.equal(contentOf('og:title'), /<title>([^<]*)</.exec(head)?.[1]);
    assert.match(head, /<link rel="icon" href="data:image\/svg\+xml,[^"]+">/);
  });

  it('asks what its rows can answer', () => {
    const ask = (/** @type {Parameters<typeof makeResults>[0]} */ recipe) =>
      pageQuestion(makeResults(recipe));
    assert.equal(ask({ series: ['pipe/json', 'unix/binary'] }), 'Which transport and codec is fastest?');
    assert.equal(ask({ series: ['pipe/json', 'unix/json'] }), 'Which transport is fastest?');
    assert.equal(ask({ series: ['unix/json', 'unix/binary'] }), 'Which codec is fastest?');
    assert.equal(ask({ series: ['unix/json'] }), 'How fast is unix/json?');
    assert.equal(ask({ fail: () => 'it fell' }), 'Nothing was measured');
    assert.equal(pageQuestion(makeOpenResults()), 'Which transport responds fastest under load?');
  });

  it('shows its pictures without a script, in the colours of its theme', async () => {
    for (const results of ALL) {
      const page = await pageOf(results);
      const svgs = [...page.matchAll(/<div class="drawn">(<svg[\s\S]*?<\/svg>)?/g)].map(
        ([, svg = '']) => svg,
      );
      assert.equal(svgs.length, makeFigures(results).length);
      for (const svg of svgs) {
        assert.match(svg, /<path/);
        for (const colour of [...Object.values(COLOURS.light.hues), COLOURS.light.ink])
          assert.ok(!svg.includes(`"${colour}"`), colour);
      }
      const written = page.slice(0, page.indexOf('<noscript>'));
      const ids = [...written.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id);
      assert.equal(new Set(ids).size, ids.length);
    }
  });

  it('has the columns of the terminal, and all others of --columns behind a switch', async () => {
    for (const results of [ALL[0], ALL[4]]) {
      const page = await pageOf(results);
      const [head] = /<thead>[\s\S]*?<\/thead>/.exec(page) ?? [''];
      const titles = [
        ...head.matchAll(/<th scope="col" class="([^"]*)"><button type="button">(.*?)<\/button>/g),
      ].map(([, classes, title]) => ({ classes, title: title.replaceAll(/<[^>]*>/g, '') }));
      const [group] = groupRows(results);
      const named = (/** @type {Choice} */ { span, title, short }) =>
        short ?? (span === '' ? title : `${span} ${title}`);
      const usual = columnsOfGroups(results, [])(group).map(named);
      const further = columnsOfGroups(results, FURTHER_COLUMNS)(group).map(named);
      const shown = titles.filter(({ classes }) => !classes.includes('further')).map(({ title }) => title);
      assert.deepEqual(shown, usual);
      const all = titles.map(({ title }) => title).filter((title) => title !== 'class');
      assert.deepEqual(all, further);
    }
  });

  it('has its rows in the sections and the order of the terminal', async () => {
    const [results] = ALL;
    const page = await pageOf(results);
    const [group] = groupRows(results);
    const sections = sectionsOfGroup(results, group);
    const [table] = /<table[\s\S]*?<\/table>/.exec(page) ?? [''];
    const seen = [...table.matchAll(/<th scope="row(?:group)?"[^>]*>(?:<a [^>]*>)?([^<]*)</g)];
    assert.deepEqual(
      seen.map(([, text]) => text),
      sections.flatMap(({ heading, rows }) => [
        ...(heading === null ? [] : [heading]),
        ...rows.map(({ cell }) => `${cell.transport}/${cell.codec}`),
      ]),
    );
  });

  it('says why a row was skipped to the end of its remedy', async () => {
    const results = makeResults();
    const reason = `no program of that name was found in ${'/a/folder:'.repeat(60)} install it with brew install it`;
    results.outcomes.push({
      status: 'skipped',
      cell: { ...results.outcomes[0].cell, transport: 'other' },
      reason,
    });
    assert.ok((await pageOf(results)).includes(`skipped: ${reason}`));
  });

  it('brings the results along, byte for byte', async () => {
    for (const results of ALL)
      assert.equal(embeddedIn(await pageOf(results), 'file-results.json'), resultsText(results));
  });

  it('has every figure of --png, and a page for every cell', async () => {
    for (const results of ALL) {
      const page = await pageOf(results);
      const pictures = JSON.parse(embeddedIn(page, 'data-pictures'));
      assert.deepEqual(
        pictures.map((/** @type {any} */ { figure }) => figure.name),
        makeFigures(results).map(({ name }) => name),
      );
      for (const index of pictures.keys()) assert.ok(page.includes(`data-picture="${index}"`));
      const cells = embeddedIn(page, 'data-cells');
      assert.equal(JSON.parse(cells).length, results.outcomes.length);
      assert.doesNotMatch(cells, /NaN|Infinity|undefined/);
    }
  });

  it('has a title of the user’s own once, and tells its pictures apart by theirs', async () => {
    const results = makeResults({ payloads: [100, 10_000] });
    const [{ content }] = await report.render(results, { title: 'Mine & <ours>' });
    const headings = [...String(content).matchAll(/<h([13])>([^<]*)</g)].map(([, , text]) => text);
    assert.deepEqual(
      headings.toSorted(),
      ['Mine &amp; &lt;ours&gt;', ...makeFigures(results).map(({ title }) => title)].toSorted(),
    );
    const [{ figure }] = JSON.parse(embeddedIn(String(content), 'data-pictures'));
    assert.equal(figure.title, 'Mine & <ours>', 'as --png draws it');
  });

  it('is smaller than 2 MB for 60 cells of 6 launches, with histograms as measured ones', async () => {
    const series = ['unix', 'tcp', 'udp', 'zeromq', 'https'].flatMap((name) =>
      ['json', 'string', 'binary', 'msgpack'].map((codec) => `${name}/${codec}`),
    );
    const results = withRealHistograms(
      makeResults({ series, payloads: [100, 10_000, 100_000], launches: 6 }),
    );
    assert.equal(results.outcomes.length, 60);
    const page = await pageOf(results);
    assert.ok(Buffer.byteLength(page) < MOST_BYTES, `${Buffer.byteLength(page)} bytes`);
  });

  it('allows its own scripts and style alone, and names no other place', async () => {
    const page = await pageOf(ALL[0]);
    const policy = /http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(page)?.[1] ?? '';
    assert.match(
      policy,
      /^default-src &#39;none&#39;; script-src &#39;sha256-\S+ &#39;sha256-\S+; style-src &#39;sha256-/,
    );
    assert.doesNotMatch(policy, /unsafe|connect-src|https?:/);
    assert.doesNotMatch(page, /<(?:img|iframe)\b|<link (?!rel="icon" href="data:)| src="| style="/);
    assert.match(page, /Permission is hereby granted/, 'the licence of Chart.js');
    assert.match(page, /SIL OPEN FONT LICENSE/i, 'the licence of Inter');
  });
});

describe('the percentiles of a cell as a picture', () => {
  it('have an axis from the median to the rarest decade, each with its percentile, and one of times with few ticks', () => {
    const [outcome] = makeResults({ series: ['pipe/json'] }).outcomes.filter(isMeasured);
    const [{ panels }] = cellFigures(outcome);
    const { scales } = panels[0].configuration.options;
    const ticksOf = (/** @type {any} */ { stops }) =>
      stops.map((/** @type {{ value: number, text: string }} */ { value, text }) => [value, text]);
    const { count } = timesIn(outcome)[0];
    assert.ok(scales.x.max <= count && scales.x.max > count / 100, 'as far as the samples can tell');
    const decades = Math.round(Math.log10(scales.x.max));
    const percentiles = ['0 %', '90 %', '99 %', '99.9 %', '99.99 %', '99.999 %', '99.9999 %'];
    assert.deepEqual(
      ticksOf(scales.x),
      percentiles.slice(0, decades + 1).map((text, power) => [10 ** power, text]),
    );
    assert.ok(ticksOf(scales.y).length >= 3 && ticksOf(scales.y).length <= 7);
  });
});

describe('a figure as plain data', () => {
  it('survives JSON, in every kind of figure that there is', () => {
    for (const results of ALL) {
      const ofCells = results.outcomes.filter(isMeasured).flatMap(cellFigures);
      for (const figure of [...makeFigures(results), ...ofCells]) {
        const readable = readableFigure(figure);
        assert.deepEqual(structuredClone(readable), readable, 'a function could not be cloned');
        for (const { said } of readable.panels)
          assert.doesNotMatch(said.flat().join(), /NaN|undefined|Infinity/);
      }
    }
  });

  it('becomes the ticks, labels and widths that Chart.js asks for', () => {
    for (const results of ALL) {
      for (const { configuration } of makeFigures(results).flatMap(({ panels }) => panels)) {
        const read = JSON.parse(JSON.stringify(configuration));
        const style = { density: 1, background: '#ffffff', fillOf: () => '#000000' };
        const { scales } = toChartConfiguration(read, style).options;
        for (const [name, scale] of Object.entries(configuration.options.scales))
          assertLiving(scales[name], scale);
      }
    }
  });

  it('has the colours of the theme that is asked for', () => {
    for (const results of ALL) {
      const written = JSON.stringify(makeFigures(results, { theme: 'dark' }));
      for (const colour of Object.values(COLOURS.light.hues)) assert.ok(!written.includes(colour), colour);
      assert.ok(written.includes(COLOURS.dark.ink));
      const [light, dark] = [written, JSON.stringify(makeFigures(results))].map((text) =>
        text.replaceAll(/#[0-9a-f]{6}/g, '').replaceAll('"theme":"dark"', '"theme":"light"'),
      );
      assert.equal(dark, light, 'nothing else differs');
    }
  });

  it('says each value with its interval and its unit', () => {
    const [figure] = makeFigures(makeResults({ series: ['unix/json'] }));
    const [[text]] = readableFigure(figure).panels[0].said;
    assert.match(text ?? '', /^unix\/json: [\d.]+k \([\d.]+k–[\d.]+k\) round trips per second$/);
  });
});

/** @param {any} living   as Chart.js gets it @param {any} scale   plain */
function assertLiving(living, scale) {
  const built = { ticks: [], width: 0 };
  living.afterBuildTicks?.(built);
  living.afterFit?.(built);
  const { stops = [], widthPx = 0 } = scale;
  assert.deepEqual(
    built.ticks,
    stops.map((/** @type {{ value: number }} */ { value }) => ({ value })),
  );
  assert.equal(built.width, widthPx);
  for (const [index, { value, text }] of stops.entries())
    assert.equal(living.ticks.callback(value, index), text);
  for (const key of ['font', 'color']) {
    const each = scale.ticks[key].each ?? [];
    for (const [index, own] of each.entries()) assert.deepEqual(living.ticks[key]({ index }), own);
  }
}

describe('markup', () => {
  it('keeps text text, whatever it holds', () => {
    const hostile = `<script>alert("1")</script>'&`;
    assert.equal(
      html`<p title="${hostile}">${[hostile, html`<b>${1}</b>`]}${null}</p>`.text,
      '<p title="&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;&#39;&amp;">&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;&#39;&amp;<b>1</b></p>',
    );
  });
});

describe('linked modules', () => {
  /** @param {Record<string, string>} files @param {(entry: URL) => void} work */
  function withFiles(files, work) {
    const folder = mkdtempSync(join(tmpdir(), 'ipcb-link-'));
    try {
      for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
      work(pathToFileURL(join(folder, 'entry.js')));
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }

  it('run once each, after what they import, and see no names of each other', () => {
    const files = {
      'entry.js':
        "import { one as first } from './one.js';\nimport { two } from './two.js';\nout.push(first, two());\n",
      'one.js': "// says one\nconst hidden = 1;\nout.push('one runs');\nexport const one = hidden;\n",
      'two.js':
        "import { one } from './one.js';\nconst hidden = 2;\n/** Says two. */\nexport function two() {\n  return one + hidden;\n}\n",
    };
    withFiles(files, (entry) => {
      /** @type {unknown[]} */
      const out = [];
      new Script(linkedModules(entry)).runInNewContext({ out });
      assert.deepEqual(out, ['one runs', 1, 3]);
    });
  });

  it('refuse packages, which no page has, and what cannot be linked', () => {
    withFiles({ 'entry.js': "import { a } from 'far';\nout.push(a);\n" }, (entry) =>
      assert.throws(() => linkedModules(entry), /imports far, which no page has/),
    );
    for (const text of [
      'export default 1;\n',
      "import all from './entry.js';\n",
      "export * from './entry.js';\n",
      "const tag = '</script>';\n",
    ]) {
      withFiles({ 'entry.js': text }, (entry) => assert.throws(() => linkedModules(entry), TypeError, text));
    }
  });
});
