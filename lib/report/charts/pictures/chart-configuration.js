// Converts the plain data of a panel to a Chart.js configuration for any canvas.

import { FONT_FAMILY, TEXT_PX } from '../style/letters.js';
import { drawSymbol } from './legend.js';

/** @import { FillChoice, Mark, Panel, Whiskers } from '../chart-types.js' */

// Plug-ins that draw whiskers over bars and points, and the marks of a panel: values beside bars, gap marks and markers. They are part of
// one configuration instead of being registered, so this module does not import chart.js, of which npm may install a second copy.

const WHISKER_PX = 1.25;
const HALO_PX = 3.5;

/** @param {any} chart @param {Mark} mark @returns {{ x: number, y: number }} pixels of the layout, within the panel */
function locateMark(chart, { datasetIndex, index, value, x, y, dx = 0, dy = 0 }) {
  const { scales, chartArea } = chart;
  if (datasetIndex !== undefined && index !== undefined) {
    const bar = chart.getDatasetMeta(datasetIndex).data[index];
    return { x: scales.x.getPixelForValue(value ?? scales.x.min) + dx, y: bar.y + dy };
  }
  const height = y === undefined ? chartArea.bottom : scales.y.getPixelForValue(y);
  return { x: scales.x.getPixelForValue(x) + dx, y: height + dy };
}

/** @param {any} chart @param {Mark} mark */
function drawMark(chart, mark) {
  const { symbol, text = '', colour, fill, halo, sizePx, weight = 400, align = 'left' } = mark;
  const { ctx: context } = chart;
  const { x, y } = locateMark(chart, mark);
  context.save();
  context.translate(x, y);
  if (symbol !== undefined) drawSymbol(context, symbol, { colour, fill, radius: sizePx });
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

/** The marks are not options of Chart.js, which would fill their missing fields with defaults. @param {Mark[]} marks */
const marksPlugin = (marks) => ({
  id: 'marks',
  /** @param {any} chart */
  afterDatasetsDraw(chart) {
    for (const mark of marks) drawMark(chart, mark);
  },
});

const whiskersPlugin = {
  id: 'whiskers',
  /** @param {any} chart */
  afterDatasetsDraw(chart) {
    const { ctx: context, scales, options, data } = chart;
    const isHorizontal = options.indexAxis === 'y';
    const axis = isHorizontal ? 'x' : 'y';
    context.save();
    context.lineCap = 'butt'; // a longer line would misstate the ends of the interval
    for (const [datasetIndex, { data: points, whiskers }] of data.datasets.entries()) {
      if (whiskers === undefined) continue;
      const elements = chart.getDatasetMeta(datasetIndex).data;
      for (const [index, point] of points.entries()) {
        if (point[axis] === null) continue;
        const highs = [point[`${axis}Max`]].flat();
        for (const [which, low] of [point[`${axis}Min`] ?? null].flat().entries()) {
          if (low === null) continue;
          const across = isHorizontal ? elements[index].y : elements[index].x + (whiskers.dx ?? 0);
          const { min, max } = scales[axis];
          // An end without a cap shows that the interval exceeds the axis.
          const ends = [low, highs[which]].map((value) => ({
            at: scales[axis].getPixelForValue(Math.min(max, Math.max(min, value))),
            isCapped: value >= min && value <= max,
          }));
          drawWhisker(context, { ends, across, isHorizontal }, whiskers);
        }
      }
    }
    context.restore();
  },
};

/**
 * @param {any} context
 * @param {{ ends: { at: number, isCapped: boolean }[], across: number, isHorizontal: boolean }} position   pixels
 * @param {Whiskers} whiskers
 */
function drawWhisker(context, { ends: [from, to], across, isHorizontal }, { colour, halo, capPx }) {
  const half = capPx / 2;
  /** @param {number} along @param {number} aside */
  const at = (along, aside) => (isHorizontal ? [along, across + aside] : [across + aside, along]);
  context.beginPath();
  context.moveTo(...at(from.at, 0));
  context.lineTo(...at(to.at, 0));
  for (const end of [from, to]) {
    if (!end.isCapped) continue;
    context.moveTo(...at(end.at, -half));
    context.lineTo(...at(end.at, half));
  }
  if (halo !== undefined) {
    context.strokeStyle = halo;
    context.lineWidth = HALO_PX;
    context.stroke();
  }
  context.strokeStyle = colour;
  context.lineWidth = WHISKER_PX;
  context.stroke();
}

/**
 * @typedef {{ density: number, background: string, fillOf: (choice: FillChoice) => string | object }} DrawingStyle   density: pixels of the file
 *   per pixel of the layout
 */

/**
 * @param {{ stops?: { value: number, text: string }[], widthPx?: number, format?: unknown, ticks?: object }} scale   of chart-axes.js
 * @returns {any} the scale with the callbacks that set its ticks and its width in Chart.js
 */
function withFunctions({ stops, widthPx, format: _, ...scale }) {
  const fixed = widthPx !== undefined && {
    /** @param {any} axis */
    afterFit: (axis) => {
      axis.width = widthPx;
    },
  };
  if (stops === undefined) return { ...scale, ...fixed };
  return {
    ...scale,
    ...fixed,
    ticks: {
      ...scale.ticks,
      /** @param {number} _ @param {number} index */
      callback: (_, index) => stops[index].text,
    },
    /** @param {any} axis */
    afterBuildTicks: (axis) => {
      axis.ticks = stops.map(({ value }) => ({ value }));
    },
  };
}

/** @param {Panel} panel @param {DrawingStyle} style @returns {any} */
export function toChartConfiguration({ type, data, options, marks }, { density, background, fillOf }) {
  const datasets = data.datasets.map(({ fills, ...dataset }) => {
    if (fills === undefined) return dataset;
    const styles = fills.map((choice) => (choice === null ? background : fillOf(choice)));
    return { ...dataset, backgroundColor: styles };
  });
  const { x, y } = options.scales;
  return {
    type,
    data: { ...data, datasets },
    options: {
      ...options,
      scales: { x: withFunctions(x), y: withFunctions(y) },
      devicePixelRatio: density,
      responsive: false,
      animation: false,
    },
    plugins: [whiskersPlugin, marksPlugin(marks)],
  };
}
