// The page in a real browser, from a file: what it shows, how it is worked by pointer and by keys, on a phone, on paper and by a screen
// reader, and that nothing in a results file is more than text. One browser serves all of it.

import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { pathToFileURL } from 'node:url';
import { createCanvas, loadImage } from '@napi-rs/canvas';
import { chromium } from 'playwright-core';
import { findOnPath } from '../../lib/children/launcher.js';
import { makeFigures } from '../../lib/report/charts/figures/figures.js';
import { drawFigure } from '../../lib/report/charts/render/png.js';
import { compareResults } from '../../lib/report/compare/compare-results.js';
import { comparisonFigures } from '../../lib/report/compare/comparison-figures.js';
import { resultsText } from '../../lib/results/write.js';
import report from '../../reports/html/html.js';
import { IS_LONG, notInLongForm } from '../conformance/long-form.js';
import { makeResults } from '../fixtures/make-results.js';

/** @import { Browser, BrowserContextOptions, Page } from 'playwright-core' */
/** @import { Results } from '../../lib/types/index.js' */

const executablePath =
  findOnPath('chromium') ?? findOnPath('chromium-browser') ?? findOnPath('google-chrome');
const skip = executablePath || process.env.CI ? false : 'no chromium on PATH';
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const PATIENCE_MS = 60_000;
const PHONE = { width: 320, height: 640 };
const DESK = { width: 1280, height: 900 };

const results = makeResults({
  series: ['pipe/json', 'unix/json', 'tcp/json', 'redis-pubsub/json', 'zeromq/json'],
  payloads: [100, 10_000],
  shapes: ['1x1', '2x4'],
  flag: ({ transport }) => (transport === 'zeromq' ? ['bottleneck'] : []),
  fail: ({ transport, payloadBytes }) =>
    transport === 'tcp' && payloadBytes === 100 ? 'it fell over' : null,
});

describe('the page in a browser', { skip, timeout: 10 * PATIENCE_MS }, () => {
  /** @type {Browser} */
  let browser;
  /** @type {string} */
  let folder;
  /** @type {string} */
  let file;

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'ipcb-page-'));
    file = await saved('page.html', results);
    // As root, as in many a container, it starts only without its sandbox.
    const args = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
    browser = await chromium.launch({
      executablePath: executablePath ?? 'chromium',
      args,
      timeout: PATIENCE_MS,
    });
  });
  after(async () => {
    await browser?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  /** @param {string} name @param {Results} shown */
  async function saved(name, shown) {
    const [{ content }] = await report.render(shown, {});
    const path = join(folder, name);
    writeFileSync(path, content);
    return path;
  }

  /** @param {BrowserContextOptions & { path?: string, address?: string }} [how] */
  async function opened({ path = file, address = '', ...how } = {}) {
    const context = await browser.newContext({ viewport: DESK, colorScheme: 'light', ...how });
    context.setDefaultTimeout(PATIENCE_MS);
    const page = await context.newPage();
    /** @type {string[]} */
    const complaints = [];
    page.on('console', (message) => complaints.push(message.text()));
    page.on('pageerror', (error) => complaints.push(error.stack ?? error.message));
    page.on('request', (request) => {
      if (!/^(?:data|blob):/.test(request.url()) && !request.isNavigationRequest())
        complaints.push(request.url());
    });
    await page.goto(pathToFileURL(path).href + address);
    await page.waitForSelector('html[data-ready]');
    return { page, complaints };
  }

  /**
   * Whatever it complains of, or asks of a network, fails the test.
   * @param {(page: Page) => Promise<void>} work
   * @param {Parameters<typeof opened>[0]} [how]
   */
  async function withPage(work, how) {
    const { page, complaints } = await opened(how);
    try {
      await work(page);
      assert.deepEqual(complaints, []);
    } finally {
      await page.context().close();
    }
  }

  /** @type {ReturnType<typeof opened> | undefined} */
  let shared;
  /**
   * Those that leave it as it was share a page, since to open one takes longer than what they do there.
   * @param {(page: Page) => Promise<void>} work
   */
  async function withSharedPage(work) {
    try {
      shared ??= opened();
      const { page, complaints } = await shared;
      await work(page);
      assert.deepEqual(complaints, []);
    } catch (error) {
      shared = undefined; // the others get another one
      throw error;
    }
  }

  /** @param {Page} page @returns {Promise<string[]>} what axe-core finds */
  async function violationsOf(page) {
    await page.evaluate(AXE);
    return page.evaluate(async () => {
      const { violations } = await /** @type {any} */ (globalThis).axe.run();
      return violations.flatMap((/** @type {any} */ { id, nodes }) =>
        nodes.map((/** @type {any} */ { html }) => `${id}: ${html}`),
      );
    });
  }

  /** @param {Page} page @returns {Promise<number[]>} of the first table, by its second number column */
  const valuesIn = (page) =>
    page
      .locator('table.sortable')
      .first()
      .locator('tbody tr:not(.section)')
      .evaluateAll((rows) =>
        rows.map((row) =>
          Number(/** @type {HTMLElement} */ (row.querySelector('[data-value]')).dataset.value),
        ),
      );

  it('shows the answer and the main picture on the first screen', async () => {
    await withSharedPage(async (page) => {
      const box = await page.locator('.panels canvas').first().boundingBox();
      assert.ok(box !== null && box.y < DESK.height, JSON.stringify(box));
      assert.equal(await page.locator('h1').innerText(), 'Which transport is fastest?');
    });
  });

  it('sorts by pointer and by keys, and says by what', async () => {
    await withSharedPage(async (page) => {
      const head = page.locator('table.sortable').first().locator('th', { hasText: 'round trips/s' });
      await head.locator('button').click();
      assert.equal(await head.getAttribute('aria-sort'), 'descending');
      const falling = await valuesIn(page);
      assert.deepEqual(
        falling,
        falling.toSorted((one, other) => other - one),
      );
      await head.locator('button').press('Enter');
      assert.equal(await head.getAttribute('aria-sort'), 'ascending');
      assert.deepEqual(await valuesIn(page), falling.toReversed());
    });
  });

  it('filters rows by what is written in them, and tells how many are left', async () => {
    await withSharedPage(async (page) => {
      await page.getByLabel('Show rows that contain').fill('redis json');
      const names = await page.locator('table.sortable tbody tr:visible th[scope=row]').allInnerTexts();
      assert.ok(names.length > 0 && names.every((name) => name === 'redis-pubsub/json'), names.join());
      assert.match(await page.locator('#filtered').innerText(), new RegExp(`^${names.length} of \\d+ rows$`));
      await page.getByLabel('Show rows that contain').fill('');
    });
  });

  it('shows all columns when it is asked to', async () => {
    await withSharedPage(async (page) => {
      const further = page.locator('th.further').first();
      assert.equal(await further.isVisible(), false);
      await page.getByLabel('All columns').check();
      assert.equal(await further.isVisible(), true);
      await page.getByLabel('All columns').uncheck();
    });
  });

  it('tells values with their intervals under the pointer and to keys', async () => {
    await withSharedPage(async (page) => {
      const canvas = page.locator('.panels canvas').first();
      const tip = page.locator('#tip');
      const { width, height } = (await canvas.boundingBox()) ?? { width: 0, height: 0 };
      // Headings of rows have no values.
      for (let y = 10; y < height && !(await tip.isVisible()); y += 10)
        await canvas.hover({ position: { x: width / 2, y } });
      assert.match(await tip.innerText(), /^\S+: [\d.]+k? \([\d.]+k?–[\d.]+k?\) round trips per second$/);
      await page.mouse.move(0, 0);
      assert.equal(await tip.isVisible(), false);
      await canvas.focus();
      const first = await tip.innerText();
      await page.keyboard.press('ArrowRight');
      assert.notEqual(await tip.innerText(), first);
      await page.keyboard.press('Escape');
      assert.equal(await tip.isVisible(), false);
    });
  });

  it('is light or dark as the system is, until the reader says otherwise', async () => {
    const seen = (/** @type {Page} */ page) =>
      page
        .locator('.panels canvas')
        .first()
        .evaluate((canvas) => ({
          background: getComputedStyle(document.body).backgroundColor,
          picture: /** @type {HTMLCanvasElement} */ (canvas).toDataURL(),
        }));
    await withPage(
      async (page) => {
        const dark = await seen(page);
        await page.getByRole('button', { name: 'Light' }).click();
        const light = await seen(page);
        assert.equal(dark.background, 'rgb(20, 24, 31)');
        assert.equal(light.background, 'rgb(255, 255, 255)');
        assert.notEqual(dark.picture, light.picture);
        await page.getByRole('button', { name: 'Dark' }).click();
        assert.deepEqual(await seen(page), dark);
      },
      { colorScheme: 'dark' },
    );
  });

  it('opens a page for a cell, by its link and by its address, and comes back', async () => {
    await withSharedPage(async (page) => {
      const link = page.locator('tbody th a').first();
      const address = (await link.getAttribute('href')) ?? '';
      const name = await link.innerText();
      await link.click();
      const heading = page.getByRole('heading', { level: 1, name });
      await heading.waitFor();
      assert.equal(await heading.evaluate((element) => document.activeElement === element), true);
      for (const part of ['Numbers', 'Percentiles of times', 'Launches', 'Costs by process']) {
        assert.equal(await page.getByRole('heading', { level: 2, name: part }).count(), 1, part);
      }
      assert.equal(await page.locator('#cell canvas[role=img]').count(), 2);
      const { launches } = /** @type {any} */ (results.outcomes[Number(address.slice('#cell-'.length))]);
      const rows = page
        .locator('#cell table', { has: page.locator('caption', { hasText: 'Launches' }) })
        .locator('tbody tr');
      assert.equal(await rows.count(), launches.length);
      await page.goBack();
      await page.locator('#overview').waitFor();
      assert.equal(await page.locator('#cell').isVisible(), false);
      assert.equal(await link.evaluate((element) => document.activeElement === element), true);
    });
    const failed = results.outcomes.findIndex(({ status }) => status === 'failed');
    await withPage(
      async (page) => assert.match(await page.locator('#cell').innerText(), /Why it failed\s+it fell over/),
      { address: `#cell-${failed}` },
    );
  });

  it('fits a phone of 320 pixels, cells included', async () => {
    for (const address of ['', '#cell-0']) {
      await withPage(
        async (page) => {
          assert.ok(
            (await page.evaluate(() => document.documentElement.scrollWidth)) <= PHONE.width,
            address,
          );
        },
        { viewport: PHONE, address },
      );
    }
  });

  it('can be read at every width without scrolling sideways, and has a head that stays where tables are long', async () => {
    for (const width of [390, 768, 1280]) {
      await withPage(
        async (page) => {
          const beyond = await page.evaluate(() =>
            [...document.querySelectorAll('main *')]
              .filter((each) => each.getBoundingClientRect().right > document.documentElement.clientWidth + 1)
              .filter((each) => each.closest('.unseen, svg') === null)
              .map((each) => each.outerHTML.slice(0, 200)),
          );
          assert.deepEqual(beyond, [], `${width} px`);
          const canvas = page.locator('.panels canvas').first();
          const scale = await canvas.evaluate((/** @type {HTMLCanvasElement} */ { width, clientWidth }) =>
            // Drawn with two pixels for one of the page.
            Math.abs(width / clientWidth - 2),
          );
          assert.ok(scale < 0.1, 'drawn for this width, and not scaled');
          if (width < 768) return;
          const table = page.locator('table.sortable').first();
          await table
            .locator('tbody tr')
            .last()
            .evaluate((row) => row.scrollIntoView({ block: 'start' }));
          const top = await table
            .locator('thead th')
            .first()
            .evaluate((head) => head.getBoundingClientRect().top);
          assert.ok(top >= -1, `the head is at ${top} px`);
        },
        { viewport: { width, height: 300 } },
      );
    }
  });

  it('is drawn anew where the window gets another width', async () => {
    await withPage(async (page) => {
      const canvas = page.locator('.panels canvas').first();
      await page.setViewportSize(PHONE);
      await page.waitForFunction((most) => {
        const first = /** @type {HTMLCanvasElement} */ (document.querySelector('.panels canvas'));
        return first !== null && first.width <= 2 * most;
      }, PHONE.width);
      assert.ok(await canvas.isVisible());
    });
  });

  it('shows its pictures without scripts, below the first screen as well', async () => {
    const context = await browser.newContext({ viewport: DESK, javaScriptEnabled: false });
    const page = await context.newPage();
    await page.goto(pathToFileURL(file).href);
    const pictures = await page.locator('.drawn svg').all();
    assert.equal(pictures.length, makeFigures(results).length);
    for (const picture of pictures) assert.ok(((await picture.boundingBox())?.height ?? 0) > 100);
    await context.close();
  });

  it('copies its command', async () => {
    await withPage(
      async (page) => {
        await page.getByRole('button', { name: 'Copy' }).click();
        await page.getByRole('button', { name: 'Copied' }).waitFor();
        const selected = await page.evaluate(() => String(getSelection()));
        assert.match(selected, /^npx ipc-bench /);
      },
      { permissions: ['clipboard-write'] },
    );
  });

  it('is fit for paper: light, without what is to be worked, with every picture', async () => {
    await withPage(
      async (page) => {
        await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
        await page.evaluate(() => dispatchEvent(new Event('beforeprint')));
        assert.equal(
          await page.evaluate(() => getComputedStyle(document.body).backgroundColor),
          'rgb(255, 255, 255)',
        );
        for (const worked of ['.bar', '.filter', '.save'])
          assert.equal(await page.locator(worked).first().isVisible(), false);
        const pictures = page.locator('figure[data-picture]');
        assert.equal(await pictures.count(), makeFigures(results).length);
        for (const picture of await pictures.all())
          assert.ok(await picture.locator('.drawn svg').isVisible(), 'sharp at any size');
        assert.ok((await page.pdf()).length > 20_000);
      },
      { viewport: { width: 718, height: 1_000 } },
    );
  });

  it('has no fault that axe-core finds, light and dark, cells included', async () => {
    const usual = /** @type {const} */ ([
      ['light', '', 1280],
      ['dark', '#cell-0', 390],
    ]);
    const others = /** @type {const} */ (['light', 'dark']).flatMap((colorScheme) =>
      ['', '#cell-0'].flatMap((address) =>
        [390, 768, 1280].map((width) => /** @type {const} */ ([colorScheme, address, width])),
      ),
    );
    for (const [colorScheme, address, width] of IS_LONG ? others : usual) {
      await withPage(async (page) => assert.deepEqual(await violationsOf(page), [], `${width} px`), {
        colorScheme,
        address,
        viewport: { width, height: 900 },
      });
    }
  });

  it('saves the raw results as they are', async () => {
    await withSharedPage(async (page) => {
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name: 'Save results.json' }).click(),
      ]);
      assert.equal(download.suggestedFilename(), 'results.json');
      assert.equal(readFileSync(await download.path(), 'utf8'), resultsText(results));
    });
  });

  it('saves the picture of --png', async () => {
    await withSharedPage(async (page) => {
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.locator('.save').first().click(),
      ]);
      const [figure] = makeFigures(results);
      assert.equal(download.suggestedFilename(), `${figure.name}.png`);
      const [own, drawn] = await Promise.all(
        [readFileSync(await download.path()), drawFigure(figure)].map(pixelsOf),
      );
      assert.deepEqual([own.width, own.height], [drawn.width, drawn.height]);
      const distance =
        own.data.reduce((sum, value, index) => sum + Math.abs(value - drawn.data[index]), 0) /
        own.data.length;
      assert.ok(distance < 8, `its channels differ by ${distance} of 255 on average`);
    });
  });

  it('shows a comparison in words, in a picture and in a table that sorts, without a fault that axe-core finds', async () => {
    const fresh = makeResults({ payloads: [100, 10_000], shapes: ['1x1', '2x4'], seed: 2 });
    const comparison = compareResults(
      {
        name: 'old',
        source: 'old.json',
        results: makeResults({ payloads: [100, 10_000], shapes: ['1x1', '2x4'] }),
      },
      { name: 'new', source: 'new.json', results: fresh },
      { design: 'separate', minEffect: 0.05, isForced: true },
    );
    const sides = { old: { name: 'old', results }, new: { name: 'new', results: fresh } };
    const path = join(folder, 'comparison.html');
    writeFileSync(path, String(await report.comparison?.render({ comparison, ...sides })));
    await withPage(
      async (page) => {
        assert.match(await page.locator('h1').innerText(), /^new against old: /);
        await page.locator('main > #picture-0 canvas[role=img]').waitFor();
        const [picture] = await Promise.all([
          page.waitForEvent('download'),
          page.locator('.save').first().click(),
        ]);
        const [figure] = comparisonFigures(comparison);
        assert.equal(picture.suggestedFilename(), `${figure.name}.png`);
        const head = page.locator('th', { hasText: 'new/old' });
        await head.locator('button').click();
        assert.equal(await head.getAttribute('aria-sort'), 'descending');
        const ratios = await page
          .locator('tbody tr')
          .evaluateAll((rows) =>
            rows.map((row) => Number(/** @type {HTMLElement} */ (row.children[4]).dataset.value)),
          );
        assert.deepEqual(
          ratios,
          ratios.toSorted((one, other) => other - one),
        );
        assert.equal(ratios.length, comparison.rows.length);
        assert.deepEqual(await violationsOf(page), []);
        const [download] = await Promise.all([
          page.waitForEvent('download'),
          page.getByRole('button', { name: 'Save new.json' }).click(),
        ]);
        assert.equal(readFileSync(await download.path(), 'utf8'), resultsText(fresh));
      },
      { path },
    );
  });

  it('opens a run of 500 cells, and holds no more pictures than are near', {
    skip: notInLongForm,
  }, async () => {
    const series = Array.from({ length: 28 }, (_, index) => `own${index}/json`);
    const payloads = [10, 100, 1_000, 10_000, 100_000, 1_000_000];
    const path = await saved(
      'great.html',
      makeResults({ series, payloads, shapes: ['1x1', '2x4', '4x4'], launches: 6 }),
    );
    await withPage(
      async (page) => {
        assert.equal(await page.locator('tbody tr:not(.section)').count(), 504);
        const drawn = page.locator('figure:has(canvas[role=img])');
        assert.ok((await drawn.count()) < (await page.locator('figure').count()) / 2);
      },
      { path },
    );
  });

  it('takes nothing in a results file for more than text', async () => {
    const hostile = makeResults({ series: ['pipe/json', 'unix/json'] });
    const long = `"'\`&<img src=x onerror=hacked()>${'ß<b>'.repeat(2_500)}`;
    const script = '</script><script>hacked()</script><!--';
    Object.assign(hostile.outcomes[1].cell, { transport: long, codec: script });
    hostile.outcomes.push(
      { status: 'skipped', cell: { ...hostile.outcomes[1].cell, workers: 7 }, reason: script + long },
      {
        status: 'failed',
        cell: { ...hostile.outcomes[1].cell, workers: 8 },
        code: script,
        message: long,
        launches: [],
      },
    );
    Object.assign(hostile.environment, { cpuModel: script, os: long, kernel: script });
    const path = await saved('hostile.html', hostile);
    for (const address of ['', '#cell-1', '#cell-2', '#cell-3']) {
      await withPage(
        async (page) => {
          assert.equal(
            await page.evaluate(() => document.querySelectorAll('img, b, body > script:not([id])').length),
            2,
          );
          assert.ok(
            (await page.evaluate(() => document.documentElement.scrollWidth)) <= PHONE.width,
            address,
          );
        },
        { path, address, viewport: PHONE },
      );
    }
  });
});

/** @param {Promise<Uint8Array> | Uint8Array} png */
async function pixelsOf(png) {
  const image = await loadImage(Buffer.from(await png));
  const context = createCanvas(image.width, image.height).getContext('2d');
  context.drawImage(image, 0, 0);
  return context.getImageData(0, 0, image.width, image.height);
}
