// A configuration → as Chart.js takes it, on whatever canvas.

import { marksPlugin } from './marks.js';
import { whiskersPlugin } from './whiskers.js';

/** @import { Configuration } from './chart-axes.js' */
/** @typedef {{ density: number, background: string, fillOf: (choice: import('./fills.js').FillChoice) => string | object }} Style */

/** @param {Configuration} configuration @param {Style} style @returns {any} as Chart.js takes it */
export function toChartConfiguration({ type, data, options, marks }, { density, background, fillOf }) {
  const datasets = data.datasets.map(({ fills, ...dataset }) => {
    if (fills === undefined) return dataset;
    const styles = fills.map((/** @type {import('./fills.js').FillChoice | null} */ choice) =>
      choice === null ? background : fillOf(choice),
    );
    return { ...dataset, backgroundColor: styles };
  });
  return {
    type,
    data: { ...data, datasets },
    options: { ...options, devicePixelRatio: density },
    plugins: [whiskersPlugin, marksPlugin(marks)],
  };
}
