// The symbols of marks, which plots and legends share, and the entries of a legend: a swatch and a name.

/** @import { SKRSContext2D as Context } from '@napi-rs/canvas' */
/** @import { Ruler } from './text-ruler.js' */
/** @import { Colours, FillChoice, LegendItem, Look, Symbol } from '../chart-types.js' */

const AROUND_LINE_PX = 5;
const STAR = { points: 5, outer: 1.3, inner: 0.55 };

/** x and y of the corners alternate, at radius 1 @type {Record<string, number[]>} */
const CORNERS = {
  square: [-0.85, -0.85, 0.85, -0.85, 0.85, 0.85, -0.85, 0.85],
  triangle: [0, -1.1, 1, 0.7, -1, 0.7],
  'triangle-down': [0, 1.1, 1, -0.7, -1, -0.7],
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
    const corners = CORNERS[symbol].map((length) => length * radius);
    for (let at = 0; at < corners.length; at += 2) context.lineTo(corners[at], corners[at + 1]);
    context.closePath();
  }
}

/**
 * @param {any} context   translated to the middle of the symbol
 * @param {Symbol} symbol
 * @param {{ colour: string, fill?: string, radius?: number }} style   fill: by default the colour; for a tick, its halo
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

const SWATCH_PX = { bar: 16, line: 34, symbol: 12, text: 12 };
const NAME_GAP_PX = 6;
const ITEM_GAP_PX = 18;

/** @param {Ruler} context @param {LegendItem} item @returns {number} width, including the gap after the item */
export function legendItemPx(context, { text, swatch }) {
  return SWATCH_PX[swatch.kind] + NAME_GAP_PX + context.measureText(text).width + ITEM_GAP_PX;
}

/** @param {Context} context @param {Look} look */
function drawLineSwatch(context, look) {
  context.strokeStyle = look.colour;
  context.lineWidth = 2;
  context.setLineDash(look.dash);
  context.beginPath();
  context.moveTo(0, 0);
  context.lineTo(SWATCH_PX.line, 0);
  context.stroke();
  context.setLineDash([]);
  context.translate(SWATCH_PX.line / 2, 0);
  drawSymbol(context, look.marker, { colour: look.colour });
}

/** @typedef {{ colours: Colours, fillOf: (choice: FillChoice) => any }} Styles */

/** @param {Context} context @param {Look} look @param {Styles} styles */
function drawBarSwatch(context, look, { colours: { background }, fillOf }) {
  context.fillStyle = background;
  context.fillRect(0, -6, SWATCH_PX.bar, 12);
  context.fillStyle = fillOf(look);
  context.fillRect(0.75, -5.25, SWATCH_PX.bar - 1.5, 10.5);
  context.strokeStyle = look.outline;
  context.lineWidth = 1.5;
  context.strokeRect(0.75, -5.25, SWATCH_PX.bar - 1.5, 10.5);
}

/**
 * @param {Context} context
 * @param {LegendItem} item
 * @param {{ x: number, y: number }} position   y: the middle of the item
 * @param {Styles} styles
 */
export function drawLegendItem(context, { text, swatch }, { x, y }, styles) {
  const { colours } = styles;
  context.save();
  context.translate(x, y);
  if (swatch.kind === 'bar') {
    drawBarSwatch(context, swatch.look, styles);
  } else if (swatch.kind === 'line') {
    drawLineSwatch(context, swatch.look);
  } else if (swatch.kind === 'text') {
    context.fillStyle = colours.ink;
    context.fillText(swatch.text, 0, 0);
  } else {
    context.translate(SWATCH_PX.symbol / 2, 0);
    drawSymbol(context, swatch.symbol, {
      colour: colours.ink,
      fill: swatch.isHollow ? colours.background : colours.ink,
    });
  }
  context.restore();
  context.fillStyle = colours.ink;
  context.fillText(text, x + SWATCH_PX[swatch.kind] + NAME_GAP_PX, y);
}
