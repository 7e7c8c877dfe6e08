// What the page brings along, from the installed packages: Chart.js, the fonts of the charts with their licences, its own
// style and scripts. The policy allows exactly these, by their hashes, and no connection.

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

import { COLOURS } from '../../lib/report/charts/style/colours.js';
import { TEXT_FONT } from '../../lib/report/charts/style/letters.js';
import { linkedModules } from './link-modules.js';
import { html, Markup } from './markup.js';

/** @import { Theme } from '../../lib/report/charts/scene-types.js' */

const require = createRequire(import.meta.url);
// Of the symbols' font alone is a quarter of a megabyte: a page has those of the reader's system instead.
const FONTS = [
  { weight: 400, file: '@fontsource/inter/files/inter-latin-400-normal.woff2' },
  { weight: 600, file: '@fontsource/inter/files/inter-latin-600-normal.woff2' },
];
const LICENCES = [
  { of: 'Chart.js', file: 'chart.js', name: '../LICENSE.md' },
  { of: 'Inter', file: '@fontsource/inter/files/inter-latin-400-normal.woff2', name: '../LICENSE' },
];

/** @param {string} text @returns {string} as a policy names it */
const hashOf = (text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

/** @param {Theme} theme @returns {string} its colours as properties of CSS */
function colourProperties(theme) {
  const { background, ink, mutedInk, grid, hues } = COLOURS[theme];
  return `color-scheme: ${theme}; --background: ${background}; --ink: ${ink}; --muted: ${mutedInk}; --line: ${grid}; --accent: ${hues.blue};`;
}

/** @returns {string} */
function styleText() {
  const fonts = FONTS.map(({ weight, file }) => {
    const font = readFileSync(require.resolve(file)).toString('base64');
    return `@font-face { font-family: "${TEXT_FONT}"; font-weight: ${weight}; src: url(data:font/woff2;base64,${font}) format("woff2"); }`;
  });
  return [
    ...fonts,
    `:root { ${colourProperties('light')} }`,
    `@media screen and (prefers-color-scheme: dark) { :root:not([data-theme="light"]) { ${colourProperties('dark')} } }`,
    `@media screen { :root[data-theme="dark"] { ${colourProperties('dark')} } }`, // paper is light
    readFileSync(new URL('page.css', import.meta.url), 'utf8'),
  ].join('\n');
}

/** @returns {string} of what stands in the page, each where nobody can cut it off unseen */
function licenceText() {
  return LICENCES.map(({ of, file, name }) => {
    const text = readFileSync(join(dirname(require.resolve(file)), name), 'utf8');
    return `${of}:\n${text}`;
  })
    .join('\n')
    .replaceAll('--', '- -');
}

/** @returns {string} that of the package, whose first line has its licence */
function chartScript() {
  const text = readFileSync(join(dirname(require.resolve('chart.js')), 'chart.umd.min.js'), 'utf8');
  return text.replace(/\n?\/\/# sourceMappingURL=.*\s*$/, '\n');
}

/** @returns {{ head: Markup, scripts: Markup }} scripts: at the end of the body */
export function pageAssets() {
  const style = styleText();
  const scripts = [
    chartScript(),
    linkedModules(new URL('page/page.js', import.meta.url), {
      '@napi-rs/canvas': new URL('page/browser-canvas.js', import.meta.url),
    }),
  ];
  const policy = [
    "default-src 'none'",
    `script-src ${scripts.map(hashOf).join(' ')}`,
    `style-src ${hashOf(style)}`,
    'font-src data:',
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
  ].join('; ');
  return {
    head: html`<meta http-equiv="Content-Security-Policy" content="${policy}">
<style>${new Markup(style)}</style>`,
    scripts: html`${scripts.map((script) => html`<script>${new Markup(script)}</script>\n`)}${new Markup(`<!--\n${licenceText()}\n-->`)}`,
  };
}
