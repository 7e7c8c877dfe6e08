// Which findings the reader of a report sees, and in which order: the answer below the table, and properties of rows among its notes.

import { labelParts } from '../../cell/settings.js';
import { capitalised } from '../../format/lists.js';
import { LONG_PAYLOAD_BYTES } from '../findings/blocking-findings.js';
import { plannedGapFindings } from '../findings/gap-findings.js';
import { findingsIn } from '../findings/index.js';
import { phrase } from './phrase-table.js';
import { notApplicableSentences } from './phrases/gap-phrases.js';
import { inheritedLines } from './surroundings.js';

/** @import { Finding, Plan, Results } from '../../types/index.js' */

const MAX_STEEP = 2; // sentences on excessive growth
const MAX_PROPERTIES_IN_BRIEF = 3;

/** Properties of rows: what limits them, and what their numbers contain. */
const PROPERTIES = [
  'delayed-acknowledgements',
  'limit',
  'oversubscribed',
  'harness',
  'blocked',
  'wake-ups',
  'busy-waiting',
  'not-pinned',
];
/** Findings that are among the notes, or that a command writes. */
const NOTES = [...PROPERTIES, 'closed-loop', 'losses', 'unknown-costs', 'skipped', 'not-applicable', 'next'];
/** What a recommendation did not examine, and what it rests on. */
const SCOPE = ['unfinished', 'not-measured', 'not-examined', 'evidence'];
/** Findings on one table, which the findings on all tables of its scenario replace. */
const OF_ONE_TABLE = ['fastest', 'contrast', 'other-kind'];

/** @param {Finding} finding @returns {boolean} true if its table has the columns on blocked event loops by default */
const showsBlocks = ({ group }) =>
  group !== null && (group.payloadBytes >= LONG_PAYLOAD_BYTES || labelParts(group.scenario).name === 'task');

/**
 * @param {Results} results
 * @param {{ isBrief?: boolean }} [detail]   isBrief: only the sentences of the default output
 * @returns {string[]} sentences, the most important first
 */
export function conclusions(results, { isBrief = false } = {}) {
  const answer = findingsIn(results).filter(({ kind }) => !NOTES.includes(kind));
  const tabled = new Set(answer.filter(({ kind }) => kind === 'winners').map(({ names }) => names.scenario));
  const along = new Set(answer.filter(({ kind }) => kind === 'along').map(({ names }) => names.scenario));
  /** @type {Map<string, number>} */
  const said = new Map();
  /** @param {string} key */
  const count = (key) => {
    said.set(key, (said.get(key) ?? 0) + 1);
    return said.get(key) ?? 0;
  };
  /** @param {Finding} finding */
  const isSaid = (finding) => {
    const { kind, group, names, rows } = finding;
    if (OF_ONE_TABLE.includes(kind) && group !== null && tabled.has(group.scenario)) return false;
    if (kind === 'winners') return !along.has(names.scenario) || Number(rows[0].numbers?.proven) > 0;
    if (kind === 'contrast' && names.differsIn === 'codec' && isBrief)
      return count(`codec ${group?.heading}`) === 1;
    if (kind === 'event-loop-block' && isBrief) return showsBlocks(finding) && count(kind) === 1;
    if (kind === 'steep-growth') return count(kind) <= MAX_STEEP;
    return true;
  };
  return answer.filter(isSaid).flatMap((finding) => phrase(finding, isBrief));
}

/**
 * @param {readonly Finding[]} findings
 * @param {boolean} isBrief    the most important ones only
 * @returns {string[]} sentences on the properties of rows, and on the times of closed loops
 */
export function propertySentences(findings, isBrief) {
  const sentences = findings
    .filter(({ kind }) => PROPERTIES.includes(kind))
    .flatMap((one) => phrase(one, isBrief));
  const shown = isBrief ? sentences.slice(0, MAX_PROPERTIES_IN_BRIEF) : sentences;
  return [...shown, ...sentencesOn(findings, ['closed-loop'], isBrief)];
}

/** @param {readonly Finding[]} findings @param {readonly string[]} kinds @param {boolean} isBrief @returns {string[]} */
export function sentencesOn(findings, kinds, isBrief) {
  return findings.filter(({ kind }) => kinds.includes(kind)).flatMap((finding) => phrase(finding, isBrief));
}

/** @param {readonly Finding[]} findings @returns {string[]} sentences on missing rows, without failed ones, which are part of the conclusion */
export function gapSentences(findings) {
  return [...notApplicableSentences([...findings]), ...sentencesOn(findings, ['skipped'], false)];
}

/** @param {Pick<Plan, 'cells' | 'reference'>} plan @returns {string[]} sentences on gaps that are known before the first launch */
export function plannedGapSentences(plan) {
  return plannedGapFindings(plan).flatMap((finding) => phrase(finding, false));
}

/** @param {readonly Finding[]} findings   of a recommendation @param {Results} results @returns {string[]} */
export function recommendationSentences(findings, results) {
  /** @param {Finding} finding */
  const isScope = ({ kind }) => SCOPE.includes(kind);
  return [
    ...findings.filter((finding) => !isScope(finding)).flatMap((finding) => phrase(finding, false)),
    ...inheritedLines(results).map((line) => `${capitalised(line)}.`),
    ...sentencesOn(findings, SCOPE, false),
  ];
}
