// The tables of the page: a row for each cell that was measured, in the columns and sections of the terminal, and below it what is
// missing. Sorting and filtering are the page's own.

import { cellLabel } from '../../lib/cell/labels.js';
import { FURTHER_COLUMNS } from '../../lib/options/flags.js';
import { columnsOfGroups, textColumn } from '../../lib/report/columns/columns.js';
import { sectionsOfGroup } from '../../lib/report/columns/sections.js';
import { formatRowName, groupRows, isMeasured } from '../../lib/report/text/groups.js';
import { html } from './markup.js';
import { pageText, sortableTable } from './sortable-table.js';

/** @import { Choice } from '../../lib/report/columns/columns.js' */
/** @import { MeasuredOutcome, Outcome, Results } from '../../lib/types/index.js' */
/** @import { Group } from '../../lib/report/text/groups.js' */
/** @import { Markup } from './markup.js' */
/** @import { PageColumn } from './sortable-table.js' */

const REASON_CHARACTERS = 4_000; // more than any built-in reason has

/** @param {Results} results @returns {(outcome: { cell: Outcome['cell'] }) => string} the address of its page */
function cellAddresses({ outcomes }) {
  const places = new Map(outcomes.map(({ cell }, index) => [cellLabel(cell), index]));
  return ({ cell }) => `#cell-${places.get(cellLabel(cell))}`;
}

/**
 * @param {Choice} column
 * @returns {PageColumn<MeasuredOutcome>} with its title in the terminal, which has one line for all titles
 */
const pageColumn = ({ short, ...column }) =>
  short === undefined ? column : { ...column, span: '', title: short };

/** @param {Results} results @param {Group} group @param {Choice[]} columns @param {(outcome: Outcome) => string} addressOf */
function makeTable(results, group, [name, ...columns], addressOf) {
  const sections = sectionsOfGroup(results, group);
  const headings = new Map(sections.flatMap(({ heading, rows }) => rows.map((row) => [row, heading])));
  const hasClasses = sections.some(({ heading }) => heading !== null);
  /** @type {PageColumn<MeasuredOutcome>} */
  const ofClass = { ...textColumn('class', (outcome) => headings.get(outcome) ?? ''), further: 'class' };
  return sortableTable(
    group.place,
    [
      {
        ...name,
        markup: (outcome) => html`<a href="${addressOf(outcome)}">${pageText(name.text(outcome))}</a>`,
      },
      ...(hasClasses ? [ofClass] : []),
      ...columns.map(pageColumn),
    ],
    sections,
  );
}

/** @param {Outcome} outcome @returns {string} whole: half of a remedy is none */
function missingReason(outcome) {
  if (outcome.status === 'measured') return '';
  const why = outcome.status === 'skipped' ? outcome.reason : `${outcome.message} (${outcome.code})`;
  return pageText(why, REASON_CHARACTERS);
}

/** @param {Group} group @param {(outcome: Outcome) => string} addressOf @returns {Markup | null} */
function listMissing({ outcomes }, addressOf) {
  const missing = outcomes.filter((outcome) => !isMeasured(outcome));
  if (missing.length === 0) return null;
  const items = missing.map(
    (outcome) =>
      html`<li><a href="${addressOf(outcome)}">${pageText(formatRowName(outcome.cell))}</a> ${outcome.status}: ${missingReason(outcome)}</li>`,
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
  const columnsIn = columnsOfGroups(results, FURTHER_COLUMNS);
  const addressOf = cellAddresses(results);
  return groupRows(results).map((group) => ({
    group,
    content: html`${group.measured.length === 0 ? html`<p>Nothing was measured here.</p>` : makeTable(results, group, columnsIn(group), addressOf)}
${listMissing(group, addressOf)}`,
  }));
}
