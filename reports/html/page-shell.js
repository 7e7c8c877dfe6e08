// The frame of a page: head, bar, filter, footer and script.

import { html } from './markup.js';
import { pageAssets, projectLink } from './page-assets.js';

/** @import { Markup } from './markup.js' */

/**
 * @typedef {object} PageParts
 * @property {string} title
 * @property {string} description    the conclusion, for previews of a link to the page
 * @property {Markup} content        before the tables
 * @property {Markup} tables
 * @property {boolean} hasFurther    some columns are shown only with "All columns"
 */

/** @param {PageParts} parts @returns {string} */
export function pageShell({ title, description, content, tables, hasFurther }) {
  const { head, script } = pageAssets();
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
<button type="button" id="theme" class="scripted">Light or dark</button></nav>
<main>
${content}
<div id="tables" class="tables">
<p class="filter"><span class="scripted"><label for="filter">Show rows that contain</label> <input id="filter" type="search" autocomplete="off" spellcheck="false"></span> ${all}<span id="filtered" role="status"></span></p>
${tables}
</div>
</main>
<noscript><p>Sorting and filtering need JavaScript.</p></noscript>
<footer class="muted">Made with ${projectLink('ipc-bench')}. This page loads nothing from the network.</footer>
${script}
</body>
</html>
`.text;
}
