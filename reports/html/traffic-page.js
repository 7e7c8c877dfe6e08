// Recorded traffic as a page: what its messages take, a table of its channels, and what the program would gain, where that was measured.

import {
  REAL_MESSAGES,
  trafficColumns,
  trafficHead,
  trafficNotes,
} from '../../lib/report/columns/traffic-table.js';
import { GAIN_COLUMNS, gainWords } from '../../lib/report/recommend/gain-words.js';
import { html } from './markup.js';
import { pageShell } from './page-shell.js';
import { pageText, sortableTable } from './sortable-table.js';

/** @import { ChannelWords, RecordedTraffic } from '../../lib/report/recommend/gain-words.js' */
/** @import { Markup } from './markup.js' */

const SENTENCE_CHARACTERS = 1_000;

/** @param {string[]} sentences @returns {Markup} */
const paragraphs = (sentences) =>
  html`${sentences.map((text) => html`<p>${pageText(text, SENTENCE_CHARACTERS)}</p>`)}`;

/** @param {ChannelWords} words @returns {Markup} */
function channelSection({ head: [title, ...head], rows, notes }) {
  const heading = pageText(title.replace(/\.$/, ''), SENTENCE_CHARACTERS);
  const table = rows.length === 0 ? null : sortableTable(heading, GAIN_COLUMNS, [{ heading: null, rows }]);
  return html`<section><h2>${heading}</h2>
${paragraphs(head)}
${table}
${paragraphs(notes)}
</section>`;
}

/** @param {RecordedTraffic} recorded @returns {string} */
export function trafficPage({ traffic, gains, others }) {
  const words = gains === null ? null : gainWords({ traffic, gains, others });
  const [total, ...notes] = trafficNotes(traffic);
  const answer = words?.answer ?? total;
  const heading = 'What was heard';
  const columns = trafficColumns(traffic);
  const below = [
    ...(words === null ? [] : [total]),
    ...(traffic.hasContents ? [REAL_MESSAGES] : []),
    ...notes,
  ];
  return pageShell({
    title: `${pageText(traffic.program)}: its messages`,
    description: pageText(answer, SENTENCE_CHARACTERS),
    content: html`<header><h1>${pageText(traffic.program)}: its messages</h1>
<p class="origin muted">${pageText(trafficHead(traffic), SENTENCE_CHARACTERS)}</p>
</header>
<section aria-labelledby="answer"><h2 id="answer" class="unseen">Answer</h2>
<p class="answer">${pageText(answer, SENTENCE_CHARACTERS)}</p>
</section>`,
    tables: html`${(words?.channels ?? []).map(channelSection)}
${paragraphs(words?.notes ?? [])}
<section><h2>${heading}</h2>
${sortableTable(heading, columns, [{ heading: null, rows: traffic.channels }])}
${paragraphs(below)}
</section>`,
    hasFurther: false,
  });
}
