// The plain data of a panel → as Chart.js takes it, on whatever canvas.

import { FONT_FAMILY, TEXT_PX } from '../style/letters.js';
import { drawSymbol } from './legend.js';

/** @import { Configuration, FillChoice, Mark, Whiskers } from '../scene-types.js' */

// What Chart.js does not draw by itself: intervals as whiskers over bars and points, values at bars, gaps with their mark, published
// figures, percentiles, names at the ends of lines. Plug-ins for one configuration, not registered, so that they need no chart.js
// of their own: in an installed ipc-bench npm gives a package of error bars another one than that which draws.

const WHISKER_PX = 1.25;
const HALO_PX = 3.5;
const LINE_END_PX = TEXT_PX + 4; // from one name to the next
const LEADER_PX = 30; // from the plot to a name

/** @param {any} chart @param {Mark} mark @returns {{ x: number, y: number }} in pixels */
function locateMark(chart, mark) {
  const { dx = 0, dy = 0 } = mark;
  const { scales, chartArea } = chart;
  if (mark.datasetIndex === undefined || mark.index === undefined) {
    const y = mark.y === undefined ? chartArea.bottom : scales.y.getPixelForValue(mark.y);
    return { x: scales.x.getPixelForValue(mark.x) + dx, y: y + dy };
  }
  const isHorizontal = chart.options.indexAxis === 'y';
  const scale = isHorizontal ? scales.x : scales.y;
  const bar = chart.getDatasetMeta(mark.datasetIndex).data[mark.index];
  const along = scale.getPixelForValue(mark.value ?? scale.min);
  return isHorizontal ? { x: along + dx, y: bar.y + dy } : { x: bar.x + dx, y: along + dy };
}

/** @param {any} context @param {{ x: number, y: number }} place   pixels @param {Mark} mark */
function drawMark(
  context,
  { x, y },
  { symbol, text = '', colour, fill, halo, sizePx, weight = 400, align = 'left' },
) {
  context.save();
  context.translate(x, y);
  if (symbol !== undefined) {
    drawSymbol(context, symbol, { colour, fill, radius: sizePx });
    context.restore();
    return;
  }
  context.font = `${weight} ${sizePx ?? TEXT_PX}px ${FONT_FAMILY}`;
  context.textAlign = align;
  context.textBaseline = 'middle';
  if (halo !== undefined) {
    context.strokeStyle = halo;
    context.lineWidth = 5;
    context.lineJoin = 'round';
    context.strokeText(text, 0, 0);
  }
  context.fillStyle = colour;
  context.fillText(text, 0, 0);
  context.restore();
}

/**
 * Names that would overlap are pushed down just far enough, and back up if the last one leaves the plot.
 * @param {number[]} wanted   pixels, ascending
 * @param {number} top
 * @param {number} bottom
 * @param {number} gap
 * @returns {number[]}
 */
export function spreadOut(wanted, top, bottom, gap = LINE_END_PX) {
  const places = [...wanted];
  for (let index = 0; index < places.length; index += 1) {
    places[index] = Math.max(places[index], index === 0 ? top : places[index - 1] + gap);
  }
  for (let index = places.length - 1; index >= 0; index -= 1) {
    places[index] = Math.min(places[index], index === places.length - 1 ? bottom : places[index + 1] - gap);
  }
  return places;
}

/** @param {any} chart @param {Mark[]} marks @returns {{ mark: Mark, from: { x: number, y: number } }[]} from the top down */
const locatedMarks = (chart, marks) =>
  marks
    .map((mark) => ({ mark, from: locateMark(chart, mark) }))
    .sort((one, other) => one.from.y - other.from.y);

/** @param {any} chart @param {Mark[]} marks */
function drawLineEnds(chart, marks) {
  const { ctx: context, chartArea } = chart;
  const ends = locatedMarks(chart, marks);
  const places = spreadOut(
    ends.map(({ from }) => from.y),
    chartArea.top,
    chartArea.bottom - TEXT_PX / 2, // the last label of the axis stands below
  );
  for (const [index, { mark, from }] of ends.entries()) {
    context.save();
    context.strokeStyle = mark.fill ?? mark.colour;
    context.lineWidth = 1;
    context.beginPath();
    context.moveTo(from.x + 7, from.y);
    context.lineTo(chartArea.right + LEADER_PX, places[index]);
    context.stroke();
    context.restore();
    drawMark(context, { x: chartArea.right + LEADER_PX + 4, y: places[index] }, mark);
  }
}

/** The marks are handed over past Chart.js, whose options fill every missing field from their defaults. @param {Mark[]} marks */
export const marksPlugin = (marks) => ({
  id: 'marks',
  /** @param {any} chart */
  afterDatasetsDraw(chart) {
    for (const mark of marks.filter(({ isLineEnd }) => !isLineEnd))
      drawMark(chart.ctx, locateMark(chart, mark), mark);
    drawLineEnds(
      chart,
      marks.filter(({ isLineEnd }) => isLineEnd),
    );
  },
});

/**
 * @param {any} context
 * @param {{ from: number, to: number, across: number, isHorizontal: boolean }} place   pixels
 * @param {Whiskers} whiskers
 */
function drawWhisker(context, { from, to, across, isHorizontal }, { colour, halo, capPx }) {
  const half = capPx / 2;
  /** @param {number} along @param {number} aside */
  const at = (along, aside) => (isHorizontal ? [along, across + aside] : [across + aside, along]);
  for (const [style, widthPx] of [
    [halo, HALO_PX],
    [colour, WHISKER_PX],
  ]) {
    if (style === undefined) continue;
    context.strokeStyle = style;
    context.lineWidth = widthPx;
    context.beginPath();
    context.moveTo(...at(from, 0));
    context.lineTo(...at(to, 0));
    for (const end of [from, to]) {
      context.moveTo(...at(end, -half));
      context.lineTo(...at(end, half));
    }
    context.stroke();
  }
}

/** Moves lines with their points to the right by the `dodgePx` of their data set. */
const dodgePlugin = {
  id: 'dodge',
  /** @param {any} chart */
  afterUpdate(chart) {
    for (const [datasetIndex, { dodgePx = 0 }] of chart.data.datasets.entries()) {
      for (const element of chart.getDatasetMeta(datasetIndex).data) element.x += dodgePx;
    }
  },
};

export const whiskersPlugin = {
  id: 'whiskers',
  /** @param {any} chart */
  afterDatasetsDraw(chart) {
    const isHorizontal = chart.options.indexAxis === 'y';
    const axis = isHorizontal ? 'x' : 'y';
    const scale = chart.scales[axis];
    chart.ctx.save();
    chart.ctx.lineCap = 'butt';
    for (const [datasetIndex, { data, whiskers }] of chart.data.datasets.entries()) {
      if (whiskers === undefined) continue;
      const elements = chart.getDatasetMeta(datasetIndex).data;
      for (const [index, point] of data.entries()) {
        if (point[axis] === null) continue;
        const highs = [point[`${axis}Max`]].flat();
        for (const [which, low] of [point[`${axis}Min`] ?? []].flat().entries()) {
          if (low === null) continue;
          const [from, to] = [low, highs[which]].map((value) => scale.getPixelForValue(value));
          const across = isHorizontal ? elements[index].y : elements[index].x;
          drawWhisker(chart.ctx, { from, to, across, isHorizontal }, whiskers);
        }
      }
    }
    chart.ctx.restore();
  },
};

/** @typedef {{ density: number, background: string, fillOf: (choice: FillChoice) => string | object }} Style */

/** @param {any} scale   of chart-axes.js @returns {any} with the functions that Chart.js asks for ticks, labels and widths */
function livingScale({ stops, widthPx, format: _, ...scale }) {
  const ticks = { ...scale.ticks };
  for (const [name, value] of Object.entries(ticks)) {
    if (value?.each !== undefined)
      ticks[name] = (/** @type {{ index: number }} */ { index }) => value.each[index];
  }
  if (stops !== undefined) {
    ticks.callback = (/** @type {number} */ _, /** @type {number} */ index) => stops[index].text;
    scale.afterBuildTicks = (/** @type {any} */ own) => {
      own.ticks = stops.map((/** @type {{ value: number }} */ { value }) => ({ value }));
    };
  }
  if (widthPx !== undefined) {
    scale.afterFit = (/** @type {any} */ own) => {
      own.width = widthPx;
    };
  }
  return { ...scale, ticks };
}

/** @param {Configuration} configuration @param {Style} style @returns {any} */
export function toChartConfiguration({ type, data, options, marks }, { density, background, fillOf }) {
  const datasets = data.datasets.map(({ fills, ...dataset }) => {
    if (fills === undefined) return dataset;
    const styles = fills.map((/** @type {FillChoice | null} */ choice) =>
      choice === null ? background : fillOf(choice),
    );
    return { ...dataset, backgroundColor: styles };
  });
  const { x, y } = options.scales;
  return {
    type,
    data: { ...data, datasets },
    options: {
      ...options,
      scales: { x: livingScale(x), y: livingScale(y) },
      devicePixelRatio: density,
      responsive: false,
      animation: false,
    },
    plugins: [dodgePlugin, whiskersPlugin, marksPlugin(marks)],
  };
}
