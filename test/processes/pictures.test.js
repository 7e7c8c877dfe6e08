// Runs in CI.
// Pictures as files: their pixels, their size, and SVG as a viewer reads it.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { createCanvas, loadImage } from '@napi-rs/canvas';
import { readHeadline } from '../../lib/cell/headline.js';
import { PICTURE_SIZES } from '../../lib/options/picture-options.js';
import { registerFonts } from '../../lib/report/charts/pictures/text-ruler.js';
import { COLOURS } from '../../lib/report/charts/style/colours.js';
import { FONT_FAMILY } from '../../lib/report/charts/style/letters.js';
import { isMeasured } from '../../lib/results/measured-outcomes.js';
import chart from '../../reports/chart.js';
import svg from '../../reports/svg.js';
import { IS_LONG } from '../conformance/long-form.js';
import { makeAllResults } from '../fixtures/all-transports.js';
import { buildResults } from '../fixtures/build-results.js';
import { drawGolden, GOLDEN_PICTURE } from '../fixtures/golden-picture.js';
import { withLooks } from '../fixtures/looks.js';

/** @import { ReportOptions, Results } from '../../lib/types/index.js' */

/** @type {('light' | 'dark')[]} */
const THEMES = IS_LONG ? ['light', 'dark'] : ['dark'];
const HOSTILE = '<script>alert("1")</script>&amp;\'';
const few = () => withLooks(buildResults({ series: ['pipe/json', 'unix/binary', 'tcp/string'] }));

/** @param {typeof chart} report @param {Results} results @param {ReportOptions} [options] */
async function render(report, results, options = {}) {
  const documents = await report.render(results, options);
  return documents.map(({ name, content, caption }) => ({ name, content: Buffer.from(content), caption }));
}

/** @param {Buffer} content   PNG or SVG */
async function pixelsOf(content) {
  const image = await loadImage(content);
  const { width, height } = image;
  const context = createCanvas(width, height).getContext('2d');
  context.drawImage(image, 0, 0);
  const { data } = context.getImageData(0, 0, width, height);
  const pixels = new DataView(data.buffer, data.byteOffset, data.byteLength);
  /** @type {Map<string, number>} of opaque pixels, by '#rrggbb' */
  const counts = new Map();
  for (let at = 0; at < data.length; at += 4) {
    if (data[at + 3] < 255) continue;
    const colour = `#${(pixels.getUint32(at) >>> 8).toString(16).padStart(6, '0')}`;
    counts.set(colour, (counts.get(colour) ?? 0) + 1);
  }
  const alphaAt = (/** @type {number} */ x, /** @type {number} */ y) => data[4 * (y * width + x) + 3];
  return { width, height, alphaAt, countOf: (/** @type {string} */ colour) => counts.get(colour) ?? 0 };
}

describe('PNG pictures', () => {
  it('draws 25 transports at three shapes in 1,600 pixels, below 300 KB, with the same bytes each time', async () => {
    const make = () => withLooks(makeAllResults({ shapes: ['1x1', '2x4', '1x100'] }));
    const first = await render(chart, make());
    const [twice, again] = [await render(chart, few()), await render(chart, few())];
    assert.deepEqual(
      first.map(({ name }) => name),
      ['throughput-1000B.png', 'latency-1000B.png'],
    );
    for (const [index, { name, content }] of twice.entries())
      assert.ok(content.equals(again[index].content), name);
    for (const { name, content, caption = '' } of first) {
      assert.equal((await pixelsOf(content)).width, 1_600);
      assert.ok(content.length < 300_000, `${name}: ${content.length}`);
      assert.ok(caption.length > 40);
    }
  });

  it('gives a PNG the pixels of --size, or two for each pixel of the layout', async () => {
    /** @type {[ReportOptions['picture'], number, number][]} */
    const scenes = [
      [{ size: 'wide' }, PICTURE_SIZES.wide.widthPx, PICTURE_SIZES.wide.heightPx],
      [{}, 1_600, 900],
    ];
    for (const [picture, wantedWidth, wantedHeight] of scenes) {
      const [{ content }] = await render(chart, few(), { picture });
      const { width, height } = await pixelsOf(content);
      assert.deepEqual([width, height], [wantedWidth, wantedHeight], JSON.stringify(picture));
    }
  });

  it('draws background, text and the shortest bars in the colours of the theme', async () => {
    const results = withLooks(makeAllResults());
    for (const outcome of results.outcomes.filter(isMeasured)) {
      const rate = readHeadline(outcome);
      if (outcome.cell.transport === 'threads-message') continue;
      Object.assign(rate, { estimate: rate.estimate / 9, low: rate.low / 9, high: rate.high / 9 });
    }
    for (const theme of THEMES) {
      const [{ content }] = await render(chart, results, { theme });
      const { countOf, width, height } = await pixelsOf(content);
      const { background, ink, mutedInk, hues } = COLOURS[theme];
      assert.ok(countOf(background) > 0.6 * width * height);
      for (const colour of [ink, mutedInk]) assert.ok(countOf(colour) > 500, colour);
      for (const [name, colour] of Object.entries(hues)) assert.ok(countOf(colour) > 0, `${theme} ${name}`);
    }
  });

  it('draws letters and symbols with the fonts of the package', () => {
    registerFonts();
    const context = createCanvas(1, 1).getContext('2d');
    const widthOf = (/** @type {number} */ weight, /** @type {string} */ text) => {
      context.font = `${weight} 20px ${FONT_FAMILY}`;
      return context.measureText(text).width;
    };
    assert.notEqual(widthOf(400, 'round trips'), widthOf(600, 'round trips'));
    for (const symbol of '≤≥→µμσ✕◇–×↑')
      assert.notEqual(widthOf(400, symbol), widthOf(400, '\u{10fffd}'), symbol);
  });

  it('makes figures without loading the canvas library', () => {
    const script = `import { makeFigures } from './lib/report/charts/figures/figures.js';
      import { buildResults } from './test/fixtures/build-results.js';
      makeFigures(buildResults());
      const loaded = process.report.getReport().sharedObjects.filter((name) => name.includes('skia'));
      process.stdout.write(String(loaded.length));`;
    const cwd = new URL('../..', import.meta.url);
    const loaded = execFileSync(process.execPath, ['--input-type=module', '-e', script], {
      cwd,
      encoding: 'utf8',
    });
    assert.equal(loaded, '0');
  });
});

describe('SVG pictures', () => {
  it('draws test/fixtures/every-part.svg; after a change that you mean, run node test/fixtures/refresh-figures.js', () => {
    assert.deepEqual(drawGolden().split('\n'), readFileSync(GOLDEN_PICTURE, 'utf8').split('\n'));
  });

  it('writes SVG that a parser reads, with the pixels of --size and text as text', async () => {
    await assert.rejects(loadImage(Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><g></svg>')));
    const shaped = buildResults({
      series: ['pipe/json', 'unix/json'],
      shapes: ['1x1', '2x4'],
      payloads: [10, 1_000],
    });
    for (const results of [few(), shaped, buildResults({ launches: 1, rates: [1_000, 4_000] })]) {
      for (const { name, content } of await render(svg, results, { picture: { size: 'blog' } })) {
        const { width, height } = await pixelsOf(content);
        assert.deepEqual([width, height], [1_200, 630], name);
        const text = content.toString();
        assert.doesNotMatch(text, /NaN|undefined|Infinity|\[object|<image|ipc-bench text/, name);
        assert.match(text, />pipe\/json( = 1)?</);
        const ids = [...text.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id);
        assert.equal(new Set(ids).size, ids.length, name);
      }
    }
  });

  it('escapes hostile names in SVG', async () => {
    const results = buildResults({ series: ['pipe/json', `${HOSTILE}/json`], shapes: ['1x1', '2x4'] });
    for (const { content } of await render(svg, results, { title: `${HOSTILE}\u0000\ud800]]>` })) {
      assert.doesNotMatch(content.toString(), /<script/);
      assert.match(content.toString(), /&lt;script&gt;/);
      await pixelsOf(content);
    }
  });
});
