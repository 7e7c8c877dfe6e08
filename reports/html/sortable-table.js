// A table whose columns sort: titles are buttons, numbers stand with their raw values, and one row is a row of the table whatever
// it is made of.

import { shortened } from '../../lib/format/lists.js';
import { printable } from '../../lib/format/printable.js';
import { html } from './markup.js';

/** @import { Markup } from './markup.js' */
/**
 * @template Row
 * @typedef {object} PageColumn
 * @property {string} span      what it shares with its neighbours; '' where it stands alone
 * @property {string} title
 * @property {'left' | 'right' | 'first word'} align
 * @property {(row: Row) => string} text
 * @property {(row: Row) => number | null | undefined} [value]   to sort by; absent: its text
 * @property {(row: Row) => Markup} [markup]                     instead of its text
 * @property {string} [further]                                  shown only where all columns are
 */

const NAME_CHARACTERS = 80;
const CAPTION_CHARACTERS = 200;

/** @param {string} text   of unknown origin @param {number} [characters] */
export const pageText = (text, characters = NAME_CHARACTERS) => shortened(printable(text), characters);

/** @param {PageColumn<any>} column @returns {string} */
function cellClass({ align, further }) {
  return `${align === 'left' ? 'text' : 'number'}${further === undefined ? '' : ' further'}`;
}

/** @param {PageColumn<any>} column @returns {Markup} */
function headCell(column) {
  const above = column.span === '' ? null : html`<small>${pageText(column.span)}</small> `;
  return html`<th scope="col" class="${cellClass(column)}"><button type="button">${above}${pageText(column.title)}</button></th>`;
}

/** @template Row @param {PageColumn<Row>} column @param {Row} row @returns {Markup} */
function cellContent(column, row) {
  return column.markup?.(row) ?? html`${pageText(column.text(row))}`;
}

/** @template Row @param {PageColumn<Row>} column @param {Row} row @returns {Markup} */
function bodyCell(column, row) {
  const value = column.value?.(row);
  const known = typeof value === 'number' && Number.isFinite(value) ? html` data-value="${value}"` : null;
  return html`<td class="${cellClass(column)}"${known}>${cellContent(column, row)}</td>`;
}

/** @template Row @param {string} label @param {PageColumn<Row>[]} columns   the first one names the row @param {Row[]} rows */
export function sortableTable(label, columns, rows) {
  const caption = pageText(label, CAPTION_CHARACTERS);
  const [name, ...others] = columns;
  const lines = rows.map(
    (row) =>
      html`<tr><th scope="row">${cellContent(name, row)}</th>${others.map((column) => bodyCell(column, row))}</tr>\n`,
  );
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Table: ${caption}">
<table class="sortable"><caption class="unseen">${caption}</caption>
<thead><tr>${columns.map(headCell)}</tr></thead>
<tbody>${lines}</tbody></table></div>`;
}
