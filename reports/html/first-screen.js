// What the page says first: the question, the answer in words, and how sure it is.

import { headlineMeasure, readHeadline } from '../../lib/cell/headline.js';
import { countedFromTo, groupedBy } from '../../lib/format/lists.js';
import { hasRange } from '../../lib/format/numbers.js';
import { printable } from '../../lib/format/printable.js';
import { flagNotes, isFault } from '../../lib/format/result-flags.js';
import { surroundingLines } from '../../lib/report/columns/surroundings.js';
import { conclusions } from '../../lib/report/text/conclusion.js';
import { flagsIn, groupRows, isMeasured } from '../../lib/report/text/groups.js';
import { html } from './markup.js';
import { pageText } from './sortable-table.js';

/** @import { MeasuredOutcome, Results } from '../../lib/types/index.js' */
/** @import { Markup } from './markup.js' */

const PLACES_NAMED = 2;
const QUESTION_CHARACTERS = 200;

/** @param {MeasuredOutcome} outcome @returns {string} 'How many round trips per second' */
function formatAsked(outcome) {
  const { title, unit } = headlineMeasure(outcome);
  if (unit === 'per second' || unit === 'count') return `How many ${title}`;
  return unit === 'µs' ? `How long is the ${title}` : `How much ${title}`;
}

/** @param {Results} results @returns {string} 'How many round trips per second at 1,000 B, 2x4?' */
export function pageQuestion(results) {
  const measured = groupRows(results).filter((group) => group.measured.length > 0);
  if (measured.length === 0) return 'Nothing was measured';
  const questions = [...groupedBy(measured, (group) => formatAsked(group.measured[0]))].map(
    ([asked, groups]) => {
      const places = groups.map(({ place }) => place);
      if (places.length <= PLACES_NAMED) return `${asked} at ${places.join(' and at ')}?`;
      return `${asked}, from ${places[0]} to ${places[places.length - 1]}?`;
    },
  );
  return pageText(questions.join(' '), QUESTION_CHARACTERS);
}

/** @param {MeasuredOutcome[]} measured @returns {string} what the intervals are */
function intervalText(measured) {
  const headlines = measured.map(readHeadline).filter(hasRange);
  const levels = new Set(headlines.map(({ level }) => level));
  const counts = measured.map((outcome) => readHeadline(outcome).n);
  const launches = `${countedFromTo(counts, 'launch', 'launches')} of each row`;
  if (levels.size === 0) return `${launches}: one launch has no interval, and nothing is proven.`;
  const texts = [
    ...(levels.has(0.95) ? ['(low–high) is a 95 % interval'] : []),
    ...(levels.has(null) ? ['[low–high] is the range of too few launches for an interval'] : []),
  ];
  return `${launches}: ${texts.join('; ')}.`;
}

/** @param {MeasuredOutcome[]} measured @returns {Markup} which faults and properties rows have, and what they mean */
function explainFlags(measured) {
  const itemOf = (/** @type {string} */ code) => {
    const own = measured.filter(({ flags }) => flags.some((flag) => flag.code === code));
    const [note] = flagNotes([code], own[0].operation);
    const where = own.length === measured.length ? 'all rows' : `${own.length} of ${measured.length} rows`;
    return html`<li>${note} <span class="muted">(${where})</span></li>`;
  };
  const listOf = (/** @type {string} */ heading, /** @type {string[]} */ codes) =>
    codes.length === 0 ? null : html`<p>${heading}</p><ul class="flags">${codes.map(itemOf)}</ul>`;
  const codes = flagsIn(measured);
  const faults = codes.filter(isFault);
  return html`${faults.length === 0 ? html`<p>No row has a fault: nothing is known that speaks against these numbers.</p>` : listOf('Faults, which are remarks in their rows:', faults)}
${listOf(
  'Properties of rows, which are no faults:',
  codes.filter((code) => !isFault(code)),
)}`;
}

/** @param {Results} results @param {string} title   of the user; empty: the question is the title @returns {Markup} */
export function answerSection(results, title) {
  const [answer, ...rest] = conclusions(results, { isBrief: true });
  const question = pageQuestion(results);
  return html`<header>
<h1>${title === '' ? question : pageText(title, QUESTION_CHARACTERS)}</h1>
${title === '' ? null : html`<p class="question">${question}</p>`}
</header>
<section aria-labelledby="answer"><h2 id="answer">Answer</h2>
<p class="answer">${printable(answer ?? '')}</p>
${rest.map((sentence) => html`<p>${printable(sentence)}</p>`)}
</section>`;
}

/** @param {Results} results @returns {Markup} */
export function certaintySection(results) {
  const measured = results.outcomes.filter(isMeasured);
  const lines = surroundingLines(results).map((line) => html`<li>${pageText(line, 400)}</li>`);
  return html`<section aria-labelledby="certainty"><h2 id="certainty">How sure this is</h2>
${measured.length === 0 ? null : html`<p>${intervalText(measured)}</p>${explainFlags(measured)}`}
<ul>${lines}</ul>
</section>`;
}
