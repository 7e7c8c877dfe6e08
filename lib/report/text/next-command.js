// The command that a run proposes at its end: it mends what the results lack, otherwise adds payload sizes, otherwise prints a table.

import { isSweep } from '../../cell/axes.js';
import { readHeadline } from '../../cell/headline.js';
import { COMMAND, flagText, shellWord } from '../../format/flag-text.js';
import { shownPaths } from '../../format/redact.js';
import { AGENT_FLAGS } from '../../options/host-options.js';
import { OPTION_TABLE } from '../../options/option-table.js';
import { disturbedSentences } from './conclusion.js';
import { judgeResponseTime } from './response-times.js';
import { readFacts } from './rules.js';
import { comparedIn, unrankedBy } from './verdicts.js';

/** @import { MeasuredOutcome, Options, Plan, Results } from '../../types/index.js' */
/**
 * `toRepeat` has the flags that a resumed run does not take from the results.
 * @typedef {Pick<import('../../options/options.js').Resolved, 'options' | 'config' | 'chosen' | 'reachTexts'> & { plan: Plan, toRepeat?: readonly string[] }} Planned
 */
/** @typedef {(replaced?: Record<string, unknown>) => string} Command   the command with other values; undefined omits a flag */
/**
 * `more` is twice the greatest number of launches of a row.
 * @typedef {import('./rules.js').Facts & Planned & { path: string, again: Command, resumed: string, more: number }} Outcome
 */

// Flags that determine how a run reaches brokers and other hosts. Results do not store them.
const REACHED = [...AGENT_FLAGS, 'broker-url'];
// Flags that set the length of the run, which the next command changes.
const LENGTHS = ['quick', 'launches', 'target-error', 'max-time'];
const REPEATED = Object.keys(OPTION_TABLE).filter((flag) => {
  const { shapes, isOnce } = OPTION_TABLE[flag];
  return shapes !== undefined && shapes !== 'output' && !isOnce && !LENGTHS.includes(flag);
});
const SWEEP = '10..100k*10';
const LONG_WARMUP = '5s';
const DECIDED = ['settled', 'target']; // the stop rule ended the run because every ratio was precise enough
const DOCTOR = `${COMMAND} doctor`;

/** The first rule that holds decides. @type {readonly [when: (outcome: Outcome) => boolean, say: (outcome: Outcome) => string][]} */
const RULES = [
  [
    ({ results }) => results.status !== 'complete',
    ({ options, again, resumed }) =>
      isSweep(options.open) ? `the whole search: ${again()}` : `the launches that are missing: ${resumed}`,
  ],
  [
    ({ results: { outcomes } }) => outcomes.some(({ status }) => status === 'failed'),
    () => `why rows may fail here: ${DOCTOR}`,
  ],
  [({ measured }) => disturbedSentences(measured).length > 0, () => `what disturbs this machine: ${DOCTOR}`],
  [({ options }) => options.quick === true, ({ again }) => `enough launches for a verdict: ${again()}`],
  [
    (outcome) => hasLimitVerdict(outcome, 'unclear'),
    ({ again, more }) => `more launches for the limit: ${again({ launches: more })}`,
  ],
  [
    (outcome) => hasLimitVerdict(outcome, 'no'),
    ({ again }) => `the rate that keeps the limit: ${again({ rate: undefined, sweep: true })}`,
  ],
  [({ options }) => isSweep(options.open), toPaste],
  [
    ({ closed }) => closed.some(({ measured }) => measured.some(hasNoInterval)),
    ({ again }) => `enough launches for a verdict: ${again()}`,
  ],
  [
    ({ measured }) => measured.some(({ flags }) => flags.some(({ code }) => code === 'cold')),
    ({ again }) => `a longer warm-up: ${again({ warmup: LONG_WARMUP })}`,
  ],
  [
    ({ measured }) => measured.some((outcome) => remedyFor(outcome) !== undefined),
    ({ measured }) => `${measured.map(remedyFor).find((text) => text !== undefined)}`,
  ],
  [isUndecided, ({ again, more }) => `narrower intervals: ${again({ launches: more })}`],
  [
    ({ options, plan }) => options.payloadBytes.length === 1 && dependsOnPayload(options, plan),
    ({ again }) => `how it changes with the size: ${again({ payload: SWEEP })}`,
  ],
  [() => true, toPaste],
];

/**
 * @param {Planned} planned
 * @param {Results} results
 * @param {string} resultsPath
 * @param {NodeJS.Platform} [platform]   platform of the shell
 * @returns {string} 'enough launches for a verdict: npx ipc-bench'
 */
export function nextCommand(planned, results, resultsPath, platform) {
  const { config, reachTexts, chosen, toRepeat = [] } = planned;
  const kept = Object.entries({ ...config, ...reachTexts }).filter(([flag]) => chosen.has(flag));
  const write = (/** @type {string[]} */ flags, /** @type {Record<string, unknown>} */ replaced) => {
    const values = { ...Object.fromEntries(kept), ...replaced };
    const written = Object.keys(OPTION_TABLE).filter(
      (flag) => values[flag] !== undefined && (flags.includes(flag) || flag in replaced),
    );
    // The purpose precedes the command, because interactive zsh would take a comment after it for arguments.
    return [COMMAND, ...written.map((flag) => flagText(flag, values[flag], platform))].join(' ');
  };
  const facts = readFacts(results);
  const launches = facts.measured.map((outcome) => outcome.launches.length);
  /** @type {Outcome} */
  const outcome = {
    ...facts,
    ...planned,
    again: (replaced = {}) => write(REPEATED, replaced),
    resumed: write([...REACHED, ...toRepeat], { resume: resultsPath }),
    path: shellWord(resultsPath, platform),
    more: 2 * Math.max(1, ...launches),
  };
  const [, say] = RULES.find(([when]) => when(outcome)) ?? [null, toPaste];
  return shownPaths(say(outcome));
}

/** @param {Pick<Outcome, 'path'>} outcome */
function toPaste({ path }) {
  return `a table to paste: ${COMMAND} report ${path} --markdown -`;
}

/** @param {Outcome} outcome @param {'unclear' | 'no'} wanted @returns {boolean} true if a row that may be ranked has this verdict */
function hasLimitVerdict({ measured, options: { open } }, wanted) {
  const slo = isSweep(open) ? null : (open?.slo ?? null);
  return measured.some((outcome) => {
    const { verdict } = judgeResponseTime(outcome, slo);
    return slo !== null && remedyFor(outcome) === undefined && verdict === wanted;
  });
}

/** @param {MeasuredOutcome} outcome */
const hasNoInterval = (outcome) => readHeadline(outcome).level === null;

/** @param {MeasuredOutcome} outcome @returns {string | undefined} the remedy for a row that is not ranked */
function remedyFor({ flags }) {
  return unrankedBy(flags.map(({ code }) => code))?.next;
}

/**
 * @param {Outcome} outcome
 * @returns {boolean} true if at least half of the compared rows do not clearly differ from the reference; false if the run ended because
 *   every ratio was precise enough
 */
function isUndecided({ closed, kindIn, results: { stopRule } }) {
  if (DECIDED.includes(stopRule?.endedBy ?? '')) return false;
  const compared = closed.flatMap(({ measured }) => comparedIn(measured, kindIn));
  const unclear = compared.filter(({ verdict }) => verdict === 'unclear').length;
  return unclear > 0 && 2 * unclear >= compared.length;
}

/** @param {Options} options @param {Plan} plan @returns {boolean} false if a file or the scenario determines the payload */
function dependsOnPayload({ messageFile, payloadBytes }, { cells }) {
  if (messageFile !== undefined) return false;
  return cells.some(({ cell, skip }) => skip === null && payloadBytes.includes(cell.payloadBytes));
}
