// The plain data of a panel → as Chart.js takes it, on whatever canvas.

import { dodgePlugin, marksPlugin, whiskersPlugin } from './marks.js';

/** @import { Configuration, FillChoice } from '../scene-types.js' */

/** @typedef {{ density: number, background: string, fillOf: (choice: FillChoice) => string | object }} Style */

/** @param {any} scale   of chart-axes.js @returns {any} with the functions that Chart.js asks for ticks, labels and widths */
function livingScale({ stops, lines, widthPx, format: _, ...scale }) {
  const ticks = { ...scale.ticks };
  for (const [name, value] of Object.entries(ticks)) {
    if (value?.each !== undefined)
      ticks[name] = (/** @type {{ index: number }} */ { index }) => value.each[index];
  }
  if (lines !== undefined)
    ticks.callback = (/** @type {number} */ _, /** @type {number} */ index) => lines[index];
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
