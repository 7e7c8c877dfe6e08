// The phrases of findings, by kind. A phrase depends on its finding alone. The brief form is for the default output; the full form is for
// --notes and documents.

import { ALONG_PHRASES, alongTitle, winnersTitle } from './phrases/along-phrases.js';
import { BLOCKING_PHRASES } from './phrases/blocking-phrases.js';
import { COMPARISON_PHRASES } from './phrases/comparison-phrases.js';
import { GAIN_PHRASES } from './phrases/gain-phrases.js';
import { GAP_PHRASES } from './phrases/gap-phrases.js';
import { GROWTH_PHRASES } from './phrases/growth-phrases.js';
import { GUARANTEE_PHRASES } from './phrases/guarantee-phrases.js';
import { LIMIT_PHRASES } from './phrases/limit-phrases.js';
import { NOISE_PHRASES } from './phrases/noise-phrases.js';
import { OPEN_LOAD_PHRASES } from './phrases/open-load-phrases.js';
import { fastestTitle, RANKING_PHRASES } from './phrases/ranking-phrases.js';
import { RECOMMENDATION_PHRASES } from './phrases/recommendation-phrases.js';
import { RUNTIME_PHRASES } from './phrases/runtime-phrases.js';
import { SLEEP_PHRASES } from './phrases/sleep-phrases.js';
import { TASK_PHRASES } from './phrases/task-phrases.js';

/** @import { Finding } from '../../types/index.js' */
/** @typedef {(finding: Finding, isBrief: boolean) => string[]} Phrase   returns sentences */
/** @typedef {Readonly<Record<string, Phrase>>} PhrasesByKind */

/** @type {PhrasesByKind} */
export const PHRASES = Object.freeze({
  ...ALONG_PHRASES,
  ...RANKING_PHRASES,
  ...SLEEP_PHRASES,
  ...RUNTIME_PHRASES,
  ...GROWTH_PHRASES,
  ...TASK_PHRASES,
  ...BLOCKING_PHRASES,
  ...OPEN_LOAD_PHRASES,
  ...GUARANTEE_PHRASES,
  ...NOISE_PHRASES,
  ...GAP_PHRASES,
  ...LIMIT_PHRASES,
  ...COMPARISON_PHRASES,
  ...RECOMMENDATION_PHRASES,
  ...GAIN_PHRASES,
});

/** Phrases for pictures and their alternative texts, without a full stop. @type {Readonly<Record<string, (finding: Finding) => string>>} */
export const TITLES = Object.freeze({ along: alongTitle, winners: winnersTitle, fastest: fastestTitle });

/** @param {Finding} finding @param {boolean} isBrief @returns {string[]} sentences; empty for a kind that a later version may have */
export function phrase(finding, isBrief) {
  return Object.hasOwn(PHRASES, finding.kind) ? PHRASES[finding.kind](finding, isBrief) : [];
}
