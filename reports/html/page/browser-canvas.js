/// <reference lib="dom" />
// What charts are drawn on in a page.

/** @param {number} width @param {number} height @returns {HTMLCanvasElement} */
export function createCanvas(width, height) {
  return Object.assign(document.createElement('canvas'), { width, height });
}

/** @param {HTMLCanvasElement} canvas @param {any} chart   as Chart.js takes it @returns {any} drawn by the Chart.js of the page */
export const chartOn = (canvas, chart) => new /** @type {any} */ (globalThis).Chart(canvas, chart);
