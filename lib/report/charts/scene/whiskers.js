// Intervals as whiskers over bars and points. Ten lines of drawing instead of a package: an error-bar plug-in must meet
// the very chart.js that draws, and in an installed ipc-bench npm gives it another one.

/**
 * Of a data set, beside its points { y, yMin, yMax } or { x, xMin, xMax }; lists are several intervals, and null is none.
 * @typedef {object} Whiskers
 * @property {string} colour
 * @property {string} [halo]     the background: over a dark bar the whisker would not be seen
 * @property {number} capPx
 */

const LINE_PX = 1.25;
const HALO_PX = 3.5;

/**
 * @param {{ low: number, high: number, n?: number }} estimate   n: launches
 * @returns {{ low: number, high: number } | { low: null, high: null }} null: no whisker, since one launch has no range
 */
export function makeWhisker({ low, high, n }) {
  return n === 1 ? { low: null, high: null } : { low, high };
}

/** @param {any} context @param {Whiskers} whiskers @param {() => void} trace */
function strokeTwice(context, { colour, halo }, trace) {
  for (const [style, width] of [
    [halo, HALO_PX],
    [colour, LINE_PX],
  ]) {
    if (style === undefined) continue;
    context.strokeStyle = style;
    context.lineWidth = width;
    trace();
  }
}

/**
 * @param {any} context
 * @param {{ from: number, to: number, across: number, isHorizontal: boolean }} place   pixels
 * @param {Whiskers} whiskers
 */
function drawWhisker(context, { from, to, across, isHorizontal }, whiskers) {
  const half = whiskers.capPx / 2;
  /** @param {number} along @param {number} aside */
  const at = (along, aside) => (isHorizontal ? [along, across + aside] : [across + aside, along]);
  strokeTwice(context, whiskers, () => {
    context.beginPath();
    context.moveTo(...at(from, 0));
    context.lineTo(...at(to, 0));
    for (const end of [from, to]) {
      context.moveTo(...at(end, -half));
      context.lineTo(...at(end, half));
    }
    context.stroke();
  });
}

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
      const elements = chart.getDatasetMeta(datasetIndex).data;
      for (const [index, point] of data.entries()) {
        if (point[axis] === null) continue;
        const highs = [point[`${axis}Max`]].flat();
        for (const [which, low] of [point[`${axis}Min`]].flat().entries()) {
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
