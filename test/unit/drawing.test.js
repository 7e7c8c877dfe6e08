// What charts are drawn with, without a canvas: SVG out of the calls of a context, marks and whiskers drawn by such calls, and PNG
// out of pixels.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { crc32, inflateSync } from 'node:zlib';
import { createCanvas } from '@napi-rs/canvas';
import { encodePng } from '../../lib/report/charts/render/png.js';
import { SvgContext } from '../../lib/report/charts/render/svg-context.js';
import { LetterRuler, registerFonts } from '../../lib/report/charts/render/text-ruler.js';
import { marksPlugin, spreadOut, whiskersPlugin } from '../../lib/report/charts/scene/chart-configuration.js';
import { FONTS } from '../../lib/report/charts/style/letters.js';

/** Each text is 40 px wide; it stands 8 px below its top, and 3 px below its middle. */
const RULER = {
  font: '',
  textBaseline: 'alphabetic',
  measureText() {
    return { width: 40, actualBoundingBoxAscent: this.textBaseline === 'middle' ? 5 : 8 };
  },
};

function makeContext(origin = { x: 0, y: 0 }) {
  const definitions = { prefix: 'p', list: /** @type {string[]} */ ([]), ids: new Map() };
  const context = new SvgContext({ width: 300, height: 200 }, { ...RULER }, definitions, origin);
  return { context, definitions };
}

/** @param {SvgContext} context @param {string} name @returns {Record<string, string>[]} attributes of its elements of this name */
function elementsOf({ elements }, name) {
  const found = elements.filter((element) => element.startsWith(`<${name} `));
  return found.map((element) =>
    Object.fromEntries([...element.matchAll(/ ([\w-]+)="([^"]*)"/g)].map(([, key, value]) => [key, value])),
  );
}

describe('texts without a canvas', () => {
  const fonts = new LetterRuler();
  const canvas = createCanvas(1, 1).getContext('2d');
  registerFonts();

  it('get at least the room that they take on a canvas, and at most a tenth more', () => {
    for (const font of Object.values(FONTS)) {
      fonts.font = font;
      canvas.font = font;
      const line = 'unix/string is fastest: 1.59 times the throughput of pipe/json (95 % CI 1.55–1.64).';
      const share = fonts.measureText(line).width / canvas.measureText(line).width;
      assert.ok(share >= 1 && share < 1.1, `${font}: ${share}`);
    }
  });

  it('stand where they stand on a canvas, to a fifth of a pixel', () => {
    for (const font of Object.values(FONTS)) {
      const [own, wanted] = [fonts, canvas].map((ruler) => {
        const [alphabetic, middle] = ['alphabetic', 'middle'].map((textBaseline) => {
          Object.assign(ruler, { font, textBaseline });
          return ruler.measureText('x').actualBoundingBoxAscent;
        });
        return alphabetic - middle;
      });
      assert.ok(Math.abs(own - wanted) < 0.2, `${font}: ${own} instead of ${wanted}`);
    }
  });
});

describe('a context that draws SVG', () => {
  it('writes paths with the look and the place of the moment, and forgets both at restore()', () => {
    const { context } = makeContext({ x: 10, y: 20 });
    context.save();
    context.translate(5, 5);
    Object.assign(context, { strokeStyle: '#112233', lineWidth: 3, lineCap: 'round', lineJoin: 'round' });
    context.setLineDash([4, 2]);
    context.lineDashOffset = 1;
    context.moveTo(0, 0);
    context.lineTo(10, 0);
    context.stroke();
    context.restore();
    context.strokeRect(0, 0, 2, 3);
    assert.deepEqual(elementsOf(context, 'path'), [
      {
        d: 'M15 25L25 25',
        fill: 'none',
        stroke: '#112233',
        'stroke-width': '3',
        'stroke-linecap': 'round',
        'stroke-linejoin': 'round',
        'stroke-dasharray': '4 2',
        'stroke-dashoffset': '1',
      },
      { d: 'M10 20L12 20 12 23 10 23Z', fill: 'none', stroke: '#000000', 'stroke-width': '1' },
    ]);
  });

  it('has no line of its own to begin with, and none of an empty path', () => {
    const { context } = makeContext();
    context.stroke();
    context.fill();
    assert.deepEqual(context.elements, []);
    context.lineTo(1, 2);
    context.lineTo(3, 4);
    context.closePath();
    context.fillStyle = '#abcdef';
    context.fill('evenodd');
    context.setLineDash([3]);
    context.stroke();
    assert.deepEqual(elementsOf(context, 'path'), [
      { d: 'M1 2L3 4Z', fill: '#abcdef', 'fill-rule': 'evenodd' },
      { d: 'M1 2L3 4Z', fill: 'none', stroke: '#000000', 'stroke-width': '1', 'stroke-dasharray': '3' },
    ]);
  });

  it('turns and moves what is drawn, and draws a circle as two halves', () => {
    const { context } = makeContext({ x: 100, y: 0 });
    context.rotate(Math.PI / 2);
    context.moveTo(3, 0);
    context.setTransform(2, 0, 0, 2, 1, 1);
    context.lineTo(4, 5);
    context.resetTransform();
    context.bezierCurveTo(1, 2, 3, 4, 5, 6);
    assert.equal(context.path, 'M100 3L109 11C101 2 103 4 105 6');
    context.beginPath();
    context.arc(0, 0, 2, 0, 2 * Math.PI);
    assert.equal(context.path, 'M102 0A2 2 0 0 1 98 0A2 2 0 0 1 102 0');
    context.beginPath();
    context.arc(0, 0, 2, Math.PI, 0);
    assert.match(context.path, /^M98 0A2 2 0 0 0 /);
  });

  it('defines each clip once, and names it in what is drawn within', () => {
    const { context, definitions } = makeContext();
    for (let time = 0; time < 2; time += 1) {
      context.save();
      context.beginPath();
      context.rect(0, 0, 9, 9);
      context.clip();
      context.fillRect(1, 1, 2, 2);
      context.restore();
    }
    context.fillRect(0, 0, 1, 1);
    assert.deepEqual(definitions.list, ['<clipPath id="p-1"><path d="M0 0L9 0 9 9 0 9Z"/></clipPath>']);
    const clips = elementsOf(context, 'path').map((each) => each['clip-path']);
    assert.deepEqual(clips, ['url(#p-1)', 'url(#p-1)', undefined]);
  });

  it('puts texts where they stand, in the room that they have here, and none of blanks', () => {
    const { context } = makeContext();
    Object.assign(context, { font: '600 12px sans', textAlign: 'right', textBaseline: 'middle' });
    context.fillText('a < b  c', 50, 60);
    context.fillText('  ', 0, 0);
    context.rotate(-Math.PI / 2);
    context.textAlign = 'left';
    context.font = '10px sans';
    context.fillText('up', 0, 0);
    const [level, upright, ...others] = elementsOf(context, 'text');
    assert.deepEqual(others, []);
    assert.deepEqual(level, {
      x: '50',
      y: '63',
      'font-size': '12',
      'font-weight': '600',
      'text-anchor': 'end',
      textLength: '40',
      lengthAdjust: 'spacingAndGlyphs',
      fill: '#000000',
    });
    assert.equal(upright.transform, 'matrix(0 -1 1 0 3 0)');
    assert.equal(upright['font-weight'], undefined);
    assert.match(context.elements[0], />a &lt; b \u00a0c<\/text>$/);
  });
});

/** A chart of 300 by 200 px, of which a value is a pixel. @param {SvgContext} ctx @param {Record<string, any>} [differences] */
const chartOn = (ctx, differences) => {
  const scale = { min: 10, getPixelForValue: (/** @type {number} */ value) => value };
  const chartArea = { top: 0, bottom: 200, left: 0, right: 280 };
  return { ctx, options: {}, scales: { x: scale, y: scale }, chartArea, ...differences };
};

describe('marks on a chart', () => {
  it('are texts of their own colour, in front of a halo where they have one', () => {
    const { context } = makeContext();
    const mark = {
      x: 20,
      y: 30,
      dx: 2,
      dy: -3,
      text: '4,200',
      colour: '#123456',
      halo: '#ffffff',
      weight: 600,
    };
    marksPlugin([mark]).afterDatasetsDraw(chartOn(context));
    const [halo, text] = elementsOf(context, 'text');
    assert.deepEqual([halo.stroke, halo.fill, halo['stroke-linejoin']], ['#ffffff', 'none', 'round']);
    assert.ok(Number(halo['stroke-width']) > 2);
    assert.deepEqual([text.fill, text.x, text.y], ['#123456', '22', '30']);
    assert.deepEqual([text['font-size'], text['font-weight']], ['13', '600']);
  });

  it('stand at bars, at the start of the axis where they have no value', () => {
    for (const [indexAxis, place] of [
      ['x', ['77', '13']],
      ['y', ['10', '91']],
    ]) {
      const { context } = makeContext();
      const getDatasetMeta = () => ({
        data: [
          { x: 1, y: 2 },
          { x: 77, y: 88 },
        ],
      });
      const chart = chartOn(context, { options: { indexAxis }, getDatasetMeta });
      marksPlugin([{ datasetIndex: 0, index: 1, text: 'failed', colour: '#000000' }]).afterDatasetsDraw(
        chart,
      );
      const [{ x, y }] = elementsOf(context, 'text');
      assert.deepEqual([x, y], place);
    }
  });

  it('at the ends of lines are names beside the plot, each with a line to its end', () => {
    const { context } = makeContext();
    const marks = [100, 104].map((y) => ({
      x: 250,
      y,
      text: `at ${y}`,
      colour: '#000000',
      fill: '#ff0000',
      isLineEnd: true,
    }));
    marksPlugin(marks).afterDatasetsDraw(chartOn(context));
    const texts = elementsOf(context, 'text');
    assert.deepEqual(
      texts.map(({ x, y }) => [x, y]),
      [
        ['314', '103'],
        ['314', '120'],
      ],
    );
    assert.deepEqual(
      elementsOf(context, 'path').map(({ d, stroke }) => [d, stroke]),
      [
        ['M257 100L310 100', '#ff0000'],
        ['M257 104L310 117', '#ff0000'],
      ],
    );
  });

  it('leave the context as they found it, whatever they are', () => {
    const own = {
      strokeStyle: '#010203',
      fillStyle: '#030201',
      lineWidth: 7,
      font: '11px sans',
      textAlign: 'right',
    };
    const place = { x: 250, y: 100, colour: '#000000' };
    for (const mark of /** @type {any[]} */ ([
      { ...place, text: 'a', halo: '#ffffff', weight: 600, sizePx: 20 },
      { ...place, symbol: 'star' },
      { ...place, symbol: 'circle', fill: '#ffffff', sizePx: 9 },
      { ...place, text: 'end', fill: '#ff0000', isLineEnd: true },
    ])) {
      const { context } = makeContext();
      Object.assign(context, own);
      const { matrix } = context;
      marksPlugin([mark]).afterDatasetsDraw(chartOn(context));
      const left = Object.fromEntries(
        Object.keys(own).map((key) => [key, /** @type {any} */ (context)[key]]),
      );
      assert.deepEqual(left, own, JSON.stringify(mark));
      assert.equal(context.matrix, matrix);
    }
  });

  it('are spread out just far enough, and stay within their room', () => {
    assert.deepEqual(spreadOut([50, 52, 90], 0, 100, 10), [50, 60, 90]);
    assert.deepEqual(spreadOut([-20, 95, 99], 0, 100, 10), [0, 90, 100]);
    assert.deepEqual(spreadOut([], 0, 100, 10), []);
  });
});

describe('whiskers on a chart', () => {
  it('reach from end to end with a cap at each, over a halo, and none where there is no interval', () => {
    const { context } = makeContext();
    context.lineCap = 'round'; // as Chart.js may leave it
    const whiskers = { colour: '#222222', halo: '#ffffff', capPx: 8 };
    const data = [
      { y: 50, yMin: 40, yMax: 60 },
      { y: null, yMin: null, yMax: null },
      { y: 70, yMin: [null, 65], yMax: [null, 75] },
    ];
    const getDatasetMeta = () => ({ data: [{ x: 100 }, { x: 150 }, { x: 200 }] });
    const chart = chartOn(context, { data: { datasets: [{ data, whiskers }] }, getDatasetMeta });
    whiskersPlugin.afterDatasetsDraw(chart);
    const found = elementsOf(context, 'path');
    assert.deepEqual(
      found.map(({ d, stroke, 'stroke-width': width }) => [d, stroke, width]),
      [
        ['M100 40L100 60M96 40L104 40M96 60L104 60', '#ffffff', '3.5'],
        ['M100 40L100 60M96 40L104 40M96 60L104 60', '#222222', '1.25'],
        ['M200 65L200 75M196 65L204 65M196 75L204 75', '#ffffff', '3.5'],
        ['M200 65L200 75M196 65L204 65M196 75L204 75', '#222222', '1.25'],
      ],
    );
    assert.ok(
      found.every((each) => each['stroke-linecap'] === undefined),
      'its ends say the value',
    );
    assert.equal(context.lineCap, 'round', 'and nothing is left changed');
  });
});

/** @param {Uint8Array} png @returns {{ type: string, body: Buffer }[]} */
function chunksOf(png) {
  const bytes = Buffer.from(png);
  assert.equal(bytes.subarray(1, 4).toString(), 'PNG');
  const chunks = [];
  for (let at = 8; at < bytes.length; ) {
    const length = bytes.readUInt32BE(at);
    const body = bytes.subarray(at + 8, at + 8 + length);
    assert.equal(bytes.readUInt32BE(at + 8 + length), crc32(bytes.subarray(at + 4, at + 8 + length)));
    chunks.push({ type: bytes.toString('latin1', at + 4, at + 8), body });
    at += 12 + length;
  }
  return chunks;
}

describe('pixels as PNG', () => {
  /** @param {number[][]} colours   RGBA, a pixel each @param {{ width: number, height: number }} size @param {string[]} [kept] */
  const decoded = (colours, size, kept = []) => {
    const chunks = chunksOf(encodePng(Uint8ClampedArray.from(colours.flat()), size, kept));
    const bodyOf = (/** @type {string} */ wanted) => chunks.find(({ type }) => type === wanted)?.body;
    const [header, palette, alphas, data] = ['IHDR', 'PLTE', 'tRNS', 'IDAT'].map(bodyOf);
    assert.ok(header && palette && data);
    assert.deepEqual([header.readUInt32BE(0), header.readUInt32BE(4)], [size.width, size.height]);
    assert.deepEqual([...header.subarray(8)], [8, 3, 0, 0, 0], '8 bits, by a palette');
    assert.equal(chunks.at(-1)?.type, 'IEND');
    const rows = inflateSync(data);
    const pixels = colours.map((_, place) => {
      const row = Math.floor(place / size.width);
      assert.equal(rows[row * (size.width + 1)], 0, 'no filter');
      const index = rows[row * (size.width + 1) + 1 + (place % size.width)];
      return [...palette.subarray(3 * index, 3 * index + 3), alphas?.[index] ?? 255];
    });
    return { pixels, hasAlpha: alphas !== undefined };
  };

  it('are those pixels, with a palette of their colours, and transparency only where there is some', () => {
    const [red, blue, clear] = [
      [255, 0, 0, 255],
      [0, 10, 200, 255],
      [0, 0, 0, 0],
    ];
    const opaque = [red, red, blue, blue, red, blue];
    assert.deepEqual(decoded(opaque, { width: 3, height: 2 }), { pixels: opaque, hasAlpha: false });
    const some = [clear, red, blue, clear];
    assert.deepEqual(decoded(some, { width: 2, height: 2 }), { pixels: some, hasAlpha: true });
  });

  it('take the nearest colour where there are more than 256, but for those that mean something', () => {
    const greys = Array.from({ length: 512 }, (_, place) => [place >> 1, place >> 1, (place + 1) >> 1, 255]);
    const meant = [1, 2, 250, 255];
    const colours = [...greys, ...greys, meant];
    const { pixels } = decoded(colours, { width: 205, height: 5 }, ['#0102fa']);
    assert.deepEqual(pixels.at(-1), meant, 'rare, and exact');
    for (const [place, pixel] of pixels.entries()) {
      const off = pixel.map((value, channel) => Math.abs(value - colours[place][channel]));
      assert.ok(Math.max(...off) <= 128, String(off));
    }
  });
});
