// Pictures of a certain size, as SVG, and without a background: what comes out, in pixels and in XML.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createCanvas, loadImage } from '@napi-rs/canvas';
import { PICTURE_SIZES, SIZES } from '../../lib/options/picture-options.js';
import { makePictures, sizeWarning } from '../../lib/report/charts/render/pictures.js';
import { drawPicture } from '../../lib/report/charts/render/png.js';
import { COLOURS } from '../../lib/report/charts/style/colours.js';
import svg from '../../reports/svg.js';
import { ALL_SERIES, makeAllResults } from '../fixtures/all-transports.js';
import { withLooks } from '../fixtures/looks.js';
import { makeOpenResults } from '../fixtures/make-open-results.js';
import { makeResults } from '../fixtures/make-results.js';

const FEW = { series: ['pipe/json', 'unix/binary', 'tcp/string'] };
const OPEN = makeOpenResults({ launches: 1, rates: [1_000, 4_000] });
const HOSTILE = '<script>alert("1")</script>&amp;\'';

/** @param {string | Uint8Array} content @returns {Promise<{ width: number, height: number, at: (x: number, y: number) => number[], colours: Set<string> }>} */
async function pixelsOf(content) {
  const image = await loadImage(Buffer.from(content));
  const { width, height } = image;
  const context = createCanvas(width, height).getContext('2d');
  context.drawImage(image, 0, 0);
  const { data } = context.getImageData(0, 0, width, height);
  const pixels = new DataView(data.buffer, data.byteOffset, data.byteLength);
  /** @type {Set<number>} */
  const opaque = new Set();
  for (let at = 0; at < data.length; at += 4) {
    if (data[at + 3] === 255) opaque.add(pixels.getUint32(at) >>> 8);
  }
  const colours = new Set([...opaque].map((colour) => `#${colour.toString(16).padStart(6, '0')}`));
  return {
    width,
    height,
    colours,
    at: (x, y) => [...data.subarray(4 * (y * width + x), 4 * (y * width + x) + 4)],
  };
}

describe('a picture of a certain size', () => {
  it('has exactly the pixels of that size, times the scale', async () => {
    /** @type {[import('../../lib/types/reports.js').PictureSize, number | undefined][]} */
    const scenes = [
      ...SIZES.map((size) => /** @type {[typeof size, undefined]} */ ([size, undefined])),
      ['blog', 2],
    ];
    for (const [size, scale] of scenes) {
      const { widthPx, heightPx } = PICTURE_SIZES[size];
      const [picture] = makePictures(withLooks(makeResults(FEW)), {
        picture: { size, ...(scale && { scale }) },
      });
      const png = Buffer.from(await drawPicture(picture));
      const wanted = [widthPx, heightPx].map((px) => px * (scale ?? 1));
      assert.deepEqual([png.readUInt32BE(16), png.readUInt32BE(20)], wanted, `${size} ${scale}`);
    }
  });

  it('is 800 wide without one, times the scale', async () => {
    const [picture] = makePictures(withLooks(makeResults(FEW)), { picture: { scale: 1.5 } });
    assert.equal(Buffer.from(await drawPicture(picture)).readUInt32BE(16), 1200);
  });

  it('has room for everything, with 3 rows and with 24, in letters as large as can be', () => {
    const rows = (/** @type {number} */ count) =>
      ALL_SERIES.filter((one) => one.endsWith('/json')).slice(0, count);
    const all = [3, 24].flatMap((count) => [
      withLooks(makeAllResults({ series: rows(count) })),
      withLooks(makeAllResults({ series: rows(count), shapes: ['1x1', '2x4', '4x4'], launches: 2 })),
      withLooks(makeAllResults({ series: rows(count), payloads: [10, 1000, 100_000], launches: 2 })),
    ]);
    for (const size of SIZES) {
      const { widthPx, heightPx } = PICTURE_SIZES[size];
      for (const results of [...all, OPEN]) {
        for (const { figure, layout, zoom } of makePictures(results, { picture: { size } })) {
          assert.ok(layout.wantedPx <= layout.heightPx + 0.01, `${figure.name} ${size}`);
          assert.ok(Math.abs(layout.heightPx * zoom - heightPx) < 0.01, figure.name);
          assert.ok(Math.abs(figure.widthPx * zoom - widthPx) < 0.01, figure.name);
          assert.ok(zoom > 0.45 && zoom < 1.51, `${figure.name} ${size}: ${zoom}`);
        }
      }
    }
  });

  it('says when its letters are too small to be read, and is made all the same', () => {
    const results = withLooks(makeAllResults({ shapes: ['1x1', '2x4', '4x4', '8x4', '1x100'], launches: 1 }));
    const [picture] = makePictures(results, { picture: { size: 'blog' } });
    assert.match(
      sizeWarning(picture).warning ?? '',
      /^throughput-1000B has letters of \d\.\d px, .*fewer rows/,
    );
    const [few] = makePictures(withLooks(makeResults(FEW)), { picture: { size: 'blog' } });
    assert.deepEqual(sizeWarning(few), {});
  });

  it('is drawn once in each theme where both are asked for, the dark one with a name of its own', () => {
    const pictures = makePictures(withLooks(makeResults(FEW)), { picture: { isInBothThemes: true } });
    const half = pictures.length / 2;
    for (const [index, { figure }] of pictures.entries()) {
      assert.equal(figure.theme, index < half ? 'light' : 'dark');
      const { name } = pictures[index % half].figure;
      assert.equal(figure.name, index < half ? name : `${name}-dark`);
    }
  });
});

describe('a transparent picture', () => {
  it('has no background where nothing is drawn, and the same colours where something is', async () => {
    for (const theme of /** @type {const} */ (['light', 'dark'])) {
      const [picture] = makePictures(withLooks(makeResults(FEW)), {
        theme,
        picture: { isTransparent: true },
      });
      const { at, width, height, colours } = await pixelsOf(await drawPicture(picture));
      for (const [x, y] of [
        [0, 0],
        [width - 1, 0],
        [width - 1, height - 1],
      ])
        assert.equal(at(x, y)[3], 0);
      const { hues, ink } = COLOURS[theme];
      for (const colour of [hues.violet, hues.blue, ink])
        assert.ok(colours.has(colour), `${theme} ${colour}`);
    }
  });
});

describe('an SVG', () => {
  /** @param {import('../../lib/types/results-file.js').Results} results @param {import('../../lib/types/reports.js').ReportOptions} [options] */
  const render = async (results, options = {}) =>
    (await svg.render(results, options)).map(({ name, content }) => ({ name, text: String(content) }));

  it('is XML that a parser takes, of the size that was asked for', async () => {
    await assert.rejects(loadImage(Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><g></svg>')));
    const results = [withLooks(makeResults({ ...FEW, shapes: ['1x1', '2x4'], payloads: [10, 1000] })), OPEN];
    for (const one of results) {
      const files = await render(one, { picture: { size: 'blog' } });
      assert.ok(files.length > 1);
      for (const { name, text } of files) {
        const { width, height } = await pixelsOf(text);
        assert.deepEqual([width, height], [1200, 630], name);
        assert.doesNotMatch(text, /NaN|undefined|Infinity|\[object/, name);
        const ids = [...text.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id);
        assert.equal(new Set(ids).size, ids.length, name);
      }
    }
  });

  it('is the same each time', async () => {
    assert.deepEqual(await render(withLooks(makeResults(FEW))), await render(withLooks(makeResults(FEW))));
  });

  it('has text as text, in fonts that a reader may have', async () => {
    const [{ text }] = await render(withLooks(makeResults(FEW)));
    for (const word of ['unix/binary', 'Round trips per second, 1,000 B payload, 2x4', 'reference'])
      assert.match(text, new RegExp(`<text[^>]*>[^<]*${word}[^<]*</text>`));
    assert.match(text, /font-family="Inter, [^"]*sans-serif"/);
    assert.match(text, /<title [^>]*>Round trips per second/);
    assert.doesNotMatch(text, /<image|base64|ipc-bench text/);
  });

  it('shows the bars and hatches of the PNG', async () => {
    for (const theme of /** @type {const} */ (['light', 'dark'])) {
      const [{ text }] = await render(withLooks(makeResults(FEW)), { theme });
      const { colours, at } = await pixelsOf(text);
      const { hues, background } = COLOURS[theme];
      for (const colour of [hues.violet, hues.blue, background])
        assert.ok(colours.has(colour), `${theme} ${colour}`);
      assert.match(text, /<pattern /);
      assert.equal(at(1, 1)[3], 255);
    }
  });

  it('has no background where none is wanted', async () => {
    const [{ text }] = await render(withLooks(makeResults(FEW)), { picture: { isTransparent: true } });
    assert.equal((await pixelsOf(text)).at(1, 1)[3], 0);
  });

  it('shows hostile names as text', async () => {
    const results = withLooks(
      makeResults({ series: ['pipe/json', `${HOSTILE}/json`], shapes: ['1x1', '2x4'] }),
    );
    for (const { text } of await render(results, { title: `${HOSTILE}\u0000\ud800]]>` })) {
      assert.doesNotMatch(text, /<script/);
      assert.match(text, /&lt;script&gt;/);
      await pixelsOf(text);
    }
  });
});
