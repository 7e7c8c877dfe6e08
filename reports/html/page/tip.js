/// <reference lib="dom" />
// The value at a point, beside it: shown to eyes, and told to screen readers.

import { byId } from './element.js';

const AWAY_PX = 14;

/** @param {string} text @param {{ x: number, y: number }} at   in the window */
export function showTip(text, { x, y }) {
  const tip = byId('tip');
  tip.hidden = false;
  if (tip.textContent !== text) tip.textContent = text;
  const { width, height } = tip.getBoundingClientRect();
  const left = Math.min(x + AWAY_PX, document.documentElement.clientWidth - width - 4);
  const below = y + AWAY_PX + height < innerHeight;
  tip.style.left = `${Math.max(4, left)}px`;
  tip.style.top = `${below ? y + AWAY_PX : Math.max(4, y - AWAY_PX - height)}px`;
}

export function hideTip() {
  byId('tip').hidden = true;
}
