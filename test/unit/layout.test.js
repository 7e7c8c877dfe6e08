// Whether all words of a picture have room, in pictures of many kinds of runs; and the arithmetic of places.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { createCanvas, loadImage } from '@napi-rs/canvas';
import { Chart } from 'chart.js/auto';
import { timesIn } from '../../lib/cell/headline.js';
import { PICTURE_SIZES } from '../../lib/options/picture-options.js';
import { MARGIN_PX } from '../../lib/report/charts/figures/figure.js';
import { makeFigures } from '../../lib/report/charts/figures/figures.js';
import { toChartConfiguration } from '../../lib/report/charts/pictures/chart-configuration.js';
import { fittedLine, wrappedLines } from '../../lib/report/charts/pictures/picture.js';
import {
  makePicture,
  makePictures,
  pictureDocuments,
  sizeWarnings,
} from '../../lib/report/charts/pictures/pictures.js';
import { encodePng } from '../../lib/report/charts/pictures/png.js';
import {
  findMissingLetters,
  LetterRuler,
  registerFonts,
} from '../../lib/report/charts/pictures/text-ruler.js';
import { FONTS, TEXT_PX } from '../../lib/report/charts/style/letters.js';
import { isMeasured } from '../../lib/results/measured-outcomes.js';
import { parseResults } from '../../lib/results/read.js';
import { IS_WIDE } from '../conformance/long-form.js';
import { ALL_SERIES, makeAllResults } from '../fixtures/all-transports.js';
import { buildResults } from '../fixtures/build-results.js';
import { RESULTS } from '../fixtures/figure-outlines.js';

/** @import { Results } from '../../lib/types/index.js' */
/** @import { Panel } from '../../lib/report/charts/chart-types.js' */

const saved = (/** @type {string} */ path) =>
  parseResults(readFileSync(new URL(`../../docs/articles/${path}`, import.meta.url), 'utf8'), path);
const flag = () => ['cold', 'not-steady', 'bottleneck', 'free'];
const LONG_NAMES = ['master', 'worker'].map((where) => `tcp:flush=split,noDelay=${where}/json`);
/** @type {Results[]} */
const EVERY = [
  ...Object.values(RESULTS).map(({ make }) => make()),
  makeAllResults({ count: 8, shapes: ['1x1', '2x4', '1x100'], payloads: [10, 1_000], launches: 2, flag }),
  buildResults({ series: ['unix', 'tcp', 'pipe'], rates: [1_000, 2_000, 4_000, 8_000, 50_000] }),
  buildResults({ series: ['tcp/json', ...LONG_NAMES], payloads: [100, 10_000], flag }),
  saved('nagle/results.json'),
  saved('node-ipc-2016/results.json'),
  saved('three-pictures/by-payload.json'),
];

// Ranges of latencies that end just before their axis, with words behind them.
for (const stretch of [2.6, 4.4]) {
  const results = makeAllResults({ count: 6 });
  for (const outcome of results.outcomes.filter(isMeasured)) {
    const [times] = timesIn(outcome);
    times.p99 = times.perLaunch.p99 = null;
    times.perLaunch.p50.high = times.p90 * stretch;
  }
  EVERY.push(results);
}

// A third of them without CI: each is drawn at several sizes.
const ALL = EVERY.filter((_, index) => IS_WIDE || index % 3 === 0);
registerFonts();
const ruler = createCanvas(1, 1).getContext('2d');

/** @typedef {{ text: string, left: number, right: number, top: number, bottom: number }} Box   pixels */

/**
 * @param {Panel} panel
 * @param {{ width: number, height: number }} size
 * @returns {Box[]} all visible words, as the canvas draws them
 */
function drawnWords(panel, { width, height }) {
  const canvas = createCanvas(width, height);
  const context = canvas.getContext('2d');
  /** @type {Map<string, Box>} a chart may be drawn more than once */
  const words = new Map();
  const fill = context.fillText.bind(context);
  context.fillText = (text, x, y, ...more) => {
    const box = boxOf(context, text, x, y);
    if (text !== '' && !/transparent|, 0(\.0)?\)|^#.{6}00$/.test(String(context.fillStyle)))
      words.set(JSON.stringify(box), box);
    return fill(text, x, y, ...more);
  };
  const style = { density: 1, background: '#ffffff', fillOf: () => '#000000' };
  new Chart(/** @type {any} */ (canvas), toChartConfiguration(panel, style)).destroy();
  return [...words.values()];
}

/** @param {any} context @param {string} text @param {number} x @param {number} y @returns {Box} without the room above and below letters */
function boxOf(context, text, x, y) {
  const { a, b, e, f } = context.getTransform();
  const { width, actualBoundingBoxAscent: up, actualBoundingBoxDescent: down } = context.measureText(text);
  const shares = /** @type {Record<string, number>} */ ({ center: 0.5, right: 1, end: 1 });
  const from = x - width * (shares[context.textAlign] ?? 0);
  if (b === 0)
    return { text, left: a * from + e, right: a * (from + width) + e, top: f + y - up, bottom: f + y + down };
  return { text, left: e + y - up, right: e + y + down, top: f - from - width, bottom: f - from };
}

describe('the layout of pictures', () => {
  it('keeps the words of a panel inside it and apart from each other', () => {
    for (const { figure, boxes } of ALL.flatMap((results) => makePictures(results, {}))) {
      for (const [index, { width, height }] of boxes.entries()) {
        const words = drawnWords(figure.panels[index], { width, height });
        assert.ok(words.length > 0);
        for (const [at, one] of words.entries()) {
          assert.ok(one.right <= width + 1 && one.left >= -1, `${figure.name}: ${one.text} leaves its panel`);
          for (const other of words.slice(at + 1)) {
            const isApart =
              one.right <= other.left ||
              other.right <= one.left ||
              one.bottom <= other.top ||
              other.bottom <= one.top;
            assert.ok(isApart, `${figure.name}: ${one.text} and ${other.text}`);
          }
        }
      }
    }
  });

  it('keeps lines of text and legends within the width, and lines, legend and panels in their order, at every size', () => {
    for (const size of /** @type {const} */ ([undefined, 'blog'])) {
      for (const picture of ALL.flatMap((results) => makePictures(results, { picture: { size } }))) {
        const { figure, lines, legend, boxes, ruleTop, heightPx, wantedPx, zoom, outgrown } = picture;
        const right = figure.widthPx - MARGIN_PX;
        for (const { text, style, x } of lines) {
          ruler.font = FONTS[style];
          assert.ok(x + ruler.measureText(text).width <= right, text);
        }
        const countOf = (/** @type {string} */ wanted) => linesOf(wanted).length;
        const linesOf = (/** @type {string} */ wanted) => lines.filter(({ style }) => style === wanted);
        assert.ok(countOf('title') <= 2 && countOf('message') <= 4 && countOf('small') <= 2);
        ruler.font = FONTS.small;
        for (const { item, x } of legend)
          assert.ok(x === MARGIN_PX || x + ruler.measureText(item.text).width < right, item.text);
        const edges = [
          0,
          ...[...linesOf('title'), ...linesOf('message'), ...legend].map(({ y }) => y),
          Math.min(...boxes.map(({ y }) => y)),
          Math.max(...boxes.map(({ y, height }) => y + height)),
          ruleTop,
          ...linesOf('small').map(({ y }) => y),
          heightPx,
        ];
        assert.deepEqual(
          edges,
          edges.toSorted((one, other) => one - other),
          figure.name,
        );
        assert.ok(wantedPx <= heightPx + 0.01, figure.name);
        if (size === undefined) continue;
        const { widthPx: fileWidthPx, heightPx: fileHeightPx } = PICTURE_SIZES[size];
        assert.ok(Math.abs(figure.widthPx * zoom - fileWidthPx) < 0.01);
        const excess = heightPx * zoom - fileHeightPx;
        assert.ok(outgrown === undefined ? Math.abs(excess) < 0.01 : excess > 0, figure.name);
      }
    }
  });

  it('shows the unit of each axis, in a title or below', () => {
    for (const { panels, name, below } of ALL.flatMap((results) => makeFigures(results))) {
      const isUntitled = panels.some(({ type, options }) =>
        type === 'bar' ? options.scales.x.title.text === '' : options.scales.y.title.text === '',
      );
      if (isUntitled) assert.match(below[0][0].text, /^[↑→] /, name);
    }
  });

  it('leaves out the least important items of a line below that is too long', () => {
    const [figure] = makeFigures(buildResults());
    const items = [0, 3, 1, 2].map((rank, index) => ({ text: `${index}`.repeat(30), rank }));
    const belowAt = (/** @type {number} */ widthPx) =>
      makePicture({ ...figure, widthPx, below: [items, []] }).lines.flatMap(({ style, text }) =>
        style === 'small' ? text.replace(/(.)\1+/g, '$1') : [],
      );
    assert.deepEqual([1_200, 800, 600, 300].map(belowAt), [
      ['0 · 1 · 2 · 3'],
      ['0 · 2 · 3'],
      ['0 · 2'],
      ['0'],
    ]);
  });

  it('keeps letters of 9 px where a picture is shown 640 px wide, and is higher than its size where rows have no room', () => {
    /** @type {Map<string | undefined, string>} */
    const warnings = new Map();
    for (const size of /** @type {const} */ ([undefined, 'blog', 'square', 'wide'])) {
      for (const rows of [3, 24]) {
        const series = ALL_SERIES.filter((name) => name.endsWith('/json')).slice(0, rows);
        for (const picture of makePictures(makeAllResults({ series, payloads: [10, 1_000] }), {
          picture: { size },
        })) {
          const { figure, heightPx, zoom } = picture;
          const sizes = figure.panels.flatMap(({ marks }) =>
            marks.flatMap(({ text, sizePx = TEXT_PX }) => (text === undefined ? [] : sizePx)),
          );
          assert.ok((Math.min(TEXT_PX, ...sizes) * 640) / figure.widthPx >= 9, figure.name);
          const isHigher = size !== undefined && heightPx * zoom > PICTURE_SIZES[size].heightPx + 1;
          const [warning = ''] = sizeWarnings(picture);
          assert.equal(isHigher, warning.startsWith(`${figure.name} is `), `${size}: ${warning}`);
          if (figure.name === 'throughput-10B' && rows === 24) warnings.set(size, warning);
          if (size === undefined || rows === 3) assert.equal(warning, '');
        }
      }
    }
    const ofBlog = warnings.get('blog') ?? '';
    assert.match(ofBlog, /choose fewer rows.* or no --size$/);
    assert.equal(ofBlog.includes('--size square'), warnings.get('square') === '', ofBlog);
  });

  it('cuts and wraps text between words', () => {
    const width = (/** @type {string} */ text) => [...text].length;
    assert.deepEqual(
      ['abc', 'abcd', 'a bcd', '😀😀😀😀'].map((text) => fittedLine(text, width, 3)),
      [...['abc', 'ab…', 'a…', '😀😀…']],
    );
    const text = 'one two three four five';
    assert.deepEqual(wrappedLines(text, width, 7, 9), ['one two', 'three', 'four', 'five']);
    assert.deepEqual(wrappedLines(text, width, 12, 2), ['one two', 'three four …']);
    assert.deepEqual(wrappedLines(text, width, 10, 2), ['one two', 'three fou…']);
    assert.deepEqual(wrappedLines('enormous a', width, 4, 2), ['eno…', 'a']);
    assert.deepEqual(wrappedLines('0.42× at 100 B, more', width, 13, 3), ['0.42× at', '100 B, more']);
    assert.deepEqual(wrappedLines('takes 5 %', width, 4, 3), ['tak…', '5 %']);
    assert.deepEqual(
      wrappedLines('1,000 B', width, 5, 3),
      ['1,000', 'B'],
      'where they have no room beside each other',
    );
  });

  it('estimates texts without a canvas as wide as they are, or up to a tenth wider, and as high', () => {
    const letters = new LetterRuler();
    const line =
      'unix/string is fastest: 1.59 times the throughput of pipe/json (95 % CI 1.55–1.64), ✕ failed';
    for (const font of Object.values(FONTS)) {
      Object.assign(letters, { font });
      Object.assign(ruler, { font });
      const share = letters.measureText(line).width / ruler.measureText(line).width;
      assert.ok(share >= 1 && share < 1.1, `${font}: ${share}`);
      const [estimate, real] = [letters, ruler].map((own) => {
        const [alphabetic, middle] = ['alphabetic', 'middle'].map((textBaseline) => {
          Object.assign(own, { textBaseline });
          return own.measureText('x').actualBoundingBoxAscent;
        });
        return alphabetic - middle;
      });
      assert.ok(Math.abs(estimate - real) < 0.2, `${font}: ${estimate} instead of ${real}`);
    }
  });
});

describe('a PNG', () => {
  it('has the letters of Europe everywhere, and names those that no font has once, where an SVG has them all', async () => {
    assert.equal(findMissingLetters('łódź Việt Привет ώρα → ≤ ✕ × µ'), '');
    const missing = '\u{10fffd}';
    const pictures = makePictures(buildResults(), { title: `a ${missing}` });
    const draw = () => '';
    const warnings = async (/** @type {string} */ mediaType) =>
      (await pictureDocuments(pictures, { ending: '', mediaType, draw })).flatMap(
        ({ warning }) => warning ?? [],
      );
    const [warning, ...more] = await warnings('image/png');
    assert.ok(warning.startsWith(`no font here has ${missing}, `) && warning.includes('--svg'), warning);
    assert.deepEqual([more, await warnings('image/svg+xml')], [[], []]);
  });

  it('has the pixels of the canvas, with the nearest of 64 colours where there are more', async () => {
    const size = { width: 20, height: 10 };
    const flat = [1, 2, 250, 255];
    const greys = Array.from({ length: 199 }, (_, index) => [index, index, index, index < 100 ? 255 : 128]);
    for (const [colours, most] of /** @type {const} */ ([
      [[...greys, flat], 2],
      [[...greys.slice(0, 30), ...Array(169).fill([0, 0, 0, 0]), flat], 0],
    ])) {
      const png = encodePng(Uint8ClampedArray.from(colours.flat()), size, ['#0102fa', '#ffffff']);
      const context = createCanvas(size.width, size.height).getContext('2d');
      context.drawImage(await loadImage(Buffer.from(png)), 0, 0);
      const { data } = context.getImageData(0, 0, size.width, size.height);
      const pixels = colours.map((_, index) => [...data.subarray(4 * index, 4 * index + 4)]);
      assert.deepEqual(pixels.at(-1), flat, 'rare, and exact');
      for (const [index, pixel] of pixels.entries())
        assert.ok(
          pixel.every((value, channel) => Math.abs(value - colours[index][channel]) <= most * 70),
          `${pixel}`,
        );
    }
  });
});
