// The first screen of the page: the question, the command that measured it, the answer, and its certainty.

import { headlineMeasure, readHeadline } from '../../lib/cell/headline.js';
import { transportLabel } from '../../lib/cell/labels.js';
import { capitalised, countedFromTo, groupedBy } from '../../lib/format/lists.js';
import { hasRange } from '../../lib/format/numbers.js';
import { printable } from '../../lib/format/printable.js';
import { isFault } from '../../lib/format/result-flags.js';
import { formatCommand } from '../../lib/options/written-options.js';
import { verdictGrids } from '../../lib/report/columns/verdict-grid.js';
import { flagsIn, hasFlag, isOpen, measuredGroups } from '../../lib/report/findings/groups.js';
import { winnerWord } from '../../lib/report/text/measure-words.js';
import { cellName, explainedHeading } from '../../lib/report/text/names.js';
import { faultNotes } from '../../lib/report/text/notes.js';
import { surroundingLines } from '../../lib/report/text/surroundings.js';
import { isMeasured } from '../../lib/results/measured-outcomes.js';
import { html } from './markup.js';
import { projectLink } from './page-assets.js';
import { pageText, sortableTable } from './sortable-table.js';

/** @import { Cell, MeasuredOutcome, Results } from '../../lib/types/index.js' */
/** @import { Markup } from './markup.js' */

const HEADINGS_NAMED = 2;
const TITLE_CHARACTERS = 200;
const SCOPE_CHARACTERS = 400;

/** @param {Results} results @returns {string} 'Which transport and codec is fastest?' */
export function pageQuestion({ outcomes }) {
  const measured = outcomes.filter(isMeasured);
  if (measured.length === 0) return 'Nothing was measured';
  /** @param {(cell: Cell) => string | undefined} read */
  const varies = (read) => new Set(measured.map(({ cell }) => read(cell))).size > 1;
  const names = [
    ...(varies(transportLabel) ? ['transport'] : []),
    ...(varies(({ codec }) => codec) ? ['codec'] : []),
    ...(varies(({ runtime }) => runtime) ? ['runtime'] : []),
  ];
  const [{ cell }] = measured;
  if (names.length === 0) return `How fast is ${pageText(cellName(cell))}?`;
  if (measured.every(isOpen)) return `Which ${names.join(' and ')} responds fastest under load?`;
  const measures = measured.map(headlineMeasure);
  if (measures.some(({ better }) => better === null)) return `What does ${pageText(cell.scenario)} measure?`;
  const [word, ...others] = new Set(measures.map(winnerWord));
  return `Which ${names.join(' and ')} is ${others.length === 0 ? word : 'best'}?`;
}

/** @param {Results} results @returns {string} 'Round trips per second at 1,000 B, 2x4 (2 workers, 4 concurrent loops each)' */
function scopeText(results) {
  const groups = measuredGroups(results);
  const byMeasure = groupedBy(groups, ({ measured: [first] }) =>
    isOpen(first) ? 'response time' : headlineMeasure(first).title,
  );
  const texts = [...byMeasure].map(([title, ofMeasure]) => {
    const headings = ofMeasure.map(explainedHeading);
    const where =
      headings.length <= HEADINGS_NAMED
        ? `at ${headings.join(' and at ')}`
        : `in ${headings.length} groups, from ${headings[0]} to ${headings[headings.length - 1]}`;
    return `${capitalised(printable(title))} ${where}`;
  });
  return pageText(texts.join('; '), SCOPE_CHARACTERS);
}

/** @param {MeasuredOutcome[]} measured */
function intervalText(measured) {
  const headlines = measured.map(readHeadline).filter(hasRange);
  const levels = new Set(headlines.map(({ level }) => level));
  const counts = measured.map((outcome) => readHeadline(outcome).n);
  const launches = `${countedFromTo(counts, 'launch', 'launches')} of each row`;
  if (levels.size === 0) return `${launches}: no interval, and nothing is proven.`;
  const texts = [
    ...(levels.has(0.95) ? ['(low–high) is a 95 % interval'] : []),
    ...(levels.has(null) ? ['[low–high] is the range of too few launches for an interval'] : []),
  ];
  return `${launches}: ${texts.join('; ')}.`;
}

/** @param {MeasuredOutcome[]} measured @returns {Markup} */
function explainFaults(measured) {
  const faults = flagsIn(measured).filter(isFault);
  if (faults.length === 0) return html`<p>No row has a fault.</p>`;
  const notes = faultNotes(measured);
  const items = faults.map((code, index) => {
    const flagged = measured.filter((outcome) => hasFlag(outcome, code));
    const where =
      flagged.length === measured.length ? 'all rows' : `${flagged.length} of ${measured.length} rows`;
    return html`<li>${notes[index]} <span class="muted">(${where})</span></li>`;
  });
  return html`<p>Faults, which are remarks in their rows:</p><ul>${items}</ul>`;
}

/** @param {Results} results @returns {string} the title for windows and links, with the heading of the group if there is only one */
export function pageTitle(results) {
  const [first, ...others] = measuredGroups(results);
  const where = first === undefined || others.length > 0 ? '' : ` ${first.heading}`;
  return pageText(pageQuestion(results) + where, TITLE_CHARACTERS);
}

/** @param {Pick<Results, 'tool' | 'startedAt' | 'options' | 'variant'>} results @param {string} [side] @returns {Markup} */
export function originLines({ tool, startedAt, options, variant }, side) {
  const command = printable(formatCommand({ options, variant }));
  const named = side === undefined ? '' : `${pageText(side)}: `;
  return html`<p class="origin">${named}<code>${command}</code> <button type="button" class="scripted" data-copy>Copy</button><br>
<span class="muted">Measured on ${pageText(startedAt.slice(0, 10))} with ${projectLink(`ipc-bench ${pageText(tool.version)}`)}</span></p>`;
}

/**
 * @param {Results} results
 * @param {string} title   set by the user, or empty
 * @param {string[]} sentences   the conclusions
 * @returns {Markup}
 */
export function answerSection(results, title, [answer, ...rest]) {
  const question = pageQuestion(results);
  return html`<header>
<h1>${title === '' ? question : pageText(title, TITLE_CHARACTERS)}</h1>
${title === '' ? null : html`<p class="question">${question}</p>`}
<p class="question">${scopeText(results)}</p>
${originLines(results)}
</header>
<section aria-labelledby="answer"><h2 id="answer" class="unseen">Answer</h2>
<p class="answer">${printable(answer ?? '')}</p>
${verdictGrids(results).map(gridTable)}
${rest.map((sentence) => html`<p>${printable(sentence)}</p>`)}
</section>`;
}

/** @param {import('../../lib/report/columns/verdict-grid.js').VerdictGrid} grid @returns {Markup} */
function gridTable({ heading, columns, sections, legend }) {
  return html`${sortableTable(heading, columns, sections)}<p class="small muted">${legend}</p>`;
}

/** @param {Results} results @param {string[]} properties   sentences on the properties of rows @returns {Markup} */
export function certaintySection(results, properties) {
  const measured = results.outcomes.filter(isMeasured);
  const surroundings = surroundingLines(results).map((line) => pageText(line, SCOPE_CHARACTERS));
  const lines = [...properties, ...surroundings].map((line) => html`<li>${line}</li>`);
  return html`<section aria-labelledby="certainty"><h2 id="certainty">How sure this is</h2>
${measured.length === 0 ? null : html`<p>${intervalText(measured)}</p>${explainFaults(measured)}`}
<ul>${lines}</ul>
</section>`;
}
