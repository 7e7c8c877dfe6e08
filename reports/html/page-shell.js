// The frame of a page: its head with the policy, the bar, and the data that scripts show on demand.

import { gzipSync } from 'node:zlib';
import { html } from './markup.js';
import { pageAssets, projectLink } from './page-assets.js';

/** @import { Markup } from './markup.js' */

/**
 * @typedef {object} PageParts
 * @property {string} title
 * @property {string} description    the conclusion, for previews of a link to it
 * @property {Markup} content        before the tables
 * @property {Markup} tables
 * @property {boolean} hasFurther    some columns are shown only where all are
 * @property {Record<string, string>} data      by its name; JSON for the scripts
 * @property {Record<string, string>} files     by its name; to be saved as it is
 */

/** @param {string} kind @param {string} name @param {string} text @returns {Markup} data that no browser runs, compressed: histograms are so already, and the highest level takes long for nothing */
function embedData(kind, name, text) {
  return html`<script type="text/plain" id="${kind}-${name}">${gzipSync(text).toString('base64')}</script>\n`;
}

/** @param {PageParts} parts @returns {string} */
export function pageShell({ title, description, content, tables, hasFurther, data, files }) {
  const { head, scripts } = pageAssets();
  const saves = Object.keys(files).map(
    (name) => html` <button type="button" data-file="${name}">Save ${name}</button>`,
  );
  const all = hasFurther ? html`<label><input id="all-columns" type="checkbox"> All columns</label> ` : null;
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<meta name="description" content="${description}">
<meta property="og:type" content="article">
<meta property="og:site_name" content="ipc-bench">
<meta property="og:title" content="${title}">
<meta property="og:description" content="${description}">
${head}
</head>
<body>
<nav class="bar" aria-label="Page"><a class="skip" href="#tables">To the tables</a>
<span class="tools" hidden><button type="button" id="theme">Dark</button>${saves}</span></nav>
<main id="overview">
${content}
<div id="tables" class="tables">
<p class="filter" hidden><label for="filter">Show rows that contain</label> <input id="filter" type="search" autocomplete="off" spellcheck="false"> ${all}<span id="filtered" role="status"></span></p>
${tables}
</div>
</main>
<main id="cell" hidden></main>
<noscript><p>Sorting, values under the pointer and the pages of rows need JavaScript.</p></noscript>
<div id="tip" role="status" hidden></div>
<footer class="muted">Made with ${projectLink('ipc-bench')}. This page loads nothing from the network.</footer>
${Object.entries(data).map(([name, text]) => embedData('data', name, text))}${Object.entries(files).map(([name, text]) => embedData('file', name, text))}
${scripts}
</body>
</html>
`.text;
}
