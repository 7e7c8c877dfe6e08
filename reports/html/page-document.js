// The page of results: the first screen, a section for each group of rows with its table and pictures, and all notes.

import { cellLabel } from '../../lib/cell/labels.js';
import { makePictures } from '../../lib/report/charts/pictures/pictures.js';
import { bestLegend } from '../../lib/report/columns/columns.js';
import { asOneQuestion } from '../../lib/report/findings/groups.js';
import { findingsIn } from '../../lib/report/findings/index.js';
import { conclusions, propertySentences } from '../../lib/report/text/conclusion.js';
import { explainedHeading } from '../../lib/report/text/names.js';
import { faultNotes, makeNotes } from '../../lib/report/text/notes.js';
import { surroundingLines } from '../../lib/report/text/surroundings.js';
import { isMeasured } from '../../lib/results/measured-outcomes.js';
import { answerSection, certaintySection, pageTitle } from './first-screen.js';
import { html } from './markup.js';
import { placedPictures } from './page-pictures.js';
import { pageShell } from './page-shell.js';
import { tableSections } from './page-tables.js';
import { pageText } from './sortable-table.js';

/** @import { ReportOptions, Results } from '../../lib/types/index.js' */
/** @import { Markup } from './markup.js' */
/** @import { Figure } from '../../lib/report/charts/chart-types.js' */

const HEADING_CHARACTERS = 200;
const DESCRIPTION_CHARACTERS = 300;

/**
 * @param {Results} results
 * @param {Figure[]} figures
 * @param {Markup[]} pictures   one for each figure
 * @returns {Markup[]} sections of one table each, with the pictures of its cells; a picture of several tables is below the first one.
 *   Pictures that belong to no table have a further section
 */
function tablesWithPictures(results, figures, pictures) {
  const shown = figures.map(({ cells = [] }) => new Set(cells.map((cell) => cellLabel(cell))));
  const placed = new Set([0]); // the first picture is part of the first screen
  const sections = tableSections(results).map(({ group, content }, index) => {
    const labels = group.outcomes.map((outcome) => cellLabel(asOneQuestion(results.scenarios, outcome).cell));
    const ofGroup = figures.flatMap((figure, number) =>
      labels.some((label) => shown[number].has(label)) ? [{ figure, number }] : [],
    );
    const unplaced = ofGroup.filter(({ number }) => !placed.has(number));
    const links = ofGroup
      .filter(({ number }) => placed.has(number))
      .map(
        ({ figure, number }, at) =>
          html`${at === 0 ? '' : ' · '}<a href="#picture-${number}">${figure.title}</a>`,
      );
    for (const { number } of unplaced) placed.add(number);
    return html`<section aria-labelledby="table-${index}">
<h2 id="table-${index}">${pageText(explainedHeading(group) + bestLegend(group), HEADING_CHARACTERS)}</h2>
${links.length === 0 ? null : html`<p class="muted">Drawn above: ${links}</p>`}
${content}
${unplaced.map(({ number }) => pictures[number])}
</section>`;
  });
  const others = pictures.filter((_, index) => !placed.has(index));
  if (others.length === 0) return sections;
  return [
    ...sections,
    html`<section aria-labelledby="others"><h2 id="others">Further pictures</h2>${others}</section>`,
  ];
}

/** @param {string[]} notes @returns {Markup | null} */
function notesSection(notes) {
  if (notes.length === 0) return null;
  const items = notes.map((note) => html`<li>${note}</li>`);
  return html`<section><details><summary>Further notes (${items.length})</summary><ul>${items}</ul></details></section>`;
}

/** @param {Results} results @param {ReportOptions} options @returns {string} */
export function pageDocument(results, { title = '' }) {
  const sentences = conclusions(results, { isBrief: true });
  const properties = propertySentences(findingsIn(results), false);
  const faults = faultNotes(results.outcomes.filter(isMeasured));
  const shown = [...sentences, ...properties, ...faults, ...surroundingLines(results)];
  const notes = makeNotes(results).filter((note) => !shown.includes(note));
  const pictures = makePictures(results, {}); // without the user's title, which is the title of the page
  const placed = placedPictures(pictures, [...shown, ...notes]);
  const first = [
    answerSection(results, title, sentences),
    placed[0] ?? '',
    certaintySection(results, properties),
  ];
  const figures = pictures.map(({ figure }) => figure);
  return pageShell({
    title: title === '' ? pageTitle(results) : pageText(title),
    description: pageText(sentences[0] ?? '', DESCRIPTION_CHARACTERS),
    content: html`${first}`,
    tables: html`${tablesWithPictures(results, figures, placed)}${notesSection(notes)}`,
    hasFurther: true,
  });
}
