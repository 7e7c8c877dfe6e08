// The page of a comparison: the differences in words and pictures, and a table for each measure.

import { capitalised } from '../../lib/format/lists.js';
import { comparisonPictures } from '../../lib/report/compare/comparison-figures.js';
import { comparisonTables } from '../../lib/report/compare/comparison-table.js';
import {
  conclusionsOf,
  differenceLines,
  footLines,
  tallyText,
  warningLines,
} from '../../lib/report/compare/comparison-words.js';
import { originLines } from './first-screen.js';
import { html } from './markup.js';
import { placedPictures } from './page-pictures.js';
import { pageShell } from './page-shell.js';
import { pageText, sortableTable } from './sortable-table.js';

/** @import { Compared, Comparison } from '../../lib/types/index.js' */
/** @import { Markup } from './markup.js' */
/** @import { Figure } from '../../lib/report/charts/chart-types.js' */

const LINE_CHARACTERS = 600;

/** @param {string[]} lines @returns {Markup} */
const paragraphs = (lines) => html`${lines.map((line) => html`<p>${pageText(line, LINE_CHARACTERS)}</p>`)}`;

/** @param {Comparison} comparison @param {Figure[]} figures @param {Markup[]} pictures   the first is on the first screen */
function makeTables(comparison, figures, pictures) {
  const tables = comparisonTables(comparison).map(({ measure, columns, rows }) => {
    const heading = pageText(measure.title);
    const cells = new Set(rows.map(({ cell }) => cell));
    const ofTable = figures.map((figure, index) =>
      index > 0 && figure.cells.every((cell) => cells.has(cell)) ? pictures[index] : '',
    );
    return html`<section><h2>${capitalised(heading)}</h2>${sortableTable(heading, columns, [{ heading: null, rows }])}${ofTable}</section>\n`;
  });
  return html`${tables}`;
}

/** @param {Compared} compared @returns {string} */
export function comparisonPage({ comparison, old, new: newer }) {
  const title = `${pageText(newer.name)} against ${pageText(old.name)}: ${pageText(tallyText(comparison), LINE_CHARACTERS)}`;
  const [answer, ...rest] = conclusionsOf(comparison);
  const pictures = comparisonPictures(comparison);
  const figures = pictures.map(({ figure }) => figure);
  const placed = placedPictures(pictures);
  return pageShell({
    title,
    description: pageText(answer ?? '', LINE_CHARACTERS),
    content: html`<header><h1>${title}</h1>
${old.results.variant?.command !== undefined && comparison.design === 'interleaved' ? originLines(old.results) : [old, newer].map(({ name, results }) => originLines(results, name))}
</header>
<section aria-labelledby="answer"><h2 id="answer" class="unseen">Answer</h2>
<p class="answer">${pageText(answer ?? '', LINE_CHARACTERS)}</p>
${paragraphs(rest)}
</section>
${placed[0]}
<section aria-labelledby="certainty"><h2 id="certainty">How sure this is</h2>
${paragraphs([...differenceLines(comparison), ...warningLines(comparison), ...footLines(comparison)])}
</section>`,
    tables: makeTables(comparison, figures, placed),
    hasFurther: false,
  });
}
