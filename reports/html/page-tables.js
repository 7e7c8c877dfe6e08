// The tables of the page: a row for each cell that was measured, in the columns that the terminal and Markdown have, and
// below it what is missing. Sorting and filtering are the page's own.

import { cellLabel } from '../../lib/cell/labels.js';
import { columnsOfGroups } from '../../lib/tables/open-columns.js';
import { sectionsOfGroup } from '../../lib/tables/sections.js';
import { groupsOf, isMeasured, rowNameOf } from '../../lib/verdicts/groups.js';
import { shortened } from '../../lib/words/lists.js';
import { printable } from '../../lib/words/printable.js';
import { meaningOf } from '../../lib/words/result-flags.js';
import { html } from './markup.js';

/** @import { Choice, Column } from '../../lib/tables/columns.js' */
/** @import { MeasuredOutcome, Outcome } from '../../lib/types/outcomes.js' */
/** @import { Results } from '../../lib/types/results-file.js' */
/** @import { Group } from '../../lib/verdicts/groups.js' */
/** @import { Markup } from './markup.js' */

const NAME_CHARACTERS = 80;
const REASON_CHARACTERS = 300;

/** @param {string} text   of unknown origin @param {number} [characters] */
export const pageText = (text, characters = NAME_CHARACTERS) => shortened(printable(text), characters);

/** @param {Results} results @returns {(outcome: { cell: Outcome['cell'] }) => string} the address of its page */
export function cellAddresses({ outcomes }) {
  const places = new Map(outcomes.map(({ cell }, index) => [cellLabel(cell), index]));
  return ({ cell }) => `#cell-${places.get(cellLabel(cell))}`;
}

/** @param {Column} column @returns {string} 'further': only where all columns are wanted */
const kindOf = (column) => (/** @type {Choice} */ (column).further === undefined ? '' : 'further');

/** @param {Column} column @param {number} index @returns {Markup} */
function headCell({ span, title, align, ...rest }, index) {
  const kind = kindOf({ span, title, align, ...rest });
  const above = span === '' ? null : html`<small>${span}</small> `;
  return html`<th scope="col" class="${align === 'left' ? 'text' : 'number'} ${kind}"><button type="button" data-column="${index}">${above}${title}</button></th>`;
}

/** @param {Column} column @param {MeasuredOutcome} outcome @returns {Markup} */
function bodyCell(column, outcome) {
  const value = column.value?.(outcome);
  const known = typeof value === 'number' && Number.isFinite(value) ? html` data-value="${value}"` : null;
  const side = column.align === 'left' ? 'text' : 'number';
  const text =
    column.title === 'flags' ? flagsText(outcome, column) : html`${pageText(column.text(outcome))}`;
  return html`<td class="${side} ${kindOf(column)}"${known}>${text}</td>`;
}

/** @param {MeasuredOutcome} outcome @param {Column} column @returns {Markup} each with what it means */
function flagsText(outcome, column) {
  const marks = [...column.text(outcome)];
  return html`${outcome.flags.map(({ code }, index) => {
    const meaning = meaningOf(code, 'summary', outcome.operation);
    return html`<abbr title="${meaning}">${marks[index] ?? ''}</abbr>`;
  })}`;
}

/**
 * @param {Results} results
 * @param {Group} group
 * @param {Column[]} columns
 * @param {(outcome: Outcome) => string} addressOf
 * @returns {Markup}
 */
function tableOf(results, group, [name, ...columns], addressOf) {
  const sections = sectionsOfGroup(results, group);
  const hasClasses = sections.some(({ heading }) => heading !== null);
  /** @type {Column} */
  const ofClass = { span: '', title: 'class', align: 'left', text: () => '' };
  const rows = sections.flatMap(({ heading, rows: own }) =>
    own.map((outcome) => {
      const first = html`<th scope="row"><a href="${addressOf(outcome)}">${pageText(name.text(outcome))}</a></th>`;
      const own = hasClasses ? html`<td class="text">${heading ?? ''}</td>` : null;
      return html`<tr>${first}${own}${columns.map((column) => bodyCell(column, outcome))}</tr>`;
    }),
  );
  const heads = [name, ...(hasClasses ? [ofClass] : []), ...columns].map(headCell);
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Table: ${group.place}">
<table class="sortable"><caption class="unseen">${group.place}</caption>
<thead><tr>${heads}</tr></thead>
<tbody>${rows}</tbody></table></div>`;
}

/** @param {Outcome} outcome @returns {string} */
function whyMissing(outcome) {
  if (outcome.status === 'measured') return '';
  const why = outcome.status === 'skipped' ? outcome.reason : `${outcome.message} (${outcome.code})`;
  return pageText(why, REASON_CHARACTERS);
}

/** @param {Group} group @param {(outcome: Outcome) => string} addressOf @returns {Markup | null} */
function missingOf({ outcomes }, addressOf) {
  const missing = outcomes.filter((outcome) => !isMeasured(outcome));
  if (missing.length === 0) return null;
  const items = missing.map(
    (outcome) =>
      html`<li><a href="${addressOf(outcome)}">${pageText(rowNameOf(outcome.cell))}</a> ${outcome.status}: ${whyMissing(outcome)}</li>`,
  );
  return html`<details><summary>${missing.length} without a number, and why</summary><ul>${items}</ul></details>`;
}

/**
 * @typedef {object} TableSection
 * @property {Group} group
 * @property {Markup} content
 */

/** @param {Results} results @returns {TableSection[]} */
export function tableSections(results) {
  const columnsIn = columnsOfGroups(results);
  const addressOf = cellAddresses(results);
  return groupsOf(results).map((group) => ({
    group,
    content: html`${group.measured.length === 0 ? html`<p>Nothing was measured here.</p>` : tableOf(results, group, columnsIn(group), addressOf)}
${missingOf(group, addressOf)}`,
  }));
}
