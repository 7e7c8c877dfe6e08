// Phrases on missing rows.

import { groupedBy, listed, shortened, unended } from '../../../format/lists.js';
import { printable } from '../../../format/printable.js';
import { nameAtRate } from '../names.js';

/** @import { Finding } from '../../../types/index.js' */

const MAX_HEADINGS = 2;
const MAX_NAMES = 12;
const MAX_MESSAGE_LENGTH = 300;
const MAX_CAUSES = 4;

/** @param {Finding} finding @returns {string[]} 'unix/json at 1,000 B, 2x4', 'redis-list in 3 of 5 groups' */
function listNames({ rows, numbers }) {
  return [...groupedBy(rows, nameAtRate)].map(([name, some]) => {
    const headings = some.flatMap(({ heading }) => heading ?? []);
    if (headings.length === 0) return name;
    return headings.length > MAX_HEADINGS
      ? `${name} in ${headings.length} of ${numbers.tables} groups`
      : `${name} at ${headings.join(' and at ')}`;
  });
}

/** @param {Finding} finding @returns {string} 'server not found (NO_SERVER)' */
function whyText({ names: { message, code } }) {
  const text = unended(shortened(printable(message), MAX_MESSAGE_LENGTH));
  return code === undefined ? text : `${text} (${printable(code)})`;
}

/** @param {Finding} finding @returns {string[]} 'Failed: unix/json: …' */
function gapSentences(finding) {
  const lead = finding.kind === 'failed' ? 'Failed' : 'Skipped';
  return [`${lead}: ${listed(listNames(finding), MAX_NAMES)}: ${whyText(finding)}.`];
}

/** @param {Finding[]} findings @returns {string[]} one sentence at most, on rows that no machine can measure */
export function notApplicableSentences(findings) {
  const texts = findings
    .filter(({ kind }) => kind === 'not-applicable')
    .map((finding) => `${listed(listNames(finding), MAX_NAMES)} (${whyText(finding)})`);
  if (texts.length === 0) return [];
  const rest = texts.length - MAX_CAUSES;
  const shown = rest > 1 ? texts.slice(0, MAX_CAUSES) : texts;
  const more = rest > 1 ? `; and ${rest} more (--dry-run lists them)` : '';
  return [`Not applicable: ${shown.join('; ')}${more}.`];
}

/** @type {import('../phrase-table.js').PhrasesByKind} */
export const GAP_PHRASES = {
  failed: gapSentences,
  skipped: gapSentences,
};
