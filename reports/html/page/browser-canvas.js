/// <reference lib="dom" />
// Replaces the canvas package in a page: what the charts take from it, from the browser.

/** @param {number} width @param {number} height @returns {HTMLCanvasElement} */
export function createCanvas(width, height) {
  const canvas = document.createElement('canvas');
  canvas.width = width;
  canvas.height = height;
  return canvas;
}
