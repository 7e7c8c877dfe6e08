// Runs at night.
// The page in a real browser, from a file: by pointer and by keys, in both themes, on a phone, on paper and without scripts.

import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';
import { findOnPath } from '../../lib/children/launcher.js';
import { makeFigures } from '../../lib/report/charts/figures/figures.js';
import { compareResults } from '../../lib/report/compare/compare-results.js';
import report from '../../reports/html/html.js';
import { buildResults } from '../fixtures/build-results.js';

/** @import { Browser, BrowserContextOptions, Page } from 'playwright-core' */

const executablePath =
  findOnPath('chromium') ?? findOnPath('chromium-browser') ?? findOnPath('google-chrome');
const skip = executablePath || process.env.CI ? false : 'no chromium on PATH';
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const PATIENCE_MS = 60_000;
const PHONE = { width: 390, height: 844 };
const DESK = { width: 1280, height: 900 };
const [LIGHT, DARK] = ['rgb(255, 255, 255)', 'rgb(20, 24, 31)'];

const recipe = {
  series: ['pipe/json', 'unix/json', 'tcp/json', 'redis-pubsub/json', 'zeromq/json'],
  payloads: [100, 10_000],
  shapes: ['1x1', '2x4'],
};
const results = buildResults({
  ...recipe,
  flag: ({ transport }) => (transport === 'zeromq' ? ['bottleneck'] : []),
  fail: ({ transport, payloadBytes }) =>
    transport === 'tcp' && payloadBytes === 100 ? 'it fell over' : null,
});

describe('the page in a browser', { skip, timeout: 10 * PATIENCE_MS }, () => {
  /** @type {Browser} */
  let browser;
  /** @type {string} */
  let folder;

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'ipcb-page-'));
    // As root, as in many a container, it starts only without its sandbox.
    const args = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
    browser = await chromium.launch({
      executablePath: executablePath ?? 'chromium',
      args,
      timeout: PATIENCE_MS,
    });
    save('page.html', (await report.render(results, {}))[0].content);
  });
  after(async () => {
    await browser?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  /** @param {string} name @param {unknown} content */
  const save = (name, content) => writeFileSync(join(folder, name), String(content));

  /**
   * Fails where the page logs, throws or requests anything.
   * @param {(page: Page) => Promise<void>} work
   * @param {BrowserContextOptions & { name?: string }} [how]
   */
  async function withPage(work, { name = 'page.html', ...how } = {}) {
    const context = await browser.newContext({ viewport: DESK, colorScheme: 'light', ...how });
    context.setDefaultTimeout(PATIENCE_MS);
    const page = await context.newPage();
    /** @type {string[]} */
    const complaints = [];
    page.on('console', (message) => complaints.push(message.text()));
    page.on('pageerror', (error) => complaints.push(error.stack ?? error.message));
    page.on('request', (request) => {
      if (!request.url().startsWith('data:') && !request.isNavigationRequest())
        complaints.push(request.url());
    });
    try {
      await page.goto(pathToFileURL(join(folder, name)).href);
      await page.locator('.answer').waitFor();
      await work(page);
      assert.deepEqual(complaints, []);
    } finally {
      await context.close();
    }
  }

  /** @param {Page} page @param {string} what */
  async function assertAccessible(page, what) {
    await page.evaluate(AXE);
    const found = await page.evaluate(async () => {
      const { violations } = await /** @type {any} */ (globalThis).axe.run();
      return violations.flatMap((/** @type {any} */ { id, nodes }) =>
        nodes.map((/** @type {any} */ { html }) => `${id}: ${html}`),
      );
    });
    assert.deepEqual(found, [], what);
  }

  /** @param {Page} page @returns {Promise<string>} */
  const background = (page) => page.evaluate(() => getComputedStyle(document.body).backgroundColor);

  /** @param {Page} page @returns {Promise<number>} */
  const widthOf = (page) => page.evaluate(() => document.documentElement.scrollWidth);

  /** @param {Page} page   its other table is the grid of verdicts */
  const resultTables = (page) =>
    page.locator('table', { has: page.locator('th', { hasText: 'round trips/s' }) });

  it('sorts by pointer and by keys, filters rows and shows all columns', async () => {
    await withPage(async (page) => {
      const table = resultTables(page).first();
      const head = table.locator('th', { hasText: 'round trips/s' });
      const values = () =>
        table
          .locator('tbody tr:not(.section)')
          .evaluateAll((rows) =>
            rows.map((row) => Number(/** @type {any} */ (row.querySelector('[data-value]')).dataset.value)),
          );
      const sorted = (/** @type {string} */ order) => table.locator(`th[aria-sort=${order}]`).waitFor();
      const grouped = await values();
      await head.locator('button').click();
      await sorted('descending');
      const falling = await values();
      assert.deepEqual(
        falling,
        falling.toSorted((one, other) => other - one),
      );
      await head.locator('button').press('Enter');
      await sorted('ascending');
      assert.deepEqual(await values(), falling.toReversed());
      await head.locator('button').click();
      assert.deepEqual(await values(), grouped, 'in its sections again');
      assert.equal(await table.getAttribute('class'), '');
      await table.locator('th', { hasText: 'p50' }).first().locator('button').click();
      await sorted('ascending');

      await page.getByLabel('Show rows that contain').fill('redis json');
      await page.locator('#filtered', { hasText: /^\d+ of \d+ rows$/ }).waitFor();
      const names = await page.locator('tbody tr:visible th[scope=row]').allInnerTexts();
      assert.ok(names.length > 0 && names.every((name) => name === 'redis-pubsub/json'), names.join());
      const headings = resultTables(page).locator('.section:visible', { hasNotText: 'broker' });
      assert.equal(await headings.count(), 0, 'headings without rows');

      const further = page.locator('th.further').first();
      await further.waitFor({ state: 'hidden' });
      await page.getByLabel('All columns').check();
      await further.waitFor({ state: 'visible' });
    });
  });

  it('passes axe-core and fits its width, in both themes and on a phone', async () => {
    for (const colorScheme of /** @type {const} */ (['light', 'dark'])) {
      for (const viewport of [PHONE, DESK]) {
        await withPage(
          async (page) => {
            const what = `${colorScheme}, ${viewport.width} px`;
            assert.equal(await background(page), colorScheme === 'dark' ? DARK : LIGHT);
            assert.ok((await widthOf(page)) <= viewport.width, what);
            const row = page.locator('tbody tr:not(.section)').first();
            const display = await row.evaluate((element) => getComputedStyle(element).display);
            assert.equal(display, viewport === PHONE ? 'block' : 'table-row', 'a card on a phone');
            await assertAccessible(page, what);
          },
          { colorScheme, viewport },
        );
      }
    }
  });

  it('switches the theme of text and pictures, and copies its command', async () => {
    await withPage(
      async (page) => {
        const picture = page.locator('.drawn svg text').first();
        const fill = () => picture.evaluate((element) => getComputedStyle(element).fill);
        const light = await fill();
        await page.getByRole('button', { name: 'Light or dark' }).click();
        await page.locator('html[data-theme=dark]').waitFor();
        assert.equal(await background(page), DARK);
        assert.notEqual(await fill(), light);
        await page.getByRole('button', { name: 'Copy' }).click();
        await page.getByRole('button', { name: 'Copied' }).waitFor();
        assert.match(await page.evaluate(() => String(getSelection())), /^npx ipc-bench /);
      },
      { permissions: ['clipboard-write'] },
    );
  });

  it('prints in light colours, with all notes and without controls', async () => {
    await withPage(
      async (page) => {
        await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
        await page.evaluate(() => dispatchEvent(new Event('beforeprint')));
        await page.locator('details[open]').first().waitFor();
        assert.equal(await background(page), LIGHT);
        assert.equal(await page.locator('details:not([open])').count(), 0);
        for (const control of ['.bar', '.filter']) await page.locator(control).waitFor({ state: 'hidden' });
        assert.ok((await page.pdf()).length > 20_000);
      },
      { viewport: { width: 718, height: 1_000 } },
    );
  });

  it('shows the answer, all rows and all pictures without scripts, and no control that needs one', async () => {
    await withPage(
      async (page) => {
        const pictures = await page.locator('.drawn svg').all();
        assert.equal(pictures.length, makeFigures(results).length);
        for (const picture of pictures) assert.ok(((await picture.boundingBox())?.height ?? 0) > 100);
        const measured = results.outcomes.filter(({ status }) => status === 'measured');
        const rows = resultTables(page).locator('tbody tr:not(.section):visible');
        assert.equal(await rows.count(), measured.length);
        assert.equal(await page.locator('.scripted:visible').count(), 0);
      },
      { javaScriptEnabled: false },
    );
  });

  it('shows whatever a results file contains as text', async () => {
    const hostile = buildResults({ series: ['pipe/json', 'unix/json'] });
    const long = `"'\`&<img src=x onerror=hacked()>${'ß<b>'.repeat(2_500)}`;
    const script = '</script><script>hacked()</script><!--';
    const [, { cell }] = hostile.outcomes;
    Object.assign(cell, { transport: long, codec: script });
    hostile.outcomes.push(
      { status: 'skipped', cell: { ...cell, workers: 7 }, reason: script + long },
      { status: 'failed', cell: { ...cell, workers: 8 }, code: script, message: long, launches: [] },
    );
    Object.assign(hostile.environment, { cpuModel: script, os: long, kernel: script });
    save('hostile.html', (await report.render(hostile, {}))[0].content);
    await withPage(
      async (page) => {
        assert.equal(await page.locator('img, b').count(), 0);
        assert.equal(await page.locator('script').count(), 1);
        assert.ok((await widthOf(page)) <= PHONE.width);
      },
      { name: 'hostile.html', viewport: PHONE },
    );
  });

  it('shows a comparison with its picture and a table that sorts', async () => {
    const fresh = buildResults({ ...recipe, seed: 2 });
    const comparison = compareResults(
      { name: 'old', source: 'old.json', results: buildResults(recipe) },
      { name: 'new', source: 'new.json', results: fresh },
      { design: 'separate', minEffect: 0.05, isForced: true },
    );
    const sides = { old: { name: 'old', results }, new: { name: 'new', results: fresh } };
    save('comparison.html', await report.comparison?.render({ comparison, ...sides }));
    await withPage(
      async (page) => {
        assert.match(await page.locator('h1').innerText(), /^new against old: /);
        await page.locator('main > #picture-0 svg').waitFor();
        await page.locator('th', { hasText: 'new/old' }).locator('button').click();
        await page.locator('th[aria-sort=descending]').waitFor();
        const ratios = await page
          .locator('tbody tr')
          .evaluateAll((rows) =>
            rows.map((row) => Number(/** @type {any} */ (row.children[4]).dataset.value)),
          );
        assert.deepEqual(
          ratios,
          ratios.toSorted((one, other) => other - one),
        );
        assert.equal(ratios.length, comparison.rows.length);
        await assertAccessible(page, 'comparison');
      },
      { name: 'comparison.html' },
    );
  });
});
