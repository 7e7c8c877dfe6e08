// The words of pictures of many kinds of runs, laid out as they are drawn: two lines below at most, names that can be told apart, and
// no word on another.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { createCanvas } from '@napi-rs/canvas';
import { Chart } from 'chart.js/auto';
import { dodgesOf } from '../../lib/report/charts/figures/line-panel.js';
import { makeSeries } from '../../lib/report/charts/figures/series.js';
import { makePictures } from '../../lib/report/charts/render/pictures.js';
import { registerFonts } from '../../lib/report/charts/render/text-ruler.js';
import { toChartConfiguration } from '../../lib/report/charts/scene/chart-configuration.js';
import { columnPx, innerPx } from '../../lib/report/charts/scene/layout.js';
import { FONT_FAMILY, FONTS, TEXT_PX, textPx } from '../../lib/report/charts/style/letters.js';
import { readResults } from '../../lib/results/read.js';
import { makeAllResults } from '../fixtures/all-transports.js';
import { RESULTS } from '../fixtures/figure-outlines.js';
import { makeOpenResults } from '../fixtures/make-open-results.js';
import { makeResults } from '../fixtures/make-results.js';

/** @import { Results } from '../../lib/types/index.js' */
/** @import { Picture } from '../../lib/report/charts/render/pictures.js' */
/** @import { Configuration } from '../../lib/report/charts/scene-types.js' */

const ARTICLES = new URL('../../docs/articles/', import.meta.url);
const saved = (/** @type {string} */ name) => readResults(fileURLToPath(new URL(name, ARTICLES)));
const NAGLE = [
  'tcp/json',
  'tcp:flush=split/json',
  'tcp:flush=split,noDelay=master/json',
  'tcp:flush=split,noDelay=worker/json',
];
const flag = () => ['cold', 'not-steady', 'bottleneck', 'free'];
/** @type {Results[]} */
const ALL = [
  ...Object.values(RESULTS).map(({ make }) => make()),
  makeAllResults({ isPoor: true }),
  makeAllResults({ count: 8, shapes: ['1x1', '2x4', '1x100'], payloads: [10, 1_000], launches: 2, flag }),
  makeOpenResults({ series: ['unix', 'tcp', 'pipe'], rates: [1_000, 2_000, 4_000, 8_000, 50_000] }),
  makeResults({ series: NAGLE, payloads: [100, 10_000], flag }),
  ...(await Promise.all(
    ['batching/results.json', 'nagle/results.json', 'node-ipc-2016/results.json', 'default-runs/run-1.json']
      .concat('three-pictures/by-payload.json', 'three-pictures/explained.json')
      .map(saved),
  )),
];
const SIZES = /** @type {const} */ ([undefined, 'blog', 'square', 'wide']);

registerFonts();
const ruler = createCanvas(1, 1).getContext('2d');

/** @param {string} text @param {string} font */
function widthOf(text, font) {
  ruler.font = font;
  return ruler.measureText(text).width;
}

/** @param {Picture[]} pictures @param {(picture: Picture) => void} check */
function eachOf(pictures, check) {
  assert.ok(pictures.length > 0);
  for (const picture of pictures) check(picture);
}

describe('below the panels of a picture', () => {
  for (const size of SIZES) {
    it(`stand two lines at most, which have room, ${size === undefined ? 'without a size' : `at ${size}`}`, () => {
      for (const results of ALL) {
        eachOf(makePictures(results, { picture: { size } }), ({ figure, layout }) => {
          assert.ok(layout.below.length <= 2, `${figure.name}: ${layout.below}`);
          for (const line of layout.below)
            assert.ok(widthOf(line, FONTS.small) <= innerPx(figure.widthPx), `${figure.name}: ${line}`);
        });
      }
    });
  }

  it('stands that the run was not finished, however narrow the picture', () => {
    for (const size of SIZES) {
      const results = {
        ...makeAllResults({ count: 4, shapes: ['1x1', '2x4'] }),
        status: /** @type {const} */ ('interrupted'),
      };
      eachOf(makePictures(/** @type {any} */ (results), { picture: { size } }), ({ layout }) =>
        assert.match(layout.below[0], /unfinished run/),
      );
    }
  });

  it('stand the units of axes that have no titles', () => {
    for (const results of ALL) {
      eachOf(makePictures(results, {}), ({ figure, layout }) => {
        const scales = figure.panels.flatMap(({ configuration }) => {
          const { scales: both, indexAxis } = configuration.options;
          return [indexAxis === 'y' ? both.x : both.y];
        });
        if (scales.every(({ title }) => title.text !== '')) return;
        assert.match(layout.below[0], /^[↑→] /, figure.name);
      });
    }
  });
});

describe('the names of rows', () => {
  it('are never cut in what sets them apart', () => {
    const long = ['master', 'worker', 'both'].map(
      (where) => `redis-streams:guarantee=durable,flush=split,noDelay=${where},count=100/json-schema`,
    );
    for (const names of [NAGLE, long]) {
      const results = makeResults({ series: names });
      const texts = makeSeries(results, results.outcomes).map(({ text }) => text);
      assert.equal(new Set(texts).size, texts.length);
      for (const [index, name] of names.entries()) {
        const setting = /noDelay=\w+/.exec(name)?.[0] ?? '';
        assert.ok(texts[index].includes(setting), texts[index]);
      }
    }
  });

  it('are not cut at all while there is room', () => {
    const results = makeResults({ series: NAGLE });
    assert.deepEqual(
      makeSeries(results, results.outcomes).map(({ text }) => text),
      NAGLE,
    );
  });
});

const UNSEEN = ['transparent', 'rgba(0, 0, 0, 0)', 'rgba(0, 0, 0, 0.0)', '#00000000'];

/** @typedef {{ text: string, left: number, right: number, top: number, bottom: number }} Box   pixels */

/**
 * @param {Configuration} configuration
 * @param {{ width: number, height: number }} size
 * @returns {Box[]} all that is written, as the canvas has it
 */
function drawnWords(configuration, { width, height }) {
  const canvas = createCanvas(width, height);
  const context = canvas.getContext('2d');
  /** @type {Map<string, Box>} a chart may be drawn more than once */
  const words = new Map();
  const fill = context.fillText.bind(context);
  context.fillText = (text, x, y, ...more) => {
    const box = boxOf(context, text, x, y);
    if (!UNSEEN.includes(String(context.fillStyle))) words.set(JSON.stringify(box), box);
    return fill(text, x, y, ...more);
  };
  const chart = toChartConfiguration(configuration, {
    density: 1,
    background: '#ffffff',
    fillOf: () => '#000000',
  });
  new Chart(/** @type {any} */ (canvas), chart).destroy();
  return [...words.values()];
}

/** @param {any} context @param {string} text @param {number} x @param {number} y @returns {Box} of its letters, without the room above and below them */
function boxOf(context, text, x, y) {
  const { a, b, e, f } = context.getTransform();
  const { width, actualBoundingBoxAscent: up, actualBoundingBoxDescent: down } = context.measureText(text);
  const shares = /** @type {Record<string, number>} */ ({ center: 0.5, right: 1, end: 1 });
  const from = x - width * (shares[context.textAlign] ?? 0);
  if (b === 0)
    return { text, left: a * from + e, right: a * (from + width) + e, top: f + y - up, bottom: f + y + down };
  return { text, left: e + y - up, right: e + y + down, top: f - from - width, bottom: f - from };
}

describe('the words in a panel', () => {
  it('never lie on each other, and none leaves its picture', () => {
    let count = 0;
    for (const results of ALL) {
      eachOf(makePictures(results, {}), ({ figure, layout }) => {
        const width = columnPx(figure.columns, figure.labelPx, figure.widthPx);
        for (const [index, { configuration }] of figure.panels.entries()) {
          const ownWidth = index % figure.columns === 0 ? width + figure.labelPx : width;
          const words = drawnWords(configuration, { width: ownWidth, height: layout.panelPx });
          count += words.length;
          for (const [at, one] of words.entries()) {
            assert.ok(one.right <= ownWidth + 1 && one.left >= -1, `${figure.name}: ${one.text} leaves it`);
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
      });
    }
    assert.ok(count > 1_000, `${count} words`);
  });

  it('are about as wide as is reckoned without a canvas, and rather less', () => {
    const texts = [
      'unix:flush=tick/json',
      '118,000   1.08× (1.02–1.15)',
      '1.17 ms – 1.33 ms',
      '✕ failed: no Redis',
    ];
    for (const text of texts) {
      const width = widthOf(text, `400 ${TEXT_PX}px ${FONT_FAMILY}`);
      assert.ok(textPx(text) >= width && textPx(text) <= 1.08 * width, `${text}: ${textPx(text)}, ${width}`);
    }
  });
});

describe('lines that lie on each other', () => {
  const line = (/** @type {number[]} */ ...ys) => ys.map((y, x) => ({ x: x + 1, y }));
  const ends = { min: 1, max: 100 };

  it('have their markers side by side, and the last of them keeps its place', () => {
    const dodges = dodgesOf([line(10, 20), line(10, 50), line(10, 80)], ends, 200);
    assert.equal(new Set(dodges).size, 3);
    assert.equal(dodges[2], 0);
  });

  it('stay where they are where nothing is near', () => {
    assert.deepEqual(dodgesOf([line(2, 3), line(20, 30)], ends, 200), [0, 0]);
    assert.deepEqual(dodgesOf([line(2), [{ x: 1, y: null }]], ends, 200), [0, 0]);
  });
});
