// Where the parts of a picture go and how they are drawn, by the calls that a canvas gets: letters are 6 px wide there.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { makeFigures } from '../../lib/report/charts/figures/figures.js';
import { paintPicture } from '../../lib/report/charts/render/paint.js';
import { makePicture, sizeWarning } from '../../lib/report/charts/render/pictures.js';
import { renderSvg } from '../../lib/report/charts/render/svg.js';
import { fillStyle, mixTint } from '../../lib/report/charts/scene/fills.js';
import { FIGURE_PX, fittedLine, layOut, wrappedLines } from '../../lib/report/charts/scene/layout.js';
import { drawLegendItem, drawSymbol, legendItemPx } from '../../lib/report/charts/scene/legend.js';
import { COLOURS } from '../../lib/report/charts/style/colours.js';
import { LEGEND_ROW_PX, LINE_PX } from '../../lib/report/charts/style/letters.js';
import { makeResults } from '../fixtures/make-results.js';

const LETTER_PX = 6;
const MARGIN_PX = 24;

/** @returns {{ context: any, calls: string[] }} a canvas context that records its calls and properties */
function recordingContext() {
  /** @type {string[]} */
  const calls = [];
  const context = new Proxy(
    {},
    {
      get: (_, name) =>
        name === 'measureText'
          ? (/** @type {string} */ text) => ({ width: [...text].length * LETTER_PX })
          : (/** @type {unknown[]} */ ...values) => {
              calls.push(`${String(name)} ${values.join()}`);
            },
      set(_, name, value) {
        calls.push(`${String(name)} = ${value}`);
        return true;
      },
    },
  );
  return { context, calls };
}

/** @param {(context: any) => unknown} draw @returns {string[]} what it called */
function callsOf(draw) {
  const { context, calls } = recordingContext();
  draw(context);
  return calls;
}

/** @param {string[]} calls @param {string} name @returns {number[][]} what each call of it got */
const numbersOf = (calls, name) =>
  calls
    .filter((call) => call.startsWith(`${name} `))
    .map((call) =>
      call
        .slice(name.length + 1)
        .split(',')
        .map(Number),
    );

/** @param {number} value */
const rounded = (value) => Math.round(value * 100) / 100 + 0;

describe('a symbol', () => {
  /** @param {any} symbol @param {any} [style] */
  const drawn = (symbol, style = {}) =>
    callsOf((context) =>
      drawSymbol(context, symbol, { colour: '#111111', fill: '#eeeeee', radius: 10, ...style }),
    );
  const corners = (/** @type {string} */ symbol) =>
    numbersOf(drawn(symbol), 'lineTo').map((place) => place.map(rounded));

  it('with corners is a closed path around its middle, filled before its outline is drawn', () => {
    for (const [symbol, expected] of Object.entries({
      square: 4,
      diamond: 4,
      triangle: 3,
      'triangle-down': 3,
    })) {
      const places = corners(symbol);
      assert.equal(places.length, expected, symbol);
      for (const [x, y] of places) assert.ok(Math.hypot(x, y) > 9.5 && Math.hypot(x, y) < 12.5, symbol);
      const calls = drawn(symbol);
      assert.deepEqual(calls.slice(-2), ['fill ', 'stroke ']);
      assert.ok(calls.includes('closePath ') && calls[0] === 'beginPath ');
      assert.ok(calls.includes('fillStyle = #eeeeee') && calls.includes('strokeStyle = #111111'));
      assert.ok(calls.includes('lineWidth = 1.5'));
    }
  });

  it('is the same on its left and on its right, or above and below', () => {
    const sorted = (/** @type {number[][]} */ places) => places.map(String).toSorted();
    const mirrored = (/** @type {string} */ symbol) => sorted(corners(symbol).map(([x, y]) => [-x + 0, y]));
    const upended = (/** @type {string} */ symbol) => sorted(corners(symbol).map(([x, y]) => [x, -y + 0]));
    for (const symbol of ['square', 'diamond', 'triangle', 'triangle-down'])
      assert.deepEqual(mirrored(symbol), sorted(corners(symbol)), symbol);
    for (const symbol of ['square', 'diamond'])
      assert.deepEqual(upended(symbol), sorted(corners(symbol)), symbol);
    assert.deepEqual(upended('triangle'), sorted(corners('triangle-down')));
    assert.ok(
      corners('triangle').some(([x, y]) => x === 0 && y < 0),
      'its tip is above',
    );
    assert.ok(corners('diamond').every(([x, y]) => x === 0 || y === 0));
    assert.ok(corners('square').every(([x, y]) => Math.abs(x) === Math.abs(y)));
  });

  it('is a star of five points around its middle, with an inside', () => {
    const places = corners('star');
    assert.equal(places.length, 10);
    const reaches = places.map(([x, y]) => rounded(Math.hypot(x, y)));
    assert.deepEqual([...new Set(reaches)], [13, 5.5]);
    assert.deepEqual(places[0].map(rounded), [0, -13], 'one of them above');
    assert.ok(drawn('star').includes('fill '));
  });

  it('without corners is a circle or a line', () => {
    const [[x, y, radius, from, to]] = numbersOf(drawn('circle'), 'arc');
    assert.deepEqual([x, y, radius, from, rounded(to)], [0, 0, 10, 0, 6.28]);
    assert.ok(drawn('circle').includes('fill '));
    const calls = drawn('tick');
    assert.deepEqual(
      [...numbersOf(calls, 'moveTo'), ...numbersOf(calls, 'lineTo')].map((place) =>
        place.map((own) => own + 0),
      ),
      [
        [0, -10],
        [0, 10],
      ],
    );
    assert.ok(!calls.includes('fill '));
    const strokes = calls.filter((call) => /^(strokeStyle|lineWidth|stroke)/.test(call));
    const line = ['strokeStyle = #111111', 'lineWidth = 2', 'stroke '];
    assert.deepEqual(strokes, ['strokeStyle = #eeeeee', 'lineWidth = 5', 'stroke ', ...line], 'with a halo');
    const plain = drawn('tick', { fill: undefined }).filter((call) =>
      /^(strokeStyle|lineWidth|stroke)/.test(call),
    );
    assert.deepEqual(plain, line, 'without one');
    const usual = callsOf((context) => drawSymbol(context, 'circle', { colour: '#111111' }));
    assert.deepEqual([numbersOf(usual, 'arc')[0][2], usual.includes('fillStyle = #111111')], [5, true]);
  });
});

describe('an entry of a legend', () => {
  const look = /** @type {any} */ ({
    colour: '#aa0000',
    outline: '#bb0000',
    fill: 'solid',
    marker: 'circle',
    dash: [4, 2],
    isHollow: false,
  });
  const colours = COLOURS.light;
  /** @param {any} swatch */
  function drawn(swatch) {
    const styles = { colours, fillOf: () => 'its fill' };
    return callsOf((context) => drawLegendItem(context, { text: 'name', swatch }, { x: 100, y: 50 }, styles));
  }
  /** @param {any} swatch @returns {[name: string, x: number, y: number]} */
  function nameIn(swatch) {
    const [call] = drawn(swatch).filter((each) => each.startsWith('fillText'));
    const [text, x, y] = call.slice('fillText '.length).split(',');
    return [text, Number(x), Number(y)];
  }
  /** @type {any[]} */
  const swatches = [
    { kind: 'bar', look },
    { kind: 'line', look },
    { kind: 'symbol', symbol: 'circle', isHollow: false },
  ];

  it('has its name in ink right of its swatch, within the width that it is given', () => {
    for (const swatch of swatches) {
      const [text, x, y] = nameIn(swatch);
      const calls = drawn(swatch);
      const widthPx = legendItemPx(recordingContext().context, { text: 'name', swatch });
      assert.deepEqual([text, y], ['name', 50]);
      const swatchPx = { bar: 16, line: 34, symbol: 12 }[/** @type {'bar'} */ (swatch.kind)];
      assert.equal(x, 100 + swatchPx + 6);
      assert.equal(widthPx, swatchPx + 6 + 4 * LETTER_PX + 18);
      assert.equal(calls.at(-2), `fillStyle = ${colours.ink}`);
      assert.deepEqual([calls[0], calls[1], calls.at(-3)], ['save ', 'translate 100,50', 'restore ']);
    }
  });

  it('shows a bar as in the plot: its fill on the background, within its outline', () => {
    const calls = drawn(swatches[0]);
    const [under, own] = numbersOf(calls, 'fillRect');
    const [outline] = numbersOf(calls, 'strokeRect');
    assert.deepEqual(outline, own);
    assert.deepEqual(under, [0, -6, 16, 12]);
    const [x, y, width, height] = own;
    assert.deepEqual([2 * x + width, 2 * y + height], [16, 0], 'in its middle');
    assert.deepEqual([2 * x, 12 - height], [1.5, 1.5], 'its outline ends where it ends');
    assert.deepEqual(calls.filter((call) => call.startsWith('fillStyle')).slice(0, 2), [
      `fillStyle = ${colours.background}`,
      'fillStyle = its fill',
    ]);
    assert.ok(calls.includes('strokeStyle = #bb0000') && calls.includes('lineWidth = 1.5'));
  });

  it('shows a line with its dashes from end to end, and its symbol in the middle without them', () => {
    const calls = drawn(swatches[1]);
    const at = (/** @type {string} */ call) => calls.indexOf(call);
    assert.ok(at('setLineDash 4,2') < at('stroke ') && at('stroke ') < at('setLineDash '));
    assert.ok(at('setLineDash ') < at('translate 17,0'));
    assert.ok(
      at('moveTo 0,0') < at('lineTo 34,0') &&
        at('beginPath ') < at('moveTo 0,0') &&
        at('lineTo 34,0') < at('stroke '),
    );
    assert.ok(calls.includes('strokeStyle = #aa0000') && calls.includes('lineWidth = 2'));
    assert.ok(calls.includes('fillStyle = #aa0000'), 'a filled symbol');
    assert.equal(numbersOf(calls, 'arc').length, 1);
  });

  it('shows a symbol in ink, hollow or not', () => {
    const [full, hollow] = [false, true].map((isHollow) => drawn({ ...swatches[2], isHollow }));
    assert.ok(full.includes('translate 6,0'));
    assert.deepEqual(
      [full, hollow].map((calls) => calls.find((call) => call.startsWith('fillStyle'))),
      [`fillStyle = ${colours.ink}`, `fillStyle = ${colours.background}`],
    );
    assert.ok(hollow.includes(`strokeStyle = ${colours.ink}`));
  });
});

describe('the fill of a bar', () => {
  const tileOf = (/** @type {any} */ fill) =>
    callsOf((context) =>
      fillStyle({ colour: '#204060', fill }, '#ffffff', (paint) => {
        paint(context);
        return {};
      }),
    );

  it('is its colour, the background, or a tint between them', () => {
    const none = () => assert.fail('no tile is needed');
    const fills = /** @type {const} */ (['solid', 'empty', 'tint']);
    const [solid, empty, tint] = fills.map((fill) => fillStyle({ colour: '#204060', fill }, '#ffffff', none));
    assert.deepEqual([solid, empty], ['#204060', '#ffffff']);
    assert.equal(tint, '#b1bcc7');
    assert.equal(mixTint('#000000', '#000000'), '#000000');
    assert.equal(mixTint('#0000ff', '#101010'), '#0a0a64');
  });

  it('is otherwise a hatch of its own, in its colour on the whole background', () => {
    const hatches = [
      'diagonal',
      'counter-diagonal',
      'lattice',
      'horizontal',
      'vertical',
      'cross',
      'bricks',
      'dots',
      'checks',
    ];
    const tiles = hatches.map(tileOf);
    assert.equal(new Set(tiles.map(String)).size, hatches.length);
    for (const calls of tiles) {
      assert.deepEqual(calls.slice(0, 2), ['fillStyle = #ffffff', 'fillRect 0,0,12,12']);
      assert.deepEqual(calls.slice(2, 6), [
        'strokeStyle = #204060',
        'fillStyle = #204060',
        'lineWidth = 3',
        'beginPath ',
      ]);
    }
    const [diagonal, counter, lattice, horizontal, vertical, cross, bricks, dots, checks] = tiles;
    const linesOf = (/** @type {string[]} */ calls) => {
      const ends = numbersOf(calls, 'lineTo');
      return numbersOf(calls, 'moveTo').map((start, index) => [...start, ...ends[index]]);
    };
    for (const [rising, sign] of /** @type {const} */ ([
      [diagonal, 1],
      [counter, -1],
    ])) {
      const lines = linesOf(rising);
      for (const [fromX, fromY, toX, toY] of lines)
        assert.equal(toX - fromX, sign * (fromY - toY), 'at 45 degrees');
      const sums = lines.map(([x, y]) => x + sign * y).toSorted((one, other) => one - other);
      assert.deepEqual(
        [sums[1] - sums[0], sums[2] - sums[1]],
        [12, 12],
        'that of the next tile goes on here',
      );
      assert.ok(
        lines.every(([fromX, , toX]) => toX - fromX > 12),
        'beyond the corners',
      );
    }
    assert.equal(diagonal.at(-1), 'stroke ');
    assert.deepEqual(linesOf(lattice), [...linesOf(diagonal), ...linesOf(counter)]);
    assert.deepEqual([linesOf(horizontal), linesOf(vertical)], [[[0, 6, 12, 6]], [[6, 0, 6, 12]]]);
    assert.deepEqual(linesOf(cross), [...linesOf(horizontal), ...linesOf(vertical)]);
    const [courses, joints] = [0, 1].map((axis) =>
      linesOf(bricks).filter((line) => line[axis + 0] !== line[axis + 2]),
    );
    assert.deepEqual(
      courses.map(([, y]) => y),
      [1, 7],
      'courses of half a tile',
    );
    assert.deepEqual(
      joints.map(([x, from, , to]) => [x, from, to]),
      [
        [1, 1, 7],
        [7, 7, 12],
      ],
      'joints in turn',
    );
    const [[x, y, radius, from, to]] = numbersOf(dots, 'arc');
    assert.deepEqual([x, y, radius, from, rounded(to), dots.at(-1)], [6, 6, 3, 0, 6.28, 'fill ']);
    assert.deepEqual(numbersOf(checks, 'fillRect').slice(1), [
      [0, 0, 6, 6],
      [6, 6, 6, 6],
    ]);
  });
});

describe('a text of a picture', () => {
  const width = (/** @type {string} */ text) => text.length;

  it('is cut with an ellipsis where it is too long, and never wider than its room', () => {
    assert.equal(fittedLine('abc', width, 3), 'abc');
    assert.equal(fittedLine('abcd', width, 3), 'ab…');
    assert.equal(fittedLine('a bcd', width, 3), 'a…');
    assert.equal(fittedLine('abcd', width, 0), '…');
    assert.equal(
      fittedLine('😀😀', (text) => [...text].length * 5, 9),
      '…',
      'a letter is not cut in two',
    );
  });

  it('is wrapped between words, and keeps all of them while there are lines', () => {
    const text = 'one two three four five';
    assert.deepEqual(wrappedLines(text, width, 7, 9), ['one two', 'three', 'four', 'five']);
    assert.deepEqual(wrappedLines(text, width, 100, 1), [text]);
    assert.deepEqual(wrappedLines(text, width, 12, 2), ['one two', 'three four …']);
    assert.deepEqual(wrappedLines(text, width, 10, 2), ['one two', 'three fou…']);
    assert.deepEqual(wrappedLines('enormous a', width, 4, 2), ['eno…', 'a']);
    assert.deepEqual(wrappedLines('', width, 4, 2), ['']);
  });
});

/** @param {any} [differences] @param {Parameters<typeof makeResults>[0]} [recipe] */
function figureLike(differences, recipe) {
  const [figure] = makeFigures(makeResults(recipe));
  return { ...figure, ...differences };
}

/** @param {any} figure @param {number} [fixedPx] */
const laidOut = (figure, fixedPx) => layOut(/** @type {any} */ (recordingContext().context), figure, fixedPx);

describe('the layout of a picture', () => {
  const symbol = { kind: 'symbol', symbol: 'circle', isHollow: false };
  const legend = Array.from({ length: 40 }, (_, index) => ({
    text: `entry ${'x'.repeat(index % 7)}`,
    swatch: symbol,
  }));
  const long = Array(60).fill('words').join(' ');
  const item = (/** @type {string} */ text, rank = 0) => ({ text, rank });
  const figures = [
    figureLike(),
    figureLike({ legend, title: long, message: long, below: [[item(long)], [item('two'), item(long, 1)]] }),
    figureLike({ legend: [], below: [[], []] }),
    figureLike({}, { payloads: [100, 10_000], shapes: ['1x1', '2x4', '4x4'] }),
    figureLike({ panels: Array(5).fill({ ...figureLike().panels[0], title: 'one' }), columns: 2 }),
  ];

  it('gives each block its room, in turn from the top to the bottom', () => {
    for (const figure of figures) {
      for (const fixedPx of [undefined, 1_500]) {
        const own = laidOut(figure, fixedPx);
        const rows = Math.ceil(figure.panels.length / figure.columns);
        const legendRows = Math.max(0, ...own.legend.map(({ row }) => row + 1));
        const edges = [
          0,
          own.titleTop,
          own.titleTop + own.title.length * LINE_PX.title + own.message.length * LINE_PX.message,
          own.legendTop,
          own.legendTop + legendRows * LEGEND_ROW_PX,
          own.panelsTop,
          own.panelsTop + rows * (own.panelPx + own.panelTitlePx),
          own.belowTop - 6,
          own.belowTop + own.below.length * LINE_PX.small,
          own.heightPx,
        ];
        assert.deepEqual(
          edges,
          edges.toSorted((one, other) => one - other),
        );
        const gaps = [edges[1], edges[3] - edges[2], edges[9] - edges[8]];
        assert.deepEqual(gaps, [18, 8, 16]);
        assert.ok(edges[7] - edges[6] < rows + 10, 'the panels take what is left');
        assert.ok(own.below.length <= 2);
        assert.equal(own.panelsTop - edges[4], legendRows === 0 ? 0 : 4);
        assert.deepEqual(
          [own.title.length <= 2, own.message.length <= 4, own.heightPx >= 450],
          [true, true, true],
        );
        if (fixedPx !== undefined) assert.equal(own.heightPx, fixedPx);
        else
          assert.ok(
            own.panelPx >= figure.panelPx &&
              own.heightPx >= own.wantedPx &&
              own.heightPx - own.wantedPx < Math.max(1, 451 - own.wantedPx),
          );
        assert.equal(
          own.panelTitlePx > 0,
          figure.panels.some((/** @type {any} */ { title }) => title !== ''),
        );
      }
    }
  });

  it('puts the entries of a legend side by side, and begins a row where the last one is full', () => {
    const { legend: places } = laidOut(figures[1]);
    const widthOf = (/** @type {any} */ { text }) => 12 + 6 + text.length * LETTER_PX + 18;
    for (const [index, { item, x, row }] of places.entries()) {
      assert.ok(x === 0 || x + widthOf(item) <= FIGURE_PX - 2 * MARGIN_PX);
      const before = places[index - 1];
      if (before === undefined) assert.deepEqual([x, row], [0, 0]);
      else if (row === before.row) assert.equal(x, before.x + widthOf(before.item));
      else {
        assert.deepEqual([x, row], [0, before.row + 1]);
        assert.ok(before.x + widthOf(before.item) + widthOf(item) > FIGURE_PX - 2 * MARGIN_PX, 'it was full');
      }
    }
    assert.ok(places.at(-1)?.row);
  });

  it('leaves out what is least important of a line below that is too long, and never makes two of it', () => {
    const words = ['first', 'second', 'third', 'fourth'].map((text) => text.padEnd(30, '.'));
    const items = [0, 3, 1, 2].map((rank, index) => item(words[index], rank));
    const belowOf = (/** @type {number} */ letters) =>
      laidOut(figureLike({ widthPx: letters * LETTER_PX + 2 * MARGIN_PX, below: [items, []] })).below;
    assert.deepEqual(belowOf(4 * 30 + 3 * 3), [words.join(' · ')]);
    assert.deepEqual(belowOf(4 * 30 + 3 * 3 - 1), [[words[0], words[2], words[3]].join(' · ')]);
    assert.deepEqual(belowOf(2 * 30 + 3), [[words[0], words[2]].join(' · ')]);
    assert.deepEqual(belowOf(30), [words[0]]);
    assert.deepEqual(belowOf(10), ['first....…']);
  });

  it('lets plots and rows be lower where its height is given', () => {
    const figure = figureLike({});
    /** @param {any} options @param {number} panels @param {number} datasets @param {boolean} [stacked] */
    const shareOf = (options, panels, datasets, stacked) => {
      const configuration = {
        data: { datasets: Array(datasets).fill({}) },
        options: { scales: { y: { stacked } }, ...options },
      };
      const own = {
        ...figure,
        panelPx: 1_000,
        columns: 1,
        panels: Array(panels).fill({ title: '', configuration }),
      };
      return rounded((laidOut(own).wantedPx - laidOut(own, 900).wantedPx) / panels / 1_000);
    };
    assert.equal(shareOf({ indexAxis: 'y' }, 1, 1), 0.28);
    assert.equal(shareOf({ indexAxis: 'y' }, 1, 2, true), 0.28);
    assert.equal(shareOf({}, 2, 1), 0.38);
    assert.equal(shareOf({}, 1, 1), 0);
  });
});

describe('a picture', () => {
  /** @param {any} figure @param {boolean} [isTransparent] */
  async function painted(figure, isTransparent = false) {
    const { context, calls } = recordingContext();
    /** @type {any[]} */
    const boxes = [];
    const layout = laidOut(figure);
    const surface = {
      context,
      fillOf: () => 'fill',
      paintPanel: (/** @type {any} */ _, /** @type {any} */ box) => void boxes.push(box),
    };
    await paintPicture(surface, { figure, layout, isTransparent, zoom: 1, scale: 1 });
    const texts = calls
      .filter((call) => call.startsWith('fillText '))
      .map((call) => {
        const [, text, x, y] = /** @type {RegExpExecArray} */ (/^fillText (.*),([^,]+),([^,]+)$/.exec(call));
        return { text, x: Number(x), y: Number(y) };
      });
    return { calls, boxes, layout, texts };
  }
  const panel = figureLike().panels[0];
  const titles = ['first', 'second', 'third', 'f'.repeat(500)];
  const figure = figureLike({
    columns: 2,
    labelPx: 90,
    widthPx: 960,
    legend: [{ text: 'entry', swatch: { kind: 'symbol', symbol: 'circle', isHollow: false } }],
    panels: titles.map((title) => ({ ...panel, title })),
  });

  it('has all its lines in the middle of their rooms, in the colours of the theme', async () => {
    for (const theme of /** @type {const} */ (['light', 'dark'])) {
      const { calls, layout, texts } = await painted({ ...figure, theme });
      const placeOf = (/** @type {string} */ wanted) =>
        texts.filter(({ text }) => text === wanted).map(({ x, y }) => [x, y]);
      const blocks = /** @type {const} */ ([
        [layout.title, layout.titleTop, 26],
        [layout.message, layout.titleTop + layout.title.length * 26, 20],
        [layout.below, layout.belowTop, LINE_PX.small],
      ]);
      for (const [lines, top, linePx] of blocks) {
        for (const [index, line] of lines.entries())
          assert.deepEqual(placeOf(line), [[MARGIN_PX, top + (index + 0.5) * linePx]], line);
      }
      assert.deepEqual(placeOf('entry'), [[MARGIN_PX + 18, layout.legendTop + LEGEND_ROW_PX / 2]]);
      const { ink, mutedInk, grid, background } = COLOURS[theme];
      const colourAt = (/** @type {string} */ start) => {
        const at = calls.findIndex((call) => call.startsWith(start));
        return calls
          .slice(0, at)
          .findLast((call) => call.startsWith('fillStyle'))
          ?.slice('fillStyle = '.length);
      };
      assert.deepEqual(
        [layout.title[0], layout.message[0], layout.below[0]].map((line) => colourAt(`fillText ${line}`)),
        [ink, mutedInk, mutedInk],
      );
      assert.equal(colourAt('fillText second'), ink);
      assert.equal(colourAt(`fillRect 24,${layout.belowTop - 6},912,1`), grid, 'a line above them');
      assert.equal(colourAt(`fillRect 0,0,960,${layout.heightPx}`), background);
      assert.ok(calls.includes('textBaseline = middle'));
    }
  });

  it('has its panels side by side, those of the first column with the names of their rows', async () => {
    const { boxes, layout, texts } = await painted(figure);
    const width = Math.floor((912 - 90 - 16) / 2);
    const tops = [0, 1].map(
      (row) => layout.panelsTop + row * (layout.panelPx + layout.panelTitlePx) + layout.panelTitlePx,
    );
    assert.deepEqual(
      boxes,
      tops.flatMap((y) => [
        { x: 24, y, width: width + 90, height: layout.panelPx },
        { x: 24 + 90 + width + 16, y, width, height: layout.panelPx },
      ]),
    );
    const named = titles.slice(0, 3).map((title) => texts.find(({ text }) => text === title));
    assert.deepEqual(
      named.map((each) => [each?.x, each?.y]),
      [
        [24 + 90, tops[0] - LINE_PX.panel / 2],
        [24 + 90 + width + 16, tops[0] - LINE_PX.panel / 2],
        [24 + 90, tops[1] - LINE_PX.panel / 2],
      ],
    );
    const cut = texts.find(({ text }) => text.startsWith('ffff'));
    assert.ok(cut?.text.endsWith('…') && cut.text.length * LETTER_PX <= width);
  });

  it('is an SVG with its words, its panels, and a tile for each hatch', async () => {
    const series = ['pipe/json', 'unix/json', 'unix/string', 'tcp/json'];
    const [figure] = makeFigures(makeResults({ series, shapes: ['1x1', '2x4'], launches: 1 }));
    const svg = await renderSvg(makePicture(figure, { zoom: 2 }));
    const [, width, height, viewBox] =
      /<svg [^>]*width="(\d+)" height="(\d+)" viewBox="([^"]+)"/.exec(svg) ?? [];
    const [, , ownWidth, ownHeight] = String(viewBox).split(' ').map(Number);
    assert.deepEqual([Number(width), Number(height)], [2 * ownWidth, Math.round(2 * ownHeight)]);
    assert.equal(ownWidth, figure.widthPx);
    for (const words of [figure.title, figure.panels[0].title])
      assert.ok(svg.includes(`>${words}</text>`), words);
    assert.ok(svg.includes(`<desc id="${figure.name}-light-desc">`));
    const patterns = [...svg.matchAll(/<pattern id="([^"]+)"[^>]*>(.*?)<\/pattern>/g)];
    assert.equal(patterns.length, 4, 'of each bar');
    for (const [, id, tile] of patterns) {
      assert.match(tile, /^<path [^>]*fill="#ffffff"/, 'on the background');
      assert.match(tile, /(stroke|fill)="#(?!ffffff)[0-9a-f]{6}"/, 'in its colour');
      assert.ok(svg.includes(`url(#${id})`), 'it is used');
    }
    const [panel] = /<g>(.*?)<\/g>/s.exec(svg) ?? [''];
    assert.ok(panel.split('<path').length > 8, 'bars and lines');
    assert.equal(
      await renderSvg(makePicture(figure, { zoom: 2 })),
      svg,
      'the same picture gives the same text',
    );
  });

  it('has no background where it is transparent', async () => {
    const { calls, layout } = await painted(figure, true);
    assert.ok(!calls.includes(`fillRect 0,0,960,${layout.heightPx}`));
  });

  it('comes with a warning where nobody could read its letters', () => {
    const told = (/** @type {number} */ zoom) =>
      sizeWarning(/** @type {any} */ ({ figure: { name: 'own' }, zoom })).warning;
    assert.deepEqual([told(1), told(7 / 13)], [undefined, undefined]);
    assert.match(told(0.5) ?? '', /^own has letters of 6\.5 px, too small to be read; choose fewer rows/);
  });
});
