// What shows a picture on a page in the theme of its reader: HTML that GitHub takes in Markdown too.

import { sep } from 'node:path';
import { printable } from './printable.js';

/** @type {Readonly<Record<string, string>>} */
const ENTITIES = Object.freeze({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' });

/** @param {string} text @returns {string} for an attribute in double quotes */
const escaped = (text) => text.replace(/[&<>"]/g, (letter) => ENTITIES[letter]);

/** @param {string} path   a file's @returns {string} as the target of a link, whatever letters it has */
export function linkTarget(path) {
  return encodeURI(path.split(sep).join('/')).replace(
    /[()?#]/g,
    (letter) => `%${letter.charCodeAt(0).toString(16)}`,
  );
}

/** @param {string} name   of a picture @returns {string} of the same in dark, where both are drawn */
export const darkName = (name) => `${name}-dark`;

/** @param {{ light: string, dark: string }} paths @param {string} alt @returns {string} in one line */
export function pictureElement({ light, dark }, alt) {
  const [source, usual] = [dark, light].map((path) => escaped(linkTarget(path)));
  return `<picture><source media="(prefers-color-scheme: dark)" srcset="${source}"><img alt="${escaped(printable(alt))}" src="${usual}"></picture>`;
}
