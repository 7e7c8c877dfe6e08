// HTML of a picture in the light or dark theme of its reader, which GitHub accepts in Markdown.

import { sep } from 'node:path';
import { printable } from './printable.js';

/** @type {Readonly<Record<string, string>>} */
const ENTITIES = Object.freeze({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' });

/** @param {string} text @returns {string} escaped for an attribute in double quotes */
const escaped = (text) => text.replace(/[&<>"]/g, (letter) => ENTITIES[letter]);

/** @param {string} path @returns {string} escaped for the target of a link */
export function linkTarget(path) {
  return encodeURI(path.split(sep).join('/')).replace(
    /[()?#]/g,
    (letter) => `%${letter.charCodeAt(0).toString(16)}`,
  );
}

/** @param {string} name   of a picture @returns {string} the name of its dark version */
export const darkName = (name) => `${name}-dark`;

/** @param {{ light: string, dark: string }} paths @param {string} alt @returns {string} one line */
export function pictureElement({ light, dark }, alt) {
  const [source, usual] = [dark, light].map((path) => escaped(linkTarget(path)));
  return `<picture><source media="(prefers-color-scheme: dark)" srcset="${source}"><img alt="${escaped(printable(alt))}" src="${usual}"></picture>`;
}
