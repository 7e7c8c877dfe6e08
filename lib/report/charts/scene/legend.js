// One entry of a legend: a swatch that looks like the mark in the plot, and its name.

import { drawSymbol } from './symbols.js';

/** @import { SKRSContext2D as Context } from '@napi-rs/canvas' */
/** @import { Ruler } from '../render/text-ruler.js' */
/** @import { Colours, FillChoice, LegendItem, Look } from '../scene-types.js' */

const SWATCH_PX = { bar: 16, line: 34, symbol: 12, text: 12 };
const NAME_GAP_PX = 6;
const ITEM_GAP_PX = 18;

/** @param {Ruler} context @param {LegendItem} item @returns {number} width with the gap after it */
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
 * @param {{ x: number, y: number }} place   y: its middle
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
