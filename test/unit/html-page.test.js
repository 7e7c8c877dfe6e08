// The page as text: what is in it, how large it is, and that its pictures are those of --png. How it behaves is proven in a browser,
// in test/long/page-in-browser.test.js.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { rankingScore } from '../../lib/cell/headline.js';
import { FURTHER_COLUMNS } from '../../lib/options/flags.js';
import { formatCommand } from '../../lib/options/print-config.js';
import { makeFigures } from '../../lib/report/charts/figures/figures.js';
import { toChartConfiguration } from '../../lib/report/charts/scene/chart-configuration.js';
import { COLOURS, PART_COLOURS, PART_INK } from '../../lib/report/charts/style/colours.js';
import { columnsOfGroups } from '../../lib/report/columns/columns.js';
import { sectionsOfGroup } from '../../lib/report/columns/sections.js';
import { conclusions } from '../../lib/report/text/conclusion.js';
import { groupRows } from '../../lib/report/text/groups.js';
import { pageQuestion } from '../../reports/html/first-screen.js';
import report from '../../reports/html/html.js';
import { html } from '../../reports/html/markup.js';
import { makeOpenResults } from '../fixtures/make-open-results.js';
import { makeResults } from '../fixtures/make-results.js';

/** @import { Choice } from '../../lib/report/columns/columns.js' */
/** @import { Cell, Results } from '../../lib/types/index.js' */

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

describe('the page', () => {
  it('says the answer and names every row in words that need no script', async () => {
    const [results] = ALL;
    const page = await pageOf(results);
    const written = page.slice(0, page.indexOf('<noscript>'));
    for (const sentence of conclusions(results, { isBrief: true }))
      assert.ok(written.includes(sentence), sentence);
    for (const { cell } of results.outcomes) assert.ok(written.includes(`>${cell.transport}/${cell.codec}`));
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
    assert.match(header, /<button type="button" class="scripted" data-copy>Copy<\/button>/);
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

  it('has every figure of --png as an SVG, in the colours of its theme', async () => {
    const { hues, ...others } = COLOURS.light;
    const fixed = new Set([...Object.values(PART_COLOURS), PART_INK]);
    for (const results of ALL) {
      const page = await pageOf(results);
      const svgs = [...page.matchAll(/<div class="drawn"[^>]*>(<svg[\s\S]*?<\/svg>)/g)].map(([, svg]) => svg);
      assert.equal(svgs.length, makeFigures(results).length);
      for (const svg of svgs) {
        assert.match(svg, /<path/);
        const colours = svg.match(/#[0-9a-f]{6}\b|rgba?\([^)]*\)/g) ?? [];
        assert.deepEqual(
          colours.filter((colour) => !fixed.has(colour)),
          [],
          'it would be the same in the dark theme',
        );
      }
      for (const name of Object.keys({ ...hues, ...others })) assert.ok(page.includes(`--${name}: #`), name);
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
    const seen = [...table.matchAll(/<th scope="row(?:group)?"[^>]*>([^<]*)</g)];
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

  it('has a title of the user’s own once, and tells its pictures apart by theirs', async () => {
    const results = makeResults({ payloads: [100, 10_000] });
    const [{ content }] = await report.render(results, { title: 'Mine & <ours>' });
    const headings = [...String(content).matchAll(/<h([13])>([^<]*)</g)].map(([, , text]) => text);
    assert.deepEqual(
      headings.toSorted(),
      ['Mine &amp; &lt;ours&gt;', ...makeFigures(results).map(({ title }) => title)].toSorted(),
    );
  });

  it('allows its own scripts and style alone, and names no other place', async () => {
    const page = await pageOf(ALL[0]);
    const policy = /http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(page)?.[1] ?? '';
    assert.match(
      policy,
      /^default-src &#39;none&#39;; script-src &#39;sha256-[\w+/=]+&#39;; style-src &#39;sha256-/,
    );
    assert.doesNotMatch(policy, /unsafe|connect-src|https?:/);
    assert.doesNotMatch(page, /<(?:img|iframe)\b|<link (?!rel="icon" href="data:)| src="| style="/);
    assert.match(page, /SIL OPEN FONT LICENSE/i, 'the licence of Inter');
  });
});

describe('a figure as plain data', () => {
  it('survives JSON, in every kind of figure that there is', () => {
    for (const results of ALL) {
      for (const figure of makeFigures(results))
        assert.deepEqual(structuredClone(figure), figure, 'a function could not be cloned');
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
