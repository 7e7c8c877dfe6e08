// The style, the script and the fonts of the page, with the licence of the fonts. The Content Security Policy allows this style and this
// script by their hashes, and fonts and images only as data URLs.

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { mixTint } from '../../lib/report/charts/pictures/fills.js';
import { COLOURS } from '../../lib/report/charts/style/colours.js';
import { TEXT_FONT } from '../../lib/report/charts/style/letters.js';
import { html, Markup } from './markup.js';

/** @import { Theme } from '../../lib/report/charts/chart-types.js' */

const require = createRequire(import.meta.url);
// The font of symbols is 250 kB, so symbols use the fonts of the reader's system instead.
const FONTS = [
  { weight: 400, file: '@fontsource/inter/files/inter-latin-400-normal.woff2' },
  { weight: 600, file: '@fontsource/inter/files/inter-latin-600-normal.woff2' },
];

export const MAX_REST = 40; // greatest reserved width of the text after an estimate, in digits
const WIDE_SCREEN = '(min-width: 48rem), print'; // where page.css does not show rows as cards

/** @param {string} text @returns {string} source expression of the Content-Security-Policy */
const hashOf = (text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

/** @param {Theme} theme @returns {[name: string, colour: string][]} custom CSS properties */
function listProperties(theme) {
  const { hues, ...others } = COLOURS[theme];
  const tints = Object.entries(hues).map(([name, hue]) => [`${name}Tint`, mixTint(hue, others.background)]);
  return [...Object.entries({ ...others, ...hues }), ...tints].map(([name, colour]) => [`--${name}`, colour]);
}

/** @param {Theme} theme */
function colourProperties(theme) {
  const properties = listProperties(theme).map(([name, colour]) => `${name}: ${colour};`);
  return `color-scheme: ${theme}; ${properties.join(' ')}`;
}

/** @param {string} svg   in light colours @returns {string} the same picture in the colours of the page's theme */
export function themedSvg(svg) {
  const names = new Map(listProperties('light').map(([name, colour]) => [colour, name]));
  return svg.replace(/"(#[0-9a-f]{6})"/g, (whole, colour) => {
    const name = names.get(colour);
    return name === undefined ? whole : `"var(${name})"`;
  });
}

/** @param {string} text @returns {Markup} a link to the home of the project if its package names one, otherwise the text */
export function projectLink(text) {
  /** @type {{ homepage?: string, repository?: { url?: string } }} */
  const { homepage, repository } = require('../../package.json');
  const url = homepage ?? repository?.url?.replace(/^git\+|\.git$/g, '');
  return url === undefined ? html`${text}` : html`<a href="${url}">${text}</a>`;
}

/** @returns {string} a data URL */
function favicon() {
  const bars = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><path fill="${COLOURS.light.hues.blue}" d="M1 2h14v3H1zm0 5h9v3H1zm0 5h5v3H1z"/></svg>`;
  return `data:image/svg+xml,${encodeURIComponent(bars)}`;
}

/** Makes a class for each width of the texts after estimates, which aligns the ends of the estimates in a column. */
function widthRules() {
  return Array.from(
    { length: MAX_REST },
    (_, index) => `.w${index + 1} .rest { min-width: ${index + 1}ch; }`,
  ).join('\n');
}

function styleText() {
  const fonts = FONTS.map(({ weight, file }) => {
    const font = readFileSync(require.resolve(file)).toString('base64');
    return `@font-face { font-family: "${TEXT_FONT}"; font-weight: ${weight}; src: url(data:font/woff2;base64,${font}) format("woff2"); }`;
  });
  return [
    ...fonts,
    `:root { ${colourProperties('light')} }`,
    `@media screen and (prefers-color-scheme: dark) { :root:not([data-theme="light"]) { ${colourProperties('dark')} } }`,
    `@media screen { :root[data-theme="dark"] { ${colourProperties('dark')} } }`, // printed pages are light
    readFileSync(new URL('page.css', import.meta.url), 'utf8'),
    `@media ${WIDE_SCREEN} {\n${widthRules()}\n}`,
  ].join('\n');
}

/** @returns {string} */
function licenceComment() {
  const text = readFileSync(join(dirname(require.resolve(FONTS[0].file)), '../LICENSE'), 'utf8');
  return `<!--\nInter:\n${text.replaceAll('--', '- -')}\n-->`;
}

/** @returns {{ head: Markup, script: Markup }} script: for the end of the body */
export function pageAssets() {
  const style = styleText();
  const script = readFileSync(new URL('page-script.js', import.meta.url), 'utf8');
  const policy = [
    "default-src 'none'",
    `script-src ${hashOf(script)}`,
    `style-src ${hashOf(style)}`,
    'font-src data:',
    'img-src data:', // the icon
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
  ].join('; ');
  return {
    head: html`<meta http-equiv="Content-Security-Policy" content="${policy}">
<link rel="icon" href="${favicon()}">
<style>${new Markup(style)}</style>`,
    script: html`<script type="module">${new Markup(script)}</script>\n${new Markup(licenceComment())}`,
  };
}
