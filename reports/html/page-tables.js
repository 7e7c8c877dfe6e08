// The tables of the page, with the columns and sections of the terminal, and lists of missing rows.

import { FURTHER_COLUMNS } from '../../lib/options/flags.js';
import { columnsOfGroups, textColumn } from '../../lib/report/columns/columns.js';
import { explainedTable } from '../../lib/report/columns/explained-table.js';
import { sectionsOfGroup } from '../../lib/report/columns/sections.js';
import { readCause } from '../../lib/report/findings/gap-findings.js';
import { groupRows } from '../../lib/report/findings/groups.js';
import { formatRowName } from '../../lib/report/text/names.js';
import { isMeasured } from '../../lib/results/measured-outcomes.js';
import { html } from './markup.js';
import { pageText, sortableTable } from './sortable-table.js';

/** @import { ColumnChoice } from '../../lib/report/columns/columns.js' */
/** @import { MeasuredOutcome, Results } from '../../lib/types/index.js' */
/** @import { Missing } from '../../lib/report/findings/gap-findings.js' */
/** @import { RowGroup } from '../../lib/report/findings/groups.js' */
/** @import { Markup } from './markup.js' */
/** @import { PageColumn } from './sortable-table.js' */

const REASON_CHARACTERS = 4_000; // longer than any built-in reason

/**
 * @param {ColumnChoice} column
 * @returns {PageColumn<MeasuredOutcome>} the column with the short title that it has in the terminal
 */
const pageColumn = ({ short, ...column }) =>
  short === undefined ? column : { ...column, span: '', title: short };

/** @param {Results} results @param {RowGroup} group @param {ColumnChoice[]} columns */
function makeTable(results, group, [name, ...columns]) {
  const sections = sectionsOfGroup(results, group);
  const headings = new Map(sections.flatMap(({ heading, rows }) => rows.map((row) => [row, heading])));
  const hasClasses = sections.some(({ heading }) => heading !== null);
  /** @type {PageColumn<MeasuredOutcome>} */
  const ofClass = { ...textColumn('class', (outcome) => headings.get(outcome) ?? ''), further: 'class' };
  return sortableTable(
    group.heading,
    [name, ...(hasClasses ? [ofClass] : []), ...columns.map(pageColumn)],
    sections,
  );
}

/** @param {Missing} outcome @returns {string} the whole reason, since part of a remedy does not help */
function missingReason(outcome) {
  const { message, code } = readCause(outcome);
  return pageText(code === undefined ? message : `${message} (${code})`, REASON_CHARACTERS);
}

/** @param {Results} results @param {RowGroup} group @returns {Markup | null} */
function explainedSection(results, group) {
  const table = explainedTable(results, group);
  if (table === null) return null;
  const { heading, columns, rows, notes } = table;
  return html`<h3>${heading}</h3>
${sortableTable(heading, columns, [{ heading: null, rows }])}
${notes.map((note) => html`<p class="small muted">${note}</p>`)}`;
}

/** @param {RowGroup} group @returns {Markup | null} */
function listMissing({ outcomes }) {
  const missing = outcomes.flatMap((outcome) => (isMeasured(outcome) ? [] : [outcome]));
  if (missing.length === 0) return null;
  const items = missing.map(
    (outcome) =>
      html`<li>${pageText(formatRowName(outcome.cell))} ${outcome.status}: ${missingReason(outcome)}</li>`,
  );
  return html`<details><summary>${missing.length} without a number, and why</summary><ul>${items}</ul></details>`;
}

/**
 * @typedef {object} PageSection
 * @property {RowGroup} group
 * @property {Markup} content
 */

/** @param {Results} results @returns {PageSection[]} */
export function tableSections(results) {
  const columnsIn = columnsOfGroups(results, FURTHER_COLUMNS);
  return groupRows(results).map((group) => ({
    group,
    content: html`${group.measured.length === 0 ? html`<p>Nothing was measured here.</p>` : makeTable(results, group, columnsIn(group))}
${listMissing(group)}
${explainedSection(results, group)}`,
  }));
}
