// A table that is sorted by buttons in its head, by the raw values that its cells contain. On a narrow screen each row is a card, in which
// every value has a title.

import { shortened } from '../../lib/format/lists.js';
import { NOTHING } from '../../lib/format/numbers.js';
import { printable } from '../../lib/format/printable.js';
import { html } from './markup.js';
import { MAX_REST } from './page-assets.js';

/** @import { Markup } from './markup.js' */
/**
 * @template Row
 * @typedef {object} PageColumn
 * @property {string} span      a title shared with its neighbours, or empty
 * @property {string} title
 * @property {'left' | 'right' | 'first word'} align
 * @property {(row: Row) => string} text
 * @property {(row: Row) => number | null | undefined} [value]   sort key; the text by default
 * @property {boolean} [isLessBetter]                            the least value is the best
 * @property {string} [further]                                  set if the column is shown only with "All columns"
 */
/** @template Row @typedef {{ heading: string | null, rows: Row[] }} RowSection */

const NAME_CHARACTERS = 80;
const CAPTION_CHARACTERS = 200;
const LONG_CHARACTERS = 17;
// Characters in the texts after estimates that are narrower than digits.
const NARROW = /[.,:;]/g;
const HALF_WIDE = /[()[\] –]/g;

/** @param {string} text   untrusted @param {number} [characters] */
export const pageText = (text, characters = NAME_CHARACTERS) => shortened(printable(text), characters);

/** @param {string} text @returns {string[]} '46,200' and ' (45,000–47,500)' */
function splitEstimate(text) {
  const end = text.indexOf(' ');
  return end === -1 ? [text, ''] : [text.slice(0, end), text.slice(end)];
}

/** @param {string} text @returns {number} width in digits */
function measureWidth(text) {
  const [narrow, half] = [NARROW, HALF_WIDE].map((letters) => text.match(letters)?.length ?? 0);
  return Math.ceil(text.length - 0.5 * narrow - 0.3 * half);
}

/** @template Row @param {PageColumn<Row>} column @param {Row[]} rows @returns {string} */
function cellClass({ align, further, text }, rows) {
  const texts = rows.map((row) => pageText(text(row)));
  const rest = align === 'first word' ? texts.map((one) => measureWidth(splitEstimate(one)[1])) : [];
  const width = Math.min(MAX_REST, Math.max(0, ...rest));
  return [
    align === 'left' ? 'text' : 'number',
    ...(align === 'left' && texts.some(({ length }) => length > LONG_CHARACTERS) ? ['long'] : []),
    ...(further === undefined ? [] : ['further']),
    ...(width === 0 ? [] : [`w${width}`]),
  ].join(' ');
}

/** @param {PageColumn<any>} column @param {string} classes @returns {Markup} */
function headCell({ span, title, isLessBetter }, classes) {
  const above = span === '' ? null : html`<small>${pageText(span)}</small> `;
  const first = isLessBetter ? html` data-first="ascending"` : null;
  return html`<th scope="col" class="${classes}"${first}><button type="button">${above}${pageText(title)}</button></th>`;
}

/** @template Row @param {PageColumn<Row>} column @param {Row} row @returns {Markup} */
function cellContent(column, row) {
  const text = pageText(column.text(row));
  if (column.align !== 'first word') return html`${text}`;
  const [estimate, rest] = splitEstimate(text);
  return html`${estimate}<span class="rest">${rest}</span>`;
}

/** @template Row @param {PageColumn<Row>} column @param {string} classes @param {Row} row @returns {Markup} */
function bodyCell(column, classes, row) {
  const value = column.value?.(row);
  const known = typeof value === 'number' && Number.isFinite(value) ? html` data-value="${value}"` : null;
  const title = [column.span, column.title].filter((text) => text !== '').join(': ');
  return html`<td class="${classes}" data-title="${pageText(title)}"${known}>${cellContent(column, row)}</td>`;
}

/**
 * @template Row
 * @param {string} label
 * @param {PageColumn<Row>[]} columns   the first one names the row; columns without a value in any row are left out
 * @param {RowSection<Row>[]} sections
 */
export function sortableTable(label, columns, sections) {
  const caption = pageText(label, CAPTION_CHARACTERS);
  const all = sections.flatMap(({ rows }) => rows);
  const filled = columns.filter(({ text }) => all.some((row) => !['', NOTHING].includes(text(row))));
  const classed = filled.map((column) => ({ column, classes: cellClass(column, all) }));
  const [{ column: name, classes: ofName }, ...others] = classed;
  const shown = classed.filter(({ column }) => column.further === undefined).length;
  /** @param {Row} row */
  const lineOf = (row) =>
    html`<tr><th scope="row" class="${ofName}">${cellContent(name, row)}</th>${others.map(({ column, classes }) => bodyCell(column, classes, row))}</tr>\n`;
  const bodies = sections.map(({ heading, rows }) => {
    const head =
      heading === null
        ? null
        : html`<tr class="section"><th scope="rowgroup" colspan="${shown}">${heading}</th></tr>\n`;
    return html`<tbody>${head}${rows.map(lineOf)}</tbody>`;
  });
  return html`<div class="scroll table" tabindex="0" role="region" aria-label="Table: ${caption}">
<table><caption class="unseen">${caption}</caption>
<thead><tr>${classed.map(({ column, classes }) => headCell(column, classes))}</tr></thead>
${bodies}</table></div>`;
}
