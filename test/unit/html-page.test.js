// The page as text: its contents. test/processes/page-in-browser.test.js proves how it behaves.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { OWN_PACKAGE } from '../../lib/machine/packages.js';
import { FURTHER_COLUMNS } from '../../lib/options/flags.js';
import { formatCommand } from '../../lib/options/written-options.js';
import { makeFigures } from '../../lib/report/charts/figures/figures.js';
import { COLOURS, PART_COLOURS, PART_INK } from '../../lib/report/charts/style/colours.js';
import { columnsOfGroups } from '../../lib/report/columns/columns.js';
import { sectionsOfGroup } from '../../lib/report/columns/sections.js';
import { groupRows } from '../../lib/report/findings/groups.js';
import { conclusions } from '../../lib/report/text/conclusion.js';
import { makeNotes } from '../../lib/report/text/notes.js';
import { surroundingLines } from '../../lib/report/text/surroundings.js';
import { pageQuestion } from '../../reports/html/first-screen.js';
import report from '../../reports/html/html.js';
import { html } from '../../reports/html/markup.js';
import { buildResults, RATES } from '../fixtures/build-results.js';
import { reportScenes } from '../fixtures/snapshot-results.js';

/** @import { ColumnChoice } from '../../lib/report/columns/columns.js' */
/** @import { Results } from '../../lib/types/index.js' */

/** @param {Results} results @param {import('../../lib/types/index.js').ReportOptions} [options] */
const pageOf = async (results, options = {}) => String((await report.render(results, options))[0].content);

describe('the page', () => {
  const results = buildResults();
  const [group] = groupRows(results);
  /** @type {string} */
  let page;
  it('has the answer once and every row in words that need no script', async () => {
    page = await pageOf(results);
    const seen = page.slice(page.indexOf('<body>'), page.indexOf('<noscript>'));
    const sentences = conclusions(results, { isBrief: true });
    for (const sentence of sentences) assert.equal(seen.split(sentence).length, 2, sentence);
    assert.match(
      seen.slice(seen.indexOf('2x4')),
      /^2x4 \(2 workers, 4 concurrent loops each\)/,
      'explained first',
    );
    const [table] = /<table[\s\S]*?<\/table>/.exec(page) ?? [''];
    const names = [...table.matchAll(/<th scope="row(?:group)?"[^>]*>([^<]*)</g)].map(([, text]) =>
      text.replace(' *', ''),
    );
    assert.deepEqual(
      names,
      sectionsOfGroup(results, group).flatMap(({ heading, rows }) => [
        ...(heading === null ? [] : [heading]),
        ...rows.map(({ cell }) => `${cell.transport}/${cell.codec}`),
      ]),
    );
  });

  it('has each note once, wherever it stands', async () => {
    const scenes = new Map(reportScenes());
    for (const name of ['every-flag', 'failures-and-gaps', 'messages-of-a-file']) {
      const made = await /** @type {() => Promise<Results>} */ (scenes.get(name))();
      const text = (await pageOf(made)).replace(/^[\s\S]*<body>/, '');
      for (const note of new Set([...makeNotes(made), ...surroundingLines(made)]))
        assert.equal(text.split(html`>${note}`.text).length, 2, note);
    }
  });

  it('shows its command, version and date, and has a description for previews of links', () => {
    const header = /<header>[\s\S]*<\/header>/.exec(page)?.[0] ?? '';
    assert.ok(header.includes(`<code>${formatCommand(results)}</code>`), header);
    assert.ok(header.includes(results.startedAt.slice(0, 10)));
    assert.ok(header.includes(`ipc-bench ${results.tool.version}`), header);
    const [answer] = conclusions(results, { isBrief: true });
    for (const name of ['name="description"', 'property="og:description"'])
      assert.ok(page.includes(`<meta ${name} content="${answer}">`), name);
  });

  it('allows its own script and style alone, and refers to nothing outside', () => {
    const policy = /http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(page)?.[1] ?? '';
    assert.match(
      policy,
      /^default-src &#39;none&#39;; script-src &#39;sha256-[\w+/=]+&#39;; style-src &#39;sha256-/,
    );
    assert.doesNotMatch(policy, /unsafe|connect-src|https?:/);
    assert.doesNotMatch(page, /<(?:img|iframe)\b|<link (?!rel="icon" href="data:)| src="| style="/);
    assert.match(page, /SIL OPEN FONT LICENSE/i, 'the licence of Inter');
  });

  it('links only to the home of the project that its package names', () => {
    const { homepage, repository } = /** @type {any} */ (OWN_PACKAGE);
    const own = [homepage, repository?.url?.replace(/^git\+|\.git$/g, '')];
    const links = [...page.matchAll(/href="((?:https?:)?\/\/[^"]*)"/g)].map(([, url]) => url);
    assert.deepEqual(
      links.filter((url) => !own.includes(url)),
      [],
    );
  });

  it('has the columns of the terminal, and those of --columns behind a switch', async () => {
    for (const one of [results, buildResults({ rates: RATES })]) {
      const [head] = /<thead>[\s\S]*?<\/thead>/.exec(await pageOf(one)) ?? [''];
      const titles = [
        ...head.matchAll(/<th scope="col" class="([^"]*)"[^>]*><button type="button">(.*?)<\/button>/g),
      ].map(([, classes, title]) => ({
        isFurther: classes.includes('further'),
        title: title.replaceAll(/<[^>]*>/g, ''),
      }));
      const titleOf = (/** @type {ColumnChoice} */ { span, title, short }) =>
        short ?? (span === '' ? title : `${span} ${title}`);
      const [first] = groupRows(one);
      const shown = titles.filter(({ isFurther }) => !isFurther).map(({ title }) => title);
      assert.deepEqual(shown, columnsOfGroups(one, [])(first).map(titleOf));
      const all = titles.map(({ title }) => title).filter((title) => title !== 'class');
      assert.deepEqual(all, columnsOfGroups(one, FURTHER_COLUMNS)(first).map(titleOf));
    }
  });

  it('has every figure as an SVG in the colours of its theme, with distinct ids', async () => {
    const fixed = new Set([...Object.values(PART_COLOURS), PART_INK]);
    for (const one of [
      results,
      buildResults({ rates: RATES }),
      buildResults({ payloads: [100, 10_000], shapes: ['1x1', '2x4'] }),
    ]) {
      const text = await pageOf(one);
      const svgs = [...text.matchAll(/<div class="drawn"[^>]*>(<svg[\s\S]*?<\/svg>)/g)].map(([, svg]) => svg);
      assert.equal(svgs.length, makeFigures(one).length);
      for (const svg of svgs) {
        const colours = svg.match(/#[0-9a-f]{6}\b|rgba?\([^)]*\)/g) ?? [];
        assert.deepEqual(
          colours.filter((colour) => !fixed.has(colour)),
          [],
          'it would not follow the theme',
        );
      }
      const ids = [...text.slice(0, text.indexOf('<noscript>')).matchAll(/ id="([^"]*)"/g)].map(
        ([, id]) => id,
      );
      assert.equal(new Set(ids).size, ids.length);
    }
    for (const name of Object.keys(COLOURS.light.hues)) assert.ok(page.includes(`--${name}: #`), name);
  });

  it('has a title of the user’s once, and generated ones for its pictures', async () => {
    const several = buildResults({ payloads: [100, 10_000] });
    const titled = await pageOf(several, { title: 'Mine & <ours>' });
    const headings = [...titled.matchAll(/<h([13])>([^<]*)</g)].map(([, , text]) => text);
    const titles = makeFigures(several).map(({ title }) => title);
    assert.deepEqual(headings.toSorted(), ['Mine &amp; &lt;ours&gt;', ...titles].toSorted());
  });

  it('gives the whole reason of a skipped row', async () => {
    const reason = `no program of that name was found in ${'/a/folder:'.repeat(60)} install it with brew install it`;
    const cell = { ...results.outcomes[0].cell, transport: 'other' };
    const missing = { ...results, outcomes: [...results.outcomes, { status: 'skipped', cell, reason }] };
    assert.ok((await pageOf(/** @type {Results} */ (missing))).includes(`skipped: ${reason}`));
  });

  it('asks the question that its rows answer', () => {
    const questionOf = (/** @type {string[]} */ ...series) => pageQuestion(buildResults({ series }));
    assert.equal(questionOf('pipe/json', 'unix/binary'), 'Which transport and codec is fastest?');
    assert.equal(questionOf('pipe/json', 'unix/json'), 'Which transport is fastest?');
    assert.equal(questionOf('unix/json', 'unix/binary'), 'Which codec is fastest?');
    assert.equal(questionOf('unix/json'), 'How fast is unix/json?');
    assert.equal(pageQuestion(buildResults({ fail: () => 'it fell' })), 'Nothing was measured');
    assert.equal(
      pageQuestion(buildResults({ rates: RATES })),
      'Which transport responds fastest under load?',
    );
  });

  it('escapes text between the parts of a template', () => {
    const hostile = `<script>alert("1")</script>'&`;
    assert.equal(
      html`<p title="${hostile}">${[hostile, html`<b>${1}</b>`]}${null}</p>`.text,
      '<p title="&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;&#39;&amp;">&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;&#39;&amp;<b>1</b></p>',
    );
  });
});
