// What to do next: remove what makes the results doubtful, or else measure what they lack, or else print a table to paste.

import { isSweep } from '../../cell/axes.js';
import { readHeadline } from '../../cell/headline.js';
import { isMeasured } from '../../results/measured-outcomes.js';
import { makeFinding } from './finding.js';
import { hasFlag } from './groups.js';
import { judgeResponseTime } from './response-times.js';
import { comparedIn, unrankedBy } from './row-verdicts.js';

/** @import { Finding, MeasuredOutcome } from '../../types/index.js' */
/** @import { ReportFacts } from './report-facts.js' */

const DECIDED = ['settled', 'target']; // the stop rule ended the run because every ratio was precise enough or clearly differed from 1

/**
 * The first rule that holds decides.
 * @type {readonly [remedy: string, when: (facts: ReportFacts, findings: readonly Finding[]) => boolean][]}
 */
const RULES = [
  ['finish', ({ results }) => results.status !== 'complete'],
  ['failures', ({ results: { outcomes } }) => outcomes.some(({ status }) => status === 'failed')],
  // Precedes `doctor`, since rows that are not ranked because they are cold need a longer warm-up even on a noisy machine.
  [
    'cold',
    ({ measured }) =>
      2 * measured.filter((outcome) => findRemedy(outcome) === 'cold').length > measured.length,
  ],
  [
    'doctor',
    ({ measured }, findings) => measured.length === 0 || findings.some(({ kind }) => kind === 'disturbed'),
  ],
  ['quick', ({ results }) => results.options.quick],
  ['launches-for-limit', (facts) => hasLimitVerdict(facts, 'unclear')],
  ['find-rate', (facts) => hasLimitVerdict(facts, 'no')],
  ['paste', ({ results }) => isSweep(results.options.open)],
  [
    'more-launches',
    ({ closed }) => closed.some(({ measured }) => measured.some((row) => readHeadline(row).level === null)),
  ],
  ['cold', ({ measured }) => measured.some((outcome) => hasFlag(outcome, 'cold'))],
  ['unranked', ({ measured }) => measured.some((outcome) => findRemedy(outcome) !== null)],
  ['narrower', isUndecided],
  ['sizes', dependsOnPayload],
];

/** @param {ReportFacts} facts @param {readonly Finding[]} findings   the other findings @returns {Finding[]} */
export function nextFindings(facts, findings) {
  const [remedy] = RULES.find(([, when]) => when(facts, findings)) ?? ['paste'];
  const ofRow = facts.measured.map(findRemedy).find((code) => code !== null) ?? null;
  const launches = facts.measured.map((outcome) => outcome.launches.length);
  return [
    makeFinding('next', {
      numbers: { launches: Math.max(1, ...launches) },
      remedy: remedy === 'unranked' ? ofRow : remedy,
    }),
  ];
}

/** @param {MeasuredOutcome} outcome @returns {string | null} code of the flag that keeps the row from being ranked */
function findRemedy({ flags }) {
  return unrankedBy(flags.map(({ code }) => code));
}

/** @param {ReportFacts} facts @param {'unclear' | 'no'} wanted @returns {boolean} true if a row that may be ranked has this verdict */
function hasLimitVerdict({ measured, results: { options } }, wanted) {
  const slo = isSweep(options.open) ? null : (options.open?.slo ?? null);
  return (
    slo !== null &&
    measured.some(
      (outcome) => findRemedy(outcome) === null && judgeResponseTime(outcome, slo).verdict === wanted,
    )
  );
}

/**
 * @param {ReportFacts} facts
 * @returns {boolean} true if at least half of the compared rows do not clearly differ from the reference; false if the run ended because
 *   every ratio was precise enough or clearly differed from 1
 */
function isUndecided({ closed, kindIn, results: { stopRule } }) {
  if (DECIDED.includes(stopRule?.endedBy ?? '')) return false;
  const compared = closed.flatMap(({ measured }) => comparedIn(measured, kindIn));
  const unclear = compared.filter(({ verdict }) => verdict === 'unclear').length;
  return unclear > 0 && 2 * unclear >= compared.length;
}

/**
 * @param {ReportFacts} facts
 * @returns {boolean} true if the run has one payload size, which neither a message file nor the scenario determines
 */
function dependsOnPayload({ results: { options, outcomes } }) {
  if (options.messageFile !== undefined || options.payloadBytes.length !== 1) return false;
  return outcomes.filter(isMeasured).some(({ cell }) => options.payloadBytes.includes(cell.payloadBytes));
}
