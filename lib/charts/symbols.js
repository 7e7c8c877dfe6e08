// The markers of lines and percentiles, one path each, so that plot and legend cannot differ.

/** @typedef {import('../types/looks.js').Marker | 'tick'} Symbol   a tick is a bar across the range it stands on */

/** @type {Record<'square' | 'triangle' | 'triangle-down' | 'diamond', [number, number][]>} corners at radius 1 */
const CORNERS = {
  square: [
    [-0.85, -0.85],
    [0.85, -0.85],
    [0.85, 0.85],
    [-0.85, 0.85],
  ],
  triangle: [
    [0, -1.1],
    [1, 0.7],
    [-1, 0.7],
  ],
  'triangle-down': [
    [0, 1.1],
    [1, -0.7],
    [-1, -0.7],
  ],
  diamond: [
    [0, -1.15],
    [1.15, 0],
    [0, 1.15],
    [-1.15, 0],
  ],
};

/** @param {any} context @param {Symbol} symbol @param {number} radius */
function tracePath(context, symbol, radius) {
  context.beginPath();
  if (symbol === 'tick') {
    context.moveTo(0, -radius);
    context.lineTo(0, radius);
  } else if (symbol === 'star') {
    for (let arm = 0; arm < 4; arm += 1) {
      const [x, y] = [Math.cos((arm * Math.PI) / 4) * radius, Math.sin((arm * Math.PI) / 4) * radius];
      context.moveTo(-x, -y);
      context.lineTo(x, y);
    }
  } else if (symbol === 'circle') {
    context.arc(0, 0, radius, 0, 2 * Math.PI);
  } else {
    for (const [x, y] of CORNERS[symbol]) context.lineTo(x * radius, y * radius);
    context.closePath();
  }
}

/**
 * @param {any} context   a canvas context, moved to the middle of the symbol
 * @param {Symbol} symbol
 * @param {{ colour: string, fill?: string, radius?: number }} style   without a fill it is filled with its colour
 */
export function drawSymbol(context, symbol, { colour, fill = colour, radius = 5 }) {
  context.strokeStyle = colour;
  context.fillStyle = fill;
  context.lineWidth = symbol === 'tick' ? 2 : 1.5;
  tracePath(context, symbol, radius);
  if (symbol !== 'tick' && symbol !== 'star') context.fill();
  context.stroke();
}
