// The markers of lines and percentiles, one path each, so that plot and legend cannot differ.

/** @import { Symbol } from '../scene-types.js' */

const AROUND_LINE_PX = 5;
const STAR = { points: 5, outer: 1.3, inner: 0.55 };

/** @type {Record<string, number[]>} x and y of each corner in turn, at radius 1 */
const CORNERS = {
  square: [-0.85, -0.85, 0.85, -0.85, 0.85, 0.85, -0.85, 0.85],
  triangle: [0, -1.1, 1, 0.7, -1, 0.7],
  'triangle-down': [0, 1.1, 1, -0.7, -1, -0.7],
  'triangle-right': [1.1, 0, -0.7, 1, -0.7, -1],
  diamond: [0, -1.15, 1.15, 0, 0, 1.15, -1.15, 0],
  star: Array.from({ length: 2 * STAR.points }, (_, corner) => {
    const angle = (corner * Math.PI) / STAR.points;
    const reach = corner % 2 === 0 ? STAR.outer : STAR.inner;
    return [reach * Math.sin(angle), -reach * Math.cos(angle)];
  }).flat(),
};

/** @param {any} context @param {Symbol} symbol @param {number} radius */
function tracePath(context, symbol, radius) {
  context.beginPath();
  if (symbol === 'tick') {
    context.moveTo(0, -radius);
    context.lineTo(0, radius);
  } else if (symbol === 'circle') {
    context.arc(0, 0, radius, 0, 2 * Math.PI);
  } else {
    const corners = CORNERS[symbol].map((own) => own * radius);
    for (let at = 0; at < corners.length; at += 2) context.lineTo(corners[at], corners[at + 1]);
    context.closePath();
  }
}

/**
 * @param {any} context   a canvas context, moved to the middle of the symbol
 * @param {Symbol} symbol
 * @param {{ colour: string, fill?: string, radius?: number }} style   without a fill it is filled with its colour; of a tick, it is what
 *   stands around it
 */
export function drawSymbol(context, symbol, { colour, fill = colour, radius = 5 }) {
  const isLine = symbol === 'tick';
  tracePath(context, symbol, radius);
  if (isLine && fill !== colour) {
    context.strokeStyle = fill;
    context.lineWidth = AROUND_LINE_PX;
    context.stroke();
  }
  context.strokeStyle = colour;
  context.fillStyle = fill;
  context.lineWidth = isLine ? 2 : 1.5;
  if (!isLine) context.fill();
  context.stroke();
}
