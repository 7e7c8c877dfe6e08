// The scales of a configuration as plain data, and back: what their functions say of ticks, labels and widths is said
// beforehand, so that a page needs the data only. Functions of other names are refused, since they would be lost.

/** @typedef {{ value: number, text: string }} Stop   a tick */

/**
 * @param {Record<string, any>} scales
 * @param {number} labels   how many a category axis has
 * @returns {Record<string, any>} what JSON keeps
 */
export function plainScales(scales, labels) {
  return Object.fromEntries(Object.entries(scales).map(([name, scale]) => [name, plainScale(scale, labels)]));
}

/** @param {any} scale @param {number} labels */
function plainScale({ afterBuildTicks, afterFit, ...scale }, labels) {
  const { callback, ...ticks } = scale.ticks;
  const built = { ticks: /** @type {{ value: number }[]} */ ([]), width: 0 };
  afterBuildTicks?.(built);
  afterFit?.(built);
  const perLabel = Object.entries(ticks).map(([key, value]) => [
    key,
    typeof value === 'function'
      ? { each: Array.from({ length: labels }, (_, index) => value({ index })) }
      : value,
  ]);
  return {
    ...scale,
    ticks: Object.fromEntries(perLabel),
    ...(afterBuildTicks && { stops: built.ticks.map(({ value }) => ({ value, text: callback(value) })) }),
    ...(afterFit && { widthPx: built.width }),
  };
}

/** @param {Record<string, any>} scales   of plainScales @returns {Record<string, any>} as Chart.js takes them */
export function livingScales(scales) {
  return Object.fromEntries(Object.entries(scales).map(([name, scale]) => [name, livingScale(scale)]));
}

/** @param {any} scale */
function livingScale({ stops, widthPx, ...scale }) {
  const perLabel = Object.entries(scale.ticks).map(([key, value]) => [
    key,
    value?.each === undefined ? value : (/** @type {{ index: number }} */ { index }) => value.each[index],
  ]);
  const ticks = Object.fromEntries(perLabel);
  if (stops !== undefined) {
    ticks.callback = (/** @type {number} */ _, /** @type {number} */ index) => stops[index].text;
    scale.afterBuildTicks = (/** @type {any} */ own) => {
      own.ticks = stops.map((/** @type {Stop} */ { value }) => ({ value }));
    };
  }
  if (widthPx !== undefined) {
    scale.afterFit = (/** @type {any} */ own) => {
      own.width = widthPx;
    };
  }
  return { ...scale, ticks };
}
