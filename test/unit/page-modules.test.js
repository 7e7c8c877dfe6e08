// What the page of --html does once it is open, with as little of a browser as that needs. How it looks, and that a real browser takes
// it, is proven in test/long/page-in-browser.test.js.

import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { makeFigures } from '../../lib/report/charts/figures/figures.js';
import { makePicture } from '../../lib/report/charts/render/pictures.js';
import { COLOURS } from '../../lib/report/charts/style/colours.js';
import { readableFigure } from '../../reports/html/page-pictures.js';
import { FakeChart, FakeElement, FakePage } from '../fixtures/fake-page.js';
import { makeResults } from '../fixtures/make-results.js';

describe('without a browser', () => {
  /** @type {FakePage} */
  let page;
  /** @type {Record<string, any>} by what they export */
  let modules = {};

  before(async () => {
    page = new FakePage();
    const names = [
      ...['cell-view', 'document', 'figure-view', 'fit-figure', 'panels'],
      ...['save-picture', 'sorting', 'theme'],
    ];
    const loaded = await Promise.all(names.map((name) => import(`../../reports/html/page/${name}.js`)));
    modules = Object.assign({}, ...loaded);
  });
  after(() => page.close());
  beforeEach(() => {
    page.show([make('p', { id: 'tip' })]);
    page.system.matches = false;
    page.paper.matches = false;
    page.location.hash = '';
    page.watched = [];
    FakeChart.living = [];
  });

  /** @param {string} tag @param {Record<string, string>} [attributes] @param {(string | FakeElement)[]} [children] */
  const make = (tag, attributes, children) => new FakeElement(tag, attributes, children);

  /** @param {string} selector @returns {FakeElement} */
  function find(selector) {
    const found = page.root.querySelector(selector);
    assert.ok(found, selector);
    return found;
  }

  /** @param {Parameters<typeof makeResults>[0]} [recipe] @returns {any} as a page gets it */
  const plain = (recipe) => JSON.parse(JSON.stringify(readableFigure(makeFigures(makeResults(recipe))[0])));

  const tip = () => find('#tip');

  describe('a table of the page', () => {
    /** @param {(string | [text: string, value: number])[][]} rows @param {string[]} classes   of the heads */
    function showTable(rows, classes) {
      const heads = classes.map((name) => make('th', { class: name }, [make('button', {}, [name])]));
      const lines = rows.map((cells) =>
        make(
          'tr',
          {},
          cells.map((cell) =>
            typeof cell === 'string'
              ? make('td', {}, [cell])
              : make('td', { 'data-value': String(cell[1]) }, [cell[0]]),
          ),
        ),
      );
      page.root.append(
        make('p', { hidden: '' }, [make('input', { id: 'filter' })]),
        make('output', { id: 'filtered' }),
        make('div', { id: 'tables' }, [
          make('table', { class: 'sortable' }, [
            make('thead', {}, [make('tr', {}, heads)]),
            make('tbody', {}, lines),
          ]),
        ]),
      );
      modules.letSortAndFilter();
      return heads;
    }
    const firstCells = () => find('tbody').rows.map(({ children }) => children[0].textContent);
    const sortBy = (/** @type {FakeElement} */ head) => head.querySelector('button')?.dispatch('click');

    it('sorts numbers by their values, the greatest first, and what has none last either way', () => {
      const rows = [
        ['none', '–'],
        ['small', ['5 ms', 5]],
        ['great', ['1 s', 1_000]],
        ['absent', '–'],
        ['middle', ['70 ms', 70]],
      ];
      const [name, number] = showTable(/** @type {any} */ (rows), ['text', 'number']);
      sortBy(number);
      assert.deepEqual(firstCells(), ['great', 'middle', 'small', 'none', 'absent']);
      assert.equal(number.getAttribute('aria-sort'), 'descending');
      sortBy(number);
      assert.deepEqual(firstCells(), ['small', 'middle', 'great', 'none', 'absent']);
      assert.equal(number.getAttribute('aria-sort'), 'ascending');
      sortBy(number);
      assert.equal(number.getAttribute('aria-sort'), 'descending');
      sortBy(name);
      assert.deepEqual(
        [name, number].map((head) => head.getAttribute('aria-sort')),
        ['ascending', null],
      );
    });

    it('sorts texts from a to z, and numbers in them as numbers, thousands or not', () => {
      const [name, size] = showTable(
        [
          ['own10', '1,000 B'],
          ['own2', '900 B'],
          ['Apple', '20 B'],
        ],
        ['text', 'text'],
      );
      sortBy(name);
      assert.deepEqual(firstCells(), ['Apple', 'own2', 'own10']);
      sortBy(name);
      assert.deepEqual(firstCells(), ['own10', 'own2', 'Apple']);
      assert.equal(name.getAttribute('aria-sort'), 'descending');
      sortBy(size);
      assert.deepEqual(firstCells(), ['Apple', 'own2', 'own10']);
    });

    it('sorts across its sections, whose headings it hides then', () => {
      const [, number] = showTable(
        [
          ['small', ['5', 5]],
          ['great', ['9', 9]],
        ],
        ['text', 'number'],
      );
      const heading = make('tr', { class: 'section' }, [make('th', {}, ['Sockets'])]);
      const row = make('tr', {}, [make('td', {}, ['middle']), make('td', { 'data-value': '7' }, ['7'])]);
      find('table').append(make('tbody', {}, [heading, row]));
      sortBy(number);
      assert.deepEqual(firstCells(), ['great', 'middle', 'small']);
      assert.ok(find('table').classList.contains('sorted'));
    });

    it('hides the heading of a section without rows that are shown', async () => {
      showTable([['unix json']], ['text']);
      const heading = make('tr', { class: 'section' }, [make('th', {}, ['Sockets'])]);
      find('table').append(make('tbody', {}, [heading, make('tr', {}, [make('td', {}, ['tcp json'])])]));
      const filter = find('#filter');
      const seen = async (/** @type {string} */ text) => {
        filter.value = text;
        await filter.dispatch('input');
        return [heading.hidden, find('#filtered').textContent];
      };
      assert.deepEqual(await seen('unix'), [true, '1 of 2 rows']);
      assert.deepEqual(await seen('tcp'), [false, '1 of 2 rows']);
    });

    it('scrolls in a box only where it does not fit', () => {
      showTable([['one']], ['text']);
      const table = find('table');
      const box = make('div', { class: 'scroll' }, [table]);
      page.root.append(box);
      table.box.width = 900;
      page.resize(box, 800);
      assert.equal(box.classList.contains('fits'), false);
      page.resize(box, 900);
      assert.equal(box.classList.contains('fits'), true);
    });

    it('shows the rows that have all the words in them, in any order and case, and counts them', async () => {
      showTable([['unix json'], ['UNIX msgpack'], ['tcp json']], ['text']);
      const filter = find('#filter');
      assert.equal(filter.parent?.getAttribute('hidden'), null, 'it is offered');
      const hidden = async (/** @type {string} */ text) => {
        filter.value = text;
        await filter.dispatch('input');
        return [find('tbody').rows.map((row) => row.hidden), find('#filtered').textContent];
      };
      assert.deepEqual(await hidden('  unix '), [[false, false, true], '2 of 3 rows']);
      assert.deepEqual(await hidden('JSON unix'), [[false, true, true], '1 of 3 rows']);
      assert.deepEqual(await hidden('none'), [[true, true, true], '0 of 3 rows']);
      assert.deepEqual(await hidden(' '), [[false, false, false], '']);
    });

    it('has all its columns while the box is checked, as a browser may remember it', async () => {
      const box = make('input', { id: 'all-columns' });
      box.checked = true;
      page.root.append(box);
      showTable([['one']], ['text']);
      const isWide = () => find('#tables').classList.contains('all-columns');
      assert.equal(isWide(), true);
      box.checked = false;
      await box.dispatch('change');
      assert.equal(isWide(), false);
    });

    it('has few columns where there are no more', () => {
      showTable([['one']], ['text']);
      assert.equal(find('#tables').classList.contains('all-columns'), false);
    });
  });

  describe('the value beside a point', () => {
    /** @param {{ x: number, y: number }} at */
    function placeAt(at) {
      tip().box = { left: 0, top: 0, width: 200, height: 40 };
      modules.showTip('4,200', at);
      const { left, top } = tip().style;
      return [left, top].map((text) => Number(/^(-?\d+)px$/.exec(text)?.[1]));
    }

    it('stands below and to the right of it, and within the window', () => {
      for (const x of [0, 100, 500, 799, 999]) {
        for (const y of [0, 20, 300, 546, 599]) {
          const [left, top] = placeAt({ x, y });
          assert.ok(left > 0 && left + 200 < 1_000 && top > 0 && top + 40 < 600, `${x} ${y}: ${left} ${top}`);
          assert.ok(top > y || top + 40 < y || y < 50, 'it does not cover the point');
          if (x + 220 < 1_000) assert.ok(left > x);
          if (y + 60 < 600) assert.ok(top > y, 'below');
        }
      }
      assert.deepEqual(
        placeAt({ x: -500, y: 9_000 }).map((px) => px >= 4),
        [true, true],
      );
      assert.equal(placeAt({ x: -500, y: 0 })[0], 4);
    });

    it('is told to screen readers once, and hidden again', () => {
      tip().hidden = true;
      placeAt({ x: 1, y: 1 });
      const [text] = tip().childNodes;
      assert.deepEqual([tip().hidden, text], [false, '4,200']);
      const own = Object.getOwnPropertyDescriptor(FakeElement.prototype, 'textContent');
      let writes = 0;
      Object.defineProperty(tip(), 'textContent', {
        get: () => text,
        set: () => (writes += 1),
        configurable: true,
      });
      assert.ok(own);
      placeAt({ x: 2, y: 2 });
      assert.equal(writes, 0, 'a text that stays is not told again');
      modules.hideTip();
      assert.equal(tip().hidden, true);
    });
  });

  describe('the theme of the page', () => {
    it('is that of the system until the reader says otherwise, and light on paper', async () => {
      const button = make('button');
      let changes = 0;
      modules.offerThemes(button, () => {
        changes += 1;
      });
      const seen = () => [modules.drawnTheme(), button.textContent, changes];
      assert.deepEqual(seen(), ['light', 'Dark', 1]);
      page.system.matches = true;
      await page.system.dispatch('change');
      assert.deepEqual(seen(), ['dark', 'Light', 2]);
      await button.dispatch('click');
      assert.deepEqual(seen(), ['light', 'Dark', 3], 'the reader is asked first');
      await button.dispatch('click');
      assert.deepEqual(seen(), ['dark', 'Light', 4]);
      page.system.matches = false;
      assert.equal(modules.drawnTheme(), 'dark');
      page.paper.matches = true;
      await page.paper.dispatch('change');
      assert.deepEqual(seen(), ['light', 'Light', 5]);
      page.root.dataset.theme = 'pink';
      page.paper.matches = false;
      assert.equal(modules.drawnTheme(), 'light', 'a theme that is none is not chosen');
    });
  });

  describe('what a page brings along', () => {
    it('is unpacked once', async () => {
      const script = make('script', { id: 'data-facts' }, [gzipSync('{"theme":"dark"}').toString('base64')]);
      page.root.append(script);
      assert.deepEqual(await modules.embedded('facts'), { theme: 'dark' });
      script.textContent = 'spoiled';
      assert.deepEqual(await modules.embedded('facts'), { theme: 'dark' });
      await assert.rejects(async () => modules.embedded('other'), /the page has no data-other/);
    });
  });

  describe('the panels of a figure', () => {
    const RECIPE = { payloads: [100, 10_000], shapes: ['1x1', '2x4'] };
    /** @param {any} figure @returns {{ place: FakeElement, canvases: FakeElement[], charts: any[], free: () => void }} */
    function draw(figure, theme = 'light') {
      const place = make('div');
      page.root.append(place);
      FakeChart.living = [];
      const free = modules.drawPanels(place, { ...figure, theme }, figure.widthPx);
      return { place, canvases: place.querySelectorAll('canvas'), charts: [...FakeChart.living], free };
    }

    it('are charts side by side, of which the first of a row has room for the names', () => {
      const [panel] = plain(RECIPE).panels;
      const figure = {
        ...plain(RECIPE),
        panels: [panel, { ...panel, title: '' }, panel],
        columns: 2,
        labelPx: 100,
        widthPx: 916,
        panelPx: 300,
      };
      const { place, canvases, charts, free } = draw(figure);
      const [grid] = place.children;
      assert.deepEqual(
        canvases.map((/** @type {any} */ { width, height }) => [width, height]),
        [
          [500, 300],
          [400, 300],
          [500, 300],
        ],
      );
      assert.equal(grid.style.gridTemplateColumns, '500fr 400fr');
      assert.equal(grid.style.columnGap, '16px');
      assert.deepEqual(
        grid.children.map(({ children }) => children.map(({ tag }) => tag)),
        [['p', 'canvas'], ['canvas'], ['p', 'canvas']],
      );
      assert.deepEqual(
        canvases.map(({ attributes }) =>
          attributes['aria-label'].replace('. Arrow keys read its values.', ''),
        ),
        [panel.title, figure.title, panel.title],
      );
      for (const canvas of canvases) assert.equal(canvas.getAttribute('style'), null);
      for (const { options } of charts)
        assert.deepEqual(
          [options.responsive, options.animation, options.devicePixelRatio],
          [false, false, 2],
        );
      free();
      assert.deepEqual([FakeChart.living, place.children], [[], []]);
    });

    /** @param {any} differences */
    function drawOne(differences) {
      const figure = plain();
      const [panel] = figure.panels;
      const configuration = {
        ...panel.configuration,
        data: { datasets: [], ...differences.data },
        options: { ...panel.configuration.options, indexAxis: differences.indexAxis },
      };
      const { canvases, charts } = draw({
        ...figure,
        panels: [{ title: 'one', said: differences.said, configuration }],
      });
      const [canvas, chart] = [canvases[0], charts[0]];
      canvas.box = { left: 50, top: 20, width: chart.width / 2, height: 100 };
      const press = (/** @type {string} */ key) => {
        let isTaken = false;
        canvas.dispatch('keydown', { key, preventDefault: () => (isTaken = true) });
        return [tip().hidden ? null : tip().textContent, isTaken];
      };
      return { canvas, chart, press };
    }

    it('tell their values to keys: along a line, and then the next one', () => {
      const { canvas, press } = drawOne({
        said: [
          ['a0', null, 'a2'],
          [null, 'b1', null],
        ],
      });
      canvas.dispatch('focus');
      assert.equal(tip().textContent, 'a0');
      assert.deepEqual(press('ArrowRight'), ['a2', true]);
      // Point 2 of data set 0 is 20 px from the left of the chart, which the page shows half as wide.
      assert.deepEqual([tip().style.left, tip().style.top], ['74px', '34px']);
      assert.deepEqual(press('ArrowDown'), ['b1', true]);
      assert.deepEqual([tip().style.left, tip().style.top], ['69px', '84px']);
      assert.deepEqual(press('ArrowDown'), ['a0', true], 'and from the start again');
      assert.deepEqual(press('ArrowLeft'), ['b1', true]);
      assert.deepEqual(press('ArrowUp'), ['a2', true]);
      assert.deepEqual(press('Escape'), [null, false]);
      assert.deepEqual(press('Tab'), [null, false]);
      canvas.dispatch('focus');
      assert.deepEqual([tip().hidden, tip().textContent], [false, 'a2'], 'where the reader was');
      canvas.dispatch('blur');
      assert.equal(tip().hidden, true);
    });

    it('tell the bars of a label one after the other', () => {
      const { canvas, press } = drawOne({
        said: [
          ['a0', 'a1'],
          ['b0', 'b1'],
        ],
        data: { labels: ['zero', 'one'] },
      });
      canvas.dispatch('focus');
      assert.deepEqual(
        ['ArrowRight', 'ArrowRight', 'ArrowRight'].map((key) => press(key)[0]),
        ['b0', 'a1', 'b1'],
      );
    });

    it('tell nothing where they have no values', () => {
      const { canvas, press } = drawOne({ said: [[null]] });
      tip().hidden = true;
      canvas.dispatch('focus');
      assert.deepEqual(press('ArrowRight'), [null, true]);
    });

    it('tell what is nearest to the pointer: in both directions, or along the labels alone', () => {
      for (const [differences, axis] of /** @type {[Record<string, unknown>, string][]} */ ([
        [{}, 'xy'],
        [{ data: { labels: ['zero', 'one'] } }, 'x'],
        [{ data: { labels: ['zero', 'one'] }, indexAxis: 'y' }, 'y'],
      ])) {
        const { canvas, chart } = drawOne({ said: [[null, 'a1']], ...differences });
        chart.found = [
          { datasetIndex: 0, index: 0 },
          { datasetIndex: 0, index: 1 },
        ];
        canvas.dispatch('pointermove', { clientX: 300, clientY: 200 });
        assert.deepEqual(chart.asked.slice(1), ['nearest', { intersect: false, axis }]);
        assert.deepEqual([tip().textContent, tip().hidden, tip().style.left], ['a1', false, '314px']);
        chart.found = [];
        canvas.dispatch('pointermove', { clientX: 300, clientY: 200 });
        assert.equal(tip().hidden, true);
        tip().hidden = false;
        canvas.dispatch('pointerleave');
        assert.equal(tip().hidden, true);
      }
    });
  });

  describe('a figure of the page', () => {
    /** @param {any} figure */
    function show(figure, boxPx = 960) {
      const alt = make('p', { class: 'alt' }, ['in words']);
      const box = make('div', { class: 'drawn' }, [alt]);
      box.box.width = boxPx;
      const frame = make('figure', {}, [make('h3', {}, ['its heading']), box]);
      page.root.append(frame);
      modules.showFigure(frame, figure);
      const canvases = () => box.querySelectorAll('canvas');
      return { frame, box, alt, canvases };
    }
    const look = {
      colour: '#112233',
      outline: '#112233',
      fill: 'solid',
      marker: 'circle',
      dash: [],
    };
    const legend = [
      { text: 'a bar', swatch: { kind: 'bar', look } },
      { text: 'a line', swatch: { kind: 'line', look } },
      { text: 'a symbol', swatch: { kind: 'symbol', symbol: 'diamond', isHollow: true } },
    ];
    const bare = () => ({ ...plain(), widthPx: 960, columns: 1, panelPx: 300, title: 'own title', legend });

    it('is drawn when it comes near, and given up when it is far away, without a jump of what is below', () => {
      const { frame, box, alt, canvases } = show(bare());
      assert.deepEqual(page.watched, [frame]);
      assert.equal(alt.classList.contains('unseen'), true, 'its words are for screen readers now');
      assert.deepEqual([canvases().length, box.style.minHeight], [0, '300px']);
      page.scroll(frame, false);
      assert.equal(box.style.minHeight, '300px', 'what is not drawn has no height of its own');
      page.scroll(frame, true);
      page.scroll(frame, true);
      assert.deepEqual([canvases().length, box.style.minHeight], [1, '']);
      assert.ok(frame.querySelectorAll('.legend li canvas').length > 0);
      box.box.height = 345;
      page.scroll(frame, false);
      assert.deepEqual([canvases().length, box.style.height, FakeChart.living], [0, '345px', []]);
    });

    it('keeps its SVG until it is drawn, at its own height, and gets it back when it is given up', () => {
      const { frame, box } = show(bare());
      const [pictured] = [show(bare())];
      pictured.box.append(make('svg'));
      modules.showFigure(pictured.frame, bare());
      assert.equal(box.style.minHeight, '300px', 'without one there is nothing to be seen yet');
      page.scroll(frame, true);
      box.box.height = 345;
      page.scroll(frame, false);
      assert.equal(box.style.height, '345px', 'no jump of what is below');
      page.scroll(frame, true);
      assert.equal(box.style.height, '');
      modules.forgetFigures(page.root);
    });

    it('is drawn anew for another width, and not for the same', () => {
      const { frame, box, canvases } = show(bare());
      page.resize(box, 700);
      assert.deepEqual(canvases(), [], 'it is not near');
      page.scroll(frame, true);
      const widthOf = () => /** @type {any} */ (canvases()[0]).width;
      assert.equal(widthOf(), 700);
      const [first] = canvases();
      page.resize(box, 700);
      assert.equal(canvases()[0], first);
      page.resize(box, 800);
      assert.equal(widthOf(), 800);
      page.resize(box, 0);
      assert.equal(widthOf(), 800, 'it is not shown: another page is');
      modules.forgetFigures(page.root);
    });

    it('is drawn anew in the other theme, where it is drawn at all', () => {
      const [near, far] = [show(bare()), show(bare())];
      page.scroll(near.frame, true);
      const [light] = /** @type {any[]} */ (FakeChart.living);
      page.system.matches = true;
      modules.redrawFigures();
      const [dark, ...others] = /** @type {any[]} */ (FakeChart.living);
      assert.deepEqual([others, far.canvases()], [[], []]);
      assert.notEqual(dark, light);
      const gridsOf = (/** @type {any} */ { options }) =>
        Object.values(options.scales).flatMap(({ grid }) => grid.color ?? []);
      assert.deepEqual([light, dark].map(gridsOf), [[COLOURS.light.grid], [COLOURS.dark.grid]]);
      modules.forgetFigures(page.root);
    });

    it('is drawn for paper wherever it is, and stays until the paper is printed', () => {
      const { frame, canvases } = show(bare());
      modules.drawForPaper(true);
      assert.equal(canvases().length, 1);
      page.scroll(frame, false);
      assert.equal(canvases().length, 1);
      modules.drawForPaper(false);
      page.scroll(frame, false);
      assert.equal(canvases().length, 0);
      modules.forgetFigures(page.root);
    });

    it('is forgotten with the place where it stands', () => {
      const { frame, canvases } = show(bare());
      page.root.append(make('figure')); // of another kind
      page.scroll(frame, true);
      modules.forgetFigures(page.root);
      assert.deepEqual([page.watched, canvases(), FakeChart.living], [[], [], []]);
      modules.drawForPaper(true);
      modules.drawForPaper(false);
      assert.deepEqual(canvases(), []);
    });

    it('shows a swatch for each name in its legend, as large as it is drawn', () => {
      const { frame, box } = show(bare());
      page.scroll(frame, true);
      const [list] = frame.querySelectorAll('.legend');
      assert.deepEqual(frame.children.indexOf(list) + 1, frame.children.indexOf(box), 'above the picture');
      assert.deepEqual(
        list.children.map(({ textContent }) => textContent),
        [' a bar', ' a line', ' a symbol'],
      );
      const canvases = /** @type {any[]} */ (list.querySelectorAll('canvas'));
      assert.deepEqual(
        canvases.map(({ width, height }) => [width, height]),
        [
          [36, 40],
          [72, 40],
          [28, 40],
        ],
      );
      for (const { calls, attributes } of canvases) {
        assert.equal(attributes['aria-hidden'], 'true');
        assert.ok(
          calls.indexOf('scale 2,2') === 0 &&
            calls.includes('translate 1,10') &&
            calls.some((/** @type {string} */ call) => call.startsWith('stroke')),
        );
      }
      assert.equal(show({ ...bare(), legend: [] }).frame.querySelector('.legend'), null);
    });
  });

  describe('a figure on a phone', () => {
    const WIDTH_PX = 358;

    it('is as it is where the page is wide', () => {
      const figure = plain();
      assert.equal(modules.fitFigure(figure, 700), figure);
    });

    it('has the names and values of rows above their bars, which have the whole width', () => {
      const figure = plain();
      const [{ configuration }] = modules.fitFigure(figure, WIDTH_PX).panels;
      const { labels } = configuration.data;
      const words = configuration.marks.filter((/** @type {any} */ { text }) => text !== undefined);
      assert.equal(words.length, labels.length);
      for (const { text, index, dx, dy, value } of words) {
        assert.ok(text.startsWith(labels[index]), text);
        assert.deepEqual([dx, value], [1, undefined], 'it begins at the axis');
        assert.ok(dy < 0 || text === labels[index], 'above');
        const [{ configuration: wide }] = figure.panels;
        const own = wide.marks.find((/** @type {any} */ mark) => mark.index === index && mark.text);
        const said = text.slice(labels[index].length).trim();
        assert.ok(said === (own?.text ?? '') || own.text.startsWith(`${said}: `), 'but the reason of a gap');
      }
      const { layout, scales } = configuration.options;
      assert.ok(layout.padding.right <= 20);
      assert.deepEqual([scales.y.widthPx, scales.y.ticks.display, scales.x.ticks.autoSkip], [0, false, true]);
    });

    it('has its panels below each other, the names of lines in the legend, and upright words on narrow bars', () => {
      const shapes = ['1x1', '2x4', '4x4'];
      const results = makeResults({ payloads: [100, 1_000, 10_000], shapes, fail: () => null });
      for (const figure of makeFigures(results)) {
        const made = JSON.parse(JSON.stringify(readableFigure(figure)));
        const fitted = modules.fitFigure(made, WIDTH_PX);
        assert.deepEqual([fitted.columns, fitted.labelPx], [1, 0]);
        const ends = made.panels.flatMap((/** @type {any} */ { configuration }) =>
          configuration.marks.filter((/** @type {any} */ { isLineEnd }) => isLineEnd),
        );
        const names = new Set(ends.map((/** @type {any} */ { text }) => text));
        const legend = fitted.legend.slice(made.legend.length);
        assert.deepEqual(new Set(legend.map((/** @type {any} */ { text }) => text)), names);
        assert.equal(legend.length, names.size, 'each once');
        const marks = fitted.panels.flatMap((/** @type {any} */ { configuration }) => configuration.marks);
        assert.ok(marks.every((/** @type {any} */ { isLineEnd }) => !isLineEnd));
      }
    });
  });

  describe('the page of a cell', () => {
    const figure = () => ({ ...plain(), altText: 'what it shows' });
    const cells = () => [
      {
        title: 'unix/json',
        place: '1,000 B, 2x4',
        blocks: [
          {
            heading: 'Numbers',
            terms: [
              ['estimate', '42'],
              ['launches', '6'],
            ],
            figure: figure(),
            notes: ['one', 'two'],
          },
          {
            heading: 'Launches',
            notes: ['a note'],
            table: {
              titles: ['launch', 'rate'],
              rows: [
                ['1', '40'],
                ['2', '44'],
              ],
            },
          },
        ],
      },
      { title: 'tcp/json', place: '1,000 B, 2x4', blocks: [] },
    ];
    beforeEach(() => {
      const data = make('script', { id: 'data-cells' }, [
        gzipSync(JSON.stringify(cells())).toString('base64'),
      ]);
      const rows = make('div', { id: 'tables' }, [
        make('a', { href: '#cell-0' }),
        make('a', { href: '#cell-1' }),
      ]);
      page.root.append(data, make('main', { id: 'overview' }, [rows]), make('main', { id: 'cell' }));
    });
    /** @param {string} hash */
    async function go(hash, isMoved = true) {
      page.location.hash = hash;
      await modules.showAddress(isMoved);
    }
    const shown = () => ['#overview', '#cell'].filter((selector) => !find(selector).hidden);

    it('has its title, its numbers, its pictures and its tables', async () => {
      await go('#cell-0');
      assert.deepEqual(shown(), ['#cell']);
      const textsOf = (/** @type {string} */ selector) =>
        find('#cell')
          .querySelectorAll(selector)
          .map(({ textContent }) => textContent);
      assert.deepEqual(
        [textsOf('h1'), textsOf('.question'), textsOf('h2')],
        [['unix/json'], ['1,000 B, 2x4'], ['Numbers', 'Launches']],
      );
      assert.deepEqual(
        [textsOf('dt'), textsOf('dd')],
        [
          ['estimate', 'launches'],
          ['42', '6'],
        ],
      );
      assert.deepEqual(
        [textsOf('dl').length, textsOf('table').length, textsOf('section p.muted'), textsOf('section ul li')],
        [1, 1, ['a note'], ['one', 'two']],
      );
      assert.deepEqual(
        [textsOf('thead th'), textsOf('tbody th'), textsOf('tbody td')],
        [
          ['launch', 'rate'],
          ['1', '2'],
          ['40', '44'],
        ],
      );
      const [cell] = find('#cell').querySelectorAll('tbody td');
      assert.deepEqual([cell.classes, cell.dataset.title], [['number'], 'rate'], 'a card says its title');
      assert.deepEqual([textsOf('caption'), textsOf('.alt')], [['Launches'], ['what it shows']]);
      assert.deepEqual(page.watched, [find('#cell figure')]);
      assert.deepEqual(find('#cell h1').calls, ['focus'], 'the reader came by a link');
      assert.ok(page.window.calls.includes('scrollTo 0,0'));
      await go('#cell-1', false);
      assert.deepEqual([textsOf('h1'), page.watched, find('#cell h1').calls], [['tcp/json'], [], []]);
      await go('');
    });

    it('gives way to the overview, with the reader where they were', async () => {
      await go('#cell-1');
      await go('');
      assert.deepEqual(shown(), ['#overview']);
      const focused = () => find('#tables').children.map(({ calls }) => calls.length);
      assert.deepEqual([focused(), find('#cell').children], [[0, 1], []]);
      await go('#tables');
      assert.deepEqual(
        [focused(), find('#tables').calls],
        [[0, 1], []],
        'a link within the overview is the browser’s own',
      );
      await go('#cell-1');
      find('#tables').replaceChildren();
      await go('#tables');
      assert.deepEqual(find('#tables').calls, ['scrollIntoView'], 'its row is gone');
      for (const hash of ['#cell-2', '#cell-x', '#cell-1x', '#my-cell-1']) {
        await go(hash);
        assert.deepEqual([shown().includes('#overview'), find('#cell').children], [true, []], hash);
      }
    });

    it('is not shown where the reader has gone on before it is unpacked', async () => {
      page.location.hash = '#cell-0';
      const first = modules.showAddress(true);
      page.location.hash = '#cell-1';
      await Promise.all([first, modules.showAddress(true)]);
      assert.deepEqual(
        find('#cell')
          .querySelectorAll('h1')
          .map(({ textContent }) => textContent),
        ['tcp/json'],
      );
      await go('');
    });
  });

  describe('a picture that is saved from the page', () => {
    it('has the size and the places of --png in its theme, under its name', async (t) => {
      t.mock.timers.enable({ apis: ['setTimeout'] });
      const urls = /** @type {string[]} */ ([]);
      t.mock.method(URL, 'revokeObjectURL', (/** @type {string} */ url) => urls.push(url));
      const links = /** @type {FakeElement[]} */ ([]);
      const canvases = /** @type {any[]} */ ([]);
      const { createElement } = document;
      t.mock.method(document, 'createElement', (/** @type {string} */ tag) => {
        const made = /** @type {any} */ (createElement(tag));
        if (tag === 'a') links.push(made);
        if (tag === 'canvas') canvases.push(made);
        return made;
      });
      const picture = makePicture(makeFigures(makeResults())[0], { zoom: 1.5, scale: 2 });
      const json = JSON.parse(JSON.stringify({ ...picture, figure: readableFigure(picture.figure) }));
      const charts = /** @type {FakeChart[]} */ ([]);
      class SeenChart extends FakeChart {
        constructor(/** @type {FakeElement} */ canvas, /** @type {any} */ configuration) {
          super(canvas, configuration);
          charts.push(this);
        }
      }
      const globals = /** @type {any} */ (globalThis);
      t.after(() => (globals.Chart = FakeChart));
      globals.Chart = SeenChart;
      await modules.savePicture(json, 'dark');
      const [canvas, ...panels] = canvases;
      assert.deepEqual(
        [canvas.width, canvas.height],
        [picture.figure.widthPx * 3, Math.round(picture.layout.heightPx * 3)],
      );
      assert.ok(canvas.calls.indexOf('scale 3,3') === 0);
      assert.ok(canvas.calls.includes(`fillStyle = ${COLOURS.dark.background}`));
      const drawn = canvas.calls.filter((/** @type {string} */ call) => call.startsWith('drawImage'));
      assert.equal(drawn.length, picture.figure.panels.length);
      const [x, y] = drawn[0].split(',').slice(1).map(Number);
      assert.equal(x, 24 * 3);
      assert.equal(y, Math.round((picture.layout.panelsTop + picture.layout.panelTitlePx) * 3));
      const at = canvas.calls.indexOf(drawn[0]);
      assert.deepEqual(
        [canvas.calls[at - 2], canvas.calls[at - 1], canvas.calls[at + 1]],
        ['save ', 'resetTransform ', 'restore '],
        'pixel on pixel',
      );
      assert.ok(panels.some(({ height }) => height === picture.layout.panelPx));
      assert.deepEqual(FakeChart.living, []);
      assert.equal(charts.length, picture.figure.panels.length);
      for (const { options } of charts)
        assert.deepEqual(
          [options.responsive, options.animation, options.devicePixelRatio],
          [false, false, 3],
        );
      const [link] = links;
      assert.deepEqual(
        [link.calls, link.getAttribute('download')],
        [['click'], `${picture.figure.name}.png`],
      );
      assert.deepEqual(urls, [], 'the browser still reads it');
      t.mock.timers.tick(60_000);
      assert.deepEqual(urls, [link.getAttribute('href')]);
    });
  });

  describe('the page once it is open', () => {
    it('offers its tools, shows its pictures, saves its files, and opens all for paper', async (t) => {
      t.mock.timers.enable({ apis: ['setTimeout'] });
      const packed = (/** @type {string} */ id, /** @type {string} */ text) =>
        make('script', { id }, [gzipSync(text).toString('base64')]);
      const picture = makePicture(makeFigures(makeResults())[0]);
      const pictures = [
        { figure: readableFigure(picture.figure) },
        { figure: { ...readableFigure(picture.figure), panels: [] } },
      ];
      const tools = [make('p', { class: 'tools', hidden: '' }), make('p', { class: 'tools', hidden: '' })];
      const [open, closed] = [make('details'), make('details')];
      open.open = true;
      const save = make('button', { 'data-file': 'results.json' });
      const frames = [1, 0].map((index) =>
        make('figure', { 'data-picture': String(index) }, [make('div', { class: 'drawn' })]),
      );
      for (const frame of frames) frame.children[0].box.width = 900;
      const copy = make('button', { 'data-copy': '', hidden: '' }, ['Copy']);
      page.root.append(make('p', {}, [make('code', {}, ['npx ipc-bench --seed 7']), copy]));
      page.root.append(
        make('p', {}, [make('input', { id: 'filter' })]),
        ...[...tools, open, closed, save, ...frames],
        ...[
          make('output', { id: 'filtered' }),
          make('button', { id: 'theme' }),
          make('main', { id: 'overview' }),
        ],
        ...[make('main', { id: 'cell' }), make('div', { id: 'tables' })],
        packed('data-facts', '{"theme":"light"}'),
        packed('data-pictures', JSON.stringify(pictures)),
        packed('file-results.json', '{"raw":1}'),
      );
      const blobs = /** @type {Blob[]} */ ([]);
      t.mock.method(URL, 'createObjectURL', (/** @type {Blob} */ blob) => {
        blobs.push(blob);
        return 'blob:own';
      });
      await import('../../reports/html/page/page.js');
      const untilMs = performance.now() + 10_000;
      while (page.root.dataset.ready === undefined && performance.now() < untilMs)
        await new Promise((resolve) => setImmediate(resolve));
      assert.equal(page.root.dataset.ready, 'true');
      assert.deepEqual(
        tools.map((each) => each.getAttribute('hidden')),
        [null, null],
      );
      assert.equal(find('#theme').textContent, 'Dark');
      assert.equal(copy.hidden, false);
      await copy.dispatch('click');
      assert.deepEqual([page.copied, copy.textContent], [['npx ipc-bench --seed 7'], 'Copied']);
      assert.deepEqual(find('code').calls, ['select']);
      assert.deepEqual(
        page.fonts.map((font) => font.slice(0, 8)),
        ['400 12px', '600 12px'],
      );
      assert.deepEqual(page.watched, frames);
      page.scroll(frames[1], true);
      assert.deepEqual(
        frames.map((frame) => frame.querySelectorAll('.panels canvas').length),
        [0, picture.figure.panels.length],
      );
      await save.dispatch('click');
      assert.deepEqual([await blobs[0].text(), blobs[0].type], ['{"raw":1}', 'application/json']);
      assert.deepEqual(
        frames.map((frame) => frame.querySelectorAll('button.save').length),
        [1, 1],
      );
      const notes = page.root.querySelectorAll('details').filter((each) => !each.open);
      assert.ok(notes.includes(closed) && !notes.includes(open));
      await page.window.dispatch('beforeprint');
      assert.ok(page.root.querySelectorAll('details').every((each) => each.open));
      page.scroll(frames[1], false);
      assert.ok(frames[1].querySelectorAll('.panels canvas').length > 0, 'paper has no scrolling');
      await page.window.dispatch('afterprint');
      assert.deepEqual([open.open, notes.map((each) => each.open)], [true, notes.map(() => false)]);
      page.scroll(frames[1], false);
      assert.equal(frames[1].querySelectorAll('.panels canvas').length, 0);
      find('#cell').append('old');
      await page.window.dispatch('hashchange');
      assert.equal(find('#cell').textContent, '', 'addresses are followed');
      modules.forgetFigures(page.root);
    });
  });
});
