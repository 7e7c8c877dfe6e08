// HTML for a picture, with an optional width and an optional version for dark themes. GitHub accepts it in Markdown.

import { sep } from 'node:path';
import { printable } from './printable.js';

/** @type {Readonly<Record<string, string>>} */
const ENTITIES = Object.freeze({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' });

/** @param {string} text @returns {string} escaped for an attribute in double quotes, within Markdown */
const escaped = (text) =>
  text.replace(/[&<>"`[\]]/g, (letter) => ENTITIES[letter] ?? `&#${letter.charCodeAt(0)};`);

/** @param {string} path @returns {string} */
export function linkTarget(path) {
  return encodeURI(path.split(sep).join('/')).replace(
    /[()?#]/g,
    (letter) => `%${letter.charCodeAt(0).toString(16)}`,
  );
}

/** @param {string} name @returns {string} */
export const darkName = (name) => `${name}-dark`;

/** @param {{ light: string, dark: string | null }} paths @param {string} alt @param {number} [widthPx] @returns {string} one line */
export function pictureElement({ light, dark }, alt, widthPx) {
  const width = widthPx === undefined ? '' : ` width="${Math.round(widthPx)}"`;
  const image = `<img alt="${escaped(printable(alt))}" src="${escaped(linkTarget(light))}"${width}>`;
  if (dark === null) return image;
  return `<picture><source media="(prefers-color-scheme: dark)" srcset="${escaped(linkTarget(dark))}">${image}</picture>`;
}
