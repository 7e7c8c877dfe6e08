import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { describe, it } from 'node:test';
import { createCanvas, loadImage } from '@napi-rs/canvas';
import { readHeadline, timesIn } from '../../lib/cell/headline.js';
import { publishedFigures } from '../../lib/options/presets.js';
import { makeFigures } from '../../lib/report/charts/figures/figures.js';
import { makePicture } from '../../lib/report/charts/render/pictures.js';
import { drawPicture } from '../../lib/report/charts/render/png.js';
import { registerFonts } from '../../lib/report/charts/render/text-ruler.js';
import { spreadOut } from '../../lib/report/charts/scene/chart-configuration.js';
import { pixelFill } from '../../lib/report/charts/scene/fills.js';
import { columnPx, FIGURE_PX, fittedLine, wrappedLines } from '../../lib/report/charts/scene/layout.js';
import { COLOURS } from '../../lib/report/charts/style/colours.js';
import { FONT_FAMILY } from '../../lib/report/charts/style/letters.js';
import { linearEnd, logEnds, payloadTick, si, ticksAt } from '../../lib/report/charts/text/quantity-words.js';
import { isMeasured } from '../../lib/report/text/groups.js';
import chart from '../../reports/chart.js';
import { IS_LONG } from '../conformance/long-form.js';
import { makeAllResults } from '../fixtures/all-transports.js';
import { withLooks } from '../fixtures/looks.js';
import { makeResults } from '../fixtures/make-results.js';

const SIX = ['pipe/json', 'unix/json', 'unix/string', 'unix/binary', 'redis-pubsub/json', 'tcp/json'];
const ARTICLE = {
  shapes: '1x1 2x1 4x1 6x1 1x4 2x4 4x4 6x4 6x8'.split(' '),
  payloads: [10, 100, 1000],
  series: SIX,
  published: publishedFigures('node-ipc-2016'),
};

/** @param {import('../../lib/report/charts/scene-types.js').Figure} figure */
const drawFigure = (figure) => drawPicture(makePicture(figure));

/** @param {Uint8Array} png @returns {{ width: number, height: number }} */
function sizeOf(png) {
  const view = new DataView(png.buffer, png.byteOffset);
  return { width: view.getUint32(16), height: view.getUint32(20) };
}

/** @param {Uint8Array} png @returns {Promise<(colour: string) => number>} '#rrggbb' → pixels */
async function pixelsByColour(png) {
  const picture = await loadImage(Buffer.from(png));
  const context = createCanvas(picture.width, picture.height).getContext('2d');
  context.drawImage(picture, 0, 0);
  const { data } = context.getImageData(0, 0, picture.width, picture.height);
  const pixels = new DataView(data.buffer, data.byteOffset, data.byteLength);
  /** @type {Map<number, number>} */
  const counts = new Map();
  for (let at = 0; at < data.length; at += 4) {
    const colour = pixels.getUint32(at) >>> 8; // without how opaque it is
    counts.set(colour, (counts.get(colour) ?? 0) + 1);
  }
  return (colour) => counts.get(Number(`0x${colour.slice(1)}`)) ?? 0;
}

/** Results with a fast row that leaves all others short bars. */
function resultsOfShortBars() {
  const flag = (/** @type {{ codec: string }} */ { codec }) =>
    codec === 'json' ? ['oversubscribed', 'bottleneck', 'free'] : [];
  const results = withLooks(makeAllResults({ shapes: ['2x4'], payloads: [1000], flag }));
  for (const outcome of results.outcomes.filter(isMeasured)) {
    const { cell } = outcome;
    const rate = readHeadline(outcome);
    if (cell.transport === 'threads-message') continue;
    Object.assign(rate, { estimate: rate.estimate / 9, low: rate.low / 9, high: rate.high / 9 });
  }
  return results;
}

/** @param {string} text @param {number} sizePx */
function textPx(text, sizePx) {
  registerFonts();
  const context = createCanvas(1, 1).getContext('2d');
  context.font = `400 ${sizePx}px ${FONT_FAMILY}`;
  return context.measureText(text).width;
}

/**
 * @param {import('../../lib/report/charts/scene-types.js').Figure} figure
 * @param {import('../../lib/report/charts/scene-types.js').Configuration} configuration   of one of its panels
 */
function assertWordsFit({ name, columns, labelPx }, { data, options, marks }) {
  const names = (data.labels ?? []).map(String);
  const namesPx = labelPx === 0 ? Math.max(...names.map((text) => textPx(text, 13))) : 0;
  const widthPx = columnPx(columns, labelPx, FIGURE_PX) - namesPx;
  const { min, max } = options.scales.x;
  for (const { index = 0, text, value = min, dx = 0 } of marks) {
    if (text === undefined) continue;
    const from = (Math.log(value / min) / Math.log(max / min)) * (widthPx - options.layout.padding.right);
    const end = from + dx + textPx(text, 13);
    assert.ok(end <= widthPx, `${name}: ${names[index]} ${text} ends at ${end} of ${widthPx}`);
    const { x, xMax } = data.datasets[0].data[index];
    if (x !== null) assert.ok(value >= Math.max(...x, ...xMax), `${name}: ${names[index]} is crossed`);
  }
}

const THEMES = /** @type {const} */ (['light', 'dark']);

describe('the picture', () => {
  it('stays below 300 KB with 25 transports, in each theme', async () => {
    const results = withLooks(makeAllResults({ shapes: ['1x1', '2x4', '1x100'], payloads: [1000] }));
    for (const theme of IS_LONG ? THEMES : THEMES.slice(0, 1)) {
      for (const { name, content } of await chart.render(results, { theme })) {
        assert.ok(content.length < 300_000, `${name} ${theme}: ${content.length}`);
      }
    }
  });

  it('is one PNG per figure with its caption, 1600 wide, below 300 KB, the same bytes each time', async () => {
    const results = withLooks(makeResults({ ...ARTICLE, payloads: [10, 1000] }));
    const first = await chart.render(results, {});
    const again = makeFigures(withLooks(makeResults({ ...ARTICLE, payloads: [10, 1000] })), {});
    assert.deepEqual(
      first.map(({ name }) => name),
      [
        'throughput-10B.png',
        'throughput-1000B.png',
        'throughput-by-payload.png',
        'latency-10B.png',
        'latency-1000B.png',
      ],
    );
    for (const [index, { name, mediaType, content, caption }] of first.entries()) {
      assert.equal(mediaType, 'image/png');
      assert.ok(caption && caption.length > 40, name);
      const bytes = /** @type {Uint8Array} */ (content);
      assert.equal(sizeOf(bytes).width, 1600);
      assert.ok(bytes.length < 300_000, `${name}: ${bytes.length}`);
      // Of each kind of figure once: the second of a kind differs in its data only.
      if (name.endsWith('-1000B.png')) continue;
      assert.ok(Buffer.from(bytes).equals(Buffer.from(await drawFigure(again[index]))), name);
    }
  });

  for (const theme of IS_LONG ? THEMES : THEMES.slice(0, 1)) {
    it(`keeps the colour of each bar of a tall picture of the ${theme} theme, however short the bar`, async () => {
      const [figure] = makeFigures(resultsOfShortBars(), { theme });
      const png = await drawFigure(figure);
      assert.ok(png.length < 300_000, `${png.length}`);
      const countOf = await pixelsByColour(png);
      const { data } = figure.panels[0].configuration;
      for (const [index, choice] of data.datasets[0].fills.entries()) {
        if (choice === null || data.datasets[0].data[index].x === null) continue;
        const colour = pixelFill(choice, { background: COLOURS[theme].background, density: 2, createCanvas });
        if (typeof colour !== 'string') continue; // a hatch
        assert.ok(countOf(colour) > 0, `${data.labels?.[index]}: ${colour}`);
      }
    });
  }

  it('has room for the words beside each range of latencies, behind its marks and whiskers', () => {
    // Some of them end just before the axis does.
    const short = resultsOfShortBars();
    const tooFew = [2, 2.2, 2.4, 2.6, 2.8, 3, 3.3, 3.6, 4, 4.4, 4.8].map((stretch) => {
      const results = structuredClone(short);
      for (const outcome of results.outcomes.filter(isMeasured)) {
        const [latencyUs] = timesIn(outcome);
        latencyUs.p99 = latencyUs.perLaunch.p99 = null;
        latencyUs.perLaunch.p50.high = latencyUs.p90 * stretch;
      }
      return results;
    });
    const shapes = ['1x1', '2x4', '1x100'];
    const all = [1, 2, 3].map((count) => withLooks(makeAllResults({ shapes: shapes.slice(0, count) })));
    for (const figure of [...tooFew, ...all].flatMap((results) => makeFigures(results))) {
      if (!figure.name.startsWith('latency')) continue;
      for (const { configuration } of figure.panels) assertWordsFit(figure, configuration);
    }
  });

  it('is 16:9 where the rows allow it', async () => {
    const [figure] = makeFigures(withLooks(makeResults({ series: ['pipe/json'] })));
    assert.deepEqual(sizeOf(await drawFigure(figure)), { width: 1600, height: 900 });
  });

  for (const theme of THEMES) {
    it(`shows background, text and bars in the colours of the ${theme} theme`, async () => {
      const [figure] = makeFigures(withLooks(makeResults({ series: ['pipe/json', 'unix/json'] })), { theme });
      const countOf = await pixelsByColour(await drawFigure(figure));
      const { background, ink, mutedInk, hues } = COLOURS[theme];
      const pixels = 1600 * 900;
      assert.ok(countOf(background) > 0.6 * pixels);
      for (const colour of [hues.violet, hues.blue]) assert.ok(countOf(colour) > 0.01 * pixels, colour);
      for (const colour of [ink, mutedInk]) assert.ok(countOf(colour) > 500, colour);
    });
  }

  it('draws whiskers: with another interval it is another picture', async () => {
    for (const shapes of [['1x1'], ['1x1', '2x4']]) {
      const results = withLooks(makeResults({ series: ['pipe/json', 'unix/json'], shapes }));
      const before = await drawFigure(makeFigures(results)[0]);
      const [outcome] = results.outcomes;
      assert.ok(outcome.status === 'measured');
      readHeadline(outcome).low *= 0.5;
      const [figure] = makeFigures(results);
      assert.ok(!Buffer.from(before).equals(Buffer.from(await drawFigure(figure))));
    }
  });

  it('has letters: with another text it is another picture', async () => {
    const [figure] = makeFigures(withLooks(makeResults({ series: ['pipe/json'] })));
    const full = await drawFigure(figure);
    const empty = await drawFigure({ ...figure, title: ' ' });
    assert.ok(!Buffer.from(full).equals(Buffer.from(empty)));
  });

  it('draws letters and symbols with the fonts of the package', () => {
    registerFonts();
    const context = createCanvas(1, 1).getContext('2d');
    /** @param {string} font @param {string} text */
    const width = (font, text) => {
      context.font = font;
      return context.measureText(text).width;
    };
    assert.notEqual(
      width(`400 20px ${FONT_FAMILY}`, 'round trips'),
      width(`600 20px ${FONT_FAMILY}`, 'round trips'),
    );
    const missing = width(`400 20px ${FONT_FAMILY}`, '\u{10fffd}');
    for (const symbol of '≤≥→µμσ✕◇–×↑') {
      assert.ok(width(`400 20px ${FONT_FAMILY}`, symbol) > 0);
      assert.notEqual(width(`400 20px ${FONT_FAMILY}`, symbol), missing, symbol);
    }
  });

  it('needs no canvas to build its configuration', () => {
    const script = `import { makeFigures } from './lib/report/charts/figures/figures.js';
      import { makeResults } from './test/fixtures/make-results.js';
      makeFigures(makeResults());
      const loaded = process.report.getReport().sharedObjects.filter((name) => name.includes('skia'));
      process.stdout.write(String(loaded.length));`;
    const cwd = new URL('../..', import.meta.url);
    assert.equal(
      execFileSync(process.execPath, ['--input-type=module', '-e', script], { cwd, encoding: 'utf8' }),
      '0',
    );
  });
});

describe('the parts of a layout', () => {
  it('ends axes at round numbers beyond the data', () => {
    assert.deepEqual(linearEnd(63_600), { max: 80_000, step: 20_000 });
    assert.deepEqual(linearEnd(112_000), { max: 125_000, step: 25_000 });
    const { min, max } = logEnds([113, 1190]);
    assert.deepEqual([min, max], [100, 2000]);
  });

  it('writes ticks with SI letters', () => {
    assert.deepEqual([0, 500, 20_000, 1_500_000].map(si), ['0', '500', '20k', '1.5M']);
    assert.deepEqual([1, 1000, 65_536, 1e6, 16_777_216].map(payloadTick), [
      '1 B',
      '1 kB',
      '64 KiB',
      '1 MB',
      '16 MiB',
    ]);
  });

  it('sets ticks at the payloads that were measured, where there is room', () => {
    assert.deepEqual(ticksAt([10, 100, 1000, 10_000], 8), [10, 100, 1000, 10_000]);
    assert.deepEqual(ticksAt([1, 65_535, 65_536, 65_537, 1_048_576], 8), [1, 65_535, 1_048_576]);
  });

  it('keeps names at line ends apart and inside the plot', () => {
    assert.deepEqual(spreadOut([10, 12, 80, 98, 99], 0, 100, 15), [10, 25, 70, 85, 100]);
  });

  it('cuts a line that does not fit, and wraps at words', () => {
    const width = (/** @type {string} */ text) => text.length;
    assert.equal(fittedLine('abcdefgh', width, 5), 'abcd…');
    assert.deepEqual(wrappedLines('one two three four', width, 9, 5), ['one two', 'three', 'four']);
    assert.deepEqual(wrappedLines('one two three four', width, 9, 2), ['one two', 'three …']);
    for (const line of wrappedLines(`${'y'.repeat(50)} z`, width, 9, 3)) assert.ok(line.length <= 9);
  });
});
